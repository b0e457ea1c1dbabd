/* Every method, and every criterion under --method search, with all that a program does with a result: JSON, a page, a
 * figure, a model saved, restored, exported and predicting. Each allocation made to fail, a sample of them unless
 * TAMIS_LONG is set: TAMIS_MEMORY, a sentence, no output, and under a sanitizer no leak. */
#include "data/table.h"
#include "unit.h"

enum { SAMPLE = 12 };

/* What makes a run short; a method that is not here runs with its defaults. */
static const struct { const char *method, *words; } cheap[] = {
    {"sift", "splits=1 rule-folds=2"},
    {"sisal", "sigma2=4 gamma=0.1"},
    {"forward", "sigma2=4 gamma=0.1"},
    {"lssvm", "sigma2=4 gamma=0.1 folds=3"},
    {"rrkrr", "sigma2=4 gamma=0.1 folds=3"},
    {"opelm", "max-neurons=6"},
    {"sparse-rbf", "r=4 t=1"},
    {"fei", "hidden=3 starts=2 epochs=5 folds=3"},
    {"rjmcmc", "samples=20 burn-in=5 chains=2"}};

struct job { const tamis_table *t; const tamis_options *o; const char *csv; };

static int take(void *user, const char *text, size_t n) { return !user || !text || !n; }

/* A text that the call made, or none if it failed. */
static int text_made(int status, char **text)
{
    assert_int_equal(status == TAMIS_OK, *text != NULL);
    tamis_release(*text);
    *text = NULL;
    return status;
}

static int use_model(tamis_context *cx, const tamis_model *m, const struct job *job)
{
    void *bytes = NULL;
    char *text = NULL;
    size_t n;
    tamis_model *back = NULL;
    double prediction[64];
    int status = tamis_model_save_memory(cx, m, &bytes, &n);
    if (!status) status = tamis_model_load_memory(cx, bytes, n, &back);
    assert_int_equal(status == TAMIS_OK, back != NULL);
    tamis_release(bytes);
    if (!status) status = tamis_model_predict(cx, back, job->t, prediction, NULL);
    if (!status) status = tamis_model_predict_csv(cx, back, job->csv, NULL, take, prediction);
    if (!status) status = text_made(tamis_model_export(cx, back, NULL, &text, &n), &text);
    tamis_model_free(back);
    return status;
}

static int select_and_use(tamis_context *cx, void *what)
{
    const struct job *job = what;
    tamis_result *r = NULL;
    char *text = NULL;
    size_t n;
    int status = tamis_select(cx, job->t, NULL, job->o, &r);
    assert_int_equal(status == TAMIS_OK, r != NULL);
    if (!status) status = text_made(tamis_result_json(cx, r, &text, &n), &text);
    if (!status) status = text_made(tamis_report_html(cx, tamis_result_value(r), &text, &n), &text);
    if (!status) status = text_made(tamis_report_figure(cx, tamis_result_value(r), NULL, &text, &n), &text);
    if (!status && tamis_result_model(r)) status = use_model(cx, tamis_result_model(r), job);
    tamis_result_free(r);
    return status;
}

static void write_table(tamis_context *cx, const tamis_table *t, const char *path)
{
    char *text = NULL;
    size_t n;
    assert_int_equal(tamis_table_csv(cx, t, &text, &n), TAMIS_OK);
    assert_int_equal(tamis_write_file(cx, path, text, n), TAMIS_OK);
    tamis_release(text);
}

static void allocations_of_a_run(tamis_context *cx, int classes, tamis_options *o)
{
    char path[64];
    tamis_table *t = made(cx, classes ? "logit-pair" : "friedman1", "30", "3");
    snprintf(path, sizeof path, "/tmp/tamis-allocations-%ld.csv", (long)getpid());
    write_table(cx, t, path);
    assert_above(allocations_fail(cx, select_and_use, &(struct job){t, o, path}, SAMPLE), 100);
    unlink(path);
    tamis_options_free(o);
    tamis_table_free(t);
}

static void methods_survive(void **state)
{
    const struct tamis_method *m;
    tamis_context *cx = *state;
    for (size_t i = 0; (m = tamis_method_at(i)); i++) {
        const char *words = "";
        for (size_t k = 0; k < sizeof cheap / sizeof *cheap; k++)
            if (!strcmp(cheap[k].method, m->name)) words = cheap[k].words;
        tamis_options *o = worded(cx, words);
        assert_int_equal(tamis_options_set(o, "method", m->name), TAMIS_OK);
        allocations_of_a_run(cx, !strcmp(m->task, "classification"), o);
    }
}

static void criteria_survive(void **state)
{
    const struct tamis_criterion *c;
    tamis_context *cx = *state;
    for (size_t i = 0; (c = tamis_criterion_at(i)); i++)
        allocations_of_a_run(cx, !strcmp(c->task, "classification"),
                             OPTIONS("method", "search", "criterion", c->name, "search", "forward", "max-inputs", "1"));
}

static int make_and_clean(tamis_context *cx, void *options)
{
    tamis_table *t = NULL, *left = NULL;
    tamis_value *v = NULL, *all = NULL;
    static const char text[] = "a,b,y\n1,,u\n,2,v\n3,4,\"p\"\"q\"\n5,6,u\n7,8,v\n";
    int status = tamis_table_read_memory(cx, text, sizeof text - 1, "t", NULL, &t);
    if (!status) status = tamis_table_clean(cx, t, options, &left, &v);
    assert_int_equal(status == TAMIS_OK, left != NULL && v != NULL);
    if (!status) status = tamis_catalogue(cx, &all);
    assert_int_equal(status == TAMIS_OK, all != NULL);
    tamis_table_free(t);
    tamis_table_free(left);
    tamis_value_free(v);
    tamis_value_free(all);
    return status;
}

static void other_calls_survive(void **state)
{
    tamis_context *cx = *state;
    tamis_options *o = tamis_options_new(cx);
    assert_above(allocations_fail(cx, make_and_clean, o, 300), 100);
    tamis_options_free(o);
}

int main(void)
{
    const struct CMUnitTest tests[] = {TEST(methods_survive), TEST(criteria_survive), TEST(other_calls_survive)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
