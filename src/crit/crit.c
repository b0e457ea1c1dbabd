/* The table of criteria. */
#include <string.h>
#include "crit/crit.h"
#include "crit/loo_rbf.h"
#include "crit/lssvm.h"
#include "crit/neighbour/neighbour.h"
#include "crit/press.h"

static const struct tamis_criterion *const criteria[] = {
    &tamis_loo_rbf, &tamis_cv_lssvm,   &tamis_loo_lssvm, &tamis_cv_rrkrr,    &tamis_press_criterion,
    &tamis_delta,   &tamis_gamma_test, &tamis_knn_loo,   &tamis_mutual_info, NULL};

static const struct tamis_criterion *row_at(const struct tamis_criterion *const *table, size_t *i)
{
    for (; *table && *i; table++) --*i;
    return *table;
}

const struct tamis_criterion *tamis_criterion_at(size_t i)
{
    const struct tamis_criterion *c = row_at(criteria, &i);
    return c || !tamis_extra_criteria ? c : row_at(tamis_extra_criteria, &i);
}

const struct tamis_criterion *tamis_criterion_find(const char *name)
{
    const struct tamis_criterion *c;
    for (size_t i = 0; (c = tamis_criterion_at(i)); i++)
        if (!strcmp(c->name, name)) return c;
    return NULL;
}

size_t tamis_set_columns(const struct tamis_design *d, const unsigned char *set, size_t *at)
{
    size_t n = 0;
    for (size_t i = 0; i < d->inputs; i++)
        for (size_t k = 0; set[i] && k < d->encoder->input[i].columns; k++) at[n++] = d->encoder->input[i].first + k;
    return n;
}
