/* The library inside another program: a table that lies in memory, the path with its sets, a run that a signal stops,
 * and predictions from an array.
 *
 *     cc array.c $(pkg-config --cflags --libs tamis) -lm -o array && ./array */
#include <math.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include <tamis.h>

enum { ROWS = 240, NUMBERS = 4, GRADES = 3 };
static const char *const grade_name[GRADES] = {"fine", "medium", "coarse"};
static tamis_context *stopped;          /* what the signal handler stops */

static void on_alarm(int signal)
{
    (void)signal;
    tamis_cancel(stopped);              /* safe here */
}

/* A row-major block of numbers, a category as codes, and the target: y = sin(3 x1) + x2^2 + grade / 2; x3 and x4 do
 * nothing. */
struct data { double x[ROWS][NUMBERS], y[ROWS]; int32_t grade[ROWS]; };

static void data_make(struct data *d)
{
    unsigned state = 12345;
    for (int i = 0; i < ROWS; i++) {
        for (int j = 0; j < NUMBERS; j++) d->x[i][j] = ((state = state * 1664525u + 1013904223u) >> 8) / 8388608.0 - 1;
        d->grade[i] = (int32_t)((state >> 20) % GRADES);
        d->y[i] = sin(3 * d->x[i][0]) + d->x[i][1] * d->x[i][1] + 0.5 * d->grade[i];
    }
}

static int table_make(tamis_context *cx, const struct data *d, tamis_table **t)
{
    static const char *const name[] = {"x1", "x2", "x3", "x4"};
    tamis_column grade = {.size = sizeof grade, .name = "grade", .value = d->grade, .format = TAMIS_I32,
                          .level = grade_name, .levels = GRADES};
    tamis_column y = {.size = sizeof y, .name = "y", .value = d->y, .format = TAMIS_F64};
    int status = tamis_table_from_numbers(cx, ROWS, NUMBERS, &d->x[0][0], NUMBERS, 1, name, t);
    if (!status) status = tamis_table_add(cx, *t, &grade);
    return status ? status : tamis_table_add(cx, *t, &y);
}

static void path_print(const tamis_result *r)
{
    size_t inputs = tamis_result_inputs(r);
    unsigned char *set = malloc(inputs);
    tamis_step step = {sizeof step};
    for (size_t k = 0; set && tamis_result_step(r, k, &step); k++) {
        tamis_result_set(r, k, set);
        printf("%c %.4f ", step.chosen ? '>' : ' ', step.criterion);
        for (size_t i = 0; i < inputs; i++) {
            tamis_input in = {sizeof in};
            tamis_result_input(r, i, &in);
            if (set[i]) printf(" %s", in.name);
        }
        printf("\n");
    }
    free(set);
}

/* The value of model input j in row i: a number, or the index of a category's level in the model. */
static double value_at(const tamis_model *m, size_t j, const struct data *d, size_t i)
{
    const char *const *level, *name = tamis_model_input(m, j);
    size_t levels = tamis_model_levels(m, j, &level), l = 0;
    if (!levels) return d->x[i][name[1] - '1'];
    while (l < levels && strcmp(level[l], grade_name[d->grade[i]])) l++;
    return (double)l;
}

/* Three rows, row-major. */
static int predict(tamis_context *cx, const tamis_model *m, const struct data *d)
{
    size_t inputs = tamis_model_inputs(m);
    double *x = malloc(3 * inputs * sizeof *x), y[3];
    if (!x) return TAMIS_MEMORY;
    for (size_t i = 0; i < 3; i++)
        for (size_t j = 0; j < inputs; j++) x[i * inputs + j] = value_at(m, j, d, i);
    int status = tamis_model_predict_numbers(cx, m, 3, x, (ptrdiff_t)inputs, 1, y, NULL);
    for (size_t i = 0; !status && i < 3; i++) printf("row %zu: %.3f predicted, %.3f observed\n", i + 1, y[i], d->y[i]);
    free(x);
    return status;
}

static int select_and_predict(tamis_context *cx, const tamis_table *t, const struct data *d, tamis_options *o)
{
    tamis_result *r = NULL;
    int status = tamis_options_set(o, "method", "sisal");
    if (!status) status = tamis_select(cx, t, NULL, o, &r);
    if (!status) path_print(r);
    tamis_model *m = status ? NULL : tamis_result_take_model(r);        /* outlives the result */
    tamis_result_free(r);
    if (m) status = predict(cx, m, d);
    tamis_model_free(m);
    return status;
}

/* A long run that an alarm stops; the context can be used again after it. */
static int stop_by_signal(tamis_context *cx, const tamis_table *t, tamis_options *o)
{
    tamis_result *r = NULL;
    int status = tamis_options_set_number(o, "outer", 100);
    if (status) return status;
    stopped = cx;
    signal(SIGALRM, on_alarm);
    ualarm(100000, 0);
    status = tamis_select(cx, t, NULL, o, &r);
    printf("%s\n", status == TAMIS_STOPPED ? "stopped by a signal" : "finished before the signal came");
    tamis_result_free(r);
    tamis_cancel_clear(cx);
    return status == TAMIS_STOPPED ? TAMIS_OK : status;
}

int main(void)
{
    static struct data d;
    tamis_context *cx = tamis_context_new();
    tamis_options *o = cx ? tamis_options_new(cx) : NULL;
    tamis_table *t = NULL;
    data_make(&d);
    int status = o ? table_make(cx, &d, &t) : TAMIS_MEMORY;
    if (!status) status = select_and_predict(cx, t, &d, o);
    if (!status) status = stop_by_signal(cx, t, o);
    if (status) fprintf(stderr, "%s\n", cx ? tamis_error(cx) : "out of memory");
    tamis_table_free(t);
    tamis_options_free(o);
    tamis_context_free(cx);
    return tamis_exit_code(status);
}
