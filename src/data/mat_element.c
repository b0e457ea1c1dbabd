/* Elements: their tags, what compressed ones hold, arrays up to their numbers, and numbers of any stored type. */
#include <string.h>
#include <zlib.h>
#include "data/gather.h"
#include "data/mat.h"

enum { TAG = 8, SMALL = 4, STEP = 1 << 26, INFLATION = 1032 };         /* deflate never packs better than that */

int tamis_mat_damaged(const struct tamis_mat *m, const char *how)
{
    return tamis_fail(m->cx, TAMIS_DATA, "%s: the MATLAB file is damaged or truncated: %s; save it again", m->file,
                      how);
}

uint32_t tamis_mat_u32(const struct tamis_mat *m, const unsigned char *p)
{
    uint32_t v;
    memcpy(&v, p, sizeof v);
    return m->swap ? __builtin_bswap32(v) : v;
}

int tamis_mat_next(const struct tamis_mat *m, struct tamis_mat_bytes *from, struct tamis_mat_element *out)
{
    size_t size, whole;
    if (from->n < TAG) return tamis_mat_damaged(m, "an element has no head");
    uint32_t first = tamis_mat_u32(m, from->p);
    int small = first >> 16 != 0;               /* length and type in one word, the data in the other */
    size = small ? first >> 16 : tamis_mat_u32(m, from->p + 4);
    out->type = small ? first & 0xFFFF : first;
    if (small ? size > SMALL : size > from->n - TAG) return tamis_mat_damaged(m, "an element is longer than its place");
    out->data = (struct tamis_mat_bytes){from->p + (small ? SMALL : TAG), size};
    whole = small ? TAG : TAG + size + (out->type == TAMIS_MAT_COMPRESSED ? 0 : -size % TAG);
    if (whole > from->n) whole = from->n;       /* some writers do not pad the last one */
    from->p += whole;
    from->n -= whole;
    return TAMIS_OK;
}

/* ---- compressed elements ---- */

/* Fills `to`; *done: how much of it. */
static int fill(const struct tamis_mat *m, z_stream *s, unsigned char *to, size_t n, size_t *done)
{
    int code = Z_OK;
    for (*done = 0; *done < n && code == Z_OK;) {
        unsigned room = n - *done < STEP ? (unsigned)(n - *done) : STEP;
        s->next_out = to + *done;
        s->avail_out = room;
        code = inflate(s, Z_SYNC_FLUSH);
        *done += room - s->avail_out;
        if (tamis_check_cancel(m->cx)) return tamis_status(m->cx);
    }
    if (code == Z_MEM_ERROR) return tamis_fail(m->cx, TAMIS_MEMORY, "%s: out of memory while unpacking", m->file);
    return *done == n ? TAMIS_OK : tamis_mat_damaged(m, "a compressed variable does not unpack");
}

/* The stream has ended, with a checksum that is right. */
static int at_end(const struct tamis_mat *m, z_stream *s)
{
    unsigned char more;
    s->next_out = &more;
    s->avail_out = 1;
    int code = inflate(s, Z_FINISH);
    return code == Z_STREAM_END && s->avail_out ? TAMIS_OK
                                                : tamis_mat_damaged(m, "a compressed variable does not end");
}

/* Its first element says how long it is. */
static int inflate_element(const struct tamis_mat *m, size_t packed, z_stream *s, unsigned char **out, size_t *n)
{
    unsigned char tag[TAG];
    size_t done;
    int status = fill(m, s, tag, TAG, &done);
    if (status) return status;
    size_t size = tamis_mat_u32(m, tag + 4);
    if (tamis_mat_u32(m, tag) != TAMIS_MAT_MATRIX) return tamis_mat_damaged(m, "a compressed element is not an array");
    if (size / INFLATION > packed) return tamis_mat_damaged(m, "a compressed variable is longer than it can be");
    status = tamis_memory_check(m->cx, (double)size, "a variable of the file", "raise --memory");
    if (status) return status;
    if (!(*out = tamis_grow(m->cx, NULL, size + TAG, 1))) return TAMIS_MEMORY;
    memcpy(*out, tag, TAG);
    *n = size + TAG;
    status = fill(m, s, *out + TAG, size, &done);
    return status ? status : at_end(m, s);
}

