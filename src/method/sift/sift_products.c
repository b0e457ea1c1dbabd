/* Screens of pairs and triples of inputs: which products of their functions correlate with the residuals.
 *
 *     T = sum over products of (sum over rows of phi_i phi_j r)^2 / (r' r)  ~  chi-squared,
 *
 * if products were uncorrelated and of variance 1. All at once by matrix products; what passes is tested properly
 * (sift_test.c), so a screen only has to keep the promising ones. */
#include <math.h>
#include <string.h>
#include "method/sift/sift_sums.h"
#include "num/lapack.h"
#include "num/tail.h"

static const double pair_level = 1e-3, triple_level = 1e-4;
static const size_t tile_most = 4000000;                        /* numbers in one tile of sums */
enum { SCREENED = 3 };

/* ---- the list of the best ---- */

static int before(const struct sift_probe *p, const struct sift_probe *q)
{
    if (p->log_p != q->log_p) return p->log_p < q->log_p;
    if (p->inputs != q->inputs) return p->inputs < q->inputs;
    for (size_t k = 0; k < p->inputs; k++)
        if (p->input[k] != q->input[k]) return p->input[k] < q->input[k];
    return 0;
}

void sift_probe_insert(struct sift_probe *best, size_t *found, size_t most, const struct sift_probe *p)
{
    size_t at = *found;
    while (at && before(p, &best[at - 1])) at--;
    if (at >= most) return;
    size_t last = *found < most ? (*found)++ : most - 1;
    memmove(best + at + 1, best + at, (last - at) * sizeof *best);
    best[at] = *p;
}

/* Log p of T, 0 if it is far from significant. */
static double screen_log_p(const struct sift_view *v, double t, size_t functions)
{
    double k = (double)(functions * v->l);
    t *= v->groups / v->total;
    return t > k + 3 * sqrt(2 * k) ? tamis_log_upper_chi2(t, k) : 0;
}

/* ---- functions of many inputs side by side ---- */

struct wall {
    const struct sift_view *v;
    const size_t *in;                   /* inputs */
    size_t k, side;                     /* side: functions of each at most; 0: as many as a pair is screened by */
    size_t *first;                      /* k + 1: where the functions of each begin */
    double *phi;                        /* SIFT_BLOCK x first[k] */
};

static int wall_make(const struct sift_view *v, const size_t *in, size_t k, size_t side, struct wall *w)
{
    *w = (struct wall){.v = v, .in = in, .k = k, .side = side};
    if (!(w->first = tamis_new(v->cx, size_t, k + 1))) return tamis_status(v->cx);
    for (size_t i = 0; i < k; i++) {
        size_t q = side ? sift_least(side, sift_functions_of(v->f, in[i])) : sift_functions_screened(v->f, in[i]);
        w->first[i + 1] = w->first[i] + q;
    }
    w->phi = tamis_raw(v->cx, double, SIFT_BLOCK * (w->first[k] + 1));
    return tamis_status(v->cx);
}

static void wall_free(struct wall *w)
{
    tamis_free(w->first);
    tamis_free(w->phi);
}

/* Functions of the inputs from .. k - 1 of the list, for n rows from `row` on. */
static void wall_fill(const struct wall *w, size_t from, size_t row, size_t n)
{
    for (size_t i = from; i < w->k; i++)
        sift_functions_fill(w->v->f, w->in[i], w->first[i + 1] - w->first[i], w->v->row + row, n,
                            w->phi + SIFT_BLOCK * w->first[i], SIFT_BLOCK);
}

/* The scores of output o for n rows from `row` on, times the weights of the rows. */
static const double *scores_take(const struct wall *w, size_t o, size_t row, size_t n, double *to)
{
    const struct sift_view *v = w->v;
    memcpy(to, v->score + row + v->n * o, n * sizeof *to);
    tamis_weight_scale(n, 1, v->weight ? v->weight + row : NULL, to, n);
    return to;
}

/* ---- pairs ---- */

struct pairs {
    struct wall w;
    size_t from, to;                    /* inputs of the tile */
    double *left;                       /* SIFT_BLOCK x functions of the tile, times the residuals */
    double *s;                          /* functions of the tile x functions from the tile on */
    double *narrow, *broad;             /* inputs of the tile x k: T by at most three functions of each, by all */
};

