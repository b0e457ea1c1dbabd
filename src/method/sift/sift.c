/* sift: which inputs matter, by terms tested on all rows beside a network with learnt weights, a backward trail, its
 * size by cross-fitting and evidence, and only inputs that the folds agree on.
 *
 * A trail (sift_trail.c) is run once on all rows and once without each fold; every size's errors are measured on the
 * held-out fold, and sift_choose.c picks a size from them. Where the folds do not agree, the rows are split again.
 *
 * The parts: learnt weights, J. Tikka, Neurocomputing 72 (2009); derivative relevance and elimination, J. Tikka, J.
 * Hollmen, ESANN 2008; the Delta Test as a start that sees rough functions, F. Mateo, A. Lendasse, ESANN 2008. */
#include "method/sift/sift.h"
#include "method/sift/sift_spread.h"
#include "select/losses.h"

#include <math.h>
#include <string.h>
#include "base/parallel.h"
#include "base/rng.h"
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
    {.name = "rule-folds", .type = TAMIS_COUNT, .offset = AT(folds), .least = 2, .largest = 100, .argument = "K",
     .help = "folds that decide the size: the selection is repeated without each of them (default: 10 up to 200 rows, "
             "else 5)",
     .alias = "folds"},
    {.name = "splits", .type = TAMIS_COUNT, .offset = AT(splits), .standard = "5", .least = 1, .largest = 100,
     .argument = "N", .help = "ways to split the rows into folds, at most, until the chosen set settles"},
    {.name = "learn-rows", .type = TAMIS_COUNT, .offset = AT(learn), .standard = "500", .least = 50, .largest = 5000,
     .argument = "N", .help = "the network learns its weights on at most N rows"},
    {.name = "fit-rows", .type = TAMIS_COUNT, .offset = AT(centres), .standard = "300", .least = 10, .largest = 2000,
     .argument = "N", .help = "at most N rows become basis centres of the network"},
    {.name = "final", .type = TAMIS_CHOICE, .offset = AT(final), .standard = "auto", .choices = "network|linear|auto",
     .help = "the final model; auto: the fewest basis functions that the folds cannot tell from the best, perhaps a "
             "linear model"},
    {0}};

enum { ONE_BY_ONE = 12,         /* from this size on, inputs leave a network one at a time */
       SMALL = 200, MANY = 20000,       /* rows: up to SMALL ten folds; above MANY one split */
       CHANGES = 12 };

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

static int settings_read(struct sift *s)
{
    const struct tamis_design *d = s->run->design;
    int status = tamis_options_read(s->run->cx, s->run->options, rows, &s->s);
    if (status) return status;
    size_t l = sift_outputs(d), n = tamis_design_all_rows(d), independent = d->group && d->groups ? d->groups : n;
    if (!s->s.folds) s->s.folds = independent <= SMALL ? 10 : 5;
    if (s->s.folds > n) s->s.folds = n;
    if (d->group && d->groups > 1 && s->s.folds > d->groups) s->s.folds = d->groups;
    if (d->blocks || n > MANY) s->s.splits = 1;
    s->ground = (struct sift_ground){.se = s->s.se, .clear = s->s.clear, .centres = s->s.centres};
    s->ground.frame = (struct sift_frame){.cx = s->run->cx,
                                          .design = d,
                                          .outputs = l,
                                          .levels = d->encoder->classes > 2 ? d->encoder->classes : l,
                                          .learn = s->s.learn,
                                          .seed = s->run->seed,
                                          .sizes = sift_is_wide(s) ? 0 : sizes_fill(d->inputs, NULL)};
    return TAMIS_OK;
}

static int allocate(struct sift *s)
{
    tamis_context *cx = s->run->cx;
    const struct tamis_design *d = s->run->design;
    size_t n = d->rows, l = s->ground.frame.outputs, levels = s->ground.frame.levels;
    s->target = tamis_raw(cx, double, n * l);
    s->base = tamis_new(cx, double, levels);
    s->back = tamis_new(cx, double, levels * l);
    s->network_size = tamis_raw(cx, size_t, s->ground.frame.sizes + 1);
    s->fold = tamis_raw(cx, size_t, s->s.splits * n);
    s->trail = tamis_new(cx, struct sift_trail *, s->s.splits * s->s.folds);
    s->observation = tamis_raw(cx, size_t, n);
    s->weight = tamis_new(cx, double, n);
    s->ground.in = tamis_raw(cx, size_t, d->inputs);
    s->relevance = tamis_new(cx, double, d->inputs);
    s->order = tamis_new(cx, double, d->inputs);
    s->share = tamis_new(cx, double, d->inputs);
    s->set = tamis_new(cx, unsigned char, d->inputs);
    return tamis_status(cx);
}

