/* The data and the prior of the mixture target. */
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include "method/rjmcmc/mixture_target.h"
#include "num/density.h"
#include "num/order.h"
#include "num/weighted.h"

/* Of the prior in the proposals. Background mode is after kernels that fit the density of the rows; telling classes
 * apart needs much less. */
static const double prior_share[] = {[TAMIS_CONDITIONAL] = 0.6, [TAMIS_BACKGROUND] = 0.2};

enum { MOST_COPIES = 100 };     /* per row in the mean, for draws of each copy's kernel */

/* ---- memory ---- */

void tamis_mixture_free(struct tamis_mixture *m)
{
    if (!m) return;
    if (m->records) {
        tamis_free(m->records->set);
        tamis_free(m->records->energy);
        tamis_free(m->records->body);
    }
    void *part[] = {m->origin, m->first,     m->width,    m->x,      m->from,    m->keep,     m->least,
                    m->place,  m->count,     m->xi,       m->kappa,  m->h,       m->beta_min, m->log_tail,
                    m->log_m,  m->tau_level, m->mu_level, m->choice, m->records, m->weight};
    for (size_t i = 0; i < sizeof part / sizeof *part; i++) tamis_free(part[i]);
    tamis_free(m);
}

struct tamis_mixture *tamis_mixture_sized(tamis_context *cx, size_t rows, size_t inputs, size_t classes,
                                          const size_t *width, const struct tamis_mixture_settings *set)
{
    struct tamis_mixture *m = tamis_new(cx, struct tamis_mixture, 1);
    if (!m) return NULL;
    *m = (struct tamis_mixture){.set = *set, .rows = rows, .inputs = inputs, .classes = classes};
    m->room = (rows + (classes + 2) * TAMIS_LANES) / TAMIS_LANES * TAMIS_LANES;
    if (!m->set.most || m->set.most > inputs) m->set.most = inputs;
    m->origin = tamis_new(cx, size_t, inputs);
    m->first = tamis_new(cx, size_t, inputs);
    m->width = tamis_new(cx, size_t, inputs);
    for (size_t i = 0; !tamis_status(cx) && i < inputs; i++) {
        m->origin[i] = i;
        m->first[i] = m->columns;
        m->columns += m->width[i] = width[i];
    }
    m->x = tamis_new(cx, double, m->room * m->columns);
    m->from = tamis_new(cx, size_t, classes + 2);
    m->keep = tamis_new(cx, double, m->room);
    m->least = tamis_new(cx, double, m->room);
    m->weight = tamis_new(cx, double, m->room);
    m->place = tamis_new(cx, size_t, rows);
    m->count = tamis_new(cx, double, classes + 1);
    m->xi = tamis_new(cx, double, m->columns);
    m->kappa = tamis_new(cx, double, m->columns);
    m->h = tamis_new(cx, double, m->columns);
    m->beta_min = tamis_new(cx, double, m->columns);
    m->log_tail = tamis_new(cx, double, m->columns);
    m->tau_level = tamis_new(cx, double, m->columns);
    m->mu_level = tamis_new(cx, double, m->columns);
    m->log_m = tamis_new(cx, double, inputs);
    m->choice = tamis_new(cx, double, inputs);
    for (size_t i = 0; m->choice && i < inputs; i++) m->choice[i] = 1;
    if (!tamis_status(cx)) return m;
    tamis_mixture_free(m);
    return NULL;
}

/* ---- the prior ---- */

void tamis_mixture_prior(struct tamis_mixture *m)
{
    const struct tamis_mixture_settings *s = &m->set;
    double shape = s->g + (double)s->kernels * s->alpha;
    m->prior_share = prior_share[s->mode];
    m->level = tamis_log_gamma(shape) - tamis_log_gamma(s->g) - (double)s->kernels * tamis_log_gamma(s->alpha);
    m->quiet = exp((tamis_log_gamma(shape + 1) - 40) / shape); /* P(a, y) < y^a / Gamma(a + 1) = exp(-40) */
    for (size_t c = 0; c < m->columns; c++) {
        m->log_tail[c] = tamis_log_gamma_tail(s->g, m->h[c] * m->beta_min[c]);
        m->tau_level[c] = m->level + s->g * log(m->h[c]) - m->log_tail[c];
        m->mu_level[c] = 0.5 * (double)s->kernels * log(m->kappa[c] / (2 * M_PI));
    }
}

