/* forward: any criterion under forward selection, the baseline of
 * [1] J. Tikka, J. Hollmen, ESANN 2008; [2] J. Tikka, Simultaneous input variable and basis function selection for RBF
 * networks, Neurocomputing 72 (2009). */
#include <stddef.h>
#include "method/methods.h"

struct settings { const char *criterion; };

static const struct tamis_option rows[] = {{"criterion", TAMIS_TEXT, offsetof(struct settings, criterion), "loo-rbf", 0,
                                            0, NULL, "NAME",
                                            "what a set of inputs is judged by; 'tamis methods' lists what there is"},
                                           {0}};

static int plan(tamis_context *cx, const tamis_options *o, struct tamis_plan *p)
{
    struct settings s = {0};
    int status = tamis_options_read(cx, o, rows, &s);
    if (status) return status;
    p->criterion = tamis_criterion_find(s.criterion);
    p->search = tamis_search_find("forward");
    return p->criterion
               ? TAMIS_OK
               : tamis_fail(cx, TAMIS_USAGE, "--criterion %s: there is no such criterion; 'tamis methods' lists them",
                            s.criterion);
}

const struct tamis_method tamis_forward_method = {
    "forward",
    "both",
    "forward selection: at each step the input that lowers the criterion most comes in",
    "J. Tikka, J. Hollmen, ESANN 2008 (baseline)",
    rows,
    plan,
    tamis_path_cost,
    tamis_path_run,
    "forward:fast:centers=60:max-inputs=8",
    "forward:criterion=knn:max-inputs=20"};
