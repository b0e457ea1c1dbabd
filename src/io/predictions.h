/* Forms in which predictions leave: lines of CSV as they come, or one NPY array at the end. A form is one row. */
#ifndef TAMIS_PREDICTIONS_H
#define TAMIS_PREDICTIONS_H

#include "base/text.h"
#include "model/model.h"

struct tamis_predictions {
    tamis_context *cx;
    const struct tamis_encoder *e;
    int probabilities;          /* what the scores of classes are */
    double *lower, *upper;      /* of each target, added to a prediction for the ends of its interval; NULL: none */
    size_t *carried, carries;   /* columns of every block that are copied in front of a prediction */
    struct tamis_text text;
    double *cell;               /* of an array */
    size_t rows, room;          /* its rows, and those that there is room for */
    tamis_write *write;
    void *user;
};

/* Predicted rows: prediction (all x targets) and score (all x classes), of which those from `from` on are new; the
 * first of them is row `at` of the block. */
struct tamis_predicted {
    const double *prediction, *score;
    size_t all, from, at;
    const tamis_table *block;
};

struct tamis_prediction_form {
    const char *name;           /* as --format takes it */
    int texts;                  /* can carry columns of text */
    int (*begin)(struct tamis_predictions *p, const tamis_table *block);
    int (*rows)(struct tamis_predictions *p, const struct tamis_predicted *r);
    int (*end)(struct tamis_predictions *p);
};

extern const struct tamis_option tamis_predict_options[];       /* part "predict" */
const struct tamis_prediction_form *tamis_prediction_form(const char *name);
void tamis_predictions_free(struct tamis_predictions *p);

#endif
