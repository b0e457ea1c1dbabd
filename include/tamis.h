/* tamis: which inputs matter, how certain is that, and the smallest accurate nonlinear model that uses only them.
 *
 *     tamis_context *cx = tamis_context_new();
 *     tamis_options *o = tamis_options_new(cx);
 *     tamis_table *t = NULL;
 *     tamis_result *r = NULL;
 *     int status = tamis_options_set(o, "method", "sisal");
 *     if (!status) status = tamis_table_read(cx, "boston.csv", o, &t);
 *     if (!status) status = tamis_select(cx, t, NULL, o, &r);
 *     if (status) fprintf(stderr, "%s\n", tamis_error(cx));
 *     tamis_result_free(r);
 *     tamis_table_free(t);
 *     tamis_options_free(o);
 *     tamis_context_free(cx);
 *
 * The library prints nothing, never exits and keeps no global state. Functions that can fail return a status (0 is
 * success) and leave a sentence in the context. A context serves one thread at a time; several contexts may run at
 * once. The caller owns what a `_new`, `_read`, `_load`, `_take` or out argument hands over and gives it back with the
 * `_free` of its kind; `_free(NULL)` is legal. Text and memory buffers are given back with tamis_release. Strings and
 * arrays inside an object live as long as the object.
 *
 * Structures that the library fills begin with their size, set by the caller (`tamis_input in = {sizeof in};`), so that
 * later versions can add fields at the end. */
#ifndef TAMIS_H
#define TAMIS_H

#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

#if defined(__GNUC__)
#define TAMIS_API __attribute__((visibility("default")))
#else
#define TAMIS_API
#endif

/* ---- status ---- */

enum tamis_status {
    TAMIS_OK = 0,
    TAMIS_NUMERIC,      /* a computation failed */
    TAMIS_MEMORY,       /* not enough memory: the sentence says how much was needed */
    TAMIS_SYSTEM,       /* a file could not be written, a library failed */
    TAMIS_USAGE,        /* an option or an argument is wrong */
    TAMIS_DATA,         /* the data or the model file is wrong */
    TAMIS_STOPPED       /* tamis_cancel, or the cancel callback, asked for it */
};
TAMIS_API int tamis_exit_code(int status);      /* 0, 1 (the run failed), 2 (usage), 3 (data), 130 (stopped) */

/* ---- context ---- */

typedef struct tamis_context tamis_context;

TAMIS_API const char *tamis_version(void);
TAMIS_API const char *tamis_blas(void);         /* the BLAS kernels in use */
TAMIS_API tamis_context *tamis_context_new(void);
TAMIS_API void tamis_context_free(tamis_context *cx);
TAMIS_API const char *tamis_error(const tamis_context *cx);     /* the sentence of the last error, or "" */
/* threads 0: all cores; bytes 0: what is free. The options threads and memory of a call take precedence. */
TAMIS_API void tamis_context_limits(tamis_context *cx, int threads, double bytes);

/* Callbacks run on the thread that called the library, between pieces of work, never on another one. NULL: none.
 * note: a remark that the user should read. progress: done out of total, under the name of what is being done.
 * cancel: nonzero stops the run; called several times per second. */
typedef void tamis_note_function(void *user, const char *sentence);
typedef void tamis_progress_function(void *user, const char *what, double done, double total);
typedef int tamis_cancel_function(void *user);
TAMIS_API void tamis_context_on_note(tamis_context *cx, tamis_note_function *note, void *user);
TAMIS_API void tamis_context_on_progress(tamis_context *cx, tamis_progress_function *progress, void *user);
TAMIS_API void tamis_context_on_cancel(tamis_context *cx, tamis_cancel_function *cancel, void *user);
/* Stops the call under way in cx with TAMIS_STOPPED; its checkpoint is kept. Safe in a signal handler and from any
 * thread. A context that is idle refuses its next call; tamis_cancel_clear takes that back. */
TAMIS_API void tamis_cancel(tamis_context *cx);
TAMIS_API void tamis_cancel_clear(tamis_context *cx);

