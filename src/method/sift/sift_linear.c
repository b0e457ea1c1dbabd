/* The linear model beside the network of sift: least squares on the inputs of the chosen size, cross-fitted on the same
 * folds. */
#include <math.h>
#include <string.h>
#include "method/sift/sift.h"
#include "model/linear.h"
#include "num/cholesky.h"
#include "num/lapack.h"

enum { MOST_ROWS = 20000, ROWS_PER_COLUMN = 5 };
static const double ridge = 1e-6;               /* times the rows: collinear columns do no harm */

struct fit {
    size_t n, columns;
    size_t *column;
    double *f, *y;                      /* n x (columns + 1), the last of ones; n x outputs */
    double *a, *b;                      /* normal equations; (columns + 1) x outputs */
};

static void fit_free(struct fit *t)
{
    void *all[] = {t->column, t->f, t->y, t->a, t->b};
    for (size_t i = 0; i < sizeof all / sizeof *all; i++) tamis_free(all[i]);
}

/* Whether n rows suffice for p coefficients: for a model that was asked for, more rows than coefficients; for one that
 * competes with the network, several per coefficient. */
static int enough(const struct sift *s, size_t n, size_t p)
{
    return !strcmp(s->s.final, "linear") ? n > p : n >= ROWS_PER_COLUMN * p;
}

/* At most MOST_ROWS of the rows, evenly spread. */
static void rows_take(struct fit *t, const struct sift *s, const size_t *row, size_t n)
{
    const struct tamis_design *d = s->run->design;
    for (size_t i = 0; i < t->n; i++) {
        size_t from = row[(size_t)((double)i * (double)n / (double)t->n)];
        for (size_t k = 0; k < t->columns; k++) t->f[i + t->n * k] = d->x[from + d->rows * t->column[k]];
        t->f[i + t->n * t->columns] = 1;
        for (size_t o = 0; o < s->frame.outputs; o++) t->y[i + t->n * o] = s->target[from + d->rows * o];
    }
}

/* Least squares of the target on the columns of set. 1: too few rows, or no memory. */
static int fit_make(struct fit *t, const struct sift *s, const size_t *row, size_t n, const unsigned char *set)
{
    const struct tamis_design *d = s->run->design;
    tamis_context *cx = s->run->cx;
    size_t l = s->frame.outputs;
    *t = (struct fit){.n = n < MOST_ROWS ? n : MOST_ROWS};
    if (!(t->column = tamis_raw(cx, size_t, d->columns))) return 1;
    t->columns = tamis_set_columns(d, set, t->column);
    size_t p = t->columns + 1;
    if (!enough(s, t->n, p)) return 1;
    t->f = tamis_raw(cx, double, t->n * p);
    t->y = tamis_raw(cx, double, t->n * l);
    t->a = tamis_raw(cx, double, p * p);
    t->b = tamis_raw(cx, double, p * l);
    if (!t->f || !t->y || !t->a || !t->b) return 1;
    rows_take(t, s, row, n);
    tamis_syrk(CblasLower, TRANS, p, t->n, 1, t->f, t->n, 0, t->a, p);
    for (size_t k = 0; k < p; k++) t->a[k * (p + 1)] += ridge * (double)t->n;
    tamis_gemm(TRANS, PLAIN, p, l, t->n, 1, t->f, t->n, t->y, t->n, 0, t->b, p);
    if (tamis_cholesky(CblasLower, p, t->a, p)) return 1;
    tamis_cholesky_solve(p, t->a, p, l, t->b, p);
    return 0;
}

static void errors_of(const struct sift *s, const struct fit *t, const size_t *held, size_t m, const double *weight,
                      double *loss, double *error, double *prediction)
{
    const struct tamis_design *d = s->run->design;
    size_t p = t->columns + 1, l = s->frame.outputs;
    for (size_t i = 0; i < m; i++) {
        size_t best = 0;
        double most = -INFINITY;
        error[i] = 0;
        for (size_t o = 0; o < l; o++) {
            double out = t->b[p * o + t->columns], y = s->target[held[i] + d->rows * o];
            for (size_t k = 0; k < t->columns; k++) out += t->b[p * o + k] * d->x[held[i] + d->rows * t->column[k]];
            error[i] += (y - out) * (y - out);
            if (out + s->centre[o] > most) most = out + s->centre[o], best = o;
        }
        loss[i] = error[i] * weight[i];
        prediction[i] = !d->encoder->classes ? s->frame.scale * most
                        : l > 1              ? (double)best
                                             : most * s->frame.scale > 0.5;
        if (d->encoder->classes) error[i] = prediction[i] != d->y[held[i]];
    }
}

int sift_linear_errors(struct sift *s)
{
    size_t first = 0, last = (s->frame.sizes + 1) * s->measured, inputs = s->run->design->inputs;
    for (size_t k = 0; k < s->s.folds; first += s->held[k++]) {
        struct fit t;
        const size_t *row = s->row + k * s->run->design->rows;
        int failed = fit_make(&t, s, row, s->training[k], s->path[k]->set + s->chosen * inputs);
        if (!failed)
            errors_of(s, &t, row + s->training[k], s->held[k], s->weight + first, s->loss + last + first,
                      s->error + last + first, s->prediction + first);
        fit_free(&t);
        if (failed) return 0;
    }
    return 1;
}

struct tamis_model *sift_linear_model(struct sift *s)
{
    tamis_context *cx = s->run->cx;
    const struct tamis_design *d = s->run->design;
    size_t classes = d->encoder->classes;
    struct fit t;
    struct tamis_linear *m = NULL;
    struct tamis_encoder *e = tamis_encoder_subset(cx, d->encoder, s->set);
    if (fit_make(&t, s, s->row + s->s.folds * d->rows, d->rows, s->set))
        tamis_fail(cx, TAMIS_NUMERIC, "sift: the linear model of %zu columns cannot be solved; use --final network",
                   t.columns);
    else m = tamis_linear_new(cx, t.columns, classes ? classes : 1);
    size_t p = t.columns + 1;
    for (size_t o = 0; m && o < s->frame.outputs; o++) {
        double *b = m->b + p * (classes == 2 ? 1 : o);
        for (size_t k = 0; k < p; k++) b[k] = s->frame.scale * (t.b[p * o + k] + (k + 1 == p ? s->centre[o] : 0));
    }
    for (size_t k = 0; m && classes == 2 && k < p; k++) m->b[k] = (k + 1 == p) - m->b[p + k];
    fit_free(&t);
    return tamis_model_new(cx, &tamis_linear_kind, e, m);
}
