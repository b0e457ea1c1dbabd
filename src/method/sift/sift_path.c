/* The path of sift.
 *
 * The weights of the first network are learnt from several starts: equal ones, and two around the set that a Delta Test
 * search finds, smooth and rough; the best likelihood wins. In regression, rows whose leave-one-out residual is far out
 * are then pulled in. Inputs leave by the size of the network's derivatives, a share of them at once while many are
 * left. Inputs that hardly move the network leave it as it is; otherwise the smaller one is learnt again from the
 * weights of the last, but with the noise raised, because the larger network explains noise by many small weights, and
 * for few inputs from equal weights too.
 *
 * Of more than SIFT_WIDE inputs the first step keeps so many: those that stand highest in either of two lists, the
 * derivatives of the network of all inputs and what each input explains alone. */
#include <float.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include "base/rng.h"
#include "method/sift/sift_path.h"
#include "model/rbf.h"
#include "search/search.h"

static const double behind =
    0.02; /* of what a network is behind the best of its path: a step that gains less is its last */
static const double gain = 0.1, last_gain = 1e-4;
static const double idle = 1e-3, minor = 0.2; /* of the noise: what inputs may move that leave without learning again;
                                               * with learning from the last weights only */

enum { FIRST_STEPS = 30, NEXT_STEPS = 9, LAST_STEPS = 40, FEW = 10, WAVES = 5 };

struct walk {
    const struct sift_frame *f;
    struct sift_net net, stand;         /* stand: on more rows, where there are more; inputs 0: not there */
    const size_t *held;
    const double *start;                /* NULL, or a start more for the first network */
    size_t *row;
    size_t second;                      /* the step after the screening; 0: there is none */
    size_t rows, m, more;               /* more: rows of stand, 0: the network itself predicts */
    double best;                        /* least L on the path so far */
    double *relevance, *standing, *kept,
        *spare; /* an input of the network; the same; log w of an input of the design when last known */
    double *target, *out, *work;        /* more x outputs: targets with far ones pulled in; predictions */
    unsigned char *set, *on;
};

/* ---- the set that the Delta Test finds ---- */

static int delta_set(struct walk *w)
{
    const struct sift_frame *f = w->f;
    struct sift_net *t = &w->net;
    const struct tamis_criterion *c = tamis_criterion_find("delta");
    const struct tamis_search *s = tamis_search_find("forward-backward");
    if (!c || !s || f->outputs > 1) return 0;
    struct tamis_design part = {
        tamis_encoder_subset(f->cx, f->design->encoder, w->set), t->n, t->columns, t->inputs, t->x, t->y};
    void *scorer = NULL;
    struct tamis_walk *walk = NULL;
    int found = part.encoder && !c->start(f->cx, &part, NULL, f->seed, &scorer) &&
                (walk = tamis_walk_new(f->cx, &part, c, scorer, s, NULL)) && !tamis_walk_drive(walk, NULL, 0);
    if (found) {
        unsigned char *on = w->on + f->design->inputs;                  /* by place in the network */
        tamis_walk_set_at(walk, tamis_walk_best(walk), on);
        memset(w->on, 0, f->design->inputs);
        for (size_t i = 0; i < t->inputs; i++) w->on[t->input[i]] = on[i];
    }
    tamis_walk_free(walk);
    if (scorer) c->finish(scorer);
    tamis_encoder_free(part.encoder);
    return found;
}

/* ---- learning ---- */

static void theta_copy(const struct sift_net *t, double *to, const double *from)
{
    memcpy(to, from, (t->inputs + 2) * sizeof *to);
}

/* Learns from the start that the path was given, and keeps it when it leads. */
static double try_start(struct walk *w, double best)
{
    struct sift_net *t = &w->net;
    size_t all = w->f->design->inputs;
    theta_copy(t, w->spare, t->theta);
    for (size_t i = 0; i < t->inputs; i++) t->theta[i] = w->start[t->input[i]];
    t->theta[t->inputs] = w->start[all];
    t->theta[t->inputs + 1] = w->start[all + 1];
    sift_net_enter(t);
    double value = sift_net_finish(t, FIRST_STEPS, gain);
    if (!(value < best)) theta_copy(t, t->theta, w->spare);
    return fmin(value, best);
}

