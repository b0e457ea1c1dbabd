/* The first SIGINT, SIGTERM, SIGHUP or SIGXCPU asks the run to stop between two pieces of work; a second one ends the
 * program at once. A piece may be one large factorisation, so a timer ends the program if it takes too long: the
 * checkpoint on disk is complete at every moment, and an output without its name vanishes with the process.
 *
 * What was ignored when the program started (nohup, a background job) stays ignored. SIGPIPE and SIGXFSZ are ignored:
 * the write fails, and says why. */
#include <fcntl.h>
#include <limits.h>
#include <signal.h>
#include <string.h>
#include <sys/time.h>
#include <unistd.h>
#include "cli.h"

static tamis_context *volatile running;
static volatile sig_atomic_t stop, told;        /* asked to stop; its line is written */
static tamis_output *volatile writing;
static char stopped[PATH_MAX + 64] = "tamis: stopped\n";

void cli_signals_advice(const struct cli *c)
{
    const char *checkpoint = cli_option(c, "checkpoint");
    if (!cli_takes(c->command, "checkpoint")) return;
    if (checkpoint)
        snprintf(stopped, sizeof stopped - 1, "tamis: stopped; repeat the command to resume from %s", checkpoint);
    else strcpy(stopped, "tamis: stopped; use --checkpoint FILE to be able to resume a run");
    strcat(tamis_printable(stopped), "\n");
}

void cli_say_stopped(void)
{
    if (told++ || write(STDERR_FILENO, stopped, strlen(stopped)) < 0) return;
}

static void end_now(int signal)
{
    (void)signal;
    tamis_output_abandon(writing);
    cli_say_stopped();
    _exit(130);
}

static void on_stop(int signal)
{
    struct itimerval soon = {{0, 0}, {0, 700000}};
    if (stop || !running) end_now(signal);
    stop = 1;
    tamis_cancel(running);
    setitimer(ITIMER_REAL, &soon, NULL);
}

static void handle(int signal, void (*handler)(int))
{
    struct sigaction a, before;
    memset(&a, 0, sizeof a);
    a.sa_handler = handler;
    if (!sigaction(signal, NULL, &before) && before.sa_handler == SIG_IGN) return;
    sigaction(signal, &a, NULL);
}

void cli_signals(void)
{
    static const int stops[] = {SIGINT, SIGTERM, SIGHUP, SIGXCPU};
    for (size_t i = 0; i < sizeof stops / sizeof *stops; i++) handle(stops[i], on_stop);
    handle(SIGALRM, end_now);
    handle(SIGPIPE, SIG_IGN);
    handle(SIGXFSZ, SIG_IGN);
}

void cli_signals_stop(tamis_context *cx) { running = cx; }
void cli_signals_output(tamis_output *o) { writing = o; }

void cli_descriptors(void)
{
    for (int fd = STDIN_FILENO; fd <= STDERR_FILENO; fd++)
        if (fcntl(fd, F_GETFD) < 0 && open("/dev/null", fd ? O_RDONLY : O_WRONLY) != fd) _exit(1);
}
