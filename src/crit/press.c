/* press: the leave-one-out error of an OP-ELM on a set of inputs.
 *
 *     hidden layer: a linear neuron a column, tanh neurons with weights and biases uniform in (-5, 5), Gaussian neurons
 *     exp(-mean(delta^2) / s^2) on random training rows, s uniform between the 20th and the 60th percentile of pairwise
 *     distances;
 *     all neurons ranked by LARS (MRSR for several outputs), sizes 1..d, d + 5, d + 10, ... of that ranking tried,
 *     PRESS picks one.
 *
 * The random numbers are drawn once, by row, neuron and column: every set sees the same neurons, restricted to its
 * columns.
 *
 * [1] F. Mateo, A. Lendasse, A variable selection approach based on the Delta Test for Extreme Learning Machine models,
 * 2008.
 * [2] Y. Miche, A. Sorjamaa, P. Bas, O. Simula, C. Jutten, A. Lendasse, OP-ELM: optimally pruned extreme learning
 * machine, IEEE
 *     Transactions on Neural Networks 21 (2010) 158-162.
 * DIFFERS [2]: percentiles of the distances between at most 300 random rows, not of all pairs; the width itself is
 * random. */
#include <math.h>
#include <string.h>
#include "base/parallel.h"
#include "base/rng.h"
#include "crit/lars_rank.h"
#include "crit/press.h"
#include "model/elm.h"
#include "num/lapack.h"
#include "num/nested_press.h"
#include "num/relevance.h"

enum { PAIR_ROWS = 300, SIZE_STEP = 5 };
enum {
    DRAW_CENTRES,
    DRAW_WIDTHS,
    DRAW_PAIRS,
    DRAW_BIASES,
    DRAW_COLUMNS
}; /* streams; weights of column c: DRAW_COLUMNS + c */

struct settings {
    const char *neurons;
    size_t most;
    int keep_linear, plain;
};

#define AT(field) offsetof(struct settings, field)
static const struct tamis_option rows[] = {
    {"neurons", TAMIS_CHOICE, AT(neurons), "lg", 0, 0, "l|ls|lg|lsg", NULL,
     "sorts of neurons: linear, sigmoid, Gaussian"},
    {"max-neurons", TAMIS_COUNT, AT(most), "100", 0, 1e6, NULL, "M",
     "neurons beside the linear ones before pruning; with lsg half of each sort"},
    {"keep-linear", TAMIS_FLAG, AT(keep_linear), NULL, 0, 0, NULL, NULL, "linear neurons are never pruned"},
    {"plain", TAMIS_FLAG, AT(plain), NULL, 0, 0, NULL, NULL, "a plain ELM: all neurons, no ranking and no pruning"},
    {0}};

/* What one worker needs for one set. */
struct work {
    size_t *column, columns;
    size_t *index, *order, kept;        /* of LARS; the neurons in the order in which they are tried */
    double *x;                          /* rows x columns */
    double *h;                          /* rows x neurons: the hidden layer, centred and scaled */
    double *mean, *scale;               /* neurons: of the hidden layer before that */
    double *q;                          /* rows x (1 + neurons): bias and neurons as ranked, then their basis */
    double *gram, *lars, *press, *error, *pairs, *spare;
};

struct scorer {
    tamis_context *cx;
    const struct tamis_design *d;
    struct settings s;
    size_t outputs, sigmoid, gauss, neurons;    /* neurons: with all columns */
    double *weight, *bias;              /* sigmoid x columns of the design; sigmoid */
    size_t *centre, *pair, pairs;       /* rows of the centres; rows whose distances give the widths */
    double *share;                      /* gauss: where between the percentiles a width lies */
    struct work *work;
};

/* ---- the neurons of a set ---- */

static int compare_share(double *d2, size_t n, double *low, double *high)
{
    size_t a = n / 5, b = 3 * n / 5;
    if (!n) return 0;
    *low = sqrt(tamis_select_rank(d2, n, a));
    *high = sqrt(b > a ? tamis_select_rank(d2 + a + 1, n - a - 1, b - a - 1) : d2[a]);
    return *high > 0;
}

