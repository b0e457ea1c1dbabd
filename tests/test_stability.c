/* Stability selection: its bounds against published numbers and a search over distributions, half-samples against their
 * guarantees, whole runs. */
#include "base/rng.h"
#include "num/stability_bound.h"
#include "select/resample.h"
#include "unit.h"

/* ---- bounds ---- */

/* From the output that the R package stabs (Hofner, Hothorn) compares its results with: 50 pairs, p 100, threshold 0.6;
 * printed to seven digits. Its maxima of D stop up to 0.4 % short (num/stability_bound.c). */
static void bounds_are_the_published_ones(void **state)
{
    static const double unimodal[] = {0.02631579, 0.1052632, 0.2368421, 0.4210526, 0.6578947,
                                      0.9473684,  1.289474,  1.684211,  2.131579,  2.631579},
                        concave[] = {0.006971364, 0.03342845, 0.08691176, 0.1637231, 0.2605329,
                                     0.3820466,   0.5295188,  0.7042719,  0.9077127, 1.141338},
                        plain[] = {0.05, 0.2, 0.45, 0.8, 1.25, 1.8, 2.45, 3.2, 4.05, 5};
    (void)state;
    for (int i = 0; i < 10; i++) {
        struct tamis_stability s = {i + 1, 100, 50};
        double d = tamis_stability_bound(&s, TAMIS_STABLE_CONCAVE, 60);
        assert_relative(tamis_stability_bound(&s, TAMIS_STABLE_NONE, 60), plain[i], 1e-12);
        assert_relative(tamis_stability_bound(&s, TAMIS_STABLE_UNIMODAL, 60), unimodal[i], 5e-7);
        assert_at_least(d, concave[i] * (1 - 5e-7));
        assert_relative(d, concave[i], i < 3 ? 4e-3 : 4e-6);
    }
}

/* From the same place: thresholds for a bound, and the mean size that has it. */
static void thresholds_are_the_published_ones(void **state)
{
    struct tamis_stability s = {7, 200, 50}, small = {6, 200, 50}, body = {3, 10, 50}, fat = {2, 9, 50};
    (void)state;
    assert_int_equal(tamis_stability_times(&s, TAMIS_STABLE_CONCAVE, 0.2), 62);
    assert_int_equal(tamis_stability_times(&s, TAMIS_STABLE_UNIMODAL, 0.2), 81);
    assert_close(tamis_stability_bound(&s, TAMIS_STABLE_CONCAVE, 62), 0.196, 6e-4);
    assert_close(tamis_stability_bound(&s, TAMIS_STABLE_CONCAVE, 61), 0.219, 6e-4);
    assert_close(tamis_stability_bound(&small, TAMIS_STABLE_CONCAVE, 60), 0.174, 6e-4);
    assert_close(tamis_stability_bound(&s, TAMIS_STABLE_CONCAVE, 60), 0.248, 6e-4);
    assert_int_equal(tamis_stability_times(&body, TAMIS_STABLE_UNIMODAL, 0.2), 96);
    assert_close(tamis_stability_bound(&body, TAMIS_STABLE_UNIMODAL, 96), 0.176, 6e-4);
    assert_close(tamis_stability_bound(&body, TAMIS_STABLE_NONE, 100), 0.9, 1e-12);
    assert_close(tamis_stability_bound(&fat, TAMIS_STABLE_UNIMODAL, 75), 0.454, 6e-4);
    assert_int_equal(tamis_stability_times(&body, TAMIS_STABLE_NONE, 0.2), 0);
}

/* An r-concave distribution on 0 .. top: f = g^(1/r) with g convex and positive; slope[i] is what g rises by from i to
 * i + 1. */
struct shape { size_t top, t; double r, mean, slope[8]; };

/* Its mean if g(0) = start, and *tail = P(X >= t); INFINITY: g is not positive. */
static double mean_of(const struct shape *s, double start, double *tail)
{
    double g = start, mass = 0, moment = 0, above = 0;
    for (size_t i = 0; i <= s->top; i++) {
        if (i) g += s->slope[i - 1];
        if (!(g > 0)) return INFINITY;
        double f = pow(g, 1 / s->r);
        mass += f;
        moment += (double)i * f;
        if (i >= s->t) above += f;
    }
    *tail = above / mass;
    return moment / mass;
}

/* P(X >= t) at the g(0) that gives the mean; -1: there is none, or g is not convex. */
static double tail_of(const struct shape *s)
{
    double low = -30, high = 30, tail = 0;
    for (size_t i = 1; i < s->top; i++)
        if (s->slope[i] < s->slope[i - 1]) return -1;
    if (!(mean_of(s, exp(low), &tail) <= s->mean) || mean_of(s, exp(high), &tail) < s->mean) return -1;
    for (int k = 0; k < 50; k++) {
        double middle = (low + high) / 2;
        if (mean_of(s, exp(middle), &tail) <= s->mean) low = middle;
        else high = middle;
    }
    mean_of(s, exp(low), &tail);
    return tail;
}

