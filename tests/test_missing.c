/* Missing values: the reduction by `clean`, imputation, and models that store it. */
#include "base/pack.h"
#include "base/rng.h"
#include "cases_opelm.h"
#include "data/design.h"
#include "data/table.h"
#include "model/model.h"
#include "unit.h"

/* ---- clean ---- */

/* Cell (i, j) holds 100 i + j: the value tells where a cell came from. */
static tamis_table *masked(tamis_context *cx)
{
    double x[30 * 8];
    tamis_table *t = NULL;
    for (size_t i = 0; i < 30; i++)
        for (size_t j = 0; j < 8; j++) x[i + 30 * j] = clean_mask[i * 8 + j] ? NAN : (double)(100 * i + j);
    assert_int_equal(tamis_table_from_numbers(cx, 30, 8, x, 1, 30, NULL, &t), TAMIS_OK);
    return t;
}

/* A number of the i-th entry of the trade-off. */
static double tried_at(const tamis_value *report, size_t i, const char *what)
{
    return tamis_value_number(tamis_value_item(tamis_value_get(report, "tradeoff"), i), what);
}

static void clean_is_the_known_one(void **state)
{
    tamis_context *cx = *state;
    tamis_table *t = masked(cx);
    for (size_t c = 0; c < sizeof clean_cases / sizeof *clean_cases; c++) {
        const struct clean_case *want = &clean_cases[c];
        char k[8];
        tamis_table *left = NULL;
        tamis_value *tried = NULL;
        snprintf(k, sizeof k, "%zu", want->per_step);
        tamis_options *o = OPTIONS("samples-per-step", k);
        assert_int_equal(tamis_table_clean(cx, t, o, &left, &tried), TAMIS_OK);
        assert_int_equal(tamis_value_length(tamis_value_get(tried, "tradeoff")), 1);
        assert_true(tamis_value_number(tried, "chosen") == 0 && tried_at(tried, 0, "rows") == (double)want->rows &&
                    tried_at(tried, 0, "columns") == (double)want->columns &&
                    tried_at(tried, 0, "iterations") == (double)want->iterations);
        assert_true(left->rows == want->rows && left->columns == want->columns);
        for (size_t j = 0; j < left->columns; j++)
            for (size_t i = 0; i < left->rows; i++)
                assert_true(left->column[j].value[i] == (double)(100 * want->row[i] + want->column[j]));
        for (size_t i = 0; i < left->rows; i++) assert_int_equal(tamis_table_cleaned(left)[i], want->row[i]);
        tamis_value_free(tried);
        tamis_table_free(left);
        tamis_options_free(o);
    }
    tamis_table_free(t);
}

static void clean_searches_the_tradeoff(void **state)
{
    tamis_context *cx = *state;
    tamis_table *t = masked(cx), *left = NULL;
    tamis_value *tried = NULL;
    tamis_options *o = OPTIONS("min-rows", "18");
    assert_int_equal(tamis_table_clean(cx, t, o, &left, &tried), TAMIS_OK);
    assert_int_equal(tamis_value_length(tamis_value_get(tried, "tradeoff")), 31);       /* k = 0..30 */
    double rows = tamis_value_number(tried, "rows"), columns = tamis_value_number(tried, "columns");
    for (size_t i = 0; i < 31; i++)
        assert_true(tried_at(tried, i, "rows") < 18 || tried_at(tried, i, "columns") <= columns);
    assert_true(rows >= 18 && (double)left->rows == rows);
    assert_true(tried_at(tried, (size_t)tamis_value_number(tried, "chosen"), "rows") == rows);
    tamis_value_free(tried);
    tamis_table_free(left);
    tamis_options_free(o);
    o = OPTIONS("target", "x8");                /* kept, whatever it lacks, and not counted */
    assert_int_equal(tamis_table_clean(cx, t, o, &left, &tried), TAMIS_OK);
    assert_string_equal(left->column[left->columns - 1].name, "x8");
    rows = tamis_value_number(tried, "rows"), columns = tamis_value_number(tried, "columns");
    assert_true((double)left->columns == columns + 1);
    for (size_t i = 0; i < tamis_value_length(tamis_value_get(tried, "tradeoff")); i++)
        assert_true(tried_at(tried, i, "rows") * tried_at(tried, i, "columns") <= rows * columns);
    for (size_t j = 0; j + 1 < left->columns; j++)
        for (size_t i = 0; i < left->rows; i++) assert_false(isnan(left->column[j].value[i]));
    tamis_value_free(tried);
    tamis_table_free(left);
    tamis_options_free(o);
    tamis_table_free(t);
}

