/* What users may ask of any path: which point of it is the answer, inputs that stay, inputs that go together, what inputs cost. */
#ifndef TAMIS_WISHES_H
#define TAMIS_WISHES_H

#include "select/method.h"
#include "search/bundle.h"

struct tamis_wishes {
    const char *rule, *bundle_text, *cost_file;
    size_t folds;
    double se, stable, budget;
    struct tamis_names must_names;

    unsigned char *must;
    double *cost;
    size_t *bundle, bundles;            /* of each input; 0: every input for itself */
    struct tamis_limits limits;         /* points to must and cost */
};

int tamis_wishes_read(struct tamis_job *job, struct tamis_wishes *w);   /* tamis_wishes_free after it also when it fails */
void tamis_wishes_free(struct tamis_wishes *w);
/* One search on a design under these wishes: *run is over inputs, whatever bundles the search saw. checkpoint may be NULL. */
int tamis_wishes_drive(struct tamis_job *job, const struct tamis_wishes *w, const struct tamis_design *d, void *judge, const char *checkpoint, struct tamis_run **run);

/* --select-rule se and stable (rule.c). The path is run again without each fold; every size is measured on the fold left out. */
struct tamis_rule {
    size_t move;                        /* of the main run; moves: the empty set */
    unsigned char *set;                 /* the answer */
    double *share;                      /* of the folds that have each input at that size */
    size_t sizes;                       /* 0 .. sizes - 1 */
    size_t size;                        /* chosen */
    double *error, *excess_se;          /* of each size: mean over rows; standard error of its excess over the best */
};
int tamis_rule_apply(struct tamis_job *job, const struct tamis_wishes *w, const struct tamis_run *main, struct tamis_rule *rule);
void tamis_rule_free(struct tamis_rule *rule);

#endif
