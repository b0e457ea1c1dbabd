/* sift: known answers, nothing found in noise, no leak from held-out rows, threads, checkpoints, hard tables, failing
 * memory. */
#include "base/rng.h"
#include "data/design.h"
#include "method/sift/sift_trail.h"
#include "model/linear.h"
#include "model/model.h"
#include "model/terms.h"
#include "unit.h"

/* ---- tables ---- */

typedef double target_of(const double *x, struct tamis_rng *r);

static double smooth(const double *x, struct tamis_rng *r)
{
    return sin(1.7 * x[1]) + 0.8 * x[3] * x[3] + 0.9 * x[4] + 0.2 * tamis_rng_normal(r);
}
static double product(const double *x, struct tamis_rng *r) { return x[0] * x[5] + 0.15 * tamis_rng_normal(r); }
static double straight(const double *x, struct tamis_rng *r) { return x[0] - 0.8 * x[2] + 0.4 * tamis_rng_normal(r); }
static double noise(const double *x, struct tamis_rng *r) { return (void)x, tamis_rng_normal(r); }
static double wild(const double *x, struct tamis_rng *r)
{
    return smooth(x, r) + (tamis_rng_uniform(r) < 0.04 ? 8 * tamis_rng_normal(r) : 0);
}
static double two(const double *x, struct tamis_rng *r)
{
    return x[2] * x[2] + 0.8 * x[4] + 0.1 * tamis_rng_normal(r) > 0.8;
}
static double three(const double *x, struct tamis_rng *r)
{
    double f = x[1] + 0.8 * x[3] + 0.1 * tamis_rng_normal(r);
    return f > 0.5 ? 2 : f > -0.5;
}

/* rows x (d + 1) normal numbers, the target last. */
static double *numbers(size_t rows, size_t d, target_of *f, uint32_t seed)
{
    struct tamis_rng r;
    double *v = malloc(rows * (d + 1) * sizeof *v), *x = malloc(d * sizeof *x);
    tamis_rng_init(&r, seed, TAMIS_RNG_TEST, 41);
    for (size_t i = 0; i < rows; i++) {
        for (size_t k = 0; k < d; k++) v[i + rows * k] = x[k] = tamis_rng_normal(&r);
        v[i + rows * d] = f(x, &r);
    }
    free(x);
    return v;
}

static tamis_table *table_of(tamis_context *cx, size_t rows, size_t d, double *v)
{
    tamis_table *t = joined(cx, rows, d, v, v + rows * d);
    free(v);
    return t;
}

static tamis_result *sifted(tamis_context *cx, size_t rows, size_t d, target_of *f, uint32_t seed, const char *name,
                            const char *value)
{
    tamis_table *t = table_of(cx, rows, d, numbers(rows, d, f, seed));
    tamis_result *r = chosen(cx, t, NULL, OPTIONS("method", "sift", name, value));
    tamis_table_free(t);
    return r;
}

static void assert_chosen(const tamis_result *r, const size_t *input, size_t n)
{
    assert_int_equal(r->selected, n);
    for (size_t i = 0; i < n; i++) assert_true(r->input[input[i]].selected);
}

static int noted(const tamis_result *r, const char *words)
{
    for (size_t i = 0; i < r->notes; i++)
        if (strstr(r->note[i], words)) return 1;
    return 0;
}

/* The model that the ladder took: "linear", "terms" or "network". */
static const char *rung_taken(const tamis_result *r)
{
    const tamis_value *ladder = tamis_value_at(r->value, "sift.ladder");
    for (size_t k = 0; k < tamis_value_length(ladder); k++) {
        const tamis_value *one = tamis_value_item(ladder, k);
        if (tamis_value_flag(one, "taken")) return tamis_value_text(one, "model");
    }
    return "none";
}

/* ---- answers ---- */

