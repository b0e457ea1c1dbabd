/* The header: how many names, R's row names, empty and duplicate names, and the row of units below it. */
#include "base/format.h"
#include "base/text.h"
#include "data/csv_inner.h"
#include "base/number.h"

enum { ROWS_TRIED = 10, UNITS_SHOWN = 3 };

static int header_cell(struct tamis_csv *c, size_t f, const struct tamis_cell *cell)
{
    char made[32];
    const char *s = cell->s;
    size_t n = cell->n, number = f + 1 - (size_t)c->row_names;
    while (n && (*s == ' ' || *s == '\t')) s++, n--;
    while (n && (s[n - 1] == ' ' || s[n - 1] == '\t')) n--;
    for (size_t i = 0; i < n; i++)
        if ((unsigned char)s[i] < 9)
            return tamis_fail(c->cx, TAMIS_DATA,
                              "%s:%zu: byte %d in the name of column %zu, so this is not text; save the table as CSV",
                              tamis_csv_file(c), c->cells.line, s[i], number);
    c->field[f].unnamed = !n;
    if (!n) s = made, n = (size_t)tamis_snprintf(made, sizeof made, "column%zu", number);
    c->field[f].column = c->table->columns;
    if (tamis_csv_utf8(c, &s, &n)) return TAMIS_MEMORY;
    char *name = tamis_strndup(c->cx, s, n);
    if (!name) return TAMIS_MEMORY;
    c->table->column[c->table->columns++].name = name;
    return TAMIS_OK;
}

/* Whether each of the first rows has one cell more than there are names, and the last cell is not empty. */
static int have_row_names(struct tamis_csv *c, const struct tamis_line *header)
{
    struct tamis_line l = *header;
    int rows = 0;
    for (; rows < ROWS_TRIED; rows++) {
        l = tamis_cells_line(&c->cells, l.next);
        if (l.cut) break;
        if (l.cells != header->cells + 1 || l.last_empty) return 0;
    }
    return rows > 0;
}

/* The first line, whose names may hold more line ends than what has been read. */
static int header_line(struct tamis_csv *c, struct tamis_line *header)
{
    int status = TAMIS_OK;
    *header = tamis_cells_line(&c->cells, c->cells.at);
    while (header->cut == TAMIS_CUT_MORE && !c->cells.whole && !status) {
        status = tamis_cells_more(&c->cells);
        if (!status) *header = tamis_cells_line(&c->cells, c->cells.at);
    }
    return status;
}

static int header_shape(struct tamis_csv *c)
{
    struct tamis_line header;
    if (header_line(c, &header)) return tamis_status(c->cx);
    if (header.cut == TAMIS_CUT_MORE)
        return tamis_fail(c->cx, TAMIS_DATA, "%s:%zu: the header line does not end", tamis_csv_file(c),
                          c->cells.line);
    if (header.cut) return tamis_csv_say_cut(c, header.cut, header.cells, c->cells.line + header.lines);
    c->row_names = c->set.header && have_row_names(c, &header);
    c->fields = header.cells + (size_t)c->row_names;
    if (c->row_names)
        tamis_note(c->cx,
                   "%s: rows have one cell more than the header has names; their first cell was taken as the name "
                   "of the row and dropped",
                   tamis_csv_file(c));
    c->hot = tamis_new(c->cx, struct hot, c->fields);
    c->field = tamis_new(c->cx, struct field, c->fields);
    c->table->column = tamis_new(c->cx, struct tamis_data_column, c->fields);
    return tamis_status(c->cx);
}

/* Without a header: x1, x2, ..., and the first line stays to be read. */
static int names_made(struct tamis_csv *c)
{
    char made[32];
    for (size_t f = 0; f < c->fields; f++) {
        tamis_snprintf(made, sizeof made, "x%zu", f + 1);
        c->field[f].column = f;
        if (!(c->table->column[f].name = tamis_strdup(c->cx, made))) return TAMIS_MEMORY;
        c->table->columns++;
    }
    return TAMIS_OK;
}

static int header_names(struct tamis_csv *c)
{
    struct tamis_cells *k = &c->cells;
    struct tamis_cell cell;
    size_t lines = 0;
    const char *p = k->at;
    if (!c->set.header) return names_made(c);
    if (c->row_names) c->hot[0].how = SKIP;
    for (size_t f = (size_t)c->row_names; f < c->fields; f++, p = cell.next + 1) {
        int cut = tamis_cell_cut(k, p, &cell),
            status = cut ? tamis_csv_say_cut(c, cut, f, k->line + lines) : header_cell(c, f, &cell);
        if (status) return status;
        lines += cell.lines;
    }
    k->at = tamis_cells_newline(k, p - 1);
    k->line += lines + 1;
    return TAMIS_OK;
}

