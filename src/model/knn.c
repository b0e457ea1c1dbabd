/* k nearest neighbours: prediction by a k-d tree, file format. */
#include <math.h>
#include <string.h>
#include "base/parallel.h"
#include "model/code.h"
#include "model/knn.h"
#include "num/kdtree.h"

enum { BLOCK = 256, WEIGHTS = 6 };       /* the format of files since which the kind has weights */

void tamis_knn_free(struct tamis_knn *m)
{
    if (!m) return;
    tamis_free(m->x);
    tamis_free(m->y);
    tamis_free(m->factor);
    tamis_free(m->weight);
    tamis_free(m);
}

struct tamis_knn *tamis_knn_new(tamis_context *cx, size_t rows, size_t columns, size_t targets)
{
    struct tamis_knn *m = tamis_new(cx, struct tamis_knn, 1);
    if (!m) return NULL;
    m->rows = rows;
    m->columns = columns;
    m->targets = targets;
    m->x = tamis_new(cx, double, rows * columns);
    m->y = tamis_new(cx, double, rows * targets);
    m->factor = tamis_new(cx, double, columns);
    if (m->x && m->y && m->factor) return m;
    tamis_knn_free(m);
    return NULL;
}

/* ---- prediction ---- */

struct job {
    const struct tamis_knn *m;
    const struct tamis_tree *tree;
    const double *x;
    size_t rows, ld;
    double *out, *q, *d2;
    uint32_t *row;
};

static double weight_of(const struct tamis_knn *m, size_t row) { return m->weight ? m->weight[row] : 1; }

/* The mean of the neighbours of row i, or their shares of the classes. */
static void shares(const struct job *j, size_t i, const uint32_t *row, size_t k)
{
    const struct tamis_knn *m = j->m;
    double all = 0;
    for (size_t c = 0; c < (m->classes ? m->classes : m->targets); c++) j->out[i + j->rows * c] = 0;
    for (size_t t = 0; t < k; t++) all += weight_of(m, row ? row[t] : t);
    for (size_t t = 0; t < k; t++) {
        size_t at = row ? row[t] : t;
        double w = weight_of(m, at);
        if (m->classes) j->out[i + j->rows * (size_t)m->y[at]] += w / all;
        for (size_t o = 0; o < m->targets && !m->classes; o++)
            j->out[i + j->rows * o] += w * m->y[at + m->rows * o] / all;
    }
}

static int predict_block(void *arg, size_t item, int worker)
{
    struct job *j = arg;
    const struct tamis_knn *m = j->m;
    double *q = j->q + (size_t)worker * m->columns, *d2 = j->d2 + (size_t)worker * m->k;
    uint32_t *row = j->row + (size_t)worker * m->k;
    for (size_t i = item * BLOCK; i < j->rows && i < (item + 1) * BLOCK; i++) {
        for (size_t c = 0; c < m->columns; c++) q[c] = m->factor[c] * j->x[i + j->ld * c];
        for (size_t t = 0; t < m->k; t++) d2[t] = INFINITY, row[t] = UINT32_MAX;
        tamis_tree_nearest(j->tree, q, UINT32_MAX, m->k, d2, row, NULL);
        for (size_t t = 0; t < m->k; t++)               /* a distance that is not a number is near to none */
            if (row[t] == UINT32_MAX) row[t] = (uint32_t)t;
        shares(j, i, row, m->k);
    }
    return TAMIS_OK;
}

static int predict_near(tamis_context *cx, struct job *j, uint32_t *column)
{
    const struct tamis_knn *m = j->m;
    struct tamis_tree tree;
    size_t workers = (size_t)tamis_threads(cx);
    void *memory = tamis_alloc(cx, tamis_tree_bytes(m->rows, m->columns), 1, 0);
    j->q = tamis_raw(cx, double, workers * m->columns);
    j->d2 = tamis_raw(cx, double, workers * m->k);
    j->row = tamis_raw(cx, uint32_t, workers * m->k);
    j->tree = &tree;
    for (size_t c = 0; c < m->columns; c++) column[c] = (uint32_t)c;
    if (!tamis_status(cx)) {
        tamis_tree_build(&tree, memory, m->rows, m->x, m->columns,
                         &(struct tamis_metric){m->columns, column, m->factor});
        tamis_parallel(cx, (j->rows + BLOCK - 1) / BLOCK, predict_block, j);
    }
    tamis_free(memory);
    tamis_free(j->q);
    tamis_free(j->d2);
    tamis_free(j->row);
    return tamis_status(cx);
}

