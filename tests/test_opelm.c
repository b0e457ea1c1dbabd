/* LARS and PRESS against naive loops and known answers; OP-ELM, its criterion and methods end to end. */
#include "base/rng.h"
#include "cases_opelm.h"
#include "crit/crit.h"
#include "data/design.h"
#include "model/elm.h"
#include "model/linear.h"
#include "model/model.h"
#include "num/least_angle.h"
#include "num/nested_press.h"
#include "unit.h"
#include "search/search.h"

/* ---- LARS ---- */

/* To mean 0 and unit standard deviation with divisor n - 1. */
static void standardise(double *x, size_t n)
{
    double mean = 0, sum = 0;
    for (size_t i = 0; i < n; i++) mean += x[i] / (double)n;
    for (size_t i = 0; i < n; i++) x[i] -= mean, sum += x[i] * x[i];
    for (size_t i = 0; sum > 0 && i < n; i++) x[i] *= sqrt((double)(n - 1) / sum);
}

struct walk { struct tamis_lars l; double *gram, *memory, *coef, *work; size_t *index; };

static void walk_run(struct walk *w, size_t n, size_t p, size_t k, const double *x, const double *y, int gram)
{
    w->gram = calloc(p * p, sizeof(double));
    for (size_t a = 0; a < p; a++)
        for (size_t b = 0; b < p; b++)
            for (size_t i = 0; i < n; i++) w->gram[a + p * b] += x[i + n * a] * x[i + n * b];
    w->memory = calloc(tamis_lars_size(n, p, k, gram), sizeof(double));
    w->index = calloc(2 * p, sizeof(size_t));
    tamis_lars_bind(&w->l, &(struct tamis_lars_data){n, p, k, x, y, gram ? w->gram : NULL}, w->memory, w->index);
    tamis_lars_run(&w->l, SIZE_MAX);
    w->coef = calloc(p * k * (w->l.steps + 1), sizeof(double));
    w->work = calloc(2 * w->l.most * k, sizeof(double));
    tamis_lars_path(&w->l, w->coef, w->work);
}

static void walk_free(struct walk *w) { free(w->gram), free(w->memory), free(w->index), free(w->coef), free(w->work); }

static void lars_is_the_known_one(void **state)
{
    enum { N = 40, P = 6 };
    double x[N * P], y[N];
    (void)state;
    for (size_t j = 0; j < P; j++) {
        for (size_t i = 0; i < N; i++) x[i + N * j] = lars_x[i * P + j];
        standardise(x + N * j, N);
    }
    memcpy(y, lars_y, sizeof y);
    standardise(y, N);
    for (int gram = 0; gram < 2; gram++) {
        struct walk w;
        walk_run(&w, N, P, 1, x, y, gram);
        assert_int_equal(w.l.steps, P);
        for (size_t s = 0; s < P; s++) assert_int_equal(w.l.order[s], lars_order[s]);
        for (size_t s = 0; s <= P; s++) {
            assert_close(w.l.c[s], lars_corr[s], 1e-9 * fmax(lars_corr[s], 1e-3));
            for (size_t j = 0; j < P; j++) assert_close(w.coef[j + P * s], lars_coef[j + P * s], 1e-9);
        }
        walk_free(&w);
    }
}

static double *made_matrix(uint32_t index, size_t n, size_t p, double shared)
{
    struct tamis_rng r;
    double *x = malloc(n * p * sizeof *x);
    tamis_rng_init(&r, 77, TAMIS_RNG_TEST, index);
    for (size_t i = 0; i < n; i++) {
        double common = shared * tamis_rng_normal(&r);
        for (size_t j = 0; j < p; j++) x[i + n * j] = tamis_rng_normal(&r) + common;
    }
    for (size_t j = 0; j < p; j++) standardise(x + n * j, n);
    return x;
}

/* After every step: all active columns share |X^T R|_1 = c, none has more, and the last fit is least squares. */
static void check_equal_correlations(const struct walk *w, size_t n, size_t p, size_t k, const double *x,
                                     const double *y)
{
    for (size_t s = 0; s <= w->l.steps; s++)
        for (size_t j = 0; j < p; j++) {
            double sum = 0;
            for (size_t o = 0; o < k; o++) {
                double u = 0;
                for (size_t i = 0; i < n; i++) {
                    double e = y[i + n * o];
                    for (size_t c = 0; c < p; c++) e -= x[i + n * c] * w->coef[c + p * (o + k * s)];
                    u += x[i + n * j] * e;
                }
                sum += fabs(u);
            }
            if (w->l.place[j] < s) assert_close(sum, w->l.c[s], 1e-9 * w->l.c[0]);
            else assert_below(sum, w->l.c[s] + 1e-9 * w->l.c[0]);
        }
}

