/* The result and the memory behind it. */
#ifndef TAMIS_RESULT_H
#define TAMIS_RESULT_H

#include "base/text.h"
#include "data/design.h"
#include "model/model.h"

struct tamis_outcome {
    tamis_result open;                  /* what users see; first, so that a pointer to it is a pointer to this */
    tamis_input *input;
    size_t *chosen;
    tamis_step *path;
    size_t *changed, changed_count;     /* inputs that changed, step by step: 1 + also of each step that changed any */
    char *method, *picked, *criterion, *error_name, *target, *file;
    char **name, **note, **parameter_name, **word;
    size_t names, notes, parameter_names, words;
    tamis_model *model;
    struct tamis_text options;          /* what the method ran with, a JSON object */
    struct tamis_text block;            /* the method's own JSON, "" or an object, under block_name */
    const char *block_name;
    struct tamis_text rule,
        cost; /* how the size was chosen, what the inputs cost, JSON objects; "" when not asked for */
    struct tamis_text outer, bootstrap; /* nested validation and resamples, JSON objects; "" when not asked for */
    struct tamis_text evidence;         /* "" or an object: see evidence.h */
    double *held_out; /* NULL, or for each training row the prediction (standardised, or the class) of a model not
                         fitted on it */
};

struct tamis_outcome *tamis_outcome_new(tamis_context *cx, const struct tamis_design *d);
void tamis_outcome_free(struct tamis_outcome *o);
/* Marks set[] as selected; ranks: selected inputs by relevance, then the others by `order` (larger is better, NAN last
 * and unranked). */
int tamis_outcome_rank(tamis_context *cx, struct tamis_outcome *o, const unsigned char *set, const double *relevance,
                       const double *order);
void tamis_json_by_input(struct tamis_text *t, const struct tamis_encoder *e,
                         const double *value); /* {"x1": 0.8, ...} */
int tamis_outcome_notes(tamis_context *cx, struct tamis_outcome *o);    /* takes the context's notes over */

#endif
