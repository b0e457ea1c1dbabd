/* Weka's attribute-relation files: @attribute lines with names and types, then @data with rows, dense or sparse
 * ({index value, ...}, indices from 0; what is not listed is 0, or the first of the nominal values). % begins a comment
 * line, ? is missing. Values are checked against their declaration and handed to the CSV reader line by line: line
 * numbers stay what they are. */
#include <ctype.h>
#include <string.h>
#include <strings.h>
#include "base/number.h"
#include "data/formats.h"

enum { SHOWN = 40 };
enum kind { NUMERIC, NOMINAL, STRING, DATE };

struct attribute { enum kind kind; struct tamis_labels values; };

struct arff {
    tamis_context *cx;
    const char *file, *p;               /* p: what follows, which ends in a zero */
    size_t line;
    struct tamis_labels names;
    struct attribute *attribute;
    struct tamis_text word;             /* the last one read, without its quotes */
    int quoted;                         /* it had some */
    char **cell;                        /* of a sparse row; NULL: not listed */
    struct tamis_reading *out;
    double checked;
};

static int wrong(struct arff *a, const char *what)
{
    return tamis_fail(a->cx, TAMIS_DATA, "%s:%zu: %s; correct the line (ARFF)", a->file, a->line, what);
}

static int wrong_word(struct arff *a, const char *what, size_t j)
{
    return tamis_fail(a->cx, TAMIS_DATA, "%s:%zu: '%.*s' %s of attribute '%.60s'; correct the line", a->file, a->line,
                      SHOWN, a->word.s, what, a->names.label[j]);
}

/* ---- words ---- */

static void blanks(struct arff *a) { a->p += strspn(a->p, " \t"); }
static int at_end(const struct arff *a) { return !*a->p || *a->p == '\n' || *a->p == '\r'; }

static void line_next(struct arff *a)
{
    a->p += strcspn(a->p, "\n");
    if (*a->p) a->p++, a->line++;
    tamis_text_puts(&a->out->csv, "\n");
}

/* \n, \t and an escaped character inside quotes. */
static char unescape(char c) { return c == 'n' || c == 'r' || c == 't' ? ' ' : c; }

static int quoted_word(struct arff *a)
{
    char quote = *a->p++, c;
    for (; *a->p && *a->p != quote && *a->p != '\n'; a->p++) {
        c = *a->p == '\\' && a->p[1] && a->p[1] != '\n' ? unescape(*++a->p) : *a->p;
        tamis_text_add(&a->word, &c, 1);
    }
    if (*a->p != quote) return wrong(a, "a quote is not closed");
    a->p++;
    return TAMIS_OK;
}

/* The word at p, up to one of `stops`, a blank or the end of the line. */
static int word(struct arff *a, const char *stops)
{
    blanks(a);
    a->word.length = 0;
    tamis_text_puts(&a->word, "");
    a->quoted = *a->p == '\'' || *a->p == '"';
    int status = TAMIS_OK;
    if (a->quoted) status = quoted_word(a);
    else {
        const char *start = a->p;
        while (!at_end(a) && *a->p != ' ' && *a->p != '\t' && !strchr(stops, *a->p)) a->p++;
        tamis_text_add(&a->word, start, (size_t)(a->p - start));
    }
    blanks(a);
    return a->word.failed ? tamis_status(a->cx) : status;
}

static int keyword(const struct arff *a, const char *k)
{
    size_t n = strlen(k);
    return !strncasecmp(a->p, k, n) && (isspace((unsigned char)a->p[n]) || !a->p[n] || a->p[n] == '{');
}

/* ---- declarations ---- */

static int nominal(struct arff *a, struct attribute *t)
{
    t->kind = NOMINAL;
    for (a->p++; *a->p != '}';) {
        int status = word(a, ",}");
        if (status) return status;
        if (at_end(a)) return wrong(a, "a brace is not closed");
        if (tamis_labels_put(a->cx, &t->values, a->word.s, a->word.length) < 0) return TAMIS_MEMORY;
        if (*a->p == ',') a->p++;
        else if (*a->p != '}') return wrong(a, "a comma is missing between values");
        blanks(a);
    }
    return TAMIS_OK;
}

