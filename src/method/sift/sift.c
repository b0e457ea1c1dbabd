/* sift: learnt input weights, a backward path, its size by cross-fitting and evidence, and only inputs that the folds
 * agree on.
 *
 * The whole path (sift_path.c) is run once on all rows and once without each fold; every size's errors are measured on
 * the held-out fold, and sift_choose.c picks a size from them. If the path on all rows has found less than one of the
 * folds did, it is run again from there.
 *
 * The parts: learnt weights, J. Tikka, Neurocomputing 72 (2009); derivative relevance and elimination, J. Tikka, J.
 * Hollmen, ESANN 2008; the Delta Test as a start that sees rough functions, F. Mateo, A. Lendasse, ESANN 2008. */
#include "method/sift/sift.h"

#include <math.h>
#include <string.h>
#include "base/parallel.h"
#include "method/methods.h"

#define AT(field) offsetof(struct sift_settings, field)
static const struct tamis_option rows[] = {
    {.name = "se", .type = TAMIS_REAL, .offset = AT(se), .standard = "1.5", .least = 0, .largest = 100,
     .help = "sizes within this many standard errors of the best count as equal: the evidence decides between them"},
    {.name = "empty-se", .type = TAMIS_REAL, .offset = AT(empty_se), .standard = "2", .least = 0, .largest = 100,
     .help = "standard errors by which a set must beat no inputs at all, unless the evidence is clear"},
    {.name = "clear", .type = TAMIS_REAL, .offset = AT(clear), .standard = "1", .least = 0, .largest = 1e9,
     .help = "log evidence over no inputs, less the price of the inputs, above which it counts as clear"},
    {.name = "stable", .type = TAMIS_REAL, .offset = AT(stable), .standard = "0.6", .least = 0, .largest = 1,
     .help = "share of the folds that must keep an input at the chosen size"},
    {.name = "rule-folds", .type = TAMIS_COUNT, .offset = AT(folds), .standard = "5", .least = 2, .largest = 100,
     .argument = "K", .help = "folds that decide the size: the path is run again without each of them",
     .alias = "folds"},
    {.name = "learn-rows", .type = TAMIS_COUNT, .offset = AT(learn), .standard = "500", .least = 50, .largest = 5000,
     .argument = "N", .help = "weights are learnt on at most N rows"},
    {.name = "fit-rows", .type = TAMIS_COUNT, .offset = AT(fit), .standard = "2000", .least = 50, .largest = 20000,
     .argument = "N", .help = "at most N rows become basis centres of the final network"},
    {.name = "final", .type = TAMIS_CHOICE, .offset = AT(final), .standard = "network",
     .choices = "network|linear|auto",
     .help = "the final model; auto: linear if the folds cannot tell it from the network"},
    {0}};

enum { ONE_BY_ONE = 12,         /* from this size on, inputs leave one at a time */
       MEASURED = 4000 };       /* held-out rows per fold that errors are measured on, at most */

/* ---- preparation ---- */

static size_t sizes_fill(size_t inputs, size_t *size)
{
    size_t n = 0;
    for (size_t k = inputs; k; n++) {
        if (size) size[n] = k;
        size_t fewer = k > SIFT_WIDE ? SIFT_WIDE : (size_t)floor(0.85 * (double)k);
        k = k > ONE_BY_ONE ? (fewer > ONE_BY_ONE ? fewer : ONE_BY_ONE) : k - 1;
    }
    return n;
}

/* The number, the indicator of the second of two classes, or one indicator per class: means removed, then divided by
 * the root of their mean variance. */
static void target_fill(struct sift *s)
{
    const struct tamis_design *d = s->run->design;
    size_t n = d->rows, classes = d->encoder->classes, l = s->frame.outputs;
    double variance = 0;
    for (size_t o = 0; o < l; o++) {
        double *t = s->target + n * o, mean = 0, class = (double)(l > 1 ? o : 1);
        for (size_t i = 0; i < n; i++) t[i] = classes ? d->y[i] == class : d->y[i];
        for (size_t i = 0; i < n; i++) mean += t[i] / (double)n;
        for (size_t i = 0; i < n; i++) variance += (t[i] - mean) * (t[i] - mean) / (double)(n * l);
        s->centre[o] = mean;
    }
    s->frame.scale = variance > 0 ? sqrt(variance) : 1;
    for (size_t o = 0; o < l; o++) {
        for (size_t i = 0; i < n; i++) s->target[i + n * o] = (s->target[i + n * o] - s->centre[o]) / s->frame.scale;
        s->centre[o] /= s->frame.scale;
    }
}

/* For each fold its complement, then the rows of the fold that errors are measured on, evenly spread; the last list is
 * all rows. */
static void rows_fill(struct sift *s)
{
    size_t n = s->run->design->rows, folds = s->s.folds;
    for (size_t k = 0; k <= folds; k++) {
        size_t at = 0, own = 0, *row = s->row + k * n;
        for (size_t i = 0; i < n; i++)
            if (s->fold[i] != k) row[at++] = i;
        s->training[k] = at;
        size_t most = n - at < MEASURED ? n - at : MEASURED;
        for (size_t i = 0; i < n; i++)
            if (s->fold[i] == k && own++ * most / (n - s->training[k]) >= at - s->training[k]) row[at++] = i;
        s->held[k] = at - s->training[k];
        s->measured += s->held[k];
    }
}

