/* The solvers of the sparse network: lasso, derivatives of the network, optimality of the three solvers. */
#include "base/rng.h"
#include "cases_sparse.h"
#include "data/design.h"
#include "data/table.h"
#include "method/sparse_rbf/sparse_inside.h"
#include "num/lasso.h"
#include "num/simplex.h"
#include "num/wnet.h"
#include "unit.h"

static double *doubles(size_t n) { return calloc(n ? n : 1, sizeof(double)); }

/* ---- lasso ---- */

/* How far from optimal a is for |a|_1 <= r, by the definition: the largest violation of the conditions, in units of
 * dE/da. */
static double lasso_violation(size_t n, size_t p, const double *a, const double *y, double r, const double *value)
{
    double norm = 0, most = 0, worst = 0, *e = doubles(n), *c = doubles(p);
    for (size_t i = 0; i < n; i++) {
        e[i] = y[i];
        for (size_t j = 0; j < p; j++) e[i] -= a[i + n * j] * value[j];
    }
    for (size_t j = 0; j < p; j++) {
        for (size_t i = 0; i < n; i++) c[j] += 2 * a[i + n * j] * e[i] / (double)n;
        norm += fabs(value[j]);
        most = fmax(most, fabs(c[j]));
    }
    for (size_t j = 0; j < p; j++)
        if (value[j] != 0) worst = fmax(worst, fabs(c[j] - copysign(most, value[j])));
    if (most > 1e-7) worst = fmax(worst, fabs(norm - r) / r);
    if (norm > r * (1 + 1e-9)) worst = INFINITY;
    free(e);
    free(c);
    return worst;
}

static double squares_left(size_t n, size_t p, const double *a, const double *y, const double *value)
{
    double sum = 0;
    for (size_t i = 0; i < n; i++) {
        double e = y[i];
        for (size_t j = 0; j < p; j++) e -= a[i + n * j] * value[j];
        sum += e * e;
    }
    return sum / (double)n;
}

/* Coordinate descent on 1/2 |y - A a|^2 + lambda |a|_1: independent of the code under test. */
static void descend(size_t n, size_t p, const double *a, const double *y, double lambda, double *value)
{
    double *e = doubles(n), change = 1;
    memcpy(e, y, n * sizeof *e);
    memset(value, 0, p * sizeof *value);
    for (int round = 0; round < 200000 && change > 1e-14; round++) {
        change = 0;
        for (size_t j = 0; j < p; j++) {
            double c = 0, q = 0, old = value[j];
            for (size_t i = 0; i < n; i++) c += a[i + n * j] * e[i], q += a[i + n * j] * a[i + n * j];
            if (q == 0) continue;
            c += q * old;
            value[j] = fabs(c) > lambda ? (c - copysign(lambda, c)) / q : 0;
            for (size_t i = 0; i < n; i++) e[i] -= a[i + n * j] * (value[j] - old);
            change = fmax(change, fabs(value[j] - old));
        }
    }
    free(e);
}

static void lasso_agrees_with_coordinate_descent(void **state)
{
    static const size_t sizes[][2] = {{40, 12}, {25, 60}, {60, 25}, {8, 8}};
    (void)state;
    for (size_t s = 0; s < 4; s++) {
        size_t n = sizes[s][0], p = sizes[s][1];
        double *a = normal_numbers(n * p, 10 + s), *y = normal_numbers(n, 20 + s),
               *memory = doubles(tamis_lasso_size(n, p)), *mine = doubles(p), *other = doubles(p);
        struct tamis_lasso w;
        for (double r = 0.05; r < 3; r *= 2.3) {
            tamis_lasso_bind(&w, n, p, memory);
            assert_int_equal(tamis_lasso_solve(&w, a, y, r), 0);
            tamis_lasso_dense(&w, mine);
            assert_below(lasso_violation(n, p, a, y, r, mine), 1e-10);
            if (!(w.lambda > 1e-3)) continue;
            descend(n, p, a, y, w.lambda, other);
            for (size_t j = 0; j < p; j++) assert_close(mine[j], other[j], 1e-9);
        }
        free(a), free(y), free(memory), free(mine), free(other);
    }
}

