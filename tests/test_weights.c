/* Row weights: sums and order statistics, criteria and models against rows that are written out, tables without their
 * rows of weight 0, and runs. */
#include "crit/lars_rank.h"
#include "crit/loo_rbf.h"
#include "crit/lssvm.h"
#include "crit/neighbour/neighbour.h"
#include "crit/press.h"
#include "data/weights.h"
#include "num/centers.h"
#include "num/excess.h"
#include "num/relevance.h"
#include "num/ridge.h"
#include "num/weighted.h"
#include "unit.h"

enum { N = 14, D = 3, MOST = 40 };

/* N rows of D inputs with weights 1 to 3, and the same rows written out. */
struct world {
    tamis_context *cx;
    tamis_table *t;
    struct tamis_encoder *e, *long_e;
    struct tamis_design *d, *long_d;
    double weight[N], total;
    size_t of[MOST], rows;              /* the row that each row written out is a copy of */
};

static struct world world_new(tamis_context *cx)
{
    struct world w = {.cx = cx};
    struct tamis_roles roles = {.force = -1};
    size_t row[N];
    double *x = normal_numbers(N * (D + 1), 5), *y = x + N * D;
    for (size_t i = 0; i < N; i++) {
        y[i] = sin(2 * x[i]) + 0.5 * x[i + N] + 0.1 * y[i];
        w.weight[i] = (double)(1 + i * 7 % 3);
        row[i] = i;
        w.total += w.weight[i];
        for (double k = 0; k < w.weight[i]; k++) w.of[w.rows++] = i;
    }
    w.t = joined(cx, N, D, x, y);
    free(x);
    assert_non_null(w.e = tamis_encoder_new(cx, w.t, &roles));
    assert_non_null(w.long_e = tamis_encoder_new(cx, w.t, &roles));
    assert_non_null(w.d = tamis_design_learn_weighted(cx, w.e, w.t, row, N, w.weight, 1));
    assert_non_null(w.long_d = tamis_design_learn(cx, w.long_e, w.t, w.of, w.rows, 1));
    return w;
}

static void world_free(struct world *w)
{
    tamis_design_free(w->d);
    tamis_design_free(w->long_d);
    tamis_encoder_free(w->e);
    tamis_encoder_free(w->long_e);
    tamis_table_free(w->t);
}

/* ---- numbers ---- */

static void order_statistics_are_those_of_rows_written_out(void **state)
{
    double *x = normal_numbers(9, 2), list[40];
    struct tamis_place p[9];
    (void)state;
    for (unsigned seed = 1; seed < 60; seed++) {
        double weight[9];
        size_t n = 0;
        for (size_t i = 0; i < 9; i++) {
            weight[i] = 1 + (seed * (i + 3)) % 7 % 4;
            p[i] = (struct tamis_place){fabs(x[i]), i};
            for (double k = 0; k < weight[i]; k++) list[n++] = x[i];
        }
        double expected = tamis_relevance(n, list, 0.7, 1.3);           /* also makes them absolute */
        assert_close(tamis_relevance_weighted(9, x, weight, 0.7, 1.3, p), expected, 1e-15);
        assert_close(tamis_weighted_median(p, weight, 9), tamis_median(list, n), 0);
        assert_close(tamis_weight_sum(weight, 9), (double)n, 0);
    }
    free(x);
}

static void equal_weights_are_rows(void **state)
{
    double *a = normal_numbers(20, 1), *b = a + 10, weight[10], se, weighted_se;
    (void)state;
    for (size_t i = 0; i < 10; i++) weight[i] = 0.37;
    assert_close(tamis_weight_rows(weight, 10), 10, 1e-12);
    assert_close(tamis_weight_rows((double[]){3, 1}, 2), 1.6, 1e-15);
    double mean = tamis_paired_excess(a, b, NULL, 10, &se);
    assert_close(tamis_paired_excess(a, b, weight, 10, &weighted_se), mean, 1e-14);
    assert_close(weighted_se, se, 1e-14);
    assert_close(tamis_firm_excess_ratio(a, b, weight, 10), tamis_firm_excess_ratio(a, b, NULL, 10), 1e-12);
    assert_close(tamis_excess_ratio(a, b, weight, 10), tamis_excess_ratio(a, b, NULL, 10), 1e-12);
    free(a);
}

