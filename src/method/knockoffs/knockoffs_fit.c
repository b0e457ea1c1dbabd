/* The additive model of originals and knockoffs: a group lasso on functions of single columns and products of pairs.
 *
 * lambda falls from the least that leaves no coefficient, and the fit with the lowest
 *
 *     GCV = (RSS / n) / (1 - f / n)^2,   f the degrees of freedom, n what the rows are worth,
 *
 * is taken; the path ends when GCV has not improved for PATIENCE steps. Rows of columns and target are multiplied by
 * the roots of their weights, so that all sums of products are weighted. */
#include <math.h>
#include <string.h>
#include "method/knockoffs/knockoffs_fit.h"
#include "num/excess.h"
#include "num/level2.h"

enum { STEPS = 30, PATIENCE = 4, SWEEPS = 200, FOUND = 100 };
static const double lowest = 0.02,              /* lambda, of the largest */
    tolerance = 1e-3, level = 0.05,
    fullest = 0.5,                              /* degrees of freedom, of the rows: no further */
    pair_work = 4e9;                            /* flops of a screen of pairs */

struct group { size_t inputs, input[2]; };      /* the columns that it is made of */

struct fit {
    tamis_context *cx;
    const struct sift_functions *f;
    size_t n, l, room;                          /* room: columns of h */
    const double *weight;                       /* n: what each row counts; NULL: once */
    double *root;                               /* n: of the weights over their mean; NULL: none */
    double *y;                                  /* n x l: the target, times root */
    double *h;                                  /* n x room */
    struct group *group;
    size_t *first;
    double *penalty;                            /* of each group */
    struct tamis_group_lasso t;
    double *best;                               /* room x l: the coefficients taken */
};

/* ---- the columns ---- */

static void standardise(const struct fit *m, double *x)
{
    double mean = tamis_mean(x, m->weight, m->n), all = tamis_weight_sum(m->weight, m->n), squares = 0;
    for (size_t i = 0; i < m->n; i++) x[i] -= mean, squares += tamis_weight_at(m->weight, i) * x[i] * x[i];
    double scale = squares > 1e-20 * all ? sqrt(all / squares) : 0;
    for (size_t i = 0; i < m->n; i++) x[i] *= scale;
}

/* The first `count` functions of a column, for all rows. */
static void functions_take(const struct fit *m, size_t input, size_t count, double *to)
{
    size_t row[SIFT_BLOCK];
    for (size_t from = 0; from < m->n; from += SIFT_BLOCK) {
        size_t k = sift_least(SIFT_BLOCK, m->n - from);
        for (size_t i = 0; i < k; i++) row[i] = from + i;
        sift_functions_fill(m->f, input, count, row, k, to + from, m->n);
    }
    for (size_t k = 0; k < count; k++) standardise(m, to + m->n * k);
}

/* Makes the last `columns` columns a group. */
static void group_add(struct fit *m, struct group g, size_t columns)
{
    struct tamis_group_lasso *t = &m->t;
    if (!columns) return;
    tamis_weight_scale(m->n, columns, m->root, m->h + m->n * t->p, m->n);
    m->group[t->groups] = g;
    m->penalty[t->groups] = sqrt((double)(columns * m->l));
    m->first[++t->groups] = t->p += columns;
}

static size_t functions_of(const struct sift_functions *f, size_t input, size_t most)
{
    return sift_least(most, sift_functions_of(f, input));
}

/* All inputs but one (SIZE_MAX: all). */
static void singles_add(struct fit *m, int linear, size_t without)
{
    for (size_t i = 0; i < m->f->d->inputs; i++) {
        struct group g = {1, {i}};
        size_t count = functions_of(m->f, i, linear ? 1 : KNOCKOFFS_FUNCTIONS);
        if (!count || i == without) continue;
        functions_take(m, i, count, m->h + m->n * m->t.p);
        group_add(m, g, 1);
        group_add(m, g, count - 1);
    }
}

static int has_pair(const struct fit *m, size_t a, size_t b)
{
    for (size_t g = 0; g < m->t.groups; g++)
        if (m->group[g].inputs == 2 && m->group[g].input[0] == a && m->group[g].input[1] == b) return 1;
    return 0;
}

static void pair_add(struct fit *m, size_t a, size_t b, double *one, double *other)
{
    size_t ka = functions_of(m->f, a, KNOCKOFFS_SIDE), kb = functions_of(m->f, b, KNOCKOFFS_SIDE), n = m->n;
    if (has_pair(m, a, b)) return;
    functions_take(m, a, ka, one);
    functions_take(m, b, kb, other);
    for (size_t i = 0; i < ka; i++)
        for (size_t j = 0; j < kb; j++) {
            double *to = m->h + n * (m->t.p + i * kb + j);
            for (size_t r = 0; r < n; r++) to[r] = one[r + n * i] * other[r + n * j];
            standardise(m, to);
        }
    group_add(m, (struct group){2, {a, b}}, ka * kb);
}

