/* Writes C source. */
#include "base/number.h"
#include "model/code.h"

#include <math.h>
#include <string.h>

#define AT(field) offsetof(struct tamis_export, field)
const struct tamis_option tamis_export_options[] = {
    {"to", TAMIS_CHOICE, AT(to), "json", 0, 0, "c|json", NULL,
     "c: one C99 file; json: every number, exactly"},
    {"name", TAMIS_TEXT, AT(name), "model", 0, 0, NULL, "NAME", "with --to c: prefix of all names in the file"},
    {0}};

void tamis_code_put(struct tamis_code *c, const char *source)
{
    for (const char *s = source; *s; s++) {
        size_t n = strcspn(s, "@");
        tamis_text_add(&c->t, s, n);
        s += n;
        if (!*s) return;
        tamis_text_printf(&c->t, "%s_", c->name);
    }
}

void tamis_code_count(struct tamis_code *c, const char *what, size_t n)
{
    tamis_text_printf(&c->t, "enum { %s_%s = %zu };\n", c->name, what, n);
}

/* A literal of type double has a point or an exponent. */
static void number(struct tamis_code *c, double x)
{
    char buffer[32];
    if (isnan(x)) tamis_text_puts(&c->t, "NAN");
    else tamis_text_puts(&c->t, tamis_number_text(x, buffer));
    if (!isnan(x) && !strpbrk(buffer, ".e")) tamis_text_puts(&c->t, ".0");
}

static void table_begin(struct tamis_code *c, const char *type, const char *what, size_t n)
{
    tamis_text_printf(&c->t, "static const %s %s_%s[%zu] = {", type, c->name, what, n ? n : 1);
}

static void table_comma(struct tamis_code *c, size_t i, size_t wide)
{
    tamis_text_puts(&c->t, i % wide ? ", " : i ? ",\n    " : "\n    ");
}

void tamis_code_numbers(struct tamis_code *c, const char *what, const double *v, size_t n, size_t rows)
{
    size_t columns = rows ? n / rows : 1;
    table_begin(c, "double", what, n);
    for (size_t i = 0; i < n; i++) {
        table_comma(c, i, 6);
        number(c, rows ? v[i / columns + rows * (i % columns)] : v[i]);
    }
    tamis_text_puts(&c->t, n ? "\n};\n" : "0};\n");
}

void tamis_code_sizes(struct tamis_code *c, const char *what, const size_t *v, size_t n)
{
    table_begin(c, "int", what, n);
    for (size_t i = 0; i < n; i++) {
        table_comma(c, i, 16);
        tamis_text_printf(&c->t, "%zu", v[i]);
    }
    tamis_text_puts(&c->t, n ? "\n};\n" : "0};\n");
}

/* A comment must not hold the end of a comment, a line splice or a trigraph; nor, in UTF-8, the block U+2000..U+207F
 * with its direction marks. */
void tamis_code_comment(struct tamis_code *c, const char *s)
{
    int utf8 = tamis_utf8(s);
    for (const unsigned char *b = (const unsigned char *)s; *b; b++) {
        int skip = utf8 && b[0] == 0xE2 && (b[1] == 0x80 || b[1] == 0x81);
        int plain = *b >= ' ' && *b != 127 && !strchr("*/\\?", *b) && (*b < 127 || utf8) && !skip;
        tamis_text_add(&c->t, plain ? (const char *)b : ".", 1);
        if (skip) b += 2;
    }
}

/* Octal escapes of three digits: a character that follows cannot become part of them, and no trigraph is left. */
void tamis_code_string(struct tamis_code *c, const char *s)
{
    tamis_text_puts(&c->t, "\"");
    for (; *s; s++) {
        unsigned char b = (unsigned char)*s;
        if (b < ' ' || b >= 127 || b == '"' || b == '\\' || b == '?') tamis_text_printf(&c->t, "\\%03o", b);
        else tamis_text_add(&c->t, s, 1);
    }
    tamis_text_puts(&c->t, "\"");
}
