/* The rows of the table in method.c. */
#ifndef TAMIS_METHODS_H
#define TAMIS_METHODS_H
#include "method/method.h"
extern const struct tamis_method tamis_sisal, tamis_forward_method, tamis_rjmcmc;
#endif