/* Keeps random changes that raise the tail: of one slope, or of this and all later ones. */
static double climb(struct shape *s, struct tamis_rng *g, int tries)
{
    double best = tail_of(s);
    for (int k = 0; k < tries; k++) {
        struct shape next = *s;
        double by = tamis_rng_normal(g) * pow(10, -5 * tamis_rng_uniform(g));
        size_t at = tamis_rng_below(g, s->top), all = tamis_rng_below(g, 2);
        for (size_t i = at; i < s->top && (all || i == at); i++) next.slope[i] += by * fmax(0.1, fabs(next.slope[i]));
        double v = tail_of(&next);
        if (v > best) best = v, *s = next;
    }
    return best;
}

/* D is the largest tail that a search over all r-concave distributions comes to: none beats it, the best is near. */
static void concave_tail_is_the_largest(void **state)
{
    static const struct { double eta, r; size_t b, t;
    } c[] = {{0.1, -0.5, 5, 2},   {0.1, -0.5, 5, 4},  {0.05, -0.5, 6, 6},
             {0.15, -0.25, 6, 3}, {0.2, -0.25, 6, 5}, {0.1, -0.25, 4, 4}};
    (void)state;
    for (size_t k = 0; k < sizeof c / sizeof *c; k++) {
        double most = tamis_concave_tail(c[k].eta, c[k].t, c[k].b, c[k].r), best = 0;
        struct tamis_rng g;
        tamis_rng_init(&g, 3, TAMIS_RNG_TEST, (uint32_t)k);
        for (size_t top = c[k].t; top <= c[k].b; top++)
            for (int start = 0; start < 3; start++) {
                struct shape s = {.top = top, .t = c[k].t, .r = c[k].r, .mean = c[k].eta * (double)c[k].b};
                for (size_t i = 0; i < top; i++) s.slope[i] = 1 + start * (double)i / 20;
                if (tail_of(&s) >= 0) best = fmax(best, climb(&s, &g, 3000));
            }
        assert_at_most(best, most * (1 + 1e-9));
        assert_relative(best, most, 0.02);
    }
}

/* The whole family that [1] reduces D to, on a fine grid: its maximum is not missed. */
static double scan(double eta, size_t t, size_t b, double r)
{
    double best = 0, mean = eta * (double)b;
    for (double x = -13; x < 17; x += 2e-3) {
        double a = exp(x), mass = 0, moment = 0, below = 0;
        for (size_t i = 0; i <= b; i++) {
            double w = pow(a + (double)i, 1 / r) / pow(a, 1 / r), v = (double)i;
            if (moment + v * w > mean * (mass + w)) {
                if (i >= t) best = fmax(best, 1 - (v - mean) / (v * mass - moment) * below);
                break;
            }
            mass += w, moment += v * w, below += i < t ? w : 0;
        }
    }
    return best;
}

static void concave_tail_misses_no_maximum(void **state)
{
    struct tamis_rng g;
    (void)state;
    tamis_rng_init(&g, 5, TAMIS_RNG_TEST, 9);
    for (int k = 0; k < 12; k++) {
        size_t b = 10 + tamis_rng_below(&g, 91), t = 1 + tamis_rng_below(&g, b);
        double eta = pow(tamis_rng_uniform(&g), 2) / 2, r = k % 2 ? -0.5 : -0.25, d = tamis_concave_tail(eta, t, b, r);
        if (d < 1) assert_between(d, scan(eta, t, b, r) * (1 - 1e-12) - 1e-15, scan(eta, t, b, r) * 1.1 + 1e-15);
    }
    assert_true(tamis_concave_tail(0, 1, 10, -0.5) == 0);
    assert_true(tamis_concave_tail(0.5, 5, 10, -0.5) == 1);
    assert_true(tamis_concave_tail(0.2, 0, 10, -0.5) == 1);
}

static void bounds_fall_with_the_threshold(void **state)
{
    (void)state;
    for (double q = 0; q <= 20; q += 2.5) {
        struct tamis_stability s = {q, 20, 12};
        for (int a = TAMIS_STABLE_NONE; a <= TAMIS_STABLE_CONCAVE; a++)
            for (size_t k = 13; k <= 24; k++) {
                double v = tamis_stability_bound(&s, (enum tamis_stability_assumption)a, k);
                if (k > 13)
                    assert_at_most(v, tamis_stability_bound(&s, (enum tamis_stability_assumption)a, k - 1) + 1e-12);
                if (a) assert_at_most(v, tamis_stability_bound(&s, (enum tamis_stability_assumption)(a - 1), k));
                assert_between(v, -1e-12, 20 + 1e-9);
            }
    }
}

