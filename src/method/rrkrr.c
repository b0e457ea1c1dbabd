/* rrkrr: reduced rank kernel ridge regression with all inputs, or with those chosen by forward selection of an LS-SVM.
 * [1] J. Tikka, Simultaneous input variable and basis function selection for RBF networks, Neurocomputing 72 (2009),
 * eqs. 6 to 8 and the rows "RRKRR" and "sparse RRKRR" of Tables 2 and 3.
 * DIFFERS [1] with --candidates M: a table too large for an LS-SVM is too large for its forward selection, so the
 * reduced machine chooses its inputs by its own error. */
#include <stddef.h>
#include <string.h>
#include "crit/lssvm.h"
#include "method/methods.h"

struct settings { const char *select; double tolerance; size_t most, candidates; };

static const struct tamis_option rows[] = {
    {.name = "select", .type = TAMIS_CHOICE, .offset = offsetof(struct settings, select), .standard = "none",
     .choices = "none|forward",
     .help = "none: use all inputs; forward: those that forward selection of an LS-SVM chooses (with --candidates: of "
             "the reduced machine itself)"},
    TAMIS_RRKRR_ROWS(offsetof(struct settings, tolerance), offsetof(struct settings, most),
                     offsetof(struct settings, candidates)),
    {0}};

static int resolve(struct tamis_run *run)
{
    struct settings s = {0};
    int status = tamis_options_read(run->cx, run->options, rows, &s);
    if (status) return status;
    int forward = !strcmp(s.select, "forward");
    run->criterion = forward && s.candidates == SIZE_MAX ? &tamis_cv_lssvm : &tamis_cv_rrkrr;
    run->search = tamis_search_find(forward ? "forward" : "keep");
    return TAMIS_OK;
}

static int chosen_by_lssvm(const struct tamis_run *run) { return run->criterion != &tamis_cv_rrkrr; }

static int cost(struct tamis_run *run, struct tamis_cost *c)
{
    struct tamis_cost own = {0};
    int status = tamis_path_cost(run, c);
    if (status || !chosen_by_lssvm(run)) return status;
    status = tamis_cv_rrkrr.cost(run->cx, run->design, run->options, &own);
    c->flops += 2 * own.flops;
    c->bytes = own.bytes > c->bytes ? own.bytes : c->bytes;
    return status;
}

static int block_fill(struct tamis_run *run, void *scorer, const unsigned char *set, const struct tamis_score *at)
{
    return tamis_lssvm_block(scorer, set, at, tamis_result_block(run->cx, run->result, "rrkrr"));
}

/* An LS-SVM that only chose the inputs is replaced by the reduced machine, which fills the block later. */
static int describe(struct tamis_run *run, const struct tamis_chosen *c)
{
    return chosen_by_lssvm(run) ? TAMIS_OK : block_fill(run, c->scorer, c->set, c->score);
}

/* The error of a set, its model (unless NULL), and the model's error on the test rows. */
static int set_errors(struct tamis_run *run, void *scorer, const unsigned char *set, struct tamis_score *score,
                      double *test, struct tamis_model **model)
{
    static const size_t self[1] = {SIZE_MAX};
    struct tamis_model *m = NULL;
    int status = tamis_cv_rrkrr.evaluate(scorer, set, self, 1, NULL, score);
    if (!status && (model || run->test)) status = tamis_cv_rrkrr.fit(scorer, set, score, &m, NULL);
    if (!status && run->test) status = tamis_model_error(run->cx, m, run->test, test);
    if (!status && model) *model = m;
    else tamis_model_free(m);
    return status;
}

/* Replaces the LS-SVM of the result by the reduced machine on its inputs. */
static int replace(struct tamis_run *run, void *scorer, unsigned char *set)
{
    struct tamis_result *o = run->result;
    struct tamis_model *model = NULL;
    struct tamis_score score;
    memset(set, 1, run->design->inputs);
    int status = set_errors(run, scorer, set, &score, &o->test_all_inputs, NULL);
    if (status) return status;
    o->all_inputs = score.value;
    for (size_t i = 0; i < run->design->inputs; i++) set[i] = (unsigned char)o->input[i].selected;
    status = set_errors(run, scorer, set, &score, &o->test, &model);
    if (status) return status;
    tamis_model_free(o->model);
    o->model = model;
    o->error = score.value;
    return block_fill(run, scorer, set, &score);
}

static int select_inputs(struct tamis_run *run)
{
    void *scorer = NULL;
    int status = tamis_path_select(run);
    if (status || !chosen_by_lssvm(run)) return status;
    tamis_note(run->cx, "forward selection of an LS-SVM chose the inputs; the path is the LS-SVM's, errors and model "
                        "are those of the reduced machine");
    unsigned char *set = tamis_new(run->cx, unsigned char, run->design->inputs);
    status = set ? tamis_cv_rrkrr.start(run->cx, run->design, run->options, run->seed, &scorer) : tamis_status(run->cx);
    if (!status) status = replace(run, scorer, set);
    tamis_cv_rrkrr.finish(scorer);
    tamis_free(set);
    return status;
}

/* Section 5 of [1]: basis functions are added until K_SS is no longer invertible, without a number; this one comes
 * closest to the counts of Table 3. */
static const struct tamis_published published[] = {
    {"pivot-tolerance", "1e-5", "section 5: until K_SS is no longer invertible"},
    {"max-basis", "all", "section 5"},
    {"candidates", "all", "section 2.2: from all training samples"},
    {"folds", "10", "section 5.2: 10-fold cross-validation"},
    {"exact", "yes", "section 5.2: every value of both parameters for every set"},
    {0}};

const struct tamis_method tamis_rrkrr_method = {
    .name = "rrkrr",
    .task = "both",
    .summary = "reduced rank kernel ridge regression: basis functions chosen by reconstruction error; all inputs, or "
               "those of --select forward",
    .paper = "J. Tikka, Neurocomputing 72 (2009)",
    .options = rows,
    .resolve = resolve,
    .cost = cost,
    .select = select_inputs,
    .describe = describe,
    .shared = tamis_path_shared,
    .checkpoint = 1,
    .constraints = 1,
    .weights = 1,
    .published = published,
    .several_targets = 1,
};
