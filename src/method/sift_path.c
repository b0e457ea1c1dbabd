/* A network with one weight an input (num/gp.h), and its path.
 *
 *     C = a exp(-sum_i w_i (x_i - x'_i)^2) + b + s I;    w, a, s by marginal likelihood
 *
 * The weights are learnt from several starts: equal ones, and two around the set that a Delta Test search finds, smooth and rough; the
 * best likelihood wins. Then inputs leave by the size of the network's derivatives, a share of them at once while many are left; each
 * smaller network starts from the last one's weights, but with the noise raised again, because the larger network explains noise by
 * many small weights. In regression, rows whose leave-one-out residual is far out are pulled in before the path. */
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include "base/rng.h"
#include "method/sift_path.h"
#include "model/rbf.h"
#include "num/gp.h"
#include "num/lbfgs.h"
#include "num/relevance.h"
#include "search/search.h"

static const double bias = 1.0;                                         /* b: the target is standardised */
static const double far_out = 4.0, pulled_to = 2.5;                     /* robust standard deviations */
static const double noise_least = 1e-3, noise_again = 0.2;
static const double first_step_gain = 1e-2, last_gain = 1e-4;

/* A network under way. Weights belong to inputs; the columns of a category share one. */
struct net {
    const struct sift_frame *f;
    size_t n, columns, inputs;          /* rows learnt on; columns and inputs of the set */
    size_t *input, *column_input;       /* inputs of the set; for each of its columns, the place of its input there */
    size_t *column;                     /* columns of the design */
    double *x, *y;                      /* n x columns, n x outputs */
    double *theta;                      /* inputs + 2: log w, log a, log s */
    double *wide, *slope;               /* columns + 2: the same a column */
    double *least, *most, *memory, *work;
    struct tamis_gp gp;
};

/* ---- room ---- */

static void net_free(struct net *t)
{
    void *all[] = {t->input, t->column_input, t->column, t->x, t->y, t->theta, t->wide, t->slope, t->least, t->most, t->memory, t->work};
    for (size_t i = 0; i < sizeof all / sizeof *all; i++) tamis_free(all[i]);
}

static int net_room(struct net *t, const struct sift_frame *f, size_t n)
{
    tamis_context *cx = f->cx;
    size_t d = f->design->columns, k = f->design->inputs;
    *t = (struct net){.f = f, .n = n};
    t->input = tamis_raw(cx, size_t, k);
    t->column_input = tamis_raw(cx, size_t, d);
    t->column = tamis_raw(cx, size_t, d);
    t->x = tamis_raw(cx, double, n * d);
    t->y = tamis_raw(cx, double, n * f->outputs);
    t->theta = tamis_raw(cx, double, k + 2);
    t->wide = tamis_raw(cx, double, d + 2);
    t->slope = tamis_raw(cx, double, d + 2);
    t->least = tamis_raw(cx, double, k + 2);
    t->most = tamis_raw(cx, double, k + 2);
    t->memory = tamis_raw(cx, double, tamis_gp_size(n, d, f->outputs));
    t->work = tamis_raw(cx, double, tamis_lbfgs_size(k + 2));
    return tamis_status(cx);
}

static void net_rows(struct net *t, const size_t *row)
{
    const struct tamis_design *d = t->f->design;
    for (size_t k = 0; k < t->columns; k++)
        for (size_t i = 0; i < t->n; i++) t->x[i + t->n * k] = d->x[row[i] + d->rows * t->column[k]];
}

static void net_targets(struct net *t, const size_t *row)
{
    for (size_t o = 0; o < t->f->outputs; o++)
        for (size_t i = 0; i < t->n; i++) t->y[i + t->n * o] = t->f->target[row[i] + t->f->design->rows * o];
}

/* Takes the inputs of set; weights of inputs that stay are kept by the caller through theta_of. */
static void net_set(struct net *t, const unsigned char *set)
{
    const struct tamis_design *d = t->f->design;
    t->inputs = t->columns = 0;
    for (size_t i = 0; i < d->inputs; i++) {
        if (!set[i]) continue;
        for (size_t k = 0; k < d->encoder->input[i].columns; k++) {
            t->column_input[t->columns] = t->inputs;
            t->column[t->columns++] = d->encoder->input[i].first + k;
        }
        t->input[t->inputs++] = i;
    }
    for (size_t i = 0; i < t->inputs; i++) t->least[i] = log(1e-6), t->most[i] = log(1e3);
    t->least[t->inputs] = log(1e-2), t->most[t->inputs] = log(1e3);
    t->least[t->inputs + 1] = log(noise_least), t->most[t->inputs + 1] = log(2);
}

