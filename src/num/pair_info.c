/* Mutual information from nearest neighbours, by sorted columns instead of pairs of rows.
 *
 * Rows are put into the order of one variable. The neighbours of a row are met outwards from its place, and the search
 * ends where that variable alone is farther than the k-th neighbour so far. What is within eps in one variable is an
 * interval of its sorted values; what is within eps in more of them is counted inside that interval.
 *
 * A row that is alone among those of its levels, with all others infinitely far, is a point of a discrete distribution:
 * its term is psi(1) - psi(m_x) - psi(m_y), m the rows at finite distances in x and in y, itself included.
 *
 * Weights enter the mean of the terms; neighbours are rows, whatever they weigh. */
#include <math.h>
#include <stdlib.h>
#include "base/base.h"
#include "num/order.h"
#include "num/pair_info.h"
#include "num/weighted.h"

static const double far = TAMIS_INFO_APART / 2;

/* ---- one row ---- */

/* psi(n + 1) for the rows met before the k-th neighbour: those nearer than eps, and of the t rows at eps the expected
 * number, share (t + 1) - 1; between whole numbers, psi is a straight line. */
static double psi_met(const double *psi, size_t nearer, size_t within, double share)
{
    size_t ties = within - nearer;
    double more = ties ? fmax(share * (double)(ties + 1) - 1, 0) : 0, whole = floor(more);
    size_t at = nearer + 1 + (size_t)whole;
    return psi[at] + (more > whole ? (more - whole) * (psi[at + 1] - psi[at]) : 0);
}

double tamis_info_term(const double *psi, const struct tamis_info_counts *c)
{
    if (c->eps <= 0) return psi[c->both + 1] - psi[c->within_x + 1] - psi[c->within_y + 1];
    double share = (double)(c->k - c->before) / (double)(c->both - c->before + 1);
    return psi[c->k] - psi_met(psi, c->nearer_x, c->within_x, share) - psi_met(psi, c->nearer_y, c->within_y, share);
}

void tamis_info_psi(size_t n, double *psi)
{
    psi[0] = 0;
    psi[1] = -0.57721566490153286061;
    for (size_t m = 1; m <= n; m++) psi[m + 1] = psi[m] + 1 / (double)m;
}

/* ---- a variable ---- */

void tamis_variable_order(size_t n, struct tamis_variable *v, struct tamis_place *place)
{
    for (size_t i = 0; i < n; i++) place[i] = (struct tamis_place){v->x[i], i};
    qsort(place, n, sizeof *place, tamis_by_place);
    v->values = 0;
    for (size_t t = 0, first = 0; t < n; t++) {
        if (!t || place[t].x != place[t - 1].x) first = t, v->values++;
        v->sorted[t] = place[t].x;
        v->order[t] = (uint32_t)place[t].i;
        v->place[place[t].i] = (uint32_t)t;
        v->first[place[t].i] = (uint32_t)first;
    }
}

/* Whether v is within eps of `at`, or nearer than eps. */
static int inside(double v, double at, double eps, int open)
{
    double d = fabs(v - at);
    return open ? d < eps : d <= eps;
}

struct interval { size_t from, to; };

/* Of n sorted values those within eps of the one at t, which is one of them unless open and eps = 0. */
static struct interval around(const double *v, size_t n, size_t t, double eps, int open)
{
    size_t low = 0, high = t, far_low = t, far_high = n;
    while (low < high) {
        size_t middle = (low + high) / 2;
        if (inside(v[middle], v[t], eps, open)) high = middle;
        else low = middle + 1;
    }
    while (far_low < far_high) {
        size_t middle = (far_low + far_high) / 2;
        if (inside(v[middle], v[t], eps, open)) far_low = middle + 1;
        else far_high = middle;
    }
    return (struct interval){low, far_low};
}

/* Others in an interval around a row. */
static size_t others(struct interval i) { return i.to > i.from ? i.to - i.from - 1 : 0; }

/* ---- all rows ---- */

/* In the order of `scan`: its values, those of `other` and of y (NULL: there is no third), and the rows. */
struct lines {
    const struct tamis_info *s;
    const struct tamis_variable *other, *y;
    const double *a, *b, *c;
    const uint32_t *row;
};

struct nearest { double top[TAMIS_INFO_NEIGHBOURS]; size_t found; };

static double insert(struct nearest *o, size_t k, double v)
{
    size_t at = o->found < k ? o->found++ : k - 1;
    for (; at && v < o->top[at - 1]; at--) o->top[at] = o->top[at - 1];
    o->top[at] = v;
    return o->found < k ? far : o->top[k - 1];
}

