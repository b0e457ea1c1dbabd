/* Rows of cells. The text is cut at a delimiter and at line ends outside quotes; a few operations change the grid, and
 * it is written again. */
#include "fuzz.h"

enum { CELLS = 2048, ROWS = 512, SPARE = 1 << 16 };

struct cell { const uint8_t *s; size_t n; };
struct row { size_t first, cells; };
struct grid {
    const struct fuzz_words *words;
    struct fuzz_random *random;
    struct cell cell[CELLS];
    struct row row[ROWS];
    size_t cells, rows;
    char delimiter;
    const char *end;            /* of every line; NULL: as it was */
    const char *last;           /* of the last line */
    int bom, trailing;
    uint8_t spare[SPARE];       /* new cells */
    size_t used;
};

/* ---- cutting ---- */

static char common_delimiter(const char *delimiters, const uint8_t *s, size_t n)
{
    size_t most = 0;
    char best = *delimiters;
    for (const char *d = delimiters; *d; d++) {
        size_t k = 0;
        for (size_t i = 0; i < n; i++) k += s[i] == (uint8_t)*d;
        if (k > most) most = k, best = *d;
    }
    return best;
}

static void row_end(struct grid *g)
{
    struct row *r = &g->row[g->rows++];
    r->cells = g->cells - r->first;
    if (g->rows < ROWS) g->row[g->rows].first = g->cells;
}

static void cut(struct grid *g, const uint8_t *s, size_t n)
{
    size_t start = 0;
    int quoted = 0;
    for (size_t i = 0; i <= n && g->cells < CELLS && g->rows < ROWS; i++) {
        if (i < n && s[i] == '"') quoted = !quoted;
        int line = i == n || (!quoted && (s[i] == '\n' || s[i] == '\r'));
        if (!line && (quoted || s[i] != (uint8_t)g->delimiter)) continue;
        if (i == n && start == n) break;
        g->cell[g->cells++] = (struct cell){s + start, i - start};
        if (line) row_end(g);
        if (line && i + 1 < n && s[i] == '\r' && s[i + 1] == '\n') i++;
        start = i + 1;
    }
}

/* ---- operations ---- */

static size_t pick(struct grid *g, size_t n) { return fuzz_pick(g->random, n); }
static struct cell *some_cell(struct grid *g) { return &g->cell[pick(g, g->cells)]; }

static struct cell new_cell(struct grid *g, const void *s, size_t n)
{
    if (n > SPARE - g->used) n = SPARE - g->used;
    memcpy(g->spare + g->used, s, n);
    g->used += n;
    return (struct cell){g->spare + g->used - n, n};
}

static struct cell some_word(struct grid *g)
{
    const char *w = g->words->word[pick(g, g->words->words)];
    return (struct cell){(const uint8_t *)w, strlen(w)};
}

static void set_word(struct grid *g) { *some_cell(g) = some_word(g); }
static void copy_cell(struct grid *g) { *some_cell(g) = *some_cell(g); }

static void swap_cells(struct grid *g)
{
    struct cell *a = some_cell(g), *b = some_cell(g), c = *a;
    *a = *b;
    *b = c;
}

static void swap_rows(struct grid *g)
{
    struct row *a = &g->row[pick(g, g->rows)], *b = &g->row[pick(g, g->rows)], c = *a;
    *a = *b;
    *b = c;
}

static void repeat_row(struct grid *g)
{
    struct row r = g->row[pick(g, g->rows)];
    for (size_t k = 1 + pick(g, pick(g, 8) ? 3 : 200); k && g->rows < ROWS; k--) g->row[g->rows++] = r;
}

static void delete_row(struct grid *g)
{
    size_t i = pick(g, g->rows);
    memmove(g->row + i, g->row + i + 1, (g->rows - i - 1) * sizeof *g->row);
    g->rows--;
}

/* One row shorter, or longer by cells that follow it. */
static void change_length(struct grid *g)
{
    struct row *r = &g->row[pick(g, g->rows)];
    if (pick(g, 2) && r->cells > 1) r->cells--;
    else if (r->first + r->cells < g->cells) r->cells++;
}

static void set_column(struct grid *g)
{
    size_t j = pick(g, g->row[0].cells);
    struct cell c = some_word(g);
    for (size_t i = pick(g, 2); i < g->rows; i++)
        if (j < g->row[i].cells && pick(g, 8)) g->cell[g->row[i].first + j] = pick(g, 3) ? c : some_word(g);
}

static void shorten_rows(struct grid *g)
{
    for (size_t i = pick(g, 2); i < g->rows; i++)
        if (g->row[i].cells > 1) g->row[i].cells--;
}

