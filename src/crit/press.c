/* press: the leave-one-out error of an OP-ELM on a set of inputs.
 *
 *     hidden layer: one linear neuron per column, tanh neurons with weights and biases uniform in (-5, 5), Gaussian
 *     neurons exp(-mean(delta^2) / s^2) on random training rows, s uniform between the 20th and the 60th percentile of
 *     pairwise distances;
 *     all neurons are ranked by LARS (MRSR for several outputs), the first 1..d, d + 5, d + 10, ... of them are tried,
 *     and PRESS chooses the number.
 *
 * Rows of weight w enter ranking, fit and error as w rows: sums over rows are those of sqrt(w) times them. Centres and
 * widths are drawn from the rows whatever their weight.
 *
 * The random numbers are drawn once, by row, neuron and column: every set has the same neurons, restricted to its
 * columns.
 *
 * [1] F. Mateo, A. Lendasse, A variable selection approach based on the Delta Test for Extreme Learning Machine models,
 *     2008.
 * [2] Y. Miche, A. Sorjamaa, P. Bas, O. Simula, C. Jutten, A. Lendasse, OP-ELM: optimally pruned extreme learning
 *     machine, IEEE Transactions on Neural Networks 21 (2010) 158-162.
 * DIFFERS [2]: percentiles of the distances between at most 300 random rows, not of all pairs; the width itself is
 * random. */
#include <math.h>
#include <string.h>
#include "base/parallel.h"
#include "base/rng.h"
#include "crit/lars_rank.h"
#include "crit/press_inside.h"
#include "num/weighted.h"

enum { PAIR_ROWS = 300 };
/* Random streams; the weights of column c have DRAW_COLUMNS + c. */
enum { DRAW_CENTRES, DRAW_WIDTHS, DRAW_PAIRS, DRAW_BIASES, DRAW_COLUMNS };

#define AT(field) offsetof(struct settings, field)
static const struct tamis_option rows[] = {
    {"neurons", TAMIS_CHOICE, AT(neurons), "lg", 0, 0, "l|ls|lg|lsg", NULL,
     "types of neurons: linear (l), sigmoid (s), Gaussian (g)"},
    {"max-neurons", TAMIS_COUNT, AT(most), "100", 0, 1e6, NULL, "M",
     "neurons besides the linear ones before pruning; with lsg, half of each type"},
    {"keep-linear", TAMIS_FLAG, AT(keep_linear), NULL, 0, 0, NULL, NULL, "never prune linear neurons"},
    {"plain", TAMIS_FLAG, AT(plain), NULL, 0, 0, NULL, NULL, "a plain ELM: all neurons, without ranking or pruning"},
    {0}};

/* ---- the criterion ---- */

struct round { struct scorer *j; const unsigned char *base; const size_t *toggle; struct tamis_score *score; };

static int round_body(void *arg, size_t item, int worker)
{
    const struct round *r = arg;
    struct work *w = &r->j->work[worker];
    struct tamis_press p;
    tamis_press_columns(r->j, r->base, r->toggle[item], w);
    struct tamis_elm *e = tamis_press_build(r->j, w, &p);
    if (!e) return tamis_status(r->j->cx);
    r->score[item] = tamis_press_score(r->j, w, e);
    tamis_elm_free(e);
    return TAMIS_OK;
}

static int evaluate(void *self, const unsigned char *base, const size_t *toggle, size_t count,
                    const struct tamis_score *hint, struct tamis_score *score)
{
    struct scorer *j = self;
    (void)hint;
    return tamis_parallel(j->cx, count, round_body, &(struct round){j, base, toggle, score});
}

/* ---- start and finish ---- */

static void counts(const struct tamis_design *d, const struct settings *s, size_t *sigmoid, size_t *gauss)
{
    int both = strchr(s->neurons, 's') && strchr(s->neurons, 'g');
    *sigmoid = !strchr(s->neurons, 's') ? 0 : both ? (s->most + 1) / 2 : s->most;
    *gauss = !strchr(s->neurons, 'g') ? 0 : both ? s->most / 2 : s->most;
    if (*gauss > d->rows) *gauss = d->rows;
}

