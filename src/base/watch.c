/* Who asks for a stop, and how often: watch.h. */
#include "base/context.h"
#include "base/watch.h"

static const double enough = 1e6;               /* operations between two looks at the clock: less than 1 ms */
static const double patience = 0.01;            /* seconds between two questions to the callback */

static _Thread_local struct tamis_watch mine;

struct tamis_watch tamis_watch_begin(tamis_context *cx)
{
    struct tamis_watch before = mine;
    mine = (struct tamis_watch){.cx = cx};
    return before;
}

void tamis_watch_end(struct tamis_watch before) { mine = before; }
int tamis_watching(const tamis_context *cx) { return mine.cx == cx; }
int tamis_stopped(const tamis_context *cx) { return tamis_status(cx) == TAMIS_STOPPED ? TAMIS_STOPPED : TAMIS_OK; }
void tamis_watch_set(tamis_context *cx, enum tamis_watching how) { cx->watching = how; }

static int look(struct tamis_watch *w)
{
    double now = tamis_clock();
    w->work = 0;
    if (w->cx->watching == TAMIS_WATCH_NEVER) return 0;
    if (now - w->looked < patience && w->cx->watching == TAMIS_WATCH_CLOCK) return 0;
    w->looked = now;
    if (!tamis_cancelled(w->cx)) return 0;
    tamis_stop(w->cx);
    return w->halted = 1;
}

int tamis_halted(double flops)
{
    struct tamis_watch *w = &mine;
    if (!w->cx || w->halted) return w->halted;
    w->work += flops;
    return (w->work >= enough || w->cx->watching) && look(w);
}