static void known_answers_are_found(void **state)
{
    static const size_t in_smooth[] = {1, 3, 4}, in_product[] = {0, 5}, in_straight[] = {0, 2};
    const struct { target_of *f; size_t rows, d, n; const size_t *input;
    } cases[] = {{smooth, 120, 12, 3, in_smooth},
                 {product, 120, 8, 2, in_product},
                 {straight, 80, 10, 2, in_straight},
                 {wild, 200, 8, 3, in_smooth}};
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        tamis_result *r = sifted(*state, cases[i].rows, cases[i].d, cases[i].f, 3, NULL, NULL);
        assert_chosen(r, cases[i].input, cases[i].n);
        assert_below(r->error, r->all_inputs * 1.05);
        assert_below(r->error, 1);
        assert_int_equal(r->path[r->chosen_step].size, cases[i].n);
        tamis_result_free(r);
    }
}

/* The first step drops all inputs that are in no model; then they leave one by one. */
static void the_path_falls_to_no_input(void **state)
{
    tamis_result *r = sifted(*state, 60, 30, smooth, 5, NULL, NULL);
    size_t left = 30;
    assert_int_equal(r->path[0].size, 30);
    assert_true(r->path[0].changed == -1);
    for (size_t k = 1; k < r->steps; k++) {
        assert_true(!r->path[k].added && r->path[k].changed >= 0);
        left -= 1 + r->path[k].also;
        assert_int_equal(r->path[k].size, left);
        if (k > 1 && left < 12) assert_int_equal(r->path[k].also, 0);
        assert_true(isfinite(r->path[k].criterion));
    }
    assert_int_equal(left, 0);
    assert_above((double)r->steps, 2);
    for (size_t i = 0; i < 30; i++) {
        assert_true(r->input[i].rank >= 1);
        if (r->input[i].selected) assert_above(r->input[i].relevance, 0);
    }
    tamis_result_free(r);
}

/* By chance, fewer than 1 table in 20 has something selected; 3 of 24 then has probability 0.1. */
static void noise_gives_nothing(void **state)
{
    size_t wrong = 0;
    for (uint32_t seed = 1; seed <= 24; seed++) {
        tamis_result *r = sifted(*state, 60, 8, noise, seed, NULL, NULL);
        wrong += r->selected > 0;
        if (!r->selected) {
            assert_true(noted(r, "no input helps"));
            assert_close(r->error, 1, 0.1);             /* of the mean */
        }
        tamis_result_free(r);
    }
    assert_at_most(wrong, 3);
}

static void the_empty_model_predicts_the_mean(void **state)
{
    tamis_context *cx = *state;
    double *v = numbers(40, 3, noise, 2), mean = 0, guess[40];
    for (size_t i = 0; i < 40; i++) v[i + 120] = 7 + 3 * v[i + 120], mean += v[i + 120] / 40;
    tamis_table *t = table_of(cx, 40, 3, v);
    tamis_result *r = chosen(cx, t, NULL, OPTIONS("method", "sift", "empty-se", "100", "clear", "1e6"));
    assert_int_equal(r->selected, 0);
    assert_int_equal(tamis_model_predict(cx, r->model, t, guess, NULL), TAMIS_OK);
    for (size_t i = 0; i < 40; i++) assert_close(guess[i], mean, 1e-9);
    tamis_result_free(r);
    tamis_table_free(t);
}

/* The share of rows classified correctly; scores are close to probabilities and sum to 1. */
static double right_share(tamis_context *cx, const tamis_model *m, const tamis_table *t, const double *y, size_t rows,
                          size_t classes)
{
    double *guess = malloc(rows * sizeof *guess), *score = malloc(rows * classes * sizeof *score), right = 0;
    const char *const *name;
    assert_int_equal(tamis_model_classes(m, &name), classes);
    assert_int_equal(tamis_model_predict(cx, m, t, guess, score), TAMIS_OK);
    for (size_t i = 0; i < rows; i++) {
        double sum = 0;
        for (size_t c = 0; c < classes; c++) sum += score[i + rows * c];
        assert_close(sum, 1, 1e-6);
        right += (guess[i] == y[i]) / (double)rows;
    }
    free(guess);
    free(score);
    return right;
}

