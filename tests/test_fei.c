/* Feature evaluation indices: known answers, closed form against double sums, search against all sets, nodes and
 * weights of the network. */
#include "base/rng.h"
#include "cases_fei.h"
#include "num/fei_index.h"
#include "num/fei_search.h"
#include "num/kmeans.h"
#include "num/nodes.h"
#include "unit.h"

#define assert_same(actual, expected, tolerance) /* NaN where NaN is expected */ \
    do { \
        if (isnan(expected)) assert_true(isnan(actual)); \
        else assert_relative(actual, expected, tolerance); \
    } while (0)

/* ---- networks ---- */

struct net { size_t n, m, l; double mu[400], sigma[40], omega[160]; };

static void random_net(struct net *q, size_t n, size_t m, size_t l, double offset, uint32_t seed)
{
    struct tamis_rng r;
    tamis_rng_init(&r, 77, TAMIS_RNG_TEST, seed);
    *q = (struct net){.n = n, .m = m, .l = l};
    for (size_t i = 0; i < n * m; i++) q->mu[i] = offset + tamis_rng_normal(&r);
    for (size_t c = 0; c < m; c++) q->sigma[c] = 0.1 + tamis_rng_uniform(&r);
    for (size_t i = 0; i < m * l; i++) q->omega[i] = tamis_rng_normal(&r);
    assert_true(tamis_fei_omega(m * l, q->omega, q->omega));
}

/* [1] eqs. 6-8 and 12-14 as printed, sum by sum. */
static double by_sums(const struct net *q, int index, int pairs, size_t ignored)
{
    double value = 0;
    for (size_t k = 0; k < q->l; k++) {
        double d = 0, big = 0;
        for (size_t c = 0; c < q->m; c++)
            for (size_t e = 0; e < q->m; e++)
                for (size_t j = 0; j < q->n; j++) {
                    if (ignored >> j & 1 || e == c || (pairs == TAMIS_ORDERED && e < c)) continue;
                    double gap = q->mu[c + q->m * j] - q->mu[e + q->m * j],
                           scale = index == TAMIS_FEI ? 1 / (q->sigma[c] * q->sigma[e]) : 1;
                    double distance =
                        scale *
                        (gap * gap + (index == TAMIS_FEI ? 0 : q->sigma[c] * q->sigma[c] + q->sigma[e] * q->sigma[e]));
                    double half = pairs == TAMIS_ORDERED ? 1 : 0.5;
                    d += half * distance * q->omega[c + q->m * k] * q->omega[e + q->m * k];
                    for (size_t o = 0; o < q->l; o++)
                        if (o != k) big += half * distance * q->omega[c + q->m * k] * q->omega[e + q->m * o];
                }
        value += big > 0 ? d / big : NAN;
    }
    return value;
}

static void terms_of(const struct net *q, int index, int pairs, double *a, double *b)
{
    double work[160];
    tamis_fei_terms(index, pairs, q->n, q->m, q->l, q->mu, q->sigma, q->omega, work, a, b);
}

static void check_all_ways(const struct net *q, int index, int pairs, const double *want, double tolerance)
{
    double a[160], b[160], value[1024], part[1024], single[16], work[4096];
    unsigned char set[16];
    size_t all = (size_t)1 << q->n, low = q->n / 2;
    terms_of(q, index, pairs, a, b);
    tamis_fei_block(q->n, q->l, a, b, 0, q->n, work, value);
    for (size_t h = 0; h < all >> low; h++) tamis_fei_block(q->n, q->l, a, b, h << low, low, work, part + (h << low));
    tamis_fei_singles(q->n, q->l, a, b, work, single);
    for (size_t f = 0; f < all; f++) {
        for (size_t j = 0; j < q->n; j++) set[j] = f >> j & 1;
        assert_same(value[f], want[f], tolerance);
        assert_same(part[f], want[f], tolerance);
        assert_same(tamis_fei_value(q->n, q->l, a, b, set), want[f], tolerance);
    }
    for (size_t j = 0; j < q->n; j++) assert_same(single[j], want[(size_t)1 << j], tolerance);
    assert_same(tamis_fei_value(q->n, q->l, a, b, NULL), want[0], tolerance);
}

