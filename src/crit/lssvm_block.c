/* The block of the result. See lssvm.h. */
#include <string.h>
#include "crit/lssvm_inside.h"

static void surface_add(const struct scorer *j, const struct slot *s, tamis_value *block)
{
    tamis_value *v = tamis_add_record(block, "surface");
    double *width = tamis_add_room(v, "sigma2", j->widths);
    for (size_t k = 0; width && k < j->widths; k++) width[k] = width_at(j, s, k);
    tamis_add_numbers(v, "gamma", j->gamma, j->gammas);
    tamis_value *list = tamis_add_list(v, "error");
    for (size_t k = 0; k < j->widths; k++) {
        double *row = tamis_add_room(list, NULL, j->gammas);
        for (size_t g = 0; row && g < j->gammas; g++) row[g] = value_of(j, &s->error[k * j->gammas + g]);
    }
}

int tamis_lssvm_block(void *self, const unsigned char *set, const struct tamis_score *at, tamis_value *block)
{
    static const size_t own[1] = {SIZE_MAX};
    struct scorer *j = self;
    struct tamis_score again;
    int status = j->has && !memcmp(j->kept, set, j->d->inputs) ? TAMIS_OK
                                                               : tamis_lssvm_evaluate(self, set, own, 1, NULL, &again);
    if (status) return status;
    tamis_add_number(block, "sigma2", at->parameter[0]);
    tamis_add_number(block, "gamma", at->parameter[1]);
    tamis_add_number(block, "cv_error", at->value);
    if (j->v->reduced) tamis_add_number(block, "basis_functions", at->parameter[2]);
    tamis_add_number(block, "folds", (double)j->folds.count);
    surface_add(j, &j->slot[0], block);
    return tamis_status(j->cx);
}
