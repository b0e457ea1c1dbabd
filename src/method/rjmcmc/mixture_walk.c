/* Moves within a subset.
 *
 * renew   at heat 0 the target is the prior: the whole state is drawn again.
 * gibbs   the full conditionals of [1] eq. 3, after drawing allocations z and the classes of rows without one. They are
 *         exact where the target is the joint density: background mode at heat 1. Each copy of a row of whole weight
 *         has its own z; rows of other weights have none, and the other moves do without.
 * scales  beta_i ~ Ga(g + D alpha, h_i + sum_d tau_di), above beta_min_i.
 * drift   Hamiltonian Monte Carlo (S. Duane et al., Hybrid Monte Carlo, Phys. Lett. B 195, 1987) on mu, log tau, w and
 *         P at once, for any likelihood and heat. Weights are w_kd = u_kd / sum_d u_kd with u_kd ~ Ga(1): the sums are
 *         independent of the weights and drawn afresh.
 * stretch multiplies all precisions by one factor, betas drawn from their conditional:
 *         t dE + sum_i log p(c tau_i) - log p(tau_i) + D log c.
 *
 * With r_nd the share of kernel d in row n given its class, and a_nd = r_nd - v_d e_nd / s_n (conditional) or r_nd
 * (background),
 *     dE/dmu_di = tau_di sum_n a_nd (x_ni - mu_di),   dE/dlog tau_di = 1/2 sum_n a_nd (1 - tau_di (x_ni - mu_di)^2),
 *     dE/dlog w_kd = sum_{n: t_n = k} r_nd - P_k w_kd sum_n e_nd / s_n (the second term in conditional mode), and so on
 *     for P. */
#include <float.h>
#include <math.h>
#include <string.h>
#include "base/rng_dist.h"
#include "method/rjmcmc/mixture_target.h"

enum { STEPS = 5 };
static const double largest_scale = 1.5, jitter = 2;

void tamis_mixture_accepted(void *state, struct tamis_rng *rng) { (void)state, (void)rng; }

double tamis_mixture_renew(void *state, double heat, double scale, struct tamis_rng *rng)
{
    (void)scale;
    if (heat > 0) return NAN;
    tamis_mixture_state_prior(state, rng);
    return INFINITY;
}

double tamis_mixture_scales(void *state, double heat, double scale, struct tamis_rng *rng)
{
    struct tamis_mixture_state *s = state;
    (void)scale;
    for (size_t i = 0; i < s->size; i++) {
        s->visits[s->list[i]] += heat;
        tamis_mixture_draw_betas(s, s->list[i], rng);
    }
    return INFINITY;
}

/* ---- gibbs ---- */

/* The class of a row without one, given its kernel z: P_c w_cz. */
static size_t class_given(struct tamis_mixture_state *s, size_t z, struct tamis_rng *rng)
{
    double *given = s->sum;
    for (size_t c = 0; c < s->mix->classes; c++) given[c] = s->p[c] * s->w[z + s->mix->set.kernels * c];
    return tamis_rng_categorical(rng, s->mix->classes, given);
}

/* share becomes the allocations: how many copies of the row have drawn the kernel; counts of kernels by class (D x K)
 * and of classes are added up. */
static void allocate(struct tamis_mixture_state *s, double *by_class, double *classes, struct tamis_rng *rng)
{
    const struct tamis_mixture *m = s->mix;
    size_t n = m->r.n, kernels = m->set.kernels;
    double weight[64];
    for (size_t k = 0; k < m->r.ranges; k++)
        for (size_t i = m->from[k]; i < m->from[k + 1]; i++) {
            if (!(m->keep[i] > 0)) continue;
            for (size_t d = 0; d < kernels; d++) weight[d] = s->share[i + n * d], s->share[i + n * d] = 0;
            for (double copies = m->weight[i]; copies > 0; copies--) {
                size_t z = tamis_rng_categorical(rng, kernels, weight);
                size_t c = k == m->classes ? class_given(s, z, rng) : k;
                s->share[i + n * z]++;
                by_class[z + kernels * c]++;
                classes[c]++;
            }
        }
}

