/* The table of methods, in the order in which `auto` tries them. */
#include "base/registry.h"
#include "method/methods.h"

static const struct tamis_method *const methods[] = {
    &tamis_sift,
    &tamis_sisal,
    &tamis_forward_method,
    &tamis_lssvm_method,
    &tamis_rrkrr_method,
    &tamis_fei,
    &tamis_sparse_rbf_method,
    &tamis_lars_method,
    &tamis_opelm,
    &tamis_search_method,
    &tamis_rjmcmc,
    &tamis_knockoffs,
};

TAMIS_ROWS_AT(tamis_method, methods, tamis_extra_methods)
TAMIS_ROWS_FIND(tamis_method)
