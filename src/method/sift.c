/* sift: learnt input weights, a backward path, its size by cross-fitting, and only inputs that the folds agree on.
 *
 * The whole path (sift_path.c) is run once on all rows and once without each fold; every size's errors are measured on the fold left
 * out. Chosen: the smallest size whose paired excess over the best size is within `se` standard errors. The empty set must be beaten by
 * `empty-se` standard errors, else no input helps. Inputs that fewer than a share `stable` of the folds keep at that size are dropped.
 *
 * The parts: learnt weights, J. Tikka, Neurocomputing 72 (2009); derivative relevance and elimination, J. Tikka, J. Hollmen, ESANN 2008;
 * the Delta Test as a start that sees rough functions, F. Mateo, A. Lendasse, ESANN 2008. */
#include <math.h>
#include <string.h>
#include "base/parallel.h"
#include "method/evidence.h"
#include "method/methods.h"
#include "method/sift_path.h"
#include "model/rbf.h"

struct settings { double se, empty_se, stable; size_t folds, learn, fit; };

#define AT(field) offsetof(struct settings, field)
static const struct tamis_option rows[] = {
    {"se", TAMIS_REAL, AT(se), "1.5", 0, 100, NULL, NULL, "the smallest size within so many standard errors of the best is taken"},
    {"empty-se", TAMIS_REAL, AT(empty_se), "2", 0, 100, NULL, NULL, "standard errors by which the empty set must be beaten, else no input helps"},
    {"stable", TAMIS_REAL, AT(stable), "0.6", 0, 1, NULL, NULL, "share of the folds that must keep an input at the chosen size"},
    {"folds", TAMIS_COUNT, AT(folds), "5", 2, 100, NULL, "K", "the path is run again without each of K folds"},
    {"learn-rows", TAMIS_COUNT, AT(learn), "500", 50, 5000, NULL, "N", "weights are learnt on at most N rows"},
    {"fit-rows", TAMIS_COUNT, AT(fit), "2000", 50, 20000, NULL, "N", "the network stands on at most N rows"},
    {0}
};

enum { ONE_BY_ONE = 12 };

struct sift {
    struct tamis_job *job;
    struct settings s;
    struct sift_frame frame;
    double *target;
    size_t *size, *fold, *row;          /* row: folds + 1 lists of rows, the rows of a fold last in each */
    size_t *held;                       /* rows in each fold */
    struct sift_path **path;            /* folds + 1, the last on all rows */
    double *error, *wrong;              /* (sizes + 1) x rows: held-out errors of every size, the empty set last */
    double *relevance, *order, *share;
    unsigned char *set;
    size_t chosen;                      /* index of a size; frame.sizes: the empty set */
};

/* ---- preparation ---- */

static size_t sizes_fill(size_t inputs, size_t *size)
{
    size_t n = 0;
    for (size_t k = inputs; k; n++) {
        if (size) size[n] = k;
        size_t fewer = (size_t)floor(0.85 * (double)k);
        k = k > ONE_BY_ONE ? (fewer < k - 1 ? (fewer > ONE_BY_ONE ? fewer : ONE_BY_ONE) : k - 1) : k - 1;
    }
    return n;
}

/* Standardised numbers, or a column a class with its mean taken out. */
static void target_fill(const struct tamis_design *d, double *target)
{
    size_t classes = d->encoder->classes;
    if (!classes) memcpy(target, d->y, d->rows * sizeof *target);
    for (size_t c = 0; c < classes; c++) {
        double mean = 0;
        for (size_t i = 0; i < d->rows; i++) mean += (d->y[i] == (double)c) / (double)d->rows;
        for (size_t i = 0; i < d->rows; i++) target[i + d->rows * c] = (d->y[i] == (double)c) - mean;
    }
}

/* For each fold its complement first, then its own rows; the last list is all rows. */
static void rows_fill(struct sift *s)
{
    size_t n = s->job->design->rows, folds = s->s.folds;
    for (size_t k = 0; k <= folds; k++) {
        size_t at = 0, *row = s->row + k * n;
        for (size_t i = 0; i < n; i++)
            if (s->fold[i] != k) row[at++] = i;
        s->held[k] = n - at;
        for (size_t i = 0; i < n; i++)
            if (s->fold[i] == k) row[at++] = i;
    }
}

static void frame_fill(struct sift *s)
{
    const struct tamis_design *d = s->job->design;
    s->frame = (struct sift_frame){.cx = s->job->cx, .design = d, .outputs = d->encoder->classes ? d->encoder->classes : 1, .learn = s->s.learn,
                                   .fit = s->s.fit, .seed = s->job->seed, .sizes = sizes_fill(d->inputs, NULL)};
}

