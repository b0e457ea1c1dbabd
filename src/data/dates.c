/* Dates in text. A date is cut into pieces, digits or the name of a month, and the kind says which piece is what. Days
 * of the calendar are counted with years that begin in March, so that a leap day is the last of its year. */
#include <math.h>
#include <stdio.h>
#include <string.h>
#include <strings.h>
#include "base/format.h"
#include "data/dates.h"

const char *const tamis_date_words[TAMIS_DATES] = {"", "days", "ymd", "dmy", "mdy", "clock",
                                                       "yyyymmdd", "seconds", "milliseconds"};
const char *const tamis_date_part_words[TAMIS_PARTS] = {"", "year", "month", "weekday", "hour"};

struct text { const char *s, *end; };

struct piece { long value; int width; };        /* width 0: a month by its name */

/* ---- the calendar ---- */

static long days_of(long y, long m, long d)
{
    y -= m <= 2;
    long era = (y >= 0 ? y : y - 399) / 400, of_era = y - era * 400;
    long of_year = (153 * (m + (m > 2 ? -3 : 9)) + 2) / 5 + d - 1;
    return era * 146097 + of_era * 365 + of_era / 4 - of_era / 100 + of_year - 719468;
}

static void civil(long days, long *y, long *m, long *d)
{
    days += 719468;
    long era = (days >= 0 ? days : days - 146096) / 146097, of_era = days - era * 146097;
    long year = (of_era - of_era / 1460 + of_era / 36524 - of_era / 146096) / 365;
    long of_year = of_era - (365 * year + year / 4 - year / 100), month = (5 * of_year + 2) / 153;
    *d = of_year - (153 * month + 2) / 5 + 1;
    *m = month + (month < 10 ? 3 : -9);
    *y = year + era * 400 + (*m <= 2);
}

static int date_of(long y, int width, long m, long d, double *days)
{
    static const int longest[] = {31, 29, 31, 30, 31, 30, 31, 31, 30, 31, 30, 31};
    if (width == 2) y += y < 69 ? 2000 : 1900;
    else if (width != 4 || y < 1000) return 0;
    if (m < 1 || m > 12 || d < 1 || d > longest[m - 1]) return 0;
    if (m == 2 && d == 29 && (y % 4 || (y % 100 == 0 && y % 400))) return 0;
    *days = (double)days_of(y, m, d);
    return 1;
}

/* ---- pieces of text ---- */

static int next_is(const struct text *t, const char *set) { return t->s < t->end && *t->s && strchr(set, *t->s); }

static void skip(struct text *t, const char *set)
{
    while (next_is(t, set)) t->s++;
}

static int digits(struct text *t, int most, struct piece *p)
{
    *p = (struct piece){0, 0};
    for (; p->width <= most && next_is(t, "0123456789"); t->s++, p->width++) p->value = 10 * p->value + (*t->s - '0');
    return p->width > 0 && p->width <= most;
}

static size_t letters(const struct text *t)
{
    size_t n = 0;
    while (t->s + n < t->end && ((t->s[n] | 32) >= 'a' && (t->s[n] | 32) <= 'z')) n++;
    return n;
}

/* One of the words, or its first three letters or more; 0: none, else 1 + its place. */
static long word(struct text *t, const char *const *words, size_t count)
{
    size_t n = letters(t);
    for (size_t k = 0; n >= 3 && k < count; k++) {
        if (n > strlen(words[k]) || strncasecmp(t->s, words[k], n)) continue;
        t->s += n;
        skip(t, ".");
        return (long)k + 1;
    }
    return 0;
}

static int month_name(struct text *t, struct piece *p)
{
    static const char *const names[] = {"january", "february", "march", "april", "may", "june", "july", "august",
                                        "september", "october", "november", "december"};
    *p = (struct piece){word(t, names, 12), 0};
    return p->value > 0;
}

static void skip_weekday(struct text *t)
{
    static const char *const names[] = {"monday", "tuesday", "wednesday", "thursday", "friday", "saturday", "sunday"};
    if (word(t, names, 7)) skip(t, ", ");
}

/* Between pieces: one mark, which must be *mark where that is set; beside a month's name any. */
static int mark_next(struct text *t, char *mark)
{
    if (!next_is(t, "-/. ,")) return 0;
    char c = *t->s++;
    if (next_is(t, " ")) t->s++;
    if (*mark && *mark != c && !(strchr(" ,", c) && strchr(" ,", *mark))) return 0;
    *mark = c;
    return 1;
}

/* ---- time of day ---- */

static int half_of_day(struct text *t, long *hour)
{
    struct text u = *t;
    skip(&u, " ");
    int pm = next_is(&u, "pP");
    if (!pm && !next_is(&u, "aA")) return 1;
    u.s++;
    skip(&u, ".");
    if (!next_is(&u, "mM")) return 0;
    u.s++;
    skip(&u, ".");
    *t = u;
    if (*hour < 1 || *hour > 12) return 0;
    *hour = *hour % 12 + 12 * pm;
    return 1;
}