static void lasso_survives_dependent_columns(void **state)
{
    (void)state;
    size_t n = 30, p = 50;
    double *a = normal_numbers(n * p, 31), *y = normal_numbers(n, 32), *memory = doubles(tamis_lasso_size(n, p)),
           *value = doubles(p);
    struct tamis_lasso w;
    memcpy(a + n * 7, a + n * 3, n * sizeof *a);                        /* a copy */
    for (size_t i = 0; i < n; i++) a[i + n * 9] = -a[i + n * 3];        /* and its negative */
    for (size_t i = 0; i < n; i++) a[i + n * 11] = 3 * a[i + n * 4] - 2 * a[i + n * 5]; /* a better mixture of two */
    memset(a + n * 13, 0, n * sizeof *a);
    for (size_t i = 0; i < n; i++) a[i + n * 15] = a[i + n * 16] * (1 + 1e-12 * (double)i);
    for (double r = 0.1; r < 100; r *= 2) {
        tamis_lasso_bind(&w, n, p, memory);
        assert_int_equal(tamis_lasso_solve(&w, a, y, r), 0);
        tamis_lasso_dense(&w, value);
        assert_below(lasso_violation(n, p, a, y, r, value), 1e-8);
    }
    a[5] = NAN;
    tamis_lasso_bind(&w, n, p, memory);
    assert_int_not_equal(tamis_lasso_solve(&w, a, y, 1), 0);
    free(a), free(y), free(memory), free(value);
}

/* Starts of every kind end at the same solution: another r, another matrix, all columns, one column. */
static void lasso_starts_do_not_matter(void **state)
{
    (void)state;
    size_t n = 50, p = 30;
    double *a = normal_numbers(n * p, 41), *other = normal_numbers(n * p, 42), *y = normal_numbers(n, 43),
           *memory = doubles(tamis_lasso_size(n, p)), *cold = doubles(p), *warm = doubles(p);
    double *full = normal_numbers(p, 44);
    struct tamis_lasso w;
    for (int start = 0; start < 4; start++)
        for (double r = 0.2; r < 4; r *= 1.9) {
            tamis_lasso_bind(&w, n, p, memory);
            tamis_lasso_solve(&w, a, y, r);
            tamis_lasso_dense(&w, cold);
            tamis_lasso_clear(&w);
            if (start == 0) tamis_lasso_solve(&w, a, y, 1.5 * r);
            if (start == 1) tamis_lasso_solve(&w, other, y, r);
            if (start == 2) tamis_lasso_seed(&w, full);
            if (start == 3) tamis_lasso_solve(&w, a, y, r / 10);
            assert_int_equal(tamis_lasso_solve(&w, a, y, r), 0);
            tamis_lasso_dense(&w, warm);
            for (size_t j = 0; j < p; j++) assert_close(warm[j], cold[j], 1e-10);
        }
    free(a), free(other), free(y), free(memory), free(cold), free(warm), free(full);
}

static struct tamis_wnet alpha_net(void)
{
    return (struct tamis_wnet){ALPHA_N, ALPHA_N, ALPHA_N, ALPHA_N, ALPHA_D, alpha_x, alpha_x};
}

static void coefficients_are_the_known_ones(void **state)
{
    struct tamis_wnet net = alpha_net();
    size_t n = ALPHA_N, p = n + 1, columns[ALPHA_D];
    double *a = doubles(n * p), *work = doubles(tamis_wnet_basis_size(n, n, ALPHA_D)),
           *memory = doubles(tamis_lasso_size(n, p)), *value = doubles(p);
    struct tamis_lasso w;
    (void)state;
    tamis_wnet_basis(&net, alpha_w, work, columns, a);
    for (size_t k = 0; k < 3; k++) {
        const struct alpha_case *c = &alpha_cases[k];
        tamis_lasso_bind(&w, n, p, memory);
        assert_int_equal(tamis_lasso_solve(&w, a, alpha_y, c->r), 0);
        tamis_lasso_dense(&w, value);
        assert_close(squares_left(n, p, a, alpha_y, value), c->E, 1e-9);
        assert_close(2 * w.lambda / (double)n, c->multiplier, 1e-9);
        for (size_t j = 0; j < p; j++) {
            assert_close(value[j], c->alpha[j], 1e-6);
            assert_int_equal(value[j] != 0, c->alpha[j] != 0);
        }
    }
    free(a), free(work), free(memory), free(value);
}

/* ---- derivatives of the network ---- */

static double error_of(const struct tamis_wnet *net, const double *y, const double *w, const double *alpha)
{
    double sum = 0;
    for (size_t n = 0; n < net->n; n++) {
        double f = alpha[0];
        for (size_t m = 0; m < net->m; m++) {
            double d2 = 0;
            for (size_t i = 0; i < net->d; i++)
                d2 += w[i] * pow(net->x[n + net->ldx * i] - net->c[m + net->ldc * i], 2);
            f += alpha[m + 1] * exp(-d2);
        }
        sum += pow(y[n] - f, 2);
    }
    return sum / (double)net->n;
}

