/* Delimited text to columns of doubles: options, the table read whole, and block by block. */
#include "data/csv_inner.h"
#include "data/names.h"

enum { BLOCK_CELLS = 1 << 20 };

#define ROW(name, type, help, argument) {#name, type, offsetof(struct settings, name), NULL, 0, 0, NULL, argument, help}
const struct tamis_option tamis_read_options[] = {
    ROW(missing, TAMIS_NAMES, "cells that count as missing, in addition to empty cells, NA, NaN and ?", "A,B,..."),
    ROW(delimiter, TAMIS_TEXT, "character between cells, or the word tab or blank (default: detected)", "C"),
    {"decimal", TAMIS_CHOICE, offsetof(struct settings, decimal), "auto", 0, 0, "auto|.|,", NULL, "decimal mark"},
    ROW(categorical, TAMIS_NAMES, "columns to treat as categories even if their values are numbers", "A,B,..."),
    {"header", TAMIS_FLAG, offsetof(struct settings, header), "yes", 0, 0, NULL, NULL,
     "the first line has the names; with --no-header it is data, and columns are called x1, x2, ..."},
    {"skip", TAMIS_COUNT, offsetof(struct settings, skip), "auto", 0, 1e9, "auto", "N|auto",
     "lines above the header; auto: those that have fewer cells than the table"},
    {"units", TAMIS_CHOICE, offsetof(struct settings, units), "auto", 0, 0, "auto|yes|no", NULL,
     "whether the line under the header has units; auto: if it is text above numbers"},
    {"censored", TAMIS_CHOICE, offsetof(struct settings, censored), "error", 0, 0, "error|half|limit|missing", NULL,
     "numbers such as <0.05 or >100: half (of a lower limit), limit, or missing"},
    ROW(numeric, TAMIS_NAMES, "columns of numbers that look like codes, such as 007", "A,B,..."),
    {0}};

/* Rows of other parts: a column that is not an input may contain anything. */
static const struct tamis_option other_rows[] = {
    ROW(ignore, TAMIS_NAMES, "", NULL),
    ROW(inputs, TAMIS_NAMES, "", NULL),
    ROW(target, TAMIS_TEXT, "", NULL),
    {0}};

const char *tamis_csv_file(const struct tamis_csv *c) { return tamis_stream_name(c->cells.stream); }

const char *tamis_csv_name(const struct tamis_csv *c, size_t f)
{
    return c->field[f].column < c->table->columns ? c->table->column[c->field[f].column].name : "";
}

/* ---- options ---- */

static int delimiter_of(struct tamis_csv *c, char *out)
{
    static const struct {
        const char *word;
        char c;
    } known[] = {{"tab", '\t'}, {"\\t", '\t'}, {"blank", ' '}, {"space", ' '}};
    const char *text = c->set.delimiter;
    *out = 0;
    if (!text) return TAMIS_OK;
    for (size_t i = 0; i < sizeof known / sizeof *known; i++)
        if (!strcmp(text, known[i].word)) *out = known[i].c;
    if (!*out && strlen(text) == 1 && !strchr("\"\r\n+-.0123456789", *text)) *out = *text;
    return *out ? TAMIS_OK
                : tamis_fail(c->cx, TAMIS_USAGE, "--delimiter '%s': expected one character, or the word tab or blank",
                             text);
}

static struct field *field_named(struct tamis_csv *c, const char *name)
{
    long j = tamis_labels_find(&c->names, name, strlen(name));
    return j < 0 ? NULL : &c->field[j + c->row_names];
}

/* By name, or, if no column has it, by 1-based number. */
static struct field *field_chosen(struct tamis_csv *c, const char *name)
{
    struct field *f = field_named(c, name);
    size_t j = f ? 0 : tamis_table_find(c->table, name);
    return f ? f : j < c->table->columns ? &c->field[j + (size_t)c->row_names] : NULL;
}

/* Sets `member` of the fields that the names mean; one that is not there is an error if `option` names the list. */
static int fields_set(struct tamis_csv *c, const char *option, const struct tamis_names *list, size_t member, int value)
{
    size_t n = c->table->columns;
    char **name = tamis_table_names(c->cx, c->table);
    unsigned char *mark = tamis_new(c->cx, unsigned char, n);
    int status = name && mark ? TAMIS_OK : TAMIS_MEMORY;
    for (size_t i = 0; i < list->count && !status; i++)
        if (!tamis_names_mark(name, n, list->name[i], mark) && option)
            status = tamis_names_unknown(c->cx, option, list->name[i], tamis_csv_file(c), name, n);
    for (size_t j = 0; j < n && !status; j++)
        if (mark[j]) *(int *)((char *)&c->field[j + (size_t)c->row_names] + member) = value;
    tamis_free(name);
    tamis_free(mark);
    return status;
}

