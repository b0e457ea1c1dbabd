/* Extreme learning machine: hidden layer, prediction, file format.
 * [1] G.-B. Huang, Q.-Y. Zhu, C.-K. Siew, Extreme learning machine: theory and applications, Neurocomputing 70 (2006)
 *     489-501. */
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include "base/parallel.h"
#include "model/code.h"
#include "model/elm.h"
#include "num/gauss.h"
#include "num/lapack.h"

enum { BLOCK = 256, MOST = 1 << 24 };   /* rows predicted at a time; most neurons in a file */

void tamis_elm_free(struct tamis_elm *e)
{
    if (!e) return;
    tamis_free(e->input);
    tamis_free(e->weight);
    tamis_free(e->bias);
    tamis_free(e->centre);
    tamis_free(e->width);
    tamis_free(e->beta);
    tamis_free(e);
}

struct tamis_elm *tamis_elm_new(tamis_context *cx, size_t columns, size_t outputs, size_t linear, size_t sigmoid,
                                size_t gauss)
{
    struct tamis_elm *e = tamis_new(cx, struct tamis_elm, 1);
    if (!e) return NULL;
    *e = (struct tamis_elm){.columns = columns, .outputs = outputs, .linear = linear, .sigmoid = sigmoid,
                            .gauss = gauss};
    e->input = tamis_new(cx, size_t, linear);
    e->weight = tamis_new(cx, double, columns * sigmoid);
    e->bias = tamis_new(cx, double, sigmoid);
    e->centre = tamis_new(cx, double, columns * gauss);
    e->width = tamis_new(cx, double, gauss);
    e->beta = tamis_new(cx, double, (tamis_elm_neurons(e) + 1) * outputs);
    if (e->input && e->weight && e->bias && e->centre && e->width && e->beta) return e;
    tamis_elm_free(e);
    return NULL;
}

static void neuron_copy(const struct tamis_elm *from, size_t i, struct tamis_elm *to)
{
    size_t d = from->columns, j = i - from->linear, k = j - from->sigmoid;
    if (i < from->linear) to->input[to->linear++] = from->input[i];
    else if (j < from->sigmoid) {
        memcpy(to->weight + d * to->sigmoid, from->weight + d * j, d * sizeof *to->weight);
        to->bias[to->sigmoid++] = from->bias[j];
    } else {
        memcpy(to->centre + d * to->gauss, from->centre + d * k, d * sizeof *to->centre);
        to->width[to->gauss++] = from->width[k];
    }
}

struct tamis_elm *tamis_elm_keep(tamis_context *cx, const struct tamis_elm *e, const size_t *keep, size_t count)
{
    size_t sort[3] = {0, 0, 0};
    for (size_t i = 0; i < count; i++) sort[keep[i] < e->linear ? 0 : keep[i] < e->linear + e->sigmoid ? 1 : 2]++;
    struct tamis_elm *k = tamis_elm_new(cx, e->columns, e->outputs, sort[0], sort[1], sort[2]);
    if (!k) return NULL;
    k->linear = k->sigmoid = k->gauss = 0;
    for (size_t i = 0; i < count; i++) neuron_copy(e, keep[i], k);
    return k;
}

/* ---- the hidden layer ---- */

TAMIS_CLONES
static void tanh_columns(size_t n, double *h)           /* tanh a = sign(a) (1 - e) / (1 + e), e = exp(-2 |a|) */
{
    double e[BLOCK];
    for (size_t from = 0; from < n; from += BLOCK) {
        size_t m = n - from < BLOCK ? n - from : BLOCK;
        for (size_t i = 0; i < m; i++) e[i] = fabs(h[from + i]);
        tamis_exp_scale(m, e, 2, e);
        for (size_t i = 0; i < m; i++) h[from + i] = copysign((1 - e[i]) / (1 + e[i]), h[from + i]);
    }
}

static void sigmoid_layer(const struct tamis_elm *e, const double *x, size_t rows, size_t ld, double *h)
{
    for (size_t i = 0; i < e->sigmoid; i++)
        for (size_t n = 0; n < rows; n++) h[n + rows * i] = e->bias[i];
    tamis_gemm(PLAIN, PLAIN, rows, e->sigmoid, e->columns, 1, x, ld, e->weight, e->columns, 1, h, rows);
    tanh_columns(rows * e->sigmoid, h);
}

TAMIS_CLONES
static void square_lengths(const double *x, size_t rows, size_t ld, size_t columns, double *out)
{
    memset(out, 0, rows * sizeof *out);
    for (size_t c = 0; c < columns; c++)
        for (size_t n = 0; n < rows; n++) out[n] += x[n + ld * c] * x[n + ld * c];
}

