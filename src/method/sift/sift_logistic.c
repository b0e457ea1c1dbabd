/* The models of classes by their likelihood: penalised logistic regression (num/logistic.h) on the columns of a set,
 * alone or beside Gaussians of one width for all of them,
 *
 *     K(x, z) = x'z / m + exp(-width |x - z|^2 / m),    m columns.
 *
 * Width and penalty are those with the least log loss in the folds of the first split, each fold with the set that it
 * has selected by itself. */
#include <math.h>
#include <string.h>
#include "base/parallel.h"
#include "crit/crit.h"
#include "method/sift/sift.h"
#include "model/linear.h"
#include "model/terms.h"
#include "num/lapack.h"
#include "num/logistic.h"

enum { MOST_ROWS = 20000, WIDTHS = 4, PENALTIES = 7, FEWEST_CENTRES = 10 };
static const double width_of[WIDTHS] = {0, 0.25, 1, 4};         /* 0: no Gaussians */
static const double most_penalty = 0.016, penalty_step = 0.25;  /* per row, by weight */
static const double rough = 1e-6, exact = 1e-13;                /* log loss: while searching, and in the end */
static const double most_work = 1e6;                            /* rows x outputs x centres */

/* ---- features ---- */

struct features {
    const struct sift *s;
    size_t columns, *column;
    struct sift_gauss *gauss;           /* NULL: none */
    size_t p;
};

static void features_free(struct features *f)
{
    sift_gauss_free(f->gauss);
    tamis_free(f->column);
}

static size_t centres_most(const struct sift *s, size_t n)
{
    double work = (double)n * (double)tamis_logistic_outputs(s->run->design->encoder->classes);
    return (size_t)fmax(fmin((double)s->s.centres, most_work / work), FEWEST_CENTRES);
}

static int features_make(const struct sift *s, const unsigned char *set, const size_t *row, size_t n,
                         const struct sift_logistic *how, struct features *f)
{
    const struct tamis_design *d = s->run->design;
    tamis_context *cx = s->run->cx;
    size_t centres = sift_least(how->centres, centres_most(s, n));
    double width = how->width;
    double *weight = tamis_raw(cx, double, d->inputs);
    *f = (struct features){.s = s, .column = tamis_raw(cx, size_t, d->columns)};
    if (weight && f->column) {
        f->columns = f->p = tamis_set_columns(d, set, f->column);
        for (size_t i = 0; i < d->inputs; i++) weight[i] = log(width / (double)f->columns);
        if (width > 0 && f->columns) f->gauss = sift_gauss_make(cx, d, set, weight, row, n, centres, 2 * centres);
        if (f->gauss) f->p += f->gauss->m;
    }
    tamis_free(weight);
    return tamis_status(cx);
}

/* h: n x p; work: SIFT_BLOCK x columns. */
static void features_fill(const struct features *f, const size_t *row, size_t n, double *h, double *work)
{
    const struct tamis_design *d = f->s->run->design;
    double scale = sqrt(1 / (double)f->columns);
    for (size_t k = 0; k < f->columns; k++)
        for (size_t i = 0; i < n; i++) h[i + n * k] = scale * d->x[row[i] + d->rows * f->column[k]];
    for (size_t from = 0; f->gauss && from < n; from += SIFT_BLOCK)
        sift_gauss_fill(f->gauss, row + from, sift_least(SIFT_BLOCK, n - from), h + from + n * f->columns, n, work);
}

/* ---- a fit ---- */

struct fit {
    struct features f;
    size_t n, *row;
    double *h, *mean, *gram, *y, *weight, *b, *work;            /* b: (p + 1) x outputs */
};

static void fit_free(struct fit *t)
{
    void *all[] = {t->row, t->h, t->mean, t->gram, t->y, t->weight, t->b, t->work};
    features_free(&t->f);
    for (size_t i = 0; i < sizeof all / sizeof *all; i++) tamis_free(all[i]);
}

static size_t classes_of(const struct sift *s) { return s->run->design->encoder->classes; }

