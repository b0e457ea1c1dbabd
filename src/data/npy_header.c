/* The header of an array file [1]: six bytes of magic, a version, the length of a dictionary, and the dictionary as
 * Python prints it: {'descr': '<f8', 'fortran_order': False, 'shape': (3, 4), }. Version 1 has a length of 2 bytes, 2
 * and 3 have 4; version 3 is UTF-8, the others are Latin-1. Nothing is evaluated and nothing is ever unpickled.
 *
 * [1] numpy.lib.format, NumPy Enhancement Proposal 1. */
#include <string.h>
#include "data/npy.h"

enum { LONGEST = 1 << 24, NAME = 1024 };

struct scan {
    tamis_context *cx;
    const char *file, *p;               /* ends in 0 */
    int latin1;
    struct tamis_npy_header *h;
    unsigned seen;                      /* keys */
};

static int wrong(struct scan *s, const char *what)
{
    return tamis_fail(s->cx, TAMIS_DATA, "%s: the NPY header is damaged (%s); save the array again", s->file, what);
}

/* ---- words of Python ---- */

static void blanks(struct scan *s) { s->p += strspn(s->p, " \t\r\n"); }

static int take(struct scan *s, char c)
{
    blanks(s);
    if (*s->p != c) return 0;
    s->p++;
    return 1;
}

static int word(struct scan *s, const char *w)
{
    size_t n = strlen(w);
    blanks(s);
    if (strncmp(s->p, w, n)) return 0;
    s->p += n;
    return 1;
}

static int count(struct scan *s, size_t *out)
{
    blanks(s);
    if (*s->p < '0' || *s->p > '9') return 0;
    for (*out = 0; *s->p >= '0' && *s->p <= '9'; s->p++)
        if (__builtin_mul_overflow(*out, (size_t)10, out) || __builtin_add_overflow(*out, (size_t)(*s->p - '0'), out))
            return 0;
    s->p += *s->p == 'L';               /* Python 2 */
    return 1;
}

/* A quoted text, as UTF-8. */
static int quoted(struct scan *s, char out[NAME])
{
    size_t n = 0;
    char quote = take(s, '\'') ? '\'' : take(s, '"') ? '"' : 0;
    if (!quote) return 0;
    for (; *s->p && *s->p != quote; s->p++) {
        if (*s->p == '\\' && s->p[1] != '\\' && s->p[1] != quote) return 0;
        s->p += *s->p == '\\';
        if (n + 3 > NAME) return 0;
        unsigned char c = (unsigned char)*s->p;
        if (s->latin1 && c >= 0x80) out[n++] = (char)(0xC0 | c >> 6), c = 0x80 | (c & 0x3F);
        out[n++] = (char)c;
    }
    out[n] = 0;
    return take(s, quote);
}

/* ---- types ---- */

static int say_type(struct scan *s, const char *type)
{
    if (strchr(type, 'O'))
        return tamis_fail(s->cx, TAMIS_DATA,
                          "%s: the array holds Python objects, which are never unpickled; save numbers or fixed-width "
                          "strings", s->file);
    return tamis_fail(s->cx, TAMIS_DATA, "%s: arrays of type '%.20s' are not read; save them as float64 or as strings",
                      s->file, type);
}

/* '<f8' and its kin. */
static int type_of(struct scan *s, const char *type, struct tamis_npy_field *f)
{
    static const char order[] = "<>|=", known[] = "f2 f4 f8 i1 i2 i4 i8 u1 u2 u4 u8 b1 ";
    const int little = __BYTE_ORDER__ == __ORDER_LITTLE_ENDIAN__;
    char name[4] = {0};
    struct scan digits = {.p = type + 2};
    if (!*type || !strchr(order, *type)) return say_type(s, type);
    f->kind = type[1];
    f->swap = (*type == '<' && !little) || (*type == '>' && little);
    if (!f->kind || !strchr("fiubSUV", f->kind) || !count(&digits, &f->size) || *digits.p) return say_type(s, type);
    memcpy(name, type + 1, strnlen(type + 1, 3));
    if (strchr("fiub", f->kind) && (strlen(name) != 2 || !strstr(known, name))) return say_type(s, type);
    if (f->size > LONGEST) return say_type(s, type);
    if (f->kind == 'U') f->size *= 4;
    return TAMIS_OK;
}

static struct tamis_npy_field *field_more(struct scan *s)
{
    struct tamis_npy_header *h = s->h;
    if ((h->fields & (h->fields + 1)) == 0) {           /* 0, 1, 3, 7, ...: the room is used up */
        struct tamis_npy_field *grown = tamis_grow(s->cx, h->field, 2 * h->fields + 1, sizeof *grown);
        if (!grown) return NULL;
        h->field = grown;
    }
    h->field[h->fields] = (struct tamis_npy_field){.offset = h->item};
    return &h->field[h->fields];
}