/* s = sum over rows of phi_tile r_o phi' */
static int tile_sums(struct pairs *p, size_t o)
{
    const struct wall *w = &p->w;
    const struct sift_view *v = w->v;
    size_t first = w->first[p->from], rows = w->first[p->to] - first, all = w->first[w->k] - first;
    double score[SIFT_BLOCK];
    struct sift_sums s;
    int status = sift_sums_begin(&s, v, p->s, rows * all);
    for (size_t from = 0, n; from < v->n && !status; from += n) {
        n = sift_block(v->f, v->row, from, v->n);
        const double *r = scores_take(w, o, from, n, score), *phi = w->phi + SIFT_BLOCK * first;
        wall_fill(w, p->from, from, n);
        for (size_t k = 0; k < rows; k++)
            for (size_t i = 0; i < n; i++) p->left[i + SIFT_BLOCK * k] = phi[i + SIFT_BLOCK * k] * r[i];
        tamis_gemm(TRANS, PLAIN, rows, all, n, 1, p->left, SIFT_BLOCK, phi, SIFT_BLOCK, 1, sift_sums_at(&s, from),
                   rows);
    }
    return sift_sums_end(&s);
}

static void pair_squares(const struct pairs *p, size_t i, size_t j, double *narrow, double *broad)
{
    const struct wall *w = &p->w;
    size_t base = w->first[p->from], rows = w->first[p->to] - base;
    for (size_t b = w->first[j]; b < w->first[j + 1]; b++)
        for (size_t a = w->first[i]; a < w->first[i + 1]; a++) {
            double s = p->s[a - base + rows * (b - base)], square = s * s / w->v->total;
            *broad += square;
            if (a < w->first[i] + SCREENED && b < w->first[j] + SCREENED) *narrow += square;
        }
}

static void tile_add(struct pairs *p)
{
    for (size_t i = p->from; i < p->to; i++)
        for (size_t j = i + 1; j < p->w.k; j++) {
            size_t at = i - p->from + (p->to - p->from) * j;
            pair_squares(p, i, j, p->narrow + at, p->broad + at);
        }
}

static double pair_log_p(const struct pairs *p, size_t i, size_t j)
{
    const struct wall *w = &p->w;
    size_t at = i - p->from + (p->to - p->from) * j, a = w->first[i + 1] - w->first[i],
           b = w->first[j + 1] - w->first[j], few = sift_least(a, SCREENED) * sift_least(b, SCREENED);
    double log_p = screen_log_p(w->v, p->narrow[at], few);
    return a * b > few ? fmin(0, log(2) + fmin(log_p, screen_log_p(w->v, p->broad[at], a * b))) : log_p;
}

static void tile_best(const struct pairs *p, size_t most, struct sift_probe *best, size_t *found)
{
    for (size_t i = p->from; i < p->to; i++)
        for (size_t j = i + 1; j < p->w.k; j++) {
            struct sift_probe q = {2, {p->w.in[i], p->w.in[j]}, pair_log_p(p, i, j)};
            if (q.log_p < log(pair_level)) sift_probe_insert(best, found, most, &q);
        }
}

/* As many inputs as keep the sums of a tile within tile_most numbers. */
static size_t tile_end(const struct pairs *p, size_t from)
{
    const struct wall *w = &p->w;
    size_t to = from + 1, all = w->first[w->k] - w->first[from];
    while (to < w->k && (w->first[to + 1] - w->first[from]) * all <= tile_most) to++;
    return to;
}

static int tile_run(struct pairs *p, size_t most, struct sift_probe *best, size_t *found)
{
    const struct wall *w = &p->w;
    tamis_context *cx = w->v->cx;
    size_t inputs = p->to - p->from, rows = w->first[p->to] - w->first[p->from],
           all = w->first[w->k] - w->first[p->from];
    p->left = tamis_raw(cx, double, SIFT_BLOCK * rows + 1);
    p->s = tamis_raw(cx, double, rows * all + 1);
    p->narrow = tamis_new(cx, double, inputs * w->k);
    p->broad = tamis_new(cx, double, inputs * w->k);
    if (!tamis_status(cx)) {
        for (size_t o = 0; o < w->v->l && !tile_sums(p, o); o++) tile_add(p);
        if (!tamis_status(cx)) tile_best(p, most, best, found);
    }
    void *room[] = {p->left, p->s, p->narrow, p->broad};
    for (size_t i = 0; i < sizeof room / sizeof *room; i++) tamis_free(room[i]);
    return tamis_status(cx) ? tamis_status(cx) : tamis_check_cancel(cx);
}

int sift_screen_pairs(const struct sift_view *v, const size_t *in, size_t k, size_t most, struct sift_probe *best,
                      size_t *found)
{
    struct pairs p = {0};
    int status = wall_make(v, in, k, 0, &p.w);
    *found = 0;
    for (p.from = 0; p.from + 1 < k && !status; p.from = p.to) {
        p.to = tile_end(&p, p.from);
        status = tile_run(&p, most, best, found);
    }
    wall_free(&p.w);
    return status;
}