/* A network worse than none at all has not got away from its start: another one, which takes nearly all for noise. */
static double try_noise(struct walk *w, double best)
{
    struct sift_net *t = &w->net;
    theta_copy(t, w->spare, t->theta);
    sift_net_equal(t);
    t->theta[t->inputs] = log(0.1 * t->spread);
    t->theta[t->inputs + 1] = log(0.9 * t->spread);
    sift_net_enter(t);
    double value = sift_net_finish(t, FIRST_STEPS, gain);
    if (!(value < best)) theta_copy(t, t->theta, w->spare);
    return fmin(value, best);
}

/* The best of the starts. */
static void learn_starts(struct walk *w)
{
    struct sift_net *t = &w->net;
    sift_net_equal(t);
    sift_net_enter(t);
    double best = sift_net_finish(t, FIRST_STEPS, gain);
    if (!(best < sift_net_empty(t))) best = try_noise(w, best);
    if (w->start) best = try_start(w, best);
    if (delta_set(w)) {
        theta_copy(t, w->spare, t->theta);
        for (int rough = 0; rough < 2; rough++) {
            sift_net_around(t, w->on, rough ? 5 : 0.5);
            sift_net_enter(t);
        }
        if (!(sift_net_finish(t, FIRST_STEPS, gain) < best)) theta_copy(t, t->theta, w->spare);
    }
}

/* The first network; where outliers are pulled in, three times at most, it is learnt afresh. */
static int learn_first(struct walk *w)
{
    learn_starts(w);
    for (int turn = 0; turn < 3 && sift_net_pull_in(&w->net); turn++) learn_starts(w);
    return tamis_status(w->f->cx);
}

/* The network of very many inputs, only to see which may leave. */
static int learn_wide(struct walk *w)
{
    sift_net_equal(&w->net);
    sift_net_enter(&w->net);
    sift_net_finish(&w->net, NEXT_STEPS, gain);
    return tamis_status(w->f->cx);
}

static void weights_recall(struct walk *w)
{
    struct sift_net *t = &w->net;
    for (size_t i = 0; i < t->inputs; i++) t->theta[i] = w->kept[t->input[i]];
}

/* The network of the current set, from the weights of the larger one and, for few inputs, from equal ones too. */
static int learn_next(struct walk *w, double scale, double noise, int again)
{
    struct sift_net *t = &w->net;
    weights_recall(w);
    t->theta[t->inputs] = scale;
    t->theta[t->inputs + 1] = noise;
    sift_net_enter(t);
    if (again && t->inputs <= FEW) {
        sift_net_equal(t);
        sift_net_enter(t);
    }
    sift_net_finish(t, NEXT_STEPS, fmax(gain, behind * (sift_net_leading(t) - w->best)));
    return tamis_status(w->f->cx);
}

static void weights_remember(struct walk *w)
{
    for (size_t i = 0; i < w->net.inputs; i++) w->kept[w->net.input[i]] = w->net.theta[i];
}

/* ---- who leaves ---- */

struct place { double x; size_t i; };

static int by_value(const void *a, const void *b)
{
    const struct place *p = a, *q = b;
    return p->x != q->x ? (p->x > q->x) - (p->x < q->x) : (p->i > q->i) - (p->i < q->i);
}

/* What a column explains alone: squared correlations of the target with WAVES cosines of the column's rank. */
static double alone(const struct sift_net *t, size_t column, struct place *order)
{
    size_t n = t->n;
    double sum = 0;
    for (size_t i = 0; i < n; i++) order[i] = (struct place){t->x[i + n * column], i};
    qsort(order, n, sizeof *order, by_value);
    for (size_t o = 0; o < t->f->outputs; o++)
        for (int k = 1; k <= WAVES; k++) {
            double c = 0;
            for (size_t i = 0; i < n; i++)
                c += t->y[order[i].i + n * o] * cos(M_PI * k * ((double)i + 0.5) / (double)n);
            sum += c * c;
        }
    return sum;
}

