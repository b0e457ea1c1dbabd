/* LS-SVM and RRKRR: known answers, against refits, classification, threads, bad tables, failing memory. */
#include "base/rng.h"
#include "cases_lssvm.h"
#include "crit/reduced_rank.h"
#include "crit/lssvm.h"
#include "data/design.h"
#include "model/rbf.h"
#include "num/gauss.h"
#include "num/greedy.h"
#include "num/lssvm_folds.h"
#include "run.h"
#include "search/search.h"

__extension__ typedef _Float128 quad;

#define CLOSE(a, b, tolerance) \
    do { \
        double close_a = (a), close_b = (b), close_t = (tolerance); \
        if (!(fabs(close_a - close_b) <= close_t)) \
            fail_msg("line %d: %.17g and %.17g are apart by %.3g, more than %.3g", __LINE__, close_a, close_b, \
                     fabs(close_a - close_b), close_t); \
    } while (0)

/* ---- machines on arrays ---- */

struct problem {
    size_t n, d, outputs;
    double *x, *y, *d2, *class_of, *memory;
    size_t *start, *row;
    struct tamis_folds folds;
    struct tamis_lssvm w;
};

static void distances(struct problem *p)
{
    memset(p->d2, 0, p->n * p->n * sizeof *p->d2);
    for (size_t k = 0; k < p->d; k++) tamis_dist_add(p->n, p->x + k * p->n, p->d2);
}

static struct problem problem_new(size_t n, size_t d, size_t outputs)
{
    struct problem p = {.n = n, .d = d, .outputs = outputs};
    p.x = malloc(n * d * sizeof(double));
    p.y = malloc(n * outputs * sizeof(double));
    p.d2 = malloc(n * n * sizeof(double));
    p.class_of = calloc(n, sizeof(double));
    p.start = malloc((n + 1) * sizeof(size_t));
    p.row = malloc(n * sizeof(size_t));
    return p;
}

static void problem_free(struct problem *p)
{
    free(p->x), free(p->y), free(p->d2), free(p->class_of), free(p->start), free(p->row), free(p->memory);
}

static void problem_draw(struct problem *p, uint64_t seed)
{
    struct tamis_rng r;
    tamis_rng_init(&r, seed, TAMIS_RNG_TEST, 0);
    for (size_t i = 0; i < p->n * p->d; i++) p->x[i] = tamis_rng_normal(&r);
    for (size_t i = 0; i < p->n; i++) {
        p->class_of[i] = (double)tamis_rng_below(&r, p->outputs);
        for (size_t c = 0; c < p->outputs; c++)
            p->y[i + c * p->n] = p->outputs > 1 ? (p->class_of[i] == (double)c ? 1 : -1)
                                                : sin(1.7 * p->x[i]) + 0.6 * p->x[i + (p->d - 1) * p->n] +
                                                      0.3 * tamis_rng_normal(&r);
    }
    distances(p);
}

/* Binds the machine to folds by fold[i]; memory holds what is no number, so that what is read before it is written
 * shows. */
static void problem_bind(struct problem *p, const size_t *fold, size_t folds)
{
    size_t at = 0;
    for (size_t f = 0; f < folds; f++) {
        p->start[f] = at;
        for (size_t i = 0; i < p->n; i++)
            if (fold[i] == f) p->row[at++] = i;
    }
    p->start[folds] = at;
    p->folds = (struct tamis_folds){folds, p->start, p->row};
    struct tamis_lssvm_data data = {p->n, p->outputs, p->y, p->outputs > 1 ? p->class_of : NULL, &p->folds};
    size_t size = tamis_lssvm_size(&data);
    free(p->memory);
    p->memory = malloc(size * sizeof(double));
    memset(p->memory, 0xff, size * sizeof(double));
    tamis_lssvm_bind(&p->w, &data, p->memory);
}

static struct problem problem_case(size_t d)
{
    struct problem p = problem_new(LSSVM_N, d, 1);
    memcpy(p.x, lssvm_x, LSSVM_N * d * sizeof(double));
    memcpy(p.y, lssvm_y, sizeof lssvm_y);
    distances(&p);
    return p;
}

