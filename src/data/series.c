/* Gaps in time. With lags, a row counts as a time step: x[t-3] is the value three rows back, which is three steps back
 * only if no step in between is longer than usual.
 *
 * Steps are differences of known times, divided by the rows between them. With d10, d50 and d90 their quantiles, a step
 * is a break if it is longer than 1.5 d90, or not positive (series one below the other, a clock set back). The 90th
 * percentile leaves months of 28 to 31 days and weekends between working days as they are, and finds every missing row
 * as long as less than a tenth are missing. If d10 <= 0, the column does not order the rows, and nothing is a break. */
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include "base/format.h"
#include "base/number.h"
#include "data/dates.h"
#include "data/series.h"
#include "num/order.h"

static const double longer = 1.5;
static const double off = 0.05;         /* share by which a duration may miss a multiple of the step */

/* ---- durations ---- */

static const struct { const char *word; double days; } units[] = {
    {"s", 1 / 86400.}, {"min", 1 / 1440.}, {"h", 1 / 24.}, {"d", 1}, {"w", 7}, {"y", 365.25}};
enum { UNITS = sizeof units / sizeof *units, DAY = 3 };

const char *tamis_duration_text(double days, int date, char *out)
{
    size_t k = DAY;
    if (!date) return tamis_snprintf(out, 40, "%.6g", days), out;
    while (k && fabs(days) < 2 * units[k].days) k--;
    tamis_snprintf(out, 40, "%.4g %s", days / units[k].days, k == DAY ? "days" : units[k].word);
    return out;
}

const char *tamis_time_text(double time, int date, char *out)
{
    if (date) return tamis_date_text(time, date, out);
    return tamis_snprintf(out, 40, "%.15g", time), out;
}

int tamis_duration_rows(tamis_context *cx, const struct tamis_encoder *e, const char *option, const char *text,
                        size_t *rows)
{
    double x, days = 0;
    const char *end = tamis_number_read(text, text + strlen(text), '.', &x);
    if (end > text && *end == ' ') end++;
    for (size_t k = 0; k < UNITS; k++)
        if (!strcmp(end, units[k].word)) days = units[k].days;
    if (end == text || !(x > 0 && x < 1e6) || (*end && days == 0) || (!*end && x != floor(x)))
        return tamis_fail(cx, TAMIS_USAGE,
                          "--%s '%.40s': expected rows, or a duration such as 24h (s, min, h, d, w, y)", option, text);
    if (*end && !(e->time.date && e->time.step > 0))
        return tamis_fail(cx, TAMIS_USAGE, "--%s %.40s: a duration needs a column of dates in time order; give rows",
                          option, text);
    double steps = *end ? x * days / e->time.step : x, whole = round(steps);
    if (whole < 1 || fabs(steps - whole) > off * whole)
        return tamis_fail(cx, TAMIS_USAGE, "--%s %.40s is %.3g steps of '%.60s'; give a multiple of the step, or rows",
                          option, text, steps, e->time.column);
    *rows = (size_t)whole;
    return TAMIS_OK;
}

/* ---- steps ---- */

/* The step that ends in row n, from the last row with a known time, *at, which moves; NAN: none. */
static double step_to(const double *time, size_t n, size_t *at)
{
    if (isnan(time[n])) return NAN;
    double step = *at < n && !isnan(time[*at]) ? (time[n] - time[*at]) / (double)(n - *at) : NAN;
    *at = n;
    return step;
}

static void quantiles(double *step, size_t n, double q[3])
{
    qsort(step, n, sizeof *step, tamis_by_value);
    for (size_t k = 0; k < 3; k++) q[k] = step[(size_t)((double)(n - 1) * (0.1 + 0.4 * (double)k))];
}

static void note_irregular(tamis_context *cx, const tamis_table *t, const struct tamis_time *time, const double q[3])
{
    char a[40], b[40];
    if (q[2] <= longer * q[1] && longer * q[0] >= q[1]) return;
    tamis_note(cx, "%s: the steps of '%.60s' vary (%s in the middle, one of ten %s or more); lags count rows", t->file,
               time->column, tamis_duration_text(q[1], time->date, a), tamis_duration_text(q[2], time->date, b));
}

