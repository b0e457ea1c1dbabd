/* The linear model of sift on sums: fits against direct solutions, outliers, groups, Gaussians as features; searches
 * for terms, swaps; failing memory. */
#include "sift_world.h"

/* ---- fits ---- */

static const size_t term_inputs[] = {1, 2, 3, 1, 2}, term_input[][3] = {{0}, {1, 2}, {0, 3, 4}, {5}, {2, 5}};

/* Feature k over the rows of the view, as its factors say, not centred. */
static double *feature_of(const struct world *w, const struct sift_fit *t, size_t feature)
{
    double *out = malloc(w->v.n * sizeof *out);
    for (size_t i = 0; i < w->v.n; i++) out[i] = t->scale[feature];
    for (size_t j = 0; j < 3; j++) {
        size_t id = t->factor[3 * feature + j], input = 0;
        if (!id--) continue;
        while (w->f.first[input + 1] <= id) input++;
        double *p = function_of(w, input, id - w->f.first[input]);
        for (size_t i = 0; i < w->v.n; i++) out[i] *= p[i];
        free(p);
    }
    return out;
}

/* H (n x p), centred. */
static double *dense_features(const struct world *w, const struct sift_fit *t, int centred)
{
    size_t n = w->v.n;
    double *h = malloc(n * t->p * sizeof *h);
    for (size_t k = 0; k < t->p; k++) {
        double *p = feature_of(w, t, k), mean = 0;
        for (size_t i = 0; i < n; i++) mean += p[i] / (double)n;
        for (size_t i = 0; i < n; i++) h[i + n * k] = p[i] - (centred ? mean : 0);
        free(p);
    }
    return h;
}

static void fit_terms(struct world *w, struct sift_fit *t, size_t terms)
{
    assert_int_equal(sift_fit_make(&w->v, t), TAMIS_OK);
    for (size_t k = 0; k < terms; k++)
        assert_int_equal(sift_fit_term(t, term_inputs[k], term_input[k]), TAMIS_OK);
}

static void signals(struct world *w)
{
    plant(w, 1, (size_t[]){0}, 0.8);
    plant(w, 2, (size_t[]){1, 2}, 0.5);
    plant(w, 3, (size_t[]){0, 3, 4}, 0.5);
    plant(w, 1, (size_t[]){5}, 0.4);
}

/* In strips of so many rows; 0: as many as usual. */
static void sums_are_dense(tamis_context *cx, size_t strip)
{
    struct world w;
    struct sift_fit t;
    world_make(cx, &w, 1300, "nlunlc", 0, 2, 71);
    if (strip) w.f.strip = strip;
    signals(&w);
    fit_terms(&w, &t, 5);
    size_t n = w.rows;
    static const size_t count[] = {7, 25, 8, 4, 20};
    double *h = dense_features(&w, &t, 0), yy = 0;
    for (size_t k = 0; k < 5; k++) assert_int_equal(t.term[k].count, count[k]);
    for (size_t k = 0; k < 7; k++) assert_close(t.scale[k], 1 / (double)(k + 1), 1e-15);
    assert_close(t.scale[7 + 5 * 2 + 3], 1 / sqrt(3.0 * 4), 1e-15);
    for (size_t k = 0; k < t.p; k++) {
        double sum = 0;
        for (size_t i = 0; i < n; i++) sum += h[i + n * k];
        assert_near(t.sum[k], sum, 1e-9);
        for (size_t j = 0; j <= k; j++) assert_near(t.g[k + t.room * j], product(n, h + n * k, h + n * j), 1e-9);
        for (size_t o = 0; o < 2; o++) assert_near(t.c[k + t.room * o], product(n, h + n * k, w.v.y + n * o), 1e-9);
    }
    for (size_t o = 0; o < 2; o++) yy += product(n, w.v.y + n * o, w.v.y + n * o);
    assert_near(t.yy, yy, 1e-9);
    free(h);
    sift_fit_free(&t);
    world_free(&w);
}

static void sums_equal_dense_ones(void **state)
{
    sums_are_dense(*state, 0);
    sums_are_dense(*state, 200);
}

