/* Shared by the benchmarks: processor time, memory, medians. */
#ifndef TAMIS_BENCH_H
#define TAMIS_BENCH_H

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>
#include "base/parallel.h"
#include "num/order.h"

/* Processor seconds of the process. */
static inline double bench_clock(void)
{
    struct timespec t;
    clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &t);
    return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

/* Zeroed doubles, aligned to a cache line; ends the process when there is no memory. */
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

/* Sorts x. */
static inline double bench_median(double *x, size_t n)
{
    qsort(x, n, sizeof *x, tamis_by_value);
    return x[n / 2];
}

#endif
