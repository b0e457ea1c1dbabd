/* "Did you mean ...?" for names that are not known. */
#ifndef TAMIS_NEAREST_H
#define TAMIS_NEAREST_H

#include "base/base.h"

/* The end of an error sentence: "; did you mean 'NAME'?", or `otherwise` if no name is near. For example
 *
 *     tamis_fail(cx, TAMIS_USAGE, "--target %s: %s has no such column%s", name, t->file,
 *                tamis_hint(name, column_at, t, "; 'tamis describe' lists them").text);
 */
struct tamis_hint { char text[160]; };
struct tamis_hint tamis_hint(const char *word, tamis_word_at *at, const void *list, const char *otherwise);

#endif
