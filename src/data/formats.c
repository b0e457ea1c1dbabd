/* The table of formats, and the one way from a stream to a table: sniff, read, then the checks that all share. */
#include <math.h>
#include <string.h>
#include "base/spread.h"
#include "base/text.h"
#include "data/csv.h"
#include "data/dates.h"
#include "data/formats.h"
#include "data/gather.h"

int tamis_magic(const unsigned char *bytes, size_t n, const char *magic, size_t length)
{
    return n >= length && !memcmp(bytes, magic, length);
}

/* ---- options of single formats ---- */

/* Read by name: see tamis_reader.option. */
const struct tamis_option tamis_format_options[] = {
    {"query", TAMIS_TEXT, 0, NULL, 0, 0, NULL, "SELECT",
     "SQLite: the statement whose rows are the table (default: the only table)"},
    {"sheet", TAMIS_TEXT, 0, NULL, 0, 0, NULL, "NAME",
     "XLSX: the sheet to read, by name or number (default: the first)"},
    {"variables", TAMIS_NAMES, 0, NULL, 0, 0, NULL, "A,B,...",
     "MAT: the variables that make the table (default: those with as many rows as the largest matrix)"},
    {0}};

/* ---- the table ---- */

static int is_hdf5(const unsigned char *b, size_t n) { return tamis_magic(b, n, "\x89HDF\r\n\x1A\n", 8); }
static int is_matlab_73(const unsigned char *b, size_t n)       /* HDF5 behind a header of MATLAB */
{
    return n >= 128 && tamis_magic(b, n, "MATLAB ", 7) &&
           (!memcmp(b + 124, "\0\2IM", 4) || !memcmp(b + 124, "\2\0MI", 4));
}
static int is_parquet(const unsigned char *b, size_t n)         /* and not a column called PAR1 */
{
    return tamis_magic(b, n, "PAR1", 4) && n > 4 && b[4] < ' ' && !memchr("\t\r\n", b[4], 3);
}
static int is_pickle(const unsigned char *b, size_t n) { return n > 2 && b[0] == 0x80 && b[1] >= 2 && b[1] <= 5; }

static int is_anything(const unsigned char *b, size_t n)
{
    (void)b;
    return n <= TAMIS_STREAM_HEAD;
}

/* The CSV reader takes the stream as it is. */
static int read_as_csv(tamis_context *cx, struct tamis_stream *s, const tamis_options *o, struct tamis_reading *out)
{
    (void)s, (void)o, (void)out;
    return tamis_status(cx);
}

static const struct tamis_reader
    matlab_73 = {.name = "mat73", .sniff = is_matlab_73,
                 .refused = "is a MATLAB file of version 7.3 (HDF5), which is not read; save it with `save -v7`"},
    hdf5 = {.name = "hdf5", .sniff = is_hdf5, .refused = "is HDF5, which is not read; save the table as CSV or NPY"},
    parquet = {.name = "parquet", .sniff = is_parquet, .refused = "is Parquet, which is not read; save it as CSV"},
    pickle = {.name = "pickle", .sniff = is_pickle,
              .refused = "is a Python pickle, which is never unpickled; save the table as CSV or NPY"},
    csv = {"csv", "delimited text", ".csv .tsv .txt", is_anything, read_as_csv, NULL};

static const struct tamis_reader *const readers[] = {
    &tamis_npy,
    &tamis_npz,
    &tamis_xlsx,                /* any other zip archive */
    &tamis_sqlite,
    &tamis_matlab,
    &matlab_73,
    &hdf5,
    &parquet,
    &pickle,
    &tamis_arff,
    &tamis_libsvm,
    &csv,                       /* takes whatever is left */
};
enum { READERS = sizeof readers / sizeof *readers };

const struct tamis_reader *tamis_reader_at(size_t i)
{
    for (size_t k = 0; k < READERS; k++)
        if (readers[k]->read && !i--) return readers[k];
    return NULL;
}

