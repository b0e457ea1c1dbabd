/* One sheet of a workbook: its cells are collected in order, and written as CSV in the rows of the sheet, so that line
 * numbers are row numbers. Columns without any cell are left out. Dates become ISO text by their number format; errors
 * are missing; a formula is its stored value. */
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include "base/format.h"
#include "base/number.h"
#include "data/xlsx.h"

#ifdef TAMIS_EXPAT

enum { COLUMNS = 16384, ROWS = 1048576, SHOWN = 300 };

struct cell { uint32_t row, column; size_t at; };       /* both from 0; where its text begins */

struct sheet {
    struct tamis_xlsx *x;
    const char *name;
    struct tamis_text text;             /* of all cells, each ended by a zero */
    struct cell *cell;
    size_t cells, room, formulas;       /* formulas: without a stored value */
    uint32_t row, column;               /* of the next cell */
    uint32_t width;                     /* past the last column that is used */
    char type[12];                      /* of this cell: n, s, str, inlineStr, b, e, d */
    size_t style;
    struct tamis_text value;
    int wanted, formula, phonetic;      /* wanted: text here belongs to the value */
    unsigned char used[COLUMNS];
    double checked;
};

static int wrong(struct sheet *s, const char *what)
{
    return tamis_fail(s->x->cx, TAMIS_DATA, "%s:%zu: sheet '%.60s' is damaged (%s); save it again", s->x->file,
                      (size_t)s->row + 1, s->name, what);
}

/* ---- values ---- */

/* Days since 1899-12-30 (or 1904-01-01) as ISO text; the year 1900 has a February 29 there. */
static void date_text(const struct tamis_xlsx *x, double serial, unsigned shows, char *out, size_t room)
{
    long seconds = lround((serial - floor(serial)) * 86400), day = (long)floor(serial);
    if (seconds == 86400 || !(shows & TAMIS_XLSX_TIME)) day += seconds == 86400 && shows & TAMIS_XLSX_TIME, seconds = 0;
    int clock_only = !(shows & TAMIS_XLSX_DATE);
    day -= x->from_1904 ? 24107 : day < 60 ? 25568 : 25569;     /* days since 1970-01-01 */
    long z = day + 719468, era = (z >= 0 ? z : z - 146096) / 146097, of_era = z - era * 146097;
    long year = (of_era - of_era / 1460 + of_era / 36524 - of_era / 146096) / 365;
    long of_year = of_era - (365 * year + year / 4 - year / 100), m = (5 * of_year + 2) / 153;
    long d = of_year - (153 * m + 2) / 5 + 1, month = m < 10 ? m + 3 : m - 9;
    size_t n = 0;
    if (!clock_only)
        n = (size_t)tamis_snprintf(out, room, "%04ld-%02ld-%02ld", year + era * 400 + (month <= 2), month, d);
    if (shows & TAMIS_XLSX_TIME)
        tamis_snprintf(out + n, room - n, "%s%02ld:%02ld:%02ld", n ? " " : "", seconds / 3600,
                 seconds / 60 % 60, seconds % 60);
}

/* A number, or the date that it stands for. */
static void number_put(struct sheet *s)
{
    const struct tamis_xlsx *x = s->x;
    unsigned shows = s->style < x->styles ? x->style[s->style] : 0;
    char date[64];
    double serial;
    if (!shows || !tamis_number_whole(s->value.s, s->value.length, '.', &serial) ||
        !(serial >= 0 && serial < 2958466)) {
        tamis_text_add(&s->text, s->value.s, s->value.length);
        return;
    }
    if (!(shows & TAMIS_XLSX_DATE) && serial >= 1) shows |= TAMIS_XLSX_DATE;
    date_text(x, serial, shows, date, sizeof date);
    tamis_text_puts(&s->text, date);
}

static int shared_put(struct sheet *s)
{
    const struct tamis_xlsx *x = s->x;
    double number;
    if (!tamis_number_whole(s->value.s, s->value.length, '.', &number) || !(number >= 0 && number < (double)x->count))
        return wrong(s, "a text that is not there");
    size_t k = (size_t)number;
    tamis_text_add(&s->text, x->strings.s ? x->strings.s + x->string[k] : "", x->string[k + 1] - x->string[k]);
    return TAMIS_OK;
}