static void clean_of_hard_tables(void **state)
{
    static const struct { const char *text; int status; size_t rows, columns;
    } c[] = {{"x,y\n1,2\n", TAMIS_OK, 1, 2},
             {"x,y\n1,\n", TAMIS_OK, 1, 1},
             {"x,y\n,\n", TAMIS_DATA, 0, 0},
             {"x\n1\nNA\n", TAMIS_DATA, 0, 0},
             {"a,b,c\n1,,x\n2,,y\n3,4,\n", TAMIS_OK, 2, 2},
             {"a,b,c\n1,,x\n2,,y\n3,,z\n", TAMIS_OK, 3, 2}};
    tamis_context *cx = *state;
    tamis_options *o = tamis_options_new(cx);
    for (size_t i = 0; i < sizeof c / sizeof *c; i++) {
        tamis_table *t = text_table(cx, c[i].text), *left = NULL;
        tamis_value *tried = NULL;
        int status = tamis_table_clean(cx, t, o, &left, &tried);
        if (status != c[i].status) fail_msg("table %zu: %d, %s", i, status, tamis_error(cx));
        if (status) assert_true(!left && !tried && strstr(tamis_error(cx), "cleaning leaves"));
        else assert_true(left->rows == c[i].rows && left->columns == c[i].columns);
        tamis_value_free(tried);
        tamis_table_free(left);
        tamis_table_free(t);
    }
    tamis_options_free(o);
    tamis_table *t = masked(cx), *left = NULL;
    tamis_value *tried = NULL;
    o = OPTIONS("target", "q");
    assert_int_equal(tamis_table_clean(cx, t, o, &left, &tried), TAMIS_USAGE);
    tamis_options_free(o);
    o = OPTIONS("samples-per-step", "31");      /* more than there are rows */
    assert_int_equal(tamis_table_clean(cx, t, o, &left, &tried), TAMIS_DATA);
    tamis_options_free(o);
    tamis_table_free(t);
}

static int clean_once(tamis_context *cx, void *table)
{
    tamis_table *left = NULL;
    tamis_value *tried = NULL;
    tamis_options *o = tamis_options_new(cx);
    int status = o ? tamis_options_set(o, "samples-per-step", "3") : TAMIS_MEMORY;
    if (!status) status = tamis_table_clean(cx, table, o, &left, &tried);
    if (status) assert_true(!left && !tried);
    tamis_value_free(tried);
    tamis_table_free(left);
    tamis_options_free(o);
    return status;
}

static void clean_with_failing_memory(void **state)
{
    tamis_table *t = masked(*state);
    assert_above(every_allocation_fails(*state, clean_once, t, 200), 5);
    tamis_table_free(t);
}

/* ---- imputation ---- */

static struct tamis_design *imputed(tamis_context *cx, const tamis_table *t, int how, size_t neighbours,
                                    struct tamis_encoder **e)
{
    size_t *row = NULL, rows;
    *e = tamis_encoder_new(cx, t, &(struct tamis_roles){.force = -1, .impute = how, .neighbours = neighbours});
    assert_non_null(*e);
    assert_int_equal(tamis_rows_complete(cx, *e, t, 1, &row, &rows), TAMIS_OK);
    struct tamis_design *d = tamis_design_learn(cx, *e, t, row, rows, 1);
    assert_non_null(d);
    tamis_free(row);
    return d;
}

