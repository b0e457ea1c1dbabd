/* The sparse network: lasso, weights on the corner, derivatives, barrier, the three solvers, and the method end to
 * end. */
#include "base/rng.h"
#include "cases_sparse.h"
#include "data/design.h"
#include "data/table.h"
#include "method/sparse_rbf/sparse_inside.h"
#include "model/sparse_net.h"
#include "num/barrier.h"
#include "num/lasso.h"
#include "num/simplex.h"
#include "num/wnet.h"
#include "run.h"

static double *doubles(size_t n) { return calloc(n ? n : 1, sizeof(double)); }

static double *normals(size_t n, uint64_t seed)
{
    struct tamis_rng rng;
    double *x = doubles(n);
    tamis_rng_init(&rng, seed, TAMIS_RNG_TEST, 0);
    for (size_t i = 0; i < n; i++) x[i] = tamis_rng_normal(&rng);
    return x;
}

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

/* Coordinate descent on 1/2 |y - A a|^2 + lambda |a|_1: nothing in common with the code under test. */
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
        double *a = normals(n * p, 10 + s), *y = normals(n, 20 + s), *memory = doubles(tamis_lasso_size(n, p)),
               *mine = doubles(p), *other = doubles(p);
        struct tamis_lasso w;
        for (double r = 0.05; r < 3; r *= 2.3) {
            tamis_lasso_bind(&w, n, p, memory);
            assert_int_equal(tamis_lasso_solve(&w, a, y, r), 0);
            tamis_lasso_dense(&w, mine);
            assert_true(lasso_violation(n, p, a, y, r, mine) < 1e-10);
            if (!(w.lambda > 1e-3)) continue;
            descend(n, p, a, y, w.lambda, other);
            for (size_t j = 0; j < p; j++) assert_true(fabs(mine[j] - other[j]) < 1e-9);
        }
        free(a), free(y), free(memory), free(mine), free(other);
    }
}

static void lasso_survives_dependent_columns(void **state)
{
    (void)state;
    size_t n = 30, p = 50;
    double *a = normals(n * p, 31), *y = normals(n, 32), *memory = doubles(tamis_lasso_size(n, p)), *value = doubles(p);
    struct tamis_lasso w;
    memcpy(a + n * 7, a + n * 3, n * sizeof *a);                        /* twice the same */
    for (size_t i = 0; i < n; i++) a[i + n * 9] = -a[i + n * 3];        /* and with the other sign */
    for (size_t i = 0; i < n; i++) a[i + n * 11] = 3 * a[i + n * 4] - 2 * a[i + n * 5]; /* a better mixture of two */
    memset(a + n * 13, 0, n * sizeof *a);
    for (size_t i = 0; i < n; i++) a[i + n * 15] = a[i + n * 16] * (1 + 1e-12 * (double)i);
    for (double r = 0.1; r < 100; r *= 2) {
        tamis_lasso_bind(&w, n, p, memory);
        assert_int_equal(tamis_lasso_solve(&w, a, y, r), 0);
        tamis_lasso_dense(&w, value);
        assert_true(lasso_violation(n, p, a, y, r, value) < 1e-8);
    }
    a[5] = NAN;
    tamis_lasso_bind(&w, n, p, memory);
    assert_int_not_equal(tamis_lasso_solve(&w, a, y, 1), 0);
    free(a), free(y), free(memory), free(value);
}

/* Starts of every kind end at the same place: other r, another matrix, all columns, one column. */
static void lasso_starts_do_not_matter(void **state)
{
    (void)state;
    size_t n = 50, p = 30;
    double *a = normals(n * p, 41), *other = normals(n * p, 42), *y = normals(n, 43),
           *memory = doubles(tamis_lasso_size(n, p)), *cold = doubles(p), *warm = doubles(p);
    double *full = normals(p, 44);
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
            for (size_t j = 0; j < p; j++) assert_true(fabs(warm[j] - cold[j]) < 1e-10);
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
        assert_true(fabs(squares_left(n, p, a, alpha_y, value) - c->E) < 1e-9);
        assert_true(fabs(2 * w.lambda / (double)n - c->multiplier) < 1e-9);
        for (size_t j = 0; j < p; j++) {
            assert_true(fabs(value[j] - c->alpha[j]) < 1e-6);
            assert_int_equal(value[j] != 0, c->alpha[j] != 0);
        }
    }
    free(a), free(work), free(memory), free(value);
}

