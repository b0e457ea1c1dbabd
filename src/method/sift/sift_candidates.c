/* The inputs that a search may choose: not constant, not copies of others, and not there anyway. */
#include <math.h>
#include <stdlib.h>
#include "method/sift/sift.h"
#include "method/sift/sift_spread.h"

enum { KEY = 8 };               /* rows that two copies are recognised by at first */

struct key { double x[KEY]; size_t input; };

static int by_key(const void *a, const void *b)
{
    const struct key *p = a, *q = b;
    for (size_t k = 0; k < KEY; k++)
        if (fabs(p->x[k] - q->x[k]) > 1e-6) return p->x[k] < q->x[k] ? -1 : 1;
    return (p->input > q->input) - (p->input < q->input);
}

/* Values of some rows, with a sign that makes the first that is not 0 positive: copies, also with another scale or
 * sign, have the same. */
static void key_fill(const struct tamis_design *d, const double *value, size_t input, struct key *key)
{
    double sign = 0;
    key->input = input;
    for (size_t k = 0; k < KEY; k++) {
        double x = value[k + KEY * d->encoder->input[input].first];
        if (sign == 0 && fabs(x) > 1e-6) sign = x > 0 ? 1 : -1;
        key->x[k] = sign * x;
    }
}

/* value (KEY x columns): of rows evenly spread. */
static int values_take(const struct tamis_design *d, double *value)
{
    size_t row[KEY];
    struct sift_source from = {NULL, d->x, d->rows, NULL, d->columns};
    for (size_t k = 0; k < KEY; k++) row[k] = (size_t)((double)k * (double)tamis_design_all_rows(d) / KEY);
    return sift_spread_fetch(d->spread, d->rows, row, KEY, &from, value);
}

/* Marks inputs that copy an earlier one, neighbours in the order of their keys. */
static void copies_mark(const struct tamis_design *d, const struct key *key, size_t n, unsigned char *copy)
{
    for (size_t k = 1; k < n; k++)
        for (size_t j = k; j-- > 0 && fabs(key[j].x[0] - key[k].x[0]) <= 1e-6;)
            if (!copy[key[j].input] && sift_correlation(d, key[j].input, key[k].input) > 1 - 1e-9) {
                copy[key[j].input > key[k].input ? key[j].input : key[k].input] = 1;
                break;
            }
}

static void copies_note(struct sift *s, const unsigned char *copy)
{
    const struct tamis_design *d = s->run->design;
    size_t n = 0, first = d->inputs;
    for (size_t i = 0; i < d->inputs; i++)
        if (copy[i] && !n++) first = i;
    if (n)
        tamis_note(s->run->cx, "%zu input%s cop%s of an earlier one and left out (%s%s)", n, n == 1 ? " is a" : "s are",
                   n == 1 ? "y" : "ies", d->encoder->input[first].name, n > 1 ? ", ..." : "");
}

static int must_stay(const struct sift *s, size_t input) { return s->limits.must && s->limits.must[input]; }

/* Inputs that are not constant, copies of others, or there anyway. */
int sift_candidates_find(struct sift *s)
{
    const struct tamis_design *d = s->run->design;
    tamis_context *cx = s->run->cx;
    struct key *key = tamis_raw(cx, struct key, d->inputs);
    unsigned char *copy = tamis_new(cx, unsigned char, d->inputs);
    double *value = tamis_raw(cx, double, KEY * d->columns);
    size_t n = 0;
    int ready = key && copy && value && !values_take(d, value);
    for (size_t i = 0; ready && i < d->inputs; i++)
        if (!d->encoder->input[i].levels && sift_functions_of(&s->ground.functions, i))
            key_fill(d, value, i, &key[n++]);
    if (ready && n) {
        qsort(key, n, sizeof *key, by_key);
        if (!s->limits.bundles) copies_mark(d, key, n, copy);
        copies_note(s, copy);
    }
    for (size_t i = 0; copy && i < d->inputs; i++)
        if (!copy[i] && !must_stay(s, i) && sift_functions_of(&s->ground.functions, i))
            s->ground.in[s->ground.ins++] = i;
    tamis_free(key);
    tamis_free(value);
    tamis_free(copy);
    return tamis_status(cx);
}
