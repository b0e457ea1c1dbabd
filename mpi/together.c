/* tamis-mpi: the command line in every process of MPI. Rank 0 prints and writes files; the others follow it in silence,
 * and mpirun ends with its exit code. Commands that are not spread over processes are run by rank 0 alone. */
#include <fcntl.h>
#include <stdlib.h>
#include <unistd.h>
#include "cli.h"
#include "tamis-mpi.h"

static tamis_mpi *ranks;

/* Of the first variable that is set; 0: none is. */
static int number_of(const char *const *name)
{
    for (; *name; name++)
        if (getenv(*name)) return atoi(getenv(*name));
    return 0;
}

/* Processes whose launcher speaks to another MPI each believe to be alone, and would all write the same files. */
static void check_launcher(void)
{
    static const char *const size[] = {"OMPI_COMM_WORLD_SIZE", "PMI_SIZE", "SLURM_STEP_NUM_TASKS", NULL},
                      *const rank[] = {"OMPI_COMM_WORLD_RANK", "PMI_RANK", "SLURM_PROCID", NULL};
    int alone, started = number_of(size);
    MPI_Comm_size(MPI_COMM_WORLD, &alone);
    if (alone > 1 || started < 2) return;
    if (!number_of(rank))
        cli_say("this is one of %d processes that do not know of each other; start them with the mpirun of their MPI, "
                "or srun --mpi=pmix (Open MPI) or --mpi=pmi2 (MPICH)", started);
    MPI_Finalize();
    exit(tamis_exit_code(TAMIS_USAGE));
}

static void fail(const char *sentence)
{
    cli_say("%s", sentence);
    MPI_Abort(MPI_COMM_WORLD, tamis_exit_code(TAMIS_SYSTEM));
}

static void be_silent(void)
{
    int nowhere = open("/dev/null", O_WRONLY);
    if (nowhere < 0) return;
    dup2(nowhere, STDOUT_FILENO);
    dup2(nowhere, STDERR_FILENO);
    close(nowhere);
}

void cli_ranks_begin(int *argc, char ***argv)
{
    int given;
    MPI_Init_thread(argc, argv, MPI_THREAD_SERIALIZED, &given);
    if (given < MPI_THREAD_SERIALIZED) fail("this MPI has no threads; install one that was built with them");
    check_launcher();
    if (!(ranks = tamis_mpi_new(MPI_COMM_WORLD))) fail("out of memory");
    if (cli_follows()) be_silent();
}

int cli_follows(void) { return tamis_mpi_rank(ranks) > 0; }

int cli_ranks_join(struct cli *c)
{
    if (cli_option(c, "shard"))
        return cli_usage(c, "--shard is for processes that cannot talk to each other; leave it out in tamis-mpi");
    int status = tamis_mpi_join(ranks, c->cx);
    return status ? cli_fail(c, status) : TAMIS_OK;
}

void cli_ranks_leave(struct cli *c, int status) { tamis_mpi_leave(ranks, c->cx, status); }

/* Where another rank ends with a code other than 0, mpirun kills rank 0 before it has ended. */
int cli_ranks_end(int code)
{
    int follows = cli_follows();
    code = tamis_mpi_end(ranks, code);
    MPI_Finalize();
    return follows ? 0 : code;
}