static void known_answers(void **state)
{
    (void)state;
    for (size_t i = 0; i < sizeof fei_cases / sizeof *fei_cases; i++) {
        const struct fei_case *c = &fei_cases[i];
        struct net q = {.n = c->n, .m = c->m, .l = c->l};
        double w[12];
        for (size_t r = 0; r < c->m; r++) {
            for (size_t j = 0; j < c->n; j++) q.mu[r + c->m * j] = c->mu[r * c->n + j];
            for (size_t k = 0; k < c->l; k++) w[r + c->m * k] = c->w[r * c->l + k];
            q.sigma[r] = c->sigma[r];
        }
        assert_true(tamis_fei_omega(c->m * c->l, w, q.omega));
        for (size_t r = 0; r < c->m; r++)
            for (size_t k = 0; k < c->l; k++) assert_close(q.omega[r + c->m * k], c->omega[r * c->l + k], 1e-15);
        for (int pairs = 0; pairs < 2; pairs++) {
            check_all_ways(&q, TAMIS_FEI, pairs, c->fei[pairs], 1e-12);
            check_all_ways(&q, TAMIS_FEI2, pairs, c->fei2[pairs], 1e-12);
        }
    }
}

static void closed_form_is_the_double_sum(void **state)
{
    static const size_t shape[][3] = {{7, 9, 4}, {10, 3, 2}, {5, 12, 6}, {1, 4, 3}, {3, 2, 2}};
    (void)state;
    for (uint32_t i = 0; i < sizeof shape / sizeof *shape; i++)
        for (int offset = 0; offset < 2; offset++)
            for (int way = 0; way < 4; way++) {
                struct net q;
                double want[1024];
                random_net(&q, shape[i][0], shape[i][1], shape[i][2], offset ? 1e6 : 0, i);
                for (size_t f = 0; f < (size_t)1 << q.n; f++) want[f] = by_sums(&q, way / 2, way % 2, f);
                check_all_ways(&q, way / 2, way % 2, want, 1e-11);
            }
}

/* One node of a class far from all others and without weight: nothing cancels. */
static void far_nodes_cost_no_digits(void **state)
{
    struct net q;
    double want[16];
    (void)state;
    random_net(&q, 4, 6, 2, 0, 3);
    for (size_t j = 0; j < 4; j++) q.mu[6 * j] = 1e9;
    q.omega[0] = q.omega[6] = 0;
    for (size_t f = 0; f < 16; f++) want[f] = by_sums(&q, TAMIS_FEI, TAMIS_SYMMETRIC, f);
    check_all_ways(&q, TAMIS_FEI, TAMIS_SYMMETRIC, want, 1e-9);
}

static void numbering_of_nodes(void **state)
{
    struct net q, turned;
    double a[160], b[160], changed = 0;
    (void)state;
    random_net(&q, 5, 7, 3, 0, 9);
    turned = q;
    for (size_t c = 0; c < 7; c++) {
        size_t to = (c * 3 + 2) % 7;
        turned.sigma[to] = q.sigma[c];
        for (size_t j = 0; j < 5; j++) turned.mu[to + 7 * j] = q.mu[c + 7 * j];
        for (size_t k = 0; k < 3; k++) turned.omega[to + 7 * k] = q.omega[c + 7 * k];
    }
    for (int way = 0; way < 4; way++) {
        terms_of(&q, way / 2, way % 2, a, b);
        double one = tamis_fei_value(5, 3, a, b, NULL);
        terms_of(&turned, way / 2, way % 2, a, b);
        double other = tamis_fei_value(5, 3, a, b, NULL);
        if (way % 2 == TAMIS_SYMMETRIC) assert_same(one, other, 1e-12);
        else changed += fabs(one - other);
    }
    assert_above(changed, 1e-3);
}

/* Two nodes: all sets have the same index. One node per class: the index vanishes. */
static void too_few_nodes_say_nothing(void **state)
{
    struct net q;
    double a[160], b[160], value[32], work[64];
    (void)state;
    random_net(&q, 5, 2, 2, 0, 4);
    for (int index = 0; index < 2; index++) {
        terms_of(&q, index, TAMIS_SYMMETRIC, a, b);
        tamis_fei_block(5, 2, a, b, 0, 5, work, value);
        for (size_t f = 1; f < 31; f++) assert_same(value[f], value[0], 1e-12);
        assert_true(isnan(value[31]));
    }
    random_net(&q, 5, 3, 3, 0, 5);
    for (size_t i = 0; i < 9; i++) q.omega[i] = i % 4 == 0;
    terms_of(&q, TAMIS_FEI, TAMIS_SYMMETRIC, a, b);
    tamis_fei_block(5, 3, a, b, 0, 5, work, value);
    for (size_t f = 0; f < 31; f++) assert_close(value[f], 0, 1e-30);
}