static void sift_free(struct sift *s)
{
    for (size_t k = 0; s->trail && k < s->s.splits * s->s.folds; k++) sift_trail_free(s->trail[k]);
    for (size_t k = 0; s->ladder && k < s->rungs; k++) sift_rung_free(s, &s->ladder[k]);
    sift_trail_free(s->all);
    sift_functions_free(&s->ground.functions);
    tamis_constraints_free(&s->limits);
    void *all[] = {s->target, s->base,   s->back,      s->network_size, s->fold,  s->trail, s->observation,
                   s->per,    s->loss,   s->weight,    s->ground.in,    s->order, s->share, s->relevance,
                   s->set,    s->dense,  s->ladder,    s->dense_prediction, s->counts, s->ground.fold_of_all};
    for (size_t i = 0; i < sizeof all / sizeof *all; i++) tamis_free(all[i]);
}

/* ---- rows ---- */

size_t sift_fold_rows(const struct sift *s, size_t split, size_t k, int other, size_t *row)
{
    size_t n = s->run->design->rows, count = 0;
    const size_t *fold = s->fold + split * n;
    for (size_t i = 0; i < n; i++)
        if ((fold[i] == k) != other) row[count++] = i;
    return count;
}

/* Correlation of a column with itself one row later, at least 0. */
static double persistence(const struct tamis_design *d, const double *x)
{
    double all = 0, next = 0;
    for (size_t i = 0; i < d->rows; i++) all += tamis_row_weight(d, i) * x[i] * x[i];
    for (size_t i = 0; i + 1 < d->rows; i++)
        next += sqrt(tamis_row_weight(d, i) * tamis_row_weight(d, i + 1)) * x[i] * x[i + 1];
    return all > 0 ? fmax(next / all, 0) : 0;
}

/* Rows of an ordered table that count as one: sums of products of two series that persist by a and b have (1 + ab) /
 * (1 - ab) times the variance of independent rows. With lags the past is among the inputs, and every row counts. */
static size_t run_length(const struct sift *s)
{
    const struct tamis_design *d = s->run->design;
    double x = 0, y = 0;
    if (!d->blocks || d->encoder->series) return 1;
    for (size_t k = 0; k < d->columns; k++) x = fmax(x, persistence(d, d->x + d->rows * k));
    for (size_t o = 0; o < s->ground.frame.outputs; o++) y = fmax(y, persistence(d, s->target + d->rows * o));
    double both = fmin(x * y, 0.95);
    return (size_t)ceil((1 + both) / (1 - both));
}

/* An observation counts what its rows do on average: a group is one, however many rows it has. */
static int observations_weigh(struct sift *s)
{
    const struct tamis_design *d = s->run->design;
    s->worth = (double)sift_observations(s);
    if (!d->weight) return TAMIS_OK;
    double *size = tamis_new(s->run->cx, double, s->observations);
    s->counts = tamis_raw(s->run->cx, double, s->observations);
    if (size && s->counts) {
        for (size_t i = 0; i < d->rows; i++) size[s->observation[i]]++;
        for (size_t g = 0; g < s->observations; g++) s->counts[g] = s->per[g] / fmax(size[g], 1);
        s->worth = tamis_weight_rows(s->counts, s->observations);
    }
    tamis_free(size);
    return tamis_status(s->run->cx);
}

/* Observations: rows, groups of rows, or runs of them. */
static int observations_count(struct sift *s)
{
    const struct tamis_design *d = s->run->design;
    int grouped = d->group && d->groups;
    size_t run = grouped ? 1 : run_length(s);
    s->observations = grouped ? d->groups : (d->rows + run - 1) / run;
    if (!(s->per = tamis_new(s->run->cx, double, s->observations))) return tamis_status(s->run->cx);
    for (size_t i = 0; i < d->rows; i++) {
        s->observation[i] = grouped ? d->group[i] : i / run;
        s->per[s->observation[i]] += tamis_row_weight(d, i);
    }
    s->ground.functions.group = grouped || run > 1 ? s->observation : NULL;
    s->ground.functions.groups = s->observations;
    return observations_weigh(s);
}

