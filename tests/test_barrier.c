/* The barrier form of the sparse network, and quadratics over the corner of the simplex: known answers, derivatives. */
#include "cases_sparse.h"
#include "num/barrier.h"
#include "num/lasso.h"
#include "num/simplex.h"
#include "num/wnet.h"
#include "unit.h"

static double *doubles(size_t n) { return calloc(n ? n : 1, sizeof(double)); }

/* ---- the corner of the simplex ---- */

static void quadratics_over_the_corner(void **state)
{
    enum { N = 6 };
    double h[N * N], x[N], x0[N], work[200];
    (void)state;
    for (uint64_t seed = 1; seed <= 200; seed++) {
        double *b = normal_numbers(N * N, seed), *g = normal_numbers(N, 1000 + seed),
               t = 0.3 + 0.01 * (double)(seed % 70), grad[N];
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
            assert_at_least(x[i], 0);
            sum += x[i];
        }
        assert_at_most(sum, t * (1 + 1e-14));
        assert_below(tamis_simplex_gap(N, grad, t, x), 1e-11);
        free(b), free(g);
    }
    double indefinite[4] = {-1, 0, 0, 1}, g2[2] = {-1, -1}, half[2] = {0.1, 0.1};
    assert_int_equal(tamis_simplex_quadratic(2, indefinite, 0, g2, 1, half, work, x), 1);
    assert_int_equal(tamis_simplex_quadratic(2, indefinite, 2, g2, 1, half, work, x), 0);
}

/* ---- barrier ---- */

static struct tamis_wnet alpha_net(void)
{
    return (struct tamis_wnet){ALPHA_N, ALPHA_N, ALPHA_N, ALPHA_N, ALPHA_D, alpha_x, alpha_x};
}

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
    assert_close(b.error, eval_E, 1e-13);
    assert_close(b.value, eval_J, 1e-13);
    tamis_barrier_derivatives(&b);
    size_t all = 2 * b.p + b.d;
    double most = 0, *full = doubles(all * all), *factor = doubles((b.p + b.d) * (b.p + b.d)), top = 0;
    for (size_t i = 0; i < all; i++) most = fmax(most, fabs(eval_gradient[i]));
    for (size_t i = 0; i < all; i++) assert_close(b.g[i], eval_gradient[i], 1e-11 * most);
    barrier_hessian(&b, full);
    for (size_t i = 0; i < all * all; i++) top = fmax(top, fabs(eval_hessian[i]));
    for (size_t i = 0; i < all * all; i++) assert_close(full[i], eval_hessian[i], 1e-11 * top);
    for (size_t k = 0; k < 3; k++) {
        const struct eval_step *s = &eval_steps[k];
        double lambda = s->lambda, tolerance = s->lambda >= 1e-3 ? 1e-9 : 1e-7, longest = 0, curvature = 0;
        assert_int_equal(tamis_barrier_step(&b, lambda, factor), 0);
        for (size_t i = 0; i < all; i++) longest = fmax(longest, fabs(s->p[i]));
        for (size_t i = 0; i < all; i++) assert_close(b.step[i], s->p[i], tolerance * longest);
        for (size_t i = 0; i < all; i++)
            for (size_t j = 0; j < all; j++) curvature += b.step[i] * full[i + all * j] * b.step[j];
        assert_close(tamis_barrier_curvature(&b) / curvature, 1, 1e-10);
        tamis_barrier_iterate(&b, &lambda);
        assert_close(b.bound / s->delta_sup, 1, tolerance);
        assert_close(b.delta / s->delta, 1, tolerance);
        assert_close(b.ratio / s->ratio, 1, 10 * tolerance);
        assert_close(b.value / s->J_new, 1, tolerance);
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
            assert_close((value[0] - value[1]) / (2 * h), b.g[i], 1e-7);
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
                assert_close((up[i] - c.g[i]) / (2 * h), eval_hessian_exact[i + to * j], 1e-6);
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
        assert_close(b.value / alg3_rows[l].J, 1, tolerance);
        tamis_barrier_iterate(&b, &lambda);
        assert_close(b.value / alg3_rows[l].Jn, 1, tolerance);
        if (alg3_rows[l].J - alg3_rows[l].Jn > 1e-10)
            assert_true(lambda == alg3_rows[l].lambda); /* later, the ratio is dominated by rounding */
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
            assert_close(b.value, want->J, 1e-10);
            for (size_t m = 0; m < b.p; m++) assert_close(b.alpha[m], want->alpha[m], 1e-6);
        }
    free(memory);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        TEST(quadratics_over_the_corner),
        TEST(barrier_is_the_known_one),
        TEST(barrier_gradient_is_a_finite_difference),
        TEST(algorithm_3_takes_the_known_steps),
        TEST(barrier_optima_are_the_known_ones),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
