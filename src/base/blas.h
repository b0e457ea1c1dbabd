/* The BLAS: its kernels, its buffers, its threads.
 *
 * Built with -Dblas=own (the default), the library contains its own serial OpenBLAS with hidden symbols: nothing in the
 * process shares it, its kernels are chosen by the CPU's features, it reads nothing from the environment but
 * OPENBLAS_CORETYPE, and it never prints or waits.
 * Built with -Dblas=system, it calls the BLAS of the process, which uses one thread while a run is under way. */
#ifndef TAMIS_BLAS_H
#define TAMIS_BLAS_H

#include <setjmp.h>
#include "base/base.h"

/* Around every public call that computes: reserves memory for the kernels of this thread, or fails with TAMIS_MEMORY.
 * The BLAS of the process is serial from the first begin to the last end, whichever threads call them. Every begin that
 * returns TAMIS_OK must have its end. */
int tamis_blas_begin(tamis_context *cx);
void tamis_blas_end(void);

/* Memory for the kernels of this thread, freed when the thread ends; nonzero: there is none. */
int tamis_blas_reserve(void);

/* A way out of a routine of LAPACK, which may run for seconds: between open and close, its next call of a BLAS routine
 * jumps there if tamis_halted(). Not with -Dblas=system. */
struct tamis_blas_exit { jmp_buf to; int used[2]; };
jmp_buf *tamis_blas_exit_open(struct tamis_blas_exit *e);
void tamis_blas_exit_close(struct tamis_blas_exit *e);

/* Kernel sets are numbered from the best; a CPU that can execute one can execute all that follow. The number of the one
 * in use, and another: 0 if it is in use now. Before any run, and not with -Dblas=system, which has only number 0. */
int tamis_blas_kernels(void);
int tamis_blas_use(int kernels);

#endif
