/* Probabilities from the scores of a classifier, and how good they are. */
#ifndef TAMIS_CALIBRATE_H
#define TAMIS_CALIBRATE_H

#include <stddef.h>

/* Rows with their classes. A row whose weight is 0, or whose class is none of them, does not count. */
struct tamis_scored {
    size_t rows, classes;
    const double *score;        /* rows x classes, column-major; the largest wins */
    const double *class_of;     /* index of the class */
    const double *weight;       /* of each row; NULL: 1 */
};

/* p_k = (1 - floor) exp(z_k) / sum exp(z) + floor / classes, z_k = -slope[k] g_k - slope[classes + k] g_k^2,
 * g_k = (largest score - score of k) / unit; with on_log, of the logarithms of the scores. */
struct tamis_calibrator {
    size_t classes;
    int on_log;
    double unit, floor;         /* > 0; between 0 and 1 */
    double *slope;              /* 2 x classes, not negative */
};

size_t tamis_calibrate_work(size_t classes);                            /* doubles */
/* Fits unit, floor and slope (the caller's room) to the rows. Returns the mean of the function minimised. */
double tamis_calibrate(const struct tamis_scored *s, struct tamis_calibrator *c, double *work);
/* Leaves the scores as they are: log probabilities of the classes, or with on_log (set before) probabilities. */
void tamis_calibrate_none(struct tamis_calibrator *c, double rows);
/* What tamis_calibrate minimises, at slope; gradient: 2 x classes. */
double tamis_calibrate_value(const struct tamis_scored *s, const struct tamis_calibrator *c, const double *slope,
                             double *gradient, double *work);
/* Probabilities of n rows, column-major as the scores are; p may be score. */
void tamis_calibrator_apply(const struct tamis_calibrator *c, const double *score, size_t n, double *p);

#endif
