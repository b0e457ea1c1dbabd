#ifndef TAMIS_PRESS_CRITERION_H
#define TAMIS_PRESS_CRITERION_H
#include "crit/crit.h"
extern const struct tamis_criterion tamis_press_criterion;
#endif