/* ---- likelihood ---- */

static double objective(void *arg, const double *theta, double *slope)
{
    struct net *t = arg;
    for (size_t k = 0; k < t->columns; k++) t->wide[k] = theta[t->column_input[k]];
    t->wide[t->columns] = theta[t->inputs];
    t->wide[t->columns + 1] = theta[t->inputs + 1];
    double value = tamis_gp_likelihood(&t->gp, t->wide, t->slope);
    memset(slope, 0, t->inputs * sizeof *slope);
    for (size_t k = 0; k < t->columns; k++) slope[t->column_input[k]] += t->slope[k];
    slope[t->inputs] = t->slope[t->columns];
    slope[t->inputs + 1] = t->slope[t->columns + 1];
    return value;
}

/* Learns theta from where it stands; the likelihood, with alpha and the inverse left in t->gp. */
static double learn(struct net *t, size_t iterations, double gain)
{
    struct tamis_lbfgs how = {iterations, gain, 2};
    tamis_gp_bind(&t->gp, t->n, t->columns, t->f->outputs, t->x, t->y, bias, t->memory);
    return tamis_lbfgs(t->inputs + 2, t->theta, t->least, t->most, &how, objective, t, t->work);
}

/* The state of theta as it is now: lbfgs leaves the last trial behind. */
static void settle(struct net *t)
{
    double *slope = t->work;
    objective(t, t->theta, slope);
}

static void start_equal(struct net *t)
{
    for (size_t i = 0; i < t->inputs; i++) t->theta[i] = log(0.5 / (double)t->inputs);
    t->theta[t->inputs] = 0;
    t->theta[t->inputs + 1] = log(noise_again);
}

/* Weights on the inputs in `on`, hardly any on the others. */
static void start_around(struct net *t, const unsigned char *on, double weight)
{
    size_t count = 0;
    for (size_t i = 0; i < t->inputs; i++) count += on[t->input[i]];
    start_equal(t);
    for (size_t i = 0; i < t->inputs; i++) t->theta[i] = log(on[t->input[i]] ? weight / (double)(count ? count : 1) : 1e-3 / (double)t->inputs);
}

enum { HEAT = 7 };              /* steps that every start gets; the best of them goes on */

struct race { double best, *kept; };

static int race_begin(struct race *r, const struct net *t)
{
    r->best = INFINITY;
    r->kept = tamis_raw(t->f->cx, double, t->inputs + 2);
    return r->kept != NULL;
}

/* Learns a little from where theta stands, and keeps it if it leads. */
static void race_heat(struct race *r, struct net *t)
{
    double value = learn(t, HEAT, first_step_gain);
    if (!(value < r->best)) return;
    r->best = value;
    memcpy(r->kept, t->theta, (t->inputs + 2) * sizeof *r->kept);
}

static void race_end(struct race *r, struct net *t, size_t iterations)
{
    if (isfinite(r->best)) {
        memcpy(t->theta, r->kept, (t->inputs + 2) * sizeof *r->kept);
        learn(t, iterations, first_step_gain);
    }
    tamis_free(r->kept);
}

/* ---- the set that the Delta Test finds ---- */

static int delta_set(struct net *t, const size_t *row, unsigned char *on)
{
    const struct sift_frame *f = t->f;
    const struct tamis_criterion *c = tamis_criterion_find("delta");
    const struct tamis_search *s = tamis_search_find("forward-backward");
    if (!c || !s || f->outputs > 1) return 0;
    struct tamis_design part = *f->design;
    void *judge = NULL;
    struct tamis_run *run = NULL;
    part.rows = t->n;
    part.x = tamis_raw(f->cx, double, t->n * part.columns);
    part.y = tamis_raw(f->cx, double, t->n);
    for (size_t k = 0; part.x && part.y && k < part.columns; k++)
        for (size_t i = 0; i < t->n; i++) part.x[i + t->n * k] = f->design->x[row[i] + f->design->rows * k];
    for (size_t i = 0; part.x && part.y && i < t->n; i++) part.y[i] = t->y[i];
    int found = part.x && part.y && !c->start(f->cx, &part, NULL, f->seed, &judge) && (run = tamis_run_new(f->cx, &part, c, judge, s, NULL))
                && !tamis_run_drive(run, NULL, 0);
    if (found) tamis_run_set_at(run, tamis_run_best(run), on);
    tamis_run_free(run);
    if (judge) c->finish(judge);
    tamis_free(part.x);
    tamis_free(part.y);
    return found;
}