static void standardising_weighs(void **state)
{
    struct world w = world_new(*state);
    struct tamis_encoder *e = NULL;
    const size_t part[] = {1, 4, 5, 9};
    for (size_t j = 0; j < D; j++) {
        assert_close(w.e->mean[j], w.long_e->mean[j], 1e-14);
        assert_close(w.e->scale[j], w.long_e->scale[j], 1e-14);
    }
    assert_close(w.e->target_scale, w.long_e->target_scale, 1e-14);
    struct tamis_design *p = tamis_design_relearn(w.cx, w.d, part, 4, &e);
    double mean = 0, squares = 0, all = 0;
    for (size_t i = 0; i < 4; i++) {
        assert_true(p->weight[i] == w.weight[part[i]]);
        all += p->weight[i], mean += p->weight[i] * p->y[i], squares += p->weight[i] * p->y[i] * p->y[i];
    }
    assert_close(mean, 0, 1e-13);
    assert_close(squares / all, 1, 1e-13);
    tamis_design_free(p);
    tamis_encoder_free(e);
    world_free(&w);
}

/* ---- models and errors against rows written out ---- */

/* a x = b by elimination with pivoting; overwrites both. */
static void solve(size_t n, double *a, double *b)
{
    for (size_t k = 0; k < n; k++) {
        size_t best = k;
        for (size_t i = k; i < n; i++)
            if (fabs(a[i * n + k]) > fabs(a[best * n + k])) best = i;
        for (size_t j = 0; j < n; j++) {
            double swap = a[k * n + j];
            a[k * n + j] = a[best * n + j], a[best * n + j] = swap;
        }
        double swap = b[k];
        b[k] = b[best], b[best] = swap;
        for (size_t i = k + 1; i < n; i++) {
            double f = a[i * n + k] / a[k * n + k];
            for (size_t j = k; j < n; j++) a[i * n + j] -= f * a[k * n + j];
            b[i] -= f * b[k];
        }
    }
    for (size_t k = n; k-- > 0; b[k] /= a[k * n + k])
        for (size_t j = k + 1; j < n; j++) b[k] -= a[k * n + j] * b[j];
}

static double kernel(const struct tamis_design *d, size_t a, size_t b, double sigma2)
{
    double sum = 0;
    for (size_t j = 0; j < d->columns; j++) sum += pow(d->x[a + d->rows * j] - d->x[b + d->rows * j], 2);
    return exp(-sum / sigma2);
}

/* min |y - [G 1] alpha|^2 + gamma |alpha|^2 over the rows written out but those of row `without` (N: all), with a basis
 * function on every one of all rows; the prediction at the first copy of row `at`. */
static double network_at(const struct world *w, size_t without, size_t at, double sigma2, double gamma)
{
    const struct tamis_design *d = w->long_d;
    size_t m = d->rows + 1, from = 0;
    double *a = calloc(m * m, sizeof *a), *b = calloc(m, sizeof *b), phi[MOST + 1], out = 0;
    for (size_t i = 0; i < d->rows; i++) {
        if (w->of[i] == without) continue;
        for (size_t c = 0; c < m; c++) phi[c] = c < d->rows ? kernel(d, i, c, sigma2) : 1;
        for (size_t c = 0; c < m; c++) {
            b[c] += phi[c] * d->y[i];
            for (size_t k = 0; k < m; k++) a[c * m + k] += phi[c] * phi[k];
        }
    }
    for (size_t c = 0; c < m; c++) a[c * m + c] += gamma;
    solve(m, a, b);
    while (w->of[from] != at) from++;
    for (size_t c = 0; c < m; c++) out += b[c] * (c < d->rows ? kernel(d, from, c, sigma2) : 1);
    free(a), free(b);
    return out;
}

