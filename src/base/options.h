/* Options are table rows. A row does parsing, checking, --help, the man page and the echo in the result; defaults live
 * in the row only. Each part of the library (a criterion, a search, a method) owns a table of rows and a struct that
 * they fill:
 *
 *     struct settings { struct tamis_grid sigma2; };
 *     static const struct tamis_option rows[] = {
 *         {.name = "sigma2", .type = TAMIS_GRID, .offset = offsetof(struct settings, sigma2), .standard = "1:500:50",
 *          .least = 1e-300, .largest = 1e300, .help = "widths to try"},
 *         {0}
 *     };
 *     status = tamis_options_read(cx, o, rows, &settings);
 *
 * The object that a user fills keeps texts by name; the owner of the rows turns them into numbers. */
#ifndef TAMIS_OPTIONS_H
#define TAMIS_OPTIONS_H

#include "base/base.h"

enum tamis_option_type {
    TAMIS_FLAG,         /* int: 0 or 1; --no-NAME clears it */
    TAMIS_COUNT,        /* size_t; the word `all` or `auto`, where choices name it, is SIZE_MAX */
    TAMIS_REAL,         /* double */
    TAMIS_GRID,         /* struct tamis_grid: FROM:TO:COUNT, logarithmic, or one value; the word in choices: count 0 */
    TAMIS_RANGE,        /* struct tamis_range: FROM:TO, or one value */
    TAMIS_CHOICE,       /* const char *: one of the words in choices, separated by | */
    TAMIS_TEXT,         /* const char *, NULL when not given */
    TAMIS_NAMES,        /* struct tamis_names: A,B,... with "" quotes around a name that contains a comma */
    TAMIS_SIZE          /* double: bytes, as 4e9, 500M or 1.5GiB; K, M, G and T are powers of 1024 */
};

struct tamis_grid { double from, to; size_t count; };
struct tamis_range { double from, to; };
struct tamis_names { size_t count; char **name; };

struct tamis_option {
    const char *name;
    int type;
    size_t offset;
    const char *standard;       /* NULL: not set (0, NULL, empty) */
    double least, largest;      /* of counts, reals, and the ends of grids and ranges; both 0: unbounded */
    const char *choices;        /* of TAMIS_CHOICE, and the words that TAMIS_COUNT and TAMIS_GRID also take */
    const char *argument;       /* as shown in help; NULL: made from the type */
    const char *help;
    const char *alias;          /* an older name, still accepted and not shown; NULL: none */
    int basic;                  /* on the first page of help */
};

/* A table of rows and the part that it belongs to. */
struct tamis_option_table { const char *part; const struct tamis_option *rows; };

/* Fills *settings from the texts in o (NULL: defaults only); TAMIS_USAGE with a sentence. Names live as long as o;
 * without o there are none. */
int tamis_options_read(tamis_context *cx, const tamis_options *o, const struct tamis_option *rows, void *settings);
/* The text given for a row, by its name or its alias, or its default; NULL: neither. */
const char *tamis_options_text(const tamis_options *o, const struct tamis_option *row);
/* A text as a row's value into *out, which may be scratch; names: the text split, of TAMIS_NAMES. 0: the text is
 * wrong. */
int tamis_option_value(const struct tamis_option *row, const char *text, const struct tamis_names *names, void *out);
/* Checks one text against a row: TAMIS_USAGE with a sentence. */
int tamis_option_check(tamis_context *cx, const struct tamis_option *row, const char *text);
int tamis_size_read(const char *text, double *bytes);                   /* as TAMIS_SIZE; 0: the text is wrong */
tamis_option_info tamis_option_describe(const struct tamis_option *row, const char *part, const char *kind);
double tamis_grid_at(const struct tamis_grid *g, size_t i);
/* The first option that was set but that none of the tables in `used` has; NULL: there is none. */
const char *tamis_options_unused(const tamis_options *o, const struct tamis_option_table *used);
int tamis_options_known(const struct tamis_option_table *used, const char *name);       /* by some table */
/* Drops the options that none of the tables has. */
void tamis_options_keep(tamis_options *o, const struct tamis_option_table *used);
/* Calls each(arg, name, text) for every option that is set: the fingerprint of a run. */
void tamis_options_each(const tamis_options *o, void (*each)(void *arg, const char *name, const char *text), void *arg);
int tamis_options_words(const tamis_options *o, char ***word);          /* of tamis_options_command: how many */

/* The options threads and memory of a call, where o (or NULL) has them, become the context's limits; what they were
 * before comes back, for tamis_resources_restore at the end of the call. */
struct tamis_resources { int threads; double bytes; };
struct tamis_resources tamis_resources_apply(tamis_context *cx, const tamis_options *o);
void tamis_resources_restore(tamis_context *cx, struct tamis_resources before);

/* An object for these tables (ended by part NULL); tamis_options_new, in the layer that knows them all, calls it. */
tamis_options *tamis_options_create(tamis_context *cx, const struct tamis_option_table *tables);
tamis_options *tamis_options_copy(tamis_context *cx, const tamis_options *from);

#endif
