/* The tests that sift's search is made of: against dense algebra, their level under the null, screens against naive
 * loops; prices and sizes. */
#include "num/tail.h"
#include "sift_world.h"

/* ---- functions ---- */

static void functions_are_orthonormal_and_cached_as_they_are(void **state)
{
    struct world w;
    world_make(*state, &w, 1500, "nl5c2u", 0, 1, 3);
    static const size_t functions[] = {7, 7, 4, 4, 1, 7};
    double *cache = w.f.cache;
    assert_non_null(cache);
    for (size_t a = 0; a < 6; a++) {
        assert_int_equal(sift_functions_of(&w.f, a), functions[a]);
        assert_int_equal(w.f.category[a], a == 3);
        for (size_t k = 0; k < functions[a]; k++) {
            double *p = function_of(&w, a, k);
            w.f.cache = NULL;
            double *again = function_of(&w, a, k);
            w.f.cache = cache;
            assert_memory_equal(p, again, w.rows * sizeof *p);
            assert_close(product(w.rows, p, p) / (double)w.rows, 1, 1e-9);
            for (size_t m = 0; m < k && a != 3; m++) {
                double *q = function_of(&w, a, m);
                assert_close(product(w.rows, p, q) / (double)w.rows, 0, 1e-9);
                free(q);
            }
            free(p), free(again);
        }
    }
    assert_int_equal(sift_functions_screened(&w.f, 0), 3);
    assert_int_equal(sift_functions_screened(&w.f, 2), 4);
    assert_int_equal(sift_functions_screened(&w.f, 4), 1);
    world_free(&w);
}

/* ---- tests against dense algebra ---- */

/* Phi^-1 of the mid-ranks of r, by counting. */
static double *naive_scores(const struct world *w, size_t o)
{
    size_t n = w->v.n;
    const double *r = w->v.r + n * o;
    double *s = malloc(n * sizeof *s), mean = 0;
    for (size_t i = 0; i < n; i++) {
        double below = 0, equal = 0;
        for (size_t j = 0; j < n; j++) below += r[j] < r[i], equal += r[j] == r[i];
        s[i] = w->v.classes ? r[i] : tamis_normal_quantile((below + equal / 2) / (double)n);
        mean += s[i] / (double)n;
    }
    for (size_t i = 0; i < n; i++) s[i] -= mean;
    return s;
}

/* Pillai's trace of the last k columns of u, given those before them, against the scores, as an F test. */
static double naive_pillai(const struct world *w, const struct frame *u, size_t k)
{
    struct frame q = {.n = u->n};
    size_t lower = u->columns - k;
    for (size_t j = 0; j < lower; j++) append(&q, u->q + u->n * j);
    for (size_t o = 0; o < w->l; o++) {
        double *score = naive_scores(w, o);
        append(&q, score);
        free(score);
    }
    double v = 0, m = (double)lower - 1, l = (double)(q.columns - lower), s = fmin((double)k, l),
           a = (fabs((double)k - l) - 1) / 2, b = (w->v.groups - m - (double)k - l - 2) / 2;
    for (size_t j = lower; j < u->columns; j++)
        for (size_t o = lower; o < q.columns; o++) v += pow(product(u->n, u->q + u->n * j, q.q + u->n * o), 2);
    free(q.q);
    return tamis_log_upper_f((2 * b + s + 1) / (2 * a + s + 1) * v / (s - v), s * (2 * a + s + 1), s * (2 * b + s + 1));
}

/* The projection of ones on the columns u_j r, summed over outputs: (sum a)' (a'a)^-1 (sum a). */
static double naive_sandwich(const struct world *w, const struct frame *u, size_t k)
{
    size_t n = w->v.n;
    double t = 0, *a = malloc(n * sizeof *a);
    for (size_t o = 0; o < w->l; o++) {
        struct frame f = {.n = n};
        for (size_t j = u->columns - k; j < u->columns; j++) {
            for (size_t i = 0; i < n; i++) a[i] = u->q[i + n * j] * w->v.r[i + n * o];
            append(&f, a);
        }
        for (size_t j = 0; j < f.columns; j++) {
            double sum = 0;
            for (size_t i = 0; i < n; i++) sum += f.q[i + n * j];
            t += sum * sum;
        }
        free(f.q);
    }
    free(a);
    return tamis_log_upper_chi2(t * w->v.groups / (double)n, (double)(k * w->l));
}

