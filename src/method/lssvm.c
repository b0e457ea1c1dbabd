/* lssvm: least squares support vector machine with all inputs, or under forward selection.
 * [1] J. Tikka, Simultaneous input variable and basis function selection for RBF networks, Neurocomputing 72 (2009),
 * section 2.2 and the rows "LS-SVM" and "LS-SVM with FS" of Tables 2 and 3. */
#include <stddef.h>
#include <string.h>
#include "crit/lssvm.h"
#include "method/methods.h"

struct settings { const char *select, *criterion; };

static const struct tamis_option rows[] = {
    {.name = "select", .type = TAMIS_CHOICE, .offset = offsetof(struct settings, select), .standard = "none",
     .choices = "none|forward", .help = "none: use all inputs; forward: those of forward selection"},
    {.name = "criterion", .type = TAMIS_CHOICE, .offset = offsetof(struct settings, criterion), .standard = "cv-lssvm",
     .choices = "cv-lssvm|loo-lssvm", .help = "criterion that scores (sigma2, gamma) and sets of inputs"},
    {0}};

static int resolve(struct tamis_run *run)
{
    struct settings s = {0};
    int status = tamis_options_read(run->cx, run->options, rows, &s);
    if (!status) run->criterion = tamis_criterion_find(s.criterion);
    if (!status) run->search = tamis_search_find(strcmp(s.select, "forward") ? "keep" : "forward");
    return status;
}

static int describe(struct tamis_run *run, const struct tamis_chosen *c)
{
    return tamis_lssvm_block(c->scorer, c->set, c->score, tamis_result_block(run->cx, run->result, "lssvm"));
}

/* Table 1 of [1] has ranges of sigma2 and gamma for each table, all with the 20 values of `auto`. */
static const struct tamis_published published[] = {
    {"criterion", "cv-lssvm", "section 5.2: cross-validation"},
    {"folds", "10", "section 5.2: 10-fold"},
    {"exact", "yes", "section 5.2: every value of both parameters for every set"},
    {0}};

const struct tamis_method tamis_lssvm_method = {
    .name = "lssvm",
    .task = "both",
    .summary = "least squares support vector machine, cross-validated; all inputs, or those of --select forward",
    .paper = "J. Tikka, Neurocomputing 72 (2009)",
    .options = rows,
    .resolve = resolve,
    .cost = tamis_path_cost,
    .select = tamis_path_select,
    .describe = describe,
    .shared = tamis_path_shared,
    .checkpoint = 1,
    .constraints = 1,
    .weights = 1,
    .published = published,
    .several_targets = 1,
};
