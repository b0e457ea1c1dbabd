/* The answer in two sentences, its error beside that of a model without inputs, and the notes of the run. */
#include <math.h>
#include <string.h>
#include "base/format.h"
#include "io/report/report.h"

enum { NAMED = 12, NOTES = 20 };

/* ---- the answer ---- */

/* The selected inputs as the result lists them; or, where it is known, the most important first. */
static size_t names_fill(struct tamis_page *p, const char *name[NAMED])
{
    const tamis_value *selected = tamis_value_at(p->root, "selected");
    size_t n = tamis_page_items(selected), inputs, at = 0;
    const tamis_value **in = tamis_page_sorted(p, tamis_value_at(p->root, "inputs"), "importance", &inputs);
    for (size_t i = 0; i < inputs && at < NAMED; i++)
        if (tamis_value_flag(in[i], "selected") && !isnan(tamis_value_number(in[i], "importance")))
            name[at++] = tamis_value_text(in[i], "name");
    tamis_free(in);
    if (at == (n < NAMED ? n : NAMED)) return n;
    for (at = 0; at < n && at < NAMED; at++) name[at] = tamis_page_item_text(selected, at);
    return n;
}

/* "a, b and c", at most NAMED of them. */
static void name_list(struct tamis_page *p)
{
    const char *name[NAMED] = {NULL};
    size_t n = names_fill(p, name), shown = n <= NAMED ? n : NAMED - 2;
    for (size_t i = 0; i < shown; i++) {
        if (i) tamis_page_puts(p, i + 1 == n ? " and " : ", ");
        tamis_page_puts(p, "<b>");
        tamis_page_name(p, name[i]);
        tamis_page_puts(p, "</b>");
    }
    if (n > shown) tamis_text_printf(p->t, " and %zu more", n - shown);
}

static void none_sentence(struct tamis_page *p)
{
    tamis_page_puts(p, " finds <b>no input</b> that helps to predict <bdi>");
    tamis_page_say(p, tamis_value_text(p->root, "data.target"));
    tamis_page_puts(p, "</bdi>: a constant predicts as well as any set that it tried.");
}

static void count_words(struct tamis_page *p, size_t n, double inputs)
{
    if ((double)n == inputs && n == 1) tamis_page_puts(p, " keeps the only input, ");
    else if ((double)n == inputs) tamis_text_printf(p->t, " keeps all <b>%zu</b> inputs: ", n);
    else {
        tamis_text_printf(p->t, " chose <b>%zu</b> of ", n);
        tamis_page_count(p, inputs, "input");
        tamis_page_puts(p, ": ");
    }
}

static void choice_sentence(struct tamis_page *p)
{
    size_t n = tamis_page_items(tamis_value_at(p->root, "selected"));
    tamis_page_puts(p, "Method ");
    tamis_page_say(p, tamis_page_method(p->root));
    if (!n) {
        none_sentence(p);
        return;
    }
    count_words(p, n, tamis_value_number(p->root, "data.inputs"));
    name_list(p);
    tamis_page_puts(p, ".");
}

static int training(const struct tamis_page *p)
{
    const char *name = tamis_value_text(p->root, "error.criterion");
    return name && !strcmp(name, "training");
}

/* Models without inputs, beside which an error is read; those that the result has. */
static const struct baseline { const char *key, *words, *tile; int classes; } baselines[] = {
    {"baseline", "predicting the mean", "predicting the mean", 0},
    {"baseline", "predicting the majority class", "majority class", 1},
    {"persistence", "repeating the last known value", "last known value", -1},
    {"seasonal", "repeating the value one season earlier", "one season earlier", -1},
};
enum { BASELINES = sizeof baselines / sizeof *baselines };

