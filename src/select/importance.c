/* Importance by permutation: the growth of the error on rows that a model has not seen when one input takes the values
 * of other rows while the rest of each row stays.
 *
 * The held-out rows stand in a random circle, and every row takes the value of the row s places on, for s = 1, 2, ...;
 * as many shifts as there are other rows would be all pairs, which few rows get. With test rows, they are the rows and
 * the answer is the model; else each fold has its model. */
#include <math.h>
#include <string.h>
#include "base/rng.h"
#include "num/weighted.h"
#include "select/held.h"
#include "select/run.h"

enum { MOST_ROWS = 2000, SHIFTED_ROWS = 4000, SHIFTED_CELLS = 4000000 };       /* of a fold; of one prediction */

/* Rows that one model has not seen. */
struct ring {
    struct tamis_run *run;
    const struct tamis_model *m;
    size_t rows, shifts, outputs;
    size_t *order;
    double *x, *y;                      /* the model's columns in the random order; targets */
    double *weight;                     /* of the rows; NULL: all one */
    double *loss;                       /* of each row as it is */
    double *moved, *out, *growth;       /* shifts x rows: columns and predictions; growth of each row's loss */
};

static void ring_free(struct ring *g)
{
    void *all[] = {g->order, g->x, g->y, g->weight, g->loss, g->moved, g->out, g->growth};
    for (size_t i = 0; i < sizeof all / sizeof *all; i++) tamis_free(all[i]);
}

static size_t shifts_for(size_t rows, size_t columns)
{
    size_t most = SHIFTED_CELLS / (columns ? columns : 1), shifts = (most < SHIFTED_ROWS ? most : SHIFTED_ROWS) / rows;
    return shifts < 1 ? 1 : shifts < rows - 1 ? shifts : rows - 1;
}

/* Room for the rows in g->order. */
static int ring_room(struct ring *g, size_t columns)
{
    tamis_context *cx = g->run->cx;
    g->shifts = shifts_for(g->rows, columns);
    g->outputs = tamis_model_outputs(g->m);
    size_t n = g->rows * g->shifts;
    g->x = tamis_raw(cx, double, g->rows * columns);
    g->y = tamis_raw(cx, double, g->rows * tamis_design_outputs(g->run->design));
    g->loss = tamis_raw(cx, double, g->rows);
    g->moved = tamis_raw(cx, double, n * columns);
    g->out = tamis_raw(cx, double, n * g->outputs);
    g->growth = tamis_raw(cx, double, g->rows);
    return tamis_status(cx);
}

/* The weights of the rows that row i takes the values of. */
static double donors_weight(const struct ring *g, size_t i, size_t times)
{
    double sum = 0;
    for (size_t s = 0; s < times; s++) sum += tamis_weight_at(g->weight, (i + s + 1) % g->rows);
    return sum;
}

/* The losses of rows whose predictions are in g->out, `times` the circle over; their mean for each place, less base[]
 * (or NULL). */
static void losses_of(const struct ring *g, size_t times, const double *base, double *mean)
{
    size_t m = g->rows, n = m * times, classes = g->run->encoder->classes, targets = 1 + g->run->encoder->more;
    for (size_t i = 0; i < m; i++) mean[i] = base ? -base[i] : 0;
    for (size_t i = 0; i < m; i++) {
        double all = base ? donors_weight(g, i, times) : (double)times;
        for (size_t s = 0; s < times; s++) {
            double loss = 0;
            if (classes) loss = (double)tamis_model_winner(g->out, n, classes, s * m + i) != g->y[i];
            for (size_t o = 0; !classes && o < targets; o++)
                loss += pow(g->y[i + m * o] - g->out[s * m + i + n * o], 2) / (double)targets;
            mean[i] += (base ? tamis_weight_at(g->weight, (i + s + 1) % m) : 1) * loss / all;
        }
    }
}