static int predict(tamis_context *cx, const void *body, const double *x, size_t rows, size_t ld, double *out)
{
    const struct tamis_knn *m = body;
    struct job j = {.m = m, .x = x, .rows = rows, .ld = ld, .out = out};
    uint32_t *column = tamis_raw(cx, uint32_t, m->columns);
    if (!column) return tamis_status(cx);
    if (m->columns) predict_near(cx, &j, column);
    else
        for (size_t i = 0; i < rows; i++) shares(&j, i, NULL, m->rows); /* no inputs: all rows are equally near */
    tamis_free(column);
    return tamis_status(cx);
}

/* ---- file format ---- */

static void pack(const void *body, struct tamis_pack *p)
{
    const struct tamis_knn *m = body;
    tamis_pack_u64(p, m->rows);
    tamis_pack_u64(p, m->k);
    tamis_pack_doubles(p, m->x, m->rows * m->columns);
    tamis_pack_doubles(p, m->y, m->rows * m->targets);
    tamis_pack_doubles(p, m->factor, m->columns);
    tamis_pack_doubles(p, m->weight, m->weight ? m->rows : 0);
}

/* How many doubles come next. */
static size_t count_ahead(const struct tamis_unpack *u)
{
    struct tamis_unpack ahead = *u;
    return (size_t)tamis_unpack_u64(&ahead, UINT64_MAX);
}

static int classes_fit(const struct tamis_knn *m)
{
    for (size_t i = 0; m->classes && i < m->rows; i++)
        if (!(m->y[i] >= 0 && m->y[i] < (double)m->classes && m->y[i] == floor(m->y[i]))) return 0;
    return 1;
}

/* Several outputs: with one value per row they are classes, else targets. */
static void targets_unpack(struct tamis_unpack *u, size_t outputs, struct tamis_knn *m)
{
    size_t values = 0;
    m->targets = count_ahead(u) == m->rows ? 1 : outputs;
    m->classes = outputs > 1 && m->targets == 1 ? outputs : 0;
    if (__builtin_mul_overflow(m->rows, m->targets, &values)) u->failed = 1;
    m->y = u->failed ? NULL : tamis_unpack_doubles(u, values);
    if (!u->failed && !classes_fit(m)) u->failed = 1;
}

static void weights_unpack(struct tamis_unpack *u, struct tamis_knn *m)
{
    if (u->failed || (!count_ahead(u) && !tamis_unpack_u64(u, 0))) return;
    m->weight = tamis_unpack_doubles(u, m->rows);
    for (size_t i = 0; m->weight && i < m->rows; i++)
        if (!(m->weight[i] > 0 && isfinite(m->weight[i]))) u->failed = 1;
}

static void *body_unpack(struct tamis_unpack *u, size_t columns, size_t outputs, int weights)
{
    struct tamis_knn *m = tamis_new(u->cx, struct tamis_knn, 1);
    size_t cells;
    if (!m) return NULL;
    m->columns = columns;
    m->rows = (size_t)tamis_unpack_u64(u, UINT32_MAX - 1);
    m->k = (size_t)tamis_unpack_u64(u, m->rows);
    if (!m->k || __builtin_mul_overflow(m->rows, columns, &cells)) u->failed = 1;
    else m->x = tamis_unpack_doubles(u, cells);
    if (!u->failed) targets_unpack(u, outputs, m);
    m->factor = u->failed ? NULL : tamis_unpack_doubles(u, columns);
    if (weights) weights_unpack(u, m);
    if (!u->failed) return m;
    tamis_knn_free(m);
    return NULL;
}

static void *unpack(struct tamis_unpack *u, size_t columns, size_t outputs)
{
    return body_unpack(u, columns, outputs, u->version >= WEIGHTS);
}

static void *weighted_unpack(struct tamis_unpack *u, size_t columns, size_t outputs)
{
    return body_unpack(u, columns, outputs, 1);
}

static size_t basis_functions(const void *body) { return ((const struct tamis_knn *)body)->rows; }

static void describe(const void *body, tamis_value *parameters)
{
    const struct tamis_knn *m = body;
    tamis_add_number(parameters, "k", (double)m->k);
}

