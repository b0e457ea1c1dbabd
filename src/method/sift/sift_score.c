/* What the network of a set is worth on rows that it has not seen. Where a path learns from some of its rows only, the
 * weights are put into a larger network before it predicts. */
#include <math.h>
#include <string.h>
#include "method/sift/sift_walk.h"

/* ---- the network that predicts ---- */

void sift_large_targets(struct sift_walk *w)
{
    struct sift_net *t = &w->net;
    size_t n = t->n, all = w->centres, others = all - n;
    if (!all) return;
    sift_net_predict(t, w->row + n, others, w->out, w->work);
    double sd = sqrt(exp(t->theta[t->inputs + 1]));
    for (size_t o = 0; o < w->f->outputs; o++) {
        memcpy(w->target + all * o, t->y + n * o, n * sizeof *w->target);
        for (size_t i = 0; i < others; i++) {
            double y = w->f->target[w->row[n + i] + w->f->design->rows * o], fit = w->out[i + others * o];
            int pull = !w->f->design->encoder->classes && sift_far(y - fit, sd);
            w->target[n + i + all * o] = pull ? fit + sift_pulled(y - fit, sd) : y;
        }
    }
}

struct sift_net *sift_large(struct sift_walk *w)
{
    struct sift_net *s = &w->large, *t = &w->net;
    if (!w->centres) return t;
    sift_net_take(s, w->set, w->row);
    memcpy(s->y, w->target, s->n * w->f->outputs * sizeof *s->y);
    memcpy(s->theta, t->theta, (t->inputs + 2) * sizeof *s->theta);
    return s;
}

/* ---- losses ---- */

/* Loss and error of the predictions w->out for one held row. */
static void row_score(const struct sift_walk *w, size_t i, double *loss, double *error, double *prediction)
{
    const struct sift_frame *f = w->f;
    const struct tamis_design *d = f->design;
    size_t best = 0;
    double most = -INFINITY, sum = 0;
    for (size_t o = 0; o < f->outputs; o++) {
        double out = w->out[i + w->m * o], y = f->target[w->held[i] + d->rows * o];
        sum += (y - out) * (y - out);
        if (out + f->centre[o] > most) most = out + f->centre[o], best = o;
    }
    *loss = sum;
    *prediction = !d->encoder->classes ? f->scale * most : f->outputs > 1 ? (double)best : most * f->scale > 0.5;
    *error = d->encoder->classes ? *prediction != d->y[w->held[i]] : sum;
}

static void rows_score(const struct sift_walk *w, double *loss, double *error, double *prediction)
{
    for (size_t i = 0; i < w->m; i++) row_score(w, i, loss + i, error + i, prediction + i);
}

void sift_score(struct sift_walk *w, double *loss, double *error, double *prediction)
{
    if (!w->m) return;
    sift_net_predict(sift_large(w), w->held, w->m, w->out, w->work);
    rows_score(w, loss, error, prediction);
}

void sift_score_empty(struct sift_walk *w, double *loss, double *error, double *prediction)
{
    const struct sift_frame *f = w->f;
    for (size_t o = 0; o < f->outputs; o++) {
        double mean = 0;
        for (size_t i = 0; i < w->rows; i++) mean += f->target[w->row[i] + f->design->rows * o] / (double)w->rows;
        for (size_t i = 0; i < w->m; i++) w->out[i + w->m * o] = mean;
    }
    rows_score(w, loss, error, prediction);
}

int sift_set_losses(const struct sift_frame *f, const size_t *row, size_t n, const size_t *held, size_t m,
                    const unsigned char *set, uint32_t index, size_t quota, double *loss)
{
    struct sift_walk w = {.held = held, .m = m};
    double *error = tamis_raw(f->cx, double, 2 * m + 1);
    int status = error ? sift_walk_room(&w, f, row, n, SIFT_CENTRES, index) : tamis_status(f->cx);
    if (!status) {
        sift_net_quota(&w.net, quota);
        sift_learn_set(&w, set);
        sift_large_targets(&w);
        sift_score(&w, loss, error, error + m);
        sift_net_quota(&w.net, 0);
    }
    sift_walk_free(&w);
    tamis_free(error);
    return status;
}