static void grid_is_the_known_one(void **state)
{
    (void)state;
    struct problem p = problem_case(LSSVM_D);
    size_t own[LSSVM_N];
    for (size_t i = 0; i < LSSVM_N; i++) own[i] = i;
    for (size_t k = 0; k < sizeof lssvm_grid / sizeof *lssvm_grid; k++) {
        double sigma2 = lssvm_grid[k].sigma2, gamma = lssvm_grid[k].gamma, beta[LSSVM_N + 1], e[LSSVM_N], most = 0;
        struct tamis_lssvm_error error;
        problem_bind(&p, lssvm_fold, LSSVM_FOLDS);
        assert_int_equal(tamis_lssvm_gauss(&p.w, p.d2, sigma2), 0);
        tamis_lssvm_weights(&p.w, gamma, beta);
        for (size_t i = 0; i < LSSVM_N; i++) most = fmax(most, fabs(lssvm_grid[k].beta[i]));
        for (size_t i = 0; i < LSSVM_N; i++) CLOSE(beta[i], lssvm_grid[k].beta[i], 1e-12 * lssvm_grid[k].cond * most);
        CLOSE(beta[LSSVM_N], lssvm_grid[k].b, 1e-9);
        tamis_lssvm_errors(&p.w, &gamma, 1, &error);
        CLOSE(error.squared, lssvm_grid[k].cv, 1e-8 * lssvm_grid[k].cv);
        problem_bind(&p, own, LSSVM_N);
        assert_int_equal(tamis_lssvm_gauss(&p.w, p.d2, sigma2), 0);
        tamis_lssvm_errors(&p.w, &gamma, 1, &error);
        CLOSE(error.squared, lssvm_grid[k].loo, 1e-8 * lssvm_grid[k].loo);
        assert_int_equal(tamis_lssvm_residuals(&p.w, gamma, e), 0);
        for (size_t i = 0; i < LSSVM_N; i++) CLOSE(e[i], lssvm_grid[k].residual[i], 1e-8);
    }
    problem_free(&p);
}

/* Residual of every row of fold f from the system without it, in quadruple precision. kernel(i, j) from its lower
 * triangle. */
static void refit(const struct problem *p, const double *kernel, const size_t *fold, size_t f, double gamma, double *e)
{
    size_t n = p->n, m = 0, *in = malloc(n * sizeof *in);
    for (size_t i = 0; i < n; i++)
        if (fold[i] != f) in[m++] = i;
    size_t width = m + 1 + p->outputs;
    quad *a = calloc((m + 1) * width, sizeof *a);
#define K(i, j) ((i) > (j) ? kernel[(i) + (j) * n] : kernel[(j) + (i) * n])
    for (size_t i = 0; i <= m; i++)
        for (size_t j = 0; j < width; j++) {
            quad *cell = &a[i * width + j];
            if (j > m) *cell = i < m ? (quad)p->y[in[i] + (j - m - 1) * n] : 0;
            else if (i == m || j == m) *cell = i == m && j == m ? 0 : 1;
            else *cell = (quad)K(in[i], in[j]) + (i == j ? 1 / (quad)gamma : 0);
        }
    for (size_t k = 0; k <= m; k++) {
        size_t best = k;
        for (size_t i = k; i <= m; i++)
            if (fabs((double)a[i * width + k]) > fabs((double)a[best * width + k])) best = i;
        for (size_t j = 0; j < width; j++) {
            quad t = a[k * width + j];
            a[k * width + j] = a[best * width + j];
            a[best * width + j] = t;
        }
        for (size_t i = 0; i <= m; i++) {
            quad factor = i == k ? 0 : a[i * width + k] / a[k * width + k];
            for (size_t j = k; j < width && i != k; j++) a[i * width + j] -= factor * a[k * width + j];
        }
    }
    for (size_t i = 0; i < n; i++)
        for (size_t c = 0; fold[i] == f && c < p->outputs; c++) {
            quad sum = a[m * width + m + 1 + c] / a[m * width + m];
            for (size_t k = 0; k < m; k++) sum += (quad)K(i, in[k]) * (a[k * width + m + 1 + c] / a[k * width + k]);
            e[i + c * n] = (double)((quad)p->y[i + c * n] - sum);
        }
    free(a), free(in);
}

