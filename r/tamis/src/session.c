/* Sessions: what one call owns, and the helper thread that does its work.
 *
 * The library calls back on the thread that called it, which is the helper: notes and progress are copied under a lock,
 * and R's thread, which alone may touch R, shows them. Ctrl-C reaches R's thread (the helper blocks all signals); it
 * asks the library to stop, waits for the helper and only then leaves, whether the work was stopped or had just ended. */
#include <errno.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <R_ext/Print.h>
#include <R_ext/Utils.h>
#include "tamis_r.h"

/* ---- life ---- */

static void session_free(struct session *s)
{
    if (!s) return;
    tamis_release(s->text);
    tamis_value_free(s->value);
    tamis_model_free(s->model);
    tamis_comparison_free(s->comparison);
    tamis_result_free(s->result);
    tamis_table_free(s->test);
    tamis_table_free(s->data);
    tamis_options_free(s->options);
    tamis_context_free(s->cx);
    for (size_t i = 0; i < s->notes; i++) free(s->note[i]);
    free(s->note);
    pthread_cond_destroy(&s->ended);
    pthread_mutex_destroy(&s->lock);
    free(s);
}

void session_end(SEXP handle)
{
    session_free(R_ExternalPtrAddr(handle));
    R_ClearExternalPtr(handle);
}

static void keep_note(void *user, const char *sentence)
{
    struct session *s = user;
    char *copy = strdup(sentence), **more = realloc(s->note, (s->notes + 1) * sizeof *more);
    if (more) s->note = more;
    if (more && copy) s->note[s->notes++] = copy;
    else free(copy);
}

static void keep_progress(void *user, const char *what, double done, double total)
{
    struct session *s = user;
    pthread_mutex_lock(&s->lock);
    strncpy(s->what, what ? what : "", sizeof s->what - 1);
    s->share = total > 0 ? done / total : 0;
    pthread_mutex_unlock(&s->lock);
}

static struct session *session_make(void)
{
    struct session *s = calloc(1, sizeof *s);
    if (!s) return NULL;
    pthread_mutex_init(&s->lock, NULL);
    pthread_cond_init(&s->ended, NULL);
    s->cx = tamis_context_new();
    s->options = s->cx ? tamis_options_new(s->cx) : NULL;
    if (s->options) return s;
    session_free(s);
    return NULL;
}

SEXP session_new(struct session **out)
{
    SEXP handle = PROTECT(R_MakeExternalPtr(NULL, R_NilValue, R_NilValue));
    R_RegisterCFinalizerEx(handle, session_end, TRUE);
    struct session *s = session_make();
    if (!s) Rf_error("tamis: out of memory");
    R_SetExternalPtrAddr(handle, s);
    tamis_context_on_note(s->cx, keep_note, s);
    tamis_context_on_progress(s->cx, keep_progress, s);
    *out = s;
    UNPROTECT(1);
    return handle;
}

/* ---- work on a helper thread ---- */

static void *helper(void *user)
{
    struct session *s = user;
    int status = s->work(s);
    pthread_mutex_lock(&s->lock);
    s->status = status;
    s->done = 1;
    pthread_cond_signal(&s->ended);
    pthread_mutex_unlock(&s->lock);
    return NULL;
}

static int helper_start(struct session *s, pthread_t *thread)
{
    sigset_t all, before;
    sigfillset(&all);
    pthread_sigmask(SIG_SETMASK, &all, &before);
    int failed = pthread_create(thread, NULL, helper, s);
    pthread_sigmask(SIG_SETMASK, &before, NULL);
    return failed;
}

/* Waits for the end, at most a tenth of a second; a copy of the progress. */
static int ended(struct session *s, char what[64], double *share)
{
    struct timespec until;
    clock_gettime(CLOCK_REALTIME, &until);
    until.tv_nsec += 100000000;
    if (until.tv_nsec >= 1000000000) until.tv_sec++, until.tv_nsec -= 1000000000;
    pthread_mutex_lock(&s->lock);
    int late = 0;
    while (!s->done && late != ETIMEDOUT) late = pthread_cond_timedwait(&s->ended, &s->lock, &until);
    int done = s->done;
    memcpy(what, s->what, 64);
    *share = s->share;
    pthread_mutex_unlock(&s->lock);
    return done;
}

struct bar { char what[64]; double share; int drawn; };

static void draw(void *user)
{
    enum { WIDTH = 30 };
    struct bar *b = user;
    char cells[WIDTH + 1];
    int full = (int)(b->share * WIDTH);
    for (int i = 0; i < WIDTH; i++) cells[i] = i < full ? '=' : ' ';
    cells[WIDTH] = 0;
    REprintf("\r  [%s] %3.0f %%  %-40.40s", cells, 100 * b->share, b->what);
    b->drawn = 1;
}

static void wipe(void *user)
{
    (void)user;
    REprintf("\r%80s\r", "");
}

static void look(void *user)
{
    (void)user;
    R_CheckUserInterrupt();
}

/* Whether R was interrupted: R forgets an interrupt once it is seen, so that it has to be passed on from here. */
static int wait_for(struct session *s, int progress)
{
    struct bar b = {{0}, 0, 0};
    int interrupted = 0;
    while (!ended(s, b.what, &b.share)) {
        if (progress && b.share > 0) R_ToplevelExec(draw, &b);
        if (R_ToplevelExec(look, NULL)) continue;
        interrupted = 1;
        tamis_cancel(s->cx);
    }
    if (b.drawn) R_ToplevelExec(wipe, NULL);
    return interrupted;
}

void session_run(struct session *s, int (*work)(struct session *), void *user, int progress)
{
    pthread_t thread;
    s->work = work;
    s->user = user;
    s->done = 0;
    if (helper_start(s, &thread)) {
        s->status = work(s);                    /* no thread to be had: not to be interrupted */
        return;
    }
    int interrupted = wait_for(s, progress);
    pthread_join(thread, NULL);
    if (interrupted) s->status = TAMIS_STOPPED;         /* also where the work came to its end in spite of it */
}

/* ---- the answer ---- */

SEXP session_answer(const struct session *s, SEXP value)
{
    const char *names[] = {"status", "sentence", "notes", "value", ""};
    PROTECT(value);
    SEXP answer = PROTECT(Rf_mkNamed(VECSXP, names));
    const char *sentence = !s->status ? "" : *s->sentence ? s->sentence : tamis_error(s->cx);
    SET_VECTOR_ELT(answer, 0, Rf_ScalarInteger(s->status));
    SET_VECTOR_ELT(answer, 1, text_to_r(sentence, strlen(sentence)));
    SET_VECTOR_ELT(answer, 2, names_to_r((const char *const *)s->note, s->notes));
    SET_VECTOR_ELT(answer, 3, value);
    UNPROTECT(2);
    return answer;
}
