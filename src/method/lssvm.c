/* lssvm: least squares support vector machine with all inputs, or under forward selection.
 * [1] J. Tikka, Simultaneous input variable and basis function selection for RBF networks, Neurocomputing 72 (2009),
 * section 2.2 and the rows "LS-SVM" and "LS-SVM with FS" of Tables 2 and 3. */
#include <stddef.h>
#include <string.h>
#include "crit/lssvm.h"
#include "method/methods.h"

struct settings { const char *select, *criterion; };

static const struct tamis_option rows[] = {{"select", TAMIS_CHOICE, offsetof(struct settings, select), "none", 0, 0,
                                            "none|forward", NULL, "how inputs are chosen; none: all are used"},
                                           {"criterion", TAMIS_CHOICE, offsetof(struct settings, criterion), "cv-lssvm",
                                            0, 0, "cv-lssvm|loo-lssvm", NULL,
                                            "what validates (sigma2, gamma) and the sets of inputs"},
                                           {0}};

/* A choice is the row's text up to the next |. */
static int is(const char *choice, const char *word) { return !strncmp(choice, word, strlen(word)); }

static int plan(tamis_context *cx, const tamis_options *o, struct tamis_plan *p)
{
    struct settings s = {0};
    int status = tamis_options_read(cx, o, rows, &s);
    if (status) return status;
    p->criterion = tamis_criterion_find(is(s.criterion, "loo") ? "loo-lssvm" : "cv-lssvm");
    p->search = tamis_search_find(is(s.select, "forward") ? "forward" : "keep");
    return TAMIS_OK;
}

static int describe(struct tamis_run *run, void *scorer, const unsigned char *set, const struct tamis_score *at)
{
    run->outcome->block_name = "lssvm";
    return tamis_lssvm_block(scorer, set, at, &run->outcome->block);
}

static int run(struct tamis_run *run)
{
    run->describe = describe;
    return tamis_path_run(run);
}

const struct tamis_method tamis_lssvm_method = {
    "lssvm", "both", "least squares support vector machine, cross-validated; all inputs, or those of --select forward",
    "J. Tikka, Neurocomputing 72 (2009)", rows, plan, tamis_path_cost, run};