static void lars_correlations_stay_equal(void **state)
{
    (void)state;
    for (uint32_t seed = 0; seed < 12; seed++)
        for (size_t k = 1; k <= 3; k++)
            for (int gram = 0; gram < 2; gram++) {
                size_t n = 30 + seed, p = 9;
                double *x = made_matrix(seed, n, p, 1.5), *y = made_matrix(100 + seed, n, k, 0);
                struct walk w;
                walk_run(&w, n, p, k, x, y, gram);
                assert_int_equal(w.l.steps, p);
                check_equal_correlations(&w, n, p, k, x, y);
                walk_free(&w);
                free(x), free(y);
            }
}

/* Two copies of one output give the path of that output. */
static void several_equal_outputs_walk_as_one(void **state)
{
    size_t n = 50, p = 12;
    double *x = made_matrix(5, n, p, 1), *y = made_matrix(6, n, 2, 0);
    struct walk one, two;
    (void)state;
    memcpy(y + n, y, n * sizeof *y);
    walk_run(&one, n, p, 1, x, y, 0);
    walk_run(&two, n, p, 2, x, y, 0);
    for (size_t s = 0; s < p; s++) {
        assert_int_equal(one.l.order[s], two.l.order[s]);
        assert_relative(2 * one.l.c[s], two.l.c[s], 1e-10);
    }
    walk_free(&one), walk_free(&two);
    free(x), free(y);
}

static void collinear_columns_come_last(void **state)
{
    (void)state;
    for (int gram = 0; gram < 2; gram++) {
        size_t n = 25, p = 7;
        double *x = made_matrix(8, n, p, 0.5), *y = made_matrix(9, n, 1, 0);
        struct walk w;
        memcpy(x + n * 3, x, n * sizeof *x);                    /* twins: 0 and 3 */
        for (size_t i = 0; i < n; i++) x[i + n * 5] = 0;        /* a constant */
        for (size_t i = 0; i < n; i++) x[i + n * 6] = (x[i + n * 1] - 2 * x[i + n * 2]) / 3;
        walk_run(&w, n, p, 1, x, y, gram);
        assert_int_equal(w.l.steps, 4);                         /* one of 0 and 3, two of 1, 2 and 6, and 4 */
        assert_true((w.l.place[0] < 4) != (w.l.place[3] < 4) && w.l.place[4] < 4 && w.l.place[5] >= 4);
        assert_int_equal((w.l.place[1] < 4) + (w.l.place[2] < 4) + (w.l.place[6] < 4), 2);
        size_t seen = 0;
        for (size_t s = 0; s < p; s++) seen |= (size_t)1 << w.l.order[s];
        assert_int_equal(seen, 127);
        assert_below(w.l.c[4], 1e-8 * w.l.c[0]);
        walk_free(&w);
        free(x), free(y);
    }
    double *x = made_matrix(10, 6, 20, 0), *y = made_matrix(11, 6, 1, 0); /* more columns than rows: 5 after centring */
    struct walk w;
    walk_run(&w, 6, 20, 1, x, y, 0);
    assert_int_equal(w.l.steps, 5);
    walk_free(&w);
    double zero[6] = {0}; /* a target that does not vary: nothing joins, all are ranked */
    walk_run(&w, 6, 20, 1, x, zero, 0);
    assert_int_equal(w.l.steps, 0);
    for (size_t s = 0; s < 20; s++) assert_int_equal(w.l.order[s], s);
    walk_free(&w);
    free(x), free(y);
}

/* ---- PRESS ---- */

struct press { struct tamis_press w; double *h, *q, *memory, *error; };

