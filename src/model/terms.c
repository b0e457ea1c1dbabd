/* Sums of products of functions of single columns, and of Gaussians: prediction and file format.
 *
 * As in gauss_net.c every operation is rounded separately and sums run in order: first the bias and the Gaussians, then
 * the features. */
#if defined(__GNUC__) && !defined(__clang__)
#pragma GCC optimize("fp-contract=off")
#endif
#include "model/terms.h"

#include <string.h>
#include "base/parallel.h"
#include "model/gauss_net.h"
#include "model/terms_tables.h"

enum { BLOCK = 1024, F = TAMIS_FUNCTIONS };             /* rows */

void tamis_terms_free(struct tamis_terms *t)
{
    if (!t) return;
    void *part[] = {t->basis, t->factor, t->coefficient, t->bias, t->weight, t->centre, t->alpha};
    for (size_t i = 0; i < sizeof part / sizeof *part; i++) tamis_free(part[i]);
    tamis_free(t);
}

struct tamis_terms *tamis_terms_new(tamis_context *cx, size_t columns, size_t outputs, size_t features, size_t centres)
{
    struct tamis_terms *t = tamis_new(cx, struct tamis_terms, 1);
    if (!t) return NULL;
    *t = (struct tamis_terms){.columns = columns, .outputs = outputs, .features = features, .centres = centres};
    t->basis = tamis_new(cx, struct tamis_basis, columns);
    t->factor = tamis_new(cx, size_t, TAMIS_TERM_INPUTS * features);
    t->coefficient = tamis_new(cx, double, features * outputs);
    t->bias = tamis_new(cx, double, outputs);
    t->weight = tamis_new(cx, double, columns);
    t->centre = tamis_new(cx, double, centres * columns);
    t->alpha = tamis_new(cx, double, centres * outputs);
    if (t->basis && t->factor && t->coefficient && t->bias && t->weight && t->centre && t->alpha) return t;
    tamis_terms_free(t);
    return NULL;
}

/* ---- prediction ---- */

struct job {
    const struct tamis_terms *t;
    const double *x;
    size_t rows, ld;
    double *out;
    size_t *needed, *slot, slots;       /* per column: functions evaluated, and where they are */
    double *work;                       /* per worker: a block of rows of all of them, and of one product */
};

static size_t work_size(const struct job *j) { return BLOCK * (j->slots + 1); }

TAMIS_CLONES
static void multiply(size_t n, const double *restrict a, const double *b, double *c)
{
    for (size_t i = 0; i < n; i++) c[i] = a[i] * b[i];
}

TAMIS_CLONES
static void add_scaled(size_t n, double a, const double *restrict x, double *restrict y)
{
    for (size_t i = 0; i < n; i++) y[i] += a * x[i];
}

static const double *factor_values(const struct job *j, size_t factor, size_t from, const double *phi)
{
    size_t column = (factor - 1) / F, function = (factor - 1) % F;
    if (!j->t->basis[column].functions) return j->x + from + j->ld * column;
    return phi + BLOCK * (j->slot[column] + function);
}

/* The product of a feature's factors, in `product` unless there is only one of them. */
static const double *feature_values(const struct job *j, size_t f, size_t from, size_t n, const double *phi,
                                    double *product)
{
    const double *v = NULL;
    for (size_t k = 0; k < TAMIS_TERM_INPUTS; k++) {
        size_t factor = j->t->factor[TAMIS_TERM_INPUTS * f + k];
        const double *next = factor ? factor_values(j, factor, from, phi) : NULL;
        if (next && v) multiply(n, next, v, product);
        if (next) v = v ? product : next;
    }
    if (v) return v;
    for (size_t i = 0; i < n; i++) product[i] = 1;
    return product;
}