/* ---- values: results, descriptions and catalogues as data ---- */

typedef struct tamis_value tamis_value;

enum tamis_value_kind {
    TAMIS_VALUE_NULL,
    TAMIS_VALUE_FLAG,
    TAMIS_VALUE_NUMBER,
    TAMIS_VALUE_TEXT,
    TAMIS_VALUE_NUMBERS,        /* a list of numbers; NAN where there is none */
    TAMIS_VALUE_LIST,
    TAMIS_VALUE_RECORD
};

TAMIS_API int tamis_value_kind(const tamis_value *v);           /* NULL: TAMIS_VALUE_NULL */
TAMIS_API size_t tamis_value_length(const tamis_value *v);      /* of a list, numbers or a record; 0 otherwise */
TAMIS_API const tamis_value *tamis_value_item(const tamis_value *v, size_t i); /* of a list or a record, or NULL */
TAMIS_API const char *tamis_value_key(const tamis_value *v, size_t i);                  /* of a record, or NULL */
TAMIS_API const tamis_value *tamis_value_get(const tamis_value *v, const char *key); /* member of a record, or NULL */
/* Members by dotted path ("error.test"; NULL or "": v itself). What is absent or of another kind is NULL, NAN or 0. */
TAMIS_API const tamis_value *tamis_value_at(const tamis_value *v, const char *path);
TAMIS_API double tamis_value_number(const tamis_value *v, const char *path);
TAMIS_API const char *tamis_value_text(const tamis_value *v, const char *path);
TAMIS_API int tamis_value_flag(const tamis_value *v, const char *path);
TAMIS_API const double *tamis_value_numbers(const tamis_value *v, const char *path, size_t *n);
TAMIS_API double tamis_value_item_number(const tamis_value *v, size_t i); /* of a list of numbers, or NAN */
TAMIS_API void tamis_value_free(tamis_value *v);
TAMIS_API int tamis_value_json(tamis_context *cx, const tamis_value *v, char **text, size_t *length);
/* A JSON object from n bytes; TAMIS_DATA with the line where it is not one. */
TAMIS_API int tamis_value_parse(tamis_context *cx, const char *json, size_t n, tamis_value **out);

/* ---- options ---- */

typedef struct tamis_options tamis_options;

/* One row of the option tables: what --help, the man page and the front ends show. */
typedef struct tamis_option_info {
    size_t size;
    const char *name;           /* "sigma2": --sigma2 on the command line */
    const char *alias;          /* an older name, still accepted and not shown; NULL: none */
    const char *type;           /* "flag", "count", "real", "grid", "range", "choice", "text", "names" */
    const char *argument;       /* "FROM:TO:COUNT", or NULL: a flag */
    const char *standard;       /* the default, as the user would type it; NULL: none */
    const char *choices;        /* "a|b|c", of a choice and of the words that a count or grid also takes; NULL: none */
    double least, largest;      /* of numbers; both 0: unbounded */
    const char *help;
    const char *part;           /* "common", "data", a command, or the method, criterion or search that it belongs to */
    const char *kind;           /* "method", "criterion", "search", or "all" */
    int basic;                  /* one of the few that most people need: on the first page of help */
} tamis_option_info;

TAMIS_API tamis_options *tamis_options_new(tamis_context *cx);
TAMIS_API void tamis_options_free(tamis_options *o);
/* Sets one option by name; the value is text as on the command line (NULL or "" for a flag). Unknown names and values
 * that do not parse are TAMIS_USAGE; so is, at the call that gets the options, an option that this call does not
 * use. */
