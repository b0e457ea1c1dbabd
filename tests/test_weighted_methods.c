/* Row weights inside fei, rjmcmc and sparse-rbf: what a kernel computes from weighted rows against what it, or a naive
 * loop, computes from the rows written out as often as they count; whole runs against the same tables written out. */
#include "base/rng.h"
#include "method/rjmcmc/mixture_target.h"
#include "method/sparse_rbf/sparse_grid.h"
#include "method/sparse_rbf/sparse_inside.h"
#include "num/kmeans.h"
#include "num/nodes.h"
#include "unit.h"

enum { N = 60, D = 3, MOST = 4 * N };

/* Rows with weights 1 to 4, and the same rows written out, copies side by side. */
struct rows {
    double x[N * D], y[N], class_of[N], weight[N];
    size_t n;                                   /* written out */
    double all_x[MOST * D], all_y[MOST], all_class[MOST];
    size_t from[MOST];                          /* the row that a copy is of */
};

static void rows_fill(struct rows *q, size_t classes, uint32_t seed)
{
    struct tamis_rng r;
    tamis_rng_init(&r, 31, TAMIS_RNG_TEST, seed);
    q->n = 0;
    for (size_t i = 0; i < N; i++) {
        q->class_of[i] = (double)(i % classes);
        q->weight[i] = (double)(1 + tamis_rng_below(&r, 4));
        for (size_t j = 0; j < D; j++) q->x[i + N * j] = tamis_rng_normal(&r) + (j ? 0 : 5 * q->class_of[i]);
        q->y[i] = sin(q->x[i]) + 0.5 * q->x[i + N] + 0.1 * tamis_rng_normal(&r);
        for (size_t c = 0; (double)c < q->weight[i]; c++) q->from[q->n++] = i;
    }
    for (size_t k = 0; k < q->n; k++) {
        q->all_y[k] = q->y[q->from[k]];
        q->all_class[k] = q->class_of[q->from[k]];
        for (size_t j = 0; j < D; j++) q->all_x[k + q->n * j] = q->x[q->from[k] + N * j];
    }
}

static double *doubles(size_t n) { return calloc(n, sizeof(double)); }

/* ---- fei ---- */

static const size_t columns[D] = {0, 1, 2};

static int by_first(const void *a, const void *b)
{
    double x = *(const double *)a, y = *(const double *)b;
    return (x > y) - (x < y);
}

/* Three clusters far apart, which any start finds. */
static void clusters_of_weighted_rows(void **state)
{
    enum { M = 3 };
    struct rows q;
    struct tamis_rng r;
    size_t assignment[MOST], count[M], held = 0;
    double centre[2][M * D], sse[2], *work = doubles(tamis_kmeans_size(MOST, M));
    (void)state;
    rows_fill(&q, M, 1);
    for (size_t i = 0; i < q.n; i++) q.all_x[i] *= 4;
    for (size_t i = 0; i < N; i++) q.x[i] *= 4;
    tamis_rng_init(&r, 1, TAMIS_RNG_TEST, 2);
    tamis_kmeans(N, q.x, N, q.weight, columns, D, M, 100, &r, work, centre[0], assignment, count, &sse[0]);
    for (size_t c = 0; c < M; c++) held += count[c];
    assert_int_equal(held, N);
    tamis_kmeans(q.n, q.all_x, q.n, NULL, columns, D, M, 100, &r, work, centre[1], assignment, count, &sse[1]);
    assert_relative(sse[0], sse[1], 1e-12);
    for (size_t j = 0; j < D; j++) {
        for (int k = 0; k < 2; k++) qsort(centre[k] + M * j, M, sizeof(double), by_first);
        for (size_t c = 0; c < M; c++) assert_near(centre[0][c + M * j], centre[1][c + M * j], 1e-12);
    }
    free(work);
}

