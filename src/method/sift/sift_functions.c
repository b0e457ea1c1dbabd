/* Functions of the inputs of a design. */
#include "method/sift/sift_functions.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>
#include "base/parallel.h"

static const double cache_most = 512e6;         /* bytes */

enum { FEW_VALUES = 6,          /* a column of at most so many has all its functions in the test of a pair */
       SCREENED = 3 };

/* ---- learning ---- */

struct job { tamis_context *cx; struct sift_functions *f; size_t room; double *work; };     /* room: of a worker */

/* The basis of one input of numbers; those of indicators stay empty. */
static int learn_input(void *arg, size_t input, int worker)
{
    const struct job *j = arg;
    const struct tamis_design *d = j->f->d;
    size_t column = d->encoder->input[input].first;
    if (!j->f->category[input])
        tamis_basis_learn_weighed(&j->f->basis[column], d->x + d->rows * column, d->weight, d->rows,
                                  j->work + (size_t)worker * j->room);
    return TAMIS_OK;
}

/* The columns of `ranks` inputs from `first` on, each to another process, which learns its basis there; all get all. */
static int learn_round(struct job *j, size_t first, struct tamis_bytes *out, struct tamis_bytes *in,
                       struct tamis_basis *of)
{
    const struct tamis_design *d = j->f->d;
    const struct tamis_spread *s = d->spread;
    size_t ranks = (size_t)s->ranks, rows = 0;
    struct tamis_basis own;
    for (size_t k = 0; k < ranks; k++)
        out[k] = first + k < d->inputs ? (struct tamis_bytes){d->x + d->rows * d->encoder->input[first + k].first,
                                                              d->rows * sizeof *d->x}
                                       : (struct tamis_bytes){0};
    int status = tamis_spread_deal(s, out, in);
    for (size_t k = 0; k < ranks; k++) {
        if (!status && in[k].n) memcpy(j->work + rows, in[k].at, in[k].n);
        rows += in[k].n / sizeof *j->work;
        tamis_free(in[k].at);
    }
    if (!status && rows) tamis_basis_learn(&own, j->work, rows, j->work + s->all);
    else memset(&own, 0, sizeof own);
    if (!status) status = tamis_spread_gather(s, &own, sizeof own, of);
    for (size_t k = 0; k < ranks && first + k < d->inputs && !status; k++)
        j->f->basis[d->encoder->input[first + k].first] = of[k];
    return status;
}

/* Where rows are spread, which have no categories. */
static int learn_spread(struct job *j)
{
    const struct tamis_design *d = j->f->d;
    size_t ranks = (size_t)d->spread->ranks;
    struct tamis_bytes *out = tamis_new(j->cx, struct tamis_bytes, 2 * ranks);
    struct tamis_basis *of = tamis_new(j->cx, struct tamis_basis, ranks);
    int status = tamis_status(j->cx);
    for (size_t i = 0; i < d->inputs && !status; i += ranks) status = learn_round(j, i, out, out + ranks, of);
    tamis_free(out);
    tamis_free(of);
    return status;
}

static size_t category_functions(const struct tamis_feature *x)
{
    size_t n = x->columns == 2 ? 1 : x->columns;
    return n < SIFT_LEVELS ? n : SIFT_LEVELS;
}

static size_t functions_of(const struct sift_functions *f, size_t input)
{
    const struct tamis_feature *x = &f->d->encoder->input[input];
    if (x->constant) return 0;
    return f->category[input] ? category_functions(x) : f->basis[x->first].functions;
}

/* The indicator of a frequent level has the largest spread: |mean| of the raw indicator is near 1/2 or above.
 * Indicators are standardised, so the share of a level is 1 / (1 + z^2), z the value of the rows that have it. */
static double level_share(const struct tamis_design *d, size_t column)
{
    double most = 0;
    for (size_t i = 0; i < d->rows; i++) most = fmax(most, d->x[i + d->rows * column]);
    return 1 / (1 + most * most);
}

struct level { double share; size_t column; };

static int by_share(const void *a, const void *b)
{
    const struct level *p = a, *q = b;
    return p->share != q->share ? (p->share < q->share) - (p->share > q->share)
                                : (p->column > q->column) - (p->column < q->column);
}

/* The columns of a category, the most frequent levels first. */
static int levels_order(tamis_context *cx, struct sift_functions *f, size_t input)
{
    const struct tamis_feature *x = &f->d->encoder->input[input];
    struct level *level = tamis_raw(cx, struct level, x->columns);
    if (!level) return tamis_status(cx);
    for (size_t k = 0; k < x->columns; k++)
        level[k] = (struct level){level_share(f->d, x->first + k), x->first + k};
    qsort(level, x->columns, sizeof *level, by_share);
    for (size_t k = f->first[input]; k < f->first[input + 1]; k++) {
        f->column[k] = level[k - f->first[input]].column;
        f->place[k] = 0;
        f->divisor[k] = 1;
    }
    tamis_free(level);
    return TAMIS_OK;
}