/* ---- outliers ---- */

/* Pulls targets with far residuals in; how many. */
static size_t pull_in(struct net *t)
{
    size_t n = t->n, pulled = 0;
    double *residual = t->gp.m, *size = residual + n;                   /* n x n scratch of the likelihood */
    if (t->f->outputs > 1 || n < 10) return 0;
    settle(t);
    tamis_gp_residuals(&t->gp, residual);
    for (size_t i = 0; i < n; i++) size[i] = fabs(residual[i]);
    double sd = 1.4826 * tamis_median(size, n);
    for (size_t i = 0; i < n; i++) {
        if (!(fabs(residual[i]) > far_out * sd)) continue;
        t->y[i] -= residual[i] - copysign(pulled_to * sd, residual[i]);
        pulled++;
    }
    return pulled;
}

/* ---- relevance ---- */

/* Root mean square of the derivatives of the network with respect to each input, largest over outputs; of a category over its columns. */
static int relevance_of(struct net *t, double *relevance)
{
    size_t n = t->n, d = t->columns;
    tamis_context *cx = t->f->cx;
    double *z = tamis_raw(cx, double, n * d), *slope = tamis_raw(cx, double, n * d), *work = tamis_raw(cx, double, tamis_derivatives_size(n, d));
    size_t *all = tamis_raw(cx, size_t, d);
    if (z && slope && work && all) {
        double a = exp(t->theta[t->inputs]);
        for (size_t k = 0; k < d; k++) {
            double root = exp(0.5 * t->theta[t->column_input[k]]);
            for (size_t i = 0; i < n; i++) z[i + n * k] = root * t->x[i + n * k];
            all[k] = k;
        }
        for (size_t i = 0; i < t->inputs; i++) relevance[i] = 0;
        for (size_t o = 0; o < t->f->outputs; o++) {
            tamis_derivatives(n, z, n, n, z, n, all, d, t->gp.alpha + n * o, 1, work, slope);
            for (size_t k = 0; k < d; k++) {
                double sum = 0, weight = a * a * exp(t->theta[t->column_input[k]]);
                for (size_t i = 0; i < n; i++) sum += slope[i + n * k] * slope[i + n * k];
                relevance[t->column_input[k]] += weight * sum / (double)n;
            }
        }
        for (size_t i = 0; i < t->inputs; i++) relevance[i] = sqrt(relevance[i]);
    }
    tamis_free(z);
    tamis_free(slope);
    tamis_free(work);
    tamis_free(all);
    return tamis_status(cx);
}

/* ---- the path ---- */

struct walk {
    struct net net;
    const size_t *row, *held;
    size_t rows, m;
    double *relevance, *kept;           /* a weight an input of the design: log w where it was last known */
    unsigned char *set, *on;
};

/* The first network, of all inputs: the best of its starts. */
static int learn_first(struct walk *w)
{
    struct net *t = &w->net;
    struct race r;
    if (!race_begin(&r, t)) return tamis_status(t->f->cx);
    start_equal(t);
    race_heat(&r, t);
    if (delta_set(t, w->row, w->on))
        for (int rough = 0; rough < 2; rough++) {
            start_around(t, w->on, rough ? 5 : 0.5);
            race_heat(&r, t);
        }
    race_end(&r, t, 30);
    return tamis_status(t->f->cx);
}

/* The network of the current set, from the weights of the larger one and, for few inputs, from equal ones too. */
static int learn_next(struct walk *w)
{
    struct net *t = &w->net;
    struct race r;
    if (!race_begin(&r, t)) return tamis_status(t->f->cx);
    for (size_t i = 0; i < t->inputs; i++) t->theta[i] = w->kept[t->input[i]];
    t->theta[t->inputs] = 0;
    t->theta[t->inputs + 1] = log(noise_again);
    race_heat(&r, t);
    if (t->inputs <= 10) {
        start_equal(t);
        race_heat(&r, t);
    }
    race_end(&r, t, 8);
    return tamis_status(t->f->cx);
}

static void remember_weights(struct walk *w)
{
    for (size_t i = 0; i < w->net.inputs; i++) w->kept[w->net.input[i]] = w->net.theta[i];
}

/* Takes the least relevant inputs out of w->set until `size` are left; of equal ones the lowest column goes first. */
static void drop_to(struct walk *w, size_t size)
{
    struct net *t = &w->net;
    for (size_t left = t->inputs; left > size; left--) {
        size_t worst = SIZE_MAX;
        for (size_t i = 0; i < t->inputs; i++)
            if (w->set[t->input[i]] && (worst == SIZE_MAX || w->relevance[i] < w->relevance[worst])) worst = i;
        w->set[t->input[worst]] = 0;
    }
}