static int settings_read(struct sift *s)
{
    const struct tamis_design *d = s->run->design;
    int status = tamis_options_read(s->run->cx, s->run->options, rows, &s->s);
    if (status) return status;
    if (s->s.folds > d->rows) s->s.folds = d->rows;
    if (s->s.fit < s->s.learn) s->s.fit = s->s.learn;
    if (d->group && d->groups > 1 && s->s.folds > d->groups) s->s.folds = d->groups;
    s->frame = (struct sift_frame){.cx = s->run->cx,
                                   .design = d,
                                   .outputs = d->encoder->classes > 2 ? d->encoder->classes : 1,
                                   .learn = s->s.learn,
                                   .fit = s->s.fit,
                                   .seed = s->run->seed,
                                   .sizes = sizes_fill(d->inputs, NULL)};
    return TAMIS_OK;
}

static size_t most_measured(const struct sift *s)
{
    size_t n = s->run->design->rows, most = s->s.folds * MEASURED;
    return n < most ? n : most;
}

static int allocate(struct sift *s)
{
    tamis_context *cx = s->run->cx;
    const struct tamis_design *d = s->run->design;
    size_t n = d->rows, k = s->s.folds + 1, sizes = s->frame.sizes;
    s->target = tamis_raw(cx, double, n * s->frame.outputs);
    s->centre = tamis_raw(cx, double, s->frame.outputs);
    s->size = tamis_raw(cx, size_t, sizes);
    s->fold = tamis_raw(cx, size_t, n);
    s->row = tamis_raw(cx, size_t, k * n);
    s->training = tamis_raw(cx, size_t, k);
    s->held = tamis_raw(cx, size_t, k);
    s->path = tamis_new(cx, struct sift_path *, k);
    s->error = tamis_new(cx, double, (sizes + 2) * most_measured(s));
    s->loss = tamis_new(cx, double, (sizes + 2) * most_measured(s));
    s->prediction = tamis_new(cx, double, most_measured(s));
    s->weight = tamis_new(cx, double, most_measured(s));
    s->relevance = tamis_new(cx, double, d->inputs);
    s->order = tamis_new(cx, double, d->inputs);
    s->share = tamis_new(cx, double, d->inputs);
    s->set = tamis_new(cx, unsigned char, d->inputs);
    return tamis_status(cx);
}

static void sift_free(struct sift *s)
{
    for (size_t k = 0; s->path && k <= s->s.folds; k++) sift_path_free(s->path[k]);
    void *all[] = {s->target, s->centre, s->size,   s->fold,       s->row,       s->training, s->held,  s->path,
                   s->loss,   s->error,  s->weight, s->prediction, s->relevance, s->order,    s->share, s->set};
    for (size_t i = 0; i < sizeof all / sizeof *all; i++) tamis_free(all[i]);
}

static void note_approximations(const struct sift *s)
{
    const struct tamis_design *d = s->run->design;
    tamis_context *cx = s->run->cx;
    if (d->rows > s->s.learn)
        tamis_note(cx,
                   "weights are learnt on %zu of the %zu rows in every path, and at most %zu rows become basis centres "
                   "of the final network",
                   s->s.learn, d->rows, s->s.fit);
    if (s->measured < d->rows)
        tamis_note(cx, "errors are measured on %zu of the rows, at most %d per fold", s->measured, MEASURED);
    if (d->inputs > SIFT_WIDE)
        tamis_note(cx, "of %zu inputs every path first keeps the %d that explain most alone or in a network of all",
                   d->inputs, SIFT_WIDE);
}

/* ---- the paths ---- */

struct batch { struct sift *s; size_t first; };

/* The path of all rows is the longest and comes first. */
static int one_path(void *arg, size_t item, int worker)
{
    const struct batch *b = arg;
    struct sift *s = b->s;
    size_t k = s->s.folds - b->first - item, held = s->held[k];
    (void)worker;
    if (s->path[k]) return TAMIS_OK;
    if (!(s->path[k] = sift_path_new(&s->frame, held))) return tamis_status(s->run->cx);
    const size_t *row = s->row + k * s->run->design->rows;
    return sift_path_run(&s->frame, row, s->training[k], row + s->training[k], held, NULL, (uint32_t)k + 1, s->path[k]);
}

static void progress_start(struct sift *s)
{
    size_t done = 0;                                    /* by a run that the checkpoint continues */
    for (size_t k = 0; k <= s->s.folds; k++) done += s->path[k] != NULL;
    s->progress.total = sift_total_units(s);
    atomic_store(&s->progress.done, done * sift_path_evaluations(&s->frame));
    s->frame.progress = &s->progress;
    tamis_progress(s->run->cx, "sift", (double)s->progress.done, (double)s->progress.total);
}