/* ---- the fit ---- */

/* B = 0, R = the target. */
static void fit_start(struct fit *m)
{
    memset(m->t.b, 0, m->t.p * m->l * sizeof *m->t.b);
    memcpy(m->t.r, m->y, m->n * m->l * sizeof *m->t.r);
    tamis_group_lasso_bounds(&m->t);
}

/* R = Y - H B for the coefficients taken. */
static void best_take(struct fit *m)
{
    size_t p = m->t.p;
    memcpy(m->t.b, m->best, p * m->l * sizeof *m->best);
    for (size_t o = 0; o < m->l; o++) {
        memcpy(m->t.r + m->n * o, m->y + m->n * o, m->n * sizeof *m->y);
        tamis_gemv(PLAIN, m->n, p, -1, m->h, m->n, m->t.b + p * o, 1, m->t.r + m->n * o);
    }
}

/* What the fit leaves of the target as it is, n x l. */
static void residuals_take(const struct fit *m, double *to)
{
    for (size_t i = 0; i < m->n * m->l; i++) to[i] = m->root ? m->t.r[i] / m->root[i % m->n] : m->t.r[i];
}

static int path_run(struct fit *m)
{
    struct tamis_group_lasso *t = &m->t;
    double n = tamis_weight_rows(m->weight, m->n), least = INFINITY;
    fit_start(m);
    double most = tamis_group_lasso_most(t);
    size_t since = 0;
    memset(m->best, 0, t->p * m->l * sizeof *m->best);
    for (size_t k = 1; k <= STEPS && since < PATIENCE && most > 0; k++, since++) {
        double lambda = most * pow(lowest, (double)k / STEPS);
        tamis_group_lasso_solve(t, lambda, tolerance, SWEEPS);
        double f = tamis_group_lasso_freedom(t, lambda) / (n * (double)m->l), rss = tamis_dot(m->n * m->l, t->r, t->r);
        if (f > fullest) break;
        if (rss / ((1 - f) * (1 - f)) < least) {
            least = rss / ((1 - f) * (1 - f));
            memcpy(m->best, t->b, t->p * m->l * sizeof *m->best);
            since = 0;
        }
        if (tamis_check_cancel(m->cx)) return tamis_status(m->cx);
    }
    best_take(m);
    return TAMIS_OK;
}

/* The variance of every group to the columns that it is made of. */
static void values_fill(const struct fit *m, double *value)
{
    const struct tamis_group_lasso *t = &m->t;
    memset(value, 0, m->f->d->inputs * sizeof *value);
    for (size_t g = 0; g < t->groups; g++) {
        double length = tamis_group_lasso_length(t, g);
        for (size_t k = 0; k < m->group[g].inputs; k++) value[m->group[g].input[k]] += length * length;
    }
}

/* ---- pairs ---- */

/* The columns that a screen of pairs can afford: both of those pairs that the fit gives the most. */
static size_t columns_screen(const struct fit *m, const double *value, size_t *in)
{
    size_t d = m->f->d->inputs, n = 0;
    double most = sqrt(pair_work / ((double)m->n * (double)m->l)) / 3;
    for (size_t j = 0; j < d; j += 2) {
        double mine = value[j] + value[j + 1];
        size_t before = 0;
        for (size_t k = 0; k < d && (double)d > most; k += 2) {
            double its = value[k] + value[k + 1];
            before += its > mine || (its == mine && k < j) ? 2 : 0;
        }
        if ((double)(before + 2) <= most || (double)d <= most) in[n++] = j, in[n++] = j + 1;
    }
    return n;
}

/* All four versions of a pair, the columns of each in order. */
static void versions_add(struct fit *m, size_t a, size_t b, double *one, double *other)
{
    if (a / 2 == b / 2) return;
    for (size_t k = 0; k < 4; k++) pair_add(m, 2 * (a / 2) + k / 2, 2 * (b / 2) + k % 2, one, other);
}

static int pairs_take(struct fit *m, struct sift_view *v, struct sift_probe *probe, size_t found, double tests)
{
    double *one = tamis_raw(m->cx, double, m->n * KNOCKOFFS_SIDE),
           *other = tamis_raw(m->cx, double, m->n * KNOCKOFFS_SIDE);
    int status = tamis_status(m->cx);
    for (size_t k = 0, taken = 0; k < found && taken < KNOCKOFFS_PAIRS && !status; k++) {
        status = sift_test(v, &probe[k]);
        if (status || probe[k].log_p + log(tests) >= log(level)) continue;
        versions_add(m, probe[k].input[0], probe[k].input[1], one, other);
        taken++;
    }
    tamis_free(one);
    tamis_free(other);
    return status;
}