static void press_run(struct press *p, size_t n, size_t m, size_t k, const double *h, const double *y, size_t stop)
{
    p->h = malloc(n * m * sizeof(double));
    p->q = malloc(n * m * sizeof(double));
    p->memory = calloc(tamis_press_size(n, m, k), sizeof(double));
    p->error = calloc(m, sizeof(double));
    memcpy(p->h, h, n * m * sizeof(double));
    memcpy(p->q, h, n * m * sizeof(double));
    tamis_press_bind(&p->w, n, m, k, p->q, y, p->memory);
    tamis_press_factor(&p->w);
    tamis_press_errors(&p->w, stop, p->error);
}

static void press_free(struct press *p) { free(p->h), free(p->q), free(p->memory), free(p->error); }

static void press_is_the_known_one(void **state)
{
    enum { N = 60 };
    double h[N * 5], beta[5], triangle[25];
    struct press p;
    (void)state;
    for (size_t i = 0; i < N; i++) {
        for (size_t j = 0; j < 4; j++) h[i + N * j] = press_h[i * 4 + j];
        h[i + N * 4] = h[i + N] + h[i + N * 2];
    }
    press_run(&p, N, 4, 1, h, press_y, 4);
    assert_relative(p.error[3], press_mse, 1e-10);
    for (size_t i = 0; i < N; i++) {
        assert_close(p.w.leverage[i], press_leverage[i], 1e-11);
        assert_close(p.w.residual[i] / (1 - p.w.leverage[i]), press_loo[i], 1e-10);
    }
    tamis_press_weights(&p.w, p.h, 4, triangle, beta);
    for (size_t j = 0; j < 4; j++) assert_close(beta[j], press_beta[j], 1e-10);
    press_free(&p);
    press_run(&p, N, 5, 1, h, press_y, 5);                      /* rank-deficient: the column space decides */
    assert_relative(p.error[4], press_deficient_mse, 1e-10);
    assert_relative(p.error[3], press_mse, 1e-10);
    for (size_t i = 0; i < N; i++) assert_close(p.w.residual[i] / (1 - p.w.leverage[i]), press_loo[i], 1e-10);
    tamis_press_weights(&p.w, p.h, 5, triangle, beta);
    assert_true(beta[4] == 0);
    press_free(&p);
    for (size_t i = 0; i < N; i++) h[i + N * 4] = i == 7;
    press_run(&p, N, 5, 1, h, press_y, 5);
    assert_true(isinf(p.error[4]));
    assert_relative(p.error[3], press_mse, 1e-10);
    for (size_t i = 0; i < N; i++) {
        assert_close(p.w.leverage[i], press_one_leverage[i], 1e-11);
        if (i != 7) assert_close(p.w.residual[i] / (1 - p.w.leverage[i]), press_one_loo[i], 1e-10);
    }
    press_free(&p);
}

/* Least squares on the first m columns without row `out`, by Gaussian elimination; the prediction of that row. */
static double refit(size_t n, size_t m, const double *h, const double *y, size_t out)
{
    double a[12][13] = {{0}}, b[12], sum = 0;
    for (size_t i = 0; i < n; i++)
        for (size_t c = 0; i != out && c < m; c++) {
            for (size_t d = 0; d < m; d++) a[c][d] += h[i + n * c] * h[i + n * d];
            a[c][m] += h[i + n * c] * y[i];
        }
    for (size_t c = 0; c < m; c++)
        for (size_t d = c + 1; d < m; d++) {
            double f = a[d][c] / a[c][c];
            for (size_t e = c; e <= m; e++) a[d][e] -= f * a[c][e];
        }
    for (size_t c = m; c-- > 0; ) {
        b[c] = a[c][m];
        for (size_t d = c + 1; d < m; d++) b[c] -= a[c][d] * b[d];
        b[c] /= a[c][c];
        sum += b[c] * h[out + n * c];
    }
    return sum;
}

static void press_of_every_size_equals_refits(void **state)
{
    size_t n = 33, m = 10, k = 2;
    double *h = made_matrix(20, n, m, 1), *y = made_matrix(21, n, k, 0.5);
    struct press p;
    (void)state;
    for (size_t i = 0; i < n; i++) h[i] = 1;
    press_run(&p, n, m, k, h, y, m);
    for (size_t s = 1; s <= m; s++) {
        double sum = 0;
        for (size_t o = 0; o < k; o++)
            for (size_t i = 0; i < n; i++) sum += pow(y[i + n * o] - refit(n, s, h, y + n * o, i), 2) / (double)(n * k);
        assert_relative(p.error[s - 1], sum, 1e-9);
    }
    press_free(&p);
    free(h), free(y);
}

