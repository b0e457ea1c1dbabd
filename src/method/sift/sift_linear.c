/* The linear model beside the network of sift: least squares on the inputs of the chosen size, cross-fitted on the same
 * folds. */
#include <math.h>
#include <string.h>
#include "method/sift/sift.h"
#include "method/sift/sift_spread.h"
#include "model/linear.h"
#include "num/cholesky.h"
#include "num/lapack.h"

enum { MOST_ROWS = 20000, ROWS_PER_COLUMN = 5 };
static const double ridge = 1e-6;               /* times the rows: collinear columns do no harm */

struct fit {
    size_t n, columns;
    size_t *column;
    double *f, *y;                      /* n x (columns + 1), the last of ones; n x outputs */
    double *root;                       /* n: of the weights of the rows; NULL: every row counts once */
    double *a, *b;                      /* normal equations; (columns + 1) x outputs */
};

static void fit_free(struct fit *t)
{
    void *all[] = {t->column, t->f, t->y, t->root, t->a, t->b};
    for (size_t i = 0; i < sizeof all / sizeof *all; i++) tamis_free(all[i]);
}

/* Whether n rows suffice for p coefficients: for a model that was asked for, more rows than coefficients; for one that
 * competes with the network, several per coefficient. */
static int enough(const struct sift *s, size_t n, size_t p)
{
    return !strcmp(s->s.final, "linear") ? n > p : n >= ROWS_PER_COLUMN * p;
}

/* At most MOST_ROWS of the rows (row NULL: of all), evenly spread; `all` with those of other processes. */
static int rows_take(struct fit *t, const struct sift *s, const size_t *row, size_t n, size_t all)
{
    const struct tamis_design *d = s->run->design;
    size_t *at = tamis_raw(s->run->cx, size_t, t->n);
    struct sift_source columns = {row, d->x, d->rows, t->column, t->columns},
                       targets = {row, s->target, d->rows, NULL, s->ground.frame.outputs};
    int status = at ? TAMIS_OK : tamis_status(s->run->cx);
    for (size_t i = 0; i < t->n && !status; i++) {
        at[i] = (size_t)((double)i * (double)all / (double)t->n);
        t->f[i + t->n * t->columns] = 1;
        if (t->root) t->root[i] = sqrt(d->weight[row ? row[at[i]] : at[i]]);
    }
    if (!status) status = sift_spread_fetch(d->spread, n, at, t->n, &columns, t->f);
    if (!status) status = sift_spread_fetch(d->spread, n, at, t->n, &targets, t->y);
    tamis_free(at);
    return status;
}

/* Least squares of the target on the columns of set. 1: too few rows, or no memory. */
static int fit_make(struct fit *t, const struct sift *s, const size_t *row, size_t n, const unsigned char *set)
{
    const struct tamis_design *d = s->run->design;
    tamis_context *cx = s->run->cx;
    size_t l = s->ground.frame.outputs;
    size_t before, all;
    *t = (struct fit){0};
    if (sift_spread_count(d->spread, n, &before, &all)) return 1;
    t->n = all < MOST_ROWS ? all : MOST_ROWS;
    if (!(t->column = tamis_raw(cx, size_t, d->columns))) return 1;
    t->columns = tamis_set_columns(d, set, t->column);
    size_t p = t->columns + 1;
    if (!enough(s, t->n, p)) return 1;
    t->f = tamis_raw(cx, double, t->n * p);
    t->y = tamis_raw(cx, double, t->n * l);
    t->a = tamis_raw(cx, double, p * p);
    t->b = tamis_raw(cx, double, p * l);
    t->root = d->weight ? tamis_raw(cx, double, t->n) : NULL;
    if (!t->f || !t->y || !t->a || !t->b || (d->weight && !t->root)) return 1;
    if (rows_take(t, s, row, n, all)) return 1;
    tamis_weight_scale(t->n, p, t->root, t->f, t->n);
    tamis_weight_scale(t->n, l, t->root, t->y, t->n);
    tamis_syrk(CblasLower, TRANS, p, t->n, 1, t->f, t->n, 0, t->a, p);
    double worth = t->a[p * p - 1];                             /* what the rows count: the product of ones */
    for (size_t k = 0; k < p; k++) t->a[k * (p + 1)] += ridge * worth;
    tamis_gemm(TRANS, PLAIN, p, l, t->n, 1, t->f, t->n, t->y, t->n, 0, t->b, p);
    if (tamis_cholesky(CblasLower, p, t->a, p)) return 1;
    tamis_cholesky_solve(p, t->a, p, l, t->b, p);
    return 0;
}

/* Losses and predictions of the held rows, by row. */
static int losses_of(const struct sift *s, const struct fit *t, const size_t *held, size_t m, double *row_loss,
                     double *prediction)
{
    const struct tamis_design *d = s->run->design;
    size_t p = t->columns + 1, l = s->ground.frame.outputs;
    double *out = tamis_raw(s->run->cx, double, m * (l + 2) + 1), *loss = out + m * l;
    if (!out) return tamis_status(s->run->cx);
    for (size_t o = 0; o < l; o++)
        for (size_t i = 0; i < m; i++) {
            double sum = t->b[p * o + t->columns];
            for (size_t k = 0; k < t->columns; k++) sum += t->b[p * o + k] * d->x[held[i] + d->rows * t->column[k]];
            out[i + m * o] = sum;
        }
    sift_losses(&s->ground.frame, held, m, out, loss, loss + m);
    for (size_t i = 0; i < m; i++) row_loss[held[i]] = loss[i], prediction[held[i]] = loss[m + i];
    tamis_free(out);
    return TAMIS_OK;
}

int sift_linear_losses(struct sift *s, double *row_loss, double *prediction)
{
    size_t *row = tamis_raw(s->run->cx, size_t, s->run->design->rows);
    int failed = !row;
    for (size_t k = 0; k < s->s.folds && !failed; k++) {
        struct fit t;
        size_t learn = sift_fold_rows(s, 0, k, 1, row), held = sift_fold_rows(s, 0, k, 0, row + learn);
        failed = fit_make(&t, s, row, learn, sift_fold_set(s, k));
        if (!failed) failed = losses_of(s, &t, row + learn, held, row_loss, prediction);
        fit_free(&t);
    }
    tamis_free(row);
    return !failed;
}

struct tamis_model *sift_linear_model(struct sift *s, const unsigned char *set, const size_t *row, size_t rows)
{
    tamis_context *cx = s->run->cx;
    const struct tamis_design *d = s->run->design;
    size_t outputs = tamis_encoder_outputs(d->encoder);
    struct fit t = {0};
    struct tamis_linear *m = NULL;
    struct tamis_encoder *e = tamis_encoder_subset(cx, d->encoder, set);
    if (e && fit_make(&t, s, row, rows, set))
        tamis_fail(cx, TAMIS_NUMERIC, "sift: the linear model of %zu columns cannot be solved; use --final network",
                   t.columns);
    else if (e) m = tamis_linear_new(cx, t.columns, outputs);
    size_t p = t.columns + 1;
    for (size_t c = 0; m && c < outputs; c++) {
        m->b[p * c + t.columns] = sift_base(s, c);
        for (size_t o = 0; o < s->ground.frame.outputs; o++)
            for (size_t k = 0; k < p; k++) m->b[p * c + k] += sift_back(s, c, o) * t.b[p * o + k];
    }
    fit_free(&t);
    return tamis_model_new(cx, &tamis_linear_kind, e, m);
}