static int predict_block(void *arg, size_t item, int worker)
{
    struct job *j = arg;
    const struct tamis_terms *t = j->t;
    size_t from = item * BLOCK, n = j->rows - from < BLOCK ? j->rows - from : BLOCK;
    double *phi = j->work + (size_t)worker * work_size(j), *product = phi + BLOCK * j->slots;
    for (size_t c = 0; c < t->columns; c++)
        tamis_basis_apply(&t->basis[c], j->needed[c], j->x + from + j->ld * c, n, phi + BLOCK * j->slot[c], BLOCK);
    for (size_t f = 0; f < t->features; f++) {
        const double *v = feature_values(j, f, from, n, phi, product);
        for (size_t o = 0; o < t->outputs; o++)
            add_scaled(n, t->coefficient[f + t->features * o], v, j->out + from + j->rows * o);
    }
    return TAMIS_OK;
}

static int add_features(tamis_context *cx, struct job *j)
{
    const struct tamis_terms *t = j->t;
    j->needed = tamis_new(cx, size_t, t->columns);
    j->slot = tamis_new(cx, size_t, t->columns);
    if (j->needed && j->slot) {
        tamis_terms_needed(t, j->needed);
        for (size_t c = 0; c < t->columns; c++) j->slot[c] = j->slots, j->slots += j->needed[c];
        j->work = tamis_raw(cx, double, (size_t)tamis_threads(cx) * work_size(j));
    }
    int status = tamis_status(cx);
    if (!status) status = tamis_parallel(cx, (j->rows + BLOCK - 1) / BLOCK, predict_block, j);
    tamis_free(j->needed);
    tamis_free(j->slot);
    tamis_free(j->work);
    return status;
}

static int predict(tamis_context *cx, const void *body, const double *x, size_t rows, size_t ld, double *out)
{
    const struct tamis_terms *t = body;
    struct job j = {.t = t, .x = x, .rows = rows, .ld = ld, .out = out};
    double *alpha = tamis_raw(cx, double, (t->centres + 1) * t->outputs);
    if (!alpha) return tamis_status(cx);
    struct tamis_gauss_net g = tamis_terms_network(t, alpha);
    int status = tamis_gauss_net_predict(cx, &g, x, rows, ld, out);
    if (!status && t->features) status = add_features(cx, &j);
    tamis_free(alpha);
    return status;
}

/* ---- file format ---- */

static void pack_sizes(struct tamis_pack *p, const size_t *v, size_t n)
{
    for (size_t i = 0; i < n; i++) tamis_pack_u64(p, v[i]);
}

static void pack_tables(struct tamis_pack *p, size_t columns, const struct tamis_terms_tables *s)
{
    tamis_pack_u64(p, columns);
    tamis_pack_u64(p, s->functions);
    pack_sizes(p, s->count, columns);
    pack_sizes(p, s->knot_count, columns);
    pack_sizes(p, s->order, s->functions);
    tamis_pack_doubles(p, s->lo, columns);
    tamis_pack_doubles(p, s->hi, columns);
    tamis_pack_doubles(p, s->knot, s->knots);
    tamis_pack_doubles(p, s->rank, s->knots);
    tamis_pack_doubles(p, s->mean, s->means);
    tamis_pack_doubles(p, s->turn, s->turns);
}

static void pack(const void *body, struct tamis_pack *p)
{
    const struct tamis_terms *t = body;
    struct tamis_terms_tables s = {0};
    tamis_pack_u64(p, t->features);
    tamis_pack_u64(p, TAMIS_TERM_INPUTS * t->features);
    tamis_pack_u64(p, t->centres);
    if (tamis_terms_tables_make(p->cx, t, &s)) p->failed = 1;
    else pack_tables(p, t->columns, &s);
    tamis_terms_tables_free(&s);
    pack_sizes(p, t->factor, TAMIS_TERM_INPUTS * t->features);
    tamis_pack_doubles(p, t->coefficient, t->features * t->outputs);
    tamis_pack_doubles(p, t->bias, t->outputs);
    tamis_pack_doubles(p, t->weight, t->columns);
    tamis_pack_doubles(p, t->centre, t->centres * t->columns);
    tamis_pack_doubles(p, t->alpha, t->centres * t->outputs);
}

