/* The form of a text: its delimiter and decimal mark, and comments and other lines above the header. */
#include <ctype.h>
#include <math.h>
#include <string.h>
#include "data/cells.h"
#include "base/number.h"

enum { LINES_TRIED = 50, CELLS_TRIED = 20000, LINES_HELD = 16, BYTES_HELD = 1 << 20 };

/* ---- the delimiter ---- */

struct guess { size_t fields; double agree; };

/* The number of cells in the first line, and the share of the next lines that have as many (or one more each: row
 * names). */
static struct guess try_delimiter(struct tamis_cells *c, char delimiter)
{
    size_t lines = 0, same = 0, more = 0;
    tamis_cells_delimit(c, delimiter);
    struct tamis_line l = tamis_cells_line(c, c->at);
    struct guess g = {l.cut ? 0 : l.cells, 0};
    for (; !l.cut && lines < LINES_TRIED; lines++) {
        l = tamis_cells_line(c, l.next);
        if (l.cut) break;
        same += l.cells == g.fields;
        more += l.cells == g.fields + 1;
    }
    g.agree = lines ? (double)(same > more ? same : more) / (double)lines : 1;
    return g;
}

/* Under lines of a title: the delimiter that cuts what follows into the most cells. */
static char find_below(struct tamis_cells *c, char decimal)
{
    char best = 0;
    size_t most = 0;
    for (const char *d = ",;\t|"; *d; d++) {
        if (*d == decimal) continue;
        tamis_cells_delimit(c, *d);
        const char *header = tamis_cells_title(c);
        size_t cells = header ? tamis_cells_line(c, header).cells : 0;
        if (cells > most) most = cells, best = *d;
    }
    return best;
}

static char find_delimiter(struct tamis_cells *c, char decimal, int titles)
{
    char best = 0, below;
    struct guess top = {0, -1};
    for (const char *d = ",;\t|"; *d; d++) {
        struct guess g = *d == decimal ? (struct guess){0, 0} : try_delimiter(c, *d);
        if (g.fields < 2 || g.agree < top.agree || (g.agree == top.agree && g.fields <= top.fields)) continue;
        top = g;
        best = *d;
    }
    if (top.agree < .5) {
        struct guess g = try_delimiter(c, ' ');
        if (g.fields > 1 && g.agree == 1) best = ' ';
        else if (titles && (below = find_below(c, decimal))) best = below;
    }
    return best ? best : decimal == ',' ? ';' : ',';
}

/* ---- the decimal mark ---- */

static int is_digit(char c) { return c >= '0' && c <= '9'; }

int tamis_cells_grouped(const char *s, size_t n, char point, double *x)
{
    char plain[32], mark = point == ',' ? '.' : ',';
    size_t m = 0, i = n && (*s == '-' || *s == '+'), since = 0, groups = 0;
    if (n >= sizeof plain || i >= n || !is_digit(s[i])) return 0;
    if (i) plain[m++] = *s;
    for (; i < n && s[i] != point; i++) {
        if (is_digit(s[i])) plain[m++] = s[i], since++;
        else if (s[i] != mark || !since || since > 3 || (groups && since != 3)) return 0;
        else groups++, since = 0;
    }
    if (!groups || since != 3) return 0;
    for (; i < n; i++) plain[m++] = s[i];
    plain[m] = 0;
    return tamis_number_whole(plain, m, point, x) && isfinite(*x);
}

/* One to three digits, a comma, three digits. */
static int may_be_thousands(const char *s, size_t n)
{
    size_t whole = 0, part = 0;
    if (n && (*s == '-' || *s == '+')) s++, n--;
    while (whole < n && is_digit(s[whole])) whole++;
    while (whole + 1 + part < n && is_digit(s[whole + 1 + part])) part++;
    return whole >= 1 && whole <= 3 && s[0] != '0' && part == 3 && whole + 1 + part == n;
}

/* Numbers with only one of the two marks; doubtful: with a comma that may separate thousands. */
struct marks { size_t comma, dot, doubtful, cells; };

static void mark_count(struct marks *m, const struct tamis_cell *cell)
{
    double x;
    int dot = tamis_number_whole(cell->s, cell->n, '.', &x), comma = tamis_number_whole(cell->s, cell->n, ',', &x);
    m->cells++;
    m->dot += dot && !comma;
    m->comma += comma && !dot;
    m->doubtful += comma && !dot && may_be_thousands(cell->s, cell->n);
}

static struct marks marks_count(struct tamis_cells *c, const char *p)
{
    struct marks m = {0};
    struct tamis_cell cell;
    size_t lines;
    while (p && m.cells < CELLS_TRIED && (p = tamis_cells_blank_lines(c, p, &lines)))
        for (int more = 1; more; p = more ? cell.next + 1 : tamis_cells_newline(c, cell.next)) {
            if (!p || tamis_cell_cut(c, p, &cell) != TAMIS_CUT) return m;
            mark_count(&m, &cell);
            more = c->kind[(unsigned char)*cell.next] == TAMIS_DELIMITER;
        }
    return m;
}

