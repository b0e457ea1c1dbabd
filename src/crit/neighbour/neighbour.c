/* From sets of inputs to metrics, and back from neighbours to scores. */
#include <math.h>
#include <string.h>
#include "crit/neighbour/neighbour.h"
#include "num/weighted.h"

/* ---- the target ---- */

static double target_mean(const struct tamis_design *d)
{
    double mean = 0, all = tamis_weight_sum(d->weight, d->rows);
    for (size_t i = 0; i < d->rows; i++) mean += tamis_row_weight(d, i) * d->y[i] / all;
    return mean;
}

/* Half the mean squared difference between a row and another, both drawn by their weights. */
static double weighted_variance(const struct tamis_design *d)
{
    double mean = target_mean(d), all = tamis_weight_sum(d->weight, d->rows), squares = 0, sum = 0;
    for (size_t i = 0; i < d->rows; i++) squares += d->weight[i] * (d->y[i] - mean) * (d->y[i] - mean);
    for (size_t i = 0; i < d->rows; i++)
        sum += d->weight[i] / (all - d->weight[i]) * (all * (d->y[i] - mean) * (d->y[i] - mean) + squares);
    return sum / (2 * all);
}

static double variance_of(const struct tamis_design *d)
{
    double mean = 0, sum = 0, all = (double)tamis_design_all_rows(d);
    if (d->weight) return weighted_variance(d);
    tamis_spread_take(d->spread, &mean, sizeof mean);   /* a failure stays in the context */
    for (size_t i = 0; i < d->rows; i++) mean += d->y[i] / all;
    tamis_spread_give(d->spread, &mean, sizeof mean);
    tamis_spread_take(d->spread, &sum, sizeof sum);
    for (size_t i = 0; i < d->rows; i++) sum += (d->y[i] - mean) * (d->y[i] - mean);
    tamis_spread_give(d->spread, &sum, sizeof sum);
    return sum / (all - 1);
}

/* The design with one of its targets. */
static struct tamis_design with_target(const struct tamis_design *d, size_t output)
{
    struct tamis_design one = *d;
    one.y += output * d->rows;
    return one;
}

double tamis_target_variance(const struct tamis_design *d)
{
    size_t outputs = tamis_design_outputs(d);
    double sum = 0;
    for (size_t o = 0; o < outputs; o++) {
        struct tamis_design one = with_target(d, o);
        sum += variance_of(&one) / (double)outputs;
    }
    return sum;
}

double tamis_target_range(const struct tamis_design *d)
{
    double widest = 0;
    for (size_t o = 0; o < tamis_design_outputs(d); o++) {
        const double *y = d->y + o * d->rows;
        double end[2] = {INFINITY, -INFINITY};
        tamis_spread_take(d->spread, end, sizeof end);
        for (size_t i = 0; i < d->rows; i++) end[0] = fmin(end[0], y[i]), end[1] = fmax(end[1], y[i]);
        tamis_spread_give(d->spread, end, sizeof end);
        widest = fmax(widest, end[1] - end[0]);
    }
    return widest;
}

double tamis_target_difference(const struct tamis_design *d, size_t a, size_t b)
{
    size_t n = d->rows, outputs = tamis_design_outputs(d);
    double sum = 0;
    for (size_t o = 0; o < outputs; o++)
        sum += (d->y[a + n * o] - d->y[b + n * o]) * (d->y[a + n * o] - d->y[b + n * o]);
    return sum / (double)outputs;
}

/* The mean of the others of row i is mean - w_i / (W - w_i) (y_i - mean). */
static double weighted_mean_loo(const struct tamis_design *d)
{
    double mean = target_mean(d), all = tamis_weight_sum(d->weight, d->rows), sum = 0;
    for (size_t i = 0; i < d->rows; i++)
        sum += d->weight[i] * pow(all / (all - d->weight[i]) * (d->y[i] - mean), 2);
    return sum / all;
}