static void classes_are_told_apart(void **state)
{
    static const size_t in_two[] = {2, 4}, in_three[] = {1, 3};
    tamis_context *cx = *state;
    for (size_t classes = 2; classes <= 3; classes++) {
        enum { ROWS = 150, D = 7 };
        double *v = numbers(ROWS, D, classes == 2 ? two : three, 9), *y = malloc(ROWS * sizeof *y);
        memcpy(y, v + ROWS * D, ROWS * sizeof *y);
        tamis_table *t = table_of(cx, ROWS, D, v);
        tamis_result *r = chosen(cx, t, NULL, OPTIONS("method", "sift", "task", "classification"));
        assert_chosen(r, classes == 2 ? in_two : in_three, 2);
        assert_below(r->error, 0.15);
        assert_above(right_share(cx, r->model, t, y, ROWS, classes), 0.9);
        tamis_result_free(r);
        tamis_table_free(t);
        free(y);
    }
}

static void the_linear_answer_where_nothing_nonlinear_helps(void **state)
{
    static const size_t in_straight[] = {0, 2};
    tamis_context *cx = *state;
    tamis_result *r = sifted(cx, 100, 6, straight, 4, "final", "auto");
    assert_chosen(r, in_straight, 2);
    assert_ptr_equal(r->model->kind, &tamis_linear_kind);
    const struct tamis_linear *m = r->model->body;
    assert_above(m->b[0], 0.5);
    assert_below(m->b[1], -0.4);
    assert_string_equal(rung_taken(r), "linear");
    tamis_result_free(r);
    r = sifted(cx, 120, 6, smooth, 4, "final", "auto");
    assert_ptr_equal(r->model->kind, &tamis_terms_kind);
    assert_string_not_equal(rung_taken(r), "linear");
    tamis_result_free(r);
}

/* 14 rows: fewer than five per coefficient, which is what the automatic choice wants. */
static void a_linear_model_that_was_asked_for_is_linear_or_an_error(void **state)
{
    tamis_context *cx = *state;
    tamis_table *t = table_of(cx, 14, 3, numbers(14, 3, straight, 4));
    tamis_result *r = chosen(cx, t, NULL, OPTIONS("method", "sift", "final", "linear", "empty-se", "0", "stable", "0"));
    assert_above(r->selected, 0);
    assert_ptr_equal(r->model->kind, &tamis_linear_kind);
    tamis_result_free(r);
    r = chosen(cx, t, NULL, OPTIONS("method", "sift", "final", "linear", "empty-se", "100", "clear", "1e6"));
    assert_int_equal(r->selected, 0);
    assert_ptr_equal(r->model->kind, &tamis_linear_kind);       /* the mean */
    tamis_result_free(r);
    tamis_table_free(t);
    char text[1024] = "level,y\n";
    for (size_t i = 0; i < 24; i++)             /* 11 levels: 12 coefficients, from 12 rows */
        sprintf(text + strlen(text), "l%zu,%g\n", i % 11, (double)(i % 11) + 0.1 * sin((double)i));
    tamis_options *o = OPTIONS("method", "sift", "final", "linear", "rule-folds", "2");
    assert_int_equal(select_text(cx, text, o, &r), TAMIS_DATA);
    says(cx, "--final linear: a fold has too few rows for the columns of the chosen inputs;");
    tamis_options_free(o);
}

/* Reports rise, and there are many of them. */
struct reports { size_t count; double last; };

static void report(void *user, const char *what, double done, double total)
{
    struct reports *p = user;
    if (strcmp(what, "sift")) return;
    assert_at_least(done / total, p->last);
    assert_at_most(done, total);
    p->last = done / total;
    p->count++;
}

