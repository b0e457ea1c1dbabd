/* Rows that processes share, with processes that are threads of this one: sift has the digits of one that has all rows,
 * and values, ranks and medians are those of the whole list. */
#include <pthread.h>
#include "base/items.h"
#include "method/sift/sift_spread.h"
#include "method/sift/sift_sums.h"
#include "num/order.h"
#include "unit.h"

/* ---- processes ---- */

enum { MOST = 5 };

/* post[to][from]: bytes under way; NULL: none. */
struct post { void *at; size_t n; };
struct office { pthread_mutex_t lock; pthread_cond_t changed; struct post post[MOST][MOST]; };
struct process {
    struct office *office;
    tamis_context *cx;
    struct tamis_runner runner;
    int rank, ranks;
    void (*work)(struct process *p);
    const double *x, *y;                /* of all rows */
    size_t rows, columns;
    char *text;
};

static void post_put(struct office *o, struct post *at, const void *out, size_t n)
{
    while (at->at) pthread_cond_wait(&o->changed, &o->lock);
    at->at = malloc(n + 1);
    at->n = n;
    if (n) memcpy(at->at, out, n);
    pthread_cond_broadcast(&o->changed);
}

static int exchange(void *self, tamis_context *cx, int to, const void *out, size_t n, int from, void **in, size_t *ins)
{
    struct process *p = self;
    struct office *o = p->office;
    pthread_mutex_lock(&o->lock);
    if (to >= 0) post_put(o, &o->post[to][p->rank], out, n);
    if (from >= 0) {
        struct post *at = &o->post[p->rank][from];
        while (!at->at) pthread_cond_wait(&o->changed, &o->lock);
        if ((*in = tamis_raw(cx, char, (*ins = at->n) + 1))) memcpy(*in, at->at, at->n);
        free(at->at);
        at->at = NULL;
        pthread_cond_broadcast(&o->changed);
    }
    pthread_mutex_unlock(&o->lock);
    return tamis_status(cx);
}

static void *process_main(void *arg)
{
    struct process *p = arg;
    p->runner = (struct tamis_runner){.self = p, .exchange = exchange, .rank = p->rank, .ranks = p->ranks};
    p->cx = tamis_context_new();
    tamis_runner_set(p->cx, &p->runner);
    p->work(p);
    return NULL;
}

/* In so many processes; what they have made is in process[0 .. ranks - 1], whose contexts the caller frees. */
static void together(int ranks, const struct process *like, struct process *process)
{
    struct office office = {PTHREAD_MUTEX_INITIALIZER, PTHREAD_COND_INITIALIZER, {{{0}}}};
    pthread_t thread[MOST];
    for (int k = 0; k < ranks; k++) {
        process[k] = *like;
        process[k].office = &office;
        process[k].rank = k;
        process[k].ranks = ranks;
        assert_int_equal(pthread_create(&thread[k], NULL, process_main, &process[k]), 0);
    }
    for (int k = 0; k < ranks; k++) pthread_join(thread[k], NULL);
}

/* Uneven parts: the last process has the most. */
static size_t first_of(const struct process *p, int k)
{
    return p->rows * (size_t)(k * (k + 1)) / (size_t)(p->ranks * (p->ranks + 1));
}

/* ---- sift ---- */

static void sift_work(struct process *p)
{
    size_t from = first_of(p, p->rank), n = first_of(p, p->rank + 1) - from;
    double *part = malloc(n * (p->columns + 1) * sizeof *part);
    tamis_table *t = NULL;
    tamis_result *r = NULL;
    for (size_t c = 0; c < p->columns; c++) memcpy(part + n * c, p->x + from + p->rows * c, n * sizeof *part);
    memcpy(part + n * p->columns, p->y + from, n * sizeof *part);
    tamis_options *o = worded(p->cx, "split-rows rule-folds=2 learn-rows=60 fit-rows=20 threads=1 final=linear");
    int status = tamis_table_from_numbers(p->cx, n, p->columns + 1, part, 1, n, NULL, &t);
    if (!status) status = tamis_select(p->cx, t, NULL, o, &r);
    if (!status) p->text = result_text(p->cx, r);
    tamis_result_free(r);
    tamis_table_free(t);
    tamis_options_free(o);
    free(part);
}

static void sift_is_the_same(size_t rows, const int *ranks, size_t counts)
{
    enum { COLUMNS = 3 };
    struct process process[MOST], like = {.work = sift_work, .rows = rows, .columns = COLUMNS};
    double *x = normal_numbers(rows * COLUMNS, 5), *y = normal_numbers(rows, 6);
    for (size_t i = 0; i < rows; i++) y[i] = 0.6 * y[i] * (i % 400 ? 1 : 40) + x[i] * x[i + rows] + sin(2 * x[i]);
    like.x = x;
    like.y = y;
    char *want = NULL;
    for (size_t c = 0; c < counts; c++) {
        together(ranks[c], &like, process);
        for (int k = 0; k < ranks[c]; k++) {
            if (!process[k].text) fail_msg("%d of %d: %s", k, ranks[c], tamis_error(process[k].cx));
            if (want) assert_string_equal(process[k].text, want);
            else want = strdup(process[k].text);
            tamis_release(process[k].text);
            tamis_context_free(process[k].cx);
        }
    }
    free(want);
    free(x);
    free(y);
}

