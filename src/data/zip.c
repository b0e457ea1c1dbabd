/* The central directory at the end of the archive says what there is [1]; zip64 where numbers do not fit into 32 bits.
 * Of a local header only the lengths of its name and extra field are used, to find the data.
 *
 * [1] APPNOTE.TXT, PKWARE. */
#include <string.h>
#include <zlib.h>
#include "data/zip.h"

enum { END = 22, END64 = 56, LOCATOR = 20, ENTRY = 46, LOCAL = 30, COMMENT = 65535, INFLATION = 1032 };
enum { STORED = 0, DEFLATED = 8, STEP = 1 << 30 };

static int damaged(const struct tamis_zip *z, const char *what)
{
    return tamis_fail(z->cx, TAMIS_DATA, "%s: the zip archive is damaged (%s); fetch or save the file again", z->file,
                      what);
}

static uint64_t number(const unsigned char *p, size_t bytes)
{
    uint64_t x = 0;
    while (bytes--) x = x << 8 | p[bytes];
    return x;
}

/* Whether [at, at + length) lies in the archive. */
static int inside(const struct tamis_zip *z, uint64_t at, uint64_t length)
{
    return at <= z->n && length <= z->n - at;
}

/* ---- the directory ---- */

struct directory { uint64_t at, entries; };

static const unsigned char *find_end(const struct tamis_zip *z)
{
    for (size_t back = END; back <= z->n && back <= END + COMMENT; back++) {
        const unsigned char *p = z->bytes + z->n - back;
        if (!memcmp(p, "PK\5\6", 4)) return p;
    }
    return NULL;
}

static int find_directory(const struct tamis_zip *z, struct directory *d)
{
    const unsigned char *end = find_end(z), *locator = end && end - z->bytes >= LOCATOR ? end - LOCATOR : NULL;
    if (!end) return damaged(z, "its end is missing");
    *d = (struct directory){number(end + 16, 4), number(end + 10, 2)};
    if (!locator || memcmp(locator, "PK\6\7", 4)) return TAMIS_OK;
    uint64_t at = number(locator + 8, 8);
    if (!inside(z, at, END64) || memcmp(z->bytes + at, "PK\6\6", 4)) return damaged(z, "its end is wrong");
    *d = (struct directory){number(z->bytes + at + 48, 8), number(z->bytes + at + 32, 8)};
    return TAMIS_OK;
}

/* Sizes of 64 bits are in the extra field of tag 1, in this order, those that did not fit. */
static int wide_sizes(const unsigned char *extra, size_t n, uint64_t *field[3])
{
    while (n >= 4) {
        size_t length = number(extra + 2, 2);
        if (length > n - 4) return 0;
        if (number(extra, 2) == 1) {
            const unsigned char *p = extra + 4;
            for (size_t k = 0; k < 3; k++) {
                if (*field[k] != 0xFFFFFFFF) continue;
                if (p + 8 > extra + 4 + length) return 0;
                *field[k] = number(p, 8);
                p += 8;
            }
            return 1;
        }
        extra += 4 + length;
        n -= 4 + length;
    }
    return 1;
}

/* The entry at *at, which moves past it. */
static int read_entry(const struct tamis_zip *z, uint64_t *at, struct tamis_zip_member *m)
{
    const unsigned char *p = z->bytes + *at;
    if (!inside(z, *at, ENTRY) || memcmp(p, "PK\1\2", 4)) return damaged(z, "its directory ends too early");
    uint64_t name = number(p + 28, 2), extra = number(p + 30, 2), comment = number(p + 32, 2);
    uint64_t size = number(p + 24, 4), packed = number(p + 20, 4), offset = number(p + 42, 4);
    if (!inside(z, *at, ENTRY + name + extra + comment)) return damaged(z, "its directory ends too early");
    if (!wide_sizes(p + ENTRY + name, extra, (uint64_t *[3]){&size, &packed, &offset}))
        return damaged(z, "a size is missing");
    *m = (struct tamis_zip_member){.packed = packed, .size = size, .offset = offset,
                                   .method = (unsigned)number(p + 10, 2), .flags = (unsigned)number(p + 8, 2),
                                   .crc = (uint32_t)number(p + 16, 4)};
    m->name = tamis_strndup(z->cx, (const char *)p + ENTRY, name);
    *at += ENTRY + name + extra + comment;
    return m->name ? TAMIS_OK : TAMIS_MEMORY;
}

