/* Averaged mixture classifier: prediction and file format. */
#include <math.h>
#include <string.h>
#include "base/parallel.h"
#include "model/code.h"
#include "model/mixture.h"
#include "num/gauss.h"
#include "num/mixture_sums.h"

enum { BLOCK = 256, MOST_KERNELS = 64, MOST_CLASSES = 1000 };

void tamis_mixture_model_free(struct tamis_mixture_model *m)
{
    if (!m) return;
    void *part[] = {m->p, m->w, m->first, m->column, m->mu, m->tau};
    for (size_t i = 0; i < sizeof part / sizeof *part; i++) tamis_free(part[i]);
    tamis_free(m);
}

struct tamis_mixture_model *tamis_mixture_model_new(tamis_context *cx, size_t samples, size_t columns, size_t classes,
                                                    size_t kernels, size_t cells)
{
    struct tamis_mixture_model *m = tamis_new(cx, struct tamis_mixture_model, 1);
    if (!m) return NULL;
    *m = (struct tamis_mixture_model){.samples = samples, .columns = columns, .classes = classes, .kernels = kernels};
    m->p = tamis_new(cx, double, samples * classes);
    m->w = tamis_new(cx, double, samples * classes * kernels);
    m->first = tamis_new(cx, size_t, samples + 1);
    m->column = tamis_new(cx, size_t, cells);
    m->mu = tamis_new(cx, double, cells * kernels);
    m->tau = tamis_new(cx, double, cells * kernels);
    if (!tamis_status(cx)) return m;
    tamis_mixture_model_free(m);
    return NULL;
}

/* ---- prediction ---- */

struct job { const struct tamis_mixture_model *m; const double *x; size_t rows, ld; double *out, *work; };

/* Adds the class probabilities of sample s for n rows. */
static void add_sample(const struct job *j, size_t s, size_t from, size_t rows, double *x, struct tamis_mix *q)
{
    const struct tamis_mixture_model *m = j->m;
    const double *w = m->w + m->kernels * m->classes * s, *p = m->p + m->classes * s;
    size_t n = tamis_mix_filled(rows);
    memset(q->l, 0, n * m->kernels * sizeof *q->l);
    for (size_t c = m->first[s]; c < m->first[s + 1]; c++) {
        memcpy(x, j->x + from + j->ld * m->column[c], rows * sizeof *x);
        tamis_mix_column(n, m->kernels, x, m->mu + m->kernels * c, m->tau + m->kernels * c, 1, q->l, q->l);
    }
    tamis_mix_exp(n, m->kernels, q);
    memset(q->s, 0, n * sizeof *q->s);
    for (int pass = 0; pass < 2; pass++)
        for (size_t k = 0; k < m->classes; k++) {
            memset(q->f, 0, n * sizeof *q->f);
            for (size_t d = 0; d < m->kernels; d++)
                for (size_t i = 0; i < n; i++) q->f[i] += p[k] * w[d + m->kernels * k] * q->e[i + n * d];
            if (!pass)
                for (size_t i = 0; i < n; i++) q->s[i] += q->f[i];
            else
                for (size_t i = 0; i < rows; i++)
                    j->out[from + i + j->rows * k] += q->f[i] / q->s[i] / (double)m->samples;
        }
}

static int predict_block(void *arg, size_t item, int worker)
{
    struct job *j = arg;
    const struct tamis_mixture_model *m = j->m;
    size_t from = item * BLOCK, n = j->rows - from < BLOCK ? j->rows - from : BLOCK;
    double *work = j->work + (size_t)worker * BLOCK * (2 * m->kernels + 4),
           *column = work + BLOCK * (2 * m->kernels + 3);
    struct tamis_mix q = {work, work + BLOCK * m->kernels, work + 2 * BLOCK * m->kernels,
                          work + BLOCK * (2 * m->kernels + 1), work + BLOCK * (2 * m->kernels + 2)};
    for (size_t k = 0; k < m->classes; k++) memset(j->out + from + j->rows * k, 0, n * sizeof *j->out);
    memset(column, 0, BLOCK * sizeof *column);          /* defines the padding, which is ignored */
    for (size_t s = 0; s < m->samples; s++) add_sample(j, s, from, n, column, &q);
    return TAMIS_OK;
}

