/* LS-SVM and RRKRR on arrays: known answers, folds against refits in quadruple precision, the greedy choice of rows. */
#include "base/rng.h"
#include "cases_lssvm.h"
#include "crit/reduced_rank.h"
#include "data/design.h"
#include "model/rbf.h"
#include "num/gauss.h"
#include "num/greedy.h"
#include "num/lssvm_folds.h"
#include "unit.h"

__extension__ typedef _Float128 quad;

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

/* Binds the machine to the folds fold[i]; memory is filled with NaN, so that reading before writing shows. */
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
        for (size_t i = 0; i < LSSVM_N; i++)
            assert_close(beta[i], lssvm_grid[k].beta[i], 1e-12 * lssvm_grid[k].cond * most);
        assert_close(beta[LSSVM_N], lssvm_grid[k].b, 1e-9);
        tamis_lssvm_errors(&p.w, &gamma, 1, &error);
        assert_close(error.squared, lssvm_grid[k].cv, 1e-8 * lssvm_grid[k].cv);
        problem_bind(&p, own, LSSVM_N);
        assert_int_equal(tamis_lssvm_gauss(&p.w, p.d2, sigma2), 0);
        tamis_lssvm_errors(&p.w, &gamma, 1, &error);
        assert_close(error.squared, lssvm_grid[k].loo, 1e-8 * lssvm_grid[k].loo);
        assert_int_equal(tamis_lssvm_residuals(&p.w, gamma, e), 0);
        for (size_t i = 0; i < LSSVM_N; i++) assert_close(e[i], lssvm_grid[k].residual[i], 1e-8);
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
        assert_close(got[i], want[i], tolerance * most);
        sum += want[i] * want[i];
    }
    tamis_lssvm_errors(&p->w, &gamma, 1, &error);
    assert_close(error.squared, sum / (double)(n * p->outputs), tolerance * sum);
    for (size_t i = 0; p->outputs > 1 && i < n; i++) {
        size_t best = 0;
        for (size_t c = 1; c < p->outputs; c++)
            if (p->y[i + c * n] - want[i + c * n] > p->y[i + best * n] - want[i + best * n]) best = c;
        wrong += (double)best != p->class_of[i];
    }
    assert_close(error.wrong, wrong / (double)n, 1e-12);
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
                compare_with_refits(&p, folds[f], 1e5, 1e6, 1e-8);              /* low rank */
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
    for (size_t k = 0; k <= n; k++) assert_close(mre[k], rrkrr_mre[k], 1e-10);
    for (size_t i = 0; i < n; i++)
        for (size_t j = 0; j <= i; j++) { /* g g^T is the kernel, g_S a triangle */
            double sum = 0;
            for (size_t k = 0; k < n; k++) sum += g[i + k * n] * g[j + k * n];
            assert_close(sum, exp(-p.d2[i + j * n] / 10), 1e-12);
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
            assert_close(mre[i + 1], rrkrr_ill_mre[i + 1], 1e-7);
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
        assert_close(mre[k + 1], least, 1e-12);
    }
    problem_free(&p);
}

/* With every row a candidate, the other route gives the same answers. */
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
    for (size_t k = 0; k < 2; k++) assert_close(error[k].squared, rrkrr_cv[k], 1e-8);
    tamis_reduced_rank_free(f);
    for (size_t k = 0; k < sizeof rrkrr_fits / sizeof *rrkrr_fits; k++) {
        size_t size = rrkrr_fits[k].size;
        double largest = 0, out[LSSVM_N];
        f = tamis_reduced_rank_new(cx, &d, &p.w.data, LSSVM_N, size, 1e-8, 1);
        struct tamis_rbf *net = tamis_reduced_rank_fit(cx, f, column, LSSVM_D, 10, rrkrr_fits[k].gamma, work, order);
        assert_int_equal(net->centres, size);
        for (size_t i = 0; i < size; i++) largest = fmax(largest, fabs(rrkrr_fits[k].beta[i]));
        for (size_t i = 0; i < size; i++)
            assert_close(net->alpha[i], rrkrr_fits[k].beta[i], 1e-12 * rrkrr_fits[k].cond * largest);
        assert_int_equal(tamis_rrkrr_kind.predict(cx, net, p.x, LSSVM_N, LSSVM_N, out), TAMIS_OK);
        for (size_t i = 0; i < LSSVM_N; i++) assert_close(out[i], rrkrr_fits[k].fitted[i], 1e-8);
        tamis_rbf_free(net);
        tamis_reduced_rank_free(f);
    }
    free(work);
    problem_free(&p);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        TEST(grid_is_the_known_one),
        TEST(folds_are_those_of_refits),
        TEST(equal_rows_and_constant_inputs_are_no_harm),
        TEST(greedy_order_is_the_known_one),
        TEST(greedy_steps_are_the_best),
        TEST(candidates_have_the_known_answers),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
