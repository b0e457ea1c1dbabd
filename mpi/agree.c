/* What ranks agree on before a run: BLAS kernels that all CPUs can execute, numbers that all of them round alike, and
 * how many threads each of them has. */
#include <math.h>
#include <sched.h>
#include <stdlib.h>
#include "base/blas.h"
#include "num/cholesky.h"
#include "num/gauss.h"
#include "num/lapack.h"
#include "ranks.h"

/* ---- rounding ---- */

enum { SIDE = 61 };                     /* no multiple of a register's width */

/* Numbers between 0 and 1 with all their digits. */
static void numbers(size_t n, double *x)
{
    for (size_t i = 0; i < n; i++) x[i] = 0.5 + 0.5 * (fmod((double)(i + 1) * 0.6180339887498949, 1) - 0.5);
}

static double power(double x) { return pow(x, 1.7); }

/* Functions of the C library, which has several versions of them. */
static uint64_t functions(size_t n, const double *x, double *y, uint64_t sum)
{
    static double (*const function[])(double) = {exp, expm1, log, log1p, sin, cos, atan, tanh, lgamma, erf, power};
    for (size_t k = 0; k < sizeof function / sizeof *function; k++) {
        for (size_t i = 0; i < n; i++) y[i] = function[k](x[i]);
        sum = tamis_checksum(y, n * sizeof *y, sum);
    }
    return sum;
}

/* Products, a factor, Gaussians and functions, through the code that runs use. */
uint64_t tamis_mpi_rounding(tamis_context *cx)
{
    enum { CELLS = SIDE * SIDE };
    double *a = tamis_raw(cx, double, 3 * CELLS), *b = a + CELLS, *c = b + CELLS;
    if (!a || tamis_blas_begin(cx)) {
        tamis_free(a);
        return 0;
    }
    numbers(2 * CELLS, a);
    tamis_gemm(TRANS, PLAIN, SIDE, SIDE, SIDE, 1, a, SIDE, b, SIDE, 0, c, SIDE);
    tamis_syrk(CblasLower, PLAIN, SIDE, SIDE, 1, a, SIDE, 0, b, SIDE);
    for (size_t i = 0; i < SIDE; i++) b[i * (SIDE + 1)] += 1;
    tamis_cholesky(CblasLower, SIDE, b, SIDE);
    tamis_exp_scale(CELLS, a, 1.3, a);
    a[0] = tamis_dot(CELLS, a, c);
    uint64_t sum = tamis_checksum(a, 3 * CELLS * sizeof *a, 0);
    numbers(CELLS, a);
    sum = functions(CELLS, a, b, sum);
    tamis_blas_end();
    tamis_free(a);
    return sum;
}

/* ---- kernels ---- */

struct kernels { int set, rank; };

/* The best or worst kernel set of any rank, and who has it. */
static struct kernels kernels_of(struct tamis_mpi *m, MPI_Op which)
{
    struct kernels mine = {tamis_blas_kernels(), m->rank}, found;
    MPI_Request r;
    MPI_Iallreduce(&mine, &found, 1, MPI_2INT, which, m->together, &r);
    tamis_mpi_wait(m, &r);
    return found;
}

int tamis_mpi_agree(struct tamis_mpi *m, tamis_context *cx)
{
    int status = tamis_mpi_meet(m, cx, (struct tamis_mpi_seat){TAMIS_MPI_JOIN, 0, 0}, "how they start");
    if (status) return status;
    struct kernels worst = kernels_of(m, MPI_MAXLOC), best = kernels_of(m, MPI_MINLOC);
    if (best.set != worst.set && !tamis_blas_use(worst.set))
        tamis_note(cx, "all ranks use %s kernels in the BLAS, the best that rank %d on %s has", tamis_blas(),
                   worst.rank, m->host[worst.rank]);
    const struct tamis_mpi_seat wish = {TAMIS_MPI_JOIN, 1, tamis_mpi_rounding(cx)};
    if (tamis_status(cx)) return tamis_status(cx);
    return tamis_mpi_meet(m, cx, wish, "the last digits of a test");
}

/* ---- threads ---- */

static int variable(const char *name)
{
    const char *text = getenv(name);
    long n = text ? strtol(text, NULL, 10) : 0;
    return n > 0 && n <= 1024 ? (int)n : 0;
}

/* The cores that this rank may run on, divided among the ranks of this machine that may run on them too. */
static int share_of_cores(struct tamis_mpi *m)
{
    MPI_Comm near;
    cpu_set_t set;
    int ranks[CPU_SETSIZE] = {0}, most = 1;             /* that may run on each core */
    CPU_ZERO(&set);
    if (sched_getaffinity(0, sizeof set, &set)) CPU_SET(0, &set);
    for (int k = 0; k < CPU_SETSIZE; k++) ranks[k] = CPU_ISSET(k, &set) != 0;
    MPI_Comm_split_type(m->together, MPI_COMM_TYPE_SHARED, 0, MPI_INFO_NULL, &near);
    MPI_Allreduce(MPI_IN_PLACE, ranks, CPU_SETSIZE, MPI_INT, MPI_SUM, near);
    MPI_Comm_free(&near);
    for (int k = 0; k < CPU_SETSIZE; k++)
        if (CPU_ISSET(k, &set) && ranks[k] > most) most = ranks[k];
    return CPU_COUNT(&set) > most ? CPU_COUNT(&set) / most : 1;
}

int tamis_mpi_threads(struct tamis_mpi *m)
{
    int asked = variable("OMP_NUM_THREADS"), cores = share_of_cores(m);
    if (!asked) asked = variable("SLURM_CPUS_PER_TASK");
    return asked ? asked : cores;
}
