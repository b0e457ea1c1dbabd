/* --row-weights at the door of the library: the columns are checked, and rows of weight 0 leave the tables, so that
 * everything behind is as if they had never been there: types of roles, levels, classes, folds, random numbers. In a
 * time series they stay as earlier values of other rows, and are only not learnt from. */
#include <math.h>
#include "data/weights.h"
#include "num/weighted.h"
#include "select/weighing.h"

static const double usual_weight = 100;         /* a mean weight beyond this, or below its inverse, gets a note */

static int table_weigh(tamis_context *cx, const tamis_table **t, const char *name, int series, tamis_table **own)
{
    const double *weight = NULL;
    int status = tamis_weights_find(cx, *t, name, &weight);
    if (!status && !series) status = tamis_weights_drop(cx, *t, weight, own);
    if (!status && *own) *t = *own;
    return status;
}

static void note_scale(tamis_context *cx, const tamis_table *t, const char *name)
{
    const double *weight = t->column[tamis_table_find(t, name)].value;
    double mean = tamis_weight_sum(weight, t->rows) / (double)t->rows;
    if (mean < usual_weight && mean > 1 / usual_weight) return;
    tamis_note(cx, "%s: the weights '%s' are %g on average, as if each row were that many; if only their ratios "
               "matter, divide them by it", t->file, name, mean);
}

int tamis_weighing_begin(tamis_context *cx, const tamis_options *o, const tamis_table **data, const tamis_table **test,
                         struct tamis_weighing *w)
{
    const char *name = tamis_options_get(o, "row-weights");
    int series = tamis_options_get(o, "lags") != NULL;
    *w = (struct tamis_weighing){0};
    if (!name) return TAMIS_OK;
    int status = table_weigh(cx, data, name, series, &w->data);
    if (!status) note_scale(cx, *data, name);
    if (status || !test || !*test) return status;
    if (tamis_table_find(*test, name) < (*test)->columns) return table_weigh(cx, test, name, series, &w->test);
    tamis_note(cx, "%s: there is no column '%s'; every test row counts once", (*test)->file, name);
    return TAMIS_OK;
}

void tamis_weighing_end(struct tamis_weighing *w)
{
    tamis_table_free(w->data);
    tamis_table_free(w->test);
}
