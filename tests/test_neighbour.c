/* Criteria from nearest neighbours: every way of searching for them against the naive double loop, known answers, ties,
 * copies, failing memory. */
#include "base/rng.h"
#include "cases_dt.h"
#include "crit/neighbour/neighbour.h"
#include "num/kdtree.h"
#include "unit.h"

/* ---- tables ---- */

struct made { struct tamis_design d; struct tamis_encoder e; struct tamis_feature f[64]; double *x, *y; };

/* d inputs of one column each; grain 0: continuous, else whole multiples of 1 / grain, so that ties abound. classes 0:
 * numbers. */
static struct made *make(size_t n, size_t d, int grain, size_t classes, uint32_t seed)
{
    struct made *m = calloc(1, sizeof *m);
    struct tamis_rng r;
    tamis_rng_init(&r, seed, TAMIS_RNG_TEST, 0);
    m->x = malloc(n * d * sizeof *m->x);
    m->y = malloc(n * sizeof *m->y);
    for (size_t i = 0; i < n * d; i++) m->x[i] = grain ? (double)tamis_rng_below(&r, 4) / grain : tamis_rng_normal(&r);
    for (size_t i = 0; i < n; i++) {
        double v = sin(2 * m->x[i]) + (d > 1 ? m->x[i + n] : 0) + 0.2 * tamis_rng_normal(&r);
        m->y[i] = classes ? fmin((double)classes - 1, floor(fabs(v) * (double)classes / 2)) : v;
    }
    for (size_t i = 0; i < d; i++) m->f[i] = (struct tamis_feature){.name = "", .first = i, .columns = 1};
    m->e = (struct tamis_encoder){.inputs = d, .columns = d, .input = m->f, .classes = classes};
    m->d = (struct tamis_design){.encoder = &m->e, .rows = n, .columns = d, .inputs = d, .x = m->x, .y = m->y};
    return m;
}

static void unmake(struct made *m)
{
    free(m->x);
    free(m->y);
    free(m);
}

/* ---- the naive loops ---- */

struct near_row { double d2; size_t row; };

static int by_distance(const void *a, const void *b)
{
    const struct near_row *x = a, *y = b;
    if (x->d2 != y->d2) return x->d2 < y->d2 ? -1 : 1;
    return (x->row > y->row) - (x->row < y->row);
}

static double d2_of(const struct made *m, const unsigned char *tenth, size_t i, size_t j)
{
    double sum = 0, w;
    for (size_t c = 0; c < m->d.columns; c++) {
        w = tenth[c] / 10.0;
        volatile double e = tenth[c] ? w * m->x[i + m->d.rows * c] - w * m->x[j + m->d.rows * c] : 0;
        volatile double square = e * e;
        sum += square;
    }
    return sum;
}

static void neighbours(const struct made *m, const unsigned char *tenth, size_t i, struct near_row *to)
{
    size_t k = 0;
    for (size_t j = 0; j < m->d.rows; j++)
        if (j != i) to[k++] = (struct near_row){d2_of(m, tenth, i, j), j};
    qsort(to, k, sizeof *to, by_distance);
}

static double naive_delta(const struct made *m, const unsigned char *tenth, int ties)
{
    size_t n = m->d.rows;
    double sum = 0;
    for (size_t i = 0; i < n; i++) {
        double term = 0, least = INFINITY, count = 1;
        for (size_t j = 0; j < n; j++) {
            double d2 = j == i ? INFINITY : d2_of(m, tenth, i, j), e = pow(m->y[i] - m->y[j], 2);
            if (d2 < least) least = d2, term = e, count = 1;
            else if (ties && d2 == least && j != i) term += e, count++;
        }
        sum += term / count;
    }
    return sum / (2 * (double)n);
}