/* One entry ('name', '<f8') of a list. Void without a name is padding. */
static int record_field(struct scan *s)
{
    char name[NAME], type[NAME];
    if (!take(s, '(')) return wrong(s, "a field is not a pair");
    if (!quoted(s, name) || !take(s, ',') || !quoted(s, type))
        return tamis_fail(s->cx, TAMIS_DATA, "%s: records inside records are not read; save one column per field",
                          s->file);
    struct tamis_npy_field *f = field_more(s);
    int status = f ? type_of(s, type, f) : TAMIS_MEMORY;
    if (status) return status;
    take(s, ',');
    if (!take(s, ')'))
        return tamis_fail(s->cx, TAMIS_DATA, "%s: field '%.60s' is an array; save one column per field", s->file, name);
    s->h->item += f->size;
    if (f->kind == 'V') return *name ? say_type(s, type) : TAMIS_OK;
    if (!(f->name = tamis_strdup(s->cx, name))) return TAMIS_MEMORY;
    s->h->fields++;
    return TAMIS_OK;
}

static int describe(struct scan *s)
{
    char type[NAME];
    if (!take(s, '[')) {
        if (!quoted(s, type)) return wrong(s, "no type");
        struct tamis_npy_field *f = field_more(s);
        int status = f ? type_of(s, type, f) : TAMIS_MEMORY;
        if (status) return status;
        if (f->kind == 'V') return say_type(s, type);
        s->h->item = f->size;
        s->h->fields = 1;
        return TAMIS_OK;
    }
    while (!take(s, ']')) {
        int status = record_field(s);
        if (status) return status;
        take(s, ',');
    }
    return s->h->fields ? TAMIS_OK : wrong(s, "no fields");
}

static int shape(struct scan *s)
{
    struct tamis_npy_header *h = s->h;
    size_t n;
    h->rows = h->columns = 1;
    if (!take(s, '(')) return wrong(s, "no shape");
    for (h->dimensions = 0; !take(s, ')'); h->dimensions++) {
        if (!count(s, &n)) return wrong(s, "a size is not a number");
        if (h->dimensions == 0) h->rows = n;
        if (h->dimensions == 1) h->columns = n;
        take(s, ',');
    }
    return TAMIS_OK;
}

static int order(struct scan *s)
{
    s->h->fortran = word(s, "True");
    return s->h->fortran || word(s, "False") ? TAMIS_OK : wrong(s, "no order");
}

/* ---- the dictionary ---- */

static int dictionary(struct scan *s)
{
    static const struct { const char *key; int (*read)(struct scan *s); } known[] = {
        {"descr", describe}, {"fortran_order", order}, {"shape", shape}};
    char key[NAME];
    if (!take(s, '{')) return wrong(s, "no dictionary");
    while (!take(s, '}')) {
        size_t k = 0;
        if (!quoted(s, key) || !take(s, ':')) return wrong(s, "no key");
        while (k < 3 && strcmp(key, known[k].key)) k++;
        if (k == 3 || s->seen & 1u << k) return wrong(s, "a strange key");
        s->seen |= 1u << k;
        int status = known[k].read(s);
        if (status) return status;
        take(s, ',');
    }
    return s->seen == 7 ? TAMIS_OK : wrong(s, "a key is missing");
}

/* The length of the dictionary, behind magic and version. */
static int length_of(struct scan *s, struct tamis_stream *from, size_t *length)
{
    unsigned char b[12];
    size_t got, bytes;
    int status = tamis_stream_read(from, b, 8, &got);
    if (status) return status;
    if (got < 8 || !tamis_magic(b, got, "\x93NUMPY", 6)) return wrong(s, "too short");
    if (b[6] < 1 || b[6] > 3) return wrong(s, "an unknown version");
    bytes = b[6] == 1 ? 2 : 4;
    s->latin1 = b[6] < 3;
    status = tamis_stream_read(from, b, bytes, &got);
    if (status) return status;
    if (got < bytes) return wrong(s, "too short");
    for (*length = 0; bytes--;) *length = *length << 8 | b[bytes];
    return *length <= LONGEST ? TAMIS_OK : wrong(s, "too long");
}

int tamis_npy_header(tamis_context *cx, struct tamis_stream *from, struct tamis_npy_header *h)
{
    struct scan s = {.cx = cx, .file = tamis_stream_name(from), .h = h};
    size_t n = 0, got = 0;
    *h = (struct tamis_npy_header){0};
    int status = length_of(&s, from, &n);
    char *text = status ? NULL : tamis_new(cx, char, n + 1);
    if (!status && !text) status = TAMIS_MEMORY;
    if (!status) status = tamis_stream_read(from, text, n, &got);
    if (!status && got < n) status = wrong(&s, "too short");
    s.p = text;
    if (!status) status = dictionary(&s);
    tamis_free(text);
    return status;
}

void tamis_npy_header_free(struct tamis_npy_header *h)
{
    for (size_t f = 0; f < h->fields; f++) tamis_free(h->field[f].name);
    tamis_free(h->field);
}
