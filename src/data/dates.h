/* Dates and times as numbers: days since 1970-01-01 00:00, in UTC where the text has a time zone. */
#ifndef TAMIS_DATES_H
#define TAMIS_DATES_H

#include "data/table.h"

/* How a date is written; the field `date` of a column, where 0 says that it has none. */
enum tamis_date {
    TAMIS_DATE_NONE,
    TAMIS_DATE_DAYS,            /* numbers, from a program */
    TAMIS_DATE_YMD,             /* 2024-01-31, 2024/1/31, 2024-01, 20240131T1015 */
    TAMIS_DATE_DMY,             /* 31.01.2024, 31/1/24, 31-Jan-2024 */
    TAMIS_DATE_MDY,             /* 1/31/2024, Jan 31, 2024 */
    TAMIS_DATE_CLOCK,           /* 10:15, 10:15:30.5 PM: a part of a day */
    TAMIS_DATE_COMPACT,         /* the number 20240131 */
    TAMIS_DATE_SECONDS,         /* numbers since 1970-01-01 */
    TAMIS_DATE_MILLIS,
    TAMIS_DATES
};
/* Texts of each but TAMIS_DATE_CLOCK may be followed by a time of day and a time zone. */

/* Parts of a date that can be inputs. */
enum tamis_date_part {
    TAMIS_PART_NONE, TAMIS_PART_YEAR, TAMIS_PART_MONTH, TAMIS_PART_WEEKDAY, TAMIS_PART_HOUR, TAMIS_PARTS
};
extern const char *const tamis_date_words[TAMIS_DATES];         /* "", "days", "ymd", ... in model files */
extern const char *const tamis_date_part_words[TAMIS_PARTS];    /* "", "year", "month", "weekday", "hour" */

/* Whether the n characters are a date of that kind. */
int tamis_date_read(const char *s, size_t n, int kind, double *days);
/* ISO 8601, to the millisecond, without what is zero; of TAMIS_DATE_CLOCK the time alone. out has room for 32
 * characters. */
const char *tamis_date_text(double days, int kind, char *out);
double tamis_date_part(double days, int part);                  /* NAN of NAN; weekday: 1 Monday ... 7 Sunday */
/* If every level of the category is a date of one kind, makes it a column of numbers with `date` set. Of days and
 * months that may be either, the order in which more rows are in time order; else days come first, and `date_doubt` is
 * set. */
int tamis_dates_find(tamis_context *cx, struct tamis_data_column *c, size_t rows);

/* ---- numbers (dates_number.c) ---- */

/* Days of a number that is a date of that kind; of other kinds, the number itself. NAN: it is not a date. */
double tamis_date_number(double x, int kind);
/* A column of numbers that are dates by their name and values: days, with `date` set. */
void tamis_dates_number(struct tamis_data_column *c, size_t rows);

#endif