static int mark_fields(struct tamis_csv *c)
{
    const struct settings *s = &c->set;
    struct field *f, *last = &c->field[c->fields - 1];
    if (last->unnamed && last > c->field) last--;       /* lines that end in a delimiter */
    for (size_t i = 0; s->inputs.count && i < c->fields; i++) c->field[i].lenient = 1;
    int status = fields_set(c, NULL, &s->inputs, offsetof(struct field, lenient), 0);
    if ((f = s->target ? field_chosen(c, s->target) : last)) f->lenient = 0;
    if (!status) status = fields_set(c, NULL, &s->ignore, offsetof(struct field, lenient), 1);
    if (!status) status = fields_set(c, "categorical", &s->categorical, offsetof(struct field, forced), 1);
    if (!status) status = fields_set(c, "numeric", &s->numeric, offsetof(struct field, numeric), 1);
    for (size_t i = (size_t)c->row_names; i < c->fields; i++) {
        c->hot[i].how = c->field[i].forced ? LABELS : GUESS;
        c->hot[i].watch = !c->field[i].forced && !c->field[i].numeric;
    }
    return status;
}

static int read_settings(struct tamis_csv *c, const tamis_options *o)
{
    char delimiter = 0;
    int status = tamis_options_read(c->cx, o, tamis_read_options, &c->set);
    if (!status) status = tamis_options_read(c->cx, o, other_rows, &c->set);
    if (!status) status = delimiter_of(c, &delimiter);
    struct tamis_cells_form form = {.delimiter = delimiter, .skip = c->set.skip, .headless = !c->set.header};
    if (!status && strcmp(c->set.decimal, "auto")) form.decimal = c->set.decimal[0];
    if (!status) status = tamis_cells_form(&c->cells, form);
    return status ? status : tamis_csv_missing(c);
}

/* ---- opening and closing ---- */

/* The levels of a block's categories belong to the reader: lent, and taken back before the table is freed. */
static void lend_levels(struct tamis_csv *c, int lend)
{
    for (size_t f = 0; !c->lasting && c->field && c->hot && f < c->fields; f++) {
        if (c->hot[f].how != LABELS && c->hot[f].how != KNOWN) continue;
        struct tamis_data_column *col = &c->table->column[c->field[f].column];
        col->levels = lend ? c->field[f].labels.count : 0;
        col->level = lend ? c->field[f].labels.label : NULL;
    }
}

void tamis_csv_close(struct tamis_csv *c)
{
    if (!c) return;
    lend_levels(c, 0);
    for (size_t f = 0; c->field && f < c->fields; f++) {
        tamis_labels_free(&c->field[f].labels);
        tamis_free(c->field[f].spelling.bytes);
    }
    tamis_labels_free(&c->names);
    tamis_free(c->missing.number);
    tamis_free(c->converted);
    tamis_free(c->hot);
    tamis_free(c->field);
    tamis_table_free(c->table);
    tamis_cells_close(&c->cells);
    tamis_free(c);
}

static int csv_start(tamis_context *cx, struct tamis_stream *s, const char *file, const tamis_options *o,
                     struct tamis_csv **out)
{
    struct tamis_csv *c = *out = tamis_new(cx, struct tamis_csv, 1);
    if (!c) {
        tamis_stream_close(s);
        return TAMIS_MEMORY;
    }
    c->cx = cx;
    int status = tamis_cells_open(cx, s, &c->cells);
    if (!status) c->table = tamis_table_new(cx, file);
    if (!status && !c->table) status = TAMIS_MEMORY;
    if (!status) status = read_settings(c, o);
    if (!status) status = tamis_csv_header(c);
    return status;
}

int tamis_csv_read(tamis_context *cx, struct tamis_stream *s, const char *file, const tamis_options *o,
                   tamis_table **out)
{
    struct tamis_csv *c;
    int status = csv_start(cx, s, file, o, &c);
    if (!status) status = mark_fields(c);
    if (!status) {
        c->lasting = 1;
        status = tamis_csv_rows(c, SIZE_MAX);
    }
    if (!status) status = tamis_csv_finish(c);
    if (!status) {
        *out = c->table;
        c->table = NULL;
    }
    tamis_csv_close(c);
    return status;
}

/* ---- block by block ---- */

static int known_labels(struct tamis_csv *c, struct field *f, const struct tamis_csv_want *want)
{
    f->by_value = f->by_point = 1;
    for (size_t i = 0; i < want->levels; i++) {
        f->by_value &= !tamis_csv_misspelt(want->level[i], c->cells.point);
        f->by_point &= !tamis_csv_misspelt(want->level[i], '.');
    }
    for (size_t i = 0; i < want->levels; i++)
        if (tamis_labels_put(c->cx, &f->labels, want->level[i], strlen(want->level[i])) < 0) return TAMIS_MEMORY;
    return TAMIS_OK;
}

static enum how how_wanted(const struct tamis_csv_want *w)
{
    if (w->type == TAMIS_NUMBER) return w->date ? DATE : NUMBER;
    return w->level ? KNOWN : LABELS;
}

static int say_absent(struct tamis_csv *c, const struct tamis_csv_want *w)
{
    if (w->optional) return TAMIS_OK;
    if (w->option)
        return tamis_names_unknown(c->cx, w->option, w->name, tamis_csv_file(c), c->names.label, c->names.count);
    return tamis_fail(c->cx, TAMIS_DATA,
                      "%s:1: column '%s' is missing; the model needs the columns that it was fitted on",
                      tamis_csv_file(c), w->name);
}

