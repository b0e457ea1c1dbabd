/* The context: error sentence, notes, callbacks, limits. */
#include <stdlib.h>
#include <string.h>
#include <sched.h>
#include <unistd.h>
#include "base/context.h"
#include "base/format.h"
#include "base/limits.h"
#include "base/shard.h"

const char *tamis_version(void) { return TAMIS_VERSION; }

int tamis_exit_code(int status)
{
    static const int code[] = {0, 1, 1, 1, 2, 3, 130};
    return status >= 0 && status <= TAMIS_STOPPED ? code[status] : 1;
}

/* Cores that this process may run on. */
static int cores(void)
{
    cpu_set_t set;
    long all = sched_getaffinity(0, sizeof set, &set) ? sysconf(_SC_NPROCESSORS_ONLN) : CPU_COUNT(&set);
    return all > 1 ? (int)all : 1;
}

tamis_context *tamis_context_new(void)
{
    tamis_context *cx = calloc(1, sizeof *cx);
    if (cx && pthread_mutex_init(&cx->lock, NULL)) {
        free(cx);
        return NULL;
    }
    if (cx) cx->cores = cores(), cx->resident = tamis_resident();
    return cx;
}

void tamis_notes_clear(tamis_context *cx)
{
    for (size_t i = 0; i < cx->notes; i++) free(cx->note[i]);
    cx->notes = cx->told = 0;
}

void tamis_context_free(tamis_context *cx)
{
    if (!cx) return;
    tamis_pool_free(cx->pool);
    tamis_shard_free(cx->items.shard);
    tamis_notes_clear(cx);
    free(cx->note);
    pthread_mutex_destroy(&cx->lock);
    free(cx);
}

/* ---- callbacks ---- */

void tamis_context_on_note(tamis_context *cx, tamis_note_function *note, void *user)
{
    cx->on_note = note;
    cx->note_user = user;
}

void tamis_context_on_progress(tamis_context *cx, tamis_progress_function *progress, void *user)
{
    cx->on_progress = progress;
    cx->progress_user = user;
}

void tamis_context_on_cancel(tamis_context *cx, tamis_cancel_function *cancel, void *user)
{
    cx->on_cancel = cancel;
    cx->cancel_user = user;
    atomic_store(&cx->stopping, 0);
}

/* ---- limits ---- */

void tamis_context_limits(tamis_context *cx, int threads, double bytes)
{
    cx->threads = threads > 0 ? threads : 0;
    cx->bytes = bytes > 0 ? bytes : 0;
    atomic_store(&cx->ceiling, 0);
}

void tamis_cores_set(tamis_context *cx, int cores) { cx->cores = cores; }

int tamis_threads(const tamis_context *cx) { return cx->threads > 0 ? cx->threads : cx->cores; }

const char *tamis_error(const tamis_context *cx) { return cx->error; }

int tamis_status(const tamis_context *cx) { return atomic_load(&cx->status); }

/* ---- errors ---- */

static void forget(tamis_context *cx)
{
    atomic_store(&cx->status, TAMIS_OK);
    cx->error[0] = 0;
    cx->refused = 0;
}

tamis_context *tamis_call_begin(tamis_context *cx)
{
    if (!atomic_fetch_add(&cx->depth, 1) && !tamis_in_loop()) forget(cx);
    return cx;
}

void tamis_call_end(tamis_context **cx) { atomic_fetch_sub(&(*cx)->depth, 1); }

int tamis_forgive(tamis_context *cx, int before)
{
    int status = tamis_status(cx), stays = (status == TAMIS_MEMORY && !cx->refused) || status == TAMIS_SYSTEM ||
                                           status == TAMIS_STOPPED || status == TAMIS_ELSEWHERE || tamis_in_loop();
    if (before || stays) return status;
    forget(cx);
    return TAMIS_OK;
}

int tamis_items_go_on(tamis_context *cx, int status)
{
    if (status != TAMIS_ELSEWHERE || tamis_status(cx) != TAMIS_ELSEWHERE) return status;
    forget(cx);
    return TAMIS_OK;
}

int tamis_fail(tamis_context *cx, int status, const char *format, ...)
{
    va_list ap;
    pthread_mutex_lock(&cx->lock);
    if (!tamis_status(cx)) {
        va_start(ap, format);
        tamis_vsnprintf(cx->error, sizeof cx->error, format, ap);
        va_end(ap);
        tamis_printable(cx->error);                     /* one line, whatever a file put into a name */
        atomic_store(&cx->status, status);
    }
    status = tamis_status(cx);
    pthread_mutex_unlock(&cx->lock);
    return status;
}

int tamis_fail_at(tamis_context *cx, const char *where)
{
    char old[sizeof cx->error];
    pthread_mutex_lock(&cx->lock);
    memcpy(old, cx->error, sizeof old);
    if (tamis_snprintf(cx->error, sizeof cx->error, "%s: %s", where, old) < 0) cx->error[0] = 0;
    tamis_printable(cx->error);
    pthread_mutex_unlock(&cx->lock);
    return tamis_status(cx);
}

/* ---- notes and progress ---- */

/* A sentence that is among the notes already is not repeated; 0: no memory. */
static int keep_note(tamis_context *cx, const char *sentence)
{
    for (size_t i = 0; i < cx->notes; i++)
        if (!strcmp(cx->note[i], sentence)) return 1;
    if (cx->notes == cx->note_room) {
        size_t room = cx->note_room ? 2 * cx->note_room : 8;
        char **note = realloc(cx->note, room * sizeof *note);
        if (!note) return 0;
        cx->note = note;
        cx->note_room = room;
    }
    char *copy = strdup(sentence);
    if (copy) cx->note[cx->notes++] = copy;
    return copy != NULL;
}

