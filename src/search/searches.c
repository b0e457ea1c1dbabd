/* The table of searches. */
#include <string.h>
#include "search/searches.h"

static const struct tamis_search *const searches[] = {
    &tamis_forward, &tamis_eliminate, &tamis_keep, &tamis_backward, &tamis_forward_backward, &tamis_exhaustive, NULL};

static const struct tamis_search *row_at(const struct tamis_search *const *table, size_t *i)
{
    for (; *table && *i; table++) --*i;
    return *table;
}

const struct tamis_search *tamis_search_at(size_t i)
{
    const struct tamis_search *s = row_at(searches, &i);
    return s || !tamis_extra_searches ? s : row_at(tamis_extra_searches, &i);
}

const struct tamis_search *tamis_search_find(const char *name)
{
    const struct tamis_search *s;
    for (size_t i = 0; (s = tamis_search_at(i)); i++)
        if (!strcmp(s->name, name)) return s;
    return NULL;
}