static int settings_read(struct sift *s)
{
    int status = tamis_options_read(s->job->cx, s->job->options, rows, &s->s);
    if (status) return status;
    if (s->s.folds > s->job->design->rows) s->s.folds = s->job->design->rows;
    frame_fill(s);
    return TAMIS_OK;
}

static int allocate(struct sift *s)
{
    tamis_context *cx = s->job->cx;
    const struct tamis_design *d = s->job->design;
    size_t n = d->rows, k = s->s.folds + 1, sizes = s->frame.sizes;
    s->target = tamis_raw(cx, double, n * s->frame.outputs);
    s->size = tamis_raw(cx, size_t, sizes);
    s->fold = tamis_raw(cx, size_t, n);
    s->row = tamis_raw(cx, size_t, k * n);
    s->held = tamis_raw(cx, size_t, k);
    s->path = tamis_new(cx, struct sift_path *, k);
    s->error = tamis_new(cx, double, (sizes + 1) * n);
    s->wrong = tamis_new(cx, double, (sizes + 1) * n);
    s->relevance = tamis_new(cx, double, d->inputs);
    s->order = tamis_new(cx, double, d->inputs);
    s->share = tamis_new(cx, double, d->inputs);
    s->set = tamis_new(cx, unsigned char, d->inputs);
    return tamis_status(cx);
}

static void sift_free(struct sift *s)
{
    for (size_t k = 0; s->path && k <= s->s.folds; k++) sift_path_free(s->path[k]);
    void *all[] = {s->target, s->size, s->fold, s->row, s->held, s->path, s->error, s->wrong, s->relevance, s->order, s->share, s->set};
    for (size_t i = 0; i < sizeof all / sizeof *all; i++) tamis_free(all[i]);
}

/* ---- the paths ---- */

static int one_path(void *arg, size_t item, int worker)
{
    struct sift *s = arg;
    size_t n = s->job->design->rows, held = s->held[item];
    (void)worker;
    if (!(s->path[item] = sift_path_new(&s->frame, held))) return tamis_status(s->job->cx);
    const size_t *row = s->row + item * n;
    return sift_path_run(&s->frame, row, n - held, row + n - held, held, (uint32_t)item + 1, s->path[item]);
}

static void errors_gather(struct sift *s)
{
    size_t n = s->job->design->rows;
    for (size_t k = 0; k < s->s.folds; k++)
        for (size_t size = 0; size <= s->frame.sizes; size++)
            for (size_t i = 0; i < s->held[k]; i++) {
                size_t at = size * n + s->row[k * n + n - s->held[k] + i];
                s->error[at] = s->path[k]->error[size * s->held[k] + i];
                if (s->path[k]->wrong) s->wrong[at] = s->path[k]->wrong[size * s->held[k] + i];
            }
}

/* ---- the size ---- */

static double mean_of(const double *v, size_t n)
{
    double sum = 0;
    for (size_t i = 0; i < n; i++) sum += v[i];
    return sum / (double)n;
}

/* Mean of a - b over its standard error; 0 where the two are the same. */
static double excess(const double *a, const double *b, size_t n)
{
    double mean = 0, squares = 0;
    for (size_t i = 0; i < n; i++) mean += (a[i] - b[i]) / (double)n;
    for (size_t i = 0; i < n; i++) squares += pow(a[i] - b[i] - mean, 2);
    double se = sqrt(squares / (double)(n > 1 ? n - 1 : 1) / (double)n);
    return se > 0 ? mean / se : mean > 0 ? INFINITY : mean < 0 ? -INFINITY : 0;
}

static void size_choose(struct sift *s)
{
    size_t n = s->job->design->rows, sizes = s->frame.sizes, best = 0;
    for (size_t k = 1; k < sizes; k++)
        if (mean_of(s->error + k * n, n) <= mean_of(s->error + best * n, n)) best = k;
    for (s->chosen = sizes - 1; s->chosen > best; s->chosen--)
        if (excess(s->error + s->chosen * n, s->error + best * n, n) <= s->s.se) break;
    if (excess(s->error + sizes * n, s->error + s->chosen * n, n) < s->s.empty_se) s->chosen = sizes;
}

/* Of the folds, how many keep each input at the chosen size; those too few keep leave the set. */
static void stability(struct sift *s)
{
    size_t inputs = s->job->design->inputs, at = s->chosen < s->frame.sizes ? s->chosen : s->frame.sizes - 1;
    for (size_t i = 0; i < inputs; i++) {
        s->share[i] = 0;
        for (size_t k = 0; k < s->s.folds; k++) s->share[i] += s->path[k]->set[at * inputs + i] / (double)s->s.folds;
        s->set[i] = s->chosen < s->frame.sizes && s->path[s->s.folds]->set[at * inputs + i] && s->share[i] >= s->s.stable - 1e-9;
    }
}

