/* Tables whose relevant inputs are known, of two designs:
 *
 *   y = g(f(x1, ..., xk) + e), e ~ N(0, s^2), inputs independent and all of one distribution. The link g gives a number
 *   as it is; the class b where it is not negative (a elsewhere); or the class b with that logit.
 *   The class of row i is given, and each class shifts some of x1, ..., xk.
 *
 * Further inputs have the same distribution and no part in the target. Row i is drawn from stream i of the seed, the
 * inputs of f first, then e and the link, then the others: neither the number of rows nor that of useless inputs
 * changes the rest.
 *
 * [1] Friedman, Multivariate adaptive regression splines, Annals of Statistics 19(1), 1991, eq. (61).
 * [2] Tikka, Simultaneous input variable and basis function selection for RBF networks, Neurocomputing 72, 2009 (seed
 * 004). */
#include <math.h>
#include <string.h>
#include "base/format.h"
#include "base/nearest.h"
#include "base/rng.h"
#include "data/generate.h"

enum { MOST_USEFUL = 10, ROWS = 250, NO_NOISE = -1 };

struct generator {
    tamis_part_info info;
    const char *truth;
    size_t rows, useful, useless, levels;               /* rows 0: ROWS; levels 0: a number as target */
    double low, high;                                   /* inputs are uniform between these; both 0: standard normal */
    double noise;                                       /* s; NO_NOISE: there is no e */
    double (*f)(const double *x);
    double (*link)(double v, struct tamis_rng *r);      /* the target: a number, or the index of a level */
    const char *pattern;                                /* f NULL: classes of the first rows as letters, then again */
    const double *shift;                                /* levels x useful: added to the inputs of a class */
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

static double weak(const double *x)
{
    double sum = 0;
    for (size_t j = 0; j < 10; j++) sum += x[j];
    return .105 * sum;                                  /* R2 = 10 .105^2 / (1 + 10 .105^2) = .099 */
}

static double inter(const double *x)                    /* Var(sin(2a) b) = E sin^2(2a) = (1 - e^-8) / 2 */
{
    double sum = 0;
    for (size_t j = 0; j < 10; j += 2) sum += sin(2 * x[j]) * x[j + 1];
    return sum / sqrt(2.5 * (1 - exp(-8)));
}

static double logit_pair(const double *x) { return .35 * x[0] + .35 * x[1] * x[2] - .3 * x[3]; }

static double nothing(const double *x)
{
    (void)x;
    return 0;
}

static double number(double v, struct tamis_rng *r)
{
    (void)r;
    return v;
}

static double sign(double v, struct tamis_rng *r)
{
    (void)r;
    return v >= 0;
}

static double logit(double v, struct tamis_rng *r) { return tamis_rng_uniform(r) < 1 / (1 + exp(-v)); }

static const double genes[3][5] = {{0, 0, 0, 0, 1.3}, {1.6, 0, -1.5, 0, 0}, {0, 1.9, 0, -1.9, 0}};

#define GENERATOR(title, kind_of, text, truth, source) \
    .info = {.name = title, .task = kind_of, .summary = text "; relevant: " truth, .paper = source, .label = title}
#define FIVE "x1,x2,x3,x4,x5"
#define TEN "x1,x2,x3,x4,x5,x6,x7,x8,x9,x10"
#define INPUTS(relevant, k, others, from, to) \
    .truth = relevant, .useful = k, .useless = others, .low = from, .high = to
#define NORMAL_INPUTS(relevant, k, others) INPUTS(relevant, k, others, 0, 0)
#define NUMBER(function, sd) .f = function, .link = number, .noise = sd
#define CLASSES(function, of, sd) .f = function, .link = of, .noise = sd, .levels = 2
static const struct generator generators[] = {
    {GENERATOR("add10", "regression", "Friedman's function of five inputs, and five useless ones, U(0,1), noise 1",
               FIVE, "Friedman 1991"),
     INPUTS(FIVE, 5, 5, 0, 1), NUMBER(friedman, 1)},
    {GENERATOR("friedman1", "regression", "the same with any number of useless inputs (--useless)", FIVE,
               "Friedman 1991"),
     INPUTS(FIVE, 5, 5, 0, 1), NUMBER(friedman, 1)},
    {GENERATOR("tikka1d", "regression", "(1 - x1 + 2 x1^2) exp(-x1^4), five inputs U(-2,2), noise 0.15", "x1",
               "Tikka 2009, eq. 15"),
     INPUTS("x1", 1, 4, -2, 2), NUMBER(bump, .15)},
    {GENERATOR("tikka10", "regression",
               "Friedman's function as in the second example of the paper, ten inputs U(0,1), noise 1", FIVE,
               "Tikka 2009, eq. 16"),
     INPUTS(FIVE, 5, 5, 0, 1), NUMBER(friedman, 1)},
    {GENERATOR("linear", "regression", "3 x1 - 2 x2 + x3, ten inputs U(-1,1), noise 0.5", "x1,x2,x3", NULL),
     INPUTS("x1,x2,x3", 3, 7, -1, 1), NUMBER(linear, .5)},
    {GENERATOR("weak", "regression", "0.105 (x1 + ... + x10), thirty inputs N(0,1), noise 1, so that R2 is 0.1", TEN,
               NULL),
     NORMAL_INPUTS(TEN, 10, 20), NUMBER(weak, 1)},
    {GENERATOR("interaction", "regression", "x1 x2 without main effects, ten inputs U(-1,1), noise 0.1", "x1,x2", NULL),
     INPUTS("x1,x2", 2, 8, -1, 1), NUMBER(product, .1)},
    {GENERATOR("inter", "regression",
               "sin(2 x1) x2 + sin(2 x3) x4 + ... + sin(2 x9) x10, scaled to variance 1, thirty inputs N(0,1), noise 1",
               TEN, NULL),
     NORMAL_INPUTS(TEN, 10, 20), NUMBER(inter, 1)},
    {GENERATOR("noise", "regression", "a target that depends on no input, ten inputs U(-1,1), noise 1", "none",
               NULL),
     INPUTS("", 0, 10, -1, 1), NUMBER(nothing, 1)},
    {GENERATOR("xor", "classification", "the sign of x1 x2, ten inputs U(-1,1), no noise", "x1,x2", NULL),
     INPUTS("x1,x2", 2, 8, -1, 1), CLASSES(product, sign, 0)},
    {GENERATOR("additive", "classification",
               "the sign of 2 sin(pi x1) + 3 x2^2 - 1 + x3, ten inputs U(-1,1), noise 0.3", "x1,x2,x3", NULL),
     INPUTS("x1,x2,x3", 3, 7, -1, 1), CLASSES(additive, sign, .3)},
    {GENERATOR("logit-pair", "classification",
               "two classes with logit 0.35 x1 + 0.35 x2 x3 - 0.3 x4, thirty inputs N(0,1), no noise in the logit",
               "x1,x2,x3,x4", NULL),
     NORMAL_INPUTS("x1,x2,x3,x4", 4, 26), CLASSES(logit_pair, logit, 0)},
    {GENERATOR("genes-wide", "classification",
               "three classes, of 150 rows 95, 35 and 20, that shift five of 2000 inputs N(0,1) by 1.3 to 1.9", FIVE,
               NULL),
     NORMAL_INPUTS(FIVE, 5, 1995), .rows = 150, .levels = 3, .noise = NO_NOISE, .shift = *genes,
     .pattern = "aabaacaababaacabaabacaababaaca"},
};
enum { GENERATORS = sizeof generators / sizeof *generators };

struct settings { size_t rows, useless, seed; double noise; };

#define AT(name) offsetof(struct settings, name)
const struct tamis_option tamis_generate_options[] = {
    {"rows", TAMIS_COUNT, AT(rows), NULL, 1, 4e9, NULL, NULL, "number of rows (default: 250 for most tables)"},
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
    if (g->low == g->high) return tamis_rng_normal(r);
    return g->low + (g->high - g->low) * tamis_rng_uniform(r);
}

static size_t class_of(const struct generator *g, size_t i)
{
    return g->pattern ? (size_t)(g->pattern[i % strlen(g->pattern)] - 'a') : 0;
}

static void generate_row(const struct generator *g, const struct settings *s, tamis_table *t, size_t i)
{
    struct tamis_rng r;
    double x[MOST_USEFUL];
    size_t k = class_of(g, i);
    const double *shift = g->shift ? g->shift + k * g->useful : NULL;
    tamis_rng_init(&r, s->seed, TAMIS_RNG_GENERATE, (uint32_t)i);
    for (size_t j = 0; j < g->useful; j++)
        t->column[j].value[i] = x[j] = draw(g, &r) + (shift ? shift[j] : 0);
    t->column[t->columns - 1].value[i] = g->f ? g->link(g->f(x) + s->noise * tamis_rng_normal(&r), &r) : (double)k;
    for (size_t j = g->useful; j + 1 < t->columns; j++) t->column[j].value[i] = draw(g, &r);
}

static int name_columns(tamis_context *cx, const struct generator *g, tamis_table *t)
{
    char name[32] = "y";
    int ok = 1;
    struct tamis_data_column *y = &t->column[t->columns - 1];
    y->name = tamis_strdup(cx, name);
    for (size_t j = 0; j + 1 < t->columns; j++) {
        tamis_snprintf(name, sizeof name, "x%zu", j + 1);
        ok = (t->column[j].name = tamis_strdup(cx, name)) != NULL && ok;
    }
    if (g->levels) {
        y->type = TAMIS_CATEGORY;
        y->level = tamis_new(cx, char *, g->levels);
        for (size_t k = 0; y->level && k < g->levels; k++)
            ok = (y->level[y->levels++] = tamis_strdup(cx, (char[]){(char)('a' + k), 0})) != NULL && ok;
        ok = y->level && ok;
    }
    return y->name && ok ? TAMIS_OK : TAMIS_MEMORY;
}

static const char *name_at(const void *list, size_t i)
{
    (void)list;
    return i < GENERATORS ? generators[i].info.name : NULL;
}

static int unknown(tamis_context *cx, const char *name)
{
    char names[512] = "";
    for (size_t i = 0; i < GENERATORS; i++) {
        size_t n = strlen(names);
        tamis_snprintf(names + n, sizeof names - n, "%s%s", i ? ", " : "", generators[i].info.name);
    }
    return tamis_fail(cx, TAMIS_USAGE, "unknown table '%s'; choose one of %s%s", name, names,
                      tamis_hint(name, name_at, NULL, "").text);
}

int tamis_table_generate(tamis_context *cx, const char *name, const tamis_options *o, tamis_table **out)
{
    TAMIS_CALL(cx);
    const struct generator *g = generator_find(name);
    *out = NULL;
    if (!g) return unknown(cx, name);
    struct settings s = {.rows = g->rows ? g->rows : ROWS, .useless = g->useless, .noise = g->noise};
    int status = tamis_options_read(cx, o, tamis_generate_options, &s);
    if (!status) status = tamis_options_read(cx, o, seed_row, &s);
    if (!status && g->noise < 0 && s.noise >= 0)
        status = tamis_fail(cx, TAMIS_USAGE, "%s has no noise to set: its classes shift the inputs; drop --noise",
                            name);
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