/* Days to take away. */
static int zone(struct text *t, double *shift)
{
    struct piece h = {0, 0}, m = {0, 0};
    *shift = 0;
    skip(t, " ");
    if (t->s == t->end) return 1;
    if (t->end - t->s == 3 && (!strncmp(t->s, "UTC", 3) || !strncmp(t->s, "GMT", 3))) return t->s += 3, 1;
    if (next_is(t, "zZ")) return ++t->s == t->end;
    int minus = *t->s == '-';
    if (!next_is(t, "+-")) return 0;
    t->s++;
    if (!digits(t, 4, &h) || h.width == 3) return 0;
    if (h.width == 4) m.value = h.value % 100, h.value /= 100;
    else if (next_is(t, ":") && (t->s++, !digits(t, 2, &m))) return 0;
    *shift = (minus ? -1 : 1) * ((double)h.value / 24 + (double)m.value / 1440);
    return t->s == t->end && h.value < 15 && m.value < 60;
}

static int seconds(struct text *t, double *out)
{
    struct piece p;
    double unit = 1;
    if (!digits(t, 2, &p) || p.width != 2 || p.value > 60) return 0;
    *out = (double)p.value;
    if (!next_is(t, ".,")) return 1;
    for (t->s++; next_is(t, "0123456789"); t->s++) *out += (unit /= 10) * (*t->s - '0');
    return unit < 1;
}

/* Hours and minutes, or, after a compact date, 1015 and 101530. alone: without a date, so that 22:44-08 is 06:44. */
static int clock_read(struct text *t, int alone, double *days)
{
    struct piece h, m = {0, 0};
    double s = 0, shift = 0;
    if (!digits(t, 6, &h)) return 0;
    if (h.width == 6) s = (double)(h.value % 100), h.value /= 100;
    if (h.width == 4 || h.width == 6) m.value = h.value % 100, h.value /= 100;
    else if (h.width > 2 || !next_is(t, ":") || (t->s++, !digits(t, 2, &m)) || m.width != 2) return 0;
    if (h.width <= 2 && next_is(t, ":") && (t->s++, !seconds(t, &s))) return 0;
    if (m.value > 59 || h.value > 24 || !half_of_day(t, &h.value) || !zone(t, &shift)) return 0;
    double micros = round(((double)h.value * 3600 + (double)m.value * 60 + s - 86400 * shift) * 1e6);
    if (alone && (micros < 0 || micros > TAMIS_DAY)) micros -= TAMIS_DAY * floor(micros / TAMIS_DAY);
    *days = micros / TAMIS_DAY;
    return t->s == t->end && (h.value < 24 || (!m.value && !(s > 0)));
}

/* ---- dates ---- */

static int year_first(struct text *t, double *days)
{
    struct piece y, m, d = {1, 1};
    char mark = 0;
    if (!digits(t, 8, &y)) return 0;
    if (y.width == 8) return date_of(y.value / 10000, 4, y.value / 100 % 100, y.value % 100, days);
    if (y.width != 4 || !mark_next(t, &mark)) return 0;
    if (!month_name(t, &m) && !digits(t, 2, &m)) return 0;
    if (next_is(t, "-/. ,") && *t->s == mark && (t->s++, !digits(t, 2, &d))) return 0;
    return date_of(y.value, 4, m.value, d.value, days);
}

static int year_last(struct text *t, int month_first, double *days)
{
    struct piece a, b, y;
    char mark = 0;
    skip_weekday(t);
    if (month_first ? !month_name(t, &a) && !digits(t, 2, &a) : !digits(t, 2, &a)) return 0;
    if (!mark_next(t, &mark)) return 0;
    if (month_first ? !digits(t, 2, &b) : !month_name(t, &b) && !digits(t, 2, &b)) return 0;
    if (!a.width || !b.width) mark = 0;
    if (!mark_next(t, &mark) || !digits(t, 4, &y)) return 0;
    return date_of(y.value, y.width, month_first ? a.value : b.value, month_first ? b.value : a.value, days);
}

int tamis_date_read(const char *s, size_t n, int kind, double *days)
{
    struct text t = {s, s + n};
    double hours = 0;
    while (t.end > t.s && t.end[-1] == ' ') t.end--;
    skip(&t, " ");
    if (kind == TAMIS_DATE_SECONDS || kind == TAMIS_DATE_MILLIS) return 0;
    if (kind == TAMIS_DATE_COMPACT) kind = TAMIS_DATE_YMD;
    if (kind == TAMIS_DATE_CLOCK) return memchr(t.s, ':', (size_t)(t.end - t.s)) && clock_read(&t, 1, days);
    if (kind == TAMIS_DATE_YMD ? !year_first(&t, days) : !year_last(&t, kind == TAMIS_DATE_MDY, days)) return 0;
    if (t.s == t.end) return 1;
    if (!next_is(&t, "T, ")) return 0;
    t.s++;
    skip(&t, " ");
    if (!clock_read(&t, 0, &hours)) return 0;
    *days += hours;
    return 1;
}