static void medians_and_most_frequent_levels(void **state)
{
    tamis_context *cx = *state;
    tamis_table *t = text_table(cx, "x,c,e,y\n1,a,,1\n2,b,,2\n9,b,,3\n,b,,4\n4,,,5\n,,,6\n7,a,,\n");
    struct tamis_encoder *e;
    struct tamis_design *d = imputed(cx, t, TAMIS_IMPUTE_MEDIAN, 5, &e);
    assert_int_equal(d->rows, 6);                               /* the last row has no target and is dropped */
    double mean = 4, sd = sqrt((9 + 4 + 25 + 0) / 4.0);         /* of the observed 1, 2, 9, 4 */
    assert_close(e->mean[0], mean, 1e-12);
    assert_close(e->scale[0], sd, 1e-12);
    assert_close(d->x[3], (3 - mean) / sd, 1e-12);
    assert_true(d->x[3] == d->x[5]);                                            /* the median of 1, 2, 4, 9 is 3 */
    const struct tamis_feature *c = &e->input[1];
    for (size_t k = 0; k < 2; k++)
        assert_close(d->x[4 + 6 * (c->first + k)], d->x[1 + 6 * (c->first + k)], 1e-12);        /* b */
    assert_true(e->input[2].constant && d->x[0 + 6 * e->input[2].first] == 0 && d->x[5 + 6 * e->input[2].first] == 0);
    for (size_t i = 0; i < d->rows * d->columns; i++) assert_true(isfinite(d->x[i]));
    tamis_design_free(d);
    tamis_encoder_free(e);
    tamis_table_free(t);
}

/* Against a plain loop: for every gap the mean of the k donors with the smallest mean squared difference over shared
 * columns. */
static void neighbours_are_the_nearest(void **state)
{
    enum { N = 40, P = 5, K = 4 };
    tamis_context *cx = *state;
    struct tamis_rng r;
    double x[N * (P + 1)];
    tamis_table *t = NULL;
    tamis_rng_init(&r, 3, TAMIS_RNG_TEST, 7);
    for (size_t i = 0; i < N * (P + 1); i++)
        x[i] = i < N * P && tamis_rng_uniform(&r) < 0.25 ? NAN : tamis_rng_normal(&r);
    assert_int_equal(tamis_table_from_numbers(cx, N, P + 1, x, 1, N, NULL, &t), TAMIS_OK);
    char *first = NULL;
    for (int threads = 1; threads <= 7; threads += 3) {
        struct tamis_encoder *e;
        tamis_context_limits(cx, threads, 0);
        struct tamis_design *d = imputed(cx, t, TAMIS_IMPUTE_KNN, K, &e);
        if (first) assert_memory_equal(first, d->x, N * P * sizeof(double));
        else first = memcpy(malloc(N * P * sizeof(double)), d->x, N * P * sizeof(double));
        for (size_t i = 0; i < N; i++)
            for (size_t j = 0; j < P; j++) {
                if (!isnan(x[i + N * j])) {
                    assert_close(d->x[i + N * j], (x[i + N * j] - e->mean[j]) / e->scale[j], 1e-12);
                    continue;
                }
                double sum = 0, last = -1;
                for (size_t k = 0; k < K; k++) {                /* repeatedly the next nearest */
                    double least = INFINITY, value = 0;
                    for (size_t a = 0; a < N; a++) {
                        double distance = 0, both = 0;
                        for (size_t c = 0; c < P; c++)
                            if (!isnan(x[i + N * c]) && !isnan(x[a + N * c]))
                                distance += pow((x[i + N * c] - x[a + N * c]) / e->scale[c], 2), both++;
                        distance = both > 0 ? distance / both : INFINITY;
                        if (!isnan(x[a + N * j]) && distance > last * (1 + 1e-12) && distance < least)
                            least = distance, value = (x[a + N * j] - e->mean[j]) / e->scale[j];
                    }
                    sum += value;
                    last = least;
                }
                assert_close(d->x[i + N * j], sum / K, 1e-10);
            }
        tamis_design_free(d);
        tamis_encoder_free(e);
    }
    free(first);
    tamis_table_free(t);
}

