/* Stopping: the first SIGINT or SIGTERM asks the run to stop between two pieces of work. A piece may be one large
 * factorisation, so a timer ends the program when that takes too long: the checkpoint on disk is whole at every
 * moment. */
#include <signal.h>
#include <string.h>
#include <sys/time.h>
#include <unistd.h>
#include "cli.h"

static tamis_context *volatile running;
static volatile sig_atomic_t stop;

static void out_of_patience(int signal)
{
    static const char sentence[] = "tamis: stopped\n";
    (void)signal;
    if (write(STDERR_FILENO, sentence, sizeof sentence - 1) < 0) _exit(130);
    _exit(130);
}

static void asked(int signal)
{
    struct itimerval soon = {{0, 0}, {0, 700000}};
    (void)signal;
    if (stop) _exit(130);
    stop = 1;
    tamis_cancel(running);
    setitimer(ITIMER_REAL, &soon, NULL);
}

void cli_signals(tamis_context *cx)
{
    struct sigaction a;
    running = cx;
    memset(&a, 0, sizeof a);
    a.sa_handler = asked;
    sigaction(SIGINT, &a, NULL);
    sigaction(SIGTERM, &a, NULL);
    a.sa_handler = out_of_patience;
    sigaction(SIGALRM, &a, NULL);
}
