/* Memory of a path under way. */
#include <string.h>
#include "base/rng.h"
#include "method/sift/sift_walk.h"

/* The rows in a seeded order, so that the first of them are a fair sample if only some are used. */
static size_t *rows_shuffled(const struct sift_frame *f, const size_t *row, size_t n, uint32_t index)
{
    struct tamis_rng rng;
    size_t *copy = tamis_raw(f->cx, size_t, n);
    if (!copy) return NULL;
    memcpy(copy, row, n * sizeof *copy);
    tamis_rng_init(&rng, f->seed, TAMIS_RNG_SIFT, index);
    if (n > f->learn) tamis_rng_shuffle(&rng, copy, n);
    return copy;
}

static size_t least_of(size_t a, size_t b) { return a < b ? a : b; }

int sift_walk_room(struct sift_walk *w, const struct sift_frame *f, const size_t *row, size_t n, size_t centres,
                   uint32_t index)
{
    size_t k = f->design->inputs, learn = least_of(n, f->learn);
    w->f = f;
    w->rows = n;
    w->centres = n > learn && centres > learn ? least_of(n, centres) : 0;
    int status = sift_net_room(&w->net, f, learn);
    if (!status && w->centres) status = sift_net_room(&w->large, f, w->centres);
    const struct sift_net *t = w->centres ? &w->large : &w->net;
    size_t most = w->m > w->centres ? w->m : w->centres;
    w->row = rows_shuffled(f, row, n, index);
    w->relevance = tamis_raw(f->cx, double, k);
    w->merit = tamis_raw(f->cx, double, k);
    w->weight = tamis_new(f->cx, double, k);
    w->spare = tamis_new(f->cx, double, k + 2);
    w->target = tamis_raw(f->cx, double, w->centres * f->outputs + 1);
    w->out = tamis_raw(f->cx, double, most * f->outputs + 1);
    w->work = status ? NULL : tamis_raw(f->cx, double, sift_net_predict_size(t, most) + 1);
    w->set = tamis_new(f->cx, unsigned char, k);
    w->on = tamis_new(f->cx, unsigned char, 2 * k);
    return status ? status : tamis_status(f->cx);
}

void sift_walk_free(struct sift_walk *w)
{
    sift_net_free(&w->net);
    sift_net_free(&w->large);
    void *all[] = {w->row, w->relevance, w->merit, w->weight, w->spare, w->target, w->out, w->work, w->set, w->on};
    for (size_t i = 0; i < sizeof all / sizeof *all; i++) tamis_free(all[i]);
}

double sift_memory(const struct sift_frame *f)
{
    double d = (double)f->design->columns, l = (double)f->outputs, learn = (double)least_of(f->design->rows, f->learn),
           fit = f->design->rows > f->learn ? (double)least_of(f->design->rows, f->fit) : 0;
    return 3 * (learn * learn + fit * fit) + (learn + fit) * (3 * d + 2 * l) + 4 * learn * d + 1000 * (fit + 2 * d) +
           80 * d;
}
