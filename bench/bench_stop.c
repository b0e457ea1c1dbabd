/* How long a run goes on after it was asked to stop: the longest stretch of processor time between two questions of the
 * library to the cancel callback, and the time from its yes to the end of the call. One thread, so that the callback's
 * thread does all the work. usage: bench_stop TABLE ROWS INPUTS SECONDS [--where] [option=value]...
 *
 * TABLE is a name of tamis_generate; useless inputs fill up to INPUTS. --where prints where the stretch was. */
#include <execinfo.h>
#include <signal.h>
#include <sys/time.h>
#include "bench.h"

enum { DEPTH = 40 };

static struct {
    double began, last, longest, asked, budget;
    void *at[DEPTH], *worst[DEPTH];
    int depth, depths, questions;
    void *after[DEPTH];
    int after_depth;
} run;

/* Where the thread is when 60 ms have passed since the last question. */
static void note_place(int signal)
{
    (void)signal;
    if (run.asked > 0) {
        if (!run.after_depth) run.after_depth = backtrace(run.after, DEPTH);
    } else run.depth = backtrace(run.at, DEPTH);
}

static void timer_start(void)
{
    struct itimerval soon = {{0, 0}, {0, 60000}};
    run.depth = 0;
    setitimer(ITIMER_VIRTUAL, &soon, NULL);
}

static int asked(void *user)
{
    double now = bench_clock(), gap = now - run.last;
    (void)user;
    run.questions++;
    if (run.asked > 0) return 1;
    if (gap > run.longest) {
        run.longest = gap;
        memcpy(run.worst, run.at, sizeof run.at);
        run.depths = run.depth;
    }
    run.last = now;
    if (now - run.began > run.budget) run.asked = now;
    timer_start();
    return run.asked > 0;
}

static tamis_table *table(tamis_context *cx, char **argv)
{
    size_t inputs = (size_t)atoi(argv[3]);
    tamis_table *t = NULL;
    tamis_options *o = tamis_options_new(cx);
    char rows[32], useless[32];
    snprintf(rows, sizeof rows, "%s", argv[2]);
    snprintf(useless, sizeof useless, "%zu", inputs > 10 ? inputs - 10 : 0);
    tamis_options_set(o, "rows", rows);
    tamis_options_set(o, "useless", useless);
    if (tamis_table_generate(cx, argv[1], o, &t)) fprintf(stderr, "bench_stop: %s\n", tamis_error(cx));
    tamis_options_free(o);
    return t;
}

static int option_set(tamis_options *o, char *word)
{
    char *value = strchr(word, '=');
    if (value) *value++ = 0;
    return tamis_options_set(o, word, value ? value : "yes");
}

int main(int argc, char **argv)
{
    if (argc < 5) return 2;
    tamis_context *cx = tamis_context_new();
    tamis_options *o = tamis_options_new(cx);
    tamis_result *r = NULL;
    int where = 0, status = 0;
    tamis_table *t = table(cx, argv);
    for (int i = 5; i < argc && t && !status; i++)
        if (!strcmp(argv[i], "--where")) where = 1;
        else status = option_set(o, argv[i]);
    if (!t || status) return fprintf(stderr, "bench_stop: %s\n", tamis_error(cx)), 2;
    run.budget = atof(argv[4]);
    run.began = run.last = bench_clock();
    tamis_context_limits(cx, 1, 0);
    tamis_context_on_cancel(cx, asked, NULL);
    signal(SIGVTALRM, note_place);
    timer_start();
    status = tamis_select(cx, t, NULL, o, &r);
    double end = bench_clock();
    printf("%8.3f s longest  %8.3f s to the end  %6d questions in %.1f s  status %d %s\n", run.longest,
           run.asked > 0 ? end - run.asked : 0, run.questions, end - run.began, status, status ? tamis_error(cx) : "");
    fflush(stdout);
    if (where) backtrace_symbols_fd(run.worst, run.depths, 1), puts("after the stop:"), fflush(stdout);
    if (where) backtrace_symbols_fd(run.after, run.after_depth, 1);
    tamis_result_free(r);
    tamis_table_free(t);
    tamis_options_free(o);
    tamis_context_free(cx);
}