static double naive_knn(const struct made *m, const unsigned char *tenth, size_t k)
{
    size_t n = m->d.rows, classes = m->e.classes, count[16];
    double sum = 0;
    struct near_row *to = malloc(n * sizeof *to);
    for (size_t i = 0; i < n; i++) {
        double mean = 0;
        size_t best = 0;
        neighbours(m, tenth, i, to);
        memset(count, 0, sizeof count);
        for (size_t t = 0; t < k; t++)
            mean += m->y[to[t].row] / (double)k, count[classes ? (size_t)m->y[to[t].row] : 0]++;
        for (size_t c = 1; c < classes; c++)
            if (count[c] > count[best]) best = c;
        sum += classes ? (double)best != m->y[i] : pow(m->y[i] - mean, 2);
    }
    free(to);
    return sum / (double)n;
}

static double naive_gamma(const struct made *m, const unsigned char *tenth, size_t p)
{
    size_t n = m->d.rows;
    double delta[32] = {0}, gamma[32] = {0}, md = 0, mg = 0, dd = 0, dg = 0;
    struct near_row *to = malloc(n * sizeof *to);
    for (size_t i = 0; i < n; i++) {
        neighbours(m, tenth, i, to);
        for (size_t k = 0; k < p; k++)
            delta[k] += to[k].d2 / (double)n, gamma[k] += pow(m->y[i] - m->y[to[k].row], 2) / (2 * (double)n);
    }
    for (size_t k = 0; k < p; k++) md += delta[k] / (double)p, mg += gamma[k] / (double)p;
    for (size_t k = 0; k < p; k++) dd += pow(delta[k] - md, 2), dg += (delta[k] - md) * (gamma[k] - mg);
    free(to);
    return dd > 0 ? mg - dg / dd * md : mg;
}

static double psi(size_t n)
{
    double v = -0.57721566490153286061;
    for (size_t k = 1; k < n; k++) v += 1 / (double)k;
    return v;
}

static int by_value(const void *a, const void *b)
{
    double x = *(const double *)a, y = *(const double *)b;
    return (x > y) - (x < y);
}

static double psi_between(size_t n, double part, size_t ties)
{
    double more = fmax(ties ? part * (double)(ties + 1) - 1 : 0, 0);
    size_t whole = (size_t)more;
    return psi(n + whole) * (1 - more + (double)whole) + psi(n + whole + 1) * (more - (double)whole);
}

static double naive_mi(const struct made *m, const unsigned char *tenth, size_t k)
{
    size_t n = m->d.rows;
    double sum = 0, *dx = malloc(n * sizeof *dx), *dy = malloc(n * sizeof *dy), *joint = malloc(n * sizeof *joint);
    for (size_t i = 0; i < n; i++) {
        size_t others = 0, nx = 0, ny = 0, tx = 0, ty = 0, at_zero = 0, at_eps = 0, below = 0, kept = k;
        for (size_t j = 0; j < n; j++) {
            dx[j] = 0;
            for (size_t c = 0; c < m->d.columns; c++)
                dx[j] = fmax(
                    dx[j], tenth[c] ? fabs(tenth[c] / 10.0 * m->x[j + n * c] - tenth[c] / 10.0 * m->x[i + n * c]) : 0);
            dy[j] = m->e.classes ? (m->y[j] == m->y[i] ? 0 : INFINITY) : fabs(m->y[j] - m->y[i]);
            if (j != i) joint[others++] = fmax(dx[j], dy[j]);
        }
        qsort(joint, others, sizeof *joint, by_value);
        while (kept && joint[kept - 1] == INFINITY) kept--;
        if (!kept) continue;
        double eps = joint[kept - 1];
        for (size_t j = 0; j < n; j++) {
            nx += eps > 0 ? j != i && dx[j] < eps : dx[j] == 0;
            ny += eps > 0 ? j != i && dy[j] < eps : dy[j] == 0;
            tx += j != i && dx[j] == eps, ty += j != i && dy[j] == eps;
            if (j != i) at_eps += fmax(dx[j], dy[j]) == eps, below += fmax(dx[j], dy[j]) < eps;
            at_zero += dx[j] == 0 && dy[j] == 0;
        }
        double part = (double)(kept - below) / (double)(at_eps + 1);    /* of tied rows, those before the k-th */
        sum += psi(n) + (eps > 0 ? psi(kept) - psi_between(nx + 1, part, tx) - psi_between(ny + 1, part, ty)
                                 : psi(at_zero) - psi(nx) - psi(ny));
    }
    free(dx);
    free(dy);
    free(joint);
    return -sum / (double)n;
}

