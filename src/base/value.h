/* Results as data: a tree of records, lists, numbers, texts and flags. Methods fill it, src/io turns it into JSON and
 * back, reports are drawn from it and programs read it (tamis.h has the readers).
 *
 *     tamis_value *block = tamis_record_new(cx);
 *     tamis_add_number(block, "sigma2", 4.2);
 *     tamis_value *list = tamis_add_list(block, "subsets");
 *     tamis_value *subset = tamis_add_record(list, NULL);
 *
 * Everything added to a record has a key, everything added to a list has none (NULL). Additions to NULL do nothing, so
 * that a failed allocation needs no test at each line: its sentence stays in the context, which is tested once at the
 * end. */
#ifndef TAMIS_VALUE_H
#define TAMIS_VALUE_H

#include "base/base.h"

tamis_value *tamis_record_new(tamis_context *cx);               /* NULL with the sentence in cx */
tamis_value *tamis_list_new(tamis_context *cx);

tamis_value *tamis_add_record(tamis_value *to, const char *key);        /* the new record, or NULL */
tamis_value *tamis_add_list(tamis_value *to, const char *key);
void tamis_add_null(tamis_value *to, const char *key);
void tamis_add_number(tamis_value *to, const char *key, double x);      /* null if not finite; -0 becomes 0 */
void tamis_add_exact(tamis_value *to, const char *key, double x);       /* the same, but -0 stays */
void tamis_add_flag(tamis_value *to, const char *key, int flag);
void tamis_add_text(tamis_value *to, const char *key, const char *s);   /* a copy; NULL: null */
void tamis_add_texts(tamis_value *to, const char *key, const char *const *s, size_t n);
/* A list of numbers, copied; those that are not finite read back as NAN and are written as null. */
void tamis_add_numbers(tamis_value *to, const char *key, const double *x, size_t n);
/* The same, to be filled by the caller; NULL if n is 0. */
double *tamis_add_room(tamis_value *to, const char *key, size_t n);
void tamis_add_child(tamis_value *to, const char *key, tamis_value *child);     /* owns child, even if it fails */

/* x rounded to six significant digits, enough for a figure. */
double tamis_six_digits(double x);
void tamis_add_rounded(tamis_value *to, const char *key, double x);

#endif