enum { N = 20, M = 7, D = 5 };

/* A network, its residuals and all its derivatives. */
struct slopes {
    struct tamis_wnet net;
    double *x, *c, *y, *alpha, w[D];
    double a[N * (M + 1)], e[N], g[D], jacobian[N * D], mixed[(M + 1) * D], second[D * D];
};

static void slopes_make(struct slopes *s)
{
    static const double w[D] = {0.3, 0.05, 0, 0.2, 0.01};
    double work[2000];
    size_t columns[D], active[M + 1], which[D];
    *s = (struct slopes){.x = normal_numbers(N * D, 51), .c = normal_numbers(M * D, 52), .y = normal_numbers(N, 53),
                         .alpha = normal_numbers(M + 1, 54)};
    s->net = (struct tamis_wnet){N, N, M, M, D, s->x, s->c};
    memcpy(s->w, w, sizeof w);
    for (size_t j = 0; j <= M; j++) active[j] = j;
    for (size_t i = 0; i < D; i++) which[i] = i;
    tamis_wnet_basis(&s->net, w, work, columns, s->a);
    for (size_t n = 0; n < N; n++) {
        s->e[n] = s->y[n];
        for (size_t j = 0; j <= M; j++) s->e[n] -= s->a[n + N * j] * s->alpha[j];
    }
    tamis_wnet_gradient(&s->net, s->a, active, s->alpha, M + 1, s->e, work, s->g);
    tamis_wnet_derivatives(&s->net, s->a, active, s->alpha, M + 1, s->e, which, D, work, s->jacobian, s->mixed,
                           s->second);
}

static void slopes_free(struct slopes *s)
{
    free(s->x), free(s->c), free(s->y), free(s->alpha);
}

/* The error with weight i moved by di, then j by dj, and coefficient m by dm. */
static double moved(const struct slopes *s, size_t i, double di, size_t j, double dj, size_t m, double dm)
{
    double w[D], alpha[M + 1];
    memcpy(w, s->w, sizeof w), memcpy(alpha, s->alpha, sizeof alpha);
    w[i] += di, w[j] += dj, alpha[m] += dm;
    return error_of(&s->net, s->y, w, alpha);
}

static void gradients_are_finite_differences(void **state)
{
    const double h = 1e-5;
    struct slopes s;
    (void)state;
    slopes_make(&s);
    for (size_t i = 0; i < D; i++) {
        double slope = (moved(&s, i, h, 0, 0, 0, 0) - moved(&s, i, -h, 0, 0, 0, 0)) / (2 * h), through = 0;
        for (size_t n = 0; n < N; n++) through -= 2 * s.e[n] * s.jacobian[n + N * i] / N;
        assert_close(s.g[i], slope, 1e-7 * (1 + fabs(slope)));
        assert_close(s.g[i], through, 1e-12);
    }
    slopes_free(&s);
}

static void second_derivatives_are_finite_differences(void **state)         /* E_ww = (2/N) (J^T J - second) */
{
    const double q = 2e-5;
    struct slopes s;
    (void)state;
    slopes_make(&s);
    for (size_t i = 0; i < D; i++)
        for (size_t j = 0; j < D; j++) {
            double up = moved(&s, i, q, j, q, 0, 0) - moved(&s, i, q, j, -q, 0, 0), hess = -s.second[i + D * j],
                   down = moved(&s, i, -q, j, q, 0, 0) - moved(&s, i, -q, j, -q, 0, 0);
            double want = (up - down) / (4 * q * q);
            for (size_t n = 0; n < N; n++) hess += s.jacobian[n + N * i] * s.jacobian[n + N * j];
            assert_close(2 * hess / N, want, 2e-5 * (1 + fabs(want)));
        }
    slopes_free(&s);
}

