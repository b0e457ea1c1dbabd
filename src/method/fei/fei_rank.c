/* Many networks, one ranking: the mean rank of every input over the starts of k-means, and how often it holds its
 * rank. */
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include "method/fei/fei.h"

int tamis_fei_which(const struct tamis_fei_settings *s) { return !strcmp(s->index, "fei2"); }

struct tamis_training tamis_fei_training(const struct tamis_fei_data *d, const struct tamis_fei_settings *s,
                                         size_t nodes, int classifier)
{
    const char *weights = classifier ? s->classifier : s->weights;
    return (struct tamis_training){d->rows, d->columns, d->classes, nodes, d->x, d->y, !strcmp(weights, "lms"),
                                   s->rate, s->epochs, d->weight};
}

void tamis_fei_trainers_free(struct tamis_trainer **w)
{
    for (size_t i = 0; w && w[i]; i++) tamis_trainer_free(w[i]);
    tamis_free(w);
}

struct tamis_trainer **tamis_fei_trainers(tamis_context *cx, size_t items, size_t rows, size_t columns, size_t nodes,
                                          size_t classes)
{
    size_t count = (size_t)tamis_threads(cx) < items ? (size_t)tamis_threads(cx) : items;
    struct tamis_trainer **w = tamis_new(cx, struct tamis_trainer *, count + 1);
    for (size_t i = 0; w && i < count; i++)
        if (!(w[i] = tamis_trainer_new(cx, rows, columns, nodes, classes))) break;
    if (!tamis_status(cx)) return w;
    tamis_fei_trainers_free(w);
    return NULL;
}

void tamis_fei_ranking_free(struct tamis_fei_ranking *r)
{
    for (int i = 0; i < 2; i++) {
        tamis_free(r->a[i]);
        tamis_free(r->b[i]);
    }
    tamis_free(r->single);
    tamis_free(r->mean_rank);
    tamis_free(r->agreement);
    tamis_free(r->order);
    tamis_free(r->sse);
    memset(r, 0, sizeof *r);
}

static int ranking_new(tamis_context *cx, size_t inputs, size_t classes, size_t starts, int both, int which,
                       struct tamis_fei_ranking *r)
{
    size_t terms = classes * starts;
    *r = (struct tamis_fei_ranking){.inputs = inputs, .classes = classes, .starts = starts};
    for (int i = 0; i < 2; i++)
        if (both || i == which) {
            r->a[i] = tamis_new(cx, double, inputs * terms);
            r->b[i] = tamis_new(cx, double, inputs * terms);
        }
    r->single = tamis_new(cx, double, inputs * starts);
    r->mean_rank = tamis_new(cx, double, inputs);
    r->agreement = tamis_new(cx, double, inputs);
    r->order = tamis_new(cx, size_t, inputs);
    r->sse = tamis_new(cx, double, starts);
    return tamis_status(cx);
}

/* ---- one start ---- */

struct ranker {
    const struct tamis_fei_data *d;
    const struct tamis_fei_settings *s;
    struct tamis_fei_ranking *r;
    struct tamis_training training;
    struct tamis_trainer **trainer;
    double *work;                       /* per worker: omega, 4 nodes, a and b of columns, singles */
    size_t work_size, nodes;
    uint64_t seed;
    uint32_t first;
    size_t *made;                       /* nodes of each start; 0: its index is undefined */
};

/* a and b of inputs from those of columns: an input's are the sums over its columns. */
static void fold_columns(const struct tamis_fei_data *d, size_t classes, const double *column, double *input)
{
    for (size_t k = 0; k < classes; k++)
        for (size_t i = 0; i < d->inputs; i++) {
            double sum = 0;
            for (size_t v = 0; v < d->width[i]; v++) sum += column[d->first[i] + v + d->columns * k];
            input[i + d->inputs * k] = sum;
        }
}