TAMIS_API int tamis_options_set(tamis_options *o, const char *name, const char *value);
TAMIS_API int tamis_options_set_number(tamis_options *o, const char *name, double value);
TAMIS_API int tamis_options_set_flag(tamis_options *o, const char *name, int value);
TAMIS_API int tamis_options_set_names(tamis_options *o, const char *name, const char *const *value, size_t n);
TAMIS_API void tamis_options_unset(tamis_options *o, const char *name);
TAMIS_API const char *tamis_options_get(const tamis_options *o, const char *name);     /* as set; NULL: not set */
/* As set, else the default; TAMIS_USAGE where there is neither or it is not of that type. */
TAMIS_API int tamis_options_get_number(const tamis_options *o, const char *name, double *value);
TAMIS_API int tamis_options_get_flag(const tamis_options *o, const char *name, int *value);
TAMIS_API int tamis_options_command(tamis_options *o, int words, char **word);          /* echoed in results */
TAMIS_API int tamis_option_at(size_t i, tamis_option_info *info);                       /* 0 past the last */

/* ---- what there is ---- */

typedef struct tamis_part_info {
    size_t size;
    const char *kind;           /* "method", "criterion", "search", "model", "generator", "figure", "format" */
    const char *name;
    const char *task;           /* "regression", "classification", "both", or NULL */
    const char *summary;
    const char *paper;          /* NULL: none */
    const char *label;          /* what tables and figures call it, or its value */
    int several_targets, checkpoint, constraints;       /* of a method: whether it takes or keeps them; the first of a
                                                           criterion too */
    /* Of a figure: words for the run that it needs: "compare" (else a selection), "lags", "evidence"; NULL: none. */
    const char *needs;
    int weights;                /* of a method or criterion: whether it takes row weights (row-weights) */
    int two_classes;            /* of a method: in classification, no more than two classes */
    const char *relevance;      /* of a method or criterion: the name of its measure of inputs; NULL of a method: as its
                                   criterion's */
} tamis_part_info;

TAMIS_API int tamis_part_at(size_t i, tamis_part_info *info);                           /* 0 past the last */
/* What --as-published sets for a method (by name), where the user gives no other value, and where its paper says so. */
typedef struct tamis_published_info { size_t size; const char *option, *value, *where; } tamis_published_info;
TAMIS_API int tamis_published_at(const char *method, size_t i, tamis_published_info *info);     /* 0 past the last */
TAMIS_API int tamis_catalogue(tamis_context *cx, tamis_value **out); /* all parts with their options */
/* The i-th word of a list, NULL past the last; "" is skipped. */
typedef const char *tamis_word_at(const void *list, size_t i);
/* The word of the list that is most like `word`, for "did you mean ...?"; NULL: none is. */
TAMIS_API const char *tamis_nearest(const char *word, tamis_word_at *at, const void *list);

/* ---- tables ---- */

typedef struct tamis_table tamis_table;

/* A table in any format (docs/formats.md), found by its first bytes, also behind gzip and zstd; "-" is standard input.
 * Uses the options missing, delimiter, decimal, categorical. */
TAMIS_API int tamis_table_read(tamis_context *cx, const char *path, const tamis_options *o, tamis_table **out);
TAMIS_API int tamis_table_read_memory(tamis_context *cx, const void *bytes, size_t n, const char *name,
                                      const tamis_options *o, tamis_table **out);

/* How the values of a column lie in memory. */
enum tamis_format {
    TAMIS_F64, TAMIS_F32, TAMIS_I8, TAMIS_I16, TAMIS_I32, TAMIS_I64, TAMIS_U8, TAMIS_U16, TAMIS_U32, TAMIS_U64,
    TAMIS_BOOL,                 /* one byte, 0 or 1 */
    TAMIS_TEXT_POINTERS         /* const char *; NULL is missing */
};

/* A column as arrays. Numbers; categories as integer codes with `level`, a negative code being missing; categories as
 * texts; dates and times as numbers, in days since 1970. NaN is missing, and so is a row whose byte in `missing` is not
 * 0. */
typedef struct tamis_column {
    size_t size;
    const char *name;
    const void *value;
    int format;                         /* enum tamis_format */
    ptrdiff_t stride;                   /* bytes from one row to the next; 0: values lie side by side */
    const char *const *level;           /* NULL: numbers (or texts) */
    size_t levels;
    const unsigned char *missing;       /* one byte per row, or NULL */
    double unit; /* of dates and times: units per day (1, 24, 86400, 86400e3, ...); 0: not a date */
    int borrow;                         /* doubles that lie side by side are not copied and must outlive the table */
} tamis_column;