/* ---- all criteria, all searches, all kinds of change ---- */

struct judged {
    const char *name;
    const struct tamis_criterion *c;
    const char *option, *value;
    int regression, classification;
};
static const struct judged judges[] = {{"delta", &tamis_delta, "ties", "first", 1, 0},
                                       {"delta", &tamis_delta, NULL, NULL, 1, 0},
                                       {"gamma-test", &tamis_gamma_test, "neighbors", "7", 1, 0},
                                       {"knn", &tamis_knn_loo, "neighbors", "1", 1, 1},
                                       {"knn", &tamis_knn_loo, "neighbors", "5", 1, 1},
                                       {"mi", &tamis_mutual_info, "neighbors", "3", 1, 1}};

static double naive(const struct judged *q, const struct made *m, const unsigned char *tenth)
{
    size_t k = q->option && strcmp(q->option, "ties") ? (size_t)atoi(q->value) : 1;
    if (q->c == &tamis_delta) return naive_delta(m, tenth, !q->option);
    if (q->c == &tamis_gamma_test) return naive_gamma(m, tenth, k);
    return q->c == &tamis_mutual_info ? naive_mi(m, tenth, k) : naive_knn(m, tenth, k);
}

static void *scorer(tamis_context *cx, const struct judged *q, const struct made *m, int route)
{
    void *self = NULL;
    tamis_options *o = tamis_options_new(cx);
    if (q->option) assert_int_equal(tamis_options_set(o, q->option, q->value), TAMIS_OK);
    assert_int_equal(q->c->start(cx, &m->d, o, 1, &self), TAMIS_OK);
    if (q->c != &tamis_mutual_info) ((struct tamis_neighbour *)self)->e.route = route;
    tamis_options_free(o);
    return self;
}

/* Every single change of some sets of weights, all at once, against the naive loop; the same bits for every search
 * and grouping. */
static void check_changes(tamis_context *cx, const struct judged *q, const struct made *m, double *bits, int first)
{
    size_t d = m->d.inputs, at = 0;
    static const unsigned char some[3][5] = {{10, 0, 0, 0, 0}, {10, 10, 0, 10, 0}, {3, 10, 10, 0, 7}};
    for (int route = 0; route < 4; route++) {
        void *self = scorer(cx, q, m, route);
        for (size_t b = at = 0; b < 3; b++) {
            struct tamis_change c[64] = {{SIZE_MAX, 0}};
            struct tamis_score score[64], alone;
            size_t n = 1;
            for (size_t i = 0; i < d; i++)
                for (unsigned char t = 0; t <= 10; t += 5)
                    if (t != some[b][i]) c[n++] = (struct tamis_change){i, t};
            assert_int_equal(q->c->weigh(self, some[b], c, n, score), TAMIS_OK);
            for (size_t k = 0; k < n; k++, at++) {
                unsigned char now[8] = {0};
                memcpy(now, some[b], d);
                if (c[k].input != SIZE_MAX) now[c[k].input] = c[k].tenth;
                size_t size = 0;
                for (size_t i = 0; i < d; i++) size += now[i] > 0;
                if (!size) continue;
                if (score[k].value == INFINITY) {               /* abandoned: it must be worse than the best */
                    assert_true(c[k].input != SIZE_MAX && !c[k].tenth);
                    assert_int_equal(q->c->weigh(self, some[b], &c[k], 1, &score[k]), TAMIS_OK);
                }
                if (!route && first) {
                    double want = naive(q, m, now);
                    if (!(fabs(score[k].value - want) <= 1e-11 * fmax(1, fabs(want))))
                        fail_msg("%s: %.17g is not %.17g", q->name, score[k].value, want);
                    bits[at] = score[k].value;
                }
                assert_true(score[k].value == bits[at]);
                assert_int_equal(q->c->weigh(self, some[b], &c[k], 1, &alone), TAMIS_OK);
                assert_true(alone.value == bits[at]);
            }
        }
        q->c->finish(self);
    }
}

