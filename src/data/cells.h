/* Text cut into lines and cells: the buffer over a stream, quotes, and the delimiter and decimal mark found in the
 * first lines. */
#ifndef TAMIS_CELLS_H
#define TAMIS_CELLS_H

#include "base/base.h"
#include "data/stream.h"

enum { TAMIS_CELLS_PAD = 16 };
enum tamis_kind { TAMIS_PLAIN, TAMIS_DELIMITER, TAMIS_NEWLINE, TAMIS_END };
enum tamis_cut { TAMIS_CUT, TAMIS_CUT_MORE, TAMIS_CUT_UNCLOSED, TAMIS_CUT_STRAY, TAMIS_CUT_MEMORY };

struct tamis_cells {
    tamis_context *cx;
    struct tamis_stream *stream;
    char *buffer;
    size_t room;
    const char *at, *end;       /* not yet parsed; TAMIS_CELLS_PAD zeros follow, and the text itself has none */
    int whole;                  /* the stream is at its end */
    size_t line;                /* physical line of `at`, from 1 */
    char delimiter, point;
    int comments;               /* lines that begin with # are comments ... */
    size_t fields;              /* ... unless they have as many cells as a row; 0: not known yet */
    int blanks;                 /* runs of blanks delimit */
    unsigned char kind[256];
    char *scratch;              /* a cell without its doubled quotes */
    size_t scratch_room;
};

struct tamis_cell {
    const char *s;              /* n bytes; s[n] is readable and not a digit */
    size_t n, lines;            /* newlines inside */
    int quoted;
    const char *next;           /* the delimiter or newline after it */
};

/* Takes the stream over, also on failure. Reads the first block; TAMIS_DATA: it is not text. */
int tamis_cells_open(tamis_context *cx, struct tamis_stream *s, struct tamis_cells *c);
void tamis_cells_close(struct tamis_cells *c);
/* Reads more bytes after those at `at`, which moves to the start of the buffer. Reports progress, checks for a stop. */
int tamis_cells_more(struct tamis_cells *c);

/* What a user says of the form of a text. */
struct tamis_cells_form {
    char delimiter;             /* 0: found among , ; tab | and blanks */
    char decimal;               /* 0: found */
    size_t skip;                /* lines above the header; SIZE_MAX: found */
    int headless;               /* there is no header, and no title above it */
};
/* Finds the delimiter and the decimal mark, and moves to the header, past comments and lines of a title, with notes
 * (cells_form.c). */
int tamis_cells_form(struct tamis_cells *c, struct tamis_cells_form given);
/* Lines of a title above the line at `at`, if cut by this delimiter: where the header begins; NULL: there are none
 * (cells_head.c). */
const char *tamis_cells_title(struct tamis_cells *c);
/* Whether the line at p looks like a row of units above rows of numbers (cells_head.c). */
int tamis_cells_units(struct tamis_cells *c, const char *p);

void tamis_cells_delimit(struct tamis_cells *c, char delimiter);        /* ' ': runs of blanks */

/* The cell at p: one of enum tamis_cut. */
int tamis_cell_cut(struct tamis_cells *c, const char *p, struct tamis_cell *cell);
/* Past the newline at p; NULL: whether a \n follows the \r is not known yet. */
const char *tamis_cells_newline(const struct tamis_cells *c, const char *p);
/* Past the newline that ends this line, quotes or not; NULL: not known yet. */
const char *tamis_cells_line_end(const struct tamis_cells *c, const char *p);
int tamis_cells_grouped(const char *s, size_t n, char point, double *x); /* 1.234.567,8 or 1,234,567.8 */
size_t tamis_cells_newlines(const char *s, const char *end);
size_t tamis_cells_count(char d, const char *p, const char *end);       /* delimiters d that are not quoted */
/* Past blank lines and comments at p, *lines of them; NULL: more bytes are needed (or, where the text is whole, there
 * are no more lines). */
const char *tamis_cells_blank_lines(const struct tamis_cells *c, const char *p, size_t *lines);

struct tamis_line {
    size_t cells, lines; /* how many, and newlines inside them; up to the fault, if cut reports one */
    size_t filled;              /* cells that are not empty */
    int cut, last_empty;        /* enum tamis_cut; its last cell is empty */
    const char *start, *next;   /* its first cell; past its newline */
};
struct tamis_line tamis_cells_line(struct tamis_cells *c, const char *p); /* the first from p on that is not blank */

/* With blanks as delimiters, the last blank of a run delimits, and blanks before a newline do not. */
static inline const char *tamis_cells_settle(const struct tamis_cells *c, const char *p)
{
    const char *q = p;
    if (!c->blanks || c->kind[(unsigned char)*p] != TAMIS_DELIMITER) return p;
    while (c->kind[(unsigned char)*q] == TAMIS_DELIMITER) q++;
    return c->kind[(unsigned char)*q] == TAMIS_PLAIN ? q - 1 : q;
}

#endif