/* ---- the answer ---- */

static size_t set_size(const struct sift *s)
{
    size_t n = 0;
    for (size_t i = 0; i < s->job->design->inputs; i++) n += s->set[i];
    return n;
}

static double size_error(const struct sift *s, size_t k)
{
    size_t n = s->job->design->rows;
    return mean_of((s->job->design->encoder->classes ? s->wrong : s->error) + k * n, n);
}

static int path_fill(struct sift *s)
{
    struct tamis_outcome *o = s->job->outcome;
    tamis_context *cx = s->job->cx;
    size_t inputs = s->job->design->inputs, sizes = s->frame.sizes;
    const unsigned char *set = s->path[s->s.folds]->set;
    o->path = tamis_new(cx, tamis_step, sizes);
    o->changed = tamis_new(cx, size_t, inputs);
    if (!o->path || !o->changed) return tamis_status(cx);
    for (size_t i = 0; i < inputs; i++) s->order[i] = (double)sizes;
    for (size_t k = 0; k < sizes; k++) {
        size_t first = o->changed_count;
        for (size_t i = 0; k && i < inputs; i++)
            if (set[(k - 1) * inputs + i] && !set[k * inputs + i]) {
                o->changed[o->changed_count++] = i;
                s->order[i] = (double)k + s->path[s->s.folds]->relevance[i] / 1e6;
            }
        size_t count = o->changed_count - first;
        o->path[k] = (tamis_step){.size = s->size[k], .changed = count ? (long)o->changed[first] : -1, .also = count ? count - 1 : 0, .criterion = size_error(s, k)};
    }
    o->open.path = o->path;
    o->open.steps = sizes;
    o->open.chosen_step = s->chosen < sizes ? s->chosen : sizes - 1;
    return TAMIS_OK;
}

static void block_fill(struct sift *s)
{
    struct tamis_text *t = &s->job->outcome->block;
    const struct tamis_encoder *e = s->job->design->encoder;
    s->job->outcome->block_name = "sift";
    tamis_text_printf(t, "{\"folds\": %zu, \"rule\": \"the smallest size within %g standard errors of the best; the empty set beaten by %g; kept by %g of the folds\", \"empty_error\": ",
                      s->s.folds, s->s.se, s->s.empty_se, s->s.stable);
    tamis_text_number(t, size_error(s, s->frame.sizes));
    tamis_text_puts(t, ", \"stability\": {");
    for (size_t i = 0; i < e->inputs; i++) {
        tamis_text_puts(t, i ? ", " : "");
        tamis_text_json(t, e->input[i].name);
        tamis_text_puts(t, ": ");
        tamis_text_number(t, s->share[i]);
    }
    tamis_text_puts(t, "}}");
}

/* The model of a set; of the empty one the mean. */
static struct tamis_model *model_of(struct sift *s, const unsigned char *set, size_t size, double *relevance)
{
    tamis_context *cx = s->job->cx;
    if (size) return sift_model(&s->frame, s->row + s->s.folds * s->job->design->rows, s->job->design->rows, set, relevance);
    struct tamis_rbf *r = tamis_rbf_outputs(cx, 0, 0, s->frame.outputs);
    if (r) r->sigma2 = 1;
    return tamis_model_new(cx, &tamis_rbf_kind, tamis_encoder_subset(cx, s->job->design->encoder, set), r);
}

static int test_errors(struct sift *s)
{
    struct tamis_job *job = s->job;
    tamis_result *r = &job->outcome->open;
    if (!job->test) return TAMIS_OK;
    int status = tamis_model_error(job->cx, job->outcome->model, job->test, &r->test);
    if (status) return status;
    double *unused = tamis_raw(job->cx, double, job->design->inputs);
    struct tamis_model *all = unused ? model_of(s, s->path[s->s.folds]->set, job->design->inputs, unused) : NULL;
    tamis_free(unused);
    if (all) tamis_model_error(job->cx, all, job->test, &r->test_all_inputs);
    tamis_model_free(all);
    return tamis_status(job->cx);
}

