/* A process on its own, which prints and writes what there is. tamis-mpi has mpi/together.c in its place. */
#include "cli.h"

void cli_ranks_begin(int *argc, char ***argv) { (void)argc, (void)argv; }

int cli_follows(void) { return 0; }

int cli_ranks_join(struct cli *c)
{
    (void)c;
    return TAMIS_OK;
}

void cli_ranks_leave(struct cli *c, int status) { (void)c, (void)status; }

int cli_ranks_end(int code) { return code; }
