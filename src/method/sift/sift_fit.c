/* Features of a fit, and their sums over rows. */
#include "method/sift/sift_fit_inside.h"
#include "method/sift/sift_sums.h"

#include <math.h>
#include <string.h>
#include "num/blocks.h"
#include "num/lapack.h"
#include "num/order.h"

/* ---- features ---- */

/* Functions of each input in a term. */
static size_t side_of(const struct sift_fit *t, size_t inputs, size_t input)
{
    size_t q = sift_functions_of(t->v->f, input);
    return inputs == 1 ? q : sift_least(q, inputs == 2 ? SIFT_PAIR : SIFT_TRIPLE);
}

static void feature_put(struct sift_fit *t, const struct sift_term *m, const size_t *k)
{
    const struct sift_functions *f = t->v->f;
    double divisor = 1;
    size_t at = t->p++;
    for (size_t j = 0; j < 3; j++) {
        size_t id = j < m->inputs ? f->first[m->input[j]] + k[j] : 0;
        t->factor[3 * at + j] = j < m->inputs ? id + 1 : 0;
        if (j < m->inputs) divisor *= f->divisor[id];
    }
    int first = at == m->first && !(m->inputs == 1 && f->category[m->input[0]]);
    t->scale[at] = 1 / pow(divisor, 1.0 / (double)m->inputs);
    t->block[at] = m->block + !first;
}

/* A pair is scaled by 1 / sqrt(k m), a single function by 1 / k. */
static void features_list(struct sift_fit *t, struct sift_term *m)
{
    size_t side[3] = {1, 1, 1}, k[3];
    for (size_t j = 0; j < m->inputs; j++) side[j] = side_of(t, m->inputs, m->input[j]);
    m->first = t->p;
    for (k[0] = 0; k[0] < side[0]; k[0]++)
        for (k[1] = 0; k[1] < side[1]; k[1]++)
            for (k[2] = 0; k[2] < side[2]; k[2]++) feature_put(t, m, k);
    m->count = t->p - m->first;
}

static size_t features_of(const struct sift_fit *t, size_t inputs, const size_t *input)
{
    size_t n = 1;
    for (size_t j = 0; j < inputs; j++) n *= side_of(t, inputs, input[j]);
    return n;
}

static void term_fill(const struct sift_fit *t, const struct sift_term *m, const size_t *row, size_t n, double *fun,
                      double *h)
{
    const struct sift_functions *f = t->v->f;
    double *at[3];
    for (size_t j = 0; j < m->inputs; j++) {
        size_t side = side_of(t, m->inputs, m->input[j]);
        at[j] = fun - SIFT_BLOCK * f->first[m->input[j]];       /* of function id: at + SIFT_BLOCK id */
        sift_functions_fill(f, m->input[j], side, row, n, fun, SIFT_BLOCK);
        fun += SIFT_BLOCK * side;
    }
    for (size_t k = m->first; k < m->first + m->count; k++, h += SIFT_BLOCK) {
        const double *x = at[0] + SIFT_BLOCK * (t->factor[3 * k] - 1);
        for (size_t i = 0; i < n; i++) h[i] = t->scale[k] * x[i];
        for (size_t j = 1; j < m->inputs; j++) {
            const double *y = at[j] + SIFT_BLOCK * (t->factor[3 * k + j] - 1);
            for (size_t i = 0; i < n; i++) h[i] *= y[i];
        }
    }
}

/* Columns of H for n rows; those of terms that are off too if `all`. */
void sift_block_fill(const struct sift_fit *t, const size_t *row, size_t n, int all, const struct sift_blocks *b)
{
    for (size_t k = 0; k < t->terms; k++)
        if (all || t->term[k].on) term_fill(t, &t->term[k], row, n, b->fun, b->h + SIFT_BLOCK * t->term[k].first);
    if (t->net && (all || t->net_on))
        sift_gauss_fill(t->net, row, n, b->h + SIFT_BLOCK * t->net_first, SIFT_BLOCK, b->work);
}

int sift_blocks_make(const struct sift_fit *t, struct sift_blocks *b)
{
    tamis_context *cx = t->v->cx;
    *b = (struct sift_blocks){0};
    b->h = tamis_raw(cx, double, SIFT_BLOCK * (t->p + 1));
    b->fun = tamis_raw(cx, double, SIFT_BLOCK * (3 * SIFT_LEVELS));
    b->work = tamis_raw(cx, double, SIFT_BLOCK * ((t->net ? t->net->columns : 0) + t->v->l + 1));
    return tamis_status(cx);
}

void sift_blocks_free(struct sift_blocks *b)
{
    tamis_free(b->h);
    tamis_free(b->fun);
    tamis_free(b->work);
}

