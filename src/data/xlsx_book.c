/* The parts of a workbook that its sheets need [1]: xl/workbook.xml names the sheets, its relations say where they are,
 * xl/sharedStrings.xml has texts by number, xl/styles.xml the number formats, which alone tell dates from numbers.
 *
 * [1] ECMA-376, part 1, chapter 18. */
#include <ctype.h>
#include <stdlib.h>
#include <string.h>
#include "data/xlsx.h"

#ifdef TAMIS_EXPAT

int tamis_xlsx_parse(struct tamis_xlsx *x, const char *path, int needed, const struct tamis_xml *xml, void *user)
{
    const struct tamis_zip_member *m = tamis_zip_find(&x->zip, path);
    struct tamis_text where = {.cx = x->cx};
    unsigned char *bytes = NULL;
    if (!m && !needed) return TAMIS_OK;
    if (!m)
        return tamis_fail(x->cx, TAMIS_DATA, "%s: this is a zip archive without %s, so no XLSX; save the table as CSV",
                          x->file, path);
    tamis_text_printf(&where, "%s:%s", x->file, path);
    int status = where.failed ? tamis_status(x->cx) : tamis_zip_unpack(&x->zip, m, &bytes);
    if (!status) status = tamis_xml_parse(x->cx, where.s, bytes, m->size, xml, user);
    tamis_free(bytes);
    tamis_text_free(&where);
    return status;
}

static int nothing(void *user, const char *name)
{
    (void)user, (void)name;
    return TAMIS_OK;
}

/* ---- sheets ---- */

static int sheet_add(struct tamis_xlsx *x, const char *name, const char *id)
{
    struct tamis_xlsx_sheet *grown = tamis_grow(x->cx, x->sheet, x->sheets + 1, sizeof *grown);
    if (!grown) return TAMIS_MEMORY;
    x->sheet = grown;
    struct tamis_xlsx_sheet *s = &x->sheet[x->sheets++];
    *s = (struct tamis_xlsx_sheet){tamis_strdup(x->cx, name), tamis_strdup(x->cx, id), NULL};
    return s->name && s->id ? TAMIS_OK : TAMIS_MEMORY;
}

static int book_start(void *user, const char *name, const char **attribute)
{
    struct tamis_xlsx *x = user;
    const char *title = tamis_xml_attribute(attribute, "name"), *id = NULL,
               *from = tamis_xml_attribute(attribute, "date1904");
    if (!strcmp(name, "workbookPr") && from) x->from_1904 = !strcmp(from, "1") || !strcmp(from, "true");
    if (strcmp(name, "sheet")) return TAMIS_OK;
    for (const char **a = attribute; *a; a += 2)        /* r:id, and not sheetId */
        if (strchr(a[0], ':') && !strcmp(strchr(a[0], ':'), ":id")) id = a[1];
    return title && id ? sheet_add(x, title, id) : TAMIS_OK;
}

/* Relations: from an id to a member, relative to xl/. */
static int relation_start(void *user, const char *name, const char **attribute)
{
    struct tamis_xlsx *x = user;
    const char *id = tamis_xml_attribute(attribute, "Id"), *target = tamis_xml_attribute(attribute, "Target");
    if (strcmp(name, "Relationship") || !id || !target) return TAMIS_OK;
    for (size_t i = 0; i < x->sheets; i++) {
        struct tamis_text path = {.cx = x->cx};
        if (x->sheet[i].path || strcmp(x->sheet[i].id, id)) continue;
        tamis_text_printf(&path, "%s%s", *target == '/' ? "" : "xl/", target + (*target == '/'));
        x->sheet[i].path = path.s;
        if (path.failed) return tamis_status(x->cx);
    }
    return TAMIS_OK;
}

/* ---- shared texts ---- */

struct strings { struct tamis_xlsx *x; int in_text, phonetic; size_t room; double checked; };

static int string_begin(struct strings *s)
{
    struct tamis_xlsx *x = s->x;
    if (x->count + 2 > s->room) {
        size_t room = 2 * s->room + 64, *grown = tamis_grow(x->cx, x->string, room, sizeof *grown);
        if (!grown) return TAMIS_MEMORY;
        x->string = grown;
        s->room = room;
    }
    x->string[x->count++] = x->strings.length;
    return TAMIS_OK;
}

static int strings_start(void *user, const char *name, const char **attribute)
{
    struct strings *s = user;
    (void)attribute;
    if (!strcmp(name, "si")) return string_begin(s);
    if (!strcmp(name, "rPh")) s->phonetic = 1;
    s->in_text = !strcmp(name, "t") && !s->phonetic;
    return TAMIS_OK;
}

static int strings_end(void *user, const char *name)
{
    struct strings *s = user;
    s->in_text = 0;
    if (!strcmp(name, "rPh")) s->phonetic = 0;
    if (strcmp(name, "si")) return TAMIS_OK;
    s->x->string[s->x->count] = s->x->strings.length;
    return tamis_text_within(&s->x->strings, &s->checked);
}

static int strings_text(void *user, const char *text, size_t n)
{
    struct strings *s = user;
    if (s->in_text && s->x->count) tamis_text_add(&s->x->strings, text, n);
    return s->x->strings.failed ? tamis_status(s->x->cx) : TAMIS_OK;
}