/* Column c of the rows, shift by shift, each taken from `step` times as many rows on as its shift has. */
static void column_move(struct ring *g, size_t c, size_t step)
{
    size_t m = g->rows, n = m * g->shifts;
    const double *from = g->x + m * c;
    for (size_t s = 0; s < g->shifts; s++) {
        size_t by = step * (s + 1);
        double *to = g->moved + n * c + m * s;
        memcpy(to, from + by, (m - by) * sizeof *to);
        memcpy(to + m - by, from, by * sizeof *to);
    }
}

/* The rows in g->order of d, through the model's encoder. */
static int ring_fill(struct ring *g, const struct tamis_design *d)
{
    tamis_context *cx = g->run->cx;
    size_t columns = g->m->encoder->columns, targets = tamis_design_outputs(d);
    double *x = tamis_raw(cx, double, d->rows * columns);
    if (!x || ring_room(g, columns)) {
        tamis_free(x);
        return tamis_status(cx);
    }
    tamis_model_gather(g->m, d, x);
    for (size_t c = 0; c < columns; c++)
        for (size_t i = 0; i < g->rows; i++) g->x[i + g->rows * c] = x[g->order[i] + d->rows * c];
    for (size_t o = 0; o < targets; o++)
        for (size_t i = 0; i < g->rows; i++) g->y[i + g->rows * o] = d->y[g->order[i] + d->rows * o];
    tamis_free(x);
    g->weight = d->weight ? tamis_raw(cx, double, g->rows) : NULL;
    if (tamis_status(cx)) return tamis_status(cx);
    for (size_t i = 0; g->weight && i < g->rows; i++) g->weight[i] = d->weight[g->order[i]];
    for (size_t c = 0; c < columns; c++) column_move(g, c, 0);
    int status = tamis_held_apply(cx, g->m, g->run->encoder, g->x, g->rows, g->out);
    if (!status) losses_of(g, 1, NULL, g->loss);
    return status;
}

/* g->growth for one input of the model. */
static int input_move(struct ring *g, const struct tamis_feature *f)
{
    for (size_t c = f->first; c < f->first + f->columns; c++) column_move(g, c, 1);
    int status = tamis_held_apply(g->run->cx, g->m, g->run->encoder, g->moved, g->rows * g->shifts, g->out);
    if (!status) losses_of(g, g->shifts, g->loss, g->growth);
    for (size_t c = f->first; c < f->first + f->columns; c++) column_move(g, c, 0);
    return status;
}

static size_t input_named(const struct tamis_encoder *e, const char *name)
{
    size_t i = 0;
    while (i < e->inputs && strcmp(e->input[i].name, name)) i++;
    return i;
}

static double mean_of(const struct ring *g, const double *x)
{
    double sum = 0;
    for (size_t i = 0; i < g->rows; i++) sum += tamis_weight_at(g->weight, i) * x[i];
    return sum / tamis_weight_sum(g->weight, g->rows);
}

static double se_of(const struct ring *g, const double *x, double mean)
{
    double squares = 0, rows = tamis_weight_rows(g->weight, g->rows);
    for (size_t i = 0; i < g->rows; i++) squares += tamis_weight_at(g->weight, i) * pow(x[i] - mean, 2);
    return sqrt(squares / (tamis_weight_sum(g->weight, g->rows) * (rows - 1)));
}

/* ---- which rows ---- */

/* The rows below `rows` in fold k, at most MOST_ROWS evenly spread, in random order. Or, fold NULL: those of the list
 * `among`. */
