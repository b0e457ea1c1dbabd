/* LIBSVM and SVMlight: one line per row, LABEL INDEX:VALUE INDEX:VALUE ... # comment, indices ascending, from 0 or 1;
 * what is not listed is 0. The columns are named by their indices, x1, x2, ..., and the label is the last one,
 * `target`, so that it is what is predicted. `qid:` is skipped.
 *
 * The text is read twice: for the shape, and, once memory allows it, into dense columns. */
#include <math.h>
#include <string.h>
#include "base/format.h"
#include "base/number.h"
#include "data/formats.h"
#include "data/gather.h"

enum { SNIFFED = 4096, SHOWN = 20 };

enum fault { NONE, NO_LABEL, SEVERAL_LABELS, NO_PAIR, NO_INDEX, NOT_ASCENDING };

struct row {
    const char *p;                      /* where the fault is */
    double label;
    size_t pairs, first, last;          /* indices */
    int queried;                        /* qid: was there */
};

typedef void keeper(void *to, size_t index, double x);

/* ---- one line ---- */

static const char *past_blanks(const char *p)
{
    while (*p == ' ' || *p == '\t') p++;
    return p;
}

static int ends_word(char c) { return c == ' ' || c == '\t' || c == '\r' || c == '\n' || c == '#' || !c; }
static int ends_line(char c) { return c == '\r' || c == '\n' || c == '#' || !c; }

static const char *index_read(const char *p, size_t *out)
{
    const char *start = p;
    for (*out = 0; *p >= '0' && *p <= '9' && p - start < 10; p++) *out = 10 * *out + (size_t)(*p - '0');
    return p > start && *p == ':' ? p + 1 : NULL;
}

static int pair_read(struct row *r, const char *end, keeper *keep, void *to)
{
    size_t index;
    double x;
    const char *value = index_read(r->p, &index), *next = value ? tamis_number_read(value, end, '.', &x) : NULL;
    if (!value) return NO_INDEX;
    if (next == value || !ends_word(*next)) return NO_PAIR;
    if (r->pairs && index <= r->last) return NOT_ASCENDING;
    if (!r->pairs++) r->first = index;
    r->last = index;
    if (keep) keep(to, index, x);
    r->p = past_blanks(next);
    return NONE;
}

/* The line at p, within text that ends in a zero at `end`. */
static int row_read(const char *p, const char *end, struct row *r, keeper *keep, void *to)
{
    *r = (struct row){.p = p};
    const char *next = tamis_number_read(p, end, '.', &r->label);
    if (next == p || !ends_word(*next) || !isfinite(r->label))
        return next > p && *next == ',' ? SEVERAL_LABELS : NO_LABEL;
    r->p = past_blanks(next);
    if (!strncmp(r->p, "qid:", 4)) {
        r->queried = 1;
        while (!ends_word(*r->p)) r->p++;
        r->p = past_blanks(r->p);
    }
    int fault = NONE;
    while (!fault && !ends_line(*r->p)) fault = pair_read(r, end, keep, to);
    return fault;
}

/* Past the end of the line; NULL: the text ends. */
static const char *line_next(const char *p)
{
    const char *newline = strchr(p, '\n');
    return newline && newline[1] ? newline + 1 : NULL;
}

/* ---- by content ---- */

/* Whether all whole lines are rows, and some has a pair. Of a line that is cut, whole words count. */
static int sniff(const unsigned char *bytes, size_t n)
{
    char text[SNIFFED + 1];
    struct row r;
    size_t pairs = 0, used = n < SNIFFED ? n : SNIFFED;
    memcpy(text, bytes, used);
    if (n > SNIFFED)
        while (used && text[used - 1] != ' ' && text[used - 1] != '\n') used--;
    text[used] = 0;
    for (const char *p = text; p && *p; p = line_next(p)) {
        p = past_blanks(p);
        if (ends_line(*p)) continue;
        if (row_read(p, text + used, &r, NULL, NULL)) return 0;
        pairs += r.pairs;
    }
    return pairs > 0 && strlen(text) == used;
}

/* ---- the table ---- */

struct shape { size_t rows, least, most, queries; };    /* least, most: indices */