/* The 20th and 60th percentile of the distances between the rows of `pair`; 1 and 1 when most rows are the same. */
static void percentiles(const struct scorer *j, const struct work *w, double *low, double *high)
{
    size_t n = j->d->rows, m = j->pairs, count = 0;
    double *x = w->pairs, *g = x + m * w->columns, *d2 = g + m * m;
    for (size_t c = 0; c < w->columns; c++)
        for (size_t i = 0; i < m; i++) x[i + m * c] = w->x[j->pair[i] + n * c];
    tamis_gemm(PLAIN, TRANS, m, m, w->columns, 1, x, m, x, m, 0, g, m);
    for (size_t a = 0; a < m; a++)
        for (size_t b = 0; b < a; b++) d2[count++] = fmax(0, g[a + m * a] + g[b + m * b] - 2 * g[b + m * a]);
    if (!compare_share(d2, count, low, high)) *low = *high = 1;
}

static struct tamis_elm *neurons_of_set(const struct scorer *j, const struct work *w)
{
    size_t d = w->columns, n = j->d->rows;
    struct tamis_elm *e = tamis_elm_new(j->cx, d, j->outputs, d, d ? j->sigmoid : 0, d ? j->gauss : 0);
    double low = 1, high = 1;
    if (!e) return NULL;
    for (size_t c = 0; c < d; c++) {
        e->input[c] = c;
        for (size_t i = 0; i < e->sigmoid; i++) e->weight[c + d * i] = j->weight[i + j->sigmoid * w->column[c]];
        for (size_t i = 0; i < e->gauss; i++) e->centre[c + d * i] = w->x[j->centre[i] + n * c];
    }
    if (e->sigmoid) memcpy(e->bias, j->bias, e->sigmoid * sizeof *e->bias);
    if (e->gauss) percentiles(j, w, &low, &high);
    for (size_t i = 0; i < e->gauss; i++) e->width[i] = low + j->share[i] * (high - low);
    return e;
}

/* ---- ranking and size ---- */

static void rank_neurons(const struct scorer *j, struct work *w, const struct tamis_elm *e)
{
    size_t n = j->d->rows, m = tamis_elm_neurons(e);
    int gram = n > m;
    struct tamis_lars l;
    if (gram) tamis_syrk(CblasUpper, TRANS, m, n, 1, w->h, n, 0, w->gram, m);
    for (size_t a = 0; gram && a < m; a++)
        for (size_t b = 0; b < a; b++) w->gram[a + m * b] = w->gram[b + m * a];
    tamis_lars_bind(&l, &(struct tamis_lars_data){n, m, j->outputs, w->h, j->d->y, gram ? w->gram : NULL}, w->lars,
                    w->index);
    tamis_lars_run(&l, SIZE_MAX);
    w->kept = 0;
    for (int linear = 1; linear >= 0; linear--) /* with --keep-linear these come first, else all in one go */
        for (size_t i = 0; i < l.steps; i++)
            if (j->s.keep_linear ? (l.order[i] < e->linear) == linear : linear) w->order[w->kept++] = l.order[i];
}

static void all_neurons(struct work *w, size_t m)
{
    for (w->kept = 0; w->kept < m; w->kept++) w->order[w->kept] = w->kept;
}

/* The ranked columns with the bias before them, to their basis and the error of every size. */
static void errors_of_sizes(const struct scorer *j, const struct work *w, struct tamis_press *p)
{
    size_t n = j->d->rows;
    for (size_t i = 0; i < n; i++) w->q[i] = 1;
    for (size_t s = 0; s < w->kept; s++) memcpy(w->q + n * (s + 1), w->h + n * w->order[s], n * sizeof *w->q);
    tamis_press_bind(p, n, w->kept + 1, j->outputs, w->q, j->d->y, w->press);
    tamis_press_factor(p);
    tamis_press_errors(p, SIZE_MAX, w->error);
}

