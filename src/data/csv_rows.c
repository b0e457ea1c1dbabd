/* Cells to doubles, row by row. A cell that is a plain number goes straight into its column; all others take the slow
 * path. */
#include <math.h>
#include "data/csv_inner.h"
#include "base/number.h"
#include "data/dates.h"

enum { SHOWN = 40 };

/* ---- missing values ---- */

int tamis_csv_missing(struct tamis_csv *c)
{
    struct missing *m = &c->missing;
    m->text = c->set.missing.name;
    m->texts = c->set.missing.count;
    m->number = tamis_raw(c->cx, double, m->texts);
    if (!m->number) return TAMIS_MEMORY;
    for (size_t i = 0; i < m->texts; i++) { /* an option's number may have a point even if the file has commas */
        double *x = &m->number[m->numbers];
        size_t n = strlen(m->text[i]);
        m->numbers += tamis_number_whole(m->text[i], n, c->cells.point, x) || tamis_number_whole(m->text[i], n, '.', x);
    }
    return TAMIS_OK;
}

static inline int number_missing(const struct missing *m, double x)
{
    for (size_t i = 0; i < m->numbers; i++)
        if (m->number[i] == x) return 1;
    return 0;
}

int tamis_csv_text_missing(const struct missing *m, const char *s, size_t n)
{
    if (n == 0 || (n == 1 && *s == '?') || (n == 2 && !memcmp(s, "NA", 2))) return 1;
    for (size_t i = 0; i < m->texts; i++)
        if (!strncmp(m->text[i], s, n) && !m->text[i][n]) return 1;
    return 0;
}

/* ---- cells to doubles ---- */

/* Adds a text to a column whose type is not known yet, or whose labels are numbered in order of appearance. */
int tamis_csv_label(struct tamis_csv *c, struct field *f, const char *s, size_t n, long *label)
{
    if (tamis_csv_utf8(c, &s, &n)) return TAMIS_MEMORY;
    *label = tamis_labels_put(c->cx, &f->labels, s, n);
    return *label < 0 ? TAMIS_MEMORY : TAMIS_OK;
}

/* The first text of a column: from now on its cells are labels. */
static int store_guess(struct tamis_csv *c, size_t k, const char *s, size_t n, int infinite, size_t line, double *out)
{
    struct field *f = &c->field[k];
    if (tamis_csv_turn(c, k, (size_t)(out - c->hot[k].value)) || tamis_csv_label(c, f, s, n, &f->text))
        return tamis_status(c->cx);
    f->text_line = line;
    f->text_infinite = infinite;
    *out = (double)f->text;
    return TAMIS_OK;
}

/* One of the caller's labels, as it is written, or by value; x: what it is worth, not finite for a text. */
static long known_label(const struct tamis_csv *c, const struct field *f, const char *s, size_t n, double x)
{
    char plain[32];
    long label = tamis_labels_find(&f->labels, s, n);
    if (label < 0 && f->by_value && isfinite(x))
        label = tamis_labels_find(&f->labels, plain, tamis_csv_plain(x, c->cells.point, plain));
    if (label < 0 && f->by_point && isfinite(x))
        label = tamis_labels_find(&f->labels, plain, tamis_csv_plain(x, '.', plain));
    return label < 0 ? (long)f->labels.count : label;
}

static int store_labels(struct tamis_csv *c, size_t k, const char *s, size_t n, double x, double *out)
{
    long label;
    char plain[32];
    struct field *f = &c->field[k];
    if (tamis_csv_utf8(c, &s, &n)) return TAMIS_MEMORY;
    if (f->blurred && isfinite(x)) n = tamis_csv_plain(x, c->cells.point, plain), s = plain;
    if (c->hot[k].how == KNOWN) label = known_label(c, f, s, n, x);
    else if (tamis_csv_label(c, f, s, n, &label)) return TAMIS_MEMORY;
    *out = (double)label;
    return TAMIS_OK;
}

int tamis_csv_say_infinite(struct tamis_csv *c, size_t f, const char *s, size_t n, size_t line)
{
    int shown = n > SHOWN ? SHOWN : (int)n;
    return tamis_fail(
        c->cx, TAMIS_DATA,
        "%s:%zu: column '%.60s' is infinite ('%.*s'); correct it, or mark it as missing with --missing %.*s",
        tamis_csv_file(c), line, tamis_csv_name(c, f), shown, s, shown, s);
}