static const struct tamis_field fields[] = {
    {"features", TAMIS_FIELD_COUNT, 0},
    {"factors", TAMIS_FIELD_COUNT, 0},
    {"centres", TAMIS_FIELD_COUNT, 0},
    {"columns", TAMIS_FIELD_COUNT, 0},
    {"orders", TAMIS_FIELD_COUNT, 0},
    {"functions", TAMIS_FIELD_COUNTS, 3},
    {"knots", TAMIS_FIELD_COUNTS, 3},
    {"order", TAMIS_FIELD_COUNTS, 4},
    {"lo", TAMIS_FIELD_REALS, 0},
    {"hi", TAMIS_FIELD_REALS, 0},
    {"knot", TAMIS_FIELD_REALS, 0},
    {"rank", TAMIS_FIELD_REALS, 0},
    {"mean", TAMIS_FIELD_REALS, 0},
    {"turn", TAMIS_FIELD_REALS, 0},
    {"factor", TAMIS_FIELD_COUNTS, 1},
    {"coefficient", TAMIS_FIELD_REALS, 0},
    {"bias", TAMIS_FIELD_REALS, 0},
    {"weight", TAMIS_FIELD_REALS, 0},
    {"centre", TAMIS_FIELD_REALS, 0},
    {"alpha", TAMIS_FIELD_REALS, 0},
    {0}
};

/* Counts, and the raw functions of every column in increasing order. */
static void unpack_orders(struct tamis_unpack *u, struct tamis_terms *t, struct tamis_terms_tables *s, size_t total)
{
    for (size_t c = 0; c < t->columns; c++) t->basis[c].functions = s->count[c] = (size_t)tamis_unpack_u64(u, F);
    for (size_t c = 0; c < t->columns; c++)
        t->basis[c].knots = t->basis[c].values = s->knot_count[c] = (size_t)tamis_unpack_u64(u, TAMIS_KNOTS);
    for (size_t c = 0; c < t->columns; c++) {
        size_t *order = t->basis[c].order;
        for (size_t k = 0; k < s->count[c]; k++) {
            order[k] = (size_t)tamis_unpack_u64(u, F - 1);
            if (k && order[k] <= order[k - 1]) u->failed = 1;
        }
        tamis_terms_tables_place(s, c, order);
    }
    if (s->functions != total) u->failed = 1;
}

static int basis_good(const struct tamis_basis *b)
{
    if (!b->functions) return !b->knots;
    if (b->knots < 2 || !(b->lo < b->hi)) return 0;
    for (size_t k = 1; k < b->knots; k++)
        if (!(b->knot[k] > b->knot[k - 1] && b->rank[k] >= b->rank[k - 1])) return 0;
    return b->rank[0] >= 0 && b->rank[b->knots - 1] <= 1;
}

static void unpack_tables(struct tamis_unpack *u, struct tamis_terms *t, struct tamis_terms_tables *s)
{
    tamis_unpack_into(u, s->lo, t->columns);
    tamis_unpack_into(u, s->hi, t->columns);
    tamis_unpack_into(u, s->knot, s->knots);
    tamis_unpack_into(u, s->rank, s->knots);
    tamis_unpack_into(u, s->mean, s->means);
    tamis_unpack_into(u, s->turn, s->turns);
    for (size_t c = 0; !u->failed && c < t->columns; c++) {
        tamis_terms_tables_move(s, &t->basis[c], c, 1);
        if (!basis_good(&t->basis[c])) u->failed = 1;
    }
}

static void unpack_bases(struct tamis_unpack *u, struct tamis_terms *t)
{
    struct tamis_terms_tables s = {0};
    if (tamis_unpack_u64(u, t->columns) != t->columns) u->failed = 1;
    size_t total = (size_t)tamis_unpack_u64(u, F * t->columns);
    if (tamis_terms_tables_columns(u->cx, &s, t->columns)) u->failed = 1;
    if (!u->failed) unpack_orders(u, t, &s, total);
    if (!u->failed && tamis_terms_tables_fill(u->cx, &s)) u->failed = 1;
    if (!u->failed) unpack_tables(u, t, &s);
    tamis_terms_tables_free(&s);
}

