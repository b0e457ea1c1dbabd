/* mi: the mutual information of a set of inputs and the target, estimated from nearest neighbours; the value is minus
 * that, in nats.
 *
 *     I(S) = psi(k) + psi(N) - <psi(n_x + 1) + psi(n_y + 1)>                                               [1] eq. (8)
 *
 * eps_i is the distance of row i to its k-th neighbour in the maximum norm of (x_S, y); n_x and n_y are the numbers of
 * other rows closer than eps_i in x_S (maximum norm) and in y. I(empty) = 0. An estimate can be negative.
 *
 * [1] A. Kraskov, H. Stoegbauer, P. Grassberger, Estimating mutual information, Physical Review E 69 (2004), first
 *     estimator.
 * [2] B. C. Ross, Mutual information between discrete and continuous data sets, PLoS ONE 9 (2014).
 * [3] W. Gao, S. Kannan, S. Oh, P. Viswanath, Estimating mutual information for discrete-continuous mixtures, NIPS
 *     2017.
 * Classes are infinitely far from each other, which gives [2]; in a class with c < k other rows k is c, and a row that
 * is alone in its class contributes nothing (its term is 0).
 * DIFFERS [1] where t rows are at distance eps_i, as with inputs of few values, r of them still needed for k: as if
 * they came in random order. Of t_x rows at eps_i in x_S the r-th is expected after r (t_x + 1) / (t + 1) - 1 others,
 * which count in n_x, and likewise in n_y; without ties this is [1]. If none of them counted, noise of few values would
 * seem to inform.
 * DIFFERS [1] where k or more rows are copies of row i, eps_i = 0: as in [3], k, n_x + 1 and n_y + 1 become the numbers
 * of rows at distance 0, itself included, in (x_S, y), x_S and y. Otherwise copies would count as unbounded
 * information.
 *
 * Several targets: the mean of their informations. */
#include <math.h>
#include <string.h>
#include "base/parallel.h"
#include "crit/neighbour/neighbour.h"
#include "num/exact.h"
#include "num/pair_info.h"
#include "num/weighted.h"

enum { BLOCK = 8, MOST = TAMIS_INFO_NEIGHBOURS, LANES = 4 };

struct settings { size_t k; };

static const struct tamis_option rows[] = {
    {"neighbors", TAMIS_COUNT, offsetof(struct settings, k), "6", 1, MOST, NULL, "K",
     "mi: number of nearest rows in the estimate of the density"},
    {0}};

struct scorer {
    tamis_context *cx;
    const struct tamis_design *d;
    size_t k;
    double *psi;                /* of 1 .. n + 1 */
    unsigned char *tenth;
};

/* A set: its columns, and whether they include those of the common set, so that only `extra` is new. */
struct set { struct tamis_metric all, extra; int added; };

struct task {
    struct scorer *j;
    struct tamis_metric common;
    struct set *set;
    size_t sets, workers;
    double *memory;             /* (2 + targets) n per worker: distances in the common columns, the set, each target */
    tamis_fixed *sum;           /* one per worker and set */
    size_t *copies;             /* one per worker and set: rows with eps = 0 */
    double unit, heaviest;      /* heaviest: the largest row weight */
};

/* ---- one row ---- */

TAMIS_CLONES TAMIS_EXACT               /* equal differences stay equal */
static void largest_difference(size_t n, const double *restrict x, size_t i, double weight, double *restrict d)
{
    double at = weight * x[i];
    for (size_t j = 0; j < n; j++) {
        double e = fabs(weight * x[j] - at);
        d[j] = e > d[j] ? e : d[j];
    }
}

typedef double lanes __attribute__((vector_size(LANES * sizeof(double)), aligned(8)));
typedef long long lane_bits __attribute__((vector_size(LANES * sizeof(double)), aligned(8)));

static double list_insert(double *top, size_t k, double v)
{
    size_t at = k - 1;
    for (; at && v < top[at - 1]; at--) top[at] = top[at - 1];
    top[at] = v;
    return top[k - 1];
}

/* The k smallest of max(x, y), ascending. */
TAMIS_CLONES
static void smallest(size_t n, const double *x, const double *y, size_t k, double *top)
{
    size_t j = 0;
    double last = INFINITY;
    for (size_t t = 0; t < k; t++) top[t] = INFINITY;
    for (; j + LANES <= n; j += LANES) {
        lane_bits near = (*(const lanes *)(x + j) < last) & (*(const lanes *)(y + j) < last);
        if (!((near[0] | near[1]) | (near[2] | near[3]))) continue;
        for (size_t t = j; t < j + LANES; t++) {
            double v = x[t] > y[t] ? x[t] : y[t];
            if (v < last) last = list_insert(top, k, v);
        }
    }
    for (; j < n; j++) {
        double v = x[j] > y[j] ? x[j] : y[j];
        if (v < last) last = list_insert(top, k, v);
    }
}