/* Starts are drawn by weight: a row that weighs as much as all others together is the first centre half the time. */
static void starts_follow_the_weights(void **state)
{
    enum { DRAWS = 4000 };
    struct rows q;
    size_t assignment[N], count[1], heavy = 0;
    double centre[D], *work = doubles(tamis_kmeans_size(N, 1)), all = 0;
    (void)state;
    rows_fill(&q, 2, 3);
    for (size_t i = 0; i < N; i++) all += i == 7 ? 0 : q.weight[i];
    q.weight[7] = all;
    for (uint32_t k = 0; k < DRAWS; k++) {
        struct tamis_rng r;
        tamis_rng_init(&r, 1, TAMIS_RNG_TEST, k);
        tamis_kmeans(N, q.x, N, q.weight, columns, D, 1, 0, &r, work, centre, assignment, count, NULL);
        heavy += centre[0] == q.x[7] && centre[1] == q.x[7 + N];
    }
    assert_close((double)heavy / DRAWS, 0.5, 5 * 0.5 / sqrt(DRAWS));
    free(work);
}

enum { NODES = 6 };

struct network { double centre[NODES * D], sigma[NODES], phi[MOST * NODES]; size_t assignment[MOST], count[NODES]; };

static void network_fill(size_t n, const double *x, const double *weight, const size_t *from, struct network *q)
{
    struct tamis_rng r;
    double work[MOST];
    tamis_rng_init(&r, 9, TAMIS_RNG_TEST, 0);
    memset(q->count, 0, sizeof q->count);
    for (size_t i = 0; i < NODES * D; i++) q->centre[i] = tamis_rng_normal(&r) + 3;
    for (size_t i = 0; i < n; i++) q->count[q->assignment[i] = (from ? from[i] : i) % NODES]++;
    tamis_nodes_sigma(n, x, n, weight, columns, D, NODES, q->centre, q->assignment, q->count, work, q->sigma);
    tamis_nodes_basis(n, x, n, columns, D, NODES, q->centre, q->sigma, q->phi, n);
}

static void widths_and_least_squares(void **state)
{
    enum { L = 3 };
    struct rows q;
    struct network one, all;
    double w[2][NODES * L], *work = doubles(tamis_nodes_ls_size(MOST, NODES, L));
    int pivot[NODES];
    (void)state;
    rows_fill(&q, L, 4);
    network_fill(N, q.x, q.weight, NULL, &one);
    network_fill(q.n, q.all_x, NULL, q.from, &all);
    for (size_t c = 0; c < NODES; c++) assert_relative(one.sigma[c], all.sigma[c], 1e-12);
    assert_int_equal(tamis_nodes_ls(N, NODES, L, one.phi, q.class_of, q.weight, work, pivot, w[0]), NODES);
    assert_int_equal(tamis_nodes_ls(q.n, NODES, L, all.phi, q.all_class, NULL, work, pivot, w[1]), NODES);
    for (size_t i = 0; i < NODES * L; i++) assert_near(w[0][i], w[1][i], 1e-9);
    free(work);
}

/* One epoch after the other, every row as often as it counts. */
static void naive_lms(const struct rows *q, const double *phi, size_t l, double rate, size_t epochs,
                      struct tamis_rng *rng, double *w)
{
    size_t order[N];
    memset(w, 0, NODES * l * sizeof *w);
    for (size_t i = 0; i < N; i++) order[i] = i;
    for (size_t e = 0; e < epochs; e++) {
        if (l <= TAMIS_MANY_CLASSES || !e) tamis_rng_shuffle(rng, order, N);
        for (size_t t = 0; t < N; t++)
            for (size_t c = 0, i = order[t]; (double)c < q->weight[i]; c++)
                for (size_t k = 0; k < l; k++) {
                    double step = q->class_of[i] == (double)k;
                    for (size_t v = 0; v < NODES; v++) step -= phi[i + N * v] * w[v + NODES * k];
                    for (size_t v = 0; v < NODES; v++)
                        w[v + NODES * k] += rate / (double)q->n * step * phi[i + N * v];
                }
    }
}