/* Both routes to the basis: columns that are collinear to 1e-4, too close for the normal equations, and exactly. */
static void hard_bases_are_orthogonal(void **state)
{
    size_t n = 120, m = 60;
    (void)state;
    for (int how = 0; how < 4; how++) {
        double *h = made_matrix(30, n, m, how ? 3 : 0), *y = made_matrix(31, n, 1, 0);
        struct press p;
        for (size_t j = 1; how > 1 && j < m; j++)
            for (size_t i = 0; i < n; i++)
                h[i + n * j] = h[i + n * (j - 1)] + (how == 3 && j % 7 == 0 ? 0 : 1e-4) * h[i + n * j];
        press_run(&p, n, m, 1, h, y, m);
        for (size_t a = 0; a < m; a++) {
            double own = 0;
            for (size_t i = 0; i < n; i++) own += p.q[i + n * a] * p.q[i + n * a];
            if (how != 3 || a % 7 || own != 0) assert_close(own, 1, 1e-13);
            for (size_t b = 0; b < a; b++) {
                double dot = 0;
                for (size_t i = 0; i < n; i++) dot += p.q[i + n * a] * p.q[i + n * b];
                assert_close(dot, 0, 1e-12);
            }
        }
        press_free(&p);
        free(h), free(y);
    }
}

/* ---- the network ---- */

static void hidden_layer_equals_the_formulas(void **state)
{
    tamis_context *cx = *state;
    size_t n = 40, d = 3;
    double *x = made_matrix(40, n, d, 0.3), *w = made_matrix(41, d, 8, 0);
    struct tamis_elm *e = tamis_elm_new(cx, d, 1, 2, 4, 3);
    e->input[0] = 2, e->input[1] = 0;
    memcpy(e->weight, w, d * 4 * sizeof *w);
    for (size_t i = 0; i < 4; i++) e->bias[i] = (double)i - 1.3;
    e->weight[0] = 400;                                         /* saturates */
    e->weight[3] = e->weight[4] = e->weight[5] = 1e-9, e->bias[1] = 0;
    for (size_t i = 0; i < 3; i++) {
        e->width[i] = 0.5 + (double)i;
        for (size_t c = 0; c < d; c++) e->centre[c + d * i] = x[7 + i + n * c];
    }
    double h[40 * 9], work[43];
    tamis_elm_hidden(e, x, n, n, h, work);
    for (size_t i = 0; i < n; i++) {
        assert_true(h[i] == x[i + n * 2] && h[i + n] == x[i]);
        for (size_t j = 0; j < 4; j++) {
            double a = e->bias[j];
            for (size_t c = 0; c < d; c++) a += e->weight[c + d * j] * x[i + n * c];
            assert_close(h[i + n * (2 + j)], tanh(a), 1e-15);
        }
        for (size_t j = 0; j < 3; j++) {
            double d2 = 0;
            for (size_t c = 0; c < d; c++) d2 += pow(x[i + n * c] - e->centre[c + d * j], 2) / (double)d;
            assert_close(h[i + n * (6 + j)], exp(-d2 / pow(e->width[j], 2)), 1e-13);
        }
    }
    size_t keep[3] = {1, 4, 8};
    struct tamis_elm *k = tamis_elm_keep(cx, e, keep, 3);
    double small[40 * 3];
    tamis_elm_hidden(k, x, n, n, small, work);
    for (size_t j = 0; j < 3; j++)
        for (size_t i = 0; i < n; i++) assert_close(small[i + n * j], h[i + n * keep[j]], 1e-15);
    tamis_elm_free(e), tamis_elm_free(k);
    free(x), free(w);
}

/* ---- end to end ---- */