static void compare_with_refits(struct problem *p, size_t folds, double sigma2, double gamma, double tolerance)
{
    size_t n = p->n, *fold = malloc(n * sizeof *fold);
    double *kernel = calloc(n * n, sizeof *kernel), *want = malloc(n * p->outputs * sizeof *want),
           *got = malloc(n * p->outputs * sizeof *got), sum = 0, wrong = 0, most = 0;
    struct tamis_lssvm_error error;
    for (size_t i = 0; i < n; i++)
        fold[i] = folds == n ? n - 1 - i : i < folds ? i : (i * i) % folds; /* of uneven sizes */
    problem_bind(p, fold, folds);
    tamis_gauss(n, p->d2, sigma2, kernel);
    for (size_t f = 0; f < folds; f++) refit(p, kernel, fold, f, gamma, want);
    assert_int_equal(tamis_lssvm_gauss(&p->w, p->d2, sigma2), 0);
    assert_int_equal(tamis_lssvm_residuals(&p->w, gamma, got), 0);
    for (size_t i = 0; i < n * p->outputs; i++) most = fmax(most, fabs(want[i]));
    for (size_t i = 0; i < n * p->outputs; i++) {
        CLOSE(got[i], want[i], tolerance * most);
        sum += want[i] * want[i];
    }
    tamis_lssvm_errors(&p->w, &gamma, 1, &error);
    CLOSE(error.squared, sum / (double)(n * p->outputs), tolerance * sum);
    for (size_t i = 0; p->outputs > 1 && i < n; i++) {
        size_t best = 0;
        for (size_t c = 1; c < p->outputs; c++)
            if (p->y[i + c * n] - want[i + c * n] > p->y[i + best * n] - want[i + best * n]) best = c;
        wrong += (double)best != p->class_of[i];
    }
    CLOSE(error.wrong, wrong / (double)n, 1e-12);
    free(fold), free(kernel), free(want), free(got);
}

static void folds_are_those_of_refits(void **state)
{
    static const size_t size[] = {3, 9, 24, 61};
    (void)state;
    for (size_t s = 0; s < 4; s++)
        for (size_t outputs = 1; outputs <= 3; outputs += 2) {
            size_t n = size[s], folds[] = {2, 3, n < 10 ? n : 10, n};
            struct problem p = problem_new(n, 3, outputs);
            problem_draw(&p, 40 + s);
            for (size_t f = 0; f < 4; f++) {
                compare_with_refits(&p, folds[f], 4, 10, 1e-12);
                compare_with_refits(&p, folds[f], 0.5, 1e3, 1e-12);
                compare_with_refits(&p, folds[f], 300, 100, 1e-12);
                compare_with_refits(&p, folds[f], 1e5, 1e6, 1e-8);              /* of low rank */
            }
            problem_free(&p);
        }
}

static void equal_rows_and_constant_inputs_are_no_harm(void **state)
{
    (void)state;
    struct problem p = problem_new(30, 2, 1);
    problem_draw(&p, 3);
    for (size_t i = 0; i < 30; i++) p.x[i + 30] = 7;
    for (size_t i = 10; i < 20; i++) p.x[i] = p.x[i - 10];
    distances(&p);
    compare_with_refits(&p, 5, 2, 100, 1e-11);
    compare_with_refits(&p, 30, 2, 100, 1e-11);
    memset(p.d2, 0, 900 * sizeof *p.d2); /* all rows the same: the mean of the others */
    compare_with_refits(&p, 5, 2, 100, 1e-12);
    p.d2[5] = NAN;
    assert_int_not_equal(tamis_lssvm_gauss(&p.w, p.d2, 2), 0);
    problem_free(&p);
}

/* ---- the greedy choice ---- */

static void greedy_order_is_the_known_one(void **state)
{
    (void)state;
    struct problem p = problem_case(LSSVM_D);
    size_t n = LSSVM_N, order[LSSVM_N];
    double r[LSSVM_N * LSSVM_N], g[LSSVM_N * LSSVM_N], mre[LSSVM_N + 1], work[3 * LSSVM_N];
    tamis_gauss(n, p.d2, 10, r);
    assert_int_equal(tamis_greedy(n, r, n, 1e-8, n, order, g, mre, work), n);
    for (size_t k = 0; k < n; k++) assert_int_equal(order[k], rrkrr_order[k]);
    for (size_t k = 0; k <= n; k++) CLOSE(mre[k], rrkrr_mre[k], 1e-10);
    for (size_t i = 0; i < n; i++)
        for (size_t j = 0; j <= i; j++) { /* g g^T is the kernel, g_S a triangle */
            double sum = 0;
            for (size_t k = 0; k < n; k++) sum += g[i + k * n] * g[j + k * n];
            CLOSE(sum, exp(-p.d2[i + j * n] / 10), 1e-12);
            if (j < i) assert_true(g[order[j] + i * n] == 0);
        }
    problem_free(&p);
    p = problem_case(1);
    for (size_t k = 0; k < sizeof rrkrr_ill_sizes / sizeof *rrkrr_ill_sizes; k++) {
        tamis_gauss(n, p.d2, 10, r);
        assert_int_equal(tamis_greedy(n, r, n, rrkrr_ill_sizes[k].tolerance, n, order, NULL, mre, work),
                         rrkrr_ill_sizes[k].size);
        for (size_t i = 0; rrkrr_ill_sizes[k].tolerance == 1e-8 && i < 8; i++) {
            assert_int_equal(order[i], rrkrr_ill_order[i]);
            CLOSE(mre[i + 1], rrkrr_ill_mre[i + 1], 1e-7);
        }
    }
    problem_free(&p);
}

