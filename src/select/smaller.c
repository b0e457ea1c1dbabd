/* Why a smaller set that looks as good was not taken: the sentence below the errors of a result.
 *
 * Looked at are the sets of the path with fewer inputs than the answer whose criterion is not above that of the chosen
 * step by more than one standard error of the answer's error. Of these, the smallest is named, and what decided. */
#include <math.h>
#include "base/text.h"
#include "select/method.h"

/* The step, or r->steps: there is none. */
static size_t smaller_step(const struct tamis_result *r)
{
    size_t found = r->steps;
    double most = r->steps ? r->path[r->chosen_step].criterion + (r->error_se > 0 ? r->error_se : 0) : NAN;
    for (size_t k = 0; k < r->steps; k++) {
        const struct tamis_path_step *s = &r->path[k];
        if (s->size >= r->selected || !(s->criterion <= most)) continue;
        if (found == r->steps || s->size < r->path[found].size) found = k;
    }
    return found;
}

/* Over the folds of --select-rule. */
static void rule_words(const struct tamis_result *r, size_t size, struct tamis_text *t)
{
    const tamis_value *sizes = tamis_value_at(r->rule, "sizes"), *one = tamis_value_item(sizes, size);
    double least = INFINITY, se = tamis_value_number(r->rule, "se");
    for (size_t k = 0; k < tamis_value_length(sizes); k++)
        least = fmin(least, tamis_value_number(tamis_value_item(sizes, k), "error"));
    double behind = (tamis_value_number(one, "error") - least) / tamis_value_number(one, "excess_se");
    if (behind > se)
        tamis_text_printf(t, "row by row its error over the folds of the rule is %.3g standard errors above the least, "
                             "more than %g", behind, se);
    else tamis_text_puts(t, "it is not the set that the folds of the rule agree on");
}

static int is_least(const struct tamis_result *r)
{
    double chosen = r->path[r->chosen_step].criterion;
    for (size_t k = 0; k < r->steps; k++)
        if (r->path[k].criterion < chosen - 1e-9 * fabs(chosen)) return 0;
    return 1;
}

static void reason(const struct tamis_run *run, size_t step, struct tamis_text *t)
{
    const struct tamis_result *r = run->result;
    const char *rule = tamis_value_text(r->block, "rule");
    if (run->method->why_not) run->method->why_not(run, step, t);
    else if (r->rule) rule_words(r, r->path[step].size, t);
    else if (rule) tamis_text_printf(t, "the rule is %s", rule);
    else if (is_least(r))
        tamis_text_printf(t, "the set with the least value is taken%s",
                          run->method->constraints ? ", while --select-rule se takes the fewest inputs within a standard error" : "");
}

int tamis_smaller_add(tamis_value *to, const struct tamis_run *run)
{
    const struct tamis_result *r = run->result;
    size_t k = smaller_step(r);
    struct tamis_text t = {.cx = run->cx}, why = {.cx = run->cx};
    if (k == r->steps) return TAMIS_OK;
    const struct tamis_path_step *s = &r->path[k];
    double chosen = r->path[r->chosen_step].criterion;
    reason(run, k, &why);
    tamis_text_puts(&t, "With ");
    if (s->size) tamis_text_printf(&t, "%zu input%s", s->size, s->size == 1 ? "" : "s");
    else tamis_text_puts(&t, "no inputs");
    tamis_text_printf(&t, " the %s is %.4g, %s that of the chosen step (%.4g): %s.",
                      r->error_label ? r->error_label : r->error_name, s->criterion,
                      s->criterion <= chosen ? "not above" : "within one standard error of", chosen, why.s);
    if (why.length && !t.failed) {
        tamis_value *v = tamis_add_record(to, "smaller");
        tamis_add_number(v, "size", (double)s->size);
        tamis_add_number(v, "criterion", s->criterion);
        tamis_add_text(v, "why", t.s);
    }
    tamis_text_free(&t);
    tamis_text_free(&why);
    return tamis_status(run->cx);
}