static void equal_weights_are_refused(void **state)
{
    double w[6] = {2, -2, 2, 2, -2, 2}, zero[3] = {0, 0, 0}, bad[2] = {1, INFINITY}, omega[6] = {7, 7, 7, 7, 7, 7};
    (void)state;
    assert_false(tamis_fei_omega(6, w, omega));
    assert_false(tamis_fei_omega(3, zero, omega));
    assert_false(tamis_fei_omega(2, bad, omega));
    assert_true(omega[0] == 7);
}

static void constant_features_give_exact_zeros(void **state)
{
    struct net q;
    double a[160], b[160];
    (void)state;
    random_net(&q, 4, 6, 3, 0, 6);
    for (size_t c = 0; c < 6; c++) q.mu[c + 6] = 0.1, q.mu[c + 12] = 1e7 / 3 * (1 + 1e-16 * (double)c);
    terms_of(&q, TAMIS_FEI, TAMIS_SYMMETRIC, a, b);
    for (size_t k = 0; k < 3; k++) {
        assert_true(a[1 + 4 * k] == 0 && b[1 + 4 * k] == 0 && a[2 + 4 * k] == 0 && b[2 + 4 * k] == 0);
        assert_above(a[4 * k], 0);
        assert_above(b[4 * k], 0);
    }
    unsigned char rest[4] = {1, 0, 0, 1};
    assert_true(isnan(tamis_fei_value(4, 3, a, b, rest)));
}

/* ---- search ---- */

static void largest_of_each_size(size_t n, size_t terms, const double *a, const double *b, double *most)
{
    static double value[1 << 14], work[1 << 15];
    tamis_fei_block(n, terms, a, b, 0, n, work, value);
    for (size_t s = 0; s <= n; s++) most[s] = -INFINITY;
    for (size_t f = 0; f < (size_t)1 << n; f++) {
        size_t s = (size_t)__builtin_popcountll(f);
        if (value[f] > most[s]) most[s] = value[f];
    }
}

static struct tamis_fei_search searcher(size_t n, size_t terms, const double *a, const double *b, size_t size,
                                        double budget)
{
    static double work[100000];
    static size_t index[20000];
    static unsigned char flag[30000];
    assert_true(tamis_fei_search_size(n, terms) <= 100000 && n <= 10000);
    return (struct tamis_fei_search){n, terms, size, a, b, budget, work, index, flag, NULL, NULL};
}

static void search_finds_the_best(void **state)
{
    (void)state;
    for (uint32_t seed = 0; seed < 12; seed++) {
        struct net q;
        size_t n = 6 + seed % 6, l = 2 + seed % 3;
        double a[160], b[160], most[16];
        random_net(&q, n, 5 + seed % 4, l, 0, 100 + seed);
        terms_of(&q, seed % 2, TAMIS_SYMMETRIC, a, b);
        if (seed % 4 == 3)
            for (size_t k = 0; k < l; k++)
                a[2 + n * k] = a[1 + n * k], b[2 + n * k] = b[1 + n * k]; /* equal features */
        if (seed % 5 == 4)
            for (size_t k = 0; k < l; k++) a[3 + n * k] = b[3 + n * k] = 0; /* a constant feature */
        largest_of_each_size(n, l, a, b, most);
        for (size_t size = 1; size < n; size++) {
            unsigned char set[16] = {0};
            struct tamis_fei_found found;
            struct tamis_fei_search s = searcher(n, l, a, b, size, 1e9);
            tamis_fei_search(&s, set, &found);
            size_t members = 0;
            for (size_t j = 0; j < n; j++) members += set[j];
            assert_int_equal(members, size);
            assert_true(found.proved);
            assert_relative(found.value, most[size], 1e-11);
            assert_relative(tamis_fei_value(n, l, a, b, set), most[size], 1e-11);
            assert_at_least(tamis_fei_bound(&s), most[size] * (1 - 1e-12));
            memset(set, 0, sizeof set);
            s.budget = 0;
            tamis_fei_search(&s, set, &found);
            assert_at_least(found.bound, most[size] * (1 - 1e-12));
            assert_at_most(found.value, found.bound);
            assert_true(found.nodes == 0);
            s.budget = 300 * (double)n; /* truncated search: the bound still holds */
            memset(set, 0, sizeof set);
            tamis_fei_search(&s, set, &found);
            assert_at_least(found.bound, most[size] * (1 - 1e-12));
            assert_at_most(found.value, found.bound * (1 + 1e-12));
        }
    }
}