/* tau given mu, then mu given tau, of one column. */
static void gibbs_column(struct tamis_mixture_state *s, size_t c, struct tamis_rng *rng)
{
    const struct tamis_mixture *m = s->mix;
    size_t d = m->set.kernels;
    double *mu = s->mu + d * c, *tau = s->tau + d * c;
    tamis_mix_moments(m->r.n, d, s->share, m->x + m->r.n * c, s->total, 3, s->sum, s->sum + 1, s->sum + 2);
    for (size_t k = 0; k < d; k++) {
        const double *sum = s->sum + 3 * k;
        double squares = sum[2] - 2 * mu[k] * sum[1] + mu[k] * mu[k] * sum[0];
        tau[k] = tamis_rng_gamma(rng, m->set.alpha + 0.5 * sum[0]) / (s->beta[c] + 0.5 * fmax(squares, 0));
    }
    tamis_mixture_draw_means(m, c, s->sum, 1, tau, mu, rng);
}

double tamis_mixture_gibbs(void *state, double heat, double scale, struct tamis_rng *rng)
{
    struct tamis_mixture_state *s = state;
    const struct tamis_mixture *m = s->mix;
    size_t d = m->set.kernels;
    (void)scale;
    if (m->set.mode != TAMIS_BACKGROUND || heat != 1 || !m->whole) return NAN;
    double *by_class = s->grown, *classes = s->grown + d * m->classes;
    memset(s->grown, 0, (d + 1) * m->classes * sizeof *s->grown);
    tamis_mix_shares(&m->r, d, s->w, s->v, m->classes, &s->now, s->share);
    allocate(s, by_class, classes, rng);
    tamis_mix_totals(m->r.n, d, s->share, s->total);
    for (size_t i = 0; i < s->size; i++)
        for (size_t c = m->first[s->list[i]]; c < m->first[s->list[i]] + m->width[s->list[i]]; c++)
            gibbs_column(s, c, rng);
    for (size_t k = 0; k < m->classes; k++) tamis_rng_dirichlet(rng, d, 1, by_class + d * k, s->w + d * k);
    tamis_rng_dirichlet(rng, m->classes, 1, classes, s->p);
    tamis_mixture_state_settle(s);
    return INFINITY;
}

/* ---- drift ---- */

static size_t weights(const struct tamis_mixture *m) { return (m->set.kernels + 1) * m->classes; }

/* Candidate weights from their u: new_w, new_p, new_v. */
static void weights_from(struct tamis_mixture_state *s, const double *u)
{
    const struct tamis_mixture *m = s->mix;
    size_t d = m->set.kernels;
    for (size_t k = 0; k <= m->classes; k++, u += d) {
        size_t n = k < m->classes ? d : m->classes;
        double *to = k < m->classes ? s->new_w + d * k : s->new_p, sum = 0;
        for (size_t i = 0; i < n; i++) sum += u[i];
        for (size_t i = 0; i < n; i++) to[i] = u[i] / sum > DBL_MIN ? u[i] / sum : DBL_MIN;
    }
    tamis_mixture_total(m, s->new_w, s->new_p, s->new_v);
}

/* All coordinates, with the filling. */
static size_t coordinates(const struct tamis_mixture_state *s)
{
    return 2 * s->cell.n + tamis_mix_filled(weights(s->mix));
}

static void cells_start(struct tamis_mixture_state *s)
{
    const struct tamis_mixture *m = s->mix;
    size_t d = m->set.kernels, i = 0;
    s->cell.n = tamis_mix_filled(d * tamis_mixture_columns(s));
    for (size_t c = 0; c < s->columns; c++) {
        size_t column = s->column[c];
        for (size_t k = 0; k < d; k++, i++) {
            s->y[i] = s->mu[k + d * column];
            s->grown[i] = s->tau[k + d * column];
            s->cell.xi[i] = m->xi[column];
            s->cell.kappa[i] = m->kappa[column];
            s->cell.beta[i] = s->beta[column];
        }
    }
    for (; i < s->cell.n; i++) {
        s->y[i] = s->cell.xi[i] = s->cell.kappa[i] = s->cell.beta[i] = s->cell.all[i] = s->cell.first[i] =
            s->cell.second[i] = 0;
        s->grown[i] = 1;
    }
}

