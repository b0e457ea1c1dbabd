/* Inputs that could replace a chosen one, by Pearson's correlation over at most 500 rows; and a few spectra, if the
 * inputs are ordered channels. */
#include <ctype.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include "base/number.h"
#include "evidence/evidence.h"

enum { SAMPLE = 500, CHOSEN = 30, LIKE = 5, CHANNELS = 25, CURVES = 12, POINTS = 240 };
static const double alike = 0.3, smooth = 0.8;

static double weight_at(const struct tamis_design *d, size_t r, size_t rows)
{
    return tamis_row_weight(d, tamis_spread(r, rows, d->rows));
}

/* The sampled column of input i, centred, times the roots of the row weights, and scaled to unit norm; returns 0 for a
 * category or a constant. */
static int unit_column(const struct tamis_design *d, size_t i, size_t rows, double *out)
{
    const struct tamis_feature *f = &d->encoder->input[i];
    double mean = 0, norm = 0, all = 0;
    if (f->levels || f->constant) return 0;
    for (size_t r = 0; r < rows; r++) all += weight_at(d, r, rows);
    for (size_t r = 0; r < rows; r++)
        mean += weight_at(d, r, rows) * (out[r] = d->x[tamis_spread(r, rows, d->rows) + d->rows * f->first]) / all;
    for (size_t r = 0; r < rows; r++)
        out[r] = sqrt(weight_at(d, r, rows)) * (out[r] - mean), norm += out[r] * out[r];
    for (size_t r = 0; r < rows && norm > 0; r++) out[r] /= sqrt(norm);
    return norm > 0;
}

static double product(const double *a, const double *b, size_t n)
{
    double sum = 0;
    for (size_t i = 0; i < n; i++) sum += a[i] * b[i];
    return sum;
}

/* ---- correlations ---- */

struct like { size_t input; double r; };

static void keep_largest(struct like *top, size_t *n, struct like now)
{
    size_t at = *n < LIKE ? (*n)++ : LIKE;
    if (at == LIKE && fabs(top[--at].r) >= fabs(now.r)) return;
    for (; at && fabs(top[at - 1].r) < fabs(now.r); at--) top[at] = top[at - 1];
    top[at] = now;
}

static void add_likes(tamis_value *list, const struct tamis_result *r, size_t input, const struct like *top, size_t n)
{
    tamis_value *one = tamis_add_record(list, NULL);
    tamis_add_text(one, "input", r->name[input]);
    tamis_value *with = tamis_add_list(one, "with");
    for (size_t k = 0; k < n; k++) {
        tamis_value *v = tamis_add_record(with, NULL);
        tamis_add_text(v, "name", r->name[top[k].input]);
        tamis_add_rounded(v, "r", top[k].r);
        tamis_add_flag(v, "selected", r->input[top[k].input].selected);
    }
}

static void correlations(struct tamis_run *run, tamis_value *evidence, size_t rows, double *a, double *b)
{
    const struct tamis_result *r = run->result;
    const struct tamis_design *d = run->design;
    tamis_value *list = tamis_add_list(evidence, "correlations");
    for (size_t k = 0; k < r->selected && k < CHOSEN; k++) {
        struct like top[LIKE];
        size_t n = 0;
        if (!unit_column(d, r->chosen[k], rows, a)) continue;
        for (size_t i = 0; i < d->inputs; i++) {
            if (i == r->chosen[k] || !unit_column(d, i, rows, b)) continue;
            struct like now = {i, product(a, b, rows)};
            if (fabs(now.r) >= alike) keep_largest(top, &n, now);
        }
        if (n) add_likes(list, r, r->chosen[k], top, n);
    }
}

/* ---- spectra ---- */

