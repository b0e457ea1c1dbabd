/* Constraints on a path: their options, read against the inputs of a design, and the search under them. */
#include <math.h>
#include <string.h>
#include "base/nearest.h"
#include "base/number.h"
#include "base/share.h"
#include "base/text.h"
#include "data/csv.h"
#include "data/names.h"
#include "select/constraints.h"
#include "select/losses.h"
#include "select/method.h"

#define AT(field) offsetof(struct tamis_constraints, field)

const struct tamis_option tamis_path_options[] = {
    {"select-rule", TAMIS_CHOICE, AT(rule), "best", 0, 0, "best|se|stable", NULL,
     "which set of the path is taken; best: smallest criterion; se: smallest set within --rule-se standard errors of "
     "the best (possibly empty); "
     "stable: of that set, the inputs kept in --rule-stable of the folds",
     .basic = 1},
    {"rule-se", TAMIS_REAL, AT(se), "1", 0, 100, NULL, "X", "standard errors allowed by --select-rule se and stable",
     .alias = "se"},
    {"rule-stable", TAMIS_REAL, AT(stable), "0.6", 0, 1, NULL, "F",
     "share of the folds that must keep an input, with --select-rule stable", .alias = "stable"},
    {"rule-folds", TAMIS_COUNT, AT(folds), "5", 2, 1e6, NULL, "K", "folds of --select-rule se and stable"},
    {"loss", TAMIS_CHOICE, AT(loss_name), "auto", 0, 0, "auto|error|balanced-error|log-loss|brier", NULL,
     "classes: what --select-rule se and stable (auto: log-loss), or sift (auto: squared errors of class indicators), "
     "choose the size by"},
    {"max-inputs", TAMIS_COUNT, AT(most), "all", 1, 1e9, "all", "K|all", "select at most K inputs", .basic = 1},
    {"must", TAMIS_NAMES, AT(must_names), NULL, 0, 0, NULL, "A,B,...", "inputs that are always selected", .basic = 1},
    {"group-inputs", TAMIS_TEXT, AT(bundle_text), NULL, 0, 0, NULL, "A,B;C,D*|FILE",
     "inputs selected or dropped together: names, ranges, patterns such as NAME*; or a file, a table with the columns "
     "input and group"},
    {"cost", TAMIS_TEXT, AT(cost_file), NULL, 0, 0, NULL, "FILE",
     "table with the columns input and cost; the result then shows error against cost"},
    {"budget", TAMIS_REAL, AT(budget), NULL, 0, 1e300, NULL, "X", "with --cost: the selected inputs cost at most X"},
    {0}};

static size_t input_find(const struct tamis_design *d, const char *name)
{
    size_t i = 0;
    while (i < d->inputs && strcmp(d->encoder->input[i].name, name)) i++;
    return i;
}

/* A name in a table of inputs: its text, or the number as text. */
static const char *label_at(const struct tamis_data_column *c, size_t row, char number[32])
{
    if (isnan(c->value[row])) return "";
    return c->type == TAMIS_CATEGORY ? c->level[(size_t)c->value[row]] : tamis_number_text(c->value[row], number);
}

/* Marks the inputs that the text means: a name, a range or a pattern. */
static int inputs_mark(struct tamis_run *run, const char *option, const char *text, unsigned char *mark)
{
    size_t found;
    int status = tamis_names_inputs(run->cx, run->design->encoder, text, mark, &found);
    if (status || found) return status;
    return tamis_fail(run->cx, TAMIS_USAGE, "--%s %.60s: unknown input%s", option, text,
                      tamis_hint(text, tamis_input_name, run->design->encoder, "").text);
}

static int must_fill(struct tamis_run *run, struct tamis_constraints *w)
{
    const struct tamis_design *d = run->design;
    if (!w->must_names.count) return TAMIS_OK;
    if (!(w->must = tamis_new(run->cx, unsigned char, d->inputs))) return tamis_status(run->cx);
    for (size_t k = 0; k < w->must_names.count; k++)
        if (inputs_mark(run, "must", w->must_names.name[k], w->must)) return tamis_status(run->cx);
    w->limits.must = w->must;
    return TAMIS_OK;
}

/* ---- bundles ---- */

