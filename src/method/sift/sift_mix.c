/* Terms and a network on the same rows. */
#include "method/sift/sift_mix.h"

#include <math.h>
#include <string.h>
#include "base/rng.h"
#include "method/sift/sift_spread.h"
#include "method/sift/sift_walk.h"

enum { MEASURED = 4000,         /* rows that sizes of a network are measured on, at most */
       FEW_MEASURED = 100,      /* with fewer, its evidence alone decides */
       CANDIDATES = 1500,       /* rows that centres are picked from */
       FIT_ROUNDS = 8 };
static const double beats_mean = 3;             /* standard errors by which a network must beat the mean */

/* ---- rows ---- */

static int samples_weigh(struct sift_mix *x)
{
    const struct tamis_design *d = x->g->functions.d;
    double sum = 0, squares = 0;
    x->worth = (double)x->samples;
    if (!d->weight) return TAMIS_OK;
    if (!(x->other_weight = tamis_raw(x->view.cx, double, x->others + 1))) return tamis_status(x->view.cx);
    for (size_t i = 0; i < x->others; i++) x->other_weight[i] = d->weight[x->other[i]];
    for (size_t i = 0; i < x->samples; i++) sum += d->weight[x->sample[i]], squares += pow(d->weight[x->sample[i]], 2);
    x->worth = sum * sum / squares;
    return TAMIS_OK;
}

/* The rows of the view, with those of other processes: all, or all but one fold. */
static void rows_list(const struct sift_mix *x, size_t *row)
{
    const struct tamis_design *d = x->g->functions.d;
    if (!tamis_spread_shared(d->spread)) memcpy(row, x->view.row, x->view.n * sizeof *row);
    for (size_t i = 0, k = 0; tamis_spread_shared(d->spread) && i < d->spread->all; i++)
        if (!x->index || x->g->fold_of_all[i] != x->index - 1) row[k++] = i;
}

/* The rows in a seeded order; those to learn from first. */
static int rows_split(struct sift_mix *x)
{
    const struct sift_functions *d = &x->g->functions;
    tamis_context *cx = x->view.cx;
    size_t n = x->view.all, learn = x->g->frame.learn, *copy = tamis_raw(cx, size_t, n);
    unsigned char *seen = d->group ? tamis_new(cx, unsigned char, d->groups) : NULL;
    struct tamis_rng rng;
    if (tamis_status(cx)) return tamis_free(copy), tamis_free(seen), tamis_status(cx);
    rows_list(x, copy);
    tamis_rng_init(&rng, x->g->frame.seed, TAMIS_RNG_SIFT, x->index);
    if (x->view.separate <= SIFT_SLACK * (double)learn) learn = (size_t)x->view.separate;
    if (x->view.separate > (double)learn || x->view.separate < (double)n) tamis_rng_shuffle(&rng, copy, n);
    for (size_t i = 0; i < n; i++) {
        int again = seen && seen[d->group[copy[i]]];
        if (seen) seen[d->group[copy[i]]] = 1;
        if (again) continue;
        if (x->samples < learn) x->sample[x->samples++] = copy[i];
        else if (x->others < MEASURED) x->other[x->others++] = copy[i];
    }
    tamis_free(copy);
    tamis_free(seen);
    return samples_weigh(x);
}

/* Where rows are spread, all processes get those that the network looks at, and learn the same network. */
static int some_make(struct sift_mix *x)
{
    const struct tamis_design *d = x->g->functions.d;
    tamis_context *cx = x->view.cx;
    size_t n = x->samples + x->others, l = x->view.l;
    if (!tamis_spread_shared(d->spread)) return TAMIS_OK;
    x->some = *d;
    x->some.rows = n;
    x->some.y = NULL;
    x->some.spread = NULL;
    x->some.x = tamis_raw(cx, double, n * d->columns);
    x->some_target = tamis_raw(cx, double, n * l);
    x->from = tamis_raw(cx, size_t, n);
    struct sift_source columns = {NULL, d->x, d->rows, NULL, d->columns},
                       targets = {NULL, x->g->frame.target, d->rows, NULL, l};
    if (tamis_status(cx)) return tamis_status(cx);
    memcpy(x->from, x->sample, x->samples * sizeof *x->from);
    memcpy(x->from + x->samples, x->other, x->others * sizeof *x->from);
    for (size_t i = 0; i < x->samples; i++) x->sample[i] = i;
    for (size_t i = 0; i < x->others; i++) x->other[i] = x->samples + i;
    x->frame.design = &x->some;
    x->frame.target = x->some_target;
    int status = sift_spread_fetch(d->spread, d->rows, x->from, n, &columns, x->some.x);
    return status ? status : sift_spread_fetch(d->spread, d->rows, x->from, n, &targets, x->some_target);
}