static void body_free(void *body) { tamis_knn_free(body); }

static const struct tamis_field fields[] = {
    {"rows", TAMIS_FIELD_COUNT, 0},
    {"k", TAMIS_FIELD_COUNT, 0},
    {"x", TAMIS_FIELD_REALS, 0},
    {"y", TAMIS_FIELD_REALS, 0},
    {"factor", TAMIS_FIELD_REALS, 0},
    {"weight", TAMIS_FIELD_REALS_OR_NONE, 0},
    {0}
};

/* ---- as C ---- */

static const char source[] =
    "/* The K rows with the smallest sum over j of (factor_j z_j - factor_j x_ij)^2, nearest first,"
    " of equally near ones the first. */\n"
    "static void @model(const double *z, double *out)\n"
    "{\n"
    "    double near[@K], all = 0;\n"
    "    int row[@K], count = 0, i, j, k;\n"
    "    for (i = 0; i < @ROWS; i++) {\n"
    "        double sum = 0;\n"
    "        for (j = 0; j < @COLUMNS; j++) {\n"
    "            double d = @factor[j] * z[j] - @factor[j] * @x[i * @COLUMNS + j], square = d * d;\n"
    "            sum += square;\n"
    "        }\n"
    "        if (count == @K && !(sum < near[@K - 1])) continue;\n"
    "        for (k = count < @K ? count++ : @K - 1; k > 0 && sum < near[k - 1]; k--)"
    " near[k] = near[k - 1], row[k] = row[k - 1];\n"
    "        near[k] = sum;\n"
    "        row[k] = i;\n"
    "    }\n"
    "    for (k = 0; k < @OUTPUTS; k++) out[k] = 0;\n";
static const char count[] = "    all = @K;\n";
static const char weights[] = "    for (k = 0; k < @K; k++) all += @weight[row[k]];\n";
static const char shares_plain[] = "    for (k = 0; k < @K; k++) out[(int)@y[row[k]]] += 1 / all;\n}\n";
static const char shares_weighted[] =
    "    for (k = 0; k < @K; k++) out[(int)@y[row[k]]] += @weight[row[k]] / all;\n}\n";
static const char mean_plain[] = "    for (j = 0; j < @OUTPUTS; j++)\n"
    "        for (k = 0; k < @K; k++) out[j] += @y[row[k] + @ROWS * j] / all;\n}\n";
static const char mean_weighted[] = "    for (j = 0; j < @OUTPUTS; j++)\n"
    "        for (k = 0; k < @K; k++) out[j] += @weight[row[k]] * @y[row[k] + @ROWS * j] / all;\n}\n";

static void code(const void *body, struct tamis_code *c)
{
    const struct tamis_knn *m = body;
    tamis_code_count(c, "ROWS", m->rows);
    tamis_code_count(c, "K", m->columns ? m->k : m->rows);      /* no inputs: all rows are equally near */
    tamis_code_numbers(c, "x", m->x, m->rows * m->columns, 0);
    tamis_code_numbers(c, "y", m->y, m->rows * m->targets, 0);
    tamis_code_numbers(c, "factor", m->factor, m->columns, 0);
    if (m->weight) tamis_code_numbers(c, "weight", m->weight, m->rows, 0);
    tamis_code_put(c, source);
    tamis_code_put(c, m->weight ? weights : count);
    if (m->classes) tamis_code_put(c, m->weight ? shares_weighted : shares_plain);
    else tamis_code_put(c, m->weight ? mean_weighted : mean_plain);
}

const struct tamis_model_kind tamis_knn_kind = {
    .name = "knn",
    .predict = predict,
    .basis_functions = basis_functions,
    .describe = describe,
    .pack = pack,
    .unpack = unpack,
    .free = body_free,
    .fields = fields,
    .rough = 1,
    .code = code,
};

/* What files before format 6 call models with weights, and those of several targets. */
const struct tamis_model_kind tamis_weighted_knn_kind = {
    .name = "weighted-knn", .unpack = weighted_unpack, .fields = fields, .now = &tamis_knn_kind};
const struct tamis_model_kind tamis_several_knn_kind = {
    .name = "several-knn", .unpack = weighted_unpack, .fields = fields, .now = &tamis_knn_kind};
