/* A network with one weight per input, and how it learns.
 *
 *     C = a exp(-sum_i w_i (x_i - x'_i)^2) + b + s I;    w, a, s by marginal likelihood
 *
 * A row that counts as v rows has the noise s / v (num/gp.h). */
#include "method/sift/sift_net.h"

#include <math.h>
#include <string.h>
#include "num/lbfgs.h"
#include "num/relevance.h"

static const double bias = 1.0;                                         /* b: the target is standardised */
static const double noise_least = 1e-3, noise_first = 0.2;              /* of the variance of the target */
static const double heat_gain = 0.1, longest_step = 2;
static const double wake_weight = 0.1, wake_gain = 3;                   /* over the number of inputs; in L */

enum { HEAT = 5,                /* steps that every start gets */
       SAMPLE = 160, FEWEST = 100 };    /* rows of a sample, at most and at least */

/* ---- room ---- */

void sift_net_free(struct sift_net *t)
{
    void *all[] = {t->input, t->column_input, t->column, t->x,     t->y,    t->theta, t->weight,
                   t->last,  t->wide,         t->slope,  t->least, t->most, t->memory};
    for (size_t i = 0; i < sizeof all / sizeof *all; i++) tamis_free(all[i]);
    for (size_t i = 0; i < SIFT_LANES; i++) {
        tamis_free(t->lane_theta[i]);
        tamis_free(t->lane_work[i]);
    }
}

int sift_net_room(struct sift_net *t, const struct sift_frame *f, size_t n)
{
    tamis_context *cx = f->cx;
    size_t d = f->design->columns, k = f->design->inputs;
    *t = (struct sift_net){.f = f, .n = n, .far = INFINITY, .spread = 1};
    t->input = tamis_raw(cx, size_t, k);
    t->column_input = tamis_raw(cx, size_t, d);
    t->column = tamis_raw(cx, size_t, d + 2);
    t->x = tamis_raw(cx, double, n * d);
    t->y = tamis_raw(cx, double, n * f->outputs);
    t->weight = f->design->weight ? tamis_raw(cx, double, n) : NULL;
    t->theta = tamis_raw(cx, double, k + 2);
    t->last = tamis_raw(cx, double, k + 2);
    t->wide = tamis_raw(cx, double, d + 2);
    t->slope = tamis_raw(cx, double, d + 2);
    t->least = tamis_raw(cx, double, k + 2);
    t->most = tamis_raw(cx, double, k + 2);
    t->memory = tamis_raw(cx, double, tamis_gp_size(n, d, f->outputs));
    for (size_t i = 0; i < SIFT_LANES; i++) {
        t->lane_theta[i] = tamis_raw(cx, double, k + 2);
        t->lane_work[i] = tamis_raw(cx, double, tamis_lbfgs_size(k + 2));
    }
    return tamis_status(cx);
}

static void bounds_fill(struct sift_net *t)
{
    for (size_t i = 0; i < t->inputs; i++) t->least[i] = log(1e-6), t->most[i] = log(1e3);
    t->least[t->inputs] = log(1e-2 * t->spread), t->most[t->inputs] = log(1e3 * t->spread);
    t->least[t->inputs + 1] = log(noise_least * t->spread), t->most[t->inputs + 1] = log(2 * t->spread);
}

/* The curvature in lane_work[0], of the inputs of a smaller set. */
static void curvature_narrow(struct sift_net *t, const unsigned char *set)
{
    size_t kept = 0, wanted = 0, *keep = t->column;     /* filled again in a moment */
    for (size_t i = 0; i < t->f->design->inputs; i++) wanted += set[i];
    for (size_t i = 0; i < t->inputs; i++)
        if (set[t->input[i]]) keep[kept++] = i;
    if (kept < wanted) t->curved = 0;
    if (!t->curved) return;
    keep[kept] = t->inputs, keep[kept + 1] = t->inputs + 1;
    tamis_lbfgs_narrow(t->inputs + 2, keep, kept + 2, t->lane_work[0]);
}