/* The PRESS that the criterion reports is that of the model it fits, by N refits of the weights. */
static void criterion_press_is_the_error_of_refits(void **state)
{
    static const size_t self[1] = {SIZE_MAX};
    tamis_context *cx = *state;
    tamis_table *t = made(cx, "friedman1", "45", "3");
    tamis_options *o = OPTIONS("neurons", "lsg", "max-neurons", "6");
    struct tamis_encoder *e = tamis_encoder_new(cx, t, &(struct tamis_roles){.force = -1});
    size_t *row, n;
    assert_int_equal(tamis_rows_complete(cx, e, t, 1, &row, &n), TAMIS_OK);
    struct tamis_design *d = tamis_design_learn(cx, e, t, row, n, 1);
    const struct tamis_criterion *c = tamis_criterion_find("press");
    unsigned char set[10] = {1, 1, 0, 1, 0, 0, 0, 0, 0, 0};
    void *scorer = NULL;
    struct tamis_score score;
    struct tamis_model *m = NULL;
    assert_int_equal(c->start(cx, d, o, 5, &scorer), TAMIS_OK);
    assert_int_equal(c->evaluate(scorer, set, self, 1, NULL, &score), TAMIS_OK);
    assert_int_equal(c->fit(scorer, set, &score, &m, NULL), TAMIS_OK);
    const struct tamis_elm *net = m->body;
    size_t size = tamis_elm_neurons(net);
    assert_true(size == (size_t)score.parameter[0] && size > 0 && size <= 9);
    double x[45 * 3], h[45 * 10], work[60], out[45], sum = 0;
    for (size_t i = 0; i < n; i++) x[i] = d->x[i], x[i + n] = d->x[i + n], x[i + 2 * n] = d->x[i + 3 * n];
    for (size_t i = 0; i < n; i++) h[i] = 1;
    tamis_elm_hidden(net, x, n, n, h + n, work);
    for (size_t i = 0; i < n; i++) sum += pow(d->y[i] - refit(n, size + 1, h, d->y, i), 2) / (double)n;
    assert_relative(score.value, sum, 1e-7);
    assert_int_equal(m->kind->predict(cx, net, x, n, n, out), TAMIS_OK);
    for (size_t j = 0; j <= size; j++) { /* least squares: the residual is orthogonal to every neuron */
        double dot = 0;
        for (size_t i = 0; i < n; i++) dot += h[i + n * j] * (d->y[i] - out[i]);
        assert_close(dot, 0, 1e-9);
    }
    tamis_model_free(m);
    c->finish(scorer);
    tamis_design_free(d);
    tamis_encoder_free(e);
    tamis_free(row);
    tamis_options_free(o);
    tamis_table_free(t);
}

static void press_serves_every_search(void **state)
{
    tamis_context *cx = *state;
    const struct tamis_search *s;
    tamis_table *t = made(cx, "friedman1", "120", "1");
    for (size_t i = 0; (s = tamis_search_at(i)); i++) {
        if (strcmp(s->name, "forward") && strcmp(s->name, "eliminate") && strcmp(s->name, "backward") &&
            strcmp(s->name, "forward-backward"))
            continue;
        tamis_result *r = chosen(cx, t, NULL,
                                 OPTIONS("method", "opelm", "select", "press", "search", s->name, "max-neurons", "20"));
        assert_true(r->selected >= 1);
        assert_at_most(r->error, r->all_inputs);
        assert_true(r->steps >= 1);
        if (!strcmp(s->name, "forward"))
            assert_true(r->input[3].selected && r->input[0].selected && r->input[1].selected);
        tamis_result_free(r);
    }
    tamis_table_free(t);
}

static void delta_is_asked_for_by_name(void **state)
{
    tamis_context *cx = *state;
    tamis_table *t = made(cx, "friedman1", "80", "2");
    tamis_result *r = chosen(cx, t, NULL, OPTIONS("method", "opelm", "max-neurons", "10"));
    assert_true(r->steps > 1 && r->selected >= 3 && r->selected < 10 && strstr(r->units, "mean squared error"));
    assert_string_equal(r->criterion, "delta");
    assert_string_equal(r->error_name, "press");
    tamis_result_free(r);
    tamis_table_free(t);
}

static void same_bits_for_any_number_of_threads(void **state)
{
    tamis_context *cx = *state;
    tamis_table *t = made(cx, "friedman1", "90", "4");
    for (int i = 0; i < 3; i++) {
        tamis_options *o = !i       ? OPTIONS("method", "lars")
                           : i == 1 ? OPTIONS("method", "opelm", "select", "none", "neurons", "lsg")
                                    : OPTIONS("method", "forward", "criterion", "press", "max-neurons", "30",
                                              "max-inputs", "4");
        same_bits(cx, t, o, NULL);
    }
    tamis_table_free(t);
}