/* name: what messages call the table. */
TAMIS_API int tamis_table_from_columns(tamis_context *cx, const char *name, size_t rows, const tamis_column *column,
                                       size_t columns, tamis_table **out);
TAMIS_API int tamis_table_add(tamis_context *cx, tamis_table *t,
                              const tamis_column *column); /* a target, groups, row weights, ... */
/* Numbers and dates become labels, written as in a file: those of the columns that the option categorical names. */
TAMIS_API int tamis_table_categorise(tamis_context *cx, tamis_table *t, const tamis_options *o);
/* rows x columns doubles, copied; element (i, j) is x[i * row_stride + j * column_stride], so that (1, rows) is
 * column-major and (columns, 1) row-major. names may be NULL: x1, x2, ... */
TAMIS_API int tamis_table_from_numbers(tamis_context *cx, size_t rows, size_t columns, const double *x,
                                       ptrdiff_t row_stride, ptrdiff_t column_stride, const char *const *names,
                                       tamis_table **out);

/* Arrow's C data and stream interfaces (arrow.apache.org): a struct array, or a stream of them, whose children are the
 * columns. Taken over and released, also on failure. */
struct ArrowSchema;
struct ArrowArray;
struct ArrowArrayStream;
TAMIS_API int tamis_table_from_arrow(tamis_context *cx, struct ArrowSchema *schema, struct ArrowArray *array,
                                     tamis_table **out);
TAMIS_API int tamis_table_from_arrow_stream(tamis_context *cx, struct ArrowArrayStream *stream, tamis_table **out);

/* A table with a known answer: see tamis_part_at for the names. Uses the options rows, useless, noise, seed. */
TAMIS_API int tamis_table_generate(tamis_context *cx, const char *name, const tamis_options *o, tamis_table **out);
TAMIS_API int tamis_table_csv(tamis_context *cx, const tamis_table *t, char **text, size_t *length);
TAMIS_API void tamis_table_free(tamis_table *t);
TAMIS_API size_t tamis_table_rows(const tamis_table *t);
TAMIS_API size_t tamis_table_columns(const tamis_table *t);
TAMIS_API const char *tamis_table_name(const tamis_table *t, size_t column);
/* The column as it lies in the table: doubles, in days where it is a date; of a category the indices of its levels; NaN
 * is missing. Good until the table is freed. */
TAMIS_API void tamis_table_column(const tamis_table *t, size_t column, tamis_column *out);
/* file, rows, duplicate_rows and, for each column, name, type, role, missing, distinct, constant, min, max, mean, sd,
 * levels. Roles follow from the options target, inputs, ignore, groups, row-weights, keep, dates; o may be NULL. */
TAMIS_API int tamis_table_describe_with(tamis_context *cx, const tamis_table *t, const tamis_options *o,
                                        tamis_value **out);
TAMIS_API int tamis_table_describe(tamis_context *cx, const tamis_table *t, tamis_value **out); /* with o NULL */
/* Missing values out (section 5.1 of Mateo and Lendasse, 2008): each iteration drops the column with the most missing
 * values, then the k rows with the most, until none is missing. Uses the options target, samples-per-step, min-rows.
 * *report: what is kept, and the trade-off, one entry for each k tried. */
TAMIS_API int tamis_table_clean(tamis_context *cx, const tamis_table *t, const tamis_options *o, tamis_table **out,
                                tamis_value **report);
/* Of a table that tamis_table_clean made: for each row, which one of the table before it was, from 0; else NULL. */
TAMIS_API const size_t *tamis_table_cleaned(const tamis_table *t);

/* ---- selection ---- */

typedef struct tamis_model tamis_model;
typedef struct tamis_result tamis_result;