static void append_known(const struct world *w, struct frame *u)
{
    double *ones = malloc(w->v.n * sizeof *ones);
    for (size_t i = 0; i < w->v.n; i++) ones[i] = 1;
    append(u, ones);
    for (size_t k = 0; k < w->v.knowns; k++) append(u, w->v.known + w->v.n * k);
    free(ones);
}

/* Products of the first side[j] functions of each input; how many were not taken out by what is there. */
static size_t append_products(const struct world *w, size_t inputs, const size_t *input, const size_t *side,
                              struct frame *u)
{
    size_t k[3] = {0}, kept = 0;
    for (k[0] = 0; k[0] < side[0]; k[0]++)
        for (k[1] = 0; k[1] < (inputs > 1 ? side[1] : 1); k[1]++)
            for (k[2] = 0; k[2] < (inputs > 2 ? side[2] : 1); k[2]++) {
                double *p = product_of(w, inputs, input, k);
                kept += (size_t)append(u, p);
                free(p);
            }
    return kept;
}

/* Log p of products with side[j] functions of each input, lower orders taken out. With many rows the second test counts
 * if the first is not above `hopeless`. */
static double naive_p(const struct world *w, const struct sift_probe *p, const size_t *side, double hopeless)
{
    struct frame u = {.n = w->v.n};
    append_known(w, &u);
    for (size_t j = 0; j < p->inputs && p->inputs > 1; j++)
        append_products(w, 1, &p->input[j], (size_t[]){sift_functions_of(&w->f, p->input[j])}, &u);
    for (size_t a = 0; a < 3 && p->inputs == 3; a++)
        for (size_t b = a + 1; b < 3; b++) {
            size_t pair[2] = {p->input[a], p->input[b]}, three[2] = {least_of(3, sift_functions_of(&w->f, pair[0])),
                                                                     least_of(3, sift_functions_of(&w->f, pair[1]))};
            append_products(w, 2, pair, three, &u);
        }
    size_t k = append_products(w, p->inputs, p->input, side, &u);
    double log_p = naive_pillai(w, &u, k);
    if (w->v.n > SIFT_SMALL && log_p <= log(hopeless)) log_p = fmax(log_p, naive_sandwich(w, &u, k));
    free(u.q);
    return log_p;
}

static double naive_test(const struct world *w, const struct sift_probe *p, const size_t *side)
{
    return naive_p(w, p, side, 0.05);
}

/* The least p of the first function, the first two, the first q. */
static double naive_least(const struct world *w, const struct sift_probe *p, size_t q, double hopeless)
{
    double least = naive_p(w, p, &q, hopeless);
    for (size_t k = 1; k <= 2; k++) least = fmin(least, naive_p(w, p, &k, hopeless));
    return least;
}

static double tested(const struct world *w, size_t inputs, const size_t *input)
{
    struct sift_probe p = {.inputs = inputs};
    memcpy(p.input, input, inputs * sizeof *input);
    assert_int_equal(sift_test(&w->v, &p), TAMIS_OK);
    return p.log_p;
}

/* One function, or a category: one test. Several: the first, the first two, all, and the least p counts at most four
 * times. */
static void check_input(const struct world *w, size_t input)
{
    struct sift_probe p = {1, {input}, 0};
    size_t q = least_of(sift_functions_of(&w->f, input), w->v.most);
    double got = tested(w, 1, &input), all = naive_test(w, &p, &q);
    if (q == 1 || w->f.category[input]) {
        assert_near(got, all, 1e-8);
        return;
    }
    double first = naive_least(w, &p, q, 0), both = naive_least(w, &p, q, 1);
    assert_at_least(got, first - 1e-8 * (1 + fabs(first)));
    assert_at_most(got, fmin(0, both + log(4) + 1e-8 * (1 + fabs(both))));
}