static int settings_read(tamis_context *cx, const tamis_options *o, struct settings *s)
{
    memset(s, 0, sizeof *s);
    return tamis_options_read(cx, o, rows, s);
}

static size_t pair_room(size_t n, size_t columns)
{
    size_t m = n < PAIR_ROWS ? n : PAIR_ROWS;
    return m * columns + 2 * m * m;
}

static double work_doubles(const struct tamis_design *d, size_t m, size_t outputs)
{
    double n = (double)d->rows, l = (double)m;
    return n * (double)d->columns + 2 * n * l + (double)tamis_lars_size(d->rows, m, outputs, 0) + l * l +
           (double)tamis_press_size(d->rows, m + 1, outputs) + (double)pair_room(d->rows, d->columns) + 8 * l + 3 * n;
}

static int cost(tamis_context *cx, const struct tamis_design *d, const tamis_options *o, struct tamis_cost *c)
{
    struct settings s;
    size_t sigmoid, gauss, outputs = tamis_design_outputs(d);
    int status = settings_read(cx, o, &s);
    if (status) return status;
    counts(d, &s, &sigmoid, &gauss);
    size_t m = d->columns + sigmoid + gauss;
    double n = (double)d->rows, l = (double)m;
    c->bytes = 8 * ((double)tamis_threads(cx) * work_doubles(d, m, outputs) + 2 * n * l);
    c->flops = 2 * n * (double)d->columns * l + 8 * n * l * l;
    return TAMIS_OK;
}

static void work_free(struct work *w)
{
    void *all[] = {w->column, w->index, w->order, w->x,     w->h,     w->mean, w->q,
                   w->gram,   w->lars,  w->press, w->error, w->pairs, w->spare};
    for (size_t i = 0; i < sizeof all / sizeof *all; i++) tamis_free(all[i]);
}

static void finish(void *self)
{
    struct scorer *j = self;
    if (!j) return;
    for (int t = 0; j->work && t < tamis_threads(j->cx); t++) work_free(&j->work[t]);
    tamis_free(j->work);
    tamis_free(j->weight);
    tamis_free(j->bias);
    tamis_free(j->centre);
    tamis_free(j->pair);
    tamis_free(j->share);
    tamis_free(j->root);
    tamis_free(j->y);
    tamis_free(j);
}

static void work_allocate(const struct scorer *j, struct work *w)
{
    tamis_context *cx = j->cx;
    size_t n = j->d->rows, m = j->neurons, k = j->outputs, small = n > m ? m : 0;
    w->column = tamis_raw(cx, size_t, j->d->columns);
    w->index = tamis_raw(cx, size_t, 2 * m);
    w->order = tamis_raw(cx, size_t, m);
    w->x = tamis_raw(cx, double, n * j->d->columns);
    w->h = tamis_raw(cx, double, n * m);
    w->mean = tamis_raw(cx, double, 2 * m);
    w->scale = w->mean ? w->mean + m : NULL;
    w->q = tamis_raw(cx, double, n * (m + 1));
    w->gram = tamis_raw(cx, double, n > 1 ? (small ? m * m : n * n) : 1);
    w->lars = tamis_raw(cx, double, tamis_lars_size(n, m, k, 0));
    w->press = tamis_raw(cx, double, tamis_press_size(n, m + 1, k));
    w->error = tamis_raw(cx, double, m + 1);
    w->pairs = tamis_raw(cx, double, pair_room(n, j->d->columns));
    w->spare = tamis_raw(cx, double, n + m);
}

/* Distinct rows, in random order. */
static int draw_rows(struct scorer *j, uint64_t seed, uint32_t stream, size_t count, size_t **out)
{
    struct tamis_rng r;
    size_t *row = tamis_raw(j->cx, size_t, j->d->rows);
    *out = row;
    if (!row) return tamis_status(j->cx);
    for (size_t i = 0; i < j->d->rows; i++) row[i] = i;
    tamis_rng_init(&r, seed, TAMIS_RNG_ELM, stream);
    for (size_t i = 0; i < count; i++) {
        size_t k = i + tamis_rng_below(&r, j->d->rows - i), swap = row[i];
        row[i] = row[k];
        row[k] = swap;
    }
    return TAMIS_OK;
}