int tamis_csv_say_text(struct tamis_csv *c, size_t f, const char *s, size_t n, size_t line)
{
    int shown = n > SHOWN ? SHOWN : (int)n;
    double limit;
    if (tamis_csv_beyond(c, s, n, &limit))
        return tamis_fail(c->cx, TAMIS_DATA,
                          "%s:%zu: '%.*s' in column '%.60s' is beyond a limit; add --censored half, limit or missing",
                          tamis_csv_file(c), line, shown, s, tamis_csv_name(c, f));
    if (!c->lasting)
        return tamis_fail(c->cx, TAMIS_DATA,
                          "%s:%zu: '%.*s' in column '%.60s', whose values must be numbers; correct it, or use "
                          "--missing %.*s",
                          tamis_csv_file(c), line, shown, s, tamis_csv_name(c, f), shown, s);
    return tamis_fail(c->cx, TAMIS_DATA,
                      "%s:%zu: '%.*s' in column '%.60s', whose other values are numbers; correct it, or use "
                      "--missing %.*s or --categorical %.60s",
                      tamis_csv_file(c), line, shown, s, tamis_csv_name(c, f), shown, s, tamis_csv_name(c, f));
}

/* A date as it was in training, or an ISO one where it was a number; other numbers are days. Of days and months, the
 * order is that of the training table. */
static int store_date(struct tamis_csv *c, size_t f, const char *s, size_t n, size_t line, double *out)
{
    int kind = c->field[f].date, counts = kind == TAMIS_DATE_SECONDS || kind == TAMIS_DATE_MILLIS;
    if (!counts && tamis_date_read(s, n, kind == TAMIS_DATE_DAYS ? TAMIS_DATE_YMD : kind, out)) return TAMIS_OK;
    if (tamis_number_whole(s, n, c->cells.point, out) && !isnan(*out = tamis_date_number(*out, kind))) return TAMIS_OK;
    if (counts && tamis_date_read(s, n, TAMIS_DATE_YMD, out)) return TAMIS_OK;
    return tamis_fail(c->cx, TAMIS_DATA, "%s:%zu: '%.*s' in column '%.60s' is not a date as in the training table",
                      tamis_csv_file(c), line, n > SHOWN ? SHOWN : (int)n, s, tamis_csv_name(c, f));
}

/* Whether a text would be a number with the other decimal mark. */
static int other_number(const struct tamis_csv *c, const char *s, size_t n)
{
    double x;
    char point = c->cells.point == ',' ? '.' : ',';
    return tamis_number_whole(s, n, point, &x) || tamis_cells_grouped(s, n, point, &x);
}

/* Blanks around a number, of either decimal mark, are not part of its label, whatever the column has turned out to be;
 * those of a text are. */
static int store(struct tamis_csv *c, size_t f, const struct tamis_cell *cell, size_t line, double *out)
{
    enum how how = c->hot[f].how;
    const char *s = cell->s;
    size_t n = cell->n;
    double x = INFINITY;
    while (n && *s == ' ') s++, n--;
    while (n && s[n - 1] == ' ') n--;
    int number = tamis_number_whole(s, n, c->cells.point, &x) || tamis_cells_grouped(s, n, c->cells.point, &x) ||
                 tamis_csv_censored(c, s, n, &x);
    *out = NAN;
    if (tamis_csv_text_missing(&c->missing, s, n)) return TAMIS_OK;
    if (number && (isnan(x) || number_missing(&c->missing, x))) return TAMIS_OK;
    if (how <= NUMBER && number && isfinite(x)) {
        *out = x;
        return c->hot[f].watch ? tamis_csv_watch(c, f, (size_t)(out - c->hot[f].value), s, n) : TAMIS_OK;
    }
    if (how == DATE) return store_date(c, f, s, n, line, out);
    if (how == NUMBER) return number ? tamis_csv_say_infinite(c, f, s, n, line) : tamis_csv_say_text(c, f, s, n, line);
    if (!number) x = INFINITY;
    if (!number && n < cell->n && !other_number(c, s, n)) s = cell->s, n = cell->n;
    return how == GUESS ? store_guess(c, f, s, n, number, line, out) : store_labels(c, f, s, n, x, out);
}