void sift_observe(const struct sift *s, const double *row_loss, double *loss)
{
    memset(loss, 0, s->observations * sizeof *loss);
    for (size_t i = 0; i < s->run->design->rows; i++)
        loss[s->observation[i]] += tamis_row_weight(s->run->design, i) * s->weight[i] * row_loss[i] /
                                   s->per[s->observation[i]];
}

/* Every process knows the folds of all rows; there is one split. */
static int split_spread(struct sift *s)
{
    tamis_context *cx = s->run->cx;
    const struct tamis_design *d = s->run->design;
    size_t all = d->spread->all, *fold = tamis_raw(cx, size_t, all);
    unsigned char *of = s->ground.fold_of_all = tamis_raw(cx, unsigned char, all);
    int status = fold && of ? tamis_split_folds(cx, all, NULL, 0, s->s.folds, s->run->seed, fold) : tamis_status(cx);
    for (size_t i = 0; i < all && !status; i++) of[i] = (unsigned char)fold[i];
    if (!status) memcpy(s->fold, fold + d->spread->before, d->rows * sizeof *fold);
    tamis_free(fold);
    return status;
}

/* The first split has the seed of the run. */
static int split_make(struct sift *s, size_t split)
{
    struct tamis_run *run = s->run;
    uint64_t seed = run->seed + (uint64_t)split * 0x9e3779b97f4a7c15u;
    if (tamis_spread_shared(run->design->spread)) return split_spread(s);
    return tamis_design_folds(run->cx, run->design, s->s.folds, seed, s->fold + split * run->design->rows);
}

/* ---- progress ---- */

/* A trail learns two networks at most, and does the rest. */
static size_t trail_units(const struct sift *s) { return 2 * sift_path_evaluations(&s->ground.frame) + 1; }

/* What a finished trail has not reported itself. */
static void trail_counts(const struct sift *s, const struct sift_trail *p)
{
    sift_progress_add(&s->ground.frame, trail_units(s) - p->learnt * sift_path_evaluations(&s->ground.frame));
}

/* Of the next split, the first with the trail of all rows; some trails may come from a checkpoint. */
static void progress_start(struct sift *s)
{
    size_t first = s->splits * s->s.folds, done = !s->splits && s->all;
    for (size_t k = 0; k < s->s.folds; k++) done += s->trail[first + k] != NULL;
    s->progress.total = (s->s.folds + !s->splits) * trail_units(s);
    atomic_store(&s->progress.done, 0);
    s->ground.frame.progress = &s->progress;
    sift_progress_add(&s->ground.frame, done * trail_units(s));
}

/* Where the scale stands after so many splits. How many there will be is not known: each takes half of what is left,
 * and the final models the rest. */
static double split_end(size_t splits) { return splits ? 0.9 - 0.3 * pow(0.5, (double)splits - 1) : 0; }

/* ---- trails ---- */

static int all_rows_trail(struct sift *s)
{
    tamis_context *cx = s->run->cx;
    size_t n = s->run->design->rows, *row = tamis_raw(cx, size_t, n);
    int status = row ? TAMIS_OK : tamis_status(cx);
    for (size_t i = 0; row && i < n; i++) row[i] = i;
    if (!status && !(s->all = sift_trail_new(&s->ground, 0))) status = tamis_status(cx);
    if (!status) status = sift_trail_run(&s->ground, row, n, NULL, 0, 0, s->all);
    if (!status) trail_counts(s, s->all);
    tamis_free(row);
    return status;
}

static int fold_trail(void *arg, size_t item, int worker)
{
    struct sift *s = arg;
    tamis_context *cx = s->run->cx;
    size_t n = s->run->design->rows, at = s->splits * s->s.folds + item, *row = tamis_raw(cx, size_t, n);
    (void)worker;
    if (!row || s->trail[at]) return tamis_free(row), tamis_status(cx);
    size_t learn = sift_fold_rows(s, s->splits, item, 1, row),
           held = sift_fold_rows(s, s->splits, item, 0, row + learn);
    struct sift_trail *p = s->trail[at] = sift_trail_new(&s->ground, held);
    int status = p ? TAMIS_OK : tamis_status(cx);
    if (p) p->kind = s->all->kind == SIFT_NOTHING ? SIFT_TERMS : s->all->kind;
    if (!status) status = sift_trail_run(&s->ground, row, learn, row + learn, held, (uint32_t)at + 1, p);
    if (!status) trail_counts(s, p);
    tamis_free(row);
    return status;
}

int sift_folds_each(const struct sift *s, size_t folds, tamis_body *body, void *arg)
{
    int status = TAMIS_OK;
    if (!tamis_spread_shared(s->run->design->spread)) return tamis_parallel(s->run->cx, folds, body, arg);
    for (size_t k = 0; k < folds && !status; k++) status = body(arg, k, 0);
    return status;
}