/* What the chosen inputs predict for the rows of fold k by a network fitted on the others; rows of a fold come last in its list. */
static int fold_predict(void *arg, size_t k, int worker)
{
    struct sift *s = arg;
    tamis_context *cx = s->job->cx;
    const struct tamis_design *d = s->job->design;
    size_t n = d->rows, held = s->held[k];
    (void)worker;
    const size_t *row = s->row + k * n, *out = row + n - held;
    double *guess = tamis_raw(cx, double, held), *unused = tamis_raw(cx, double, d->inputs);
    struct tamis_model *m = unused ? sift_model(&s->frame, row, n - held, s->set, unused) : NULL;
    struct tamis_design part = {d->encoder, held, d->columns, d->inputs, tamis_raw(cx, double, held * d->columns), NULL};
    for (size_t j = 0; part.x && j < d->columns; j++)
        for (size_t i = 0; i < held; i++) part.x[i + held * j] = d->x[out[i] + n * j];
    if (m && part.x && guess && !tamis_evidence_guess(cx, m, &part, guess))
        for (size_t i = 0; i < held; i++) s->job->outcome->held_out[out[i]] = guess[i];
    tamis_free(part.x);
    tamis_free(guess);
    tamis_free(unused);
    tamis_model_free(m);
    return tamis_status(cx);
}

static int held_out(struct sift *s)
{
    tamis_context *cx = s->job->cx;
    s->job->outcome->held_out = tamis_raw(cx, double, s->job->design->rows);
    return s->job->outcome->held_out ? tamis_parallel(cx, s->s.folds, fold_predict, s) : tamis_status(cx);
}

static int answer(struct sift *s)
{
    struct tamis_job *job = s->job;
    struct tamis_outcome *o = job->outcome;
    size_choose(s);
    stability(s);
    size_t size = set_size(s);
    o->criterion = tamis_strdup(job->cx, "cross-fitted");
    o->error_name = tamis_strdup(job->cx, "cv");
    o->open.criterion = o->criterion;
    o->open.error_name = o->error_name;
    o->open.all_inputs = size_error(s, 0);
    o->open.error = size_error(s, size ? s->chosen : s->frame.sizes);
    int status = path_fill(s);
    block_fill(s);
    memcpy(s->relevance, s->path[s->s.folds]->relevance, job->design->inputs * sizeof *s->relevance);
    if (!status) o->model = model_of(s, s->set, size, s->relevance);            /* the chosen inputs as the final network has them */
    o->open.model = o->model;
    if (!status && o->model) status = test_errors(s);
    if (!status && o->model && size && !job->test && job->design->rows <= s->s.fit) status = held_out(s);
    if (!size) tamis_note(job->cx, "no input helps: all of them together do not beat the mean by %g standard errors", s->s.empty_se);
    if (!status) status = tamis_outcome_rank(job->cx, o, s->set, s->relevance, s->order);
    return status ? status : tamis_status(job->cx);
}

static int run(struct tamis_job *job)
{
    struct sift s = {.job = job};
    const struct tamis_design *d = job->design;
    int status = settings_read(&s);
    if (!status) status = allocate(&s);
    if (!status) {
        target_fill(d, s.target);
        sizes_fill(d->inputs, s.size);
        s.frame.target = s.target;
        s.frame.size = s.size;
        status = tamis_design_folds(job->cx, d, s.s.folds, job->seed, s.fold);
    }
    if (!status) {
        rows_fill(&s);
        if (d->rows > s.s.learn) tamis_note(job->cx, "weights are learnt on %zu of %zu rows, and the network stands on at most %zu of them", s.s.learn, d->rows, s.s.fit);
        status = tamis_parallel(job->cx, s.s.folds + 1, one_path, &s);
    }
    if (!status) {
        errors_gather(&s);
        status = answer(&s);
    }
    sift_free(&s);
    return status;
}

static int cost(struct tamis_job *job, struct tamis_cost *c)
{
    struct sift s = {.job = job};
    int status = settings_read(&s);
    if (status) return status;
    double n = (double)(job->design->rows < s.s.learn ? job->design->rows : s.s.learn), d = (double)job->design->columns;
    c->bytes = 8.0 * (double)tamis_threads(job->cx) * (double)sift_memory(&s.frame) + 8.0 * (double)job->design->rows * (d + (double)s.frame.sizes * 2 + (double)s.s.folds);
    c->flops = (double)s.frame.sizes * (double)(s.s.folds + 1) * 20 * (n * n * n + 4 * n * n * d);
    return TAMIS_OK;
}

static int plan(tamis_context *cx, const tamis_options *o, struct tamis_plan *p)
{
    (void)cx, (void)o;
    p->criterion = NULL;
    p->search = NULL;
    return TAMIS_OK;
}

const struct tamis_method tamis_sift = {
    "sift", "both", "learnt input weights, a backward path, its size by cross-fitting, inputs that the folds agree on", NULL, rows, plan, cost, run};
