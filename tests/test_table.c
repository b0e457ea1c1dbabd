/* Tables: made from numbers, queried, compared, written and read back; generated ones against their formulas. */
#include "base/rng.h"
#include "data/csv.h"
#include "data/generate.h"
#include "unit.h"

/* ---- from numbers ---- */

static void numbers_make_a_table(void **state)
{
    const double x[] = {1.5, -2.25, 99, 3.75, NAN, 99};
    const char *const names[] = {"u", "v"};
    tamis_table *t;
    assert_int_equal(tamis_table_from_numbers(*state, 2, 2, x, 1, 3, names, &t), 0);
    assert_int_equal(tamis_table_rows(t), 2);
    assert_int_equal(tamis_table_columns(t), 2);
    assert_true(t->column[0].value[1] == -2.25 && t->column[1].value[0] == 3.75 && isnan(t->column[1].value[1]));
    assert_string_equal(t->column[1].name, "v");
    tamis_table_free(t);
    assert_int_equal(tamis_table_from_numbers(*state, 2, 2, x, 1, 3, NULL, &t), 0);
    assert_string_equal(t->column[1].name, "x2");
    tamis_table_free(t);
}

static void wrong_numbers(void **state)
{
    const double x[] = {1, 2, INFINITY, 4};
    const char *const same[] = {"u", "u"};
    tamis_table *t;
    assert_int_equal(tamis_table_from_numbers(*state, 2, 2, x, 1, 2, NULL, &t), TAMIS_DATA);
    assert_non_null(strstr(tamis_error(*state), "row 1 of column 'x2' is infinite"));
    assert_int_equal(tamis_table_from_numbers(*state, 0, 1, x, 1, 1, NULL, &t), TAMIS_DATA);
    assert_int_equal(tamis_table_from_numbers(*state, 1, 2, x, 1, 1, same, &t), TAMIS_DATA);
    assert_non_null(strstr(tamis_error(*state), "columns 1 and 2 are both named 'u'"));
    assert_null(t);
}

static void columns_are_found(void **state)
{
    tamis_table *t = text_table(*state, "a,3,c\n1,2,3\n");
    assert_int_equal(tamis_table_find(t, "a"), 0);
    assert_int_equal(tamis_table_find(t, "3"), 1);              /* a name has precedence over a number */
    assert_int_equal(tamis_table_find(t, "1"), 0);
    assert_int_equal(tamis_table_find(t, "2"), 1);
    assert_int_equal(tamis_table_find(t, "0"), 3);
    assert_int_equal(tamis_table_find(t, "4"), 3);
    assert_int_equal(tamis_table_find(t, ""), 3);
    assert_int_equal(tamis_table_find(t, "-1"), 3);
    assert_int_equal(tamis_table_find(t, "99999999999999999999999999"), 3);
    tamis_table_free(t);
}

/* ---- describing ---- */

static void columns_are_described(void **state)
{
    tamis_table *t = text_table(
        *state, "a,b,c,d,e\n1.5,x,,0.1,1e308\n-2.5,y,,0.1,-1e308\n,x,,0.1,1e308\n1.5,,,0.1,-1e308\n4,z,,0.1,0\n");
    struct tamis_column_summary c;
    assert_int_equal(tamis_column_summarise(*state, t, 0, &c), 0);
    assert_int_equal(c.missing, 1);
    assert_int_equal(c.distinct, 3);
    assert_true(c.least == -2.5 && c.largest == 4 && c.mean == 1.125);
    assert_close(c.sd, sqrt((.375 * .375 * 2 + 3.625 * 3.625 + 2.875 * 2.875) / 4), 1e-15);
    assert_int_equal(tamis_column_summarise(*state, t, 1, &c), 0);
    assert_int_equal(c.type, TAMIS_CATEGORY);
    assert_int_equal(c.levels, 3);
    assert_int_equal(c.distinct, 3);
    assert_int_equal(c.missing, 1);
    assert_string_equal(c.level[2], "z");
    assert_true(isnan(c.mean) && isnan(c.least));
    assert_int_equal(tamis_column_summarise(*state, t, 2, &c), 0);
    assert_true(c.type == TAMIS_NUMBER && c.missing == 5 && c.distinct == 0 && isnan(c.mean) && isnan(c.sd));
    assert_int_equal(tamis_column_summarise(*state, t, 3, &c), 0);
    assert_true(c.mean == .1 && c.sd == 0 && c.distinct == 1);
    assert_int_equal(tamis_column_summarise(*state, t, 4, &c), 0);
    assert_close(c.sd / 1e308, sqrt(.8), 1e-15);                        /* no overflow */
    tamis_table_free(t);
}

