/* Tables of descriptors: the rows of a layer, then those that a program which links the static library adds. */
#ifndef TAMIS_REGISTRY_H
#define TAMIS_REGISTRY_H

#include <stddef.h>
#include <string.h>

/* Defines NAME_at(i): row i of `own`, an array of pointers to struct NAME, then of `extra`, a weak list ended by NULL;
 * NULL past the last. And NAME_name(NULL, i), its name, for tamis_hint. */
#define TAMIS_ROWS_AT(type, own, extra) \
    const struct type *type##_at(size_t i) \
    { \
        size_t count = sizeof(own) / sizeof *(own); \
        const struct type *const *more = (extra);       /* NULL where the program defines none */ \
        if (i < count) return (own)[i]; \
        for (i -= count; more && *more; more++) \
            if (!i--) return *more; \
        return NULL; \
    } \
    const char *type##_name(const void *list, size_t i) \
    { \
        const struct type *row = type##_at(i); \
        (void)list; \
        return row ? row->name : NULL; \
    }

/* Defines NAME_find(s): the row whose name is s; NULL: none. */
#define TAMIS_ROWS_FIND(type) \
    const struct type *type##_find(const char *s) \
    { \
        const struct type *row; \
        for (size_t i = 0; (row = type##_at(i)); i++) \
            if (!strcmp(row->name, s)) return row; \
        return NULL; \
    }

#endif