/* ---- the corner ---- */

static void quadratics_over_the_corner(void **state)
{
    enum { N = 6 };
    double h[N * N], x[N], x0[N], work[200];
    (void)state;
    for (uint64_t seed = 1; seed <= 200; seed++) {
        double *b = normals(N * N, seed), *g = normals(N, 1000 + seed), t = 0.3 + 0.01 * (double)(seed % 70), grad[N];
        for (size_t i = 0; i < N; i++)
            for (size_t j = 0; j < N; j++) {
                h[i + N * j] = 0;
                for (size_t k = 0; k < N; k++) h[i + N * j] += b[i + N * k] * b[j + N * k];
            }
        for (size_t i = 0; i < N; i++)
            x0[i] = seed % 3 == 0 ? t / N : seed % 3 == 1 ? 0.05 * (double)(i % 2) : (i == 2 ? t : 0);
        assert_int_equal(tamis_simplex_quadratic(N, h, 0.1, g, t, x0, work, x), 0);
        double sum = 0;
        for (size_t i = 0; i < N; i++) {
            grad[i] = g[i] + 0.1 * (x[i] - x0[i]);
            for (size_t j = 0; j < N; j++) grad[i] += h[i + N * j] * (x[j] - x0[j]);
            assert_true(x[i] >= 0);
            sum += x[i];
        }
        assert_true(sum <= t * (1 + 1e-14));
        assert_true(tamis_simplex_gap(N, grad, t, x) < 1e-11);
        free(b), free(g);
    }
    double indefinite[4] = {-1, 0, 0, 1}, g2[2] = {-1, -1}, half[2] = {0.1, 0.1};
    assert_int_equal(tamis_simplex_quadratic(2, indefinite, 0, g2, 1, half, work, x), 1);
    assert_int_equal(tamis_simplex_quadratic(2, indefinite, 2, g2, 1, half, work, x), 0);
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

static void gradients_are_finite_differences(void **state)
{
    enum { N = 20, M = 7, D = 5 };
    double *x = normals(N * D, 51), *c = normals(M * D, 52), *y = normals(N, 53), *alpha = normals(M + 1, 54),
           w[D] = {0.3, 0.05, 0, 0.2, 0.01}, g[D];
    struct tamis_wnet net = {N, N, M, M, D, x, c};
    double a[N * (M + 1)], e[N], work[2000], jacobian[N * D], mixed[(M + 1) * D], second[D * D];
    size_t columns[D], active[M + 1], which[D];
    (void)state;
    for (size_t j = 0; j <= M; j++) active[j] = j;
    for (size_t i = 0; i < D; i++) which[i] = i;
    tamis_wnet_basis(&net, w, work, columns, a);
    for (size_t n = 0; n < N; n++) {
        e[n] = y[n];
        for (size_t j = 0; j <= M; j++) e[n] -= a[n + N * j] * alpha[j];
    }
    tamis_wnet_gradient(&net, a, active, alpha, M + 1, e, work, g);
    tamis_wnet_derivatives(&net, a, active, alpha, M + 1, e, which, D, work, jacobian, mixed, second);
    for (size_t i = 0; i < D; i++) {
        double h = 1e-5, up[D], down[D], through = 0;
        memcpy(up, w, sizeof w), memcpy(down, w, sizeof w);
        up[i] += h, down[i] -= h;
        double slope = (error_of(&net, y, up, alpha) - error_of(&net, y, down, alpha)) / (2 * h);
        for (size_t n = 0; n < N; n++) through -= 2 * e[n] * jacobian[n + N * i] / N;
        assert_true(fabs(g[i] - slope) < 1e-7 * (1 + fabs(slope)));
        assert_true(fabs(g[i] - through) < 1e-12);
        for (size_t j = 0; j < D; j++) {                                /* E_ww = (2/N) (J^T J - second) */
            double hess = 0, pp[D], pm[D], mp[D], mm[D], q = 2e-5;
            memcpy(pp, w, sizeof w), memcpy(pm, w, sizeof w), memcpy(mp, w, sizeof w), memcpy(mm, w, sizeof w);
            pp[i] += q, pp[j] += q, pm[i] += q, pm[j] -= q, mp[i] -= q, mp[j] += q, mm[i] -= q, mm[j] -= q;
            double want = (error_of(&net, y, pp, alpha) - error_of(&net, y, pm, alpha) - error_of(&net, y, mp, alpha) +
                           error_of(&net, y, mm, alpha)) /
                          (4 * q * q);
            for (size_t n = 0; n < N; n++) hess += jacobian[n + N * i] * jacobian[n + N * j];
            assert_true(fabs(2 * (hess - second[i + D * j]) / N - want) < 2e-5 * (1 + fabs(want)));
        }
        for (size_t m = 0; m <= M; m++) {                               /* E_wa = (2/N) (J^T A + mixed) */
            double *plus = normals(M + 1, 54), *minus = normals(M + 1, 54), q = 1e-4, hess = mixed[m + (M + 1) * i];
            plus[m] += q, minus[m] -= q;
            double want = (error_of(&net, y, up, plus) - error_of(&net, y, up, minus) - error_of(&net, y, down, plus) +
                           error_of(&net, y, down, minus)) /
                          (4 * q * h);
            for (size_t n = 0; n < N; n++) hess += jacobian[n + N * i] * a[n + N * m];
            assert_true(fabs(2 * hess / N - want) < 1e-5);
            free(plus), free(minus);
        }
    }
    free(x), free(c), free(y), free(alpha);
}

/* ---- barrier ---- */

static struct tamis_wnet eval_net(void)
{
    return (struct tamis_wnet){EVAL_N, EVAL_N, EVAL_N, EVAL_N, EVAL_D, eval_x, eval_x};
}

static void point_set(struct tamis_barrier *b, const double *alpha, const double *s, const double *w)
{
    memcpy(b->alpha, alpha, b->p * sizeof *alpha);
    memcpy(b->s, s, b->p * sizeof *s);
    memcpy(b->w, w, b->d * sizeof *w);
}

/* H of all variables, from the parts that the iteration uses. */
static void barrier_hessian(const struct tamis_barrier *b, double *full)
{
    size_t p = b->p, d = b->d, k = p + d, all = 2 * p + d;
    double kappa = b->mu / (double)(p - 1), left = b->r, free_t = b->t;
    memset(full, 0, all * all * sizeof *full);
    for (size_t m = 0; m < p; m++) left -= b->s[m];
    for (size_t i = 0; i < d; i++) free_t -= b->w[i];
    for (size_t i = 0; i < k; i++)
        for (size_t j = 0; j <= i; j++) {
            size_t a = i < p ? i : i + p, c = j < p ? j : j + p;
            full[a + all * c] += b->h[i + k * j];
            if (a != c) full[c + all * a] += b->h[i + k * j];
        }
    for (size_t m = 0; m < p; m++) {
        double u = b->s[m] + b->alpha[m], v = b->s[m] - b->alpha[m], uu = kappa / (u * u), vv = kappa / (v * v);
        full[m + all * m] += uu + vv;
        full[p + m + all * (p + m)] += uu + vv;
        full[m + all * (p + m)] += uu - vv;
        full[p + m + all * m] += uu - vv;
        for (size_t j = 0; j < p; j++) full[p + m + all * (p + j)] += b->mu / (left * left);
    }
    for (size_t i = 0; i < d; i++) {
        full[(2 * p + i) * (all + 1)] += b->mu / (double)d / (b->w[i] * b->w[i]);
        for (size_t j = 0; j < d; j++) full[2 * p + i + all * (2 * p + j)] += b->mu / (free_t * free_t);
    }
}

static void barrier_is_the_known_one(void **state)
{
    struct tamis_wnet net = eval_net();
    double *memory = doubles(tamis_barrier_size(EVAL_N, EVAL_N, EVAL_D));
    struct tamis_barrier b;
    (void)state;
    tamis_barrier_bind(&b, &net, eval_y, eval_r, eval_t, memory);
    b.mu = eval_mu;
    point_set(&b, eval_alpha, eval_s, eval_w);
    assert_int_equal(tamis_barrier_start(&b), 0);
    assert_true(fabs(b.error - eval_E) < 1e-13 && fabs(b.value - eval_J) < 1e-13);
    tamis_barrier_derivatives(&b);
    size_t all = 2 * b.p + b.d;
    double most = 0, *full = doubles(all * all), *factor = doubles((b.p + b.d) * (b.p + b.d)), top = 0;
    for (size_t i = 0; i < all; i++) most = fmax(most, fabs(eval_gradient[i]));
    for (size_t i = 0; i < all; i++) assert_true(fabs(b.g[i] - eval_gradient[i]) < 1e-11 * most);
    barrier_hessian(&b, full);
    for (size_t i = 0; i < all * all; i++) top = fmax(top, fabs(eval_hessian[i]));
    for (size_t i = 0; i < all * all; i++) assert_true(fabs(full[i] - eval_hessian[i]) < 1e-11 * top);
    for (size_t k = 0; k < 3; k++) {
        const struct eval_step *s = &eval_steps[k];
        double lambda = s->lambda, tolerance = s->lambda >= 1e-3 ? 1e-9 : 1e-7, longest = 0, curvature = 0;
        assert_int_equal(tamis_barrier_step(&b, lambda, factor), 0);
        for (size_t i = 0; i < all; i++) longest = fmax(longest, fabs(s->p[i]));
        for (size_t i = 0; i < all; i++) assert_true(fabs(b.step[i] - s->p[i]) < tolerance * longest);
        for (size_t i = 0; i < all; i++)
            for (size_t j = 0; j < all; j++) curvature += b.step[i] * full[i + all * j] * b.step[j];
        assert_true(fabs(tamis_barrier_curvature(&b) / curvature - 1) < 1e-10);
        tamis_barrier_iterate(&b, &lambda);
        assert_true(fabs(b.bound / s->delta_sup - 1) < tolerance && fabs(b.delta / s->delta - 1) < tolerance &&
                    fabs(b.ratio / s->ratio - 1) < 10 * tolerance);
        assert_true(fabs(b.value / s->J_new - 1) < tolerance);
        point_set(&b, eval_alpha, eval_s, eval_w);
        tamis_barrier_start(&b);
        tamis_barrier_derivatives(&b);
    }
    free(memory), free(full), free(factor);
}

/* The exact Hessian of the case and the gradient, against differences of J. */
static void barrier_gradient_is_a_finite_difference(void **state)
{
    struct tamis_wnet net = eval_net();
    double *memory = doubles(tamis_barrier_size(EVAL_N, EVAL_N, EVAL_D)),
           *more = doubles(tamis_barrier_size(EVAL_N, EVAL_N, EVAL_D));
    struct tamis_barrier b, c;
    (void)state;
    for (int moves = 1; moves <= 3; moves++) {
        tamis_barrier_bind(&b, &net, eval_y, eval_r, eval_t, memory);
        tamis_barrier_bind(&c, &net, eval_y, eval_r, eval_t, more);
        b.mu = c.mu = 0.01;
        b.moves = c.moves = moves;
        point_set(&b, eval_alpha, eval_s, eval_w);
        tamis_barrier_start(&b);
        tamis_barrier_derivatives(&b);
        size_t from = moves == 2 ? 2 * b.p : 0, to = moves == 1 ? 2 * b.p : 2 * b.p + b.d;
        for (size_t i = from; i < to; i++) {
            double h = 1e-6, value[2];
            for (int side = 0; side < 2; side++) {
                point_set(&c, eval_alpha, eval_s, eval_w);
                c.theta[i] += side ? -h : h;
                tamis_barrier_start(&c);
                value[side] = c.value;
            }
            assert_true(fabs((value[0] - value[1]) / (2 * h) - b.g[i]) < 1e-7);
        }
        for (size_t j = from; moves == 3 && j < to;
             j++) { /* columns of the exact Hessian: differences of the gradient */
            double h = 1e-6, *up = doubles(to);
            tamis_barrier_bind(&c, &net, eval_y, eval_r, eval_t, more);
            c.mu = eval_mu;
            for (int side = 0; side < 2; side++) {
                point_set(&c, eval_alpha, eval_s, eval_w);
                c.theta[j] += side ? -h : h;
                tamis_barrier_start(&c);
                tamis_barrier_derivatives(&c);
                if (!side) memcpy(up, c.g, to * sizeof *up);
            }
            for (size_t i = 0; i < to; i++)
                assert_true(fabs((up[i] - c.g[i]) / (2 * h) - eval_hessian_exact[i + to * j]) < 1e-6);
            free(up);
        }
    }
    free(memory), free(more);
}

static void algorithm_3_takes_the_known_steps(void **state)
{
    struct tamis_wnet net = eval_net();
    double *memory = doubles(tamis_barrier_size(EVAL_N, EVAL_N, EVAL_D)), lambda = 1;
    struct tamis_barrier b;
    (void)state;
    tamis_barrier_bind(&b, &net, eval_y, eval_r, eval_t, memory);
    b.mu = eval_mu;
    point_set(&b, alg3_alpha, alg3_s, alg3_w);
    assert_int_equal(tamis_barrier_start(&b), 0);
    for (size_t l = 0; l < 25; l++) {
        double tolerance = l < 10 ? 1e-9 : 1e-6;
        assert_true(fabs(b.value / alg3_rows[l].J - 1) < tolerance);
        tamis_barrier_iterate(&b, &lambda);
        assert_true(fabs(b.value / alg3_rows[l].Jn - 1) < tolerance);
        if (alg3_rows[l].J - alg3_rows[l].Jn > 1e-10)
            assert_true(lambda == alg3_rows[l].lambda); /* later, the ratio is one of roundings */
    }
    free(memory);
}

static void barrier_optima_are_the_known_ones(void **state)
{
    struct tamis_wnet net = alpha_net();
    double *memory = doubles(tamis_barrier_size(ALPHA_N, ALPHA_N, ALPHA_D));
    struct tamis_barrier b;
    (void)state;
    for (size_t k = 0; k < 3; k++)
        for (size_t q = 0; q < 4; q++) {
            const struct alpha_barrier *want = &alpha_cases[k].barrier[q];
            tamis_barrier_bind(&b, &net, alpha_y, alpha_cases[k].r, 10, memory);
            b.moves = TAMIS_BARRIER_ALPHA;
            for (size_t m = 0; m < b.p; m++) b.s[m] = 0.9 * b.r / (double)b.p, b.alpha[m] = 0;
            memcpy(b.w, alpha_w, sizeof alpha_w);
            for (double mu = 1e-3; mu > 0.99 * want->mu; mu /= 10) {
                double lambda = 1e-3;
                b.mu = mu;
                assert_int_equal(tamis_barrier_start(&b), 0);
                for (int i = 0; i < 200; i++) tamis_barrier_iterate(&b, &lambda), lambda = fmin(lambda, 1);
            }
            assert_true(fabs(b.value - want->J) < 1e-10);
            for (size_t m = 0; m < b.p; m++) assert_true(fabs(b.alpha[m] - want->alpha[m]) < 1e-6);
        }
    free(memory);
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
    assert_true(sum <= t * (1 + 1e-12));
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
            assert_true(a.gap < 1e-6);
            assert_true(conditions(&s, bounds[b][0], bounds[b][1], w, alpha) < 1e-6);
            assert_true(fabs(error_of(&s.data.net, s.data.y, w, alpha) - a.error) < 1e-12 + 1e-9 * a.error);
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
            assert_true(fabs((g[0][i] - g[1][i]) / (2 * h) - exact[i + most * j]) < 1e-4 * top);
    }
    tamis_sparse_fit_free(f);
    sample_free(&s);
    free(w), free(alpha), free(exact);
}

