/* Shared by the tests: one context per test, tables, options, whole runs, comparisons of numbers, and the guarantees
 * that every method gives: the same bits for any number of threads, the same result after any number of stops, a status
 * and no leak when memory fails, models restored from their bytes. A broken guarantee, or a failed step, fails the
 * test. */
#ifndef TAMIS_TESTS_UNIT_H
#define TAMIS_TESTS_UNIT_H

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include <cmocka.h>
#include "base/text.h"
#include "select/comparison.h"
#include "select/method.h"

int set_up(void **state);               /* *state: a new context */
int set_up_one_thread(void **state);
int tear_down(void **state);
#define TEST(f) cmocka_unit_test_setup_teardown(f, set_up, tear_down)
#define TEST_ONE_THREAD(f) cmocka_unit_test_setup_teardown(f, set_up_one_thread, tear_down)

double variance(const double *v, size_t n);     /* divisor n */
double *normal_numbers(size_t n, uint64_t seed);        /* standard normal draws; free */

/* ---- numbers; a failure prints the expressions, their values and what was allowed; NaN fails ---- */

enum measure { ABSOLUTE, RELATIVE, MIXED };
void check_close(enum measure measure, double actual, double expected, double tolerance, const char *text,
                 const char *file, int line);
void check_order(double value, const char *relation, double bound, const char *text, const char *file, int line);
void check_between(double value, double low, double high, const char *text, const char *file, int line);

#define HERE __FILE__, __LINE__
#define assert_close(actual, expected, tolerance) /* |actual - expected| <= tolerance */ \
    check_close(ABSOLUTE, actual, expected, tolerance, #actual ", " #expected, HERE)
#define assert_relative(actual, expected, tolerance) /* <= tolerance |expected| */ \
    check_close(RELATIVE, actual, expected, tolerance, #actual ", " #expected, HERE)
#define assert_near(actual, expected, tolerance) /* <= tolerance max(1, |expected|) */ \
    check_close(MIXED, actual, expected, tolerance, #actual ", " #expected, HERE)
#define assert_below(value, bound) check_order(value, "<", bound, #value " < " #bound, HERE)
#define assert_above(value, bound) check_order(value, ">", bound, #value " > " #bound, HERE)
#define assert_at_most(value, bound) check_order(value, "<=", bound, #value " <= " #bound, HERE)
#define assert_at_least(value, bound) check_order(value, ">=", bound, #value " >= " #bound, HERE)
#define assert_between(value, low, high) check_between(value, low, high, #low " < " #value " < " #high, HERE)

/* ---- tables and options; the caller frees them ---- */

tamis_table *made(tamis_context *cx, const char *name, const char *rows, const char *seed);     /* by the generator */
tamis_table *joined(tamis_context *cx, size_t n, size_t d, const double *x,
                    const double *y); /* d columns x and the target y */
tamis_table *text_table(tamis_context *cx, const char *text);

/* Numeric tables that are hard for every method: huge and tiny values, copies of rows and columns, three rows and a
 * constant column, more inputs than rows. */
#define HARD_NUMBERS \
    "x,z,y\n1e300,1,5\n-2e300,2,6\n3e299,3,7\n4e300,4,9\n-5e300,5,4\n", \
        "x,z,y\n1e-300,1,5\n2e-300,2,6\n-3e-300,3,7\n4e-300,4,9\n9e-300,5,4\n", \
        "x,z,y\n1,1,5\n1,1,5\n1,1,5\n2,2,6\n2,2,6\n", "x,z,y\n1,7,5\n2,7,6\n3,7,7\n", \
        "a,b,c,d,e,f,y\n1,2,3,4,5,6,1\n2,1,4,3,6,5,2\n6,5,4,3,2,1,4\n"

tamis_options *options(tamis_context *cx, const char *const *words);    /* "name", "value", ..., NULL */
#define OPTIONS(...) options(cx, (const char *const[]){__VA_ARGS__, NULL})
tamis_options *worded(tamis_context *cx, const char *words); /* "name=value flag name=value", separated by ' ' or ';' */

/* ---- runs ---- */

tamis_result *chosen(tamis_context *cx, const tamis_table *t, const tamis_table *test, tamis_options *o); /* frees o */
int select_text(tamis_context *cx, const char *text, const tamis_options *o, tamis_result **r);
char *result_text(tamis_context *cx,
                  const tamis_result *r); /* JSON up to the seconds and threads it took; tamis_release */
char *json(tamis_context *cx, const tamis_table *t, const tamis_options *o);    /* of a run */
void cut_notes(char *text);                                             /* they tell where a run was resumed */

void forget(tamis_context *cx);                                         /* clears the error, as the next call does */
void says(tamis_context *cx, const char *words);                        /* the error message contains these words */
/* The table is refused with these options, which are freed; option_refused: with one more option, or when it is set. */
void refused(tamis_context *cx, const char *text, tamis_options *o, int status, const char *words);
void option_refused(tamis_context *cx, const char *text, tamis_options *o, const char *name, const char *value,
                    int status, const char *words);

/* ---- guarantees; those of a run free its options ---- */

/* The same JSON with 1, 2 and 7 threads; it contains `words` unless they are NULL. */
void same_bits(tamis_context *cx, const tamis_table *t, tamis_options *o, const char *words);

/* tamis_select on one thread, told to stop when it has asked `checks` times; its status. */
int select_stopped(tamis_context *cx, const tamis_table *t, const tamis_options *o, int checks, tamis_result **r);
/* Runs with a checkpoint, stopped after `first` calls of the cancel callback, `step` more each time, until it finishes.
 * Its result, and that of resuming from the final checkpoint, equal those of an uninterrupted run; a run with another
 * seed refuses the checkpoint. Returns the number of stops. */
int stopped_and_resumed(tamis_context *cx, const tamis_table *t, tamis_options *o, int first, int step);

typedef int attempt(tamis_context *cx, void *what);     /* returns a status and leaves nothing allocated */
/* The status of f while the k-th allocation fails, once or with all that follow: TAMIS_OK if it makes fewer than k,
 * else TAMIS_MEMORY with a sentence. */
int failing(tamis_context *cx, long k, enum tamis_failing how, attempt *f, void *what);
/* failing() for k = 1, 2, ... until f succeeds; returns that k, at most `most`. Onwards too at every fourth, or at
 * every one if TAMIS_LONG is set. */
long every_allocation_fails(tamis_context *cx, attempt *f, void *what, long most);
/* failing() both ways for about `most` of the allocations that f makes on one thread; for every one if TAMIS_LONG is
 * set. Returns how many it makes. */
long allocations_fail(tamis_context *cx, attempt *f, void *what, long most);
struct run { const tamis_table *t; const tamis_options *o; };
int select_and_write(tamis_context *cx, void *run);     /* an attempt: a struct run, and the JSON of its result */
/* every_allocation_fails() of select_and_write on one thread; it makes more than `least` allocations. */
void run_survives_failing_memory(tamis_context *cx, const tamis_table *t, tamis_options *o, long least, long most);

/* m restored from its bytes; both predict the same bits for t: p, and score unless NULL. Free with tamis_model_free. */
tamis_model *came_back(tamis_context *cx, const tamis_model *m, const tamis_table *t, double *p, double *score);
/* m's bytes, truncated or altered at about `places` places, do not load. */
/* From the file that an older format would hold: of this version, under another name of the kind, and without the last
 * `drop` bytes of its contents. */
tamis_model *as_older(tamis_context *cx, const tamis_model *m, uint32_t version, const char *kind, size_t drop);
void damage_is_refused(tamis_context *cx, const tamis_model *m, size_t places);

#endif