static void distinct_values_against_the_naive_count(void **state)
{
    enum { N = 2000 };
    double x[N];
    struct tamis_rng r;
    tamis_table *t;
    struct tamis_column_summary c;
    size_t naive = 0;
    tamis_rng_init(&r, 3, TAMIS_RNG_TEST, 1);
    for (size_t i = 0; i < N; i++) x[i] = ldexp((double)tamis_rng_below(&r, 700) - 350, -3) * (i % 2 ? 1 : -1);
    for (size_t i = 0; i < N; i++) {
        size_t k = 0;
        while (x[k] != x[i]) k++;
        naive += k == i;
    }
    assert_int_equal(tamis_table_from_numbers(*state, N, 1, x, 1, N, NULL, &t), 0);
    assert_int_equal(tamis_column_summarise(*state, t, 0, &c), 0);
    assert_int_equal(c.distinct, naive);
    tamis_table_free(t);
}

static void equal_rows_are_counted(void **state)
{
    size_t n;
    tamis_table *t = text_table(*state, "a,b,c\n1,x,2\n1,y,2\n1,x,2\n,x,2\n1,x,3\n,x,2\n-0,y,1\n0,y,1\n,x,2\n");
    assert_int_equal(tamis_table_duplicates(*state, t, &n), 0);
    assert_int_equal(n, 4);
    tamis_table_free(t);
    t = text_table(*state, "a,b\n1,2\n2,1\n");
    assert_int_equal(tamis_table_duplicates(*state, t, &n), 0);
    assert_int_equal(n, 0);
    tamis_table_free(t);
}

/* ---- writing ---- */

static void written_as(tamis_context *cx, const char *from, const char *want)
{
    char *text;
    size_t n;
    tamis_table *t = text_table(cx, from);
    assert_int_equal(tamis_table_csv(cx, t, &text, &n), 0);
    assert_string_equal(text, want);
    assert_int_equal(n, strlen(want));
    tamis_release(text);
    tamis_table_free(t);
}

static void tables_are_written(void **state)
{
    written_as(*state, "a b;\"c,d\"\n0,1;\"x\"\"y\"\n;\"u,v\"\n2e10;\" w\"\n1e300;\"t\nu\"\n", 
               "a b,\"c,d\"\n0.1,\"x\"\"y\"\n,\"u,v\"\n20000000000,\" w\"\n1e+300,\"t\nu\"\n");
    written_as(*state, "a\n1\nNA\n", "a\n1\nNA\n");             /* an empty line would not be a row */
    written_as(*state, "a,b\n-0.000012345,123456.789\n0.30000000000000004,1e15\n",
               "a,b\n-1.2345e-05,123456.789\n0.30000000000000004,1e+15\n");
}

static void what_is_written_reads_back(void **state)
{
    enum { N = 3000, D = 4 };
    static double x[N * D];
    struct tamis_rng r;
    tamis_table *a, *b;
    char *text;
    size_t n;
    tamis_rng_init(&r, 4, TAMIS_RNG_TEST, 2);
    for (size_t i = 0; i < N * D; i++) {
        uint64_t bits = (uint64_t)tamis_rng_word(&r) << 32 | tamis_rng_word(&r);
        memcpy(&x[i], &bits, 8);
        if (!isfinite(x[i])) x[i] = NAN;
        if (i % 3 == 0) x[i] = tamis_rng_normal(&r);
    }
    assert_int_equal(tamis_table_from_numbers(*state, N, D, x, 1, N, NULL, &a), 0);
    assert_int_equal(tamis_table_csv(*state, a, &text, &n), 0);
    assert_int_equal(tamis_table_read_memory(*state, text, n, "back", NULL, &b), 0);
    for (size_t j = 0; j < D; j++)
        for (size_t i = 0; i < N; i++)
            assert_true(a->column[j].value[i] == b->column[j].value[i] ||
                        (isnan(a->column[j].value[i]) && isnan(b->column[j].value[i])));
    tamis_release(text);
    tamis_table_free(a);
    tamis_table_free(b);
}

