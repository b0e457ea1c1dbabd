/* A comparison and the memory behind it. */
#ifndef TAMIS_COMPARISON_H
#define TAMIS_COMPARISON_H

#include "select/resample.h"

struct tamis_entrant {                  /* behind a contender */
    char *label, *failed;
    double *frequency;
    struct tamis_trial *trial;
    struct tamis_text json;             /* its fields, from tamis_trials_json */
};

struct tamis_match {
    tamis_comparison open;              /* first: a pointer to it is a pointer to this */
    tamis_contender *contender;
    struct tamis_entrant *entrant;
    tamis_difference *difference;
    struct tamis_resample *resample;
    char **name, **note, **word, *file, *target;
    size_t names, notes, words;
    struct tamis_text evidence;         /* "" or an object: where the data come from, see evidence.h */
};

extern const struct tamis_option tamis_compare_options[];

#endif
