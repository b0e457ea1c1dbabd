/* The rows of the table in methods.c. */
#ifndef TAMIS_METHODS_H
#define TAMIS_METHODS_H
#include "select/method.h"
extern const struct tamis_method tamis_sift, tamis_sisal, tamis_forward_method, tamis_lssvm_method, tamis_rrkrr_method,
    tamis_fei, tamis_sparse_rbf_method, tamis_lars_method, tamis_opelm, tamis_search_method, tamis_rjmcmc,
    tamis_knockoffs;
#endif