/* [0 1; 1 K + I/gamma] [b; beta] = [0; y] over the same rows. */
static double machine_at(const struct world *w, size_t without, size_t at, double sigma2, double gamma)
{
    const struct tamis_design *d = w->long_d;
    size_t row[MOST], n = 0, from = 0;
    for (size_t i = 0; i < d->rows; i++)
        if (w->of[i] != without) row[n++] = i;
    size_t m = n + 1;
    double *a = calloc(m * m, sizeof *a), *b = calloc(m, sizeof *b), out;
    for (size_t i = 0; i < n; i++) {
        a[i + 1] = a[(i + 1) * m] = 1;
        for (size_t k = 0; k < n; k++) a[(i + 1) * m + k + 1] = kernel(d, row[i], row[k], sigma2) + (i == k) / gamma;
        b[i + 1] = d->y[row[i]];
    }
    solve(m, a, b);
    while (w->of[from] != at) from++;
    out = b[0];
    for (size_t i = 0; i < n; i++) out += b[i + 1] * kernel(d, from, row[i], sigma2);
    free(a), free(b);
    return out;
}

/* Least squares on the inputs and a constant: gamma and sigma2 do not matter. */
static double line_at(const struct world *w, size_t without, size_t at, double sigma2, double gamma)
{
    const struct tamis_design *d = w->long_d;
    size_t from = 0;
    double a[(D + 1) * (D + 1)] = {0}, b[D + 1] = {0}, phi[D + 1] = {1}, out = 0;
    (void)sigma2, (void)gamma;
    for (size_t i = 0; i < d->rows; i++) {
        for (size_t j = 0; j < D; j++) phi[j + 1] = d->x[i + d->rows * j];
        for (size_t c = 0; c <= D && w->of[i] != without; c++) {
            b[c] += phi[c] * d->y[i];
            for (size_t k = 0; k <= D; k++) a[c * (D + 1) + k] += phi[c] * phi[k];
        }
    }
    solve(D + 1, a, b);
    while (w->of[from] != at) from++;
    for (size_t j = 0; j <= D; j++) out += b[j] * (j ? d->x[from + d->rows * (j - 1)] : 1);
    return out;
}

typedef double predicted_at(const struct world *w, size_t without, size_t at, double sigma2, double gamma);

struct scored { struct tamis_score score; double out[N]; };

/* The value of all inputs, and predictions of the rows. */
static struct scored scored(struct world *w, const struct tamis_criterion *c, const struct tamis_design *d,
                            const char *words)
{
    static const size_t own[1] = {SIZE_MAX};
    struct scored s;
    unsigned char set[D] = {1, 1, 1};
    tamis_options *o = worded(w->cx, words);
    struct tamis_model *m = NULL;
    void *scorer = NULL;
    assert_int_equal(c->start(w->cx, d, o, 1, &scorer), TAMIS_OK);
    assert_int_equal(c->evaluate(scorer, set, own, 1, NULL, &s.score), TAMIS_OK);
    assert_int_equal(c->fit(scorer, set, &s.score, &m, NULL), TAMIS_OK);
    assert_int_equal(tamis_model_apply(w->cx, m, w->d, s.out), TAMIS_OK);
    c->finish(scorer);
    tamis_model_free(m);
    tamis_options_free(o);
    return s;
}

/* Leave-one-out errors and predictions of a criterion on the weighted rows, by refits on the rows written out. */
static void by_refits(struct world *w, const struct tamis_criterion *c, const char *words, predicted_at *predicted,
                      double sigma2, double gamma)
{
    struct scored s = scored(w, c, w->d, words);
    double sum = 0;
    for (size_t i = 0; i < N; i++) {
        sum += w->weight[i] * pow(w->d->y[i] - predicted(w, i, i, sigma2, gamma), 2);
        assert_close(s.out[i], predicted(w, N, i, sigma2, gamma), 1e-9);
    }
    assert_relative(s.score.value, sum / w->total, 1e-9);
}

