/* Rows that processes share, in sift. */
#include "method/sift/sift_spread.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>
#include "num/order.h"

static const double strip_bytes = 2e6;          /* of the sums of one strip: products of 500 features */

/* ---- whole strips ---- */

/* The first row of process k; the first process always has some. */
static size_t part_start(const struct tamis_spread *s, int k)
{
    size_t strip = sift_strip_rows(s->all), strips = (s->all + strip - 1) / strip, ranks = (size_t)s->ranks;
    return sift_least(s->all, (strips * (size_t)k + ranks - 1) / ranks * strip);
}

static int is_small(const struct tamis_spread *s) { return s->all <= sift_strip_rows(s->all); }

/* Rows that process k is to have. */
static void part_of(const struct tamis_spread *s, int k, size_t *from, size_t *to)
{
    *from = is_small(s) ? 0 : part_start(s, k);
    *to = is_small(s) ? s->all : part_start(s, k + 1);
}

struct moving { const struct tamis_spread *s; size_t rows; struct tamis_bytes *out, *in; };

/* A column of this process's rows, to those that are to have them; what comes is put together at `to`. */
static int column_move(const struct moving *m, double *x, double *to)
{
    const struct tamis_spread *s = m->s;
    for (int k = 0; k < s->ranks; k++) {
        size_t from, end, before = s->before, after = before + m->rows;
        part_of(s, k, &from, &end);
        from = from < before ? before : sift_least(from, after);
        end = end < from ? from : sift_least(end, after);
        m->out[k] = (struct tamis_bytes){x + (from - before), (end - from) * sizeof *x};
    }
    int status = tamis_spread_deal(s, m->out, m->in);
    for (int k = 0; k < s->ranks; k++) {
        if (!status && m->in[k].n) memcpy(to, m->in[k].at, m->in[k].n);
        to += m->in[k].n / sizeof *to;
        tamis_free(m->in[k].at);
    }
    return status;
}

/* All columns of x (m->rows x columns), which is replaced. */
static int columns_move(const struct moving *m, size_t columns, size_t rows, double **x)
{
    double *to = tamis_raw(m->s->cx, double, rows * columns);
    int status = to ? TAMIS_OK : tamis_status(m->s->cx);
    for (size_t c = 0; c < columns && !status; c++) status = column_move(m, *x + m->rows * c, to + rows * c);
    if (!status) {
        tamis_free(*x);
        *x = to;
    } else tamis_free(to);
    return status;
}

int sift_spread_rows(struct tamis_spread *s, struct tamis_design *d)
{
    size_t from, to;
    part_of(s, s->rank, &from, &to);
    struct moving m = {s, d->rows, tamis_new(s->cx, struct tamis_bytes, (size_t)s->ranks),
                       tamis_new(s->cx, struct tamis_bytes, (size_t)s->ranks)};
    int status = tamis_status(s->cx);
    if (!status) status = columns_move(&m, d->columns, to - from, &d->x);
    if (!status) status = columns_move(&m, tamis_design_outputs(d), to - from, &d->y);
    if (!status) {
        d->rows = to - from;
        s->before = from;
        if (is_small(s)) d->spread = NULL;
    }
    tamis_free(m.out);
    tamis_free(m.in);
    return status;
}

double sift_spread_bytes(const struct tamis_design *d, size_t *rows)
{
    const struct tamis_spread *s = d->spread;
    size_t from, to;
    *rows = d->rows;
    if (!tamis_spread_shared(s)) return 0;
    part_of(s, s->rank, &from, &to);
    *rows = to - from;
    double strips = ceil((double)*rows / (double)sift_strip_rows(s->all));
    return 8 * (double)*rows * (double)(d->columns + 1) + 25 * (double)s->all + strips * strip_bytes;
}

/* ---- places ---- */

int sift_spread_count(const struct tamis_spread *s, size_t n, size_t *before, size_t *all)
{
    struct tamis_spread list;
    *before = 0;
    *all = n;
    if (!tamis_spread_shared(s)) return TAMIS_OK;
    list = *s;
    int status = tamis_spread_count(&list, n);
    *before = list.before;
    *all = list.all;
    return status;
}

static double source_value(const struct sift_source *from, size_t place, size_t c)
{
    return from->x[(from->row ? from->row[place] : place) + from->ld * (from->column ? from->column[c] : c)];
}

/* A record is the index in at[] and the numbers; how many. */
static size_t records_fill(const size_t *at, size_t count, size_t before, size_t n, const struct sift_source *from,
                           double *record)
{
    size_t own = 0;
    for (size_t k = 0; k < count; k++) {
        if (at[k] < before || at[k] >= before + n) continue;
        double *to = record + own++ * (from->columns + 1);
        *to++ = (double)k;
        for (size_t c = 0; c < from->columns; c++) to[c] = source_value(from, at[k] - before, c);
    }
    return own;
}

