/* auto: the method for this table, in one sentence. sift, unless the options given belong to another method: then the first one in the
 * table that has them all. */
#include <stdio.h>
#include <string.h>
#include "method/method.h"

enum { DENSE_ROWS = 1500, MANY_INPUTS = 200 };

/* Whether the method is for this design and every option that was set is one of its own or a common one. */
static int takes(tamis_context *cx, const struct tamis_design *d, const tamis_options *o, const struct tamis_method *m)
{
    struct tamis_plan plan = {.method = m};
    struct tamis_option_table used[TAMIS_TABLES];
    if (!tamis_task_fits(d, m->task) || m->plan(cx, o, &plan)) return 0;
    if ((plan.criterion && !tamis_task_fits(d, plan.criterion->task)) || (d->encoder->more && !plan.several)) return 0;
    tamis_plan_tables(&plan, used);
    return !tamis_options_unused(cx, o, used, m->name);
}

static const struct tamis_method *first_that_takes(tamis_context *cx, const struct tamis_design *d, const tamis_options *o)
{
    const struct tamis_method *m;
    for (size_t i = 0; (m = tamis_method_at(i)); i++) {
        int yes = takes(cx, d, o, m);
        tamis_forget(cx);
        if (yes) return m;
    }
    return NULL;
}

/* Sets an option of the method that the user left open. */
static int prefer(const struct tamis_method *m, tamis_options *o, const char *name, const char *value)
{
    return strcmp(m->name, "sisal") || tamis_options_get(o, name) ? TAMIS_OK : tamis_options_set(o, name, value);
}

int tamis_auto_pick(tamis_context *cx, const struct tamis_design *d, tamis_options *o, const struct tamis_method **method, char *why, size_t room)
{
    const struct tamis_method *m = first_that_takes(cx, d, o), *usual = tamis_method_at(0);
    *method = m ? m : usual;                            /* none takes them all: the usual one says which it does not know */
    int large = !strcmp((*method)->name, "sisal") && d->rows > DENSE_ROWS && !tamis_options_get(o, "centers"), status = TAMIS_OK;
    int wide = !strcmp((*method)->name, "sisal") && d->inputs > MANY_INPUTS && !tamis_options_get(o, "drop-fraction");
    if (large) status = prefer(*method, o, "centers", "500");
    if (!status && wide) status = prefer(*method, o, "drop-fraction", "0.1");
    snprintf(why, room, "%s for %s with %zu rows and %zu inputs%s%s%s", (*method)->name, d->encoder->classes ? "classification" : "regression", d->rows, d->inputs,
             *method != usual ? ", because it has the options given" : "", large ? ", with 500 centres instead of one a row" : "", wide ? ", a tenth of the inputs leaving at a time" : "");
    return status;
}