void tamis_mixture_candidate_start(struct tamis_mixture_state *s, struct tamis_rng *rng)
{
    const struct tamis_mixture *m = s->mix;
    cells_start(s);
    size_t d = m->set.kernels, wide = s->cell.n;
    double *u = s->grown + wide;
    for (size_t k = 0; k <= m->classes; k++, u += d) {                          /* fresh sums */
        size_t n = k < m->classes ? d : m->classes;
        const double *from = k < m->classes ? s->w + d * k : s->p;
        double sum = tamis_rng_gamma(rng, (double)n);
        for (size_t i = 0; i < n; i++) u[i] = from[i] * sum > DBL_MIN ? from[i] * sum : DBL_MIN;
    }
    for (size_t i = 2 * wide + weights(m); i < coordinates(s); i++) s->grown[i - wide] = 1;
    tamis_mix_log_any(coordinates(s) - wide, s->grown, s->y + wide);
}

/* Log prior of the candidate, in its coordinates; grown, new_w, new_v, new_p on the way. */
static double candidate_prior(struct tamis_mixture_state *s)
{
    size_t wide = s->cell.n;
    const double *log_u = s->y + 2 * wide, *u = s->grown + wide;
    double sum = 0;
    tamis_mix_exp_any(coordinates(s) - wide, s->y + wide, s->grown);
    for (size_t i = 0; i < weights(s->mix); i++) sum += log_u[i] - u[i];
    weights_from(s, u);
    return sum + tamis_mix_cells_prior(&s->cell, s->mix->set.alpha, s->y, s->y + wide, s->grown);
}

static void candidate_energy(struct tamis_mixture_state *s)
{
    const struct tamis_mixture *m = s->mix;
    size_t d = m->set.kernels, columns = s->columns;
    double *level = s->sum;
    for (size_t k = 0; k < d; k++) level[k] = 0;
    for (size_t c = 0; c < columns; c++)
        for (size_t k = 0; k < d; k++) level[k] += 0.5 * s->y[s->cell.n + d * c + k];
    tamis_mix_levels(m->r.n, d, columns, s->column, m->x, s->y, s->grown, level, s->next.l);
    s->next_energy = tamis_mixture_energy(s, &s->next, s->new_w, s->new_v, s->new_p, columns, tamis_mixture_sum_m(s));
}

double tamis_mixture_candidate_level(struct tamis_mixture_state *s, double heat)
{
    double prior = candidate_prior(s);
    candidate_energy(s);
    return (heat > 0 ? heat * s->next_energy : 0) + prior;
}

/* dE/dlog u of weights p = u / sum u from g_i = dE/dlog p_i. */
static void through_sum(size_t n, const double *p, double heat, const double *u, double *g)
{
    double all = 0;
    for (size_t i = 0; i < n; i++) all += g[i];
    for (size_t i = 0; i < n; i++) g[i] = heat * (g[i] - p[i] * all) + 1 - u[i];
}

/* From the sums of contrast: own (D x ranges), all (D). */
static void weights_gradient(struct tamis_mixture_state *s, const double *own, double *all, double heat,
                             const double *u, double *g)
{
    const struct tamis_mixture *m = s->mix;
    size_t d = m->set.kernels, k = m->classes;
    double *gp = g + d * k;
    for (size_t c = 0; c < d && m->r.ranges > k; c++)
        all[c] -= own[c + d * k] / fmax(s->new_v[c], DBL_MIN); /* rows without a class: v e / s */
    for (size_t i = 0; i < k; i++) {
        gp[i] = m->count[i];
        for (size_t c = 0; c < d; c++) {
            double shared = s->new_p[i] * s->new_w[c + d * i] * all[c];
            g[c + d * i] = own[c + d * i] - shared;
            gp[i] -= shared;
        }
    }
    for (size_t i = 0; i < k; i++) through_sum(d, s->new_w + d * i, heat, u + d * i, g + d * i);
    through_sum(k, s->new_p, heat, u + d * k, gp);
}