/* The barrier ends near a point as good as its mu allows, inside the bounds; never better than the best of the exact
 * solver's starts by more than that. */
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
        assert_true(sum <= 4 * (1 + 1e-12) && norm <= 6 * (1 + 1e-12));
        if (!solver) best = a.error;
        assert_true(a.error > best - 1e-9 && a.error < 1 && a.inputs >= 1);
        assert_true(w[0] > 0.5 * sum);
        tamis_sparse_fit_free(f);
    }
    sample_free(&s);
    free(w), free(alpha);
}

/* ---- the method ---- */

static tamis_options *quick(tamis_context *cx)
{
    return OPTIONS("method", "sparse-rbf", "r", "2:50:3", "t", "0.1:4:3", "folds", "4");
}

static void same_bits_for_any_number_of_threads(void **state)
{
    static const char *const options[][2] = {
        {"prune", "yes"}, {"centers", "20"}, {"solver", "direct"}, {"solver", "alternating"}, {"r", "auto"}};
    tamis_context *cx = *state;
    tamis_table *t = made(cx, "tikka1d", "40", "3");
    for (size_t i = 0; i < 5; i++) {
        tamis_options *o = quick(cx);
        if (i == 2 || i == 3) tamis_options_set(o, "r", "6"), tamis_options_set(o, "t", "2:4:2");
        tamis_options_set(o, options[i][0], options[i][1]);
        same_bits(cx, t, o, "\"sparse-rbf\": {\"solver\"");
    }
    tamis_table_free(t);
}

