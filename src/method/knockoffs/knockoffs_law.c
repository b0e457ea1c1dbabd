/* The joint law of the inputs: a Gaussian copula fitted to their ranks.
 *
 *     z_ij = Phi^-1((rank of x_ij - 1/2) / n)                                         of a column of many values
 *     Phi^-1(#{x_j < x_ij} / n) < z_ij < Phi^-1(#{x_j <= x_ij} / n)                   of a column of few
 *
 * Ranks, numbers of rows and Sigma count a row as often as its weight says. Sigma is the shrunk correlation of z
 * (num/shrink.c). With columns of few values it is found together with them [1]: a sweep draws each z_ij given the
 * others of its row, Sigma and its bounds; then Sigma comes from the mean of Z Z' / n over the sweeps so far.
 *
 * [1] P. D. Hoff, Extending the rank likelihood for semiparametric copula estimation, Annals of Applied Statistics 1
 * (2007). DIFFERS: Sigma is estimated instead of drawn. */
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include "method/knockoffs/knockoffs.h"
#include "num/cholesky.h"
#include "num/knockoff.h"
#include "num/lapack.h"
#include "num/order.h"
#include "num/tail.h"
#include "num/weighted.h"

enum { FIRST_SWEEPS = 10, SWEEPS = 40,          /* the first are not averaged */
       FEW = 4 };                               /* a column with fewer than n / FEW values has few */

/* ---- ranks ---- */

/* Rows order[from..to-1] have the same value; shares of the rows below it, and up to it. */
static void value_fill(struct knockoffs_law *law, size_t j, const size_t *order, size_t from, size_t to, double below,
                       double upto)
{
    double n = tamis_weight_sum(law->weight, law->n), middle = tamis_normal_quantile(0.5 * (below + upto) / n);
    for (size_t k = from; k < to; k++) {
        size_t at = j + law->d * order[k];
        law->z[at] = middle;
        if (!law->low) continue;
        law->low[at] = from ? tamis_normal_quantile(below / n) : -INFINITY;
        law->high[at] = to < law->n ? tamis_normal_quantile(upto / n) : INFINITY;
    }
}

/* The end of the rows with the same value as the one at `from`. */
static size_t value_end(const struct knockoffs_law *law, size_t j, const size_t *order, size_t from)
{
    const double *x = law->x + law->n * j;
    size_t to = from + 1;
    while (to < law->n && x[order[to]] == x[order[from]]) to++;
    return to;
}

static void order_fill(struct knockoffs_law *law, size_t j, struct tamis_place *place)
{
    size_t *order = law->order + law->n * j, values = 0;
    for (size_t i = 0; i < law->n; i++) place[i] = (struct tamis_place){law->x[i + law->n * j], i};
    qsort(place, law->n, sizeof *place, tamis_by_place);
    for (size_t i = 0; i < law->n; i++) order[i] = place[i].i;
    for (size_t from = 0; from < law->n; from = value_end(law, j, order, from)) values++;
    law->tied[j] = FEW * values < law->n;
    law->ties += law->tied[j];
}

static int scores_fill(struct knockoffs_law *law)
{
    struct tamis_place *place = tamis_raw(law->cx, struct tamis_place, law->n);
    for (size_t j = 0; place && j < law->d; j++) order_fill(law, j, place);
    tamis_free(place);
    if (!tamis_status(law->cx) && law->ties) {
        law->low = tamis_raw(law->cx, double, law->n * law->d);
        law->high = tamis_raw(law->cx, double, law->n * law->d);
    }
    if (tamis_status(law->cx)) return tamis_status(law->cx);
    for (size_t j = 0; j < law->d; j++) {
        const size_t *order = law->order + law->n * j;
        double below = 0, upto = 0;
        for (size_t from = 0, to; from < law->n; from = to, below = upto) {
            to = value_end(law, j, order, from);
            for (size_t k = from; k < to; k++) upto += tamis_weight_at(law->weight, order[k]);
            value_fill(law, j, order, from, to, below, upto);
        }
    }
    return TAMIS_OK;
}

/* ---- columns of few values ---- */

static double normal_share(double x) { return 0.5 * erfc(-x * M_SQRT1_2); }

/* N(mean, sd^2) between two bounds, of which at least one is finite; drawn in the lower tail, where shares are
 * exact. */
static double draw_between(struct tamis_rng *g, double mean, double sd, double low, double high)
{
    double a = (low - mean) / sd, b = (high - mean) / sd, sign = a > 0 ? -1 : 1, from = sign > 0 ? a : -b,
           to = sign > 0 ? b : -a;
    double share = normal_share(from), width = normal_share(to) - share, u = share + tamis_rng_uniform(g) * width;
    if (!(u > 1e-300) || !(width > 0)) return isinf(low) ? high : low;
    double x = mean + sign * sd * tamis_normal_quantile(fmin(u, 1 - 1e-16));
    return fmin(fmax(x, low), high);
}

int knockoffs_latent_sweep(const struct knockoffs_law *law, struct tamis_rng *g, double *z)
{
    size_t d = law->d;
    const double *p = law->precision;
    double *pull = tamis_raw(law->cx, double, d);
    for (size_t i = 0; pull && i < law->n; i++) {
        double *row = z + d * i;
        tamis_symv(d, 1, p, d, row, pull);                              /* P z */
        for (size_t j = 0; j < d; j++) {
            if (!law->tied[j]) continue;
            double mean = row[j] - pull[j] / p[j + d * j], before = row[j];
            row[j] = draw_between(g, mean, 1 / sqrt(p[j + d * j]), law->low[j + d * i], law->high[j + d * i]);
            tamis_axpy(d, row[j] - before, p + d * j, pull);
        }
    }
    tamis_free(pull);
    return tamis_status(law->cx);
}