static double kernel_at(const struct problem *p, size_t i, size_t j, double sigma2)
{
    return exp(-(i > j ? p->d2[i + j * p->n] : p->d2[j + i * p->n]) / sigma2);
}

/* Eq. 6 from its definition: sum over rows of 1 - k^T K_SS^-1 k, by elimination in quadruple precision. */
static double reconstruction_error(const struct problem *p, const size_t *set, size_t size, double sigma2)
{
    enum { MOST = 16 };
    quad total = 0;
    for (size_t row = 0; row < p->n; row++) {
        quad a[MOST][MOST + 1];
        for (size_t i = 0; i < size; i++) {
            for (size_t k = 0; k < size; k++) a[i][k] = kernel_at(p, set[i], set[k], sigma2);
            a[i][size] = kernel_at(p, set[i], row, sigma2);
        }
        total += 1;
        for (size_t k = 0; k < size; k++) {
            total -= a[k][size] * a[k][size] / a[k][k];
            for (size_t i = k + 1; i < size; i++) {
                quad f = a[i][k] / a[k][k];
                for (size_t c = k; c <= size; c++) a[i][c] -= f * a[k][c];
            }
        }
    }
    return (double)total;
}

static void greedy_steps_are_the_best(void **state)
{
    (void)state;
    enum { N = 14, STEPS = 7 };
    struct problem p = problem_new(N, 2, 1);
    size_t set[N];
    double r[N * N], mre[N + 1], work[2 * N];
    problem_draw(&p, 11);
    tamis_gauss(N, p.d2, 1.5, r);
    assert_int_equal(tamis_greedy(N, r, N, 1e-6, STEPS, set, NULL, mre, work), STEPS);
    for (size_t k = 0; k < STEPS; k++) {
        size_t taken = set[k];
        double least = INFINITY;
        for (size_t j = 0; j < N; j++) {
            int old = 0;
            for (size_t i = 0; i < k; i++) old |= set[i] == j;
            set[k] = j;
            if (!old) least = fmin(least, reconstruction_error(&p, set, k + 1, 1.5));
        }
        set[k] = taken;
        CLOSE(mre[k + 1], least, 1e-12);
    }
    problem_free(&p);
}

/* ---- criteria ---- */

struct bench { tamis_table *t; struct tamis_encoder *e; struct tamis_design *d; tamis_options *o; void *scorer; };

static struct bench bench_new(tamis_context *cx, const struct tamis_criterion *c, const char *const (*option)[2])
{
    struct bench b = {joined(cx, LSSVM_N, LSSVM_D, lssvm_x, lssvm_y), NULL, NULL, tamis_options_new(cx), NULL};
    struct tamis_roles roles = {.force = -1};
    size_t row[LSSVM_N];
    for (size_t i = 0; i < LSSVM_N; i++) row[i] = i;
    for (; (*option)[0]; option++) assert_int_equal(tamis_options_set(b.o, (*option)[0], (*option)[1]), TAMIS_OK);
    assert_non_null(b.e = tamis_encoder_new(cx, b.t, &roles));
    assert_non_null(b.d = tamis_design_learn(cx, b.e, b.t, row, LSSVM_N, 0));
    assert_int_equal(c->start(cx, b.d, b.o, 1, &b.scorer), TAMIS_OK);
    assert_int_equal(tamis_lssvm_refold(b.scorer, lssvm_fold, LSSVM_FOLDS), TAMIS_OK);
    return b;
}

static void bench_free(struct bench *b, const struct tamis_criterion *c)
{
    c->finish(b->scorer);
    tamis_design_free(b->d);
    tamis_encoder_free(b->e);
    tamis_options_free(b->o);
    tamis_table_free(b->t);
}

/* The case's grid is not geometric, so each of its nine cells has a scorer of its own; at each step the best input over
 * all of them comes in. */
