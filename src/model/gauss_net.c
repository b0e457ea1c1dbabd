/* Gaussian networks: a block of rows against one centre after the other, so that distances, exponentials and sums stay
 * in the first-level cache.
 *
 * The coefficients of a network fitted with little regularisation are large and of both signs, and their sum loses
 * digits: two programs that round differently agree to fewer than twelve. So the arithmetic is fixed: every operation
 * is rounded separately (nothing is fused), sums run over columns and centres in order, and the exponential is that of
 * exp_inline.h. The exported C source does the same, and gives the same bits on every IEEE machine. */
#if defined(__GNUC__) && !defined(__clang__)
#pragma GCC optimize("fp-contract=off")
#endif
#include "model/gauss_net.h"

#include <math.h>
#include <string.h>
#include "base/parallel.h"
#include "num/exp_inline.h"

enum { BLOCK = 256 };           /* rows */

struct job {
    const struct tamis_gauss_net *g;
    const double *x;
    size_t rows, ld;
    double *out, *centre;               /* centre: row-major, scaled by sqrt(w_j) where there are weights */
    double *work;                       /* per worker: BLOCK rows of the columns, and BLOCK values */
};

static size_t work_size(const struct job *j) { return BLOCK * (j->g->columns + 1); }

/* d2 = sum over columns of (x - c)^2, from left to right; eight columns per pass through d2. */
TAMIS_CLONES
static void distances(size_t n, const double *restrict x, const double *restrict c, size_t columns, double *restrict d2)
{
    size_t j = 0;
    for (size_t i = 0; i < n; i++) d2[i] = 0;
    for (; j + 8 <= columns; j += 8, x += 8 * BLOCK, c += 8)
        for (size_t i = 0; i < n; i++) {
            double s = d2[i], e;
            e = x[i] - c[0], s += e * e;
            e = x[i + BLOCK] - c[1], s += e * e;
            e = x[i + 2 * BLOCK] - c[2], s += e * e;
            e = x[i + 3 * BLOCK] - c[3], s += e * e;
            e = x[i + 4 * BLOCK] - c[4], s += e * e;
            e = x[i + 5 * BLOCK] - c[5], s += e * e;
            e = x[i + 6 * BLOCK] - c[6], s += e * e;
            e = x[i + 7 * BLOCK] - c[7], s += e * e;
            d2[i] = s;
        }
    for (; j < columns; j++, x += BLOCK, c++)
        for (size_t i = 0; i < n; i++) {
            double e = x[i] - *c;
            d2[i] += e * e;
        }
}

TAMIS_CLONES
static void gaussians(size_t n, double rate, double *d2)
{
    for (size_t i = 0; i < n; i++) d2[i] = exp_nonpositive(-rate * d2[i]);
}

TAMIS_CLONES
static void add_scaled(size_t n, double a, const double *restrict x, double *restrict y)
{
    for (size_t i = 0; i < n; i++) y[i] += a * x[i];
}

/* Copies the rows of a block, scaled by sqrt(w) where there are weights. */
static void block_rows(const struct job *j, size_t from, size_t n, double *x)
{
    for (size_t k = 0; k < j->g->columns; k++) {
        double root = j->g->weight ? sqrt(j->g->weight[k]) : 1;
        for (size_t i = 0; i < n; i++) x[i + BLOCK * k] = root * j->x[from + i + j->ld * k];
    }
}

static int predict_block(void *arg, size_t item, int worker)
{
    struct job *j = arg;
    const struct tamis_gauss_net *g = j->g;
    size_t from = item * BLOCK, n = j->rows - from < BLOCK ? j->rows - from : BLOCK;
    double *phi = j->work + (size_t)worker * work_size(j), *x = phi + BLOCK, rate = g->weight ? 1 : 1 / g->sigma2;
    if (g->centres) block_rows(j, from, n, x);
    for (size_t o = 0; o < g->outputs; o++)
        for (size_t i = 0; i < n; i++) j->out[from + i + j->rows * o] = g->bias[o * g->lead];
    for (size_t m = 0; m < g->centres; m++) {
        distances(n, x, j->centre + g->columns * m, g->columns, phi);
        gaussians(n, rate, phi);
        for (size_t o = 0; o < g->outputs; o++)
            add_scaled(n, g->alpha[m + g->lead * o], phi, j->out + from + j->rows * o);
    }
    return TAMIS_OK;
}

static void stretch_centres(const struct tamis_gauss_net *g, double *centre)
{
    for (size_t m = 0; m < g->centres; m++)
        for (size_t k = 0; k < g->columns; k++)
            centre[k + g->columns * m] = (g->weight ? sqrt(g->weight[k]) : 1) * g->centre[m + g->centres * k];
}