static double weighted_majority_loo(const struct tamis_design *d, double *count)
{
    double wrong = 0;
    for (size_t i = 0; i < d->rows; i++) count[(size_t)d->y[i]] += d->weight[i];
    for (size_t i = 0; i < d->rows; i++) {
        size_t best = 0;
        count[(size_t)d->y[i]] -= d->weight[i];
        for (size_t b = 1; b < d->encoder->classes; b++)
            if (count[b] > count[best] * (1 + 1e-12)) best = b;
        count[(size_t)d->y[i]] += d->weight[i];
        wrong += best == (size_t)d->y[i] ? 0 : d->weight[i];
    }
    return wrong / tamis_weight_sum(d->weight, d->rows);
}

static int weighted_constant_loo(tamis_context *cx, const struct tamis_design *d, double *error)
{
    double *count = tamis_new(cx, double, d->encoder->classes + 1);
    size_t outputs = tamis_design_outputs(d);
    if (count && d->encoder->classes) *error = weighted_majority_loo(d, count);
    else *error = 0;
    for (size_t o = 0; o < outputs && !d->encoder->classes; o++) {
        struct tamis_design one = with_target(d, o);
        *error += weighted_mean_loo(&one) / (double)outputs;
    }
    tamis_free(count);
    return tamis_status(cx);
}

/* The others of a row of class c are n_c - 1 rows of class c and n_b rows of each class b. */
static double majority_loo(const size_t *count, size_t classes, size_t rows)
{
    double wrong = 0;
    for (size_t c = 0; c < classes; c++) {
        size_t best = 0, most = 0;
        for (size_t b = 0; b < classes; b++)
            if (count[b] - (b == c && count[b]) > most) most = count[b] - (b == c), best = b;
        wrong += best == c ? 0 : (double)count[c];
    }
    return wrong / (double)rows;
}

int tamis_constant_loo(tamis_context *cx, const struct tamis_design *d, double *error)
{
    double n = (double)d->rows;
    if (d->weight) return weighted_constant_loo(cx, d, error);
    if (!d->encoder->classes) {
        *error = n / (n - 1) * tamis_target_variance(d); /* y_i - mean of the others = n / (n - 1) (y_i - mean) */
        return TAMIS_OK;
    }
    size_t *count = tamis_new(cx, size_t, d->encoder->classes);
    for (size_t i = 0; count && i < d->rows; i++) count[(size_t)d->y[i]]++;
    if (count) *error = majority_loo(count, d->encoder->classes, d->rows);
    tamis_free(count);
    return tamis_status(cx);
}

size_t tamis_neighbour_vote(const struct tamis_design *d, const uint32_t *neighbour, size_t k)
{
    const double *y = d->y;
    double most = 0, best = 0;
    for (size_t t = 0; t < k; t++) {
        double count = 0;
        for (size_t u = 0; u < k; u++)
            count += y[neighbour[u]] == y[neighbour[t]] ? tamis_row_weight(d, neighbour[u]) : 0;
        if (count > most || (count == most && y[neighbour[t]] < best)) most = count, best = y[neighbour[t]];
    }
    return (size_t)best;
}

/* ---- metrics ---- */

static void metric_add(const struct tamis_design *d, size_t input, double weight, struct tamis_metric *m)
{
    const struct tamis_feature *f = &d->encoder->input[input];
    for (size_t k = 0; k < f->columns; k++, m->count++) {
        m->column[m->count] = (uint32_t)(f->first + k);
        m->weight[m->count] = weight;
    }
}

void tamis_metric_fill(const struct tamis_design *d, const unsigned char *tenth, size_t but, struct tamis_metric *m)
{
    m->count = 0;
    for (size_t i = 0; i < d->inputs; i++)
        if (tenth[i] && i != but) metric_add(d, i, tenth[i] / 10.0, m);
}

/* The workspace of a call: metrics of the common set and of the sets to evaluate, in shared memory. */
struct sets {
    struct tamis_metric common;
    struct tamis_near_set *set;
    size_t *change, count;      /* the change that each set comes from */
    double *mean, *weight;
    uint32_t *column;
};

