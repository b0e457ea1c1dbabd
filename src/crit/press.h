#ifndef TAMIS_PRESS_CRITERION_H
#define TAMIS_PRESS_CRITERION_H
#include "crit/crit.h"
extern const struct tamis_criterion tamis_press_criterion;
/* The score of a set and its network, which is built once for both. */
int tamis_press_network(void *scorer, const unsigned char *set, struct tamis_score *score, struct tamis_model **model);
#endif
