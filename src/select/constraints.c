/* Options of every path, and their reading. */
#include <math.h>
#include <string.h>
#include "base/pack.h"
#include "base/text.h"
#include "data/csv.h"
#include "select/constraints.h"

#define AT(field) offsetof(struct tamis_wishes, field)

const struct tamis_option tamis_path_options[] = {
    {"select-rule", TAMIS_CHOICE, AT(rule), "best", 0, 0, "best|se|stable", NULL, "the point on the path: smallest criterion; smallest size within --se standard errors of the best, the empty set included; of that, the inputs that --stable of the folds keep"},
    {"se", TAMIS_REAL, AT(se), "1", 0, 100, NULL, "X", "standard errors that --select-rule se and stable allow"},
    {"stable", TAMIS_REAL, AT(stable), "0.6", 0, 1, NULL, "F", "share of the folds that must have an input, with --select-rule stable"},
    {"rule-folds", TAMIS_COUNT, AT(folds), "5", 2, 1e6, NULL, "K", "folds of --select-rule se and stable"},
    {"must", TAMIS_NAMES, AT(must_names), NULL, 0, 0, NULL, "A,B,...", "inputs that are always kept"},
    {"group-inputs", TAMIS_TEXT, AT(bundle_text), NULL, 0, 0, NULL, "A,B;C,D*", "inputs that are chosen or dropped together; a name may end in * for all that begin so"},
    {"cost", TAMIS_TEXT, AT(cost_file), NULL, 0, 0, NULL, "FILE", "a table with the columns input and cost: what each input costs; gives the frontier of error against cost"},
    {"budget", TAMIS_REAL, AT(budget), NULL, 0, 1e300, NULL, "X", "with --cost: the answer costs at most X"},
    {0}
};

static size_t input_find(const struct tamis_design *d, const char *name)
{
    size_t i = 0;
    while (i < d->inputs && strcmp(d->encoder->input[i].name, name)) i++;
    return i;
}

static int must_fill(struct tamis_job *job, struct tamis_wishes *w)
{
    const struct tamis_design *d = job->design;
    if (!w->must_names.count) return TAMIS_OK;
    if (!(w->must = tamis_new(job->cx, unsigned char, d->inputs))) return tamis_status(job->cx);
    for (size_t k = 0; k < w->must_names.count; k++) {
        size_t i = input_find(d, w->must_names.name[k]);
        if (i == d->inputs) return tamis_fail(job->cx, TAMIS_USAGE, "--must %s: there is no such input", w->must_names.name[k]);
        w->must[i] = 1;
    }
    w->limits.must = w->must;
    return TAMIS_OK;
}

/* ---- bundles ---- */

static int matches(const char *name, const char *pattern, size_t n)
{
    if (n && pattern[n - 1] == '*') return !strncmp(name, pattern, n - 1);
    return strlen(name) == n && !strncmp(name, pattern, n);
}

/* Puts what one pattern names into the bundle `mark`. */
static int pattern_mark(struct tamis_job *job, const char *pattern, size_t n, size_t mark, size_t *of)
{
    const struct tamis_design *d = job->design;
    int found = 0;
    for (size_t i = 0; i < d->inputs; i++) {
        if (!matches(d->encoder->input[i].name, pattern, n)) continue;
        if (of[i] && of[i] != mark) return tamis_fail(job->cx, TAMIS_USAGE, "--group-inputs: '%s' is in two groups", d->encoder->input[i].name);
        of[i] = mark;
        found = 1;
    }
    return found ? TAMIS_OK : tamis_fail(job->cx, TAMIS_USAGE, "--group-inputs %.*s: there is no such input", (int)n, pattern);
}

/* Marks 1, 2, ... of groups, 0 of single inputs, become numbers of bundles in the order of their first inputs. */
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

static int bundles_fill(struct tamis_job *job, struct tamis_wishes *w)
{
    size_t inputs = job->design->inputs, mark = 1, *seen;
    if (!w->bundle_text) return TAMIS_OK;
    if (!(w->bundle = tamis_new(job->cx, size_t, inputs))) return tamis_status(job->cx);
    for (const char *s = w->bundle_text; *s;) {
        size_t n = strcspn(s, ",;");
        if (n && pattern_mark(job, s, n, mark, w->bundle)) return tamis_status(job->cx);
        mark += s[n] == ';';
        s += n + (s[n] != 0);
    }
    if (!(seen = tamis_new(job->cx, size_t, mark + 1))) return tamis_status(job->cx);
    w->bundles = bundles_number(w->bundle, inputs, seen);
    tamis_free(seen);
    return TAMIS_OK;
}

/* ---- costs ---- */

static int cost_of(struct tamis_job *job, const struct tamis_wishes *w, const tamis_table *t, size_t row, const struct tamis_data_column *name, const struct tamis_data_column *cost)
{
    const struct tamis_design *d = job->design;
    char number[32];
    const char *label = isnan(name->value[row]) ? "" : name->type == TAMIS_CATEGORY ? name->level[(size_t)name->value[row]] : tamis_shortest(name->value[row], number);
    size_t i = input_find(d, label);
    if (i == d->inputs) return TAMIS_OK;                                /* a price list may hold more than this table */
    if (!(cost->value[row] >= 0) || !isfinite(cost->value[row])) return tamis_fail(job->cx, TAMIS_DATA, "%s: the cost of '%s' is not a number from 0 up", t->file, label);
    w->cost[i] = cost->value[row];
    return TAMIS_OK;
}