/* Ranks of value[0..n-1] from 0, the largest, into rank. */
static void ranks_of(const double *value, size_t n, struct place *order, double *rank)
{
    for (size_t i = 0; i < n; i++) order[i] = (struct place){-value[i], i};
    qsort(order, n, sizeof *order, by_value);
    for (size_t i = 0; i < n; i++) rank[order[i].i] = (double)i;
}

/* standing = minus the better of the ranks by relevance and by what an input explains alone. */
static int screen(struct walk *w)
{
    struct sift_net *t = &w->net;
    size_t k = t->inputs, room = k > t->n ? k : t->n;
    struct place *order = tamis_raw(w->f->cx, struct place, room);
    double *single = tamis_new(w->f->cx, double, k), *rank = tamis_raw(w->f->cx, double, k);
    if (order && single && rank) {
        for (size_t c = 0; c < t->columns; c++)
            single[t->column_input[c]] = fmax(single[t->column_input[c]], alone(t, c, order));
        ranks_of(single, k, order, rank);
        ranks_of(w->relevance, k, order, w->standing);
        for (size_t i = 0; i < k; i++) w->standing[i] = -fmin(w->standing[i], rank[i]);
    }
    tamis_free(order);
    tamis_free(single);
    tamis_free(rank);
    return tamis_status(w->f->cx);
}

/* Takes the inputs that stand lowest out of w->set until `size` are left, of equal ones the lowest column first;
 * returns the sum of their squared relevances. */
static double drop_to(struct walk *w, size_t size)
{
    struct sift_net *t = &w->net;
    double moved = 0;
    for (size_t left = t->inputs; left > size; left--) {
        size_t worst = SIZE_MAX;
        for (size_t i = 0; i < t->inputs; i++)
            if (w->set[t->input[i]] && (worst == SIZE_MAX || w->standing[i] < w->standing[worst])) worst = i;
        w->set[t->input[worst]] = 0;
        moved += w->relevance[worst] * w->relevance[worst];
    }
    return moved;
}

/* ---- errors ---- */

/* The network of theta on more rows. Their targets, the first time: those learnt from, and the others with far ones
 * pulled in. */
static void stand_up(struct walk *w)
{
    struct sift_net *s = &w->stand, *t = &w->net;
    sift_net_take(s, w->set, w->row);
    memcpy(s->y, w->target, s->n * w->f->outputs * sizeof *s->y);
    memcpy(s->theta, t->theta, (t->inputs + 2) * sizeof *s->theta);
}

static void stand_targets(struct walk *w)
{
    struct sift_net *t = &w->net;
    size_t n = t->n, more = w->more, others = more - n;
    if (!more) return;
    sift_net_predict(t, w->row + n, others, w->out, w->work);
    double far = 4 * sqrt(exp(t->theta[t->inputs + 1]));
    for (size_t o = 0; o < w->f->outputs; o++) {
        memcpy(w->target + more * o, t->y + n * o, n * sizeof *w->target);
        for (size_t i = 0; i < others; i++) {
            double y = w->f->target[w->row[n + i] + w->f->design->rows * o], fit = w->out[i + others * o];
            int pull = !w->f->design->encoder->classes && fabs(y - fit) > far;
            w->target[n + i + more * o] = pull ? fit + copysign(0.625 * far, y - fit) : y;
        }
    }
}

