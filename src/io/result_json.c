/* Results and comparisons as JSON: their trees of values, written. */
#include "select/comparison.h"

int tamis_result_json(tamis_context *cx, const tamis_result *r, char **text, size_t *length)
{
    TAMIS_CALL(cx);
    return tamis_value_json(cx, r->value, text, length);
}

int tamis_comparison_json(tamis_context *cx, const tamis_comparison *c, char **text, size_t *length)
{
    TAMIS_CALL(cx);
    return tamis_value_json(cx, c->value, text, length);
}
