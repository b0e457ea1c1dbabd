/* Predictions of a file of any length: blocks of rows come from the reader, pass through the model in chunks, and leave
 * in one of the forms of predictions.h. As CSV, memory does not grow with the file.
 *
 * With lags, a chunk begins with the last rows of the previous one, as many as the largest lag, so that predictions do
 * not depend on where the file was split. */
#include <math.h>
#include <string.h>
#include "base/options.h"
#include "data/blocks.h"
#include "io/predictions.h"

enum { CHUNK_CELLS = 1 << 18 }; /* numbers in a chunk, standardised or predicted */

struct settings { struct tamis_names carry; const char *format; double level; };
const struct tamis_option tamis_predict_options[] = {
    {"carry", TAMIS_NAMES, offsetof(struct settings, carry), NULL, 0, 0, NULL, "A,B,...",
     "columns of DATA to copy in front of the predictions, such as identifiers, as they are in the file", .basic = 1},
    {"format", TAMIS_CHOICE, offsetof(struct settings, format), "csv", 0, 0, "csv|npy", NULL,
     "what is written: CSV, or a NumPy array, which -o FILE.npy also means; of a classifier the probabilities",
     .basic = 1},
    {"interval", TAMIS_REAL, offsetof(struct settings, level), NULL, 1e-6, 1 - 1e-6, NULL, "LEVEL",
     "columns lower and upper: the interval that holds a new value with this probability, such as 0.9", .basic = 1},
    {0}};

struct stream {
    tamis_context *cx;
    const struct tamis_model *m;
    const struct tamis_encoder *e;
    struct settings set;
    size_t own;                 /* columns that the model needs, and the time, among: */
    size_t wants, *unknown;     /* columns to read; of each, rows with a label that the model does not know */
    struct tamis_csv_want *want;
    size_t time;                /* the place of the time column; wants: none */
    tamis_table chunk;          /* `held` rows of the previous chunk, then new ones */
    size_t most, held, reach;   /* most: new rows in a chunk; reach: the largest lag */
    double *prediction, *score;
    const struct tamis_prediction_form *form;
    struct tamis_predictions out;
};

/* ---- chunks ---- */

static void count_unknown(struct stream *s, size_t from, size_t n)
{
    for (size_t w = 0; w < s->own; w++) {
        const struct tamis_data_column *c = &s->chunk.column[w];
        for (size_t i = from; c->type == TAMIS_CATEGORY && i < from + n; i++)
            s->unknown[w] += c->value[i] == (double)c->levels;
    }
}

/* The last rows stay for the lags of the next chunk. */
static void keep_tail(struct stream *s)
{
    size_t keep = s->chunk.rows < s->reach ? s->chunk.rows : s->reach;
    for (size_t w = 0; w < s->own; w++)
        memmove(s->chunk.column[w].value, s->chunk.column[w].value + s->chunk.rows - keep, keep * sizeof(double));
    s->held = keep;
}

static int predict_chunk(struct stream *s, const tamis_table *block, size_t from, size_t n)
{
    s->chunk.rows = s->held + n;
    for (size_t w = 0; w < s->own; w++) {
        double *to = s->chunk.column[w].value + s->held;
        if (block->column[w].value) memcpy(to, block->column[w].value + from, n * sizeof *to);
        else for (size_t i = 0; i < n; i++) to[i] = NAN;        /* a time that the file lacks */
    }
    count_unknown(s, s->held, n);
    int status = tamis_model_predict(s->cx, s->m, &s->chunk, s->prediction, s->e->classes ? s->score : NULL);
    struct tamis_predicted r = {s->prediction, s->score, s->chunk.rows, s->held, from, block};
    if (!status) status = s->form->rows(&s->out, &r);
    keep_tail(s);
    return status;
}

/* ---- the file ---- */

/* The place of a column among those wanted. */
static size_t want_one(struct stream *s, struct tamis_csv_want want)
{
    size_t w = 0;
    while (w < s->wants && strcmp(s->want[w].name, want.name)) w++;
    if (w == s->wants) s->want[s->wants++] = want;
    s->want[w].text |= want.text;
    return w;
}

static void carry(struct stream *s, size_t w)
{
    for (size_t k = 0; k < s->out.carries; k++)
        if (s->out.carried[k] == w) return;
    s->out.carried[s->out.carries++] = w;
}

/* The columns that the inputs come from, the time of a series, and those that are carried along; without repeats. */
static void want_columns(struct stream *s)
{
    static char *const none[1] = {NULL};
    const struct tamis_time *time = &s->e->time;
    for (size_t i = 0; i < s->e->inputs; i++) {
        const struct tamis_feature *f = &s->e->input[i];
        want_one(s, (struct tamis_csv_want){f->source ? f->source : f->name, f->levels ? TAMIS_CATEGORY : TAMIS_NUMBER,
                                            f->levels, f->level, f->date});
    }
    s->time = SIZE_MAX;
    if (time->column)
        s->time = want_one(s, (struct tamis_csv_want){.name = time->column, .type = TAMIS_NUMBER, .date = time->date,
                                                      .text = s->form->texts, .optional = 1});
    s->own = s->wants;
    if (time->column && s->form->texts) carry(s, s->time);
    for (size_t k = 0; k < s->set.carry.count; k++)             /* a category without known labels: text alone */
        carry(s, want_one(s, (struct tamis_csv_want){.name = s->set.carry.name[k], .type = TAMIS_CATEGORY,
                                                     .level = none, .text = 1, .option = "carry"}));
}