/* So that their sum is the number of rows that they are worth. */
static void weights_scale(double *w, size_t n)
{
    double scale = tamis_weight_rows(w, n) / tamis_weight_sum(w, n);
    for (size_t i = 0; w && i < n; i++) w[i] *= scale;
}

void sift_net_take(struct sift_net *t, const unsigned char *set, const size_t *row)
{
    const struct tamis_design *d = t->f->design;
    if (t->curved) curvature_narrow(t, set);
    t->inputs = t->columns = t->lanes = 0;
    for (size_t i = 0; i < d->inputs; i++) {
        if (!set[i]) continue;
        for (size_t k = 0; k < d->encoder->input[i].columns; k++) {
            t->column_input[t->columns] = t->inputs;
            t->column[t->columns++] = d->encoder->input[i].first + k;
        }
        t->input[t->inputs++] = i;
    }
    for (size_t k = 0; k < t->columns; k++)
        for (size_t i = 0; i < t->n; i++) t->x[i + t->n * k] = d->x[row[i] + d->rows * t->column[k]];
    for (size_t i = 0; t->weight && i < t->n; i++) t->weight[i] = d->weight[row[i]];
    weights_scale(t->weight, t->n);
    bounds_fill(t);
    sift_net_all(t);
}

/* The scale of bounds and starts. */
static void spread_find(struct sift_net *t)
{
    double n = tamis_weight_sum(t->weight, t->n), squares = 0;
    for (size_t o = 0; o < t->f->outputs; o++) {
        double mean = tamis_mean(t->y + t->n * o, t->weight, t->n);
        for (size_t i = 0; i < t->n; i++) squares += tamis_weight_at(t->weight, i) * pow(t->y[i + t->n * o] - mean, 2);
    }
    t->spread = fmax(squares / (n * (double)t->f->outputs), 1e-12);
    t->known = 0;
    bounds_fill(t);
}

void sift_net_targets(struct sift_net *t, const size_t *row)
{
    for (size_t o = 0; o < t->f->outputs; o++)
        for (size_t i = 0; i < t->n; i++) t->y[i + t->n * o] = t->f->target[row[i] + t->f->design->rows * o];
    spread_find(t);
}

/* ---- rows in use ---- */

static void rows_use(struct sift_net *t, size_t n, const double *x, const double *y, const double *weight)
{
    tamis_gp_bind(&t->gp, n, t->columns, t->f->outputs, x, y, bias, t->memory);
    tamis_gp_weigh(&t->gp, weight);
    t->used = n;
    t->worth = tamis_weight_sum(weight, n);
    t->known = 0;
}

void sift_net_all(struct sift_net *t) { rows_use(t, t->n, t->x, t->y, t->weight); }

/* The rows of a sample: where the multiples of the golden ratio, without their integers, are below m / n. They are
 * evenly spread, also over the rows of any period. */
static int sampled(size_t i, size_t m, size_t n)
{
    return (uint32_t)((uint32_t)i * 2654435769u) < (double)m / (double)n * 4294967296.0;
}

static void sample_copy(size_t m, size_t n, const double *from, double *to)
{
    for (size_t i = 0; i < n; i++)
        if (sampled(i, m, n)) *to++ = from[i];
}

int sift_net_sample(struct sift_net *t)
{
    size_t n = t->n, l = t->f->outputs, m = n / 2 < SAMPLE ? n / 2 : SAMPLE, rows = 0;
    if (m < FEWEST) return 0;
    for (size_t i = 0; i < n; i++) rows += (size_t)sampled(i, m, n);
    double *x = t->memory + tamis_gp_size(rows, t->columns, l), *y = x + rows * t->columns,     /* fits in that of n */
           *weight = t->weight ? y + rows * l : NULL;
    for (size_t k = 0; k < t->columns; k++) sample_copy(m, n, t->x + n * k, x + rows * k);
    for (size_t o = 0; o < l; o++) sample_copy(m, n, t->y + n * o, y + rows * o);
    if (weight) sample_copy(m, n, t->weight, weight);
    weights_scale(weight, rows);
    rows_use(t, rows, x, y, weight);
    return 1;
}

