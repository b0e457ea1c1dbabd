/* Logistic regression of classes on many features, with a ridge penalty. */
#ifndef TAMIS_LOGISTIC_H
#define TAMIS_LOGISTIC_H

#include <stddef.h>

struct tamis_logistic {
    size_t rows, features, classes;     /* at least two classes */
    const double *h;                    /* rows x features, column-major; their (weighted) means are 0 */
    const double *class_of;             /* index of each row's class */
    const double *weight;               /* of each row; NULL: 1 */
    const double *gram;                 /* features x features, lower triangle: H' W H */
    double penalty;                     /* > 0 */
    double tolerance;                   /* of the function, per row: where steps end */
};

/* Functions that are fitted: of two classes one, the logit of the second; of more, one per class. */
static inline size_t tamis_logistic_outputs(size_t classes) { return classes == 2 ? 1 : classes; }
size_t tamis_logistic_work(size_t rows, size_t features, size_t classes);       /* doubles */

/* Starts from b ((features + 1) x outputs, the constants last), replaces it by the minimum and returns its value. 4
 * rows x features x outputs flops per step, some tens of steps. */
double tamis_logistic(const struct tamis_logistic *q, double *b, double *work);
/* The function that is minimised, and its gradient at b. */
double tamis_logistic_value(const struct tamis_logistic *q, const double *b, double *gradient, double *work);
/* f (rows x outputs, leading dimension ld) to log probabilities of the classes, in place; f has room for all classes
 * (of two classes: the first column is the logit on entry). */
void tamis_logistic_logs(size_t rows, size_t classes, double *f, size_t ld);

#endif
