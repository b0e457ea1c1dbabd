/* The rows of the table in searches.c, and what searches share. */
#ifndef TAMIS_SEARCHES_H
#define TAMIS_SEARCHES_H

#include "base/pack.h"
#include "search/search.h"

extern const struct tamis_search tamis_forward, tamis_eliminate, tamis_backward, tamis_forward_backward,
    tamis_exhaustive, tamis_keep;

/* ---- starts (start.c) ---- */

/* The first rows among the options of a search with `starts`; tamis_start_read reads them, so their offsets are not the
 * search's. */
struct tamis_start { struct tamis_names start; size_t restarts; };
#define TAMIS_START_ROWS(standard) \
    {"start", TAMIS_NAMES, 0, standard, 0, 0, NULL, "empty|full|random|A,B,...", "the set to start from"}, \
    {"restarts", TAMIS_COUNT, 0, "0", 0, 1e6, NULL, "R", \
     "start again from R random sets, one after the other; the best set of all is kept"}
int tamis_start_read(struct tamis_walk *r, const tamis_options *o);
/* Records the start set before the first move: 1 if it did, 0 if there are moves already, -1 on failure. */
int tamis_start_first(struct tamis_walk *r);
/* Nothing remains to be done from this start: on to the next one, or done. */
int tamis_start_next(struct tamis_walk *r);

/* Moves the walk to a set: first removes the inputs that are not in it, then adds those that are missing. */
int tamis_walk_goto(struct tamis_walk *r, const unsigned char *wanted);

/* ---- the number of inputs (driver.c) ---- */

size_t tamis_walk_members(const struct tamis_walk *r, size_t input);    /* inputs that it stands for */
size_t tamis_walk_inputs(const struct tamis_walk *r);                   /* inputs in the current set, counted so */
/* How many of them may be added to the current set: SIZE_MAX without a limit. */
size_t tamis_walk_room(const struct tamis_walk *r);
int tamis_walk_over(const struct tamis_walk *r);                        /* the current set has too many */

/* ---- steps (start.c) ---- */

/* Evaluates the current set with each input toggled whose presence is `in` (-1: every input). *best is the one with the
 * smallest value, of those within a relative 1e-12 the lowest; SIZE_MAX if there is none. */
int tamis_step_best(struct tamis_walk *r, int in, size_t *best, struct tamis_score *score);
/* a is below b by more than rounding; with `equal`, also if they are equal up to rounding. */
int tamis_step_better(double a, double b, int equal);

/* ---- weights (scale.c) ---- */

int tamis_scale_begin(struct tamis_walk *r);
int tamis_scale_step(struct tamis_walk *r);

/* ---- the state of a walk ---- */

void tamis_walk_reset(struct tamis_walk *r);            /* to before the first step */
/* What saves and restores the walk (walk_checkpoint.c). path may be NULL. */
struct tamis_checkpoint tamis_walk_checkpoint(struct tamis_walk *r, const char *path, uint64_t fingerprint);

#endif
