/* Memory of a path under way. */
#include <math.h>
#include "method/sift/sift_walk.h"

int sift_walk_room(struct sift_walk *w, const struct sift_frame *f, const size_t *row, size_t n)
{
    size_t k = f->design->inputs;
    w->f = f;
    w->row = row;
    int status = sift_net_room(&w->net, f, n);
    w->relevance = tamis_raw(f->cx, double, k);
    w->merit = tamis_raw(f->cx, double, k);
    w->weight = tamis_new(f->cx, double, k);
    w->spare = tamis_new(f->cx, double, k + 2);
    w->out = tamis_raw(f->cx, double, w->m * f->outputs + 1);
    w->work = status ? NULL : tamis_raw(f->cx, double, sift_net_predict_size(&w->net, w->m) + 1);
    w->set = tamis_new(f->cx, unsigned char, k);
    w->on = tamis_new(f->cx, unsigned char, 2 * k);
    return status ? status : tamis_status(f->cx);
}

void sift_walk_free(struct sift_walk *w)
{
    sift_net_free(&w->net);
    void *all[] = {w->relevance, w->merit, w->weight, w->spare, w->out, w->work, w->set, w->on};
    for (size_t i = 0; i < sizeof all / sizeof *all; i++) tamis_free(all[i]);
}