/* Columns of h less their means, and the sums of their products; scaled by roots of weights on the way. */
static void sums_make(struct fit *t, double *spare)
{
    size_t n = t->n, p = t->f.p;
    for (size_t k = 0; k < p; k++) {
        t->mean[k] = tamis_mean(t->h + n * k, t->weight, n);
        for (size_t i = 0; i < n; i++) t->h[i + n * k] -= t->mean[k];
    }
    memcpy(spare, t->h, n * p * sizeof *spare);
    for (size_t k = 0; t->weight && k < p; k++)
        for (size_t i = 0; i < n; i++) spare[i + n * k] *= sqrt(t->weight[i]);
    tamis_syrk(CblasLower, TRANS, p, n, 1, spare, n, 0, t->gram, p);
}

/* At most MOST_ROWS of the rows, evenly spread; how many. */
static size_t rows_take(const size_t *row, size_t n, size_t *to)
{
    size_t few = sift_least(n, MOST_ROWS);
    for (size_t i = 0; i < few; i++) to[i] = row[(size_t)((double)i * (double)n / (double)few)];
    return few;
}

/* Ready to be fitted with any penalty. */
static int fit_make(const struct sift *s, const unsigned char *set, const size_t *row, size_t n,
                    const struct sift_logistic *how, struct fit *t)
{
    const struct tamis_design *d = s->run->design;
    tamis_context *cx = s->run->cx;
    *t = (struct fit){.row = tamis_raw(cx, size_t, sift_least(n, MOST_ROWS))};
    if (!t->row) return tamis_status(cx);
    t->n = rows_take(row, n, t->row);
    if (features_make(s, set, t->row, t->n, how, &t->f)) return tamis_status(cx);
    size_t p = t->f.p, size = t->n * p, work = tamis_logistic_work(t->n, p, classes_of(s));
    t->h = tamis_raw(cx, double, size + 1);
    t->mean = tamis_raw(cx, double, p + 1);
    t->gram = tamis_raw(cx, double, p * p + 1);
    t->y = tamis_raw(cx, double, t->n);
    t->weight = d->weight ? tamis_raw(cx, double, t->n) : NULL;
    t->b = tamis_new(cx, double, (p + 1) * tamis_logistic_outputs(classes_of(s)));
    t->work = tamis_raw(cx, double, (work > size ? work : size) + SIFT_BLOCK * t->f.columns + 1);
    if (tamis_status(cx)) return tamis_status(cx);
    for (size_t i = 0; i < t->n; i++) t->y[i] = d->y[t->row[i]];
    for (size_t i = 0; t->weight && i < t->n; i++) t->weight[i] = d->weight[t->row[i]];
    features_fill(&t->f, t->row, t->n, t->h, t->work);
    if (p) sums_make(t, t->work);
    return TAMIS_OK;
}

/* From the coefficients that it has. */
static void fit_solve(const struct sift *s, struct fit *t, double penalty, double tolerance)
{
    struct tamis_logistic q = {t->n, t->f.p, classes_of(s), t->h, t->y, t->weight, t->gram,
                               penalty * tamis_weight_sum(t->weight, t->n), tolerance};
    tamis_logistic(&q, t->b, t->work);
}

/* ---- width and penalty ---- */

struct search { const struct sift *s; size_t widths; double *loss; };   /* PENALTIES x widths x folds */

/* Mean log loss of the m held rows, whose features less their means are h; f: m x classes. */
static double held_loss(const struct sift *s, const struct fit *t, const size_t *held, size_t m, const double *h,
                        double *f)
{
    const struct tamis_design *d = s->run->design;
    size_t p = t->f.p;
    double loss = 0;
    for (size_t k = 0; k < tamis_logistic_outputs(classes_of(s)); k++) {
        for (size_t i = 0; i < m; i++) f[i + m * k] = t->b[(p + 1) * k + p];
        if (p) tamis_gemv(PLAIN, m, p, 1, h, m, t->b + (p + 1) * k, 1, f + m * k);
    }
    tamis_logistic_logs(m, classes_of(s), f, m);
    for (size_t i = 0; i < m; i++) loss -= tamis_row_weight(d, held[i]) * f[i + m * (size_t)d->y[held[i]]];
    return loss;
}