/* With a checkpoint, as many folds at a time as there are threads. */
struct batch { struct sift *s; size_t first; };

static int batch_trail(void *arg, size_t item, int worker)
{
    const struct batch *b = arg;
    return fold_trail(b->s, b->first + item, worker);
}

static int split_run(struct sift *s)
{
    struct tamis_run *run = s->run;
    size_t all = s->s.folds, part = run->checkpoint ? (size_t)tamis_threads(run->cx) : all;
    struct batch b = {s, 0};
    int status = TAMIS_OK;
    for (; b.first < all && !status; b.first += part) {
        status = sift_folds_each(s, all - b.first < part ? all - b.first : part, batch_trail, &b);
        if (!status) status = sift_checkpoint_save(s);
    }
    s->splits++;
    return status;
}

/* The next split; before the first, the trail of all rows. */
static int split_next(struct sift *s)
{
    struct tamis_span outer = tamis_span_enter(s->run->cx, split_end(s->splits), split_end(s->splits + 1), NULL);
    int status = TAMIS_OK;
    progress_start(s);
    if (!s->all) status = all_rows_trail(s);
    if (!status && !s->splits) status = sift_checkpoint_save(s);
    if (!status) status = split_run(s);
    tamis_span_leave(s->run->cx, outer);
    return status;
}

/* Two sets that differ in at most one of every CHANGES inputs. */
static int nearly_equal(const unsigned char *a, const unsigned char *b, size_t n)
{
    size_t different = 0, size = 0;
    for (size_t i = 0; i < n; i++) different += a[i] != b[i], size += b[i];
    return different * CHANGES <= size;
}

/* Splits until the folds agree on every input, or the choice from all splits so far hardly changes any more. */
static int splits_run(struct sift *s)
{
    size_t inputs = s->run->design->inputs;
    unsigned char *before = tamis_new(s->run->cx, unsigned char, inputs);
    int status = before ? TAMIS_OK : tamis_status(s->run->cx), settled = 0;
    while (!status && !settled && s->splits < s->s.splits) {
        status = split_next(s);
        if (!status) status = sift_losses_gather(s);
        if (status) break;
        sift_choose(s);
        settled = sift_settled(s) || (s->splits > 1 && nearly_equal(before, s->set, inputs));
        memcpy(before, s->set, inputs);
    }
    tamis_free(before);
    return status;
}

static int prepare(struct sift *s)
{
    struct tamis_run *run = s->run;
    int status = settings_read(s);
    if (!status) status = tamis_constraints_read(run, &s->limits);
    if (!status && s->limits.loss && s->limits.loss->rate) s->ground.frame.scores = run->encoder->classes;
    if (!status) status = allocate(s);
    if (status) return status;
    sift_target_fill(s);
    if (s->ground.frame.sizes) sizes_fill(run->design->inputs, s->network_size);
    s->ground.frame.target = s->target;
    s->ground.frame.base = s->base;
    s->ground.frame.back = s->back;
    s->ground.frame.size = s->network_size;
    s->ground.must = s->limits.must;
    s->ground.cost = isfinite(s->limits.limits.budget) ? s->limits.cost : NULL;
    s->ground.budget = s->limits.limits.budget;
    s->ground.unit = s->limits.bundles ? s->limits.bundle : NULL;
    status = sift_functions_learn(run->cx, run->design, &s->ground.functions);
    for (size_t split = 0; split < s->s.splits && !status; split++) status = split_make(s, split);
    if (!status) status = observations_count(s);
    return status ? status : sift_candidates_find(s);
}

static int select_inputs(struct tamis_run *run)
{
    struct sift s = {.run = run};
    int status = tamis_spread_shared(run->design->spread) ? sift_spread_rows(&run->spread, run->design) : TAMIS_OK;
    if (!status) status = prepare(&s);
    if (!status) status = sift_checkpoint_load(&s);
    if (!status) status = splits_run(&s);
    if (!status) status = sift_answer(&s);
    sift_free(&s);
    return status;
}

/* ---- what it takes ---- */

/* Fitted to runs on 12 tables of 150 to 3,000 rows. A trail learns networks on at most m rows, and looks at all rows
 * for terms; the first is the dearest, because it tries every kind of start. Trails of folds that start from terms
 * hardly count; those with a network do, as do networks learnt again of the chosen inputs. Of the splits, 1.7 on
 * average. */
