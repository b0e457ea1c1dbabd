/* The table of searches. */
#include "base/registry.h"
#include "search/searches.h"

static const struct tamis_search *const searches[] = {
    &tamis_forward, &tamis_eliminate, &tamis_keep, &tamis_backward, &tamis_forward_backward, &tamis_exhaustive};

TAMIS_ROWS_AT(tamis_search, searches, tamis_extra_searches)
TAMIS_ROWS_FIND(tamis_search)