static void forward_path_is_the_known_one(void **state)
{
    static const double widths[3] = {2, 10, 60}, gammas[3] = {0.5, 20, 1000};
    tamis_context *cx = *state;
    unsigned char set[LSSVM_D] = {0};
    struct bench cell[9];
    for (size_t k = 0; k < 9; k++) {
        char width[32], gamma[32];
        snprintf(width, sizeof width, "%g", widths[k / 3]);
        snprintf(gamma, sizeof gamma, "%g", gammas[k % 3]);
        cell[k] = bench_new(cx, &tamis_cv_lssvm,
                            (const char *const[][2]){{"sigma2", width}, {"gamma", gamma}, {NULL, NULL}});
    }
    for (size_t step = 0; step < LSSVM_D; step++) {
        struct tamis_score best = {.value = INFINITY};
        size_t input = 0;
        for (size_t i = 0; i < LSSVM_D; i++)
            for (size_t k = 0; k < 9 && !set[i]; k++) {
                struct tamis_score s;
                assert_int_equal(tamis_cv_lssvm.evaluate(cell[k].scorer, set, &i, 1, NULL, &s), TAMIS_OK);
                if (s.value < best.value) best = s, input = i;
            }
        assert_int_equal(input, lssvm_path[step].input);
        CLOSE(best.value, lssvm_path[step].cv, 1e-8 * lssvm_path[step].cv);
        assert_true(best.parameter[0] == lssvm_path[step].sigma2 && best.parameter[1] == lssvm_path[step].gamma);
        set[input] = 1;
    }
    for (size_t k = 0; k < 9; k++) bench_free(&cell[k], &tamis_cv_lssvm);
}

static void reduced_fits_are_the_known_ones(void **state)
{
    tamis_context *cx = *state;
    unsigned char set[LSSVM_D];
    static const size_t self[1] = {SIZE_MAX};
    memset(set, 1, sizeof set);
    for (size_t k = 0; k < sizeof rrkrr_fits / sizeof *rrkrr_fits; k++) {
        char gamma[32], most[32];
        struct tamis_score s;
        struct tamis_model *m = NULL;
        double out[LSSVM_N], largest = 0;
        size_t size = rrkrr_fits[k].size;
        snprintf(gamma, sizeof gamma, "%g", rrkrr_fits[k].gamma);
        snprintf(most, sizeof most, "%zu", size);
        struct bench b = bench_new(
            cx, &tamis_cv_rrkrr,
            (const char *const[][2]){{"sigma2", "10"}, {"gamma", gamma}, {"max-basis", most}, {NULL, NULL}});
        assert_int_equal(tamis_cv_rrkrr.evaluate(b.scorer, set, self, 1, NULL, &s), TAMIS_OK);
        assert_int_equal(tamis_cv_rrkrr.fit(b.scorer, set, &s, &m, NULL), TAMIS_OK);
        const struct tamis_rbf *net = m->body;
        assert_int_equal(net->centres, size);
        for (size_t i = 0; i < size; i++) largest = fmax(largest, fabs(rrkrr_fits[k].beta[i]));
        for (size_t i = 0; i < size; i++)
            CLOSE(net->alpha[i], rrkrr_fits[k].beta[i], 1e-12 * rrkrr_fits[k].cond * largest);
        CLOSE(net->alpha[size], rrkrr_fits[k].b, 1e-9);
        assert_int_equal(tamis_model_apply(cx, m, b.d, out), TAMIS_OK);
        for (size_t i = 0; i < LSSVM_N; i++) CLOSE(out[i], rrkrr_fits[k].fitted[i], 1e-8);
        tamis_model_free(m);
        bench_free(&b, &tamis_cv_rrkrr);
    }
    for (size_t k = 0; k < 2; k++) {
        char gamma[32];
        struct tamis_score s;
        snprintf(gamma, sizeof gamma, "%g", rrkrr_cv_gamma[k]);
        struct bench b = bench_new(cx, &tamis_cv_rrkrr,
                                   (const char *const[][2]){{"sigma2", "10"}, {"gamma", gamma}, {NULL, NULL}});
        assert_int_equal(tamis_cv_rrkrr.evaluate(b.scorer, set, self, 1, NULL, &s), TAMIS_OK);
        CLOSE(s.value, rrkrr_cv[k], 1e-8);
        assert_true(s.parameter[2] == LSSVM_N);
        bench_free(&b, &tamis_cv_rrkrr);
    }
}

