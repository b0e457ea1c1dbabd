/* The network of a set of inputs: its neurons, their ranking, the size that PRESS chooses, the weights. See press.c for
 * the references. */
#include <math.h>
#include <string.h>
#include "crit/lars_rank.h"
#include "crit/press_inside.h"
#include "num/lapack.h"
#include "num/relevance.h"

enum { SIZE_STEP = 5 };

/* ---- the neurons of a set ---- */

static int percentiles_of(double *d2, size_t n, double *low, double *high)
{
    size_t a = n / 5, b = 3 * n / 5;
    if (!n) return 0;
    *low = sqrt(tamis_select_rank(d2, n, a));
    *high = sqrt(b > a ? tamis_select_rank(d2 + a + 1, n - a - 1, b - a - 1) : d2[a]);
    return *high > 0;
}

/* The 20th and 60th percentile of the distances between the rows of `pair`; 1 and 1 if most of these rows coincide. */
static void percentiles(const struct scorer *j, const struct work *w, double *low, double *high)
{
    size_t n = j->d->rows, m = j->pairs, count = 0;
    double *x = w->pairs, *g = x + m * w->columns, *d2 = g + m * m;
    for (size_t c = 0; c < w->columns; c++)
        for (size_t i = 0; i < m; i++) x[i + m * c] = w->x[j->pair[i] + n * c];
    tamis_gemm(PLAIN, TRANS, m, m, w->columns, 1, x, m, x, m, 0, g, m);
    for (size_t a = 0; a < m; a++)
        for (size_t b = 0; b < a; b++) d2[count++] = fmax(0, g[a + m * a] + g[b + m * b] - 2 * g[b + m * a]);
    if (!percentiles_of(d2, count, low, high)) *low = *high = 1;
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

static const double *targets(const struct scorer *j) { return j->root ? j->y : j->d->y; }

static void rank_neurons(const struct scorer *j, struct work *w, const struct tamis_elm *e)
{
    size_t n = j->d->rows, m = tamis_elm_neurons(e);
    int gram = n > m;
    struct tamis_lars l;
    if (gram) tamis_syrk(CblasUpper, TRANS, m, n, 1, w->h, n, 0, w->gram, m);
    for (size_t a = 0; gram && a < m; a++)
        for (size_t b = 0; b < a; b++) w->gram[a + m * b] = w->gram[b + m * a];
    tamis_lars_bind(&l, &(struct tamis_lars_data){n, m, j->outputs, w->h, targets(j), gram ? w->gram : NULL}, w->lars,
                    w->index);
    tamis_lars_run(&l, SIZE_MAX);
    w->kept = 0;
    for (int linear = 1; linear >= 0; linear--) /* with --keep-linear the linear ones first, else all at once */
        for (size_t i = 0; i < l.steps; i++)
            if (j->s.keep_linear ? (l.order[i] < e->linear) == linear : linear) w->order[w->kept++] = l.order[i];
}

static void all_neurons(struct work *w, size_t m)
{
    for (w->kept = 0; w->kept < m; w->kept++) w->order[w->kept] = w->kept;
}

/* The basis of the bias followed by the ranked neurons, and the error of every size. */
static void errors_of_sizes(const struct scorer *j, const struct work *w, struct tamis_press *p)
{
    size_t n = j->d->rows;
    for (size_t i = 0; i < n; i++) w->q[i] = j->root ? j->root[i] : 1;
    for (size_t s = 0; s < w->kept; s++) memcpy(w->q + n * (s + 1), w->h + n * w->order[s], n * sizeof *w->q);
    tamis_press_bind(p, n, w->kept + 1, j->outputs, w->q, targets(j), w->press);
    tamis_press_factor(p);
    tamis_press_errors(p, SIZE_MAX, w->error);
    for (size_t s = 0; j->root && s <= w->kept; s++) w->error[s] *= (double)n / j->total;
}

static size_t linear_kept(const struct work *w, const struct tamis_elm *e)
{
    size_t count = 0;
    for (size_t s = 0; s < w->kept; s++) count += w->order[s] < e->linear;
    return count;
}

/* [2]: 1..d, d + 5, d + 10, ...; the smallest error, and of equal errors the fewest neurons. */
static size_t best_size(const struct scorer *j, const struct work *w, const struct tamis_elm *e)
{
    size_t least = j->s.keep_linear ? linear_kept(w, e) : w->kept > 0, best = least;
    if (j->s.plain) return w->kept;
    for (size_t s = least; s <= w->kept; s += s < e->columns ? 1 : SIZE_STEP)
        if (w->error[s] < w->error[best]) best = s;
    return best;
}

struct tamis_elm *tamis_press_build(const struct scorer *j, struct work *w, struct tamis_press *p)
{
    size_t n = j->d->rows;
    for (size_t c = 0; c < w->columns; c++) memcpy(w->x + n * c, j->d->x + n * w->column[c], n * sizeof *w->x);
    struct tamis_elm *e = neurons_of_set(j, w);
    if (!e) return NULL;
    size_t m = tamis_elm_neurons(e);
    tamis_elm_hidden(e, w->x, n, n, w->h, w->spare);
    for (size_t i = 0; i < m; i++)
        tamis_lars_standardise_weighted(n, j->root, j->total, w->h + n * i, &w->mean[i], &w->scale[i]);
    if (j->s.plain || !m) all_neurons(w, m);
    else rank_neurons(j, w, e);
    errors_of_sizes(j, w, p);
    return e;
}

void tamis_press_columns(const struct scorer *j, const unsigned char *base, size_t toggle, struct work *w)
{
    w->columns = 0;
    for (size_t i = 0; i < j->d->inputs; i++) {
        const struct tamis_feature *f = &j->d->encoder->input[i];
        for (size_t k = 0; base[i] != (i == toggle) && k < f->columns; k++) w->column[w->columns++] = f->first + k;
    }
}

struct tamis_score tamis_press_score(const struct scorer *j, const struct work *w, const struct tamis_elm *e)
{
    size_t size = best_size(j, w, e);
    double value = w->error[size];
    return (struct tamis_score){.value = isnan(value) ? INFINITY : value, .parameter = {(double)size}};
}

/* ---- the model ---- */

/* From the weights of the scaled neurons to those of the neurons themselves. */
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

/* Places 0..size-1 of the ranking, sorted by neuron: a network holds its neurons type by type. */
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
        for (size_t i = 0; i < n; i++) h[i] = j->root ? j->root[i] : 1;
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

/* The network of size at, or of the best size, whose score goes to *found; one of the two is NULL. */
static int network(struct scorer *j, const unsigned char *set, const struct tamis_score *at, struct tamis_score *found,
                   struct tamis_model **model)
{
    struct work *w = &j->work[0];
    struct tamis_press p;
    tamis_press_columns(j, set, SIZE_MAX, w);
    struct tamis_elm *all = tamis_press_build(j, w, &p), *e = NULL;
    if (all && found) *found = tamis_press_score(j, w, all), at = found;
    if (all) {
        size_t size = (size_t)at->parameter[0];
        e = network_prune(j, w, all, &p, size < w->kept ? size : w->kept);
    }
    tamis_elm_free(all);
    if (e) *model = tamis_model_new(j->cx, &tamis_elm_kind, tamis_encoder_subset(j->cx, j->d->encoder, set), e);
    return tamis_status(j->cx);
}

int tamis_press_fit(void *self, const unsigned char *set, const struct tamis_score *at, struct tamis_model **model,
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