static int index_terms(struct ranker *q, const struct tamis_trainer *w, size_t start, double *work)
{
    struct tamis_fei_ranking *r = q->r;
    size_t l = r->classes, at = r->inputs * l * start;
    enum tamis_fei_pairs pairs = strcmp(q->s->pairs, "ordered") ? TAMIS_SYMMETRIC : TAMIS_ORDERED;
    double *omega = work, *more = omega + w->nodes * l, *a = more + 4 * w->nodes, *b = a + q->d->columns * l;
    if (!tamis_fei_omega(w->nodes * l, w->weight, omega)) return 0;
    for (int i = 0; i < 2; i++) {
        if (!r->a[i]) continue;
        tamis_fei_terms(i ? TAMIS_FEI2 : TAMIS_FEI, pairs, q->d->columns, w->nodes, l, w->centre, w->sigma, omega, more,
                        a, b);
        fold_columns(q->d, l, a, r->a[i] + at);
        fold_columns(q->d, l, b, r->b[i] + at);
    }
    return 1;
}

static int one_start(void *arg, size_t start, int worker)
{
    struct ranker *q = arg;
    struct tamis_fei_ranking *r = q->r;
    struct tamis_trainer *w = q->trainer[worker];
    double *work = q->work + (size_t)worker * q->work_size;
    int which = tamis_fei_which(q->s);
    size_t at = r->inputs * r->classes * start;
    q->made[start] = 0;
    if (!tamis_train(w, &q->training, 1, q->seed, TAMIS_RNG_FEI, q->first + (uint32_t)start)) return TAMIS_OK;
    r->sse[start] = w->sse;
    if (!index_terms(q, w, start, work)) return TAMIS_OK;
    if (isnan(tamis_fei_value(r->inputs, r->classes, r->a[which] + at, r->b[which] + at, NULL))) return TAMIS_OK;
    tamis_fei_singles(r->inputs, r->classes, r->a[which] + at, r->b[which] + at, work, r->single + r->inputs * start);
    q->made[start] = w->nodes;
    return TAMIS_OK;
}

/* What the journal keeps of a start: its nodes, its error, the index of every input, a and b. */
static size_t start_size(const struct tamis_fei_ranking *r)
{
    return 2 + r->inputs + r->inputs * r->classes * (size_t)(2 * (r->a[0] != NULL) + 2 * (r->a[1] != NULL));
}

static void start_pack(const void *arg, size_t start, double *v)
{
    const struct ranker *q = arg;
    const struct tamis_fei_ranking *r = q->r;
    size_t block = r->inputs * r->classes;
    const double *from[] = {r->a[0], r->b[0], r->a[1], r->b[1]};
    *v++ = (double)q->made[start];
    *v++ = r->sse[start];
    memcpy(v, r->single + r->inputs * start, r->inputs * sizeof *v);
    v += r->inputs;
    for (size_t i = 0; i < 4; i++)
        if (from[i]) memcpy(v, from[i] + block * start, block * sizeof *v), v += block;
}

static int start_unpack(void *arg, size_t start, const double *v)
{
    struct ranker *q = arg;
    struct tamis_fei_ranking *r = q->r;
    size_t block = r->inputs * r->classes;
    double *to[] = {r->a[0], r->b[0], r->a[1], r->b[1]};
    if (!tamis_journal_counts(v, 1, q->nodes)) return 0;
    q->made[start] = (size_t)*v++;
    r->sse[start] = *v++;
    memcpy(r->single + r->inputs * start, v, r->inputs * sizeof *v);
    v += r->inputs;
    for (size_t i = 0; i < 4; i++)
        if (to[i]) memcpy(to[i] + block * start, v, block * sizeof *v), v += block;
    return 1;
}

/* ---- all starts ---- */

/* Closes the gaps of starts whose index is undefined. */
static void keep_good(struct ranker *q)
{
    struct tamis_fei_ranking *r = q->r;
    size_t kept = 0, block = r->inputs * r->classes;
    r->nodes = SIZE_MAX;
    for (size_t s = 0; s < r->starts; s++) {
        if (!q->made[s]) continue;
        for (int i = 0; i < 2; i++)
            if (r->a[i]) {
                memmove(r->a[i] + block * kept, r->a[i] + block * s, block * sizeof(double));
                memmove(r->b[i] + block * kept, r->b[i] + block * s, block * sizeof(double));
            }
        memmove(r->single + r->inputs * kept, r->single + r->inputs * s, r->inputs * sizeof(double));
        if (q->made[s] < r->nodes) r->nodes = q->made[s];
        r->sse[kept++] = r->sse[s];
    }
    r->starts = kept;
}

struct place { double key; size_t input; };

static int by_key(const void *a, const void *b)
{
    const struct place *x = a, *y = b;
    if (x->key > y->key || x->key < y->key) return x->key < y->key ? -1 : 1;
    return (x->input > y->input) - (x->input < y->input);
}

