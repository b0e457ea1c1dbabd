/* Models: what predicts. A kind is a row in model.c: how it predicts standardised rows, and how a file holds it. */
#ifndef TAMIS_MODEL_H
#define TAMIS_MODEL_H

#include "base/pack.h"
#include "base/value.h"
#include "data/design.h"
#include "num/calibrate.h"

/* The fields that a kind packs, in order, and their names in JSON. */
enum tamis_field_type {
    TAMIS_FIELD_COUNT, TAMIS_FIELD_COUNTS, TAMIS_FIELD_REAL, TAMIS_FIELD_REALS,
    TAMIS_FIELD_REALS_OR_NONE           /* JSON leaves the field out if there are none */
};
struct tamis_field {
    const char *name;           /* NULL ends the list */
    int type;
    size_t of;                  /* TAMIS_FIELD_COUNTS: the earlier field that holds their number */
};

struct tamis_code;

struct tamis_model_kind {
    const char *name;
    /* out (rows x targets, or rows x classes of scores of which the largest wins; column-major) from x (rows x columns
     * of standardised inputs, leading dimension ld). */
    int (*predict)(tamis_context *cx, const void *body, const double *x, size_t rows, size_t ld, double *out);
    size_t (*basis_functions)(const void *body);
    void (*describe)(const void *body, tamis_value *parameters);        /* adds them to a record */
    void (*pack)(const void *body, struct tamis_pack *p);
    /* NULL with u->failed set or an error in the context */
    void *(*unpack)(struct tamis_unpack *u, size_t columns, size_t outputs);
    void (*free)(void *body);
    const struct tamis_field *fields;
    int rough;                                                          /* its predictions have steps: no derivatives */
    int probabilities;                                                  /* its scores are those of the classes */
    void (*code)(const void *body, struct tamis_code *c);               /* the model as C: see code.h */
    const struct tamis_model_kind *now; /* of a name that only older files use: the kind that its models have become */
};

/* Points that stand for the residuals of rows that a model was not fitted on (num/conformal.h), standardised. */
struct tamis_residuals {
    size_t count;
    double *point;                      /* count x targets, column-major, each rising */
};

struct tamis_model {
    const struct tamis_model_kind *kind;
    struct tamis_encoder *encoder;      /* of the selected inputs */
    void *body;
    struct tamis_calibrator *calibrator;        /* of a classifier's scores; NULL: they stay as they are */
    struct tamis_residuals *residuals;  /* in regression; NULL: unknown */
};

const struct tamis_model_kind *tamis_model_kind_find(const char *name);

/* Takes ownership of encoder and body, also when it fails. */
struct tamis_model *tamis_model_new(tamis_context *cx, const struct tamis_model_kind *kind,
                                    struct tamis_encoder *encoder, void *body);
size_t tamis_model_outputs(const struct tamis_model *m);                /* number of targets, or of classes */
/* Predicts the standardised rows of d: rows x outputs, standardised too. */
int tamis_model_apply(tamis_context *cx, const struct tamis_model *m, const struct tamis_design *d, double *out);
/* The columns of the model's inputs from d, in the model's order and units, to x: rows x columns of the model. */
void tamis_model_gather(const struct tamis_model *m, const struct tamis_design *d, double *x);
/* Scores (rows x classes) become probabilities, if the model is calibrated. */
void tamis_model_calibrate(const struct tamis_model *m, double *score, size_t rows);
/* For a model to keep; the caller fills slope or point. NULL with the sentence in cx. */
struct tamis_calibrator *tamis_calibrator_new(tamis_context *cx, size_t classes);
void tamis_calibrator_free(struct tamis_calibrator *c);
struct tamis_residuals *tamis_residuals_new(tamis_context *cx, size_t count, size_t targets);
void tamis_residuals_free(struct tamis_residuals *r);
/* The class with the largest score in row i of n, the first of equal ones. */
size_t tamis_model_winner(const double *score, size_t n, size_t classes, size_t i);
/* Converts the outputs of apply to the units of the targets (rows x targets), or to the index of the class. */
void tamis_model_units(const struct tamis_model *m, const double *out, size_t rows, double *prediction);
/* Loss of row i of n: the squared error averaged over targets, or 1 if the class is wrong. */
double tamis_model_loss(const struct tamis_encoder *e, const double *out, const double *y, size_t n, size_t i);
/* Outputs for the rows of d, a design with at least the model's inputs, in the model's units: rows x outputs. */
int tamis_model_outputs_of(tamis_context *cx, const struct tamis_model *m, const struct tamis_design *d, double *out);
/* Loss of each row of d, a design with at least the model's inputs: the squared error of the standardised target
 * (averaged over several), or 1 where the class is wrong. */
int tamis_model_losses(tamis_context *cx, const struct tamis_model *m, const struct tamis_design *d, double *loss);
/* Their mean. */
int tamis_model_error(tamis_context *cx, const struct tamis_model *m, const struct tamis_design *d, double *error);

#endif