int sift_mix_make(const struct sift_ground *g, const size_t *row, size_t n, uint32_t index, struct sift_mix *x)
{
    tamis_context *cx = g->frame.cx;
    const struct tamis_design *d = g->functions.d;
    size_t l = g->frame.outputs;
    *x = (struct sift_mix){.g = g, .frame = g->frame, .index = index};
    int status = sift_view_make(cx, &g->functions, g->frame.target, l, row, n, &x->view);
    if (!status) status = sift_fit_make(&x->view, &x->fit);
    x->sample = tamis_raw(cx, size_t, (size_t)(SIFT_SLACK * (double)g->frame.learn) + 1);
    x->other = tamis_raw(cx, size_t, MEASURED);
    x->net_set = tamis_new(cx, unsigned char, d->inputs);
    x->weight = tamis_new(cx, double, d->inputs + 2);
    x->relevance = tamis_new(cx, double, d->inputs);
    if (status || tamis_status(cx) || rows_split(x) || some_make(x)) return tamis_status(cx);
    x->left = tamis_new(cx, double, x->frame.design->rows * l);
    return tamis_status(cx);
}

void sift_mix_free(struct sift_mix *x)
{
    sift_fit_free(&x->fit);
    sift_view_free(&x->view);
    void *all[] = {x->sample, x->other,  x->other_weight, x->left,      x->net_set,
                   x->weight, x->relevance, x->some.x,     x->some_target, x->from};
    for (size_t i = 0; i < sizeof all / sizeof *all; i++) tamis_free(all[i]);
}

/* ---- learning ---- */

/* left: what the terms leave of the target, by row of the design, on the rows of the view; out: room for
 * predictions. */
static int left_fill(struct sift_mix *x, double *out, double *left)
{
    const struct sift_view *v = &x->view;
    int on = x->fit.net_on;
    x->fit.net_on = 0;
    int status = sift_fit_predict(&x->fit, v->row, v->n, out);
    x->fit.net_on = on;
    for (size_t o = 0; o < v->l && !status; o++)
        for (size_t i = 0, at = v->n * o; i < v->n; i++, at++)
            left[v->row[i] + v->f->d->rows * o] = v->y[at] + v->mean[o] - out[at];
    return status;
}

/* The same into x->left. */
static int left_find(struct sift_mix *x)
{
    const struct sift_view *v = &x->view;
    const struct tamis_design *d = v->f->d;
    int shared = tamis_spread_shared(d->spread);
    double *out = tamis_raw(v->cx, double, v->n * v->l + 1),
           *left = shared ? tamis_new(v->cx, double, d->rows * v->l + 1) : x->left;
    struct sift_source from = {NULL, left, d->rows, NULL, v->l};
    int status = out && left ? left_fill(x, out, left) : tamis_status(v->cx);
    if (!status && shared) status = sift_spread_fetch(d->spread, d->rows, x->from, x->some.rows, &from, x->left);
    tamis_free(out);
    if (shared) tamis_free(left);
    return status;
}

static double size_price(const struct sift_mix *x, size_t k) { return sift_price(k, x->g->ins, x->worth); }

static double worth(const struct sift_mix *x, const struct sift_path *p, size_t k)
{
    return p->evidence[k] - size_price(x, x->g->frame.size[k]);
}

/* By the rows measured: sizes within `se` of the best, of them the most evidence; it must beat the mean clearly. */
static size_t measured_size(const struct sift_mix *x, const struct sift_path *p)
{
    size_t sizes = x->g->frame.sizes, m = x->others, best = 0, chosen;
    const double *w = x->other_weight;
    for (size_t k = 1; k < sizes; k++)
        if (tamis_mean(p->loss + k * m, w, m) <= tamis_mean(p->loss + best * m, w, m)) best = k;
    chosen = best;
    for (size_t k = 0; k < sizes; k++)
        if (tamis_firm_excess_ratio(p->loss + k * m, p->loss + best * m, w, m) <= x->g->se &&
            worth(x, p, k) >= worth(x, p, chosen))
            chosen = k;
    return tamis_excess_ratio(p->loss + sizes * m, p->loss + chosen * m, w, m) >= beats_mean ? chosen : sizes;
}

