/* Shared by the tests of sift's parts: dense algebra in plain loops, and small worlds of inputs, their functions,
 * targets and a view of all rows. */
#ifndef TAMIS_TESTS_SIFT_WORLD_H
#define TAMIS_TESTS_SIFT_WORLD_H

#include "base/rng.h"
#include "method/sift/sift_mix.h"
#include "unit.h"

#define COUNT(a) (sizeof(a) / sizeof *(a))

/* ---- dense algebra in plain loops ---- */

static inline double product(size_t n, const double *a, const double *b)
{
    double sum = 0;
    for (size_t i = 0; i < n; i++) sum += a[i] * b[i];
    return sum;
}

static inline void add(size_t n, double scale, const double *a, double *to)
{
    for (size_t i = 0; i < n; i++) to[i] += scale * a[i];
}

/* Columns of n rows; appended ones are made orthonormal to those before, unless next to nothing of them is left. */
struct frame { size_t n, columns, room; double *q; };

static inline int append(struct frame *f, const double *column)
{
    if (f->columns == f->room) f->q = realloc(f->q, (f->room = 2 * f->room + 8) * f->n * sizeof *f->q);
    double *to = f->q + f->n * f->columns, mean = 0, spread, left;
    memcpy(to, column, f->n * sizeof *to);
    for (size_t i = 0; i < f->n; i++) mean += to[i] / (double)f->n;
    spread = product(f->n, to, to) - (f->columns ? (double)f->n * mean * mean : 0);
    for (int turn = 0; turn < 2; turn++)
        for (size_t k = 0; k < f->columns; k++) {
            const double *q = f->q + f->n * k;
            add(f->n, -product(f->n, q, to), q, to);
        }
    left = product(f->n, to, to);
    if (!(left > 1e-6 * spread) || !(left > 0)) return 0;
    for (size_t i = 0; i < f->n; i++) to[i] /= sqrt(left);
    f->columns++;
    return 1;
}

/* x = A^-1 x for a symmetric positive A (n x n), which is lost; Gaussian elimination. */
static inline void solve(size_t n, double *a, double *x)
{
    for (size_t k = 0; k < n; k++)
        for (size_t i = k + 1; i < n; i++) {
            double ratio = a[i + n * k] / a[k + n * k];
            for (size_t j = k; j < n; j++) a[i + n * j] -= ratio * a[k + n * j];
            x[i] -= ratio * x[k];
        }
    for (size_t i = n; i-- > 0;) {
        for (size_t j = i + 1; j < n; j++) x[i] -= a[i + n * j] * x[j];
        x[i] /= a[i + n * i];
    }
}

/* ---- worlds: inputs, their functions, targets, a view of all rows ---- */

struct world {
    tamis_context *cx;
    tamis_table *t;
    struct tamis_encoder *e;
    struct tamis_design *d;
    struct sift_functions f;
    struct sift_view v;
    size_t rows, l, *row, *group;
    double *target;                     /* rows x l */
    struct tamis_rng rng;
};

static const char *const levels[] = {"red", "green", "blue", "grey"};

/* A value of a column of this kind: n normal, l log-normal, u uniform, 2 .. 9 so many values, c a category. */
static inline double drawn(struct tamis_rng *g, char kind)
{
    if (kind == 'n') return tamis_rng_normal(g);
    if (kind == 'l') return exp(tamis_rng_normal(g));
    if (kind == 'u') return tamis_rng_uniform(g);
    return (double)tamis_rng_below(g, kind == 'c' ? 4 : (size_t)(kind - '0'));
}

/* The class of a row: 60, 30 and 10 % of them, or 70 and 30 %. */
static inline double some_class(struct tamis_rng *g, size_t classes)
{
    double u = tamis_rng_uniform(g);
    return classes == 2 ? u < 0.3 : u < 0.1 ? 2 : u < 0.4;
}