/* Selects inputs of `data` and fits the model; `test` (or NULL) holds rows that are used once, at the end. */
TAMIS_API int tamis_select(tamis_context *cx, const tamis_table *data, const tamis_table *test, const tamis_options *o,
                           tamis_result **out);
/* What the run would cost, without running it. */
TAMIS_API int tamis_estimate(tamis_context *cx, const tamis_table *data, const tamis_options *o, double *bytes,
                             double *flops);
TAMIS_API void tamis_result_free(tamis_result *r);
/* All of it, with the fields that the schema (share/tamis/result.schema.json) describes. */
TAMIS_API const tamis_value *tamis_result_value(const tamis_result *r);
TAMIS_API int tamis_result_json(tamis_context *cx, const tamis_result *r, char **text, size_t *length);

typedef struct tamis_input {
    size_t size;
    const char *name;
    int selected;
    int constant;               /* one value in all training rows */
    double relevance;           /* the method's own measure, larger is more relevant; NAN: it has none for this input */
    size_t rank;                /* 1 is the most relevant; 0: unknown */
    double frequency; /* share of the resamples, or else of the outer folds, that chose it; NAN: none were run */
    double importance;          /* growth of the error on rows not seen when this input is permuted; NAN: unknown */
    double importance_se;       /* its standard error */
} tamis_input;
TAMIS_API size_t tamis_result_inputs(const tamis_result *r); /* candidates, in column order */
TAMIS_API int tamis_result_input(const tamis_result *r, size_t i, tamis_input *out);    /* 0 past the last */
TAMIS_API size_t tamis_result_selected(const tamis_result *r, const size_t **input);    /* most relevant first */

typedef struct tamis_step {
    size_t size;
    size_t inputs;              /* in the set after this step */
    ptrdiff_t changed;          /* the first input added or removed; -1: none */
    int added;                  /* 1: added, 0: removed */
    size_t also;                /* how many more changed in the same step */
    double criterion;
    int chosen;                 /* the answer was taken from this step */
} tamis_step;
TAMIS_API size_t tamis_result_steps(const tamis_result *r);
TAMIS_API int tamis_result_step(const tamis_result *r, size_t k, tamis_step *out);      /* 0 past the last */
/* The set after step k: set[i] is 1 for each input in it, 0 for the others. Room for all inputs. Its size. */
TAMIS_API size_t tamis_result_set(const tamis_result *r, size_t k, unsigned char *set);

/* Trials: the outer folds (or else the resamples) that the whole run was repeated on. */
typedef struct tamis_trial_info {
    size_t size;
    const char *kind;           /* "outer" or "bootstrap" */
    size_t inputs;              /* chosen */
    double error, all_inputs;   /* on the rows held out, with the chosen and with all inputs; NAN: unknown */
} tamis_trial_info;
TAMIS_API size_t tamis_result_trials(const tamis_result *r);
TAMIS_API int tamis_result_trial(const tamis_result *r, size_t k, tamis_trial_info *out,
                                 unsigned char *set); /* set: or NULL */

/* Predictions of training rows by models that were not fitted on them, in the target's units or as the index of the
 * class, with the rows of the table that they are of. How many; 0: the method has none. */
TAMIS_API size_t tamis_result_held_out(const tamis_result *r, const size_t **row, const double **prediction);
TAMIS_API const tamis_model *tamis_result_model(const tamis_result *r);         /* lives as long as the result */
TAMIS_API tamis_model *tamis_result_take_model(tamis_result *r); /* the caller's from now on; NULL: none */

/* ---- comparisons ---- */

typedef struct tamis_comparison tamis_comparison;

/* The same outer folds for several methods: option methods (none: every one for the task), outer, repeats and those of
 * the methods. */
TAMIS_API int tamis_compare(tamis_context *cx, const tamis_table *data, const tamis_options *o, tamis_comparison **out);
/* What the comparison would cost, without running it: folds, repeats, methods[] with method, bytes and flops of all
 * folds, and not_for[]. */
TAMIS_API int tamis_compare_estimate(tamis_context *cx, const tamis_table *data, const tamis_options *o,
                                     tamis_value **out);