static int stream_start(struct stream *s)
{
    const struct tamis_encoder *e = s->e;
    size_t outputs = tamis_encoder_outputs(e), wide = e->columns > outputs ? e->columns : outputs;
    s->most = CHUNK_CELLS / wide ? CHUNK_CELLS / wide : 1;
    s->reach = tamis_encoder_reach(e);
    size_t most = e->inputs + 1 + s->set.carry.count;
    s->want = tamis_new(s->cx, struct tamis_csv_want, most);
    s->unknown = tamis_new(s->cx, size_t, most);
    s->out.carried = tamis_new(s->cx, size_t, most);
    s->chunk.column = tamis_new(s->cx, struct tamis_data_column, most);
    s->prediction = tamis_raw(s->cx, double, (s->reach + s->most) * (1 + e->more));
    s->score = tamis_raw(s->cx, double, (s->reach + s->most) * e->classes);
    if (tamis_status(s->cx)) return tamis_status(s->cx);
    want_columns(s);
    s->chunk.columns = s->own;
    for (size_t w = 0; w < s->own; w++) {
        const struct tamis_csv_want *c = &s->want[w];
        s->chunk.column[w] = (struct tamis_data_column){
            (char *)c->name, c->type, tamis_raw(s->cx, double, s->reach + s->most), c->levels, (char **)c->level,
            .date = c->date};
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
    tamis_predictions_free(&s->out);
}

/* A file without the time column is predicted all the same. */
static void drop_absent_time(struct stream *s, const tamis_table *block)
{
    int known = s->time < s->own && (block->column[s->time].value || block->column[s->time].texts);
    if (s->time >= s->own || known || !(s->form->texts || block->rows)) return;
    tamis_note(s->cx, "%s: no column '%.60s' with the time of the rows: gaps are not known%s", s->chunk.file,
               s->want[s->time].name, s->form->texts ? ", and predictions come without it" : "");
    if (s->form->texts) memmove(s->out.carried, s->out.carried + 1, --s->out.carries * sizeof *s->out.carried);
}

static int predict_all(struct stream *s, struct tamis_blocks *rows)
{
    const tamis_table *block;
    int status = tamis_blocks_next(rows, &block);
    if (!status) drop_absent_time(s, block);
    if (!status) status = s->form->begin(&s->out, block);
    while (!status && block->rows) {
        for (size_t from = 0; from < block->rows && !status; from += s->most)
            status = predict_chunk(s, block, from, block->rows - from < s->most ? block->rows - from : s->most);
        if (!status) status = tamis_blocks_next(rows, &block);
    }
    return status ? status : s->form->end(&s->out);
}

static void note_unknown(const struct stream *s)
{
    for (size_t w = 0; w < s->own; w++)
        if (s->unknown[w])
            tamis_note(s->cx, "input '%s': %zu rows have a label not seen in training, which matches no known level",
                       s->want[w].name, s->unknown[w]);
}

static int interval_fill(struct stream *s)
{
    s->out.lower = tamis_raw(s->cx, double, 1 + s->e->more);
    s->out.upper = tamis_raw(s->cx, double, 1 + s->e->more);
    int status = tamis_status(s->cx);
    if (!status) status = tamis_model_interval(s->cx, s->m, s->set.level, s->out.lower, s->out.upper);
    return status ? tamis_fail_at(s->cx, "--interval") : TAMIS_OK;
}

static int settings_read(struct stream *s, const tamis_options *o)
{
    int status = tamis_options_read(s->cx, o, tamis_predict_options, &s->set);
    if (status) return status;
    s->form = tamis_prediction_form(s->set.format);
    if (o && tamis_options_get(o, "interval") && interval_fill(s)) return tamis_status(s->cx);
    if (s->form->texts || !s->set.carry.count) return TAMIS_OK;
    return tamis_fail(s->cx, TAMIS_USAGE, "--carry: an array of numbers has no room for texts; use --format csv");
}

int tamis_model_predict_csv(tamis_context *cx, const tamis_model *m, const char *path, const tamis_options *o,
                            tamis_write *write, void *user)
{
    TAMIS_CALL(cx);
    struct stream s = {.cx = cx, .m = m, .e = m->encoder,
                       .out = {.cx = cx, .e = m->encoder, .probabilities = tamis_model_probabilities(m),
                               .text = {.cx = cx}, .write = write, .user = user}};
    struct tamis_blocks *rows = NULL;
    if (tamis_check_cancel(cx)) return tamis_status(cx);
    struct tamis_resources before = tamis_resources_apply(cx, o);
    s.chunk.file = (char *)path;
    int status = settings_read(&s, o);
    if (!status) status = stream_start(&s);
    if (!status) status = tamis_blocks_open(cx, path, o, s.want, s.wants, &rows);
    if (!status) status = predict_all(&s, rows);
    if (!status) note_unknown(&s);
    tamis_blocks_close(rows);
    stream_finish(&s);
    tamis_resources_restore(cx, before);
    return status ? status : tamis_status(cx);
}