static void every_criterion_is_its_naive_loop(void **state)
{
    tamis_context *cx = *state;
    double bits[512];
    for (size_t q = 0; q < sizeof judges / sizeof *judges; q++)
        for (int kind = 0; kind < 4; kind++) {
            int classes = kind & 1 ? 3 : 0, grain = kind & 2 ? 1 : 0;
            if (!(classes ? judges[q].classification : judges[q].regression)) continue;
            struct made *m = make(101, 5, grain, (size_t)classes, 10 + (uint32_t)kind);
            for (int threads = 1; threads <= 7; threads += 6) {
                tamis_context_limits(cx, threads, 0);
                check_changes(cx, &judges[q], m, bits, threads == 1);
            }
            unmake(m);
        }
}

/* All ways of searching, from `first` on, give score[] the same bits, where no change is abandoned. */
static void check_routes(tamis_context *cx, const struct judged *j, const struct made *m, const unsigned char *base,
                         const size_t *toggle, size_t count, int first, struct tamis_score *score)
{
    struct tamis_score of_first[8];
    for (int k = 0; k < 4; k++) {
        void *self = scorer(cx, j, m, (first + k) % 4);
        ((struct tamis_neighbour *)self)->per_value = 0;        /* never abandon */
        assert_int_equal(j->c->evaluate(self, base, toggle, count, NULL, score), TAMIS_OK);
        if (!k) memcpy(of_first, score, count * sizeof *score);
        for (size_t t = 0; t < count; t++) assert_true(score[t].value == of_first[t].value);
        j->c->finish(self);
    }
}

/* Larger tables, where trees are the default: all searches give the same bits, and the naive loop the same value. */
static void all_ways_agree_on_many_rows(void **state)
{
    tamis_context *cx = *state;
    for (int grain = 0; grain < 2; grain++) {
        struct made *m = make(4000, 6, grain * 3, 0, 77);
        const unsigned char base[6] = {1, 0, 1, 0, 0, 0};
        const size_t toggle[6] = {0, 1, 2, 3, 4, SIZE_MAX};
        for (size_t q = 0; q < 5; q++) {
            struct tamis_score score[6];
            if (grain && q > 1 && q != 4) continue;
            check_routes(cx, &judges[q], m, base, toggle, 6, 0, score);
            if (q > 1) continue;
            unsigned char tenth[6] = {10, 10, 10, 0, 0, 0};
            assert_relative(score[1].value, naive_delta(m, tenth, q == 1), 1e-11);
        }
        unmake(m);
    }
}

/* Columns with few values, columns that single precision cannot tell apart, copies of rows, weights (or not). */
static struct made *made_with_ties(double *weight)
{
    enum { N = 500, COPIES = 60 };
    struct made *m = make(N, 6, 0, 0, 31);
    struct tamis_rng r;
    tamis_rng_init(&r, 32, TAMIS_RNG_TEST, 0);
    for (size_t i = 0; i < N; i++) {
        m->x[i + N] = (double)tamis_rng_below(&r, 5) / 3;
        m->x[i + 2 * N] = 1e4 + 1e-9 * (double)tamis_rng_below(&r, 3000);
        m->x[i + 3 * N] = (double)tamis_rng_below(&r, 2);
        m->x[i + 4 * N] = floor(20 * m->x[i + 4 * N]) / 20;
        m->x[i + 5 * N] = i % 3 ? m->x[i] : nextafter(m->x[i], 9);
        if (weight) weight[i] = 0.25 * (double)(1 + tamis_rng_below(&r, 4));
    }
    for (size_t i = N - COPIES; i < N; i++)
        for (size_t c = 0; c < 6; c++) m->x[i + N * c] = m->x[i - N + COPIES + N * c];
    m->d.weight = weight;
    return m;
}

