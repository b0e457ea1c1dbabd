/* Tables are all that names a part: a criterion, a method and a figure that stand in no file of the library are found,
 * listed, run, echoed and drawn like the others. */
#include "base/options.h"
#include "io/report/report.h"
#include "model/rbf.h"
#include "unit.h"

/* ---- a criterion: the distance of the set's size from a wanted one; the model is the mean ---- */

struct settings { size_t wanted; };
struct scorer { tamis_context *cx; const struct tamis_design *d; struct settings s; };

static const struct tamis_option criterion_rows[] = {
    {"wanted-size", TAMIS_COUNT, offsetof(struct settings, wanted), "2", 0, 100, NULL, "N", "size that scores best"},
    {0}};

static int start(tamis_context *cx, const struct tamis_design *d, const tamis_options *o, uint64_t seed, void **self)
{
    (void)seed;
    struct scorer *j = tamis_new(cx, struct scorer, 1);
    *self = j;
    if (!j) return tamis_status(cx);
    *j = (struct scorer){.cx = cx, .d = d};
    return tamis_options_read(cx, o, criterion_rows, &j->s);
}

static void finish(void *self) { tamis_free(self); }

static int cost(tamis_context *cx, const struct tamis_design *d, const tamis_options *o, struct tamis_cost *c)
{
    (void)cx, (void)o;
    *c = (struct tamis_cost){.bytes = 1, .flops = (double)d->inputs};
    return TAMIS_OK;
}

static int evaluate(void *self, const unsigned char *base, const size_t *toggle, size_t count,
                    const struct tamis_score *hint, struct tamis_score *score)
{
    const struct scorer *j = self;
    size_t size = 0;
    (void)hint;
    for (size_t i = 0; i < j->d->inputs; i++) size += base[i];
    for (size_t k = 0; k < count; k++) {
        size_t now = toggle[k] == SIZE_MAX ? size : base[toggle[k]] ? size - 1 : size + 1;
        score[k] = (struct tamis_score){.value = fabs((double)now - (double)j->s.wanted)};
    }
    return TAMIS_OK;
}

static int fit(void *self, const unsigned char *set, const struct tamis_score *at, struct tamis_model **model,
               double *relevance)
{
    struct scorer *j = self;
    (void)at;
    for (size_t i = 0; relevance && i < j->d->inputs; i++)
        if (set[i]) relevance[i] = 1;
    if (!model) return TAMIS_OK;
    struct tamis_rbf *mean = tamis_rbf_outputs(j->cx, 0, 0, 1);
    if (mean) mean->sigma2 = 1;
    *model = tamis_model_new(j->cx, &tamis_rbf_kind, tamis_encoder_subset(j->cx, j->d->encoder, set), mean);
    return tamis_status(j->cx);
}

static const char *const no_parameters[] = {NULL};
static const struct tamis_criterion dummy_criterion = {
    .name = "dummy",
    .error_name = "dummy-distance",
    .label = "distance from the wanted size",
    .task = "regression",
    .summary = "prefers sets of one size",
    .options = criterion_rows,
    .parameters = no_parameters,
    .start = start,
    .finish = finish,
    .cost = cost,
    .evaluate = evaluate,
    .fit = fit,
};
const struct tamis_criterion *const tamis_extra_criteria[] = {&dummy_criterion, NULL};

/* ---- a method: that criterion under forward selection ---- */

static const struct tamis_option no_options[] = {{0}};

static int resolve(struct tamis_run *run)
{
    int status = tamis_resolve_criterion(run, "dummy");
    return status ? status : tamis_resolve_search(run, "forward");
}

static const struct tamis_method dummy_method = {
    .name = "dummy-method",
    .task = "regression",
    .summary = "sets of one size",
    .options = no_options,
    .resolve = resolve,
    .cost = tamis_path_cost,
    .select = tamis_path_select,
    .constraints = 1,
};
const struct tamis_method *const tamis_extra_methods[] = {&dummy_method, NULL};

/* ---- a figure ---- */

static int always(const tamis_value *result)
{
    (void)result;
    return 1;
}

static void draw(struct tamis_page *p) { tamis_page_puts(p, "<svg><title>dummy</title></svg>"); }

static const struct tamis_figure dummy_figure = {
    .name = "dummy-figure", .label = "nothing", .summary = "shows nothing", .applicable = always, .draw = draw};
const struct tamis_figure *const tamis_extra_figures[] = {&dummy_figure, NULL};

/* ---- the tests ---- */

static int listed(const char *kind, const char *name, const char *label)
{
    tamis_part_info p = {.size = sizeof p};
    for (size_t i = 0; tamis_part_at(i, &p); i++)
        if (!strcmp(p.kind, kind) && !strcmp(p.name, name)) return !label || !strcmp(p.label, label);
    return 0;
}

static void parts_are_listed(void **state)
{
    (void)state;
    assert_true(listed("criterion", "dummy", "distance from the wanted size"));
    assert_true(listed("method", "dummy-method", NULL));
    assert_true(listed("figure", "dummy-figure", NULL));
}

static void criterion_and_method_run(void **state)
{
    tamis_context *cx = *state;
    static const char *const method[] = {"search", "dummy-method"};
    tamis_table *t = made(cx, "friedman1", "60", "1");
    for (int k = 0; k < 2; k++) {
        tamis_options *o = k ? OPTIONS("method", "dummy-method", "wanted-size", "3")
                             : OPTIONS("method", "search", "criterion", "dummy", "wanted-size", "3");
        tamis_result *r = chosen(cx, t, NULL, o);
        const tamis_value *v = tamis_result_value(r);
        assert_int_equal(tamis_result_selected(r, NULL), 3);
        assert_string_equal(tamis_value_text(v, "method"), method[k]);
        assert_string_equal(tamis_value_text(v, "error.label"), dummy_criterion.label);
        assert_string_equal(tamis_value_text(v, "options.wanted-size"), "3");
        tamis_result_free(r);
    }
    tamis_table_free(t);
}

static void figure_is_drawn(void **state)
{
    tamis_context *cx = *state;
    tamis_table *t = made(cx, "friedman1", "60", "1");
    tamis_result *r = chosen(cx, t, NULL, OPTIONS("method", "dummy-method"));
    char *svg = NULL;
    size_t n = 0;
    assert_int_equal(tamis_report_figure(cx, tamis_result_value(r), "dummy-figure", &svg, &n), TAMIS_OK);
    assert_non_null(strstr(svg, "<title>dummy</title>"));
    tamis_release(svg);
    tamis_result_free(r);
    tamis_table_free(t);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        TEST(parts_are_listed),
        TEST(criterion_and_method_run),
        TEST(figure_is_drawn),
    };
    return cmocka_run_group_tests_name("extend", tests, NULL, NULL);
}
