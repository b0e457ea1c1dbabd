/* Loops over ranks, without a method: results, failures and disagreement. One process of `mpirun -n N loops`; prints
 * what is wrong and ends with 1. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "ranks.h"

enum { ITEMS = 61 };
static int wrong;

#define EXPECT(truth) \
    do \
        if (!(truth)) wrong = 1, fprintf(stderr, "loops.c:%d: %s\n", __LINE__, #truth); \
    while (0)

struct roots {
    tamis_context *cx;
    double root[ITEMS];
    int had[ITEMS], computed, keeps;
    size_t fails[2];            /* these items do */
    int status;                 /* with that */
};

static int root(void *arg, size_t item, int worker)
{
    struct roots *r = arg;
    (void)worker;
    for (int k = 0; k < 2; k++)
        if (item == r->fails[k]) return tamis_fail(r->cx, r->status, "item %zu has no root", item);
    r->root[item] = sqrt((double)item + 0.7);
    __atomic_fetch_add(&r->computed, 1, __ATOMIC_RELAXED);
    return TAMIS_OK;
}

static void root_pack(const void *arg, size_t item, struct tamis_pack *p)
{
    tamis_pack_f64(p, ((const struct roots *)arg)->root[item]);
}

static void root_unpack(void *arg, size_t item, struct tamis_unpack *u)
{
    ((struct roots *)arg)->root[item] = tamis_unpack_f64(u);
}

static int root_has(const void *arg, size_t item) { return ((const struct roots *)arg)->had[item]; }

static int root_keep(void *arg)
{
    ((struct roots *)arg)->keeps++;
    return TAMIS_OK;
}

/* A run of one loop on all ranks; returns its status and keeps the sentence. */
static int loop_run(struct roots *r, struct tamis_items l, char *sentence, size_t room)
{
    tamis_mpi *m = tamis_mpi_new(MPI_COMM_WORLD);
    r->cx = tamis_context_new();
    l.name = "roots", l.count = ITEMS, l.run = root, l.pack = root_pack, l.unpack = root_unpack, l.arg = r;
    l.has = root_has;
    int status = tamis_mpi_join(m, r->cx);
    EXPECT(!status);
    if (!status) status = tamis_items_run(r->cx, &l);
    snprintf(sentence, room, "%s", tamis_error(r->cx));
    tamis_mpi_leave(m, r->cx, status);
    tamis_context_free(r->cx);
    EXPECT(tamis_mpi_end(m, status) >= 0);
    return status;
}

static void all_ranks_have_all_results(int rank, int ranks)
{
    char sentence[1024];
    for (int kind = 0; kind < 4; kind++) {
        struct roots r = {.fails = {ITEMS, ITEMS}, .had = {[4] = 1}};
        struct tamis_items l = {.alone = kind & 1, .keep = kind & 2 ? root_keep : NULL};
        int all = 0;
        EXPECT(loop_run(&r, l, sentence, sizeof sentence) == TAMIS_OK);
        for (size_t i = 0; i < ITEMS; i++) EXPECT(r.root[i] == (i == 4 ? 0 : sqrt((double)i + 0.7)));
        MPI_Allreduce(&r.computed, &all, 1, MPI_INT, MPI_SUM, MPI_COMM_WORLD);
        EXPECT(all == ITEMS - 1);
        EXPECT(!(kind & 2) || r.keeps > (rank ? 0 : ranks == 1));
    }
}

static void the_lowest_failure_is_that_of_all(void)
{
    char sentence[1024];
    for (int alone = 0; alone < 2; alone++) {
        struct roots r = {.fails = {41, 40}, .status = TAMIS_NUMERIC};
        EXPECT(loop_run(&r, (struct tamis_items){.alone = alone}, sentence, sizeof sentence) == TAMIS_NUMERIC);
        EXPECT(!strcmp(sentence, "item 40 has no root") || (!alone && !strcmp(sentence, "item 41 has no root")));
    }
}

/* One rank has no memory for an item, and all of them end. */
static void a_failure_that_stays_ends_the_run(int rank, int ranks)
{
    char sentence[1024];
    struct roots r = {.fails = {7, ITEMS}, .status = TAMIS_MEMORY};
    EXPECT(loop_run(&r, (struct tamis_items){.alone = 1}, sentence, sizeof sentence) == TAMIS_MEMORY);
    EXPECT(strstr(sentence, "item 7 has no root"));
    (void)rank, (void)ranks;
}

static void other_numbers_are_noticed(int rank, int ranks)
{
    char sentence[1024];
    struct roots r = {.fails = {ITEMS, ITEMS}};
    int last = rank == ranks - 1, status = loop_run(&r, (struct tamis_items){.state = 5 + (uint64_t)last}, sentence,
                                                    sizeof sentence);
    if (ranks == 1) return;
    EXPECT(status == TAMIS_SYSTEM && !r.computed);
    EXPECT(strstr(sentence, "rank 0 on ") && strstr(sentence, "differ in : roots 1: their CPUs round differently"));
}

int main(int argc, char **argv)
{
    int given, rank, ranks;
    MPI_Init_thread(&argc, &argv, MPI_THREAD_SERIALIZED, &given);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &ranks);
    all_ranks_have_all_results(rank, ranks);
    the_lowest_failure_is_that_of_all();
    a_failure_that_stays_ends_the_run(rank, ranks);
    other_numbers_are_noticed(rank, ranks);
    MPI_Finalize();
    return wrong;
}
