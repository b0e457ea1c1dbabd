/* Quickselect with the median of three as the pivot (C. A. R. Hoare, Algorithm 65: Find, Comm. ACM 4, 1961). */
#include "num/order.h"

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