/* Puts the inputs that the n characters mean into the bundle `mark`. */
static int pattern_mark(struct tamis_run *run, const char *pattern, size_t n, size_t mark, size_t *of)
{
    const struct tamis_design *d = run->design;
    unsigned char *in = tamis_new(run->cx, unsigned char, d->inputs);
    char *text = tamis_strndup(run->cx, pattern, n);
    int status = in && text ? inputs_mark(run, "group-inputs", text, in) : tamis_status(run->cx);
    for (size_t i = 0; i < d->inputs && !status; i++) {
        if (!in[i]) continue;
        if (of[i] && of[i] != mark)
            status = tamis_fail(run->cx, TAMIS_USAGE, "--group-inputs: '%s' is in two groups",
                                d->encoder->input[i].name);
        of[i] = mark;
    }
    tamis_free(in);
    tamis_free(text);
    return status;
}

/* Marks (0: a single input; 1, 2, ...: a group) become numbers of bundles, in the order of their first inputs. */
static size_t bundles_number(size_t *of, size_t inputs, size_t *seen)
{
    size_t n = 0;
    for (size_t i = 0; i < inputs; i++) {
        size_t mark = of[i];
        if (!mark) of[i] = n++;
        else if (seen[mark]) of[i] = seen[mark] - 1;
        else seen[mark] = ++n, of[i] = n - 1;
    }
    return n;
}

/* "A,B;C,D*"; *marks: the largest mark. */
static int bundles_parse(struct tamis_run *run, const char *text, size_t *of, size_t *marks)
{
    *marks = 1;
    for (const char *s = text; *s;) {
        size_t n = strcspn(s, ",;");
        if (n && pattern_mark(run, s, n, *marks, of)) return tamis_status(run->cx);
        *marks += s[n] == ';';
        s += n + (s[n] != 0);
    }
    return TAMIS_OK;
}

/* Marks of a table's groups: equal labels or numbers are the same group; an input with none is single. */
static int bundles_take(struct tamis_run *run, const tamis_table *t, size_t *of, size_t *marks)
{
    size_t name = tamis_table_find(t, "input"), group = tamis_table_find(t, "group");
    char text[32];
    if (name == t->columns || group == t->columns)
        return tamis_fail(run->cx, TAMIS_DATA, "%s: expected a table with the columns 'input' and 'group'", t->file);
    for (size_t n = 0; n < t->rows; n++) {
        const char *label = label_at(&t->column[name], n, text);
        size_t i = input_find(run->design, label), first = 0;
        double value = t->column[group].value[n];
        while (first < n && t->column[group].value[first] != value) first++;
        if (i < run->design->inputs && !isnan(value)) of[i] = first + 1;
    }
    *marks = t->rows;
    return TAMIS_OK;
}

static int bundles_read(struct tamis_run *run, const char *text, size_t *of, size_t *marks)
{
    tamis_table *t = NULL;
    int there, status = tamis_file_there(run->cx, text, &there);
    if (status || !there) return status ? status : bundles_parse(run, text, of, marks);
    status = tamis_table_read(run->cx, text, NULL, &t);
    if (!status) status = bundles_take(run, t, of, marks);
    tamis_table_free(t);
    return status;
}

static int bundles_fill(struct tamis_run *run, struct tamis_constraints *w)
{
    size_t inputs = run->design->inputs, marks = 1, *seen;
    if (!w->bundle_text) return TAMIS_OK;
    if (!(w->bundle = tamis_new(run->cx, size_t, inputs))) return tamis_status(run->cx);
    if (bundles_read(run, w->bundle_text, w->bundle, &marks)) return tamis_status(run->cx);
    if (!(seen = tamis_new(run->cx, size_t, marks + 1))) return tamis_status(run->cx);
    w->bundles = bundles_number(w->bundle, inputs, seen);
    tamis_free(seen);
    return TAMIS_OK;
}

/* ---- costs ---- */