/* Several networks: their mean is one sum of more ratios. */
static void search_over_several_networks(void **state)
{
    double a[700], b[700], most[16];
    size_t n = 9, l = 3, nets = 6;
    (void)state;
    for (size_t i = 0; i < nets; i++) {
        struct net q;
        random_net(&q, n, 7, l, 0, 200 + (uint32_t)i);
        terms_of(&q, TAMIS_FEI2, TAMIS_SYMMETRIC, a + n * l * i, b + n * l * i);
    }
    largest_of_each_size(n, l * nets, a, b, most);
    for (size_t size = 1; size < n; size++) {
        unsigned char set[16] = {0};
        struct tamis_fei_found found;
        struct tamis_fei_search s = searcher(n, l * nets, a, b, size, 1e9);
        tamis_fei_search(&s, set, &found);
        assert_true(found.proved);
        assert_relative(found.value, most[size], 1e-11);
    }
}

static int stop_now(void *arg) { return ++*(int *)arg > 0; }

static void search_of_many_features(void **state)
{
    size_t n = 2000, l = 3;
    double *a = malloc(n * l * sizeof *a), *b = malloc(n * l * sizeof *b);
    unsigned char *set = calloc(n, 1);
    struct tamis_rng r;
    struct tamis_fei_found found;
    (void)state;
    tamis_rng_init(&r, 5, TAMIS_RNG_TEST, 0);
    for (size_t i = 0; i < n * l; i++) {
        double u = tamis_rng_uniform(&r);
        b[i] = 0.2 + u;
        a[i] = b[i] * (0.5 + 0.5 * tamis_rng_uniform(&r));
    }
    struct tamis_fei_search s = searcher(n, l, a, b, 10, 2e7);
    tamis_fei_search(&s, set, &found);
    assert_at_most(found.value, found.bound);
    assert_below(found.bound, found.value * 1.01);
    for (size_t i = 0; i < n; i++)              /* no exchange improves it */
        for (size_t k = 0; k < n && set[i]; k += 97) {
            if (set[k]) continue;
            set[i] = 0, set[k] = 1;
            assert_at_most(tamis_fei_value(n, l, a, b, set), found.value * (1 + 1e-11));
            set[i] = 1, set[k] = 0;
        }
    int asked = 0;
    s.stop = stop_now;
    s.arg = &asked;
    memset(set, 0, n);
    tamis_fei_search(&s, set, &found);
    assert_true(found.proved || (found.stopped && asked == 1));
    free(a);
    free(b);
    free(set);
}

/* ---- nodes ---- */

static const size_t columns[] = {0, 1, 2, 3, 4, 5, 6, 7};

/* [1] eq. 11: the sum over pairs of points is N1 N2 (sigma1^2 + sigma2^2 + distance of the centres). */
static void sigma_makes_eq_11_an_identity(void **state)
{
    enum { N = 40, D = 3, M = 4 };
    double x[N * D], centre[M * D], work[N + 128 * M], sigma[M], sse;
    size_t assignment[N], count[M];
    struct tamis_rng r;
    (void)state;
    tamis_rng_init(&r, 3, TAMIS_RNG_TEST, 1);
    for (size_t i = 0; i < N * D; i++) x[i] = tamis_rng_normal(&r);
    tamis_kmeans(N, x, N, NULL, columns, D, M, 100, &r, work, centre, assignment, count, &sse);
    tamis_nodes_sigma(N, x, N, NULL, columns, D, M, centre, assignment, count, work, sigma);
    for (size_t c = 0; c < M; c++)
        for (size_t e = c + 1; e < M; e++) {
            double pairs = 0, apart = 0;
            for (size_t p = 0; p < N; p++)
                for (size_t q = 0; q < N; q++)
                    for (size_t v = 0; v < D && assignment[p] == c && assignment[q] == e; v++)
                        pairs += pow(x[p + N * v] - x[q + N * v], 2);
            for (size_t v = 0; v < D; v++) apart += pow(centre[c + M * v] - centre[e + M * v], 2);
            assert_relative((double)(count[c] * count[e]) * (sigma[c] * sigma[c] + sigma[e] * sigma[e] + apart), pairs,
                            1e-10);
        }
}

