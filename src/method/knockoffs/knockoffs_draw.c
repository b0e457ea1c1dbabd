/* Knockoffs of all rows: z~ given z, and back to values by rank, so that a column of knockoffs has exactly the values
 * of its original: Q_j(Phi(z~)) with Q_j the empirical quantile function, and Phi as far as n draws of z~ say. */
#include <stdlib.h>
#include <string.h>
#include "base/rng_dist.h"
#include "method/knockoffs/knockoffs.h"
#include "num/lapack.h"
#include "num/compare.h"
#include "num/order.h"
#include "num/weighted.h"

enum { SWEEPS = 5 };                            /* between draws, of scores that are known by their bounds only */

/* out = the values of column j in the order of z~_j: the one at the middle of a row's share of the weight. */
static void column_fill(const struct knockoffs_law *law, size_t j, const double *z, struct tamis_place *place,
                        double *out)
{
    const double *x = law->x + law->n * j;
    const size_t *order = law->order + law->n * j;
    for (size_t i = 0; i < law->n; i++) place[i] = (struct tamis_place){z[j + law->d * i], i};
    qsort(place, law->n, sizeof *place, tamis_by_place);
    double below = 0, upto = tamis_weight_at(law->weight, order[0]),
           slack = tamis_slack(tamis_weight_sum(law->weight, law->n), TAMIS_SUMMED);
    for (size_t k = 0, at = 0; k < law->n; k++) {
        double mine = tamis_weight_at(law->weight, place[k].i);
        while (at + 1 < law->n && upto <= below + 0.5 * mine + slack) upto += tamis_weight_at(law->weight, order[++at]);
        out[place[k].i] = x[order[at]];
        below += mine;
    }
}

/* z~ = B z + L noise, d x n */
static void scores_draw(const struct knockoffs_law *law, const double *z, struct tamis_rng *g, double *noise,
                        double *to)
{
    size_t d = law->d, n = law->n;
    for (size_t i = 0; i < n * d; i++) noise[i] = tamis_rng_ziggurat(g);
    tamis_gemm(PLAIN, PLAIN, d, n, d, 1, law->b, d, z, d, 0, to, d);
    tamis_gemm(PLAIN, PLAIN, d, n, d, 1, law->l, d, noise, d, 1, to, d);
}

int knockoffs_draw(const struct knockoffs_law *law, uint64_t seed, size_t draw, double *out)
{
    tamis_context *cx = law->cx;
    size_t n = law->n, d = law->d;
    struct tamis_rng g;
    double *z = tamis_raw(cx, double, n * d), *noise = tamis_raw(cx, double, n * d), *to = tamis_raw(cx, double, n * d);
    struct tamis_place *place = tamis_raw(cx, struct tamis_place, n);
    int status = tamis_status(cx);
    tamis_rng_init(&g, seed, TAMIS_RNG_KNOCKOFFS, (uint32_t)draw + 1);
    if (!status) memcpy(z, law->z, n * d * sizeof *z);
    for (int k = 0; law->ties && k < SWEEPS && !status; k++) status = knockoffs_latent_sweep(law, &g, z);
    if (!status) {
        scores_draw(law, z, &g, noise, to);
        for (size_t j = 0; j < d; j++) column_fill(law, j, to, place, out + n * j);
    }
    void *all[] = {z, noise, to, place};
    for (size_t i = 0; i < sizeof all / sizeof *all; i++) tamis_free(all[i]);
    return status;
}
