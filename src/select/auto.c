/* auto: the method for this table, in one sentence. sift, unless the options given belong to another method: then the
 * first one in the table that has them all. sift measures its own approximations for many rows or inputs, and ends with
 * a linear model where nothing nonlinear helps. */
#include <stdio.h>
#include <string.h>
#include "select/method.h"

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

static const struct tamis_method *first_that_takes(tamis_context *cx, const struct tamis_design *d,
                                                   const tamis_options *o)
{
    const struct tamis_method *m;
    for (size_t i = 0; (m = tamis_method_at(i)); i++) {
        int yes = takes(cx, d, o, m);
        tamis_forget(cx);
        if (yes) return m;
    }
    return NULL;
}

struct preference { const char *method, *option, *value, *why; };

/* Sets an option that the user left open; what that means goes behind the sentence. */
static int prefer(tamis_options *o, const struct tamis_method *m, const struct preference *w, char *why, size_t room)
{
    if (strcmp(m->name, w->method) || tamis_options_get(o, w->option)) return TAMIS_OK;
    size_t used = strlen(why);
    snprintf(why + used, room - used, "%s", w->why);
    return tamis_options_set(o, w->option, w->value);
}

int tamis_auto_pick(tamis_context *cx, const struct tamis_design *d, tamis_options *o,
                    const struct tamis_method **method, char *why, size_t room)
{
    static const struct preference centres = {"sisal", "centers", "500", ", with 500 centres instead of one a row"},
                                   share = {"sisal", "drop-fraction", "0.1",
                                            ", a tenth of the inputs leaving at a time"},
                                   simple = {"sift", "final", "auto",
                                             ", ending with a linear model if that does as well"};
    const struct tamis_method *m = first_that_takes(cx, d, o), *usual = tamis_method_at(0);
    *method = m ? m : usual; /* none takes them all: the usual one says which it does not know */
    snprintf(why, room, "%s for %s with %zu rows and %zu inputs%s", (*method)->name,
             d->encoder->classes ? "classification" : "regression", d->rows, d->inputs,
             *method != usual ? ", because it has the options given" : "");
    int status = d->rows > DENSE_ROWS ? prefer(o, *method, &centres, why, room) : TAMIS_OK;
    if (!status && d->inputs > MANY_INPUTS) status = prefer(o, *method, &share, why, room);
    return status ? status : prefer(o, *method, &simple, why, room);
}
