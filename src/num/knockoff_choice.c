/* From the statistics W of knockoffs to sets of inputs: the threshold of knockoff+ [1], and many draws joined by
 * e-values [2].
 *
 * [1] R. F. Barber, E. Candes, Controlling the false discovery rate via knockoffs, Annals of Statistics 43 (2015).
 * [2] Z. Ren, R. F. Barber, Derandomised knockoffs: leveraging e-values for false discovery rate control, JRSS B 86
 * (2024), eqs. 6 to 9.
 * [3] R. Wang, A. Ramdas, False discovery rate control with e-values, JRSS B 84 (2022). */
#include <math.h>
#include "num/knockoff.h"

struct counts { double above, below; };         /* #{W >= t}, #{W <= -t} */

static struct counts count(size_t d, const double *w, double t)
{
    struct counts c = {0, 0};
    for (size_t j = 0; j < d; j++) c.above += w[j] >= t, c.below += w[j] <= -t;
    return c;
}

static int passes(struct counts c, double q) { return 1 + c.below <= q * fmax(1, c.above) * (1 + 1e-12); }

double tamis_knockoff_threshold(size_t d, const double *w, double q)
{
    double best = INFINITY;
    for (size_t j = 0; j < d; j++) {
        double t = fabs(w[j]);
        if (t > 0 && t < best && passes(count(d, w, t), q)) best = t;
    }
    return best;
}

/* The least |W| with fewer than 1 / q inputs at or above it. */
static double early_threshold(size_t d, const double *w, double q)
{
    double best = INFINITY;
    for (size_t j = 0; j < d; j++) {
        double t = fabs(w[j]);
        if (t > 0 && t < best && q * count(d, w, t).above * (1 + 1e-12) < 1) best = t;
    }
    return best;
}

void tamis_knockoff_e_values(size_t d, const double *w, double q, double *e)
{
    double t = fmin(tamis_knockoff_threshold(d, w, q), early_threshold(d, w, q));
    if (isinf(t)) return;
    double value = (double)d / (1 + count(d, w, t).below);
    for (size_t j = 0; j < d; j++) e[j] += w[j] >= t ? value : 0;
}

/* The least e whose rank k, counting all that are as large, has e >= d / (q k); what is chosen depends on the e-values
 * alone, not on the order of the inputs. */
size_t tamis_e_bh(size_t d, const double *e, double q, unsigned char *set)
{
    double least = INFINITY;
    size_t chosen = 0;
    for (size_t j = 0; j < d; j++)
        if (e[j] < least && q * e[j] * count(d, e, e[j]).above >= (double)d * (1 - 1e-12)) least = e[j];
    for (size_t j = 0; j < d; j++) chosen += set[j] = e[j] >= least;
    return chosen;
}
