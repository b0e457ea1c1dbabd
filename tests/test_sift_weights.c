/* Row weights in sift and knockoffs: a row of weight 2 is two rows. Sums, tests and fits on weighted rows against those
 * on rows that are repeated, each with its copies as one group; whole runs against runs on repeated rows, and with all
 * weights multiplied by a number. */
#include "num/blocks.h"
#include "num/weighted.h"
#include "sift_world.h"

/* ---- a world with weights, and the same with repeated rows ---- */

struct twins {
    struct world one;                   /* n rows of weight 1, 2 or 3 */
    size_t rows, *of, *row;             /* the others: as many rows as the weights say, each a copy of row of[i] */
    struct tamis_design *many;
    struct sift_functions f;
    struct sift_view v;
    double *target;
};

static void many_again(struct twins *t)
{
    size_t n = t->one.rows;
    for (size_t o = 0; o < t->one.l; o++)
        for (size_t i = 0; i < t->rows; i++) t->target[i + t->rows * o] = t->one.target[t->of[i] + n * o];
    sift_view_free(&t->v);
    assert_int_equal(sift_view_make(t->one.cx, &t->f, t->target, t->one.l, t->row, t->rows, &t->v), TAMIS_OK);
}

static void one_weigh(struct world *w)
{
    assert_non_null(w->d->weight = tamis_raw(w->cx, double, w->rows));
    for (size_t i = 0; i < w->rows; i++) w->d->weight[i] = 1 + (double)tamis_rng_below(&w->rng, 3);
    sift_functions_free(&w->f);
    assert_int_equal(sift_functions_learn(w->cx, w->d, &w->f), TAMIS_OK);
    view_again(w);
}

static void twins_make(tamis_context *cx, struct twins *t, size_t n, const char *kinds, size_t classes, size_t l,
                       uint64_t seed)
{
    *t = (struct twins){0};
    world_make(cx, &t->one, n, kinds, classes, l, seed);
    one_weigh(&t->one);
    t->of = malloc(3 * n * sizeof *t->of);
    t->row = malloc(3 * n * sizeof *t->row);
    for (size_t i = 0; i < n; i++)
        for (size_t k = 0; k < (size_t)t->one.d->weight[i]; k++) t->of[t->rows++] = i;
    for (size_t i = 0; i < t->rows; i++) t->row[i] = i;
    assert_non_null(t->many = tamis_design_part(cx, t->one.d, t->one.e, t->of, t->rows));
    tamis_free(t->many->weight);
    t->many->weight = NULL;
    assert_int_equal(sift_functions_learn(cx, t->many, &t->f), TAMIS_OK);
    t->f.group = t->of;
    t->f.groups = n;
    t->target = malloc(t->rows * t->one.l * sizeof *t->target);
    many_again(t);
}

static void twins_free(struct twins *t)
{
    sift_view_free(&t->v);
    sift_functions_free(&t->f);
    tamis_design_free(t->many);
    world_free(&t->one);
    free(t->of), free(t->row), free(t->target);
}

static void twins_plant(struct twins *t, size_t inputs, const size_t *input, double strength)
{
    plant(&t->one, inputs, input, strength);
    many_again(t);
}

/* ---- parts ---- */

static void functions_are_those_of_repeated_rows(void **state)
{
    struct twins t;
    twins_make(*state, &t, 700, "nu35c", 0, 1, 301);
    assert_int_equal(t.one.f.count, t.f.count);
    for (size_t k = 0; k < 4; k++) {
        const struct tamis_basis *a = &t.one.f.basis[k], *b = &t.f.basis[k];
        assert_int_equal(a->functions, b->functions);
        assert_int_equal(a->knots, b->knots);
        assert_int_equal(a->values, b->values);
        for (size_t i = 0; i < a->knots; i++) assert_close(a->rank[i], b->rank[i], 1e-12);
        for (size_t i = 0; i < TAMIS_FUNCTIONS; i++) assert_close(a->mean[i], b->mean[i], 1e-12);
        for (size_t i = 0; i < a->functions; i++)
            for (size_t j = 0; j < TAMIS_FUNCTIONS; j++) assert_near(a->turn[i][j], b->turn[i][j], 1e-9);
    }
    twins_free(&t);
}

