/* Fits of the features that are on, or of a part of them, and what they predict. */
#include <math.h>
#include <string.h>
#include "method/sift/sift_fit_inside.h"
#include "method/sift/sift_net.h"
#include "method/sift/sift_spread.h"
#include "num/blocks.h"
#include "num/lapack.h"
#include "num/order.h"

static const double gain = 0.02;                /* in log evidence: a round that gains less is the last */
static const double far_share = 0.05;           /* of the rows: so many are not outliers */

/* ---- fits ---- */

static int feature_on(const struct sift_fit *t, size_t feature)
{
    if (t->net && feature >= t->net_first) return t->net_on;
    size_t k = t->terms;
    while (k-- > 0)
        if (feature >= t->term[k].first) return t->term[k].on;
    return 0;
}

/* The features that are on, their centred sums times the share of independent rows, and their blocks. */
struct part { size_t p, *feature, *block; double *g, *c, *b, *work; };

/* skip: NULL, or 1 for terms that are left out. */
static int part_make(const struct sift_fit *t, const unsigned char *skip, struct part *s)
{
    tamis_context *cx = t->v->cx;
    *s = (struct part){.feature = tamis_raw(cx, size_t, t->p + 1)};
    for (size_t k = 0; s->feature && k < t->terms; k++)
        for (size_t j = 0; t->term[k].on && !(skip && skip[k]) && j < t->term[k].count; j++)
            s->feature[s->p++] = t->term[k].first + j;
    for (size_t k = 0; s->feature && t->net && t->net_on && k < t->net_used; k++) s->feature[s->p++] = t->net_first + k;
    s->block = tamis_raw(cx, size_t, s->p + 1);
    s->g = tamis_raw(cx, double, s->p * s->p + 1);
    s->c = tamis_raw(cx, double, s->p * t->v->l + 1);
    s->b = tamis_raw(cx, double, s->p * t->v->l + 1);
    s->work = tamis_raw(cx, double, tamis_blocks_size(s->p, t->v->l) + 1);
    return tamis_status(cx);
}

static void part_free(struct part *s)
{
    void *all[] = {s->feature, s->block, s->g, s->c, s->b, s->work};
    for (size_t i = 0; i < sizeof all / sizeof *all; i++) tamis_free(all[i]);
}

static void part_fill(const struct sift_fit *t, struct part *s)
{
    double n = t->v->total, w = t->v->groups / n;
    size_t p = s->p, ld = t->room;
    for (size_t j = 0; j < p; j++) {
        size_t a = s->feature[j];
        s->block[j] = t->block[a];
        for (size_t i = j; i < p; i++) {
            size_t b = s->feature[i];
            s->g[i + p * j] = w * (t->g[b + ld * a] - t->sum[a] * t->sum[b] / n);
        }
        for (size_t o = 0; o < t->v->l; o++) s->c[j + p * o] = w * t->c[a + ld * o];    /* sums of y are 0 */
    }
}

static void part_take(struct sift_fit *t, const struct part *s, const struct tamis_blocks *m)
{
    size_t l = t->v->l;
    memset(t->b, 0, t->room * l * sizeof *t->b);
    for (size_t o = 0; o < l; o++)
        for (size_t k = 0; k < s->p; k++) t->b[s->feature[k] + t->room * o] = s->b[k + s->p * o];
    t->s = m->s;
    t->evidence = m->evidence;
    t->rss = m->rss;
}

static struct tamis_blocks part_model(const struct sift_fit *t, const struct part *s, double *variance, double *sure)
{
    const struct sift_view *v = t->v;
    return (struct tamis_blocks){.p = s->p, .l = v->l, .blocks = t->blocks, .n = v->groups, .g = s->g, .ldg = s->p,
                                 .c = s->c, .ldc = s->p, .yy = t->yy * v->groups / v->total, .block = s->block,
                                 .v = variance, .s = t->s, .b = s->b, .sure = sure};
}