static void first_example_keeps_its_one_input(void **state)
{
    tamis_context *cx = *state;
    tamis_table *t = made(cx, "tikka1d", "100", "1"), *fresh = made(cx, "tikka1d", "1000", "77");
    tamis_result *r = chosen(cx, t, fresh, OPTIONS("method", "sparse-rbf", "r", "2:20:5", "t", "2:15:5"));
    double p[1000];
    assert_int_equal(r->selected, 1);
    assert_int_equal(r->chosen[0], 0);
    assert_string_equal(r->error_name, "cv");
    assert_true(r->error < r->all_inputs && r->test < r->test_all_inputs && r->input[0].relevance == 1);
    tamis_model *m = came_back(cx, r->model, fresh, p, NULL);
    for (size_t i = 0; i < 1000; i++) p[i] -= fresh->column[5].value[i];
    assert_true(sqrt(variance(p, 1000)) < 0.18);
    damage_is_refused(cx, m, 300);
    tamis_model_free(m);
    tamis_result_free(r);
    tamis_table_free(t);
    tamis_table_free(fresh);
}

static void two_classes_are_told_apart(void **state)
{
    tamis_context *cx = *state;
    tamis_table *t = made(cx, "xor", "120", "2"), *fresh = made(cx, "xor", "400", "9");
    tamis_options *o = quick(cx);
    tamis_result *r = NULL;
    double prediction[400], score[800], wrong = 0;
    tamis_options_set(o, "r", "10:300:4");
    assert_int_equal(tamis_select(cx, t, fresh, o, &r), TAMIS_OK);
    assert_true(r->input[0].selected && r->input[1].selected && r->selected <= 3);
    assert_true(r->error < 0.2 && r->test < 0.2 && r->error < r->all_inputs);
    assert_int_equal(tamis_model_predict(cx, r->model, fresh, prediction, score), TAMIS_OK);
    for (size_t i = 0; i < 400; i++) {
        assert_true(prediction[i] == (score[i + 400] > score[i]));
        wrong += (prediction[i] != fresh->column[10].value[i]) / 400.0;
    }
    assert_true(fabs(wrong - r->test) < 1e-12);
    tamis_result_free(r);
    tamis_options_free(o);
    tamis_table_free(t);
    tamis_table_free(fresh);
}

