/* RBF classifier: prediction and file format.
 * [1] J. Basak, S. Mitra: Feature selection using radial basis function networks. Neural Computing & Applications 8,
 *     1999. */
#include <math.h>
#include "base/parallel.h"
#include "model/code.h"
#include "model/rbf_classifier.h"
#include "num/lapack.h"
#include "num/nodes.h"

enum { BLOCK = 256 };           /* rows at a time: the block of basis values stays in cache */

void tamis_rbf_classifier_free(struct tamis_rbf_classifier *r)
{
    if (!r) return;
    tamis_free(r->centre);
    tamis_free(r->sigma);
    tamis_free(r->weight);
    tamis_free(r);
}

struct tamis_rbf_classifier *tamis_rbf_classifier_new(tamis_context *cx, size_t nodes, size_t columns, size_t classes)
{
    struct tamis_rbf_classifier *r = tamis_new(cx, struct tamis_rbf_classifier, 1);
    if (!r) return NULL;
    r->nodes = nodes;
    r->columns = columns;
    r->classes = classes;
    r->centre = tamis_new(cx, double, nodes * columns);
    r->sigma = tamis_new(cx, double, nodes);
    r->weight = tamis_new(cx, double, nodes * classes);
    if (r->centre && r->sigma && r->weight) return r;
    tamis_rbf_classifier_free(r);
    return NULL;
}

/* ---- prediction ---- */

struct job { const struct tamis_rbf_classifier *r; const double *x; size_t rows, ld, *columns; double *out, *work; };

static int predict_block(void *arg, size_t item, int worker)
{
    struct job *j = arg;
    const struct tamis_rbf_classifier *r = j->r;
    size_t from = item * BLOCK, n = j->rows - from < BLOCK ? j->rows - from : BLOCK;
    double *phi = j->work + (size_t)worker * BLOCK * r->nodes;
    tamis_nodes_basis(n, j->x + from, j->ld, j->columns, r->columns, r->nodes, r->centre, r->sigma, phi, n);
    tamis_gemm(PLAIN, PLAIN, n, r->classes, r->nodes, 1.0, phi, n, r->weight, r->nodes, 0.0, j->out + from, j->rows);
    return TAMIS_OK;
}

static int predict(tamis_context *cx, const void *body, const double *x, size_t rows, size_t ld, double *out)
{
    const struct tamis_rbf_classifier *r = body;
    struct job j = {.r = r, .x = x, .rows = rows, .ld = ld, .out = out};
    j.columns = tamis_raw(cx, size_t, r->columns);
    j.work = tamis_raw(cx, double, (size_t)tamis_threads(cx) * BLOCK * r->nodes);
    for (size_t v = 0; j.columns && v < r->columns; v++) j.columns[v] = v;
    int status = tamis_status(cx);
    if (!status) status = tamis_parallel(cx, (rows + BLOCK - 1) / BLOCK, predict_block, &j);
    tamis_free(j.columns);
    tamis_free(j.work);
    return status;
}

/* ---- file format ---- */

static void pack(const void *body, struct tamis_pack *p)
{
    const struct tamis_rbf_classifier *r = body;
    tamis_pack_u64(p, r->nodes);
    tamis_pack_doubles(p, r->centre, r->nodes * r->columns);
    tamis_pack_doubles(p, r->sigma, r->nodes);
    tamis_pack_doubles(p, r->weight, r->nodes * r->classes);
}

static void *unpack(struct tamis_unpack *u, size_t columns, size_t outputs)
{
    struct tamis_rbf_classifier *r = tamis_new(u->cx, struct tamis_rbf_classifier, 1);
    size_t cells, weights;
    if (!r) return NULL;
    r->columns = columns;
    r->classes = outputs;
    r->nodes = (size_t)tamis_unpack_u64(u, INT32_MAX);
    if (outputs < 2 || __builtin_mul_overflow(r->nodes, columns, &cells) ||
        __builtin_mul_overflow(r->nodes, outputs, &weights))
        u->failed = 1;
    else r->centre = tamis_unpack_doubles(u, cells);
    r->sigma = u->failed ? NULL : tamis_unpack_doubles(u, r->nodes);
    r->weight = u->failed ? NULL : tamis_unpack_doubles(u, weights);
    for (size_t c = 0; !u->failed && c < r->nodes; c++)
        if (!(r->sigma[c] > 0)) u->failed = 1;
    if (!u->failed) return r;
    tamis_rbf_classifier_free(r);
    return NULL;
}

static size_t basis_functions(const void *body) { return ((const struct tamis_rbf_classifier *)body)->nodes; }

static void describe(const void *body, tamis_value *parameters)
{
    const struct tamis_rbf_classifier *r = body;
    tamis_add_numbers(parameters, "sigma", r->sigma, r->nodes);
}

static void body_free(void *body) { tamis_rbf_classifier_free(body); }

static const struct tamis_field fields[] = {
    {"nodes", TAMIS_FIELD_COUNT, 0},
    {"centre", TAMIS_FIELD_REALS, 0},
    {"sigma", TAMIS_FIELD_REALS, 0},
    {"weight", TAMIS_FIELD_REALS, 0},
    {0}
};

static const char source[] =
    "/* out_k = sum over c of weight_ck exp(-|z - centre_c|^2 / (2 sigma_c^2)) */\n"
    "static void @model(const double *z, double *out)\n"
    "{\n"
    "    int c, j, k;\n"
    "    for (k = 0; k < @OUTPUTS; k++) out[k] = 0;\n"
    "    for (c = 0; c < @NODES; c++) {\n"
    "        double sum = 0, g;\n"
    "        for (j = 0; j < @COLUMNS; j++)"
    " sum += (z[j] - @centre[c * @COLUMNS + j]) * (z[j] - @centre[c * @COLUMNS + j]);\n"
    "        g = exp(-sum * (0.5 / (@sigma[c] * @sigma[c])));\n"
    "        for (k = 0; k < @OUTPUTS; k++) out[k] += @weight[c * @OUTPUTS + k] * g;\n"
    "    }\n"
    "}\n";

static void code(const void *body, struct tamis_code *c)
{
    const struct tamis_rbf_classifier *r = body;
    tamis_code_count(c, "NODES", r->nodes);
    tamis_code_numbers(c, "centre", r->centre, r->nodes * r->columns, r->nodes);
    tamis_code_numbers(c, "sigma", r->sigma, r->nodes, 0);
    tamis_code_numbers(c, "weight", r->weight, r->nodes * r->classes, r->nodes);
    tamis_code_put(c, source);
}

const struct tamis_model_kind tamis_rbf_classifier_kind = {
    .name = "rbf-classifier",
    .predict = predict,
    .basis_functions = basis_functions,
    .describe = describe,
    .pack = pack,
    .unpack = unpack,
    .free = body_free,
    .fields = fields,
    .code = code,
};
