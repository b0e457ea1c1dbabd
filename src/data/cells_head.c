/* What stands above the rows: lines of a title over the header, and a row of units under it. Both are told by the
 * cells: a title has fewer of them than the table, and units are texts above columns of numbers. */
#include <math.h>
#include <string.h>
#include <strings.h>
#include "base/number.h"
#include "data/cells.h"
#include "data/dates.h"

enum { LINES = 40, ROWS = 8, FEWEST_CHANNELS = 5 };

/* ---- kinds of cells ---- */

enum look { NOTHING, NUMBER, DATE, TEXT, BRACKETS };    /* BRACKETS: a text such as (mg/l) */

static int says_nothing(const char *s, size_t n)
{
    static const char *const words[] = {"-", "--", ".", "?", "na", "n/a", "nd", "n.d.", "n.a.", "#n/a", "nan", "null",
                                        "none", "missing", "lod", "bdl", "error"};
    for (size_t k = 0; k < sizeof words / sizeof *words; k++)
        if (strlen(words[k]) == n && !strncasecmp(s, words[k], n)) return 1;
    return !n;
}

/* With either decimal mark, with thousands, or beyond a limit (<0.05). */
static int is_number(const char *s, size_t n, double *x)
{
    while (n > 1 && strchr("<>= ", *s)) s++, n--;
    return tamis_number_whole(s, n, '.', x) || tamis_number_whole(s, n, ',', x) || tamis_cells_grouped(s, n, '.', x) ||
           tamis_cells_grouped(s, n, ',', x);
}

static enum look look(const struct tamis_cell *cell, double *x)
{
    const char *s = cell->s;
    size_t n = cell->n;
    double days;
    if (says_nothing(s, n)) return NOTHING;
    if (is_number(s, n, x)) return isnan(*x) ? NOTHING : NUMBER;
    for (int kind = TAMIS_DATE_YMD; kind < TAMIS_DATES; kind++)
        if (tamis_date_read(s, n, kind, &days)) return DATE;
    return n > 2 && ((*s == '[' && s[n - 1] == ']') || (*s == '(' && s[n - 1] == ')')) ? BRACKETS : TEXT;
}

/* What a column's cells are, with one more. */
static enum look both(enum look a, enum look b)
{
    return a == NOTHING || a == b ? b : b == NOTHING ? a : TEXT;
}

/* ---- several lines, column by column ---- */

struct columns { struct tamis_cells *c; const char *p[1 + ROWS]; size_t lines; };       /* p: the next cell of each */
struct column { enum look top, below; double x, next; };        /* x, next: the number on top, and the one below it */

static struct columns columns_of(struct tamis_cells *c, const struct tamis_line *line, size_t lines)
{
    struct columns k = {.c = c, .lines = lines < 1 + ROWS ? lines : 1 + ROWS};
    for (size_t i = 0; i < k.lines; i++) k.p[i] = line[i].start;
    return k;
}

static struct column column_next(struct columns *k)
{
    struct column to = {.top = NOTHING, .below = NOTHING, .x = NAN, .next = NAN};
    for (size_t i = 0; i < k->lines; i++) {
        struct tamis_cell cell;
        double x = NAN;
        if (tamis_cell_cut(k->c, k->p[i], &cell) != TAMIS_CUT) return to;
        enum look l = look(&cell, &x);
        if (i) to.below = both(to.below, l);
        else to.top = l, to.x = x;
        if (i == 1) to.next = x;
        k->p[i] = cell.next + 1;
    }
    return to;
}

/* ---- titles ---- */

/* Whether numbers, one after another, rise or fall all the time. */
struct run { double last; size_t count; int rises, falls; };

static void run_add(struct run *r, double x)
{
    if (r->count++) r->rises += x > r->last, r->falls += x < r->last;
    r->last = x;
}

static int run_steady(const struct run *r)
{
    return r->count < 2 || r->rises + 1 == (int)r->count || r->falls + 1 == (int)r->count;
}

/* Whether the first of the lines names the columns of the others: texts above numbers, and no number above a number
 * unless all of them are channels (wavelengths), which rise or fall. */
