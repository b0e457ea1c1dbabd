/* Learning the networks of a path.
 *
 * The weights of the first network are learnt from several starts: equal ones, and two around the set that a Delta Test
 * search finds, smooth and rough; the best likelihood wins. In regression, rows with a far leave-one-out residual are
 * then pulled in. With 200 rows or more this is done on a sample of at most half of them, and only the winner is learnt
 * on all rows. The next networks start from the weights of the last, but with the noise raised, because the larger
 * network explains noise by many small weights; with few inputs, equal weights race them, on the sample if there is
 * one. Every network begins with the curvature that the last has learnt. */
#include <math.h>
#include <string.h>
#include "method/sift/sift_walk.h"
#include "search/search.h"

static const double behind = 0.05; /* of what a network is behind the best of its path: a step gaining less ends it */
static const double gain = 0.1, last_gain = 0.03;
static const double seen = 0.1;     /* per row: log evidence of a network that has seen something */

enum { FIRST_STEPS = 30, ALL_STEPS = 15, NEXT_STEPS = 9, LAST_STEPS = 20, FEW = 10 };

/* ---- the set that the Delta Test finds ---- */

static void delta_take(struct sift_walk *w, const struct tamis_walk *walk)
{
    const struct sift_net *t = &w->net;
    size_t inputs = w->f->design->inputs;
    unsigned char *on = w->on + inputs;                         /* by place in the network */
    tamis_walk_set_at(walk, tamis_walk_best(walk), on);
    memset(w->on, 0, inputs);
    for (size_t i = 0; i < t->inputs; i++) w->on[t->input[i]] = on[i];
}

static int quiet_drive(struct tamis_walk *walk)
{
    walk->quiet = 1;
    return tamis_walk_drive(walk, NULL, 0);
}

/* Into w->on; 0: there is none. */
static int delta_set(struct sift_walk *w)
{
    const struct sift_frame *f = w->f;
    struct sift_net *t = &w->net;
    const struct tamis_criterion *c = tamis_criterion_find("delta");
    const struct tamis_search *s = tamis_search_find("forward-backward");
    if (!c || !s || f->outputs > 1) return 0;
    struct tamis_design part = {
        tamis_encoder_subset(f->cx, f->design->encoder, w->set), t->n, t->columns, t->inputs, t->x, t->y, t->weight};
    void *scorer = NULL;
    struct tamis_walk *walk = NULL;
    int found = part.encoder && !c->start(f->cx, &part, NULL, f->seed, &scorer) &&
                (walk = tamis_walk_new(f->cx, &part, c, scorer, s, NULL)) && !quiet_drive(walk);
    if (found) delta_take(w, walk);
    tamis_walk_free(walk);
    if (scorer) c->finish(scorer);
    tamis_encoder_free(part.encoder);
    return found;
}

/* ---- the first network ---- */

static void theta_copy(const struct sift_net *t, double *to, const double *from)
{
    memcpy(to, from, (t->inputs + 2) * sizeof *to);
}

/* Learns from theta as it is; the earlier theta in w->spare comes back unless this one is better than L = best. */
static double learn_or_return(struct sift_walk *w, double best)
{
    struct sift_net *t = &w->net;
    sift_net_enter(t);
    double value = sift_net_finish(t, FIRST_STEPS, gain);
    if (!(value < best)) theta_copy(t, t->theta, w->spare);
    return fmin(value, best);
}

/* A network worse than none at all has not left its start: try one that takes nearly everything for noise. */
static double try_noise(struct sift_walk *w, double best)
{
    struct sift_net *t = &w->net;
    theta_copy(t, w->spare, t->theta);
    sift_net_equal(t);
    t->theta[t->inputs] = log(0.1 * t->spread);
    t->theta[t->inputs + 1] = log(0.9 * t->spread);
    return learn_or_return(w, best);
}

/* Two starts around the set of the Delta Test race each other. */
static void try_delta(struct sift_walk *w, double best)
{
    struct sift_net *t = &w->net;
    theta_copy(t, w->spare, t->theta);
    for (int rough = 0; rough < 2; rough++) {
        sift_net_around(t, w->on, rough ? 5 : 0.5);
        sift_net_enter(t);
    }
    if (!(sift_net_finish(t, FIRST_STEPS, gain) < best)) theta_copy(t, t->theta, w->spare);
}