/* An option of one format, given with a file of another. */
static int option_check(tamis_context *cx, const char *file, const tamis_options *o, const struct tamis_reader *found)
{
    for (size_t k = 0; o && k < READERS; k++)
        if (readers[k]->option && readers[k] != found && tamis_options_get(o, readers[k]->option))
            return tamis_fail(cx, TAMIS_USAGE, "--%s is for files of type %s, which %s is not; leave it out",
                              readers[k]->option, readers[k]->name, file);
    return TAMIS_OK;
}

int tamis_reader_find(tamis_context *cx, struct tamis_stream *s, const tamis_options *o,
                      const struct tamis_reader **out)
{
    const unsigned char *bytes;
    size_t n;
    int status = tamis_stream_peek(s, &bytes, &n);
    if (status) return status;
    const struct tamis_reader *const *r = readers;
    while (!(*r)->sniff(bytes, n)) r++;
    *out = *r;
    return (*r)->read ? option_check(cx, tamis_stream_name(s), o, *r)
                      : tamis_fail(cx, TAMIS_DATA, "%s: this %s", tamis_stream_name(s), (*r)->refused);
}

/* ---- options that apply to every format ---- */

struct wishes { struct tamis_names missing, categorical; };
static const struct tamis_option rows[] = {
    {"missing", TAMIS_NAMES, offsetof(struct wishes, missing), NULL, 0, 0, NULL, NULL, ""},
    {"categorical", TAMIS_NAMES, offsetof(struct wishes, categorical), NULL, 0, 0, NULL, NULL, ""},
    {0}};

/* The user's categories, and those that the file declares. */
static int set_categories(tamis_context *cx, tamis_options *o, const struct tamis_labels *declared)
{
    struct wishes w = {0};
    int status = tamis_options_read(cx, o, rows, &w);
    if (status || !declared->count) return status;
    size_t n = w.categorical.count + declared->count;
    const char **name = tamis_raw(cx, const char *, n);
    if (!name) return TAMIS_MEMORY;
    memcpy(name, declared->label, declared->count * sizeof *name);
    if (w.categorical.count) memcpy(name + declared->count, w.categorical.name, w.categorical.count * sizeof *name);
    status = tamis_options_set_names(o, "categorical", name, n);
    tamis_free(name);
    return status;
}

/* The options with which the CSV reader takes a reader's text. */
static tamis_options *text_options(tamis_context *cx, const tamis_options *o, const struct tamis_reading *r)
{
    static const struct tamis_option_table tables[] = {
        {"data", tamis_read_options}, {"data", tamis_format_options}, {NULL, NULL}};
    tamis_options *made = o ? tamis_options_copy(cx, o) : tamis_options_create(cx, tables);
    if (!made) return NULL;
    int status = tamis_options_set(made, "delimiter", ",");
    if (!status) status = tamis_options_set(made, "decimal", ".");
    if (!status && r->named) status = tamis_options_set(made, "header", "yes");
    if (!status && r->named) status = tamis_options_set(made, "skip", "0");
    if (!status && r->named) status = tamis_options_set(made, "units", "no");
    if (!status) status = set_categories(cx, made, &r->categories);
    if (!status) return made;
    tamis_options_free(made);
    return NULL;
}

/* ---- tables of arrays ---- */

/* Whether nothing is left to do: finite numbers, and no option that changes them. */
static int is_settled(tamis_context *cx, const tamis_table *t, const tamis_options *o)
{
    struct wishes w = {0};
    if (tamis_options_read(cx, o, rows, &w) || w.missing.count || w.categorical.count) return 0;
    for (size_t j = 0; j < t->columns; j++) {
        if (t->column[j].type != TAMIS_NUMBER) return 0;
        for (size_t i = 0; i < t->rows; i++)
            if (isinf(t->column[j].value[i])) return 0;
    }
    return 1;
}

/* The table as text, for the CSV reader: one place for missing values, categories and infinite cells. */
static int to_text(tamis_context *cx, struct tamis_reading *r)
{
    enum { PER_CELL = 20 };     /* bytes */
    tamis_table *t = r->table;
    int status = tamis_memory_check(cx, (double)PER_CELL * (double)t->rows * (double)t->columns, "the table as text",
                                    "drop rows or columns");
    for (size_t j = 0; j < t->columns && !status; j++)
        if (t->column[j].type == TAMIS_CATEGORY &&
            tamis_labels_put(cx, &r->categories, t->column[j].name, strlen(t->column[j].name)) < 0)
            status = TAMIS_MEMORY;
    if (!status) status = tamis_table_csv(cx, t, &r->csv.s, &r->csv.length);
    r->named = 1;
    tamis_table_free(t);
    r->table = NULL;
    return status;
}