/* What a view of some rows finds in strips, and without: the same up to rounding, and not more exactly the same. */
static void strips_change_sums_by_rounding_only(void **state)
{
    enum { ROWS = 1500 };
    struct world w;
    struct sift_fit t;
    struct sift_probe p[3], best[2][10];
    double evidence[2];
    size_t found[2];
    world_make(*state, &w, ROWS, "nlunlc", 0, 2, 72);
    signals(&w);
    for (int k = 0; k < 2; k++) {
        if (k) w.f.strip = 170;
        fit_terms(&w, &t, 5);
        assert_int_equal(sift_fit_solve(&t, 6), TAMIS_OK);
        assert_int_equal(sift_fit_pull_in(&t, 6), TAMIS_OK);
        assert_int_equal(sift_fit_known(&t), TAMIS_OK);
        assert_int_equal(sift_view_score(&w.v), TAMIS_OK);
        evidence[k] = t.evidence;
        for (size_t i = 0; i < 3; i++) {
            double before = p[i].log_p;
            p[i] = (struct sift_probe){.inputs = i + 1, .input = {0, 1, 3}};
            assert_int_equal(sift_test(&w.v, &p[i]), TAMIS_OK);
            if (k) assert_relative(p[i].log_p, before, 1e-8);
        }
        view_again(&w);
        assert_int_equal(sift_screen_pairs(&w.v, (size_t[]){0, 1, 2, 3, 4, 5}, 6, 10, best[k], &found[k]), TAMIS_OK);
        sift_fit_free(&t);
    }
    assert_relative(evidence[1], evidence[0], 1e-10);
    assert_int_equal(found[1], found[0]);
    assert_true(found[0] > 0);
    for (size_t i = 0; i < found[0]; i++) assert_relative(best[1][i].log_p, best[0][i].log_p, 1e-9);
    world_free(&w);
}

static void strips_are_whole_blocks(void **state)
{
    (void)state;
    assert_int_equal(sift_strip_rows(1), SIFT_STRIP);
    assert_int_equal(sift_strip_rows(SIFT_STRIP * SIFT_STRIPS), SIFT_STRIP);
    assert_int_equal(sift_strip_rows(SIFT_STRIP * SIFT_STRIPS + 1), SIFT_STRIP + SIFT_BLOCK);
    assert_int_equal(sift_strip_rows(10000000), 153 * SIFT_BLOCK);
}

/* b_o = (H'H / s + 1 / v)^-1 H'y / s */
static double *direct_ridge(const struct world *w, const struct sift_fit *t, const double *h, size_t o)
{
    size_t n = w->v.n, p = t->p;
    double *a = malloc(p * p * sizeof *a), *b = malloc(p * sizeof *b), share = w->v.groups / (double)n;
    for (size_t i = 0; i < p; i++) {
        for (size_t j = 0; j < p; j++) a[i + p * j] = share * product(n, h + n * i, h + n * j) / t->s;
        a[i + p * i] += 1 / t->variance[t->block[i]];
        b[i] = share * product(n, h + n * i, w->v.y + n * o) / t->s;
    }
    solve(p, a, b);
    free(a);
    return b;
}

static void check_ridge(const struct world *w, const struct sift_fit *t)
{
    size_t n = w->v.n;
    double *h = dense_features(w, t, 1), *out = malloc(n * w->l * sizeof *out);
    assert_int_equal(sift_fit_predict(t, w->v.row, n, out), TAMIS_OK);
    for (size_t o = 0; o < w->l; o++) {
        double *b = direct_ridge(w, t, h, o);
        for (size_t k = 0; k < t->p; k++) assert_close(t->b[k + t->room * o], b[k], 1e-6);
        for (size_t i = 0; i < n; i++) {
            double sum = w->v.mean[o];
            for (size_t k = 0; k < t->p; k++) sum += h[i + n * k] * t->b[k + t->room * o];
            assert_near(out[i + n * o], sum, 1e-9);
        }
        free(b);
    }
    free(h), free(out);
}