/* ---- sums ---- */

/* Multiplies features of rows by the roots of the rows' weights: once for a side of a product, twice for a sum. */
static void rows_weigh(const struct sift_view *v, size_t at, size_t n, size_t columns, double *h)
{
    tamis_weight_scale(n, columns, v->root ? v->root + at : NULL, h, SIFT_BLOCK);
}

/* Of the features from .. from + more - 1: products with all p, with the outputs, and sums. */
static void block_add(const struct sift_fit *t, const struct sift_blocks *b, size_t from, size_t at, size_t n,
                      double *to)
{
    const struct sift_view *v = t->v;
    size_t more = t->p - from;
    double *h = b->h + SIFT_BLOCK * from, *c = to + more * t->p, *sum = c + more * v->l;
    sift_block_fill(t, v->row + at, n, 1, b);
    rows_weigh(v, at, n, t->p, b->h);
    tamis_gemm(TRANS, PLAIN, more, t->p, n, 1, h, SIFT_BLOCK, b->h, SIFT_BLOCK, 1, to, more);
    rows_weigh(v, at, n, more, h);
    tamis_gemm(TRANS, PLAIN, more, v->l, n, 1, h, SIFT_BLOCK, v->y + at, v->n, 1, c, more);
    for (size_t k = 0; k < more; k++)
        for (size_t i = 0; i < n; i++) sum[k] += h[i + SIFT_BLOCK * k];
}

static void sums_put(struct sift_fit *t, size_t from, const double *total)
{
    size_t ld = t->room, more = t->p - from, l = t->v->l;
    for (size_t j = 0; j < t->p; j++) memcpy(t->g + from + ld * j, total + more * j, more * sizeof *total);
    for (size_t o = 0; o < l; o++) memcpy(t->c + from + ld * o, total + more * (t->p + o), more * sizeof *total);
    for (size_t o = 0; o < l; o++) memset(t->b + from + ld * o, 0, more * sizeof *total);
    memcpy(t->sum + from, total + more * (t->p + l), more * sizeof *total);
}

/* Sums of the features from .. p - 1 with all. */
static int sums_add(struct sift_fit *t, size_t from)
{
    const struct sift_view *v = t->v;
    struct sift_blocks b;
    struct sift_sums s = {.v = v};
    size_t count = (t->p - from) * (t->p + v->l + 1), n;
    double *total = tamis_raw(v->cx, double, count + 1);
    int status = sift_blocks_make(t, &b);
    if (!status) status = sift_sums_begin(&s, v, total, count);
    for (size_t at = 0; at < v->n && !status && count; at += n) {
        n = sift_block(v->f, v->row, at, v->n);
        block_add(t, &b, from, at, n, sift_sums_at(&s, at));
        status = tamis_check_cancel(v->cx);
    }
    int ended = sift_sums_end(&s);
    if (!status && !ended) sums_put(t, from, total);
    sift_blocks_free(&b);
    tamis_free(total);
    return status ? status : ended;
}

static int yy_take(struct sift_fit *t)
{
    const struct sift_view *v = t->v;
    int status = TAMIS_OK;
    t->yy = 0;
    for (size_t o = 0; o < v->l && !status; o++) {
        struct { double sum, squares; } of = {0, 0};
        status = tamis_spread_take(v->f->d->spread, &of, sizeof of);
        for (size_t i = 0; i < v->n; i++) {
            double y = v->y[i + v->n * o], weighed = tamis_weight_at(v->weight, i) * y;
            of.sum += weighed, of.squares += weighed * y;
        }
        if (!status) status = tamis_spread_give(v->f->d->spread, &of, sizeof of);
        t->yy += of.squares - of.sum * of.sum / v->total;
    }
    return status;
}

/* c again, after v->y has changed. */
int sift_targets_take(struct sift_fit *t)
{
    const struct sift_view *v = t->v;
    struct sift_blocks b;
    struct sift_sums s = {.v = v};
    size_t count = t->p * v->l, n;
    double *total = tamis_raw(v->cx, double, count + 1);
    int status = sift_blocks_make(t, &b);
    if (!status) status = sift_sums_begin(&s, v, total, count);
    for (size_t at = 0; at < v->n && !status && t->p; at += n) {
        n = sift_block(v->f, v->row, at, v->n);
        sift_block_fill(t, v->row + at, n, 1, &b);
        tamis_weight_scale(n, t->p, v->weight ? v->weight + at : NULL, b.h, SIFT_BLOCK);
        tamis_gemm(TRANS, PLAIN, t->p, v->l, n, 1, b.h, SIFT_BLOCK, v->y + at, v->n, 1, sift_sums_at(&s, at), t->p);
    }
    int ended = sift_sums_end(&s);
    for (size_t o = 0; o < v->l && !status && !ended && t->p; o++)
        memcpy(t->c + t->room * o, total + t->p * o, t->p * sizeof *total);
    sift_blocks_free(&b);
    tamis_free(total);
    if (!status) status = ended;
    return status ? status : yy_take(t);
}

