/* sisal: loo-rbf under eliminate.
 * [1] J. Tikka, J. Hollmen, Selection of important input variables for RBF network using partial derivatives, ESANN
 * 2008. */
#include "method/methods.h"

static const struct tamis_option none[] = {{0}};

static int resolve(struct tamis_run *run)
{
    run->criterion = tamis_criterion_find("loo-rbf");
    run->search = tamis_search_find("eliminate");
    return TAMIS_OK;
}

static const struct tamis_preference preferences[] = {
    {"centers", "500", "with 500 centres instead of one per row", .above_rows = 1500},
    {"drop-fraction", "0.1", "dropping a tenth of the inputs at a time", .above_inputs = 200},
    {0}};

/* Table 1 of [1] has a range of sigma2 for each table, with the 50 values of `auto`; that of gamma is not stated. */
static const struct tamis_published published[] = {
    {"regularization-search", "golden", "section 2, below eq. 3: golden section line search"},
    {"centers", "all", "section 2: a basis function on each training data point"},
    {"median-weight", "1", "section 3, below eq. 5: equal weighting of the two terms"},
    {"spread-weight", "1", "section 3, below eq. 5"},
    {"drop-fraction", "0", "Algorithm 1, step 6: one input at a time"},
    {"fast", "no", "section 4: every one of 50 values of sigma2 for every set"},
    {0}};

const struct tamis_method tamis_sisal = {
    .name = "sisal",
    .task = "regression",
    .summary =
        "RBF network with exact leave-one-out error; step by step, the input with the flattest derivatives is removed",
    .paper = "J. Tikka, J. Hollmen, ESANN 2008",
    .options = none,
    .resolve = resolve,
    .cost = tamis_path_cost,
    .select = tamis_path_select,
    .several_targets = 1,
    .checkpoint = 1,
    .constraints = 1,
    .preferences = preferences,
    .published = published,
    .weights = 1,
};