static void a_fit_is_the_ridge_solution(void **state)
{
    struct world w;
    struct sift_fit t;
    size_t n = 1100;
    double *out = malloc(2 * n * sizeof *out);
    world_make(*state, &w, n, "nlunlc", 0, 2, 72);
    for (size_t i = 0; i < n; i++) w.target[i] += 5;
    signals(&w);
    fit_terms(&w, &t, 4);
    assert_int_equal(sift_fit_solve(&t, 12), TAMIS_OK);
    check_ridge(&w, &t);
    assert_above(sift_fit_gain(&t), 100);
    assert_int_equal(sift_fit_residuals(&t), TAMIS_OK);
    assert_int_equal(sift_fit_predict(&t, w.row, n, out), TAMIS_OK);
    for (size_t i = 0; i < 2 * n; i++) assert_near(w.v.r[i], w.target[i] - out[i], 1e-9);
    double before = t.b[0];                             /* a new term, or one tried and taken away, moves nothing */
    for (size_t k = 0; k < 5; k++) assert_int_equal(sift_fit_term(&t, 2, (size_t[]){k, k + 1}), TAMIS_OK);
    for (size_t k = 0; k < 5; k++) sift_fit_untake(&t);
    assert_true(before != 0 && t.b[0] == before);
    check_ridge(&w, &t);
    free(out);
    sift_fit_free(&t);
    world_free(&w);
}

/* Terms that are off leave what a fit without them would be. */
static void a_fit_without_a_term_is_one_made_without_it(void **state)
{
    struct world w;
    struct sift_fit t, u;
    world_make(*state, &w, 500, "nlunlc", 0, 1, 73);
    signals(&w);
    fit_terms(&w, &t, 4);
    assert_int_equal(sift_fit_solve(&t, 4), TAMIS_OK);
    for (size_t left = 0; left < 4; left++) {
        unsigned char skip[4] = {0};
        double evidence = 0, before = t.evidence, b = t.b[0];
        skip[left] = 1;
        assert_int_equal(sift_fit_without(&t, skip, 6, &evidence), TAMIS_OK);
        assert_true(t.evidence == before && t.b[0] == b);
        assert_int_equal(sift_fit_make(&w.v, &u), TAMIS_OK);
        for (size_t k = 0; k < 4; k++)
            if (k != left) assert_int_equal(sift_fit_term(&u, term_inputs[k], term_input[k]), TAMIS_OK);
        for (size_t k = 0, to = 0; k < 4; k++)
            for (size_t j = 0; j < 2 && k != left; j++) u.variance[to++] = t.variance[2 * k + j];
        u.s = t.s;
        assert_int_equal(sift_fit_solve(&u, 6), TAMIS_OK);
        assert_near(evidence, u.evidence, 1e-8);
        assert_below(evidence, t.evidence - 5);
        sift_fit_free(&u);
    }
    t.term[1].on = 0;
    assert_int_equal(sift_fit_solve(&t, 6), TAMIS_OK);
    for (size_t k = t.term[1].first; k < t.term[1].first + t.term[1].count; k++) assert_true(t.b[k] == 0);
    unsigned char set[6];
    assert_int_equal(sift_fit_set(&t, NULL, set), 4);
    assert_memory_equal(set, ((unsigned char[]){1, 0, 0, 1, 1, 1}), 6);
    sift_fit_free(&t);
    world_free(&w);
}

static void rows_of_a_group_count_once_in_fits(void **state)
{
    enum { N = 400 };
    struct world w;
    struct sift_fit t, u;
    size_t twice[2 * N], group[N];
    world_make(*state, &w, N, "nlunlc", 0, 2, 74);
    signals(&w);
    struct world v = w;
    for (size_t i = 0; i < 2 * N; i++) twice[i] = i / 2, group[i / 2] = i / 2;
    w.f.group = group;
    w.f.groups = N;
    assert_int_equal(sift_view_make(w.cx, &w.f, w.target, 2, twice, 2 * N, &v.v), TAMIS_OK);
    fit_terms(&w, &t, 4);
    fit_terms(&v, &u, 4);
    assert_int_equal(sift_fit_solve(&t, 12), TAMIS_OK);
    assert_int_equal(sift_fit_solve(&u, 12), TAMIS_OK);
    assert_near(u.evidence, t.evidence, 1e-8);
    assert_near(sift_fit_gain(&u), sift_fit_gain(&t), 1e-8);
    for (size_t o = 0; o < 2; o++)
        for (size_t k = 0; k < t.p; k++) assert_close(u.b[k + u.room * o], t.b[k + t.room * o], 1e-7);
    w.f.group = NULL;
    sift_fit_free(&t);
    sift_fit_free(&u);
    sift_view_free(&v.v);
    world_free(&w);
}