static void quantiles_do_not_depend_on_the_scale_of_weights(void **state)
{
    enum { N = 90 };
    double *x = normal_numbers(N, 5), w[N], work[4 * N];
    struct tamis_basis a, b;
    (void)state;
    for (size_t i = 0; i < N; i++) x[i] = exp(2 * x[i]), w[i] = 1;
    tamis_basis_learn(&a, x, N, work);
    tamis_basis_learn_weighed(&b, x, w, N, work);
    assert_memory_equal(&a, &b, sizeof a);
    for (size_t i = 0; i < N; i++) w[i] = 0.1;
    tamis_basis_learn_weighed(&b, x, w, N, work);
    assert_true(a.lo == b.lo && a.hi == b.hi && a.hi < 0.9 * a.knot[a.knots - 1]);
    free(x);
}

static void check_views(const struct twins *t)
{
    const struct sift_view *a = &t->one.v, *b = &t->v;
    assert_close(a->total, (double)b->n, 0);
    assert_relative(a->groups, b->groups, 1e-12);
    assert_relative(b->separate, b->groups, 1e-12);
    assert_close(a->separate, (double)a->n, 0);
    for (size_t o = 0; o < a->l; o++) {
        assert_close(a->mean[o], b->mean[o], 1e-12);
        for (size_t i = 0; i < b->n; i++) {
            assert_close(a->y[t->of[i] + a->n * o], b->y[i + b->n * o], 1e-12);
            assert_close(a->score[t->of[i] + a->n * o], b->score[i + b->n * o], 1e-10);
        }
    }
}

static void check_tests(const struct twins *t, const struct sift_probe *probe, size_t n)
{
    for (size_t k = 0; k < n; k++) {
        struct sift_probe a = probe[k], b = probe[k];
        assert_int_equal(sift_test(&t->one.v, &a), TAMIS_OK);
        assert_int_equal(sift_test(&t->v, &b), TAMIS_OK);
        assert_near(a.log_p, b.log_p, 1e-8);
    }
}

static void check_screens(const struct twins *t, size_t inputs)
{
    struct sift_probe a[20], b[20];
    size_t in[] = {0, 1, 2, 3, 4, 5}, na, nb;
    for (int triples = 0; triples < 2; triples++) {
        int (*screen)(const struct sift_view *, const size_t *, size_t, size_t, struct sift_probe *, size_t *) =
            triples ? sift_screen_triples : sift_screen_pairs;
        assert_int_equal(screen(&t->one.v, in, inputs, 20, a, &na), TAMIS_OK);
        assert_int_equal(screen(&t->v, in, inputs, 20, b, &nb), TAMIS_OK);
        assert_int_equal(na, nb);
        assert_above((double)na, 0);
        for (size_t k = 0; k < na; k++) {
            assert_memory_equal(a[k].input, b[k].input, a[k].inputs * sizeof *a[k].input);
            assert_near(a[k].log_p, b[k].log_p, 1e-8);
        }
    }
}

static const struct sift_probe probes[] = {{1, {0}, 0},    {1, {3}, 0},    {1, {4}, 0},         {2, {0, 1}, 0},
                                           {2, {1, 3}, 0}, {2, {3, 4}, 0}, {3, {0, 1, 2}, 0},   {3, {1, 2, 4}, 0}};

/* With few rows, and with enough for the second test. */
static void tests_are_those_of_repeated_rows(void **state)
{
    static const size_t rows[] = {160, 1100};
    for (size_t k = 0; k < COUNT(rows); k++) {
        struct twins t;
        twins_make(*state, &t, rows[k], "nnu3c", 0, 2, 302 + k);
        twins_plant(&t, 1, (size_t[]){0}, 0.15);
        twins_plant(&t, 2, (size_t[]){0, 1}, 1);
        twins_plant(&t, 3, (size_t[]){0, 1, 2}, 1);
        check_views(&t);
        check_screens(&t, 5);
        check_tests(&t, probes, COUNT(probes));
        twins_free(&t);
    }
}