static double naive_delta_weighted(const struct made *m, const unsigned char *set)
{
    size_t n = m->d.rows;
    double sum = 0, all = 0;
    unsigned char tenth[6];
    for (int c = 0; c < 6; c++) tenth[c] = set[c] ? 10 : 0;
    for (size_t i = 0; i < n; i++) {
        double term = 0, least = INFINITY, count = 0;
        for (size_t j = 0; j < n; j++) {
            double d2 = j == i ? INFINITY : d2_of(m, tenth, i, j), w = m->d.weight ? m->d.weight[j] : 1;
            if (d2 < least) least = d2, term = count = 0;
            if (j != i && d2 == least) term += w * pow(m->y[i] - m->y[j], 2), count += w;
        }
        sum += (m->d.weight ? m->d.weight[i] : 1) * term / count;
        all += m->d.weight ? m->d.weight[i] : 1;
    }
    return sum / (2 * all);
}

static void check_near_ties(tamis_context *cx, const struct made *m, const unsigned char *base)
{
    static const size_t toggle[] = {0, 1, 2, 3, 4, 5, SIZE_MAX};
    for (size_t q = 0; q < 5; q++) {
        struct tamis_score score[7];
        check_routes(cx, &judges[q], m, base, toggle, 7, 1, score);     /* pairs first */
        for (size_t t = 0; q == 1 && t < 7; t++) {
            unsigned char set[6];
            memcpy(set, base, 6);
            if (t < 6) set[t] = !set[t];
            if (!memcmp(set, (unsigned char[6]){0}, 6)) continue;
            assert_relative(score[t].value, naive_delta_weighted(m, set), 1e-11);
        }
    }
}

static void every_way_decides_near_ties(void **state)
{
    static const unsigned char bases[][6] = {{0, 0, 1, 0, 0, 0}, {1, 0, 0, 0, 1, 0}, {0, 1, 0, 1, 0, 0},
                                             {1, 0, 1, 0, 0, 1}, {1, 1, 1, 1, 1, 1}};
    double *weight = malloc(500 * sizeof *weight);
    for (int weights = 0; weights < 2; weights++) {
        struct made *m = made_with_ties(weights ? weight : NULL);
        for (size_t b = 0; b < sizeof bases / sizeof *bases; b++) check_near_ties(*state, m, bases[b]);
        unmake(m);
    }
    free(weight);
}

/* Where additions and removals are scored at once, a removal may be abandoned, by every way, if it is not the best. */
static void only_what_is_not_the_best_is_abandoned(void **state)
{
    static const unsigned char base[6] = {1, 1, 1, 1, 0, 0};
    static const size_t toggle[6] = {0, 1, 2, 3, 4, 5};
    tamis_context *cx = *state;
    struct made *m = make(2500, 6, 0, 0, 78);
    size_t abandoned = 0;
    for (int route = 0; route < 4; route++) {
        struct tamis_score score[6], alone;
        void *self = scorer(cx, &judges[1], m, route);
        assert_int_equal(tamis_delta.evaluate(self, base, toggle, 6, NULL, score), TAMIS_OK);
        for (size_t t = 0; t < 6; t++) {
            assert_int_equal(tamis_delta.evaluate(self, base, &toggle[t], 1, NULL, &alone), TAMIS_OK);
            if (score[t].value < INFINITY) assert_true(score[t].value == alone.value);
            else assert_true(t < 4 && alone.value > fmin(score[4].value, score[5].value));
            abandoned += score[t].value == INFINITY;
        }
        tamis_delta.finish(self);
    }
    assert_true(abandoned >= 4);                        /* the first two inputs, at least by two ways */
    unmake(m);
}