/* Columns of zeros for those that a sparse file does not mention. */
static int add_absent(tamis_context *cx, tamis_table *t, const struct tamis_labels *names,
                      const struct tamis_csv_want *want, size_t wants)
{
    struct tamis_data_column *grown = tamis_grow(cx, t->column, t->columns + wants, sizeof *grown);
    if (!grown) return TAMIS_MEMORY;
    t->column = grown;
    for (size_t w = 0; w < wants; w++) {
        if (want[w].optional || want[w].option) continue;
        if (tamis_labels_find(names, want[w].name, strlen(want[w].name)) >= 0) continue;
        struct tamis_data_column c = {.name = tamis_strdup(cx, want[w].name), .value = tamis_new(cx, double, t->rows)};
        t->column[t->columns++] = c;
        if (!c.name || !c.value) return TAMIS_MEMORY;
    }
    return TAMIS_OK;
}

/* As the CSV reader refuses them; numbered. */
static int names_check(tamis_context *cx, const tamis_table *t, struct tamis_labels *out)
{
    *out = (struct tamis_labels){0};
    for (size_t j = 0; j < t->columns; j++)
        for (const char *s = t->column[j].name; *s; s++)
            if ((unsigned char)*s < 9)
                return tamis_fail(cx, TAMIS_DATA, "byte %d in the name of column %zu; rename it", *s, j + 1);
    return tamis_names_number(cx, t, out);
}

static int settle(tamis_context *cx, const tamis_options *o, const struct tamis_csv_want *want, size_t wants,
                  struct tamis_reading *r)
{
    struct tamis_labels names;
    int plain = 1, status = names_check(cx, r->table, &names);
    for (size_t w = 0; w < wants; w++)
        plain = plain && want[w].type == TAMIS_NUMBER && !want[w].date && !want[w].text;
    if (!status && r->sparse) status = add_absent(cx, r->table, &names, want, wants);
    tamis_labels_free(&names);
    if (status) return status;
    if (!plain || !is_settled(cx, r->table, o)) return tamis_status(cx) ? tamis_status(cx) : to_text(cx, r);
    for (size_t j = 0; j < r->table->columns && !want; j++) tamis_dates_number(&r->table->column[j], r->table->rows);
    return TAMIS_OK;
}

/* ---- from a stream to a table ---- */

static int open_text(tamis_context *cx, const char *name, const tamis_options *o, struct tamis_reading *r,
                     struct tamis_source *out)
{
    out->text = r->csv;
    r->csv = (struct tamis_text){.cx = cx};
    out->options = text_options(cx, o, r);
    if (!out->options) return tamis_status(cx);
    return tamis_stream_open_memory(cx, out->text.s, out->text.length, name, &out->csv);
}

int tamis_source_open(tamis_context *cx, struct tamis_stream *s, const tamis_options *o,
                      const struct tamis_csv_want *want, size_t wants, struct tamis_source *out)
{
    const struct tamis_reader *reader;
    struct tamis_reading r = {.csv = {.cx = cx}};
    *out = (struct tamis_source){.text = {.cx = cx}};
    int status = tamis_reader_find(cx, s, o, &reader);
    if (!status && o && reader->option) r.choice = tamis_options_get(o, reader->option);
    if (!status) status = reader->read(cx, s, o, &r);
    if (!status && r.csv.failed) status = tamis_status(cx);
    if (!status && r.table) {
        status = settle(cx, o, want, wants, &r);
        if (status == TAMIS_DATA) tamis_fail_at(cx, tamis_stream_name(s));
    }
    if (!status && r.csv.s) status = open_text(cx, tamis_stream_name(s), o, &r, out);
    else if (!status && !r.table) out->csv = s, s = NULL;
    out->table = status ? NULL : r.table;
    if (status) tamis_table_free(r.table), tamis_source_close(out);
    tamis_stream_close(s);
    tamis_text_free(&r.csv);
    tamis_labels_free(&r.categories);
    return status;
}