/* ---- likelihood ---- */

static void widen(struct sift_net *t, const double *theta)
{
    for (size_t k = 0; k < t->columns; k++) t->wide[k] = theta[t->column_input[k]];
    t->wide[t->columns] = theta[t->inputs];
    t->wide[t->columns + 1] = theta[t->inputs + 1];
}

void sift_progress_add(const struct sift_frame *f, size_t units)
{
    if (!f->progress || !units) return;
    size_t done = atomic_fetch_add(&f->progress->done, units) + units;
    tamis_progress(f->cx, "sift", (double)done, (double)f->progress->total);
}

void sift_net_quota(struct sift_net *t, size_t units)
{
    sift_progress_add(t->f, t->quota);
    t->quota = units;
}

static void count_evaluation(struct sift_net *t)
{
    if (!t->quota) return;
    t->quota--;
    sift_progress_add(t->f, 1);
}

static int is_known(const struct sift_net *t, const double *theta, int slope)
{
    return t->known && t->sloped >= slope && !memcmp(t->last, theta, (t->inputs + 2) * sizeof *theta);
}

/* At theta, which has been widened. */
static void likelihood(struct sift_net *t, const double *theta, int slope)
{
    count_evaluation(t);
    memcpy(t->last, theta, (t->inputs + 2) * sizeof *theta);
    t->value = tamis_gp_likelihood(&t->gp, t->wide, slope ? t->slope : NULL);
    t->known = 1;
    t->sloped = slope;
}

static double objective(void *arg, const double *theta, double *slope)
{
    struct sift_net *t = arg;
    widen(t, theta);
    if (!is_known(t, theta, slope != NULL)) likelihood(t, theta, slope != NULL);
    if (!slope) return t->value;
    memset(slope, 0, t->inputs * sizeof *slope);
    for (size_t k = 0; k < t->columns; k++) slope[t->column_input[k]] += t->slope[k];
    slope[t->inputs] = t->slope[t->columns];
    slope[t->inputs + 1] = t->slope[t->columns + 1];
    return t->value;
}

void sift_net_settle(struct sift_net *t, int slope)
{
    widen(t, t->theta);
    if (!is_known(t, t->theta, slope)) likelihood(t, t->theta, slope);
}

size_t sift_net_wake(struct sift_net *t)
{
    size_t woken = 0;
    sift_net_settle(t, 1);
    if (!isfinite(t->value)) return 0;
    for (size_t i = 0; i < t->inputs; i++) {
        double w = exp(t->theta[i]), more = wake_weight / (double)t->inputs - w, slope = 0;     /* dL / dlog w */
        for (size_t k = 0; k < t->columns; k++)
            if (t->column_input[k] == i) slope += t->slope[k];
        if (!(more > 0 && -slope / w * more > wake_gain)) continue;
        t->theta[i] = log(w + more);
        woken++;
    }
    return woken;
}

double sift_net_empty(const struct sift_net *t)
{
    double n = t->worth, value = 0;
    for (size_t o = 0; o < t->f->outputs; o++) {
        const double *y = t->gp.y + t->used * o;
        double sum = 0, squares = 0;
        for (size_t i = 0; i < t->used; i++) {
            double weighed = tamis_weight_at(t->gp.v, i) * y[i];
            sum += weighed, squares += weighed * y[i];
        }
        double s = fmax((squares - sum * sum / n) / n, noise_least * t->spread);
        value += 0.5 * ((n - 1) * log(s) + log(s + n * bias) + (squares - sum * sum * bias / (s + n * bias)) / s);
    }
    return value;
}