static void singletons_and_empty_nodes(void **state)
{
    double x[] = {0, 0, 3, 10, 10, 10.5}, centre[] = {0, 3, 10.1, 77, 10.5}, work[6], sigma[5];
    size_t assignment[] = {0, 0, 1, 2, 2, 4}, count[] = {2, 1, 2, 0, 1};
    (void)state;
    assert_int_equal(tamis_nodes_compact(6, 1, 5, centre, assignment, count), 4);
    assert_true(centre[3] == 10.5 && assignment[5] == 3 && count[3] == 1 && assignment[3] == 2);
    tamis_nodes_sigma(6, x, 6, NULL, columns, 1, 4, centre, assignment, count, work, sigma);
    assert_relative(sigma[0], 1.5, 1e-14);            /* two equal rows: half the distance to 3 */
    assert_relative(sigma[1], 1.5, 1e-14);            /* one row */
    assert_relative(sigma[2], 0.1, 1e-12);
    assert_relative(sigma[3], 0.2, 1e-12);
    tamis_nodes_sigma(2, x, 6, NULL, columns, 1, 1, centre, assignment, count, work, sigma);
    assert_true(sigma[0] == 1);                         /* no distance to measure */
}

struct trained { double phi[50 * 6], copy[50 * 6], y[50], w[6 * 3], work[2000]; int pivot[6]; size_t order[50]; };

static void trained_fill(struct trained *t, int twin)
{
    double x[100], centre[12], sigma[6];
    struct tamis_rng r;
    tamis_rng_init(&r, 4, TAMIS_RNG_TEST, 2);
    for (size_t i = 0; i < 100; i++) x[i] = tamis_rng_normal(&r);
    for (size_t i = 0; i < 12; i++) centre[i] = tamis_rng_normal(&r);
    for (size_t c = 0; c < 6; c++) sigma[c] = 0.7 + 0.1 * (double)c;
    for (size_t i = 0; i < 50; i++) t->y[i] = x[i] > 0.5 ? 2 : x[i + 50] > 0;
    tamis_nodes_basis(50, x, 50, columns, 2, 6, centre, sigma, t->phi, 50);
    for (size_t i = 0; i < 50; i++)
        for (size_t c = 0; c < 6; c++) {
            double d2 = pow(x[i] - centre[c], 2) + pow(x[i + 50] - centre[c + 6], 2);
            assert_same(t->phi[i + 50 * c], exp(-d2 / (2 * sigma[c] * sigma[c])), 1e-13);
        }
    if (twin) memcpy(t->phi + 250, t->phi + 200, 50 * sizeof(double));
    memcpy(t->copy, t->phi, sizeof t->copy);
}

/* Least squares: residuals orthogonal to the basis; two equal nodes share the weight equally. */
static void least_squares_is_optimal(void **state)
{
    struct trained t;
    (void)state;
    for (int twin = 0; twin < 2; twin++) {
        trained_fill(&t, twin);
        assert_at_most(tamis_nodes_ls_size(50, 6, 3), 2000);
        assert_int_equal(tamis_nodes_ls(50, 6, 3, t.phi, t.y, NULL, t.work, t.pivot, t.w), 6 - twin);
        for (size_t k = 0; k < 3; k++)
            for (size_t c = 0; c < 6; c++) {
                double sum = 0;
                for (size_t i = 0; i < 50; i++) {
                    double e = t.y[i] == (double)k;
                    for (size_t q = 0; q < 6; q++) e -= t.copy[i + 50 * q] * t.w[q + 6 * k];
                    sum += e * t.copy[i + 50 * c];
                }
                assert_close(sum, 0, 1e-10);
            }
        if (twin) for (size_t k = 0; k < 3; k++) assert_close(t.w[4 + 6 * k], t.w[5 + 6 * k], 1e-10);
    }
}