/* Losses and errors of the predictions in w->out for the held rows. */
static void errors_fill(const struct walk *w, double *loss, double *error, double *guess)
{
    const struct sift_frame *f = w->f;
    const struct tamis_design *d = f->design;
    for (size_t i = 0; i < w->m; i++) {
        size_t best = 0;
        double most = -INFINITY;
        error[i] = 0;
        for (size_t o = 0; o < f->outputs; o++) {
            double out = w->out[i + w->m * o], y = f->target[w->held[i] + d->rows * o];
            error[i] += (y - out) * (y - out);
            if (out + f->centre[o] > most) most = out + f->centre[o], best = o;
        }
        loss[i] = error[i];
        guess[i] = !d->encoder->classes ? f->scale * most : f->outputs > 1 ? (double)best : most * f->scale > 0.5;
        if (d->encoder->classes) error[i] = guess[i] != d->y[w->held[i]];
    }
}

/* The empty set predicts the mean of the rows. */
static void errors_empty(struct walk *w, struct sift_path *p)
{
    const struct sift_frame *f = w->f;
    for (size_t o = 0; o < f->outputs; o++) {
        double mean = 0;
        for (size_t i = 0; i < w->rows; i++) mean += f->target[w->row[i] + f->design->rows * o] / (double)w->rows;
        for (size_t i = 0; i < w->m; i++) w->out[i + w->m * o] = mean;
    }
    errors_fill(w, p->loss + f->sizes * w->m, p->error + f->sizes * w->m, p->guess + f->sizes * w->m);
}

static void measure(struct walk *w, struct sift_path *p, size_t k)
{
    if (!w->m) return;
    if (w->more) stand_up(w);
    sift_net_predict(w->more ? &w->stand : &w->net, w->held, w->m, w->out, w->work);
    errors_fill(w, p->loss + k * w->m, p->error + k * w->m, p->guess + k * w->m);
}

/* ---- the walk ---- */

static int step(struct walk *w, size_t k)
{
    struct sift_net *t = &w->net;
    size_t before = t->inputs;
    double scale = k ? t->theta[t->inputs] : 0, noise = k ? t->theta[t->inputs + 1] : 0,
           moved = k ? drop_to(w, w->f->size[k]) : INFINITY;
    sift_net_take(t, w->set, w->row);
    if (!k && t->inputs > SIFT_WIDE) return learn_wide(w);
    if (!k || before > SIFT_WIDE) return learn_first(w);
    if (moved > idle * exp(noise))
        return learn_next(w, scale, log(fmin(t->spread, exp(noise) + moved)), moved > minor * exp(noise));
    weights_recall(w);
    t->theta[t->inputs] = scale;
    t->theta[t->inputs + 1] = noise;
    return TAMIS_OK;
}

static void start_remember(const struct walk *w, struct sift_path *p)
{
    const struct sift_net *t = &w->net;
    size_t all = w->f->design->inputs;
    for (size_t i = 0; i < all; i++) p->start[i] = t->least[0];
    for (size_t i = 0; i < t->inputs; i++) p->start[t->input[i]] = t->theta[i];
    p->start[all] = t->theta[t->inputs];
    p->start[all + 1] = t->theta[t->inputs + 1];
}

static int look(struct walk *w, struct sift_path *p, size_t k)
{
    struct sift_net *t = &w->net;
    weights_remember(w);
    if (!k || k == w->second) start_remember(w, p);
    int status = sift_net_relevance(t, w->relevance);
    if (status) return status;
    memcpy(w->standing, w->relevance, t->inputs * sizeof *w->relevance);
    if (t->inputs > SIFT_WIDE && (status = screen(w))) return status;
    for (size_t i = 0; i < t->inputs; i++) p->relevance[t->input[i]] = w->relevance[i];
    memcpy(p->set + k * w->f->design->inputs, w->set, w->f->design->inputs);
    if (!k || k == w->second) stand_targets(w);
    double l = (double)w->f->outputs,
           gained = (l > 1 ? (l - 1) / l : 1) *
                    (sift_net_empty(t) - t->value); /* one of l indicators follows from the others */
    w->best = fmin(w->best, t->value);
    p->evidence[k] = isfinite(gained) ? gained : -1e300;
    measure(w, p, k);
    return tamis_check_cancel(w->f->cx);
}

/* The rows in a seeded order, so that the first of them are a fair sample where only some are used. */
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