static void progress_moves(void **state)
{
    struct reports p = {0};
    tamis_context *cx = *state;
    tamis_context_limits(cx, 1, 0);
    tamis_context_on_progress(cx, report, &p);
    tamis_result_free(sifted(cx, 60, 5, straight, 4, NULL, NULL));
    assert_above((double)p.count, 50);                  /* trails, and networks while they learn */
    assert_close(p.last, 1, 0);
}

static void auto_says_what_it_picked(void **state)
{
    tamis_context *cx = *state;
    tamis_result *r = sifted(cx, 100, 6, straight, 4, "method", "auto");
    assert_string_equal(r->method, "sift");
    assert_non_null(strstr(r->picked, "sift for regression with 100 rows and 6 inputs"));
    assert_ptr_equal(r->model->kind, &tamis_linear_kind);
    tamis_result_free(r);
}

/* ---- many rows, many inputs ---- */

/* Terms are tested and fitted on all of them; a network learns its weights on some. */
static void many_rows_are_all_used(void **state)
{
    static const size_t in_smooth[] = {1, 3, 4};
    tamis_result *r = sifted(*state, 900, 6, smooth, 8, "learn-rows", "120");
    assert_chosen(r, in_smooth, 3);
    assert_close(tamis_value_number(r->value, "sift.observations"), 900, 0);
    assert_ptr_equal(r->model->kind, &tamis_terms_kind);
    assert_at_most((double)((const struct tamis_terms *)r->model->body)->centres, 300);         /* fit-rows */
    assert_below(r->error, 0.06);                       /* the noise is 0.02 of the variance */
    tamis_result_free(r);
}

static void many_inputs_are_searched(void **state)
{
    static const size_t in_smooth[] = {1, 3, 4};
    tamis_result *r = sifted(*state, 120, 260, smooth, 6, NULL, NULL);
    assert_chosen(r, in_smooth, 3);
    assert_int_equal(r->path[0].size, 260);
    assert_string_equal(tamis_value_text(r->value, "sift.start"), "terms");          /* no network of so many inputs */
    assert_above(tamis_value_number(r->value, "sift.ridge_error"), 2 * r->error);
    tamis_result_free(r);
}

static void memory_is_refused_before_the_run(void **state)
{
    tamis_context *cx = *state;
    tamis_table *t = table_of(cx, 3000, 40, numbers(3000, 40, smooth, 1));
    tamis_options *o = OPTIONS("method", "sift", "fit-rows", "2000", "learn-rows", "3000");
    tamis_result *r = NULL;
    tamis_context_limits(cx, 2, 1e8);
    assert_int_equal(tamis_select(cx, t, NULL, o, &r), TAMIS_MEMORY);
    says(cx, "--learn-rows");
    tamis_options_free(o);
    tamis_table_free(t);
}

/* ---- held-out rows ---- */