static double flops_of(const struct sift *s, enum sift_kind kind)
{
    const struct tamis_design *d = s->run->design;
    double all = (double)tamis_design_all_rows(d), m = fmin(all, (double)s->s.learn), refined = fmin(all, SIFT_REFINED),
           columns = fmin((double)d->columns, SIFT_WIDE), l = (double)s->ground.frame.outputs,
           folds = (double)s->s.folds, trails = folds * fmin(1.7, (double)s->s.splits);
    double first = 2000 * m * m * columns * l * fmin(l, 2),
           looks = 6 * all * (double)d->columns * (300 + 18 * fmin((double)d->columns, 1000) * l);
    double share = kind == SIFT_NETWORK ? 0.6 : kind > SIFT_TERMS ? 0.45 : kind == SIFT_OPEN ? 0.22 : 0.45 / trails;
    double again = all > SIFT_SLACK * (double)s->s.learn ? 22 * (folds + 1) * pow(refined, 3) : 0;
    again *= kind == SIFT_OPEN ? 0.35 : kind > SIFT_TERMS;
    if (!s->ground.frame.sizes) first = 0;
    return first * (1 + share * trails) + (trails + 1) * looks + again;
}

/* Of terms, the first networks; else those of the chosen inputs, too, with their basis functions. */
static double bytes_of(const struct sift *s, enum sift_kind kind)
{
    const struct sift_frame *f = &s->ground.frame;
    size_t n;
    int shared = tamis_spread_shared(f->design->spread);
    double spread = sift_spread_bytes(f->design, &n), all = (double)n, d = (double)f->design->columns,
           l = (double)f->outputs, threads = shared ? 1 : fmin((double)s->s.folds + 1, tamis_threads(s->run->cx)),
           learn = fmin(all, SIFT_SLACK * (double)f->learn), refined = fmin(all, SIFT_REFINED);
    double net = 3 * learn * learn + learn * (7 * d + 2 * l) + 2080 * d;
    if (kind != SIFT_TERMS && kind != SIFT_NOTHING && refined > learn) net = 5.5 * refined * refined + refined * 7 * d;
    double trail = (f->sizes ? net : 0) + all * (10 + 6 * l) + 2e5 + fmin(9 * d * d, 4e6) + 1024 * 4 * d;
    return 8.0 * (threads * trail + all * (5 + l + fmin(d, 60) * 2.5)) + sift_functions_bytes(f->design) + spread;
}

static int cost(struct tamis_run *run, struct tamis_cost *c)
{
    struct sift s = {.run = run};
    int status = settings_read(&s);
    if (status) return status;
    c->bytes = bytes_of(&s, SIFT_OPEN);
    c->flops = flops_of(&s, SIFT_OPEN);
    c->remedy = "lower --learn-rows and --fit-rows, or use fewer inputs";
    return TAMIS_OK;
}

/* Runs the trail of all rows, if the table is small: the kind that it starts from decides what follows. */
static int foresee(struct tamis_run *run, struct tamis_cost *c)
{
    enum { CELLS = 100000 };
    struct sift s = {.run = run};
    if (run->common.split_rows || run->design->rows * run->design->columns > CELLS) return TAMIS_OK;
    tamis_mute(run->cx, 1);
    int status = prepare(&s);
    s.progress.total = 1;
    s.ground.frame.progress = &s.progress;
    if (!status) status = all_rows_trail(&s);
    tamis_mute(run->cx, 0);
    if (!status) c->flops = flops_of(&s, s.all->kind), c->bytes = bytes_of(&s, s.all->kind);
    sift_free(&s);
    return status;
}

static int resolve(struct tamis_run *run)
{
    run->more = tamis_path_options;
    return TAMIS_OK;
}

double sift_se(const struct tamis_run *run)
{
    struct sift_settings s = {0};
    return tamis_options_read(run->cx, run->options, rows, &s) ? NAN : s.se;
}

const struct tamis_method tamis_sift = {
    .name = "sift",
    .task = "both",
    .summary = "terms tested on all rows beside a network with learnt weights, a backward path, its size by "
               "cross-fitting and evidence, inputs that the folds agree on",
    .relevance = "explained sd",
    .options = rows,
    .resolve = resolve,
    .cost = cost,
    .foresee = foresee,
    .select = select_inputs,
    .why_not = sift_why_not,
    .several_targets = 1,
    .weights = 1,
    .spreads = 1,
    .checkpoint = 1,
    .constraints = 1,
};
