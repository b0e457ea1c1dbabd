/* mrmr and jmi: informations from sorted columns against the double loop, the greedy search against one written out,
 * what any order of evaluation gives, tables of noise, threads, failing memory. */
#include "base/rng.h"
#include "crit/neighbour/neighbour.h"
#include "num/order.h"
#include "num/pair_info.h"
#include "unit.h"

enum { MOST = 90 };

/* ---- variables ---- */

enum kind { NUMBERS, FEW, LEVELS, BINARY, CONSTANT, KINDS };

static void values_draw(struct tamis_rng *g, enum kind kind, size_t n, double *x)
{
    for (size_t i = 0; i < n; i++) {
        double z = tamis_rng_normal(g);
        x[i] = kind == NUMBERS ? z : kind == FEW ? floor(2 * z) / 2 : kind == CONSTANT ? 0.5
             : kind == BINARY ? (z > 0.3) * TAMIS_INFO_APART : (double)tamis_rng_below(g, 7) * TAMIS_INFO_APART;
    }
}

struct column {
    struct tamis_variable v;
    double x[MOST], sorted[MOST];
    uint32_t order[MOST], place[MOST], first[MOST];
};

static struct tamis_variable *ordered(struct column *c, size_t n)
{
    struct tamis_place place[MOST];
    c->v = (struct tamis_variable){c->x, c->sorted, c->order, c->place, c->first, 0};
    tamis_variable_order(n, &c->v, place);
    return &c->v;
}

/* ---- the double loop ---- */

static double psi(size_t n)
{
    double v = -0.57721566490153286061;
    for (size_t k = 1; k < n; k++) v += 1 / (double)k;
    return v;
}

static double apart(double a, double b)
{
    double d = fabs(a - b);
    return d >= TAMIS_INFO_APART / 2 ? INFINITY : d;
}

/* psi(n + 1) with the expected share of ties, between whole numbers a straight line. */
static double psi_with(const double *d, size_t n, size_t i, double eps, double share)
{
    size_t nearer = 0, ties = 0;
    for (size_t j = 0; j < n; j++)
        if (j != i) nearer += d[j] < eps, ties += d[j] == eps;
    double more = ties ? fmax(share * (double)(ties + 1) - 1, 0) : 0;
    size_t whole = (size_t)more, at = nearer + 1 + whole;
    return psi(at) + (more - (double)whole) * (psi(at + 1) - psi(at));
}

static size_t at_most(const double *d, size_t n, double eps)
{
    size_t count = 0;
    for (size_t j = 0; j < n; j++) count += d[j] <= eps && d[j] < INFINITY;
    return count;
}

static double naive_term(const double *x, const double *y, size_t n, size_t i, size_t k)
{
    double both[MOST], sorted[MOST];
    size_t m = 0, before = 0, ties = 0;
    for (size_t j = 0; j < n; j++) both[j] = fmax(x[j], y[j]);
    for (size_t j = 0; j < n; j++)
        if (j != i && both[j] < INFINITY) sorted[m++] = both[j];
    qsort(sorted, m, sizeof *sorted, tamis_by_value);
    if (!m) return psi(1) - psi(at_most(x, n, INFINITY)) - psi(at_most(y, n, INFINITY));
    if (k > m) k = m;
    double eps = sorted[k - 1];
    if (eps == 0) return psi(at_most(both, n, 0)) - psi(at_most(x, n, 0)) - psi(at_most(y, n, 0));
    for (size_t t = 0; t < m; t++) before += sorted[t] < eps, ties += sorted[t] == eps;
    double share = (double)(k - before) / (double)(ties + 1);
    return psi(k) - psi_with(x, n, i, eps, share) - psi_with(y, n, i, eps, share);
}

/* z and weight may be NULL. */
static double naive_info(const double *x, const double *z, const double *y, const double *weight, size_t n, size_t k)
{
    double sum = 0, all = 0, dx[MOST], dy[MOST];
    for (size_t i = 0; i < n; i++) {
        for (size_t j = 0; j < n; j++) {
            dx[j] = z ? fmax(apart(x[i], x[j]), apart(z[i], z[j])) : apart(x[i], x[j]);
            dy[j] = apart(y[i], y[j]);
        }
        sum += (weight ? weight[i] : 1) * naive_term(dx, dy, n, i, k);
        all += weight ? weight[i] : 1;
    }
    return psi(n) + sum / all;
}