static void least_mean_squares(void **state)
{
    struct rows q;
    struct network net;
    struct tamis_rng r;
    (void)state;
    for (size_t l = 3; l <= 33; l += 30) {
        double *work = doubles(tamis_nodes_lms_size(N, NODES, l)), *w = doubles(NODES * l), *naive = doubles(NODES * l);
        size_t order[N];
        rows_fill(&q, l, 5);
        network_fill(N, q.x, q.weight, NULL, &net);
        tamis_rng_init(&r, 2, TAMIS_RNG_TEST, 1);
        naive_lms(&q, net.phi, l, 0.9, 13, &r, naive);
        tamis_rng_init(&r, 2, TAMIS_RNG_TEST, 1);
        tamis_nodes_lms(N, NODES, l, net.phi, q.class_of, q.weight, 0.9, 13, &r, work, order, w);
        for (size_t i = 0; i < NODES * l; i++) assert_close(w[i], naive[i], 1e-12);
        free(work), free(w), free(naive);
    }
}

/* A row of nearly all the weight and wide nodes: plain steps of that length would diverge. */
static void a_heavy_row_is_stable(void **state)
{
    struct rows q;
    struct network net;
    struct tamis_rng r;
    double *work = doubles(tamis_nodes_lms_size(N, NODES, 3)), w[NODES * 3];
    size_t order[N];
    (void)state;
    rows_fill(&q, 3, 6);
    network_fill(N, q.x, q.weight, NULL, &net);
    for (size_t i = 0; i < N * NODES; i++) net.phi[i] = 0.9 + 0.1 * net.phi[i];
    for (size_t i = 0; i < N; i++) q.weight[i] = i == 4 ? 1000 : 1e-3;
    tamis_rng_init(&r, 2, TAMIS_RNG_TEST, 1);
    tamis_nodes_lms(N, NODES, 3, net.phi, q.class_of, q.weight, 1, 500, &r, work, order, w);
    for (size_t i = 0; i < NODES * 3; i++) assert_below(fabs(w[i]), 10);
    free(work);
}

/* ---- rjmcmc ---- */

enum { KERNELS = 4, CLASSES = 3 };

static struct tamis_mixture *mixture(tamis_context *cx, int mode, size_t n, const double *x, const double *y,
                                     const double *weight)
{
    static const size_t width[2] = {1, 2};
    struct tamis_mixture_settings set = {mode, TAMIS_WEIGHTS_KEEP, KERNELS, 0, 2, 0.2, 3, 0};
    struct tamis_mixture *m = tamis_mixture_sized(cx, n, 2, CLASSES, width, &set);
    for (size_t c = 0; c < D; c++)
        m->h[c] = 0.4 + 0.1 * (double)c, m->xi[c] = 0.3, m->kappa[c] = 0.05, m->beta_min[c] = mode ? 1e-3 : 0;
    tamis_mixture_prior(m);
    tamis_mixture_rows(m, x, y, weight);
    return m;
}

/* A state with all inputs, of parameters that depend on the seed alone. */
static struct tamis_mixture_state *state_of(tamis_context *cx, const struct tamis_mixture *m, struct tamis_rng *rng)
{
    struct tamis_mixture_state *s = tamis_mixture_state_new(cx, m);
    tamis_rng_init(rng, 6, TAMIS_RNG_TEST, 7);
    tamis_mixture_state_prior(s, rng);
    for (size_t i = 0; i < m->inputs; i++) {
        if (!tamis_mixture_has(s, i)) tamis_mixture_state_toggle(s, i);
        tamis_mixture_propose(m, i, NULL, 0, s->mu + KERNELS * m->first[i], s->tau + KERNELS * m->first[i], rng);
        for (size_t k = KERNELS * m->first[i]; k < KERNELS * (m->first[i] + m->width[i]); k++) s->tau[k] = 0.3;
        tamis_mixture_draw_betas(s, i, rng);
    }
    tamis_mixture_state_settle(s);
    return s;
}