/* The k smallest distances from the row at t, ascending; fewer if others are infinitely far. */
static void nearest_find(const struct lines *l, size_t t, struct nearest *o)
{
    size_t n = l->s->n, left = t, right = t + 1;
    double last = far, at = l->a[t], b = l->b[t], c = l->c ? l->c[t] : 0;
    o->found = 0;
    for (;;) {
        double below = left ? at - l->a[left - 1] : INFINITY, above = right < n ? l->a[right] - at : INFINITY,
               d = below < above ? below : above;
        if (!(d < last)) return;
        size_t j = below < above ? --left : right++;
        double e = fabs(l->b[j] - b), v = e > d ? e : d;
        if (l->c && fabs(l->c[j] - c) > v) v = fabs(l->c[j] - c);
        if (v < last) last = insert(o, l->s->k, v);
    }
}

TAMIS_CLONES
static size_t count_within(size_t n, const double *b, double at, double eps)
{
    size_t count = 0;
    for (size_t j = 0; j < n; j++) count += fabs(b[j] - at) <= eps;
    return count;
}

/* Of the interval: rows within eps in b, nearer than eps in a and b, and within eps in b and c. */
static void count_plane(const struct lines *l, struct interval in, size_t t, struct tamis_info_counts *o)
{
    double a = l->a[t], b = l->b[t], c = l->c[t], eps = o->eps;
    for (size_t j = in.from; j < in.to; j++) {
        double e = fabs(l->b[j] - b);
        o->within_x += e <= eps;
        o->nearer_x += e < eps && fabs(l->a[j] - a) < eps;
        o->both += e <= eps && fabs(l->c[j] - c) <= eps;
    }
    o->within_x--;
    o->nearer_x -= eps > 0;
    o->both--;
}

static void count_line(const struct lines *l, struct interval in, size_t t, struct tamis_info_counts *o)
{
    o->within_x = others(in);
    o->nearer_x = others(around(l->a, l->s->n, t, o->eps, 1));
    o->both = count_within(in.to - in.from, l->b + in.from, l->b[t], o->eps) - 1;
}

static double row_term(const struct lines *l, size_t t)
{
    struct nearest near;
    nearest_find(l, t, &near);
    struct tamis_info_counts o = {.k = near.found, .eps = near.found ? near.top[near.found - 1] : far / 2};
    while (o.before < o.k && near.top[o.before] < o.eps) o.before++;
    struct interval in = around(l->a, l->s->n, t, o.eps, 0);
    if (l->c) count_plane(l, in, t, &o);
    else count_line(l, in, t, &o);
    const struct tamis_variable *y = l->c ? l->y : l->other;
    size_t place = y->place[l->row[t]];
    o.within_y = others(around(y->sorted, l->s->n, place, o.eps, 0));
    o.nearer_y = others(around(y->sorted, l->s->n, place, o.eps, 1));
    if (!near.found) o.eps = 0;                 /* alone in its cell, a point of a discrete distribution */
    return tamis_info_term(l->s->psi, &o);
}

static int same(const struct lines *l, size_t t)
{
    return t && l->a[t] == l->a[t - 1] && l->b[t] == l->b[t - 1] && (!l->c || l->c[t] == l->c[t - 1]);
}

/* Rows by `scan`, of equal ones by `other`; rows that are equal in all have the same term. */
static double lines_info(const struct tamis_info *s, const struct tamis_variable *scan,
                         const struct tamis_variable *other, const struct tamis_variable *y, double *work,
                         uint32_t *next)
{
    size_t n = s->n;
    double *a = work, *b = a + n, *c = b + n, sum = 0, term = 0;
    uint32_t *row = next + n;
    for (size_t i = 0; i < n; i++) next[i] = (uint32_t)i;
    for (size_t t = 0; t < n; t++) row[next[scan->first[other->order[t]]]++] = other->order[t];
    for (size_t t = 0; t < n; t++) {
        a[t] = scan->x[row[t]];
        b[t] = other->x[row[t]];
        c[t] = y ? y->x[row[t]] : 0;
    }
    struct lines l = {s, other, y, a, b, y ? c : NULL, row};
    for (size_t t = 0; t < n; t++) {
        term = same(&l, t) ? term : row_term(&l, t);
        sum += tamis_weight_at(s->weight, row[t]) * term;
    }
    return s->psi[n] + sum / tamis_weight_sum(s->weight, n);
}

double tamis_pair_info(const struct tamis_info *s, const struct tamis_variable *x, const struct tamis_variable *y,
                       double *work, uint32_t *next)
{
    int scan_y = y->values > x->values;
    return lines_info(s, scan_y ? y : x, scan_y ? x : y, NULL, work, next);
}

double tamis_triple_info(const struct tamis_info *s, const struct tamis_variable *x, const struct tamis_variable *z,
                         const struct tamis_variable *y, double *work, uint32_t *next)
{
    int scan_z = z->values > x->values;
    return lines_info(s, scan_z ? z : x, scan_z ? x : z, y, work, next);
}
