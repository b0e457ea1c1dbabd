/* Why a set on the path of sift was not taken: by the block of the result, after sift itself has gone. */
#include <string.h>
#include "base/text.h"
#include "method/sift/sift.h"

/* The value of a step of the path: lists of the block begin with the first set measured. */
static double at_step(const struct tamis_result *r, const char *list, size_t step)
{
    size_t n = 0;
    const double *x = tamis_value_numbers(r->block, list, &n);
    size_t first = r->steps > n ? r->steps - n : 0;
    return x && step >= first && step - first < n ? x[step - first] : NAN;
}

/* With --select-rule, or after inputs that too few folds keep were dropped. */
static void other_reason(const struct tamis_run *run, struct tamis_text *t)
{
    const char *rule = tamis_options_get(run->options, "select-rule");
    if (rule && !strcmp(rule, "best")) tamis_text_puts(t, "--select-rule best takes the least loss");
    else tamis_text_puts(t, "the folds do not agree on its inputs");
}

/* What decides the size; the error shown for classes is the share of rows misclassified. */
static const char *loss_name(const struct tamis_run *run)
{
    const char *loss = tamis_options_get(run->options, "loss");
    if (!run->encoder->classes) return "error";
    return !loss || !strcmp(loss, "auto") ? "squared error of the class indicators" : loss;
}

void sift_why_not(const struct tamis_run *run, size_t step, struct tamis_text *t)
{
    const struct tamis_result *r = run->result;
    const struct tamis_path_step *chosen = &r->path[r->chosen_step];
    double behind = at_step(r, "behind_best", step), se = sift_se(run),
           lost = at_step(r, "evidence", r->chosen_step) - at_step(r, "evidence", step);
    if (behind > se)
        tamis_text_printf(t, "row by row its %s is %.3g standard errors above that of the best size, more than --se %g",
                          loss_name(run), behind, se);
    else if (lost > 0)
        tamis_text_printf(t, "the folds cannot tell it from the best size, but its log evidence on all rows, less the "
                             "price of its inputs, is %.3g below that of the chosen step (%zu inputs)",
                          lost, chosen->size);
    else other_reason(run, t);
    if (r->selected < chosen->size && behind <= se)
        tamis_text_printf(t, "; of these, inputs that too few folds keep were dropped");
}
