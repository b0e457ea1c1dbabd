/* The table of methods, in the order in which `auto` tries them. */
#include <string.h>
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
};

const struct tamis_method *tamis_method_at(size_t i)
{
    size_t own = sizeof methods / sizeof *methods;
    if (i < own) return methods[i];
    const struct tamis_method *const *extra = tamis_extra_methods;      /* NULL where the program defines none */
    for (i -= own; extra && *extra; extra++)
        if (!i--) return *extra;
    return NULL;
}

const struct tamis_method *tamis_method_find(const char *name)
{
    const struct tamis_method *m;
    for (size_t i = 0; (m = tamis_method_at(i)); i++)
        if (!strcmp(m->name, name)) return m;
    return NULL;
}