/* A path learns nothing from the rows it is measured on: with those corrupted it keeps every bit. */
static void held_rows_do_not_reach_the_path(void **state)
{
    enum { ROWS = 80, D = 6, HELD = 16 };
    tamis_context *cx = *state;
    tamis_table *t = table_of(cx, ROWS, D, numbers(ROWS, D, smooth, 12));
    struct tamis_roles roles = {.force = -1};
    struct tamis_encoder *e = tamis_encoder_new(cx, t, &roles);
    size_t row[ROWS], size[D];
    for (size_t i = 0; i < ROWS; i++) row[i] = i;
    for (size_t k = 0; k < D; k++) size[k] = D - k;
    struct tamis_design *d = tamis_design_learn(cx, e, t, row, ROWS, 1);
    double base = 0, back = 1, *target = malloc(ROWS * sizeof *target);
    memcpy(target, d->y, ROWS * sizeof *target);
    struct sift_frame f = {.cx = cx,
                           .design = d,
                           .outputs = 1,
                           .target = target,
                           .levels = 1,
                           .base = &base,
                           .back = &back,
                           .sizes = D,
                           .size = size,
                           .learn = 500,
                           .seed = 1};
    struct sift_path *p[2];
    for (int spoilt = 0; spoilt < 2; spoilt++) {
        for (size_t i = ROWS - HELD; spoilt && i < ROWS; i++) {
            target[i] = 1e6 * (double)i;
            for (size_t k = 0; k < D; k++) d->x[i + ROWS * k] = -1e3;
        }
        assert_non_null(p[spoilt] = sift_path_new(&f, HELD));
        assert_int_equal(sift_path_run(&f, row, ROWS - HELD, row + ROWS - HELD, HELD, p[spoilt]), TAMIS_OK);
    }
    assert_memory_equal(p[0]->set, p[1]->set, D * D);
    assert_memory_equal(p[0]->relevance, p[1]->relevance, D * sizeof(double));
    assert_memory_equal(p[0]->evidence, p[1]->evidence, D * sizeof(double));
    assert_above(p[1]->loss[0], 1e6 * p[0]->loss[0]);
    sift_path_free(p[0]);
    sift_path_free(p[1]);
    tamis_design_free(d);
    tamis_encoder_free(e);
    tamis_table_free(t);
    free(target);
}

static int trail_same(const struct sift_trail *p, const struct sift_trail *q, size_t inputs)
{
    if (p->kind != q->kind || p->sizes != q->sizes || p->terms != q->terms || !p->net_set != !q->net_set) return 0;
    for (size_t k = 0; k < p->terms; k++)
        if (p->term[k].inputs != q->term[k].inputs ||
            memcmp(p->term[k].input, q->term[k].input, p->term[k].inputs * sizeof *p->term[k].input))
            return 0;
    return !memcmp(p->set, q->set, p->sizes * inputs) && p->far == q->far &&
           !memcmp(p->evidence, q->evidence, p->sizes * sizeof *p->evidence) &&
           !memcmp(p->share, q->share, inputs * sizeof *p->share) &&
           !memcmp(p->weight, q->weight, (inputs + 2) * sizeof *p->weight);
}

/* The same for the targets of a trail, whatever it starts from. (Functions are made of the inputs of all rows.) */
static void held_targets_do_not_reach_the_trail(void **state)
{
    enum { ROWS = 100, D = 5, HELD = 20 };
    static const enum sift_kind kinds[] = {SIFT_OPEN, SIFT_TERMS, SIFT_TERMS_AND_REST, SIFT_TERMS_AND_NETWORK,
                                           SIFT_NETWORK};
    tamis_context *cx = *state;
    tamis_table *t = table_of(cx, ROWS, D, numbers(ROWS, D, wild, 12));
    struct tamis_roles roles = {.force = -1};
    struct tamis_encoder *e = tamis_encoder_new(cx, t, &roles);
    size_t row[ROWS], size[D], in[D];
    for (size_t i = 0; i < ROWS; i++) row[i] = i;
    for (size_t k = 0; k < D; k++) size[k] = D - k, in[k] = k;
    struct tamis_design *d = tamis_design_learn(cx, e, t, row, ROWS, 1);
    double base = 0, back = 1, target[ROWS];
    struct sift_ground g = {.in = in, .ins = D, .se = 1.5, .clear = 1, .centres = 100};
    g.frame = (struct sift_frame){.cx = cx, .design = d, .outputs = 1, .target = target, .levels = 1, .base = &base,
                                  .back = &back, .sizes = D, .size = size, .learn = 500, .seed = 1};
    assert_int_equal(sift_functions_learn(cx, d, &g.functions), TAMIS_OK);
    for (size_t k = 0; k < sizeof kinds / sizeof *kinds; k++) {
        struct sift_trail *p[2];
        for (int spoilt = 0; spoilt < 2; spoilt++) {
            for (size_t i = 0; i < ROWS; i++) target[i] = spoilt && i >= ROWS - HELD ? 1e6 * (double)i : d->y[i];
            assert_non_null(p[spoilt] = sift_trail_new(&g, HELD));
            p[spoilt]->kind = kinds[k];
            assert_int_equal(sift_trail_run(&g, row, ROWS - HELD, row + ROWS - HELD, HELD, 1, p[spoilt]), TAMIS_OK);
        }
        assert_true(p[0]->sizes > 2 && trail_same(p[0], p[1], D));
        assert_above(p[1]->loss[0], 1e6 * p[0]->loss[0]);
        sift_trail_free(p[0]);
        sift_trail_free(p[1]);
    }
    sift_functions_free(&g.functions);
    tamis_design_free(d);
    tamis_encoder_free(e);
    tamis_table_free(t);
}