static int predict(tamis_context *cx, const void *body, const double *x, size_t rows, size_t ld, double *out)
{
    const struct tamis_mixture_model *m = body;
    struct job j = {.m = m, .x = x, .rows = rows, .ld = ld, .out = out};
    j.work = tamis_raw(cx, double, (size_t)tamis_threads(cx) * BLOCK * (2 * m->kernels + 4));
    if (!j.work) return tamis_status(cx);
    int status = tamis_parallel(cx, (rows + BLOCK - 1) / BLOCK, predict_block, &j);
    tamis_free(j.work);
    return status;
}

/* ---- file format ---- */

static void pack(const void *body, struct tamis_pack *p)
{
    const struct tamis_mixture_model *m = body;
    size_t cells = m->first[m->samples];
    tamis_pack_u64(p, m->samples);
    tamis_pack_u64(p, m->kernels);
    tamis_pack_u64(p, cells);
    for (size_t s = 0; s < m->samples; s++) tamis_pack_u64(p, m->first[s + 1]);
    for (size_t c = 0; c < cells; c++) tamis_pack_u64(p, m->column[c]);
    tamis_pack_doubles(p, m->p, m->samples * m->classes);
    tamis_pack_doubles(p, m->w, m->samples * m->classes * m->kernels);
    tamis_pack_doubles(p, m->mu, cells * m->kernels);
    tamis_pack_doubles(p, m->tau, cells * m->kernels);
}

static void unpack_cells(struct tamis_unpack *u, struct tamis_mixture_model *m, size_t cells)
{
    for (size_t s = 0; s < m->samples; s++) {
        m->first[s + 1] = (size_t)tamis_unpack_u64(u, cells);
        if (m->first[s + 1] < m->first[s]) u->failed = 1;
    }
    if (m->first[m->samples] != cells) u->failed = 1;
    for (size_t c = 0; c < cells; c++) m->column[c] = (size_t)tamis_unpack_u64(u, m->columns ? m->columns - 1 : 0);
    if (cells && !m->columns) u->failed = 1;
}

static void *unpack(struct tamis_unpack *u, size_t columns, size_t outputs)
{
    size_t left = (u->length - u->at) / 8;
    size_t samples = (size_t)tamis_unpack_u64(u, left), kernels = (size_t)tamis_unpack_u64(u, MOST_KERNELS),
           cells = (size_t)tamis_unpack_u64(u, left);
    if (!samples || !kernels || outputs < 2 || outputs > MOST_CLASSES || samples * outputs * kernels > left ||
        cells * kernels > left)
        u->failed = 1;
    struct tamis_mixture_model *m = NULL;
    if (!u->failed) m = tamis_mixture_model_new(u->cx, samples, columns, outputs, kernels, cells);
    if (!m) return NULL;
    unpack_cells(u, m, cells);
    tamis_unpack_above(u, m->p, samples * outputs, 0);
    tamis_unpack_above(u, m->w, samples * outputs * kernels, 0);
    tamis_unpack_above(u, m->mu, cells * kernels, -INFINITY);
    tamis_unpack_above(u, m->tau, cells * kernels, 0);
    if (!u->failed) return m;
    tamis_mixture_model_free(m);
    return NULL;
}

static size_t basis_functions(const void *body)
{
    const struct tamis_mixture_model *m = body;
    return m->samples * m->kernels;
}

static void describe(const void *body, tamis_value *parameters)
{
    const struct tamis_mixture_model *m = body;
    tamis_add_number(parameters, "samples", (double)m->samples);
    tamis_add_number(parameters, "kernels", (double)m->kernels);
}

static void body_free(void *body) { tamis_mixture_model_free(body); }