static void learn_starts(struct sift_walk *w)
{
    struct sift_net *t = &w->net;
    sift_net_equal(t);
    sift_net_enter(t);
    double best = sift_net_finish(t, FIRST_STEPS, gain);
    if (!(best < sift_net_empty(t))) best = try_noise(w, best);
    if (delta_set(w)) try_delta(w, best);
}

static void learn_near(struct sift_net *t, size_t steps, double least)
{
    sift_net_near(t);
    sift_net_finish(t, steps, least);
}

/* From several starts; if outliers are pulled in, at most three times, afresh. */
static void learn_turns(struct sift_walk *w, void (*starts)(struct sift_walk *w), int sample)
{
    struct sift_net *t = &w->net;
    for (int turn = 0; turn < 4 && (!turn || sift_net_pull_in(t)); turn++) {
        if (sample) sift_net_sample(t);
        starts(w);
        if (sample) sift_net_all(t);
    }
}

/* First on a sample, if there are rows enough. One in which next to nothing can be seen, as in a few rows of a rough
 * function, is no help. */
static void learn_best(struct sift_walk *w, void (*starts)(struct sift_walk *w), size_t steps, double least)
{
    struct sift_net *t = &w->net;
    int sample = sift_net_sample(t);
    learn_turns(w, starts, sample);
    if (!sample) return;
    sift_net_wake(t);
    if (!(t->value < sift_net_empty(t) - seen * t->worth)) {
        learn_turns(w, starts, 0);
        return;
    }
    learn_near(t, steps, least);
    if (sift_net_pull_in(t)) learn_near(t, steps, least);
}

int sift_learn_first(struct sift_walk *w)
{
    learn_best(w, learn_starts, ALL_STEPS, gain);
    return tamis_status(w->f->cx);
}

int sift_learn_wide(struct sift_walk *w)
{
    sift_net_equal(&w->net);
    sift_net_enter(&w->net);
    sift_net_finish(&w->net, NEXT_STEPS, gain);
    return tamis_status(w->f->cx);
}

/* ---- the next ones ---- */

void sift_weights_recall(struct sift_walk *w)
{
    struct sift_net *t = &w->net;
    for (size_t i = 0; i < t->inputs; i++) t->theta[i] = w->weight[t->input[i]];
}

void sift_weights_remember(struct sift_walk *w)
{
    for (size_t i = 0; i < w->net.inputs; i++) w->weight[w->net.input[i]] = w->net.theta[i];
}

/* The weights of theta against equal ones; on a sample, if there are rows enough. Enters the winner. */
static void race_equal(struct sift_net *t)
{
    int some = sift_net_sample(t);
    sift_net_near(t);
    sift_net_equal(t);
    sift_net_enter(t);
    if (!some) return;
    sift_net_finish(t, NEXT_STEPS, gain);
    sift_net_all(t);
    sift_net_near(t);
}

int sift_learn_next(struct sift_walk *w, double scale, double noise, int again)
{
    struct sift_net *t = &w->net;
    sift_weights_recall(w);
    t->theta[t->inputs] = scale;
    t->theta[t->inputs + 1] = noise;
    if (again && t->inputs <= FEW) race_equal(t);
    else sift_net_near(t);
    sift_net_finish(t, NEXT_STEPS, fmax(gain, behind * (sift_net_leading(t) - w->best)));
    return tamis_status(w->f->cx);
}

static void learn_equal(struct sift_walk *w)
{
    struct sift_net *t = &w->net;
    sift_net_equal(t);
    sift_net_enter(t);
    sift_net_finish(t, LAST_STEPS, t->used < t->n ? gain : last_gain);
}

void sift_learn_set(struct sift_walk *w, const unsigned char *set)
{
    struct sift_net *t = &w->net;
    memcpy(w->set, set, w->f->design->inputs);
    sift_net_take(t, set, w->row);
    sift_net_targets(t, w->row);
    learn_best(w, learn_equal, LAST_STEPS, last_gain);
}
