/* Tables whose relevant inputs are known: y = f(x1, ..., xk) + e, e ~ N(0, s^2), inputs independent and uniform, and
 * further inputs that f does not depend on. A class is the sign of f + e: a for negative, b for the others.
 *
 * Row i is drawn from stream i of the seed, the inputs of f first, then e, then the others: neither the number of rows
 * nor that of useless inputs changes the rest.
 *
 * [1] Friedman, Multivariate adaptive regression splines, Annals of Statistics 19(1), 1991, eq. (61).
 * [2] Tikka, Simultaneous input variable and basis function selection for RBF networks, Neurocomputing 72, 2009 (seed
 * 004). */
#include <math.h>
#include <stdio.h>
#include <string.h>
#include "base/rng.h"
#include "data/generate.h"

struct generator {
    tamis_part_info info;
    const char *truth;
    size_t useful, useless;
    double low, high, noise;
    double (*f)(const double *x);
};

static double friedman(const double *x)                 /* [1] eq. (61), [2] eq. (16) */
{
    return 10 * sin(M_PI * x[0] * x[1]) + 20 * (x[2] - .5) * (x[2] - .5) + 10 * x[3] + 5 * x[4];
}

static double bump(const double *x)                     /* [2] eq. (15) */
{
    double x2 = x[0] * x[0];
    return (1 - x[0] + 2 * x2) * exp(-x2 * x2);
}

static double linear(const double *x) { return 3 * x[0] - 2 * x[1] + x[2]; }
static double product(const double *x) { return x[0] * x[1]; }
static double additive(const double *x) { return 2 * sin(M_PI * x[0]) + 3 * x[1] * x[1] - 1 + x[2]; }

static double nothing(const double *x)
{
    (void)x;
    return 0;
}

#define GENERATOR(title, kind_of, text, truth, source) \
    {.name = title, .task = kind_of, .summary = text "; relevant: " truth, .paper = source, .label = title}
static const struct generator generators[] = {
    {GENERATOR("add10", "regression", "Friedman's function of five inputs, and five useless ones, U(0,1), noise 1",
               "x1,x2,x3,x4,x5", "Friedman 1991"),
     "x1,x2,x3,x4,x5", 5, 5, 0, 1, 1, friedman},
    {GENERATOR("friedman1", "regression", "the same with any number of useless inputs (--useless)", "x1,x2,x3,x4,x5",
               "Friedman 1991"),
     "x1,x2,x3,x4,x5", 5, 5, 0, 1, 1, friedman},
    {GENERATOR("tikka1d", "regression", "(1 - x1 + 2 x1^2) exp(-x1^4), five inputs U(-2,2), noise 0.15", "x1",
               "Tikka 2009, eq. 15"),
     "x1", 1, 4, -2, 2, .15, bump},
    {GENERATOR("tikka10", "regression",
               "Friedman's function as in the second example of the paper, ten inputs U(0,1), noise 1",
               "x1,x2,x3,x4,x5", "Tikka 2009, eq. 16"),
     "x1,x2,x3,x4,x5", 5, 5, 0, 1, 1, friedman},
    {GENERATOR("linear", "regression", "3 x1 - 2 x2 + x3, ten inputs U(-1,1), noise 0.5", "x1,x2,x3", NULL), "x1,x2,x3",
     3, 7, -1, 1, .5, linear},
    {GENERATOR("interaction", "regression", "x1 x2 without main effects, ten inputs U(-1,1), noise 0.1", "x1,x2", NULL),
     "x1,x2", 2, 8, -1, 1, .1, product},
    {GENERATOR("noise", "regression", "a target that depends on no input, ten inputs U(-1,1), noise 1", "none",
               NULL),
     "", 0, 10, -1, 1, 1, nothing},
    {GENERATOR("xor", "classification", "the sign of x1 x2, ten inputs U(-1,1), no noise", "x1,x2", NULL), "x1,x2", 2,
     8, -1, 1, 0, product},
    {GENERATOR("additive", "classification",
               "the sign of 2 sin(pi x1) + 3 x2^2 - 1 + x3, ten inputs U(-1,1), noise 0.3", "x1,x2,x3", NULL),
     "x1,x2,x3", 3, 7, -1, 1, .3, additive},
};
enum { GENERATORS = sizeof generators / sizeof *generators };

struct settings { size_t rows, useless, seed; double noise; };