static void classes_are_tested_like_those_of_repeated_rows(void **state)
{
    struct twins t;
    twins_make(*state, &t, 900, "nnu3c", 3, 0, 305);
    check_views(&t);
    assert_below((double)t.one.v.most, (double)t.v.most);       /* copies add rows to a class, but no evidence */
    t.v.most = t.one.v.most;
    check_tests(&t, probes, COUNT(probes));
    twins_free(&t);
}

static void fit_one(struct sift_view *v, struct sift_fit *f)
{
    assert_int_equal(sift_fit_make(v, f), TAMIS_OK);
    assert_int_equal(sift_fit_term(f, 1, (size_t[]){0}), TAMIS_OK);
    assert_int_equal(sift_fit_term(f, 2, (size_t[]){1, 2}), TAMIS_OK);
    assert_int_equal(sift_fit_term(f, 1, (size_t[]){4}), TAMIS_OK);
    assert_int_equal(sift_fit_solve(f, 8), TAMIS_OK);
}

static void check_sums(const struct sift_fit *a, const struct sift_fit *b)
{
    assert_int_equal(a->p, b->p);
    assert_near(a->yy, b->yy, 1e-9);
    for (size_t k = 0; k < a->p; k++) {
        assert_near(a->sum[k], b->sum[k], 1e-9);
        for (size_t j = 0; j <= k; j++) assert_near(a->g[k + a->room * j], b->g[k + b->room * j], 1e-9);
        for (size_t o = 0; o < a->v->l; o++) assert_near(a->c[k + a->room * o], b->c[k + b->room * o], 1e-9);
    }
}

static void check_fits(const struct twins *t, const struct sift_fit *a, const struct sift_fit *b)
{
    size_t n = t->one.rows, l = a->v->l;
    double *one = malloc(n * l * sizeof *one), *many = malloc(t->rows * l * sizeof *many), part[5], share[5];
    assert_near(a->evidence, b->evidence, 1e-9);
    assert_near(sift_fit_gain(a), sift_fit_gain(b), 1e-9);
    assert_near(a->s, b->s, 1e-9);
    assert_int_equal(sift_fit_predict(a, a->v->row, n, one), TAMIS_OK);
    assert_int_equal(sift_fit_predict(b, b->v->row, t->rows, many), TAMIS_OK);
    for (size_t o = 0; o < l; o++)
        for (size_t i = 0; i < t->rows; i++) assert_close(one[t->of[i] + n * o], many[i + t->rows * o], 1e-9);
    sift_fit_shares(a, NULL, part);
    sift_fit_shares(b, NULL, share);
    for (size_t i = 0; i < 5; i++) assert_close(part[i], share[i], 1e-9);
    free(one), free(many);
}

static void fits_are_those_of_repeated_rows(void **state)
{
    struct twins t;
    struct sift_fit a, b;
    twins_make(*state, &t, 1300, "nnu3c", 0, 2, 306);
    twins_plant(&t, 1, (size_t[]){0}, 0.8);
    twins_plant(&t, 2, (size_t[]){1, 2}, 0.5);
    fit_one(&t.one.v, &a);
    fit_one(&t.v, &b);
    check_sums(&a, &b);
    check_fits(&t, &a, &b);
    sift_fit_free(&a);
    sift_fit_free(&b);
    twins_free(&t);
}

/* Some of them are pulled in, by the same amounts. */
static void outliers_are_those_of_repeated_rows(void **state)
{
    struct twins t;
    struct sift_fit a, b;
    twins_make(*state, &t, 400, "nnu3c", 0, 1, 307);
    for (size_t i = 0; i < 12; i++) t.one.target[31 * i] += i % 2 ? 9 : -15;
    twins_plant(&t, 1, (size_t[]){0}, 0.8);
    view_again(&t.one);
    fit_one(&t.one.v, &a);
    fit_one(&t.v, &b);
    assert_int_equal(sift_fit_pull_in(&a, 8), TAMIS_OK);
    assert_int_equal(sift_fit_pull_in(&b, 8), TAMIS_OK);
    assert_below(t.one.v.far, 20);
    assert_relative(t.one.v.far, t.v.far, 1e-9);
    check_sums(&a, &b);
    check_fits(&t, &a, &b);
    sift_fit_free(&a);
    sift_fit_free(&b);
    twins_free(&t);
}