static void records_put(const struct tamis_bytes *in, size_t count, size_t columns, double *to)
{
    const double *record = in->at;
    for (size_t i = 0; i < in->n / sizeof *record / (columns + 1); i++, record += columns + 1)
        for (size_t c = 0; c < columns; c++) to[(size_t)*record + count * c] = record[1 + c];
}

int sift_spread_fetch(const struct tamis_spread *s, size_t n, const size_t *at, size_t count,
                      const struct sift_source *from, double *to)
{
    size_t before, all, own = 0, ranks = tamis_spread_shared(s) ? (size_t)s->ranks : 0;
    int status = sift_spread_count(s, n, &before, &all);
    if (status || !ranks) {
        for (size_t c = 0; c < from->columns && !status; c++)
            for (size_t k = 0; k < count; k++) to[k + count * c] = source_value(from, at[k], c);
        return status;
    }
    for (size_t k = 0; k < count; k++) own += at[k] >= before && at[k] < before + n;
    double *record = tamis_raw(s->cx, double, own * (from->columns + 1) + 1);
    struct tamis_bytes *out = tamis_new(s->cx, struct tamis_bytes, 2 * ranks), *in = out + ranks;
    status = tamis_status(s->cx);
    if (!status) records_fill(at, count, before, n, from, record);
    for (size_t k = 0; k < ranks && !status; k++)
        out[k] = (struct tamis_bytes){record, own * (from->columns + 1) * sizeof *record};
    if (!status) status = tamis_spread_deal(s, out, in);
    for (size_t k = 0; k < ranks && out; k++) {
        if (!status) records_put(&in[k], count, from->columns, to);
        tamis_free(in[k].at);
    }
    tamis_free(record);
    tamis_free(out);
    return status;
}

/* ---- ranks ---- */

/* Adds the values of another process, sorted as well. */
static void below_add(const double *sorted, size_t n, const double *other, size_t m, size_t *below, size_t *here)
{
    size_t less = 0, up = 0;
    for (size_t i = 0; i < n; i++) {
        while (less < m && other[less] < sorted[i]) less++;
        if (up < less) up = less;
        while (up < m && other[up] == sorted[i]) up++;
        below[i] += less;
        here[i] += up - less;
    }
}

int sift_spread_below(const struct tamis_spread *s, const double *sorted, size_t n, size_t *below, size_t *here)
{
    struct tamis_bytes visitor = {tamis_raw(s->cx, double, n + 1), n * sizeof *sorted};
    int status = visitor.at ? TAMIS_OK : tamis_status(s->cx);
    memset(below, 0, n * sizeof *below);
    memset(here, 0, n * sizeof *here);
    if (!status && n) memcpy(visitor.at, sorted, visitor.n);
    for (int k = 0; k < s->ranks && !status; k++) {
        below_add(sorted, n, visitor.at, visitor.n / sizeof *sorted, below, here);
        if (k + 1 < s->ranks) status = tamis_spread_turn(s, &visitor);
    }
    tamis_free(visitor.at);
    return status;
}

struct middle { double x[2]; int has[2]; };

/* The values of ranks (all - 1) / 2 and all / 2, as far as this process has them. */
static struct middle middle_of(const double *sorted, size_t n, size_t all, const size_t *below, const size_t *here)
{
    struct middle m = {{0, 0}, {0, 0}};
    for (size_t i = 0; i < n; i++)
        for (size_t k = 0; k < 2; k++) {
            size_t rank = (all - 1 + k) / 2;
            if (below[i] <= rank && rank < below[i] + here[i]) m.x[k] = sorted[i], m.has[k] = 1;
        }
    return m;
}

int sift_spread_median(const struct tamis_spread *s, double *v, size_t n, double *median)
{
    size_t before, all, *below = tamis_raw(s->cx, size_t, 2 * n + 1);
    struct middle *of = tamis_new(s->cx, struct middle, (size_t)s->ranks), own;
    double x[2] = {0, 0};
    int status = tamis_status(s->cx);
    qsort(v, n, sizeof *v, tamis_by_value);
    if (!status) status = sift_spread_count(s, n, &before, &all);
    if (!status) status = sift_spread_below(s, v, n, below, below + n);
    if (!status) own = middle_of(v, n, all, below, below + n);
    if (!status) status = tamis_spread_gather(s, &own, sizeof own, of);
    for (int k = 0; k < s->ranks && !status; k++)
        for (size_t j = 0; j < 2; j++)
            if (of[k].has[j]) x[j] = of[k].x[j];
    if (!status) *median = tamis_median(x, 2);
    tamis_free(below);
    tamis_free(of);
    return status;
}
