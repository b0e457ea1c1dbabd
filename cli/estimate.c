/* From floating point operations to seconds on this machine. */
#include <math.h>
#include <stdlib.h>
#include <time.h>
#include <unistd.h>
#include "cli.h"

/* The estimates of the library count operations of a core that does RATE of them per second and the loop below in
 * LOOP seconds; the same loop on this machine says how fast it is. */
static const double RATE = 20e9, LOOP = 0.0017;
static const double START = 0.01;               /* seconds of the program itself */
static const double parallel = 0.85;            /* share of the work that threads divide */
enum { ROUNDS = 3, SIZE = 1000, PASSES = 500 };

static double cpu_seconds(void)
{
    struct timespec t;
    clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &t);
    return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

/* Seconds of exp and multiplications over a small array: the best of a few rounds. */
static double loop_seconds(void)
{
    double x[SIZE], best = INFINITY;
    for (int round = 0; round < ROUNDS; round++) {
        double began = cpu_seconds();
        for (int i = 0; i < SIZE; i++) x[i] = 0.001 * i;
        for (int k = 0; k < PASSES; k++)
            for (int i = 0; i < SIZE; i++) x[i] = 0.5 * x[i] + exp(-x[i] * x[i]);
        double took = cpu_seconds() - began;
        if (took < best && x[SIZE / 2] > 0) best = took;
    }
    return best;
}

double cli_seconds(double flops, int threads)
{
    static double speed;                        /* measured once */
    if (!(speed > 0)) speed = LOOP / loop_seconds();
    return START + flops / (RATE * speed) * (1 - parallel + parallel / threads);
}

double cli_megabytes(double bytes) { return 9 + bytes / 1e6; }   /* 9: the program itself */

int cli_threads(const struct cli *c)
{
    const char *given = cli_option(c, "threads");
    long cores = sysconf(_SC_NPROCESSORS_ONLN), n = given ? strtol(given, NULL, 10) : 0;
    return (int)(n > 0 ? n : cores > 0 ? cores : 1);
}