static void sets_free(struct sets *s)
{
    tamis_free(s->set);
    tamis_free(s->change);
    tamis_free(s->mean);
    tamis_free(s->weight);
    tamis_free(s->column);
}

static int sets_make(struct tamis_neighbour *j, size_t most, struct sets *s)
{
    size_t columns = j->d->columns, metrics = 2 * most + 1;
    s->set = tamis_new(j->cx, struct tamis_near_set, most);
    s->change = tamis_raw(j->cx, size_t, most);
    s->mean = tamis_raw(j->cx, double, most * j->e.width);
    s->weight = tamis_raw(j->cx, double, metrics * columns);
    s->column = tamis_raw(j->cx, uint32_t, metrics * columns);
    if (tamis_status(j->cx)) return tamis_status(j->cx);
    s->common = (struct tamis_metric){0, s->column, s->weight};
    for (size_t k = 0; k < most; k++) {
        s->set[k].all = (struct tamis_metric){0, s->column + (2 * k + 1) * columns, s->weight + (2 * k + 1) * columns};
        s->set[k].extra = (struct tamis_metric){0, s->column + (2 * k + 2) * columns,
                                                s->weight + (2 * k + 2) * columns};
    }
    return TAMIS_OK;
}

/* Appends the set of tenth[] with `input` (SIZE_MAX: none) at t: change number `change`. */
static void sets_put(struct tamis_neighbour *j, struct sets *s, size_t input, unsigned char t, size_t change)
{
    struct tamis_near_set *n = &s->set[s->count];
    unsigned char before = input == SIZE_MAX ? 0 : j->tenth[input];
    n->extra.count = 0;
    n->slot = input;
    if (input != SIZE_MAX) {
        metric_add(j->d, input, (t ? t : before) / 10.0, &n->extra);
        j->tenth[input] = t;
    }
    tamis_metric_fill(j->d, j->tenth, SIZE_MAX, &n->all);
    if (input != SIZE_MAX) j->tenth[input] = before;
    s->change[s->count++] = change;
}

/* ---- the value of many changes ---- */

static void scores_take(const struct tamis_neighbour *j, const struct sets *s, struct tamis_score *score)
{
    for (size_t k = 0; k < s->count; k++) {
        double *mean = s->mean + k * j->e.width;
        score[s->change[k]] = (struct tamis_score){.value = mean[0] == INFINITY ? INFINITY : j->value(j, mean)};
    }
}

static size_t size_of(const struct tamis_neighbour *j)
{
    size_t n = 0;
    for (size_t i = 0; i < j->d->inputs; i++) n += j->tenth[i] > 0;
    return n;
}

enum group { ADDED, REMOVED, REWEIGHED };

static enum group group_of(const struct tamis_neighbour *j, const struct tamis_change *c)
{
    if (c->input == SIZE_MAX || !j->tenth[c->input]) return ADDED;
    return c->tenth ? REWEIGHED : REMOVED;
}

static double mean_bound(const struct tamis_neighbour *j, double value)
{
    return j->per_value > 0 && value > 0 ? j->per_value * value * (1 + 1e-9) : INFINITY;
}

static int score_added(struct tamis_neighbour *j, struct sets *s, const struct tamis_change *c, size_t count,
                       struct tamis_score *score)
{
    size_t size = size_of(j);
    s->count = 0;
    for (size_t k = 0; k < count; k++) {
        if (group_of(j, &c[k]) != ADDED) continue;
        if (c[k].input != SIZE_MAX && c[k].tenth) sets_put(j, s, c[k].input, c[k].tenth, k);
        else if (size) sets_put(j, s, SIZE_MAX, 0, k);
        else score[k] = (struct tamis_score){.value = j->empty};
    }
    tamis_metric_fill(j->d, j->tenth, SIZE_MAX, &s->common);
    int status = tamis_near_with(&j->e, &s->common, s->set, s->count, j->from, mean_bound(j, j->above), s->mean);
    if (!status) scores_take(j, s, score);
    return status;
}

