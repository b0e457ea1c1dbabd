/* sisal: loo-rbf under eliminate.
 * [1] J. Tikka, J. Hollmen, Selection of important input variables for RBF network using partial derivatives, ESANN
 * 2008. */
#include "method/methods.h"

static const struct tamis_option none[] = {{0}};

static int plan(tamis_context *cx, const tamis_options *o, struct tamis_plan *p)
{
    (void)cx, (void)o;
    p->criterion = tamis_criterion_find("loo-rbf");
    p->search = tamis_search_find("eliminate");
    return TAMIS_OK;
}

const struct tamis_method tamis_sisal = {
    "sisal",
    "regression",
    "RBF network with exact leave-one-out error; the input with the flattest derivatives leaves, step by step",
    "J. Tikka, J. Hollmen, ESANN 2008",
    none,
    plan,
    tamis_path_cost,
    tamis_path_run,
    "sisal:fast",
    NULL};