/* How the field of a wanted column is read. */
static int want_field(struct tamis_csv *c, const struct tamis_csv_want *w, struct tamis_data_column *column)
{
    struct field *f = field_named(c, w->name);
    struct hot *h = f ? &c->hot[f - c->field] : NULL;
    if (!f || h->how != SKIP) return say_absent(c, w);
    h->how = how_wanted(w);
    f->date = w->date;
    if (w->text && !(h->texts = column->texts = tamis_new(c->cx, struct tamis_cell_texts, 1))) return TAMIS_MEMORY;
    if (w->text) h->texts->text.cx = c->cx;
    return known_labels(c, f, w);
}

/* Replaces the file's columns by those of `want`. */
static int want_columns(struct tamis_csv *c, const struct tamis_csv_want *want, size_t wants)
{
    tamis_table *t = tamis_table_new(c->cx, c->table->file);
    if (t) t->column = tamis_new(c->cx, struct tamis_data_column, wants);
    if (!t || !t->column) {
        tamis_table_free(t);
        return TAMIS_MEMORY;
    }
    for (size_t f = 0; f < c->fields; f++) c->hot[f].how = SKIP;
    int status = TAMIS_OK;
    for (size_t i = 0; i < wants && !status; i++) {
        t->column[t->columns++] = (struct tamis_data_column){
            .name = tamis_strdup(c->cx, want[i].name), .type = want[i].type, .date = want[i].date};
        status = t->column[i].name ? want_field(c, &want[i], &t->column[i]) : TAMIS_MEMORY;
    }
    for (size_t i = 0; i < t->columns; i++) {
        struct field *f = field_named(c, want[i].name);
        if (f) f->column = i;
    }
    tamis_table_free(c->table);
    c->table = t;
    return status;
}

int tamis_csv_open_stream(tamis_context *cx, struct tamis_stream *s, const char *file, const tamis_options *o,
                          const struct tamis_csv_want *want, size_t wants, struct tamis_csv **out)
{
    int status = csv_start(cx, s, file, o, out);
    if (!status) status = want_columns(*out, want, wants);
    if (!status) return TAMIS_OK;
    tamis_csv_close(*out);
    *out = NULL;
    return status;
}

/* Columns that are not used may hold anything, which is not looked at. */
static int want_numbers(struct tamis_csv *c)
{
    static char *const none[1] = {NULL};
    size_t n = c->table->columns;
    char **name = tamis_table_names(c->cx, c->table);
    struct tamis_csv_want *want = tamis_new(c->cx, struct tamis_csv_want, n + 1);
    int status = name && want ? mark_fields(c) : TAMIS_MEMORY;
    for (size_t j = 0; j < n && !status; j++) {
        int unused = c->field[j + (size_t)c->row_names].lenient;
        want[j] = (struct tamis_csv_want){.name = tamis_strdup(c->cx, name[j]),
                                          .type = unused ? TAMIS_CATEGORY : TAMIS_NUMBER,
                                          .level = unused ? none : NULL};
        if (!want[j].name) status = TAMIS_MEMORY;
    }
    if (!status) status = want_columns(c, want, n);
    for (size_t j = 0; want && j < n; j++) tamis_free((char *)want[j].name);
    tamis_free(want);
    tamis_free(name);
    return status;
}

int tamis_csv_open_numbers(tamis_context *cx, struct tamis_stream *s, const char *file, const tamis_options *o,
                           struct tamis_csv **out)
{
    int status = csv_start(cx, s, file, o, out);
    if (!status) status = want_numbers(*out);
    if (!status) return TAMIS_OK;
    tamis_csv_close(*out);
    *out = NULL;
    return status;
}

int tamis_csv_open(tamis_context *cx, const char *path, const tamis_options *o, const struct tamis_csv_want *want,
                   size_t wants, struct tamis_csv **out)
{
    struct tamis_stream *s;
    *out = NULL;
    int status = tamis_stream_open(cx, path, &s);
    return status ? status : tamis_csv_open_stream(cx, s, path, o, want, wants, out);
}

int tamis_csv_open_memory(tamis_context *cx, const void *bytes, size_t n, const char *name, const tamis_options *o,
                          const struct tamis_csv_want *want, size_t wants, struct tamis_csv **out)
{
    struct tamis_stream *s;
    *out = NULL;
    int status = tamis_stream_open_memory(cx, bytes, n, name, &s);
    return status ? status : tamis_csv_open_stream(cx, s, name, o, want, wants, out);
}

int tamis_csv_next(struct tamis_csv *c, const tamis_table **block)
{
    size_t columns = c->table->columns ? c->table->columns : 1, most = BLOCK_CELLS / columns;
    c->table->rows = c->kept = 0;
    int status = tamis_csv_rows(c, most ? most : 1);
    if (!status) lend_levels(c, 1);
    *block = status ? NULL : c->table;
    return status;
}
