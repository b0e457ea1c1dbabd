/* Columns and inputs by what users type: a name, a 1-based number, a range, or a pattern. */
#ifndef TAMIS_NAMES_H
#define TAMIS_NAMES_H

#include "base/options.h"
#include "data/table.h"

/* Marks the names that `text` means: the one that equals it; else that of its number; else, of FROM:TO, the names that
 * are numbers in that range, or those from one name to the other in order; else those that a pattern with * and ?
 * matches. How many; 0: none. Either end of a range may be empty. */
size_t tamis_names_mark(char *const *name, size_t names, const char *text, unsigned char *mark);
/* TAMIS_USAGE: `option` names what `where` does not have; "did you mean" if one is near. */
int tamis_names_unknown(tamis_context *cx, const char *option, const char *text, const char *where, char *const *name,
                        size_t names);
/* All of a list, by the two above. */
int tamis_names_resolve(tamis_context *cx, const char *option, const struct tamis_names *list, const char *where,
                        char *const *name, size_t names, unsigned char *mark);
/* The same for inputs, which may be lags or parts of columns: names, ranges and patterns, but no numbers. */
struct tamis_encoder;
int tamis_names_inputs(tamis_context *cx, const struct tamis_encoder *e, const char *text, unsigned char *mark,
                       size_t *found);
/* The names of a table's columns, which keeps them; the caller frees the list. */
char **tamis_table_names(tamis_context *cx, const tamis_table *t);

#endif
