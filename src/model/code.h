/* Models as C source. A kind writes its tables and one function,
 *
 *     static void NAME_model(const double *z, double *out)
 *
 * from standardised columns z[NAME_COLUMNS] to out[NAME_OUTPUTS]: standardised targets, or scores of the classes. C99
 * that is also C++; allocates nothing and calls only exp, tanh and log. */
#ifndef TAMIS_CODE_H
#define TAMIS_CODE_H

#include "base/options.h"
#include "base/text.h"

extern const struct tamis_option tamis_export_options[];        /* to, name: part "export" */
struct tamis_export { const char *to, *name; };

struct tamis_code {
    struct tamis_text t;
    const char *name;           /* the prefix of every name */
};

/* Source text; @ stands for the name and an underscore. */
void tamis_code_put(struct tamis_code *c, const char *source);
/* A constant: enum { NAME_WHAT = n }. */
void tamis_code_count(struct tamis_code *c, const char *what, size_t n);
/* A table of n numbers (a single zero if n is 0): v[i]; with rows > 0, v is a column-major rows x n / rows matrix and
 * is written row by row. */
void tamis_code_numbers(struct tamis_code *c, const char *what, const double *v, size_t n, size_t rows);
void tamis_code_sizes(struct tamis_code *c, const char *what, const size_t *v, size_t n);
/* The text s for the inside of a comment; characters that could end it become dots. */
void tamis_code_comment(struct tamis_code *c, const char *s);
void tamis_code_string(struct tamis_code *c, const char *s);    /* a literal */

#endif
