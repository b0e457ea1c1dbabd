/* Meetings, alarms, shared bytes: see ranks.h. */
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include "base/format.h"
#include "ranks.h"

/* ---- waiting and messages ---- */

void tamis_mpi_pause(struct tamis_mpi_pause *p)
{
    static const long first = 2000, longest = 1000000;
    p->nanoseconds = p->nanoseconds ? p->nanoseconds + p->nanoseconds / 4 : first;
    if (p->nanoseconds > longest) p->nanoseconds = longest;
    nanosleep(&(struct timespec){0, p->nanoseconds}, NULL);
}

static void alarm_send(struct tamis_mpi *m, int to)
{
    MPI_Send(&m->alarm, sizeof m->alarm, MPI_BYTE, to, TAMIS_MPI_ALARM, m->talk);
}

/* Rank 0 tells all, the others tell rank 0. */
static void alarm_pass(struct tamis_mpi *m, int from)
{
    if (m->rank) alarm_send(m, 0);
    for (int k = 1; k < m->size && !m->rank; k++)
        if (k != from) alarm_send(m, k);
}

static void alarm_keep(struct tamis_mpi *m, int status, const char *sentence)
{
    memset(&m->alarm, 0, sizeof m->alarm);
    m->alarm.status = status;
    tamis_snprintf(m->alarm.sentence, sizeof m->alarm.sentence, "%s", sentence);
    atomic_store(&m->alarmed, 1);
}

/* Rank 0 speaks for all, and says whose failure it is. */
void tamis_mpi_raise(struct tamis_mpi *m, int status, const char *sentence)
{
    char whose[sizeof m->alarm.sentence];
    if (atomic_load(&m->alarmed)) return;
    tamis_snprintf(whose, sizeof whose, "rank %d on %s: %s", m->rank, m->host[m->rank],
                   *sentence ? sentence : "failed");
    alarm_keep(m, status, m->rank ? whose : sentence);
    alarm_pass(m, m->rank);
}

/* The first alarm counts. */
void tamis_mpi_hear(struct tamis_mpi *m, const MPI_Status *alarm)
{
    struct tamis_mpi_alarm a;
    MPI_Recv(&a, sizeof a, MPI_BYTE, alarm->MPI_SOURCE, TAMIS_MPI_ALARM, m->talk, MPI_STATUS_IGNORE);
    if (atomic_load(&m->alarmed)) return;
    a.sentence[sizeof a.sentence - 1] = 0;
    alarm_keep(m, a.status, a.sentence);
    if (!m->rank) alarm_pass(m, alarm->MPI_SOURCE);
}

static void listen(struct tamis_mpi *m)
{
    int there;
    MPI_Status s;
    MPI_Iprobe(MPI_ANY_SOURCE, TAMIS_MPI_ALARM, m->talk, &there, &s);
    if (there) tamis_mpi_hear(m, &s);
}

int tamis_mpi_alarmed(const struct tamis_mpi *m, tamis_context *cx)
{
    return atomic_load(&m->alarmed) ? tamis_fail(cx, m->alarm.status, "%s", m->alarm.sentence) : TAMIS_OK;
}

/* A stop that was asked for here is one for all. */
int tamis_mpi_look(struct tamis_mpi *m, tamis_context *cx)
{
    listen(m);
    int status = tamis_mpi_alarmed(m, cx);
    if (!status && (status = tamis_check_cancel(cx))) tamis_mpi_raise(m, status, tamis_error(cx));
    return status;
}

/* At the end, messages that nobody wants any more are received, so that nobody waits for them to be. */
void tamis_mpi_drain(struct tamis_mpi *m)
{
    int there, n;
    MPI_Status s;
    MPI_Iprobe(MPI_ANY_SOURCE, MPI_ANY_TAG, m->talk, &there, &s);
    if (there && s.MPI_TAG == TAMIS_MPI_ALARM) tamis_mpi_hear(m, &s);
    if (!there || s.MPI_TAG == TAMIS_MPI_ALARM) return;
    MPI_Get_count(&s, MPI_BYTE, &n);
    void *bytes = malloc((size_t)n + 1);
    if (bytes) MPI_Recv(bytes, n, MPI_BYTE, s.MPI_SOURCE, s.MPI_TAG, m->talk, MPI_STATUS_IGNORE);
    free(bytes);
}

void tamis_mpi_wait(struct tamis_mpi *m, MPI_Request *request)
{
    struct tamis_mpi_pause p = {0};
    int done = 0;
    while (MPI_Test(request, &done, MPI_STATUS_IGNORE), !done) {
        if (m->cx) tamis_mpi_look(m, m->cx);
        else tamis_mpi_drain(m);
        tamis_mpi_pause(&p);
    }
}

/* ---- meetings ---- */

static void gather_seats(struct tamis_mpi *m, struct tamis_mpi_seat mine)
{
    MPI_Request r;
    MPI_Iallgather(&mine, sizeof mine, MPI_BYTE, m->seat, sizeof mine, MPI_BYTE, m->together, &r);
    tamis_mpi_wait(m, &r);
}

/* The first rank whose seat differs from that of rank 0; size: none does. */
static int first_other(const struct tamis_mpi *m)
{
    int k = 1;
    while (k < m->size && !memcmp(&m->seat[k], &m->seat[0], sizeof *m->seat)) k++;
    return k;
}

static int first_ending(const struct tamis_mpi *m)
{
    int k = 0;
    while (k < m->size && m->seat[k].wish != TAMIS_MPI_END) k++;
    return k;
}

