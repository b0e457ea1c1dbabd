/* Gaussian networks: a block of rows against one centre after the other, so that distances, exponentials and sums stay in the nearest cache. */
#include "model/gauss_net.h"

#include <math.h>
#include <string.h>
#include "base/parallel.h"
#include "num/gauss.h"

enum { BLOCK = 256 };           /* rows */

struct job {
    const struct tamis_gauss_net *g;
    const double *x;
    size_t rows, ld, count, *column;    /* columns with a weight */
    double *out, *centre;               /* centre: with weights sqrt(w_j) c_mj, of those columns only */
    double *work;                       /* for each worker: BLOCK values, and with weights BLOCK rows of the columns */
};

static size_t work_size(const struct job *j) { return BLOCK * (j->g->weight ? 1 + j->count : 1); }

TAMIS_CLONES
static void add_scaled(size_t n, double a, const double *restrict x, double *restrict y)
{
    for (size_t i = 0; i < n; i++) y[i] += a * x[i];
}

/* The rows that a block is made of, stretched by sqrt(w); *ld their leading dimension. */
static const double *block_rows(const struct job *j, size_t from, size_t n, double *room, size_t *ld)
{
    *ld = j->g->weight ? BLOCK : j->ld;
    if (!j->g->weight) return j->x + from;
    for (size_t k = 0; k < j->count; k++) {
        double root = sqrt(j->g->weight[j->column[k]]);
        for (size_t i = 0; i < n; i++) room[i + BLOCK * k] = root * j->x[from + i + j->ld * j->column[k]];
    }
    return room;
}

static int predict_block(void *arg, size_t item, int worker)
{
    struct job *j = arg;
    const struct tamis_gauss_net *g = j->g;
    size_t from = item * BLOCK, n = j->rows - from < BLOCK ? j->rows - from : BLOCK, ld;
    double *phi = j->work + (size_t)worker * work_size(j);
    const double *x = block_rows(j, from, n, phi + BLOCK, &ld), *centre = g->weight ? j->centre : g->centre;
    for (size_t o = 0; o < g->outputs; o++)
        for (size_t i = 0; i < n; i++) j->out[from + i + j->rows * o] = g->bias[o * g->lead];
    for (size_t m = 0; m < g->centres; m++) {
        tamis_gauss_cross(n, x, ld, 1, centre + m, g->centres, j->column + g->columns, j->count, g->weight ? 1 : g->sigma2, phi, n);
        for (size_t o = 0; o < g->outputs; o++) add_scaled(n, g->alpha[m + g->lead * o], phi, j->out + from + j->rows * o);
    }
    return TAMIS_OK;
}

/* Columns that count, in the first half of j->column; 0, 1, 2, ... in the second. */
static void choose_columns(struct job *j)
{
    for (size_t k = 0; k < j->g->columns; k++) {
        j->column[j->g->columns + k] = k;
        if (!j->g->weight || j->g->weight[k] > 0) j->column[j->count++] = k;
    }
}

static void stretch_centres(struct job *j)
{
    const struct tamis_gauss_net *g = j->g;
    for (size_t k = 0; k < j->count; k++)
        for (size_t m = 0; m < g->centres; m++) j->centre[m + g->centres * k] = sqrt(g->weight[j->column[k]]) * g->centre[m + g->centres * j->column[k]];
}

int tamis_gauss_net_predict(tamis_context *cx, const struct tamis_gauss_net *g, const double *x, size_t rows, size_t ld, double *out)
{
    struct job j = {.g = g, .x = x, .rows = rows, .ld = ld, .out = out, .column = tamis_raw(cx, size_t, 2 * g->columns)};
    if (j.column) choose_columns(&j);
    if (g->weight) j.centre = tamis_raw(cx, double, g->centres * j.count);
    j.work = tamis_raw(cx, double, (size_t)tamis_threads(cx) * work_size(&j));
    int status = tamis_status(cx);
    if (!status && g->weight) stretch_centres(&j);
    if (!status) status = tamis_parallel(cx, (rows + BLOCK - 1) / BLOCK, predict_block, &j);
    tamis_free(j.column);
    tamis_free(j.centre);
    tamis_free(j.work);
    return status;
}

/* ---- as C ---- */

static const char source[] =
    "static void @model(const double *z, double *out)\n"
    "{\n"
    "    int m, j, o;\n"
    "    for (o = 0; o < @OUTPUTS; o++) out[o] = @bias[o];\n"
    "    for (m = 0; m < @CENTRES; m++) {\n"
    "        const double *c = @centre + m * @COLUMNS;\n"
    "        double sum = 0, g;\n"
    "        for (j = 0; j < @COLUMNS; j++) sum += @weight[j] * (z[j] - c[j]) * (z[j] - c[j]);\n"
    "        g = exp(-sum);\n"
    "        for (o = 0; o < @OUTPUTS; o++) out[o] += @alpha[m * @OUTPUTS + o] * g;\n"
    "    }\n"
    "}\n";

static const char source_one[] =
    "static void @model(const double *z, double *out)\n"
    "{\n"
    "    int m, j, o;\n"
    "    for (o = 0; o < @OUTPUTS; o++) out[o] = @bias[o];\n"
    "    for (m = 0; m < @CENTRES; m++) {\n"
    "        const double *c = @centre + m * @COLUMNS;\n"
    "        double sum = 0, g;\n"
    "        for (j = 0; j < @COLUMNS; j++) sum += (z[j] - c[j]) * (z[j] - c[j]);\n"
    "        g = exp(-@rate[0] * sum);\n"
    "        for (o = 0; o < @OUTPUTS; o++) out[o] += @alpha[m * @OUTPUTS + o] * g;\n"
    "    }\n"
    "}\n";

void tamis_gauss_net_code(const struct tamis_gauss_net *g, struct tamis_code *c)
{
    double *alpha = tamis_raw(c->t.cx, double, g->centres * g->outputs), *bias = tamis_raw(c->t.cx, double, g->outputs), rate = 1 / g->sigma2;
    for (size_t o = 0; alpha && bias && o < g->outputs; o++) {
        memcpy(alpha + g->centres * o, g->alpha + g->lead * o, g->centres * sizeof *alpha);
        bias[o] = g->bias[g->lead * o];
    }
    if (alpha && bias) {
        tamis_code_put(c, "/* out_o = bias_o + sum over m of alpha_mo exp(-sum over j of w_j (z_j - centre_mj)^2) */\n");
        tamis_code_count(c, "CENTRES", g->centres);
        tamis_code_numbers(c, g->weight ? "weight" : "rate", g->weight ? g->weight : &rate, g->weight ? g->columns : 1, 0);
        tamis_code_numbers(c, "centre", g->centre, g->centres * g->columns, g->centres);
        tamis_code_numbers(c, "alpha", alpha, g->centres * g->outputs, g->centres);
        tamis_code_numbers(c, "bias", bias, g->outputs, 0);
        tamis_code_put(c, g->weight ? source : source_one);
    }
    tamis_free(alpha);
    tamis_free(bias);
}