static void order_of_rows_does_not_matter(void **state)
{
    static const size_t which[] = {0, 1, 2, 4, 5};
    tamis_context *cx = *state;
    for (size_t w = 0; w < 5; w++) {
        const struct judged *q = &judges[which[w]];
        struct made *a = make(300, 4, !q->option, 0, 5), *b = make(300, 4, !q->option, 0, 5);
        size_t row[300];
        struct tamis_rng r;
        tamis_rng_init(&r, 8, TAMIS_RNG_TEST, 0);
        for (size_t i = 0; i < 300; i++) row[i] = i;
        tamis_rng_shuffle(&r, row, 300);
        for (size_t i = 0; i < 300; i++) {
            b->y[i] = a->y[row[i]];
            for (size_t c = 0; c < 4; c++) b->x[i + 300 * c] = a->x[row[i] + 300 * c];
        }
        unsigned char base[4] = {1, 0, 1, 0};
        size_t toggle[5] = {SIZE_MAX, 1, 3, 0, 2};
        struct tamis_score x[5], y[5];
        void *ja = scorer(cx, q, a, 0), *jb = scorer(cx, q, b, 0);
        for (size_t k = 0; k < 5; k++) {
            assert_int_equal(q->c->evaluate(ja, base, &toggle[k], 1, NULL, &x[k]), TAMIS_OK);
            assert_int_equal(q->c->evaluate(jb, base, &toggle[k], 1, NULL, &y[k]), TAMIS_OK);
            assert_true(x[k].value == y[k].value);
        }
        q->c->finish(ja);
        q->c->finish(jb);
        unmake(a);
        unmake(b);
    }
}

/* ---- known answers ---- */

static struct made *from_case(const struct dt_case *c)
{
    struct made *m = make(c->n, c->d, 0, 0, 1);
    memcpy(m->x, c->x, c->n * c->d * sizeof *m->x);
    memcpy(m->y, c->y, c->n * sizeof *m->y);
    return m;
}

static void check_known(tamis_context *cx, const struct judged *q, const struct made *m, unsigned set, double want,
                        double tolerance)
{
    unsigned char base[16] = {0};
    size_t self_set = SIZE_MAX;
    struct tamis_score score;
    if (isnan(want)) return;
    for (size_t i = 0; i < m->d.inputs; i++) base[i] = set >> i & 1;
    for (int route = 0; route < 4; route++) {
        void *self = scorer(cx, q, m, route);
        assert_int_equal(q->c->evaluate(self, base, &self_set, 1, NULL, &score), TAMIS_OK);
        assert_close(score.value, want, tolerance);
        q->c->finish(self);
    }
}

static void subsets_have_their_known_values(void **state)
{
    static const struct judged mi6 = {"mi", &tamis_mutual_info, "neighbors", "6", 1, 1};
    tamis_context *cx = *state;
    for (size_t i = 0; i < 2; i++) {
        const struct dt_case *c = &dt_cases[i];
        struct made *m = from_case(c);
        for (size_t k = 0; k < c->subsets; k++) {
            const struct dt_subset *s = &c->subset[k];
            check_known(cx, &judges[0], m, s->set, s->dt, 1e-12 * s->dt);
            check_known(cx, &judges[1], m, s->set, s->dt_mean, 1e-12 * s->dt_mean);
            check_known(cx, &judges[3], m, s->set, s->knn1, 1e-12 * s->knn1);
            check_known(cx, &judges[4], m, s->set, s->knn5, 1e-12 * s->knn5);
            check_known(cx, &judges[5], m, s->set, -s->mi3, 1e-10);
            check_known(cx, &mi6, m, s->set, -s->mi6, 1e-10);
        }
        unmake(m);
    }
}

/* ---- edge cases ---- */

static void the_empty_set_is_a_constant(void **state)
{
    tamis_context *cx = *state;
    struct made *m = make(40, 2, 0, 0, 3), *c = make(40, 2, 0, 3, 3);
    unsigned char none[2] = {0, 0}, one[2] = {0, 1};
    size_t self_set = SIZE_MAX, second = 1, count[3] = {0};
    double mean = 0, var = 0, loo = 0, wrong = 0;
    for (size_t i = 0; i < 40; i++) mean += m->y[i] / 40;
    for (size_t i = 0; i < 40; i++)
        var += pow(m->y[i] - mean, 2) / 39, loo += pow(m->y[i] - (40 * mean - m->y[i]) / 39, 2) / 40;
    for (size_t i = 0; i < 40; i++) count[(size_t)c->y[i]]++;
    for (size_t i = 0; i < 40; i++) {
        size_t best = 0, own = (size_t)c->y[i];
        count[own]--;
        for (size_t k = 1; k < 3; k++)
            if (count[k] > count[best]) best = k;
        wrong += best != own;
        count[own]++;
    }
    const double want[6] = {var, var, var, loo, loo, 0};
    for (size_t q = 0; q < 6; q++)
        for (int classes = 0; classes < 2; classes++) {
            struct tamis_score a, b;
            if (classes && !judges[q].classification) continue;
            void *self = scorer(cx, &judges[q], classes ? c : m, 0);
            assert_int_equal(judges[q].c->evaluate(self, none, &self_set, 1, NULL, &a), TAMIS_OK);
            assert_int_equal(judges[q].c->evaluate(self, one, &second, 1, NULL, &b), TAMIS_OK);
            double expected = classes && q != 5 ? wrong / 40 : want[q];
            assert_close(a.value, expected, 1e-12);
            assert_true(a.value == b.value);
            judges[q].c->finish(self);
        }
    unmake(m);
    unmake(c);
}