/* ---- outliers ---- */

/* One input, noise of 0.3, and every `each`-th target off by `by`. */
static void spoil(struct world *w, size_t each, double by)
{
    for (size_t i = 0; i < w->rows; i++) {
        w->target[i] = w->d->x[i] + 0.3 * tamis_rng_normal(&w->rng);
        if (each && i % each == 0) w->target[i] += by;
    }
    view_again(w);
}

static void fit_pulled(struct world *w, struct sift_fit *t)
{
    assert_int_equal(sift_fit_make(&w->v, t), TAMIS_OK);
    assert_int_equal(sift_fit_term(t, 1, (size_t[]){0}), TAMIS_OK);
    assert_int_equal(sift_fit_solve(t, 8), TAMIS_OK);
    for (int turn = 0; turn < 3; turn++) assert_int_equal(sift_fit_pull_in(t, 8), TAMIS_OK);
}

/* Root mean square distance from the truth. */
static double far_off(const struct world *w, const struct sift_fit *t)
{
    double *out = malloc(w->rows * sizeof *out), sum = 0;
    assert_int_equal(sift_fit_predict(t, w->row, w->rows, out), TAMIS_OK);
    for (size_t i = 0; i < w->rows; i++) sum += pow(out[i] - w->d->x[i], 2) / (double)w->rows;
    free(out);
    return sqrt(sum);
}

static void outliers_are_pulled_in(void **state)
{
    struct world w;
    struct sift_fit t;
    world_make(*state, &w, 600, "nn", 0, 1, 75);
    spoil(&w, 0, 0);
    fit_pulled(&w, &t);
    assert_true(isinf(w.v.far) || w.v.far > 0.9);       /* four standard deviations */
    assert_below(far_off(&w, &t), 0.1);
    sift_fit_free(&t);
    for (int one_sided = 0; one_sided < 2; one_sided++) {
        spoil(&w, 30, 50);
        for (size_t i = 0; i < 600 && !one_sided; i += 60) w.target[i] -= 100;
        view_again(&w);
        fit_pulled(&w, &t);
        assert_between(w.v.far, 0.9, 1.6);
        assert_below(far_off(&w, &t), 0.1);             /* one of 30 by 50 would move the mean by 1.7 */
        for (size_t i = 0; i < 600; i++) {
            double left = fabs(w.v.r[i]);
            if (i % 30 == 0) assert_between(left, 0.8, 2);
            else assert_below(left, 1.7);
        }
        sift_fit_free(&t);
    }
    spoil(&w, 12, 50);                                  /* 8 %: not outliers any more */
    fit_pulled(&w, &t);
    assert_true(isinf(w.v.far));
    assert_memory_equal(w.v.y, w.v.given, 600 * sizeof *w.v.y);
    sift_fit_free(&t);
    world_free(&w);
}

static void classes_are_not_pulled_in(void **state)
{
    struct world w;
    struct sift_fit t;
    world_make(*state, &w, 300, "nn", 2, 1, 76);
    fit_pulled(&w, &t);
    assert_true(isinf(w.v.far));
    assert_memory_equal(w.v.y, w.v.given, 300 * sizeof *w.v.y);
    sift_fit_free(&t);
    world_free(&w);
}

/* ---- Gaussians ---- */

static const unsigned char net_set[] = {1, 0, 1, 1};
static const double net_weight[] = {-0.5, 9, -1, 0.3};

static double naive_kernel(const struct world *w, size_t i, size_t j)
{
    double sum = 0;
    for (size_t k = 0; k < 4; k++)
        for (size_t c = 0; c < w->e->input[k].columns && net_set[k]; c++) {
            const double *x = w->d->x + w->rows * (w->e->input[k].first + c);
            sum += exp(net_weight[k]) * pow(x[i] - x[j], 2);
        }
    return exp(-sum);
}

