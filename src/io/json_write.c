/* Values as JSON, the only writer of it. Each member of the record at the top has its own line, and so has each record
 * in a list near the top. Numbers are the shortest that read back the same; -0 is written as -0.0, because readers take
 * -0 for an integer, which has no sign. */
#include <math.h>
#include "base/number.h"
#include "base/text.h"
#include "base/value.h"

enum { LINES = 2 };                     /* depth above which records in a list have lines of their own */

static void put(struct tamis_text *t, const tamis_value *v, int depth);

static void number(struct tamis_text *t, double x)
{
    char buffer[32];
    if (!isfinite(x)) tamis_text_puts(t, "null");
    else tamis_text_puts(t, x == 0 && signbit(x) ? "-0.0" : tamis_number_text(x, buffer));
}

/* Valid whatever s holds: bytes that are not UTF-8 become the replacement character. < > & are escaped too, so that the
 * text can be part of a page. */
static void string(struct tamis_text *t, const char *s)
{
    tamis_text_puts(t, "\"");
    while (*s) {
        unsigned char c = (unsigned char)*s;
        size_t n = tamis_utf8_length(s);
        if (!n) tamis_text_puts(t, "\\ufffd");
        else if (c == '"' || c == '\\') tamis_text_printf(t, "\\%c", c);
        else if (c < ' ' || c == 127 || c == '<' || c == '>' || c == '&') tamis_text_printf(t, "\\u%04x", c);
        else tamis_text_add(t, s, n);
        s += n ? n : 1;
    }
    tamis_text_puts(t, "\"");
}

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
        number(t, tamis_value_item_number(v, i));
    }
    tamis_text_puts(t, "]");
}

/* Whether the items of a list have lines of their own. */
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
        string(t, tamis_value_key(v, i));
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
    case TAMIS_VALUE_NUMBER: number(t, tamis_value_number(v, NULL)); break;
    case TAMIS_VALUE_TEXT: string(t, tamis_value_text(v, NULL)); break;
    case TAMIS_VALUE_NUMBERS: numbers(t, v); break;
    case TAMIS_VALUE_LIST: list(t, v, depth); break;
    case TAMIS_VALUE_RECORD: record(t, v, depth); break;
    }
}

int tamis_value_json(tamis_context *cx, const tamis_value *v, char **text, size_t *length)
{
    TAMIS_CALL(cx);
    struct tamis_text t = {.cx = cx};
    put(&t, v, 0);
    tamis_text_puts(&t, "\n");
    return tamis_text_take(&t, text, length);
}