static void part_solve(const struct part *s, struct tamis_blocks *m, size_t rounds)
{
    if (!tamis_blocks_fit(m, rounds, gain, s->work)) return;
    m->evidence = -1e300;
    memset(s->b, 0, s->p * m->l * sizeof *s->b);
}

int sift_fit_solve(struct sift_fit *t, size_t rounds)
{
    struct part s;
    double *variance = tamis_raw(t->v->cx, double, t->blocks + 1);
    int status = part_make(t, NULL, &s);
    if (!status && variance) {
        part_fill(t, &s);
        struct tamis_blocks m = part_model(t, &s, variance, t->sure);
        memcpy(variance, t->variance, t->blocks * sizeof *variance);
        part_solve(&s, &m, rounds);
        part_take(t, &s, &m);
        for (size_t k = 0; k < s.p; k++) t->variance[s.block[k]] = variance[s.block[k]];        /* others stay */
    }
    part_free(&s);
    tamis_free(variance);
    return tamis_status(t->v->cx);
}

int sift_fit_without(const struct sift_fit *t, const unsigned char *skip, size_t rounds, double *evidence)
{
    struct part s;
    double *variance = tamis_raw(t->v->cx, double, 2 * t->blocks + 1);
    int status = part_make(t, skip, &s);
    if (!status && variance) {
        memcpy(variance, t->variance, t->blocks * sizeof *variance);
        part_fill(t, &s);
        struct tamis_blocks m = part_model(t, &s, variance, variance + t->blocks);
        part_solve(&s, &m, rounds);
        *evidence = m.evidence;
    }
    part_free(&s);
    tamis_free(variance);
    return tamis_status(t->v->cx);
}

/* What a fit knows of its network: the network, and the sums of its features. */
struct network { struct sift_gauss *net; size_t p, used; double variance, *sums; };

/* Sums of the network's features, out of the fit or back into it. */
static void sums_move(struct sift_fit *t, double *to, int back)
{
    for (size_t k = t->net_first; k < t->p; k++) {
        double *at[3] = {t->g + k, t->c + k, t->sum + k};
        size_t count[3] = {t->p, t->v->l, 1};
        for (size_t j = 0; j < 3; j++)
            for (size_t i = 0; i < count[j]; i++, to++) {
                double *one = at[j] + t->room * i;
                if (back) *one = *to;
                else *to = *one;
            }
    }
}

static int network_save(struct sift_fit *t, struct network *n)
{
    *n = (struct network){t->net, t->p, t->net_used, t->variance[t->net_block], NULL};
    n->sums = tamis_raw(t->v->cx, double, (t->p - t->net_first) * (t->p + t->v->l + 1) + 1);
    if (!n->sums) return tamis_status(t->v->cx);
    sums_move(t, n->sums, 0);
    t->net = NULL;
    t->p = t->net_first;
    t->blocks = t->net_block;
    return TAMIS_OK;
}

static void network_return(struct sift_fit *t, struct network *n)
{
    sift_gauss_free(t->net);
    t->net = n->net;
    t->net_used = n->used;
    t->net_on = 1;
    t->p = n->p;
    t->blocks = t->net_block + 1;
    t->variance[t->net_block] = n->variance;
    for (size_t k = t->net_first; k < t->p; k++) {
        t->factor[3 * k] = t->factor[3 * k + 1] = t->factor[3 * k + 2] = 0;
        t->scale[k] = 1;
        t->block[k] = t->net_block;
    }
    sums_move(t, n->sums, 1);
    tamis_free(n->sums);
}

int sift_fit_other(struct sift_fit *t, struct sift_gauss *net, double variance, const unsigned char *skip,
                   size_t rounds, double *evidence)
{
    struct network mine;
    if (network_save(t, &mine)) return sift_gauss_free(net), tamis_status(t->v->cx);
    int status = net ? sift_fit_network(t, net, variance) : TAMIS_OK;
    if (!status) status = sift_fit_without(t, skip, rounds, evidence);
    network_return(t, &mine);
    return status;
}

