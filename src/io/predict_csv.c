/* Predictions of a CSV file of any length at fixed memory: blocks of rows come from the reader, pass through the model
 * in chunks, and leave as lines of CSV.
 *
 * With lags, a chunk begins with the last rows of the previous one, as many as the largest lag, so that predictions do
 * not depend on where the file was split. */
#include <math.h>
#include <string.h>
#include "base/text.h"
#include "base/number.h"
#include "data/blocks.h"
#include "model/model.h"

enum { CHUNK_CELLS = 1 << 18 }; /* numbers in a chunk, standardised or predicted */

struct stream {
    tamis_context *cx;
    const struct tamis_model *m;
    const struct tamis_encoder *e;
    size_t wants, *unknown;     /* columns to read; of each, rows with a label that the model does not know */
    struct tamis_csv_want *want;
    tamis_table chunk;          /* `held` rows of the previous chunk, then new ones */
    size_t most, held, reach;   /* most: new rows in a chunk; reach: the largest lag */
    double *prediction, *score;
    struct tamis_text text;
    tamis_write *write;
    void *user;
};

/* ---- lines ---- */

static void add_name(struct tamis_text *t, const char *before, const char *s)
{
    int quote = !*s || strpbrk(s, ",;\t|\"\r\n") || *s == ' ' || s[strlen(s) - 1] == ' ';
    if (quote) tamis_text_puts(t, "\"");
    tamis_text_puts(t, before);
    for (; *s; s++) tamis_text_add(t, *s == '"' ? "\"\"" : s, *s == '"' ? 2 : 1);
    if (quote) tamis_text_puts(t, "\"");
}

static void add_header(struct stream *s)
{
    const struct tamis_encoder *e = s->e;
    add_name(&s->text, "", e->target);
    for (size_t o = 0; o < e->more; o++) {
        tamis_text_puts(&s->text, ",");
        add_name(&s->text, "", e->more_target[o]);
    }
    for (size_t k = 0; k < e->classes; k++) {
        tamis_text_puts(&s->text, ",");
        add_name(&s->text, "score:", e->class_name[k]);
    }
    tamis_text_puts(&s->text, "\n");
}

static void add_number(struct tamis_text *t, double x, char after)
{
    char cell[40], *end = isnan(x) ? cell : tamis_number_write(x, cell);
    *end++ = after;
    tamis_text_add(t, cell, (size_t)(end - cell));
}

/* Row i of n. A missing prediction is an empty cell, but NA if it is the only cell: an empty line is not a row. */
static void add_row(struct stream *s, size_t i, size_t n)
{
    const struct tamis_encoder *e = s->e;
    double first = s->prediction[i];
    if (e->classes) {
        if (!isnan(first)) add_name(&s->text, "", e->class_name[(size_t)first]);
        tamis_text_puts(&s->text, ",");
        for (size_t k = 0; k < e->classes; k++)
            add_number(&s->text, s->score[i + n * k], k + 1 < e->classes ? ',' : '\n');
        return;
    }
    if (isnan(first) && !e->more) tamis_text_puts(&s->text, "NA");
    for (size_t o = 0; o <= e->more; o++) add_number(&s->text, s->prediction[i + n * o], o < e->more ? ',' : '\n');
}

static int hand_out(struct stream *s)
{
    if (tamis_text_status(&s->text)) return tamis_status(s->cx);
    if (s->text.length && s->write(s->user, s->text.s, s->text.length))
        return tamis_fail(s->cx, TAMIS_SYSTEM,
                          "the predictions could not be written; check the disk or the reader of the pipe");
    s->text.length = 0;
    return TAMIS_OK;
}

/* ---- chunks ---- */

static void count_unknown(struct stream *s, size_t from, size_t n)
{
    for (size_t w = 0; w < s->wants; w++) {
        const struct tamis_data_column *c = &s->chunk.column[w];
        for (size_t i = from; c->type == TAMIS_CATEGORY && i < from + n; i++)
            s->unknown[w] += c->value[i] == (double)c->levels;
    }
}

/* The last rows stay for the lags of the next chunk. */
static void keep_tail(struct stream *s)
{
    size_t keep = s->chunk.rows < s->reach ? s->chunk.rows : s->reach;
    for (size_t w = 0; w < s->wants; w++)
        memmove(s->chunk.column[w].value, s->chunk.column[w].value + s->chunk.rows - keep, keep * sizeof(double));
    s->held = keep;
}