static int score_removed(struct tamis_neighbour *j, struct sets *s, const struct tamis_change *c, size_t count,
                         double above, struct tamis_score *score)
{
    size_t size = size_of(j);
    s->count = 0;
    for (size_t k = 0; k < count; k++) {
        if (group_of(j, &c[k]) != REMOVED) continue;
        if (size > 1) sets_put(j, s, c[k].input, 0, k);
        else score[k] = (struct tamis_score){.value = j->empty};
    }
    tamis_metric_fill(j->d, j->tenth, SIZE_MAX, &s->common);
    int status = tamis_near_without(&j->e, &s->common, s->set, s->count, j->from, mean_bound(j, above), s->mean);
    if (!status) scores_take(j, s, score);
    return status;
}

/* The changes of one input in the set to another weight: additions to the set without it. */
static int score_reweighed(struct tamis_neighbour *j, struct sets *s, size_t input, const struct tamis_change *c,
                           size_t count, struct tamis_score *score)
{
    s->count = 0;
    for (size_t k = 0; k < count; k++)
        if (c[k].input == input && group_of(j, &c[k]) == REWEIGHED) sets_put(j, s, input, c[k].tenth, k);
    if (!s->count) return TAMIS_OK;
    tamis_metric_fill(j->d, j->tenth, input, &s->common);
    int status = tamis_near_with(&j->e, &s->common, s->set, s->count, j->from, INFINITY, s->mean);
    if (!status) scores_take(j, s, score);
    return status;
}

/* Finds the slot that holds the neighbours of the current set: that of the only input by which it differs from the set
 * of the last call. */
static void from_find(struct tamis_neighbour *j)
{
    size_t differ = 0, input = SIZE_MAX;
    for (size_t i = 0; i < j->d->inputs; i++)
        if (j->tenth[i] != j->last[i]) differ++, input = i;
    if (!j->seen || differ > 1) j->from = SIZE_MAX;
    else if (differ) j->from = input;
    memcpy(j->last, j->tenth, j->d->inputs);
    j->seen = 1;
}

static int score_changes(struct tamis_neighbour *j, const struct tamis_change *c, size_t count, int bounded,
                         struct tamis_score *score)
{
    struct sets s = {.count = 0};
    double above = bounded ? j->above : INFINITY;
    from_find(j);
    int status = sets_make(j, count, &s);
    if (!status) status = score_added(j, &s, c, count, score);
    for (size_t k = 0; k < count && bounded && !status; k++)
        if (group_of(j, &c[k]) == ADDED && c[k].input != SIZE_MAX) above = fmin(above, score[k].value);
    if (!status) status = score_removed(j, &s, c, count, above, score);
    for (size_t i = 0; i < j->d->inputs && !status; i++)
        if (j->tenth[i]) status = score_reweighed(j, &s, i, c, count, score);
    sets_free(&s);
    return status;
}

int tamis_neighbour_weigh(void *self, const unsigned char *tenth, const struct tamis_change *change, size_t count,
                          struct tamis_score *score)
{
    struct tamis_neighbour *j = self;
    memcpy(j->tenth, tenth, j->d->inputs);
    return score_changes(j, change, count, 1, score);
}

static void tenths(struct tamis_neighbour *j, const unsigned char *set)
{
    for (size_t i = 0; i < j->d->inputs; i++) j->tenth[i] = set[i] ? 10 : 0;
}

int tamis_neighbour_evaluate(void *self, const unsigned char *base, const size_t *toggle, size_t count,
                             const struct tamis_score *hint, struct tamis_score *score)
{
    struct tamis_neighbour *j = self;
    struct tamis_change *c = tamis_raw(j->cx, struct tamis_change, count);
    (void)hint;
    if (!c) return tamis_status(j->cx);
    tenths(j, base);
    for (size_t k = 0; k < count; k++)
        c[k] = (struct tamis_change){toggle[k], toggle[k] == SIZE_MAX || base[toggle[k]] ? 0 : 10};
    int status = score_changes(j, c, count, 1, score);
    tamis_free(c);
    return status;
}

