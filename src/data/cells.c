/* Lines and cells.
 *
 * The buffer holds whole lines and the beginning of one; a line that is cut off is moved to the front, more is read
 * behind it, and it is parsed again from its start. A zero byte ends the text, so that loops need no second test; zeros
 * inside are an error. */
#include <string.h>
#include "data/cells.h"

#ifndef TAMIS_CELLS_BLOCK               /* the fuzzer uses a few bytes, so that blocks end everywhere */
#define TAMIS_CELLS_BLOCK (1 << 20)
#endif
enum {
    PAD = TAMIS_CELLS_PAD,
    BLOCK = TAMIS_CELLS_BLOCK,
    LONGEST_LINE = 1 << 28
};

static inline int kind_at(const struct tamis_cells *c, const char *p) { return c->kind[(unsigned char)*p]; }

static inline int is_blank(const struct tamis_cells *c, char b)
{
    return b == ' ' || (b == '\t' && c->delimiter != '\t');
}

/* ---- the buffer ---- */

static int not_text(struct tamis_cells *c, size_t got)
{
    static const struct { const char *magic; size_t n; const char *what; } known[] = {
        {"\xD0\xCF\x11\xE0", 4, "is a spreadsheet; save the sheet as CSV"},
        {"%PDF", 4, "is a PDF; save the table as CSV"},
    };
    for (size_t i = 0; i < sizeof known / sizeof *known; i++)
        if (got >= known[i].n && !memcmp(c->at, known[i].magic, known[i].n))
            return tamis_fail(c->cx, TAMIS_DATA, "%s:1: this %s", tamis_stream_name(c->stream), known[i].what);
    return TAMIS_OK;
}

size_t tamis_cells_newlines(const char *s, const char *end)
{
    size_t n = 0;
    for (; s < end; s++) n += *s == '\n' || (*s == '\r' && s[1] != '\n');
    return n;
}

static int room_more(struct tamis_cells *c)
{
    if (c->room >= LONGEST_LINE)
        return tamis_fail(c->cx, TAMIS_DATA,
                          "%s:%zu: this line is longer than %d MB; close the quote that it may contain",
                          tamis_stream_name(c->stream), c->line, LONGEST_LINE >> 20);
    size_t used = (size_t)(c->end - c->at);
    char *b = tamis_grow(c->cx, c->buffer, 2 * c->room + 2 * PAD, 1);
    if (!b) return TAMIS_MEMORY;
    c->buffer = b;
    c->room *= 2;
    c->at = b;
    c->end = b + used;
    return TAMIS_OK;
}

/* `got` new bytes follow c->end. */
static int take_in(struct tamis_cells *c, size_t got)
{
    char *fresh = c->buffer + (c->end - c->buffer), *zero = memchr(fresh, 0, got);
    if (zero)
        return tamis_fail(c->cx, TAMIS_DATA, "%s:%zu: a zero byte, so this is not text; save the table as UTF-8 CSV",
                          tamis_stream_name(c->stream), c->line + tamis_cells_newlines(c->at, zero));
    fresh += got;
    if (c->whole && fresh > c->at && fresh[-1] != '\n' && fresh[-1] != '\r') *fresh++ = '\n';
    memset(fresh, 0, PAD);
    c->end = fresh;
    return TAMIS_OK;
}

int tamis_cells_more(struct tamis_cells *c)
{
    size_t used = (size_t)(c->end - c->at), got = 0;
    if (c->whole)
        return tamis_fail(c->cx, TAMIS_DATA, "%s:%zu: the text ends inside a row", tamis_stream_name(c->stream),
                          c->line);
    memmove(c->buffer, c->at, used);
    c->at = c->buffer;
    c->end = c->buffer + used;
    int status = used == c->room ? room_more(c) : TAMIS_OK;
    if (!status) status = tamis_check_cancel(c->cx);
    if (!status) status = tamis_stream_read(c->stream, c->buffer + used, c->room - used, &got);
    if (status) return status;
    tamis_progress(c->cx, "reading", tamis_stream_taken(c->stream), tamis_stream_size(c->stream));
    c->whole = got < c->room - used;
    return take_in(c, got);
}

static int first_block(struct tamis_cells *c)
{
    size_t got = 0;
    int status = tamis_stream_read(c->stream, c->buffer, c->room, &got);
    c->whole = got < c->room;
    if (!status) status = not_text(c, got);
    if (!status) status = take_in(c, got);
    if (!status && got >= 3 && !memcmp(c->at, "\xEF\xBB\xBF", 3)) c->at += 3;
    return status;
}

int tamis_cells_open(tamis_context *cx, struct tamis_stream *s, struct tamis_cells *c)
{
    *c = (struct tamis_cells){.cx = cx, .stream = s, .room = BLOCK, .line = 1, .point = '.'};
    c->buffer = tamis_grow(cx, NULL, BLOCK + 2 * PAD, 1);
    if (!c->buffer) return TAMIS_MEMORY;
    c->at = c->end = c->buffer;
    tamis_cells_delimit(c, ',');
    return first_block(c);
}

void tamis_cells_close(struct tamis_cells *c)
{
    tamis_stream_close(c->stream);
    tamis_free(c->buffer);
    tamis_free(c->scratch);
    memset(c, 0, sizeof *c);
}