/* Predictions for the held rows by the network of theta on up to f->fit rows; out m x outputs. */
static int predict_held(struct walk *w, double *out)
{
    struct net *t = &w->net, fit;
    const struct tamis_design *d = t->f->design;
    size_t n = w->rows < t->f->fit ? w->rows : t->f->fit;
    int status = net_room(&fit, t->f, n);
    double *x = tamis_raw(t->f->cx, double, w->m * d->columns), *work = tamis_raw(t->f->cx, double, w->m * (n + d->columns + 1) + n);
    if (!status && x && work) {
        net_set(&fit, w->set);
        net_rows(&fit, w->row);
        net_targets(&fit, w->row);
        if (n == t->n) memcpy(fit.y, t->y, n * t->f->outputs * sizeof *fit.y);          /* with its outliers pulled in */
        tamis_gp_bind(&fit.gp, n, fit.columns, t->f->outputs, fit.x, fit.y, bias, fit.memory);
        for (size_t k = 0; k < fit.columns; k++) fit.wide[k] = t->theta[fit.column_input[k]];
        fit.wide[fit.columns] = t->theta[t->inputs];
        fit.wide[fit.columns + 1] = t->theta[t->inputs + 1];
        if (!isfinite(tamis_gp_likelihood(&fit.gp, fit.wide, NULL))) memset(fit.gp.alpha, 0, n * t->f->outputs * sizeof *fit.gp.alpha);
        for (size_t k = 0; k < fit.columns; k++)
            for (size_t i = 0; i < w->m; i++) x[i + w->m * k] = d->x[w->held[i] + d->rows * fit.column[k]];
        tamis_gp_predict(&fit.gp, fit.wide, x, w->m, w->m, out, work);
    }
    net_free(&fit);
    tamis_free(x);
    tamis_free(work);
    return tamis_status(t->f->cx);
}

/* Squared errors, and whether the class is wrong, of the predictions out for the held rows. */
static void errors_fill(const struct walk *w, const double *out, double *error, double *wrong)
{
    const struct sift_frame *f = w->net.f;
    for (size_t i = 0; i < w->m; i++) {
        size_t best = 0, is = 0;
        error[i] = 0;
        for (size_t o = 0; o < f->outputs; o++) {
            double y = f->target[w->held[i] + f->design->rows * o];
            error[i] += (y - out[i + w->m * o]) * (y - out[i + w->m * o]);
            if (out[i + w->m * o] > out[i + w->m * best]) best = o;
            if (y > f->target[w->held[i] + f->design->rows * is]) is = o;
        }
        if (wrong) wrong[i] = best != is;
    }
}

/* The empty set predicts the mean of the rows. */
static void errors_empty(const struct walk *w, double *out, double *error, double *wrong)
{
    const struct sift_frame *f = w->net.f;
    for (size_t o = 0; o < f->outputs; o++) {
        double mean = 0;
        for (size_t i = 0; i < w->rows; i++) mean += f->target[w->row[i] + f->design->rows * o] / (double)w->rows;
        for (size_t i = 0; i < w->m; i++) out[i + w->m * o] = mean;
    }
    errors_fill(w, out, error, wrong);
}

static int walk_steps(struct walk *w, struct sift_path *p, double *out)
{
    const struct sift_frame *f = w->net.f;
    size_t inputs = f->design->inputs, m = w->m;
    int status = TAMIS_OK;
    for (size_t k = 0; k < f->sizes && !status; k++) {
        if (k) {
            drop_to(w, f->size[k]);
            net_set(&w->net, w->set);
            net_rows(&w->net, w->row);
            status = learn_next(w);
        }
        if (status || (status = tamis_check_cancel(f->cx))) break;
        remember_weights(w);
        settle(&w->net);
        if ((status = relevance_of(&w->net, w->relevance))) break;
        for (size_t i = 0; i < w->net.inputs; i++) p->relevance[w->net.input[i]] = w->relevance[i];
        memcpy(p->set + k * inputs, w->set, inputs);
        if (m && !(status = predict_held(w, out))) errors_fill(w, out, p->error + k * m, p->wrong ? p->wrong + k * m : NULL);
    }
    if (!status && m) errors_empty(w, out, p->error + f->sizes * m, p->wrong ? p->wrong + f->sizes * m : NULL);
    return status;
}

