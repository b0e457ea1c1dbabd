/* The page and its figures, drawn from the value of a result and nothing else.
 *
 * A figure and a section are rows, each at the end of the file that draws it. figures.c has the table of figures,
 * report.c the sections of a page in their order. A section that writes nothing is not shown. */
#ifndef TAMIS_REPORT_H
#define TAMIS_REPORT_H

#include "base/value.h"
#include "io/report/svg.h"

/* Values by name, for many lookups. */
struct tamis_named;
struct tamis_index { struct tamis_named *entry; size_t n; };

struct tamis_page {
    tamis_context *cx;
    struct tamis_text *t;
    const tamis_value *root;
    struct tamis_index inputs;          /* the entries of "inputs" by name */
    int alone;                          /* a single figure is drawn, not a page */
    struct tamis_label *label; /* what figures call columns and axes; `given` of them by the user or the table */
    size_t labels, given;
};

/* ---- rows ---- */
struct tamis_figure {
    const char *name;                   /* what --plot-what calls it */
    const char *label;                  /* for readers who cannot see it */
    const char *summary;                /* what it shows, for lists of figures */
    const char *needs;                  /* words: "compare", "lags", "evidence"; NULL: any selection may have it */
    int (*applicable)(const tamis_value *result);       /* whether the result has something for it */
    void (*draw)(struct tamis_page *p); /* one <svg>, of an applicable result */
};
const struct tamis_figure *tamis_figure_at(size_t i);                   /* NULL past the last */
const char *tamis_figure_name(const void *list, size_t i);              /* for tamis_hint */
int tamis_page_draw(struct tamis_page *p, const struct tamis_figure *f);        /* whether it is applicable */
/* More figures after the own ones, ended by NULL, where the program defines it. */
extern const struct tamis_figure *const tamis_extra_figures[] __attribute__((weak));

struct tamis_section { const char *id, *title; void (*draw)(struct tamis_page *p); };

extern const struct tamis_figure tamis_figure_fit, tamis_figure_importance, tamis_figure_inclusion, tamis_figure_ladder,
    tamis_figure_lags, tamis_figure_methods, tamis_figure_time, tamis_figure_path, tamis_figure_profiles,
    tamis_figure_relevance, tamis_figure_reliability, tamis_figure_residuals, tamis_figure_slopes,
    tamis_figure_spectrum, tamis_figure_surface;
extern const struct tamis_section tamis_section_answer, tamis_section_error, tamis_section_path, tamis_section_model,
    tamis_section_importance, tamis_section_posterior, tamis_section_stability, tamis_section_alike,
    tamis_section_held_out, tamis_section_intervals, tamis_section_probabilities, tamis_section_lags,
    tamis_section_profiles, tamis_section_slopes, tamis_section_spectrum, tamis_section_surface, tamis_section_tests,
    tamis_section_classes, tamis_section_chains, tamis_section_audit, tamis_section_origin;
extern const struct tamis_section tamis_section_compare, tamis_section_compare_error, tamis_section_compare_inputs,
    tamis_section_compare_pairs;

/* ---- words and numbers (page_parts.c) ---- */
void tamis_page_puts(struct tamis_page *p, const char *markup);
void tamis_page_say(struct tamis_page *p, const char *s);               /* escaped */
void tamis_page_name(struct tamis_page *p, const char *name);           /* escaped, its direction isolated (<bdi>) */
void tamis_page_number(struct tamis_page *p, double x);                 /* four digits */
void tamis_page_count(struct tamis_page *p, double n, const char *thing);       /* "1 row", "20 rows" */
/* A figure element: begin, one or more pictures, end with the caption (markup). */
void tamis_page_figure(struct tamis_page *p, const char *style);
void tamis_page_caption(struct tamis_page *p, const char *markup);
/* A table with a caption and column heads; a head that begins with # is of numbers. heads NULL: an empty corner, and
 * the caller writes the heads (tamis_page_heads). style: "sort" lets the script sort it, "heat" is for shaded cells. */
void tamis_page_table(struct tamis_page *p, const char *id, const char *style, const char *caption,
                      const char *const *heads);
void tamis_page_head(struct tamis_page *p, const char *name);           /* one column head */
void tamis_page_heads_end(struct tamis_page *p);
void tamis_page_table_end(struct tamis_page *p);
void tamis_page_row(struct tamis_page *p, const char *name);            /* begins a row with its head cell */
void tamis_page_row_set(struct tamis_page *p, const tamis_value *names);        /* the same, for a set of inputs */
void tamis_page_cell(struct tamis_page *p, double x);
void tamis_page_cell_text(struct tamis_page *p, const char *s);
void tamis_page_shade(struct tamis_page *p, double share, double shown); /* a cell coloured by a share from 0 to 1 */
void tamis_page_details(struct tamis_page *p, const char *summary);
void tamis_page_details_end(struct tamis_page *p);
void tamis_page_filter(struct tamis_page *p, const char *table, int selected);  /* a search box for a table */

