/* Models: what predicts. A kind is a row in model.c: how it predicts standardised rows, how it is packed into a
 * file. */
#ifndef TAMIS_MODEL_H
#define TAMIS_MODEL_H

#include "base/pack.h"
#include "base/value.h"
#include "data/design.h"

/* The fields that a kind packs, in their order: what the JSON form calls them. */
enum tamis_field_type { TAMIS_FIELD_COUNT, TAMIS_FIELD_COUNTS, TAMIS_FIELD_REAL, TAMIS_FIELD_REALS };
struct tamis_field {
    const char *name;           /* NULL: no more */
    int type;
    size_t of;                  /* TAMIS_FIELD_COUNTS: the field, an earlier one, that says how many */
};

struct tamis_code;

struct tamis_model_kind {
    const char *name;
    /* out (rows x targets, or rows x classes of scores, column-major: the largest wins) from x, rows x columns of
     * standardised inputs, leading dimension ld. */
    int (*predict)(tamis_context *cx, const void *body, const double *x, size_t rows, size_t ld, double *out);
    size_t (*basis_functions)(const void *body);
    void (*describe)(const void *body, tamis_value *parameters);        /* adds them to a record */
    void (*pack)(const void *body, struct tamis_pack *p);
    void *(*unpack)(struct tamis_unpack *u, size_t columns,
                    size_t outputs); /* NULL with u->failed or the sentence in cx */
    void (*free)(void *body);
    const struct tamis_field *fields;
    int rough;                                                          /* its predictions have steps: no derivatives */
    void (*code)(const void *body, struct tamis_code *c);               /* the model as C: see code.h */
};

struct tamis_model {
    const struct tamis_model_kind *kind;
    struct tamis_encoder *encoder;      /* of the chosen inputs */
    void *body;
};

const struct tamis_model_kind *tamis_model_kind_find(const char *name);

/* Takes encoder and body over, also when it fails. */
struct tamis_model *tamis_model_new(tamis_context *cx, const struct tamis_model_kind *kind,
                                    struct tamis_encoder *encoder, void *body);
size_t tamis_model_outputs(const struct tamis_model *m);                /* the targets, or the classes */
/* Of standardised rows; rows x outputs, standardised too. */
int tamis_model_apply(tamis_context *cx, const struct tamis_model *m, const struct tamis_design *d, double *out);
/* The columns of d that the model's inputs are, in the model's order and units, into x: rows x columns of the model. */
void tamis_model_gather(const struct tamis_model *m, const struct tamis_design *d, double *x);
/* The class with the largest score in row i of n; of equal ones the first. */
size_t tamis_model_winner(const double *score, size_t n, size_t classes, size_t i);
/* What apply left, in the units of the targets (rows x targets), or the index of the class. */
void tamis_model_units(const struct tamis_model *m, const double *out, size_t rows, double *prediction);
/* On the rows of d, a design with at least the model's inputs: the squared error of the standardised target (the mean
 * of several), or 1 where the class is wrong. */
int tamis_model_losses(tamis_context *cx, const struct tamis_model *m, const struct tamis_design *d, double *loss);
/* Their mean. */
int tamis_model_error(tamis_context *cx, const struct tamis_model *m, const struct tamis_design *d, double *error);

#endif
