/* What each column of a table is for: target, input, or something that is not an input (an identifier, a date). */
#ifndef TAMIS_ROLES_H
#define TAMIS_ROLES_H

#include "base/options.h"
#include "data/table.h"

enum tamis_role {
    TAMIS_ROLE_INPUT,
    TAMIS_ROLE_TARGET,
    TAMIS_ROLE_IGNORED,         /* by the user: --ignore, not in --inputs, --groups */
    TAMIS_ROLE_IDENTIFIER,      /* names or counts the rows */
    TAMIS_ROLE_DATE,
    TAMIS_ROLE_LEVELS,          /* a category of so many levels that few rows share one */
    TAMIS_ROLE_WEIGHT,          /* --row-weights */
    TAMIS_ROLE_CONSTANT,        /* the last two: inputs still, but tamis_roles_describe tells them apart */
    TAMIS_ROLE_DUPLICATE
};
const char *tamis_role_name(int role);          /* "input", "target", "ignored", "identifier", ... */

enum tamis_dates_as { TAMIS_DATES_IGNORE, TAMIS_DATES_NUMERIC, TAMIS_DATES_PARTS };

/* Which columns play which role. `inputs` empty: all columns but the target, `ignore`, and what does not look like an
 * input. force: -1 task by the target's type, 0 regression, 1 classification. */
struct tamis_roles {
    const char *target, *group; /* group: NULL, or the column that says which rows belong together; not an input */
    const char *weight;         /* NULL, or the column of the row weights; not an input */
    const char *dates_word;     /* NULL: ignore */
    const char *time;           /* the column that says when a row was taken; NULL: to be found, "none": none */
    struct tamis_names inputs, ignore;
    struct tamis_names keep, must;      /* inputs whatever they look like; must may name inputs that are not columns */
    int force;
    int plain;                  /* no column is left out for its looks: not all of its values are there */
    size_t lag_from, lag_to, horizon; /* horizon 0: not a series; the newest known value is horizon rows back */
    int impute;
    size_t neighbours;
};
/* Fills target, group, weight, dates, time, inputs, ignore, keep and must from the options. */
int tamis_roles_read(tamis_context *cx, const tamis_options *o, struct tamis_roles *r);
int tamis_roles_dates(const struct tamis_roles *r);             /* enum tamis_dates_as */

struct tamis_column_role {
    int role;                   /* enum tamis_role */
    int use;                    /* is an input; in a series, a target may be one, too */
    size_t target;              /* 0: no target, else 1 + its place among several */
    size_t of;                  /* TAMIS_ROLE_DUPLICATE: of which column */
    const char *why;            /* why it is not an input: "counts the rows", or NULL */
};
/* The role of every column, from the whole table. If no --target is given and the last column is a date, there is no
 * target. If nothing else is left, numbers that look like identifiers or dates are inputs all the same. */
int tamis_roles_find(tamis_context *cx, const tamis_table *t, const struct tamis_roles *r,
                     struct tamis_column_role *role);
/* Says which columns were left out, and how to take them back. */
int tamis_roles_note(tamis_context *cx, const tamis_table *t, const struct tamis_column_role *role);
/* Says if a category may name what rows belong to: all rows of a level have the same target. */
int tamis_roles_hint(tamis_context *cx, const tamis_table *t, const struct tamis_roles *r,
                     const struct tamis_column_role *role);
/* Constants and duplicates of earlier columns among the inputs. */
int tamis_roles_describe(tamis_context *cx, const tamis_table *t, struct tamis_column_role *role);

#endif