TAMIS_CLONES
static size_t count_below(size_t n, const double *d, double eps)
{
    size_t count = 0;
    for (size_t j = 0; j < n; j++) count += d[j] < eps;
    return count;
}

/* Rows at most eps away in x and in y. */
TAMIS_CLONES
static size_t count_within(size_t n, const double *x, const double *y, double eps)
{
    size_t count = 0;
    for (size_t j = 0; j < n; j++) count += x[j] <= eps && y[j] <= eps;
    return count;
}

/* The term of a row; x and y hold the distances of all rows, INFINITY for itself. */
static double term(const struct scorer *j, const double *x, const double *y, size_t *copies)
{
    double top[MOST];
    size_t n = j->d->rows, k = j->k;
    smallest(n, x, y, k, top);
    while (k && top[k - 1] == INFINITY) k--;
    if (!k) return -j->psi[n];                                                   /* alone in its class */
    double eps = top[k - 1];
    struct tamis_info_counts c = {.k = k, .eps = eps};
    while (c.before < k && top[c.before] < eps) c.before++;
    c.both = count_within(n, x, y, eps);
    c.within_x = count_within(n, x, x, eps);
    c.within_y = count_within(n, y, y, eps);
    c.nearer_x = count_below(n, x, eps);
    c.nearer_y = count_below(n, y, eps);
    *copies += eps <= 0;
    return tamis_info_term(j->psi, &c);
}

static void distances(const struct scorer *j, const struct tamis_metric *m, size_t i, double *d)
{
    for (size_t c = 0; c < m->count; c++)
        largest_difference(j->d->rows, j->d->x + j->d->rows * m->column[c], i, m->weight[c], d);
}

static size_t per_worker(const struct tamis_design *d) { return d->rows * (2 + tamis_design_outputs(d)); }

/* From row i, in each target. */
static void target_distances(const struct scorer *j, size_t i, double *d)
{
    size_t n = j->d->rows;
    for (size_t o = 0; o < tamis_design_outputs(j->d); o++, d += n) {
        const double *y = j->d->y + n * o;
        for (size_t t = 0; t < n; t++)
            d[t] = j->d->encoder->classes ? (y[t] == y[i] ? 0 : INFINITY) : fabs(y[t] - y[i]);
        d[i] = INFINITY;
    }
}

/* The mean of the terms of the targets. */
static double mean_term(const struct scorer *j, const double *x, const double *y, size_t *copies)
{
    size_t targets = tamis_design_outputs(j->d), found = 0;
    double sum = 0;
    for (size_t o = 0; o < targets; o++) sum += term(j, x, y + j->d->rows * o, &found);
    *copies += found > 0;
    return sum / (double)targets;
}

static int rows_block(void *arg, size_t item, int worker)
{
    struct task *t = arg;
    size_t n = t->j->d->rows, w = (size_t)worker;
    double *common = t->memory + per_worker(t->j->d) * w, *x = common + n, *y = x + n;
    for (size_t i = item * BLOCK; i < n && i < (item + 1) * BLOCK; i++) {
        memset(common, 0, n * sizeof *common);
        distances(t->j, &t->common, i, common);
        target_distances(t->j, i, y);
        for (size_t s = 0; s < t->sets; s++) {
            if (t->set[s].added) memcpy(x, common, n * sizeof *x);
            else memset(x, 0, n * sizeof *x);
            distances(t->j, t->set[s].added ? &t->set[s].extra : &t->set[s].all, i, x);
            x[i] = INFINITY;
            double own = mean_term(t->j, x, y, &t->copies[w * t->sets + s]);
            tamis_fixed_add(&t->sum[w * t->sets + s], t->j->d->weight ? t->j->d->weight[i] / t->heaviest * own : own,
                            t->unit);
        }
    }
    return TAMIS_OK;
}

/* ---- many sets ---- */

static void task_free(struct task *t)
{
    for (size_t s = 0; t->set && s < t->sets; s++) {
        tamis_free(t->set[s].all.column);
        tamis_free(t->set[s].all.weight);
        tamis_free(t->set[s].extra.column);
        tamis_free(t->set[s].extra.weight);
    }
    tamis_free(t->set);
    tamis_free(t->common.column);
    tamis_free(t->common.weight);
    tamis_free(t->memory);
    tamis_free(t->sum);
    tamis_free(t->copies);
}

