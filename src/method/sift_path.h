/* One path of sift: a network with one weight an input, its inputs leaving by relevance. */
#ifndef TAMIS_SIFT_PATH_H
#define TAMIS_SIFT_PATH_H

#include "data/design.h"

/* What all paths of a run share. */
struct sift_frame {
    tamis_context *cx;
    const struct tamis_design *design;
    size_t outputs;             /* 1, or one a class */
    const double *target;       /* rows x outputs */
    size_t sizes;               /* of the sets on the path, falling, the last 1 */
    const size_t *size;
    size_t learn, fit;          /* rows that weights are learnt on, rows that the network stands on, at most */
    uint64_t seed;
};

/* What one path finds. */
struct sift_path {
    unsigned char *set;         /* sizes x inputs */
    double *relevance;          /* inputs: when each was last in the network; NAN: never */
    double *error;              /* (sizes + 1) x held rows: squared errors summed over outputs; the last row of sets is the empty one */
    double *wrong;              /* classification: the same, 1 where the class is wrong */
};

struct sift_path *sift_path_new(const struct sift_frame *f, size_t held);
void sift_path_free(struct sift_path *p);

/* Runs the path on rows row[0..n-1] and measures it on held[0..m-1] (m may be 0). index names the random stream. */
int sift_path_run(const struct sift_frame *f, const size_t *row, size_t n, const size_t *held, size_t m, uint32_t index, struct sift_path *p);

/* The final network of a set on these rows: weights of the inputs (inputs of them, 0 outside the set) and the model. */
struct tamis_model *sift_model(const struct sift_frame *f, const size_t *row, size_t n, const unsigned char *set, double *relevance);

size_t sift_memory(const struct sift_frame *f);         /* doubles that one path takes */

#endif