/* All paths at once; with a checkpoint, as many at a time as there are threads. */
static int paths_run(struct sift *s)
{
    struct tamis_run *run = s->run;
    size_t all = s->s.folds + 1, part = run->checkpoint ? (size_t)tamis_threads(run->cx) : all;
    struct batch b = {s, 0};
    int status = sift_checkpoint_load(s);
    progress_start(s);
    for (; b.first < all && !status; b.first += part) {
        status = tamis_parallel(run->cx, all - b.first < part ? all - b.first : part, one_path, &b);
        if (!status) status = sift_checkpoint_save(s);
    }
    return status;
}

static double most_evidence(const struct sift *s, size_t k)
{
    double most = -INFINITY;
    for (size_t i = 0; i < s->frame.sizes; i++) most = fmax(most, s->path[k]->evidence[i]);
    return most;
}

/* More rows hold more evidence: a path of all rows with less of it than a fold's has missed what that fold found. */
static int path_again(struct sift *s)
{
    size_t folds = s->s.folds, best = folds;
    for (size_t k = 0; k < folds; k++)
        if (most_evidence(s, k) > most_evidence(s, best)) best = k;
    if (best == folds) return TAMIS_OK;
    struct sift_path *p = sift_path_new(&s->frame, 0);
    if (!p) return tamis_status(s->run->cx);
    int status = sift_path_run(&s->frame, s->row + folds * s->run->design->rows, s->run->design->rows, NULL, 0,
                               s->path[best]->start, (uint32_t)folds + 1, p);
    sift_path_free(s->path[folds]);
    s->path[folds] = p;
    return status;
}

/* A row that every size, the empty one too, misses by more than `far` is an outlier: its weight brings its least loss
 * down to far^2. A row that one size predicts and another misses counts in full: there it is the network that is far
 * off. */
static void weights_fill(struct sift *s)
{
    size_t n = s->measured, first = 0;
    for (size_t k = 0; k < s->s.folds; first += s->held[k++])
        for (size_t i = first; i < first + s->held[k]; i++) {
            double least = INFINITY, far = s->path[k]->far < 1e150 ? s->path[k]->far * s->path[k]->far : INFINITY;
            for (size_t size = 0; size <= s->frame.sizes; size++) least = fmin(least, s->loss[size * n + i]);
            s->weight[i] = least > far ? far / least : 1;
            for (size_t size = 0; size <= s->frame.sizes; size++) s->loss[size * n + i] *= s->weight[i];
        }
}

static void errors_gather(struct sift *s)
{
    size_t n = s->measured, first = 0;
    for (size_t k = 0; k < s->s.folds; first += s->held[k++])
        for (size_t size = 0; size <= s->frame.sizes; size++) {
            size_t held = s->held[k], bytes = held * sizeof *s->error;
            memcpy(s->loss + size * n + first, s->path[k]->loss + size * held, bytes);
            memcpy(s->error + size * n + first, s->path[k]->error + size * held, bytes);
        }
    weights_fill(s);
}

static int prepare(struct sift *s)
{
    struct tamis_run *run = s->run;
    int status = settings_read(s);
    if (!status) status = allocate(s);
    if (status) return status;
    target_fill(s);
    sizes_fill(run->design->inputs, s->size);
    s->frame.target = s->target;
    s->frame.centre = s->centre;
    s->frame.size = s->size;
    return tamis_design_folds(run->cx, run->design, s->s.folds, run->seed, s->fold);
}

static int select_inputs(struct tamis_run *run)
{
    struct sift s = {.run = run};
    int status = prepare(&s);
    if (!status) {
        rows_fill(&s);
        note_approximations(&s);
        status = paths_run(&s);
    }
    if (!status) status = path_again(&s);
    if (!status) {
        errors_gather(&s);
        status = sift_answer(&s);
    }
    sift_free(&s);
    return status;
}

static int cost(struct tamis_run *run, struct tamis_cost *c)
{
    struct sift s = {.run = run};
    int status = settings_read(&s);
    if (status) return status;
    double all = (double)run->design->rows, n = fmin(all, (double)s.s.learn), d = (double)run->design->columns,
           kept = fmin(d, SIFT_WIDE), paths = (double)(s.s.folds + 1);
    c->bytes = 8.0 * (fmin(paths, tamis_threads(run->cx)) * sift_memory(&s.frame) +
                      all * (paths + 1 + (double)s.frame.outputs) +
                      4.0 * (double)s.frame.sizes * (double)most_measured(&s)) +
               (double)s.frame.sizes * (double)run->design->inputs * paths;
    c->flops = paths * (200 * (n * n * n + 4 * n * n * kept) + 20 * 4 * n * n * d);
    c->remedy = "lower --learn-rows and --fit-rows, or use fewer inputs";
    return TAMIS_OK;
}

static const struct tamis_preference preferences[] = {
    {"final", "auto", "ending with a linear model if that does as well", 0, 0}, {0}};

const struct tamis_method tamis_sift = {
    .name = "sift",
    .task = "both",
    .summary =
        "learnt input weights, a backward path, its size by cross-fitting and evidence, inputs that the folds agree on",
    .options = rows,
    .cost = cost,
    .select = select_inputs,
    .checkpoint = 1,
    .preferences = preferences,
};