/* From the quantiles of the steps. */
static int steps_judge(tamis_context *cx, const tamis_table *t, const double q[3], struct tamis_time *time)
{
    if (q[2] < 0)
        return tamis_fail(cx, TAMIS_DATA, "%s: time runs backwards in '%.60s'; sort the rows by it, or add --time none",
                          t->file, time->column);
    if (q[0] > 0) {
        time->step = q[1];
        time->longest = longer * q[2];
        note_irregular(cx, t, time, q);
    } else
        tamis_note(cx, "%s: rows are not in the order of '%.60s', so that gaps are not known and lags count rows",
                   t->file, time->column);
    return TAMIS_OK;
}

static int steps_learn(tamis_context *cx, const tamis_table *t, const double *value, struct tamis_time *time)
{
    double *step = tamis_raw(cx, double, t->rows), q[3];
    size_t n = 0, at = 0;
    for (size_t i = 0; step && i < t->rows; i++) {
        double d = step_to(value, i, &at);
        if (!isnan(d)) step[n++] = d;
    }
    if (step && n) quantiles(step, n, q);
    tamis_free(step);
    if (tamis_status(cx) || !n) return tamis_status(cx);
    return steps_judge(cx, t, q, time);
}

/* ---- the column ---- */

static size_t column_find(const tamis_table *t, const struct tamis_roles *r, const struct tamis_encoder *e)
{
    size_t j = 0;
    if (r->time) return strcmp(r->time, "none") ? tamis_table_find(t, r->time) : t->columns;
    while (j < t->columns && (!t->column[j].date || t->column[j].date == TAMIS_DATE_CLOCK ||
                              !strcmp(t->column[j].name, e->target)))
        j++;
    return j;
}

int tamis_time_find(tamis_context *cx, const tamis_table *t, const struct tamis_roles *r, struct tamis_encoder *e)
{
    size_t j = column_find(t, r, e);
    if (j == t->columns) return TAMIS_OK;
    const struct tamis_data_column *c = &t->column[j];
    if (c->type != TAMIS_NUMBER)
        return tamis_fail(cx, TAMIS_DATA, "%s: --time '%.60s' has text that is not a date or number; correct it",
                          t->file, c->name);
    if (!(e->time.column = tamis_strdup(cx, c->name))) return tamis_status(cx);
    e->time.date = c->date;
    return steps_learn(cx, t, c->value, &e->time);
}

/* ---- breaks ---- */

/* The times of a table's rows; NULL: it has none. */
static const double *times_of(const struct tamis_encoder *e, const tamis_table *t)
{
    for (size_t j = 0; e->time.column && e->time.longest > 0 && j < t->columns; j++)
        if (!strcmp(t->column[j].name, e->time.column))
            return t->column[j].type == TAMIS_NUMBER && (t->column[j].date || e->time.date < TAMIS_DATE_COMPACT)
                       ? t->column[j].value : NULL;
    return NULL;
}

int tamis_time_breaks(tamis_context *cx, const struct tamis_encoder *e, const tamis_table *t, struct tamis_breaks *b)
{
    const double *time = times_of(e, t);
    size_t at = 0;
    *b = (struct tamis_breaks){0};
    if (!time) return TAMIS_OK;
    if (!(b->since = tamis_raw(cx, size_t, t->rows))) return tamis_status(cx);
    for (size_t n = 0; n < t->rows; n++) {
        size_t before = at;
        double step = step_to(time, n, &at);
        int gap = step > e->time.longest, back = step <= 0;
        b->gaps += (size_t)gap;
        b->back += (size_t)back;
        b->since[n] = !n || gap || back ? 0 : b->since[n - 1] + 1;
        if (gap && time[n] - time[before] > b->longest) b->longest = time[n] - time[before], b->after = before;
    }
    return TAMIS_OK;
}

size_t tamis_breaks_cost(const struct tamis_breaks *b, size_t rows, size_t reach)
{
    size_t n = 0;
    for (size_t i = reach; b->since && i < rows; i++) n += b->since[i] < reach;
    return n;
}