double sift_fit_gain(const struct sift_fit *t)
{
    const struct sift_view *v = t->v;
    return t->evidence - tamis_blocks_empty(v->groups, v->l, t->yy * v->groups / v->total);
}

/* ---- predictions ---- */

/* out (m x l) = mean + (H - mean H) b for rows row[0..m-1], in increasing order. */
int sift_fit_predict(const struct sift_fit *t, const size_t *row, size_t m, double *out)
{
    const struct sift_view *v = t->v;
    struct sift_blocks b;
    unsigned char *on = tamis_raw(v->cx, unsigned char, t->p + 1);
    int status = sift_blocks_make(t, &b);
    for (size_t k = 0; on && k < t->p; k++) on[k] = (unsigned char)feature_on(t, k);
    for (size_t at = 0, n; at < m && !status; at += n) {
        n = sift_block(v->f, row, at, m);
        sift_block_fill(t, row + at, n, 0, &b);
        for (size_t o = 0; o < v->l; o++) {
            double *to = out + at + m * o, level = v->mean[o];
            const double *coefficient = t->b + t->room * o;
            for (size_t k = 0; k < t->p; k++) level -= on[k] ? coefficient[k] * t->sum[k] / v->total : 0;
            for (size_t i = 0; i < n; i++) to[i] = level;
            for (size_t k = 0; k < t->p; k++)
                if (on[k] && coefficient[k] != 0) tamis_axpy(n, coefficient[k], b.h + SIFT_BLOCK * k, to);
        }
    }
    tamis_free(on);
    sift_blocks_free(&b);
    return status;
}

int sift_fit_residuals(struct sift_fit *t)
{
    struct sift_view *v = t->v;
    int status = sift_fit_predict(t, v->row, v->n, v->r);
    for (size_t o = 0; o < v->l && !status; o++)
        for (size_t i = 0; i < v->n; i++) v->r[i + v->n * o] = v->y[i + v->n * o] + v->mean[o] - v->r[i + v->n * o];
    return status;
}

/* Robust standard deviation of given - fit for output o, from v->r = y - fit. */
static int spread_of(struct sift_fit *t, size_t o, double *sd)
{
    struct sift_view *v = t->v;
    double *size = tamis_raw(v->cx, double, v->n);
    struct tamis_place *order = v->weight ? tamis_raw(v->cx, struct tamis_place, v->n) : NULL;
    int status = tamis_status(v->cx);
    for (size_t i = 0, at = v->n * o; i < v->n && !status; i++, at++)
        size[i] = fabs(v->given[at] - v->y[at] + v->r[at]);
    if (!status && tamis_spread_shared(v->f->d->spread))
        status = sift_spread_median(v->f->d->spread, size, v->n, sd);
    else if (!status) *sd = tamis_weight_median(size, v->weight, v->n, order);
    *sd *= SIFT_MAD_TO_SD;
    tamis_free(size);
    tamis_free(order);
    return status;
}

/* y = given, or the fit plus `far` where given is further from it; the mean of y moves into v->mean. Returns whether
 * any was. */
static int pull(struct sift_view *v, size_t o, double far)
{
    size_t at = v->n * o;
    double many = 0;
    tamis_spread_take(v->f->d->spread, &many, sizeof many);
    for (size_t i = 0; i < v->n; i++)
        many += fabs(v->given[at + i] - v->y[at + i] + v->r[at + i]) > far ? tamis_weight_at(v->weight, i) : 0;
    tamis_spread_give(v->f->d->spread, &many, sizeof many);
    int pulled = many > 0 && many < far_share * v->total && far > 0;
    for (size_t i = at; i < at + v->n; i++) {
        double fit = v->y[i] - v->r[i], left = v->given[i] - fit;
        v->y[i] = pulled && fabs(left) > far ? fit + copysign(far, left) : v->given[i];
    }
    double mean = sift_view_mean(v, v->y + at);
    for (size_t i = at; i < at + v->n; i++) v->y[i] -= mean, v->given[i] -= mean;
    v->mean[o] += mean;
    if (pulled) v->far = fmin(v->far, far);
    return pulled;
}