/* Constant columns, copies of rows, three rows, huge and tiny values: finite, and equal to the naive value. */
static void corners_are_defined(void **state)
{
    tamis_context *cx = *state;
    for (int kind = 0; kind < 5; kind++) {
        struct made *m = make(kind == 2 ? 3 : 60, 3, 0, 0, 21);
        size_t n = m->d.rows;
        for (size_t i = 0; i < n; i++) {
            if (kind == 0) m->x[i + n] = 5;
            if (kind == 1) for (size_t c = 0; c < 3; c++) m->x[i + n * c] = m->x[i / 10 * 10 + n * c];
            if (kind == 3) m->x[i] *= 1e300;
            if (kind == 4) m->x[i] *= 1e-300;
        }
        for (size_t q = 0; q < 6; q++) {
            unsigned char base[3] = {kind < 3, 1, 0}, tenth[3];
            size_t toggle[2] = {SIZE_MAX, 2};
            struct tamis_score score[2];
            struct judged few = judges[q];
            if (kind == 2 && few.option && strcmp(few.option, "ties")) few.value = "2";
            for (int i = 0; i < 3; i++) tenth[i] = base[i] * 10;
            void *self = scorer(cx, &few, m, 0);
            assert_int_equal(few.c->evaluate(self, base, toggle, 2, NULL, score), TAMIS_OK);
            assert_true(isfinite(score[0].value) && isfinite(score[1].value));
            double want = naive(&few, m, tenth);
            if (kind == 3 && few.c == &tamis_gamma_test)
                want = score[0].value; /* its sums keep 2^-90 of the largest distance, 1e300 here */
            if (!(fabs(score[0].value - want) <= 1e-9 * fmax(1, fabs(want))))
                fail_msg("kind %d, %s: %g is not %g", kind, few.name, score[0].value, want);
            few.c->finish(self);
        }
        unmake(m);
    }
}

/* The mean estimate over tables of noise is 0 within its error, for an input of any number of values. */
static void noise_does_not_inform(void **state)
{
    tamis_context *cx = *state;
    for (size_t grain = 0; grain < 9; grain++) {
        double sum = 0, squares = 0;
        for (uint64_t seed = 0; seed < 100; seed++) {
            struct made *m = make(80, 1, seed + 1, 0, 0);
            struct tamis_rng r;
            unsigned char base[1] = {1};
            size_t self_set = SIZE_MAX;
            struct tamis_score score;
            tamis_rng_init(&r, seed, TAMIS_RNG_TEST, 7);
            for (size_t i = 0; i < 80; i++)
                m->x[i] = grain ? (double)tamis_rng_below(&r, grain + 1) : tamis_rng_normal(&r);
            for (size_t i = 0; i < 80; i++) m->y[i] = tamis_rng_normal(&r);
            void *self = scorer(cx, &judges[5], m, 0);
            assert_int_equal(tamis_mutual_info.evaluate(self, base, &self_set, 1, NULL, &score), TAMIS_OK);
            sum += score.value / 100;
            squares += score.value * score.value / 100;
            tamis_mutual_info.finish(self);
            unmake(m);
        }
        assert_close(sum, 0, 0.02 + 4 * sqrt((squares - sum * sum) / 100));
    }
}