static int costs_take(struct tamis_job *job, struct tamis_wishes *w, const tamis_table *t)
{
    size_t name = tamis_table_find(t, "input"), cost = tamis_table_find(t, "cost");
    const struct tamis_design *d = job->design;
    if (name == t->columns || cost == t->columns || t->column[cost].type != TAMIS_NUMBER)
        return tamis_fail(job->cx, TAMIS_DATA, "%s: a table with the columns 'input' (a name) and 'cost' (a number) is wanted", t->file);
    for (size_t i = 0; i < d->inputs; i++) w->cost[i] = NAN;
    for (size_t n = 0; n < t->rows; n++)
        if (cost_of(job, w, t, n, &t->column[name], &t->column[cost])) return tamis_status(job->cx);
    for (size_t i = 0; i < d->inputs; i++)
        if (isnan(w->cost[i])) return tamis_fail(job->cx, TAMIS_DATA, "%s: there is no cost for input '%s'", t->file, d->encoder->input[i].name);
    w->limits.cost = w->cost;
    return TAMIS_OK;
}

static int costs_fill(struct tamis_job *job, struct tamis_wishes *w)
{
    tamis_table *t = NULL;
    if (!w->cost_file && tamis_options_get(job->options, "budget")) return tamis_fail(job->cx, TAMIS_USAGE, "--budget goes with --cost");
    if (!w->cost_file) return TAMIS_OK;
    if (!(w->cost = tamis_raw(job->cx, double, job->design->inputs))) return tamis_status(job->cx);
    int status = tamis_table_read(job->cx, w->cost_file, NULL, &t);
    if (!status) status = costs_take(job, w, t);
    tamis_table_free(t);
    return status;
}

/* ---- all of it ---- */

static int wishes_usage(struct tamis_job *job, const struct tamis_wishes *w)
{
    if (!job->plan.scaling) return TAMIS_OK;
    if (*w->rule != 'b') return tamis_fail(job->cx, TAMIS_USAGE, "--scaling weighs the best set: --select-rule %.*s does not go with it", (int)strcspn(w->rule, "|"), w->rule);
    if (w->bundles || w->cost) return tamis_fail(job->cx, TAMIS_USAGE, "--scaling weighs inputs one by one: --group-inputs and --cost do not go with it");
    return TAMIS_OK;
}

int tamis_wishes_read(struct tamis_job *job, struct tamis_wishes *w)
{
    *w = (struct tamis_wishes){0};
    int status = tamis_options_read(job->cx, job->options, tamis_path_options, w);
    w->limits = (struct tamis_limits){NULL, NULL, tamis_options_get(job->options, "budget") ? w->budget : INFINITY};
    if (!status) status = must_fill(job, w);
    if (!status) status = bundles_fill(job, w);
    if (!status) status = costs_fill(job, w);
    return status ? status : wishes_usage(job, w);
}

void tamis_wishes_free(struct tamis_wishes *w)
{
    tamis_free(w->must);
    tamis_free(w->cost);
    tamis_free(w->bundle);
}

static struct tamis_run *run_of(struct tamis_job *job, const struct tamis_design *d, const struct tamis_criterion *c, void *judge, const struct tamis_limits *limits)
{
    struct tamis_run *r = tamis_run_new(job->cx, d, c, judge, job->plan.search, job->options);
    if (!r) return NULL;
    r->keep_start = job->plan.keep_start;
    r->scaling = job->plan.scaling;
    tamis_run_limit(r, limits);
    return r;
}

static int drive(struct tamis_run *r, const char *checkpoint, uint64_t fingerprint)
{
    int status = tamis_run_drive(r, checkpoint, fingerprint);
    return status || !r->limits.cost || !isfinite(r->limits.budget) ? status : tamis_run_polish(r);
}

int tamis_wishes_drive(struct tamis_job *job, const struct tamis_wishes *w, const struct tamis_design *d, void *judge, const char *checkpoint, struct tamis_run **run)
{
    tamis_context *cx = job->cx;
    const struct tamis_criterion *c = job->plan.criterion;
    uint64_t sum = job->fingerprint ^ (w->cost ? tamis_checksum(w->cost, d->inputs * sizeof *w->cost, 0) : 0);
    *run = NULL;
    if (!w->bundles) {
        if (!(*run = run_of(job, d, c, judge, &w->limits))) return tamis_status(cx);
        return drive(*run, checkpoint, sum);
    }
    struct tamis_bundles *b = tamis_bundles_new(cx, d, w->bundle, w->bundles, c, judge, &w->limits);
    struct tamis_run *seen = b ? run_of(job, &b->view, &b->criterion, b, &b->limits) : NULL;
    if (seen && !drive(seen, checkpoint, sum)) *run = tamis_bundles_expand(b, seen, &w->limits);
    tamis_run_free(seen);
    tamis_bundles_free(b);
    return tamis_status(cx);
}