/* A restored model predicts the same; the test error is that of its predictions in units of the target. */
static void check_model(tamis_context *cx, const tamis_table *t, const tamis_table *fresh, tamis_options *o,
                        const size_t *target, size_t targets)
{
    size_t rows = fresh->rows;
    double *p = malloc(rows * targets * sizeof *p), error = 0;
    tamis_result *r = chosen(cx, t, fresh, o);
    tamis_model *m = came_back(cx, r->model, fresh, p, NULL);
    assert_int_equal(tamis_model_targets(m), targets);
    for (size_t k = 0; k < targets; k++) {
        double spread = variance(t->column[target[k]].value, t->rows);
        for (size_t i = 0; i < rows; i++)
            error += pow(p[i + rows * k] - fresh->column[target[k]].value[i], 2) / spread / (double)(rows * targets);
        assert_string_equal(tamis_model_target_at(m, k), t->column[target[k]].name);
    }
    assert_relative(error, r->test, 1e-9);
    damage_is_refused(cx, m, 60);
    tamis_model_free(m);
    tamis_result_free(r);
    free(p);
}

static void models_come_back_the_same(void **state)
{
    static const size_t last[1] = {10}, two[2] = {10, 4};
    tamis_context *cx = *state;
    tamis_table *t = made(cx, "friedman1", "100", "2"), *fresh = made(cx, "friedman1", "300", "8");
    tamis_options *one[] = {
        OPTIONS("method", "lars"), OPTIONS("method", "opelm", "select", "none", "neurons", "lsg"),
        OPTIONS("method", "opelm", "select", "none", "neurons", "ls", "plain", "", "max-neurons", "20"),
        OPTIONS("method", "opelm", "select", "none", "factors", "x1=0.5,x7=0,x4=0.1"),
        OPTIONS("method", "opelm", "scaling", "")}; /* the weights of the search are in the encoder */
    tamis_options *both[] = {OPTIONS("method", "lars", "target", "y,x5"),
                             OPTIONS("method", "opelm", "select", "none", "target", "y,x5")};
    for (size_t i = 0; i < sizeof one / sizeof *one; i++) check_model(cx, t, fresh, one[i], last, 1);
    for (size_t i = 0; i < sizeof both / sizeof *both; i++) check_model(cx, t, fresh, both[i], two, 2);
    tamis_table_free(t);
    tamis_table_free(fresh);
}

static void options_of_the_network(void **state)
{
    tamis_context *cx = *state;
    tamis_table *t = made(cx, "friedman1", "150", "2");
    tamis_result *r = chosen(cx, t, NULL, OPTIONS("method", "opelm", "select", "none", "keep-linear", ""));
    assert_int_equal(((const struct tamis_elm *)r->model->body)->linear, 10);
    tamis_result_free(r);
    r = chosen(cx, t, NULL,
               OPTIONS("method", "opelm", "select", "none", "plain", "", "max-neurons", "21", "neurons", "lsg"));
    const struct tamis_elm *e = r->model->body;
    assert_true(e->linear == 10 && e->sigmoid == 11 && e->gauss == 10);
    tamis_result_free(r);
    r = chosen(cx, t, NULL,
               OPTIONS("method", "opelm", "select", "none", "neurons",
                       "l")); /* no more than the linear fit of all inputs */
    double linear = r->error;
    e = r->model->body;
    assert_true(e->sigmoid == 0 && e->gauss == 0 && e->linear >= 4);
    tamis_result_free(r);
    r = chosen(cx, t, NULL, OPTIONS("method", "lars"));
    double least = INFINITY;
    for (size_t k = 1; k < r->steps; k++) least = fmin(least, r->path[k].parameters[1]);
    assert_relative(least, linear, 1e-9);
    tamis_result_free(r);
    tamis_table_free(t);
}

