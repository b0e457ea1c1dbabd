/* The table of methods. */
#include <string.h>
#include "method/methods.h"

static const struct tamis_method *const methods[] = {&tamis_sift,
                                                     &tamis_sisal,
                                                     &tamis_forward_method,
                                                     &tamis_lssvm_method,
                                                     &tamis_rrkrr_method,
                                                     &tamis_fei,
                                                     &tamis_sparse_rbf_method,
                                                     &tamis_lars_method,
                                                     &tamis_opelm,
                                                     &tamis_search_method,
                                                     &tamis_rjmcmc};

const struct tamis_method *tamis_method_at(size_t i)
{
    return i < sizeof methods / sizeof *methods ? methods[i] : NULL;
}

const struct tamis_method *tamis_method_find(const char *name)
{
    const struct tamis_method *m;
    for (size_t i = 0; (m = tamis_method_at(i)); i++)
        if (!strcmp(m->name, name)) return m;
    return NULL;
}
