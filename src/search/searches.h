/* The rows of the table in search.c. */
#ifndef TAMIS_SEARCHES_H
#define TAMIS_SEARCHES_H

#include "search/search.h"

extern const struct tamis_search tamis_forward, tamis_eliminate, tamis_keep;

/* For the fuzzer and the tests: the state of a run from bytes. */
int tamis_checkpoint_restore(struct tamis_run *r, const void *bytes, size_t n, uint64_t fingerprint);

#endif
