/* The effect of switching a category on the output of a model: what the derivative is for numbers. */
#ifndef TAMIS_EFFECTS_H
#define TAMIS_EFFECTS_H

#include "model/model.h"

/* effect[j] = max over levels l of |f(x_j with level l) - f(x_j)| / |z_l - z_(level of j)|, z the standardised
 * indicators: the steepest difference quotient from row j to another level, in the units of a derivative. x: n x
 * columns as the model sees it, its columns those of `e`; f: the category, an input of e. */
int tamis_level_effects(tamis_context *cx, const struct tamis_model_kind *kind, const void *body,
                        const struct tamis_encoder *e, const struct tamis_feature *f, const double *x, size_t n,
                        double *effect);

#endif