/* sum_n a_nd from the sums of contrast */
static void contrast_totals(const struct tamis_mixture_state *s, const double *own, const double *all, double *total)
{
    size_t d = s->mix->set.kernels;
    for (size_t k = 0; k < d; k++) {
        total[k] = -s->new_v[k] * all[k];
        for (size_t i = 0; i < s->mix->r.ranges; i++) total[k] += own[k + d * i];
    }
}

void tamis_mixture_candidate_gradient(struct tamis_mixture_state *s, const struct tamis_mix *q, double heat)
{
    const struct tamis_mixture *m = s->mix;
    size_t d = m->set.kernels, wide = s->cell.n;
    double *own = s->sums, *all = own + d * (m->classes + 1), *total = s->total;
    tamis_mix_contrast(&m->r, d, s->new_w, s->new_v, m->classes, q, m->set.mode == TAMIS_BACKGROUND, s->share, own,
                       all);
    s->shares_known = 0;
    contrast_totals(s, own, all, total);
    weights_gradient(s, own, all, heat, s->grown + wide, s->slope + 2 * wide);
    for (size_t c = 0; c < s->columns; c++)
        tamis_mix_moments(m->r.n, d, s->share, m->x + m->r.n * s->column[c], total, 1, s->cell.all + d * c,
                          s->cell.first + d * c, s->cell.second + d * c);
    tamis_mix_cells_slope(&s->cell, m->set.alpha, heat, s->y, s->grown, s->slope, s->slope + wide);
}

/* Scales from what does not change in a drift: precisions are of order t = alpha / beta, distances of order R =
 * kappa^-1/2. A step of 1 in mu changes l by t R, one in log tau by t R^2 / 2, and about 1 / (t R) of the rows lie
 * where two kernels meet and feel it. */
static void pace_set(struct tamis_mixture_state *s, double heat, double step)
{
    const struct tamis_mixture *m = s->mix;
    size_t d = m->set.kernels, wide = s->cell.n, last = 2 * wide + weights(m);
    double rows = (0.1 * heat + 1e-4) * m->total / (double)d;
    for (size_t c = 0; c < s->columns; c++) {
        double t = m->set.alpha / s->beta[s->column[c]], kappa = m->kappa[s->column[c]], range = 1 / sqrt(kappa);
        double of_mu = step / sqrt(kappa + rows * t * (1 + range)),
               of_tau = step / sqrt(m->set.alpha + rows * (1 + 0.12 * t * range * range * range));
        for (size_t k = d * c; k < d * (c + 1); k++) s->pace[k] = of_mu, s->pace[wide + k] = of_tau;
    }
    for (size_t i = d * s->columns; i < wide; i++) s->pace[i] = s->pace[wide + i] = 0;
    for (size_t i = 2 * wide; i < coordinates(s); i++) s->pace[i] = i < last ? step : 0;
}

static void momentum_draw(struct tamis_mixture_state *s, struct tamis_rng *rng)
{
    for (size_t i = 0; i < coordinates(s); i++) s->momentum[i] = s->pace[i] > 0 ? tamis_rng_ziggurat(rng) : 0;
    for (size_t i = 2 * s->cell.n + weights(s->mix); i < coordinates(s); i++) s->slope[i] = 0;
}