/* The number at the end of a name (NAN: none), and the length of the name before it. */
static double trailing(const char *name, size_t *prefix)
{
    size_t n = strlen(name), at = n;
    while (at && (isdigit((unsigned char)name[at - 1]) || (name[at - 1] == '.' && at < n))) at--;
    *prefix = at;
    double x = NAN;
    return at < n && tamis_number_whole(name + at, n - at, '.', &x) ? x : NAN;
}

/* Whether the names are one prefix and a number, and the numbers rise or fall throughout. */
static int ordered(const struct tamis_encoder *e)
{
    size_t prefix, p;
    double before = trailing(e->input[0].name, &prefix), way = 0;
    if (e->inputs < CHANNELS || isnan(before)) return 0;
    for (size_t i = 1; i < e->inputs; i++) {
        double now = trailing(e->input[i].name, &p);
        if (e->input[i].levels || isnan(now) || p != prefix || strncmp(e->input[i].name, e->input[0].name, p)) return 0;
        if (now == before || (way != 0 && (now > before) != (way > 0))) return 0;
        way = now - before;
        before = now;
    }
    return 1;
}

/* Whether adjacent channels are alike: by their mean correlation. */
static int continuous(const struct tamis_design *d, size_t rows, double *a, double *b)
{
    double sum = 0, *swap;
    int had = unit_column(d, 0, rows, a);
    for (size_t i = 1; i < d->inputs; i++) {
        int has = unit_column(d, i, rows, b);
        if (had && has) sum += product(a, b, rows);
        swap = a, a = b, b = swap;
        had = has;
    }
    return sum / (double)(d->inputs - 1) >= smooth;
}

static void add_chosen(tamis_value *v, const struct tamis_result *r)
{
    size_t p;
    double *channel = tamis_add_room(v, "chosen", r->selected);
    for (size_t k = 0; channel && k < r->selected; k++)
        channel[k] = tamis_six_digits(trailing(r->name[r->chosen[k]], &p));
    double *relevance = tamis_add_room(v, "relevance", r->selected);
    for (size_t k = 0; relevance && k < r->selected; k++)
        relevance[k] = tamis_six_digits(r->input[r->chosen[k]].relevance);
}

static void add_curve(tamis_value *curves, const struct tamis_design *d, size_t row, size_t points)
{
    const struct tamis_encoder *e = d->encoder;
    double *y = tamis_add_room(curves, NULL, points);
    for (size_t k = 0; y && k < points; k++) {
        size_t j = e->input[tamis_spread(k, points, d->inputs)].first;
        y[k] = tamis_six_digits(e->mean[j] + e->scale[j] * d->x[row + d->rows * j]);
    }
}

static void spectrum(struct tamis_run *run, tamis_value *evidence)
{
    const struct tamis_design *d = run->design;
    size_t points = d->inputs < POINTS ? d->inputs : POINTS, curves = d->rows < CURVES ? d->rows : CURVES, p;
    tamis_value *v = tamis_add_record(evidence, "spectrum");
    double *axis = tamis_add_room(v, "axis", points);
    for (size_t k = 0; axis && k < points; k++)
        axis[k] = tamis_six_digits(trailing(d->encoder->input[tamis_spread(k, points, d->inputs)].name, &p));
    add_chosen(v, run->result);
    tamis_value *list = tamis_add_list(v, "curves");
    for (size_t c = 0; c < curves; c++) add_curve(list, d, tamis_spread(c, curves, d->rows), points);
}

int tamis_evidence_likeness(struct tamis_run *run, tamis_value *evidence)
{
    const struct tamis_design *d = run->design;
    size_t rows = d->rows < SAMPLE ? d->rows : SAMPLE;
    double *a = tamis_raw(run->cx, double, rows), *b = tamis_raw(run->cx, double, rows);
    if (a && b) {
        correlations(run, evidence, rows, a, b);
        if (ordered(d->encoder) && continuous(d, rows, a, b)) spectrum(run, evidence);
    }
    tamis_free(a);
    tamis_free(b);
    return tamis_status(run->cx);
}