static void leaving_out_a_row_leaves_out_its_copies(void **state)
{
    struct world w = world_new(*state);
    by_refits(&w, &tamis_loo_rbf, "sigma2=3 gamma=0.02:0.02", network_at, 3, 0.02);
    by_refits(&w, &tamis_loo_lssvm, "sigma2=4 gamma=20", machine_at, 4, 20);
    by_refits(&w, &tamis_cv_lssvm, "sigma2=4 gamma=20 folds=14", machine_at, 4, 20);
    by_refits(&w, &tamis_press_criterion, "neurons=l plain=yes", line_at, 0, 0);
    world_free(&w);
}

/* Fits alone: folds and centres of the rows written out are other ones. */
static void fits_are_those_of_rows_written_out(void **state)
{
    static const struct { const struct tamis_criterion *c; const char *words; } row[] = {
        {&tamis_cv_rrkrr, "sigma2=4 gamma=20 folds=3"},
        {&tamis_cv_rrkrr, "sigma2=4 gamma=20 folds=3 max-basis=5"},
        {&tamis_cv_lssvm, "sigma2=2 gamma=5 folds=3"},
    };
    struct world w = world_new(*state);
    for (size_t k = 0; k < sizeof row / sizeof *row; k++) {
        struct scored a = scored(&w, row[k].c, w.d, row[k].words), b = scored(&w, row[k].c, w.long_d, row[k].words);
        for (size_t i = 0; i < N; i++) assert_close(a.out[i], b.out[i], 1e-8);
    }
    world_free(&w);
}

/* All weights 2 are twice the gamma of a machine. */
static void equal_weights_scale_the_penalty(void **state)
{
    static const struct { const struct tamis_criterion *c; const char *twice, *once; } row[] = {
        {&tamis_cv_rrkrr, "sigma2=4 gamma=20 folds=3 candidates=9", "sigma2=4 gamma=40 folds=3 candidates=9"},
        {&tamis_cv_rrkrr, "sigma2=4 gamma=20 folds=3", "sigma2=4 gamma=40 folds=3"},
    };
    struct world w = world_new(*state);
    double *weight = w.d->weight;
    for (size_t i = 0; i < N; i++) weight[i] = 2;
    for (size_t k = 0; k < sizeof row / sizeof *row; k++) {
        struct scored a = scored(&w, row[k].c, w.d, row[k].twice);
        w.d->weight = NULL;
        struct scored b = scored(&w, row[k].c, w.d, row[k].once);
        w.d->weight = weight;
        assert_relative(a.score.value, b.score.value, 1e-9);
        for (size_t i = 0; i < N; i++) assert_close(a.out[i], b.out[i], 1e-9);
    }
    world_free(&w);
}

/* Rows of [G 1] (here: the inputs) and targets, times root or written out, fold by fold. */
static void ridge_is_that_of_rows_written_out(void **state)
{
    struct world w = world_new(*state);
    double root[N], g[N * (D + 1)], y[N], long_g[MOST * (D + 1)], gamma = 3, theta[2][D + 1], work[2][500];
    size_t start[] = {0, 4, 9, N}, long_start[4], row[N], long_row[MOST];
    struct tamis_lssvm_error error[2];
    for (size_t i = 0; i < N; i++) {
        root[i] = sqrt(w.weight[i]);
        y[i] = root[i] * w.d->y[i];
        row[i] = i;
        for (size_t j = 0; j <= D; j++) g[i + N * j] = root[i] * (j < D ? w.d->x[i + N * j] : 1);
    }
    for (size_t f = 0; f < 4; f++)
        for (long_start[f] = 0; long_start[f] < w.rows && w.of[long_start[f]] < start[f];) long_start[f]++;
    for (size_t i = 0; i < w.rows; i++) {
        long_row[i] = i;
        for (size_t j = 0; j <= D; j++) long_g[i + w.rows * j] = j < D ? w.long_d->x[i + w.rows * j] : 1;
    }
    struct tamis_folds folds = {3, start, row}, long_folds = {3, long_start, long_row};
    struct tamis_lssvm_data a = {N, 1, y, NULL, &folds, root, w.total},
                            b = {w.rows, 1, w.long_d->y, NULL, &long_folds, NULL, 0};
    tamis_ridge_errors(&a, D, g, &gamma, 1, work[0], &error[0]);
    tamis_ridge_errors(&b, D, long_g, &gamma, 1, work[1], &error[1]);
    assert_relative(error[0].squared, error[1].squared, 1e-10);
    assert_int_equal(tamis_ridge_weights(&a, D, g, gamma, work[0], theta[0]), 0);
    assert_int_equal(tamis_ridge_weights(&b, D, long_g, gamma, work[1], theta[1]), 0);
    for (size_t j = 0; j <= D; j++) assert_close(theta[0][j], theta[1][j], 1e-11);
    world_free(&w);
}