/* The error with a hold-out is that of the model on those rows. */
static void the_test_error_is_the_models(void **state)
{
    enum { ROWS = 120, D = 6, HELD = 50 };
    tamis_context *cx = *state;
    tamis_table *t = table_of(cx, ROWS, D, numbers(ROWS, D, smooth, 78)),
                *test = table_of(cx, HELD, D, numbers(HELD, D, smooth, 77));
    double guess[HELD], sum = 0;
    tamis_result *r = chosen(cx, t, test, OPTIONS("method", "sift"));
    tamis_model *back = came_back(cx, r->model, test, guess, NULL);
    for (size_t i = 0; i < HELD; i++)
        sum += pow(test->column[D].value[i] - guess[i], 2) / HELD / variance(t->column[D].value, ROWS);
    assert_close(sum, r->test, 1e-9);
    assert_below(r->test, 0.2);
    damage_is_refused(cx, back, 100);
    tamis_model_free(back);
    tamis_result_free(r);
    tamis_table_free(t);
    tamis_table_free(test);
}

/* ---- the same bits ---- */

static void same_bits_for_any_number_of_threads(void **state)
{
    tamis_context *cx = *state;
    for (int classes = 0; classes < 2; classes++) {
        tamis_table *t = table_of(cx, 70, 5, numbers(70, 5, classes ? three : smooth, 10));
        same_bits(cx, t, OPTIONS("method", "sift", classes ? "task" : NULL, "classification"), NULL);
        tamis_table_free(t);
    }
}

static void stopped_runs_resume_to_the_same_result(void **state)
{
    tamis_context *cx = *state;
    tamis_table *t = table_of(cx, 50, 5, numbers(50, 5, smooth, 10));
    tamis_options *o = OPTIONS("method", "sift");
    tamis_context_limits(cx, 1, 0);
    assert_above(stopped_and_resumed(cx, t, o, 30, 30), 1);     /* learning functions asks some ten times */
    tamis_table_free(t);
}

/* ---- hard tables ---- */