/* ---- rows ---- */

/* Why the row at cells.at cannot be cut into cells. */
int tamis_csv_say_cut(struct tamis_csv *c, int cut, size_t f, size_t line)
{
    if (cut == TAMIS_CUT_UNCLOSED)
        return tamis_fail(
            c->cx, TAMIS_DATA,
            "%s:%zu: the quote opened here is never closed; close it, or double quotes inside quoted text",
            tamis_csv_file(c), line);
    if (cut == TAMIS_CUT_STRAY)
        return tamis_fail(c->cx, TAMIS_DATA,
                          "%s:%zu: text follows the closing quote of cell %zu; double quotes inside quoted text",
                          tamis_csv_file(c), line, f + 1);
    return TAMIS_MEMORY;
}

enum { MOST_KEPT = 1 << 24 };   /* bytes of text in a block */
enum { MORE = -1 };             /* besides a status: the row is not complete */

/* The row at p has the wrong number of cells. */
static int say_ragged(struct tamis_csv *c, const char *p)
{
    struct tamis_line l = tamis_cells_line(&c->cells, p);
    if (l.cut == TAMIS_CUT_MORE && !c->cells.whole) return MORE;
    if (l.cut) return tamis_csv_say_cut(c, l.cut, l.cells, c->cells.line + l.lines);
    return tamis_fail(
        c->cx, TAMIS_DATA,
        "%s:%zu: %zu fields found, %zu expected; correct the line, quote cells that contain a delimiter, or "
        "use --delimiter or --skip",
        tamis_csv_file(c), c->cells.line, l.cells, c->fields);
}

/* A row that was not complete is taken again, so that the text of the last row may be replaced. */
static int keep_text(struct tamis_csv *c, struct tamis_cell_texts *t, size_t row, const struct tamis_cell *cell)
{
    const char *s = cell->s;
    size_t n = cell->n, from = row ? t->end[row - 1] : 0;
    if (tamis_csv_utf8(c, &s, &n)) return TAMIS_MEMORY;
    t->text.length = from;
    tamis_text_add(&t->text, s, n);
    t->end[row] = t->text.length;
    c->kept += n;
    return tamis_text_status(&t->text);
}

static int take_cell(struct tamis_csv *c, size_t f, size_t row, const char **p, size_t *line)
{
    struct tamis_cell cell;
    int cut = tamis_cell_cut(&c->cells, *p, &cell);
    if (cut == TAMIS_CUT_MORE) return MORE;
    if (cut != TAMIS_CUT) return tamis_csv_say_cut(c, cut, f, *line);
    int status = c->hot[f].how == SKIP ? TAMIS_OK : store(c, f, &cell, *line, &c->hot[f].value[row]);
    if (!status && c->hot[f].texts) status = keep_text(c, c->hot[f].texts, row, &cell);
    *line += cell.lines;
    *p = cell.next;
    return status;
}

/* Whether a number is certainly written the plain way, where nothing else is to be learnt from it: at most 15
 * characters, no exponent, no zeros that a number written back would lack. Reads 16 bytes: the text is padded. */
static inline int surely_plain(int watch, const char *s, size_t n, char point)
{
    uint64_t letters = 0x4040404040404040, low, high;
    if (watch != WATCH_SPELLING || n > 15) return 0;
    memcpy(&low, s, 8);
    memcpy(&high, s + 8, 8);
    low = n < 8 ? low << (64 - 8 * n) : low;
    high = n > 8 ? high << (128 - 8 * n) : 0;
    if (((low | high) & letters) || s[n - 1] < '1') return 0;
    s += *s == '-';
    return *s > '0' || (*s == '0' && s[1] == point && s[2] > '0');
}

