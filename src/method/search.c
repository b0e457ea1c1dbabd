/* search: any criterion under any search, and weights of the inputs after it.
 * [1] F. Mateo, A. Lendasse, A variable selection approach based on the Delta Test for Extreme Learning Machine models,
 * 2008: the Delta Test under forward-backward search is the default. */
#include <stddef.h>
#include "method/methods.h"

struct settings { const char *criterion, *search; int scaling; };

static const struct tamis_option rows[] = {
    {"criterion", TAMIS_TEXT, offsetof(struct settings, criterion), "delta", 0, 0, NULL, "NAME",
     "what a set of inputs is judged by; 'tamis methods' lists what there is"},
    {"search", TAMIS_TEXT, offsetof(struct settings, search), "forward-backward", 0, 0, NULL, "NAME",
     "how sets are looked for; 'tamis methods' lists what there is"},
    {"scaling", TAMIS_FLAG, offsetof(struct settings, scaling), NULL, 0, 0, NULL, NULL,
     "then give each input the weight among 0, 0.1, ..., 1 that lowers the criterion, one at a time"},
    {0}};

static int plan(tamis_context *cx, const tamis_options *o, struct tamis_plan *p)
{
    struct settings s = {0};
    int status = tamis_options_read(cx, o, rows, &s);
    if (status) return status;
    p->criterion = tamis_criterion_find(s.criterion);
    p->search = tamis_search_find(s.search);
    p->scaling = s.scaling;
    p->keep_start = 1;
    p->block = "search";
    if (!p->criterion)
        return tamis_fail(cx, TAMIS_USAGE, "--criterion %s: there is no such criterion; 'tamis methods' lists them",
                          s.criterion);
    if (!p->search)
        return tamis_fail(cx, TAMIS_USAGE, "--search %s: there is no such search; 'tamis methods' lists them",
                          s.search);
    if (s.scaling && !p->criterion->weigh)
        return tamis_fail(cx, TAMIS_USAGE, "--scaling: criterion %s has no weights; delta, gamma-test, knn and mi have",
                          s.criterion);
    return TAMIS_OK;
}

const struct tamis_method tamis_search_method = {
    "search",
    "both",
    "any criterion (Delta Test, Gamma Test, mutual information, k-NN, ...) with any search, and weights of the inputs",
    "F. Mateo, A. Lendasse, 2008",
    rows,
    plan,
    tamis_path_cost,
    tamis_path_run,
    "search",
    "search:criterion=knn"};