static void hard_tables_are_survived(void **state)
{
    static const char *const text[] = {
        HARD_NUMBERS,
        "x,y\n1,2\n2,4\n3,6\n4,8\n5,10\n6,12\n7,14\n8,16\n",                             /* one input, no noise */
        "a,b,c,d,e,f,y\n1,2,3,4,5,6,1\n2,1,4,3,6,5,2\n6,5,4,3,2,1,4\n3,1,2,6,5,4,3\n",   /* more inputs than rows */
        "x,k,y\n1,a,p\n2,b,p\n3,a,q\n4,b,q\n5,a,q\n6,b,p\n7,c,p\n",                      /* categories, few of each */
        "k,x,y\na,1,1\nb,4,2\nc,2,3\nd,5,4\ne,3,5\nf,6,6\ng,9,7\nh,7,8\ni,8,9\n",         /* one level per row */
        "k,x,y\na,1,p\nb,4,q\nc,2,p\nd,5,q\n",
        "x,y\n1,2\n2,3\n4,1\n",                                                         /* three, four, five rows */
        "x,z,y\n1,1,2\n2,4,3\n4,5,1\n3,2,2\n",
        "x,z,y\n1,1,p\n2,4,q\n4,5,r\n3,2,p\n7,9,q\n",                                   /* and three classes */
        "c,x,z,y\n7,1,1,2\n7,1,1,2\n7,1,1,2\n7,2,2,3\n7,2,2,3\n7,2,2,3\n7,3,3,9\n",     /* copies of all kinds */
        "x,y\n1e300,1e300\n-2e300,-2e300\n3e299,-1e299\n4e300,4e300\n-5e300,-5e300\n6e300,6e300\n"};
    tamis_context *cx = *state;
    for (size_t i = 0; i < sizeof text / sizeof *text; i++)
        for (int final = 0; final < 2; final++) {
            tamis_table *t = text_table(cx, text[i]);
            tamis_result *r = chosen(cx, t, NULL, OPTIONS("method", "sift", "final", final ? "network" : "auto",
                                                          "empty-se", final ? "0" : "2"));
            double guess[9];
            assert_true(isfinite(r->error) && isfinite(r->all_inputs));
            assert_int_equal(tamis_model_predict(cx, r->model, t, guess, NULL), TAMIS_OK);
            for (size_t k = 0; k < t->rows; k++) assert_true(isfinite(guess[k]));
            tamis_result_free(r);
            tamis_table_free(t);
        }
}

/* Copies of the relevant inputs: one of each is enough. */
static void of_copies_one_at_least_is_kept(void **state)
{
    enum { ROWS = 100, D = 8 };
    tamis_context *cx = *state;
    double *v = numbers(ROWS, D, smooth, 15);
    for (size_t k = 5; k < 8; k++)
        memcpy(v + ROWS * k, v + ROWS * (k - 4 + (k > 5)), ROWS * sizeof *v); /* of 1, 3, 4 */
    tamis_table *t = table_of(cx, ROWS, D, v);
    tamis_result *r = chosen(cx, t, NULL, OPTIONS("method", "sift"));
    assert_below(r->error, 0.2);
    for (size_t i = 1; i < 5; i++)
        if (i != 2) assert_true(r->input[i].selected || r->input[i == 1 ? 5 : i + 3].selected);
    assert_at_most(r->selected, 5);                     /* three are needed; a few copies may remain */
    tamis_result_free(r);
    tamis_table_free(t);
}

static void every_allocation_may_fail(void **state)
{
    tamis_context *cx = *state;
    for (int classes = 0; classes < 2; classes++) {
        tamis_table *t = table_of(cx, 30, 5, numbers(30, 5, classes ? two : straight, 6));
        run_survives_failing_memory(cx, t,
                                    OPTIONS("method", "sift", "rule-folds", "2", "final", "auto", "holdout", "0.2",
                                            "importance", "none", classes ? "task" : NULL, "classification"),
                                    100, 5000);
        tamis_table_free(t);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {TEST(known_answers_are_found),
                                       TEST(the_path_falls_to_no_input),
                                       TEST(noise_gives_nothing),
                                       TEST(the_empty_model_predicts_the_mean),
                                       TEST(classes_are_told_apart),
                                       TEST(the_linear_answer_where_nothing_nonlinear_helps),
                                       TEST(a_linear_model_that_was_asked_for_is_linear_or_an_error),
                                       TEST(progress_moves),
                                       TEST(auto_says_what_it_picked),
                                       TEST(many_rows_are_all_used),
                                       TEST(many_inputs_are_searched),
                                       TEST(memory_is_refused_before_the_run),
                                       TEST(held_rows_do_not_reach_the_path),
                                       TEST(held_targets_do_not_reach_the_trail),
                                       TEST(the_test_error_is_the_models),
                                       TEST(same_bits_for_any_number_of_threads),
                                       TEST(stopped_runs_resume_to_the_same_result),
                                       TEST(hard_tables_are_survived),
                                       TEST(of_copies_one_at_least_is_kept),
                                       TEST(every_allocation_may_fail)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