int tamis_zip_open(tamis_context *cx, const char *file, const unsigned char *bytes, size_t n, struct tamis_zip *z)
{
    struct directory d = {0, 0};
    *z = (struct tamis_zip){.cx = cx, .file = file, .bytes = bytes, .n = n};
    int status = find_directory(z, &d);
    if (!status && (!inside(z, d.at, 0) || d.entries > (n - d.at) / ENTRY))
        status = damaged(z, "its directory is missing");
    if (status) return status;
    if (!(z->member = tamis_new(cx, struct tamis_zip_member, d.entries))) return TAMIS_MEMORY;
    for (uint64_t k = 0; k < d.entries && !status; k++) {
        status = read_entry(z, &d.at, &z->member[z->members]);
        z->members += !status;
    }
    return status;
}

const struct tamis_zip_member *tamis_zip_find(const struct tamis_zip *z, const char *name)
{
    for (size_t i = 0; i < z->members; i++)
        if (!strcmp(z->member[i].name, name)) return &z->member[i];
    return NULL;
}

void tamis_zip_close(struct tamis_zip *z)
{
    for (size_t i = 0; i < z->members; i++) tamis_free(z->member[i].name);
    tamis_free(z->member);
    memset(z, 0, sizeof *z);
}

/* ---- members ---- */

static int inflate_all(const struct tamis_zip *z, const unsigned char *from, const struct tamis_zip_member *m,
                       unsigned char *to)
{
    z_stream s = {0};
    size_t in = 0, out = 0;
    int code = Z_OK, status = inflateInit2(&s, -15) == Z_OK ? TAMIS_OK : tamis_fail(z->cx, TAMIS_MEMORY,
                                                                                   "%s: zlib could not start", z->file);
    while (!status && code == Z_OK) {
        s.next_in = (unsigned char *)(uintptr_t)from + in;
        s.next_out = to + out;
        s.avail_in = m->packed - in < STEP ? (unsigned)(m->packed - in) : STEP;
        s.avail_out = m->size - out < STEP ? (unsigned)(m->size - out) : STEP;
        unsigned had_in = s.avail_in, had_out = s.avail_out;
        code = inflate(&s, Z_NO_FLUSH);
        in += had_in - s.avail_in;
        out += had_out - s.avail_out;
        status = tamis_check_cancel(z->cx);
    }
    inflateEnd(&s);
    if (status) return status;
    if (code == Z_MEM_ERROR) return tamis_fail(z->cx, TAMIS_MEMORY, "%s: out of memory while unpacking", z->file);
    return code == Z_STREAM_END && out == m->size ? TAMIS_OK : damaged(z, "a member does not unpack");
}

static int checksum(const struct tamis_zip *z, const struct tamis_zip_member *m, const unsigned char *p)
{
    return crc32_z(crc32(0, NULL, 0), p, m->size) == m->crc ? TAMIS_OK : damaged(z, "a checksum is wrong");
}

/* Where the data of the member begin; NULL: it cannot be read. */
static const unsigned char *data_of(const struct tamis_zip *z, const struct tamis_zip_member *m)
{
    const unsigned char *p = z->bytes + m->offset;
    if (m->flags & 1) tamis_fail(z->cx, TAMIS_DATA, "%s: the file is encrypted; save it without a password", z->file);
    else if (m->method != STORED && m->method != DEFLATED)
        tamis_fail(z->cx, TAMIS_DATA, "%s: zip method %u is not read; save the file with deflate", z->file, m->method);
    else if (!inside(z, m->offset, LOCAL) || memcmp(p, "PK\3\4", 4) ||
             !inside(z, m->offset + LOCAL + number(p + 26, 2) + number(p + 28, 2), m->packed) ||
             (m->method == STORED ? m->size != m->packed : m->size / INFLATION > m->packed + 1))
        damaged(z, "a member is not where it should be");
    return tamis_status(z->cx) ? NULL : p + LOCAL + number(p + 26, 2) + number(p + 28, 2);
}

int tamis_zip_unpack(const struct tamis_zip *z, const struct tamis_zip_member *m, unsigned char **out)
{
    const unsigned char *from = data_of(z, m);
    *out = NULL;
    if (!from || tamis_memory_check(z->cx, (double)m->size, "the unpacked file", "raise --memory"))
        return tamis_status(z->cx);
    if (!(*out = tamis_grow(z->cx, NULL, m->size + 1, 1))) return TAMIS_MEMORY;
    int status = TAMIS_OK;
    if (m->method == STORED) memcpy(*out, from, m->size);
    else status = inflate_all(z, from, m, *out);
    (*out)[m->size] = 0;
    if (!status) status = checksum(z, m, *out);
    if (!status) return TAMIS_OK;
    tamis_free(*out);
    *out = NULL;
    return status;
}