/* A plot of n horizontal bars, one below the other, TAMIS_BAR pixels each (section_importance.c). */
enum { TAMIS_BAR = 17, TAMIS_BARS = 40 };               /* TAMIS_BARS: the most that are drawn */
struct tamis_plot tamis_page_bars(struct tamis_page *p, const char *const *names, size_t n);
double tamis_page_width(const struct tamis_page *p);                    /* of a figure: small screens can show it */
/* Room for the longest of the names, as labelled, in pixels, at most 200. */
double tamis_page_margin(struct tamis_page *p, const char *const *names, size_t n);
/* The name of a row, as labelled, in that margin; bold if it is `on`. */
void tamis_page_row_name(struct tamis_page *p, const struct tamis_plot *plot, double y, const char *name, int on);
/* A coloured square and its meaning at the top of a figure, from x on; where the next can begin. */
double tamis_page_key(struct tamis_page *p, double x, const char *style, const char *what);
/* An error that spans more than a factor of thirty is drawn on a logarithmic axis. */
int tamis_page_log(const double *y, size_t n);
/* A curve through two members of the records of a list. whole: x counts things. */
struct tamis_curve { const char *x, *y, *x_name, *y_name, *label; int whole; };
void tamis_page_curve(struct tamis_page *p, const tamis_value *list, const struct tamis_curve *c);

/* ---- labels (page_labels.c) ---- */
int tamis_page_labels_read(struct tamis_page *p, const char *const *label, size_t n);
int tamis_page_labels_check(struct tamis_page *p);     /* after drawing: TAMIS_USAGE for unknown names */
void tamis_page_labels_free(struct tamis_page *p);
const char *tamis_page_label(struct tamis_page *p, const char *name);   /* of a column or an axis; else the name */

/* ---- neighbouring channels of a spectrum, together (section_spectrum.c) ---- */
enum { TAMIS_BANDS = 200 };
/* share: of the repeated selections that chose a channel, summed over the band, at most 1. */
struct tamis_band { char name[64]; double from, to, share; int on; };
size_t tamis_page_bands(struct tamis_page *p, const tamis_value *frequency, struct tamis_band *band, size_t most);
/* How often repeated selections chose each input: resamples, outer folds, or the folds of a rule or of the method,
 * whichever the result has; NULL: none. *of: what the shares are of (section_inputs.c). */
const tamis_value *tamis_page_frequencies(const struct tamis_page *p, const char **of);

/* ---- what sections ask of a result (lookup.c) ---- */
size_t tamis_page_items(const tamis_value *v);                          /* of a list; 0 for all else */
int tamis_page_record(const tamis_value *v);
size_t tamis_page_members(const tamis_value *v);                        /* of a record; 0 for all else */
const char *tamis_page_item_text(const tamis_value *v, size_t i);       /* of a list, or NULL */
/* The numbers at path; NULL with *n 0 where none of them is finite. */
const double *tamis_page_numbers(const tamis_value *v, const char *path, size_t *n);
/* Joins the least and largest of the numbers of a list to *from, *to. */
void tamis_page_reach(const tamis_value *list, double *from, double *to);
const char *tamis_page_method(const tamis_value *result);               /* "" when unknown */
const tamis_value *tamis_page_own(const tamis_value *result);           /* the method's own block, or NULL */
const char *tamis_page_error_name(const struct tamis_page *p);          /* "leave-one-out error" */
/* The best estimate of the error that the result has, with its standard error (NAN: unknown) and that of all inputs. */
struct tamis_estimate { enum { TAMIS_NESTED, TAMIS_TESTED, TAMIS_CRITERION } kind; double error, all, se; };
struct tamis_estimate tamis_page_estimate(const tamis_value *result);
int tamis_page_squared(const struct tamis_page *p);                     /* errors are of the standardised target */
/* Such an error as a root mean squared error in the target's units; NAN: unknown. */
double tamis_page_in_units(const struct tamis_page *p, double error);
int tamis_page_classes(const struct tamis_page *p);                     /* the task is classification */
int tamis_page_selected(const struct tamis_page *p, const char *input);
/* The members of a record by their keys, or the items of a list by their "name"; the first of equal ones counts. Empty
 * on failure, with the sentence in cx. */
struct tamis_index tamis_index_new(tamis_context *cx, const tamis_value *v);
void tamis_index_free(struct tamis_index *x);
const tamis_value *tamis_index_get(const struct tamis_index *x, const char *name);      /* or NULL; log time */
/* Items of a list of records in falling order of the number `key`, those without it last; allocated, *n of them. */
const tamis_value **tamis_page_sorted(struct tamis_page *p, const tamis_value *list, const char *key, size_t *n);

/* Draws a figure ("auto": the first that applies) into p->t (figures.c). */
void tamis_page_picture(struct tamis_page *p, const char *figure);

/* Lines of the style and the script of a page, ended by NULL. */
extern const char *const tamis_report_style[], *const tamis_report_script[];

#endif