/* A rank has ended: its alarm is under way. */
static int ended(struct tamis_mpi *m, tamis_context *cx, int rank)
{
    struct tamis_mpi_pause p = {0};
    char sentence[MPI_MAX_PROCESSOR_NAME + 96];
    for (int tries = 0; tries < 3000 && !atomic_load(&m->alarmed); tries++) {
        listen(m);
        tamis_mpi_pause(&p);
    }
    tamis_snprintf(sentence, sizeof sentence, "rank %d on %s ended before the others", rank, m->host[rank]);
    if (!atomic_load(&m->alarmed)) alarm_keep(m, TAMIS_SYSTEM, sentence);
    return tamis_mpi_alarmed(m, cx);
}

int tamis_mpi_meet(struct tamis_mpi *m, tamis_context *cx, struct tamis_mpi_seat mine, const char *what)
{
    char sentence[2 * MPI_MAX_PROCESSOR_NAME + 256];
    gather_seats(m, mine);
    int ending = first_ending(m), other = first_other(m);
    if (ending < m->size) return ended(m, cx, ending);
    if (other == m->size) return TAMIS_OK;
    tamis_snprintf(sentence, sizeof sentence,
                   "rank 0 on %s and rank %d on %s differ in %s: their CPUs round differently; use nodes of one kind",
                   m->host[0], other, m->host[other], what);
    alarm_keep(m, TAMIS_SYSTEM, sentence);              /* all ranks come to the same */
    return tamis_mpi_alarmed(m, cx);
}

void tamis_mpi_broadcast(struct tamis_mpi *m, void *bytes, size_t n)
{
    static const size_t piece = (size_t)1 << 28;
    for (size_t at = 0; at < n; at += piece) {
        MPI_Request r;
        MPI_Ibcast((char *)bytes + at, (int)(n - at < piece ? n - at : piece), MPI_BYTE, 0, m->together, &r);
        tamis_mpi_wait(m, &r);
    }
}

int tamis_mpi_share(void *self, tamis_context *cx, int status, void *bytes, size_t n)
{
    struct tamis_mpi *m = self;
    if (status) tamis_mpi_raise(m, status, tamis_error(cx));
    if (!status) status = tamis_mpi_meet(m, cx, (struct tamis_mpi_seat){TAMIS_MPI_SHARE, n, 0}, "the files read");
    if (!status) tamis_mpi_broadcast(m, bytes, n);
    return status;
}

/* ---- the runner ---- */

static int poll(void *self, tamis_context *cx)
{
    struct tamis_mpi *m = self;
    static const double often = 0.02;
    if (m->deal) return tamis_mpi_deal_poll(m->deal, cx);
    if (tamis_clock() - m->heard > often) {
        listen(m);
        m->heard = tamis_clock();
    }
    return tamis_mpi_alarmed(m, cx) != TAMIS_OK;
}

static struct tamis_mpi *ranks_free(struct tamis_mpi *m)
{
    if (m) free(m->seat), free(m->host);
    free(m);
    return NULL;
}

struct tamis_mpi *tamis_mpi_new(MPI_Comm comm)
{
    int length;
    struct tamis_mpi *m = calloc(1, sizeof *m);
    if (!m) return NULL;
    MPI_Comm_rank(comm, &m->rank);
    MPI_Comm_size(comm, &m->size);
    m->seat = calloc((size_t)m->size, sizeof *m->seat);
    m->host = calloc((size_t)m->size, sizeof *m->host);
    if (!m->seat || !m->host) return ranks_free(m);
    MPI_Comm_dup(comm, &m->talk);
    MPI_Comm_dup(comm, &m->together);
    MPI_Get_processor_name(m->host[m->rank], &length);
    MPI_Allgather(MPI_IN_PLACE, 0, MPI_DATATYPE_NULL, m->host, sizeof *m->host, MPI_BYTE, comm);
    m->runner = (struct tamis_runner){.self = m, .loop = tamis_mpi_loop, .share = tamis_mpi_share, .poll = poll,
                                      .follows = m->rank > 0, .rank = m->rank, .ranks = m->size,
                                      .exchange = tamis_mpi_exchange};
    return m;
}

int tamis_mpi_rank(const struct tamis_mpi *m) { return m->rank; }

int tamis_mpi_join(struct tamis_mpi *m, tamis_context *cx)
{
    TAMIS_CALL(cx);
    tamis_cores_set(cx, tamis_mpi_threads(m));
    if (m->size == 1) return TAMIS_OK;
    m->cx = cx;
    int status = tamis_mpi_agree(m, cx);
    if (!status) tamis_runner_set(cx, &m->runner);
    return status;
}

void tamis_mpi_leave(struct tamis_mpi *m, tamis_context *cx, int status)
{
    int alike = *m->common && strstr(tamis_error(cx), m->common);
    if (status && m->size > 1 && !alike) tamis_mpi_raise(m, status, tamis_error(cx));
    tamis_runner_set(cx, NULL);
    m->cx = NULL;
}

int tamis_mpi_end(struct tamis_mpi *m, int code)
{
    do gather_seats(m, (struct tamis_mpi_seat){TAMIS_MPI_END, 0, 0});
    while (first_other(m) < m->size);
    tamis_mpi_broadcast(m, &code, sizeof code);
    MPI_Comm_free(&m->talk);
    MPI_Comm_free(&m->together);
    ranks_free(m);
    return code;
}