/* Middle and range of a column, and the smallest step between two of its values; sorts x. */
static void column_prior(struct tamis_mixture *m, size_t c, double *x, size_t n)
{
    double step = INFINITY, range;
    qsort(x, n, sizeof *x, tamis_by_value);
    range = x[n - 1] - x[0];
    for (size_t i = 1; i < n; i++)
        if (x[i] - x[i - 1] > 1e-9 * range) step = fmin(step, x[i] - x[i - 1]);
    if (!(range > 0)) range = step = 1;
    m->xi[c] = 0.5 * (x[0] + x[n - 1]);
    m->kappa[c] = 1 / (range * range);
    m->beta_min[c] = m->set.mode == TAMIS_BACKGROUND ? step * step / 12 : 0;    /* variance of rounding to the step */
}

static double deviation(const double *x, const double *weight, size_t n)
{
    double mean = 0, squares = 0, all = tamis_weight_sum(weight, n);
    for (size_t i = 0; i < n; i++) mean += tamis_weight_at(weight, i) * x[i] / all;
    for (size_t i = 0; i < n; i++) squares += tamis_weight_at(weight, i) * ((x[i] - mean) * (x[i] - mean)) / all;
    return squares > 0 ? sqrt(squares) : 1;
}

/* h = 10 / R^2 with R the largest range among inputs of standard deviation 1: the .16 that [1] has for Pima. Units do
 * not matter. */
static void rates_set(struct tamis_mixture *m, const double *x, const double *weight)
{
    double ratio = 0;
    for (size_t c = 0; c < m->columns; c++)
        ratio = fmax(ratio, 1 / (m->kappa[c] * pow(deviation(x + m->rows * c, weight, m->rows), 2)));
    for (size_t c = 0; c < m->columns; c++)
        m->h[c] = m->set.h > 0 ? m->set.h : 10 / (ratio * pow(deviation(x + m->rows * c, weight, m->rows), 2));
}

struct tamis_mixture *tamis_mixture_new(tamis_context *cx, const struct tamis_design *d,
                                        const struct tamis_mixture_settings *set)
{
    const struct tamis_encoder *e = d->encoder;
    size_t inputs = 0, *width = tamis_new(cx, size_t, d->inputs);
    double *x = tamis_raw(cx, double, d->rows * d->columns), *sorted = tamis_raw(cx, double, d->rows);
    for (size_t i = 0; width && i < d->inputs; i++)
        if (!e->input[i].constant) width[inputs++] = e->input[i].columns;
    struct tamis_mixture *m = tamis_status(cx) ? NULL
                                               : tamis_mixture_sized(cx, d->rows, inputs, e->classes, width, set);
    for (size_t i = 0, j = 0; m && i < d->inputs; i++) {
        if (e->input[i].constant) continue;
        for (size_t c = 0; c < e->input[i].columns; c++) {
            const double *from = d->x + d->rows * (e->input[i].first + c);
            memcpy(x + d->rows * (m->first[j] + c), from, d->rows * sizeof *x);
            memcpy(sorted, from, d->rows * sizeof *x);
            column_prior(m, m->first[j] + c, sorted, d->rows);
        }
        m->origin[j++] = i;
    }
    if (m) {
        rates_set(m, x, d->weight);
        tamis_mixture_prior(m);
        tamis_mixture_rows(m, x, d->y, d->weight);
    }
    tamis_free(width);
    tamis_free(x);
    tamis_free(sorted);
    return m;
}

/* ---- rows ---- */

static size_t class_of(const struct tamis_mixture *m, double y)
{
    return y >= 0 && y < (double)m->classes ? (size_t)y : m->classes;
}

/* The ranges of the classes, and the place of every row; returns how many rows there are with the filling. */
static size_t rows_place(struct tamis_mixture *m, const double *y)
{
    size_t k = m->classes, at = 0;
    memset(m->keep, 0, m->room * sizeof *m->keep);
    for (size_t c = 0; c <= k; c++) {
        m->from[c] = at;
        size_t next = at;
        for (size_t n = 0; n < m->rows; n++)
            if (class_of(m, y[n]) == c) m->keep[next] = c < k || m->set.mode == TAMIS_BACKGROUND, m->place[n] = next++;
        at += tamis_mix_filled(next - at);
    }
    m->from[k + 1] = at;
    for (size_t i = 0; i < at; i++) m->least[i] = m->keep[i] > 0 ? TAMIS_MIX_LEAST : 1;
    return at;
}

/* What the rows count: each, all together, and by class. */
static void rows_weigh(struct tamis_mixture *m, const double *y, const double *weight)
{
    memset(m->count, 0, (m->classes + 1) * sizeof *m->count);
    memset(m->weight, 0, m->room * sizeof *m->weight);
    m->total = tamis_weight_sum(weight, m->rows);
    m->whole = m->total <= (double)(MOST_COPIES * m->rows);
    for (size_t n = 0; n < m->rows; n++) {
        double w = tamis_weight_at(weight, n);
        m->count[class_of(m, y[n])] += w;
        m->weight[m->place[n]] = w * m->keep[m->place[n]];
        m->whole &= w == floor(w);
    }
}