static size_t evident_size(const struct sift_mix *x, const struct sift_path *p)
{
    size_t sizes = x->g->frame.sizes, best = 0;
    for (size_t k = 1; k < sizes; k++)
        if (worth(x, p, k) >= worth(x, p, best)) best = k;
    return worth(x, p, best) > x->g->clear ? best : sizes;
}

int sift_mix_learn(struct sift_mix *x, int rest, const size_t *held, size_t m, struct sift_path **out, size_t *at)
{
    struct sift_frame f = x->frame;
    int status = rest ? left_find(x) : TAMIS_OK;
    if (rest) f.target = x->left;
    if (!m) held = x->other, m = x->others;
    struct sift_path *p = status ? NULL : sift_path_new(&f, m);
    if (!status) status = p ? sift_path_run(&f, x->sample, x->samples, held, m, p) : tamis_status(f.cx);
    *at = f.sizes;
    if (!status) *at = held == x->other && m >= FEW_MEASURED ? measured_size(x, p) : evident_size(x, p);
    if (status) {
        sift_path_free(p);
        p = NULL;
    }
    *out = p;
    return status;
}

/* ---- the network beside the terms ---- */

int sift_mix_features(struct sift_mix *x, size_t centres)
{
    const struct sift_ground *g = x->g;
    size_t inputs = g->functions.d->inputs;
    struct sift_gauss *net = sift_gauss_make(x->view.cx, g->functions.d, x->net_set, x->weight, x->view.row, x->view.n,
                                             centres, centres > CANDIDATES / 2 ? 2 * centres : CANDIDATES);
    return net ? sift_fit_network(&x->fit, net, exp(x->weight[inputs])) : tamis_status(x->view.cx);
}

int sift_mix_take(struct sift_mix *x, const struct sift_path *p, size_t at)
{
    size_t inputs = x->g->functions.d->inputs;
    memcpy(x->net_set, p->set + at * inputs, inputs);
    memcpy(x->weight, p->weight + at * (inputs + 2), (inputs + 2) * sizeof *x->weight);
    for (size_t i = 0; i < inputs; i++) x->relevance[i] = x->net_set[i] ? p->relevance[i] : 0;
    return sift_mix_features(x, x->g->centres);
}

/* How far to learn: some steps from the weights there are; from several starts; from equal
 * ones to the end. */
enum effort { SOME, STARTS, FULL };

static int learn(struct sift_mix *x, struct sift_walk *w, enum effort effort)
{
    size_t inputs = x->g->functions.d->inputs;
    if (effort == STARTS) return sift_learn_first(w);
    if (effort != FULL) return sift_learn_next(w, x->weight[inputs], x->weight[inputs + 1], 0);
    sift_learn_set(w, x->net_set);
    return tamis_status(x->view.cx);
}

static int walk_learn(struct sift_mix *x, struct sift_walk *w, enum effort effort)
{
    size_t inputs = x->g->functions.d->inputs;
    struct sift_net *t = &w->net;
    memcpy(w->set, x->net_set, inputs);
    memcpy(w->weight, x->weight, inputs * sizeof *w->weight);
    sift_net_take(t, w->set, w->row);
    sift_net_targets(t, w->row);
    int status = learn(x, w, effort);
    if (!status) status = sift_net_relevance(t, w->relevance);
    for (size_t i = 0; i < inputs; i++) x->relevance[i] = 0;
    for (size_t i = 0; i < t->inputs && !status; i++) {
        x->weight[t->input[i]] = t->theta[i];
        x->relevance[t->input[i]] = w->relevance[i];
    }
    x->weight[inputs] = t->theta[t->inputs];
    x->weight[inputs + 1] = t->theta[t->inputs + 1];
    return status;
}

int sift_mix_relearn(struct sift_mix *x, int whole)
{
    struct sift_frame f = x->frame;
    struct sift_walk w = {.best = INFINITY};
    if (!sift_set_size(x->net_set, f.design->inputs)) return sift_fit_network(&x->fit, NULL, 0);
    f.target = x->left;
    f.progress = NULL;
    int status = left_find(x);
    if (!status) status = sift_walk_room(&w, &f, x->sample, x->samples);
    if (!status) status = walk_learn(x, &w, whole ? FULL : SOME);
    sift_walk_free(&w);
    return status ? status : sift_mix_features(x, x->g->centres);
}