/* ---- generating ---- */

static const struct tamis_option other[] = {{"seed", TAMIS_COUNT, 0, "1", 0, 0, NULL, NULL, ""}, {0}};
static const struct tamis_option_table tables[] = {
    {"generate", tamis_generate_options}, {"common", other}, {NULL, NULL}};

static tamis_table *generate(tamis_context *cx, const char *name, const char *rows, const char *useless,
                             const char *noise, const char *seed)
{
    tamis_options *o = tamis_options_create(cx, tables);
    tamis_table *t;
    if (rows) assert_int_equal(tamis_options_set(o, "rows", rows), 0);
    if (useless) assert_int_equal(tamis_options_set(o, "useless", useless), 0);
    if (noise) assert_int_equal(tamis_options_set(o, "noise", noise), 0);
    if (seed) assert_int_equal(tamis_options_set(o, "seed", seed), 0);
    if (tamis_table_generate(cx, name, o, &t)) fail_msg("%s", tamis_error(cx));
    tamis_options_free(o);
    return t;
}

static double friedman(const tamis_table *t, size_t i)
{
    double x[5];
    for (size_t j = 0; j < 5; j++) x[j] = t->column[j].value[i];
    return 10 * sin(M_PI * x[0] * x[1]) + 20 * pow(x[2] - .5, 2) + 10 * x[3] + 5 * x[4];
}

static double residual_sd(const tamis_table *t, double (*f)(const tamis_table *, size_t))
{
    double s = 0;
    for (size_t i = 0; i < t->rows; i++) s += pow(t->column[t->columns - 1].value[i] - f(t, i), 2);
    return sqrt(s / (double)t->rows);
}

static double bump(const tamis_table *t, size_t i)
{
    double x = t->column[0].value[i];
    return (1 - x + 2 * x * x) * exp(-pow(x, 4));
}

static double product(const tamis_table *t, size_t i) { return t->column[0].value[i] * t->column[1].value[i]; }

static void generated_tables_follow_their_formulas(void **state)
{
    tamis_table *t = generate(*state, "add10", "20000", NULL, NULL, NULL);
    assert_int_equal(t->columns, 11);
    assert_close(residual_sd(t, friedman), 1, .025);                    /* 5 standard errors */
    tamis_table_free(t);
    t = generate(*state, "friedman1", "50", "0", "0", NULL);
    assert_int_equal(t->columns, 6);
    assert_close(residual_sd(t, friedman), 0, 1e-14);
    tamis_table_free(t);
    t = generate(*state, "tikka1d", "20000", NULL, NULL, NULL);
    assert_int_equal(t->columns, 6);
    assert_close(residual_sd(t, bump), .15, .004);
    struct tamis_column_summary c;
    assert_int_equal(tamis_column_summarise(*state, t, 4, &c), 0);
    assert_at_least(c.least, -2);
    assert_below(c.least, -1.99);
    assert_at_most(c.largest, 2);
    assert_above(c.largest, 1.99);
    assert_close(c.sd, 4 / sqrt(12), .02);
    tamis_table_free(t);
    t = generate(*state, "interaction", "100", NULL, "0", NULL);
    assert_close(residual_sd(t, product), 0, 1e-15);
    tamis_table_free(t);
    t = generate(*state, "xor", "500", NULL, NULL, NULL);
    for (size_t i = 0; i < t->rows; i++) assert_true(t->column[10].value[i] == (product(t, i) >= 0));
    assert_string_equal(t->column[10].level[0], "a");
    assert_string_equal(t->column[10].name, "y");
    tamis_table_free(t);
}

/* ---- normal inputs: weak, inter, logit-pair, genes-wide; bounds are 5 standard errors ---- */

static double weak(const tamis_table *t, size_t i)
{
    double f = 0;
    for (size_t j = 0; j < 10; j++) f += t->column[j].value[i];
    return .105 * f;
}

static double inter(const tamis_table *t, size_t i)
{
    double f = 0;
    for (size_t j = 0; j < 10; j += 2) f += sin(2 * t->column[j].value[i]) * t->column[j + 1].value[i];
    return f / sqrt(5 * (1 - exp(-8)) / 2);
}