/* Energy, gradient and shares of two mixtures over the same data. */
static void same_mixture(tamis_context *cx, const struct tamis_mixture *one, const struct tamis_mixture *all)
{
    struct tamis_rng rng;
    struct tamis_mixture_state *a = state_of(cx, one, &rng), *b = state_of(cx, all, &rng);
    size_t coordinates = 2 * KERNELS * D + (KERNELS + 1) * CLASSES;
    assert_relative(a->energy, b->energy, 1e-12);
    for (size_t i = 0; i < one->inputs; i++) assert_near(one->log_m[i], all->log_m[i], 1e-9);
    for (size_t k = 0; k < CLASSES; k++) assert_relative(one->count[k], all->count[k], 1e-12);
    for (double heat = 0.25; heat < 1.5; heat += 0.75) {
        for (int k = 0; k < 2; k++) {
            struct tamis_mixture_state *s = k ? b : a;
            tamis_rng_init(&rng, 8, TAMIS_RNG_TEST, 1);
            tamis_mixture_candidate_start(s, &rng);
            tamis_mixture_candidate_level(s, heat);
            tamis_mixture_candidate_gradient(s, &s->next, heat);
        }
        assert_relative(tamis_mixture_candidate_level(a, heat), tamis_mixture_candidate_level(b, heat), 1e-12);
        for (size_t i = 0; i < coordinates; i++) assert_near(a->slope[i], b->slope[i], 1e-9);
    }
    tamis_mix_shares(&one->r, KERNELS, a->w, a->v, CLASSES, &a->now, a->share);
    tamis_mix_shares(&all->r, KERNELS, b->w, b->v, CLASSES, &b->now, b->share);
    tamis_mix_totals(one->r.n, KERNELS, a->share, a->total);
    tamis_mix_totals(all->r.n, KERNELS, b->share, b->total);
    for (size_t d = 0; d < KERNELS; d++) assert_near(a->total[d], b->total[d], 1e-9);
    tamis_mixture_state_free(a);
    tamis_mixture_state_free(b);
}

static void likelihoods_of_weighted_rows(void **state)
{
    tamis_context *cx = *state;
    struct rows q;
    rows_fill(&q, CLASSES + 1, 8);                                              /* the last class: none */
    for (int mode = 0; mode < 2; mode++) {
        struct tamis_mixture *one = mixture(cx, mode, N, q.x, q.class_of, q.weight),
                             *all = mixture(cx, mode, q.n, q.all_x, q.all_class, NULL);
        assert_true(one->whole);
        same_mixture(cx, one, all);
        tamis_mixture_free(one);
        tamis_mixture_free(all);
    }
}

/* A row of weight 2.5 is two equal rows of weights 1 and 1.5. */
static void fractions_add_up(void **state)
{
    tamis_context *cx = *state;
    struct rows q;
    double x[2 * N * D], y[2 * N], weight[2 * N];
    rows_fill(&q, CLASSES + 1, 9);
    for (size_t i = 0; i < 2 * N; i++) {
        for (size_t j = 0; j < D; j++) x[i + 2 * N * j] = q.x[i / 2 + N * j];
        y[i] = q.class_of[i / 2];
        weight[i] = q.weight[i / 2] * (i % 2 ? 0.37 : 0.26);
    }
    for (size_t i = 0; i < N; i++) q.weight[i] *= 0.63;
    for (int mode = 0; mode < 2; mode++) {
        struct tamis_mixture *one = mixture(cx, mode, N, q.x, q.class_of, q.weight),
                             *two = mixture(cx, mode, 2 * N, x, y, weight);
        assert_false(one->whole);
        same_mixture(cx, one, two);
        tamis_mixture_free(one);
        tamis_mixture_free(two);
    }
}