/* x1 weighs three times as much as x2, x3 is noise; colour is a category; the last input is a twin. */
static void lars_ranks_chooses_and_skips(void **state)
{
    tamis_context *cx = *state;
    tamis_options *o = OPTIONS("method", "lars");
    tamis_result *r = NULL;
    struct tamis_rng rng;
    char text[16384] = "x1,x2,x3,colour,twin,y\n";
    tamis_rng_init(&rng, 6, TAMIS_RNG_TEST, 0);
    for (int i = 0; i < 120; i++) {
        int colour = (int)tamis_rng_below(&rng, 3);
        double a = tamis_rng_normal(&rng), b = tamis_rng_normal(&rng), c = tamis_rng_normal(&rng);
        snprintf(text + strlen(text), 100, "%.5f,%.5f,%.5f,%s,%.5f,%.5f\n", a, b, c,
                 (const char *[]){"red", "green", "blue"}[colour], 2 * a + 1,
                 3 * a + b + (colour == 1 ? 2 : 0) + 0.1 * tamis_rng_normal(&rng));
    }
    assert_int_equal(select_text(cx, text, o, &r), TAMIS_OK);
    size_t first = r->input[0].selected ? 0 : 4, other = 4 - first;            /* either of the twins */
    assert_true(r->input[first].rank == 1 && r->input[first].selected && r->input[1].selected && r->input[3].selected &&
                !r->input[other].selected);
    assert_int_equal(r->input[other].rank, 5);
    assert_true(r->input[other].relevance == 0);
    assert_above(r->input[first].relevance, r->input[1].relevance);
    assert_below(r->error, 0.002);
    assert_true(r->path[0].size == 0 && r->path[0].changed == -1 && r->steps == 5);
    for (size_t k = 0; k < r->steps; k++) assert_at_most(r->error, r->path[k].criterion);
    tamis_result_free(r);
    tamis_options_free(o);
}

/* With one fold per row, the error of all inputs is PRESS and that of none is that of the mean of the others; in
 * between the path may differ by row. */
static void folds_of_one_row_are_leave_one_out(void **state)
{
    tamis_context *cx = *state;
    tamis_table *t = made(cx, "friedman1", "40", "6");
    tamis_result *r = chosen(cx, t, NULL, OPTIONS("method", "lars", "folds", "40"));
    assert_int_equal(r->steps, 11);
    assert_relative(r->path[10].criterion, r->path[10].parameters[1], 1e-9);
    assert_relative(r->path[0].criterion, pow(40.0 / 39.0, 2), 1e-9);
    assert_true(r->all_inputs == r->path[10].criterion);
    tamis_result_free(r);
    tamis_table_free(t);
}

/* 200 inputs, 80 rows, three that matter: PRESS along the path would keep dozens. */
static void few_of_many_inputs_are_kept(void **state)
{
    enum { N = 80, P = 200 };
    tamis_context *cx = *state;
    double *x = made_matrix(60, N, P + 1, 0);
    tamis_table *t = NULL;
    for (size_t i = 0; i < N; i++)
        x[i + N * P] = 0.3 * x[i + N * P] + x[i + N * 5] - 2 * x[i + N * 77] + x[i + N * 123];
    assert_int_equal(tamis_table_from_numbers(cx, N, P + 1, x, 1, N, NULL, &t), TAMIS_OK);
    tamis_result *r = chosen(cx, t, NULL, OPTIONS("method", "lars"));
    assert_true(r->input[5].selected && r->input[77].rank == 1 && r->input[123].selected && r->selected <= 8);
    tamis_result_free(r);
    tamis_table_free(t);
    free(x);
}

static void nothing_helps_is_an_answer(void **state)
{
    tamis_context *cx = *state;
    tamis_options *o = OPTIONS("method", "lars");
    struct tamis_rng rng;
    size_t empty = 0;
    for (uint32_t seed = 0; seed < 20; seed++) {
        tamis_result *r = NULL;
        char text[8192] = "x1,x2,y\n";
        tamis_rng_init(&rng, 9, TAMIS_RNG_TEST, seed);
        for (int i = 0; i < 60; i++)
            snprintf(text + strlen(text), 100, "%.5f,%.5f,%.5f\n", tamis_rng_normal(&rng), tamis_rng_normal(&rng),
                     tamis_rng_normal(&rng));
        assert_int_equal(select_text(cx, text, o, &r), TAMIS_OK);
        if (!r->selected) {
            double p[60];
            tamis_table *t = text_table(cx, text);
            tamis_model *m = came_back(cx, r->model, t, p, NULL);      /* a model without inputs: the mean */
            assert_true(p[0] == p[59] && isfinite(p[0]));
            tamis_table_free(t);
            tamis_model_free(m);
            empty++;
        }
        tamis_result_free(r);
    }
    assert_at_least(empty, 8);                  /* two useless inputs: the mean wins in about six of ten tables */
    tamis_options_free(o);
}