/* |x - c|^2 = |x|^2 + |c|^2 - 2 x^T c by one product: its rounding does not matter beside the random widths. */
static void gauss_layer(const struct tamis_elm *e, const double *x, size_t rows, size_t ld, double *h, double *work)
{
    square_lengths(x, rows, ld, e->columns, work);
    tamis_gemm(PLAIN, PLAIN, rows, e->gauss, e->columns, -2, x, ld, e->centre, e->columns, 0, h, rows);
    for (size_t i = 0; i < e->gauss; i++) {
        double own = tamis_dot(e->columns, e->centre + e->columns * i, e->centre + e->columns * i), *g = h + rows * i;
        for (size_t n = 0; n < rows; n++) g[n] = fmax(0, g[n] + work[n] + own);
        tamis_exp_scale(rows, g, 1 / ((double)e->columns * e->width[i] * e->width[i]), g);
    }
}

void tamis_elm_hidden(const struct tamis_elm *e, const double *x, size_t rows, size_t ld, double *h, double *work)
{
    if (!rows || !e->columns) return;
    for (size_t i = 0; i < e->linear; i++) memcpy(h + rows * i, x + ld * e->input[i], rows * sizeof *h);
    if (e->sigmoid) sigmoid_layer(e, x, rows, ld, h + rows * e->linear);
    if (e->gauss) gauss_layer(e, x, rows, ld, h + rows * (e->linear + e->sigmoid), work);
}

/* ---- prediction ---- */

struct job { const struct tamis_elm *e; const double *x; size_t rows, ld; double *out, *work; };

static size_t work_size(const struct tamis_elm *e) { return BLOCK * (tamis_elm_neurons(e) + 1) + e->gauss; }

static int predict_block(void *arg, size_t item, int worker)
{
    struct job *j = arg;
    const struct tamis_elm *e = j->e;
    size_t from = item * BLOCK, n = j->rows - from < BLOCK ? j->rows - from : BLOCK, m = tamis_elm_neurons(e);
    double *h = j->work + (size_t)worker * work_size(e);
    tamis_elm_hidden(e, j->x + from, n, j->ld, h, h + n * m);
    for (size_t o = 0; o < e->outputs; o++) {
        const double *beta = e->beta + (m + 1) * o;
        double *out = j->out + j->rows * o + from;
        for (size_t i = 0; i < n; i++) out[i] = beta[m];
        if (m) tamis_gemv(PLAIN, n, m, 1, h, n, beta, 1, out);
    }
    return TAMIS_OK;
}

static int predict(tamis_context *cx, const void *body, const double *x, size_t rows, size_t ld, double *out)
{
    const struct tamis_elm *e = body;
    struct job j = {e, x, rows, ld, out, tamis_raw(cx, double, (size_t)tamis_threads(cx) * work_size(e))};
    if (!j.work) return tamis_status(cx);
    int status = tamis_parallel(cx, (rows + BLOCK - 1) / BLOCK, predict_block, &j);
    tamis_free(j.work);
    return status;
}

/* ---- file format ---- */

static void pack(const void *body, struct tamis_pack *p)
{
    const struct tamis_elm *e = body;
    tamis_pack_u64(p, e->linear);
    tamis_pack_u64(p, e->sigmoid);
    tamis_pack_u64(p, e->gauss);
    for (size_t i = 0; i < e->linear; i++) tamis_pack_u64(p, e->input[i]);
    tamis_pack_doubles(p, e->weight, e->columns * e->sigmoid);
    tamis_pack_doubles(p, e->bias, e->sigmoid);
    tamis_pack_doubles(p, e->centre, e->columns * e->gauss);
    tamis_pack_doubles(p, e->width, e->gauss);
    tamis_pack_doubles(p, e->beta, (tamis_elm_neurons(e) + 1) * e->outputs);
}

/* Arrays of the sizes that the file states, each bounded by the bytes that are left. */
static void unpack_arrays(struct tamis_unpack *u, struct tamis_elm *e)
{
    size_t left = (u->length - u->at) / 8, columns = e->columns ? e->columns : 1;
    if (e->linear > left || (e->sigmoid + e->gauss) > left / columns || (tamis_elm_neurons(e) + 1) > left / e->outputs)
        u->failed = 1;
    e->input = u->failed ? NULL : tamis_new(u->cx, size_t, e->linear);
    if (!e->input) u->failed = 1;
    for (size_t i = 0; e->input && i < e->linear; i++) e->input[i] = (size_t)tamis_unpack_u64(u, columns - 1);
    e->weight = tamis_unpack_doubles(u, e->columns * e->sigmoid);
    e->bias = tamis_unpack_doubles(u, e->sigmoid);
    e->centre = tamis_unpack_doubles(u, e->columns * e->gauss);
    e->width = tamis_unpack_doubles(u, e->gauss);
    e->beta = tamis_unpack_doubles(u, (tamis_elm_neurons(e) + 1) * e->outputs);
    for (size_t i = 0; e->width && i < e->gauss; i++)
        if (!(e->width[i] > 0)) u->failed = 1;
    if (!e->columns && tamis_elm_neurons(e)) u->failed = 1;
}

static void *unpack(struct tamis_unpack *u, size_t columns, size_t outputs)
{
    struct tamis_elm *e = tamis_new(u->cx, struct tamis_elm, 1);
    if (!e) return NULL;
    e->columns = columns;
    e->outputs = outputs;
    e->linear = (size_t)tamis_unpack_u64(u, MOST);
    e->sigmoid = (size_t)tamis_unpack_u64(u, MOST);
    e->gauss = (size_t)tamis_unpack_u64(u, MOST);
    unpack_arrays(u, e);
    if (!u->failed) return e;
    tamis_elm_free(e);
    return NULL;
}