static void bad_requests_get_a_sentence(void **state)
{
    static const struct { const char *text, *option, *value; int status; const char *says; } bad[] = {
        {"x,y\n1,5\n2,6\n3,7\n4,9\n", "r", "0", TAMIS_USAGE, "--r"},
        {"x,y\n1,5\n2,6\n3,7\n4,9\n", "r", "-3:5:4", TAMIS_USAGE, "--r"},
        {"x,y\n1,5\n2,6\n3,7\n4,9\n", "t", "inf", TAMIS_USAGE, "--t"},
        {"x,y\n1,5\n2,6\n3,7\n4,9\n", "t", "0:1:5", TAMIS_USAGE, "--t"},
        {"x,y\n1,5\n2,6\n3,7\n4,9\n", "folds", "1", TAMIS_USAGE, "--folds"},
        {"x,y\n1,5\n2,6\n3,7\n4,9\n", "solver", "magic", TAMIS_USAGE, "--solver"},
        {"x,y\n1,5\n2,6\n3,7\n4,9\n", "checkpoint", "f", TAMIS_USAGE, "keeps none"},
        {"x,y\n1,a\n2,b\n3,c\n4,a\n5,b\n6,c\n", NULL, NULL, TAMIS_USAGE, "two classes"},
        {"x,y\n1,a\n2,a\n3,a\n4,a\n", NULL, NULL, TAMIS_DATA, ""},
    };
    tamis_context *cx = *state;
    for (size_t i = 0; i < sizeof bad / sizeof *bad; i++)
        option_refused(cx, bad[i].text, quick(cx), bad[i].option, bad[i].value, bad[i].status, bad[i].says);
}

