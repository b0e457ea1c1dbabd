/* Differences between the methods of a comparison, their tests, and what the folds could have told.
 *
 * In regression, the corrected resampled t test of the folds' errors (num/agreement.h); in classification, the exact
 * binomial test of the rows that only one of the two methods got wrong, from the first repeat only because later ones
 * see the same rows again.
 * [1] S. Holm, A simple sequentially rejective multiple test procedure, Scand. J. Statist. 6 (1979). */
#include <math.h>
#include <stdlib.h>
#include "select/comparison.h"
#include "num/agreement.h"
#include "num/density.h"

static double fold_test(tamis_context *cx, const struct tamis_comparison *x, size_t a, size_t b)
{
    size_t n = x->resample->trials;
    double *d = tamis_raw(cx, double, n), p;
    if (!d) return NAN;
    for (size_t k = 0; k < n; k++) d[k] = x->contender[a].trial[k].error - x->contender[b].trial[k].error;
    p = tamis_resampled_test(n, d, tamis_resample_ratio(x->resample));
    tamis_free(d);
    return p;
}

/* Rows with weights count as Kish's number of rows (num/weighted.h). */
static double row_test(const struct tamis_comparison *x, size_t a, size_t b, size_t *rows)
{
    double only_a = 0, only_b = 0, squares = 0;
    for (size_t k = 0; k < x->folds; k++) {
        const struct tamis_trial *p = &x->contender[a].trial[k], *q = &x->contender[b].trial[k];
        const double *w = tamis_resample_held(x->resample, k);
        for (size_t i = 0; p->loss && q->loss && i < x->resample->split[k].helds; i++) {
            only_a += p->loss[i] > q->loss[i] ? w[i] : 0;
            only_b += q->loss[i] > p->loss[i] ? w[i] : 0;
            squares += p->loss[i] != q->loss[i] ? w[i] * w[i] : 0;
        }
    }
    double all = only_a + only_b, n = squares > 0 ? all * all / squares : 0;
    size_t rows_a = all > 0 ? (size_t)floor(only_a * n / all + 0.5) : 0,
           rows_b = all > 0 ? (size_t)floor(only_b * n / all + 0.5) : 0;
    *rows = rows_a + rows_b;
    return tamis_binomial_test(rows_a, rows_b);
}

static int by_p(const void *a, const void *b)
{
    const struct tamis_difference *x = a, *y = b;
    if (x->p != y->p) return x->p < y->p ? -1 : 1;
    return x->a != y->a ? (x->a > y->a) - (x->a < y->a) : (x->b > y->b) - (x->b < y->b);
}

/* [1]: the smallest of m p-values times m, the next times m - 1, ..., never falling. */
static void holm(struct tamis_difference *d, size_t n)
{
    double most = 0;
    qsort(d, n, sizeof *d, by_p);
    for (size_t k = 0; k < n; k++) {
        most = fmax(most, fmin(1, d[k].p * (double)(n - k)));
        d[k].p_adjusted = most;
    }
}

int tamis_differences_fill(tamis_context *cx, struct tamis_comparison *x)
{
    size_t n = 0;
    for (size_t i = 0; i < x->contenders; i++)
        for (size_t j = i + 1; j < x->contenders; j++) {
            double gap = x->contender[j].summary.mean - x->contender[i].summary.mean;
            size_t a = gap >= 0 ? i : j, b = gap >= 0 ? j : i;
            if (isnan(gap)) continue;
            struct tamis_difference *d = &x->difference[n++];
            *d = (struct tamis_difference){.a = a, .b = b, .difference = fabs(gap)};
            d->p = x->classes ? row_test(x, a, b, &d->rows) : fold_test(cx, x, a, b);
        }
    holm(x->difference, n);
    x->differences = n;
    return tamis_status(cx);
}

/* ---- what the folds could have told ---- */

enum { MORE_REPEATS = 10 };

/* Standard deviations of the folds' differences that a difference needs for p < 0.05 after Holm's first step over
 * `pairs`: the t test of n trials, solved by bisection. */
static double needed_sd(size_t n, double ratio, size_t pairs)
{
    double low = 0, high = 1e6, df = (double)n - 1, widest = sqrt(1 / (double)n + ratio);
    for (int k = 0; k < 100; k++) {
        double t = sqrt((low + 1e-9) * high);
        if (tamis_student_two_sided(t, df) * (double)pairs > 0.05) low = t;
        else high = t;
    }
    return high * widest;
}

/* The most rows that a pair disagrees on. */
static size_t most_rows(const struct tamis_comparison *x)
{
    size_t most = 0;
    for (size_t k = 0; k < x->differences; k++)
        if (x->difference[k].rows > most) most = x->difference[k].rows;
    return most;
}

/* smallest_p: of a sign test, whatever the errors' distribution: all n differences, or all rows that only one method
 * got wrong, on the same side. */
static void resolution_add(const struct tamis_comparison *x)
{
    size_t n = x->resample->trials, pairs = x->differences;
    double ratio = tamis_resample_ratio(x->resample);
    tamis_value *v = tamis_add_record(x->value, "resolution");
    tamis_add_number(v, "pairs", (double)pairs);
    tamis_add_number(v, "smallest_p", fmin(1, ldexp(1, 1 - (int)(x->classes ? most_rows(x) : n))));
    tamis_add_number(v, "needed_sd", x->classes || !pairs ? NAN : needed_sd(n, ratio, pairs));
    tamis_add_number(v, "needed_sd_repeated",
                     x->classes || !pairs ? NAN : needed_sd(x->folds * MORE_REPEATS, ratio, pairs));
}

/* ---- as values ---- */

void tamis_differences_add(struct tamis_comparison *x)
{
    tamis_add_text(x->value, "test",
                   x->classes ? "exact binomial test of rows that only one got wrong" : "corrected resampled t");
    tamis_value *better = tamis_add_list(x->value, "better");
    for (size_t k = 0; k < x->differences; k++) {
        const struct tamis_difference *d = &x->difference[k];
        tamis_value *one = tamis_add_record(better, NULL);
        tamis_add_text(one, "a", x->contender[d->a].label);
        tamis_add_text(one, "b", x->contender[d->b].label);
        tamis_add_number(one, "difference", d->difference);
        tamis_add_number(one, "p", d->p);
        tamis_add_number(one, "p_adjusted", d->p_adjusted);
    }
    resolution_add(x);
}