static inline tamis_table *world_table(struct world *w, const char *kinds, size_t classes)
{
    size_t d = strlen(kinds), n = w->rows;
    double *x = malloc(n * (d + 1) * sizeof *x);
    int *code = malloc(n * d * sizeof *code);
    tamis_column *column = calloc(d + 1, sizeof *column);
    char (*name)[16] = malloc((d + 1) * sizeof *name);
    tamis_table *t = NULL;
    for (size_t k = 0; k <= d; k++) {
        for (size_t i = 0; i < n; i++)
            x[i + n * k] = k < d ? drawn(&w->rng, kinds[k]) : classes ? some_class(&w->rng, classes)
                                                                      : tamis_rng_normal(&w->rng);
        sprintf(name[k], "x%zu", k);
        column[k] = (tamis_column){.size = sizeof *column, .name = name[k], .value = x + n * k, .format = TAMIS_F64};
        if (k == d || kinds[k] != 'c') continue;
        for (size_t i = 0; i < n; i++) code[i + n * k] = (int)x[i + n * k];
        column[k].value = code + n * k;
        column[k].format = TAMIS_I32;
        column[k].level = levels;
        column[k].levels = 4;
    }
    assert_int_equal(tamis_table_from_columns(w->cx, "world", n, column, d + 1, &t), TAMIS_OK);
    free(x), free(code), free(column), free(name);
    return t;
}

/* Targets: normal numbers, or the centred indicators of all classes but the last. */
static inline void world_target(struct world *w)
{
    size_t n = w->rows, classes = w->e->classes;
    for (size_t o = 0; o < w->l; o++)
        for (size_t i = 0; i < n; i++)
            w->target[i + n * o] = classes ? w->d->y[i] == (double)o : tamis_rng_normal(&w->rng);
}

static inline void view_again(struct world *w)
{
    sift_view_free(&w->v);
    assert_int_equal(sift_view_make(w->cx, &w->f, w->target, w->l, w->row, w->rows, &w->v), TAMIS_OK);
}

/* classes 0: a regression with l targets. */
static inline void world_make(tamis_context *cx, struct world *w, size_t rows, const char *kinds, size_t classes,
                              size_t l, uint64_t seed)
{
    struct tamis_roles roles = {.force = classes > 0};
    *w = (struct world){.cx = cx, .rows = rows, .l = classes ? classes - 1 : l};
    tamis_rng_init(&w->rng, seed, TAMIS_RNG_TEST, 77);
    w->t = world_table(w, kinds, classes);
    assert_non_null(w->e = tamis_encoder_new(cx, w->t, &roles));
    w->row = malloc(rows * sizeof *w->row);
    for (size_t i = 0; i < rows; i++) w->row[i] = i;
    assert_non_null(w->d = tamis_design_learn(cx, w->e, w->t, w->row, rows, 1));
    assert_int_equal(w->e->classes, classes);
    assert_int_equal(sift_functions_learn(cx, w->d, &w->f), TAMIS_OK);
    w->target = malloc(rows * w->l * sizeof *w->target);
    world_target(w);
    view_again(w);
}

static inline void world_free(struct world *w)
{
    sift_view_free(&w->v);
    sift_functions_free(&w->f);
    tamis_design_free(w->d);
    tamis_encoder_free(w->e);
    tamis_table_free(w->t);
    free(w->row), free(w->target);
}

/* Function k of an input for every row of the view. */
static inline double *function_of(const struct world *w, size_t input, size_t k)
{
    double *all = malloc(SIFT_BLOCK * (k + 1) * sizeof *all), *out = malloc(w->v.n * sizeof *out);
    for (size_t from = 0; from < w->v.n; from += SIFT_BLOCK) {
        size_t n = w->v.n - from < SIFT_BLOCK ? w->v.n - from : SIFT_BLOCK;
        sift_functions_fill(&w->f, input, k + 1, w->v.row + from, n, all, SIFT_BLOCK);
        memcpy(out + from, all + SIFT_BLOCK * k, n * sizeof *out);
    }
    free(all);
    return out;
}

/* The product of functions k[0..inputs-1] of the inputs. */
static inline double *product_of(const struct world *w, size_t inputs, const size_t *input, const size_t *k)
{
    double *out = function_of(w, input[0], k[0]);
    for (size_t j = 1; j < inputs; j++) {
        double *more = function_of(w, input[j], k[j]);
        for (size_t i = 0; i < w->v.n; i++) out[i] *= more[i];
        free(more);
    }
    return out;
}

static inline size_t least_of(size_t a, size_t b) { return a < b ? a : b; }

/* Adds the product of the first functions of some inputs to every target. */
static inline void plant(struct world *w, size_t inputs, const size_t *input, double strength)
{
    double *p = product_of(w, inputs, input, (size_t[3]){0});
    for (size_t o = 0; o < w->l; o++) add(w->rows, strength, p, w->target + w->rows * o);
    free(p);
    view_again(w);
}

#endif