/* ---- half-samples ---- */

struct prepared { struct tamis_run run; tamis_options *o; tamis_table *t; struct tamis_resample *r; };

static struct prepared prepare(tamis_context *cx, tamis_table *t, tamis_options *o, size_t pairs)
{
    struct prepared p = {.run = {.cx = cx, .data = t}, .o = o, .t = t};
    assert_int_equal(tamis_run_prepare(&p.run, o), TAMIS_OK);
    assert_non_null(p.r = tamis_resample_halves(&p.run, pairs));
    return p;
}

static void let_go(struct prepared *p)
{
    tamis_resample_free(p->r);
    tamis_run_finish(&p->run);
    tamis_options_free(p->o);
    tamis_table_free(p->t);
}

/* Two trials share a split, change its sides, and cover every row once; splits differ. */
static void pairs_are_complementary(const struct prepared *p)
{
    const struct tamis_split *s = p->r->split;
    size_t same = 0;
    for (size_t k = 0; k < p->r->trials; k += 2) {
        assert_int_equal(s[k].learns + s[k].helds, p->run.rows);
        assert_int_equal(s[k].learns, s[k + 1].helds);
        assert_memory_equal(s[k].learn, s[k + 1].held, s[k].learns * sizeof *s->learn);
        assert_memory_equal(s[k].held, s[k + 1].learn, s[k].helds * sizeof *s->learn);
        for (size_t j = 0; j < k; j++)
            same += s[j].learns == s[k].learns && !memcmp(s[j].learn, s[k].learn, s[k].learns * sizeof *s->learn);
    }
    assert_at_most(same, p->r->trials / 10);
}

static void halves_are_halves(void **state)
{
    tamis_context *cx = *state;
    struct prepared p = prepare(cx, made(cx, "friedman1", "41", "5"), OPTIONS("method", "lars"), 30);
    double times[41] = {0};
    pairs_are_complementary(&p);
    for (size_t k = 0; k < p.r->trials; k++) {
        assert_between(p.r->split[k].learns, 19.5, 21.5);
        for (size_t i = 0; k % 2 == 0 && i < p.r->split[k].learns; i++) times[p.r->split[k].learn[i]]++;
    }
    for (int i = 0; i < 41; i++) assert_between(times[i], 3, 28);       /* of 30; 15 on average */
    let_go(&p);
}

/* Groups of very different sizes and classes of very different shares. */
static void groups_and_classes_are_kept(void **state)
{
    tamis_context *cx = *state;
    struct tamis_text text = {.cx = cx};
    tamis_text_puts(&text, "a,g,y\n");
    for (int g = 0; g < 12; g++)
        for (int i = 0; i <= g; i++) tamis_text_printf(&text, "%d.5,g%d,%d\n", 7 * g + i * i, g, g * i);
    struct prepared p = prepare(cx, text_table(cx, text.s), OPTIONS("method", "lars", "groups", "g", "inputs", "a"),
                                20);
    pairs_are_complementary(&p);
    const double *group = p.t->column[1].value;
    for (size_t i = 0; i < p.r->split[4].learns; i++)
        for (size_t j = 0; j < p.r->split[4].helds; j++)
            assert_true(group[p.r->split[4].learn[i]] != group[p.r->split[4].held[j]]);
    let_go(&p);
    tamis_text_free(&text);
    text = (struct tamis_text){.cx = cx};
    tamis_text_puts(&text, "a,y\n");
    for (int i = 0; i < 60; i++) tamis_text_printf(&text, "%d.5,%s\n", i * i, i % 10 ? "no" : "yes");
    p = prepare(cx, text_table(cx, text.s), OPTIONS("method", "sift"), 10);
    pairs_are_complementary(&p);
    for (size_t k = 0; k < p.r->trials; k++) {
        size_t yes = 0;
        for (size_t i = 0; i < p.r->split[k].learns; i++) yes += p.r->split[k].learn[i] % 10 == 0;
        assert_int_equal(yes, 3);
        assert_int_equal(p.r->split[k].learns, 30);
    }
    let_go(&p);
    tamis_text_free(&text);
}

/* Ordered rows change sides at most once per block. */
static void ordered_rows_stay_in_blocks(void **state)
{
    tamis_context *cx = *state;
    struct prepared p = prepare(cx, made(cx, "friedman1", "200", "5"), OPTIONS("method", "lars", "blocks", "yes"), 10);
    pairs_are_complementary(&p);
    for (size_t k = 0; k < p.r->trials; k++) {
        size_t breaks = 0;
        for (size_t i = 1; i < p.r->split[k].learns; i++)
            if (p.r->split[k].learn[i] != p.r->split[k].learn[i - 1] + 1) breaks++;
        assert_at_most(breaks, 9);
        assert_int_equal(p.r->split[k].learns, 100);
    }
    let_go(&p);
}

