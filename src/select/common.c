/* Options that mean the same in every command and method. */
#include <stddef.h>
#include "select/method.h"

#define AT(field) offsetof(struct tamis_common, field)

const struct tamis_option tamis_common_options[] = {
    {"target", TAMIS_TEXT, AT(target), NULL, 0, 0, NULL, "NAME",
     "the column to predict, by name or number (default: the last); some methods take several, A,B"},
    {"inputs", TAMIS_NAMES, AT(inputs), NULL, 0, 0, NULL, "A,B,...",
     "the columns that may be chosen (default: all but the target)"},
    {"ignore", TAMIS_NAMES, AT(ignore), NULL, 0, 0, NULL, "A,B,...", "columns to leave alone"},
    {"task", TAMIS_CHOICE, AT(task), "auto", 0, 0, "auto|regression|classification", NULL,
     "what is predicted; auto: numbers or labels, by the target"},
    {"method", TAMIS_TEXT, AT(method), "auto", 0, 0, NULL, "NAME",
     "how inputs are chosen; 'tamis methods' lists what there is"},
    {"holdout", TAMIS_REAL, AT(holdout), "0", 0, 0.9, NULL, "F",
     "share of the rows that selection never sees, used once at the end; of a series the last rows"},
    {"outer", TAMIS_COUNT, AT(outer), "0", 0, 1e6, NULL, "K",
     "nested validation: the whole run is repeated without each of K folds, which then measure its error; 0: none"},
    {"repeats", TAMIS_COUNT, AT(repeats), "1", 1, 1000, NULL, "R", "with --outer: folds are drawn R times"},
    {"bootstrap", TAMIS_COUNT, AT(bootstrap), "0", 0, 1e6, NULL, "B",
     "the whole run on B resamples of the rows: how often is each input chosen; 0: none"},
    {"groups", TAMIS_TEXT, AT(groups), NULL, 0, 0, NULL, "COLUMN",
     "rows with the same value there belong together: no fold, hold-out or resample parts them"},
    {"blocks", TAMIS_FLAG, AT(blocks), NULL, 0, 0, NULL, NULL,
     "the rows are in order of time or place: folds are blocks of them, a hold-out the last ones"},
    {"impute", TAMIS_CHOICE, AT(impute), "none", 0, 0, "none|median|knn", NULL,
     "missing inputs: none leaves their rows out; the others fill in from training rows"},
    {"impute-neighbors", TAMIS_COUNT, AT(neighbours), "5", 1, 1000, NULL, "K",
     "nearest training rows that --impute knn averages", "impute-neighbours"},
    {"lags", TAMIS_RANGE, AT(lags), NULL, 0, 100000, NULL, NULL,
     "time series: earlier values of the columns, the target's too, are the inputs; 1:12 is the last twelve"},
    {"horizon", TAMIS_COUNT, AT(horizon), "1", 1, 100000, NULL, "H",
     "with --lags: predict H rows ahead of the newest value known"},
    {"seed", TAMIS_COUNT, AT(seed), "1", 0, 9007199254740992.0, NULL, "S", "every random choice follows from it"},
    {"standardize", TAMIS_FLAG, AT(standardize), "yes", 0, 0, NULL, NULL,
     "zero mean and unit variance, from training rows only"},
    {"evidence", TAMIS_FLAG, AT(evidence), "yes", 0, 0, NULL, NULL,
     "what a report shows beside the choice: predictions of unseen rows, profiles, an audit"},
    {"threads", TAMIS_COUNT, AT(threads), NULL, 1, 1024, "all", "T|all",
     "cores to use (default: all); results are the same for every T"},
    {"memory", TAMIS_SIZE, AT(memory), NULL, 0, 0, NULL, NULL,
     "memory that the run may use, such as 4G (default: what is free)"},
    {"checkpoint", TAMIS_TEXT, AT(checkpoint), NULL, 0, 0, NULL, "FILE",
     "state after every step; the same command resumes from it"},
    {0}};

/* What the command line does with a result: no part of the run knows these, and they do not change its numbers. */
struct output {
    const char *test, *output, *model, *report, *plot, *plot_what, *progress;
    int json, quiet, dry_run;
};
#define OUT(field) offsetof(struct output, field)

const struct tamis_option tamis_output_options[] = {
    {"test", TAMIS_TEXT, OUT(test), NULL, 0, 0, NULL, "FILE",
     "a table of rows that selection never sees, used once at the end"},
    {"output", TAMIS_TEXT, OUT(output), NULL, 0, 0, NULL, "FILE", "-o FILE: the result, as JSON"},
    {"model", TAMIS_TEXT, OUT(model), NULL, 0, 0, NULL, "FILE", "the fitted model, for 'tamis predict'"},
    {"report", TAMIS_TEXT, OUT(report), NULL, 0, 0, NULL, "FILE.html", "the result as one self-contained page"},
    {"plot", TAMIS_TEXT, OUT(plot), NULL, 0, 0, NULL, "FILE.svg|png", "one picture of the result, for a paper"},
    {"plot-what", TAMIS_CHOICE, OUT(plot_what), NULL, 0, 0,
     "auto|relevance|path|fit|residuals|profiles|slopes|surface|spectrum|inclusion|methods", "NAME",
     "what --plot draws: relevance, path, fit, residuals, profiles, slopes, surface, spectrum, inclusion, methods; "
     "auto: the first that the result has something for"},
    {"json", TAMIS_FLAG, OUT(json), NULL, 0, 0, NULL, NULL,
     "the result as JSON on standard output, instead of the table"},
    {"dry-run", TAMIS_FLAG, OUT(dry_run), NULL, 0, 0, NULL, NULL,
     "say what the run would cost in time and memory, and stop"},
    {"progress", TAMIS_CHOICE, OUT(progress), "auto", 0, 0, "auto|always|never", NULL,
     "progress on standard error; auto: only on a terminal"},
    {"quiet", TAMIS_FLAG, OUT(quiet), NULL, 0, 0, NULL, NULL, "no progress and no remarks"},
    {0}};