int tamis_mat_inflate(const struct tamis_mat *m, struct tamis_mat_bytes packed, unsigned char **out, size_t *n)
{
    z_stream s = {.next_in = (unsigned char *)(uintptr_t)packed.p, .avail_in = (unsigned)packed.n};    /* 32 bits */
    *out = NULL;
    if (inflateInit(&s) != Z_OK) return tamis_fail(m->cx, TAMIS_MEMORY, "%s: zlib could not start", m->file);
    int status = inflate_element(m, packed.n, &s, out, n);
    inflateEnd(&s);
    if (!status) return TAMIS_OK;
    tamis_free(*out);
    *out = NULL;
    return status;
}

/* ---- arrays ---- */

static int shape(const struct tamis_mat *m, struct tamis_mat_array *a)
{
    struct tamis_mat_element e;
    int status = tamis_mat_next(m, &a->rest, &e);
    if (status) return status;
    if (e.type != TAMIS_MAT_INT32 || e.data.n < 8 || e.data.n % 4)
        return tamis_mat_damaged(m, "an array has no dimensions");
    a->dimensions = e.data.n / 4;
    a->rows = tamis_mat_u32(m, e.data.p);
    a->columns = tamis_mat_u32(m, e.data.p + 4);
    return a->rows > INT32_MAX || a->columns > INT32_MAX ? tamis_mat_damaged(m, "an array has less than no rows")
                                                         : TAMIS_OK;
}

int tamis_mat_head(const struct tamis_mat *m, const struct tamis_mat_element *e, struct tamis_mat_array *out)
{
    struct tamis_mat_element flags, name;
    *out = (struct tamis_mat_array){.rest = e->data};
    if (e->type != TAMIS_MAT_MATRIX) return tamis_mat_damaged(m, "an element is not an array");
    if (!e->data.n) return TAMIS_OK;
    int status = tamis_mat_next(m, &out->rest, &flags);
    if (!status && (flags.type != TAMIS_MAT_UINT32 || flags.data.n != 8))
        status = tamis_mat_damaged(m, "an array has no class");
    if (status) return status;
    uint32_t word = tamis_mat_u32(m, flags.data.p);
    out->class = word & 0xFF;
    out->complex = (word & 0x800) != 0;
    if (out->class == TAMIS_MAT_OPAQUE) out->dimensions = 2;
    else status = shape(m, out);
    if (!status) status = tamis_mat_next(m, &out->rest, &name);
    if (!status) out->name = name.data;
    return status;
}

/* ---- numbers ---- */

static int format_of(unsigned type)
{
    static const int formats[] = {
        [TAMIS_MAT_INT8] = TAMIS_I8,     [TAMIS_MAT_UINT8] = TAMIS_U8,   [TAMIS_MAT_INT16] = TAMIS_I16,
        [TAMIS_MAT_UINT16] = TAMIS_U16,  [TAMIS_MAT_INT32] = TAMIS_I32,  [TAMIS_MAT_UINT32] = TAMIS_U32,
        [TAMIS_MAT_SINGLE] = TAMIS_F32,  [8] = -1, [TAMIS_MAT_DOUBLE] = TAMIS_F64, [10] = -1, [11] = -1,
        [TAMIS_MAT_INT64] = TAMIS_I64,   [TAMIS_MAT_UINT64] = TAMIS_U64, [TAMIS_MAT_MATRIX] = -1,
        [TAMIS_MAT_COMPRESSED] = -1,     [TAMIS_MAT_UTF8] = -1,          [TAMIS_MAT_UTF16] = TAMIS_U16,
        [TAMIS_MAT_UTF32] = TAMIS_U32};
    return type && type < sizeof formats / sizeof *formats ? formats[type] : -1;
}

size_t tamis_mat_size(unsigned type)
{
    int format = format_of(type);
    return format < 0 ? 0 : tamis_number_format(format)->size;
}

void tamis_mat_numbers(const struct tamis_mat *m, const struct tamis_mat_element *e, size_t from, size_t n, double *out)
{
    const struct tamis_number_format *f = tamis_number_format(format_of(e->type));
    const unsigned char *p = e->data.p + from * f->size;
    unsigned char b[8];
    for (size_t i = 0; i < n; i++, p += f->size) {
        for (size_t k = 0; k < f->size && m->swap; k++) b[k] = p[f->size - 1 - k];
        out[i] = f->read(m->swap ? b : p);
    }
}
