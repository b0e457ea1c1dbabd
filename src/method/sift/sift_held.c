/* The models of the folds of sift's first split, each with the set that its fold has chosen: what held-out predictions,
 * importances and intervals of the answer rest on. */
#include <string.h>
#include "method/sift/sift.h"
#include "select/held.h"

/* The models of linear answers of a regression are fitted again: that costs next to nothing. */
static struct tamis_model *fold_model(struct sift *s, size_t k, size_t *row)
{
    size_t rows = sift_fold_rows(s, 0, k, 1, row);
    if (s->all_inputs) return sift_dense_model(s, row, rows);
    struct tamis_model *m = s->ladder[s->rung].model[k];
    s->ladder[s->rung].model[k] = NULL;
    return m ? m : sift_linear_model(s, sift_fold_set(s, k), row, rows);
}

int sift_held_keep(struct sift *s)
{
    struct tamis_run *run = s->run;
    size_t n = run->design->rows;
    if (!run->common.evidence || run->split || !(s->rungs || s->all_inputs)) return TAMIS_OK;
    size_t *row = tamis_raw(run->cx, size_t, n);
    struct tamis_held *h = tamis_held_new(run->cx, n, s->s.folds);
    if (h) memcpy(h->fold, s->fold, n * sizeof *h->fold);
    for (size_t k = 0; row && h && k < h->folds && !tamis_status(run->cx); k++) h->model[k] = fold_model(s, k, row);
    tamis_free(row);
    if (!tamis_status(run->cx)) run->result->held = h;
    else tamis_held_free(h);
    return tamis_status(run->cx);
}