static void metric_make(struct scorer *j, struct tamis_metric *m)
{
    *m = (struct tamis_metric){0, tamis_raw(j->cx, uint32_t, j->d->columns), tamis_raw(j->cx, double, j->d->columns)};
}

/* Set s: the tenths of j with one change. */
static void set_fill(struct scorer *j, struct set *s, const struct tamis_change *c)
{
    unsigned char before = c->input == SIZE_MAX ? 0 : j->tenth[c->input];
    metric_make(j, &s->all);
    metric_make(j, &s->extra);
    if (tamis_status(j->cx)) return;
    s->added = !before;
    if (c->input != SIZE_MAX) j->tenth[c->input] = c->tenth;
    tamis_metric_fill(j->d, j->tenth, SIZE_MAX, &s->all);
    for (size_t k = 0; s->added && c->input != SIZE_MAX && c->tenth && k < j->d->encoder->input[c->input].columns;
         k++, s->extra.count++) {
        s->extra.column[k] = (uint32_t)(j->d->encoder->input[c->input].first + k);
        s->extra.weight[k] = c->tenth / 10.0;
    }
    if (c->input != SIZE_MAX) j->tenth[c->input] = before;
}

static int task_make(struct task *t, struct scorer *j, const struct tamis_change *c, size_t count)
{
    t->j = j;
    t->sets = count;
    t->workers = (size_t)tamis_threads(j->cx);
    for (size_t i = 0; j->d->weight && i < j->d->rows; i++) t->heaviest = fmax(t->heaviest, j->d->weight[i]);
    t->unit = tamis_fixed_unit(200);                    /* psi of less than 2^64 rows, three times */
    t->set = tamis_new(j->cx, struct set, count);
    t->memory = tamis_raw(j->cx, double, per_worker(j->d) * t->workers);
    t->sum = tamis_new(j->cx, tamis_fixed, count * t->workers);
    t->copies = tamis_new(j->cx, size_t, count * t->workers);
    metric_make(j, &t->common);
    for (size_t s = 0; s < count && !tamis_status(j->cx); s++) set_fill(j, &t->set[s], &c[s]);
    if (!tamis_status(j->cx)) tamis_metric_fill(j->d, j->tenth, SIZE_MAX, &t->common);
    return tamis_status(j->cx);
}

static double value_of(const struct task *t, size_t s, size_t *copies)
{
    tamis_fixed sum = 0;
    const struct tamis_design *d = t->j->d;
    double n = d->weight ? tamis_weight_sum(d->weight, d->rows) / t->heaviest : (double)d->rows;
    for (size_t w = 0; w < t->workers; w++) {
        sum += t->sum[w * t->sets + s];
        *copies += t->copies[w * t->sets + s];
    }
    return t->set[s].all.count ? -(t->j->psi[t->j->d->rows] + tamis_fixed_value(sum, t->unit) / n) : 0;
}

/* copies (or NULL): how many rows have k or more copies under the last set. */
static int score_changes(struct scorer *j, const struct tamis_change *c, size_t count, struct tamis_score *score,
                         size_t *copies)
{
    struct task t = {.j = j};
    size_t found = 0;
    int status = task_make(&t, j, c, count);
    if (!status) status = tamis_parallel(j->cx, (j->d->rows + BLOCK - 1) / BLOCK, rows_block, &t);
    for (size_t s = 0; s < count && !status; s++) {
        found = 0;
        score[s] = (struct tamis_score){.value = value_of(&t, s, &found)};
    }
    if (copies) *copies = found;
    task_free(&t);
    return status;
}

static int weigh(void *self, const unsigned char *tenth, const struct tamis_change *change, size_t count,
                 struct tamis_score *score)
{
    struct scorer *j = self;
    memcpy(j->tenth, tenth, j->d->inputs);
    return score_changes(j, change, count, score, NULL);
}

static int evaluate(void *self, const unsigned char *base, const size_t *toggle, size_t count,
                    const struct tamis_score *hint, struct tamis_score *score)
{
    struct scorer *j = self;
    struct tamis_change *c = tamis_raw(j->cx, struct tamis_change, count);
    (void)hint;
    if (!c) return tamis_status(j->cx);
    for (size_t i = 0; i < j->d->inputs; i++) j->tenth[i] = base[i] ? 10 : 0;
    for (size_t k = 0; k < count; k++)
        c[k] = (struct tamis_change){toggle[k], toggle[k] == SIZE_MAX || base[toggle[k]] ? 0 : 10};
    int status = score_changes(j, c, count, score, NULL);
    tamis_free(c);
    return status;
}

