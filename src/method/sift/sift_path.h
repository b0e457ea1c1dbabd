/* Paths and networks of sift: one weight per input, and inputs that leave by relevance. */
#ifndef TAMIS_SIFT_PATH_H
#define TAMIS_SIFT_PATH_H

#include "method/sift/sift_net.h"

enum { SIFT_WIDE = 200 };       /* with more inputs, the first step keeps this many */

/* What one path finds. */
struct sift_path {
    unsigned char *set;         /* sizes x inputs */
    double *relevance;          /* inputs: when each was last in the network; NAN: never */
    int done;
    double far;                 /* residuals beyond this were pulled in; DBL_MAX: none was */
    double *weight;             /* sizes x (inputs + 2): log weights, scale and noise of each network */
    double *evidence;           /* sizes + 1: gain in log marginal likelihood of each size over the empty set */
    /* (sizes + 1) x held rows, the last of them for the empty set: */
    double *loss;               /* squared errors summed over outputs */
    double *prediction;         /* in units of the design, or the class */
    double *score;              /* (times the scores of the frame) */
};

struct sift_path *sift_path_new(const struct sift_frame *f, size_t held);
void sift_path_free(struct sift_path *p);

/* Runs the path on rows row[0..n-1] and measures it on held[0..m-1] (m may be 0). */
int sift_path_run(const struct sift_frame *f, const size_t *row, size_t n, const size_t *held, size_t m,
                  struct sift_path *p);
size_t sift_path_evaluations(const struct sift_frame *f);       /* units of progress of one path */


#endif