static int value_put(struct sheet *s)
{
    if (!strcmp(s->type, "e")) return TAMIS_OK;
    if (!strcmp(s->type, "s")) return shared_put(s);
    if (!strcmp(s->type, "b")) tamis_text_puts(&s->text, s->value.s[0] == '1' ? "TRUE" : "FALSE");
    else if (!strcmp(s->type, "n")) number_put(s);
    else tamis_text_add(&s->text, s->value.s, s->value.length);
    return TAMIS_OK;
}

/* ---- cells ---- */

static int cell_add(struct sheet *s)
{
    tamis_context *cx = s->x->cx;
    if (s->cells == s->room) {
        size_t room = 2 * s->room + 64;
        double bytes = (double)room * sizeof(struct cell);
        if (bytes > 1e8 && tamis_memory_check(cx, bytes, "the sheet", "drop rows or columns")) return TAMIS_MEMORY;
        struct cell *grown = tamis_grow(cx, s->cell, room, sizeof *grown);
        if (!grown) return TAMIS_MEMORY;
        s->cell = grown;
        s->room = room;
    }
    size_t at = s->text.length;
    int status = value_put(s);
    if (status || s->text.length == at) return status;          /* an error, an empty text */
    tamis_text_add(&s->text, "", 1);
    if (s->cells && s->cell[s->cells - 1].row == s->row && s->cell[s->cells - 1].column >= s->column)
        return wrong(s, "cells out of order");
    s->used[s->column] = 1;
    if (s->column >= s->width) s->width = s->column + 1;
    s->cell[s->cells++] = (struct cell){s->row, s->column, at};
    return tamis_text_within(&s->text, &s->checked);
}

/* "B7": the column; the row is that of the row element. */
static int place(struct sheet *s, const char *reference)
{
    uint32_t column = 0;
    for (; *reference >= 'A' && *reference <= 'Z' && column < COLUMNS; reference++)
        column = 26 * column + (uint32_t)(*reference - 'A' + 1);
    if (!column || column > COLUMNS) return wrong(s, "a cell that cannot be");
    s->column = column - 1;
    return TAMIS_OK;
}

static int row_start(struct sheet *s, const char *number)
{
    long row = number ? strtol(number, NULL, 10) - 1 : (long)s->row;
    if (row < (long)s->row || row >= ROWS) return wrong(s, "rows out of order");
    s->row = (uint32_t)row;
    s->column = 0;
    return TAMIS_OK;
}

static int cell_start(struct sheet *s, const char **attribute)
{
    const char *type = tamis_xml_attribute(attribute, "t"), *style = tamis_xml_attribute(attribute, "s"),
               *reference = tamis_xml_attribute(attribute, "r");
    tamis_snprintf(s->type, sizeof s->type, "%s", type ? type : "n");
    s->style = style ? strtoul(style, NULL, 10) : SIZE_MAX;
    s->value.length = 0;
    tamis_text_puts(&s->value, "");
    s->formula = 0;
    if (s->column >= COLUMNS || s->row >= ROWS) return wrong(s, "too many cells");
    return reference ? place(s, reference) : TAMIS_OK;
}

static int on_start(void *user, const char *name, const char **attribute)
{
    struct sheet *s = user;
    if (!strcmp(name, "row")) return row_start(s, tamis_xml_attribute(attribute, "r"));
    if (!strcmp(name, "c")) return cell_start(s, attribute);
    if (!strcmp(name, "rPh")) s->phonetic = 1;
    if (!strcmp(name, "f")) s->formula = 1;
    s->wanted = !s->phonetic && (!strcmp(name, "v") || !strcmp(name, "t"));
    return TAMIS_OK;
}

static int on_text(void *user, const char *text, size_t n)
{
    struct sheet *s = user;
    if (s->wanted) tamis_text_add(&s->value, text, n);
    return s->value.failed ? tamis_status(s->x->cx) : TAMIS_OK;
}

static int on_end(void *user, const char *name)
{
    struct sheet *s = user;
    s->wanted = 0;
    if (!strcmp(name, "rPh")) s->phonetic = 0;
    if (!strcmp(name, "row")) s->row++;
    if (strcmp(name, "c")) return TAMIS_OK;
    s->formulas += s->formula && !s->value.length;
    int status = s->value.length ? cell_add(s) : TAMIS_OK;
    s->column++;
    return s->text.failed || s->value.failed ? tamis_status(s->x->cx) : status;
}

/* ---- as CSV ---- */

/* The cells of one row, of which *k is the first. */
static void row_write(const struct sheet *s, size_t *k, struct tamis_text *out)
{
    uint32_t row = s->cell[*k].row;
    const char *before = "";
    for (uint32_t j = 0; j < s->width; j++) {
        if (!s->used[j]) continue;
        int here = *k < s->cells && s->cell[*k].row == row && s->cell[*k].column == j;
        const char *text = here ? s->text.s + s->cell[(*k)++].at : "";
        tamis_csv_put(out, text, strlen(text), before);
        before = ",";
    }
}

