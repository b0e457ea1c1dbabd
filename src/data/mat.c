/* MAT-files: the walk over the variables of either version. See mat.h. */
#include <string.h>
#include "data/formats.h"
#include "data/mat.h"

enum { HEAD = 128, HEAD4 = 20, NAME = 256 };

/* The bytes of the name; NULL: no memory, or (status OK) there is none. */
static char *name_of(const struct tamis_mat *m, struct tamis_mat_bytes b)
{
    size_t n = b.n ? strnlen((const char *)b.p, b.n < NAME ? b.n : NAME) : 0;
    return n ? tamis_strndup(m->cx, (const char *)b.p, n) : NULL;
}

/* ---- version 5 ---- */

/* An array without a name holds what objects refer to. */
static int add_array(const struct tamis_mat *m, const struct tamis_mat_element *e, struct tamis_mat_variables *to)
{
    struct tamis_mat_array a;
    int status = tamis_mat_head(m, e, &a);
    char *name = status ? NULL : name_of(m, a.name);
    if (name) status = tamis_mat_add(m, &a, NULL, name, to);
    tamis_free(name);
    return status ? status : tamis_status(m->cx);
}

static int add_packed(const struct tamis_mat *m, const struct tamis_mat_element *e, struct tamis_mat_variables *to)
{
    unsigned char *bytes;
    struct tamis_mat_element inner;
    size_t n;
    int status = tamis_mat_inflate(m, e->data, &bytes, &n);
    struct tamis_mat_bytes from = {bytes, n};
    if (!status) status = tamis_mat_next(m, &from, &inner);
    if (!status) status = add_array(m, &inner, to);
    tamis_free(bytes);
    return status;
}

static int walk(const struct tamis_mat *m, struct tamis_mat_bytes from, struct tamis_mat_variables *to)
{
    size_t n = from.n;
    int status = TAMIS_OK;
    while (from.n && !status) {
        struct tamis_mat_element e;
        if (!(status = tamis_mat_next(m, &from, &e)))
            status = e.type == TAMIS_MAT_COMPRESSED ? add_packed(m, &e, to) : add_array(m, &e, to);
        if (!status) status = tamis_check_cancel(m->cx);
        tamis_progress(m->cx, "reading", (double)(n - from.n), (double)n);
    }
    return status;
}

static int is_big_machine(void) { return __BYTE_ORDER__ == __ORDER_BIG_ENDIAN__; }

/* ---- version 4: type, rows, columns, whether complex, length of the name; name; numbers ---- */

/* Of type MOPT: M the byte order, O 0, P the type of the numbers, T 0 numbers, 1 texts, 2 sparse. */
static int digits_of(uint32_t type, unsigned *p, unsigned *t)
{
    *p = type / 10 % 10;
    *t = type % 10;
    return type < 60 && *p <= 5 && *t <= 2;
}

static int head4(const struct tamis_mat *m, const unsigned char *b, size_t n, unsigned *p, unsigned *t)
{
    if (n < HEAD4 + 2) return 0;
    uint32_t type = tamis_mat_u32(m, b) - (is_big_machine() != m->swap ? 1000 : 0), length = tamis_mat_u32(m, b + 16);
    if (!digits_of(type, p, t) || tamis_mat_u32(m, b + 12) > 1 || length < 2 || length > NAME) return 0;
    if (n < HEAD4 + length || b[HEAD4 + length - 1]) return 0;
    for (uint32_t i = 0; i + 1 < length; i++)
        if (b[HEAD4 + i] < '0' || b[HEAD4 + i] > 'z') return 0;
    return 1;
}

