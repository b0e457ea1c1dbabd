/* auto: the method for this table, in one sentence. */
#include <stdio.h>
#include "method/method.h"

int tamis_auto_pick(tamis_context *cx, const struct tamis_design *d, tamis_options *o, const struct tamis_method **method, char *why, size_t room)
{
    (void)cx, (void)o;
    *method = tamis_method_find(d->encoder->more ? "opelm" : "sift");
    snprintf(why, room, "%s for %s with %zu rows and %zu inputs%s", (*method)->name, d->encoder->classes ? "classification" : "regression", d->rows, d->inputs,
             d->encoder->more ? ", because it takes several targets" : "");
    return TAMIS_OK;
}