static size_t linear_kept(const struct work *w, const struct tamis_elm *e)
{
    size_t count = 0;
    for (size_t s = 0; s < w->kept; s++) count += w->order[s] < e->linear;
    return count;
}

/* [2]: 1..d, d + 5, d + 10, ...; the smallest error, of equal ones the fewest neurons. */
static size_t best_size(const struct scorer *j, const struct work *w, const struct tamis_elm *e)
{
    size_t least = j->s.keep_linear ? linear_kept(w, e) : w->kept > 0, best = least;
    if (j->s.plain) return w->kept;
    for (size_t s = least; s <= w->kept; s += s < e->columns ? 1 : SIZE_STEP)
        if (w->error[s] < w->error[best]) best = s;
    return best;
}

/* Neurons, ranking and errors of the columns in w->column; the network is the caller's. */
static struct tamis_elm *build(const struct scorer *j, struct work *w, struct tamis_press *p)
{
    size_t n = j->d->rows;
    for (size_t c = 0; c < w->columns; c++) memcpy(w->x + n * c, j->d->x + n * w->column[c], n * sizeof *w->x);
    struct tamis_elm *e = neurons_of_set(j, w);
    if (!e) return NULL;
    size_t m = tamis_elm_neurons(e);
    tamis_elm_hidden(e, w->x, n, n, w->h, w->spare);
    for (size_t i = 0; i < m; i++) tamis_lars_standardise(n, w->h + n * i, &w->mean[i], &w->scale[i]);
    if (j->s.plain || !m) all_neurons(w, m);
    else rank_neurons(j, w, e);
    errors_of_sizes(j, w, p);
    return e;
}

/* ---- the criterion ---- */

struct round { struct scorer *j; const unsigned char *base; const size_t *toggle; struct tamis_score *score; };

static void toggled_columns(const struct scorer *j, const unsigned char *base, size_t toggle, struct work *w)
{
    w->columns = 0;
    for (size_t i = 0; i < j->d->inputs; i++) {
        const struct tamis_feature *f = &j->d->encoder->input[i];
        for (size_t k = 0; base[i] != (i == toggle) && k < f->columns; k++) w->column[w->columns++] = f->first + k;
    }
}

static struct tamis_score score_of(const struct scorer *j, const struct work *w, const struct tamis_elm *e)
{
    size_t size = best_size(j, w, e);
    double value = w->error[size];
    return (struct tamis_score){.value = isnan(value) ? INFINITY : value, .parameter = {(double)size}};
}

