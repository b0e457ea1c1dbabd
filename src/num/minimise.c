/* min f(10^t), lo <= t <= hi.
 *
 * The leave-one-out error as a function of gamma can have several minima, so that a line search alone is not safe: the
 * default evaluates evenly spaced points first and refines the best of them by Brent's method [2], which needs f one
 * value at a time. Where a pass over the data serves many values at once, the grid refines by a second scan instead.
 *
 * DIFFERS [1] section 2: golden section alone only on request.
 *
 * [1] Tikka, Hollmen: Selection of important input variables for RBF network using partial derivatives. ESANN 2008.
 * [2] Brent: Algorithms for Minimization without Derivatives. Prentice-Hall, 1973, chapter 5. */
#include "num/minimise.h"

#include <float.h>
#include <math.h>

static const double golden = 0.38196601125010515;       /* (3 - sqrt 5) / 2 */

struct search {
    tamis_batch_function *f;
    void *arg;
    double lo, hi, tolerance;
    double t;                   /* the best point so far */
    struct tamis_minimum *best;
};

static double power_of_ten(double t)
{
    return pow(10.0, t);
}

/* Point i of `count` from a to b, ends included. */
static double grid_point(double a, double b, size_t i, size_t count)
{
    return i + 1 == count ? b : a + (b - a) * (double)i / (double)(count - 1);
}

static void evaluate_all(struct search *s, const double *t, size_t count, double *value)
{
    double lambda[TAMIS_SCAN_POINTS];
    for (size_t i = 0; i < count; i++)
        lambda[i] = power_of_ten(t[i]);
    s->f(s->arg, lambda, count, value);
    s->best->evaluations += count;
    for (size_t i = 0; i < count; i++) {
        if (!isfinite(value[i]))
            value[i] = INFINITY;
        if (value[i] < s->best->value) {
            s->best->value = value[i];
            s->best->lambda = lambda[i];
            s->t = t[i];
        }
    }
}

static double evaluate(struct search *s, double t)
{
    double value;
    evaluate_all(s, &t, 1, &value);
    return value;
}

/* count >= 2 points from a to b, ends included; returns the index of the best, the first of equal ones. */
static size_t scan(struct search *s, double a, double b, size_t count, double *t, double *value)
{
    size_t least = 0;
    for (size_t i = 0; i < count; i++)
        t[i] = grid_point(a, b, i, count);
    evaluate_all(s, t, count, value);
    for (size_t i = 1; i < count; i++)
        if (value[i] < value[least])
            least = i;
    return least;
}

/* The three points of Brent's method: x the best, v and w the two before it. */
struct brent {
    double a, b, x, v, w, fx, fv, fw, step, before;
};

/* The minimum of the parabola through x, v, w, as a step from x; 0 when a golden section step is safer. */
static double parabola_step(const struct brent *m)
{
    double r = (m->x - m->w) * (m->fx - m->fv), q = (m->x - m->v) * (m->fx - m->fw);
    double p = (m->x - m->v) * q - (m->x - m->w) * r;
    q = 2.0 * (q - r);
    if (q > 0.0)
        p = -p;
    q = fabs(q);
    if (!isfinite(p) || !isfinite(q) || fabs(p) >= fabs(0.5 * q * m->before) || p <= q * (m->a - m->x) ||
        p >= q * (m->b - m->x))
        return 0.0;
    return p / q;
}

static double brent_step(struct brent *m, double tolerance)
{
    double middle = 0.5 * (m->a + m->b), step = fabs(m->before) > tolerance ? parabola_step(m) : 0.0;
    if (step != 0.0) {
        m->before = m->step;
        double u = m->x + step;
        if (u - m->a < 2.0 * tolerance || m->b - u < 2.0 * tolerance)
            step = copysign(tolerance, middle - m->x);
    } else {
        m->before = m->x < middle ? m->b - m->x : m->a - m->x;
        step = golden * m->before;
    }
    m->step = step;
    return fabs(step) >= tolerance ? step : copysign(tolerance, step);
}

