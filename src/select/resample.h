/* The whole run repeated on parts of the rows: nested validation, resamples, comparisons.
 *
 * A trial learns from some rows, standardised by their own means and scales, and is measured on rows it never saw. */
#ifndef TAMIS_RESAMPLE_H
#define TAMIS_RESAMPLE_H

#include "base/items.h"
#include "select/run.h"

struct tamis_resample {
    size_t trials, inputs;
    struct tamis_split *split;          /* of each trial */
    size_t *row;                        /* what the splits point into */
    double *weight;                     /* of each of these: what it stands for; 0: an earlier row stands for it */
    size_t folds;                       /* fewer than asked for where equal rows leave fewer groups; 0: resamples */
};

struct tamis_trial {
    int done;
    double error, all_inputs;           /* on the rows held out; NAN: unknown */
    double whole;                       /* error of its model on all rows, those it learnt from and those held out */
    double criterion;                   /* the method's own estimate for the set it chose */
    struct tamis_baselines baseline;    /* on the rows held out */
    double seconds;
    unsigned char *set;                 /* one byte per input */
    /* Of each row held out: squared error of the standardised target, or 1 if the class is wrong; NULL: none. */
    double *loss;
};

/* One trial per fold; K folds drawn R times: by groups, in blocks, or by class, as the run's options say. */
struct tamis_resample *tamis_resample_folds(struct tamis_run *run, size_t folds, size_t repeats);
/* B samples of all rows (or groups), drawn with replacement. A row drawn twice is used once, so that no row meets its
 * copy in leave-one-out or among its neighbours: about 63 % of the rows are learnt from, the others are held out. */
struct tamis_resample *tamis_resample_bootstrap(struct tamis_run *run, size_t draws);
/* B random splits of the rows into two halves, as equal as groups and classes allow: trials 2 k and 2 k + 1 learn from
 * the two halves of split k. Groups stay together; ordered rows are split in blocks of adjacent rows. */
struct tamis_resample *tamis_resample_halves(struct tamis_run *run, size_t pairs);
void tamis_resample_free(struct tamis_resample *r);

struct tamis_trial *tamis_trials_new(tamis_context *cx, size_t trials);
void tamis_trials_free(struct tamis_trial *t, size_t trials);
void tamis_trial_clear(struct tamis_trial *t);

/* The trials of one loop. */
struct tamis_trials {
    tamis_context *cx;
    const tamis_table *data;
    const tamis_options *options;       /* of the run that is repeated */
    const struct tamis_resample *resample;
    const char *what;                   /* names the trials in progress reports and errors */
    const char *checkpoint;             /* a file of finished trials; NULL: none */
    uint64_t fingerprint;
    int spares;                         /* the call can do without these trials, should one fail */
    struct tamis_trial *trial;
};
/* Runs the trials that are not done; the checkpoint is read first if it exists, and written after each trial. */
int tamis_trials_run(struct tamis_trials *t);
/* The file of finished trials, and one of them as bytes (trials_file.c). Resume does nothing if there is no file;
 * TAMIS_USAGE if it belongs to another run. */
int tamis_trials_save(void *trials);
int tamis_trials_resume(struct tamis_trials *t);
int tamis_trials_restore(struct tamis_trials *t, const void *bytes, size_t n);
void tamis_trial_pack(const void *trials, size_t k, struct tamis_pack *p);
void tamis_trial_unpack(void *trials, size_t k, struct tamis_unpack *u);

/* Over trials: mean and standard deviation of the errors, and the standard error of their mean with the correction of
 * Nadeau and Bengio (2003) for training rows that trials share. */
struct tamis_trials_summary {
    double mean, sd, se, all_inputs, whole, criterion, seconds;
    struct tamis_baselines baseline;
    double size_mean;
    size_t size_min, size_max;
    double stability, low, high;        /* Nogueira's measure and its 95 % interval; NAN: not defined */
};
void tamis_trials_summarise(const struct tamis_resample *r, const struct tamis_trial *t,
                            struct tamis_trials_summary *s);
double tamis_trials_frequency(const struct tamis_resample *r, const struct tamis_trial *t, size_t input);
/* The weights of the rows that trial k holds out. */
const double *tamis_resample_held(const struct tamis_resample *r, size_t k);
/* Rows held out per row learnt from, the mean over trials: what the correction needs. */
double tamis_resample_ratio(const struct tamis_resample *r);

/* error, inputs, stability, frequency and, for each trial, errors, criteria and sets, as members of a record. */
void tamis_add_trials(tamis_value *to, const struct tamis_encoder *e, const struct tamis_resample *r,
                      const struct tamis_trial *trial, const struct tamis_trials_summary *s);

/* The trials of a run with these options, resumed from and saved to `file` (or NULL), and their summary; the caller
 * frees *trial (outer.c). */
int tamis_trials_of(struct tamis_run *run, const tamis_options *o, const struct tamis_resample *r, const char *what,
                    const char *file, struct tamis_trial **trial, struct tamis_trials_summary *s);
/* The trials as users of the library read them, and how often each input was chosen. */
int tamis_trials_keep(struct tamis_run *run, const char *kind, const struct tamis_resample *r,
                      const struct tamis_trial *trial);

/* Mean loss on the rows with a target that the run learnt from. */
int tamis_learnt_error(const struct tamis_run *run, const struct tamis_model *m, double *error);

/* All runs that --outer and --bootstrap ask for, in units of the selection from all rows, which is the first; and the
 * part of it that a run on a share of the rows takes. */
double tamis_outer_runs(const struct tamis_run *run);
double tamis_part_of_run(double share);
/* --stability instead of a plain run of the method (stability.c): whether it can be done, how many runs it takes, and
 * the selection. */
int tamis_stability_check(const struct tamis_run *run);
double tamis_stability_runs(const struct tamis_common *m);
int tamis_stability_select(struct tamis_run *run);
void tamis_stability_skip(tamis_options *o);            /* the options of a plain run of the method */
/* --outer and --bootstrap, after the selection itself: fills the result. */
int tamis_outer_run(struct tamis_run *run);

#endif