/* The network on five centres. */
static void centres_are_fitted_to_rows_written_out(void **state)
{
    enum { M = 5 };
    struct world w = world_new(*state);
    double root[N], y[N], centre[M * D], alpha[2][M + 1], *memory = malloc(tamis_centers_size(M, 1) * sizeof *memory);
    size_t column[D] = {0, 1, 2};
    struct tamis_centers c;
    for (size_t i = 0; i < N; i++) root[i] = sqrt(w.weight[i]), y[i] = root[i] * w.d->y[i];
    for (size_t k = 0; k < M * D; k++) centre[k] = w.d->x[k % M * 2 + N * (k / M)];
    struct tamis_centers_data data[2] = {
        {N, N, M, M, D, w.d->x, centre, y, column, root, w.total, 1},
        {w.rows, w.rows, M, M, D, w.long_d->x, centre, w.long_d->y, column, NULL, 0, 1}};
    for (int k = 0; k < 2; k++) {
        tamis_centers_bind(&c, &data[k], memory);
        assert_int_equal(tamis_centers_reduce(&c, 3), 0);
        tamis_centers_weights(&c, 0.1, alpha[k]);
    }
    for (size_t k = 0; k <= M; k++) assert_close(alpha[0][k], alpha[1][k], 1e-10);
    free(memory);
    world_free(&w);
}

/* ---- neighbours ---- */

static size_t nearest_to(const struct tamis_design *d, size_t i, size_t not)
{
    size_t best = SIZE_MAX;
    double least = INFINITY;
    for (size_t k = 0; k < d->rows; k++) {
        double sum = 0;
        for (size_t j = 0; j < d->columns; j++) sum += pow(d->x[i + d->rows * j] - d->x[k + d->rows * j], 2);
        if (k != i && k != not && sum < least) least = sum, best = k;
    }
    return best;
}

static void neighbours_weigh(void **state)
{
    struct world w = world_new(*state);
    double delta = 0, knn = 0;
    for (size_t i = 0; i < N; i++) {
        size_t a = nearest_to(w.d, i, SIZE_MAX), b = nearest_to(w.d, i, a);
        double mean = (w.weight[a] * w.d->y[a] + w.weight[b] * w.d->y[b]) / (w.weight[a] + w.weight[b]);
        delta += w.weight[i] * pow(w.d->y[i] - w.d->y[a], 2) / (2 * w.total);
        knn += w.weight[i] * pow(w.d->y[i] - mean, 2) / w.total;
    }
    assert_relative(scored(&w, &tamis_delta, w.d, "").score.value, delta, 1e-12);
    assert_relative(scored(&w, &tamis_delta, w.d, "ties=first").score.value, delta, 1e-12);
    assert_relative(scored(&w, &tamis_knn_loo, w.d, "neighbors=2").score.value, knn, 1e-12);
    world_free(&w);
}