static void brent_take(struct brent *m, double u, double fu)
{
    if (fu <= m->fx) {
        *(u < m->x ? &m->b : &m->a) = m->x;
        m->v = m->w, m->fv = m->fw;
        m->w = m->x, m->fw = m->fx;
        m->x = u, m->fx = fu;
        return;
    }
    *(u < m->x ? &m->a : &m->b) = u;
    if (fu <= m->fw || m->w == m->x) {
        m->v = m->w, m->fv = m->fw;
        m->w = u, m->fw = fu;
    } else if (fu <= m->fv || m->v == m->x || m->v == m->w) {
        m->v = u, m->fv = fu;
    }
}

/* Between a and b, from x in [a, b], where f is fx and no larger than at either end. */
static void refine_brent(struct search *s, double a, double b, double x, double fx)
{
    struct brent m = {.a = a, .b = b, .x = x, .v = x, .w = x, .fx = fx, .fv = fx, .fw = fx};
    for (int i = 0; i < 100; i++) {
        double middle = 0.5 * (m.a + m.b);
        if (fabs(m.x - middle) <= 2.0 * s->tolerance - 0.5 * (m.b - m.a))
            break;
        double u = m.x + brent_step(&m, s->tolerance);
        brent_take(&m, u, evaluate(s, u));
    }
}

static void search_scan(struct search *s)
{
    double t[TAMIS_SCAN_POINTS], value[TAMIS_SCAN_POINTS];
    size_t i = scan(s, s->lo, s->hi, TAMIS_SCAN_POINTS, t, value);
    if (value[i] < INFINITY)
        refine_brent(s, t[i > 0 ? i - 1 : 0], t[i + 1 < TAMIS_SCAN_POINTS ? i + 1 : i], t[i], value[i]);
}

/* The neighbours of point `least` of the scan, one step of the second scan inside. */
static void inside_range(double lo, double hi, size_t least, double *a, double *b)
{
    *a = grid_point(lo, hi, least > 0 ? least - 1 : 0, TAMIS_SCAN_POINTS);
    *b = grid_point(lo, hi, least + 1 < TAMIS_SCAN_POINTS ? least + 1 : least, TAMIS_SCAN_POINTS);
    double step = (*b - *a) / (TAMIS_GRID_POINTS + 1);
    *a += step;
    *b -= step;
}

void tamis_grid_inside(double lo, double hi, size_t least, double *lambda)
{
    double a, b;
    inside_range(lo, hi, least, &a, &b);
    for (size_t i = 0; i < TAMIS_GRID_POINTS; i++)
        lambda[i] = power_of_ten(grid_point(a, b, i, TAMIS_GRID_POINTS));
}

static void search_grid(struct search *s)
{
    double t[TAMIS_SCAN_POINTS], value[TAMIS_SCAN_POINTS], a, b;
    size_t least = scan(s, s->lo, s->hi, TAMIS_SCAN_POINTS, t, value);
    if (value[least] == INFINITY)
        return;
    inside_range(s->lo, s->hi, least, &a, &b);
    scan(s, a, b, TAMIS_GRID_POINTS, t, value);
}

static void search_golden(struct search *s)
{
    double a = s->lo, b = s->hi, left = a + golden * (b - a), right = b - golden * (b - a);
    double f_left = evaluate(s, left), f_right = evaluate(s, right);
    while (b - a > s->tolerance) {
        if (f_left <= f_right) {
            b = right;
            right = left, f_right = f_left;
            left = a + golden * (b - a);
            f_left = evaluate(s, left);
        } else {
            a = left;
            left = right, f_left = f_right;
            right = b - golden * (b - a);
            f_right = evaluate(s, right);
        }
    }
}

void tamis_minimise(enum tamis_gamma_search search, double lo, double hi, double tolerance, tamis_batch_function *f,
                    void *arg, struct tamis_minimum *best)
{
    double least = 4.0 * DBL_EPSILON * fmax(1.0, fmax(fabs(lo), fabs(hi)));
    struct search s = {f, arg, lo, hi, fmax(tolerance, least), lo, best};
    *best = (struct tamis_minimum){.lambda = power_of_ten(lo), .value = INFINITY};
    if (lo == hi)
        evaluate(&s, lo);
    else if (search == TAMIS_SEARCH_GOLDEN)
        search_golden(&s);
    else if (search == TAMIS_SEARCH_GRID)
        search_grid(&s);
    else
        search_scan(&s);
    best->at_lower = s.t - lo <= 2.0 * s.tolerance;
    best->at_upper = hi - s.t <= 2.0 * s.tolerance;
}
