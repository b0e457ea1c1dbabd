/* auto: picks the method for this table and gives the reason in one sentence. It is sift, unless the options given
 * belong to another method: then the first in the table of methods that takes them all. sift approximates where there
 * are many rows or inputs, and ends with a linear model where nothing nonlinear helps. */
#include <stdio.h>
#include <string.h>
#include "select/method.h"

enum { DENSE_ROWS = 1500, MANY_INPUTS = 200 };

/* The first method that does the task and takes all options given; NULL: none. */
static const struct tamis_method *first_that_fits(struct tamis_run *run)
{
    const struct tamis_method *m;
    for (size_t i = 0; (m = tamis_method_at(i)); i++) {
        int status = tamis_resolve_as(run, m);
        if (!status) return m;
        if (status != TAMIS_USAGE) return NULL;
        tamis_forget(run->cx);
    }
    return NULL;
}

struct preference { const char *method, *option, *value, *why; };

/* Sets an option that the user did not give, and adds the reason to run->why. */
static int prefer(struct tamis_run *run, const struct preference *p)
{
    if (strcmp(run->method->name, p->method) || tamis_options_get(run->options, p->option)) return TAMIS_OK;
    size_t used = strlen(run->why);
    snprintf(run->why + used, sizeof run->why - used, "%s", p->why);
    return tamis_options_set(run->options, p->option, p->value);
}

int tamis_auto_pick(struct tamis_run *run, size_t rows)
{
    static const struct preference
        centres = {"sisal", "centers", "500", ", with 500 centres instead of one per row"},
        share = {"sisal", "drop-fraction", "0.1", ", dropping a tenth of the inputs at a time"},
        simple = {"sift", "final", "auto", ", ending with a linear model if that does as well"};
    const struct tamis_method *usual = tamis_method_at(0), *m = first_that_fits(run);
    if (!m && tamis_status(run->cx)) return tamis_status(run->cx);
    if (!m) return tamis_resolve_as(run, usual);        /* none fits: the usual one reports why */
    snprintf(run->why, sizeof run->why, "%s for %s with %zu rows and %zu inputs%s", m->name,
             run->encoder->classes ? "classification" : "regression", rows, run->encoder->inputs,
             m != usual ? ", because it has the options given" : "");
    int status = rows > DENSE_ROWS ? prefer(run, &centres) : TAMIS_OK;
    if (!status && run->encoder->inputs > MANY_INPUTS) status = prefer(run, &share);
    return status ? status : prefer(run, &simple);
}