/* Rows that are tied for the nearest, and rows that are equal in the set, by all pairs. */
static void ties_weigh(void **state)
{
    struct world w = world_new(*state);
    double sum = 0;
    for (size_t k = 0; k < N * D; k++) w.d->x[k] = (double)(k * 5 % 3);
    for (size_t i = 0; i < N; i++) {
        double least = INFINITY, all = 0, own = 0;
        for (int pass = 0; pass < 2; pass++)
            for (size_t k = 0; k < N; k++) {
                double d2 = 0;
                for (size_t j = 0; j < D; j++) d2 += pow(w.d->x[i + N * j] - w.d->x[k + N * j], 2);
                if (k != i && !pass) least = fmin(least, d2);
                if (k == i || !pass || d2 > least) continue;
                all += w.weight[k], own += w.weight[k] * pow(w.d->y[i] - w.d->y[k], 2);
            }
        sum += w.weight[i] * own / all;
    }
    assert_relative(scored(&w, &tamis_delta, w.d, "").score.value, sum / (2 * w.total), 1e-12);
    double constant;
    assert_int_equal(tamis_constant_loo(w.cx, w.d, &constant), TAMIS_OK);
    sum = 0;
    for (size_t i = 0; i < N; i++) {
        double others = 0;
        for (size_t k = 0; k < N; k++) others += k == i ? 0 : w.weight[k] * w.d->y[k];
        sum += w.weight[i] * pow(w.d->y[i] - others / (w.total - w.weight[i]), 2);
    }
    assert_relative(constant, sum / w.total, 1e-12);
    world_free(&w);
}

/* ---- tables ---- */

static void rows_of_weight_0_leave_no_trace(void **state)
{
    tamis_context *cx = *state;
    tamis_table *t = text_table(cx, "a,w,y\nred,1,1\nblue,0,2\n,2,3\ngreen,1,4\nblue,0,5\n"), *left = NULL;
    const double *weight = NULL;
    assert_int_equal(tamis_weights_find(cx, t, "w", &weight), TAMIS_OK);
    assert_int_equal(tamis_weights_drop(cx, t, weight, &left), TAMIS_OK);
    assert_int_equal(left->rows, 3);
    assert_int_equal(left->column[0].levels, 2);
    assert_string_equal(left->column[0].level[0], "green");
    assert_true(left->column[0].value[0] == 1 && isnan(left->column[0].value[1]) && left->column[0].value[2] == 0);
    assert_int_equal(left->origin[2], 3);
    tamis_table_free(left);
    tamis_table_free(t);
    t = text_table(cx, "a,w,y\n1,1,1\n2,3,2\n");
    assert_int_equal(tamis_weights_find(cx, t, "w", &weight), TAMIS_OK);
    assert_int_equal(tamis_weights_drop(cx, t, weight, &left), TAMIS_OK);
    assert_null(left);
    tamis_table_free(t);
}

/* An array of weights is a column that the caller adds. */
static void weights_from_memory(void **state)
{
    tamis_context *cx = *state;
    tamis_table *t = made(cx, "friedman1", "40", "3");
    double weight[40];
    const size_t *row;
    const double *prediction;
    for (size_t i = 0; i < 40; i++) weight[i] = (double)(i % 4);
    tamis_column c = {.name = "weight", .value = weight};
    c.size = sizeof c;
    assert_int_equal(tamis_table_add(cx, t, &c), TAMIS_OK);
    tamis_result *r = chosen(cx, t, NULL, OPTIONS("method", "sisal", "sigma2", "20", "row-weights", "weight", "target",
                                                  "y"));
    assert_int_equal(r->rows, 30);
    size_t held = tamis_result_held_out(r, &row, &prediction);
    assert_int_equal(held, 30);
    for (size_t i = 0; i < held; i++) assert_true(row[i] % 4);          /* rows of the table as it was */
    tamis_result_free(r);
    tamis_table_free(t);
}

static void models_of_weighted_rows_come_back(void **state)
{
    tamis_context *cx = *state;
    tamis_table *t = text_table(cx, "a,b,w,y\n1,2,1,3\n2,1,2,4\n3,5,1,7\n4,4,3,8\n5,3,1,8.5\n6,9,2,15\n7,1,1,9\n");
    double p[7];
    tamis_result *r = chosen(cx, t, NULL, OPTIONS("method", "search", "criterion", "knn", "row-weights", "w"));
    tamis_model_free(came_back(cx, tamis_result_model(r), t, p, NULL));
    damage_is_refused(cx, tamis_result_model(r), 40);
    tamis_result_free(r);
    tamis_table_free(t);
}

