/* Logistic regression: gradients by finite differences, the minimum, weights as repeated rows. */
#include <math.h>
#include <string.h>
#include "num/logistic.h"
#include "unit.h"

enum { N = 40, P = 3, MOST = 3, ROOM = 2 * N };

struct sample { double h[ROOM * P], y[ROOM], weight[ROOM], gram[P * P]; };

/* Wavy numbers of mean 0 (weights included), their classes, and sums of products. */
static void sample_make(struct sample *s, size_t n, size_t classes, int weighted)
{
    double all = 0;
    for (size_t i = 0; i < n; i++) {
        s->weight[i] = weighted ? 1 + (double)(i % 2) : 1;
        all += s->weight[i];
        s->y[i] = (double)((i * 7 + i / 5) % classes);
        for (size_t j = 0; j < P; j++)
            s->h[i + n * j] = sin(1.3 * (double)(i + 1) * (double)(j + 1)) + 0.4 * s->y[i] * (double)j;
    }
    for (size_t j = 0; j < P; j++) {
        double mean = 0;
        for (size_t i = 0; i < n; i++) mean += s->weight[i] * s->h[i + n * j] / all;
        for (size_t i = 0; i < n; i++) s->h[i + n * j] -= mean;
    }
    for (size_t a = 0; a < P * P; a++) {
        s->gram[a] = 0;
        for (size_t i = 0; i < n; i++) s->gram[a] += s->weight[i] * s->h[i + n * (a % P)] * s->h[i + n * (a / P)];
    }
}

static struct tamis_logistic problem(const struct sample *s, size_t n, size_t classes)
{
    return (struct tamis_logistic){n, P, classes, s->h, s->y, s->weight, s->gram, 0.3, 1e-14};
}

static void gradient_is_right(void **state)
{
    (void)state;
    for (size_t classes = 2; classes <= MOST; classes++) {
        struct sample s;
        size_t variables = (P + 1) * tamis_logistic_outputs(classes);
        double b[(P + 1) * MOST], g[(P + 1) * MOST], spare[(P + 1) * MOST],
            *work = calloc(tamis_logistic_work(N, P, classes), sizeof *work);
        sample_make(&s, N, classes, 1);
        struct tamis_logistic q = problem(&s, N, classes);
        for (size_t k = 0; k < variables; k++) b[k] = 0.3 * cos((double)k);
        tamis_logistic_value(&q, b, g, work);
        for (size_t k = 0; k < variables; k++) {
            double at = b[k], step = 1e-5, up, down;
            b[k] = at + step, up = tamis_logistic_value(&q, b, spare, work);
            b[k] = at - step, down = tamis_logistic_value(&q, b, spare, work);
            b[k] = at;
            assert_true(fabs((up - down) / (2 * step) - g[k]) < 1e-6 * (1 + fabs(g[k])));
        }
        free(work);
    }
}

static void gradient_vanishes_at_the_minimum(void **state)
{
    (void)state;
    for (size_t classes = 2; classes <= MOST; classes++) {
        struct sample s;
        size_t variables = (P + 1) * tamis_logistic_outputs(classes);
        double b[(P + 1) * MOST] = {0}, g[(P + 1) * MOST],
                           *work = calloc(tamis_logistic_work(N, P, classes), sizeof *work);
        sample_make(&s, N, classes, 1);
        struct tamis_logistic q = problem(&s, N, classes);
        double start = tamis_logistic_value(&q, b, g, work), value = tamis_logistic(&q, b, work);
        assert_true(value < start);
        assert_true(fabs(tamis_logistic_value(&q, b, g, work) - value) < 1e-10 * value);
        for (size_t k = 0; k < variables; k++) assert_true(fabs(g[k]) < 1e-4);
        free(work);
    }
}

/* A row of weight 2 is two rows. */
static void weights_are_repeated_rows(void **state)
{
    struct sample s, twice = {0};
    size_t n = 0;
    double a[P + 1] = {0}, b[P + 1] = {0}, *work = calloc(tamis_logistic_work(ROOM, P, 2), sizeof *work);
    (void)state;
    sample_make(&s, N, 2, 1);
    for (size_t i = 0; i < N; i++) n += (size_t)s.weight[i];
    for (size_t i = 0, at = 0; i < N; i++)
        for (size_t k = 0; k < (size_t)s.weight[i]; k++, at++) {
            twice.y[at] = s.y[i];
            twice.weight[at] = 1;
            for (size_t j = 0; j < P; j++) twice.h[at + n * j] = s.h[i + N * j];
        }
    memcpy(twice.gram, s.gram, sizeof s.gram);
    struct tamis_logistic q = problem(&s, N, 2), r = problem(&twice, n, 2);
    r.weight = NULL;
    double one = tamis_logistic(&q, a, work), other = tamis_logistic(&r, b, work);
    assert_true(fabs(one - other) < 1e-9 * one);
    for (size_t k = 0; k <= P; k++) assert_true(fabs(a[k] - b[k]) < 1e-5);
    free(work);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(gradient_is_right),
        cmocka_unit_test(gradient_vanishes_at_the_minimum),
        cmocka_unit_test(weights_are_repeated_rows),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