/* The row at *p, which moves past it; MORE leaves it where it is. */
static int take_row(struct tamis_csv *c, size_t row, const char **start, size_t *lines)
{
    const struct tamis_cells *k = &c->cells;
    const char *p = *start, *q, *e = p;
    size_t line = k->line;
    double x;
    for (size_t f = 0; f < c->fields; f++) {
        while (*p == ' ') p++;
        q = p;
        if (c->hot[f].how <= NUMBER && !c->hot[f].texts)
            q = tamis_cells_settle(k, e = tamis_number_read(p, k->end + TAMIS_CELLS_PAD, k->point, &x));
        int kind = k->kind[(unsigned char)*q];
        if (q > p && (kind == TAMIS_DELIMITER || kind == TAMIS_NEWLINE) && x - x == 0) {
            int gone = c->missing.numbers && number_missing(&c->missing, x);
            c->hot[f].value[row] = gone ? NAN : x;
            if (c->hot[f].watch && !gone && !surely_plain(c->hot[f].watch, p, (size_t)(e - p), k->point) &&
                tamis_csv_watch(c, f, row, p, (size_t)(e - p)))
                return TAMIS_MEMORY;
            p = q;
        } else {
            int status = take_cell(c, f, row, &p, &line);
            if (status) return status;
            kind = k->kind[(unsigned char)*p];
        }
        if ((kind == TAMIS_NEWLINE) != (f + 1 == c->fields)) return say_ragged(c, *start);
        p += kind == TAMIS_DELIMITER;
    }
    if (!(p = tamis_cells_newline(k, p))) return MORE;
    *lines = line + 1 - k->line;
    *start = p;
    return TAMIS_OK;
}

/* ---- room ---- */

static size_t room_needed(const struct tamis_csv *c, size_t most)
{
    if (!c->lasting) return 2 * c->room + 64 < most ? 2 * c->room + 64 : most;
    double rows = (double)c->table->rows, size = tamis_stream_size(c->cells.stream);
    double used = tamis_stream_taken(c->cells.stream) - (double)(c->cells.end - c->cells.at);
    size_t step = c->table->rows + c->table->rows / 4 + 32;
    if (c->table->rows < 32 || tamis_stream_packed(c->cells.stream) || !(size > 0) || used <= 0) return step;
    double guess = rows * size / used * 1.01 + 32;
    return guess > (double)step && guess < 1e15 ? (size_t)guess : step;
}

int tamis_csv_room(struct tamis_csv *c, size_t room)
{
    double more = room > c->room ? (double)(room - c->room) * (double)c->table->columns * 8 : 0;
    if (more > 1e7 && tamis_memory_check(c->cx, more, "reading on", "drop rows or columns, or raise --memory"))
        return tamis_status(c->cx);
    for (size_t f = 0; f < c->fields; f++) {
        struct hot *h = &c->hot[f];
        if (h->how == SKIP) continue;
        double *value = tamis_grow(c->cx, h->value, room, sizeof *value);
        if (!value) return TAMIS_MEMORY;
        c->table->column[c->field[f].column].value = h->value = value;
        size_t *end = h->texts ? tamis_grow(c->cx, h->texts->end, room, sizeof *end) : NULL;
        if (h->texts && !end) return TAMIS_MEMORY;
        if (h->texts) h->texts->end = end;
    }
    c->room = room;
    return TAMIS_OK;
}

/* Comments between the rows, from p to the next row. */
static size_t comments_between(const struct tamis_cells *k, const char *p, const char *row)
{
    size_t n = 0;
    for (; k->comments && p && p < row; p = tamis_cells_line_end(k, p)) n += p[strspn(p, " \t")] == '#';
    return n;
}

/* Takes rows until the table has `most` or the text ends. */
int tamis_csv_rows(struct tamis_csv *c, size_t most)
{
    struct tamis_cells *k = &c->cells;
    while (c->table->rows < most && c->kept < MOST_KEPT) {
        size_t lines = 0;
        const char *p = tamis_cells_blank_lines(k, k->at, &lines);
        int status = p ? TAMIS_OK : MORE;
        if (p || k->whole) c->comments += comments_between(k, k->at, p ? p : k->end);
        if (p) k->line += lines, k->at = p, lines = 0;
        else if (k->whole) break;
        if (!status && c->table->rows == c->room) status = tamis_csv_room(c, room_needed(c, most));
        if (!status) status = take_row(c, c->table->rows, &p, &lines);
        if (!status) k->at = p, k->line += lines, c->table->rows++;
        if (status == MORE) status = tamis_cells_more(k);
        if (status) return status;
    }
    return TAMIS_OK;
}
