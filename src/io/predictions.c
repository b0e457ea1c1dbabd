/* The forms of predictions. CSV: a header, then one line per row: the columns that are carried along, the prediction
 * (of several targets, each) with the ends of its interval, and, of a classifier, the class and the probabilities or
 * scores. NPY: one array of doubles, one row per row of the table, with the predictions of the targets and their lower
 * and upper ends, or the probabilities of the classes; NaN is missing. */
#include <math.h>
#include <string.h>
#include "base/format.h"
#include "base/number.h"
#include "io/predictions.h"

static int hand_out(struct tamis_predictions *p)
{
    if (tamis_text_status(&p->text)) return tamis_status(p->cx);
    if (p->text.length && p->write(p->user, p->text.s, p->text.length))
        return tamis_fail(p->cx, TAMIS_SYSTEM,
                          "the predictions could not be written; check the disk or the reader of the pipe");
    p->text.length = 0;
    return TAMIS_OK;
}

/* ---- CSV ---- */

static void add_name(struct tamis_predictions *p, const char *before, const char *s)
{
    struct tamis_text *t = &p->text;
    int quote = (!*s && !*before) || strpbrk(s, ",;\t|\"\r\n") || *s == ' ' || (*s && s[strlen(s) - 1] == ' ');
    if (quote) tamis_text_puts(t, "\"");
    tamis_text_puts(t, before);
    for (; *s; s++) tamis_text_add(t, *s == '"' ? "\"\"" : s, *s == '"' ? 2 : 1);
    if (quote) tamis_text_puts(t, "\"");
}

/* "lower,upper", or of several targets "lower:A,upper:A,lower:B,...". */
static void add_ends_names(struct tamis_predictions *p)
{
    static const char *const word[] = {"lower", "upper"}, *const before[] = {"lower:", "upper:"};
    const struct tamis_encoder *e = p->e;
    for (size_t o = 0; p->lower && o <= e->more; o++)
        for (size_t k = 0; k < 2; k++) {
            tamis_text_puts(&p->text, ",");
            add_name(p, e->more ? before[k] : word[k], !e->more ? "" : o ? e->more_target[o - 1] : e->target);
        }
}

static int csv_begin(struct tamis_predictions *p, const tamis_table *block)
{
    const struct tamis_encoder *e = p->e;
    for (size_t k = 0; k < p->carries; k++) {
        add_name(p, "", block->column[p->carried[k]].name);
        tamis_text_puts(&p->text, ",");
    }
    add_name(p, "", e->target);
    for (size_t o = 0; o < e->more; o++) {
        tamis_text_puts(&p->text, ",");
        add_name(p, "", e->more_target[o]);
    }
    add_ends_names(p);
    for (size_t k = 0; k < e->classes; k++) {
        tamis_text_puts(&p->text, ",");
        add_name(p, p->probabilities ? "probability:" : "score:", e->class_name[k]);
    }
    tamis_text_puts(&p->text, "\n");
    return TAMIS_OK;
}

static void add_number(struct tamis_text *t, double x, char after)
{
    char cell[40], *end = isnan(x) ? cell : tamis_number_write(x, cell);
    *end++ = after;
    tamis_text_add(t, cell, (size_t)(end - cell));
}

static void add_carried(struct tamis_predictions *p, const struct tamis_predicted *r, size_t i)
{
    for (size_t k = 0; k < p->carries; k++) {
        size_t n;
        const char *s = tamis_cell_text(&r->block->column[p->carried[k]], r->at + i - r->from, &n);
        tamis_csv_put(&p->text, n ? s : "", n, "");
        tamis_text_puts(&p->text, ",");
    }
}

/* A missing prediction is an empty cell, but NA if it is the only cell: an empty line is not a row. */
static void add_row(struct tamis_predictions *p, const struct tamis_predicted *r, size_t i)
{
    const struct tamis_encoder *e = p->e;
    double first = r->prediction[i];
    add_carried(p, r, i);
    if (e->classes) {
        if (!isnan(first)) add_name(p, "", e->class_name[(size_t)first]);
        tamis_text_puts(&p->text, ",");
        for (size_t k = 0; k < e->classes; k++)
            add_number(&p->text, r->score[i + r->all * k], k + 1 < e->classes ? ',' : '\n');
        return;
    }
    if (isnan(first) && !e->more && !p->carries && !p->lower) tamis_text_puts(&p->text, "NA");
    for (size_t o = 0; o <= e->more; o++)
        add_number(&p->text, r->prediction[i + r->all * o], o < e->more || p->lower ? ',' : '\n');
    for (size_t o = 0; p->lower && o <= e->more; o++) {
        add_number(&p->text, r->prediction[i + r->all * o] + p->lower[o], ',');
        add_number(&p->text, r->prediction[i + r->all * o] + p->upper[o], o < e->more ? ',' : '\n');
    }
}