/* Mean of (v - around)^power of a column over the rows whose target is k (k < 0: all rows). */
static double moment(const tamis_table *t, size_t column, double k, double around, int power)
{
    const double *y = t->column[t->columns - 1].value, *v = t->column[column].value;
    double s = 0, n = 0;
    for (size_t i = 0; i < t->rows; i++)
        if (k < 0 || y[i] == k) s += pow(v[i] - around, power), n++;
    return s / n;
}

static void normal_inputs_and_the_variance_explained(void **state)
{
    enum { N = 20000 };
    static const struct { const char *name; double (*f)(const tamis_table *, size_t); double variance; } row[] = {
        {"weak", weak, 1 + 10 * .105 * .105}, {"inter", inter, 2}};
    for (size_t r = 0; r < 2; r++) {
        tamis_table *t = generate(*state, row[r].name, "20000", NULL, NULL, "3");
        assert_int_equal(t->columns, 31);
        assert_close(residual_sd(t, row[r].f), 1, .025);
        assert_close(moment(t, 30, -1, 0, 2), row[r].variance, row[r].variance * 5 * sqrt(2. / N));
        for (size_t j = 0; j < 30; j += 29) {   /* a useful and a useless one */
            assert_close(moment(t, j, -1, 0, 1), 0, 5 / sqrt(N));
            assert_close(moment(t, j, -1, 0, 2), 1, 5 * sqrt(2. / N));
            assert_close(moment(t, j, -1, 0, 4), 3, 5 * sqrt(96. / N));
        }
        tamis_table_free(t);
        t = generate(*state, row[r].name, "50", "0", "0", NULL);
        assert_int_equal(t->columns, 11);
        assert_close(residual_sd(t, row[r].f), 0, 1e-14);
        tamis_table_free(t);
    }
}

/* Sum of (y - P(b)) h(x) is 0 in the mean for any h, with variance Sum P (1 - P) h^2: here h = 1, x1, x2 x3, x4, x5. */
static void logits_are_the_probabilities(void **state)
{
    tamis_table *t = generate(*state, "logit-pair", "20000", NULL, NULL, "3");
    const struct tamis_data_column *c = t->column;
    double sum[5] = {0}, variance[5] = {0};
    assert_int_equal(t->columns, 31);
    for (size_t i = 0; i < t->rows; i++) {
        double h[] = {1, c[0].value[i], c[1].value[i] * c[2].value[i], c[3].value[i], c[4].value[i]};
        double p = 1 / (1 + exp(-.35 * h[1] - .35 * h[2] + .3 * h[3]));
        for (size_t k = 0; k < 5; k++)
            sum[k] += (c[30].value[i] - p) * h[k], variance[k] += p * (1 - p) * h[k] * h[k];
    }
    for (size_t k = 0; k < 5; k++) assert_close(sum[k] / sqrt(variance[k]), 0, 5);
    tamis_table_free(t);
}

static void classes_shift_genes(void **state)
{
    static const double shift[3][6] = {{0, 0, 0, 0, 1.3}, {1.6, 0, -1.5, 0, 0}, {0, 1.9, 0, -1.9, 0}};
    static const double share[3] = {95, 35, 20};
    tamis_table *t = generate(*state, "genes-wide", NULL, NULL, NULL, NULL);
    double count[3] = {0};
    assert_int_equal(t->columns, 2001);
    for (size_t i = 0; i < t->rows; i++) count[(size_t)t->column[2000].value[i]]++;
    assert_memory_equal(count, share, sizeof count);
    tamis_table *same = generate(*state, "genes-wide", "40", "1", NULL, NULL);
    for (size_t j = 0; j < 5; j++)
        assert_memory_equal(t->column[j].value, same->column[j].value, 40 * sizeof(double));
    tamis_table_free(same);
    tamis_table_free(t);
    t = generate(*state, "genes-wide", "30000", "1", NULL, NULL);
    for (size_t k = 0; k < 3; k++) {
        double n = 30000 * share[k] / 150;
        for (size_t j = 0; j < 6; j++) {
            assert_close(moment(t, j, (double)k, shift[k][j], 1), 0, 5 / sqrt(n));
            assert_close(moment(t, j, (double)k, shift[k][j], 2), 1, 5 * sqrt(2 / n));
        }
    }
    tamis_table_free(t);
}