/* NAN: not of this task, or unknown. The mean has an error of 1 where errors are of the standardised target. */
static double baseline_error(const struct tamis_page *p, const struct baseline *b)
{
    static const char *const before[] = {[TAMIS_NESTED] = "outer.error.", [TAMIS_TESTED] = "error.test_",
                                         [TAMIS_CRITERION] = "error."};
    char key[64];
    tamis_snprintf(key, sizeof key, "%s%s", before[tamis_page_estimate(p->root).kind], b->key);
    double error = tamis_value_number(p->root, key);
    tamis_snprintf(key, sizeof key, "error.%s", b->key);
    if (isnan(error)) error = tamis_value_number(p->root, key);
    if (b->classes >= 0 && b->classes != tamis_page_classes(p)) return NAN;
    return isnan(error) && !b->classes && tamis_page_squared(p) ? 1 : error;
}

/* "; predicting the mean scores 1.01" */
static void baseline_words(struct tamis_page *p)
{
    for (size_t i = 0; i < BASELINES; i++) {
        double error = baseline_error(p, &baselines[i]);
        if (isnan(error)) continue;
        tamis_text_printf(p->t, "; %s scores ", baselines[i].words);
        tamis_html_number(p->t, error, 3);
    }
}

static void unit_words(struct tamis_page *p, double error)
{
    const char *units = tamis_value_text(p->root, "error.units");
    if (tamis_page_classes(p) && units && strstr(units, "misclassified")) {
        tamis_text_puts(p->t, " (");
        tamis_html_number(p->t, 100 * error, 3);
        tamis_text_puts(p->t, " % of rows misclassified");
    } else if (tamis_page_squared(p)) tamis_text_puts(p->t, " (the share of variance left unexplained");
    else return;
    baseline_words(p);
    tamis_page_puts(p, ")");
}

/* In the units of the table, beside the mean. */
static void rmse_words(struct tamis_page *p, double error)
{
    double rmse = tamis_page_in_units(p, error), mean = tamis_page_in_units(p, baseline_error(p, baselines));
    if (isnan(rmse)) return;
    tamis_page_puts(p, " As a root mean squared error that is <b>");
    tamis_html_number(p->t, rmse, 3);
    tamis_page_puts(p, "</b> in the units of <bdi>");
    tamis_page_say(p, tamis_value_text(p->root, "data.target"));
    tamis_page_puts(p, "</bdi>");
    if (!isnan(mean)) tamis_page_puts(p, "; predicting the mean has "), tamis_html_number(p->t, mean, 3);
    tamis_page_puts(p, ".");
}

static void estimate_words(struct tamis_page *p, const struct tamis_estimate *e)
{
    const char *model = tamis_value_text(p->root, "model.kind");
    if (e->kind == TAMIS_NESTED)
        tamis_page_puts(p, " With the whole selection repeated inside an outer cross-validation, the error on held-out "
                           "rows is ");
    else if (e->kind == TAMIS_TESTED) {
        tamis_page_puts(p, " On ");
        tamis_page_count(p, tamis_value_number(p->root, "data.test_rows"), "test row");
        tamis_page_puts(p, " that neither the selection nor the fit used, the error of the ");
        tamis_page_say(p, model ? model : "fitted");
        tamis_page_puts(p, " model is ");
    } else {
        tamis_page_puts(p, " Its ");
        tamis_page_say(p, tamis_page_error_name(p));
        tamis_page_puts(p, " is ");
    }
}

static void accuracy_sentence(struct tamis_page *p)
{
    struct tamis_estimate e = tamis_page_estimate(p->root);
    if (isnan(e.error)) return;
    estimate_words(p, &e);
    tamis_page_puts(p, "<b>");
    tamis_page_number(p, e.error);
    tamis_page_puts(p, "</b>");
    if (e.se > 0) tamis_page_puts(p, " \xC2\xB1 "), tamis_html_number(p->t, e.se, e.se < 100 ? 2 : 3);
    unit_words(p, e.error);
    if (!isnan(e.all)) {
        tamis_page_puts(p, ", against ");
        tamis_page_number(p, e.all);
        tamis_page_puts(p, e.error > e.all + e.se ? " with all inputs, <b>which predict better</b>"
                                                  : " with all inputs");
    }
    if (e.kind != TAMIS_CRITERION) tamis_page_puts(p, ".");
    else if (training(p)) tamis_page_puts(p, "; expect a larger error on new rows.");
    else tamis_page_puts(p, ". The choice is based on this error, so expect a somewhat larger one on new rows.");
    rmse_words(p, e.error);
}