/* Weights and several targets had kinds of their own before format 6; several targets always had weights. */
static void older_models_of_neighbours_load(void **state)
{
    tamis_context *cx = *state;
    tamis_table *t = text_table(cx, "a,b,w,y\n1,2,1,3\n2,1,2,4\n3,5,1,7\n4,4,3,8\n5,3,1,8.5\n6,9,2,15\n7,1,1,9\n");
    static const struct { const char *kind, *words; size_t drop; } old[] = {
        {"knn", "target=y ignore=w", 8}, {"weighted-knn", "target=y row-weights=w", 0},
        {"several-knn", "target=b,y row-weights=w", 0}};
    for (size_t k = 0; k < 3; k++) {
        char words[100];
        double p[14] = {0}, q[14] = {0};
        snprintf(words, sizeof words, "method=search criterion=knn importance=none evidence=no %s", old[k].words);
        tamis_result *r = chosen(cx, t, NULL, worded(cx, words));
        const tamis_model *m = tamis_result_model(r);
        assert_string_equal(tamis_model_kind(m), "knn");
        tamis_residuals_free(r->model->residuals);
        r->model->residuals = NULL;
        tamis_model *back = as_older(cx, m, 5, old[k].kind, old[k].drop);
        assert_int_equal(tamis_model_predict(cx, m, t, p, NULL), TAMIS_OK);
        assert_int_equal(tamis_model_predict(cx, back, t, q, NULL), TAMIS_OK);
        assert_memory_equal(p, q, sizeof p);
        assert_string_equal(tamis_model_kind(back), "knn");
        tamis_model_free(back);
        tamis_result_free(r);
    }
    tamis_table_free(t);
}

static void weights_survive_failing_memory(void **state)
{
    tamis_context *cx = *state;
    tamis_table *t = text_table(cx, "a,b,w,y\n1,2,1,3\n2,1,2,4\n3,5,0,7\n4,4,3,8\n5,3,1,8.5\n6,9,2,15\n7,1,1,9\n"
                                    "8,3,1,9\n");
    static const char *const how[] = {"method=lars", "method=sisal sigma2=5 holdout=0.3",
                                      "method=lssvm sigma2=5 gamma=3", "method=rrkrr sigma2=5 gamma=3 candidates=4",
                                      "method=search criterion=knn", "method=search criterion=mi",
                                      "method=opelm max-neurons=2"};
    for (size_t k = 0; k < sizeof how / sizeof *how; k++) {
        tamis_options *o = worded(cx, how[k]);
        tamis_options_set(o, "row-weights", "w");
        run_survives_failing_memory(cx, t, o, 50, 60000);
    }
    tamis_table_free(t);
}

static void threads_change_nothing(void **state)
{
    tamis_context *cx = *state;
    tamis_table *t = made(cx, "friedman1", "40", "3");
    double weight[40];
    for (size_t i = 0; i < 40; i++) weight[i] = 0.3 + (double)(i % 5);
    tamis_column c = {.name = "weight", .value = weight};
    c.size = sizeof c;
    assert_int_equal(tamis_table_add(cx, t, &c), TAMIS_OK);
    same_bits(cx, t, worded(cx, "method=search criterion=delta row-weights=weight target=y outer=3"), "effective_rows");
    same_bits(cx, t, worded(cx, "method=sisal sigma2=5:20:2 row-weights=weight target=y"), NULL);
    tamis_table_free(t);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        TEST(order_statistics_are_those_of_rows_written_out),
        TEST(equal_weights_are_rows),
        TEST(standardising_weighs),
        TEST(leaving_out_a_row_leaves_out_its_copies),
        TEST(older_models_of_neighbours_load),
        TEST(fits_are_those_of_rows_written_out),
        TEST(equal_weights_scale_the_penalty),
        TEST(ridge_is_that_of_rows_written_out),
        TEST(centres_are_fitted_to_rows_written_out),
        TEST(neighbours_weigh),
        TEST(ties_weigh),
        TEST(rows_of_weight_0_leave_no_trace),
        TEST(weights_from_memory),
        TEST(models_of_weighted_rows_come_back),
        TEST(weights_survive_failing_memory),
        TEST(threads_change_nothing),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
