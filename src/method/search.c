/* search: any criterion under any search, and weights of the inputs after it.
 * [1] F. Mateo, A. Lendasse, A variable selection approach based on the Delta Test for Extreme Learning Machine models,
 * 2008: the Delta Test under forward-backward search is the default. */
#include <stddef.h>
#include "method/methods.h"

struct settings { const char *criterion, *search; int scaling; };

static const struct tamis_option rows[] = {
    {.name = "criterion", .type = TAMIS_TEXT, .offset = offsetof(struct settings, criterion), .standard = "delta",
     .argument = "NAME", .help = "criterion that scores a set of inputs; 'tamis methods' lists them"},
    {.name = "search", .type = TAMIS_TEXT, .offset = offsetof(struct settings, search), .standard = "forward-backward",
     .argument = "NAME", .help = "search over sets of inputs; 'tamis methods' lists them"},
    {.name = "scaling", .type = TAMIS_FLAG, .offset = offsetof(struct settings, scaling),
     .help = "then give each input the weight among 0, 0.1, ..., 1 that lowers the criterion, one at a time"},
    {0}};

static int resolve(struct tamis_run *run)
{
    struct settings s = {0};
    int status = tamis_options_read(run->cx, run->options, rows, &s);
    run->keep_start = 1;
    if (!status) status = tamis_resolve_criterion(run, s.criterion);
    if (!status) status = tamis_resolve_search(run, s.search);
    return status ? status : tamis_resolve_scaling(run, s.scaling);
}

/* A criterion that is commonly maximised is shown with its usual sign. */
static int describe(struct tamis_run *run, const struct tamis_chosen *c)
{
    const struct tamis_walk *w = c->walk;
    double sign = w->criterion->negated ? -1 : 1;
    tamis_value *v = tamis_result_block(run->cx, run->result, "search");
    tamis_add_text(v, "criterion", w->criterion->name);
    tamis_add_text(v, "search", w->search->name);
    tamis_add_number(v, "value", sign * run->result->error);
    if (!w->scaled) return tamis_status(run->cx);
    tamis_add_number(v, "unscaled", sign * w->move[c->step].score.value);
    tamis_add_number(v, "steps", (double)w->scale_steps);
    double *factor = tamis_add_room(v, "scaling", w->design->inputs);
    for (size_t i = 0; factor && i < w->design->inputs; i++) factor[i] = w->tenth[i] / 10.0;
    return tamis_status(run->cx);
}

static const struct tamis_published published[] = {
    {"criterion", "delta", "[1] section 5.2"},
    {"search", "forward-backward", "[1] section 5.2"},
    {"start", "empty", "[1] section 5.2: empty initial search set"},
    {"restarts", "0", "[1] section 5.2"},
    {"accept-equal", "yes", "[1] section 2.2, step 3: it stops where the old value is lower, or a set recurs"},
    {"ties", "first", "[1] section 2.1: the nearest neighbour, one row"},
    {0}};

const struct tamis_method tamis_search_method = {
    .name = "search",
    .task = "both",
    .summary = "any criterion (Delta Test, Gamma Test, mutual information, k-NN, ...) with any search, and weights of "
               "the inputs",
    .paper = "F. Mateo, A. Lendasse, 2008",
    .options = rows,
    .resolve = resolve,
    .cost = tamis_path_cost,
    .select = tamis_path_select,
    .describe = describe,
    .several_targets = 1,
    .checkpoint = 1,
    .constraints = 1,
    .in_regression = "search",
    .in_classification = "search:criterion=knn",
    .weights = 1,
    .spreads = 1,
    .published = published,
};