static void least_mean_squares_gets_there(void **state)
{
    struct trained t;
    struct tamis_rng r;
    double exact[18];
    (void)state;
    trained_fill(&t, 0);
    tamis_nodes_ls(50, 6, 3, t.phi, t.y, NULL, t.work, t.pivot, exact);
    tamis_rng_init(&r, 1, TAMIS_RNG_TEST, 3);
    tamis_nodes_lms(50, 6, 3, t.copy, t.y, NULL, 0.3, 200000, &r, t.work, t.order, t.w);
    for (size_t i = 0; i < 18; i++) assert_close(t.w[i], exact[i], 0.05 * (1 + fabs(exact[i])));
    tamis_nodes_lms(50, 6, 3, t.copy, t.y, NULL, 1e-9, 1, &r, t.work, t.order,
                    t.w); /* one small epoch: rate / n phi' t */
    for (size_t k = 0; k < 3; k++)
        for (size_t c = 0; c < 6; c++) {
            double sum = 0;
            for (size_t i = 0; i < 50; i++) sum += t.y[i] == (double)k ? t.copy[i + 50 * c] : 0;
            assert_same(t.w[c + 6 * k], sum * 1e-9 / 50, 1e-7);
        }
}

/* Many classes: products of matrices give what the rows give one by one, in one order for all epochs. */
static void many_classes_row_by_row(void **state)
{
    enum { N = 150, M = 44, L = 40 };
    static double phi[N * M], y[N], naive[M * L], w[M * L];
    size_t order[N], again[N];
    struct tamis_rng r, same;
    (void)state;
    tamis_rng_init(&r, 5, TAMIS_RNG_TEST, 4);
    for (size_t i = 0; i < N * M; i++) phi[i] = tamis_rng_uniform(&r);
    for (size_t i = 0; i < N; i++) y[i] = (double)tamis_rng_below(&r, L);
    double *work = malloc(tamis_nodes_lms_size(N, M, L) * sizeof *work), rate = 0.7;
    for (size_t epochs = 1; epochs < 15; epochs += epochs == 1 ? 4 : 1) {
        tamis_rng_init(&same, epochs, TAMIS_RNG_TEST, 5);
        for (size_t i = 0; i < N; i++) order[i] = i;
        tamis_rng_shuffle(&same, order, N);
        memset(naive, 0, sizeof naive);
        for (size_t t = 0; t < epochs * N; t++)
            for (size_t k = 0, i = order[t % N]; k < L; k++) {
                double step = y[i] == (double)k;
                for (size_t c = 0; c < M; c++) step -= phi[i + N * c] * naive[c + M * k];
                for (size_t c = 0; c < M; c++) naive[c + M * k] += rate / N * step * phi[i + N * c];
            }
        tamis_rng_init(&same, epochs, TAMIS_RNG_TEST, 5);
        tamis_nodes_lms(N, M, L, phi, y, NULL, rate, epochs, &same, work, again, w);
        for (size_t i = 0; i < M * L; i++) assert_close(w[i], naive[i], 1e-12);
    }
    free(work);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(known_answers),
                                       cmocka_unit_test(closed_form_is_the_double_sum),
                                       cmocka_unit_test(far_nodes_cost_no_digits),
                                       cmocka_unit_test(numbering_of_nodes),
                                       cmocka_unit_test(too_few_nodes_say_nothing),
                                       cmocka_unit_test(equal_weights_are_refused),
                                       cmocka_unit_test(constant_features_give_exact_zeros),
                                       cmocka_unit_test(search_finds_the_best),
                                       cmocka_unit_test(search_over_several_networks),
                                       cmocka_unit_test(search_of_many_features),
                                       cmocka_unit_test(sigma_makes_eq_11_an_identity),
                                       cmocka_unit_test(singletons_and_empty_nodes),
                                       cmocka_unit_test(least_squares_is_optimal),
                                       cmocka_unit_test(least_mean_squares_gets_there),
                                       cmocka_unit_test(many_classes_row_by_row)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