static void quote(struct grid *g)
{
    struct cell *c = some_cell(g), new = new_cell(g, "\"", 1);
    for (size_t i = 0; i < c->n; i++) new.n += new_cell(g, c->s[i] == '"' ? "\"\"" : (const char *)c->s + i,
                                                        c->s[i] == '"' ? 2 : 1).n;
    if (!pick(g, 3)) new.n += new_cell(g, pick(g, 2) ? "\r\n" : ",;\n", 2).n;
    if (pick(g, 8)) new.n += new_cell(g, "\"", 1).n;
    *c = new;
}

static void blanks(struct grid *g)
{
    struct cell *c = some_cell(g), new = new_cell(g, pick(g, 2) ? "  " : "\t ", pick(g, 3));
    new.n += new_cell(g, c->s, c->n).n;
    new.n += new_cell(g, " \t", pick(g, 3)).n;
    *c = new;
}

/* The other decimal mark, in every cell without quotes. */
static void decimal(struct grid *g)
{
    char from = pick(g, 2) ? '.' : ',', to = from == '.' ? ',' : '.';
    for (size_t i = 0; i < g->cells; i++) {
        if (!memchr(g->cell[i].s, from, g->cell[i].n)) continue;
        struct cell c = g->cell[i] = new_cell(g, g->cell[i].s, g->cell[i].n);
        for (size_t k = 0; k < c.n; k++)
            if (c.s[k] == (uint8_t)from) ((uint8_t *)(uintptr_t)c.s)[k] = (uint8_t)to;
    }
}

static void long_cell(struct grid *g)
{
    struct cell *c = some_cell(g), old = *c, new = new_cell(g, "", 0);
    for (size_t k = 2 + pick(g, 1u << pick(g, 10)); k && old.n; k--) new.n += new_cell(g, old.s, old.n).n;
    if (new.n) *c = new;
}

static void change_bytes(struct grid *g)
{
    uint8_t buffer[256];
    struct cell *c = some_cell(g);
    size_t n = c->n < 200 ? c->n : 200;
    memcpy(buffer, c->s, n);
    n = n ? LLVMFuzzerMutate(buffer, n, sizeof buffer) : 0;
    *c = new_cell(g, buffer, n);
}

static void zero_byte(struct grid *g) { *some_cell(g) = new_cell(g, "1\0", pick(g, 3)); }

static void other_form(struct grid *g)
{
    static const char *const ends[] = {"\n", "\r\n", "\r", "\n\n", " \n", "\n\r"};
    const char *d = g->words->delimiters;
    switch (pick(g, 5)) {
    case 0: g->delimiter = d[pick(g, strlen(d))]; break;
    case 1: g->end = ends[pick(g, 6)]; break;
    case 2: g->bom = 1; break;
    case 3: g->trailing = 1; break;
    case 4: g->last = pick(g, 2) ? "" : g->end; break;
    }
}

/* ---- writing ---- */

static void put_row(const struct grid *g, const struct row *r, const char *end, struct fuzz_bytes *out)
{
    for (size_t j = 0; j < r->cells && r->first + j < g->cells; j++) {
        if (j) fuzz_put(out, &g->delimiter, 1);
        fuzz_put(out, g->cell[r->first + j].s, g->cell[r->first + j].n);
    }
    if (g->trailing) fuzz_put(out, &g->delimiter, 1);
    fuzz_put(out, end, strlen(end));
}

void fuzz_mutate_grid(const struct fuzz_words *w, const uint8_t *data, size_t n, struct fuzz_bytes *out,
                      struct fuzz_random *r)
{
    static void (*const operation[])(struct grid *) = {
        set_word,     set_word,   set_word, copy_cell, swap_cells, swap_rows, repeat_row, delete_row, change_length,
        set_column,   set_column, quote,    blanks,    decimal,    long_cell, zero_byte,  other_form, shorten_rows,
        change_bytes, change_bytes};
    static struct grid g;
    int bom = n >= 3 && !memcmp(data, "\xEF\xBB\xBF", 3);
    g.words = w, g.random = r, g.cells = g.rows = g.used = 0, g.end = "\n", g.bom = bom, g.trailing = 0;
    g.row[0].first = 0;
    g.delimiter = common_delimiter(w->delimiters, data, n);
    if (memchr(data, '\r', n)) g.end = memchr(data, '\n', n) ? "\r\n" : "\r";
    g.last = n && (data[n - 1] == '\n' || data[n - 1] == '\r') ? g.end : "";
    cut(&g, data + 3 * bom, n - 3 * (size_t)bom);
    for (size_t k = 1 + fuzz_pick(r, 4); k && g.cells && g.rows; k--)
        operation[fuzz_pick(r, sizeof operation / sizeof *operation)](&g);
    if (g.bom) fuzz_put(out, "\xEF\xBB\xBF", 3);
    for (size_t i = 0; i < g.rows; i++) put_row(&g, &g.row[i], i + 1 < g.rows ? g.end : g.last, out);
}
