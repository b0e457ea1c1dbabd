/* What a trail remembers: its sets, their evidence and losses. */
#include <float.h>
#include <math.h>
#include <string.h>
#include "method/sift/sift_trail.h"

double sift_price(size_t k, size_t d, double n)
{
    double a = (double)k, b = (double)d;
    int sign;
    if (k > d) b = a;
    return 0.5 * a * log(n) + lgamma_r(b + 1, &sign) - lgamma_r(a + 1, &sign) - lgamma_r(b - a + 1, &sign);
}

size_t sift_trail_at(const struct sift_trail *p, size_t k)
{
    size_t at = 0;
    while (at + 1 < p->sizes && p->size[at + 1] >= k) at++;
    return at;
}

/* ---- memory ---- */

struct sift_trail *sift_trail_new(const struct sift_ground *g, size_t held)
{
    tamis_context *cx = g->frame.cx;
    size_t inputs = g->functions.d->inputs;
    struct sift_trail *p = tamis_new(cx, struct sift_trail, 1);
    if (!p) return NULL;
    p->held = held;
    p->scores = g->frame.scores;
    p->far = DBL_MAX;
    p->share = tamis_new(cx, double, inputs);
    p->weight = tamis_new(cx, double, inputs + 2);
    if (p->share && p->weight) return p;
    sift_trail_free(p);
    return NULL;
}

void sift_trail_free(struct sift_trail *p)
{
    if (!p) return;
    void *all[] = {p->size, p->set, p->evidence, p->share, p->loss, p->prediction, p->score,
                   p->term, p->weight, p->net_set, p};
    for (size_t i = 0; i < sizeof all / sizeof *all; i++) tamis_free(all[i]);
}

static void *larger(tamis_context *cx, void *old, size_t used, size_t room, size_t size)
{
    void *more = tamis_alloc(cx, room, size, 0);
    if (more && used) memcpy(more, old, used * size);
    tamis_free(old);
    return more;
}

size_t sift_trail_grow(tamis_context *cx, struct sift_trail *p, size_t inputs)
{
    if (p->sizes == p->room) {
        size_t room = p->room = 2 * p->room + 8, used = p->sizes, m = p->held;
        p->size = larger(cx, p->size, used, room, sizeof *p->size);
        p->set = larger(cx, p->set, used * inputs, room * inputs, 1);
        p->evidence = larger(cx, p->evidence, used, room, sizeof *p->evidence);
        p->loss = larger(cx, p->loss, used * m, room * m + 1, sizeof *p->loss);
        p->prediction = larger(cx, p->prediction, used * m, room * m + 1, sizeof *p->prediction);
        p->score = larger(cx, p->score, used * m * p->scores, room * m * p->scores + 1, sizeof *p->score);
    }
    return tamis_status(cx) ? SIZE_MAX : p->sizes++;
}