/* next.l of a stretch: what is not log tau is multiplied. */
static void stretch_rows(struct tamis_mixture_state *s, double factor, double step)
{
    const struct tamis_mixture *m = s->mix;
    size_t n = m->r.n, d = m->set.kernels, columns = s->columns;
    double *tau = s->y;
    for (size_t k = 0; k < d; k++) {
        for (size_t c = 0; c < columns; c++) tau[c] = s->tau[k + d * s->column[c]];
        double level = 0.5 * tamis_mix_log_product(columns, tau);
        tamis_mix_stretch(n, s->now.l + n * k, factor, level * (1 - factor) + 0.5 * step * (double)columns,
                          s->next.l + n * k);
    }
}

/* All precisions of all inputs by one factor: kernels meet at nearly the same places, but more or less sharply. */
double tamis_mixture_stretch(void *state, double heat, double scale, struct tamis_rng *rng)
{
    struct tamis_mixture_state *s = state;
    const struct tamis_mixture *m = s->mix;
    size_t d = m->set.kernels;
    double step = tamis_rng_ziggurat(rng) * (tamis_rng_uniform(rng) < 0.5 ? 0.5 : 2.5), factor = exp(step), ratio = 0;
    (void)scale;
    if (!s->size) return NAN;
    for (size_t i = 0; i < tamis_mixture_columns(s); i++) {
        size_t c = s->column[i];
        for (size_t k = d * c; k < d * (c + 1); k++) {
            s->tau2[k] = s->tau[k] * factor;
            if (!(s->tau2[k] > 1e-280 && s->tau2[k] < 1e280)) return -INFINITY;
        }
        s->y[i] = tamis_mixture_rate_scaled(m, c, s->tau + d * c, factor, &ratio);
    }
    ratio += (double)(d * s->columns) * step + tamis_mixture_log_scaled(m, s->columns, s->y, step);
    stretch_rows(s, factor, step);
    s->next_energy = tamis_mixture_energy(s, &s->next, s->w, s->v, s->p, s->columns, tamis_mixture_sum_m(s));
    return ratio + (heat > 0 ? heat * (s->next_energy - s->energy) : 0);
}

void tamis_mixture_accept_stretch(void *state, struct tamis_rng *rng)
{
    struct tamis_mixture_state *s = state;
    const struct tamis_mixture *m = s->mix;
    size_t d = m->set.kernels;
    for (size_t i = 0; i < s->size; i++) {
        size_t at = d * m->first[s->list[i]];
        memcpy(s->tau + at, s->tau2 + at, d * m->width[s->list[i]] * sizeof *s->tau);
        tamis_mixture_draw_betas(s, s->list[i], rng);
    }
    tamis_mixture_take_next(s);
}

/* To where accept_drift expects the candidate. */
static void candidate_spread(struct tamis_mixture_state *s)
{
    size_t d = s->mix->set.kernels;
    for (size_t c = 0; c < s->columns; c++) {
        memcpy(s->mu2 + d * s->column[c], s->y + d * c, d * sizeof *s->mu2);
        memcpy(s->tau2 + d * s->column[c], s->grown + d * c, d * sizeof *s->tau2);
    }
}

double tamis_mixture_drift(void *state, double heat, double scale, struct tamis_rng *rng)
{
    struct tamis_mixture_state *s = state;
    double level = 0, step = fmin(scale, largest_scale) * exp(jitter * (tamis_rng_uniform(rng) - 0.7));
    tamis_mixture_candidate_start(s, rng);
    pace_set(s, heat, step);
    momentum_draw(s, rng);
    size_t n = coordinates(s);
    double before = candidate_prior(s) + (heat > 0 ? heat * s->energy : 0) -
                    0.5 * tamis_mix_dot(n, s->momentum, s->momentum);
    tamis_mixture_candidate_gradient(s, &s->now, heat);
    for (int i = 0; i < STEPS; i++) {
        tamis_mix_leap(n, i ? 1 : 0.5, s->pace, s->slope, s->momentum, s->y);
        level = tamis_mixture_candidate_level(s, heat);
        if (!isfinite(level)) return -INFINITY;
        tamis_mixture_candidate_gradient(s, &s->next, heat);
    }
    candidate_spread(s);
    level -= tamis_mix_kinetic(n, s->pace, s->slope, s->momentum) + before;
    return isnan(level) ? -INFINITY : level;
}