static int order_make(struct ring *g, const size_t *among, size_t rows, const size_t *fold, size_t k)
{
    struct tamis_rng r;
    size_t *row = g->order = tamis_raw(g->run->cx, size_t, rows), n = 0;
    if (!row) return tamis_status(g->run->cx);
    for (size_t i = 0; i < rows; i++)
        if (!fold || fold[i] == k) row[n++] = among ? among[i] : i;
    g->rows = n < MOST_ROWS ? n : MOST_ROWS;
    for (size_t i = 0; i < g->rows; i++) row[i] = row[(size_t)((double)i * (double)n / (double)g->rows)];
    tamis_rng_init(&r, g->run->seed, TAMIS_RNG_IMPORTANCE, (uint32_t)k);
    tamis_rng_shuffle(&r, row, g->rows);
    return TAMIS_OK;
}

/* One column of growth[] for each input of the run: its mean, and (se not NULL) the standard error over rows. */
static int model_measure(struct ring *g, const struct tamis_design *d, double *growth, double *se)
{
    if (g->rows < 2 || !g->m->encoder->columns) return TAMIS_OK;
    int status = ring_fill(g, d);
    for (size_t j = 0; j < g->m->encoder->inputs && !status; j++) {
        const struct tamis_feature *f = &g->m->encoder->input[j];
        size_t i = input_named(g->run->encoder, f->name);
        if (i == g->run->encoder->inputs) continue;
        if ((status = input_move(g, f))) break;
        growth[i] = mean_of(g, g->growth);
        if (se) se[i] = se_of(g, g->growth, growth[i]);
    }
    return status;
}

/* The test rows that stand for their copies. */
static int test_distinct(const struct tamis_run *run, struct tamis_distinct *q)
{
    struct tamis_run like = {.cx = run->cx, .encoder = run->encoder, .data = run->data, .weigh = run->weigh};
    like.common.blocks = run->common.blocks;
    if (run->test_table) like.data = run->test_table, like.weigh = run->test_weigh;
    return tamis_distinct_find(&like, run->test_row, run->test->rows, q);
}

static int by_test_rows(struct tamis_run *run, double *growth, double *se)
{
    struct ring g = {.run = run, .m = run->result->model};
    struct tamis_design rows = *run->test;
    struct tamis_distinct q;
    if (test_distinct(run, &q)) return tamis_status(run->cx);
    rows.weight = tamis_new(run->cx, double, rows.rows);
    for (size_t i = 0; rows.weight && i < q.rows; i++) rows.weight[q.at[i]] = q.weight[i];
    int status = rows.weight ? order_make(&g, q.at, q.rows, NULL, 0) : tamis_status(run->cx);
    if (!status) status = model_measure(&g, &rows, growth, se);
    tamis_free(rows.weight);
    tamis_distinct_free(&q);
    ring_free(&g);
    return status;
}

/* The mean over folds; its standard error with the correction of Nadeau and Bengio (2003) for the rows that the models
 * share. */
static void folds_join(const double *fold, size_t folds, size_t inputs, double *mean, double *se)
{
    double k = (double)folds;
    for (size_t i = 0; i < inputs; i++) {
        double sum = 0, squares = 0;
        size_t known = 0;
        for (size_t f = 0; f < folds; f++) known += !isnan(fold[i + inputs * f]);
        if (!known) continue;
        for (size_t f = 0; f < folds; f++) sum += isnan(fold[i + inputs * f]) ? 0 : fold[i + inputs * f];
        mean[i] = sum / k;
        for (size_t f = 0; f < folds; f++)
            squares += pow((isnan(fold[i + inputs * f]) ? 0 : fold[i + inputs * f]) - mean[i], 2);
        se[i] = folds > 1 ? sqrt(squares / (k - 1) * (1 / k + 1 / (k - 1))) : NAN;
    }
}

/* ---- without the input ---- */

/* The error on fold k of the answer fitted again, with the inputs in set[], from the other rows. */
static int error_of(struct tamis_run *run, const unsigned char *set, const struct tamis_held *h, size_t k,
                    double *error)
{
    const struct tamis_design *d = run->design;
    struct tamis_model *m = NULL;
    struct ring g = {.run = run};
    int status = tamis_held_refit(run, set, h->fold, k, &m);
    g.m = m;
    if (!status) status = order_make(&g, NULL, run->labelled, h->fold, k);
    if (!status && g.rows) status = ring_fill(&g, d);
    if (!status && g.rows) *error = mean_of(&g, g.loss);
    ring_free(&g);
    tamis_model_free(m);
    return status;
}

