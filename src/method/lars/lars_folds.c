/* The cross-validated error of every size. */
#include <math.h>
#include <string.h>
#include "base/parallel.h"
#include "method/lars/lars.h"
#include "num/compare.h"
#include "num/lapack.h"

/* The rows of d in the fold (inside), or all others. */
static int rows_of(tamis_context *cx, const struct tamis_design *d, const size_t *fold, size_t which, int inside,
                   struct tamis_design *out)
{
    size_t k = tamis_design_outputs(d), n = 0;
    *out = (struct tamis_design){.encoder = d->encoder, .columns = d->columns, .inputs = d->inputs};
    for (size_t i = 0; i < d->rows; i++) out->rows += (fold[i] == which) == inside;
    out->x = tamis_raw(cx, double, out->rows * d->columns);
    out->y = tamis_raw(cx, double, out->rows * k);
    if (d->weight) out->weight = tamis_raw(cx, double, out->rows);
    if (tamis_status(cx)) return tamis_status(cx);
    for (size_t i = 0; i < d->rows; i++) {
        if ((fold[i] == which) != inside) continue;
        for (size_t j = 0; j < d->columns; j++) out->x[n + out->rows * j] = d->x[i + d->rows * j];
        for (size_t o = 0; o < k; o++) out->y[n + out->rows * o] = d->y[i + d->rows * o];
        if (d->weight) out->weight[n] = d->weight[i];
        n++;
    }
    return TAMIS_OK;
}

/* Squared errors on the rows of t of the refits on 0, 1, ... columns: with H = Q R on the training rows, the rows of
 * t are q = h R^-1, and each column adds q_s (Q^T y)_s to the prediction. h comes in as t's columns in sequence, the
 * bias first, and becomes q. */
static int sums_fill(tamis_context *cx, const struct lars_ranking *r, const struct tamis_design *t, double *h,
                     double *sum)
{
    size_t n = t->rows, m = r->m + 1, k = r->press.k;
    double *left = tamis_raw(cx, double, n * k), *triangle = tamis_raw(cx, double, m * m);
    if (left && triangle) {
        memcpy(left, t->y, n * k * sizeof *left);
        tamis_gemm(TRANS, PLAIN, m, m, r->d->rows, 1, r->q, r->d->rows, r->h, r->d->rows, 0, triangle, m);
        for (size_t s = 0; s < m; s++) {
            double *q = h + n * s, pivot = triangle[s + m * s];
            if (s) tamis_gemv(PLAIN, n, s, -1, h, n, triangle + m * s, 1, q);
            for (size_t i = 0; i < n; i++) q[i] = fabs(pivot) > 0 ? q[i] / pivot : 0;
            sum[s] = 0;
            for (size_t o = 0; o < k; o++)
                for (size_t i = 0; i < n; i++) {
                    left[i + n * o] -= q[i] * r->press.qy[s + r->press.m * o];
                    sum[s] += tamis_row_weight(t, i) * (left[i + n * o] * left[i + n * o]);
                }
        }
    }
    tamis_free(left);
    tamis_free(triangle);
    return tamis_status(cx);
}

static int fold_score(tamis_context *cx, const struct lars_ranking *r, const struct tamis_design *t, double *part)
{
    size_t n = t->rows, inputs = t->inputs;
    double *h = tamis_raw(cx, double, n * (r->m + 1)), *sum = tamis_raw(cx, double, r->m + 1);
    if (h && sum) {
        for (size_t i = 0; i < n; i++) h[i] = 1;
        for (size_t s = 0; s < r->m; s++) {
            size_t j = r->sequence[s];
            double by = r->walk.scale[j] > 0 ? 1 / r->walk.scale[j] : 0;
            for (size_t i = 0; i < n; i++)
                h[i + n * (s + 1)] = (t->x[i + n * r->walk.column[j]] - r->walk.mean[j]) * by;
        }
        if (!sums_fill(cx, r, t, h, sum))
            for (size_t k = 0; k <= inputs; k++) part[k] = sum[r->columns[k < r->joined ? k : r->joined]];
    }
    tamis_free(h);
    tamis_free(sum);
    return tamis_status(cx);
}

static size_t folds_of(const struct lars *l)
{
    return l->s.folds < l->run->design->rows ? l->s.folds : l->run->design->rows;
}

/* One fold: the walk without it, scored on it. */
static int fold_body(void *arg, size_t item, int worker)
{
    struct lars *l = arg;
    tamis_context *cx = l->run->cx;
    struct tamis_design in = {0}, out = {0};
    struct lars_ranking r = {0};
    (void)worker;
    int status = rows_of(cx, l->run->design, l->fold, item, 0, &in);
    if (!status) status = rows_of(cx, l->run->design, l->fold, item, 1, &out);
    if (!status) status = lars_ranking_make(cx, &in, l->full, &r);
    if (!status) status = fold_score(cx, &r, &out, l->part + (l->run->design->inputs + 1) * item);
    lars_ranking_free(&r);
    tamis_free(in.x), tamis_free(in.y), tamis_free(out.x), tamis_free(out.y);
    tamis_free(in.weight), tamis_free(out.weight);
    if (!status) tamis_progress(cx, "lars", (double)(atomic_fetch_add(&l->done, 1) + 1), (double)folds_of(l));
    return status;
}

int lars_errors(struct lars *l)
{
    const struct tamis_design *d = l->run->design;
    l->s.folds = tamis_design_fold_count(l->run->cx, d, l->s.folds);
    size_t folds = l->s.folds = folds_of(l);
    int status = tamis_design_folds(l->run->cx, d, folds, l->run->seed, l->fold);
    if (!status) status = tamis_parallel(l->run->cx, folds, fold_body, l);
    if (status) return status;
    for (size_t k = 0; k <= d->inputs; k++) {
        for (size_t f = 0; f < folds; f++) l->error[k] += l->part[k + (d->inputs + 1) * f];
        l->error[k] /= l->whole.walk.total * (double)tamis_design_outputs(d);
    }
    if (!strcmp(l->s.choose, "all")) l->best = l->whole.joined;
    else for (size_t k = 1; k <= l->whole.joined; k++)
        if (tamis_below(l->error[k], l->error[l->best], TAMIS_FITTED)) l->best = k;
    return TAMIS_OK;
}