void tamis_source_close(struct tamis_source *src)
{
    tamis_table_free(src->table);
    tamis_stream_close(src->csv);
    tamis_options_free(src->options);
    tamis_text_free(&src->text);
    memset(src, 0, sizeof *src);
}

static int read_table(tamis_context *cx, struct tamis_stream *s, const char *file, const tamis_options *o,
                      tamis_table **out)
{
    struct tamis_source src;
    struct tamis_resources before = tamis_resources_apply(cx, o);
    int status = tamis_source_open(cx, s, o, NULL, 0, &src);
    if (!status && src.csv) {
        status = tamis_csv_read(cx, src.csv, file, src.options ? src.options : o, out);
        src.csv = NULL;
    } else if (!status) {
        tamis_free(src.table->file);
        src.table->file = tamis_strdup(cx, file);
        if (!src.table->file) status = TAMIS_MEMORY;
        else *out = src.table, src.table = NULL;
    }
    tamis_source_close(&src);
    tamis_resources_restore(cx, before);
    return status;
}

/* Whether each of several processes is to have a part of the rows. */
static int is_split(tamis_context *cx, const tamis_options *o)
{
    static const struct tamis_option split_row[] = {{.name = "split-rows", .type = TAMIS_FLAG}, {0}};
    struct tamis_spread s;
    int split = 0;
    tamis_spread_begin(cx, &s);
    return s.ranks > 1 && !tamis_options_read(cx, o, split_row, &split) && split;
}

int tamis_table_read(tamis_context *cx, const char *path, const tamis_options *o, tamis_table **out)
{
    TAMIS_CALL(cx);
    struct tamis_stream *s;
    *out = NULL;
    int status = tamis_check_cancel(cx), split = !status && is_split(cx, o);
    if (!status && split) status = tamis_split_read(cx, path, o, out);
    if (!status && !split) status = tamis_stream_open(cx, path, &s);
    if (!status && !split) status = read_table(cx, s, path, o, out);
    if (!status) (*out)->on_disk = strcmp(path, "-") != 0;
    return status;
}

int tamis_table_read_memory(tamis_context *cx, const void *bytes, size_t n, const char *name, const tamis_options *o,
                            tamis_table **out)
{
    TAMIS_CALL(cx);
    struct tamis_stream *s;
    *out = NULL;
    int status = tamis_check_cancel(cx);
    if (!status) status = tamis_stream_open_memory(cx, bytes, n, name, &s);
    return status ? status : read_table(cx, s, name, o, out);
}

int tamis_text_within(struct tamis_text *t, double *checked)
{
    if (t->failed) return tamis_status(t->cx);
    if ((double)t->length < 1e8 || (double)t->length < 1.5 * *checked) return TAMIS_OK;
    *checked = (double)t->length;
    return tamis_memory_check(t->cx, 2 * *checked, "the table as text", "drop rows or columns");
}

int tamis_stream_rest(tamis_context *cx, struct tamis_stream *s, unsigned char **bytes, size_t *n)
{
    size_t room = 0, got;
    int status = TAMIS_OK;
    *bytes = NULL;
    for (*n = 0; !status && *n == room; *n += got) {    /* ends with room to spare */
        got = 0;
        double size = tamis_stream_packed(s) ? 0 : tamis_stream_size(s);
        size_t more = room ? room + room / 2 : size > 0 && size < 1e15 ? (size_t)size + 1 : 1 << 16;
        status = tamis_memory_check(cx, (double)more, "the file", "unpack or shrink it, or raise --memory");
        unsigned char *grown = status ? NULL : tamis_grow(cx, *bytes, more, 1);
        if (!grown) return tamis_status(cx);
        *bytes = grown;
        status = tamis_stream_read(s, grown + room, more - room, &got);
        if (!status) status = tamis_check_cancel(cx);
        room = more;
        tamis_progress(cx, "reading", tamis_stream_taken(s), tamis_stream_size(s));
    }
    (*bytes)[*n] = 0;
    return status;
}
