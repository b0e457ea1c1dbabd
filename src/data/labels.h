/* Distinct texts, numbered from 0 in order of appearance. */
#ifndef TAMIS_LABELS_H
#define TAMIS_LABELS_H

#include "base/base.h"

struct tamis_labels {
    size_t count, room;
    char **label;
    uint32_t *hash;
    size_t slots;               /* a power of two, at least twice count */
    uint32_t *slot;             /* 1 + number of the label; 0: free */
};

enum { TAMIS_NO_LABEL = -1 };

/* The number of the text, which is added if it is new; TAMIS_NO_LABEL: no memory. */
long tamis_labels_put(tamis_context *cx, struct tamis_labels *l, const char *s, size_t n);
long tamis_labels_find(const struct tamis_labels *l, const char *s, size_t n);          /* TAMIS_NO_LABEL: unknown */
/* Orders the labels, by value if all are finite numbers, else by bytes; rank[old number] = new number. Afterwards
 * neither put nor find may be called. */
int tamis_labels_sort(tamis_context *cx, struct tamis_labels *l, uint32_t *rank);
void tamis_labels_free(struct tamis_labels *l);

#endif
