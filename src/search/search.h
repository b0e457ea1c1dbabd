/* Searches and their driver. A search is one file and one row in searches.c: a step that changes the current set. The
 * driver keeps the path, reports progress, writes the checkpoint after every step, and stops when asked.
 *
 * A step may depend only on what the checkpoint holds (the current set, the path, relevances, state), so that a resumed
 * run continues with the same bits. */
#ifndef TAMIS_SEARCH_H
#define TAMIS_SEARCH_H

#include "crit/crit.h"

struct tamis_move {             /* one step of the path */
    size_t size;                /* inputs in the set after it */
    size_t inputs;              /* the same with limits.members: what limits.most counts */
    size_t first, count;        /* the inputs that changed: walk->changed[first .. first + count - 1] */
    int added;
    double cost;                /* of the set after it; 0 when inputs have no costs */
    struct tamis_score score;
};

/* The constraints on a search; all pointers may be NULL. */
struct tamis_limits {
    const unsigned char *must;  /* inputs that belong to every set */
    const double *cost;         /* of each input */
    double budget;              /* the answer may not cost more; INFINITY: no budget */
    size_t most;                /* the answer may not have more inputs; 0: no limit */
    const size_t *members;      /* how many inputs each one stands for; NULL: one */
};

struct tamis_search;

struct tamis_walk {
    tamis_context *cx;
    const struct tamis_design *design;
    const struct tamis_criterion *criterion;
    void *scorer;                               /* the criterion's own state */
    const struct tamis_search *search;
    void *settings;                             /* the search's own */

    unsigned char *start;                       /* the first set */
    int keep_start;                             /* the start set is recorded even if the search does not need it */
    size_t restarts;                            /* random starts after the first */
    uint64_t seed;
    unsigned char *set;                         /* the current set, one byte per input */
    size_t moves, move_room;
    struct tamis_move *move;                    /* move[0] is the start: nothing changed */
    size_t changes, change_room;
    size_t *changed;
    double *relevance;                          /* of each input when it was last in a fitted set; NAN: never */
    uint64_t state[4];                          /* the search's own, kept in the checkpoint */
    int done;
    int quiet;                                  /* part of something larger: no progress of its own */
    struct tamis_limits limits;

    int scaling;                                /* requested: weights of the inputs after the search */
    int scaled;                                 /* 0: not begun, 1: under way, 2: done */
    size_t scale_steps;
    unsigned char *tenth;                       /* weight of each input, in tenths */
    double scaled_value;
};

struct tamis_search {
    const char *name, *summary;
    const struct tamis_option *options;
    size_t settings_size;
    int keeps;                                  /* it never leaves an input out */
    int start_full;                             /* the first set, unless --start says otherwise: all inputs, or none */
    int starts;                 /* takes --start and --restarts: TAMIS_START_ROWS come first among its options */
    double (*remaining)(const struct tamis_walk *r);    /* evaluations from here to the end, for progress */
    int (*step)(struct tamis_walk *r);          /* calls tamis_walk_accept, or sets done */
};

const struct tamis_search *tamis_search_find(const char *name);         /* NULL: none of that name */
const struct tamis_search *tamis_search_at(size_t i);                   /* NULL past the last */
const char *tamis_search_name(const void *list, size_t i);              /* for tamis_hint */

/* A program that links the static library may define this array, ended by NULL, to add searches to the table. */
extern const struct tamis_search *const tamis_extra_searches[] __attribute__((weak));

/* Adds or removes `count` inputs and records the move. */
int tamis_walk_accept(struct tamis_walk *r, const size_t *input, size_t count, int added,
                      const struct tamis_score *score);
const struct tamis_score *tamis_walk_last(const struct tamis_walk *r);  /* NULL before the first move */
size_t tamis_walk_size(const struct tamis_walk *r);                     /* inputs in the current set */
void tamis_walk_set_at(const struct tamis_walk *r, size_t move, unsigned char *set);

/* Makes a walk; the criterion's scorer must have been started and remains the caller's. */
struct tamis_walk *tamis_walk_new(tamis_context *cx, const struct tamis_design *d, const struct tamis_criterion *c,
                                  void *scorer, const struct tamis_search *s, const tamis_options *o);
void tamis_walk_free(struct tamis_walk *r);
/* Before the first step: the constraints on all sets. The arrays remain the caller's and must outlive the walk. */
void tamis_walk_limit(struct tamis_walk *r, const struct tamis_limits *limits);
int tamis_walk_must(const struct tamis_walk *r, size_t input);
/* Whether an input may be in a set: a constant may not, unless it must. No search, method or rule chooses others. */
int tamis_walk_candidate(const struct tamis_walk *r, size_t input);
size_t tamis_walk_candidates(const struct tamis_walk *r);               /* how many there are */
/* Whether the set after a move may be the answer: within the budget, and with at most limits.most inputs. */
int tamis_walk_within(const struct tamis_walk *r, const struct tamis_move *m);
/* Runs to the end. checkpoint (or NULL): a file to resume from, if it exists and belongs to `fingerprint`. */
int tamis_walk_drive(struct tamis_walk *r, const char *checkpoint, uint64_t fingerprint);
/* After the drive of a walk with costs and a budget: tries to improve the best affordable set (budget.c). */
int tamis_walk_polish(struct tamis_walk *r);
/* TAMIS_USAGE, with the names of those that do, if a criterion does not take weights. */
int tamis_scaling_check(tamis_context *cx, const struct tamis_criterion *criterion);
/* The move with the smallest criterion among those within the limits; within a relative 1e-9 the smaller set wins. */
size_t tamis_walk_best(const struct tamis_walk *r);

#endif