static int add4(const struct tamis_mat *m, struct tamis_mat_bytes *from, struct tamis_mat_variables *to)
{
    static const unsigned types[] = {TAMIS_MAT_DOUBLE, TAMIS_MAT_SINGLE, TAMIS_MAT_INT32,
                                     TAMIS_MAT_INT16,  TAMIS_MAT_UINT16, TAMIS_MAT_UINT8};
    static const unsigned classes[] = {TAMIS_MAT_NUMBERS, TAMIS_MAT_CHAR, TAMIS_MAT_FUNCTION};
    const unsigned char *b = from->p;
    unsigned p, t;
    size_t bytes;
    if (!head4(m, b, from->n, &p, &t)) return tamis_mat_damaged(m, "a variable has no head");
    struct tamis_mat_array a = {.class = classes[t], .complex = tamis_mat_u32(m, b + 12) != 0, .dimensions = 2,
                                .rows = tamis_mat_u32(m, b + 4), .columns = tamis_mat_u32(m, b + 8)};
    size_t parts = a.complex ? 2 : 1, size = tamis_mat_size(types[p]), begin = HEAD4 + tamis_mat_u32(m, b + 16);
    if (__builtin_mul_overflow(a.rows, a.columns, &bytes) || __builtin_mul_overflow(bytes, size * parts, &bytes) ||
        bytes > from->n - begin)
        return tamis_mat_damaged(m, "a variable is longer than the file");
    struct tamis_mat_element e = {types[p], {b + begin, bytes}};
    char *name = name_of(m, (struct tamis_mat_bytes){b + HEAD4, NAME});
    int status = name ? tamis_mat_add(m, &a, &e, name, to) : TAMIS_MEMORY;
    tamis_free(name);
    from->p += begin + bytes;
    from->n -= begin + bytes;
    return status;
}

static int walk4(const struct tamis_mat *m, struct tamis_mat_bytes from, struct tamis_mat_variables *to)
{
    int status = TAMIS_OK;
    while (from.n && !status)
        if (!(status = add4(m, &from, to))) status = tamis_check_cancel(m->cx);
    return status;
}

/* ---- the file ---- */

static int is_five(const unsigned char *b, size_t n)
{
    return n >= HEAD && tamis_magic(b, n, "MATLAB ", 7) &&
           (!memcmp(b + HEAD - 4, "\0\1IM", 4) || !memcmp(b + HEAD - 4, "\1\0MI", 4));
}

static int is_four(const unsigned char *b, size_t n)
{
    unsigned p, t;
    struct tamis_mat m = {.swap = 0}, swapped = {.swap = 1};
    return head4(&m, b, n, &p, &t) ? 1 : head4(&swapped, b, n, &p, &t) ? 2 : 0;
}

static int sniff(const unsigned char *b, size_t n) { return is_five(b, n) || is_four(b, n); }

struct wishes { struct tamis_names variables; };
static const struct tamis_option rows[] = {
    {"variables", TAMIS_NAMES, offsetof(struct wishes, variables), NULL, 0, 0, NULL, NULL, ""}, {0}};

static int read_mat(tamis_context *cx, struct tamis_stream *s, const tamis_options *o, struct tamis_reading *out)
{
    struct tamis_mat m = {.cx = cx, .file = tamis_stream_name(s)};
    struct tamis_mat_variables v = {0};
    struct wishes w = {0};
    unsigned char *bytes;
    size_t n;
    int status = tamis_stream_rest(cx, s, &bytes, &n);
    if (!status) status = tamis_options_read(cx, o, rows, &w);
    if (!status && is_five(bytes, n)) {
        m.swap = (bytes[HEAD - 2] == 'M') != is_big_machine();
        status = walk(&m, (struct tamis_mat_bytes){bytes + HEAD, n - HEAD}, &v);
    } else if (!status) {
        m.swap = is_four(bytes, n) == 2;
        status = walk4(&m, (struct tamis_mat_bytes){bytes, n}, &v);
    }
    tamis_free(bytes);
    if (!status) status = tamis_mat_join(&m, &v, &w.variables, &out->table);
    tamis_mat_variables_free(&v);
    return status;
}

const struct tamis_reader tamis_matlab = {"mat", "MATLAB file", ".mat", sniff, read_mat, NULL, "variables"};
