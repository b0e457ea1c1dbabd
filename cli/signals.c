/* The first SIGINT or SIGTERM asks the run to stop between two pieces of work; a second one ends the program at once.
 * A piece may be one large factorisation, so a timer ends the program if it takes too long: the checkpoint on disk is
 * complete at every moment. */
#include <signal.h>
#include <string.h>
#include <sys/time.h>
#include <unistd.h>
#include "cli.h"

static tamis_context *volatile running;
static volatile sig_atomic_t stop;

static void on_timer(int signal)
{
    static const char sentence[] = "tamis: stopped\n";
    (void)signal;
    if (write(STDERR_FILENO, sentence, sizeof sentence - 1) < 0) _exit(130);
    _exit(130);
}

static void on_stop(int signal)
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
    a.sa_handler = on_stop;
    sigaction(SIGINT, &a, NULL);
    sigaction(SIGTERM, &a, NULL);
    a.sa_handler = on_timer;
    sigaction(SIGALRM, &a, NULL);
}
