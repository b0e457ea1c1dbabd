/* Ridge regression on all inputs at once (num/blocks.h), beside the small sets: where thousands of inputs each carry a
 * little, no small set does as well. */
#include <math.h>
#include <string.h>
#include "base/parallel.h"
#include "method/sift/sift.h"
#include "model/linear.h"
#include "num/blocks.h"
#include "num/lapack.h"

enum { MOST_ROWS = 1500 };      /* time grows as rows^3 */

/* z = the columns of rows row[0..n-1] less their means (given, or learnt here from rows that count w each); n x
 * columns. */
static void columns_take(const struct sift *s, const size_t *row, size_t n, double *mean, int learn, const double *w,
                         double *z)
{
    const struct tamis_design *d = s->run->design;
    for (size_t c = 0; c < d->columns; c++) {
        double *to = z + n * c;
        for (size_t i = 0; i < n; i++) to[i] = d->x[(row ? row[i] : i) + d->rows * c];
        if (learn) mean[c] = tamis_mean(to, w, n);
        for (size_t i = 0; i < n; i++) to[i] -= mean[c];
    }
}

struct dense { size_t n; double *weight, *root, *z, *mean, *k, *y, *level, *alpha, *work; };

static void dense_free(struct dense *t)
{
    void *all[] = {t->weight, t->root, t->z, t->mean, t->k, t->y, t->level, t->alpha, t->work};
    for (size_t i = 0; i < sizeof all / sizeof *all; i++) tamis_free(all[i]);
}

/* Weights of rows, their sum as many as the rows are worth, and roots of these; NULL: every row counts once. */
static int weights_take(const struct sift *s, const size_t *row, struct dense *t)
{
    const struct tamis_design *d = s->run->design;
    if (!d->weight) return TAMIS_OK;
    t->weight = tamis_raw(s->run->cx, double, t->n);
    t->root = tamis_raw(s->run->cx, double, t->n);
    if (!t->weight || !t->root) return tamis_status(s->run->cx);
    for (size_t i = 0; i < t->n; i++) t->weight[i] = d->weight[row ? row[i] : i];
    double scale = tamis_weight_rows(t->weight, t->n) / tamis_weight_sum(t->weight, t->n);
    for (size_t i = 0; i < t->n; i++) t->root[i] = sqrt(t->weight[i] *= scale);
    return TAMIS_OK;
}

/* On rows row[0..n-1]; row NULL: all. */
static int dense_fit(const struct sift *s, const size_t *row, size_t n, struct dense *t)
{
    const struct tamis_design *d = s->run->design;
    tamis_context *cx = s->run->cx;
    size_t l = s->ground.frame.outputs;
    double evidence;
    *t = (struct dense){.n = n};
    t->z = tamis_raw(cx, double, n * d->columns);
    t->mean = tamis_raw(cx, double, d->columns);
    t->k = tamis_raw(cx, double, n * n);
    t->y = tamis_raw(cx, double, n * l);
    t->level = tamis_new(cx, double, l);
    t->alpha = tamis_raw(cx, double, n * l);
    t->work = tamis_raw(cx, double, tamis_dual_size(n, l));
    if (tamis_status(cx) || weights_take(s, row, t)) return tamis_status(cx);
    columns_take(s, row, n, t->mean, 1, t->weight, t->z);
    for (size_t o = 0; o < l; o++) {
        for (size_t i = 0; i < n; i++) t->y[i + n * o] = s->target[(row ? row[i] : i) + d->rows * o];
        t->level[o] = tamis_mean(t->y + n * o, t->weight, n);
        for (size_t i = 0; i < n; i++) t->y[i + n * o] -= t->level[o];
    }
    tamis_weight_scale(n, d->columns, t->root, t->z, n);
    tamis_weight_scale(n, l, t->root, t->y, n);
    tamis_gemm(PLAIN, TRANS, n, n, d->columns, 1 / (double)d->columns, t->z, n, t->z, n, 0, t->k, n);
    if (tamis_dual_ridge(n, l, tamis_weight_sum(t->weight, n), t->k, t->y, t->alpha, &evidence, t->work))
        memset(t->alpha, 0, n * l * sizeof *t->alpha);
    return TAMIS_OK;
}

/* w (columns x l) = Z' alpha / columns */
static void weights_of(const struct sift *s, const struct dense *t, double *w)
{
    size_t columns = s->run->design->columns, l = s->ground.frame.outputs;
    tamis_gemm(TRANS, PLAIN, columns, l, t->n, 1 / (double)columns, t->z, t->n, t->alpha, t->n, 0, w, columns);
}

