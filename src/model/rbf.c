/* RBF network: prediction and file format.
 * [1] J. Tikka, J. Hollmen, Selection of important input variables for RBF network using partial derivatives,
 *     ESANN 2008. */
#include "model/gauss_net.h"
#include "model/rbf.h"

void tamis_rbf_free(struct tamis_rbf *r)
{
    if (!r) return;
    tamis_free(r->centre);
    tamis_free(r->alpha);
    tamis_free(r);
}

struct tamis_rbf *tamis_rbf_new(tamis_context *cx, size_t centres, size_t columns)
{
    return tamis_rbf_outputs(cx, centres, columns, 1);
}

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

static struct tamis_gauss_net network(const struct tamis_rbf *r)
{
    return (struct tamis_gauss_net){.centres = r->centres, .columns = r->columns, .outputs = r->outputs,
                                    .centre = r->centre, .sigma2 = r->sigma2, .alpha = r->alpha,
                                    .bias = r->alpha + r->centres, .lead = r->centres + 1};
}

static int predict(tamis_context *cx, const void *body, const double *x, size_t rows, size_t ld, double *out)
{
    struct tamis_gauss_net g = network(body);
    return tamis_gauss_net_predict(cx, &g, x, rows, ld, out);
}

static void code(const void *body, struct tamis_code *c)
{
    struct tamis_gauss_net g = network(body);
    tamis_gauss_net_code(&g, "model", c);
}

/* ---- file format ---- */

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
    if (!(r->sigma2 > 0) || __builtin_mul_overflow(r->centres, columns, &cells) ||
        __builtin_mul_overflow(r->centres + 1, outputs, &weights))
        u->failed = 1;
    else r->centre = tamis_unpack_doubles(u, cells);
    r->alpha = u->failed ? NULL : tamis_unpack_doubles(u, weights);
    if (!u->failed) return r;
    tamis_rbf_free(r);
    return NULL;
}

static size_t basis_functions(const void *body) { return ((const struct tamis_rbf *)body)->centres; }

static void describe(const void *body, tamis_value *parameters)
{
    const struct tamis_rbf *r = body;
    tamis_add_number(parameters, "sigma2", r->sigma2);
    tamis_add_number(parameters, "gamma", r->gamma);
}

static void body_free(void *body) { tamis_rbf_free(body); }

static const struct tamis_field fields[] = {
    {"centres", TAMIS_FIELD_COUNT, 0},
    {"sigma2", TAMIS_FIELD_REAL, 0},
    {"gamma", TAMIS_FIELD_REAL, 0},
    {"centre", TAMIS_FIELD_REALS, 0},
    {"alpha", TAMIS_FIELD_REALS, 0},
    {0}
};

#define KIND(title) \
    { \
        .name = title, .predict = predict, .basis_functions = basis_functions, .describe = describe, .pack = pack, \
        .unpack = unpack, .free = body_free, .fields = fields, .code = code \
    }
const struct tamis_model_kind tamis_rbf_kind = KIND("rbf"), tamis_lssvm_kind = KIND("lssvm"),
                              tamis_rrkrr_kind = KIND("rrkrr");
