/* Numbers in text: correctly rounded both ways, whatever the locale. */
#ifndef TAMIS_NUMBER_H
#define TAMIS_NUMBER_H

#include <stddef.h>
#include <stdint.h>

/* Reads a number from the start of s: sign, digits with at most one `point` ('.' or ','), an exponent, or the words
 * inf, infinity, nan in any case. Returns where it ends, s when there is none (*x is then 0). The double nearest to the
 * decimal, ties to even; too large is infinite. `end` bounds the text, and *end must be readable and no digit. */
const char *tamis_number_read(const char *s, const char *end, char point, double *x);

/* The whole of n characters is one number, blanks around it allowed; s[n] as *end above. */
int tamis_number_whole(const char *s, size_t n, char point, double *x);

/* w 10^q, correctly rounded. */
double tamis_number_compose(uint64_t w, long q);

/* Shortest decimal that reads back as x, in the form of printf's %g ("nan", "inf" for those); returns past the last
 * character, no zero is added; room for 32. */
char *tamis_number_write(double x, char *out);
/* The same, ended by a zero; returns out. */
const char *tamis_number_text(double x, char *out);

#endif