/* Features of all rows, n x m. */
static double *gauss_features(const struct world *w, const struct sift_gauss *g)
{
    double *out = malloc(w->rows * g->m * sizeof *out), *work = malloc(w->rows * g->columns * sizeof *work);
    sift_gauss_fill(g, w->row, w->rows, out, w->rows, work);
    free(work);
    return out;
}

static struct sift_gauss *gauss_of(const struct world *w, size_t most, size_t candidates)
{
    struct sift_gauss *g =
        sift_gauss_make(w->cx, w->d, net_set, net_weight, w->row, w->rows, most, candidates);
    assert_non_null(g);
    return g;
}

static double row_product(const struct world *w, const double *phi, size_t m, size_t i, size_t j)
{
    double sum = 0;
    for (size_t k = 0; k < m; k++) sum += phi[i + w->rows * k] * phi[j + w->rows * k];
    return sum;
}

/* With a centre at every row that is not explained, Phi Phi' = K; with fewer, on the centres, and never more than K on
 * the diagonal. */
static void gaussians_reproduce_the_kernel(void **state)
{
    struct world w;
    world_make(*state, &w, 150, "nncl", 0, 1, 81);
    for (size_t most = 20; most <= 400; most += 380) {
        struct sift_gauss *g = gauss_of(&w, most, 1000);
        double *phi = gauss_features(&w, g);
        size_t on = 0;
        assert_int_equal(g->columns, 6);
        assert_true(most == 20 ? g->m == 20 : g->m > 60 && g->m <= 150);
        for (size_t i = 0; i < w.rows; i++) {
            int centre = fabs(row_product(&w, phi, g->m, i, i) - 1) < 1e-9;
            on += centre;
            assert_at_most(row_product(&w, phi, g->m, i, i), 1 + 1e-9);
            for (size_t j = 0; j < w.rows; j++)
                if (centre || most == 400)
                    assert_close(row_product(&w, phi, g->m, i, j), naive_kernel(&w, i, j), centre ? 1e-7 : 2e-6);
        }
        assert_at_least((double)on, (double)least_of(20, g->m));
        free(phi);
        sift_gauss_free(g);
    }
    world_free(&w);
}

static void fewer_gaussians_are_the_first_of_more(void **state)
{
    struct world w;
    world_make(*state, &w, 300, "nncl", 0, 1, 82);
    struct sift_gauss *few = gauss_of(&w, 15, 120), *many = gauss_of(&w, 60, 120);
    double *a = gauss_features(&w, few), *b = gauss_features(&w, many);
    assert_true(few->m == 15 && many->m == 60);
    for (size_t i = 0; i < w.rows * few->m; i++) assert_close(a[i], b[i], 1e-10);
    free(a), free(b);
    sift_gauss_free(few);
    sift_gauss_free(many);
    world_free(&w);
}

/* A network beside terms: its sums, its features in predictions, and the first of them alone. */
static void a_network_joins_the_fit(void **state)
{
    struct world w;
    struct sift_fit t;
    world_make(*state, &w, 300, "nncl", 0, 2, 83);
    plant(&w, 2, (size_t[]){0, 3}, 0.7);
    struct sift_gauss *g = gauss_of(&w, 40, 300);
    size_t n = w.rows;
    double *phi = gauss_features(&w, g), *out = malloc(2 * n * sizeof *out);
    assert_int_equal(sift_fit_make(&w.v, &t), TAMIS_OK);
    assert_int_equal(sift_fit_term(&t, 1, (size_t[]){1}), TAMIS_OK);
    assert_int_equal(sift_fit_network(&t, g, 0.5), TAMIS_OK);
    for (size_t k = 0; k < g->m; k++)
        for (size_t j = 0; j <= k; j++)
            assert_near(t.g[t.net_first + k + t.room * (t.net_first + j)], product(n, phi + n * k, phi + n * j), 1e-9);
    for (int part = 0; part < 2; part++) {
        t.net_used = part ? 12 : g->m;
        assert_int_equal(sift_fit_solve(&t, 8), TAMIS_OK);
        assert_int_equal(sift_fit_predict(&t, w.row, n, out), TAMIS_OK);
        for (size_t o = 0; o < 2; o++) {
            double *want = calloc(n, sizeof *want), mean = 0;
            for (size_t k = 0; k < t.p; k++) {
                double *h = k < t.net_first ? feature_of(&w, &t, k) : NULL, b = t.b[k + t.room * o];
                if (part && k >= t.net_first + 12) assert_true(b == 0);
                add(n, b, h ? h : phi + n * (k - t.net_first), want);
                free(h);
            }
            for (size_t i = 0; i < n; i++) mean += want[i] / (double)n;
            for (size_t i = 0; i < n; i++) assert_near(out[i + n * o], w.v.mean[o] + want[i] - mean, 1e-8);
            free(want);
        }
    }
    assert_int_equal(sift_fit_network(&t, NULL, 0), TAMIS_OK);
    assert_int_equal(t.p, 7);
    free(phi), free(out);
    sift_fit_free(&t);
    world_free(&w);
}