/* ---- room ---- */

static void *grown(tamis_context *cx, void *old, size_t used, size_t count, size_t size)
{
    void *more = tamis_alloc(cx, count, size, 1);
    if (more && old) memcpy(more, old, used * size);
    tamis_free(old);
    return more;
}

static int features_room(struct sift_fit *t, size_t need)
{
    tamis_context *cx = t->v->cx;
    size_t old = t->room, room = need > 2 * old ? need : 2 * old, l = t->v->l;
    if (need <= old) return TAMIS_OK;
    double *g = tamis_raw(cx, double, room * room), *c = tamis_raw(cx, double, room * l),
           *b = tamis_new(cx, double, room * l);
    for (size_t k = 0; g && k < t->p; k++) memcpy(g + room * k, t->g + old * k, t->p * sizeof *g);
    for (size_t o = 0; c && t->p && o < l; o++) memcpy(c + room * o, t->c + old * o, t->p * sizeof *c);
    for (size_t o = 0; b && t->p && o < l; o++) memcpy(b + room * o, t->b + old * o, t->p * sizeof *b);
    tamis_free(t->g);
    tamis_free(t->c);
    tamis_free(t->b);
    t->g = g;
    t->c = c;
    t->b = b;
    t->factor = grown(cx, t->factor, 3 * t->p, 3 * room, sizeof *t->factor);
    t->scale = grown(cx, t->scale, t->p, room, sizeof *t->scale);
    t->block = grown(cx, t->block, t->p, room, sizeof *t->block);
    t->sum = grown(cx, t->sum, t->p, room, sizeof *t->sum);
    t->variance = grown(cx, t->variance, t->blocks, room + 2, sizeof *t->variance);
    t->sure = grown(cx, t->sure, t->blocks, room + 2, sizeof *t->sure);
    t->room = room;
    return tamis_status(cx);
}

static int terms_room(struct sift_fit *t)
{
    if (t->terms < t->terms_room) return TAMIS_OK;
    t->terms_room = 2 * t->terms_room + 8;
    t->term = grown(t->v->cx, t->term, t->terms, t->terms_room, sizeof *t->term);
    return tamis_status(t->v->cx);
}

int sift_fit_make(struct sift_view *v, struct sift_fit *t)
{
    *t = (struct sift_fit){.v = v};
    int status = yy_take(t);
    return status ? status : features_room(t, 64);
}

void sift_fit_free(struct sift_fit *t)
{
    void *all[] = {t->term, t->factor, t->scale, t->block, t->g, t->c, t->sum, t->variance, t->b, t->sure};
    for (size_t i = 0; i < sizeof all / sizeof *all; i++) tamis_free(all[i]);
    sift_gauss_free(t->net);
}

int sift_fit_term(struct sift_fit *t, size_t inputs, const size_t *input)
{
    size_t from = t->p;
    if (features_room(t, t->p + features_of(t, inputs, input)) || terms_room(t)) return tamis_status(t->v->cx);
    struct sift_term *m = &t->term[t->terms++];
    *m = (struct sift_term){.inputs = inputs, .block = t->blocks, .on = 1};
    memcpy(m->input, input, inputs * sizeof *input);
    t->variance[t->blocks] = t->variance[t->blocks + 1] = 0;
    t->blocks += 2;
    features_list(t, m);
    return sums_add(t, from);
}

void sift_fit_untake(struct sift_fit *t)
{
    t->terms--;
    t->blocks -= 2;
    t->p = t->term[t->terms].first;
}

int sift_fit_network(struct sift_fit *t, struct sift_gauss *net, double variance)
{
    if (t->net) {
        sift_gauss_free(t->net);
        t->p = t->net_first;
        t->blocks = t->net_block;
    }
    t->net = net;
    t->net_on = net != NULL;
    t->net_used = net ? net->m : 0;
    if (!net) return TAMIS_OK;
    if (features_room(t, t->p + net->m)) return tamis_status(t->v->cx);
    t->net_first = t->p;
    t->net_block = t->blocks++;
    t->variance[t->net_block] = variance;
    for (size_t k = 0; k < net->m; k++) {
        t->factor[3 * t->p] = t->factor[3 * t->p + 1] = t->factor[3 * t->p + 2] = 0;
        t->scale[t->p] = 1;
        t->block[t->p++] = t->net_block;
    }
    return sums_add(t, t->net_first);
}
