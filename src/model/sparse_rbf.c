/* The sparse network: prediction and its file form. A network of no basis functions, or of no inputs, is a constant.
 * [1] J. Tikka, Simultaneous input variable and basis function selection for RBF networks, Neurocomputing 72 (2009). */
#include "model/sparse_rbf.h"

#include <math.h>
#include "base/parallel.h"
#include "model/sparse_fit.h"

enum { BLOCK = 512 };           /* rows at a time */

void tamis_sparse_rbf_free(struct tamis_sparse_rbf *s)
{
    if (!s) return;
    tamis_free(s->centre);
    tamis_free(s->weight);
    tamis_free(s->alpha);
    tamis_free(s);
}

struct tamis_sparse_rbf *tamis_sparse_rbf_new(tamis_context *cx, size_t centres, size_t columns, size_t outputs)
{
    struct tamis_sparse_rbf *s = tamis_new(cx, struct tamis_sparse_rbf, 1);
    if (!s) return NULL;
    *s = (struct tamis_sparse_rbf){.centres = centres, .columns = columns, .outputs = outputs, .scale = 1};
    s->centre = tamis_new(cx, double, centres * columns);
    s->weight = tamis_new(cx, double, columns);
    s->alpha = tamis_new(cx, double, centres + 1);
    if (s->centre && s->weight && s->alpha) return s;
    tamis_sparse_rbf_free(s);
    return NULL;
}

/* ---- prediction ---- */

struct job { const struct tamis_sparse_rbf *s; const double *x; size_t rows, ld; double *out, *work; };

static int predict_block(void *arg, size_t item, int worker)
{
    struct job *j = arg;
    const struct tamis_sparse_rbf *s = j->s;
    size_t from = item * BLOCK, n = j->rows - from < BLOCK ? j->rows - from : BLOCK;
    struct tamis_wnet net = {0, 0, s->centres, s->centres, s->columns, NULL, s->centre};
    double *out = j->out + from;
    tamis_sparse_apply(j->x + from, j->ld, n, &net, s->weight, s->alpha, j->work + (size_t)worker * BLOCK, out);
    for (size_t i = 0; s->outputs == 2 && i < n; i++) {
        double score = s->mean + s->scale * out[i];
        out[i] = -score;
        out[i + j->rows] = score;
    }
    return TAMIS_OK;
}

static int predict(tamis_context *cx, const void *body, const double *x, size_t rows, size_t ld, double *out)
{
    struct job j = {body, x, rows, ld, out, tamis_raw(cx, double, (size_t)tamis_threads(cx) * BLOCK)};
    if (!j.work) return tamis_status(cx);
    int before = tamis_blas_serial(), status = tamis_parallel(cx, (rows + BLOCK - 1) / BLOCK, predict_block, &j);
    tamis_blas_restore(before);
    tamis_free(j.work);
    return status;
}

/* ---- file form ---- */

static void pack(const void *body, struct tamis_pack *p)
{
    const struct tamis_sparse_rbf *s = body;
    tamis_pack_u64(p, s->centres);
    tamis_pack_f64(p, s->r);
    tamis_pack_f64(p, s->t);
    tamis_pack_f64(p, s->mean);
    tamis_pack_f64(p, s->scale);
    tamis_pack_doubles(p, s->weight, s->columns);
    tamis_pack_doubles(p, s->centre, s->centres * s->columns);
    tamis_pack_doubles(p, s->alpha, s->centres + 1);
}

static int weights_good(const struct tamis_sparse_rbf *s)
{
    for (size_t i = 0; i < s->columns; i++)
        if (!(s->weight[i] >= 0)) return 0;
    return 1;
}

static void *unpack(struct tamis_unpack *u, size_t columns, size_t outputs)
{
    struct tamis_sparse_rbf *s = tamis_new(u->cx, struct tamis_sparse_rbf, 1);
    size_t cells;
    if (!s) return NULL;
    s->columns = columns;
    s->outputs = outputs;
    s->centres = (size_t)tamis_unpack_u64(u, INT32_MAX);
    s->r = tamis_unpack_f64(u);
    s->t = tamis_unpack_f64(u);
    s->mean = tamis_unpack_f64(u);
    s->scale = tamis_unpack_f64(u);
    s->weight = tamis_unpack_doubles(u, columns);
    if (outputs < 1 || outputs > 2 || !(s->r > 0) || !(s->t > 0) || !(s->scale > 0) || (!u->failed && !weights_good(s)) || __builtin_mul_overflow(s->centres, columns, &cells)) u->failed = 1;
    else s->centre = tamis_unpack_doubles(u, cells);
    s->alpha = u->failed ? NULL : tamis_unpack_doubles(u, s->centres + 1);
    if (!u->failed) return s;
    tamis_sparse_rbf_free(s);
    return NULL;
}

static size_t basis_functions(const void *body) { return ((const struct tamis_sparse_rbf *)body)->centres; }

static void describe(const void *body, struct tamis_text *t)
{
    const struct tamis_sparse_rbf *s = body;
    tamis_text_puts(t, "{\"r\": ");
    tamis_text_number(t, s->r);
    tamis_text_puts(t, ", \"t\": ");
    tamis_text_number(t, s->t);
    tamis_text_puts(t, "}");
}

static void body_free(void *body) { tamis_sparse_rbf_free(body); }

const struct tamis_model_kind tamis_sparse_rbf_kind = {"sparse-rbf", predict, basis_functions, describe, pack, unpack, body_free};
