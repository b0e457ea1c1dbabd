/* The interface between R and the library. Each entry point (calls.c) makes a session, sets its options and tables, has
 * the work done on a helper thread (session.c) and returns an answer: list(status, sentence, notes, value). It never calls
 * Rf_error with something of the library in its hands: whatever a session owns is freed by the finaliser of its
 * handle, also when R leaves a call by a long jump. */
#ifndef TAMIS_R_H
#define TAMIS_R_H

#define R_NO_REMAP
#include <pthread.h>
#include <Rinternals.h>
#include "tamis.h"

struct session {
    tamis_context *cx;
    tamis_options *options;
    tamis_table *data, *test;
    tamis_result *result;
    tamis_comparison *comparison;
    tamis_model *model;
    tamis_value *value;
    char *text;                         /* of the library, of `length` bytes */
    size_t length;
    int status;
    char sentence[256];                 /* of a failure that is not the library's */
    /* session.c: the work */
    pthread_mutex_t lock;
    pthread_cond_t ended;
    int done;
    char **note;
    size_t notes;
    char what[64];
    double share;                       /* of the work that is done, 0 to 1 */
    int (*work)(struct session *s);
    void *user;                         /* of the work */
};

/* The session behind a handle, which the caller protects. An error of R if there is no memory. */
SEXP session_new(struct session **out);
/* Frees everything now rather than at the next collection. */
void session_end(SEXP handle);
/* Runs s->work on a helper thread while R looks for interrupts, and draws progress if asked; leaves s->status. */
void session_run(struct session *s, int (*work)(struct session *), void *user, int progress);
/* list(status, sentence, notes, value) */
SEXP session_answer(const struct session *s, SEXP value);

/* check.c: each sets s->status and returns it; `what` begins the sentence. None looks at x after a failure. */
int session_fail(struct session *s, int status, const char *format, ...) __attribute__((format(printf, 3, 4)));
const char *check_text(struct session *s, SEXP x, const char *what);    /* the one text that x is; NULL: a failure */
int check_texts(struct session *s, SEXP x, const char *what);
int check_raw(struct session *s, SEXP x);
int check_list(struct session *s, SEXP x, const char *what);            /* a list with names */
int check_option(struct session *s, SEXP x, const char *name);
int check_columns(struct session *s, SEXP columns);                     /* of one length, numbers or factors */

/* Options from a named list: TRUE and FALSE set flags, numbers numbers, one text a text, several texts names. */
int options_fill(struct session *s, SEXP list);
/* A table from a list of columns as R/table.R makes them. */
int table_fill(struct session *s, SEXP columns, const char *name, tamis_table **out);

SEXP value_to_r(const tamis_value *v);
SEXP text_to_r(const char *text, size_t length);        /* one string, UTF-8 */
SEXP names_to_r(const char *const *name, size_t n);
const char *text_of(SEXP string, R_xlen_t i);           /* UTF-8; NULL: missing; lives until .Call returns */
const char **texts_of(SEXP strings);                    /* of them */

#endif