static void unpack_factors(struct tamis_unpack *u, struct tamis_terms *t)
{
    for (size_t i = 0; i < TAMIS_TERM_INPUTS * t->features; i++) {
        size_t factor = (size_t)tamis_unpack_u64(u, F * t->columns), column = (factor - 1) / F;
        if (factor && (factor - 1) % F > 0 && (factor - 1) % F >= t->basis[column].functions) u->failed = 1;
        t->factor[i] = u->failed ? 0 : factor;
    }
}

static void unpack_weights(struct tamis_unpack *u, struct tamis_terms *t)
{
    tamis_unpack_into(u, t->coefficient, t->features * t->outputs);
    tamis_unpack_into(u, t->bias, t->outputs);
    tamis_unpack_into(u, t->weight, t->columns);
    for (size_t c = 0; !u->failed && c < t->columns; c++)
        if (!(t->weight[c] >= 0)) u->failed = 1;
    tamis_unpack_into(u, t->centre, t->centres * t->columns);
    tamis_unpack_into(u, t->alpha, t->centres * t->outputs);
}

/* Whether a x b numbers may be among the `left` that remain. */
static int fit(size_t a, size_t b, size_t left) { return !b || a <= left / b; }

static void *unpack(struct tamis_unpack *u, size_t columns, size_t outputs)
{
    size_t left = (u->length - u->at) / 8;
    size_t features = (size_t)tamis_unpack_u64(u, left), factors = (size_t)tamis_unpack_u64(u, left),
           centres = (size_t)tamis_unpack_u64(u, left);
    if (factors != TAMIS_TERM_INPUTS * features || columns > left || outputs > left || !fit(features, outputs, left) ||
        !fit(centres, columns, left) || !fit(centres, outputs, left))
        u->failed = 1;
    struct tamis_terms *t = u->failed ? NULL : tamis_terms_new(u->cx, columns, outputs, features, centres);
    if (!t) return NULL;
    unpack_bases(u, t);
    if (!u->failed) unpack_factors(u, t);
    if (!u->failed) unpack_weights(u, t);
    if (!u->failed) return t;
    tamis_terms_free(t);
    return NULL;
}

/* ---- description ---- */

static size_t basis_functions(const void *body)
{
    const struct tamis_terms *t = body;
    return t->features + t->centres;
}

static int has_column(const size_t *factor, size_t column)
{
    for (size_t k = 0; k < TAMIS_TERM_INPUTS; k++)
        if (factor[k] && (factor[k] - 1) / F == column) return 1;
    return 0;
}

/* Whether every column of feature a is also in feature b. */
static int within(const size_t *a, const size_t *b)
{
    for (size_t k = 0; k < TAMIS_TERM_INPUTS; k++)
        if (a[k] && !has_column(b, (a[k] - 1) / F)) return 0;
    return 1;
}

/* The number of different sets of columns among the features. */
static size_t terms(const struct tamis_terms *t)
{
    size_t count = 0;
    for (size_t f = 0; f < t->features; f++) {
        const size_t *a = t->factor + TAMIS_TERM_INPUTS * f, *b = t->factor;
        while (b < a && !(within(a, b) && within(b, a))) b += TAMIS_TERM_INPUTS;
        count += b == a;
    }
    return count;
}

static void describe(const void *body, tamis_value *parameters)
{
    const struct tamis_terms *t = body;
    tamis_add_number(parameters, "terms", (double)terms(t));
    tamis_add_number(parameters, "features", (double)t->features);
    tamis_add_number(parameters, "centres", (double)t->centres);
}

static void body_free(void *body) { tamis_terms_free(body); }

const struct tamis_model_kind tamis_terms_kind = {
    .name = "terms",
    .predict = predict,
    .basis_functions = basis_functions,
    .describe = describe,
    .pack = pack,
    .unpack = unpack,
    .free = body_free,
    .fields = fields,
    .code = tamis_terms_code,
};