/* ---- text and parts ---- */

const char *tamis_date_text(double days, int kind, char *out)
{
    double whole = floor(days), rounded = round((days - whole) * TAMIS_DAY);
    long y, m, d;
    if (rounded >= TAMIS_DAY) rounded = 0, whole++;
    if (!(fabs(whole) < 1e7)) return tamis_snprintf(out, 32, "%s", ""), out;
    long rest = (long)(rounded / 1e6), part = (long)(rounded - 1e6 * (double)rest);     /* seconds, microseconds */
    civil((long)whole, &y, &m, &d);
    int n = tamis_snprintf(out, 32, "%04ld-%02ld-%02ld", y % 100000, m % 100, d % 100);
    if (rest || part || kind == TAMIS_DATE_CLOCK)
        n += tamis_snprintf(out + n, 32 - (size_t)n, " %02ld:%02ld", rest / 3600 % 24, rest / 60 % 60);
    if (rest % 60 || part) n += tamis_snprintf(out + n, 32 - (size_t)n, ":%02ld", rest % 60);
    if (part % 1000) tamis_snprintf(out + n, 32 - (size_t)n, ".%06ld", part % 1000000);
    else if (part) tamis_snprintf(out + n, 32 - (size_t)n, ".%03ld", part / 1000 % 1000);
    return kind == TAMIS_DATE_CLOCK ? strchr(out, ' ') + 1 : out;
}

double tamis_date_part(double days, int part)
{
    double whole = floor(days);
    long y, m, d;
    if (isnan(days) || !(fabs(days) < 1e9)) return NAN;
    civil((long)whole, &y, &m, &d);
    switch (part) {
    case TAMIS_PART_YEAR: return (double)y;
    case TAMIS_PART_MONTH: return (double)m;
    case TAMIS_PART_WEEKDAY: return (double)((((long)whole + 3) % 7 + 7) % 7 + 1);
    case TAMIS_PART_HOUR: return floor((days - whole) * 24 + 1e-9);
    default: return days;
    }
}

/* ---- columns ---- */

static int read_levels(const struct tamis_data_column *c, int kind, double *days)
{
    for (size_t l = 0; l < c->levels; l++)
        if (!tamis_date_read(c->level[l], strlen(c->level[l]), kind, &days[l])) return 0;
    return c->levels > 0;
}

/* Steps back in time from row to row. */
static size_t descents(const struct tamis_data_column *c, size_t rows, const double *days)
{
    size_t n = 0, last = 0, seen = 0;
    for (size_t i = 0; i < rows; i++) {
        if (isnan(c->value[i])) continue;
        n += seen && days[(size_t)c->value[i]] < days[last];
        last = (size_t)c->value[i];
        seen = 1;
    }
    return n;
}

static int kind_find(const struct tamis_data_column *c, size_t rows, double *days, double *other, int *doubt)
{
    *doubt = 0;
    if (read_levels(c, TAMIS_DATE_YMD, days)) return TAMIS_DATE_YMD;
    if (read_levels(c, TAMIS_DATE_CLOCK, days)) return TAMIS_DATE_CLOCK;
    int day = read_levels(c, TAMIS_DATE_DMY, days), month = read_levels(c, TAMIS_DATE_MDY, other);
    if (day && month) {
        size_t a = descents(c, rows, days), b = descents(c, rows, other);
        *doubt = memcmp(days, other, c->levels * sizeof *days) != 0;
        day = a <= b;
    }
    if (!day && month) memcpy(days, other, c->levels * sizeof *days);
    return day ? TAMIS_DATE_DMY : month ? TAMIS_DATE_MDY : TAMIS_DATE_NONE;
}

static void become_date(struct tamis_data_column *c, size_t rows, const double *days)
{
    for (size_t i = 0; i < rows; i++)
        if (!isnan(c->value[i])) c->value[i] = days[(size_t)c->value[i]];
    tamis_strings_free(c->level, c->levels);
    tamis_free(c->units);                               /* such as yyyy-mm-dd */
    c->units = NULL;
    c->type = TAMIS_NUMBER;
    c->level = NULL;
    c->levels = 0;
}

int tamis_dates_find(tamis_context *cx, struct tamis_data_column *c, size_t rows)
{
    if (c->type != TAMIS_CATEGORY || !c->levels || !strpbrk(c->level[0], "0123456789")) return TAMIS_OK;
    double *days = tamis_raw(cx, double, c->levels), *other = tamis_raw(cx, double, c->levels);
    if (days && other) c->date = kind_find(c, rows, days, other, &c->date_doubt);
    if (days && other && c->date) become_date(c, rows, days);
    tamis_free(days);
    tamis_free(other);
    return tamis_status(cx);
}