static size_t basis_functions(const void *body) { return tamis_elm_neurons(body); }

static void describe(const void *body, tamis_value *parameters)
{
    const struct tamis_elm *e = body;
    tamis_add_number(parameters, "linear", (double)e->linear);
    tamis_add_number(parameters, "sigmoid", (double)e->sigmoid);
    tamis_add_number(parameters, "gaussian", (double)e->gauss);
}

static void body_free(void *body) { tamis_elm_free(body); }

static const struct tamis_field fields[] = {
    {"linear", TAMIS_FIELD_COUNT, 0},
    {"sigmoid", TAMIS_FIELD_COUNT, 0},
    {"gaussian", TAMIS_FIELD_COUNT, 0},
    {"input", TAMIS_FIELD_COUNTS, 0},
    {"weight", TAMIS_FIELD_REALS, 0},
    {"bias", TAMIS_FIELD_REALS, 0},
    {"centre", TAMIS_FIELD_REALS, 0},
    {"width", TAMIS_FIELD_REALS, 0},
    {"beta", TAMIS_FIELD_REALS, 0},
    {0}
};

/* ---- as C ---- */

static const char source_begin[] =
    "static void @model(const double *z, double *out)\n"
    "{\n"
    "    double h;\n"
    "    int i, o;\n"
    "    for (o = 0; o < @OUTPUTS; o++) out[o] = @beta[o * (@NEURONS + 1) + @NEURONS];\n"
    "    (void)z;\n"
    "    (void)h;\n"
    "    (void)i;\n";
static const char source_linear[] =
    "    for (i = 0; i < @LINEAR; i++)\n"
    "        for (o = 0; o < @OUTPUTS; o++) out[o] += @beta[o * (@NEURONS + 1) + i] * z[@input[i]];\n";
static const char source_sigmoid[] =
    "    for (i = 0; i < @SIGMOID; i++) {\n"
    "        int j;\n"
    "        h = @hidden_bias[i];\n"
    "        for (j = 0; j < @COLUMNS; j++) h += @weight[i * @COLUMNS + j] * z[j];\n"
    "        h = tanh(h);\n"
    "        for (o = 0; o < @OUTPUTS; o++) out[o] += @beta[o * (@NEURONS + 1) + @LINEAR + i] * h;\n"
    "    }\n";
static const char source_gauss[] =
    "    for (i = 0; i < @GAUSS; i++) {\n"
    "        int j;\n"
    "        h = 0;\n"
    "        for (j = 0; j < @COLUMNS; j++)"
    " h += (z[j] - @centre[i * @COLUMNS + j]) * (z[j] - @centre[i * @COLUMNS + j]);\n"
    "        h = exp(-h / ((double)@COLUMNS * @width[i] * @width[i]));\n"
    "        for (o = 0; o < @OUTPUTS; o++) out[o] += @beta[o * (@NEURONS + 1) + @LINEAR + @SIGMOID + i] * h;\n"
    "    }\n";

static void code(const void *body, struct tamis_code *c)
{
    const struct tamis_elm *e = body;
    tamis_code_put(c, "/* out_o = beta_o[NEURONS] + sum over neurons i of beta_o[i] g_i: "
                      "z_c, tanh(weight_i z + bias_i), or exp(-mean of (z - centre_i)^2 / width_i^2) */\n");
    tamis_code_count(c, "LINEAR", e->linear);
    tamis_code_count(c, "SIGMOID", e->sigmoid);
    tamis_code_count(c, "GAUSS", e->gauss);
    tamis_code_count(c, "NEURONS", tamis_elm_neurons(e));
    tamis_code_numbers(c, "beta", e->beta, (tamis_elm_neurons(e) + 1) * e->outputs, 0);
    if (e->linear) tamis_code_sizes(c, "input", e->input, e->linear);
    if (e->sigmoid) tamis_code_numbers(c, "weight", e->weight, e->columns * e->sigmoid, 0);
    if (e->sigmoid) tamis_code_numbers(c, "hidden_bias", e->bias, e->sigmoid, 0);
    if (e->gauss) tamis_code_numbers(c, "centre", e->centre, e->columns * e->gauss, 0);
    if (e->gauss) tamis_code_numbers(c, "width", e->width, e->gauss, 0);
    tamis_code_put(c, source_begin);
    if (e->linear) tamis_code_put(c, source_linear);
    if (e->sigmoid) tamis_code_put(c, source_sigmoid);
    if (e->gauss) tamis_code_put(c, source_gauss);
    tamis_code_put(c, "}\n");
}

const struct tamis_model_kind tamis_elm_kind = {
    .name = "elm",
    .predict = predict,
    .basis_functions = basis_functions,
    .describe = describe,
    .pack = pack,
    .unpack = unpack,
    .free = body_free,
    .fields = fields,
    .code = code,
};