/* ---- learning ---- */

void sift_net_equal(struct sift_net *t)
{
    for (size_t i = 0; i < t->inputs; i++) t->theta[i] = log(0.5 / (double)t->inputs);
    t->theta[t->inputs] = log(t->spread);
    t->theta[t->inputs + 1] = log(noise_first * t->spread);
}

void sift_net_around(struct sift_net *t, const unsigned char *on, double weight)
{
    size_t count = 0;
    for (size_t i = 0; i < t->inputs; i++) count += on[t->input[i]];
    sift_net_equal(t);
    for (size_t i = 0; i < t->inputs; i++)
        t->theta[i] = log(on[t->input[i]] ? weight / (double)(count ? count : 1) : 1e-3 / (double)t->inputs);
}

double sift_net_value(struct sift_net *t)
{
    sift_net_settle(t, 0);
    return t->value;
}

void sift_net_enter(struct sift_net *t)
{
    struct tamis_lbfgs how = {HEAT, heat_gain, longest_step};
    size_t k = t->lanes++;
    memcpy(t->lane_theta[k], t->theta, (t->inputs + 2) * sizeof *t->theta);
    t->lane_value[k] = tamis_lbfgs(t->inputs + 2, t->lane_theta[k], t->least, t->most, &how, objective, t,
                                   t->lane_work[k]);
    if (!k) t->curved = t->used;
}

void sift_net_near(struct sift_net *t)
{
    struct tamis_lbfgs how = {1, heat_gain, longest_step};
    if (!t->curved) {
        sift_net_enter(t);
        return;
    }
    memcpy(t->lane_theta[0], t->theta, (t->inputs + 2) * sizeof *t->theta);
    t->lane_value[0] = tamis_lbfgs_like(t->inputs + 2, t->lane_theta[0], t->least, t->most, &how, objective, t,
                                        t->lane_work[0], (double)t->used / (double)t->curved);
    t->lanes = 1;
    t->curved = t->used;
}

static size_t leader(const struct sift_net *t)
{
    size_t best = 0;
    for (size_t k = 1; k < t->lanes; k++)
        if (t->lane_value[k] < t->lane_value[best] || isnan(t->lane_value[best])) best = k;
    return best;
}

double sift_net_leading(const struct sift_net *t) { return t->lane_value[leader(t)]; }

/* Lane k becomes the first. */
static void lane_first(struct sift_net *t, size_t k)
{
    double *theta = t->lane_theta[0], *work = t->lane_work[0];
    t->lane_theta[0] = t->lane_theta[k], t->lane_theta[k] = theta;
    t->lane_work[0] = t->lane_work[k], t->lane_work[k] = work;
}

double sift_net_finish(struct sift_net *t, size_t iterations, double gain)
{
    struct tamis_lbfgs how = {iterations, gain, longest_step};
    size_t best = leader(t);
    double value = INFINITY;
    int finite = isfinite(t->lane_value[best]);
    lane_first(t, best);
    if (finite) {
        value = tamis_lbfgs_more(t->inputs + 2, t->lane_theta[0], t->least, t->most, &how, objective, t,
                                 t->lane_work[0]);
        memcpy(t->theta, t->lane_theta[0], (t->inputs + 2) * sizeof *t->theta);
    }
    t->lanes = 0;
    t->curved = finite ? t->used : 0;
    return value;
}

/* ---- outliers ---- */

size_t sift_net_pull_in(struct sift_net *t)
{
    size_t n = t->n, pulled = 0;
    double *residual = t->gp.m, *size = residual + n;                   /* n x n scratch of the likelihood */
    if (t->f->design->encoder->classes || n < 10) return 0;
    sift_net_settle(t, 1);
    tamis_gp_residuals(&t->gp, residual);
    for (size_t i = 0; i < n; i++) size[i] = fabs(residual[i]);
    double sd = SIFT_MAD_TO_SD * tamis_weight_median(size, t->weight, n, (struct tamis_place *)(void *)(size + n));
    for (size_t i = 0; i < n; i++) {
        if (!sift_far(residual[i], sd)) continue;
        t->y[i] -= residual[i] - sift_pulled(residual[i], sd);
        pulled++;
    }
    if (pulled) {
        spread_find(t);
        t->far = SIFT_FAR * sd;
    }
    return pulled;
}