/* Rows to learn from when more than usual are: the sample, then the others. */
static size_t more_rows(const struct sift_mix *x, size_t rows, size_t *row)
{
    size_t n = 0;
    for (size_t i = 0; i < x->samples && n < rows; i++) row[n++] = x->sample[i];
    for (size_t i = 0; i < x->others && n < rows; i++) row[n++] = x->other[i];
    return n;
}

int sift_mix_refine(struct sift_mix *x, const unsigned char *set, size_t rows, size_t centres, double *gain)
{
    struct sift_frame f = x->frame;
    struct sift_walk w = {.best = INFINITY};
    size_t inputs = f.design->inputs, *row = tamis_raw(f.cx, size_t, rows);
    f.target = x->left;
    f.progress = NULL;
    x->fit.net_on = 0;
    int status = row ? sift_fit_solve(&x->fit, FIT_ROUNDS) : tamis_status(f.cx);
    if (!status) status = left_find(x);
    for (size_t i = 0; i < inputs; i++) x->net_set[i] = set[i] && !f.design->encoder->input[i].constant;
    if (!status) status = sift_walk_room(&w, &f, row, more_rows(x, rows, row));
    if (!status) status = walk_learn(x, &w, STARTS);
    if (!status && gain) *gain = sift_net_empty(&w.net) - sift_net_value(&w.net);
    sift_walk_free(&w);
    tamis_free(row);
    return status || !centres ? status : sift_mix_features(x, centres);
}

/* ---- sets ---- */

static int within(const struct sift_probe *p, const unsigned char *set)
{
    for (size_t k = 0; k < p->inputs; k++)
        if (!set[p->input[k]]) return 0;
    return 1;
}

/* Terms of the trail within the set; then one for each input of the set that no term holds. */
static int terms_restore(struct sift_mix *x, const struct sift_trail *p, const unsigned char *set, unsigned char *has)
{
    int status = TAMIS_OK;
    for (size_t k = 0; k < p->terms && !status; k++) {
        if (!within(&p->term[k], set)) continue;
        status = sift_fit_term(&x->fit, p->term[k].inputs, p->term[k].input);
        for (size_t j = 0; j < p->term[k].inputs; j++) has[p->term[k].input[j]] = 1;
    }
    for (size_t i = 0; i < x->g->functions.d->inputs && !status; i++)
        if (set[i] && !has[i] && p->kind != SIFT_NETWORK && sift_functions_of(&x->g->functions, i))
            status = sift_fit_term(&x->fit, 1, &i);
    return status;
}

/* The network of the trail, its weights as they were; if it has lost inputs, or goes its own way, they learn again. */
static int network_restore(struct sift_mix *x, const struct sift_trail *p)
{
    size_t inputs = x->g->functions.d->inputs, lost = 0;
    memcpy(x->weight, p->weight, (inputs + 2) * sizeof *x->weight);
    for (size_t i = 0; i < inputs; i++) {
        lost += p->net_set[i] && !x->net_set[i];
        x->relevance[i] = x->net_set[i] ? exp(0.5 * x->weight[i]) : 0;
    }
    int alone = p->kind == SIFT_NETWORK, status = sift_mix_features(x, x->g->centres);
    if (!status) status = sift_fit_solve(&x->fit, FIT_ROUNDS);
    if (status || !(lost || alone)) return status;
    status = sift_mix_relearn(x, alone);
    return status ? status : sift_fit_solve(&x->fit, FIT_ROUNDS);
}

int sift_mix_restore(struct sift_mix *x, const struct sift_trail *p, const unsigned char *set)
{
    size_t inputs = x->g->functions.d->inputs;
    unsigned char *has = tamis_new(x->view.cx, unsigned char, inputs);
    int net = 0, status = has ? TAMIS_OK : tamis_status(x->view.cx);
    for (size_t i = 0; i < inputs; i++) net |= x->net_set[i] = p->net_set && p->net_set[i] && set[i];
    if (!status) status = terms_restore(x, p, set, has);
    if (!status) status = net ? network_restore(x, p) : sift_fit_solve(&x->fit, FIT_ROUNDS);
    if (!status) status = sift_fit_pull_in(&x->fit, FIT_ROUNDS);
    tamis_free(has);
    return status;
}