static int precision_fill(struct knockoffs_law *law, double *scratch)
{
    size_t d = law->d;
    memcpy(scratch, law->sigma, d * d * sizeof *scratch);
    memset(law->precision, 0, d * d * sizeof *scratch);
    for (size_t j = 0; j < d; j++) law->precision[j + d * j] = 1;
    if (tamis_cholesky(CblasLower, d, scratch, d))
        return tamis_fail(law->cx, TAMIS_NUMERIC, "knockoffs: the correlation of the inputs is not positive definite");
    tamis_cholesky_solve(d, scratch, d, d, law->precision, d);
    return TAMIS_OK;
}

/* Sums of products of scores over the sweeps, and what their shrinking needs. */
struct moments { double *sum, fourth; size_t count; };

static void moments_add(const struct knockoffs_law *law, struct moments *m, double *work)
{
    if (!m->count) m->fourth = 0;
    tamis_shrink_add(law->d, law->n, law->weight, law->z, m->count ? 1 : 0, m->sum, &m->fourth, work);
    m->count++;
}

static void moments_take(struct knockoffs_law *law, const struct moments *m)
{
    size_t d = law->d;
    for (size_t i = 0; i < d * d; i++) law->sigma[i] = m->sum[i] / (double)m->count;
    law->lambda = tamis_shrink_weight(d, law->n, law->weight, law->sigma, m->fourth / (double)m->count);
    if (law->lambda > law->most) law->lambda = law->most;
    tamis_correlate(d, law->lambda, law->sigma);
}

static int sweeps_run(struct knockoffs_law *law, uint64_t seed, double *scratch, double *work)
{
    struct moments m = {tamis_raw(law->cx, double, law->d *law->d), 0, 0};
    struct tamis_rng g;
    int status = m.sum ? TAMIS_OK : tamis_status(law->cx);
    tamis_rng_init(&g, seed, TAMIS_RNG_KNOCKOFFS, 0);
    for (size_t k = 0; k < SWEEPS && !status; k++) {
        status = precision_fill(law, scratch);
        if (!status) status = knockoffs_latent_sweep(law, &g, law->z);
        if (!status) status = tamis_check_cancel(law->cx);
        if (status) break;
        if (k <= FIRST_SWEEPS) m.count = 0;
        moments_add(law, &m, work);
        moments_take(law, &m);
    }
    tamis_free(m.sum);
    return status ? status : precision_fill(law, scratch);
}

/* ---- making it ---- */

static int distance_fill(struct knockoffs_law *law, double *work)
{
    size_t d = law->d;
    law->equal = tamis_knockoff_mvr(d, law->sigma, law->s, work) != 0;
    if ((law->equal && tamis_knockoff_equal(d, law->sigma, law->s, work)) ||
        tamis_knockoff_law(d, law->sigma, law->s, law->b, law->l, work))
        return tamis_fail(law->cx, TAMIS_NUMERIC, "knockoffs: some inputs are too alike; --ignore copies");
    return TAMIS_OK;
}

/* The first correlation, of the scores as they are. */
static void sigma_fill(struct knockoffs_law *law, double *work)
{
    double fourth = 0;
    size_t d = law->d, n = law->n;
    tamis_shrink_add(d, n, law->weight, law->z, 0, law->sigma, &fourth, work);
    law->lambda = fmin(tamis_shrink_weight(d, n, law->weight, law->sigma, fourth), law->most);
    tamis_correlate(d, law->lambda, law->sigma);
}

int knockoffs_law_fit(tamis_context *cx, size_t n, size_t d, const double *x, const double *weight, double most,
                      uint64_t seed, struct knockoffs_law *law)
{
    *law = (struct knockoffs_law){.cx = cx, .n = n, .d = d, .x = x, .weight = weight, .most = most};
    double *work = tamis_raw(cx, double, d * d), *weighed = weight ? tamis_raw(cx, double, n * d) : NULL;
    law->order = tamis_raw(cx, size_t, n * d);
    law->tied = tamis_new(cx, unsigned char, d);
    law->z = tamis_raw(cx, double, n * d);
    law->sigma = tamis_raw(cx, double, d * d);
    law->precision = tamis_raw(cx, double, d * d);
    int status = tamis_status(cx) ? tamis_status(cx) : scores_fill(law);
    if (!status) sigma_fill(law, weighed);
    if (!status) status = law->ties ? sweeps_run(law, seed, work, weighed) : precision_fill(law, work);
    tamis_free(work);
    tamis_free(weighed);
    return status;
}

int knockoffs_law_make(tamis_context *cx, size_t n, size_t d, const double *x, const double *weight, uint64_t seed,
                       struct knockoffs_law *law)
{
    int status = knockoffs_law_fit(cx, n, d, x, weight, 1, seed, law);
    double *work = tamis_raw(cx, double, 2 * d * d);
    law->s = tamis_raw(cx, double, d);
    law->b = tamis_raw(cx, double, d * d);
    law->l = tamis_raw(cx, double, d * d);
    if (!status) status = tamis_status(cx) ? tamis_status(cx) : distance_fill(law, work);
    tamis_free(work);
    return status;
}

void knockoffs_law_free(struct knockoffs_law *law)
{
    void *all[] = {law->order, law->tied,      law->low, law->high, law->z,
                   law->sigma, law->precision, law->s,   law->b,    law->l};
    for (size_t i = 0; i < sizeof all / sizeof *all; i++) tamis_free(all[i]);
}

double knockoffs_law_bytes(size_t n, size_t d)
{
    return 8 * (4 * (double)n * (double)d + 8 * (double)d * (double)d);
}
