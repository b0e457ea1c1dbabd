/* The header: how many names, R's row names, empty and duplicate names. */
#include "base/format.h"
#include "data/csv_inner.h"
#include "base/number.h"

enum { ROWS_TRIED = 10 };

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

static int header_shape(struct tamis_csv *c)
{
    struct tamis_line header = tamis_cells_line(&c->cells, c->cells.at);
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
    return status;
}