static int predict_chunk(struct stream *s, const tamis_table *block, size_t from, size_t n)
{
    s->chunk.rows = s->held + n;
    for (size_t w = 0; w < s->wants; w++)
        memcpy(s->chunk.column[w].value + s->held, block->column[w].value + from, n * sizeof(double));
    count_unknown(s, s->held, n);
    int status = tamis_model_predict(s->cx, s->m, &s->chunk, s->prediction, s->e->classes ? s->score : NULL);
    for (size_t i = s->held; !status && i < s->chunk.rows; i++) add_row(s, i, s->chunk.rows);
    keep_tail(s);
    return status ? status : hand_out(s);
}

/* ---- the file ---- */

/* The columns that the inputs come from, without repeats. */
static void want_columns(struct stream *s)
{
    for (size_t i = 0; i < s->e->inputs; i++) {
        const struct tamis_feature *f = &s->e->input[i];
        struct tamis_csv_want want = {f->source ? f->source : f->name, f->levels ? TAMIS_CATEGORY : TAMIS_NUMBER,
                                      f->levels, f->level, f->date};
        size_t w = 0;
        while (w < s->wants && strcmp(s->want[w].name, want.name)) w++;
        if (w == s->wants) s->want[s->wants++] = want;
    }
}

static int stream_start(struct stream *s)
{
    const struct tamis_encoder *e = s->e;
    size_t outputs = tamis_encoder_outputs(e), wide = e->columns > outputs ? e->columns : outputs;
    s->most = CHUNK_CELLS / wide ? CHUNK_CELLS / wide : 1;
    s->reach = tamis_encoder_reach(e);
    s->want = tamis_new(s->cx, struct tamis_csv_want, e->inputs);
    s->unknown = tamis_new(s->cx, size_t, e->inputs);
    s->chunk.column = tamis_new(s->cx, struct tamis_data_column, e->inputs);
    s->prediction = tamis_raw(s->cx, double, (s->reach + s->most) * (1 + e->more));
    s->score = tamis_raw(s->cx, double, (s->reach + s->most) * e->classes);
    if (tamis_status(s->cx)) return tamis_status(s->cx);
    want_columns(s);
    s->chunk.columns = s->wants;
    for (size_t w = 0; w < s->wants; w++) {
        const struct tamis_csv_want *c = &s->want[w];
        s->chunk.column[w] = (struct tamis_data_column){
            (char *)c->name, c->type, tamis_raw(s->cx, double, s->reach + s->most), c->levels, (char **)c->level};
    }
    return tamis_status(s->cx);
}

/* The chunk's names and levels belong to the model. */
static void stream_finish(struct stream *s)
{
    for (size_t w = 0; w < s->chunk.columns; w++) tamis_free(s->chunk.column[w].value);
    tamis_free(s->chunk.column);
    tamis_free(s->want);
    tamis_free(s->unknown);
    tamis_free(s->prediction);
    tamis_free(s->score);
    tamis_text_free(&s->text);
}

static int predict_all(struct stream *s, struct tamis_blocks *rows)
{
    const tamis_table *block;
    int status;
    add_header(s);
    while (!(status = tamis_blocks_next(rows, &block)) && block->rows)
        for (size_t from = 0; from < block->rows && !status; from += s->most) {
            status = predict_chunk(s, block, from, block->rows - from < s->most ? block->rows - from : s->most);
            if (status) return status;
        }
    return status ? status : hand_out(s);
}

static void note_unknown(const struct stream *s)
{
    for (size_t w = 0; w < s->wants; w++)
        if (s->unknown[w])
            tamis_note(s->cx, "input '%s': %zu rows have a label not seen in training, which matches no known level",
                       s->want[w].name, s->unknown[w]);
}

int tamis_model_predict_csv(tamis_context *cx, const tamis_model *m, const char *path, const tamis_options *o,
                            tamis_write *write, void *user)
{
    TAMIS_CALL(cx);
    struct stream s = {.cx = cx, .m = m, .e = m->encoder, .text = {.cx = cx}, .write = write, .user = user};
    struct tamis_blocks *rows = NULL;
    if (tamis_check_cancel(cx)) return tamis_status(cx);
    struct tamis_resources before = tamis_resources_apply(cx, o);
    s.chunk.file = (char *)path;
    int status = stream_start(&s);
    if (!status) status = tamis_blocks_open(cx, path, o, s.want, s.wants, &rows);
    if (!status) status = predict_all(&s, rows);
    if (!status) note_unknown(&s);
    tamis_blocks_close(rows);
    stream_finish(&s);
    tamis_resources_restore(cx, before);
    return status ? status : tamis_status(cx);
}