/* ---- triples ---- */

struct triples { struct wall w; double *left, *s, *t; };

/* For input i: left = the products of its functions, those of each later input and the residuals. */
static void left_fill(struct triples *p, size_t i, const double *r, size_t n)
{
    const struct wall *w = &p->w;
    double *to = p->left;
    for (size_t a = w->first[i]; a < w->first[i + 1]; a++)
        for (size_t b = w->first[i + 1]; b < w->first[w->k]; b++, to += SIFT_BLOCK) {
            const double *x = w->phi + SIFT_BLOCK * a, *y = w->phi + SIFT_BLOCK * b;
            for (size_t k = 0; k < n; k++) to[k] = x[k] * y[k] * r[k];
        }
}

/* s (products of i with later functions x later functions): summed over rows. */
static int triple_sums(struct triples *p, size_t i, size_t o)
{
    const struct wall *w = &p->w;
    const struct sift_view *v = w->v;
    size_t later = w->first[w->k] - w->first[i + 1], rows = (w->first[i + 1] - w->first[i]) * later;
    double score[SIFT_BLOCK];
    struct sift_sums s;
    int status = sift_sums_begin(&s, v, p->s, rows * later);
    for (size_t from = 0, n; from < v->n && !status; from += n) {
        n = sift_block(v->f, v->row, from, v->n);
        wall_fill(w, i, from, n);
        left_fill(p, i, scores_take(w, o, from, n, score), n);
        tamis_gemm(TRANS, PLAIN, rows, later, n, 1, p->left, SIFT_BLOCK, w->phi + SIFT_BLOCK * w->first[i + 1],
                   SIFT_BLOCK, 1, sift_sums_at(&s, from), rows);
    }
    return sift_sums_end(&s);
}

/* T of the triple i, j, k; *products: how many. */
static double triple_square(const struct triples *p, size_t i, size_t j, size_t k, size_t *products)
{
    const struct wall *w = &p->w;
    size_t base = w->first[i + 1], later = w->first[w->k] - base, own = w->first[i + 1] - w->first[i],
           rows = own * later;
    double sum = 0;
    *products = own * (w->first[j + 1] - w->first[j]) * (w->first[k + 1] - w->first[k]);
    for (size_t a = 0; a < own; a++)
        for (size_t b = w->first[j] - base; b < w->first[j + 1] - base; b++)
            for (size_t c = w->first[k] - base; c < w->first[k + 1] - base; c++) {
                double s = p->s[a * later + b + rows * c];
                sum += s * s / w->v->total;
            }
    return sum;
}

static void triples_of(struct triples *p, size_t i, size_t most, struct sift_probe *best, size_t *found)
{
    const struct wall *w = &p->w;
    size_t k = w->k, products;
    memset(p->t, 0, k * k * sizeof *p->t);
    for (size_t o = 0; o < w->v->l; o++) {
        if (triple_sums(p, i, o)) return;
        for (size_t j = i + 1; j < k; j++)
            for (size_t m = j + 1; m < k; m++) p->t[j + k * m] += triple_square(p, i, j, m, &products);
    }
    for (size_t j = i + 1; j < k; j++)
        for (size_t m = j + 1; m < k; m++) {
            triple_square(p, i, j, m, &products);
            struct sift_probe q = {3, {w->in[i], w->in[j], w->in[m]}, screen_log_p(w->v, p->t[j + k * m], products)};
            if (q.log_p < log(triple_level)) sift_probe_insert(best, found, most, &q);
        }
}

int sift_screen_triples(const struct sift_view *v, const size_t *in, size_t k, size_t most, struct sift_probe *best,
                        size_t *found)
{
    struct triples p = {0};
    int status = wall_make(v, in, k, SIFT_TRIPLE, &p.w);
    *found = 0;
    if (!status && k > 2) {
        size_t all = p.w.first[k];
        p.left = tamis_raw(v->cx, double, SIFT_BLOCK * SIFT_TRIPLE * all + 1);
        p.s = tamis_raw(v->cx, double, SIFT_TRIPLE * all * all + 1);
        p.t = tamis_raw(v->cx, double, k * k);
        status = tamis_status(v->cx);
    }
    for (size_t i = 0; i + 2 < k && !status; i++) {
        triples_of(&p, i, most, best, found);
        status = tamis_status(v->cx) ? tamis_status(v->cx) : tamis_check_cancel(v->cx);
    }
    tamis_free(p.left);
    tamis_free(p.s);
    tamis_free(p.t);
    wall_free(&p.w);
    return status;
}