/* ---- searches and swaps ---- */

static int has_term(const struct sift_fit *t, size_t inputs, const size_t *input)
{
    for (size_t k = 0; k < t->terms; k++)
        if (t->term[k].inputs == inputs && !memcmp(t->term[k].input, input, inputs * sizeof *input)) return 1;
    return 0;
}

static void planted_terms_are_found(void **state)
{
    static const size_t in[] = {0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11};
    for (size_t rows = 300; rows <= 700; rows += 400)
        for (size_t l = 1; l <= 2; l++) {
            struct world w;
            struct sift_fit t;
            world_make(*state, &w, rows, "nnunn5c2nnnl", 0, l, 90 + l);
            plant(&w, 1, (size_t[]){1}, 1);
            plant(&w, 2, (size_t[]){0, 5}, 1);
            plant(&w, 3, (size_t[]){3, 4, 8}, 1);
            fit_terms(&w, &t, 0);
            assert_int_equal(sift_search_terms(&t, in, 12), TAMIS_OK);
            assert_true(has_term(&t, 1, (size_t[]){1}));
            assert_true(has_term(&t, 2, (size_t[]){0, 5}));
            assert_true(has_term(&t, 3, (size_t[]){3, 4, 8}));
            assert_at_most((double)t.terms, 6);
            sift_fit_free(&t);
            world_free(&w);
        }
}

/* Each of three levels of 5 % is for all tests of its kind: fewer than 15 % of searches find anything. */
static void noise_has_hardly_any_terms(void **state)
{
    static const size_t in[] = {0, 1, 2, 3, 4, 5, 6, 7, 8, 9};
    size_t found = 0;
    for (uint64_t seed = 0; seed < 60; seed++) {
        struct world w;
        struct sift_fit t;
        world_make(*state, &w, 120, "nlu5c2nlun", 0, 1, 1000 + seed);
        fit_terms(&w, &t, 0);
        assert_int_equal(sift_search_terms(&t, in, 10), TAMIS_OK);
        found += t.terms > 0;
        sift_fit_free(&t);
        world_free(&w);
    }
    assert_at_most((double)found, 9 + 3.5 * sqrt(60 * 0.15 * 0.85));
}

/* Input 1 becomes a noisy copy of input 0, which the target needs. */
static void noisy_copy(struct world *w)
{
    for (size_t i = 0; i < w->rows; i++)
        w->d->x[i + w->rows] = 0.8 * w->d->x[i] + 0.6 * w->d->x[i + w->rows];
    sift_functions_free(&w->f);
    assert_int_equal(sift_functions_learn(w->cx, w->d, &w->f), TAMIS_OK);
    plant(w, 1, (size_t[]){0}, 1);
    plant(w, 2, (size_t[]){0, 3}, 1);
}