int sift_fit_pull_in(struct sift_fit *t, size_t rounds)
{
    struct sift_view *v = t->v;
    int any = 0, status = sift_fit_residuals(t);
    if (v->classes) return status;
    v->far = INFINITY;
    for (size_t o = 0; o < v->l && !status; o++) {
        double sd = 0;
        status = spread_of(t, o, &sd);
        if (!status) any |= pull(v, o, SIFT_FAR * sd);
    }
    if (!status) status = sift_targets_take(t);
    if (!status && any) status = sift_fit_solve(t, rounds);
    return status ? status : sift_fit_residuals(t);
}

/* The first feature of every term, over the rows: what tests of further terms take out. */
int sift_fit_known(struct sift_fit *t)
{
    struct sift_view *v = t->v;
    struct sift_blocks b;
    int status = sift_blocks_make(t, &b);
    tamis_free(v->known);
    v->knowns = t->terms;
    if (!(v->known = tamis_raw(v->cx, double, v->n * v->knowns + 1))) status = tamis_status(v->cx);
    for (size_t at = 0, n; at < v->n && !status; at += n) {
        n = sift_block(v->f, v->row, at, v->n);
        sift_block_fill(t, v->row + at, n, 1, &b);
        for (size_t k = 0; k < t->terms; k++)
            memcpy(v->known + at + v->n * k, b.h + SIFT_BLOCK * t->term[k].first, n * sizeof *v->known);
    }
    sift_blocks_free(&b);
    return status;
}

/* ---- inputs ---- */

/* b_t' G_tt b_t / n over the features first .. first + count - 1, centred, summed over outputs. */
static double variance_of(const struct sift_fit *t, size_t first, size_t count)
{
    double sum = 0, n = t->v->total;
    for (size_t o = 0; o < t->v->l; o++) {
        const double *b = t->b + t->room * o;
        for (size_t i = first; i < first + count; i++)
            for (size_t j = first; j <= i && b[i] != 0; j++)
                sum += (i == j ? 1 : 2) * b[i] * b[j] * (t->g[i + t->room * j] / n - t->sum[i] * t->sum[j] / (n * n));
    }
    return fmax(sum, 0);
}

void sift_fit_network_shares(const struct sift_fit *t, const double *relevance, double *share)
{
    size_t inputs = t->v->f->d->inputs;
    int on = t->net && t->net_on;
    double most = 0, part = on ? variance_of(t, t->net_first, t->net->m) : 0;
    for (size_t i = 0; on && i < inputs; i++) most = fmax(most, relevance[i]);
    for (size_t i = 0; i < inputs; i++) share[i] = most > 0 ? part * relevance[i] / most : 0;
}

void sift_fit_shares(const struct sift_fit *t, const double *relevance, double *share)
{
    sift_fit_network_shares(t, relevance, share);
    for (size_t k = 0; k < t->terms; k++) {
        const struct sift_term *m = &t->term[k];
        double part = m->on ? variance_of(t, m->first, m->count) : 0;
        for (size_t j = 0; j < m->inputs; j++) share[m->input[j]] += part;
    }
}

size_t sift_fit_set(const struct sift_fit *t, const unsigned char *net_set, unsigned char *set)
{
    size_t inputs = t->v->f->d->inputs, n = 0;
    memset(set, 0, inputs);
    for (size_t k = 0; k < t->terms; k++)
        for (size_t j = 0; t->term[k].on && j < t->term[k].inputs; j++) set[t->term[k].input[j]] = 1;
    for (size_t i = 0; i < inputs; i++) {
        if (t->net && t->net_on && net_set && net_set[i]) set[i] = 1;
        n += set[i];
    }
    return n;
}