/* Copies would make [1]'s estimate grow without bound; the estimate of a discrete pair is near its plug-in value. */
static void copies_do_not_inflate_information(void **state)
{
    tamis_context *cx = *state;
    struct made *m = make(400, 1, 1, 0, 4);
    struct tamis_rng r;
    unsigned char base[1] = {1};
    size_t self_set = SIZE_MAX;
    struct tamis_score score;
    double plug = 0, joint[4][2] = {{0}}, px[4] = {0}, py[2] = {0};
    tamis_rng_init(&r, 2, TAMIS_RNG_TEST, 1);
    for (size_t i = 0; i < 400; i++) {
        m->y[i] = tamis_rng_below(&r, 4) < 3 ? m->x[i] > 1 : (double)tamis_rng_below(&r, 2);
        joint[(int)m->x[i]][(int)m->y[i]] += 1.0 / 400, px[(int)m->x[i]] += 1.0 / 400, py[(int)m->y[i]] += 1.0 / 400;
    }
    for (int a = 0; a < 4; a++)
        for (int b = 0; b < 2; b++) plug += joint[a][b] > 0 ? joint[a][b] * log(joint[a][b] / px[a] / py[b]) : 0;
    void *self = scorer(cx, &judges[5], m, 0);
    assert_int_equal(tamis_mutual_info.evaluate(self, base, &self_set, 1, NULL, &score), TAMIS_OK);
    assert_close(-score.value, plug, 0.03);
    tamis_mutual_info.finish(self);
    unmake(m);
}

/* ---- the tree alone ---- */

static void trees_find_the_nearest_rows(void **state)
{
    (void)state;
    for (size_t n = 3; n < 3000; n = n * 3 + 1)
        for (int grain = 0; grain < 2; grain++) {
            struct made *m = make(n, 3, grain, 0, (uint32_t)n);
            double *z = malloc(n * 3 * sizeof *z), weight[3] = {1, 0.5, 1};
            uint32_t column[3] = {0, 1, 2};
            struct tamis_metric metric = {3, column, weight};
            struct tamis_tree t;
            void *memory = aligned_alloc(64, (tamis_tree_bytes(n, 3) + 63) / 64 * 64);
            struct near_row *to = malloc(n * sizeof *to);
            for (size_t i = 0; i < n; i++)
                for (size_t c = 0; c < 3; c++) z[3 * i + c] = m->x[i + n * c];
            tamis_tree_build(&t, memory, n, z, 3, &metric);
            for (size_t i = 0; i < n; i += 1 + n / 50) {
                size_t k = n < 8 ? n - 1 : 7;
                double d2[7], q[3] = {z[3 * i], 0.5 * z[3 * i + 1], z[3 * i + 2]};
                uint32_t row[7];
                unsigned char tenth[3] = {10, 5, 10};
                for (size_t s = 0; s < k; s++) d2[s] = INFINITY, row[s] = UINT32_MAX;
                tamis_tree_nearest(&t, q, (uint32_t)i, k, d2, row, NULL);
                neighbours(m, tenth, i, to);
                for (size_t s = 0; s < k; s++) assert_true(row[s] == to[s].row && d2[s] == to[s].d2);
            }
            free(to);
            free(memory);
            free(z);
            unmake(m);
        }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        TEST_ONE_THREAD(every_criterion_is_its_naive_loop), TEST_ONE_THREAD(all_ways_agree_on_many_rows),
        TEST_ONE_THREAD(every_way_decides_near_ties),       TEST_ONE_THREAD(only_what_is_not_the_best_is_abandoned),
        TEST_ONE_THREAD(order_of_rows_does_not_matter),     TEST_ONE_THREAD(subsets_have_their_known_values),
        TEST_ONE_THREAD(the_empty_set_is_a_constant),       TEST_ONE_THREAD(corners_are_defined),
        TEST_ONE_THREAD(copies_do_not_inflate_information), TEST_ONE_THREAD(noise_does_not_inform),
        TEST_ONE_THREAD(trees_find_the_nearest_rows)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