/* Three functions of each, or all of columns of few values too, at twice the lesser p. */
static void check_pair(const struct world *w, size_t a, size_t b)
{
    struct sift_probe p = {2, {a, b}, 0};
    size_t few[2] = {least_of(3, sift_functions_of(&w->f, a)), least_of(3, sift_functions_of(&w->f, b))},
           all[2] = {sift_functions_screened(&w->f, a), sift_functions_screened(&w->f, b)};
    double want = naive_test(w, &p, few);
    assert_true(few[0] * few[1] <= w->v.most);
    if (all[0] * all[1] > few[0] * few[1] && all[0] * all[1] <= w->v.most)
        want = fmin(0, log(2) + fmin(want, naive_test(w, &p, all)));
    assert_near(tested(w, 2, p.input), want, 1e-8);
}

static void check_triple(const struct world *w, size_t a, size_t b, size_t c)
{
    struct sift_probe p = {3, {a, b, c}, 0};
    size_t side[3];
    for (size_t j = 0; j < 3; j++) side[j] = least_of(2, sift_functions_of(&w->f, p.input[j]));
    assert_near(tested(w, 3, p.input), naive_test(w, &p, side), 1e-8);
}

/* Effects of every order, so that p-values are far from 1; known columns; skewed targets. */
static void effects(struct world *w)
{
    double *main = function_of(w, 0, 0), *pair = product_of(w, 2, (size_t[]){1, 2}, (size_t[]){0, 1}),
           *triple = product_of(w, 3, (size_t[]){0, 1, 3}, (size_t[]){0, 0, 0}), scale = 2 / sqrt((double)w->rows);
    for (size_t o = 0; o < w->l && !w->e->classes; o++)
        for (size_t i = 0; i < w->rows; i++) {
            double *y = &w->target[i + w->rows * o];
            *y = exp(0.5 * *y) + scale * (main[i] + pair[i] + (o ? -1 : 1) * triple[i]);
        }
    free(main), free(pair), free(triple);
    view_again(w);
}

static void known_columns(struct world *w, size_t n)
{
    tamis_free(w->v.known);
    w->v.known = tamis_raw(w->cx, double, w->v.n * n);
    w->v.knowns = n;
    for (size_t i = 0; i < w->v.n * n; i++) w->v.known[i] = 3 + tamis_rng_normal(&w->rng);
}

static void check_tests(struct world *w)
{
    for (size_t i = 0; i < 6; i++) check_input(w, i);
    for (size_t i = 0; i < 5; i++) check_pair(w, i, i + 1);
    check_pair(w, 1, 2);
    check_pair(w, 0, 4);
    check_triple(w, 0, 1, 3);
    check_triple(w, 1, 2, 5);
}

static void tests_equal_dense_algebra(void **state)
{
    static const struct { size_t rows, classes, l; } cases[] = {{150, 0, 1}, {160, 0, 3}, {400, 2, 1}, {1100, 3, 2},
                                                                {700, 0, 1}, {1200, 0, 2}};
    for (size_t k = 0; k < COUNT(cases); k++) {
        struct world w;
        world_make(*state, &w, cases[k].rows, "nl5n2c", cases[k].classes, cases[k].l, 10 + k);
        effects(&w);
        check_tests(&w);
        known_columns(&w, 3);
        check_tests(&w);
        world_free(&w);
    }
}

/* Every row twice, as a group: the p-values of single rows. */
static void check_doubled(tamis_context *cx, size_t rows, size_t l)
{
    struct world w, v;
    size_t *twice = malloc(2 * rows * sizeof *twice), *group = malloc(rows * sizeof *group);
    world_make(cx, &w, rows, "nl5n2c", 0, l, 30 + l);
    effects(&w);
    for (size_t i = 0; i < 2 * rows; i++) twice[i] = i / 2, group[i / 2] = i / 2;
    w.f.group = group;
    w.f.groups = rows;
    v = w;
    assert_int_equal(sift_view_make(cx, &w.f, w.target, l, twice, 2 * rows, &v.v), TAMIS_OK);
    assert_close(v.v.groups, (double)rows, 0);
    for (size_t i = 0; i < 4; i++) {
        size_t input[3] = {i, i + 1, (i + 3) % 6};
        for (size_t inputs = 1; inputs <= 3; inputs++)
            assert_near(tested(&v, inputs, input), tested(&w, inputs, input), 1e-8);
    }
    w.f.group = NULL;
    sift_view_free(&v.v);
    world_free(&w);
    free(twice), free(group);
}

