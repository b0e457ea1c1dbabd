/* libtamis-mpi: the library of tamis.h, whose runs can be spread over the processes of MPI.
 *
 *     int given;
 *     MPI_Init_thread(&argc, &argv, MPI_THREAD_SERIALIZED, &given);
 *     tamis_mpi *m = tamis_mpi_new(MPI_COMM_WORLD);
 *     tamis_context *cx = tamis_context_new();
 *     int status = tamis_mpi_join(m, cx);
 *     ... tamis_table_read, tamis_select: every process makes the same calls ...
 *     tamis_mpi_leave(m, cx, status);
 *     status = tamis_mpi_end(m, status);
 *     MPI_Finalize();
 *
 * All processes have the same results. Rank 0 reads the files and writes them; in the others a call that writes a file
 * does nothing. One group of processes may have one context at a time. */
#ifndef TAMIS_MPI_H
#define TAMIS_MPI_H

#include <mpi.h>
#include "tamis.h"

typedef struct tamis_mpi tamis_mpi;

TAMIS_API tamis_mpi *tamis_mpi_new(MPI_Comm comm);      /* a call of all processes; NULL: no memory */
TAMIS_API int tamis_mpi_rank(const tamis_mpi *m);
/* A call of all processes: from here to tamis_mpi_leave the runs of cx are theirs together. The BLAS kernels become
 * those that all CPUs can execute, with a note where these are not the best of every CPU; a failure if the CPUs still
 * round differently. Sets the number of threads to this process's share of the cores (docs/cluster-mpi.md). */
TAMIS_API int tamis_mpi_join(tamis_mpi *m, tamis_context *cx);
/* status: with what the calls ended here. After a failure, all other processes fail with the same sentence. */
TAMIS_API void tamis_mpi_leave(tamis_mpi *m, tamis_context *cx, int status);
/* A call of all processes, which waits for them; frees m. Returns the code of rank 0. */
TAMIS_API int tamis_mpi_end(tamis_mpi *m, int code);

#endif
