/* p-values of single inputs (--test-inputs), of the table rather than of the selected set: each input is tested against
 * all others by draws from its law given them (input_test.c).
 *
 * Over the m inputs tested, in order of p: Holm's max over k <= rank of (m - k + 1) p_(k) bounds the probability of any
 * false rejection, Benjamini and Hochberg's min over k >= rank of m p_(k) / k the false discovery rate, of independent
 * or positively dependent tests; both at most 1.
 *
 * A category of more than two levels cannot be tested: its levels have no order, and the law draws along one. Beside a
 * tested input it counts as its indicator columns. */
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include "base/parallel.h"
#include "data/names.h"
#include "method/input_tests/input_tests.h"
#include "num/weighted.h"

enum { ENOUGH = 2 };                            /* rows per column of the law: its correlation need not be shrunk */
static const double draw_flops = 1400;          /* of one draw of one row, for one output */
static const double slight = 1e-3;              /* how far it is shrunk then */

/* ---- what can be asked ---- */

static int rows_check(const struct tamis_run *run)
{
    if (run->encoder->series || run->common.blocks || run->common.groups)
        return tamis_fail(run->cx, TAMIS_USAGE, "--test-inputs needs independent rows: it cannot be combined with %s",
                          run->encoder->series ? "--lags" : run->common.groups ? "--groups" : "--blocks");
    return TAMIS_OK;
}

static int names_mark(const struct tamis_run *run, unsigned char *mark)
{
    const struct tamis_encoder *e = run->design->encoder;
    const struct tamis_names *names = &run->common.test_inputs;
    for (size_t k = 0; k < names->count; k++) {
        size_t found;
        if (tamis_names_inputs(run->cx, e, names->name[k], mark, &found)) return tamis_status(run->cx);
        if (!found)
            return tamis_fail(run->cx, TAMIS_USAGE, "--test-inputs: '%s' is not an input", names->name[k]);
    }
    for (size_t i = 0; i < e->inputs; i++)
        if (mark[i] && e->input[i].levels > 2 && !e->input[i].constant)
            return tamis_fail(run->cx, TAMIS_DATA,
                              "--test-inputs: '%s' has %zu unordered categories and no test; code its levels as "
                              "numbers, or leave it out",
                              e->input[i].name, e->input[i].levels);
    return TAMIS_OK;
}

/* ---- the table ---- */

/* Numbers; of a category, the indicators of all levels but the last. */
static size_t columns_of(const struct tamis_feature *f)
{
    return f->constant ? 0 : f->levels && f->columns > 1 ? f->columns - 1 : f->columns;
}

static int columns_take(struct input_tests *t, size_t *d)
{
    const struct tamis_design *from = t->run->design;
    size_t n = from->rows;
    t->column = tamis_raw(t->run->cx, size_t, from->inputs);
    t->x = tamis_raw(t->run->cx, double, n * from->columns);
    *d = 0;
    for (size_t i = 0; t->column && t->x && i < from->inputs; i++) {
        const struct tamis_feature *f = &from->encoder->input[i];
        size_t columns = columns_of(f);
        t->column[i] = columns ? *d : SIZE_MAX;
        memcpy(t->x + n * *d, from->x + n * f->first, n * columns * sizeof *t->x);
        *d += columns;
    }
    return tamis_status(t->run->cx);
}

static int table_make(struct input_tests *t)
{
    struct tamis_run *run = t->run;
    const double *weight = run->design->weight;
    size_t d, n = run->design->rows;
    int status = columns_take(t, &d);
    t->plain = tamis_weight_rows(weight, n) >= (double)(ENOUGH * d);
    if (!status && d)
        status = knockoffs_law_fit(run->cx, n, d, t->x, weight, t->plain ? slight : 1, run->seed, &t->law);
    if (!status) status = knockoffs_target_make(run, &t->target);
    return status ? status : sift_functions_learn(run->cx, run->design, &t->functions);
}

static void table_free(struct input_tests *t)
{
    knockoffs_law_free(&t->law);
    sift_functions_free(&t->functions);
    tamis_free(t->target.y);
    tamis_free(t->x);
    tamis_free(t->column);
}

