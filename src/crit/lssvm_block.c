/* The block of the result. See lssvm.h. */
#include <string.h>
#include "crit/lssvm_inside.h"

static void number(struct tamis_text *t, const char *before_it, double v)
{
    tamis_text_puts(t, before_it);
    tamis_text_number(t, v);
}

static void surface(const struct scorer *j, const struct slot *s, struct tamis_text *t)
{
    tamis_text_puts(t, ", \"surface\": {\"sigma2\": [");
    for (size_t k = 0; k < j->widths; k++) number(t, k ? ", " : "", width_at(j, s, k));
    tamis_text_puts(t, "], \"gamma\": [");
    for (size_t g = 0; g < j->gammas; g++) number(t, g ? ", " : "", j->gamma[g]);
    tamis_text_puts(t, "], \"error\": [");
    for (size_t k = 0; k < j->widths; k++) {
        tamis_text_puts(t, k ? ",\n    [" : "\n    [");
        for (size_t g = 0; g < j->gammas; g++) number(t, g ? ", " : "", value_of(j, &s->error[k * j->gammas + g]));
        tamis_text_puts(t, "]");
    }
    tamis_text_puts(t, "]}");
}

int tamis_lssvm_block(void *self, const unsigned char *set, const struct tamis_score *at, struct tamis_text *t)
{
    static const size_t own[1] = {SIZE_MAX};
    struct scorer *j = self;
    struct tamis_score again;
    int status = j->has && !memcmp(j->kept, set, j->d->inputs) ? TAMIS_OK
                                                               : tamis_lssvm_evaluate(self, set, own, 1, NULL, &again);
    if (status) return status;
    number(t, "{\"sigma2\": ", at->parameter[0]);
    number(t, ", \"gamma\": ", at->parameter[1]);
    number(t, ", \"cv_error\": ", at->value);
    if (j->v->reduced) number(t, ", \"basis_functions\": ", at->parameter[2]);
    number(t, ", \"folds\": ", (double)j->folds.count);
    surface(j, &j->slot[0], t);
    tamis_text_puts(t, "}");
    return tamis_text_status(t);
}