static void a_noisy_copy_gives_way_to_the_original(void **state)
{
    static const size_t in[] = {0, 1, 2, 3, 4};
    struct world w;
    struct sift_fit t;
    world_make(*state, &w, 400, "nnnnn", 0, 1, 95);
    noisy_copy(&w);
    fit_terms(&w, &t, 0);
    assert_int_equal(sift_fit_term(&t, 1, (size_t[]){1}), TAMIS_OK);
    assert_int_equal(sift_fit_term(&t, 2, (size_t[]){1, 3}), TAMIS_OK);
    assert_int_equal(sift_fit_solve(&t, 8), TAMIS_OK);
    double before = t.evidence;
    assert_int_equal(sift_swap(&t, in, 5), TAMIS_OK);
    assert_int_equal(t.terms, 2);
    assert_true(has_term(&t, 1, (size_t[]){0}) && has_term(&t, 2, (size_t[]){0, 3}));
    assert_above(t.evidence, before + 20);
    sift_fit_free(&t);
    world_free(&w);
}

/* Trials of other inputs leave a fit as it was, even if it had to make room for them. */
static void a_swap_not_made_changes_nothing(void **state)
{
    static const size_t in[] = {0, 1, 2, 3, 4, 5, 6, 7};
    struct world w;
    struct sift_fit t;
    world_make(*state, &w, 400, "nnnnnnnn", 0, 1, 96);
    noisy_copy(&w);
    fit_terms(&w, &t, 0);
    assert_int_equal(sift_fit_term(&t, 1, (size_t[]){0}), TAMIS_OK);
    assert_int_equal(sift_fit_term(&t, 2, (size_t[]){0, 3}), TAMIS_OK);
    assert_int_equal(sift_fit_term(&t, 2, (size_t[]){0, 4}), TAMIS_OK);
    assert_int_equal(sift_fit_solve(&t, 8), TAMIS_OK);
    size_t room = t.room;
    double *p = malloc(800 * sizeof *p), *q = p + 400;
    assert_int_equal(sift_fit_predict(&t, w.row, 400, p), TAMIS_OK);
    assert_int_equal(sift_swap(&t, in, 8), TAMIS_OK);
    assert_int_equal(sift_fit_predict(&t, w.row, 400, q), TAMIS_OK);
    assert_memory_equal(p, q, 400 * sizeof *p);
    assert_true(t.terms == 3 && t.room > room);
    free(p);
    sift_fit_free(&t);
    world_free(&w);
}

/* ---- failing memory ---- */

static int search_and_swap(tamis_context *cx, void *what)
{
    struct world *w = what;
    static const size_t in[] = {0, 1, 2, 3, 4};
    struct sift_view v;
    struct sift_fit t = {0};
    double *out = malloc(w->rows * sizeof *out);
    forget(cx);
    int status = sift_view_make(cx, &w->f, w->target, 1, w->row, w->rows, &v);
    if (!status) status = sift_fit_make(&v, &t);
    if (!status) status = sift_search_terms(&t, in, 5);
    if (!status) status = sift_swap(&t, in, 5);
    if (!status) status = sift_fit_predict(&t, w->row, w->rows, out);
    if (!status) assert_at_least((double)t.terms, 2);
    sift_fit_free(&t);
    sift_view_free(&v);
    free(out);
    return status;
}

static void every_allocation_may_fail(void **state)
{
    struct world w;
    world_make(*state, &w, 120, "nnnnn", 0, 1, 97);
    noisy_copy(&w);
    assert_above((double)every_allocation_fails(*state, search_and_swap, &w, 20000), 100);
    world_free(&w);
}

int main(void)
{
    const struct CMUnitTest tests[] = {TEST(sums_equal_dense_ones), TEST(strips_change_sums_by_rounding_only),
                                       TEST(strips_are_whole_blocks),
                                       TEST(a_fit_is_the_ridge_solution),
                                       TEST(a_fit_without_a_term_is_one_made_without_it),
                                       TEST(rows_of_a_group_count_once_in_fits),
                                       TEST(outliers_are_pulled_in),
                                       TEST(classes_are_not_pulled_in),
                                       TEST(gaussians_reproduce_the_kernel),
                                       TEST(fewer_gaussians_are_the_first_of_more),
                                       TEST(a_network_joins_the_fit),
                                       TEST(planted_terms_are_found),
                                       TEST(noise_has_hardly_any_terms),
                                       TEST(a_noisy_copy_gives_way_to_the_original),
                                       TEST(a_swap_not_made_changes_nothing),
                                       TEST_ONE_THREAD(every_allocation_may_fail)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