/* Every copy of a row has its own kernel; without copies there is nothing to draw. */
static void gibbs_draws_for_every_copy(void **state)
{
    tamis_context *cx = *state;
    struct rows q;
    struct tamis_rng rng;
    enum { DRAWS = 3000 };
    double mean[2][CLASSES] = {{0}}, kernels = 0;
    rows_fill(&q, CLASSES + 1, 10);
    for (int k = 0; k < 2; k++) {
        struct tamis_mixture *m = k ? mixture(cx, TAMIS_BACKGROUND, q.n, q.all_x, q.all_class, NULL)
                                    : mixture(cx, TAMIS_BACKGROUND, N, q.x, q.class_of, q.weight);
        struct tamis_mixture_state *s = state_of(cx, m, &rng);
        for (size_t i = 0; i < DRAWS; i++) {
            assert_true(tamis_mixture_gibbs(s, 1, 0, &rng) == INFINITY);
            kernels = 0;
            for (size_t d = 0; d < KERNELS; d++) kernels += s->total[d];
            assert_close(kernels, (double)q.n, 1e-9);
            for (size_t c = 0; c < CLASSES; c++) mean[k][c] += s->p[c] / DRAWS;
        }
        tamis_mixture_state_free(s);
        tamis_mixture_free(m);
    }
    for (size_t c = 0; c < CLASSES; c++) assert_close(mean[0][c], mean[1][c], 0.03);
    q.weight[5] = 1.5;
    struct tamis_mixture *m = mixture(cx, TAMIS_BACKGROUND, N, q.x, q.class_of, q.weight);
    struct tamis_mixture_state *s = state_of(cx, m, &rng);
    assert_true(isnan(tamis_mixture_gibbs(s, 1, 0, &rng)));
    tamis_mixture_state_free(s);
    tamis_mixture_free(m);
}

/* ---- sparse-rbf ---- */

/* Weighted rows, or the same written out; centres on the distinct rows in either case. */
static struct tamis_sparse_data sparse_data(const struct rows *q, int all, double *root, double *y)
{
    struct tamis_sparse_data d = {{all ? q->n : N, all ? q->n : N, N, N, D, all ? q->all_x : q->x, q->x, NULL},
                                  all ? q->all_y : q->y};
    if (all) return d;
    tamis_wnet_roots(N, q->weight, root);
    for (size_t i = 0; i < N; i++) y[i] = root[i] * q->y[i];
    d.net.root = root;
    d.y = y;
    return d;
}

static void sparse_fits(void **state)
{
    static const double start[D] = {0.1, 0.06, 0.03};
    tamis_context *cx = *state;
    struct rows q;
    double root[N], y[N];
    rows_fill(&q, 2, 11);
    for (int solver = TAMIS_SPARSE_PROJECTION; solver <= TAMIS_SPARSE_ALTERNATING; solver++) {
        struct tamis_sparse_answer answer[2];
        double w[2][D], alpha[2][N + 1], out[2][N], work[N];
        for (int all = 0; all < 2; all++) {
            struct tamis_sparse_data d = sparse_data(&q, all, root, y);
            struct tamis_sparse_fit *f = tamis_sparse_fit_new(cx, solver, d.net.n, N, D);
            memcpy(w[all], start, sizeof start);
            assert_int_equal(tamis_sparse_solve(f, &d, 20, 0.5, 1e-9, 0, 1, w[all], alpha[all], &answer[all]),
                             TAMIS_OK);
            tamis_sparse_apply(q.x, N, N, &d.net, w[all], alpha[all], work, out[all]);
            tamis_sparse_fit_free(f);
        }
        assert_relative(answer[0].error, answer[1].error, 1e-7);
        for (size_t j = 0; j < D; j++) assert_close(w[0][j], w[1][j], 1e-5);
        for (size_t i = 0; i < N; i++) assert_close(out[0][i], out[1][i], 1e-4);
    }
}

/* E, its gradient and its Hessian in w, coefficients projected out. */
static void sparse_derivatives(void **state)
{
    static const double w[D] = {0.2, 0.1, 0.05};
    tamis_context *cx = *state;
    struct rows q;
    double root[N], y[N], error[2], gradient[2][D], exact[2][D * D], gauss[2][D * D], alpha[N + 1];
    rows_fill(&q, 2, 12);
    for (int all = 0; all < 2; all++) {
        struct tamis_sparse_data d = sparse_data(&q, all, root, y);
        struct tamis_sparse_fit *f = tamis_sparse_fit_new(cx, TAMIS_SPARSE_PROJECTION, d.net.n, N, D);
        assert_int_equal(tamis_sparse_probe(f, &d, 5, w, alpha, 0, &error[all]), TAMIS_OK);
        const struct tamis_lasso *l = &f->lasso;
        tamis_wnet_gradient(&d.net, f->a, l->active, l->value, l->count, l->residual, f->work, gradient[all]);
        for (size_t i = 0; i < D; i++) f->which[i] = i;
        tamis_sparse_hessians(f, D);
        memcpy(exact[all], f->exact, sizeof exact[all]);
        memcpy(gauss[all], f->gauss, sizeof gauss[all]);
        tamis_sparse_fit_free(f);
    }
    assert_relative(error[0], error[1], 1e-9);
    for (size_t i = 0; i < D; i++) assert_near(gradient[0][i], gradient[1][i], 1e-9);
    for (size_t i = 0; i < D * D; i++) {
        assert_near(exact[0][i], exact[1][i], 1e-8);
        assert_near(gauss[0][i], gauss[1][i], 1e-8);
    }
}