static int fold_losses(const struct sift *s, const struct dense *t, const size_t *held, size_t m, double *row_loss,
                       double *score)
{
    tamis_context *cx = s->run->cx;
    size_t columns = s->run->design->columns, l = s->ground.frame.outputs;
    double *w = tamis_raw(cx, double, columns * l), *z = tamis_raw(cx, double, m * columns + 1),
           *out = tamis_raw(cx, double, m * (l + 2) + 1), *loss = out + m * l;
    if (w && z && out) {
        weights_of(s, t, w);
        columns_take(s, held, m, t->mean, 0, NULL, z);
        tamis_gemm(PLAIN, PLAIN, m, l, columns, 1, z, m, w, columns, 0, out, m);
        for (size_t o = 0; o < l; o++)
            for (size_t i = 0; i < m; i++) out[i + m * o] += t->level[o];
        sift_losses(&s->ground.frame, held, m, out, loss, loss + m);
        sift_scores_keep(&s->ground.frame, held, m, out, score);
        for (size_t i = 0; i < m; i++) row_loss[held[i]] = loss[i], s->dense_prediction[held[i]] = loss[m + i];
    }
    tamis_free(w);
    tamis_free(z);
    tamis_free(out);
    return tamis_status(cx);
}

struct job { struct sift *s; double *row_loss, *score; };

static int dense_fold(void *arg, size_t k, int worker)
{
    const struct job *j = arg;
    struct sift *s = j->s;
    size_t *row = tamis_raw(s->run->cx, size_t, s->run->design->rows);
    struct dense t = {0};
    (void)worker;
    if (!row) return tamis_status(s->run->cx);
    size_t learn = sift_fold_rows(s, 0, k, 1, row), held = sift_fold_rows(s, 0, k, 0, row + learn);
    int status = dense_fit(s, row, learn, &t);
    if (!status) status = fold_losses(s, &t, row + learn, held, j->row_loss, j->score);
    dense_free(&t);
    tamis_free(row);
    return status;
}

int sift_dense_losses(struct sift *s)
{
    tamis_context *cx = s->run->cx;
    size_t n = s->run->design->rows;
    if (tamis_design_all_rows(s->run->design) > MOST_ROWS) return TAMIS_OK;
    struct job j = {s, tamis_raw(cx, double, n), tamis_raw(cx, double, n * s->ground.frame.scores + 1)};
    s->dense = tamis_raw(cx, double, s->observations);
    s->dense_prediction = tamis_raw(cx, double, n);
    int status = tamis_status(cx) ? tamis_status(cx) : tamis_parallel(cx, s->s.folds, dense_fold, &j);
    if (!status) status = sift_class_losses(s, s->dense_prediction, j.score, j.row_loss);
    if (!status) sift_observe(s, j.row_loss, s->dense);
    tamis_free(j.row_loss);
    tamis_free(j.score);
    return status;
}

/* Of the weights of input i. */
static double length_of(const struct sift *s, const double *w, size_t i)
{
    const struct tamis_design *d = s->run->design;
    double sum = 0;
    for (size_t k = 0; k < d->encoder->input[i].columns; k++)
        for (size_t o = 0; o < s->ground.frame.outputs; o++)
            sum += pow(w[d->encoder->input[i].first + k + d->columns * o], 2);
    return sqrt(sum);
}

struct tamis_model *sift_dense_model(struct sift *s, const size_t *row, size_t rows)
{
    tamis_context *cx = s->run->cx;
    const struct tamis_design *d = s->run->design;
    size_t outputs = tamis_encoder_outputs(d->encoder), l = s->ground.frame.outputs, p = d->columns + 1;
    double *w = tamis_raw(cx, double, d->columns * l);
    struct dense t = {0};
    struct tamis_linear *m = tamis_linear_new(cx, d->columns, outputs);
    int status = m && w ? dense_fit(s, row, rows, &t) : tamis_status(cx);
    if (!status) weights_of(s, &t, w);
    for (size_t c = 0; c < outputs && !status; c++) {
        m->b[p * c + d->columns] = sift_base(s, c);
        for (size_t o = 0; o < l; o++) {
            double level = t.level[o];
            for (size_t k = 0; k < d->columns; k++) level -= w[k + d->columns * o] * t.mean[k];
            m->b[p * c + d->columns] += sift_back(s, c, o) * level;
            for (size_t k = 0; k < d->columns; k++) m->b[p * c + k] += sift_back(s, c, o) * w[k + d->columns * o];
        }
    }
    for (size_t i = 0; i < d->inputs && !status && rows == d->rows; i++) s->relevance[i] = length_of(s, w, i);
    dense_free(&t);
    tamis_free(w);
    return tamis_model_new(cx, &tamis_linear_kind, tamis_encoder_subset(cx, d->encoder, s->set), m);
}
