/* Which inputs look alike: those that a chosen one could be replaced by, and, where the inputs are an ordered row of
 * channels, a few spectra. Pearson's correlation over at most 500 rows. */
#include <ctype.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include "evidence/evidence.h"

enum { SAMPLE = 500, CHOSEN = 30, LIKE = 5, CHANNELS = 25, CURVES = 12, POINTS = 240 };
static const double alike = 0.3, smooth = 0.8;

/* The sampled column of input i, its mean out and unit norm; 0: a category or a constant. */
static int unit_column(const struct tamis_design *d, size_t i, size_t rows, double *out)
{
    const struct tamis_feature *f = &d->encoder->input[i];
    double mean = 0, norm = 0;
    if (f->levels || f->constant) return 0;
    for (size_t r = 0; r < rows; r++)
        mean += (out[r] = d->x[tamis_spread(r, rows, d->rows) + d->rows * f->first]) / (double)rows;
    for (size_t r = 0; r < rows; r++) out[r] -= mean, norm += out[r] * out[r];
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

static void likes_json(struct tamis_witness *w, size_t input, const struct like *top, size_t n, int first)
{
    const struct tamis_outcome *o = w->run->outcome;
    tamis_text_puts(w->t, first ? "\n      {\"input\": " : ",\n      {\"input\": ");
    tamis_text_json(w->t, o->name[input]);
    tamis_text_puts(w->t, ", \"with\": [");
    for (size_t k = 0; k < n; k++) {
        tamis_text_puts(w->t, k ? ", {\"name\": " : "{\"name\": ");
        tamis_text_json(w->t, o->name[top[k].input]);
        tamis_text_puts(w->t, ", \"r\": ");
        tamis_evidence_number(w->t, top[k].r);
        tamis_text_printf(w->t, ", \"selected\": %s}", o->input[top[k].input].selected ? "true" : "false");
    }
    tamis_text_puts(w->t, "]}");
}

static void correlations(struct tamis_witness *w, size_t rows, double *a, double *b)
{
    const struct tamis_outcome *o = w->run->outcome;
    const struct tamis_design *d = w->run->design;
    int first = 1;
    tamis_text_puts(w->t, ",\n    \"correlations\": [");
    for (size_t k = 0; k < o->open.selected && k < CHOSEN; k++) {
        struct like top[LIKE];
        size_t n = 0;
        if (!unit_column(d, o->chosen[k], rows, a)) continue;
        for (size_t i = 0; i < d->inputs; i++) {
            if (i == o->chosen[k] || !unit_column(d, i, rows, b)) continue;
            struct like now = {i, product(a, b, rows)};
            if (fabs(now.r) >= alike) keep_largest(top, &n, now);
        }
        if (n) likes_json(w, o->chosen[k], top, n, first);
        if (n) first = 0;
    }
    tamis_text_puts(w->t, "]");
}

/* ---- spectra ---- */

/* The number at the end of a name, and where it begins. */
static double trailing(const char *name, size_t *prefix)
{
    size_t n = strlen(name), at = n;
    while (at && (isdigit((unsigned char)name[at - 1]) || (name[at - 1] == '.' && at < n))) at--;
    *prefix = at;
    return at < n ? strtod(name + at, NULL) : NAN;
}

/* Numbers with one prefix and in one direction. */
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

/* Neighbours are alike: the mean correlation of adjacent channels. */
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

static void chosen_channels(struct tamis_witness *w)
{
    const struct tamis_outcome *o = w->run->outcome;
    size_t p;
    tamis_text_puts(w->t, "], \"chosen\": [");
    for (size_t k = 0; k < o->open.selected; k++) {
        if (k) tamis_text_puts(w->t, ",");
        tamis_evidence_number(w->t, trailing(o->name[o->chosen[k]], &p));
    }
    tamis_text_puts(w->t, "], \"relevance\": [");
    for (size_t k = 0; k < o->open.selected; k++) {
        if (k) tamis_text_puts(w->t, ",");
        tamis_evidence_number(w->t, o->input[o->chosen[k]].relevance);
    }
}

static void spectrum(struct tamis_witness *w)
{
    const struct tamis_design *d = w->run->design;
    const struct tamis_encoder *e = d->encoder;
    size_t points = d->inputs < POINTS ? d->inputs : POINTS, curves = d->rows < CURVES ? d->rows : CURVES, p;
    tamis_text_puts(w->t, ",\n    \"spectrum\": {\"axis\": [");
    for (size_t k = 0; k < points; k++) {
        if (k) tamis_text_puts(w->t, ",");
        tamis_evidence_number(w->t, trailing(e->input[tamis_spread(k, points, d->inputs)].name, &p));
    }
    chosen_channels(w);
    tamis_text_puts(w->t, "], \"curves\": [");
    for (size_t c = 0; c < curves; c++) {
        tamis_text_puts(w->t, c ? ",\n      [" : "\n      [");
        for (size_t k = 0; k < points; k++) {
            size_t j = e->input[tamis_spread(k, points, d->inputs)].first;
            if (k) tamis_text_puts(w->t, ",");
            tamis_evidence_number(w->t,
                                  e->mean[j] + e->scale[j] * d->x[tamis_spread(c, curves, d->rows) + d->rows * j]);
        }
        tamis_text_puts(w->t, "]");
    }
    tamis_text_puts(w->t, "]}");
}

int tamis_evidence_likeness(struct tamis_witness *w)
{
    const struct tamis_design *d = w->run->design;
    size_t rows = d->rows < SAMPLE ? d->rows : SAMPLE;
    double *a = tamis_raw(w->run->cx, double, rows), *b = tamis_raw(w->run->cx, double, rows);
    if (a && b) {
        correlations(w, rows, a, b);
        if (ordered(d->encoder) && continuous(d, rows, a, b)) spectrum(w);
    }
    tamis_free(a);
    tamis_free(b);
    return tamis_status(w->run->cx);
}