static void sparse_screens(void **state)
{
    struct rows q;
    double one[D], all[D];
    (void)state;
    rows_fill(&q, 2, 13);
    tamis_sparse_screen(q.x, N, D, q.y, q.weight, one);
    tamis_sparse_screen(q.all_x, q.n, D, q.all_y, NULL, all);
    for (size_t j = 0; j < D; j++) assert_relative(one[j], all[j], 1e-9);
}

/* ---- whole runs ---- */

/* weights: in a column; else the rows are written out, or (unit) once. */
static tamis_table *table_of(tamis_context *cx, const struct rows *q, int classes, int weights, int unit)
{
    struct tamis_text t = {.cx = cx};
    tamis_text_printf(&t, "a,b,c,%sy\n", weights ? "w," : "");
    for (size_t k = 0; k < (weights || unit ? N : q->n); k++) {
        size_t i = weights || unit ? k : q->from[k];
        tamis_text_printf(&t, "%.6f,%.6f,%.6f,", q->x[i], q->x[i + N], q->x[i + 2 * N]);
        if (weights) tamis_text_printf(&t, "%g,", unit ? 1.0 : q->weight[i]);
        if (classes) tamis_text_printf(&t, "%s\n", q->y[i] > 0 ? "yes" : "no");
        else tamis_text_printf(&t, "%.6f\n", q->y[i]);
    }
    tamis_table *table = text_table(cx, t.s);
    tamis_text_free(&t);
    return table;
}

static const struct { const char *words; int classes; } runs_of[] = {
    {"method=fei starts=4 folds=4", 1},
    {"method=fei starts=4 folds=4 weights=ls hidden=6", 1},
    {"method=rjmcmc samples=60 burn-in=20 chains=2 temperatures=3", 1},
    {"method=rjmcmc samples=60 burn-in=20 chains=2 temperatures=3 likelihood=background", 1},
    {"method=sparse-rbf folds=4 r=5:50:2 t=0.1:1:2", 0},
    {"method=sparse-rbf folds=4 r=5:50:2 t=0.1:1:2", 1},
    {"method=sparse-rbf folds=3 centers=20", 0},
    {"method=sparse-rbf solver=direct centers=15 r=10 t=1", 0},
};

static tamis_result *run_of(tamis_context *cx, const tamis_table *t, const char *words, int weights)
{
    tamis_options *o = worded(cx, words);
    tamis_options_set(o, "target", "y");
    if (weights) tamis_options_set(o, "row-weights", "w");
    return chosen(cx, t, NULL, o);
}

static void same_results(const tamis_result *a, const tamis_result *b, double tolerance)
{
    for (size_t i = 0; i < D; i++) assert_int_equal(a->input[i].selected, b->input[i].selected);
    assert_near(a->error, b->error, tolerance);
    assert_int_equal(a->steps, b->steps);
    for (size_t i = 0; i < a->steps; i++) assert_near(a->path[i].criterion, b->path[i].criterion, tolerance);
    if (!isnan(a->all_inputs) || !isnan(b->all_inputs)) assert_near(a->all_inputs, b->all_inputs, tolerance);
}

