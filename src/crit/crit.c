/* The table of criteria. */
#include "base/registry.h"
#include "crit/crit.h"
#include "crit/loo_rbf.h"
#include "crit/lssvm.h"
#include "crit/neighbour/neighbour.h"
#include "crit/press.h"

static const struct tamis_criterion *const criteria[] = {
    &tamis_loo_rbf, &tamis_cv_lssvm,   &tamis_loo_lssvm, &tamis_cv_rrkrr,    &tamis_press_criterion,
    &tamis_delta,   &tamis_gamma_test, &tamis_knn_loo,   &tamis_mutual_info,
    &tamis_mrmr,    &tamis_jmi};

TAMIS_ROWS_AT(tamis_criterion, criteria, tamis_extra_criteria)
TAMIS_ROWS_FIND(tamis_criterion)

size_t tamis_set_columns(const struct tamis_design *d, const unsigned char *set, size_t *at)
{
    size_t n = 0;
    for (size_t i = 0; i < d->inputs; i++)
        for (size_t k = 0; set[i] && k < d->encoder->input[i].columns; k++) at[n++] = d->encoder->input[i].first + k;
    return n;
}