static void sorted_columns_equal_the_double_loop(void **state)
{
    double table[MOST + 2], work[3 * MOST], weight[MOST];
    uint32_t next[2 * MOST];
    struct column x, y, z;
    struct tamis_rng g;
    (void)state;
    tamis_rng_init(&g, 5, TAMIS_RNG_TEST, 1);
    for (size_t c = 0; c < KINDS * KINDS * KINDS; c++) {
        size_t n = 2 + tamis_rng_below(&g, MOST - 1), k = 1 + tamis_rng_below(&g, n - 1 < 8 ? n - 1 : 8);
        struct tamis_info s = {n, k, table, c % 2 ? weight : NULL};
        for (size_t i = 0; i < n; i++) weight[i] = 0.1 + 3 * tamis_rng_uniform(&g);
        tamis_info_psi(n, table);
        values_draw(&g, c % KINDS, n, x.x);
        values_draw(&g, c / KINDS % KINDS, n, y.x);
        values_draw(&g, c / KINDS / KINDS, n, z.x);
        ordered(&x, n), ordered(&y, n), ordered(&z, n);
        assert_near(tamis_pair_info(&s, &x.v, &y.v, work, next), naive_info(x.x, NULL, y.x, s.weight, n, k), 1e-11);
        assert_near(tamis_triple_info(&s, &x.v, &z.v, &y.v, work, next), naive_info(x.x, z.x, y.x, s.weight, n, k),
                    1e-11);
    }
}

/* ---- a design of inputs of several kinds ---- */

enum { INPUTS = 7, ROWS = 80 };

struct world {
    struct tamis_design d;
    struct tamis_encoder e;
    struct tamis_feature f[INPUTS];
    double x[INPUTS * ROWS], y[ROWS], weight[ROWS], scale[INPUTS], mean[INPUTS];
};

/* Inputs 0 to 3 are numbers, the second a rough copy of the first; others have few values. */
static void world_make(struct world *w, size_t classes, int weights, uint32_t seed)
{
    struct tamis_rng g;
    tamis_rng_init(&g, seed, TAMIS_RNG_TEST, 2);
    for (size_t c = 0; c < INPUTS; c++) {
        values_draw(&g, c < 4 ? NUMBERS : FEW, ROWS, w->x + ROWS * c);
        w->f[c] = (struct tamis_feature){.name = "", .first = c, .columns = 1};
        w->scale[c] = 1, w->mean[c] = 0;
    }
    for (size_t i = 0; i < ROWS; i++) {
        w->x[i + ROWS] = w->x[i] + 0.3 * w->x[i + ROWS];
        double v = w->x[i] + w->x[i + 2 * ROWS] * w->x[i + 2 * ROWS] + w->x[i + 4 * ROWS] + 0.3 * tamis_rng_normal(&g);
        w->y[i] = classes ? (v > 0) + (v > 1.5) : v;
    }
    w->e = (struct tamis_encoder){
        .inputs = INPUTS, .columns = INPUTS, .input = w->f, .classes = classes, .scale = w->scale, .mean = w->mean};
    w->d = (struct tamis_design){
        .encoder = &w->e, .rows = ROWS, .columns = INPUTS, .inputs = INPUTS, .x = w->x, .y = w->y};
    for (size_t i = 0; i < ROWS; i++) w->weight[i] = 0.2 + tamis_rng_uniform(&g);
    if (weights) w->d.weight = w->weight;
}

static double info_of(const struct world *w, size_t a, size_t b, int target)
{
    double y[ROWS];
    for (size_t i = 0; i < ROWS; i++) y[i] = w->y[i] * (w->e.classes ? TAMIS_INFO_APART : 1);
    const double *x = w->x + ROWS * a, *z = b < INPUTS ? w->x + ROWS * b : NULL;
    return target ? naive_info(x, z, y, w->d.weight, ROWS, 4) : naive_info(x, NULL, z, w->d.weight, ROWS, 4);
}

