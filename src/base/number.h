/* Numbers to and from text, correctly rounded and independent of the locale. */
#ifndef TAMIS_NUMBER_H
#define TAMIS_NUMBER_H

#include <stddef.h>
#include <stdint.h>

/* Reads a number at s: sign, digits with at most one `point` ('.' or ','), an exponent, or one of the words inf,
 * infinity, nan in any case. Returns where it ends, or s if there is none (*x is then 0). *x is the double nearest to
 * the decimal, ties to even; infinite if too large. `end` bounds the text; *end must be readable and not a digit. */
const char *tamis_number_read(const char *s, const char *end, char point, double *x);

/* Whether the n characters are one number, blanks around it allowed; s[n] as *end above. */
int tamis_number_whole(const char *s, size_t n, char point, double *x);

/* w 10^q, correctly rounded. */
double tamis_number_compose(uint64_t w, long q);

/* The shortest decimal that reads back as x, in the form of printf's %g ("nan" and "inf" included), not terminated;
 * returns its end. out has room for 32 characters. */
char *tamis_number_write(double x, char *out);
/* The same, terminated; returns out. */
const char *tamis_number_text(double x, char *out);

#endif