void tamis_neighbour_bound(void *self, double above) { ((struct tamis_neighbour *)self)->above = above; }

/* ---- the model of a set ---- */

/* How much worse the set is without an input. */
static int relevance_fill(struct tamis_neighbour *j, const struct tamis_score *at, double *relevance)
{
    size_t n = j->d->inputs, count = 0;
    struct tamis_change *c = tamis_raw(j->cx, struct tamis_change, n);
    struct tamis_score *score = tamis_raw(j->cx, struct tamis_score, n);
    for (size_t i = 0; c && score && i < n; i++)
        if (j->tenth[i]) c[count++] = (struct tamis_change){i, 0};
    if (count && !score_changes(j, c, count, 0, score))
        for (size_t k = 0; k < count; k++) relevance[c[k].input] = score[k].value - at->value;
    tamis_free(c);
    tamis_free(score);
    return tamis_status(j->cx);
}

int tamis_neighbour_fit_weighed(void *self, const unsigned char *tenth, const struct tamis_score *at,
                                struct tamis_model **model, double *relevance)
{
    struct tamis_neighbour *j = self;
    memcpy(j->tenth, tenth, j->d->inputs);
    if (relevance && relevance_fill(j, at, relevance)) return tamis_status(j->cx);
    if (model && !j->d->spread) *model = tamis_neighbour_model(j->cx, j->d, tenth, j->model_k);  /* it holds all rows */
    return tamis_status(j->cx);
}

int tamis_neighbour_fit(void *self, const unsigned char *set, const struct tamis_score *at, struct tamis_model **model,
                        double *relevance)
{
    struct tamis_neighbour *j = self;
    unsigned char *tenth = tamis_raw(j->cx, unsigned char, j->d->inputs);
    for (size_t i = 0; tenth && i < j->d->inputs; i++) tenth[i] = set[i] ? 10 : 0;
    if (tenth) tamis_neighbour_fit_weighed(j, tenth, at, model, relevance);
    tamis_free(tenth);
    return tamis_status(j->cx);
}

/* ---- start and finish ---- */

void tamis_neighbour_finish(void *self)
{
    struct tamis_neighbour *j = self;
    if (!j) return;
    tamis_near_finish(&j->e);
    tamis_free(j->tenth);
    tamis_free(j->last);
    tamis_free(j);
}

int tamis_neighbour_start(tamis_context *cx, const struct tamis_design *d, size_t k, tamis_tally *tally, size_t width,
                          const double *largest, struct tamis_neighbour **out)
{
    struct tamis_neighbour *j = *out = tamis_new(cx, struct tamis_neighbour, 1);
    if (!j) return tamis_status(cx);
    *j = (struct tamis_neighbour){.cx = cx, .d = d, .above = INFINITY, .from = SIZE_MAX};
    j->e.tally = tally;
    j->e.arg = j;
    j->e.width = width;
    for (size_t c = 0; c < width; c++) j->e.unit[c] = tamis_fixed_unit(largest[c]);
    j->tenth = tamis_new(cx, unsigned char, d->inputs);
    j->last = tamis_new(cx, unsigned char, d->inputs);
    if (tamis_status(cx)) return tamis_status(cx);
    if (d->rows >= UINT32_MAX)
        return tamis_fail(cx, TAMIS_DATA, "%zu rows are too many for a search of neighbours; use fewer rows", d->rows);
    return tamis_near_start(&j->e, cx, d, k, d->inputs);
}

int tamis_neighbour_cost(const struct tamis_design *d, size_t k, struct tamis_cost *cost)
{
    double n = (double)d->rows, columns = (double)d->columns;
    cost->bytes = tamis_near_bytes(n, columns, (double)k, (double)d->inputs) + 16 * n * columns;
    cost->flops = n * fmin(n, 20000) * (columns + 2);
    return TAMIS_OK;
}