static int is_header(struct tamis_cells *c, const struct tamis_line *line, size_t lines)
{
    struct columns k = columns_of(c, line, lines);
    struct run names = {0}, row = {0};
    size_t texts = 0, of_row = line[1].cells - line[0].cells;
    for (size_t i = 1; of_row && i < k.lines; i++) {            /* names of rows have no name above them */
        struct tamis_cell cell;
        if (tamis_cell_cut(c, k.p[i], &cell) != TAMIS_CUT) return 0;
        k.p[i] = cell.next + 1;
    }
    for (size_t f = 0; f < line[0].cells; f++) {
        struct column at = column_next(&k);
        if (at.below != NUMBER || at.top == NOTHING) continue;
        if (at.top != NUMBER) texts++;
        else run_add(&names, at.x), run_add(&row, at.next);
    }
    if (!run_steady(&names)) return 0;
    return texts || (names.count >= FEWEST_CHANNELS && !run_steady(&row));
}

/* With a row of units below the header, or without one. */
static int heads(struct tamis_cells *c, struct tamis_line *line, size_t lines)
{
    if (line[0].cells != line[1].cells && line[0].cells + 1 != line[1].cells) return 0;
    if (is_header(c, line, lines)) return 1;
    if (lines < 4) return 0;
    struct tamis_line header = line[0], units = line[1];
    line[1] = header;                                           /* the units are left out */
    int found = is_header(c, line + 1, lines - 1);
    line[1] = units;
    return found;
}

/* The line from which on all have the same number of cells, and at least one cell in two is filled; the number of
 * lines if there is none. */
static size_t header_place(const struct tamis_line *line, size_t n)
{
    size_t cells = line[n - 1].cells, s = n - 1;
    while (s && line[s - 1].cells == cells) s--;
    size_t first = s;
    while (s < n && 2 * line[s].filled < cells) s++;            /* Excel fills titles up with delimiters */
    return s < n && s > first && line[s].filled + 1 < cells ? n : s;
}

static int title_above(const struct tamis_line *line, size_t s)
{
    for (size_t i = 0; i < s; i++)
        if (line[i].cells >= line[s].cells && 2 * line[i].filled >= line[s].cells) return 0;
    return s > 0;
}

static size_t lines_take(struct tamis_cells *c, const char *p, struct tamis_line *line, size_t most)
{
    size_t n = 0;
    for (; n < most; p = line[n++].next) {
        line[n] = tamis_cells_line(c, p);
        if (line[n].cut) break;
    }
    return n;
}

const char *tamis_cells_title(struct tamis_cells *c)
{
    struct tamis_line line[LINES];
    size_t n = lines_take(c, c->at, line, LINES), s = n < 3 ? n : header_place(line, n);
    for (int more = 0; more < 2 && s < n; more++, s--) {        /* or the line before: rows with names */
        if (s + 1 < n && title_above(line, s) && heads(c, line + s, n - s)) return line[s].start;
        if (!s) break;
    }
    return NULL;
}

/* ---- units ---- */

/* Texts above half of the columns of numbers or more, numbers above none, and nothing or brackets above categories. */
static int are_units(struct columns *k, size_t cells)
{
    size_t units = 0, numbers = 0;
    for (size_t f = 0; f < cells; f++) {
        struct column at = column_next(k);
        numbers += at.below == NUMBER;
        if (at.top == NUMBER || at.top == DATE) return 0;
        if (at.top == TEXT && at.below == TEXT) return 0;
        units += at.below == NUMBER && at.top != NOTHING;
    }
    return units && 2 * units >= numbers;
}

int tamis_cells_units(struct tamis_cells *c, const char *p)
{
    struct tamis_line line[1 + ROWS];
    size_t n = lines_take(c, p, line, 1 + ROWS);
    if (n < 3) return 0;
    for (size_t i = 1; i < n; i++)
        if (line[i].cells != line[0].cells) return 0;
    struct columns k = columns_of(c, line, n);
    return are_units(&k, line[0].cells);
}