/* ---- the model of a set ---- */

static int note_copies(struct scorer *j)
{
    struct tamis_change none = {SIZE_MAX, 0};
    struct tamis_score score;
    size_t copies = 0;
    int status = score_changes(j, &none, 1, &score, &copies);
    if (copies)
        tamis_note(j->cx,
                   "mi: %zu of %zu rows have %zu or more copies in the chosen inputs and the target, and count as "
                   "points of a discrete distribution",
                   copies, j->d->rows, j->k);
    return status;
}

static int relevance_fill(struct scorer *j, const struct tamis_score *at, double *relevance)
{
    size_t n = j->d->inputs, count = 0;
    struct tamis_change *c = tamis_raw(j->cx, struct tamis_change, n);
    struct tamis_score *score = tamis_raw(j->cx, struct tamis_score, n);
    for (size_t i = 0; c && score && i < n; i++)
        if (j->tenth[i]) c[count++] = (struct tamis_change){i, 0};
    if (count && !score_changes(j, c, count, score, NULL))
        for (size_t k = 0; k < count; k++) relevance[c[k].input] = score[k].value - at->value;
    tamis_free(c);
    tamis_free(score);
    return tamis_status(j->cx);
}

static int fit_weighed(void *self, const unsigned char *tenth, const struct tamis_score *at, struct tamis_model **model,
                       double *relevance)
{
    struct scorer *j = self;
    memcpy(j->tenth, tenth, j->d->inputs);
    if (relevance && (relevance_fill(j, at, relevance) || note_copies(j))) return tamis_status(j->cx);
    if (model) *model = tamis_neighbour_model(j->cx, j->d, j->tenth, 0);
    return tamis_status(j->cx);
}

static int fit(void *self, const unsigned char *set, const struct tamis_score *at, struct tamis_model **model,
               double *relevance)
{
    struct scorer *j = self;
    unsigned char *tenth = tamis_raw(j->cx, unsigned char, j->d->inputs);
    for (size_t i = 0; tenth && i < j->d->inputs; i++) tenth[i] = set[i] ? 10 : 0;
    if (tenth) fit_weighed(j, tenth, at, model, relevance);
    tamis_free(tenth);
    return tamis_status(j->cx);
}

/* ---- start and finish ---- */

static void finish(void *self)
{
    struct scorer *j = self;
    if (!j) return;
    tamis_free(j->psi);
    tamis_free(j->tenth);
    tamis_free(j);
}

static int start(tamis_context *cx, const struct tamis_design *d, const tamis_options *o, uint64_t seed, void **self)
{
    struct settings s = {0};
    struct scorer *j = tamis_new(cx, struct scorer, 1);
    (void)seed;
    if (!j) return tamis_status(cx);
    *self = j;
    *j = (struct scorer){.cx = cx, .d = d};
    if (tamis_options_read(cx, o, rows, &s)) return tamis_status(cx);
    j->k = s.k < d->rows - 1 ? s.k : d->rows - 1;
    j->tenth = tamis_new(cx, unsigned char, d->inputs);
    j->psi = tamis_raw(cx, double, d->rows + 2);
    if (tamis_status(cx)) return tamis_status(cx);
    tamis_info_psi(d->rows, j->psi);
    return TAMIS_OK;
}

static int cost(tamis_context *cx, const struct tamis_design *d, const tamis_options *o, struct tamis_cost *c)
{
    double n = (double)d->rows;
    (void)o;
    c->bytes = 8 * (double)per_worker(d) * (double)tamis_threads(cx) + 16 * n * (double)d->columns + 16 * n;
    c->flops = 8 * n * n * (double)tamis_design_outputs(d);
    return TAMIS_OK;
}

static const char *const none[] = {NULL};

const struct tamis_criterion tamis_mutual_info = {
    .name = "mi",
    .error_name = "minus-mi",
    .label = "mutual information, negated",
    .relevance = "information loss",
    .task = "both",
    .summary = "mutual information of the inputs and the target, estimated from nearest neighbours",
    .paper = "A. Kraskov, H. Stoegbauer, P. Grassberger, 2004",
    .options = rows,
    .parameters = none,
    .start = start,
    .finish = finish,
    .cost = cost,
    .evaluate = evaluate,
    .fit = fit,
    .units = "minus the mutual information, in nats; test rows: the errors of the task",
    .negated = 1,
    .weigh = weigh,
    .fit_weighed = fit_weighed,
    .weights = 1,
    .several_targets = 1,
};
