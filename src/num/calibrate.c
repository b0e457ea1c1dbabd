/* Calibration: from scores s_k of the classes k = 1..K to probabilities, the class with the largest score staying the
 * most probable one. With the gap behind the winner in units of the mean gap, g_k = (max_j s_j - s_k) / u >= 0,
 *
 *     log p_k = -a_k g_k - b_k g_k^2 - log sum_j exp(-a_j g_j - b_j g_j^2), a > 0, b >= 0.
 *
 * a and b minimise the mean over rows of -sum_k t_k log p_k plus what holds them together,
 *
 *     ridge / 2 sum_k ((a_k - mean a)^2 + (b_k - mean b)^2) + small / 2 sum_k (a_k^2 + b_k^2),
 *
 * a convex problem. The targets of a row of class c, of which there are N_c, are t_c = (N_c + h) / (N_c + h K) and
 * t_k = h / (N_c + h K), so that classes which the scores separate do not ask for infinite slopes.
 *
 * For two classes, a_1 and a_2 are the slopes on the two sides of the threshold: Platt's sigmoid [1], but through 1/2
 * where the scores are equal. All slopes equal and b = 0 is the temperature of [2].
 * DIFFERS [1]: h = 1/10 where the paper has 1, which keeps 50 rows of a class from being more certain than 0.96.
 *
 * At the end p becomes (1 - f) p + f / K with f = 1 / (n + 2), the rule of succession: n rows make nothing certain.
 *
 * [1] Platt: Probabilistic outputs for support vector machines, 1999.
 * [2] Guo, Pleiss, Sun, Weinberger: On calibration of modern neural networks, 2017. */
#include "num/calibrate.h"

#include <float.h>
#include <math.h>
#include <string.h>
#include "num/lbfgs.h"

static const double smoothing = 0.1, ridge = 0.1, small = 0.01, least_score = 1e-300, widest = 1e150;
static const double slightest = 1e-3;           /* a: the winner stays the most probable */

size_t tamis_calibrate_work(size_t classes) { return 5 * classes + tamis_lbfgs_size(2 * classes); }

static double weight_of(const struct tamis_scored *s, size_t i)
{
    if (!(s->class_of[i] >= 0 && s->class_of[i] < (double)s->classes)) return 0;
    return s->weight ? s->weight[i] : 1;
}

static double level(const struct tamis_calibrator *c, double score)
{
    return c->on_log ? log(fmax(score, least_score)) : score;
}

/* g[k], k < classes, of row i of n. */
static void gaps(const struct tamis_calibrator *c, const double *score, size_t n, size_t i, double *g)
{
    double most = -INFINITY;
    for (size_t k = 0; k < c->classes; k++) most = fmax(most, g[k] = level(c, score[i + n * k]));
    for (size_t k = 0; k < c->classes; k++) g[k] = fmin((most - g[k]) / c->unit, widest);
}

/* p[k] from gaps; returns the logarithm of the sum. p may be g. */
static double softmax(const double *slope, const double *g, size_t classes, double *p)
{
    double sum = 0;
    for (size_t k = 0; k < classes; k++)
        sum += p[k] = exp(-(slope[k] + slope[classes + k] * g[k]) * g[k]);
    for (size_t k = 0; k < classes; k++) p[k] /= sum;
    return log(sum);
}

/* ---- the function ---- */

struct problem {
    const struct tamis_scored *s;
    const struct tamis_calibrator *c;
    double *count;              /* rows of each class, by weight */
    double *g, *p;
};

static double counts_fill(const struct tamis_scored *s, double *count)
{
    double all = 0;
    memset(count, 0, s->classes * sizeof *count);
    for (size_t i = 0; i < s->rows; i++) {
        double w = weight_of(s, i);
        if (w > 0) count[(size_t)s->class_of[i]] += w, all += w;
    }
    return all;
}

/* -sum_k t_k log p_k of row i, times w; adds its gradient. */
static double row_value(const struct problem *q, size_t i, double w, const double *slope, double *gradient)
{
    size_t classes = q->s->classes, own = (size_t)q->s->class_of[i];
    double rows = q->count[own] + smoothing * (double)classes, value = 0;
    gaps(q->c, q->s->score, q->s->rows, i, q->g);
    value = softmax(slope, q->g, classes, q->p);
    for (size_t k = 0; k < classes; k++) {
        double g = q->g[k], t = ((k == own ? q->count[own] : 0) + smoothing) / rows;
        value += t * (slope[k] + slope[classes + k] * g) * g;
        gradient[k] += w * (t - q->p[k]) * g;
        gradient[classes + k] += w * (t - q->p[k]) * g * g;
    }
    return w * value;
}