/* growth of fold k: one more set for each chosen input. */
static int fold_without(struct tamis_run *run, unsigned char *set, const struct tamis_held *h, size_t k, double *growth)
{
    const struct tamis_result *r = run->result;
    double with = NAN, without = NAN;
    int status = error_of(run, set, h, k, &with);
    for (size_t c = 0; c < r->selected && !status; c++) {
        size_t i = r->chosen[c];
        if ((status = tamis_check_cancel(run->cx))) break;
        set[i] = 0;
        status = error_of(run, set, h, k, &without);
        set[i] = 1;
        growth[i] = without - with;
    }
    return status;
}

/* Fits again are muted: notes and progress are those of the run. */
static int by_refits(struct tamis_run *run, double *fold)
{
    const struct tamis_held *h = run->result->held;
    size_t inputs = run->encoder->inputs;
    unsigned char *set = tamis_new(run->cx, unsigned char, inputs);
    int status = set ? TAMIS_OK : tamis_status(run->cx);
    for (size_t i = 0; set && i < inputs; i++) set[i] = (unsigned char)run->result->input[i].selected;
    tamis_mute(run->cx, 1);
    for (size_t k = 0; k < h->folds && !status; k++) status = fold_without(run, set, h, k, fold + inputs * k);
    tamis_mute(run->cx, 0);
    tamis_free(set);
    return status;
}

/* ---- the result ---- */

static int is_drop(const struct tamis_run *run) { return !strcmp(run->common.importance, "drop"); }

static int by_permuting(struct tamis_run *run, double *fold)
{
    const struct tamis_held *h = run->result->held;
    int status = TAMIS_OK;
    for (size_t k = 0; k < h->folds && !status; k++) {
        struct ring g = {.run = run, .m = h->model[k]};
        status = tamis_check_cancel(run->cx);
        if (!status) status = order_make(&g, NULL, run->labelled, h->fold, k);
        if (!status) status = model_measure(&g, run->design, fold + run->encoder->inputs * k, NULL);
        ring_free(&g);
    }
    return status;
}

static int by_folds(struct tamis_run *run, double *growth, double *se)
{
    const struct tamis_held *h = run->result->held;
    size_t inputs = run->encoder->inputs;
    double *fold = tamis_raw(run->cx, double, inputs * h->folds);
    int status = fold ? TAMIS_OK : tamis_status(run->cx);
    for (size_t n = 0; !status && n < inputs * h->folds; n++) fold[n] = NAN;
    if (!status) status = is_drop(run) ? by_refits(run, fold) : by_permuting(run, fold);
    if (!status) folds_join(fold, h->folds, inputs, growth, se);
    tamis_free(fold);
    return status;
}

int tamis_importance_fill(struct tamis_run *run)
{
    struct tamis_result *r = run->result;
    int test = run->test && !is_drop(run);
    if (!r->model || !r->selected || !(test || r->held) || !strcmp(run->common.importance, "none")) return TAMIS_OK;
    double *growth = tamis_raw(run->cx, double, r->inputs), *se = tamis_raw(run->cx, double, r->inputs);
    int status = growth && se ? TAMIS_OK : tamis_status(run->cx);
    for (size_t i = 0; !status && i < r->inputs; i++) growth[i] = se[i] = NAN;
    if (!status) status = test ? by_test_rows(run, growth, se) : by_folds(run, growth, se);
    for (size_t i = 0; !status && i < r->inputs; i++) {
        r->input[i].importance = growth[i];
        r->input[i].importance_se = se[i];
    }
    tamis_free(growth);
    tamis_free(se);
    return status;
}