static int functions_list(tamis_context *cx, struct sift_functions *f)
{
    size_t inputs = f->d->inputs;
    for (size_t i = 0; i < inputs; i++) f->first[i + 1] = f->first[i] + functions_of(f, i);
    f->count = f->first[inputs];
    f->column = tamis_raw(cx, size_t, f->count + 1);
    f->place = tamis_raw(cx, size_t, f->count + 1);
    f->divisor = tamis_raw(cx, double, f->count + 1);
    if (!f->column || !f->place || !f->divisor) return tamis_status(cx);
    for (size_t i = 0; i < inputs; i++) {
        size_t column = f->d->encoder->input[i].first;
        if (f->category[i] && f->first[i + 1] > f->first[i] && levels_order(cx, f, i)) return tamis_status(cx);
        for (size_t k = f->first[i]; !f->category[i] && k < f->first[i + 1]; k++) {
            f->column[k] = column;
            f->place[k] = k - f->first[i];
            f->divisor[k] = (double)(f->basis[column].order[f->place[k]] + 1);
        }
    }
    return TAMIS_OK;
}

/* ---- values ---- */

static void apply(const struct sift_functions *f, size_t input, size_t count, const size_t *row, size_t n, double *out,
                  size_t ld)
{
    const struct tamis_design *d = f->d;
    double x[SIFT_BLOCK];
    for (size_t k = 0; k < count; k++) {
        size_t id = f->first[input] + k;
        const double *from = d->x + d->rows * f->column[id];
        double *to = f->category[input] ? out + ld * k : x;
        for (size_t i = 0; i < n; i++) to[i] = from[row[i]];
        if (f->category[input]) continue;
        tamis_basis_apply(&f->basis[f->column[id]], count, x, n, out, ld);
        return;
    }
}

void sift_functions_fill(const struct sift_functions *f, size_t input, size_t count, const size_t *row, size_t n,
                         double *out, size_t ld)
{
    if (!f->cache) {
        apply(f, input, count, row, n, out, ld);
        return;
    }
    for (size_t k = 0; k < count; k++) {
        const double *from = f->cache + f->d->rows * (f->first[input] + k);
        for (size_t i = 0; i < n; i++) out[i + ld * k] = from[row[i]];
    }
}

static int cache_input(void *arg, size_t input, int worker)
{
    const struct job *j = arg;
    struct sift_functions *f = j->f;
    size_t rows = f->d->rows, row[SIFT_BLOCK];
    struct sift_functions direct = *f;
    direct.cache = NULL;
    (void)worker;
    for (size_t from = 0; from < rows; from += SIFT_BLOCK) {
        size_t n = rows - from < SIFT_BLOCK ? rows - from : SIFT_BLOCK;
        for (size_t i = 0; i < n; i++) row[i] = from + i;
        sift_functions_fill(&direct, input, sift_functions_of(f, input), row, n,
                            f->cache + rows * f->first[input] + from, rows);
    }
    return TAMIS_OK;
}

size_t sift_functions_screened(const struct sift_functions *f, size_t input)
{
    size_t n = sift_functions_of(f, input);
    int few = f->category[input] || f->basis[f->d->encoder->input[input].first].values <= FEW_VALUES;
    size_t most = few ? SIFT_PAIR : SCREENED;
    return n < most ? n : most;
}

/* ---- memory ---- */

double sift_functions_bytes(const struct tamis_design *d)
{
    double all = 8.0 * (double)d->rows * TAMIS_FUNCTIONS * (double)d->columns;
    return (all < cache_most ? all : 0) + (double)d->columns * sizeof(struct tamis_basis);
}

void sift_functions_free(struct sift_functions *f)
{
    void *all[] = {f->basis, f->first, f->column, f->place, f->divisor, f->category, f->cache};
    for (size_t i = 0; i < sizeof all / sizeof *all; i++) tamis_free(all[i]);
}

static int functions_make(struct job *j)
{
    struct sift_functions *f = j->f;
    const struct tamis_design *d = f->d;
    for (size_t i = 0; i < d->inputs; i++) f->category[i] = d->encoder->input[i].levels > 0;
    int status = tamis_spread_shared(d->spread) ? learn_spread(j) : tamis_parallel(j->cx, d->inputs, learn_input, j);
    if (!status) status = functions_list(j->cx, f);
    if (status || 8.0 * (double)d->rows * (double)f->count > cache_most) return status;
    if (!(f->cache = tamis_raw(j->cx, double, d->rows * f->count + 1))) return tamis_status(j->cx);
    return tamis_parallel(j->cx, d->inputs, cache_input, j);
}

int sift_functions_learn(tamis_context *cx, const struct tamis_design *d, struct sift_functions *f)
{
    int shared = tamis_spread_shared(d->spread);
    struct job j = {.cx = cx, .f = f, .room = shared ? 2 * d->spread->all : (d->weight ? 4 : 1) * d->rows};
    j.work = tamis_raw(cx, double, (shared ? 1 : (size_t)tamis_threads(cx)) * j.room);
    *f = (struct sift_functions){.d = d, .strip = sift_strip_rows(tamis_design_all_rows(d))};
    f->basis = tamis_new(cx, struct tamis_basis, d->columns);
    f->first = tamis_new(cx, size_t, d->inputs + 1);
    f->category = tamis_new(cx, unsigned char, d->inputs);
    int status = j.work && f->basis && f->first && f->category ? functions_make(&j) : tamis_status(cx);
    tamis_free(j.work);
    return status;
}