#define AT(name) offsetof(struct settings, name)
const struct tamis_option tamis_generate_options[] = {
    {"rows", TAMIS_COUNT, AT(rows), "250", 1, 4e9, NULL, NULL, "number of rows"},
    {"useless", TAMIS_COUNT, AT(useless), NULL, 0, 1e6, NULL, NULL,
     "number of irrelevant inputs (default: depends on the table)"},
    {"noise", TAMIS_REAL, AT(noise), NULL, 0, 1e300, NULL, "SD",
     "standard deviation of the noise (default: depends on the table)"},
    {0}};

static const struct tamis_option seed_row[] = {{"seed", TAMIS_COUNT, AT(seed), "1", 0, 9e15, NULL, NULL, ""}, {0}};

const tamis_part_info *tamis_generator_at(size_t i) { return i < GENERATORS ? &generators[i].info : NULL; }

static const struct generator *generator_find(const char *name)
{
    for (size_t i = 0; i < GENERATORS; i++)
        if (!strcmp(generators[i].info.name, name)) return &generators[i];
    return NULL;
}

const char *tamis_generator_truth(const char *name)
{
    const struct generator *g = generator_find(name);
    return g ? g->truth : NULL;
}

static double draw(const struct generator *g, struct tamis_rng *r)
{
    return g->low + (g->high - g->low) * tamis_rng_uniform(r);
}

static void generate_row(const struct generator *g, const struct settings *s, tamis_table *t, size_t i)
{
    struct tamis_rng r;
    double x[8];
    struct tamis_data_column *y = &t->column[t->columns - 1];
    tamis_rng_init(&r, s->seed, TAMIS_RNG_GENERATE, (uint32_t)i);
    for (size_t j = 0; j < g->useful; j++) t->column[j].value[i] = x[j] = draw(g, &r);
    double v = g->f(x) + s->noise * tamis_rng_normal(&r);
    y->value[i] = y->type == TAMIS_NUMBER ? v : v >= 0;
    for (size_t j = g->useful; j + 1 < t->columns; j++) t->column[j].value[i] = draw(g, &r);
}

static int name_columns(tamis_context *cx, const struct generator *g, tamis_table *t)
{
    char name[32] = "y";
    int ok = 1;
    struct tamis_data_column *y = &t->column[t->columns - 1];
    y->name = tamis_strdup(cx, name);
    for (size_t j = 0; j + 1 < t->columns; j++) {
        snprintf(name, sizeof name, "x%zu", j + 1);
        ok = (t->column[j].name = tamis_strdup(cx, name)) != NULL && ok;
    }
    if (!strcmp(g->info.task, "classification")) {
        y->type = TAMIS_CATEGORY;
        y->level = tamis_new(cx, char *, 2);
        for (size_t k = 0; y->level && k < 2; k++)
            ok = (y->level[y->levels++] = tamis_strdup(cx, k ? "b" : "a")) != NULL && ok;
        ok = y->level && ok;
    }
    return y->name && ok ? TAMIS_OK : TAMIS_MEMORY;
}

static int unknown(tamis_context *cx, const char *name)
{
    char names[512] = "";
    for (size_t i = 0; i < GENERATORS; i++) {
        size_t n = strlen(names);
        snprintf(names + n, sizeof names - n, "%s%s", i ? ", " : "", generators[i].info.name);
    }
    return tamis_fail(cx, TAMIS_USAGE, "unknown table '%s'; choose one of %s", name, names);
}

int tamis_table_generate(tamis_context *cx, const char *name, const tamis_options *o, tamis_table **out)
{
    const struct generator *g = generator_find(name);
    *out = NULL;
    tamis_forget(cx);
    if (!g) return unknown(cx, name);
    struct settings s = {.useless = g->useless, .noise = g->noise};
    int status = tamis_options_read(cx, o, tamis_generate_options, &s);
    if (!status) status = tamis_options_read(cx, o, seed_row, &s);
    size_t columns = g->useful + s.useless + 1;
    if (!status && columns == 1) status = tamis_fail(cx, TAMIS_USAGE, "--useless 0 leaves '%s' without inputs", name);
    if (!status)
        status = tamis_memory_check(cx, 8.0 * (double)s.rows * (double)columns, "the table",
                                    "take fewer rows or useless inputs");
    tamis_table *t = status ? NULL : tamis_table_sized(cx, name, s.rows, columns);
    if (!status) status = t ? name_columns(cx, g, t) : TAMIS_MEMORY;
    for (size_t i = 0; !status && i < s.rows; i++) {
        generate_row(g, &s, t, i);
        if (i % 65536 == 0) status = tamis_check_cancel(cx);
    }
    if (!status) *out = t;
    else tamis_table_free(t);
    return status;
}