TAMIS_API void tamis_comparison_free(tamis_comparison *c);
TAMIS_API const tamis_value *tamis_comparison_value(const tamis_comparison *c);
TAMIS_API int tamis_comparison_json(tamis_context *cx, const tamis_comparison *c, char **text, size_t *length);

/* ---- runs in parts ---- */

/* A run whose independent items (outer folds, resamples, draws, chains, cells of a grid) several processes share. Each
 * makes the same call of tamis_select or tamis_compare after tamis_shard_begin, with its own number from 1 to count;
 * the call computes its items alone, *out is NULL, and tamis_shard_save writes them to a file, a part. A last process
 * adds all parts and makes the same call again: it gives the result that one process would have given. The option
 * checkpoint of a part names a file from which it resumes. */
TAMIS_API int tamis_shard_begin(tamis_context *cx, size_t index, size_t count);
TAMIS_API int tamis_shard_save(tamis_context *cx, const char *path);
/* TAMIS_DATA or TAMIS_USAGE for a part of another run, version or table, or one that was added before. */
TAMIS_API int tamis_shard_add(tamis_context *cx, const char *path);
/* What tamis_options_command was in the parts; how many words. They live until tamis_shard_end. */
TAMIS_API int tamis_shard_command(const tamis_context *cx, const char *const **word);
TAMIS_API void tamis_shard_end(tamis_context *cx);              /* the next call is whole again */

/* ---- reports: drawn from the value of a result or comparison and nothing else ---- */

TAMIS_API int tamis_report_html(tamis_context *cx, const tamis_value *result, char **html, size_t *length);
/* One figure as SVG; tamis_part_at lists them; NULL: the first that the result has something for. */
TAMIS_API int tamis_report_figure(tamis_context *cx, const tamis_value *result, const char *figure, char **svg,
                                  size_t *length);

/* What to draw, and how. */
typedef struct tamis_report_form {
    size_t size;
    const char *figure;         /* NULL: the page; "auto": the first figure that the result has something for */
    const char *const *label;   /* "NAME=TEXT": what figures call a column or an axis */
    size_t labels;
} tamis_report_form;
/* The page or a figure of a result; the two above are this with other arguments. */
TAMIS_API int tamis_report(tamis_context *cx, const tamis_value *result, const tamis_report_form *form, char **text,
                           size_t *length);

/* ---- models ---- */

TAMIS_API int tamis_model_save(tamis_context *cx, const tamis_model *m, const char *path);
TAMIS_API int tamis_model_save_memory(tamis_context *cx, const tamis_model *m, void **bytes, size_t *n);
TAMIS_API int tamis_model_load(tamis_context *cx, const char *path, tamis_model **out);
TAMIS_API int tamis_model_load_memory(tamis_context *cx, const void *bytes, size_t n, tamis_model **out);
TAMIS_API void tamis_model_free(tamis_model *m);
TAMIS_API const char *tamis_model_kind(const tamis_model *m);                           /* "rbf", "linear", ... */
TAMIS_API size_t tamis_model_basis_functions(const tamis_model *m);
TAMIS_API size_t tamis_model_inputs(const tamis_model *m);
TAMIS_API const char *tamis_model_input(const tamis_model *m, size_t i);
/* The levels of an input that is a category; 0: a number. */
TAMIS_API size_t tamis_model_levels(const tamis_model *m, size_t input, const char *const **level);
TAMIS_API const char *tamis_model_target(const tamis_model *m);
TAMIS_API size_t tamis_model_targets(const tamis_model *m);                             /* 1, or more numbers at once */
TAMIS_API const char *tamis_model_target_at(const tamis_model *m, size_t i);
TAMIS_API size_t tamis_model_classes(const tamis_model *m, const char *const **name);   /* 0: it predicts numbers */
/* One prediction per row of t (rows x targets, column-major, where there are several): a number in the units of the
 * target, or the index of the class; NAN where an input is missing and the model does not impute. A model with lags
 * takes the series themselves, in time order, and predicts every row that has its lags. score (or NULL): rows x
 * classes, column-major, of a classifier: probabilities of the classes, which sum to 1 in a row and of which that of
 * the predicted class is the largest; of models that tamis before 0.2 saved, scores without a scale. */