static void rows_of_a_group_count_once_in_tests(void **state)
{
    for (size_t l = 1; l <= 2; l++) {
        check_doubled(*state, SIFT_SMALL / 2 - 10, l);
        check_doubled(*state, SIFT_SMALL + 100, l);
    }
}

/* ---- p-values under the null ---- */

static int by_value(const void *a, const void *b)
{
    double x = *(const double *)a, y = *(const double *)b;
    return (x > y) - (x < y);
}

/* Bounds of Dvoretzky, Kiefer, Wolfowitz and Massart, exceeded with probability 1e-6: p-values are nowhere too small,
 * and if `exact` not too large either. */
static void check_uniform(double *p, size_t n, int exact)
{
    double bound = sqrt(log(1e6) / (2 * (double)n)), above = 0, below = 0;
    qsort(p, n, sizeof *p, by_value);
    for (size_t i = 0; i < n; i++) {
        above = fmax(above, (double)(i + 1) / (double)n - p[i]);
        below = fmax(below, p[i] - (double)i / (double)n);
    }
    assert_below(above, bound);
    if (exact) assert_below(below, bound);
    size_t small = 0;
    while (small < n && p[small] < 0.01) small++;       /* 5 standard deviations and some skewness beyond 1 % */
    assert_at_most((double)small, 0.01 * (double)n + 5.5 * sqrt(0.01 * (double)n) + 3);
}

/* Another draw of the target, independent of the inputs; of classes, another order of the rows. */
static void null_target(struct world *w, int skewed)
{
    size_t n = w->rows;
    for (size_t i = n; i-- > 1 && w->e->classes;) {
        size_t j = tamis_rng_below(&w->rng, i + 1);
        for (size_t o = 0; o < w->l; o++) {
            double *a = &w->target[i + n * o], *b = &w->target[j + n * o], keep = *a;
            *a = *b, *b = keep;
        }
    }
    for (size_t i = 0; i < n * w->l && !w->e->classes; i++) {
        double x = tamis_rng_normal(&w->rng);
        w->target[i] = skewed ? exp(x) : x;
    }
    view_again(w);
}

/* P-values of disjoint sets of inputs, for many targets. */
static void check_null(tamis_context *cx, size_t rows, const char *kinds, size_t classes, size_t l, size_t inputs,
                       int exact)
{
    struct world w;
    size_t d = strlen(kinds), sets = d / inputs, targets = 2000 / sets, n = 0;
    double *p = malloc(sets * targets * sizeof *p);
    world_make(cx, &w, rows, kinds, classes, l, 100 + rows + 7 * inputs + 1000 * classes + 500 * l);
    for (size_t t = 0; t < targets; t++) {
        null_target(&w, t % 2);
        for (size_t s = 0; s < sets; s++) {
            size_t input[3];
            for (size_t j = 0; j < inputs; j++) input[j] = s + sets * j;
            p[n++] = exp(tested(&w, inputs, input));
        }
    }
    check_uniform(p, n, exact);
    world_free(&w);
    free(p);
}

#define TEN(k) k k k k k k k k k k

static void single_tests_hold_their_level(void **state)
{
    check_null(*state, 60, TEN("nnn"), 0, 1, 1, 0);
    check_null(*state, 150, TEN("lll"), 0, 1, 1, 0);
    check_null(*state, 150, TEN("nl5"), 0, 2, 1, 0);
    check_null(*state, 100, TEN("2cc"), 0, 1, 1, 1);
    check_null(*state, 200, TEN("nl5"), 2, 1, 1, 0);
    check_null(*state, 250, TEN("nn5"), 3, 2, 1, 0);
    check_null(*state, 600, TEN("nl5"), 0, 1, 1, 0);
    check_null(*state, 600, TEN("nn5"), 2, 1, 1, 0);
}