static void categories_by_neighbours(void **state)
{
    tamis_context *cx = *state;
    tamis_table *t = text_table(cx, "x,c,y\n1,a,1\n1.1,a,2\n1.2,b,3\n5,b,4\n5.1,b,5\n1.05,,6\n5.05,,7\n,,8\n");
    struct tamis_encoder *e;
    struct tamis_design *d = imputed(cx, t, TAMIS_IMPUTE_KNN, 3, &e);
    size_t a = e->input[1].first;
    assert_true(d->x[5 + 8 * a] == d->x[0 + 8 * a] && d->x[6 + 8 * a] == d->x[3 + 8 * a]);
    assert_true(d->x[7 + 8 * a] == d->x[3 + 8 * a]); /* no shared columns: the most frequent level and the median */
    assert_close(d->x[7], e->fill[0], 1e-15);
    tamis_design_free(d);
    tamis_encoder_free(e);
    tamis_table_free(t);
}

/* y = 2 x1 - x2 + noise, a third of the cells missing; colour gives the sign of x1. */
static char *gappy(uint32_t seed, int rows)
{
    struct tamis_rng r;
    char *text = malloc(200 * (size_t)rows + 100);
    strcpy(text, "x1,x2,x3,colour,y\n");
    tamis_rng_init(&r, 21, TAMIS_RNG_TEST, seed);
    for (int i = 0; i < rows; i++) {
        double x[3];
        char cell[3][32];
        for (int j = 0; j < 3; j++) {
            x[j] = tamis_rng_normal(&r);
            snprintf(cell[j], sizeof cell[j], "%.6f", x[j]);
            if (tamis_rng_uniform(&r) < 0.2) *cell[j] = 0;
        }
        int known = tamis_rng_uniform(&r) < 0.8;
        sprintf(text + strlen(text), "%s,%s,%s,%s,%.6f\n", cell[0], cell[1], cell[2],
                !known     ? ""
                : x[0] > 0 ? "up"
                           : "down",
                2 * x[0] - x[1] + 0.1 * tamis_rng_normal(&r));
    }
    return text;
}

static void models_remember_how_to_impute(void **state)
{
    static const char *const how[] = {"median", "knn"}, *const method[] = {"lars", "sisal", "opelm"};
    tamis_context *cx = *state;
    char *a = gappy(1, 90), *b = gappy(2, 60);
    tamis_table *t = text_table(cx, a), *fresh = text_table(cx, b);
    double error[2][3];
    for (int i = 0; i < 2; i++)
        for (int m = 0; m < 3; m++) {
            tamis_options *o = OPTIONS("impute", how[i], "method", method[m]);
            if (m == 1) tamis_options_set(o, "sigma2", "20");
            if (m == 2) tamis_options_set(o, "select", "none");
            tamis_result *r = chosen(cx, t, fresh, o);
            double p[60], sum = 0;
            assert_true(r->rows == 90 && r->test_rows == 60 && r->dropped == 0);
            tamis_model *back = came_back(cx, r->model, fresh, p, NULL);
            for (size_t k = 0; k < 60; k++)
                sum += pow(p[k] - fresh->column[4].value[k], 2) / 60 / variance(t->column[4].value, 90);
            error[i][m] = sum;
            if (i == 0 || r->selected == 4)
                assert_close(sum, r->test, 1e-9);        /* knn imputes from the selected inputs only */
            damage_is_refused(cx, back, 40);
            tamis_model_free(back);
            tamis_result_free(r);
        }
    for (int m = 0; m < 3; m++) {
        assert_below(error[0][m], 0.2);
        assert_below(error[1][m], 0.2);
    }
    tamis_result *r = chosen(cx, t, NULL, OPTIONS("method", "lars"));
    assert_above(r->dropped, 30);                                      /* without imputation, rows are dropped */
    tamis_result_free(r);
    free(a), free(b);
    tamis_table_free(t), tamis_table_free(fresh);
}

static void test_rows_teach_nothing(void **state)
{
    tamis_context *cx = *state;
    char *a = gappy(3, 80);
    tamis_table *t = text_table(cx, a), *low = text_table(cx, a), *high = text_table(cx, a);
    for (size_t i = 0; i < 80; i++) high->column[1].value[i] *= 1000;
    double fill[2];
    for (int i = 0; i < 2; i++) {
        tamis_result *r = chosen(cx, t, i ? high : low, OPTIONS("method", "lars", "impute", "median"));
        fill[i] = r->model->encoder->fill[0];
        tamis_result_free(r);
    }
    assert_true(fill[0] == fill[1]);
    free(a);
    tamis_table_free(t), tamis_table_free(low), tamis_table_free(high);
}