static void hard_tables_are_survived(void **state)
{
    static const char *const text[] = {
        HARD_NUMBERS, "x,y\n1,a\n1,b\n2,a\n2,b\n1,a\n2,b\n"};
    static const char *const solver[] = {"projection", "direct", "alternating"};
    tamis_context *cx = *state;
    for (size_t i = 0; i < sizeof text / sizeof *text; i++)
        for (int m = 0; m < 4; m++) {
            tamis_options *o = quick(cx);
            tamis_result *r = NULL;
            tamis_options_set(o, "solver", solver[m % 3]);
            if (m == 3) tamis_options_set(o, "r", "auto"), tamis_options_set(o, "t", "auto");
            if (select_text(cx, text[i], o, &r)) fail_msg("table %zu: %s", i, tamis_error(cx));
            assert_true(isfinite(r->error));
            for (size_t k = 0; k < r->inputs; k++) assert_false(r->input[k].constant && r->input[k].selected);
            tamis_result_free(r);
            tamis_options_free(o);
        }
}

/* The same columns twice: one of each pair carries the weight. */
static void copies_of_inputs_share_nothing(void **state)
{
    tamis_context *cx = *state;
    tamis_table *t = made(cx, "tikka1d", "50", "8"), *two = NULL;
    double *x = doubles(50 * 7);
    tamis_result *a = NULL, *b = NULL;
    tamis_options *o = quick(cx);
    for (size_t j = 0; j < 5; j++) memcpy(x + 50 * j, t->column[j].value, 50 * sizeof *x);
    memcpy(x + 50 * 5, t->column[0].value, 50 * sizeof *x);
    memcpy(x + 50 * 6, t->column[5].value, 50 * sizeof *x);
    assert_int_equal(tamis_table_from_numbers(cx, 50, 7, x, 1, 50, NULL, &two), TAMIS_OK);
    tamis_options_set(o, "r", "6");
    tamis_options_set(o, "t", "4");
    assert_int_equal(tamis_select(cx, t, NULL, o, &a), TAMIS_OK);
    assert_int_equal(tamis_select(cx, two, NULL, o, &b), TAMIS_OK);
    assert_true(b->input[0].selected && !b->input[5].selected);
    assert_true(fabs(a->error - b->error) < 0.02);      /* other starts, perhaps another valley */
    assert_string_equal(a->error_name, "training");
    tamis_result_free(a);
    tamis_result_free(b);
    tamis_options_free(o);
    tamis_table_free(t);
    tamis_table_free(two);
    free(x);
}