/* ---- ridge regression in dual form ---- */

struct dual { size_t n, d; double rows, *z, *y, *k, *alpha, *work, evidence; };

static void dual_make(struct dual *r, size_t n, size_t d)
{
    *r = (struct dual){.n = n, .d = d};
    r->z = calloc(n * d, sizeof *r->z), r->y = calloc(n, sizeof *r->y), r->k = calloc(n * n, sizeof *r->k);
    r->alpha = calloc(n, sizeof *r->alpha), r->work = calloc(tamis_dual_size(n, 1), sizeof *r->work);
}

static void dual_run(struct dual *r)
{
    for (size_t i = 0; i < r->n; i++)
        for (size_t j = 0; j < r->n; j++)
            for (size_t k = 0; k < r->d; k++)
                r->k[i + r->n * j] += r->z[i + r->n * k] * r->z[j + r->n * k] / (double)r->d;
    assert_int_equal(tamis_dual_ridge(r->n, 1, r->rows, r->k, r->y, r->alpha, &r->evidence, r->work), 0);
}

static void dual_free(struct dual *r) { free(r->z), free(r->y), free(r->k), free(r->alpha), free(r->work); }

/* Rows times roots of weights against repeated rows that count as much together. */
static void dual_ridge_weighs_rows(void **state)
{
    enum { N = 15, D = 30, ALL = 30 };
    struct dual one, many;
    double *x = normal_numbers(N * (D + 1), 9), weight[N];
    (void)state;
    for (size_t i = 0; i < N; i++) weight[i] = (double)(i % 3 + 1);
    double worth = tamis_weight_rows(weight, N), scale = worth / ALL;
    dual_make(&one, N, D);
    dual_make(&many, ALL, D);
    one.rows = many.rows = worth;
    for (size_t i = 0, at = 0; i < N; i++)
        for (size_t copy = 0; copy < (size_t)weight[i]; copy++, at++)
            for (size_t k = 0; k <= D; k++) {
                *(k < D ? &one.z[i + N * k] : &one.y[i]) = sqrt(scale * weight[i]) * x[i + N * k];
                *(k < D ? &many.z[at + ALL * k] : &many.y[at]) = sqrt(scale) * x[i + N * k];
            }
    dual_run(&one);
    dual_run(&many);
    assert_near(one.evidence, many.evidence, 1e-9);
    for (size_t k = 0; k < D; k++)
        assert_close(product(N, one.z + N * k, one.alpha), product(ALL, many.z + ALL * k, many.alpha), 1e-9);
    dual_free(&one);
    dual_free(&many);
    free(x);
}

/* ---- the network ---- */

struct figures { double value, empty, relevance[3], out[40]; };

static struct figures network_of(const struct world *w, size_t rows)
{
    struct sift_frame f = {.cx = w->cx, .design = w->d, .outputs = 1, .target = w->target, .levels = 1, .learn = rows};
    struct sift_net t;
    struct figures r;
    unsigned char set[3] = {1, 1, 1};
    assert_int_equal(sift_net_room(&t, &f, rows), TAMIS_OK);
    sift_net_take(&t, set, w->row);
    sift_net_targets(&t, w->row);
    sift_net_equal(&t);
    r.value = sift_net_value(&t);
    r.empty = sift_net_empty(&t);
    assert_int_equal(sift_net_relevance(&t, r.relevance), TAMIS_OK);
    double *work = malloc(sift_net_predict_size(&t, 40) * sizeof *work);
    sift_net_predict(&t, w->row, 40, r.out, work);
    assert_int_equal(sift_net_sample(&t), 1);
    sift_net_equal(&t);
    r.value += sift_net_value(&t) - sift_net_empty(&t);
    free(work);
    sift_net_free(&t);
    return r;
}

