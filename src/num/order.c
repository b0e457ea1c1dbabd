/* Quickselect with the median of three as the pivot (C. A. R. Hoare, Algorithm 65: Find, Comm. ACM 4, 1961). */
#include "num/order.h"

#include <string.h>

int tamis_by_value(const void *a, const void *b)
{
    double x = *(const double *)a, y = *(const double *)b;
    return (x > y) - (x < y);
}

int tamis_by_place(const void *a, const void *b)
{
    const struct tamis_place *p = a, *q = b;
    return p->x != q->x ? (p->x > q->x) - (p->x < q->x) : (p->i > q->i) - (p->i < q->i);
}

/* ---- ranks, by a radix sort from the last byte of the bits to the first ---- */

enum { BYTES = 8, VALUES = 256 };

/* Unsigned numbers that compare as the doubles do; -0 is 0. */
static uint64_t key_of(double x)
{
    uint64_t bits;
    x += 0.0;
    memcpy(&bits, &x, sizeof bits);
    return bits >> 63 ? ~bits : bits | (uint64_t)1 << 63;
}

/* Into `to` by one byte, whose values occur count[] times; 0: all are the same. */
static int pass(const struct tamis_digits *from, size_t n, int byte, const uint32_t *count, struct tamis_digits *to)
{
    uint32_t at[VALUES], sum = 0;
    for (size_t v = 0; v < VALUES; v++) {
        if (count[v] == n) return 0;
        at[v] = sum;
        sum += count[v];
    }
    for (size_t i = 0; i < n; i++) to[at[from[i].key >> 8 * byte & 0xff]++] = from[i];
    return 1;
}

/* One of the two halves of work, sorted. */
static struct tamis_digits *sorted(size_t n, struct tamis_digits *work)
{
    uint32_t count[BYTES][VALUES] = {{0}};
    struct tamis_digits *from = work, *to = work + n;
    for (size_t i = 0; i < n; i++)
        for (int b = 0; b < BYTES; b++) count[b][from[i].key >> 8 * b & 0xff]++;
    for (int b = 0; b < BYTES; b++) {
        if (!pass(from, n, b, count[b], to)) continue;
        struct tamis_digits *t = from;
        from = to;
        to = t;
    }
    return from;
}

size_t tamis_order_ranks(const double *x, size_t step, size_t n, struct tamis_digits *work, uint32_t *below,
                         uint32_t *row)
{
    size_t values = 0;
    for (size_t i = 0; i < n; i++) work[i] = (struct tamis_digits){key_of(x[i * step]), (uint32_t)i};
    const struct tamis_digits *at = sorted(n, work);
    for (size_t k = 0; k < n; k++) {
        values += !k || at[k].key != at[k - 1].key;
        below[at[k].row] = (uint32_t)(values - 1);
        row[k] = at[k].row;
    }
    return values;
}

size_t tamis_quantile_rank(size_t n, size_t per_mille)
{
    size_t rank = (per_mille * n + 500) / 1000;
    return rank > 0 ? rank : 1;
}

static void swap(double *a, double *b)
{
    double t = *a;
    *a = *b;
    *b = t;
}

/* Median of the first, the middle and the last of a[i..j], which are put in order: sorted and constant columns are
 * split in half. */
static double pivot_of(double *a, size_t i, size_t j)
{
    size_t middle = i + (j - i) / 2;
    if (a[middle] < a[i]) swap(a + middle, a + i);
    if (a[j] < a[i]) swap(a + j, a + i);
    if (a[j] < a[middle]) swap(a + j, a + middle);
    return a[middle];
}

double tamis_select_rank(double *a, size_t n, size_t k)
{
    size_t low = 0, high = n - 1;
    while (low < high) {
        double pivot = pivot_of(a, low, high);
        size_t i = low, j = high;
        for (;;) {
            while (a[i] < pivot) i++;
            while (pivot < a[j]) j--;
            if (i >= j)
                break;
            swap(a + i++, a + j--);
        }
        if (k <= j && i > j)
            high = j;
        else if (k >= i && i > j)
            low = i;
        else if (i == j && k != i)
            *(k < i ? &high : &low) = k < i ? i - 1 : i + 1;
        else
            break;
    }
    return a[k];
}

double tamis_median(double *a, size_t n)
{
    double upper = tamis_select_rank(a, n, n / 2), lower = upper;
    if (n % 2 == 0)
        lower = tamis_select_rank(a, n / 2, n / 2 - 1);
    return 0.5 * (lower + upper);
}