static void mixed_derivatives_are_finite_differences(void **state)          /* E_wa = (2/N) (J^T A + mixed) */
{
    const double h = 1e-5, q = 1e-4;
    struct slopes s;
    (void)state;
    slopes_make(&s);
    for (size_t i = 0; i < D; i++)
        for (size_t m = 0; m <= M; m++) {
            double up = moved(&s, i, h, 0, 0, m, q) - moved(&s, i, h, 0, 0, m, -q), hess = s.mixed[m + (M + 1) * i],
                   down = moved(&s, i, -h, 0, 0, m, q) - moved(&s, i, -h, 0, 0, m, -q);
            for (size_t n = 0; n < N; n++) hess += s.jacobian[n + N * i] * s.a[n + N * m];
            assert_close(2 * hess / N, (up - down) / (4 * q * h), 1e-5);
        }
    slopes_free(&s);
}

/* ---- the solvers ---- */

struct sample { struct tamis_encoder *e; struct tamis_design *d; tamis_table *t; struct tamis_sparse_data data; };

static struct sample sample_new(tamis_context *cx, const char *name, const char *rows, const char *seed)
{
    struct sample s = {.t = made(cx, name, rows, seed)};
    struct tamis_roles roles = {.force = -1};
    size_t *row, n;
    s.e = tamis_encoder_new(cx, s.t, &roles);
    assert_int_equal(tamis_rows_complete(cx, s.e, s.t, 1, &row, &n), TAMIS_OK);
    s.d = tamis_design_learn(cx, s.e, s.t, row, n, 1);
    tamis_free(row);
    s.data = (struct tamis_sparse_data){{n, n, n, n, s.d->columns, s.d->x, s.d->x}, s.d->y};
    return s;
}

static void sample_free(struct sample *s)
{
    tamis_design_free(s->d);
    tamis_encoder_free(s->e);
    tamis_table_free(s->t);
}

/* The conditions at (alpha, w), from naive loops: the worst, in units of dE/dalpha and of t dE/dw. */
static double conditions(const struct sample *s, double r, double t, const double *w, const double *alpha)
{
    size_t n = s->d->rows, d = s->d->columns, p = n + 1;
    double *a = doubles(n * p), *e = doubles(n), *g = doubles(d), sum = 0, pull = 0, worst = 0;
    for (size_t i = 0; i < n; i++) {
        a[i] = 1;
        for (size_t m = 0; m < n; m++) {
            double d2 = 0;
            for (size_t j = 0; j < d; j++) d2 += w[j] * pow(s->d->x[i + n * j] - s->d->x[m + n * j], 2);
            a[i + n * (m + 1)] = exp(-d2);
        }
        e[i] = s->d->y[i];
        for (size_t m = 0; m < p; m++) e[i] -= a[i + n * m] * alpha[m];
    }
    for (size_t j = 0; j < d; j++) {
        for (size_t i = 0; i < n; i++)
            for (size_t m = 0; m < n; m++)
                g[j] += 2 * e[i] * alpha[m + 1] * a[i + n * (m + 1)] * pow(s->d->x[i + n * j] - s->d->x[m + n * j], 2) /
                        (double)n;
        sum += w[j];
        pull += w[j] * g[j];
    }
    assert_at_most(sum, t * (1 + 1e-12));
    double nu = sum > t * (1 - 1e-9) ? fmax(0, -pull / sum) : 0;
    for (size_t j = 0; j < d; j++) worst = fmax(worst, t * (w[j] > 0 ? fabs(g[j] + nu) : fmax(0, -(g[j] + nu))));
    worst = fmax(worst, lasso_violation(n, p, a, s->d->y, r, alpha));
    free(a), free(e), free(g);
    return worst;
}

static void projection_meets_the_conditions(void **state)
{
    static const double bounds[][2] = {{380, 0.13}, {50, 0.3}, {5, 1}, {20, 0.02}, {1000, 0.05}, {100, 2}};
    tamis_context *cx = *state;
    for (int k = 0; k < 2; k++) {
        struct sample s = sample_new(cx, k ? "tikka1d" : "tikka10", "90", "5");
        size_t n = s.d->rows, d = s.d->columns;
        double *w = doubles(d), *alpha = doubles(n + 1);
        struct tamis_sparse_fit *f = tamis_sparse_fit_new(cx, TAMIS_SPARSE_PROJECTION, n, n, d);
        for (size_t b = 0; b < sizeof bounds / sizeof *bounds; b++) {
            struct tamis_sparse_answer a;
            for (size_t i = 0; i < d; i++) w[i] = 0.9 * bounds[b][1] / (double)d;
            assert_int_equal(tamis_sparse_solve(f, &s.data, bounds[b][0], bounds[b][1], 1e-9, 0, 1, w, alpha, &a),
                             TAMIS_OK);
            assert_below(a.gap, 1e-6);
            assert_below(conditions(&s, bounds[b][0], bounds[b][1], w, alpha), 1e-6);
            assert_close(error_of(&s.data.net, s.data.y, w, alpha), a.error, 1e-12 + 1e-9 * a.error);
        }
        tamis_sparse_fit_free(f);
        sample_free(&s);
        free(w), free(alpha);
    }
}