/* All inputs; the first learning, with outliers pulled in twice at most. */
static int walk_start(struct walk *w)
{
    struct net *t = &w->net;
    net_set(t, w->set);
    net_rows(t, w->row);
    net_targets(t, w->row);
    int status = learn_first(w);
    for (int turn = 0; turn < 2 && !status && pull_in(t); turn++) learn(t, 15, first_step_gain);
    return status;
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

static int walk_room(struct walk *w, const struct sift_frame *f, const size_t *row, size_t n, uint32_t index)
{
    size_t k = f->design->inputs;
    int status = net_room(&w->net, f, n < f->learn ? n : f->learn);
    w->row = rows_shuffled(f, row, n, index);
    w->rows = n;
    w->relevance = tamis_raw(f->cx, double, k);
    w->kept = tamis_new(f->cx, double, k);
    w->set = tamis_new(f->cx, unsigned char, k);
    w->on = tamis_new(f->cx, unsigned char, k);
    return status ? status : tamis_status(f->cx);
}

static void walk_free(struct walk *w)
{
    net_free(&w->net);
    tamis_free((void *)w->row);
    tamis_free(w->relevance);
    tamis_free(w->kept);
    tamis_free(w->set);
    tamis_free(w->on);
}

int sift_path_run(const struct sift_frame *f, const size_t *row, size_t n, const size_t *held, size_t m, uint32_t index, struct sift_path *p)
{
    struct walk w = {.held = held, .m = m};
    double *out = tamis_raw(f->cx, double, m * f->outputs + 1);
    int status = walk_room(&w, f, row, n, index);
    if (!status && out) {
        memset(w.set, 1, f->design->inputs);
        status = walk_start(&w);
        if (!status) status = walk_steps(&w, p, out);
    }
    tamis_free(out);
    walk_free(&w);
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
    p->error = tamis_new(f->cx, double, (f->sizes + 1) * held + 1);
    if (f->outputs > 1) p->wrong = tamis_new(f->cx, double, (f->sizes + 1) * held + 1);
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
    tamis_free(p->error);
    tamis_free(p->wrong);
    tamis_free(p);
}

size_t sift_memory(const struct sift_frame *f)
{
    size_t d = f->design->columns, n = f->design->rows < f->fit ? f->design->rows : f->fit;
    return tamis_gp_size(n, d, f->outputs) + 8 * n * d + n * n;
}

/* The weights go into the scales of the encoder: a plain network of width 1 on inputs stretched by sqrt(w). */
static struct tamis_model *network_model(struct net *t, const unsigned char *set)
{
    const struct sift_frame *f = t->f;
    struct tamis_encoder *e = tamis_encoder_subset(f->cx, f->design->encoder, set);
    struct tamis_rbf *r = tamis_rbf_outputs(f->cx, t->n, t->columns, f->outputs);
    if (e && r) {
        double a = exp(t->theta[t->inputs]);
        r->sigma2 = 1;
        r->gamma = exp(t->theta[t->inputs + 1]);
        for (size_t k = 0; k < t->columns; k++) {
            double root = exp(0.5 * t->theta[t->column_input[k]]);
            e->scale[k] /= root;
            for (size_t i = 0; i < t->n; i++) r->centre[i + t->n * k] = root * t->x[i + t->n * k];
        }
        for (size_t o = 0; o < f->outputs; o++) {
            double *alpha = r->alpha + (t->n + 1) * o, sum = 0;
            for (size_t i = 0; i < t->n; i++) {
                alpha[i] = a * t->gp.alpha[i + t->n * o];
                sum += t->gp.alpha[i + t->n * o];
            }
            alpha[t->n] = bias * sum;
        }
    }
    return tamis_model_new(f->cx, &tamis_rbf_kind, e, r);
}

struct tamis_model *sift_model(const struct sift_frame *f, const size_t *row, size_t n, const unsigned char *set, double *relevance)
{
    struct walk w = {0};
    struct tamis_model *m = NULL;
    if (!walk_room(&w, f, row, n, 0)) {
        struct net *t = &w.net;
        memcpy(w.set, set, f->design->inputs);
        net_set(t, set);
        net_rows(t, w.row);
        net_targets(t, w.row);
        start_equal(t);
        learn(t, 40, last_gain);
        for (int turn = 0; turn < 2 && pull_in(t); turn++) learn(t, 20, last_gain);
        settle(t);
        if (!relevance_of(t, w.relevance))
            for (size_t i = 0; i < t->inputs; i++) relevance[t->input[i]] = w.relevance[i];
        if (!tamis_status(f->cx)) m = network_model(t, set);
    }
    walk_free(&w);
    return m;
}
