/* The parts of method fei: ranking by many networks, cross-validation along the ranking, indices of sets. */
#ifndef TAMIS_METHOD_FEI_H
#define TAMIS_METHOD_FEI_H

#include "base/journal.h"
#include "select/method.h"
#include "model/rbf_classifier.h"
#include "num/fei_index.h"

struct tamis_fei_settings {
    size_t hidden, starts, epochs, folds, list, sizes;
    const char *index, *weights, *pairs, *classifier, *rule;
    double rate;
};

/* What networks are trained on; inputs with a single value are not part of it. */
struct tamis_fei_data {
    size_t rows, columns, classes, inputs;
    const struct tamis_design *design;  /* where it comes from: how rows may be cut into folds */
    double *x;                          /* rows x columns */
    double *y;
    double *weight;                     /* of the rows; NULL: every row counts once */
    size_t *input;                      /* the design's index of each input */
    size_t *first, *width;              /* its columns of x */
    struct tamis_journal *journal;      /* of finished networks and folds; NULL: they are not kept */
};

struct tamis_fei_ranking {
    size_t inputs, classes, starts;     /* classes with rows; starts whose index is defined */
    size_t nodes;                       /* the fewest that any start made */
    double *a[2], *b[2];                /* of FEI, FEI': inputs x (classes starts), start after start */
    double *single;                     /* inputs x starts: the index of every input alone */
    double *mean_rank, *agreement;      /* per input; agreement: share of starts that give it this rank */
    size_t *order;                      /* the inputs, most important first */
    double *sse;                        /* per start */
};

struct tamis_fei_path {
    size_t steps;
    size_t *size;                       /* inputs at each step: the first of the ranking */
    double *error, *se;
    size_t best, chosen;
};

struct tamis_fei_growth { size_t steps, hidden[40]; double error[40], se[40]; };

int tamis_fei_which(const struct tamis_fei_settings *s);        /* 0: fei, 1: fei2 */
struct tamis_training tamis_fei_training(const struct tamis_fei_data *d, const struct tamis_fei_settings *s,
                                         size_t nodes, int classifier);

/* Ranks by `starts` networks with streams first, first + 1, ...; both: a and b of both indices, otherwise of s->index
 * alone. If the index is undefined in every start, out->starts is 0 and the inputs stay in order. */
int tamis_fei_rank(tamis_context *cx, const struct tamis_fei_data *d, const struct tamis_fei_settings *s, size_t nodes,
                   size_t starts, int both, uint64_t seed, uint32_t first, struct tamis_fei_ranking *out);
void tamis_fei_ranking_free(struct tamis_fei_ranking *r);

/* One trainer per worker for these sizes, ended by NULL; NULL on failure. */
struct tamis_trainer **tamis_fei_trainers(tamis_context *cx, size_t items, size_t rows, size_t columns, size_t nodes,
                                          size_t classes);
void tamis_fei_trainers_free(struct tamis_trainer **w);

/* Hidden nodes at a step of the growth: 2 l, 3 l, 4 l, 6 l, 8 l, 12 l, ...; no more than half the rows, but more than
 * the classes l. */
size_t tamis_fei_nodes(size_t step, size_t classes, size_t rows);
/* Adds hidden nodes until the cross-validated error stops falling; *nodes: the fewest within a standard error of the
 * least. */
int tamis_fei_grow(tamis_context *cx, const struct tamis_fei_data *d, const struct tamis_fei_settings *s, uint64_t seed,
                   struct tamis_fei_growth *g, size_t *nodes);
/* Cross-validated errors of the first k inputs of the ranking, every fold with the ranking of its own training rows. */
int tamis_fei_cross(tamis_context *cx, const struct tamis_fei_data *d, const struct tamis_fei_settings *s, size_t nodes,
                    uint64_t seed, struct tamis_fei_path *p);
void tamis_fei_path_free(struct tamis_fei_path *p);

/* The method's block of the result. */
struct tamis_fei_answer {
    const struct tamis_fei_data *data;
    const struct tamis_fei_settings *settings;
    const struct tamis_fei_ranking *ranking;
    const struct tamis_fei_path *path;
    const struct tamis_fei_growth *growth;
    size_t nodes;
    tamis_input *input;                 /* of the result: names */
};
int tamis_fei_block_fill(tamis_context *cx, const struct tamis_fei_answer *w, tamis_value *block);
extern const char *const tamis_fei_rules[2];

enum { TAMIS_FEI_ALL_SUBSETS = 20, TAMIS_FEI_LIST_ALL = 10 };

#endif