/* The published score of f after the set. */
static double published(const struct world *w, const unsigned char *set, size_t f, int joint, int quotient)
{
    double sum = 0, count = 0, alone = info_of(w, f, INPUTS, 1);
    for (size_t s = 0; s < INPUTS; s++)
        if (set[s]) {
            sum += joint ? info_of(w, f, s, 1) - info_of(w, s, INPUTS, 1) : fmax(info_of(w, f, s, 0), 0);
            count++;
        }
    if (quotient) return alone / fmax(count > 0 ? sum / count : 0, 1e-3) - 1;
    return count == 0 ? alone : joint ? sum / count : alone - sum / count;
}

static void greedy_is_followed(tamis_context *cx, size_t classes, int joint, int quotient)
{
    struct world w;
    unsigned char set[INPUTS] = {0};
    struct tamis_score score[INPUTS];
    size_t toggle[INPUTS];
    double value = 0;
    void *self = NULL;
    const struct tamis_criterion *c = joint ? &tamis_jmi : &tamis_mrmr;
    tamis_options *o =
        OPTIONS("neighbors", "4", "permutations", "0", "redundancy", quotient ? "quotient" : "difference");
    world_make(&w, classes, classes > 0, 7);
    assert_int_equal(c->start(cx, &w.d, o, 1, &self), TAMIS_OK);
    for (size_t step = 0; step < INPUTS; step++) {
        size_t count = 0, best = 0, expected = SIZE_MAX;
        double most = -INFINITY;
        for (size_t i = 0; i < INPUTS; i++) {
            if (set[i]) continue;
            double s = published(&w, set, i, joint, quotient);
            if (s > most) most = s, expected = i;
            toggle[count++] = i;
        }
        assert_int_equal(c->evaluate(self, set, toggle, count, NULL, score), TAMIS_OK);
        for (size_t k = 1; k < count; k++)
            if (score[k].value < score[best].value) best = k;
        assert_int_equal(toggle[best], expected);
        value += most;
        assert_near(score[best].value, -value, 1e-10);
        set[expected] = 1;
    }
    c->finish(self);
    tamis_options_free(o);
}

static void the_best_addition_is_the_published_step(void **state)
{
    for (size_t classes = 0; classes <= 3; classes += 3) {
        greedy_is_followed(*state, classes, 0, 0);
        greedy_is_followed(*state, classes, 0, 1);
        greedy_is_followed(*state, classes, 1, 0);
    }
}

/* A set has one value: as itself, as an addition, as a removal, by a scorer that has seen other sets before. */
static void a_set_has_one_value(void **state)
{
    static const size_t self_set = SIZE_MAX;
    tamis_context *cx = *state;
    struct world w;
    tamis_options *o = OPTIONS("neighbors", "4", "permutations", "9");
    world_make(&w, 0, 1, 9);
    for (int joint = 0; joint < 2; joint++) {
        const struct tamis_criterion *c = joint ? &tamis_jmi : &tamis_mrmr;
        void *used = NULL;
        assert_int_equal(c->start(cx, &w.d, o, 3, &used), TAMIS_OK);
        for (unsigned bits = 0; bits < 1u << INPUTS; bits += 3) {
            void *fresh = NULL;
            unsigned char set[INPUTS];
            struct tamis_score own, other;
            for (size_t i = 0; i < INPUTS; i++) set[i] = bits >> i & 1;
            assert_int_equal(c->start(cx, &w.d, o, 3, &fresh), TAMIS_OK);
            assert_int_equal(c->evaluate(fresh, set, &self_set, 1, NULL, &own), TAMIS_OK);
            size_t toggle = bits % INPUTS;
            set[toggle] ^= 1;
            assert_int_equal(c->evaluate(used, set, &toggle, 1, NULL, &other), TAMIS_OK);
            assert_true(own.value == other.value);
            c->finish(fresh);
        }
        c->finish(used);
    }
    tamis_options_free(o);
}

/* ---- runs ---- */

