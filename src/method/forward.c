/* forward: any criterion under forward selection, the baseline of
 * [1] J. Tikka, J. Hollmen, ESANN 2008; [2] J. Tikka, Simultaneous input variable and basis function selection for RBF
 * networks, Neurocomputing 72 (2009). */
#include <stddef.h>
#include "method/methods.h"

struct settings { const char *criterion; };

static const struct tamis_option rows[] = {
    {.name = "criterion", .type = TAMIS_TEXT, .offset = offsetof(struct settings, criterion), .standard = "loo-rbf",
     .argument = "NAME", .help = "criterion that scores a set of inputs; 'tamis methods' lists them"},
    {0}};

static int resolve(struct tamis_run *run)
{
    struct settings s = {0};
    int status = tamis_options_read(run->cx, run->options, rows, &s);
    run->search = tamis_search_find("forward");
    return status ? status : tamis_resolve_criterion(run, s.criterion);
}

static const struct tamis_published published[] = {
    {"criterion", "loo-rbf", "[1] section 4: the baseline of SISAL, with its networks"},
    {"start", "empty", "[1] section 4: d (d + 1) / 2 subsets"},
    {"regularization-search", "golden", "[1] section 2, below eq. 3"},
    {"centers", "all", "[1] section 2: a basis function on each training data point"},
    {"fast", "no", "[1] section 4: every one of 50 values of sigma2 for every set"},
    {0}};

const struct tamis_method tamis_forward_method = {
    .name = "forward",
    .task = "both",
    .summary = "forward selection: each step adds the input that lowers the criterion most",
    .paper = "J. Tikka, J. Hollmen, ESANN 2008 (baseline)",
    .options = rows,
    .resolve = resolve,
    .cost = tamis_path_cost,
    .select = tamis_path_select,
    .several_targets = 1,
    .checkpoint = 1,
    .constraints = 1,
    .in_regression = "forward:fast:centers=60:max-inputs=8",
    .in_classification = "forward:criterion=knn:max-inputs=20",
    .weights = 1,
    .published = published,
};
