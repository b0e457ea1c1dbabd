/* The model of sift: the network of a set as a plain network of width 1 on inputs stretched by sqrt(w), with the
 * stretching in the scales of the encoder. */
#include <math.h>
#include <string.h>
#include "method/sift/sift_walk.h"
#include "model/rbf.h"

static void centres_fill(const struct sift_net *t, struct tamis_encoder *e, struct tamis_rbf *r)
{
    size_t n = t->n;
    for (size_t k = 0; k < t->columns; k++) {
        double root = exp(0.5 * t->theta[t->column_input[k]]);
        e->scale[k] /= root;
        for (size_t i = 0; i < n; i++) r->centre[i + n * k] = root * t->x[i + n * k];
    }
}

/* Two classes: one output becomes two. */
static void network_fill(struct sift_net *t, struct tamis_encoder *e, struct tamis_rbf *r)
{
    const struct sift_frame *f = t->f;
    double a = exp(t->theta[t->inputs]), unit = f->scale;
    size_t n = t->n;
    r->sigma2 = 1;
    r->gamma = exp(t->theta[t->inputs + 1]);
    centres_fill(t, e, r);
    for (size_t o = 0; o < f->outputs; o++) {
        double *alpha = r->alpha + (n + 1) * (r->outputs > f->outputs ? 1 : o), sum = 0;
        for (size_t i = 0; i < n; i++) {
            alpha[i] = unit * a * t->gp.alpha[i + n * o];
            sum += t->gp.alpha[i + n * o];
        }
        alpha[n] = unit * (t->gp.bias * sum + f->centre[o]);
    }
    for (size_t i = 0; r->outputs > f->outputs && i <= n; i++) r->alpha[i] = (i == n) - r->alpha[n + 1 + i];
}

static struct tamis_model *network_model(struct sift_net *t, const unsigned char *set)
{
    const struct sift_frame *f = t->f;
    size_t classes = f->design->encoder->classes;
    struct tamis_encoder *e = tamis_encoder_subset(f->cx, f->design->encoder, set);
    struct tamis_rbf *r = tamis_rbf_outputs(f->cx, t->n, t->columns, classes ? classes : 1);
    sift_net_settle(t, 0);
    if (!isfinite(t->value)) memset(t->gp.alpha, 0, t->n * f->outputs * sizeof *t->gp.alpha);
    if (e && r) network_fill(t, e, r);
    return tamis_model_new(f->cx, &tamis_rbf_kind, e, r);
}

struct tamis_model *sift_model(const struct sift_frame *f, const size_t *row, size_t n, const unsigned char *set,
                               size_t quota, double *relevance)
{
    struct sift_walk w = {0};
    struct sift_net *t = &w.net;
    struct tamis_model *m = NULL;
    if (!sift_walk_room(&w, f, row, n, f->fit, 0)) {
        sift_net_quota(t, quota);
        sift_learn_set(&w, set);
        if (!sift_net_relevance(t, w.relevance))
            for (size_t i = 0; i < t->inputs; i++) relevance[t->input[i]] = w.relevance[i];
        sift_large_targets(&w);
        if (!tamis_status(f->cx)) m = network_model(sift_large(&w), set);
        sift_net_quota(t, 0);
    }
    sift_walk_free(&w);
    return m;
}