static const struct tamis_field fields[] = {
    {"samples", TAMIS_FIELD_COUNT, 0},
    {"kernels", TAMIS_FIELD_COUNT, 0},
    {"cells", TAMIS_FIELD_COUNT, 0},
    {"end", TAMIS_FIELD_COUNTS, 0},
    {"column", TAMIS_FIELD_COUNTS, 2},
    {"p", TAMIS_FIELD_REALS, 0},
    {"w", TAMIS_FIELD_REALS, 0},
    {"mu", TAMIS_FIELD_REALS, 0},
    {"tau", TAMIS_FIELD_REALS, 0},
    {0}
};

/* ---- as C ---- */

static const char source[] =
    "/* The mean over samples of P_k p(z | k) / sum; p(z | k) = sum over kernels d of w_kd"
    " prod over the sample's cells of N(z; mu, 1 / tau). */\n"
    "static void @model(const double *z, double *out)\n"
    "{\n"
    "    double e[@KERNELS], f[@OUTPUTS];\n"
    "    int s, c, d, k;\n"
    "    for (k = 0; k < @OUTPUTS; k++) out[k] = 0;\n"
    "    (void)z;\n"
    "    for (s = 0; s < @SAMPLES; s++) {\n"
    "        double most, sum = 0;\n"
    "        for (d = 0; d < @KERNELS; d++) e[d] = 0;\n"
    "        for (c = s ? @end[s - 1] : 0; c < @end[s]; c++)\n"
    "            for (d = 0; d < @KERNELS; d++) {\n"
    "                double x = z[@column[c]] - @mu[c * @KERNELS + d];\n"
    "                e[d] += @level[c * @KERNELS + d] - 0.5 * @tau[c * @KERNELS + d] * x * x;\n"
    "            }\n"
    "        most = e[0];\n"
    "        for (d = 1; d < @KERNELS; d++) most = e[d] > most ? e[d] : most;\n"
    "        for (d = 0; d < @KERNELS; d++) e[d] = exp(e[d] - most);\n"
    "        for (k = 0; k < @OUTPUTS; k++) {\n"
    "            f[k] = 0;\n"
    "            for (d = 0; d < @KERNELS; d++)"
    " f[k] += @p[s * @OUTPUTS + k] * @w[(s * @OUTPUTS + k) * @KERNELS + d] * e[d];\n"
    "            sum += f[k];\n"
    "        }\n"
    "        for (k = 0; k < @OUTPUTS; k++) out[k] += f[k] / sum / (double)@SAMPLES;\n"
    "    }\n"
    "}\n";

static void code(const void *body, struct tamis_code *c)
{
    const struct tamis_mixture_model *m = body;
    size_t cells = m->first[m->samples] * m->kernels;
    double *level = tamis_raw(c->t.cx, double, cells);
    if (!level) return;
    for (size_t i = 0; i < cells; i++) level[i] = 0.5 * log(m->tau[i]);
    tamis_code_count(c, "SAMPLES", m->samples);
    tamis_code_count(c, "KERNELS", m->kernels);
    tamis_code_sizes(c, "end", m->first + 1, m->samples);
    tamis_code_sizes(c, "column", m->column, m->first[m->samples]);
    tamis_code_numbers(c, "p", m->p, m->samples * m->classes, 0);
    tamis_code_numbers(c, "w", m->w, m->samples * m->classes * m->kernels, 0);
    tamis_code_numbers(c, "mu", m->mu, cells, 0);
    tamis_code_numbers(c, "tau", m->tau, cells, 0);
    tamis_code_numbers(c, "level", level, cells, 0);
    tamis_code_put(c, source);
    tamis_free(level);
}

const struct tamis_model_kind tamis_mixture_kind = {
    .name = "mixture",
    .predict = predict,
    .basis_functions = basis_functions,
    .describe = describe,
    .pack = pack,
    .unpack = unpack,
    .free = body_free,
    .fields = fields,
    .probabilities = 1,
    .code = code,
};