static double held_together(const double *slope, size_t classes, double scale, double *gradient)
{
    double mean = 0, value = 0;
    for (size_t k = 0; k < classes; k++) mean += slope[k] / (double)classes;
    for (size_t k = 0; k < classes; k++) {
        double apart = slope[k] - mean;
        value += scale / 2 * (ridge * apart * apart + small * slope[k] * slope[k]);
        gradient[k] += scale * (ridge * apart + small * slope[k]);
    }
    return value;
}

static double problem_value(void *arg, const double *slope, double *gradient)
{
    const struct problem *q = arg;
    size_t classes = q->s->classes;
    double value = 0, all = 0;
    memset(gradient, 0, 2 * classes * sizeof *gradient);
    for (size_t k = 0; k < classes; k++) all += q->count[k];
    for (size_t i = 0; i < q->s->rows; i++) {
        double w = weight_of(q->s, i);
        if (w > 0) value += row_value(q, i, w / all, slope, gradient);
    }
    value += held_together(slope, classes, 1 / all, gradient);
    return value + held_together(slope + classes, classes, 1 / all, gradient + classes);
}

double tamis_calibrate_value(const struct tamis_scored *s, const struct tamis_calibrator *c, const double *slope,
                             double *gradient, double *work)
{
    struct problem q = {s, c, work, work + s->classes, work + 2 * s->classes};
    counts_fill(s, q.count);
    return problem_value(&q, slope, gradient);
}

/* ---- the minimum ---- */

/* The mean gap of the classes that do not win; 1 where there is none. */
static double mean_gap(const struct tamis_scored *s, struct tamis_calibrator *c, double *g)
{
    double sum = 0, all = 0;
    c->unit = 1;
    for (size_t i = 0; i < s->rows; i++) {
        double w = weight_of(s, i);
        if (!(w > 0)) continue;
        gaps(c, s->score, s->rows, i, g);
        for (size_t k = 0; k < s->classes; k++) sum += w * g[k], all += w;
    }
    sum *= (double)s->classes / fmax((double)s->classes - 1, 1);
    return sum > DBL_MIN && isfinite(sum / all) && sum / all > DBL_MIN ? sum / all : 1;
}

double tamis_calibrate(const struct tamis_scored *s, struct tamis_calibrator *c, double *work)
{
    static const struct tamis_lbfgs how = {.iterations = 500, .tolerance = 1e-13, .largest = 10};
    size_t classes = c->classes = s->classes;
    double *least = work + 3 * classes, *rest = work + 5 * classes;
    struct problem q = {s, c, work, work + classes, work + 2 * classes};
    double all = counts_fill(s, q.count);
    c->floor = 1 / (all + 2);
    c->unit = mean_gap(s, c, q.g);
    for (size_t k = 0; k < classes; k++) c->slope[k] = 1, c->slope[classes + k] = 0;
    if (!(all > 0)) return 0;
    for (size_t k = 0; k < classes; k++) least[k] = slightest, least[classes + k] = 0;
    double value = tamis_lbfgs(2 * classes, c->slope, least, NULL, &how, problem_value, &q, rest);
    for (size_t k = 0; k < 2 * classes; k++)
        if (!isfinite(c->slope[k])) c->slope[k] = k < classes;         /* scores that are not numbers */
    return value;
}

void tamis_calibrate_none(struct tamis_calibrator *c, double rows)
{
    c->unit = 1;
    c->floor = 1 / (rows + 2);
    for (size_t k = 0; k < c->classes; k++) c->slope[k] = 1, c->slope[c->classes + k] = 0;
}

/* ---- probabilities ---- */

/* One row at a time, its gaps in the place of its probabilities. */
static void row_apply(const struct tamis_calibrator *c, const double *score, size_t n, size_t i, double *p)
{
    size_t classes = c->classes;
    double most = -INFINITY, sum = 0;
    for (size_t k = 0; k < classes; k++) most = fmax(most, level(c, score[i + n * k]));
    for (size_t k = 0; k < classes; k++) {
        double g = fmin((most - level(c, score[i + n * k])) / c->unit, widest);
        sum += p[i + n * k] = exp(-(c->slope[k] + c->slope[classes + k] * g) * g);
    }
    for (size_t k = 0; k < classes; k++)
        p[i + n * k] = (1 - c->floor) * (p[i + n * k] / sum) + c->floor / (double)classes;
}

void tamis_calibrator_apply(const struct tamis_calibrator *c, const double *score, size_t n, double *p)
{
    for (size_t i = 0; i < n; i++) row_apply(c, score, n, i, p);
}