static void tile(struct tamis_page *p, const char *what, double x, const char *small)
{
    if (isnan(x)) return;
    tamis_page_puts(p, "<div><dt>");
    tamis_page_say(p, what);
    tamis_page_puts(p, "</dt><dd>");
    tamis_html_number(p->t, x, 3);
    if (small) tamis_text_printf(p->t, "<small>%s</small>", small);
    tamis_page_puts(p, "</dd></div>");
}

/* The error again, as people quote it. */
static void accuracy_tiles(struct tamis_page *p, double error)
{
    struct tamis_text small = {.cx = p->cx};
    double rmse = tamis_page_in_units(p, error);
    if (!tamis_page_squared(p) || isnan(error)) return;
    tile(p, "variance explained", 100 * (1 - error), "% of that of the target; 1 \xE2\x88\x92 error");
    tamis_text_puts(&small, "in units of <bdi>");
    tamis_html_short(&small, tamis_value_text(p->root, "data.target"), 40);
    tamis_text_puts(&small, "</bdi>");
    if (!small.failed) tile(p, "root mean squared error", rmse, small.s);
    if (small.failed) p->t->failed = 1;
    tamis_text_free(&small);
}

static void baseline_tiles(struct tamis_page *p)
{
    char small[64];
    for (size_t i = 0; i < BASELINES; i++) {
        double error = baseline_error(p, &baselines[i]), rmse = tamis_page_in_units(p, error);
        if (isnan(rmse)) tamis_snprintf(small, sizeof small, "error without any input");
        else tamis_snprintf(small, sizeof small, "error; root mean squared error %.3g", rmse);
        tile(p, baselines[i].tile, error, small);
    }
}

static void tiles(struct tamis_page *p)
{
    struct tamis_estimate e = tamis_page_estimate(p->root);
    double inputs = tamis_value_number(p->root, "data.inputs");
    char of[48];
    tamis_snprintf(of, sizeof of, "of %.0f", isnan(inputs) ? 0 : inputs);
    tamis_page_puts(p, "<dl class=\"tiles\">");
    tile(p, "inputs chosen", (double)tamis_page_items(tamis_value_at(p->root, "selected")), isnan(inputs) ? NULL : of);
    if (e.kind != TAMIS_CRITERION)
        tile(p, "error on held-out rows", e.error, e.kind == TAMIS_NESTED ? "nested validation" : "test rows");
    tile(p, tamis_page_error_name(p), tamis_value_number(p->root, "error.selected"),
         training(p)                 ? "on the training rows"
         : e.kind == TAMIS_CRITERION ? "not checked on held-out rows"
                                     : "the choice is based on it");
    accuracy_tiles(p, e.error);
    baseline_tiles(p);
    tamis_page_puts(p, "</dl>\n");
}

static void notes(struct tamis_page *p)
{
    const tamis_value *note = tamis_value_at(p->root, "notes");
    if (tamis_value_text(p->root, "picked")) {
        tamis_page_puts(p, "<p class=\"note\">Why this method: ");
        tamis_page_say(p, tamis_value_text(p->root, "picked"));
        tamis_page_puts(p, "</p>");
    }
    for (size_t i = 0; i < tamis_page_items(note) && i < NOTES; i++) {
        tamis_page_puts(p, "<p class=\"warn\">");
        tamis_page_say(p, tamis_page_item_text(note, i));
        tamis_page_puts(p, "</p>");
    }
}

static void answer(struct tamis_page *p)
{
    tamis_page_puts(p, "<p class=\"lead\">");
    choice_sentence(p);
    accuracy_sentence(p);
    tamis_page_puts(p, "</p>\n");
    tiles(p);
    notes(p);
}

const struct tamis_section tamis_section_answer = {.id = "answer", .title = "The answer", .draw = answer};