static int csv_rows(struct tamis_predictions *p, const struct tamis_predicted *r)
{
    for (size_t i = r->from; i < r->all; i++) add_row(p, r, i);
    return hand_out(p);
}

static const struct tamis_prediction_form csv = {
    .name = "csv", .texts = 1, .begin = csv_begin, .rows = csv_rows, .end = hand_out};

/* ---- NPY ---- */

static size_t npy_columns(const struct tamis_predictions *p)
{
    return tamis_encoder_outputs(p->e) + (p->lower ? 2 * (1 + p->e->more) : 0);
}

/* What the columns are, where they have no names. */
static int npy_begin(struct tamis_predictions *p, const tamis_table *block)
{
    enum { SHOWN = 20 };
    const struct tamis_encoder *e = p->e;
    size_t n = tamis_encoder_outputs(e);
    struct tamis_text names = {.cx = p->cx};
    (void)block;
    for (size_t k = 0; k < n && k < SHOWN; k++)
        tamis_text_printf(&names, "%s%.60s", k ? ", " : "",
                          e->classes ? e->class_name[k] : k ? e->more_target[k - 1] : e->target);
    if ((n > 1 || p->lower) && !names.failed)
        tamis_note(p->cx, "the columns of the array are %s: %s%s%s",
                   !e->classes ? n > 1 ? "the targets" : "the target"
                               : p->probabilities ? "the probabilities of the classes" : "the scores of the classes",
                   names.s, n > SHOWN ? ", ..." : "", p->lower ? "; then lower and upper of each" : "");
    tamis_text_free(&names);
    return tamis_status(p->cx);
}

static int npy_rows(struct tamis_predictions *p, const struct tamis_predicted *r)
{
    size_t k = tamis_encoder_outputs(p->e), n = npy_columns(p), rows = p->rows + r->all - r->from;
    const double *x = p->e->classes ? r->score : r->prediction;
    if (rows > p->room) {
        size_t room = rows + rows / 2;
        double *cell = tamis_memory_check(p->cx, 8. * (double)(room - p->room) * (double)n, "the array of predictions",
                                          "write CSV, or raise --memory")
                           ? NULL
                           : tamis_grow(p->cx, p->cell, room, n * sizeof *cell);
        if (!cell) return tamis_status(p->cx);
        p->cell = cell;
        p->room = room;
    }
    for (size_t i = r->from; i < r->all; i++) {
        double *cell = p->cell + n * (p->rows + i - r->from);
        for (size_t o = 0; o < k; o++) cell[o] = x[i + r->all * o];
        for (size_t o = 0; p->lower && o < k; o++) {
            cell[k + 2 * o] = cell[o] + p->lower[o];
            cell[k + 2 * o + 1] = cell[o] + p->upper[o];
        }
    }
    p->rows = rows;
    return TAMIS_OK;
}

/* Magic, version 1.0, the length of the dictionary, which is padded so that the numbers begin at a multiple of 64. */
static void npy_header(struct tamis_predictions *p)
{
    size_t n = npy_columns(p);
    char head[256], shape[64];
    int little = 1, at = 10;
    if (n > 1) tamis_snprintf(shape, sizeof shape, "(%zu, %zu)", p->rows, n);
    else tamis_snprintf(shape, sizeof shape, "(%zu,)", p->rows);
    memcpy(head, "\x93NUMPY\1\0", 8);
    at += tamis_snprintf(head + at, sizeof head - (size_t)at,
                         "{'descr': '%cf8', 'fortran_order': False, 'shape': %s, }",
                         *(const char *)&little ? '<' : '>', shape);
    while ((at + 1) % 64) head[at++] = ' ';
    head[at++] = '\n';
    head[8] = (char)(at - 10);
    head[9] = 0;
    tamis_text_add(&p->text, head, (size_t)at);
}

static int npy_end(struct tamis_predictions *p)
{
    size_t bytes = p->rows * npy_columns(p) * sizeof *p->cell;
    npy_header(p);
    if (hand_out(p)) return tamis_status(p->cx);
    if (!bytes || !p->write(p->user, (const char *)p->cell, bytes)) return TAMIS_OK;
    return tamis_fail(p->cx, TAMIS_SYSTEM, "the predictions could not be written; check the disk");
}

static const struct tamis_prediction_form npy = {
    .name = "npy", .begin = npy_begin, .rows = npy_rows, .end = npy_end};

/* ---- all of them ---- */

const struct tamis_prediction_form *tamis_prediction_form(const char *name)
{
    return strcmp(name, npy.name) ? &csv : &npy;
}

void tamis_predictions_free(struct tamis_predictions *p)
{
    tamis_text_free(&p->text);
    tamis_free(p->cell);
    tamis_free(p->carried);
    tamis_free(p->lower);
    tamis_free(p->upper);
}