/* With every row a candidate the other route has the same answers. */
static void candidates_have_the_known_answers(void **state)
{
    tamis_context *cx = *state;
    struct problem p = problem_case(LSSVM_D);
    size_t column[LSSVM_D], order[LSSVM_N], basis;
    struct tamis_lssvm_error error[2];
    problem_bind(&p, lssvm_fold, LSSVM_FOLDS);
    for (size_t i = 0; i < LSSVM_D; i++) column[i] = i;
    struct tamis_design d = {.rows = LSSVM_N, .columns = LSSVM_D, .inputs = LSSVM_D, .x = p.x, .y = p.y};
    double *work = malloc((size_t)tamis_reduced_rank_work(LSSVM_N, LSSVM_N, 1, LSSVM_N) * sizeof *work);
    struct tamis_reduced_rank *f = tamis_reduced_rank_new(cx, &d, &p.w.data, LSSVM_N, LSSVM_N, 1e-8, 1);
    assert_int_equal(tamis_reduced_rank_errors(f, column, LSSVM_D, 10, rrkrr_cv_gamma, 2, work, order, error, &basis),
                     0);
    assert_int_equal(basis, LSSVM_N);
    for (size_t k = 0; k < 2; k++) CLOSE(error[k].squared, rrkrr_cv[k], 1e-8);
    tamis_reduced_rank_free(f);
    for (size_t k = 0; k < sizeof rrkrr_fits / sizeof *rrkrr_fits; k++) {
        size_t size = rrkrr_fits[k].size;
        double largest = 0, out[LSSVM_N];
        f = tamis_reduced_rank_new(cx, &d, &p.w.data, LSSVM_N, size, 1e-8, 1);
        struct tamis_rbf *net = tamis_reduced_rank_fit(cx, f, column, LSSVM_D, 10, rrkrr_fits[k].gamma, work, order);
        assert_int_equal(net->centres, size);
        for (size_t i = 0; i < size; i++) largest = fmax(largest, fabs(rrkrr_fits[k].beta[i]));
        for (size_t i = 0; i < size; i++)
            CLOSE(net->alpha[i], rrkrr_fits[k].beta[i], 1e-12 * rrkrr_fits[k].cond * largest);
        assert_int_equal(tamis_rrkrr_kind.predict(cx, net, p.x, LSSVM_N, LSSVM_N, out), TAMIS_OK);
        for (size_t i = 0; i < LSSVM_N; i++) CLOSE(out[i], rrkrr_fits[k].fitted[i], 1e-8);
        tamis_rbf_free(net);
        tamis_reduced_rank_free(f);
    }
    free(work);
    problem_free(&p);
}

/* ---- whole runs ---- */

static const char *const runs[] = {"method=lssvm sigma2=1:300:5 gamma=1:1e4:4",
                                   "method=lssvm",
                                   "method=lssvm criterion=loo-lssvm select=forward sigma2=1:300:7 gamma=1:1e4:9",
                                   "method=lssvm select=forward folds=5 exact sigma2=1:300:4 gamma=1:1e4:4",
                                   "method=rrkrr folds=4 pivot-tolerance=1e-4",
                                   "method=rrkrr select=forward sigma2=1:300:7 gamma=1:1e4:3",
                                   "method=forward criterion=cv-rrkrr max-inputs=3 sigma2=1:300:3 gamma=1:1e3:3",
                                   "method=rrkrr select=forward candidates=20 sigma2=1:300:5 gamma=1:1e3:3"};

static void same_bits_for_any_number_of_threads(void **state)
{
    tamis_context *cx = *state;
    tamis_table *t = made(cx, "add10", "50", "3");
    for (size_t i = 0; i < sizeof runs / sizeof *runs; i++) same_bits(cx, t, worded(cx, runs[i]), NULL);
    tamis_table_free(t);
}

static void stopped_runs_resume_to_the_same_result(void **state)
{
    tamis_context *cx = *state;
    tamis_table *t = made(cx, "add10", "30", "5");
    assert_true(stopped_and_resumed(cx, t, worded(cx, runs[2]), 60, 40) > 1);
    tamis_table_free(t);
}

static void right_inputs_and_surface(void **state)
{
    tamis_context *cx = *state;
    tamis_table *t = made(cx, "add10", "100", "1");
    tamis_result *exact = chosen(cx, t, NULL, worded(cx, "method=lssvm select=forward exact")),
                 *fast = chosen(cx, t, NULL, worded(cx, "method=lssvm select=forward")),
                 *all = chosen(cx, t, NULL, worded(cx, "method=lssvm")),
                 *sparse = chosen(cx, t, NULL, worded(cx, "method=rrkrr select=forward pivot-tolerance=1e-3"));
    for (size_t i = 0; i < 10; i++)
        assert_true(exact->input[i].selected == (i < 5) && fast->input[i].selected == (i < 5) &&
                    sparse->input[i].selected == (i < 5) && all->input[i].selected);
    CLOSE(fast->error, exact->error, 1e-12);
    assert_int_equal(exact->notes, 0);
    assert_true(fast->notes == 1 && strstr(fast->note[0], "--exact"));
    assert_true(all->steps == 1 && all->selected == 10 && all->error == all->all_inputs &&
                all->error > 1.5 * exact->error);
    CLOSE(exact->all_inputs, all->all_inputs, 1e-12);
    assert_true(sparse->error < 1.2 * exact->error && sparse->model->kind == &tamis_rrkrr_kind &&
                ((struct tamis_rbf *)sparse->model->body)->centres < 90);
    char *text = result_text(cx, sparse);
    cut_notes(text);
    assert_non_null(strstr(text, "\"rrkrr\": {\"sigma2\": "));
    assert_null(strstr(text, "\"lssvm\": {"));
    assert_non_null(strstr(text, "\"surface\": {\"sigma2\": ["));
    tamis_release(text);
    tamis_result_free(exact), tamis_result_free(fast), tamis_result_free(all), tamis_result_free(sparse);
    tamis_table_free(t);
}