/* The next note that the callback has not had; NULL: none. */
static const char *note_waiting(tamis_context *cx)
{
    pthread_mutex_lock(&cx->lock);
    const char *sentence = cx->told < cx->notes ? cx->note[cx->told++] : NULL;
    pthread_mutex_unlock(&cx->lock);
    return sentence;
}

static void hand_over_progress(tamis_context *cx)
{
    pthread_mutex_lock(&cx->lock);
    int waits = cx->progress.waits;
    double done = cx->progress.done, total = cx->progress.total;
    char what[sizeof cx->progress.what];
    memcpy(what, cx->progress.what, sizeof what);
    cx->progress.waits = 0;
    pthread_mutex_unlock(&cx->lock);
    if (waits && cx->on_progress) cx->on_progress(cx->progress_user, what, done, total);
}

void tamis_hand_over(tamis_context *cx)
{
    if (!atomic_exchange(&cx->waiting, 0)) return;
    for (const char *sentence; (sentence = note_waiting(cx));)
        if (cx->on_note) cx->on_note(cx->note_user, sentence);
    hand_over_progress(cx);
}

void tamis_note(tamis_context *cx, const char *format, ...)
{
    char sentence[1024];
    va_list ap;
    va_start(ap, format);
    tamis_vsnprintf(sentence, sizeof sentence, format, ap);
    va_end(ap);
    tamis_printable(sentence);
    if (cx->mute || tamis_status(cx) == TAMIS_STOPPED) return;
    pthread_mutex_lock(&cx->lock);
    int kept = keep_note(cx, sentence);
    pthread_mutex_unlock(&cx->lock);
    if (!kept) tamis_fail(cx, TAMIS_MEMORY, "out of memory: cannot keep a note");
    atomic_store(&cx->waiting, 1);
    if (!tamis_on_worker()) tamis_hand_over(cx);
}

int tamis_mute(tamis_context *cx, int on)
{
    int before = cx->mute;
    cx->mute = on;
    return before;
}

const char *const *tamis_notes(const tamis_context *cx, size_t *count)
{
    *count = cx->notes;
    return (const char *const *)cx->note;
}

/* In a span: the share of the whole call, which never falls. */
static void progress_keep(tamis_context *cx, const char *what, double done, double total)
{
    double share = total > 0 && done < total ? done / total : done > 0;
    tamis_snprintf(cx->progress.what, sizeof cx->progress.what, "%s", cx->span.label ? cx->span.label : what);
    cx->progress.done = done;
    cx->progress.total = total;
    cx->progress.waits = 1;
    if (!(cx->span.width > 0)) return;
    share = cx->span.from + cx->span.width * share;
    if (share > cx->reached) cx->reached = share < 1 - 1e-9 ? share : 1;
    cx->progress.done = cx->reached;
    cx->progress.total = 1;
}

void tamis_progress(tamis_context *cx, const char *what, double done, double total)
{
    if (!cx->on_progress || (cx->mute && !(cx->span.width > 0))) return;
    pthread_mutex_lock(&cx->lock);
    progress_keep(cx, what, done, total);
    pthread_mutex_unlock(&cx->lock);
    atomic_store(&cx->waiting, 1);
    if (!tamis_on_worker()) tamis_hand_over(cx);
}

struct tamis_span tamis_span_enter(tamis_context *cx, double from, double to, const char *label)
{
    struct tamis_span before = cx->span;
    double width = before.width > 0 ? before.width : 1;
    pthread_mutex_lock(&cx->lock);
    if (!(before.width > 0)) cx->reached = 0;
    cx->span = (struct tamis_span){before.from + width * from, width * (to - from),
                                   before.label ? before.label : label};
    pthread_mutex_unlock(&cx->lock);
    return before;
}

void tamis_span_leave(tamis_context *cx, struct tamis_span before)
{
    pthread_mutex_lock(&cx->lock);
    cx->span = before;
    pthread_mutex_unlock(&cx->lock);
}

/* ---- stopping ---- */

void tamis_cancel(tamis_context *cx) { atomic_store(&cx->asked, 1); }
void tamis_cancel_clear(tamis_context *cx) { atomic_store(&cx->asked, 0); }

int tamis_cancelled(tamis_context *cx)
{
    const struct tamis_runner *r = cx->items.runner;
    if (!tamis_on_worker() && (cx->on_cancel || (r && r->poll)))
        atomic_store(&cx->stopping, (cx->on_cancel && cx->on_cancel(cx->cancel_user)) ||
                                    (r && r->poll && r->poll(r->self, cx)));
    return atomic_load(&cx->asked) || atomic_load(&cx->stopping) || tamis_status(cx) == TAMIS_STOPPED;
}

static const char on_request[] = "stopped on request";

int tamis_check_cancel(tamis_context *cx)
{
    return tamis_cancelled(cx) ? tamis_fail(cx, TAMIS_STOPPED, on_request) : TAMIS_OK;
}

void tamis_stop(tamis_context *cx)
{
    pthread_mutex_lock(&cx->lock);
    if (tamis_status(cx) != TAMIS_STOPPED) memcpy(cx->error, on_request, sizeof on_request);
    cx->refused = 0;
    atomic_store(&cx->status, TAMIS_STOPPED);
    pthread_mutex_unlock(&cx->lock);
}