static int width_search(const struct search *c, const unsigned char *set, size_t w, const size_t *row, size_t n,
                        const size_t *held, size_t m, double *loss)
{
    const struct sift *s = c->s;
    tamis_context *cx = s->run->cx;
    struct fit t;
    int status = fit_make(s, set, row, n, &(struct sift_logistic){width_of[w], 0, s->s.centres}, &t);
    double *h = status ? NULL : tamis_raw(cx, double, m * (t.f.p + classes_of(s)) + SIFT_BLOCK * t.f.columns);
    if (h) {
        features_fill(&t.f, held, m, h, h + m * (t.f.p + classes_of(s)));
        for (size_t k = 0; k < t.f.p; k++)
            for (size_t i = 0; i < m; i++) h[i + m * k] -= t.mean[k];
        for (size_t j = 0; j < PENALTIES && !tamis_check_cancel(cx); j++) {
            fit_solve(s, &t, most_penalty * pow(penalty_step, (double)j), rough);
            loss[j] = held_loss(s, &t, held, m, h, h + m * t.f.p);
        }
    }
    tamis_free(h);
    fit_free(&t);
    return tamis_status(cx);
}

static int fold_search(void *arg, size_t fold, int worker)
{
    const struct search *c = arg;
    const struct sift *s = c->s;
    size_t n = s->run->design->rows, *row = tamis_raw(s->run->cx, size_t, n);
    int status = row ? TAMIS_OK : tamis_status(s->run->cx);
    (void)worker;
    if (!status) {
        size_t learn = sift_fold_rows(s, 0, fold, 1, row), held = sift_fold_rows(s, 0, fold, 0, row + learn);
        held = rows_take(row + learn, held, row + learn);
        for (size_t w = 0; w < c->widths && !status; w++)
            status = width_search(c, sift_fold_set(s, fold), w, row, learn, row + learn, held,
                                  c->loss + (fold * c->widths + w) * PENALTIES);
    }
    tamis_free(row);
    return status;
}

static double sum_at(const struct search *c, size_t at)
{
    double sum = 0;
    for (size_t k = 0; k < c->s->s.folds; k++) sum += c->loss[k * c->widths * PENALTIES + at];
    return sum;
}

/* The least loss among widths first..last - 1. */
static struct sift_logistic best_of(const struct search *c, size_t first, size_t last)
{
    double least = INFINITY;
    size_t best = first * PENALTIES;
    for (size_t at = first * PENALTIES; at < last * PENALTIES; at++)
        if (sum_at(c, at) < least) least = sum_at(c, best = at);
    return (struct sift_logistic){width_of[best / PENALTIES],
                                  most_penalty * pow(penalty_step, (double)(best % PENALTIES)), c->s->s.centres};
}

int sift_logistic_search(const struct sift *s, struct sift_logistic *linear, struct sift_logistic *kernel)
{
    struct search c = {s, kernel ? WIDTHS : 1, NULL};
    c.loss = tamis_new(s->run->cx, double, s->s.folds * c.widths * PENALTIES);
    int status = c.loss ? tamis_parallel(s->run->cx, s->s.folds, fold_search, &c) : tamis_status(s->run->cx);
    if (!status) *linear = best_of(&c, 0, 1);
    if (!status && kernel) *kernel = best_of(&c, 1, WIDTHS);
    tamis_free(c.loss);
    return status;
}

/* ---- the model ---- */

/* What score c takes of output o: of two classes, half the logit and its opposite. */
static double part_of(size_t classes, size_t c, size_t o)
{
    return classes == 2 ? (c ? 0.5 : -0.5) : c == o;
}