/* ---- runs ---- */

/* Threshold, q and the set follow from the sets of the half-samples. */
static void the_set_follows_from_the_half_samples(void **state)
{
    tamis_context *cx = *state;
    tamis_table *t = made(cx, "friedman1", "120", "5");
    tamis_result *r = chosen(cx, t, NULL, OPTIONS("method", "lars", "stability", "1", "stability-pairs", "12"));
    const tamis_value *v = tamis_value_at(tamis_result_value(r), "stability_selection");
    double q = 0, tau = tamis_value_number(v, "threshold");
    unsigned char set[10];
    double times[10] = {0};
    assert_int_equal(tamis_result_trials(r), 24);
    for (size_t k = 0; k < 24; k++) {
        tamis_trial_info info = {.size = sizeof info};
        assert_true(tamis_result_trial(r, k, &info, set));
        for (size_t i = 0; i < 10; i++) times[i] += set[i], q += set[i] / 24.0;
    }
    struct tamis_stability s = {q, 10, 12};
    assert_close(tamis_value_number(v, "q"), q, 1e-12);
    assert_close(tamis_value_number(v, "theta"), q / 10, 1e-12);
    assert_int_equal(tamis_stability_times(&s, TAMIS_STABLE_CONCAVE, 1), lround(24 * tau));
    assert_at_most(tamis_value_number(v, "bounds.r_concave"), 1);
    for (size_t i = 0; i < 10; i++) {
        tamis_input in = {.size = sizeof in};
        assert_true(tamis_result_input(r, i, &in));
        assert_close(in.frequency, times[i] / 24, 1e-12);
        assert_int_equal(in.selected, times[i] >= 24 * tau - 1e-9);
    }
    tamis_result_free(r);
    tamis_table_free(t);
}

/* Inputs of --must are selected, and are not among the candidates; a constant is not, either. */
static void musts_are_not_candidates(void **state)
{
    tamis_context *cx = *state;
    tamis_table *t = made(cx, "friedman1", "80", "5");
    tamis_result *r = chosen(cx, t, NULL,
                             OPTIONS("method", "search", "stability", "1", "stability-pairs", "4", "must", "x9"));
    const tamis_value *v = tamis_result_value(r);
    assert_close(tamis_value_number(v, "stability_selection.candidates"), 9, 0);
    assert_close(tamis_value_number(v, "stability_selection.frequency.x9"), 1, 0);
    assert_true(r->input[8].selected);
    assert_int_equal(r->model->encoder->inputs, r->selected);
    tamis_result_free(r);
    tamis_table_free(t);
}

static const char *const everything[] = {"method", "search", "stability", "1", "stability-pairs", "3", "holdout", "0.2",
                                         "outer", "2", "max-inputs", "4", NULL};

static void same_bits_for_any_number_of_threads(void **state)
{
    tamis_context *cx = *state;
    tamis_table *t = made(cx, "friedman1", "60", "5");
    same_bits(cx, t, options(cx, everything), "stability_selection");
    tamis_table_free(t);
}

static void stopped_runs_resume_to_the_same_result(void **state)
{
    tamis_context *cx = *state;
    tamis_table *t = made(cx, "friedman1", "60", "5");
    assert_above(stopped_and_resumed(cx, t, options(cx, everything), 100, 30), 3);
    tamis_table_free(t);
}

static void every_allocation_may_fail(void **state)
{
    tamis_context *cx = *state;
    tamis_table *t = made(cx, "friedman1", "24", "4");
    tamis_options *o = OPTIONS("method", "search", "stability", "2", "stability-pairs", "2", "max-inputs", "3");
    struct run run = {t, o};
    assert_above(allocations_fail(cx, select_and_write, &run, 300), 500);
    tamis_options_free(o);
    tamis_table_free(t);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        TEST(bounds_are_the_published_ones),
        TEST(thresholds_are_the_published_ones),
        TEST(concave_tail_is_the_largest),
        TEST(concave_tail_misses_no_maximum),
        TEST(bounds_fall_with_the_threshold),
        TEST(halves_are_halves),
        TEST(groups_and_classes_are_kept),
        TEST(ordered_rows_stay_in_blocks),
        TEST(the_set_follows_from_the_half_samples),
        TEST(musts_are_not_candidates),
        TEST(same_bits_for_any_number_of_threads),
        TEST_ONE_THREAD(stopped_runs_resume_to_the_same_result),
        TEST_ONE_THREAD(every_allocation_may_fail),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