static void an_empty_column_is_named(void **state)
{
    tamis_context *cx = *state;
    tamis_table *t = text_table(cx, "x,e,y\n1,,2\n2,,5\n3,,4\n4,,7\n");
    tamis_options *o = OPTIONS("method", "lars");
    tamis_result *r = NULL;
    assert_int_equal(tamis_select(cx, t, NULL, o, &r), TAMIS_DATA);
    says(cx, "column 'e' is empty");
    tamis_options_set(o, "impute", "knn");
    assert_int_equal(tamis_select(cx, t, NULL, o, &r), TAMIS_OK);
    assert_true(r->input[1].constant && !r->input[1].selected);
    tamis_result_free(r);
    tamis_options_free(o);
    tamis_table_free(t);
}

static int select_and_predict(tamis_context *cx, void *what)
{
    const struct run *run = what;
    tamis_result *r = NULL;
    double p[15];
    int status = tamis_select(cx, run->t, NULL, run->o, &r);
    if (!status) status = tamis_model_predict(cx, r->model, run->t, p, NULL);
    tamis_result_free(r);
    return status;
}

static void every_allocation_may_fail(void **state)
{
    tamis_context *cx = *state;
    char *a = gappy(4, 15);
    tamis_table *t = text_table(cx, a);
    tamis_options *o = OPTIONS("method", "lars", "impute", "knn", "holdout", "0.3");
    struct run run = {t, o};
    tamis_context_limits(cx, 1, 0);
    assert_above(every_allocation_fails(cx, select_and_predict, &run, 3000), 100);
    tamis_options_free(o);
    tamis_table_free(t);
    free(a);
}

/* ---- the previous format ---- */

/* A linear model in format 1: y = 3 + 2 z, z = (x - 1) / 4. */
static void models_of_format_1_are_read(void **state)
{
    tamis_context *cx = *state;
    struct tamis_pack p;
    static const double mean[1] = {1}, scale[1] = {4}, b[2] = {2, 3};
    tamis_pack_begin(&p, cx, "MODL", 1);
    tamis_pack_str(&p, "linear");
    tamis_pack_str(&p, "y");
    tamis_pack_f64(&p, 10), tamis_pack_f64(&p, 5);              /* the target's mean and scale */
    tamis_pack_u64(&p, 0);
    tamis_pack_u64(&p, 1);
    tamis_pack_str(&p, "x"), tamis_pack_u64(&p, 0), tamis_pack_u64(&p, 0);
    tamis_pack_doubles(&p, mean, 1), tamis_pack_doubles(&p, scale, 1), tamis_pack_doubles(&p, b, 2);
    assert_int_equal(tamis_pack_end(&p), TAMIS_OK);
    tamis_model *m = NULL;
    double out[2];
    assert_int_equal(tamis_model_load_memory(cx, p.bytes, p.length, &m), TAMIS_OK);
    tamis_table *t = text_table(cx, "x\n5\n1\n");
    assert_int_equal(tamis_model_predict(cx, m, t, out, NULL), TAMIS_OK);
    assert_true(out[0] == 10 + 5 * (3 + 2 * 1.0) && out[1] == 10 + 5 * 3.0);
    tamis_table_free(t);
    tamis_model_free(m);
    tamis_pack_free(&p);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        TEST(clean_is_the_known_one),    TEST(clean_searches_the_tradeoff),      TEST(clean_of_hard_tables),
        TEST(clean_with_failing_memory), TEST(medians_and_most_frequent_levels), TEST(neighbours_are_the_nearest),
        TEST(categories_by_neighbours),  TEST(models_remember_how_to_impute),    TEST(test_rows_teach_nothing),
        TEST(an_empty_column_is_named),  TEST(every_allocation_may_fail),        TEST(models_of_format_1_are_read)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
