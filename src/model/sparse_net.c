/* The sparse network: prediction and file format. A network without basis functions, or without inputs, is a constant.
 * [1] J. Tikka, Simultaneous input variable and basis function selection for RBF networks, Neurocomputing 72 (2009). */
#include "model/sparse_net.h"

#include <string.h>
#include "model/gauss_net.h"

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

/* Scores of two classes: -(mean + scale f) and mean + scale f. alpha: (centres + 1) x outputs, the bias first. */
static struct tamis_gauss_net network(const struct tamis_sparse_rbf *s, double *alpha)
{
    size_t n = s->centres + 1;
    for (size_t m = 0; s->outputs == 2 && m < n; m++) {
        alpha[m + n] = s->scale * s->alpha[m] + (m ? 0 : s->mean);
        alpha[m] = -alpha[m + n];
    }
    if (s->outputs == 1) memcpy(alpha, s->alpha, n * sizeof *alpha);
    return (struct tamis_gauss_net){s->centres, s->columns, s->outputs, s->centre, s->weight, 1, alpha + 1, alpha, n};
}

static int predict(tamis_context *cx, const void *body, const double *x, size_t rows, size_t ld, double *out)
{
    const struct tamis_sparse_rbf *s = body;
    double *alpha = tamis_raw(cx, double, (s->centres + 1) * s->outputs);
    if (!alpha) return tamis_status(cx);
    struct tamis_gauss_net g = network(s, alpha);
    int status = tamis_gauss_net_predict(cx, &g, x, rows, ld, out);
    tamis_free(alpha);
    return status;
}

static void code(const void *body, struct tamis_code *c)
{
    const struct tamis_sparse_rbf *s = body;
    double *alpha = tamis_raw(c->t.cx, double, (s->centres + 1) * s->outputs);
    if (!alpha) return;
    struct tamis_gauss_net g = network(s, alpha);
    tamis_gauss_net_code(&g, "model", c);
    tamis_free(alpha);
}

/* ---- file format ---- */

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
    if (outputs < 1 || outputs > 2 || !(s->r > 0) || !(s->t > 0) || !(s->scale > 0) ||
        (!u->failed && !weights_good(s)) || __builtin_mul_overflow(s->centres, columns, &cells))
        u->failed = 1;
    else s->centre = tamis_unpack_doubles(u, cells);
    s->alpha = u->failed ? NULL : tamis_unpack_doubles(u, s->centres + 1);
    if (!u->failed) return s;
    tamis_sparse_rbf_free(s);
    return NULL;
}

static size_t basis_functions(const void *body) { return ((const struct tamis_sparse_rbf *)body)->centres; }

static void describe(const void *body, tamis_value *parameters)
{
    const struct tamis_sparse_rbf *s = body;
    tamis_add_number(parameters, "r", s->r);
    tamis_add_number(parameters, "t", s->t);
}

static void body_free(void *body) { tamis_sparse_rbf_free(body); }

static const struct tamis_field fields[] = {
    {"centres", TAMIS_FIELD_COUNT, 0},
    {"r", TAMIS_FIELD_REAL, 0},
    {"t", TAMIS_FIELD_REAL, 0},
    {"mean", TAMIS_FIELD_REAL, 0},
    {"scale", TAMIS_FIELD_REAL, 0},
    {"weight", TAMIS_FIELD_REALS, 0},
    {"centre", TAMIS_FIELD_REALS, 0},
    {"alpha", TAMIS_FIELD_REALS, 0},
    {0}
};

const struct tamis_model_kind tamis_sparse_rbf_kind = {
    .name = "sparse-rbf",
    .predict = predict,
    .basis_functions = basis_functions,
    .describe = describe,
    .pack = pack,
    .unpack = unpack,
    .free = body_free,
    .fields = fields,
    .code = code,
};
