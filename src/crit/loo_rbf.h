#ifndef TAMIS_LOO_RBF_H
#define TAMIS_LOO_RBF_H
#include "crit/crit.h"
extern const struct tamis_criterion tamis_loo_rbf;
#endif
