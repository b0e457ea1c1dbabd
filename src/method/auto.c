/* auto: the method for this table, in one sentence. */
#include <stdio.h>
#include "method/method.h"

enum { DENSE_ROWS = 1500, CENTRES = 500, MANY_INPUTS = 200 };

/* Sets an option that the user left open. */
static int prefer(tamis_options *o, const char *name, const char *value)
{
    return tamis_options_get(o, name) ? TAMIS_OK : tamis_options_set(o, name, value);
}

int tamis_auto_pick(tamis_context *cx, const struct tamis_design *d, tamis_options *o, const struct tamis_method **method, char *why, size_t room)
{
    int large = d->rows > DENSE_ROWS, wide = d->inputs > MANY_INPUTS, status = TAMIS_OK;
    if (d->encoder->classes)
        return tamis_fail(cx, TAMIS_USAGE, "the target '%s' holds labels, and this version has no method for classification", d->encoder->target);
    *method = tamis_method_find("sisal");
    if (large) status = prefer(o, "centers", "500");
    if (!status && wide) status = prefer(o, "drop-fraction", "0.1");
    snprintf(why, room, "sisal for regression with %zu rows and %zu inputs%s%s%s%s", d->rows, d->inputs, large || wide ? ", with " : "",
             large ? "500 centres instead of one a row" : "", large && wide ? " and " : "", wide ? "a tenth of the inputs leaving at a time" : "");
    return status;
}
