/* The processes of a run, which rank 0 leads.
 *
 * Messages go over `talk`, collective calls over `together`. Every collective call begins with a meeting
 * (tamis_mpi_meet), to which each rank comes with what it wants to do next; so a rank that has failed and wants to end
 * is noticed wherever the others are, and ranks that differ in what they have computed stop instead of waiting for
 * each other. A failure between meetings is an alarm: a message to rank 0, which passes it on to all.
 *
 * Nobody waits by spinning: every wait looks again after a pause that grows to a millisecond. */
#ifndef TAMIS_MPI_RANKS_H
#define TAMIS_MPI_RANKS_H

#include <stdatomic.h>
#include "base/items.h"
#include "tamis-mpi.h"

enum tamis_mpi_tag { TAMIS_MPI_ALARM = 1, TAMIS_MPI_ASK, TAMIS_MPI_DEAL, TAMIS_MPI_ITEM, TAMIS_MPI_PASS };
enum tamis_mpi_wish { TAMIS_MPI_JOIN = 1, TAMIS_MPI_SHARE, TAMIS_MPI_LOOP, TAMIS_MPI_GATHER, TAMIS_MPI_END };

/* What a rank comes to a meeting with. */
struct tamis_mpi_seat { uint64_t wish, key, state; };

/* status, and its sentence */
struct tamis_mpi_alarm { int status; char sentence[1024]; };

struct tamis_mpi_deal;

struct tamis_mpi {
    MPI_Comm talk, together;
    int rank, size;
    struct tamis_mpi_seat *seat;        /* of every rank, at the last meeting */
    char (*host)[MPI_MAX_PROCESSOR_NAME];       /* of every rank */
    tamis_context *cx;                  /* that joined; NULL: none */
    struct tamis_runner runner;
    atomic_int alarmed;                 /* the run has failed, as `alarm` says */
    struct tamis_mpi_alarm alarm;
    char common[1024];                  /* sentence of the last failure that all ranks came to alike */
    double heard;                       /* when messages were last looked for */
    struct tamis_mpi_deal *deal;        /* under way on rank 0, where another thread has the messages; NULL: none */
};

/* All ranks want the same? TAMIS_OK, or how the run failed. what: for the sentence, where their numbers differ. */
int tamis_mpi_meet(struct tamis_mpi *m, tamis_context *cx, struct tamis_mpi_seat mine, const char *what);
void tamis_mpi_broadcast(struct tamis_mpi *m, void *bytes, size_t n);   /* those of rank 0, after a meeting */
int tamis_mpi_share(void *self, tamis_context *cx, int status, void *bytes, size_t n);
int tamis_mpi_loop(void *self, tamis_context *cx, const struct tamis_items *l);        /* deal.c */
/* One rank to one, and one from one (pass.c). */
int tamis_mpi_exchange(void *self, tamis_context *cx, int to, const void *out, size_t n, int from, void **in,
                       size_t *ins);
int tamis_mpi_deal_poll(struct tamis_mpi_deal *d, tamis_context *cx);  /* between pieces of rank 0's own items */

/* ---- messages ---- */

struct tamis_mpi_pause { long nanoseconds; };
void tamis_mpi_pause(struct tamis_mpi_pause *p);
void tamis_mpi_raise(struct tamis_mpi *m, int status, const char *sentence);   /* an alarm, unless there was one */
void tamis_mpi_hear(struct tamis_mpi *m, const MPI_Status *alarm);             /* receives an alarm that is there */
int tamis_mpi_alarmed(const struct tamis_mpi *m, tamis_context *cx);           /* TAMIS_OK, or cx fails like the run */
int tamis_mpi_look(struct tamis_mpi *m, tamis_context *cx);                    /* for an alarm or a stop; a status */
void tamis_mpi_wait(struct tamis_mpi *m, MPI_Request *request);
void tamis_mpi_drain(struct tamis_mpi *m);               /* receives a message that is there and that nobody wants */

/* ---- agree.c ---- */

int tamis_mpi_agree(struct tamis_mpi *m, tamis_context *cx);    /* on kernels; a status */
int tamis_mpi_threads(struct tamis_mpi *m);                     /* of this rank */
uint64_t tamis_mpi_rounding(tamis_context *cx);                 /* a checksum of how this machine rounds */

#endif