/* Three strips: with five processes, two have no rows. */
static void sift_does_not_depend_on_processes(void **state)
{
    (void)state;
    sift_is_the_same(2 * SIFT_STRIP + 777, (int[]){1, 2, 5}, 3);
}

static void few_rows_go_to_all_processes(void **state)
{
    (void)state;
    sift_is_the_same(400, (int[]){1, 3}, 2);
}

/* ---- the parts ---- */

static void parts_work(struct process *p)
{
    struct tamis_spread s;
    size_t from = first_of(p, p->rank), n = first_of(p, p->rank + 1) - from, all = p->rows, at[7],
           *below = malloc((2 * n + 1) * sizeof *below);
    double *own = malloc((n + 1) * sizeof *own), *sorted = malloc(all * sizeof *sorted), to[14], median = 0;
    struct sift_source source = {NULL, p->x + from, all, (size_t[]){1, 0}, 2};
    tamis_spread_begin(p->cx, &s);
    assert_int_equal(tamis_spread_count(&s, n), TAMIS_OK);
    assert_int_equal(s.before, from);
    memcpy(own, p->y + from, n * sizeof *own);
    memcpy(sorted, p->y, all * sizeof *sorted);
    qsort(own, n, sizeof *own, tamis_by_value);
    qsort(sorted, all, sizeof *sorted, tamis_by_value);
    assert_int_equal(sift_spread_below(&s, own, n, below, below + n), TAMIS_OK);
    for (size_t i = 0, less = 0; i < n; i++) {
        size_t up;
        while (sorted[less] < own[i]) less++;
        for (up = less; up < all && sorted[up] == own[i];) up++;
        assert_int_equal(below[i], less);
        assert_int_equal(below[n + i], up - less);
    }
    assert_int_equal(sift_spread_median(&s, own, n, &median), TAMIS_OK);
    assert_true(median == tamis_median(sorted, all));
    for (size_t k = 0; k < 7; k++) at[k] = (k * 7919 + 3) % all;
    assert_int_equal(sift_spread_fetch(&s, n, at, 7, &source, to), TAMIS_OK);
    for (size_t k = 0; k < 14; k++) assert_true(to[k] == p->x[at[k % 7] + all * (k < 7)]);
    free(below);
    free(own);
    free(sorted);
    tamis_context_free(p->cx);
}

static void ranks_and_values_are_those_of_the_whole(void **state)
{
    (void)state;
    for (size_t rows = 100; rows < 102; rows++) {
        struct process process[MOST], like = {.work = parts_work, .rows = rows, .columns = 2};
        double *x = normal_numbers(2 * rows, 8), *y = normal_numbers(rows, 9);
        for (size_t i = 0; i < rows; i++) y[i] = floor(3 * y[i]);        /* with ties */
        like.x = x;
        like.y = y;
        for (int ranks = 2; ranks <= MOST; ranks++) together(ranks, &like, process);
        free(x);
        free(y);
    }
}

/* Sums of `count` numbers over rows that are strips of their own: with few numbers all strips of a process wait, with
 * many none does. */
static double number_of(size_t row, size_t k) { return 1 / (1.0 + (double)((row * 7 + k * 13) % 101)); }

static void sums_compare(struct process *p, const struct tamis_spread *s, size_t n, size_t count)
{
    struct tamis_design d = {.rows = n, .spread = s};
    struct sift_functions f = {.d = &d, .strip = 1};
    struct sift_sums sums;
    size_t *row = malloc((n + 1) * sizeof *row);
    double *total = malloc(count * sizeof *total), *want = calloc(count, sizeof *want);
    for (size_t i = 0; i < n; i++) row[i] = i;
    struct sift_view v = {.cx = p->cx, .f = &f, .row = row, .n = n};
    assert_int_equal(sift_sums_begin(&sums, &v, total, count), TAMIS_OK);
    for (size_t i = 0; i < n; i++) {
        double *to = sift_sums_at(&sums, i);
        for (size_t k = 0; k < count; k++) to[k] += number_of(s->before + i, k);
    }
    assert_int_equal(sift_sums_end(&sums), TAMIS_OK);
    for (size_t i = 0; i < p->rows; i++)
        for (size_t k = 0; k < count; k++) want[k] += number_of(i, k);
    assert_memory_equal(total, want, count * sizeof *want);
    free(row);
    free(total);
    free(want);
}

static void sums_work(struct process *p)
{
    struct tamis_spread s;
    size_t n = first_of(p, p->rank + 1) - first_of(p, p->rank);
    tamis_spread_begin(p->cx, &s);
    assert_int_equal(tamis_spread_count(&s, n), TAMIS_OK);
    sums_compare(p, &s, n, 3);
    sums_compare(p, &s, n, 50000);
    tamis_context_free(p->cx);
}

static void sums_are_added_in_order(void **state)
{
    (void)state;
    struct process process[MOST], like = {.work = sums_work, .rows = 800};
    together(2, &like, process);
    together(3, &like, process);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        TEST(ranks_and_values_are_those_of_the_whole),
        TEST(sums_are_added_in_order),
        TEST(few_rows_go_to_all_processes),
        TEST(sift_does_not_depend_on_processes),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