/* Three classes in two of four inputs: rings. */
static char *rings(size_t rows, uint64_t seed)
{
    static const char *const name[] = {"in", "mid", "out"};
    struct tamis_rng r;
    char *text = malloc(64 * rows + 64);
    tamis_rng_init(&r, seed, TAMIS_RNG_TEST, 0);
    strcpy(text, "a,b,c,d,ring\n");
    for (size_t i = 0; i < rows; i++) {
        size_t k = tamis_rng_below(&r, 3);
        double radius = 1 + (double)k + 0.15 * tamis_rng_normal(&r), angle = 6.283 * tamis_rng_uniform(&r);
        sprintf(text + strlen(text), "%.4f,%.4f,%.4f,%.4f,%s\n", tamis_rng_normal(&r), radius * cos(angle),
                radius * sin(angle), tamis_rng_normal(&r), name[k]);
    }
    return text;
}

static void classes_are_told_apart(void **state)
{
    static const char *const how[] = {"method=rrkrr candidates=90 select=forward", "method=lssvm select=forward",
                                      "method=lssvm select=forward criterion=loo-lssvm", "method=rrkrr select=forward"};
    tamis_context *cx = *state;
    char *text = rings(150, 1), *more = rings(200, 2);
    tamis_table *t = text_table(cx, text), *fresh = text_table(cx, more);
    for (size_t i = 0; i < 4; i++) {
        tamis_result *r = chosen(cx, t, NULL, worded(cx, how[i]));
        size_t wrong = 0;
        double b[200], score[600];
        assert_true(!r->input[0].selected && r->input[1].selected && r->input[2].selected && !r->input[3].selected);
        assert_true(r->error < 0.1);
        tamis_model *m = came_back(cx, r->model, fresh, b, score);
        for (size_t k = 0; k < 200; k++) {
            for (size_t c = 0; c < 3; c++) assert_true(score[k + 200 * (size_t)b[k]] >= score[k + 200 * c]);
            wrong += b[k] != fresh->column[4].value[k];
        }
        assert_true(wrong < 20);
        damage_is_refused(cx, m, 300);
        tamis_model_free(m), tamis_result_free(r);
    }
    tamis_table_free(t), tamis_table_free(fresh), free(text), free(more);
}

static void every_search_takes_every_criterion(void **state)
{
    tamis_context *cx = *state;
    const struct tamis_criterion *all[] = {&tamis_cv_lssvm, &tamis_loo_lssvm, &tamis_cv_rrkrr};
    const struct tamis_search *s;
    for (size_t c = 0; c < 3; c++)
        for (size_t k = 0; (s = tamis_search_at(k)); k++) {
            struct bench b = bench_new(
                cx, all[c], (const char *const[][2]){{"sigma2", "1:100:6"}, {"gamma", "1:1e3:3"}, {NULL, NULL}});
            struct tamis_walk *r = tamis_walk_new(cx, b.d, all[c], b.scorer, s, b.o);
            assert_non_null(r);
            assert_int_equal(tamis_walk_drive(r, NULL, 0), TAMIS_OK);
            assert_true(tamis_walk_best(r) < r->moves && r->move[tamis_walk_best(r)].score.value < 0.8);
            tamis_walk_free(r);
            bench_free(&b, all[c]);
        }
}