static void hard_tables_are_survived(void **state)
{
    static const char *const text[] = {
        HARD_NUMBERS, "x,y\n1,3\n2,5\n4,4\n5,9\n",
        ("x,y\n1e15,1000000000000001\n1000000000000001,1000000000000002\n1000000000000002,"
         "1000000000000004\n1000000000000003,1000000000000003\n"),
        "x,c,y\n1,a,3\n2,b,5\n4,a,4\n5,b,9\n"};
    tamis_context *cx = *state;
    for (size_t i = 0; i < sizeof text / sizeof *text; i++)
        for (int how = 0; how < 4; how++) {
            tamis_options *o = !how       ? OPTIONS("method", "lars")
                               : how == 1 ? OPTIONS("method", "opelm", "select", "none", "neurons", "lsg")
                               : how == 2 ? OPTIONS("method", "forward", "criterion", "press")
                                          : OPTIONS("method", "opelm", "select", "none", "neurons", "ls", "plain", "",
                                                    "max-neurons", "1");
            tamis_result *r = NULL;
            int status = select_text(cx, text[i], o, &r);
            if (status != TAMIS_NUMERIC ||
                how != 3) { /* with too few rows a plain ELM has no finite error and is refused */
                if (status) fail_msg("table %zu, way %d: %s", i, how, tamis_error(cx));
                assert_true(isfinite(r->error));
            }
            tamis_result_free(r);
            tamis_options_free(o);
        }
}

static void wrong_options_get_a_sentence(void **state)
{
    static const char table[] = "x,z,y\n1,2,3\n2,4,5\n3,3,4\n4,2,9\n";
    static const struct { const char *name, *value, *says;
    } bad[] = {{"select", "magic", "unknown criterion"}, {"factors", "x=2", "NAME=F"},
               {"factors", "q=0.5", "unknown input"},    {"factors", "x=0,z=0", "above 0"},
               {"sigma2", "1:5:3", "does not belong"},   {"scaling", "", "factors with --factors"},
               {"target", "y,q", "no such column"},      {"target", "y,y", "named twice"}};
    tamis_context *cx = *state;
    for (size_t i = 0; i < sizeof bad / sizeof *bad; i++)
        refused(cx, table, OPTIONS("method", "opelm", "select", "none", bad[i].name, bad[i].value), TAMIS_USAGE,
                bad[i].says);
    refused(cx, table, OPTIONS("method", "sparse-rbf", "target", "y,z"), TAMIS_USAGE, "predicts one target");
}

static void every_allocation_may_fail(void **state)
{
    tamis_context *cx = *state;
    tamis_table *t = made(cx, "friedman1", "20", "4");
    for (int how = 0; how < 3; how++) {
        tamis_options *o = !how       ? OPTIONS("method", "lars", "holdout", "0.3")
                           : how == 1 ? OPTIONS("method", "opelm", "select", "none", "max-neurons", "4", "holdout",
                                                "0.3", "factors", "x1=0.5")
                                      : OPTIONS("method", "opelm", "select", "press", "search", "forward", "max-inputs",
                                                "2", "max-neurons", "3", "target", "y,x2");
        run_survives_failing_memory(cx, t, o, 60, 5000);
    }
    tamis_table_free(t);
}

int main(void)
{
    const struct CMUnitTest tests[] = {TEST(lars_is_the_known_one),
                                       TEST(lars_correlations_stay_equal),
                                       TEST(several_equal_outputs_walk_as_one),
                                       TEST(collinear_columns_come_last),
                                       TEST(press_is_the_known_one),
                                       TEST(press_of_every_size_equals_refits),
                                       TEST(hard_bases_are_orthogonal),
                                       TEST(hidden_layer_equals_the_formulas),
                                       TEST(criterion_press_is_the_error_of_refits),
                                       TEST(press_serves_every_search),
                                       TEST(delta_is_asked_for_by_name),
                                       TEST(same_bits_for_any_number_of_threads),
                                       TEST(models_come_back_the_same),
                                       TEST(options_of_the_network),
                                       TEST(lars_ranks_chooses_and_skips),
                                       TEST(folds_of_one_row_are_leave_one_out),
                                       TEST(few_of_many_inputs_are_kept),
                                       TEST(nothing_helps_is_an_answer),
                                       TEST(hard_tables_are_survived),
                                       TEST(wrong_options_get_a_sentence),
                                       TEST(every_allocation_may_fail)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