/* A comma if, among the cells of the first lines that are numbers with only one of the two marks, all have a comma. */
static char find_point(struct tamis_cells *c)
{
    struct tamis_line header = tamis_cells_line(c, c->at);
    if (c->delimiter == ',' || header.cut) return '.';
    struct marks m = marks_count(c, header.next);
    if (m.comma && !m.dot && m.doubtful == m.comma)
        tamis_note(c->cx, "%s: numbers such as 12,345 were read with a decimal comma; if it separates thousands, add "
                   "--decimal .", tamis_stream_name(c->stream));
    return m.comma && !m.dot ? ',' : '.';
}

/* ---- lines above the header ---- */

/* Whether the lines [a, b) and [b, end) have as many of some delimiter, quoted ones not counted. */
static int alike(const char *a, const char *b, const char *end)
{
    for (const char *d = ",;\t|"; *d; d++)
        if (tamis_cells_count(*d, a, b) && tamis_cells_count(*d, a, b) == tamis_cells_count(*d, b, end)) return 1;
    return 0;
}

static void say_skipped(struct tamis_cells *c, size_t lines, const char *what, const char *advice)
{
    tamis_note(c->cx, "%s: %zu %sline%s %s skipped%s", tamis_stream_name(c->stream), lines, what, lines == 1 ? "" : "s",
               lines == 1 ? "above the header was" : "above the header were", advice);
}

/* Comments (#) before the header; a line with as many delimiters as the next one is the header itself. */
static void skip_comments(struct tamis_cells *c)
{
    size_t skipped = 0;
    const char *next, *after;
    for (; *c->at == '#' && (next = tamis_cells_line_end(c, c->at)); skipped++, c->line++, c->at = next) {
        after = tamis_cells_line_end(c, next);
        if (after && (*next != '#' || c->at[1] != ' ') && alike(c->at, next, after)) break;
    }
    c->comments = skipped > 0;
    if (skipped) say_skipped(c, skipped, "comment ", "");
}

static void skip_title(struct tamis_cells *c)
{
    const char *header = tamis_cells_title(c);
    if (!header) return;
    size_t lines = tamis_cells_newlines(c->at, header);
    say_skipped(c, lines, "", "; to read from the first line on, add --skip 0");
    c->line += lines;
    c->at = header;
}

/* As many lines as the user says. */
static int skip_lines(struct tamis_cells *c, size_t lines)
{
    int status = TAMIS_OK;
    for (size_t i = 0; i < lines && !status;) {
        const char *next = tamis_cells_line_end(c, c->at);
        if (next) c->comments |= *c->at == '#', c->at = next, c->line++, i++;
        else if (!c->whole) status = tamis_cells_more(c);
        else
            return tamis_fail(c->cx, TAMIS_DATA, "%s: --skip %zu, but there are only %zu lines; give a smaller number",
                              tamis_stream_name(c->stream), lines, i);
    }
    return status;
}

/* Excel's first line sep=; names the delimiter. */
static char take_sep(struct tamis_cells *c)
{
    const char *p = c->at, *next = tamis_cells_line_end(c, p);
    if (!next || strncmp(p, "sep=", 4) || (p[5] != '\n' && p[5] != '\r')) return 0;
    if (p[4] != '\t' && p[4] != ' ' && (!ispunct((unsigned char)p[4]) || p[4] == '"')) return 0;
    c->at = next;
    c->line++;
    return p[4];
}

/* ---- all of it ---- */

static int lines_hold(struct tamis_cells *c)
{
    int status = TAMIS_OK;
    while (!c->whole && !status) {
        size_t lines = tamis_cells_newlines(c->at, c->end);
        if (lines >= LINES_HELD || (lines >= 3 && c->end - c->at >= BYTES_HELD)) break;
        status = tamis_cells_more(c);
    }
    return status;
}

int tamis_cells_form(struct tamis_cells *c, struct tamis_cells_form given)
{
    int found = given.skip == SIZE_MAX, titles = found && !given.headless;
    int status = found ? TAMIS_OK : skip_lines(c, given.skip);
    if (!status) status = lines_hold(c);
    if (status) return status;
    char named = take_sep(c), delimiter = given.delimiter ? given.delimiter : named;
    if (found) skip_comments(c);
    tamis_cells_delimit(c, delimiter ? delimiter : find_delimiter(c, given.decimal, titles));
    if (titles) skip_title(c);
    c->point = given.decimal ? given.decimal : find_point(c);
    return tamis_status(c->cx);                         /* a cell may have needed memory */
}