static void draw_uniform(uint64_t seed, uint32_t stream, double from, double to, double *out, size_t n)
{
    struct tamis_rng r;
    tamis_rng_init(&r, seed, TAMIS_RNG_ELM, stream);
    for (size_t i = 0; i < n; i++) out[i] = from + (to - from) * tamis_rng_uniform(&r);
}

static int draw(struct scorer *j, uint64_t seed)
{
    j->weight = tamis_raw(j->cx, double, j->sigmoid * j->d->columns);
    j->bias = tamis_raw(j->cx, double, j->sigmoid);
    j->share = tamis_raw(j->cx, double, j->gauss);
    if (!j->weight || !j->bias || !j->share) return tamis_status(j->cx);
    draw_uniform(seed, DRAW_BIASES, -5, 5, j->bias, j->sigmoid);
    draw_uniform(seed, DRAW_WIDTHS, 0, 1, j->share, j->gauss);
    for (size_t c = 0; c < j->d->columns; c++)
        draw_uniform(seed, (uint32_t)(DRAW_COLUMNS + c), -5, 5, j->weight + j->sigmoid * c, j->sigmoid);
    j->pairs = j->d->rows < PAIR_ROWS ? j->d->rows : PAIR_ROWS;
    if (draw_rows(j, seed, DRAW_CENTRES, j->gauss, &j->centre)) return tamis_status(j->cx);
    return draw_rows(j, seed, DRAW_PAIRS, j->pairs, &j->pair);
}

static int weights_fill(struct scorer *j)
{
    const struct tamis_design *d = j->d;
    size_t n = d->rows;
    j->total = tamis_weight_sum(d->weight, n);
    if (!d->weight) return TAMIS_OK;
    j->root = tamis_raw(j->cx, double, n);
    j->y = tamis_raw(j->cx, double, n * j->outputs);
    for (size_t i = 0; j->root && i < n; i++) j->root[i] = sqrt(d->weight[i]);
    for (size_t i = 0; j->root && j->y && i < n * j->outputs; i++) j->y[i] = j->root[i % n] * d->y[i];
    return tamis_status(j->cx);
}

static int start(tamis_context *cx, const struct tamis_design *d, const tamis_options *o, uint64_t seed, void **self)
{
    struct scorer *j = tamis_new(cx, struct scorer, 1);
    if (!j) return tamis_status(cx);
    *self = j;
    *j = (struct scorer){.cx = cx, .d = d, .outputs = tamis_design_outputs(d)};
    if (settings_read(cx, o, &j->s) || weights_fill(j)) return tamis_status(cx);
    counts(d, &j->s, &j->sigmoid, &j->gauss);
    j->neurons = d->columns + j->sigmoid + j->gauss;
    if (!(j->work = tamis_new(cx, struct work, (size_t)tamis_threads(cx)))) return tamis_status(cx);
    for (int t = 0; t < tamis_threads(cx); t++) work_allocate(j, &j->work[t]);
    return tamis_status(cx) ? tamis_status(cx) : draw(j, seed);
}

static const char *const parameters[] = {"neurons", NULL};

const struct tamis_criterion tamis_press_criterion = {
    .name = "press",
    .error_name = "press",
    .label = "leave-one-out error (PRESS)",
    .relevance = "correlation",
    .task = "regression",
    .summary = "leave-one-out error of an OP-ELM: random neurons, ranked by LARS, their number chosen by PRESS",
    .paper = "F. Mateo, A. Lendasse, 2008; Y. Miche et al., 2010",
    .options = rows,
    .parameters = parameters,
    .start = start,
    .finish = finish,
    .cost = cost,
    .evaluate = evaluate,
    .fit = tamis_press_fit,
    .weights = 1,
    .several_targets = 1,
};
