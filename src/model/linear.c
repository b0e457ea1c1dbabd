/* Linear model: prediction and file format. */
#include "model/code.h"
#include "model/linear.h"
#include "num/lapack.h"

void tamis_linear_free(struct tamis_linear *m)
{
    if (!m) return;
    tamis_free(m->b);
    tamis_free(m);
}

struct tamis_linear *tamis_linear_new(tamis_context *cx, size_t columns, size_t outputs)
{
    struct tamis_linear *m = tamis_new(cx, struct tamis_linear, 1);
    if (!m) return NULL;
    m->columns = columns;
    m->outputs = outputs;
    m->b = tamis_new(cx, double, (columns + 1) * outputs);
    if (m->b) return m;
    tamis_linear_free(m);
    return NULL;
}

static int predict(tamis_context *cx, const void *body, const double *x, size_t rows, size_t ld, double *out)
{
    const struct tamis_linear *m = body;
    (void)cx;
    for (size_t o = 0; o < m->outputs; o++) {
        const double *b = m->b + (m->columns + 1) * o;
        for (size_t i = 0; i < rows; i++) out[i + rows * o] = b[m->columns];
        if (m->columns && rows) tamis_gemv(PLAIN, rows, m->columns, 1, x, ld, b, 1, out + rows * o);
    }
    return TAMIS_OK;
}

static void pack(const void *body, struct tamis_pack *p)
{
    const struct tamis_linear *m = body;
    tamis_pack_doubles(p, m->b, (m->columns + 1) * m->outputs);
}

static void *unpack(struct tamis_unpack *u, size_t columns, size_t outputs)
{
    struct tamis_linear *m = tamis_new(u->cx, struct tamis_linear, 1);
    size_t cells;
    if (!m) return NULL;
    m->columns = columns;
    m->outputs = outputs;
    if (__builtin_mul_overflow(columns + 1, outputs, &cells)) u->failed = 1;
    else m->b = tamis_unpack_doubles(u, cells);
    if (!u->failed) return m;
    tamis_linear_free(m);
    return NULL;
}

static size_t basis_functions(const void *body) { return ((const struct tamis_linear *)body)->columns; }

static void describe(const void *body, tamis_value *parameters)
{
    const struct tamis_linear *m = body;
    tamis_add_number(parameters, "intercept", m->b[m->columns]);
    tamis_add_numbers(parameters, "coefficients", m->b, m->columns);
}

static void body_free(void *body) { tamis_linear_free(body); }

static const struct tamis_field fields[] = {
    {"coefficients", TAMIS_FIELD_REALS, 0},
    {0}
};

static const char source[] =
    "/* out_o = b_o[COLUMNS] + sum over j of b_o[j] z_j */\n"
    "static void @model(const double *z, double *out)\n"
    "{\n"
    "    int j, o;\n"
    "    for (o = 0; o < @OUTPUTS; o++) {\n"
    "        const double *b = @b + o * (@COLUMNS + 1);\n"
    "        out[o] = b[@COLUMNS];\n"
    "        for (j = 0; j < @COLUMNS; j++) out[o] += b[j] * z[j];\n"
    "    }\n"
    "}\n";

static void code(const void *body, struct tamis_code *c)
{
    const struct tamis_linear *m = body;
    tamis_code_numbers(c, "b", m->b, (m->columns + 1) * m->outputs, 0);
    tamis_code_put(c, source);
}

const struct tamis_model_kind tamis_linear_kind = {
    .name = "linear",
    .predict = predict,
    .basis_functions = basis_functions,
    .describe = describe,
    .pack = pack,
    .unpack = unpack,
    .free = body_free,
    .fields = fields,
    .code = code,
};
