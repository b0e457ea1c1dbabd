/* What the network of a set is worth on rows that it has not seen. */
#include <math.h>
#include <string.h>
#include "method/sift/sift_walk.h"

double sift_prediction(const struct sift_frame *f, const double *out, size_t stride)
{
    size_t best = 0, classes = f->design->encoder->classes;
    double most = -INFINITY;
    for (size_t c = 0; c < (classes > 2 ? f->levels : 1); c++) {
        double score = f->base[c];
        for (size_t o = 0; o < f->outputs; o++) score += f->back[c + f->levels * o] * out[o * stride];
        if (score > most) most = score, best = c;
    }
    return classes > 2 ? (double)best : classes ? most > 0.5 : most;
}

void sift_losses(const struct sift_frame *f, const size_t *held, size_t m, const double *out, double *loss,
                 double *prediction)
{
    for (size_t i = 0; i < m; i++) {
        loss[i] = 0;
        for (size_t o = 0; o < f->outputs; o++) {
            double miss = f->target[held[i] + f->design->rows * o] - out[i + m * o];
            loss[i] += miss * miss;
        }
        prediction[i] = sift_prediction(f, out + i, m);
    }
}

void sift_scores(const struct sift_frame *f, size_t m, const double *out, double *score)
{
    for (size_t c = 0; c < f->scores; c++)
        for (size_t i = 0; i < m; i++) {
            size_t level = f->levels > 1 ? c : 0;
            double sum = f->base[level];
            for (size_t o = 0; o < f->outputs; o++) sum += f->back[level + f->levels * o] * out[i + m * o];
            score[i + m * c] = f->levels > 1 || c ? sum : 1 - sum;
        }
}

void sift_scores_keep(const struct sift_frame *f, const size_t *held, size_t m, const double *out, double *score)
{
    double *own = f->scores ? tamis_raw(f->cx, double, m * f->scores) : NULL;
    if (own) sift_scores(f, m, out, own);
    for (size_t c = 0; own && c < f->scores; c++)
        for (size_t i = 0; i < m; i++) score[held[i] + f->design->rows * c] = own[i + m * c];
    tamis_free(own);
}

void sift_score(struct sift_walk *w, double *loss, double *prediction, double *score)
{
    if (!w->m) return;
    sift_net_predict(&w->net, w->held, w->m, w->out, w->work);
    sift_losses(w->f, w->held, w->m, w->out, loss, prediction);
    sift_scores(w->f, w->m, w->out, score);
}

void sift_score_empty(struct sift_walk *w, double *loss, double *prediction, double *score)
{
    const struct sift_frame *f = w->f;
    for (size_t o = 0; o < f->outputs; o++) {
        double mean = 0, all = tamis_weight_sum(w->net.weight, w->net.n);
        for (size_t i = 0; i < w->net.n; i++)
            mean += tamis_weight_at(w->net.weight, i) * f->target[w->row[i] + f->design->rows * o] / all;
        for (size_t i = 0; i < w->m; i++) w->out[i + w->m * o] = mean;
    }
    sift_losses(f, w->held, w->m, w->out, loss, prediction);
    sift_scores(f, w->m, w->out, score);
}