void tamis_mixture_accept_drift(void *state, struct tamis_rng *rng)
{
    struct tamis_mixture_state *s = state;
    const struct tamis_mixture *m = s->mix;
    size_t d = m->set.kernels;
    (void)rng;
    for (size_t i = 0; i < s->size; i++) {
        size_t at = d * m->first[s->list[i]], bytes = d * m->width[s->list[i]] * sizeof *s->mu;
        memcpy(s->mu + at, s->mu2 + at, bytes);
        memcpy(s->tau + at, s->tau2 + at, bytes);
    }
    memcpy(s->w, s->new_w, d * m->classes * sizeof *s->w);
    memcpy(s->v, s->new_v, d * sizeof *s->v);
    memcpy(s->p, s->new_p, m->classes * sizeof *s->p);
    tamis_mixture_take_next(s);
}

const struct tamis_mcmc_move tamis_mixture_moves[] = {
    {"renew", 1, 0, 0, tamis_mixture_renew, tamis_mixture_accepted, 1},
    {"gibbs", 1, 0, 0, tamis_mixture_gibbs, tamis_mixture_accepted},
    {"scales", 1, 0, 0, tamis_mixture_scales, tamis_mixture_accepted},
    {"drift", 0.5, 0, 0.8, tamis_mixture_drift, tamis_mixture_accept_drift},
    {"redraw", 0.5, 0, 0, tamis_mixture_redraw, tamis_mixture_accept_jump},
    {"rescale", 1, 0, 0, tamis_mixture_rescale, tamis_mixture_accept_jump},
    {"stretch", 1, 0, 0, tamis_mixture_stretch, tamis_mixture_accept_stretch},
    {"kernel", 2, 0, 0, tamis_mixture_kernel, tamis_mixture_accept_kernels},
    {"cross", 1, 0, 0, tamis_mixture_cross, tamis_mixture_accept_kernels},
    {"trade", 2, 0, 0, tamis_mixture_trade, tamis_mixture_accept_trade},
    {"birth", 0, 1, 0, tamis_mixture_birth, tamis_mixture_accept_jump},
    {"death", 0, 1, 0, tamis_mixture_death, tamis_mixture_accept_jump},
    {"exchange", 0, 0.3, 0, tamis_mixture_exchange, tamis_mixture_accept_jump},
    {"carry", 0, 0.1, 0, tamis_mixture_carry, tamis_mixture_accept_carry},
    {"inherit", 0, 2, 0, tamis_mixture_inherit, tamis_mixture_accept_jump},
    {NULL, 0, 0, 0, NULL, NULL}};

/* In background mode gibbs is [1] eq. 3; in conditional mode, where no full conditional is known, drift and redraw
 * stand for it. carry (background) and exchange are eq. 6, with precisions kept or new. */
const struct tamis_mcmc_move tamis_mixture_published_moves[] = {
    {"gibbs", 1, 0, 0, tamis_mixture_gibbs, tamis_mixture_accepted},
    {"scales", 1, 0, 0, tamis_mixture_scales, tamis_mixture_accepted},
    {"drift", 1, 0, 0.8, tamis_mixture_drift, tamis_mixture_accept_drift},
    {"redraw", 1, 0, 0, tamis_mixture_redraw, tamis_mixture_accept_jump},
    {"birth", 0, 1, 0, tamis_mixture_birth, tamis_mixture_accept_jump},
    {"death", 0, 1, 0, tamis_mixture_death, tamis_mixture_accept_jump},
    {"exchange", 0, 0.5, 0, tamis_mixture_exchange, tamis_mixture_accept_jump},
    {"carry", 0, 0.5, 0, tamis_mixture_carry, tamis_mixture_accept_carry},
    {NULL, 0, 0, 0, NULL, NULL}};
