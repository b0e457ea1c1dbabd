/* Ticks of an axis of dates: days since 1970-01-01, at even times of the calendar, with ISO labels. A tick at a time
 * of day has that time; one at midnight has the date; ticks at whole months and years leave out what is always the
 * same. */
#include <math.h>
#include "base/format.h"
#include "data/dates.h"
#include "io/report/svg.h"

enum { MONTHS = 12 };
static const double second = 1 / 86400., minute = 1 / 1440., hour = 1 / 24.;

/* ---- steps ---- */

/* The least of the even steps under a month that is not less than `raw` days; 0: all are less. */
static double short_step(double raw)
{
    const double even[] = {second, 2 * second, 5 * second, 10 * second, 15 * second, 30 * second, minute, 2 * minute,
                           5 * minute, 10 * minute, 15 * minute, 30 * minute, hour, 2 * hour, 3 * hour, 6 * hour,
                           12 * hour, 1, 2, 5, 7, 14};
    for (size_t k = 0; k < sizeof even / sizeof *even; k++)
        if (even[k] >= raw * (1 - 1e-9)) return even[k];
    return 0;
}

/* The same in months. */
static long long_step(double raw)
{
    static const long even[] = {1, 2, 3, 6};
    double months = raw / 30.4;
    for (size_t k = 0; k < sizeof even / sizeof *even; k++)
        if ((double)even[k] >= months) return even[k];
    for (long years = 1;; years *= 10)
        for (long k = 1; k <= 5; k += k == 1 ? 1 : 3)
            if ((double)(years * k * MONTHS) >= months || years > 1000000) return years * k * MONTHS;
}

static double month_begins(long month)
{
    char text[40];
    double days = NAN;
    int n = tamis_snprintf(text, sizeof text, "%04ld-%02ld-01", month / MONTHS, month % MONTHS + 1);
    return tamis_date_read(text, (size_t)n, TAMIS_DATE_YMD, &days) ? days : NAN;
}

static long month_of(double days)
{
    return MONTHS * (long)tamis_date_part(days, TAMIS_PART_YEAR) + (long)tamis_date_part(days, TAMIS_PART_MONTH) - 1;
}

static size_t month_ticks(const struct tamis_axis *a, long step, double *at, size_t room)
{
    size_t n = 0;
    for (long m = month_of(a->from) / step * step; n < room; m += step) {
        double days = month_begins(m);
        if (!(days <= a->to)) break;
        if (days >= a->from) at[n++] = days;
    }
    return n;
}

size_t tamis_date_ticks(const struct tamis_axis *a, int count, double *at, size_t room)
{
    double raw = (a->to - a->from) / count, step = short_step(raw);
    size_t n = 0;
    if (!(raw > 0) || !(fabs(a->from) < 3e6) || !(fabs(a->to) < 3e6)) return 0;
    if (!(step > 0)) return month_ticks(a, long_step(raw), at, room);
    for (double k = ceil(a->from / step - 1e-9); k * step <= a->to && n < room; k++)
        at[n++] = step < 1 ? round(k * step / second) * second : k * step;
    return n;
}

/* ---- labels ---- */

const char *tamis_date_label(const double *at, size_t n, size_t i, char *out)
{
    double step = n > 1 ? at[1] - at[0] : 1, days = at[i] + second / 4, day = floor(days);
    char whole[32];
    int length = 10;
    for (size_t k = 0; k < n && length == 10 && step >= 28; k++)
        if (tamis_date_part(at[k], TAMIS_PART_MONTH) > 1) length = 7;
    if (length == 10 && step >= 365) length = 4;
    if (step < 1 && days - day > second)
        tamis_snprintf(out, 32, "%.*s", step < 0.99 * minute ? 8 : 5,
                       tamis_date_text(days - day, TAMIS_DATE_CLOCK, whole));
    else tamis_snprintf(out, 32, "%.*s", length, tamis_date_text(day, TAMIS_DATE_YMD, whole));
    return out;
}