/* Adds the products of pairs that explain what the fit leaves. */
static int pairs_join(struct fit *m, struct sift_view *v, const double *value)
{
    size_t *in = tamis_raw(m->cx, size_t, m->f->d->inputs), found = 0;
    struct sift_probe *probe = tamis_raw(m->cx, struct sift_probe, FOUND + 1);
    int status = tamis_status(m->cx);
    residuals_take(m, v->r);
    if (!status) status = sift_view_score(v);
    size_t k = status ? 0 : columns_screen(m, value, in);
    if (!status && k > 2) status = sift_screen_pairs(v, in, k, FOUND, probe, &found);
    if (!status) status = pairs_take(m, v, probe, found, 0.5 * (double)k * (double)(k - 1));
    tamis_free(in);
    tamis_free(probe);
    return status;
}

/* ---- all of it ---- */

static int fit_make(struct fit *m, size_t inputs)
{
    tamis_context *cx = m->cx;
    size_t groups = 2 * inputs + 4 * KNOCKOFFS_PAIRS, widest = KNOCKOFFS_SIDE * KNOCKOFFS_SIDE + KNOCKOFFS_FUNCTIONS;
    m->room = KNOCKOFFS_FUNCTIONS * inputs + 4 * KNOCKOFFS_PAIRS * KNOCKOFFS_SIDE * KNOCKOFFS_SIDE;
    m->h = tamis_raw(cx, double, m->n * m->room);
    m->group = tamis_raw(cx, struct group, groups);
    m->first = tamis_new(cx, size_t, groups + 1);
    m->penalty = tamis_raw(cx, double, groups);
    m->best = tamis_raw(cx, double, m->room * m->l);
    m->root = m->weight ? tamis_raw(cx, double, m->n) : NULL;
    m->y = tamis_raw(cx, double, m->n * m->l);
    m->t = (struct tamis_group_lasso){.n = m->n, .l = m->l, .h = m->h, .first = m->first, .weight = m->penalty};
    m->t.bound = tamis_raw(cx, double, groups);
    m->t.b = tamis_raw(cx, double, m->room * m->l);
    m->t.r = tamis_raw(cx, double, m->n * m->l);
    m->t.scratch = tamis_raw(cx, double, widest * m->l);
    return tamis_status(cx);
}

static void fit_free(struct fit *m)
{
    void *all[] = {m->h,    m->group, m->first,   m->penalty, m->best,     m->root,
                   m->y,    m->t.b,   m->t.bound, m->t.r,     m->t.scratch};
    for (size_t i = 0; i < sizeof all / sizeof *all; i++) tamis_free(all[i]);
}

static void target_take(struct fit *m, const double *y)
{
    double mean = tamis_weight_sum(m->weight, m->n) / (double)m->n;
    for (size_t i = 0; m->root && i < m->n; i++) m->root[i] = sqrt(m->weight[i] / mean);
    memcpy(m->y, y, m->n * m->l * sizeof *m->y);
    tamis_weight_scale(m->n, m->l, m->root, m->y, m->n);
}

static int fit_run(struct fit *m, struct sift_view *v, const struct knockoffs_target *target, double *value)
{
    target_take(m, target->y);
    singles_add(m, target->linear, SIZE_MAX);
    size_t singles = m->t.groups;
    int status = path_run(m);
    if (!status) values_fill(m, value);
    if (!status && !target->linear) status = pairs_join(m, v, value);
    if (status || m->t.groups == singles) return status;
    status = path_run(m);
    if (!status) values_fill(m, value);
    return status;
}

int knockoffs_importances(tamis_context *cx, const struct knockoffs_target *t, const struct tamis_design *d,
                          double *value)
{
    struct sift_functions f = {0};
    struct sift_view v = {0};
    struct fit m = {.cx = cx, .f = &f, .n = d->rows, .l = t->l, .weight = d->weight};
    size_t *row = tamis_raw(cx, size_t, d->rows);
    for (size_t i = 0; row && i < d->rows; i++) row[i] = i;
    int status = row ? sift_functions_learn(cx, d, &f) : tamis_status(cx);
    if (!status) status = sift_view_make(cx, &f, t->y, t->l, row, d->rows, &v);
    if (!status) status = fit_make(&m, d->inputs);
    if (!status) status = fit_run(&m, &v, t, value);
    fit_free(&m);
    sift_view_free(&v);
    sift_functions_free(&f);
    tamis_free(row);
    return status;
}

int knockoffs_residuals(tamis_context *cx, const struct knockoffs_target *t, const struct sift_functions *f,
                        size_t without, double *r, double *value)
{
    struct fit m = {.cx = cx, .f = f, .n = f->d->rows, .l = t->l, .weight = f->d->weight};
    int status = fit_make(&m, f->d->inputs);
    if (!status) {
        target_take(&m, t->y);
        singles_add(&m, t->linear, without);
        status = path_run(&m);
    }
    if (!status) {
        values_fill(&m, value);
        residuals_take(&m, r);
    }
    fit_free(&m);
    return status;
}