/* Constants of the scores: those of the features as they are, not less their means. */
static void bias_fill(const struct sift *s, const struct fit *t, double *bias, size_t step)
{
    size_t p = t->f.p, classes = classes_of(s);
    for (size_t c = 0; c < classes; c++)
        for (size_t o = 0; o < tamis_logistic_outputs(classes); o++) {
            const double *b = t->b + (p + 1) * o;
            bias[step * c] += part_of(classes, c, o) * (b[p] - (p ? tamis_dot(p, t->mean, b) : 0));
        }
}

/* Coefficients of the columns: to[k + step c]. */
static void columns_fill(const struct sift *s, const struct fit *t, double *to, size_t step)
{
    size_t classes = classes_of(s);
    double scale = sqrt(1 / (double)t->f.columns);
    for (size_t c = 0; c < classes; c++)
        for (size_t o = 0; o < tamis_logistic_outputs(classes); o++)
            for (size_t k = 0; k < t->f.columns; k++)
                to[k + step * c] += part_of(classes, c, o) * scale * t->b[k + (t->f.p + 1) * o];
}

static struct tamis_linear *linear_body(const struct sift *s, const struct fit *t)
{
    size_t columns = t->f.columns;
    struct tamis_linear *m = tamis_linear_new(s->run->cx, columns, classes_of(s));
    if (!m) return NULL;
    columns_fill(s, t, m->b, columns + 1);
    bias_fill(s, t, m->b + columns, columns + 1);
    return m;
}

/* The columns themselves, and Gaussians: alpha = L^-T b. */
static struct tamis_terms *kernel_body(const struct sift *s, const struct fit *t)
{
    const struct sift_gauss *g = t->f.gauss;
    size_t columns = t->f.columns, classes = classes_of(s), outputs = tamis_logistic_outputs(classes);
    struct tamis_terms *m = tamis_terms_new(s->run->cx, columns, classes, columns, g->m);
    double *a = tamis_raw(s->run->cx, double, g->m);
    if (m && a) {
        for (size_t k = 0; k < columns; k++) {
            m->factor[TAMIS_TERM_INPUTS * k] = 1 + k * TAMIS_FUNCTIONS;
            m->weight[k] = g->root[k] * g->root[k];
            for (size_t i = 0; i < g->m; i++) m->centre[i + g->m * k] = g->centre[i + g->m * k] / g->root[k];
        }
        columns_fill(s, t, m->coefficient, columns);
        bias_fill(s, t, m->bias, 1);
        for (size_t o = 0; o < outputs; o++) {
            memcpy(a, t->b + columns + (t->f.p + 1) * o, g->m * sizeof *a);
            tamis_trsv(CblasLower, TRANS, g->m, g->l, g->m, a);
            for (size_t c = 0; c < classes; c++) tamis_axpy(g->m, part_of(classes, c, o), a, m->alpha + g->m * c);
        }
    }
    tamis_free(a);
    return m;
}

struct tamis_model *sift_logistic_model(const struct sift *s, const struct sift_logistic *how, const unsigned char *set,
                                        const size_t *row, size_t n)
{
    tamis_context *cx = s->run->cx;
    struct fit t;
    struct tamis_model *m = NULL;
    int status = fit_make(s, set, row, n, how, &t);
    struct tamis_encoder *e = status ? NULL : tamis_encoder_subset(cx, s->run->design->encoder, set);
    if (e) {
        fit_solve(s, &t, how->penalty, exact);
        m = t.f.gauss ? tamis_model_new(cx, &tamis_terms_kind, e, kernel_body(s, &t))
                      : tamis_model_new(cx, &tamis_linear_kind, e, linear_body(s, &t));
    }
    fit_free(&t);
    return m;
}

size_t sift_logistic_functions(const struct sift *s, const struct sift_logistic *how, const unsigned char *set,
                               const size_t *row, size_t n)
{
    struct features f = {0};
    size_t *few = tamis_raw(s->run->cx, size_t, sift_least(n, MOST_ROWS));
    if (few) features_make(s, set, few, rows_take(row, n, few), how, &f);
    features_free(&f);
    tamis_free(few);
    return f.p;
}
