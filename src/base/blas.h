/* The BLAS below us: its kernels, its buffers, its threads.
 *
 * Built with -Dblas=own (the default), the library carries an OpenBLAS of its own, serial, with hidden symbols: nothing
 * in the process shares it, its kernels are chosen by what the CPU can do, and it takes nothing from the environment
 * but OPENBLAS_CORETYPE, nor ever prints or waits.
 * Built with -Dblas=system it calls the BLAS that the process has, and while a run is under way that BLAS works with
 * one thread. */
#ifndef TAMIS_BLAS_H
#define TAMIS_BLAS_H

#include "base/base.h"

/* Around every public call that computes: memory for the kernels of this thread is there, or TAMIS_MEMORY with its
 * sentence. The BLAS of the process is serial from the first begin to the last end, in whatever threads they are. Every
 * begin that gave TAMIS_OK has its end. */
int tamis_blas_begin(tamis_context *cx);
void tamis_blas_end(void);

/* Memory for the kernels of this thread; nonzero: there is none. It goes with the thread. */
int tamis_blas_reserve(void);

#endif