static void runs_are_those_of_written_out_rows(void **state)
{
    tamis_context *cx = *state;
    struct rows q;
    rows_fill(&q, 2, 14);
    for (size_t k = 0; k < sizeof runs_of / sizeof *runs_of; k++)
        for (int unit = 0; unit < 2; unit++) {
            tamis_table *with = table_of(cx, &q, runs_of[k].classes, 1, unit),
                        *out = table_of(cx, &q, runs_of[k].classes, 0, unit);
            tamis_result *a = run_of(cx, with, runs_of[k].words, 1), *b = run_of(cx, out, runs_of[k].words, 0);
            same_results(a, b, unit ? 0 : 1e-9);
            tamis_result_free(a);
            tamis_result_free(b);
            tamis_table_free(with);
            tamis_table_free(out);
        }
}

static void runs_with_fractions_keep_the_guarantees(void **state)
{
    tamis_context *cx = *state;
    struct rows q;
    rows_fill(&q, 2, 15);
    for (size_t i = 0; i < N; i++) q.weight[i] = 0.3 + 0.7 * q.weight[i];
    for (size_t k = 0; k < sizeof runs_of / sizeof *runs_of; k++) {
        tamis_table *t = table_of(cx, &q, runs_of[k].classes, 1, 0);
        tamis_options *o = worded(cx, runs_of[k].words);
        tamis_options_set(o, "target", "y");
        tamis_options_set(o, "row-weights", "w");
        same_bits(cx, t, o, NULL);
        tamis_table_free(t);
    }
}

/* One group of half the rows: its fold holds out far more rows than the others. */
static void folds_of_unequal_size(void **state)
{
    tamis_context *cx = *state;
    struct rows q;
    struct tamis_text t = {.cx = cx};
    rows_fill(&q, 2, 17);
    tamis_text_printf(&t, "a,b,g,w,y\n");
    for (size_t i = 0; i < N; i++)
        tamis_text_printf(&t, "%.6f,%.6f,%zu,%g,%.6f\n", q.x[i], q.x[i + N], i < N / 2 ? 0 : i, q.weight[i], q.y[i]);
    tamis_table *table = text_table(cx, t.s);
    for (int weights = 0; weights < 2; weights++) {
        tamis_result *r = run_of(cx, table, weights ? "method=sparse-rbf folds=10 groups=g r=5:50:2 t=0.1:1:2"
                                                    : "method=sparse-rbf folds=10 groups=g r=5:50:2 t=0.1:1:2 ignore=w",
                                 weights);
        assert_true(isfinite(r->error));
        tamis_result_free(r);
    }
    tamis_table_free(table);
    tamis_text_free(&t);
}

static void stops_and_failing_memory(void **state)
{
    static const size_t kept[] = {0, 3, 4};
    tamis_context *cx = *state;
    struct rows q;
    rows_fill(&q, 2, 16);
    for (size_t i = 0; i < N; i++) q.weight[i] = 0.3 + 0.7 * q.weight[i];
    for (size_t k = 0; k < sizeof kept / sizeof *kept; k++) {
        tamis_table *t = table_of(cx, &q, runs_of[kept[k]].classes, 1, 0);
        for (int memory = 0; memory < 2; memory++) {
            tamis_options *o = worded(cx, runs_of[kept[k]].words);
            tamis_options_set(o, "target", "y");
            tamis_options_set(o, "row-weights", "w");
            if (!memory) assert_above(stopped_and_resumed(cx, t, o, 40, 200), 0);
            else {
                struct run r = {t, o};
                assert_above(allocations_fail(cx, select_and_write, &r, 12), 12);
                tamis_options_free(o);
            }
        }
        tamis_table_free(t);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        TEST(clusters_of_weighted_rows),
        TEST(starts_follow_the_weights),
        TEST(widths_and_least_squares),
        TEST(least_mean_squares),
        TEST(a_heavy_row_is_stable),
        TEST(likelihoods_of_weighted_rows),
        TEST(fractions_add_up),
        TEST(gibbs_draws_for_every_copy),
        TEST(sparse_fits),
        TEST(sparse_derivatives),
        TEST(sparse_screens),
        TEST(runs_are_those_of_written_out_rows),
        TEST(runs_with_fractions_keep_the_guarantees),
        TEST(folds_of_unequal_size),
        TEST(stops_and_failing_memory),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