static int round_body(void *arg, size_t item, int worker)
{
    const struct round *r = arg;
    struct work *w = &r->j->work[worker];
    struct tamis_press p;
    toggled_columns(r->j, r->base, r->toggle[item], w);
    struct tamis_elm *e = build(r->j, w, &p);
    if (!e) return tamis_status(r->j->cx);
    r->score[item] = score_of(r->j, w, e);
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

/* ---- the model ---- */

/* Weights of the scaled neurons to those of the neurons themselves. */
static void weights_place(const struct scorer *j, const struct work *w, const double *beta, size_t ld,
                          const size_t *keep, size_t size, struct tamis_elm *e)
{
    for (size_t o = 0; o < j->outputs; o++) {
        double *to = e->beta + (size + 1) * o;
        to[size] = beta[ld * o];
        for (size_t i = 0; i < size; i++) {
            size_t neuron = w->order[keep[i]];
            to[i] = w->scale[neuron] > 0 ? beta[1 + keep[i] + ld * o] / w->scale[neuron] : 0;
            to[size] -= to[i] * w->mean[neuron];
        }
    }
}

/* Places 0..size-1 of the ranking, by neuron: a network holds its neurons sort by sort. */
static void places_by_neuron(const struct work *w, size_t size, size_t *keep, size_t *neuron)
{
    for (size_t i = 0; i < size; i++) {
        size_t k = i;
        for (; k && w->order[keep[k - 1]] > w->order[i]; k--) keep[k] = keep[k - 1];
        keep[k] = i;
    }
    for (size_t i = 0; i < size; i++) neuron[i] = w->order[keep[i]];
}

static struct tamis_elm *network_prune(struct scorer *j, const struct work *w, const struct tamis_elm *all,
                                       struct tamis_press *p, size_t size)
{
    size_t n = j->d->rows, *keep = tamis_raw(j->cx, size_t, size), *neuron = tamis_raw(j->cx, size_t, size);
    double *h = tamis_raw(j->cx, double, n * (size + 1)), *triangle = tamis_raw(j->cx, double, (size + 1) * (size + 1));
    double *beta = tamis_raw(j->cx, double, (w->kept + 1) * j->outputs);
    struct tamis_elm *e = NULL;
    if (keep && neuron && h && triangle && beta) {
        places_by_neuron(w, size, keep, neuron);
        for (size_t i = 0; i < n; i++) h[i] = 1;
        for (size_t s = 0; s < size; s++) memcpy(h + n * (s + 1), w->h + n * w->order[s], n * sizeof *h);
        tamis_press_weights(p, h, size + 1, triangle, beta);
        e = tamis_elm_keep(j->cx, all, neuron, size);
    }
    if (e) weights_place(j, w, beta, w->kept + 1, keep, size, e);
    tamis_free(keep);
    tamis_free(neuron);
    tamis_free(h);
    tamis_free(triangle);
    tamis_free(beta);
    return e;
}

/* at: the size that is wanted; found: room for the best one, which is then taken. */
static int network(struct scorer *j, const unsigned char *set, const struct tamis_score *at, struct tamis_score *found,
                   struct tamis_model **model)
{
    struct work *w = &j->work[0];
    struct tamis_press p;
    toggled_columns(j, set, SIZE_MAX, w);
    struct tamis_elm *all = build(j, w, &p), *e = NULL;
    if (all && found) *found = score_of(j, w, all), at = found;
    if (all) {
        size_t size = (size_t)at->parameter[0];
        e = network_prune(j, w, all, &p, size < w->kept ? size : w->kept);
    }
    tamis_elm_free(all);
    if (e) *model = tamis_model_new(j->cx, &tamis_elm_kind, tamis_encoder_subset(j->cx, j->d->encoder, set), e);
    return tamis_status(j->cx);
}

static int fit(void *self, const unsigned char *set, const struct tamis_score *at, struct tamis_model **model,
               double *relevance)
{
    struct scorer *j = self;
    if (relevance && tamis_lars_relevance(j->cx, j->d, set, relevance)) return tamis_status(j->cx);
    return model ? network(j, set, at, NULL, model) : TAMIS_OK;
}

int tamis_press_network(void *scorer, const unsigned char *set, struct tamis_score *score, struct tamis_model **model)
{
    return network(scorer, set, NULL, score, model);
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

static int start(tamis_context *cx, const struct tamis_design *d, const tamis_options *o, uint64_t seed, void **self)
{
    struct scorer *j = tamis_new(cx, struct scorer, 1);
    if (!j) return tamis_status(cx);
    *self = j;
    *j = (struct scorer){.cx = cx, .d = d, .outputs = tamis_design_outputs(d)};
    if (settings_read(cx, o, &j->s)) return tamis_status(cx);
    counts(d, &j->s, &j->sigmoid, &j->gauss);
    j->neurons = d->columns + j->sigmoid + j->gauss;
    if (!(j->work = tamis_new(cx, struct work, (size_t)tamis_threads(cx)))) return tamis_status(cx);
    for (int t = 0; t < tamis_threads(cx); t++) work_allocate(j, &j->work[t]);
    return tamis_status(cx) ? tamis_status(cx) : draw(j, seed);
}

static const char *const parameters[] = {"neurons", NULL};

const struct tamis_criterion tamis_press_criterion = {
    "press",
    "press",
    "regression",
    "leave-one-out error of an OP-ELM: random neurons ranked by LARS, as many as PRESS wants",
    "F. Mateo, A. Lendasse, 2008; Y. Miche et al., 2010",
    rows,
    parameters,
    start,
    finish,
    cost,
    evaluate,
    fit};