static void check_figures(const struct figures *a, const struct figures *b)
{
    assert_near(a->value, b->value, 1e-9);
    assert_near(a->empty, b->empty, 1e-9);
    for (size_t i = 0; i < 3; i++) assert_close(a->relevance[i], b->relevance[i], 1e-9);
    for (size_t i = 0; i < 40; i++) assert_close(a->out[i], b->out[i], 1e-9);
}

/* Equal weights are none, and only their ratios matter. */
static void networks_see_ratios_of_weights(void **state)
{
    struct world w;
    world_make(*state, &w, 240, "nnn", 0, 1, 308);
    plant(&w, 2, (size_t[]){0, 1}, 2);
    struct figures none = network_of(&w, 240), a, b;
    w.d->weight = tamis_raw(*state, double, 240);
    for (size_t i = 0; i < 240; i++) w.d->weight[i] = 2.5;
    a = network_of(&w, 240);
    check_figures(&a, &none);
    for (size_t i = 0; i < 240; i++) w.d->weight[i] = 1 + (double)(i % 4);
    a = network_of(&w, 240);
    for (size_t i = 0; i < 240; i++) w.d->weight[i] *= 0.37;
    b = network_of(&w, 240);
    check_figures(&a, &b);
    assert_above(fabs(a.value - none.value), 1);
    world_free(&w);
}

/* ---- whole runs ---- */

struct numbers { size_t rows, d, classes; double *x, *y, *weight; };

static void numbers_make(struct numbers *s, size_t rows, size_t d, size_t classes, uint64_t seed)
{
    *s = (struct numbers){rows, d, classes, normal_numbers(rows * d, seed), normal_numbers(rows, seed + 1), NULL};
    s->weight = malloc(rows * sizeof *s->weight);
    for (size_t i = 0; i < rows; i++) {
        const double *x = s->x + i;
        double f = sin(1.5 * x[0]) + 0.8 * x[rows] * x[2 * rows] + x[3 * rows] + 0.4 * s->y[i];
        s->y[i] = classes ? (f > 0.9) + (f > -0.7) : f;
        s->weight[i] = 1 + (double)(i * 7 % 5 % 3);
    }
}

static void numbers_free(struct numbers *s) { free(s->x), free(s->y), free(s->weight); }

/* With a column of weights times `scale` after the inputs. */
static tamis_table *weighed_table(tamis_context *cx, const struct numbers *s, double scale)
{
    double *x = malloc(s->rows * (s->d + 1) * sizeof *x);
    memcpy(x, s->x, s->rows * s->d * sizeof *x);
    for (size_t i = 0; i < s->rows; i++) x[i + s->rows * s->d] = scale * s->weight[i];
    tamis_table *t = joined(cx, s->rows, s->d + 1, x, s->y);
    free(x);
    return t;
}

static tamis_table *repeated_table(tamis_context *cx, const struct numbers *s)
{
    size_t all = (size_t)tamis_weight_sum(s->weight, s->rows), at = 0;
    double *x = malloc(all * (s->d + 1) * sizeof *x);
    for (size_t i = 0; i < s->rows; i++)
        for (size_t copy = 0; copy < (size_t)s->weight[i]; copy++, at++) {
            for (size_t k = 0; k < s->d; k++) x[at + all * k] = s->x[i + s->rows * k];
            x[at + all * s->d] = s->y[i];
        }
    tamis_table *t = joined(cx, all, s->d, x, x + all * s->d);
    free(x);
    return t;
}

static tamis_result *run_weighed(tamis_context *cx, const struct numbers *s, double scale, const char *words)
{
    char all[200];
    tamis_table *t = weighed_table(cx, s, scale);
    snprintf(all, sizeof all, "%s row-weights=%s%s", words, t->column[s->d].name,
             s->classes ? " task=classification" : "");
    tamis_result *r = chosen(cx, t, NULL, worded(cx, all));
    tamis_table_free(t);
    return r;
}