static int type(struct arff *a, struct attribute *t)
{
    static const struct { const char *word; enum kind kind; } known[] = {
        {"numeric", NUMERIC}, {"real", NUMERIC}, {"integer", NUMERIC}, {"string", STRING}, {"date", DATE}};
    blanks(a);
    if (*a->p == '{') return nominal(a, t);
    for (size_t k = 0; k < sizeof known / sizeof *known; k++)
        if (keyword(a, known[k].word)) {
            t->kind = known[k].kind;
            return TAMIS_OK;
        }
    return wrong(a, "the type of the attribute is not numeric, nominal, string or date");
}

static int attribute(struct arff *a)
{
    size_t n = a->names.count;
    a->p += strlen("@attribute");
    int status = word(a, "{");
    if (status) return status;
    if (!a->word.length) return wrong(a, "the attribute has no name");
    struct attribute *grown = tamis_grow(a->cx, a->attribute, n + 1, sizeof *grown);
    if (!grown) return TAMIS_MEMORY;
    a->attribute = grown;
    a->attribute[n] = (struct attribute){0};
    char *name = tamis_column_name(a->cx, a->word.s, a->word.length, n + 1);
    long k = name ? tamis_labels_put(a->cx, &a->names, name, strlen(name)) : TAMIS_NO_LABEL;
    tamis_free(name);
    if (k < 0) return TAMIS_MEMORY;
    if ((size_t)k < n) return wrong(a, "two attributes have the same name");
    return type(a, &a->attribute[n]);
}

static int declarations(struct arff *a)
{
    int status = TAMIS_OK;
    for (; *a->p && !status; line_next(a)) {
        blanks(a);
        if (keyword(a, "@data")) return TAMIS_OK;
        if (keyword(a, "@attribute")) status = attribute(a);
        else if (!at_end(a) && *a->p != '%' && !keyword(a, "@relation"))
            status = wrong(a, "neither @attribute nor @data");
    }
    return status ? status : wrong(a, "there is no @data");
}

static int header(struct arff *a)
{
    if (!a->names.count) return wrong(a, "there are no attributes");
    for (size_t j = 0; j < a->names.count; j++) {
        const char *name = a->names.label[j];
        int category = a->attribute[j].kind == NOMINAL || a->attribute[j].kind == STRING;
        tamis_csv_put(&a->out->csv, name, strlen(name), j ? "," : "");
        if (category && tamis_labels_put(a->cx, &a->out->categories, name, strlen(name)) < 0) return TAMIS_MEMORY;
    }
    a->out->named = 1;
    return TAMIS_OK;
}

/* ---- rows ---- */

static void put(struct arff *a, size_t j, const char *s, size_t n)
{
    if (!n && a->names.count == 1) s = "NA", n = 2;             /* an empty line would not be a row */
    tamis_csv_put(&a->out->csv, s, n, j ? "," : "");
}

/* The word against its declaration. */
static int check(struct arff *a, size_t j)
{
    const struct attribute *t = &a->attribute[j];
    double x;
    if (!a->quoted && !strcmp(a->word.s, "?")) a->word.length = 0, a->word.s[0] = 0;
    if (!a->word.length) return TAMIS_OK;
    if (t->kind == NUMERIC && !tamis_number_whole(a->word.s, a->word.length, '.', &x))
        return wrong_word(a, "is not a number, which is the type", j);
    if (t->kind == NOMINAL && tamis_labels_find(&t->values, a->word.s, a->word.length) < 0)
        return wrong_word(a, "is not among the declared values", j);
    return TAMIS_OK;
}

static int wrong_count(struct arff *a, size_t found)
{
    return tamis_fail(a->cx, TAMIS_DATA, "%s:%zu: %zu values found, %zu attributes declared; correct the line",
                      a->file, a->line, found, a->names.count);
}

static int dense(struct arff *a)
{
    size_t j = 0;
    for (; !at_end(a); j++) {
        int status = word(a, ",");
        if (!status && j >= a->names.count) status = wrong_count(a, j + 1);
        if (!status) status = check(a, j);
        if (status) return status;
        put(a, j, a->word.s, a->word.length);
        if (*a->p != ',') continue;
        a->p++;
        blanks(a);
        if (at_end(a)) return wrong_count(a, j + 2);
    }
    return j == a->names.count ? TAMIS_OK : wrong_count(a, j);
}