/* ---- the tests ---- */

struct job { const struct input_tests *t; struct input_test *test; };

/* A constant says nothing, whatever the others are. */
static int one_test(void *arg, size_t item, int worker)
{
    struct job *job = arg;
    struct input_test *o = &job->test[item];
    (void)worker;
    o->p = 1;
    return job->t->column[o->input] == SIZE_MAX ? TAMIS_OK : input_test_run(job->t, o);
}

static int by_p(const void *a, const void *b)
{
    const struct input_test *x = a, *y = b;
    if (x->p != y->p) return x->p < y->p ? -1 : 1;
    return (x->input > y->input) - (x->input < y->input);
}

static int by_input(const void *a, const void *b)
{
    const struct input_test *x = a, *y = b;
    return (x->input > y->input) - (x->input < y->input);
}

static void adjust(struct input_test *test, size_t m)
{
    double holm = 0, bh = 1;
    qsort(test, m, sizeof *test, by_p);
    for (size_t k = 0; k < m; k++) test[k].holm = holm = fmax(holm, fmin((double)(m - k) * test[k].p, 1));
    for (size_t k = m; k-- > 0;) test[k].bh = bh = fmin(bh, (double)m * test[k].p / (double)(k + 1));
    qsort(test, m, sizeof *test, by_input);
}

static void block_fill(struct tamis_run *run, const struct input_test *test, size_t m)
{
    tamis_value *v = run->result->tests = tamis_record_new(run->cx);
    tamis_add_number(v, "draws", (double)run->common.test_draws);
    tamis_value *list = tamis_add_list(v, "inputs");
    for (size_t k = 0; k < m; k++) {
        tamis_value *one = tamis_add_record(list, NULL);
        tamis_add_text(one, "name", run->design->encoder->input[test[k].input].name);
        tamis_add_number(one, "p", test[k].p);
        tamis_add_number(one, "holm", test[k].holm);
        tamis_add_number(one, "bh", test[k].bh);
        tamis_add_number(one, "statistic", test[k].statistic);
        tamis_add_number(one, "draws", (double)test[k].draws);
    }
}

static int marked_run(struct tamis_run *run, const unsigned char *mark)
{
    struct input_tests t = {.run = run, .draws = run->common.test_draws};
    struct input_test *test = tamis_new(run->cx, struct input_test, run->design->inputs);
    struct job job = {&t, test};
    size_t m = 0;
    for (size_t i = 0; test && i < run->design->inputs; i++)
        if (mark[i]) test[m++].input = i;
    int status = test ? table_make(&t) : tamis_status(run->cx);
    if (!status) status = tamis_parallel(run->cx, m, one_test, &job);
    if (!status) {
        adjust(test, m);
        block_fill(run, test, m);
    }
    table_free(&t);
    tamis_free(test);
    return status ? status : tamis_status(run->cx);
}

/* Of each input: an additive model of the others, the moments of its functions, and the draws. The constants are
 * rough. */
int tamis_inputs_test_cost(struct tamis_run *run, double *flops)
{
    if (!run->common.test_inputs.count) return TAMIS_OK;
    unsigned char *mark = tamis_new(run->cx, unsigned char, run->design->inputs);
    double n = (double)run->design->rows, d = (double)run->design->columns, tested = 0;
    int status = mark ? names_mark(run, mark) : tamis_status(run->cx);
    for (size_t i = 0; !status && i < run->design->inputs; i++) tested += mark[i];
    *flops += tested * n * (2500 * d + 50000 + draw_flops * (double)run->common.test_draws);
    tamis_free(mark);
    return status;
}

int tamis_inputs_test(struct tamis_run *run)
{
    if (!run->common.test_inputs.count) return TAMIS_OK;
    unsigned char *mark = tamis_new(run->cx, unsigned char, run->design->inputs);
    int status = mark ? rows_check(run) : tamis_status(run->cx);
    if (!status) status = names_mark(run, mark);
    if (!status) status = marked_run(run, mark);
    tamis_free(mark);
    return status;
}
