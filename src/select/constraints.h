/* Constraints on any path: the rule that picks the answer, inputs that must be selected, inputs that go together, their
 * number, and costs. */
#ifndef TAMIS_CONSTRAINTS_H
#define TAMIS_CONSTRAINTS_H

#include "select/run.h"
#include "search/bundle.h"

struct tamis_loss;

struct tamis_constraints {
    const char *rule, *loss_name, *bundle_text, *cost_file;
    const struct tamis_loss *loss;      /* that the rule chooses the size by; NULL: the error of the models */
    size_t folds, most;                 /* most: of the inputs that may be selected; 0: no limit */
    double se, stable, budget;
    struct tamis_names must_names;

    unsigned char *must;
    double *cost;
    size_t *bundle, bundles;            /* the bundle of each input; bundles 0: inputs are single */
    struct tamis_limits limits;         /* points to must and cost */
};

/* From the run's options; call tamis_constraints_free even if it fails. */
int tamis_constraints_read(struct tamis_run *run, struct tamis_constraints *w);
void tamis_constraints_free(struct tamis_constraints *w);
/* Reads --max-inputs alone: 0 is no limit. */
int tamis_constraints_most(const struct tamis_run *run, size_t *most);
/* TAMIS_USAGE: no set of the walk is within the limits; the sentence says which of them to raise. */
int tamis_constraints_unmet(const struct tamis_run *run, const struct tamis_constraints *w);
/* With --cost, result->cost: what set[] costs, and error against cost along the result's path (costs.c). */
int tamis_costs_add(struct tamis_run *run, const struct tamis_constraints *w, const unsigned char *set);
/* One search on a design under these constraints. *walk is over inputs, even if the search moved bundles. checkpoint
 * may be NULL. */
int tamis_constraints_drive(struct tamis_run *run, const struct tamis_constraints *w, const struct tamis_design *d,
                            void *scorer, const char *checkpoint, struct tamis_walk **walk);

/* --select-rule se and stable (rule.c): the path is run again without each fold, and every size is measured on the fold
 * held out. */
struct tamis_rule {
    size_t folds;                       /* w->folds, or fewer where equal rows leave fewer groups */
    size_t move;                        /* of the main walk; its number of moves: the empty set */
    unsigned char *set;                 /* the answer */
    double *share;                      /* of each input: the share of folds that select it at that size */
    size_t sizes;                       /* 0 .. sizes - 1 */
    size_t size;                        /* chosen */
    double *error, *excess_se;          /* of each size: mean over rows; standard error of its excess over the best */
};
int tamis_rule_apply(struct tamis_run *run, const struct tamis_constraints *w, const struct tamis_walk *main,
                     struct tamis_rule *rule);
void tamis_rule_free(struct tamis_rule *rule);

#endif