/* ---- styles ---- */

enum { BUILT_IN = 164 };
struct styles { struct tamis_xlsx *x; int in_cells; size_t formats; struct { int id; unsigned char shows; } *format; };

/* What a format code shows, quoted parts, escapes and [conditions] aside. An elapsed time, [h], is a number. */
static unsigned char code_shows(const char *code)
{
    unsigned char shows = 0;
    for (const char *c = code; *c && *c != ';'; c++) {
        int letter = tolower((unsigned char)*c);
        if (*c == '"') c += 1 + strcspn(c + 1, "\"");
        else if (*c == '\\' || *c == '_' || *c == '*') c++;
        else if (*c == '[' && c[1] && strchr("hHmMsS", c[1]) && (c[2] == ']' || c[2] == c[1])) return 0;
        else if (*c == '[') c += strcspn(c, "]");
        else if (!strncasecmp(c, "general", 7)) c += 6;
        else if (letter == 'y' || letter == 'd') shows |= TAMIS_XLSX_DATE;
        else if (letter == 'h' || letter == 's') shows |= TAMIS_XLSX_TIME;
        if (!*c) break;
    }
    return shows ? shows : !strcasecmp(code, "mmm") || !strcasecmp(code, "mmmm") ? TAMIS_XLSX_DATE : 0;
}

static unsigned char built_in_shows(int id)
{
    if ((id >= 14 && id <= 17) || (id >= 27 && id <= 31) || id == 36 || (id >= 50 && id <= 58)) return TAMIS_XLSX_DATE;
    if ((id >= 18 && id <= 21) || (id >= 32 && id <= 35)) return TAMIS_XLSX_TIME;
    return id == 22 ? TAMIS_XLSX_DATE | TAMIS_XLSX_TIME : 0;
}

static int format_add(struct styles *s, const char *id, const char *code)
{
    void *grown = tamis_grow(s->x->cx, s->format, s->formats + 1, sizeof *s->format);
    if (!grown) return TAMIS_MEMORY;
    s->format = grown;
    s->format[s->formats].id = atoi(id);
    s->format[s->formats++].shows = code_shows(code);
    return TAMIS_OK;
}

static int style_add(struct styles *s, const char *id)
{
    struct tamis_xlsx *x = s->x;
    int number = id ? atoi(id) : 0;
    unsigned char *grown = tamis_grow(x->cx, x->style, x->styles + 1, 1), shows = built_in_shows(number);
    if (!grown) return TAMIS_MEMORY;
    for (size_t f = 0; f < s->formats; f++)
        if (s->format[f].id == number) shows = s->format[f].shows;
    x->style = grown;
    x->style[x->styles++] = shows;
    return TAMIS_OK;
}

static int styles_start(void *user, const char *name, const char **attribute)
{
    struct styles *s = user;
    const char *id = tamis_xml_attribute(attribute, "numFmtId"), *code = tamis_xml_attribute(attribute, "formatCode");
    if (!strcmp(name, "cellXfs")) s->in_cells = 1;
    if (!strcmp(name, "numFmt") && id && code) return format_add(s, id, code);
    return s->in_cells && !strcmp(name, "xf") ? style_add(s, id) : TAMIS_OK;
}

static int styles_end(void *user, const char *name)
{
    if (!strcmp(name, "cellXfs")) ((struct styles *)user)->in_cells = 0;
    return TAMIS_OK;
}

/* ---- the workbook ---- */

int tamis_xlsx_open(tamis_context *cx, struct tamis_stream *stream, struct tamis_xlsx *x)
{
    static const struct tamis_xml book = {book_start, nothing, NULL}, relations = {relation_start, nothing, NULL},
                                  texts = {strings_start, strings_end, strings_text},
                                  looks = {styles_start, styles_end, NULL};
    struct strings strings = {.x = x};
    struct styles styles = {.x = x};
    size_t n;
    *x = (struct tamis_xlsx){.cx = cx, .file = tamis_stream_name(stream), .strings = {.cx = cx}};
    int status = tamis_stream_rest(cx, stream, &x->bytes, &n);
    if (!status) status = tamis_zip_open(cx, x->file, x->bytes, n, &x->zip);
    if (!status) status = tamis_xlsx_parse(x, "xl/workbook.xml", 1, &book, x);
    if (!status) status = tamis_xlsx_parse(x, "xl/_rels/workbook.xml.rels", 1, &relations, x);
    if (!status) status = tamis_xlsx_parse(x, "xl/sharedStrings.xml", 0, &texts, &strings);
    if (!status) status = tamis_xlsx_parse(x, "xl/styles.xml", 0, &looks, &styles);
    tamis_free(styles.format);
    return status;
}

void tamis_xlsx_close(struct tamis_xlsx *x)
{
    for (size_t i = 0; i < x->sheets; i++) {
        tamis_free(x->sheet[i].name);
        tamis_free(x->sheet[i].id);
        tamis_free(x->sheet[i].path);
    }
    tamis_free(x->sheet);
    tamis_free(x->style);
    tamis_free(x->string);
    tamis_text_free(&x->strings);
    tamis_zip_close(&x->zip);
    tamis_free(x->bytes);
}
#endif