/* ---- relevance ---- */

static void relevance_add(struct sift_net *t, const double *slope, double *relevance)
{
    double a = exp(t->theta[t->inputs]);
    for (size_t k = 0; k < t->columns; k++) {
        double sum = 0, weight = a * a * exp(t->theta[t->column_input[k]]);
        for (size_t i = 0; i < t->n; i++)
            sum += tamis_weight_at(t->weight, i) * slope[i + t->n * k] * slope[i + t->n * k];
        relevance[t->column_input[k]] += weight * sum / t->worth;
    }
}

/* z = sqrt(w) x, n x columns. */
static void stretch(const struct sift_net *t, double *z)
{
    for (size_t k = 0; k < t->columns; k++) {
        double root = exp(0.5 * t->theta[t->column_input[k]]);
        for (size_t i = 0; i < t->n; i++) z[i + t->n * k] = root * t->x[i + t->n * k];
    }
}

int sift_net_relevance(struct sift_net *t, double *relevance)
{
    size_t n = t->n, d = t->columns;
    tamis_context *cx = t->f->cx;
    double *z = tamis_raw(cx, double, n * d), *slope = tamis_raw(cx, double, n * d),
           *work = tamis_raw(cx, double, tamis_derivatives_size(n, d));
    size_t *all = tamis_raw(cx, size_t, d);
    if (z && slope && work && all) {
        sift_net_settle(t, 0);
        stretch(t, z);
        for (size_t k = 0; k < d; k++) all[k] = k;
        memset(relevance, 0, t->inputs * sizeof *relevance);
        for (size_t o = 0; o < t->f->outputs; o++) {
            tamis_derivatives(n, z, n, n, z, n, all, d, t->gp.alpha + n * o, 1, work, slope);
            relevance_add(t, slope, relevance);
        }
        for (size_t i = 0; i < t->inputs; i++) relevance[i] = sqrt(relevance[i]);
    }
    void *room[] = {z, slope, work, all};
    for (size_t i = 0; i < sizeof room / sizeof *room; i++) tamis_free(room[i]);
    return tamis_status(cx);
}

/* ---- predictions ---- */

enum { CHUNK = 1000 };          /* rows predicted at a time */

size_t sift_net_predict_size(const struct sift_net *t, size_t m)
{
    size_t d = t->f->design->columns, rows = m < CHUNK ? m : CHUNK;
    return rows * (t->n + 2 * d + 1 + t->f->outputs) + t->n;
}

void sift_net_predict(struct sift_net *t, const size_t *held, size_t m, double *out, double *work)
{
    const struct tamis_design *d = t->f->design;
    size_t l = t->f->outputs;
    sift_net_settle(t, 0);
    if (!isfinite(t->value)) memset(t->gp.alpha, 0, t->n * l * sizeof *t->gp.alpha);
    for (size_t from = 0; from < m; from += CHUNK) {
        size_t rows = m - from < CHUNK ? m - from : CHUNK;
        double *x = work, *part = x + rows * t->columns, *more = part + rows * l;
        for (size_t k = 0; k < t->columns; k++)
            for (size_t i = 0; i < rows; i++) x[i + rows * k] = d->x[held[from + i] + d->rows * t->column[k]];
        tamis_gp_predict(&t->gp, t->wide, x, rows, rows, part, more);
        for (size_t o = 0; o < l; o++) memcpy(out + from + m * o, part + rows * o, rows * sizeof *out);
    }
}
