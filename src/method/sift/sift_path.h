/* One path of sift: a network with one weight an input, its inputs leaving by relevance. */
#ifndef TAMIS_SIFT_PATH_H
#define TAMIS_SIFT_PATH_H

#include "method/sift/sift_net.h"

enum { SIFT_WIDE = 200,         /* inputs that are left after the first step, where there are more */
       SIFT_STAND = 1000 };     /* rows that a network measured on held-out rows stands on, at most */

/* What one path finds. */
struct sift_path {
    unsigned char *set;         /* sizes x inputs */
    double *relevance;          /* inputs: when each was last in the network; NAN: never */
    double *start; /* inputs + 2: log weights (of an input that had left already, the least), scale and noise of the
                      first network */
    int done;
    double far;                 /* residuals beyond this were pulled in; DBL_MAX: none was */
    double *evidence;           /* sizes + 1: gain in log marginal likelihood of each size over the empty set */
    double *loss; /* (sizes + 1) x held rows, the last for the empty set: squared errors summed over outputs */
    double *guess;              /* the same: predictions in units of the design, or the class */
    double *error;              /* the same as loss: what is reported, squared errors, or 1 where the class is wrong */
};

struct sift_path *sift_path_new(const struct sift_frame *f, size_t held);
void sift_path_free(struct sift_path *p);

/* Runs the path on rows row[0..n-1] and measures it on held[0..m-1] (m may be 0). start (or NULL): as in a path,
 * weights to start from too. index names the random stream. */
int sift_path_run(const struct sift_frame *f, const size_t *row, size_t n, const size_t *held, size_t m,
                  const double *start, uint32_t index, struct sift_path *p);

/* Losses, as in a path, of the network of a set: learnt on rows row[0..n-1], measured on held[0..m-1]. */
int sift_set_losses(const struct sift_frame *f, const size_t *row, size_t n, const size_t *held, size_t m,
                    const unsigned char *set, uint32_t index, double *loss);

/* The final network of a set on these rows; relevance of the inputs in the set, the others untouched. */
struct tamis_model *sift_model(const struct sift_frame *f, const size_t *row, size_t n, const unsigned char *set,
                               double *relevance);

double sift_memory(const struct sift_frame *f);         /* doubles that one path takes, at most */

#endif
