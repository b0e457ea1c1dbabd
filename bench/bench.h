/* What the benchmarks share: processor time of the process, zeroed memory or the end, medians, and the BLAS kernels
 * that the command line would choose. */
#ifndef TAMIS_BENCH_H
#define TAMIS_BENCH_H

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>
#include "base/parallel.h"

static inline double bench_clock(void)
{
    struct timespec t;
    clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &t);
    return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

/* Zeroed doubles, aligned to a cache line. */
static inline double *bench_room(size_t count)
{
    size_t bytes = (count * sizeof(double) + 127) / 64 * 64;
    double *p = aligned_alloc(64, bytes);
    if (!p) {
        fputs("bench: out of memory\n", stderr);
        exit(1);
    }
    return memset(p, 0, bytes);
}

static inline int bench_compare(const void *a, const void *b)
{
    double x = *(const double *)a, y = *(const double *)b;
    return (x > y) - (x < y);
}

static inline double bench_median(double *x, size_t n)
{
    qsort(x, n, sizeof *x, bench_compare);
    return x[n / 2];
}

#endif