void tamis_mixture_rows(struct tamis_mixture *m, const double *x, const double *y, const double *weight)
{
    size_t k = m->classes, at = rows_place(m, y);
    m->log_rows = log((double)m->rows);
    rows_weigh(m, y, weight);
    m->r = (struct tamis_mix_rows){at,      m->count[k] > 0 ? k + 1 : k, m->from, m->keep,
                                   m->least, weight ? m->weight : NULL};
    memset(m->x, 0, m->room * m->columns * sizeof *m->x);
    for (size_t c = 0; c < m->columns; c++)
        for (size_t n = 0; n < m->rows; n++) m->x[m->place[n] + at * c] = x[n + m->rows * c];
    for (size_t i = 0; i < m->inputs; i++) {
        m->log_m[i] = 0;
        for (size_t c = 0; m->set.mode == TAMIS_BACKGROUND && c < m->width[i]; c++)
            m->log_m[i] += tamis_mixture_log_background(m, m->first[i] + c);
    }
}

/* ---- background ---- */

struct background { double n, mean, ss, xi, kappa, h, beta_min, alpha, g; };

/* log of p(tau) p(column | tau), the mean and beta integrated out, times tau: a density of log tau, up to terms without
 * tau. */
static double background_at(const struct background *b, double log_tau)
{
    double tau = exp(log_tau), nt = b->n * tau, shape = b->g + b->alpha;
    double fit = tau * b->ss + b->kappa * nt / (b->kappa + nt) * (b->mean - b->xi) * (b->mean - b->xi);
    return 0.5 * b->n * log_tau + 0.5 * log(b->kappa / (b->kappa + nt)) - 0.5 * fit + b->alpha * log_tau -
           shape * log(b->h + tau) + tamis_log_gamma_tail(shape, (b->h + tau) * b->beta_min);
}

/* Trapezoidal rule in log tau, from the top outwards until nothing is added: the integrand is smooth and falls fast. */
static double background_integral(const struct background *b)
{
    double top = -INFINITY, at = 0, sum = 0, step;
    for (double y = -60; y <= 80; y += 1) {
        double value = background_at(b, y);
        if (value > top) top = value, at = y;
    }
    step = 0.5 / sqrt(b->n + 1);
    for (int side = -1; side <= 1; side += 2)
        for (long k = side < 0; k < 1000000; k++) {
            double term = exp(background_at(b, at + side * (double)k * step) - top);
            sum += term;
            if (term < 1e-18 * (1 + sum) && (double)k * step > 2) break;
        }
    return top + log(sum * step);
}

double tamis_mixture_log_background(const struct tamis_mixture *m, size_t c)
{
    const double *x = m->x + m->r.n * c;
    struct background b = {m->total, 0, 0, m->xi[c], m->kappa[c], m->h[c], m->beta_min[c], m->set.alpha, m->set.g};
    for (size_t n = 0; n < m->rows; n++) b.mean += tamis_weight_at(m->r.weight, m->place[n]) * x[m->place[n]] / b.n;
    for (size_t n = 0; n < m->rows; n++) {
        double z = x[m->place[n]] - b.mean;
        b.ss += tamis_weight_at(m->r.weight, m->place[n]) * (z * z);
    }
    return background_integral(&b) - 0.5 * b.n * log(2 * M_PI) + b.g * log(b.h) - tamis_log_gamma(b.g) -
           tamis_log_gamma(b.alpha) + tamis_log_gamma(b.g + b.alpha) - m->log_tail[c];
}

/* ---- the size of the set ---- */

double tamis_mixture_log_size(const struct tamis_mixture *m, size_t size)
{
    double sum = -INFINITY;
    for (size_t i = 0; i <= m->set.most; i++)
        sum = tamis_log_add(sum, (double)i * log(m->set.lambda) - tamis_log_gamma((double)i + 1));
    return size > m->set.most ? -INFINITY : (double)size * log(m->set.lambda) - tamis_log_gamma((double)size + 1) - sum;
}

double tamis_mixture_expected_size(const struct tamis_mixture *m, double lambda)
{
    double term = 1, sum = 1, mean = 0;
    for (size_t i = 1; i <= m->set.most && term > 1e-300; i++) {
        term *= lambda / (double)i;
        sum += term;
        mean += term * (double)i;
    }
    return mean / sum;
}