void tamis_cells_delimit(struct tamis_cells *c, char delimiter)
{
    memset(c->kind, TAMIS_PLAIN, sizeof c->kind);
    c->kind[0] = TAMIS_END;
    c->kind['\n'] = c->kind['\r'] = TAMIS_NEWLINE;
    c->delimiter = delimiter;
    c->blanks = delimiter == ' ';
    c->kind[(unsigned char)delimiter] = TAMIS_DELIMITER;
    if (c->blanks) c->kind['\t'] = TAMIS_DELIMITER;
}

/* ---- cells ---- */

/* The quoted text of the cell without its doubled quotes; *last is the closing quote. */
static int undouble(struct tamis_cells *c, const char *last, struct tamis_cell *cell)
{
    size_t n = 0, need = (size_t)(last - cell->s) + 1;
    if (need > c->scratch_room) {
        char *scratch = tamis_grow(c->cx, c->scratch, need, 1);
        if (!scratch) return TAMIS_CUT_MEMORY;
        c->scratch = scratch;
        c->scratch_room = need;
    }
    for (const char *s = cell->s; s < last; s++) {
        c->scratch[n++] = *s;
        s += *s == '"';
    }
    c->scratch[n] = 0;
    cell->s = c->scratch;
    cell->n = n;
    return TAMIS_CUT;
}

static int cut_quoted(struct tamis_cells *c, const char *p, struct tamis_cell *cell)
{
    const char *q = p + 1;
    int doubled = 0;
    for (;; q += 2, doubled = 1) {
        q = memchr(q, '"', (size_t)(c->end - q));
        if (!q) return c->whole ? TAMIS_CUT_UNCLOSED : TAMIS_CUT_MORE;
        if (q[1] != '"') break;
    }
    *cell = (struct tamis_cell){
        .s = p + 1, .n = (size_t)(q - p - 1), .lines = tamis_cells_newlines(p + 1, q), .quoted = 1};
    const char *next = q + 1;
    while (is_blank(c, *next) && kind_at(c, next) == TAMIS_PLAIN) next++;
    cell->next = next = tamis_cells_settle(c, next);
    if (kind_at(c, next) == TAMIS_END) return TAMIS_CUT_MORE;
    if (kind_at(c, next) == TAMIS_PLAIN) return TAMIS_CUT_STRAY;
    return doubled ? undouble(c, q, cell) : TAMIS_CUT;
}

int tamis_cell_cut(struct tamis_cells *c, const char *p, struct tamis_cell *cell)
{
    while (is_blank(c, *p)) p++;
    if (*p == '"') return cut_quoted(c, p, cell);
    const char *q = p;
    while (kind_at(c, q) == TAMIS_PLAIN) q++;
    *cell = (struct tamis_cell){.s = p, .next = tamis_cells_settle(c, q)};
    if (kind_at(c, cell->next) == TAMIS_END) return TAMIS_CUT_MORE;
    while (q > p && is_blank(c, q[-1])) q--;
    cell->n = (size_t)(q - p);
    return TAMIS_CUT;
}

const char *tamis_cells_newline(const struct tamis_cells *c, const char *p)
{
    if (*p == '\n') return p + 1;
    if (p + 1 == c->end && !c->whole) return NULL;
    return p + 1 + (p[1] == '\n');
}

const char *tamis_cells_line_end(const struct tamis_cells *c, const char *p)
{
    p += strcspn(p, "\r\n");
    return *p ? tamis_cells_newline(c, p) : NULL;
}

size_t tamis_cells_count(char d, const char *p, const char *end)
{
    size_t n = 0;
    for (int quoted = 0; p < end; p++) {
        quoted ^= *p == '"';
        n += *p == d && !quoted;
    }
    return n;
}

/* A line that begins with #, in a text with comments: "# text", or one that has not as many cells as a row. */
static int is_comment(const struct tamis_cells *c, const char *p, const char *end)
{
    return !c->fields || strchr(" \t\r\n#", p[1]) || tamis_cells_count(c->delimiter, p, end) + 1 != c->fields;
}

const char *tamis_cells_blank_lines(const struct tamis_cells *c, const char *p, size_t *lines)
{
    for (*lines = 0;; ++*lines) {
        const char *q = p, *end;
        while (is_blank(c, *q)) q++;
        if (kind_at(c, q) == TAMIS_END) return NULL;
        if (*q == '#' && c->comments) {
            if (!(end = tamis_cells_line_end(c, q))) return NULL;
            if (!is_comment(c, q, end)) return c->blanks ? q : p;
            p = end;
            continue;
        }
        if (kind_at(c, q) != TAMIS_NEWLINE) return c->blanks ? q : p;
        if (!(p = tamis_cells_newline(c, q))) return NULL;
    }
}

struct tamis_line tamis_cells_line(struct tamis_cells *c, const char *p)
{
    struct tamis_line l = {.cut = TAMIS_CUT_MORE};
    struct tamis_cell cell;
    size_t skipped;
    const char *q = tamis_cells_blank_lines(c, p, &skipped);
    for (l.start = q; q; q++) {
        l.cut = tamis_cell_cut(c, q, &cell);
        if (l.cut) return l;
        l.cells++;
        l.filled += cell.n > 0;
        l.lines += cell.lines;
        q = cell.next;
        if (kind_at(c, q) == TAMIS_NEWLINE) break;
    }
    if (!q || !(l.next = tamis_cells_newline(c, q))) l.cut = TAMIS_CUT_MORE;
    else l.last_empty = !cell.n;
    return l;
}