/* One "index value" of a sparse row. */
static int pair(struct arff *a)
{
    double index;
    int status = word(a, ",}");
    if (status) return status;
    if (!tamis_number_whole(a->word.s, a->word.length, '.', &index) || !(index >= 0) ||
        index >= (double)a->names.count || index != (double)(size_t)index)
        return wrong(a, "an index is not that of an attribute, counted from 0");
    size_t j = (size_t)index;
    if (a->cell[j]) return wrong(a, "an index occurs twice");
    if ((status = word(a, ",}")) || (status = check(a, j))) return status;
    a->cell[j] = tamis_strndup(a->cx, a->word.s, a->word.length);
    return a->cell[j] ? TAMIS_OK : TAMIS_MEMORY;
}

static const char *not_listed(const struct attribute *t)
{
    return t->kind == NOMINAL && t->values.count ? t->values.label[0] : "0";
}

static int sparse(struct arff *a)
{
    int status = TAMIS_OK;
    a->p++;
    for (blanks(a); *a->p != '}' && !status; blanks(a)) {
        if (at_end(a)) return wrong(a, "a brace is not closed");
        status = pair(a);
        if (*a->p == ',') a->p++;
    }
    for (size_t j = 0; j < a->names.count && !status; j++) {
        const char *s = a->cell[j] ? a->cell[j] : not_listed(&a->attribute[j]);
        put(a, j, s, strlen(s));
        tamis_free(a->cell[j]);
        a->cell[j] = NULL;
    }
    return status;
}

static int rows(struct arff *a)
{
    int status = TAMIS_OK;
    for (line_next(a); *a->p && !status; line_next(a)) {
        blanks(a);
        if (at_end(a) || *a->p == '%') continue;
        status = *a->p == '{' ? sparse(a) : dense(a);
        if (!status) status = tamis_text_within(&a->out->csv, &a->checked);
    }
    return status;
}

/* ---- the file ---- */

static void arff_free(struct arff *a)
{
    for (size_t j = 0; j < a->names.count; j++) {
        tamis_labels_free(&a->attribute[j].values);
        if (a->cell) tamis_free(a->cell[j]);
    }
    tamis_free(a->attribute);
    tamis_free(a->cell);
    tamis_labels_free(&a->names);
    tamis_text_free(&a->word);
}

static int read_arff(tamis_context *cx, struct tamis_stream *s, const tamis_options *o, struct tamis_reading *out)
{
    struct arff a = {.cx = cx, .file = tamis_stream_name(s), .line = 1, .word = {.cx = cx}, .out = out};
    unsigned char *bytes;
    size_t n;
    (void)o;
    int status = tamis_stream_rest(cx, s, &bytes, &n);
    a.p = (const char *)bytes;
    if (!status && memchr(bytes, 0, n)) status = wrong(&a, "a zero byte in the file, so this is not text");
    if (!status && tamis_magic(bytes, n, "\xEF\xBB\xBF", 3)) a.p += 3;
    if (!status) status = declarations(&a);
    if (!status) status = header(&a);
    if (!status && !(a.cell = tamis_new(cx, char *, a.names.count))) status = TAMIS_MEMORY;
    if (!status) status = rows(&a);
    arff_free(&a);
    tamis_free(bytes);
    return status;
}

/* Comments and blank lines, then @relation or @attribute. */
static int sniff(const unsigned char *bytes, size_t n)
{
    const char *p = (const char *)bytes, *end = p + n;
    if (tamis_magic(bytes, n, "\xEF\xBB\xBF", 3)) p += 3;
    while (p < end && (isspace((unsigned char)*p) || *p == '%')) {
        const char *newline = *p == '%' ? memchr(p, '\n', (size_t)(end - p)) : p;
        p = newline ? newline + 1 : end;
    }
    return (end - p >= 9 && !strncasecmp(p, "@relation", 9)) || (end - p >= 10 && !strncasecmp(p, "@attribute", 10));
}

const struct tamis_reader tamis_arff = {"arff", "Weka's ARFF", ".arff", sniff, read_arff, NULL};