/* rank[i], 1 for the largest value; equal values share the mean of their ranks. NAN, where all that varies is lost,
 * counts as the largest. */
static void ranks_of(size_t n, const double *value, struct place *p, double *rank)
{
    for (size_t i = 0; i < n; i++) p[i] = (struct place){isnan(value[i]) ? -INFINITY : -value[i], i};
    qsort(p, n, sizeof *p, by_key);
    for (size_t i = 0, j; i < n; i = j) {
        for (j = i + 1; j < n && p[j].key == p[i].key; j++) ;
        for (size_t k = i; k < j; k++) rank[p[k].input] = 0.5 * (double)(i + 1 + j);
    }
}

static int ranking_fill(tamis_context *cx, struct tamis_fei_ranking *r)
{
    size_t n = r->inputs;
    struct place *p = tamis_raw(cx, struct place, n);
    double *rank = tamis_raw(cx, double, n * r->starts);
    if (p && rank) {
        for (size_t s = 0; s < r->starts; s++) {
            ranks_of(n, r->single + n * s, p, rank + n * s);
            for (size_t i = 0; i < n; i++) r->mean_rank[i] += rank[i + n * s];
        }
        for (size_t i = 0; r->starts && i < n; i++) r->mean_rank[i] /= (double)r->starts;
        for (size_t i = 0; i < n; i++) p[i] = (struct place){r->mean_rank[i], i};
        qsort(p, n, sizeof *p, by_key);
        for (size_t k = 0; k < n; k++) {
            size_t i = r->order[k] = p[k].input;
            for (size_t s = 0; s < r->starts; s++) r->agreement[i] += fabs(rank[i + n * s] - (double)(k + 1)) <= 0.5;
            if (r->starts) r->agreement[i] /= (double)r->starts;
        }
    }
    tamis_free(p);
    tamis_free(rank);
    return tamis_status(cx);
}

/* y with the classes that have rows numbered from 0; *classes: how many. */
static double *classes_present(tamis_context *cx, const struct tamis_fei_data *d, size_t *classes)
{
    double *y = tamis_raw(cx, double, d->rows);
    size_t *map = tamis_new(cx, size_t, d->classes);
    *classes = 0;
    if (y && map) {
        for (size_t i = 0; i < d->rows; i++) map[(size_t)d->y[i]] = 1;
        for (size_t k = 0; k < d->classes; k++) map[k] = map[k] ? (*classes)++ : 0;
        for (size_t i = 0; i < d->rows; i++) y[i] = (double)map[(size_t)d->y[i]];
    }
    tamis_free(map);
    return y;
}

int tamis_fei_rank(tamis_context *cx, const struct tamis_fei_data *d, const struct tamis_fei_settings *s, size_t nodes,
                   size_t starts, int both, uint64_t seed, uint32_t first, struct tamis_fei_ranking *out)
{
    size_t classes = 0;
    double *y = classes_present(cx, d, &classes);
    struct ranker q = {.d = d, .s = s, .r = out, .nodes = nodes, .seed = seed, .first = first};
    memset(out, 0, sizeof *out);
    q.work_size = nodes * (classes + 4) + 2 * d->columns * classes + 2 * d->inputs;
    if (!tamis_status(cx)) ranking_new(cx, d->inputs, classes, starts, both, tamis_fei_which(s), out);
    q.trainer = tamis_status(cx) ? NULL : tamis_fei_trainers(cx, starts, d->rows, d->columns, nodes, classes);
    q.work = tamis_raw(cx, double, q.work_size * (size_t)tamis_threads(cx));
    q.made = tamis_new(cx, size_t, starts);
    q.training = tamis_fei_training(d, s, nodes, 0);
    q.training.y = y;
    q.training.classes = classes;
    int status = tamis_status(cx);
    struct tamis_journal_items kept = {start_size(out), start_pack, start_unpack, .name = "starts"};
    if (!status) status = tamis_journal_loop(cx, d->journal, starts, one_start, &q, &kept);
    if (!status) {
        keep_good(&q);
        status = ranking_fill(cx, out);
    }
    tamis_fei_trainers_free(q.trainer);
    tamis_free(q.work);
    tamis_free(q.made);
    tamis_free(y);
    if (status) tamis_fei_ranking_free(out);
    return status;
}