static tamis_result *run_repeated(tamis_context *cx, const struct numbers *s, const char *words)
{
    char all[200];
    tamis_table *t = repeated_table(cx, s);
    snprintf(all, sizeof all, "%s%s", words, s->classes ? " task=classification" : "");
    tamis_result *r = chosen(cx, t, NULL, worded(cx, all));
    tamis_table_free(t);
    return r;
}

static void check_answers(const tamis_result *a, const tamis_result *b, size_t inputs)
{
    assert_int_equal(a->selected, b->selected);
    for (size_t i = 0; i < inputs; i++) assert_int_equal(a->input[i].selected, b->input[i].selected);
    assert_near(a->error, b->error, 1e-9);
    assert_near(a->error_se, b->error_se, 1e-9);
    if (!isnan(a->all_inputs)) assert_near(a->all_inputs, b->all_inputs, 1e-9);
}

static void check_runs(tamis_context *cx, const struct numbers *s, const char *words, size_t least)
{
    tamis_result *weighed = run_weighed(cx, s, 1, words), *repeated = run_repeated(cx, s, words),
                 *scaled = run_weighed(cx, s, 0.37, words);
    assert_at_least((double)weighed->selected, (double)least);
    check_answers(weighed, repeated, s->d);
    check_answers(weighed, scaled, s->d);
    tamis_result_free(weighed);
    tamis_result_free(repeated);
    tamis_result_free(scaled);
}

static void a_regression_is_that_of_repeated_rows(void **state)
{
    struct numbers s;
    numbers_make(&s, 300, 8, 0, 31);
    check_runs(*state, &s, "method=sift", 4);
    numbers_free(&s);
}

static void classes_are_those_of_repeated_rows(void **state)
{
    struct numbers s;
    numbers_make(&s, 250, 6, 3, 33);
    check_runs(*state, &s, "method=sift", 2);
    numbers_free(&s);
}

static void a_wide_table_is_that_of_repeated_rows(void **state)
{
    struct numbers s;
    numbers_make(&s, 90, 220, 0, 35);
    check_runs(*state, &s, "method=sift", 1);
    numbers_free(&s);
}

static void knockoffs_are_those_of_repeated_rows(void **state)
{
    struct numbers s;
    numbers_make(&s, 300, 12, 0, 37);
    check_runs(*state, &s, "method=knockoffs fdr=0.5 fdr-draws=3", 2);
    numbers_free(&s);
}

/* Rows that count more decide: only those of large weight depend on x2. */
static void heavy_rows_decide(void **state)
{
    struct numbers s;
    numbers_make(&s, 400, 5, 0, 39);
    for (size_t i = 0; i < s.rows; i++) {
        s.weight[i] = i % 2 ? 1 : 50;
        s.y[i] = (i % 2 ? s.x[i + s.rows] : s.x[i + 2 * s.rows]) + 0.3 * s.x[i + 4 * s.rows];
    }
    tamis_result *r = run_weighed(*state, &s, 1, "method=sift");
    assert_int_equal(r->input[2].selected, 1);
    assert_int_equal(r->input[1].selected, 0);
    tamis_result_free(r);
    numbers_free(&s);
}

int main(void)
{
    const struct CMUnitTest tests[] = {TEST(functions_are_those_of_repeated_rows),
                                       TEST(quantiles_do_not_depend_on_the_scale_of_weights),
                                       TEST(tests_are_those_of_repeated_rows),
                                       TEST(classes_are_tested_like_those_of_repeated_rows),
                                       TEST(fits_are_those_of_repeated_rows),
                                       TEST(outliers_are_those_of_repeated_rows),
                                       TEST(dual_ridge_weighs_rows),
                                       TEST(networks_see_ratios_of_weights),
                                       TEST(a_regression_is_that_of_repeated_rows),
                                       TEST(classes_are_those_of_repeated_rows),
                                       TEST(a_wide_table_is_that_of_repeated_rows),
                                       TEST(knockoffs_are_those_of_repeated_rows),
                                       TEST(heavy_rows_decide)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