static int cost_of(struct tamis_run *run, const struct tamis_constraints *w, const tamis_table *t, size_t row,
                   const struct tamis_data_column *name, const struct tamis_data_column *cost)
{
    const struct tamis_design *d = run->design;
    char number[32];
    const char *label = label_at(name, row, number);
    size_t i = input_find(d, label);
    if (i == d->inputs) return TAMIS_OK;        /* a price list may name more inputs than this table has */
    if (!(cost->value[row] >= 0) || !isfinite(cost->value[row]))
        return tamis_fail(run->cx, TAMIS_DATA, "%s: the cost of '%s' must be a number of at least 0", t->file, label);
    w->cost[i] = cost->value[row];
    return TAMIS_OK;
}

static int costs_take(struct tamis_run *run, struct tamis_constraints *w, const tamis_table *t)
{
    size_t name = tamis_table_find(t, "input"), cost = tamis_table_find(t, "cost");
    const struct tamis_design *d = run->design;
    if (name == t->columns || cost == t->columns || t->column[cost].type != TAMIS_NUMBER)
        return tamis_fail(run->cx, TAMIS_DATA,
                          "%s: expected a table with the columns 'input' (a name) and 'cost' (a number)", t->file);
    for (size_t i = 0; i < d->inputs; i++) w->cost[i] = NAN;
    for (size_t n = 0; n < t->rows; n++)
        if (cost_of(run, w, t, n, &t->column[name], &t->column[cost])) return tamis_status(run->cx);
    for (size_t i = 0; i < d->inputs; i++)
        if (isnan(w->cost[i]))
            return tamis_fail(run->cx, TAMIS_DATA, "%s: no cost for input '%s'", t->file,
                              d->encoder->input[i].name);
    w->limits.cost = w->cost;
    return TAMIS_OK;
}

static int costs_fill(struct tamis_run *run, struct tamis_constraints *w)
{
    tamis_table *t = NULL;
    if (!w->cost_file && tamis_options_get(run->options, "budget"))
        return tamis_fail(run->cx, TAMIS_USAGE, "--budget needs the costs of the inputs; give --cost FILE");
    if (!w->cost_file) return TAMIS_OK;
    if (!(w->cost = tamis_raw(run->cx, double, run->design->inputs))) return tamis_status(run->cx);
    int status = tamis_table_read(run->cx, w->cost_file, NULL, &t);
    if (!status) status = costs_take(run, w, t);
    tamis_table_free(t);
    return status;
}

/* ---- reading ---- */

/* A method without a criterion (sift) reads --loss itself. */
static int loss_find(struct tamis_run *run, struct tamis_constraints *w)
{
    int given = strcmp(w->loss_name, "auto") != 0, best = !strcmp(w->rule, "best");
    if (given && run->criterion && best)
        return tamis_fail(run->cx, TAMIS_USAGE,
                          "--loss %s: %s takes the set with the best criterion; add --select-rule "
                          "se to choose its size by a loss",
                          w->loss_name, run->method->name);
    if (given || (run->criterion && run->encoder->classes && !best))
        w->loss = tamis_loss_named(run, w->loss_name, "log-loss");
    return tamis_status(run->cx);
}

static int usage_check(struct tamis_run *run, const struct tamis_constraints *w)
{
    if (!run->scaling) return TAMIS_OK;
    if (strcmp(w->rule, "best"))
        return tamis_fail(run->cx, TAMIS_USAGE,
                          "--scaling weights the best set and cannot be combined with --select-rule %s", w->rule);
    if (w->bundles || w->cost)
        return tamis_fail(run->cx, TAMIS_USAGE,
                          "--scaling weights single inputs and cannot be combined with --group-inputs or --cost");
    return TAMIS_OK;
}

/* Inputs that are in every set: those of --must and what is bundled with them. */
static size_t musts(const struct tamis_run *run, const struct tamis_constraints *w)
{
    size_t n = 0, inputs = run->design->inputs;
    for (size_t i = 0; w->must && i < inputs; i++) {
        int stays = w->must[i];
        for (size_t j = 0; w->bundles && !stays && j < inputs; j++) stays = w->must[j] && w->bundle[j] == w->bundle[i];
        n += (size_t)stays;
    }
    return n;
}

static int most_check(const struct tamis_run *run, const struct tamis_constraints *w)
{
    if (!w->most || musts(run, w) <= w->most) return TAMIS_OK;
    return tamis_fail(run->cx, TAMIS_USAGE, "--max-inputs %zu: --must keeps %zu inputs; raise it, or drop some of them",
                      w->most, musts(run, w));
}