/* Three columns each of numbers, zeros and ones, and labels, none of which says anything about the target. */
static tamis_table *noise(tamis_context *cx, uint32_t seed, int classes)
{
    struct tamis_text t = {.cx = cx};
    struct tamis_rng g;
    tamis_rng_init(&g, seed, TAMIS_RNG_TEST, 3);
    tamis_text_puts(&t, "a,b,c,d,e,f,g,h,i,y\n");
    for (size_t i = 0; i < 60; i++) {
        for (size_t k = 0; k < 3; k++) tamis_text_printf(&t, "%.6f,", tamis_rng_normal(&g));
        for (size_t k = 0; k < 3; k++) tamis_text_printf(&t, "%zu,", tamis_rng_below(&g, 2));
        for (size_t k = 0; k < 3; k++) tamis_text_printf(&t, "l%zu,", tamis_rng_below(&g, 4));
        if (classes) tamis_text_printf(&t, "c%zu\n", tamis_rng_below(&g, 2));
        else tamis_text_printf(&t, "%.6f\n", tamis_rng_normal(&g));
    }
    tamis_table *table = text_table(cx, t.s);
    tamis_text_free(&t);
    return table;
}

/* 80 tables: an input is chosen in one of 20; of three kinds of inputs, none is chosen far more often. */
static void noise_is_left_alone(void **state)
{
    tamis_context *cx = *state;
    for (int joint = 0; joint < 2; joint++) {
        size_t any = 0, kind[3] = {0};
        for (uint32_t s = 0; s < 80; s++) {
            tamis_table *t = noise(cx, s, s % 2);
            tamis_result *r = chosen(cx, t, NULL, OPTIONS("method", "search", "criterion", joint ? "jmi" : "mrmr",
                                                          "search", "forward", "evidence", "no"));
            any += r->selected > 0;
            for (size_t k = 0; k < r->selected; k++) kind[r->chosen[k] / 3]++;
            tamis_result_free(r);
            tamis_table_free(t);
        }
        assert_at_most((double)any, 11);                /* binomial(80, 1/20): beyond 11 with probability 0.0006 */
        for (size_t k = 0; k < 3; k++) assert_at_most((double)kind[k], 8);
    }
}

static void threads_do_not_matter(void **state)
{
    tamis_context *cx = *state;
    tamis_table *t = made(cx, "friedman1", "150", "3"), *c = made(cx, "logit-pair", "100", "3");
    same_bits(cx, t, OPTIONS("method", "search", "criterion", "mrmr"), "minus-mrmr");
    same_bits(cx, t, OPTIONS("method", "forward", "criterion", "jmi"), "minus-jmi");
    same_bits(cx, c, OPTIONS("method", "search", "criterion", "jmi", "search", "backward"), NULL);
    tamis_table_free(t);
    tamis_table_free(c);
}

static void memory_may_fail(void **state)
{
    tamis_context *cx = *state;
    tamis_table *t = made(cx, "friedman1", "40", "3");
    run_survives_failing_memory(cx, t, OPTIONS("method", "search", "criterion", "jmi", "evidence", "no"), 100, 20000);
    run_survives_failing_memory(
        cx, t, OPTIONS("method", "forward", "criterion", "mrmr", "permutations", "3", "evidence", "no"), 100, 20000);
    tamis_table_free(t);
}

/* Values that overflow, copies, few rows: a finite answer or a sentence. */
static void hard_tables_have_an_answer(void **state)
{
    static const char *const text[] = {HARD_NUMBERS};
    tamis_context *cx = *state;
    for (size_t k = 0; k < sizeof text / sizeof *text; k++)
        for (int joint = 0; joint < 2; joint++) {
            tamis_table *t = text_table(cx, text[k]);
            tamis_result_free(chosen(cx, t, NULL, OPTIONS("method", "search", "criterion", joint ? "jmi" : "mrmr",
                                                          "search", "exhaustive", "standardize", "no")));
            tamis_table_free(t);
        }
}

static void weights_are_refused(void **state)
{
    tamis_context *cx = *state;
    refused(cx, "x,z,y\n1,2,3\n2,1,4\n3,5,4\n4,4,9\n",
            OPTIONS("method", "search", "criterion", "mrmr", "scaling", "yes"), TAMIS_USAGE, "--scaling");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        TEST(sorted_columns_equal_the_double_loop), TEST(the_best_addition_is_the_published_step),
        TEST(a_set_has_one_value),                  TEST(noise_is_left_alone),
        TEST(threads_do_not_matter),                TEST(memory_may_fail),
        TEST(hard_tables_have_an_answer),           TEST(weights_are_refused)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