static void tests_of_products_hold_their_level(void **state)
{
    check_null(*state, 60, TEN("nnnn"), 0, 1, 2, 1);
    check_null(*state, 100, TEN("nlnl"), 0, 1, 2, 1);
    check_null(*state, 150, TEN("nnnn"), 0, 2, 2, 1);
    check_null(*state, 150, TEN("55c5"), 0, 1, 2, 0);
    check_null(*state, 300, TEN("nnll"), 2, 1, 2, 1);
    check_null(*state, 600, TEN("nn5l"), 0, 1, 2, 0);
    check_null(*state, 150, TEN("nnnlll"), 0, 1, 3, 1);
    check_null(*state, 200, TEN("nn5nlc"), 0, 2, 3, 1);
    check_null(*state, 300, TEN("nnnnnn"), 3, 1, 3, 0);
}

/* Noise whose spread follows an input is not an effect of that input, with rows enough to tell. */
static void a_growing_spread_is_no_effect(void **state)
{
    enum { DRAWS = 300 };
    struct world w;
    double p[DRAWS];
    world_make(*state, &w, 800, "nnn", 0, 1, 55);
    for (size_t t = 0; t < DRAWS; t++) {
        size_t input = 0;
        for (size_t i = 0; i < w.rows; i++)
            w.target[i] = exp(0.7 * w.d->x[i]) * tamis_rng_normal(&w.rng);
        view_again(&w);
        p[t] = exp(tested(&w, 1, &input));
    }
    check_uniform(p, DRAWS, 0);
    world_free(&w);
}

/* ---- screens ---- */

static int probe_order(const void *a, const void *b)
{
    const struct sift_probe *p = a, *q = b;
    if (p->log_p != q->log_p) return p->log_p < q->log_p ? -1 : 1;
    for (size_t k = 0; k < p->inputs; k++)
        if (p->input[k] != q->input[k]) return p->input[k] < q->input[k] ? -1 : 1;
    return 0;
}

/* All functions of all inputs, and where those of each begin. */
struct all { double *phi; size_t first[1001]; };

static struct all all_functions(const struct world *w)
{
    struct all a = {.first = {0}};
    for (size_t i = 0; i < w->d->inputs; i++) a.first[i + 1] = a.first[i] + sift_functions_of(&w->f, i);
    a.phi = malloc(a.first[w->d->inputs] * w->rows * sizeof *a.phi);
    for (size_t i = 0; i < w->d->inputs; i++)
        for (size_t k = a.first[i]; k < a.first[i + 1]; k++) {
            double *p = function_of(w, i, k - a.first[i]);
            memcpy(a.phi + w->rows * k, p, w->rows * sizeof *p);
            free(p);
        }
    return a;
}

/* Sum of squares of the covariances of the scores with the products of the first side[j] functions of each input. */
static double naive_squares(const struct world *w, const struct all *a, const struct sift_probe *p, const size_t *side)
{
    size_t n = w->rows, k[3], limit[3] = {1, 1, 1};
    double sum = 0;
    memcpy(limit, side, p->inputs * sizeof *side);
    for (size_t o = 0; o < w->l; o++)
        for (k[0] = 0; k[0] < limit[0]; k[0]++)
            for (k[1] = 0; k[1] < limit[1]; k[1]++)
                for (k[2] = 0; k[2] < limit[2]; k[2]++) {
                    const double *f[3] = {0}, *s = w->v.score + n * o;
                    double c = 0;
                    for (size_t j = 0; j < p->inputs; j++) f[j] = a->phi + n * (a->first[p->input[j]] + k[j]);
                    if (p->inputs == 2) for (size_t i = 0; i < n; i++) c += f[0][i] * f[1][i] * s[i];
                    else for (size_t i = 0; i < n; i++) c += f[0][i] * f[1][i] * f[2][i] * s[i];
                    sum += c * c / (double)n;
                }
    return sum * w->v.groups / (double)n;
}