/* stand: rows that its networks may stand on where they are measured or kept. */
static int walk_room(struct walk *w, const struct sift_frame *f, const size_t *row, size_t n, size_t stand,
                     uint32_t index)
{
    size_t k = f->design->inputs, learn = least_of(n, f->learn);
    w->f = f;
    w->rows = n;
    w->more = n > learn && stand > learn ? least_of(n, stand) : 0;
    int status = sift_net_room(&w->net, f, learn);
    if (!status && w->more) status = sift_net_room(&w->stand, f, w->more);
    const struct sift_net *t = w->more ? &w->stand : &w->net;
    size_t most = w->m > w->more ? w->m : w->more;
    w->row = rows_shuffled(f, row, n, index);
    w->relevance = tamis_raw(f->cx, double, k);
    w->standing = tamis_raw(f->cx, double, k);
    w->kept = tamis_new(f->cx, double, k);
    w->spare = tamis_new(f->cx, double, k + 2);
    w->target = tamis_raw(f->cx, double, w->more * f->outputs + 1);
    w->out = tamis_raw(f->cx, double, most * f->outputs + 1);
    w->work = status ? NULL : tamis_raw(f->cx, double, sift_net_predict_size(t, most) + 1);
    w->set = tamis_new(f->cx, unsigned char, k);
    w->on = tamis_new(f->cx, unsigned char, 2 * k);
    return status ? status : tamis_status(f->cx);
}

static void walk_free(struct walk *w)
{
    sift_net_free(&w->net);
    sift_net_free(&w->stand);
    void *all[] = {w->row, w->relevance, w->standing, w->kept, w->spare, w->target, w->out, w->work, w->set, w->on};
    for (size_t i = 0; i < sizeof all / sizeof *all; i++) tamis_free(all[i]);
}

int sift_path_run(const struct sift_frame *f, const size_t *row, size_t n, const size_t *held, size_t m,
                  const double *start, uint32_t index, struct sift_path *p)
{
    struct walk w = {.held = held, .m = m, .start = start, .best = INFINITY, .second = f->design->inputs > SIFT_WIDE};
    int status = walk_room(&w, f, row, n, m ? SIFT_STAND : 0, index);
    if (!status) {
        memset(w.set, 1, f->design->inputs);
        sift_net_take(&w.net, w.set, w.row);
        sift_net_targets(&w.net, w.row);
    }
    for (size_t k = 0; k < f->sizes && !status; k++) {
        status = step(&w, k);
        if (!status) status = look(&w, p, k);
    }
    if (!status && m) errors_empty(&w, p);
    walk_free(&w);
    p->far = fmin(w.net.far, DBL_MAX);
    p->done = !status && !tamis_status(f->cx);
    return status ? status : tamis_status(f->cx);
}

/* ---- results ---- */

struct sift_path *sift_path_new(const struct sift_frame *f, size_t held)
{
    size_t inputs = f->design->inputs;
    struct sift_path *p = tamis_new(f->cx, struct sift_path, 1);
    if (!p) return NULL;
    p->set = tamis_new(f->cx, unsigned char, f->sizes * inputs);
    p->relevance = tamis_new(f->cx, double, inputs);
    p->start = tamis_new(f->cx, double, inputs + 2);
    p->evidence = tamis_new(f->cx, double, f->sizes + 1);
    p->loss = tamis_new(f->cx, double, (f->sizes + 1) * held + 1);
    p->error = tamis_new(f->cx, double, (f->sizes + 1) * held + 1);
    p->guess = tamis_new(f->cx, double, (f->sizes + 1) * held + 1);
    for (size_t i = 0; p->relevance && i < inputs; i++) p->relevance[i] = NAN;
    if (!tamis_status(f->cx)) return p;
    sift_path_free(p);
    return NULL;
}

void sift_path_free(struct sift_path *p)
{
    if (!p) return;
    tamis_free(p->set);
    tamis_free(p->relevance);
    tamis_free(p->start);
    tamis_free(p->evidence);
    tamis_free(p->loss);
    tamis_free(p->error);
    tamis_free(p->guess);
    tamis_free(p);
}