static int say(tamis_context *cx, struct tamis_stream *s, int fault, const struct row *r, size_t line)
{
    static const char *const what[] = {
        [NO_LABEL] = "is not a label", [SEVERAL_LABELS] = "begins with several labels, but a row can have one only",
        [NO_PAIR] = "is not INDEX:VALUE", [NO_INDEX] = "is not INDEX:VALUE",
        [NOT_ASCENDING] = "has an index that does not ascend"};
    size_t n = strcspn(r->p, " \t\r\n");
    return tamis_fail(cx, TAMIS_DATA, "%s:%zu: '%.*s' %s; correct the line (LIBSVM)", tamis_stream_name(s), line,
                      n > SHOWN ? SHOWN : (int)n, r->p, what[fault]);
}

struct cells { tamis_table *t; size_t row, least; };

static void cell_put(void *to, size_t index, double x)
{
    const struct cells *c = to;
    c->t->column[index - c->least].value[c->row] = x;
}

/* Every row of the text; into t, unless NULL. */
static int walk(tamis_context *cx, struct tamis_stream *s, const char *p, const char *end, struct shape *shape,
                tamis_table *t)
{
    struct cells cells = {.t = t, .least = shape->least};
    struct row r;
    shape->queries = 0;
    for (size_t line = 1; p; p = line_next(p), line++) {
        p = past_blanks(p);
        if (ends_line(*p)) continue;
        int fault = row_read(p, end, &r, t ? cell_put : NULL, &cells);
        if (fault) return say(cx, s, fault, &r, line);
        if (line % 4096 == 0 && tamis_check_cancel(cx)) return TAMIS_STOPPED;
        if (t) t->column[t->columns - 1].value[cells.row] = r.label;
        cells.row++;
        if (r.pairs && !r.first) shape->least = 0;
        if (r.pairs && r.last > shape->most) shape->most = r.last;
        shape->queries += (size_t)r.queried;
    }
    shape->rows = cells.row;
    return TAMIS_OK;
}

static int names_make(tamis_context *cx, tamis_table *t, size_t least)
{
    char name[32];
    for (size_t j = 0; j < t->columns; j++) {
        tamis_snprintf(name, sizeof name, "x%zu", j + least);
        t->column[j].name = tamis_strdup(cx, j + 1 < t->columns ? name : "target");
        if (!t->column[j].name) return TAMIS_MEMORY;
    }
    return TAMIS_OK;
}

static void explain(tamis_context *cx, struct tamis_stream *s, const struct shape *shape)
{
    tamis_note(cx, "%s: read as LIBSVM; the inputs are x%zu to x%zu, and the label is the last column, 'target'",
               tamis_stream_name(s), shape->least, shape->most);
    if (shape->queries) tamis_note(cx, "%s: qid was ignored in %zu rows", tamis_stream_name(s), shape->queries);
}

static int dense(tamis_context *cx, struct tamis_stream *s, const char *text, size_t n, tamis_table **out)
{
    struct shape shape = {.least = 1};
    int status = strlen(text) == n ? TAMIS_OK : tamis_fail(cx, TAMIS_DATA, "%s: a zero byte, so this is not text; "
                                                           "fetch the file again", tamis_stream_name(s));
    if (!status) status = walk(cx, s, text, text + n, &shape, NULL);
    if (!status) status = tamis_shape_check(cx, shape.rows, shape.most - shape.least + 2);
    if (!status) *out = tamis_table_sized(cx, tamis_stream_name(s), shape.rows, shape.most - shape.least + 2);
    if (!status && !*out) status = TAMIS_MEMORY;
    if (!status) status = names_make(cx, *out, shape.least);
    if (!status) status = walk(cx, s, text, text + n, &shape, *out);
    if (!status) explain(cx, s, &shape);
    return status;
}

static int read_libsvm(tamis_context *cx, struct tamis_stream *s, const tamis_options *o, struct tamis_reading *out)
{
    unsigned char *bytes;
    size_t n;
    (void)o;
    out->sparse = 1;
    int status = tamis_stream_rest(cx, s, &bytes, &n);
    if (!status) status = dense(cx, s, (const char *)bytes, n, &out->table);
    tamis_free(bytes);
    return status;
}

const struct tamis_reader tamis_libsvm = {"libsvm",    "LIBSVM or SVMlight", ".libsvm .svm .svmlight", sniff,
                                          read_libsvm, NULL};