static void hard_tables_are_survived(void **state)
{
    static const char *const text[] = {
        HARD_NUMBERS, "x,z,y\n1,7,a\n2,7,b\n3,7,c\n4,9,d\n", /* one row a class */
        "x,z,y\n1,7,a\n2,7,b\n3,8,a\n4,9,a\n", /* one row of a class */
        "x,z,y\n1,1,a\n1,1,b\n1,1,a\n2,2,b\n2,2,b\n"}; /* equal rows of different classes */
    static const char *const method[] = {"method=lssvm",
                                         "method=lssvm select=forward",
                                         "method=rrkrr",
                                         "method=rrkrr select=forward",
                                         "method=lssvm select=forward criterion=loo-lssvm",
                                         "method=lssvm no-standardize",
                                         "method=rrkrr candidates=2"};
    tamis_context *cx = *state;
    for (size_t i = 0; i < sizeof text / sizeof *text; i++)
        for (size_t m = 0; m < sizeof method / sizeof *method; m++) {
            if (!i && m == 5) continue;
            tamis_table *t = text_table(cx, text[i]);
            tamis_result *r = chosen(cx, t, NULL, worded(cx, method[m]));
            assert_true(r->selected >= 1 && isfinite(r->error) && isfinite(r->all_inputs));
            tamis_result_free(r);
            tamis_table_free(t);
        }
}

static void bad_tables_get_a_sentence(void **state)
{
    static const struct { const char *text, *words; int status; const char *says;
    } bad[] = {{"x,y\n1,a\n2,a\n3,a\n4,a\n", "method=lssvm", TAMIS_DATA, "target 'y' has the same value"},
               {"x,y\n1,a\n2,a\n3,a\n4,a\n", "method=rrkrr select=forward", TAMIS_DATA, "target 'y' has the same value"},
               {"x,y\n1,5\n2,5\n3,5\n4,5\n", "method=lssvm", TAMIS_DATA, "target 'y' has the same value"},
               {"x,y\n3,5\n3,6\n3,7\n3,8\n", "method=rrkrr", TAMIS_DATA, "every input has one value"},
               {"x,y\n1,5\n2,6\n3,7\n4,9\n", "method=lssvm pivot-tolerance=1e-5", TAMIS_USAGE,
                "does not belong to method lssvm"},
               {"x,y\n1,5\n2,6\n3,7\n4,9\n", "method=lssvm centers=10", TAMIS_USAGE, "does not belong to method lssvm"},
               {"x,y\n1,5\n2,6\n3,7\n4,9\n", "method=lssvm gamma=1e-14:1e3", TAMIS_USAGE, "gamma"}};
    tamis_context *cx = *state;
    for (size_t i = 0; i < sizeof bad / sizeof *bad; i++)
        refused(cx, bad[i].text, worded(cx, bad[i].words), bad[i].status, bad[i].says);
}

static void memory_is_refused_before_the_run(void **state)
{
    tamis_context *cx = *state;
    tamis_table *t = made(cx, "add10", "20000", "1");
    tamis_result *r = NULL;
    tamis_context_limits(cx, 2, 4e9);
    for (int m = 0; m < 2; m++) {
        tamis_options *o = worded(cx, m ? "method=rrkrr" : "method=lssvm");
        assert_int_equal(tamis_select(cx, t, NULL, o, &r), TAMIS_MEMORY);
        says(cx, "--candidates 1000");
        tamis_options_free(o);
    }
    tamis_table_free(t);
}

static void every_allocation_may_fail(void **state)
{
    static const char *const words[] = {"method=lssvm holdout=0.3 select=forward sigma2=1:100:5 gamma=1:10:2",
                                        "method=rrkrr holdout=0.3 select=forward sigma2=20 gamma=10", "method=rrkrr",
                                        "method=rrkrr select=forward candidates=6 sigma2=20 gamma=1:10:2"};
    tamis_context *cx = *state;
    tamis_table *t = made(cx, "add10", "12", "4");
    for (size_t i = 0; i < 4; i++) run_survives_failing_memory(cx, t, worded(cx, words[i]), 80, 5000);
    tamis_table_free(t);
}

int main(void)
{
    const struct CMUnitTest tests[] = {TEST(grid_is_the_known_one),
                                       TEST(folds_are_those_of_refits),
                                       TEST(equal_rows_and_constant_inputs_are_no_harm),
                                       TEST(greedy_order_is_the_known_one),
                                       TEST(greedy_steps_are_the_best),
                                       TEST(forward_path_is_the_known_one),
                                       TEST(reduced_fits_are_the_known_ones),
                                       TEST(candidates_have_the_known_answers),
                                       TEST(same_bits_for_any_number_of_threads),
                                       TEST(stopped_runs_resume_to_the_same_result),
                                       TEST(right_inputs_and_surface),
                                       TEST(classes_are_told_apart),
                                       TEST(every_search_takes_every_criterion),
                                       TEST(hard_tables_are_survived),
                                       TEST(bad_tables_get_a_sentence),
                                       TEST(memory_is_refused_before_the_run),
                                       TEST(every_allocation_may_fail)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