TAMIS_API int tamis_model_predict(tamis_context *cx, const tamis_model *m, const tamis_table *t, double *prediction,
                                  double *score);
/* The same from an array: row i, model input j at x[i * row_stride + j * column_stride]; a category as the index of its
 * level in tamis_model_levels. Not for models with lags. */
TAMIS_API int tamis_model_predict_numbers(tamis_context *cx, const tamis_model *m, size_t rows, const double *x,
                                          ptrdiff_t row_stride, ptrdiff_t column_stride, double *prediction,
                                          double *score);
/* Whether the scores are probabilities. */
TAMIS_API int tamis_model_probabilities(const tamis_model *m);
/* Of each target, what is added to a prediction for the ends of the interval that holds a new value with probability
 * `level` (0.9, say): quantiles of the residuals of held-out rows, in the units of the target. TAMIS_USAGE: the model
 * has classes, or too few such residuals. */
TAMIS_API int tamis_model_interval(tamis_context *cx, const tamis_model *m, double level, double *lower, double *upper);
/* The same for the rows of a file, at fixed memory however many they are: write(user, ...) gets lines of CSV, the
 * header first, and returns 0 on success. The time column of a model with lags comes first, then the columns that the
 * option carry names. Options as for tamis_table_read, carry, interval (its level; two more columns per target, after
 * the targets), and format: "npy" gives one array, kept in memory until the end. */
typedef int tamis_write(void *user, const char *text, size_t n);
TAMIS_API int tamis_model_predict_csv(tamis_context *cx, const tamis_model *m, const char *path, const tamis_options *o,
                                      tamis_write *write, void *user);
/* The model as C99 source or as JSON, which tamis_model_load also reads. Uses the options to, name. */
TAMIS_API int tamis_model_export(tamis_context *cx, const tamis_model *m, const tamis_options *o, char **text,
                                 size_t *length);

/* ---- helpers ---- */

/* A file appears under its name whole or not at all, whatever ends the program. Symbolic links are followed; devices
 * and pipes are written in place, and so are open descriptors: "-" (standard output), "/dev/stdout", "/dev/fd/3". */
TAMIS_API int tamis_write_file(tamis_context *cx, const char *path, const void *bytes, size_t n);
/* The bytes of a JSON file (or of another file of tamis), and one more that is 0; "-" is standard input. */
TAMIS_API int tamis_read_file(tamis_context *cx, const char *path, char **bytes, size_t *n);
/* Writing piece by piece: tamis_output_keep ends it and gives it its name; what was not kept when it is freed is gone.
 * tamis_output_write is a tamis_write, so that predictions can go straight into a file; its first argument is the
 * tamis_output. */
typedef struct tamis_output tamis_output;
TAMIS_API int tamis_output_open(tamis_context *cx, const char *path, tamis_output **out);
TAMIS_API int tamis_output_write(void *output, const char *bytes, size_t n);
TAMIS_API int tamis_output_keep(tamis_output *o);
TAMIS_API void tamis_output_free(tamis_output *o);
/* Whether an output can be written there, as far as can be told before: the folder exists, permissions allow it. */
TAMIS_API int tamis_output_check(tamis_context *cx, const char *path);
/* For a signal handler that is about to end the program: removes what is not complete. Frees nothing. */
TAMIS_API void tamis_output_abandon(tamis_output *o);
/* Makes a text fit for a terminal, in place: control characters, marks that change the direction of writing and bytes
 * that are not UTF-8 become ?. Sentences and notes of the library are so already; names are not. Returns text. */
TAMIS_API char *tamis_printable(char *text);
TAMIS_API void tamis_release(void *memory);

#ifdef __cplusplus
}
#endif
#endif