static double naive_screen(const struct world *w, const struct all *a, const struct sift_probe *p, const size_t *side)
{
    size_t products = w->l;
    for (size_t j = 0; j < p->inputs; j++) products *= side[j];
    return tamis_log_upper_chi2(naive_squares(w, a, p, side), (double)products);
}

static double naive_pair(const struct world *w, const struct all *a, const struct sift_probe *p)
{
    size_t few[2], many[2];
    for (size_t j = 0; j < 2; j++) {
        few[j] = least_of(3, sift_functions_of(&w->f, p->input[j]));
        many[j] = sift_functions_screened(&w->f, p->input[j]);
    }
    double log_p = naive_screen(w, a, p, few);
    return many[0] * many[1] > few[0] * few[1] ? log(2) + fmin(log_p, naive_screen(w, a, p, many)) : log_p;
}

static double naive_triple(const struct world *w, const struct all *a, const struct sift_probe *p)
{
    size_t side[3];
    for (size_t j = 0; j < 3; j++) side[j] = least_of(2, sift_functions_of(&w->f, p->input[j]));
    return naive_screen(w, a, p, side);
}

/* All pairs or triples of in[0..k-1] below the level of a screen, best first; how many. */
static size_t naive_list(const struct world *w, const size_t *in, size_t k, size_t inputs, struct sift_probe *list)
{
    struct all a = all_functions(w);
    size_t n = 0;
    for (size_t i = 0; i < k; i++)
        for (size_t j = i + 1; j < k; j++)
            for (size_t m = inputs == 3 ? j + 1 : k - 1; m < k; m++) {
                struct sift_probe p = {.inputs = inputs, .input = {in[i], in[j], in[m]}};
                p.log_p = inputs == 3 ? naive_triple(w, &a, &p) : naive_pair(w, &a, &p);
                if (p.log_p < log(inputs == 3 ? 1e-4 : 1e-3)) list[n++] = p;
            }
    qsort(list, n, sizeof *list, probe_order);
    free(a.phi);
    return n;
}

static void check_screen(const struct world *w, const size_t *in, size_t k, size_t inputs, size_t most, size_t least)
{
    struct sift_probe *want = malloc(200000 * sizeof *want), *got = malloc((most + 1) * sizeof *got);
    size_t all = naive_list(w, in, k, inputs, want), found = 99;
    int status = inputs == 3 ? sift_screen_triples(&w->v, in, k, most, got, &found)
                             : sift_screen_pairs(&w->v, in, k, most, got, &found);
    assert_int_equal(status, TAMIS_OK);
    assert_int_equal(found, least_of(all, most));
    assert_at_least((double)found, (double)least);
    for (size_t i = 0; i < found; i++) {
        assert_int_equal(got[i].inputs, inputs);
        assert_memory_equal(got[i].input, want[i].input, inputs * sizeof *got[i].input);
        assert_near(got[i].log_p, want[i].log_p, 1e-9);
    }
    free(want), free(got);
}

static void screens_equal_naive_loops(void **state)
{
    struct world w;
    size_t in[24];
    world_make(*state, &w, 1300, "nl5c2unl5c2unl5c2unl5c2u", 0, 2, 61);
    for (size_t i = 0; i < 24; i++) in[i] = i;
    plant(&w, 2, (size_t[]){2, 14}, 0.3);
    plant(&w, 2, (size_t[]){0, 7}, 0.3);
    plant(&w, 3, (size_t[]){1, 6, 18}, 0.4);
    plant(&w, 3, (size_t[]){3, 8, 12}, 0.4);
    check_screen(&w, in, 24, 2, 100, 2);
    check_screen(&w, in, 24, 2, 2, 2);
    w.v.groups /= 2;
    check_screen(&w, in, 24, 2, 100, 2);
    check_screen(&w, in, 24, 3, 30, 1);
    w.v.groups *= 2;
    check_screen(&w, in + 2, 1, 2, 100, 0);
    check_screen(&w, in, 24, 3, 30, 2);
    for (size_t i = 0; i < 12; i++) in[i] = 23 - 2 * i;         /* some, in falling order */
    check_screen(&w, in, 12, 3, 30, 0);
    check_screen(&w, in, 2, 3, 30, 0);
    world_free(&w);
}

