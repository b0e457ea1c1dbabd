/* Bytes from one rank to another, at the same time as others come in: their number, then pieces. */
#include <string.h>
#include "ranks.h"

static const size_t piece_most = (size_t)1 << 28;

/* Messages that others still send are received where the run has failed, so that nobody waits for that. */
static void sent(struct tamis_mpi *m, tamis_context *cx, MPI_Request *r)
{
    struct tamis_mpi_pause p = {0};
    int done = 0;
    while (MPI_Test(r, &done, MPI_STATUS_IGNORE), !done) {
        if (tamis_mpi_look(m, cx)) tamis_mpi_drain(m);
        tamis_mpi_pause(&p);
    }
}

static int received(struct tamis_mpi *m, tamis_context *cx, int from, void *bytes, size_t n)
{
    struct tamis_mpi_pause p = {0};
    int there = 0, status = TAMIS_OK;
    while (!status && !there) {
        MPI_Iprobe(from, TAMIS_MPI_PASS, m->talk, &there, MPI_STATUS_IGNORE);
        if (there) break;
        status = tamis_mpi_look(m, cx);
        tamis_mpi_pause(&p);
    }
    if (!status) MPI_Recv(bytes, (int)n, MPI_BYTE, from, TAMIS_MPI_PASS, m->talk, MPI_STATUS_IGNORE);
    return status;
}

/* One message each way; n or ins 0: none. */
static int swap(struct tamis_mpi *m, tamis_context *cx, int to, const void *out, size_t n, int from, void *in,
                size_t ins)
{
    MPI_Request r = MPI_REQUEST_NULL;
    if (n) MPI_Isend(out, (int)n, MPI_BYTE, to, TAMIS_MPI_PASS, m->talk, &r);
    int status = ins ? received(m, cx, from, in, ins) : TAMIS_OK;
    sent(m, cx, &r);
    return status ? status : tamis_mpi_alarmed(m, cx);
}

static size_t piece(size_t n, size_t at) { return at >= n ? 0 : n - at < piece_most ? n - at : piece_most; }

int tamis_mpi_exchange(void *self, tamis_context *cx, int to, const void *out, size_t n, int from, void **in,
                       size_t *ins)
{
    struct tamis_mpi *m = self;
    uint64_t mine = n, theirs = 0;
    *in = NULL;
    *ins = 0;
    int status = swap(m, cx, to, &mine, to < 0 ? 0 : sizeof mine, from, &theirs, from < 0 ? 0 : sizeof theirs);
    if (to < 0) n = 0;
    if (!status && from >= 0 && !(*in = tamis_raw(cx, char, (size_t)theirs + 1))) status = TAMIS_MEMORY;
    for (size_t at = 0; !status && (at < n || at < theirs); at += piece_most)
        status = swap(m, cx, to, (const char *)out + at, piece(n, at), from, (char *)*in + at,
                      piece((size_t)theirs, at));
    if (status) tamis_free(*in), *in = NULL;
    else *ins = (size_t)theirs;
    return status;
}