static int header_distinct(struct tamis_csv *c, size_t line)
{
    double x;
    for (size_t j = 0; j < c->table->columns; j++) {
        const char *name = c->table->column[j].name;
        long k = tamis_labels_put(c->cx, &c->names, name, strlen(name));
        if (k < 0) return TAMIS_MEMORY;
        if ((size_t)k == j) continue;
        return tamis_fail(c->cx, TAMIS_DATA, "%s:%zu: columns %ld and %zu are both named '%.60s'; %s",
                          tamis_csv_file(c), line, k + 1, j + 1, name,
                          tamis_number_whole(name, strlen(name), '.', &x)
                              ? "rename one, or add --no-header if there is none"
                              : "rename one");
    }
    return TAMIS_OK;
}

/* A header of numbers only is most likely the first row of data. */
static void header_doubt(struct tamis_csv *c)
{
    double x;
    for (size_t j = 0; j < c->table->columns; j++)
        if (!tamis_number_whole(c->table->column[j].name, strlen(c->table->column[j].name), c->cells.point, &x)) return;
    tamis_note(c->cx, "%s: all names in the first line are numbers; if it is a row of data, add --no-header",
               tamis_csv_file(c));
}

/* ---- units ---- */

/* A user's word for missing values says that the row is one of data. */
static int units_found(struct tamis_csv *c, const char *p)
{
    struct tamis_cell cell;
    if (!tamis_cells_units(&c->cells, p)) return 0;
    for (size_t f = 0; f < c->fields; f++, p = cell.next + 1)
        if (tamis_cell_cut(&c->cells, p, &cell) ||
            (cell.n && tamis_csv_text_missing(&c->missing, cell.s, cell.n)))
            return 0;
    return 1;
}

struct units { struct tamis_text shown; size_t count; };

/* Without the brackets around it. */
static int unit_keep(struct tamis_csv *c, size_t f, const struct tamis_cell *cell, struct units *u)
{
    const char *s = cell->s;
    size_t n = cell->n;
    if (n > 1 && ((*s == '[' && s[n - 1] == ']') || (*s == '(' && s[n - 1] == ')'))) s++, n -= 2;
    if (!n || (n == 1 && *s == '-')) return TAMIS_OK;
    if (tamis_csv_utf8(c, &s, &n)) return TAMIS_MEMORY;
    if (u->count++ < UNITS_SHOWN) {
        tamis_text_puts(&u->shown, u->count > 1 ? ", " : "");
        tamis_text_add(&u->shown, s, n);
    }
    char **units = &c->table->column[c->field[f].column].units;
    return (*units = tamis_strndup(c->cx, s, n)) ? TAMIS_OK : TAMIS_MEMORY;
}

static int units_take(struct tamis_csv *c, const char *p)
{
    struct tamis_cells *k = &c->cells;
    struct units u = {.shown = {.cx = c->cx}};
    struct tamis_cell cell = {.next = p};
    int status = TAMIS_OK;
    for (size_t f = 0; f < c->fields && !status; f++, p = cell.next + 1) {
        status = tamis_cell_cut(k, p, &cell) ? TAMIS_MEMORY : TAMIS_OK;
        k->line += cell.lines;
        if (!status && f >= (size_t)c->row_names) status = unit_keep(c, f, &cell, &u);
    }
    if (!status) status = tamis_text_status(&u.shown);
    if (!status)
        tamis_note(c->cx, "%s:%zu: this line has units (%s%s) and was left out; to read it as data, add --units no",
                   tamis_csv_file(c), k->line, u.shown.s ? u.shown.s : "none", u.count > UNITS_SHOWN ? ", ..." : "");
    k->at = tamis_cells_newline(k, p - 1);
    k->line++;
    tamis_text_free(&u.shown);
    return status;
}

static int header_units(struct tamis_csv *c)
{
    struct tamis_cells *k = &c->cells;
    size_t lines;
    const char *p = tamis_cells_blank_lines(k, k->at, &lines);
    if (!p || !c->set.header || !strcmp(c->set.units, "no")) return TAMIS_OK;
    struct tamis_line l = tamis_cells_line(k, p);
    if (l.cut || l.cells != c->fields) return tamis_status(c->cx);
    if (strcmp(c->set.units, "yes") && !units_found(c, p)) return tamis_status(c->cx);
    k->line += lines;
    return units_take(c, p);
}

int tamis_csv_header(struct tamis_csv *c)
{
    size_t lines = 0, line;
    const char *p = tamis_cells_blank_lines(&c->cells, c->cells.at, &lines);
    if (!p)
        return tamis_fail(c->cx, TAMIS_DATA, "%s:1: the file is empty; a header line and rows of values are needed",
                          tamis_csv_file(c));
    c->cells.at = p;
    line = c->cells.line += lines;
    int status = header_shape(c);
    if (!status) status = header_names(c);
    if (!status) status = header_distinct(c, line);
    if (!status && c->set.header) header_doubt(c);
    c->cells.fields = c->fields;
    if (!status) status = header_units(c);
    return status;
}
