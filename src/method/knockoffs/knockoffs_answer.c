/* The answer: sift's model of the chosen inputs, and what they were chosen by. */
#include <math.h>
#include <string.h>
#include "method/knockoffs/knockoffs.h"
#include "method/methods.h"

/* ---- a run of sift with the chosen inputs alone, all of which stay ---- */

static tamis_options *sub_options(const struct knockoffs *k)
{
    const struct tamis_run *run = k->run;
    struct tamis_run scratch = {.cx = run->cx};
    struct tamis_option_table used[TAMIS_TABLES];
    tamis_options *o = tamis_options_copy(run->cx, run->options);
    const char **name = tamis_raw(run->cx, const char *, k->chosen);
    size_t n = 0;
    for (size_t i = 0; name && i < run->design->inputs; i++)
        if (k->set[i]) name[n++] = run->design->encoder->input[i].name;
    if (o && name && !tamis_resolve_method(&scratch, &tamis_sift)) {
        tamis_run_tables(&scratch, used);
        tamis_options_keep(o, used);
        tamis_options_set_names(o, "must", name, n);
    }
    tamis_free(name);
    return o;
}

/* The columns of the chosen inputs of a design. */
static int sub_design(const struct knockoffs *k, struct tamis_encoder *e, struct tamis_design *to)
{
    const struct tamis_design *from = k->run->design;
    size_t n = from->rows, at = 0;
    *to = *from;
    to->encoder = e;
    to->inputs = e->inputs;
    to->columns = e->columns;
    if (!(to->x = tamis_raw(k->run->cx, double, n * e->columns))) return tamis_status(k->run->cx);
    for (size_t i = 0; i < from->inputs; i++) {
        const struct tamis_feature *f = &from->encoder->input[i];
        if (!k->set[i]) continue;
        memcpy(to->x + n * at, from->x + n * f->first, n * f->columns * sizeof *to->x);
        at += f->columns;
    }
    return TAMIS_OK;
}

/* The model and its errors move to the result of the run. */
static void sub_take(struct tamis_result *from, struct tamis_result *to)
{
    to->model = from->model;
    to->held_out = from->held_out;
    from->model = NULL;
    from->held_out = NULL;
    to->error = from->error;
    to->error_se = from->error_se;
}

static int sub_run(struct knockoffs *k)
{
    struct tamis_run *run = k->run, sub = *run;
    struct tamis_design design = {.x = NULL};
    sub.method = &tamis_sift;
    sub.checkpoint = NULL;
    sub.test = NULL;
    sub.result = NULL;
    sub.options = sub_options(k);
    sub.encoder = tamis_encoder_subset(run->cx, run->encoder, k->set);
    int status = tamis_status(run->cx) ? tamis_status(run->cx) : sub_design(k, sub.encoder, &design);
    sub.design = &design;
    if (!status && !(sub.result = tamis_result_new(run->cx, &design))) status = tamis_status(run->cx);
    if (!status) status = tamis_sift.select(&sub);
    if (!status) sub_take(sub.result, run->result);
    tamis_result_free(sub.result);
    tamis_free(design.x);
    tamis_encoder_free(sub.encoder);
    tamis_options_free(sub.options);
    return status;
}

static int model_fill(struct knockoffs *k)
{
    struct tamis_run *run = k->run;
    struct tamis_span outer = tamis_span_enter(run->cx, knockoffs_draws_end, 1, NULL);
    int status = k->chosen ? sub_run(k) : tamis_constant_fit(run);
    tamis_span_leave(run->cx, outer);
    if (status || !run->test) return status;
    return tamis_model_error(run->cx, run->result->model, run->test, &run->result->test);
}

/* ---- what it was chosen by ---- */

/* Mean of W over the draws. */
static double mean_w(const struct knockoffs *k, size_t j)
{
    double sum = 0;
    for (size_t m = 0; m < k->s.draws; m++) sum += k->w[j + k->d * m];
    return sum / (double)k->s.draws;
}

static double positive_share(const struct knockoffs *k, size_t j)
{
    double n = 0;
    for (size_t m = 0; m < k->s.draws; m++) n += k->w[j + k->d * m] > 0;
    return n / (double)k->s.draws;
}

static void block_fill(struct knockoffs *k)
{
    const struct tamis_encoder *e = k->run->encoder;
    tamis_value *v = tamis_result_block(k->run->cx, k->run->result, "fdr");
    tamis_add_number(v, "q", k->s.q);
    tamis_add_number(v, "draws", (double)k->s.draws);
    tamis_add_number(v, "shrinkage", k->law.lambda);
    tamis_add_text(v, "distance", k->law.equal ? "equicorrelated" : "mvr");
    tamis_value *list = tamis_add_list(v, "inputs");
    for (size_t j = 0; j < k->d; j++) {
        tamis_value *one = tamis_add_record(list, NULL);
        tamis_add_text(one, "name", e->input[k->input[j]].name);
        tamis_add_number(one, "e_value", k->e[j]);
        tamis_add_number(one, "statistic", mean_w(k, j));
        tamis_add_number(one, "positive", positive_share(k, j));
        tamis_add_number(one, "distance", k->law.s[j]);
    }
}

/* What the answer means, or why there is none. */
static void meaning_note(const struct knockoffs *k)
{
    double least = ceil(1 / k->s.q - 1e-9);
    if ((double)k->d < least)
        tamis_note(k->run->cx, "%zu inputs are too few for --fdr %g, which needs at least %g", k->d, k->s.q, least);
    else if (k->chosen)
        tamis_note(k->run->cx,
                   "on average at most a share of %g of the selected inputs is false, if rows are independent and "
                   "correlations of ranks describe how inputs depend on each other",
                   k->s.q);
    else
        tamis_note(k->run->cx,
                   "no set of inputs has a false discovery rate of at most %g; only sets of at least %g inputs can "
                   "have it: raise --fdr, or run without it",
                   k->s.q, least);
}

static void notes_write(const struct knockoffs *k)
{
    tamis_context *cx = k->run->cx;
    meaning_note(k);
    if (k->run->design->rows <= k->d)
        tamis_note(cx, "%zu rows are few to learn how %zu inputs depend on each other: the bound is doubtful",
                   k->run->design->rows, k->d);
    if (k->run->encoder->impute)
        tamis_note(cx, "imputed values are treated as if they had been observed: the bound is not exact");
}

int knockoffs_answer(struct knockoffs *k)
{
    struct tamis_run *run = k->run;
    struct tamis_result *o = run->result;
    double *order = tamis_raw(run->cx, double, run->design->inputs);
    if (!order) return tamis_status(run->cx);
    for (size_t i = 0; i < run->design->inputs; i++) order[i] = NAN;
    for (size_t j = 0; j < k->d; j++) order[k->input[j]] = mean_w(k, j);
    o->criterion = "knockoffs";
    o->error_name = "cv";
    o->error_label = "cross-validated error";
    int status = model_fill(k);
    if (!status) status = tamis_result_rank(run->cx, o, k->set, order, order);
    if (!status) block_fill(k);
    if (!status) notes_write(k);
    tamis_free(order);
    return status ? status : tamis_status(run->cx);
}