static int options_read(const struct tamis_run *run, struct tamis_constraints *w)
{
    *w = (struct tamis_constraints){0};
    int status = tamis_options_read(run->cx, run->options, tamis_path_options, w);
    if (w->most == SIZE_MAX) w->most = 0;
    return status;
}

int tamis_constraints_most(const struct tamis_run *run, size_t *most)
{
    struct tamis_constraints w;
    int status = options_read(run, &w);
    *most = w.most;
    return status;
}

int tamis_constraints_read(struct tamis_run *run, struct tamis_constraints *w)
{
    int status = options_read(run, w);
    w->limits = (struct tamis_limits){.budget = tamis_options_get(run->options, "budget") ? w->budget : INFINITY,
                                      .most = w->most};
    if (!status) status = must_fill(run, w);
    if (!status) status = bundles_fill(run, w);
    if (!status) status = most_check(run, w);
    if (!status) status = costs_fill(run, w);
    if (!status) status = loss_find(run, w);
    return status ? status : usage_check(run, w);
}

int tamis_constraints_unmet(const struct tamis_run *run, const struct tamis_constraints *w)
{
    if (isfinite(w->limits.budget) && w->most)
        return tamis_fail(run->cx, TAMIS_USAGE,
                          "--budget %g, --max-inputs %zu: no set on the path is within both; raise one of them",
                          w->limits.budget, w->most);
    if (isfinite(w->limits.budget))
        return tamis_fail(run->cx, TAMIS_USAGE, "--budget %g: every set on the path costs more; raise it",
                          w->limits.budget);
    if (run->search->keeps)
        return tamis_fail(run->cx, TAMIS_USAGE, "--max-inputs %zu: %s keeps all %zu inputs; give --select forward",
                          w->most, run->method->name, run->design->inputs);
    return tamis_fail(run->cx, TAMIS_USAGE,
                      "--max-inputs %zu: every set on the path has more inputs; raise it, or search forward", w->most);
}

void tamis_constraints_free(struct tamis_constraints *w)
{
    tamis_free(w->must);
    tamis_free(w->cost);
    tamis_free(w->bundle);
}

/* ---- searching ---- */

static struct tamis_walk *walk_of(struct tamis_run *run, const struct tamis_design *d, const struct tamis_criterion *c,
                                  void *scorer, const struct tamis_limits *limits)
{
    struct tamis_walk *r = tamis_walk_new(run->cx, d, c, scorer, run->search, run->options);
    if (!r) return NULL;
    r->keep_start = run->keep_start;
    r->scaling = run->scaling;
    tamis_walk_limit(r, limits);
    return r;
}

static int drive(struct tamis_walk *r, const char *checkpoint, uint64_t fingerprint)
{
    int status = tamis_walk_drive(r, checkpoint, fingerprint);
    return status || !r->limits.cost || !isfinite(r->limits.budget) ? status : tamis_walk_polish(r);
}

int tamis_constraints_drive(struct tamis_run *run, const struct tamis_constraints *w, const struct tamis_design *d,
                            void *scorer, const char *checkpoint, struct tamis_walk **walk)
{
    tamis_context *cx = run->cx;
    const struct tamis_criterion *c = run->criterion;
    uint64_t sum = run->fingerprint ^ (w->cost ? tamis_checksum(w->cost, d->inputs * sizeof *w->cost, 0) : 0);
    *walk = NULL;
    if (!w->bundles) {
        if (!(*walk = walk_of(run, d, c, scorer, &w->limits))) return tamis_status(cx);
        return drive(*walk, checkpoint, sum);
    }
    struct tamis_bundles *b = tamis_bundles_new(cx, d, w->bundle, w->bundles, c, scorer, &w->limits);
    struct tamis_walk *seen = b ? walk_of(run, &b->view, &b->criterion, b, &b->limits) : NULL;
    if (seen && !drive(seen, checkpoint, sum)) *walk = tamis_bundles_expand(b, seen, &w->limits);
    tamis_walk_free(seen);
    tamis_bundles_free(b);
    return tamis_status(cx);
}