static int write_rows(struct sheet *s, struct tamis_text *out)
{
    uint32_t line = 0;
    double checked = 0;
    int status = TAMIS_OK;
    for (size_t i = 0; i < s->text.length; i++)                 /* one line per row */
        if (s->text.s[i] == '\n' || s->text.s[i] == '\r') s->text.s[i] = ' ';
    for (size_t k = 0; k < s->cells && !status; line++) {
        if (s->cell[k].row == line) row_write(s, &k, out);
        tamis_text_puts(out, "\n");
        status = tamis_text_within(out, &checked);
    }
    return status;
}

/* ---- which sheet ---- */

static int say_sheets(struct tamis_xlsx *x, const char *wanted)
{
    struct tamis_text list = {.cx = x->cx};
    for (size_t i = 0; i < x->sheets && list.length < SHOWN; i++)
        tamis_text_printf(&list, "%s%.60s", i ? ", " : "", x->sheet[i].name);
    if (!list.failed) tamis_fail(x->cx, TAMIS_USAGE, "--sheet '%.60s': %s has no such sheet, but %s", wanted, x->file,
                                 list.s ? list.s : "none at all");
    tamis_text_free(&list);
    return tamis_status(x->cx);
}

/* By name, or by number from 1. */
static int find_sheet(struct tamis_xlsx *x, const char *wanted, size_t *out)
{
    char *end;
    *out = 0;
    if (!x->sheets) return tamis_fail(x->cx, TAMIS_DATA, "%s: the workbook has no sheets; save it again", x->file);
    if (!wanted && x->sheets > 1)
        tamis_note(x->cx, "%s: sheet '%s' was read, the first of %zu; --sheet names another", x->file,
                   x->sheet[0].name, x->sheets);
    if (!wanted) return TAMIS_OK;
    for (; *out < x->sheets; ++*out)
        if (!strcmp(x->sheet[*out].name, wanted)) return TAMIS_OK;
    unsigned long number = strtoul(wanted, &end, 10);
    *out = number - 1;
    return *wanted && !*end && number >= 1 && number <= x->sheets ? TAMIS_OK : say_sheets(x, wanted);
}

static int read_sheet(struct tamis_xlsx *x, const struct tamis_xlsx_sheet *from, struct tamis_text *out)
{
    static const struct tamis_xml xml = {on_start, on_end, on_text};
    struct sheet *s = tamis_new(x->cx, struct sheet, 1);
    if (!s) return TAMIS_MEMORY;
    s->x = x;
    s->name = from->name;
    s->text.cx = s->value.cx = x->cx;
    int status = tamis_xlsx_parse(x, from->path ? from->path : "xl/worksheets/sheet1.xml", 1, &xml, s);
    if (!status && !s->cells)
        status = tamis_fail(x->cx, TAMIS_DATA, "%s: sheet '%.60s' is empty; --sheet names another", x->file, s->name);
    if (!status && s->formulas)
        tamis_note(x->cx, "%s: %zu formulas have no stored value and count as missing; open and save the file in a "
                   "spreadsheet program", x->file, s->formulas);
    if (!status) status = write_rows(s, out);
    tamis_text_free(&s->text);
    tamis_text_free(&s->value);
    tamis_free(s->cell);
    tamis_free(s);
    return status;
}

static int read_xlsx(tamis_context *cx, struct tamis_stream *s, const tamis_options *o, struct tamis_reading *out)
{
    struct tamis_xlsx x;
    size_t sheet = 0;
    (void)o;
    int status = tamis_xlsx_open(cx, s, &x);
    if (!status) status = find_sheet(&x, out->choice, &sheet);
    if (!status) status = read_sheet(&x, &x.sheet[sheet], &out->csv);
    tamis_xlsx_close(&x);
    return status;
}
#else
#define read_xlsx NULL
#endif

/* A zip archive that is not an NPZ, which comes before. */
static int sniff(const unsigned char *b, size_t n) { return tamis_magic(b, n, "PK\3\4", 4); }

const struct tamis_reader tamis_xlsx = {
    "xlsx", "Excel workbook", ".xlsx", sniff, read_xlsx,
    "is a zip archive or a spreadsheet, which this build does not read; build with libexpat1-dev, or save it as CSV",
    "sheet"};
