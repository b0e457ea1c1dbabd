/* Dates written as numbers: 20240131, and seconds or milliseconds since 1970-01-01 (Unix time).
 *
 * A measurement must not be taken for a date, so values alone decide only where chance cannot: of the whole numbers
 * from 19000101 to 21001231 one in 27 is a day of the calendar, and 8 different ones all are with probability 4e-12.
 * Seconds and milliseconds are a range of values that anything can have; there the name must say so, and the rows be in
 * order of time, up to one step in 20. */
#include <ctype.h>
#include <math.h>
#include <string.h>
#include "data/dates.h"

enum { FEWEST = 8, FEWEST_NAMED = 3, UNORDERED = 20, OUT_OF_ORDER = 20 };

double tamis_date_number(double x, int kind)
{
    double unit = kind == TAMIS_DATE_MILLIS ? 1000 : 1;
    char text[16];
    double days;
    if (kind == TAMIS_DATE_SECONDS || kind == TAMIS_DATE_MILLIS) {
        double whole = floor(x / (86400 * unit));
        return whole + (x - whole * 86400 * unit) / unit / 86400;
    }
    if (kind != TAMIS_DATE_COMPACT) return x;
    if (!(x >= 19000101 && x <= 21001231) || x != floor(x)) return NAN;
    long v = (long)x;
    for (int k = 7; k >= 0; k--, v /= 10) text[k] = (char)('0' + v % 10);
    return tamis_date_read(text, 8, TAMIS_DATE_YMD, &days) ? days : NAN;
}

/* ---- what the name says ---- */

/* Whether some letters of the name that stand together are one of the words, each of which is between bars. */
static int has_word(const char *name, const char *words)
{
    char word[40];
    for (const char *s = name; *s;) {
        size_t n = 0;
        while (isalpha((unsigned char)s[n])) n++;
        for (size_t k = 1; k <= n && n < sizeof word - 2; k++) word[k] = (char)tolower((unsigned char)s[k - 1]);
        if (n && n < sizeof word - 2) {
            word[0] = word[n + 1] = '|';
            word[n + 2] = 0;
            if (strstr(words, word)) return 1;
        }
        s += n ? n : 1;
    }
    return 0;
}

static int says_time(const char *name)
{
    return has_word(name, "|time|times|timestamp|timestamps|epoch|ts|unix|unixtime|unixtimestamp|posix|posixtime|utc|"
                          "datetime|date|zeit|zeitstempel|created|when|");
}

static int says_day(const char *name)
{
    return says_time(name) || has_word(name, "|dates|day|days|datum|dt|ymd|yyyymmdd|period|fecha|dag|tag|jour|asof|");
}

/* ---- what the values say ---- */

struct seen { size_t present, distinct, up, down; double least, largest; };

/* distinct: up to UNORDERED. */
static struct seen look(const struct tamis_data_column *c, size_t rows)
{
    struct seen s = {0, 0, 0, 0, INFINITY, -INFINITY};
    double known[UNORDERED], last = NAN;
    for (size_t i = 0; i < rows; i++) {
        double x = c->value[i];
        size_t k = 0;
        if (isnan(x)) continue;
        s.present++;
        s.up += x > last;
        s.down += x < last;
        last = x;
        s.least = x < s.least ? x : s.least;
        s.largest = x > s.largest ? x : s.largest;
        while (k < s.distinct && known[k] != x) k++;
        if (k == s.distinct && k < UNORDERED) known[s.distinct++] = x;
    }
    return s;
}

static int in_order(const struct seen *s)
{
    size_t against = s->up > s->down ? s->down : s->up;
    return against * OUT_OF_ORDER <= s->present;
}

static int is_compact(const struct tamis_data_column *c, size_t rows, const struct seen *s)
{
    if (!(s->least >= 19000101 && s->largest <= 21001231)) return 0;
    if (says_day(c->name) ? s->distinct < FEWEST_NAMED : s->distinct < (in_order(s) ? FEWEST : UNORDERED)) return 0;
    for (size_t i = 0; i < rows; i++)
        if (!isnan(c->value[i]) && isnan(tamis_date_number(c->value[i], TAMIS_DATE_COMPACT))) return 0;
    return 1;
}

/* From 1990 to 2100. */
static int is_unix(const struct tamis_data_column *c, const struct seen *s, double unit)
{
    return s->least >= 631152000 * unit && s->largest < 4102444800 * unit && s->distinct >= FEWEST && in_order(s) &&
           says_time(c->name);
}

void tamis_dates_number(struct tamis_data_column *c, size_t rows)
{
    if (c->type != TAMIS_NUMBER || c->date || c->borrowed) return;
    struct seen s = look(c, rows);
    if (is_compact(c, rows, &s)) c->date = TAMIS_DATE_COMPACT;
    else if (is_unix(c, &s, 1)) c->date = TAMIS_DATE_SECONDS;
    else if (is_unix(c, &s, 1000)) c->date = TAMIS_DATE_MILLIS;
    else return;
    for (size_t i = 0; i < rows; i++)
        if (!isnan(c->value[i])) c->value[i] = tamis_date_number(c->value[i], c->date);
    tamis_free(c->units);
    c->units = NULL;
}
