/* tamis-mpi: the command line in every process of MPI. Rank 0 prints and writes files; the others follow it in silence,
 * and mpirun ends with its exit code. Commands that are not spread over processes are run by rank 0 alone. */
#include <fcntl.h>
#include <unistd.h>
#include "cli.h"
#include "tamis-mpi.h"

static tamis_mpi *ranks;

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