static void noise_is_refused_where_there_is_none(void **state)
{
    tamis_options *o = tamis_options_create(*state, tables);
    tamis_table *t;
    assert_int_equal(tamis_options_set(o, "noise", "0"), 0);
    assert_int_equal(tamis_table_generate(*state, "genes-wide", o, &t), TAMIS_USAGE);
    assert_non_null(strstr(tamis_error(*state), "drop --noise"));
    tamis_options_free(o);
}

static void every_generator_runs(void **state)
{
    size_t n = 0;
    tamis_table *t;
    struct tamis_column_summary c;
    for (const tamis_part_info *p; (p = tamis_generator_at(n)); n++) {
        const char *truth = tamis_generator_truth(p->name);
        assert_true(truth && p->summary && strstr(p->summary, *truth ? truth : "none"));
        t = generate(*state, p->name, NULL, NULL, NULL, NULL);
        assert_int_equal(t->rows, strcmp(p->name, "genes-wide") ? 250 : 150);
        for (size_t j = 0; j < t->columns; j++) {
            assert_int_equal(tamis_column_summarise(*state, t, j, &c), 0);
            assert_true(c.missing == 0 && c.distinct > 1);
        }
        assert_int_equal(t->column[t->columns - 1].type,
                         strcmp(p->task, "classification") ? TAMIS_NUMBER : TAMIS_CATEGORY);
        tamis_table_free(t);
    }
    assert_int_equal(n, 13);
    assert_null(tamis_generator_truth("none such"));
    assert_int_equal(tamis_table_generate(*state, "none such", NULL, &t), TAMIS_USAGE);
    assert_non_null(strstr(tamis_error(*state), "add10, friedman1"));
}

/* The first rows do not depend on how many there are, nor the target on the useless inputs; the seed matters. */
static void generated_rows_are_streams(void **state)
{
    tamis_table *a = generate(*state, "add10", "100", NULL, NULL, NULL),
                *b = generate(*state, "add10", "1000", NULL, NULL, NULL);
    tamis_table *c = generate(*state, "add10", "100", "40", NULL, NULL),
                *d = generate(*state, "add10", "100", NULL, NULL, "2");
    for (size_t j = 0; j < 11; j++) assert_memory_equal(a->column[j].value, b->column[j].value, 100 * sizeof(double));
    assert_int_equal(c->columns, 46);
    assert_memory_equal(a->column[10].value, c->column[45].value, 100 * sizeof(double));
    for (size_t i = 0; i < 100; i++) assert_true(a->column[0].value[i] != d->column[0].value[i]);
    tamis_table_free(a);
    tamis_table_free(b);
    tamis_table_free(c);
    tamis_table_free(d);
}

/* ---- memory ---- */

static int use_everything(tamis_context *cx, void *nothing)
{
    const double x[] = {1, 2, 3, 4};
    tamis_table *t = NULL, *g = NULL;
    struct tamis_column_summary c;
    char *text = NULL;
    size_t n;
    (void)nothing;
    int status = tamis_table_from_numbers(cx, 2, 2, x, 1, 2, NULL, &t);
    if (!status) status = tamis_column_summarise(cx, t, 1, &c);
    if (!status) status = tamis_table_duplicates(cx, t, &n);
    if (!status) status = tamis_table_csv(cx, t, &text, &n);
    if (!status) status = tamis_table_generate(cx, "xor", NULL, &g);
    tamis_release(text);
    tamis_table_free(t);
    tamis_table_free(g);
    return status;
}

static void every_allocation_fails_once(void **state)
{
    assert_above(every_allocation_fails(*state, use_everything, NULL, 5000), 30);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        TEST(numbers_make_a_table),
        TEST(wrong_numbers),
        TEST(columns_are_found),
        TEST(columns_are_described),
        TEST(distinct_values_against_the_naive_count),
        TEST(equal_rows_are_counted),
        TEST(tables_are_written),
        TEST(what_is_written_reads_back),
        TEST(generated_tables_follow_their_formulas),
        TEST(normal_inputs_and_the_variance_explained),
        TEST(logits_are_the_probabilities),
        TEST(classes_shift_genes),
        TEST(noise_is_refused_where_there_is_none),
        TEST(every_generator_runs),
        TEST(generated_rows_are_streams),
        TEST(every_allocation_fails_once),
    };
    return cmocka_run_group_tests_name("table", tests, NULL, NULL);
}