double sift_memory(const struct sift_frame *f)
{
    double d = (double)f->design->columns, l = (double)f->outputs, learn = (double)least_of(f->design->rows, f->learn),
           fit = f->design->rows > f->learn ? (double)least_of(f->design->rows, f->fit) : 0;
    return 3 * (learn * learn + fit * fit) + (learn + fit) * (3 * d + 2 * l) + 4 * learn * d + 1000 * (fit + 2 * d) +
           80 * d;
}

/* The weights go into the scales of the encoder: a plain network of width 1 on inputs stretched by sqrt(w). Two
 * classes: one output becomes two. */
static void network_fill(struct sift_net *t, struct tamis_encoder *e, struct tamis_rbf *r)
{
    const struct sift_frame *f = t->f;
    double a = exp(t->theta[t->inputs]), unit = f->scale;
    size_t n = t->n;
    r->sigma2 = 1;
    r->gamma = exp(t->theta[t->inputs + 1]);
    for (size_t k = 0; k < t->columns; k++) {
        double root = exp(0.5 * t->theta[t->column_input[k]]);
        e->scale[k] /= root;
        for (size_t i = 0; i < n; i++) r->centre[i + n * k] = root * t->x[i + n * k];
    }
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
    struct tamis_encoder *e = tamis_encoder_subset(f->cx, f->design->encoder, set);
    struct tamis_rbf *r = tamis_rbf_outputs(f->cx, t->n, t->columns,
                                            f->design->encoder->classes ? f->design->encoder->classes : 1);
    sift_net_settle(t, 0);
    if (!isfinite(t->value)) memset(t->gp.alpha, 0, t->n * f->outputs * sizeof *t->gp.alpha);
    if (e && r) network_fill(t, e, r);
    return tamis_model_new(f->cx, &tamis_rbf_kind, e, r);
}

/* Learns the network of one set, far targets pulled in. */
static void learn_set(struct walk *w, const unsigned char *set)
{
    struct sift_net *t = &w->net;
    memcpy(w->set, set, w->f->design->inputs);
    sift_net_take(t, set, w->row);
    sift_net_targets(t, w->row);
    for (int turn = 0; turn < 4 && (!turn || sift_net_pull_in(t)); turn++) {
        sift_net_equal(t);
        sift_net_enter(t);
        sift_net_finish(t, LAST_STEPS, last_gain);
    }
}

int sift_set_losses(const struct sift_frame *f, const size_t *row, size_t n, const size_t *held, size_t m,
                    const unsigned char *set, uint32_t index, double *loss)
{
    struct walk w = {.held = held, .m = m};
    double *error = tamis_raw(f->cx, double, 2 * m + 1);
    int status = error ? walk_room(&w, f, row, n, SIFT_STAND, index) : tamis_status(f->cx);
    if (!status) {
        learn_set(&w, set);
        stand_targets(&w);
        if (w.more) stand_up(&w);
        sift_net_predict(w.more ? &w.stand : &w.net, held, m, w.out, w.work);
        errors_fill(&w, loss, error, error + m);
    }
    walk_free(&w);
    tamis_free(error);
    return status;
}

struct tamis_model *sift_model(const struct sift_frame *f, const size_t *row, size_t n, const unsigned char *set,
                               double *relevance)
{
    struct walk w = {0};
    struct sift_net *t = &w.net;
    struct tamis_model *m = NULL;
    if (!walk_room(&w, f, row, n, f->fit, 0)) {
        learn_set(&w, set);
        if (!sift_net_relevance(t, w.relevance))
            for (size_t i = 0; i < t->inputs; i++) relevance[t->input[i]] = w.relevance[i];
        stand_targets(&w);
        if (w.more) stand_up(&w);
        if (!tamis_status(f->cx)) m = network_model(w.more ? &w.stand : t, set);
    }
    walk_free(&w);
    return m;
}
