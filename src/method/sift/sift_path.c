/* The backward path of sift.
 *
 * Inputs leave by the size of the network's derivatives, a share of them at once while many are left. If those that
 * leave hardly move the network, its weights stay as they are; otherwise the smaller one is learnt again from the
 * weights of the last. With more than SIFT_WIDE inputs the first step screens them (sift_screen.c). */
#include <float.h>
#include <math.h>
#include <string.h>
#include "method/sift/sift_walk.h"

/* Of the noise: what inputs may move that leave without learning again; with learning from the last weights only. */
static const double idle = 3e-3, minor = 0.2;

/* Evaluations of the likelihood that a path is expected to need. */
enum { FIRST_EVALUATIONS = 80, NEXT_EVALUATIONS = 15 };

/* ---- the steps ---- */

static int step(struct sift_walk *w, size_t k)
{
    struct sift_net *t = &w->net;
    size_t before = t->inputs;
    double scale = k ? t->theta[t->inputs] : 0, noise = k ? t->theta[t->inputs + 1] : 0,
           moved = k ? sift_drop_to(w, w->f->size[k]) : INFINITY;
    int first = !k || before > SIFT_WIDE, learn = first || moved > idle * exp(noise);
    sift_net_take(t, w->set, w->row);
    if (!k && t->inputs > SIFT_WIDE) return sift_learn_wide(w);
    if (first) return sift_learn_first(w);
    if (learn) return sift_learn_next(w, scale, log(fmin(t->spread, exp(noise) + moved)), moved > minor * exp(noise));
    sift_weights_recall(w);
    t->theta[t->inputs] = scale;
    t->theta[t->inputs + 1] = noise;
    return TAMIS_OK;
}

static int relevance_record(struct sift_walk *w, struct sift_path *p)
{
    struct sift_net *t = &w->net;
    int status = sift_net_relevance(t, w->relevance);
    if (status) return status;
    memcpy(w->merit, w->relevance, t->inputs * sizeof *w->relevance);
    if (t->inputs > SIFT_WIDE) status = sift_screen(w);
    for (size_t i = 0; !status && i < t->inputs; i++) p->relevance[t->input[i]] = w->relevance[i];
    return status;
}

static void evidence_record(struct sift_walk *w, struct sift_path *p, size_t k)
{
    const struct sift_net *t = &w->net;
    double gained = sift_net_empty(t) - t->value;
    w->best = fmin(w->best, t->value);
    p->evidence[k] = isfinite(gained) ? gained : -1e300;
}

static void weights_record(const struct sift_walk *w, struct sift_path *p, size_t k)
{
    const struct sift_net *t = &w->net;
    size_t all = w->f->design->inputs;
    double *to = p->weight + k * (all + 2);
    for (size_t i = 0; i < t->inputs; i++) to[t->input[i]] = t->theta[i];
    to[all] = t->theta[t->inputs];
    to[all + 1] = t->theta[t->inputs + 1];
}

static int record(struct sift_walk *w, struct sift_path *p, size_t k)
{
    sift_weights_remember(w);
    int status = relevance_record(w, p);
    if (status) return status;
    memcpy(p->set + k * w->f->design->inputs, w->set, w->f->design->inputs);
    evidence_record(w, p, k);
    weights_record(w, p, k);
    sift_score(w, p->loss + k * w->m, p->prediction + k * w->m, p->score + k * w->m * w->f->scores);
    return tamis_check_cancel(w->f->cx);
}

/* ---- the path ---- */

static size_t expected(size_t k, size_t second) { return k && k != second ? NEXT_EVALUATIONS : FIRST_EVALUATIONS; }

size_t sift_path_evaluations(const struct sift_frame *f)
{
    size_t sum = 0, second = f->design->inputs > SIFT_WIDE;
    for (size_t k = 0; k < f->sizes; k++) sum += expected(k, second);
    return sum;
}

int sift_path_run(const struct sift_frame *f, const size_t *row, size_t n, const size_t *held, size_t m,
                  struct sift_path *p)
{
    struct sift_walk w = {
        .held = held, .m = m, .best = INFINITY, .second = f->design->inputs > SIFT_WIDE};
    int status = sift_walk_room(&w, f, row, n);
    if (!status) {
        memset(w.set, 1, f->design->inputs);
        sift_net_take(&w.net, w.set, w.row);
        sift_net_targets(&w.net, w.row);
    }
    for (size_t k = 0; k < f->sizes && !status; k++) {
        sift_net_quota(&w.net, expected(k, w.second));
        status = step(&w, k);
        if (!status) status = record(&w, p, k);
    }
    if (!status) sift_net_quota(&w.net, 0);
    size_t empty = f->sizes * m;
    if (!status && m) sift_score_empty(&w, p->loss + empty, p->prediction + empty, p->score + empty * f->scores);
    sift_walk_free(&w);
    p->far = fmin(w.net.far, DBL_MAX);
    p->done = !status && !tamis_status(f->cx);
    return status ? status : tamis_status(f->cx);
}

/* ---- memory ---- */

struct sift_path *sift_path_new(const struct sift_frame *f, size_t held)
{
    size_t inputs = f->design->inputs;
    struct sift_path *p = tamis_new(f->cx, struct sift_path, 1);
    if (!p) return NULL;
    p->set = tamis_new(f->cx, unsigned char, f->sizes * inputs);
    p->relevance = tamis_new(f->cx, double, inputs);
    p->evidence = tamis_new(f->cx, double, f->sizes + 1);
    p->loss = tamis_new(f->cx, double, (f->sizes + 1) * held + 1);
    p->weight = tamis_new(f->cx, double, f->sizes * (inputs + 2));
    p->prediction = tamis_new(f->cx, double, (f->sizes + 1) * held + 1);
    p->score = tamis_new(f->cx, double, (f->sizes + 1) * held * f->scores + 1);
    for (size_t i = 0; p->relevance && i < inputs; i++) p->relevance[i] = NAN;
    if (!tamis_status(f->cx)) return p;
    sift_path_free(p);
    return NULL;
}

void sift_path_free(struct sift_path *p)
{
    if (!p) return;
    void *all[] = {p->set, p->relevance, p->weight, p->evidence, p->loss, p->prediction, p->score, p};
    for (size_t i = 0; i < sizeof all / sizeof *all; i++) tamis_free(all[i]);
}
