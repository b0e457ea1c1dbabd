/* auto: picks the method for this table and gives the reason in one sentence. It is sift, unless the options given
 * belong to another method: then the first in the table of methods that takes them all. sift approximates where there
 * are many rows or inputs, and ends with a linear model where nothing nonlinear helps. */
#include <string.h>
#include "base/format.h"
#include "select/method.h"

/* Whether the resolved method may leave inputs out. */
static int selects(const struct tamis_run *run) { return !run->search || !run->search->keeps; }

/* The first method that selects inputs, does the task and takes all options given; NULL: none. */
static const struct tamis_method *first_that_fits(struct tamis_run *run)
{
    const struct tamis_method *m;
    int before = tamis_status(run->cx);
    for (size_t i = 0; (m = tamis_method_at(i)); i++) {
        int status = tamis_resolve_as(run, m);
        if (!status && selects(run)) return m;
        if (status && (status != TAMIS_USAGE || tamis_forgive(run->cx, before))) return NULL;
    }
    return NULL;
}

/* Sets an option that the user left open; what that means is added to the sentence. */
static int prefer(struct tamis_run *run, const struct tamis_preference *w)
{
    if (tamis_options_get(run->options, w->option)) return TAMIS_OK;
    size_t used = strlen(run->why);
    tamis_snprintf(run->why + used, sizeof run->why - used, ", %s", w->why);
    return tamis_options_set(run->options, w->option, w->value);
}

int tamis_auto_pick(struct tamis_run *run, size_t rows)
{
    const struct tamis_method *usual = tamis_method_at(0), *m = first_that_fits(run);
    size_t inputs = run->encoder->inputs;
    if (!m && tamis_status(run->cx)) return tamis_status(run->cx);
    if (!m) return tamis_resolve_as(run, usual);        /* none fits: the usual one says what is wrong */
    tamis_snprintf(run->why, sizeof run->why, "%s for %s with %zu rows and %zu inputs%s", m->name,
             run->encoder->classes ? "classification" : "regression", rows, inputs,
             m != usual ? ", because it has the options given" : "");
    int status = TAMIS_OK;
    for (const struct tamis_preference *w = m->preferences; w && w->option && !status; w++)
        if (rows > w->above_rows && inputs > w->above_inputs) status = prefer(run, w);
    return status;
}
