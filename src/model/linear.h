/* Linear model: y_o(x) = a_o + sum_j b_jo x_j. */
#ifndef TAMIS_LINEAR_H
#define TAMIS_LINEAR_H

#include "model/model.h"

struct tamis_linear {
    size_t columns, outputs;
    double *b;                  /* (columns + 1) x outputs, column-major, the intercept last */
};

extern const struct tamis_model_kind tamis_linear_kind;

/* Memory for a model; contents zero. */
struct tamis_linear *tamis_linear_new(tamis_context *cx, size_t columns, size_t outputs);
void tamis_linear_free(struct tamis_linear *m);

#endif