/* phi'' by differences of phi's gradient, where the active set stays. */
static void curvature_of_the_projected_error(void **state)
{
    tamis_context *cx = *state;
    struct sample s = sample_new(cx, "tikka10", "60", "2");
    size_t n = s.d->rows, d = s.d->columns, most = 4;
    struct tamis_sparse_fit *f = tamis_sparse_fit_new(cx, TAMIS_SPARSE_PROJECTION, n, n, d);
    double *w = doubles(d), *alpha = doubles(n + 1), *exact = doubles(most * most), error, h = 1e-7;
    for (size_t i = 0; i < d; i++) w[i] = 0.02 + 0.004 * (double)i;
    assert_int_equal(tamis_sparse_probe(f, &s.data, 20, w, alpha, 0, &error), TAMIS_OK);
    for (size_t i = 0; i < most; i++) f->which[i] = 2 * i;
    tamis_sparse_hessians(f, most);
    memcpy(exact, f->exact, most * most * sizeof *exact);
    for (size_t j = 0; j < most; j++) {
        double g[2][4], top = 0;
        for (int side = 0; side < 2; side++) {
            double keep = w[2 * j];
            w[2 * j] += side ? -h : h;
            assert_int_equal(tamis_sparse_probe(f, &s.data, 20, w, alpha, 1, &error), TAMIS_OK);
            tamis_wnet_gradient(&s.data.net, f->a, f->lasso.active, f->lasso.value, f->lasso.count, f->lasso.residual,
                                f->work, f->gradient);
            for (size_t i = 0; i < most; i++) g[side][i] = f->gradient[2 * i];
            w[2 * j] = keep;
        }
        for (size_t i = 0; i < most; i++) top = fmax(top, fabs(exact[i + most * j]));
        for (size_t i = 0; i < most; i++)
            assert_close((g[0][i] - g[1][i]) / (2 * h), exact[i + most * j], 1e-4 * top);
    }
    tamis_sparse_fit_free(f);
    sample_free(&s);
    free(w), free(alpha), free(exact);
}

/* The barrier method ends within the bounds, near a point as good as its mu allows, and never better than the best of
 * the exact solver's starts by more than that. */
static void paper_solvers_stay_inside_the_bounds(void **state)
{
    tamis_context *cx = *state;
    struct sample s = sample_new(cx, "tikka1d", "60", "3");
    size_t n = s.d->rows, d = s.d->columns;
    double *w = doubles(d), *alpha = doubles(n + 1), best = 0;
    for (int solver = 0; solver < 3; solver++) {
        struct tamis_sparse_fit *f = tamis_sparse_fit_new(cx, (enum tamis_sparse_solver)solver, n, n, d);
        struct tamis_sparse_answer a;
        double sum = 0, norm = 0;
        for (size_t i = 0; i < d; i++) w[i] = 0.9 * 4 / (double)d;
        assert_int_equal(tamis_sparse_solve(f, &s.data, 6, 4, 1e-9, 0, 7, w, alpha, &a), TAMIS_OK);
        for (size_t i = 0; i < d; i++) sum += w[i];
        for (size_t m = 0; m <= n; m++) norm += fabs(alpha[m]);
        assert_at_most(sum, 4 * (1 + 1e-12));
        assert_at_most(norm, 6 * (1 + 1e-12));
        if (!solver) best = a.error;
        assert_between(a.error, best - 1e-9, 1);
        assert_true(a.inputs >= 1);
        assert_above(w[0], 0.5 * sum);
        tamis_sparse_fit_free(f);
    }
    sample_free(&s);
    free(w), free(alpha);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        TEST(lasso_agrees_with_coordinate_descent),
        TEST(lasso_survives_dependent_columns),
        TEST(lasso_starts_do_not_matter),
        TEST(coefficients_are_the_known_ones),
        TEST(gradients_are_finite_differences),
        TEST(second_derivatives_are_finite_differences),
        TEST(mixed_derivatives_are_finite_differences),
        TEST(projection_meets_the_conditions),
        TEST(curvature_of_the_projected_error),
        TEST(paper_solvers_stay_inside_the_bounds),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