static void every_allocation_may_fail(void **state)
{
    tamis_context *cx = *state;
    tamis_table *t = made(cx, "tikka1d", "14", "4");
    for (int m = 0; m < 2; m++)
        run_survives_failing_memory(cx, t,
                                    OPTIONS("method", "sparse-rbf", "r", "3", "t", m ? "1:2:2" : "auto", "folds", "2",
                                            "holdout", "0.2", m ? "centers" : NULL, "6"),
                                    100, 5000);
    tamis_table_free(t);
}

int main(void)
{
    const struct CMUnitTest tests[] = {TEST(lasso_agrees_with_coordinate_descent),
                                       TEST(lasso_survives_dependent_columns),
                                       TEST(lasso_starts_do_not_matter),
                                       TEST(coefficients_are_the_known_ones),
                                       TEST(quadratics_over_the_corner),
                                       TEST(gradients_are_finite_differences),
                                       TEST(barrier_is_the_known_one),
                                       TEST(barrier_gradient_is_a_finite_difference),
                                       TEST(algorithm_3_takes_the_known_steps),
                                       TEST(barrier_optima_are_the_known_ones),
                                       TEST(projection_meets_the_conditions),
                                       TEST(curvature_of_the_projected_error),
                                       TEST(paper_solvers_stay_inside_the_bounds),
                                       TEST(same_bits_for_any_number_of_threads),
                                       TEST(first_example_keeps_its_one_input),
                                       TEST(two_classes_are_told_apart),
                                       TEST(bad_requests_get_a_sentence),
                                       TEST(hard_tables_are_survived),
                                       TEST(copies_of_inputs_share_nothing),
                                       TEST(every_allocation_may_fail)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
