/* Block coordinate descent for the group lasso. With c = B_g + H_g' R / (n L_g), L_g >= the largest eigenvalue of
 * H_g' H_g / n, the new B_g is c max(0, 1 - lambda w_g / (L_g |c|)). */
#include <math.h>
#include "num/group_lasso.h"
#include "num/level2.h"

static size_t size_of(const struct tamis_group_lasso *t, size_t g) { return t->first[g + 1] - t->first[g]; }

double tamis_group_lasso_length(const struct tamis_group_lasso *t, size_t g)
{
    double sum = 0;
    for (size_t o = 0; o < t->l; o++)
        for (size_t k = t->first[g]; k < t->first[g + 1]; k++) sum += t->b[k + t->p * o] * t->b[k + t->p * o];
    return sqrt(sum);
}

/* The largest sum of absolute values of a row of H_g' H_g / n. */
void tamis_group_lasso_bounds(struct tamis_group_lasso *t)
{
    for (size_t g = 0; g < t->groups; g++) {
        t->bound[g] = 0;
        for (size_t a = t->first[g]; a < t->first[g + 1]; a++) {
            double sum = 0;
            for (size_t b = t->first[g]; b < t->first[g + 1]; b++)
                sum += fabs(tamis_dot(t->n, t->h + t->n * a, t->h + t->n * b)) / (double)t->n;
            t->bound[g] = fmax(t->bound[g], sum);
        }
    }
}

/* scratch = H_g' R / n + L_g B_g; its length */
static double pull(const struct tamis_group_lasso *t, size_t g)
{
    size_t m = size_of(t, g);
    double squares = 0;
    for (size_t o = 0; o < t->l; o++)
        for (size_t k = 0; k < m; k++) {
            size_t at = t->first[g] + k;
            double c = tamis_dot(t->n, t->h + t->n * at, t->r + t->n * o) / (double)t->n;
            c += t->bound[g] * t->b[at + t->p * o];
            t->scratch[k + m * o] = c;
            squares += c * c;
        }
    return sqrt(squares);
}

double tamis_group_lasso_most(struct tamis_group_lasso *t)
{
    double most = 0;
    for (size_t g = 0; g < t->groups; g++) most = fmax(most, pull(t, g) / t->weight[g]);
    return most;
}

/* One group; the largest change of a coefficient. */
static double group_step(struct tamis_group_lasso *t, size_t g, double lambda)
{
    size_t m = size_of(t, g);
    double length = pull(t, g), most = 0, left = length > 0 ? 1 - lambda * t->weight[g] / length : 0;
    double factor = left > 0 && t->bound[g] > 0 ? left / t->bound[g] : 0;
    for (size_t o = 0; o < t->l; o++)
        for (size_t k = 0; k < m; k++) {
            double *b = &t->b[t->first[g] + k + t->p * o], change = factor * t->scratch[k + m * o] - *b;
            if (change == 0) continue;
            tamis_axpy(t->n, -change, t->h + t->n * (t->first[g] + k), t->r + t->n * o);
            *b += change;
            most = fmax(most, fabs(change));
        }
    return most;
}

static int is_on(const struct tamis_group_lasso *t, size_t g) { return tamis_group_lasso_length(t, g) > 0; }

/* All groups, then those that are on until they settle, until a sweep over all changes nothing. */
size_t tamis_group_lasso_solve(struct tamis_group_lasso *t, double lambda, double tolerance, size_t sweeps)
{
    size_t done = 0;
    for (double all = INFINITY; all > tolerance && done < sweeps; done++) {
        all = 0;
        for (size_t g = 0; g < t->groups; g++) all = fmax(all, group_step(t, g, lambda));
        for (double some = all; some > tolerance && done < sweeps; done++) {
            some = 0;
            for (size_t g = 0; g < t->groups; g++)
                if (is_on(t, g)) some = fmax(some, group_step(t, g, lambda));
        }
    }
    return done;
}

double tamis_group_lasso_freedom(const struct tamis_group_lasso *t, double lambda)
{
    double sum = 0;
    for (size_t g = 0; g < t->groups; g++) {
        double length = tamis_group_lasso_length(t, g), m = (double)(size_of(t, g) * t->l);
        if (length > 0) sum += 1 + (m - 1) * length / (length + lambda * t->weight[g] / t->bound[g]);
    }
    return sum;
}
