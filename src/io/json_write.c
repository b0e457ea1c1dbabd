/* Values as JSON. A record at the top has one line per member; so have lists of records and lists near the top one line per item. */
#include "base/text.h"
#include "base/value.h"

enum { LINES = 2 };                     /* depth down to which members and items have lines of their own */

static void put(struct tamis_text *t, const tamis_value *v, int depth);

static void new_line(struct tamis_text *t, int depth)
{
    tamis_text_puts(t, "\n");
    for (int i = 0; i < depth; i++) tamis_text_puts(t, "  ");
}

static void numbers(struct tamis_text *t, const tamis_value *v)
{
    tamis_text_puts(t, "[");
    for (size_t i = 0; i < tamis_value_length(v); i++) {
        if (i) tamis_text_puts(t, ", ");
        tamis_text_number(t, tamis_value_item_number(v, i));
    }
    tamis_text_puts(t, "]");
}

/* Whether the items of a list are long enough for lines of their own. */
static int long_items(const tamis_value *v, int depth)
{
    return depth < LINES && tamis_value_kind(tamis_value_item(v, 0)) == TAMIS_VALUE_RECORD;
}

static void list(struct tamis_text *t, const tamis_value *v, int depth)
{
    int lines = long_items(v, depth);
    tamis_text_puts(t, "[");
    for (size_t i = 0; i < tamis_value_length(v); i++) {
        if (i) tamis_text_puts(t, lines ? "," : ", ");
        if (lines) new_line(t, depth + 1);
        put(t, tamis_value_item(v, i), depth + 1);
    }
    if (lines) new_line(t, depth);
    tamis_text_puts(t, "]");
}

static void record(struct tamis_text *t, const tamis_value *v, int depth)
{
    int lines = depth == 0;
    tamis_text_puts(t, "{");
    for (size_t i = 0; i < tamis_value_length(v); i++) {
        if (i) tamis_text_puts(t, lines ? "," : ", ");
        if (lines) new_line(t, depth + 1);
        tamis_text_json(t, tamis_value_key(v, i));
        tamis_text_puts(t, ": ");
        put(t, tamis_value_item(v, i), depth + 1);
    }
    if (lines) new_line(t, depth);
    tamis_text_puts(t, "}");
}

static void put(struct tamis_text *t, const tamis_value *v, int depth)
{
    switch (tamis_value_kind(v)) {
    case TAMIS_VALUE_NULL: tamis_text_puts(t, "null"); break;
    case TAMIS_VALUE_FLAG: tamis_text_puts(t, tamis_value_flag(v, NULL) ? "true" : "false"); break;
    case TAMIS_VALUE_NUMBER: tamis_text_number(t, tamis_value_number(v, NULL)); break;
    case TAMIS_VALUE_TEXT: tamis_text_json(t, tamis_value_text(v, NULL)); break;
    case TAMIS_VALUE_NUMBERS: numbers(t, v); break;
    case TAMIS_VALUE_LIST: list(t, v, depth); break;
    case TAMIS_VALUE_RECORD: record(t, v, depth); break;
    }
}

int tamis_value_json(tamis_context *cx, const tamis_value *v, char **text, size_t *length)
{
    struct tamis_text t = {.cx = cx};
    tamis_forget(cx);
    put(&t, v, 0);
    tamis_text_puts(&t, "\n");
    *text = t.s;
    *length = t.length;
    if (!t.failed) return TAMIS_OK;
    tamis_text_free(&t);
    *text = NULL;
    *length = 0;
    return tamis_status(cx);
}
