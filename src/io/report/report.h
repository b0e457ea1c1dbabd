/* The page drawn from the value of a result, and nothing else. A section is a row in report.c: what it is called and a
 * function that writes it, or writes nothing when the result has nothing for it. */
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
};

struct tamis_section { const char *id, *title; void (*draw)(struct tamis_page *p); };

/* ---- words and numbers (report_parts.c) ---- */
void tamis_page_puts(struct tamis_page *p, const char *markup);
void tamis_page_say(struct tamis_page *p, const char *s);              /* escaped */
void tamis_page_name(struct tamis_page *p,
                     const char *name); /* a name from a file: escaped and kept from its surroundings */
void tamis_page_number(struct tamis_page *p, double x);                /* four digits */
void tamis_page_count(struct tamis_page *p, double n, const char *thing);      /* "1 row", "20 rows" */
/* A figure: begin, a picture or several, end with its caption (markup). */
void tamis_page_figure(struct tamis_page *p, const char *style);
void tamis_page_caption(struct tamis_page *p, const char *markup);
/* A table with a caption and heads; a head that begins with # is of numbers. heads NULL: the caller writes
 * them, after an empty corner, up to </thead><tbody>. style: "sort" lets the script sort it. */
void tamis_page_table(struct tamis_page *p, const char *id, const char *style, const char *caption,
                      const char *const *heads);
void tamis_page_table_end(struct tamis_page *p);
void tamis_page_row(struct tamis_page *p, const char *name);           /* begins a row with its head cell */
void tamis_page_cell(struct tamis_page *p, double x);
void tamis_page_cell_text(struct tamis_page *p, const char *s);
void tamis_page_shade(struct tamis_page *p, double share, double shown); /* a cell coloured by a share from 0 to 1 */
void tamis_page_details(struct tamis_page *p, const char *summary);
void tamis_page_details_end(struct tamis_page *p);

/* Room for the longest of the names, in pixels, at most 190. */
double tamis_page_margin(const char *const *names, size_t n);

/* ---- what sections ask of a result (lookup.c) ---- */
size_t tamis_page_items(const tamis_value *v);                          /* of a list; 0 for all else */
int tamis_page_record(const tamis_value *v);
size_t tamis_page_members(const tamis_value *v);                        /* of a record; 0 for all else */
const char *tamis_page_item_text(const tamis_value *v, size_t i);       /* of a list, or NULL */
/* The numbers at path; NULL with *n 0 where none of them is finite. */
const double *tamis_page_numbers(const tamis_value *v, const char *path, size_t *n);
const char *tamis_page_method(const struct tamis_page *p);              /* "" when unknown */
const tamis_value *tamis_page_own(const struct tamis_page *p);          /* the method's own block, or NULL */
const char *tamis_page_error_name(const struct tamis_page *p);          /* "leave-one-out error" */
int tamis_page_classes(const struct tamis_page *p);                     /* the task is classification */
int tamis_page_chosen(const struct tamis_page *p, const char *input);
/* The members of a record by their keys, or the items of a list by their "name"; the first of equal ones counts. Empty
 * on failure, with the sentence in cx. */
struct tamis_index tamis_index_new(tamis_context *cx, const tamis_value *v);
void tamis_index_free(struct tamis_index *x);
const tamis_value *tamis_index_get(const struct tamis_index *x, const char *name);      /* or NULL; log time */
/* Items of a list of records in falling order of the number `key`, those without it last; allocated, *n of them. */
const tamis_value **tamis_page_sorted(struct tamis_page *p, const tamis_value *list, const char *key, size_t *n);

/* ---- pictures that also stand alone (report_figures.c and the sections); 0: there is nothing to draw ---- */
struct tamis_picture { const char *name, *what; int (*draw)(struct tamis_page *p); };
extern const struct tamis_picture tamis_pictures[];                     /* ended by name NULL */
int tamis_picture_path(struct tamis_page *p);
int tamis_picture_relevance(struct tamis_page *p);
int tamis_picture_fit(struct tamis_page *p);
int tamis_picture_residuals(struct tamis_page *p);
int tamis_picture_profiles(struct tamis_page *p);
int tamis_picture_slopes(struct tamis_page *p);
int tamis_picture_surface(struct tamis_page *p);
int tamis_picture_spectrum(struct tamis_page *p);
int tamis_picture_inclusion(struct tamis_page *p);
int tamis_picture_methods(struct tamis_page *p);

/* ---- sections ---- */
void tamis_section_answer(struct tamis_page *p);
void tamis_section_error(struct tamis_page *p);
void tamis_section_path(struct tamis_page *p);
void tamis_section_relevance(struct tamis_page *p);
void tamis_section_stability(struct tamis_page *p);
void tamis_section_alike(struct tamis_page *p);
void tamis_section_unseen(struct tamis_page *p);
void tamis_section_profiles(struct tamis_page *p);
void tamis_section_slopes(struct tamis_page *p);
void tamis_section_surface(struct tamis_page *p);
void tamis_section_spectrum(struct tamis_page *p);
void tamis_section_classes(struct tamis_page *p);
void tamis_section_posterior(struct tamis_page *p);
void tamis_section_chains(struct tamis_page *p);
void tamis_section_audit(struct tamis_page *p);
void tamis_section_origin(struct tamis_page *p);
void tamis_section_compare(struct tamis_page *p);
void tamis_section_compare_error(struct tamis_page *p);
void tamis_section_compare_inputs(struct tamis_page *p);
void tamis_section_compare_pairs(struct tamis_page *p);

/* Lines of the style and the script of a page, ended by NULL. */
extern const char *const tamis_report_style[], *const tamis_report_script[];

#endif
