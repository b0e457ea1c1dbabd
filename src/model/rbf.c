/* RBF network: prediction and its file form.
 * [1] J. Tikka, J. Hollmen, Selection of important input variables for RBF network using partial derivatives, ESANN 2008. */
#include <string.h>
#include "base/parallel.h"
#include "model/rbf.h"
#include "num/gauss.h"
#include "num/lapack.h"

enum { BLOCK = 256 };           /* rows at a time: the block of basis values stays in cache */

void tamis_rbf_free(struct tamis_rbf *r)
{
    if (!r) return;
    tamis_free(r->centre);
    tamis_free(r->alpha);
    tamis_free(r);
}

struct tamis_rbf *tamis_rbf_new(tamis_context *cx, size_t centres, size_t columns) { return tamis_rbf_outputs(cx, centres, columns, 1); }

struct tamis_rbf *tamis_rbf_outputs(tamis_context *cx, size_t centres, size_t columns, size_t outputs)
{
    struct tamis_rbf *r = tamis_new(cx, struct tamis_rbf, 1);
    if (!r) return NULL;
    r->centres = centres;
    r->columns = columns;
    r->outputs = outputs;
    r->centre = tamis_new(cx, double, centres * columns);
    r->alpha = tamis_new(cx, double, (centres + 1) * outputs);
    if (r->centre && r->alpha) return r;
    tamis_rbf_free(r);
    return NULL;
}

/* ---- prediction ---- */

struct job { const struct tamis_rbf *r; const double *x; size_t rows, ld; double *out, *work; };

static int predict_block(void *arg, size_t item, int worker)
{
    struct job *j = arg;
    const struct tamis_rbf *r = j->r;
    size_t from = item * BLOCK, n = j->rows - from < BLOCK ? j->rows - from : BLOCK;
    double *phi = j->work + (size_t)worker * BLOCK * r->centres;
    memset(phi, 0, n * r->centres * sizeof *phi);
    for (size_t k = 0; k < r->columns; k++) tamis_dist_cross(n, j->x + from + j->ld * k, r->centres, r->centre + r->centres * k, phi);
    tamis_exp_scale(n * r->centres, phi, 1 / r->sigma2, phi);
    for (size_t c = 0; c < r->outputs; c++) {
        const double *alpha = r->alpha + c * (r->centres + 1);
        double *out = j->out + from + c * j->rows;
        for (size_t i = 0; i < n; i++) out[i] = alpha[r->centres];
        tamis_gemv(PLAIN, n, r->centres, 1, phi, n, alpha, 1, out);
    }
    return TAMIS_OK;
}

static int predict(tamis_context *cx, const void *body, const double *x, size_t rows, size_t ld, double *out)
{
    const struct tamis_rbf *r = body;
    struct job j = {r, x, rows, ld, out, tamis_raw(cx, double, (size_t)tamis_threads(cx) * BLOCK * r->centres)};
    if (!j.work) return tamis_status(cx);
    int before = tamis_blas_serial(), status = tamis_parallel(cx, (rows + BLOCK - 1) / BLOCK, predict_block, &j);
    tamis_blas_restore(before);
    tamis_free(j.work);
    return status;
}

/* ---- file form ---- */

static void pack(const void *body, struct tamis_pack *p)
{
    const struct tamis_rbf *r = body;
    tamis_pack_u64(p, r->centres);
    tamis_pack_f64(p, r->sigma2);
    tamis_pack_f64(p, r->gamma);
    tamis_pack_doubles(p, r->centre, r->centres * r->columns);
    tamis_pack_doubles(p, r->alpha, (r->centres + 1) * r->outputs);
}

static void *unpack(struct tamis_unpack *u, size_t columns, size_t outputs)
{
    struct tamis_rbf *r = tamis_new(u->cx, struct tamis_rbf, 1);
    size_t cells, weights = 0;
    if (!r) return NULL;
    r->columns = columns;
    r->outputs = outputs;
    r->centres = (size_t)tamis_unpack_u64(u, INT32_MAX);
    r->sigma2 = tamis_unpack_f64(u);
    r->gamma = tamis_unpack_f64(u);
    if (!(r->sigma2 > 0) || __builtin_mul_overflow(r->centres, columns, &cells) || __builtin_mul_overflow(r->centres + 1, outputs, &weights)) u->failed = 1;
    else r->centre = tamis_unpack_doubles(u, cells);
    r->alpha = u->failed ? NULL : tamis_unpack_doubles(u, weights);
    if (!u->failed) return r;
    tamis_rbf_free(r);
    return NULL;
}

static size_t basis_functions(const void *body) { return ((const struct tamis_rbf *)body)->centres; }

static void describe(const void *body, struct tamis_text *t)
{
    const struct tamis_rbf *r = body;
    tamis_text_puts(t, "{\"sigma2\": ");
    tamis_text_number(t, r->sigma2);
    tamis_text_puts(t, ", \"gamma\": ");
    tamis_text_number(t, r->gamma);
    tamis_text_puts(t, "}");
}

static void body_free(void *body) { tamis_rbf_free(body); }

const struct tamis_model_kind tamis_rbf_kind = {"rbf", predict, basis_functions, describe, pack, unpack, body_free};
const struct tamis_model_kind tamis_lssvm_kind = {"lssvm", predict, basis_functions, describe, pack, unpack, body_free};
const struct tamis_model_kind tamis_rrkrr_kind = {"rrkrr", predict, basis_functions, describe, pack, unpack, body_free};