int tamis_gauss_net_predict(tamis_context *cx, const struct tamis_gauss_net *g, const double *x, size_t rows, size_t ld,
                            double *out)
{
    struct job j = {.g = g, .x = x, .rows = rows, .ld = ld, .out = out};
    j.centre = tamis_raw(cx, double, g->centres * g->columns);
    j.work = tamis_raw(cx, double, (size_t)tamis_threads(cx) * work_size(&j));
    int status = tamis_status(cx);
    if (!status) stretch_centres(g, j.centre);
    if (!status) status = tamis_parallel(cx, (rows + BLOCK - 1) / BLOCK, predict_block, &j);
    tamis_free(j.centre);
    tamis_free(j.work);
    return status;
}

/* ---- as C ---- */

/* exp_nonpositive of exp_inline.h, with the power of two by squaring: not every compiler has hexadecimal constants and
 * IEEE bits. */
static const char exp_source[] =
    "/* exp(x), x <= 0, within one unit in the last place: 2^k (1 + r + r^2 p(r)), x = k ln 2 + r. */\n"
    "static double @exp(double x)\n"
    "{\n"
    "    static const double a[11] = {\n"
    "        2.0914686968086876e-09, 2.5105217004720745e-08, 2.7557273643110297e-07,"
    " 2.7557255400206422e-06, 2.4801587325547743e-05, 0.00019841269874820627,\n"
    "        0.0013888888888883748, 0.0083333333333261358, 0.041666666666666671, 0.16666666666666671, 0.5};\n"
    "    double k, r, p, power = 1, half = 0.5;\n"
    "    int i, n;\n"
    "    x = x < -750.0 ? -750.0 : x;\n"
    "    k = x * 1.4426950408889634 + 6755399441055744.0;\n"
    "    k = k - 6755399441055744.0;\n"
    "    r = (x - k * 0.69314718055989033) - k * 5.4979230187083712e-14;\n"
    "    p = a[0];\n"
    "    for (i = 1; i < 11; i++) p = p * r + a[i];\n"
    "    p = 1.0 + (r + r * r * p);\n"
    "    for (n = (int)-k; n > 0; n >>= 1, half *= half)\n"
    "        if (n & 1) power *= half;\n"
    "    return p * power;\n"
    "}\n\n";

static const char net_source[] =
    "(const double *z, double *out)\n"
    "{\n"
    "    double x[@COLUMNS + 1];\n"
    "    int m, j, o;\n"
    "    for (j = 0; j < @COLUMNS; j++) x[j] = @root[j] * z[j];\n"
    "    for (o = 0; o < @OUTPUTS; o++) out[o] = @bias[o];\n"
    "    for (m = 0; m < @CENTRES; m++) {\n"
    "        const double *c = @centre + m * @COLUMNS;\n"
    "        double sum = 0, g;\n"
    "        for (j = 0; j < @COLUMNS; j++) sum += (x[j] - c[j]) * (x[j] - c[j]);\n"
    "        g = @exp(-@rate[0] * sum);\n"
    "        for (o = 0; o < @OUTPUTS; o++) out[o] += @alpha[m * @OUTPUTS + o] * g;\n"
    "    }\n"
    "}\n";

void tamis_gauss_net_code(const struct tamis_gauss_net *g, const char *function, struct tamis_code *c)
{
    double *alpha = tamis_raw(c->t.cx, double, g->centres * g->outputs), *bias = tamis_raw(c->t.cx, double, g->outputs);
    double *root = tamis_raw(c->t.cx, double, g->columns), rate = g->weight ? 1 : 1 / g->sigma2;
    double *centre = tamis_raw(c->t.cx, double, g->centres * g->columns);
    for (size_t o = 0; !tamis_status(c->t.cx) && o < g->outputs; o++) {
        memcpy(alpha + g->centres * o, g->alpha + g->lead * o, g->centres * sizeof *alpha);
        bias[o] = g->bias[g->lead * o];
    }
    if (!tamis_status(c->t.cx)) {
        for (size_t k = 0; k < g->columns; k++) root[k] = g->weight ? sqrt(g->weight[k]) : 1;
        stretch_centres(g, centre);
        tamis_code_put(c, "/* out_o = bias_o + sum over m of alpha_mo "
                          "exp(-rate sum over j of (root_j z_j - centre_mj)^2) */\n");
        tamis_code_count(c, "CENTRES", g->centres);
        tamis_code_numbers(c, "rate", &rate, 1, 0);
        tamis_code_numbers(c, "root", root, g->columns, 0);
        tamis_code_numbers(c, "centre", centre, g->centres * g->columns, 0);
        tamis_code_numbers(c, "alpha", alpha, g->centres * g->outputs, g->centres);
        tamis_code_numbers(c, "bias", bias, g->outputs, 0);
        tamis_code_put(c, exp_source);
        tamis_text_printf(&c->t, "static void %s_%s", c->name, function);
        tamis_code_put(c, net_source);
    }
    tamis_free(alpha);
    tamis_free(bias);
    tamis_free(root);
    tamis_free(centre);
}