/* More pairs than one tile of sums holds. */
static void screens_in_tiles_equal_naive_loops(void **state)
{
    enum { D = 800 };
    struct world w;
    size_t in[D];
    char kinds[D + 1];
    for (size_t i = 0; i < D; i++) in[i] = i, kinds[i] = "nl5u2n"[i % 6];
    kinds[D] = 0;
    world_make(*state, &w, 50, kinds, 0, 1, 62);
    plant(&w, 2, (size_t[]){17, 780}, 2);
    check_screen(&w, in, D, 2, 100, 50);
    world_free(&w);
}

static void probes_are_kept_in_order(void **state)
{
    static const struct sift_probe given[] = {{2, {4, 5}, -3}, {1, {9}, -3}, {2, {4, 3}, -3}, {3, {0, 1, 2}, -8},
                                              {1, {1}, -1}, {1, {2}, -0.5}, {2, {1, 7}, -3}};
    static const size_t first[] = {0, 9, 1, 4, 4};
    struct sift_probe best[6];
    size_t found = 0;
    (void)state;
    for (size_t i = 0; i < COUNT(given); i++) sift_probe_insert(best, &found, 5, &given[i]);
    assert_int_equal(found, 5);
    for (size_t i = 0; i < 5; i++) assert_int_equal(best[i].input[0], first[i]);
    assert_int_equal(best[3].input[1], 3);
    found = 0;
    sift_probe_insert(best, &found, 0, &given[0]);
    assert_int_equal(found, 0);
}

/* ---- prices and sizes ---- */

static void prices_count_sets(void **state)
{
    (void)state;
    assert_close(sift_price(0, 20, 100), 0, 1e-12);
    assert_near(sift_price(1, 20, 100), 0.5 * log(100) + log(20), 1e-12);
    assert_near(sift_price(3, 20, 50), 1.5 * log(50) + log(1140), 1e-12);
    assert_near(sift_price(17, 20, 1), log(1140), 1e-12);
    assert_near(sift_price(20, 20, 50), 10 * log(50), 1e-12);
    assert_near(sift_price(5, 2, 50), 2.5 * log(50), 1e-12);    /* inputs that must stay are not candidates */
    assert_close(sift_price(0, 0, 50), 0, 1e-12);
    assert_true(isfinite(sift_price(3000, 100000, 1e6)));
}

static void sizes_stand_in_for_others(void **state)
{
    size_t size[] = {9, 6, 5, 2, 0}, must[] = {4, 3};
    struct sift_trail p = {.size = size, .sizes = 5}, q = {.size = must, .sizes = 2},
                      none = {.size = size + 4, .sizes = 1};
    static const size_t at[] = {4, 3, 3, 2, 2, 2, 1, 0, 0, 0, 0, 0};
    (void)state;
    for (size_t k = 0; k < COUNT(at); k++) assert_int_equal(sift_trail_at(&p, k), at[k]);
    for (size_t k = 0; k < 6; k++) assert_int_equal(sift_trail_at(&q, k), k < 4);
    for (size_t k = 0; k < 6; k++) assert_int_equal(sift_trail_at(&none, k), 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {TEST(functions_are_orthonormal_and_cached_as_they_are),
                                       TEST(tests_equal_dense_algebra),
                                       TEST(rows_of_a_group_count_once_in_tests),
                                       TEST(single_tests_hold_their_level),
                                       TEST(tests_of_products_hold_their_level),
                                       TEST(a_growing_spread_is_no_effect),
                                       TEST(screens_equal_naive_loops),
                                       TEST(screens_in_tiles_equal_naive_loops),
                                       TEST(probes_are_kept_in_order),
                                       TEST(prices_count_sets),
                                       TEST(sizes_stand_in_for_others)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
