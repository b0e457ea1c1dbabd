/* Zip archives: members are unpacked, changed, and packed into a new archive with sizes, offsets and checksums that
 * fit; now and then a field of its headers is then made wrong. */
#include <zlib.h>
#include "fuzz.h"
#include "data/zip.h"

enum { MEMBERS = 12, NAME = 64, LOCAL = 30, ENTRY = 46, ROOM = 1 << 17 };

struct member { char name[NAME]; uint8_t *bytes; size_t n; int deflated; };
struct packed { size_t at, n; uint32_t crc; };

/* ---- members of the old archive ---- */

static size_t unpack(const uint8_t *data, size_t n, struct member *to)
{
    struct tamis_zip z;
    tamis_context *cx = fuzz_context();
    size_t members = 0;
    TAMIS_CALL(cx);
    int status = tamis_zip_open(cx, "f", data, n, &z);
    for (size_t i = 0; i < z.members && members < MEMBERS && !status; i++) {
        const struct tamis_zip_member *m = &z.member[i];
        status = m->size > ROOM ? TAMIS_DATA : tamis_zip_unpack(&z, m, &to[members].bytes);
        if (status) break;
        snprintf(to[members].name, NAME, "%s", m->name);
        to[members].n = m->size;
        to[members++].deflated = m->method == 8;
    }
    tamis_zip_close(&z);
    return members;
}

/* ---- the new one ---- */

static void number(struct fuzz_bytes *out, uint64_t v, int bytes)
{
    uint8_t b[8];
    for (int i = 0; i < bytes; i++) b[i] = (uint8_t)(v >> 8 * i);
    fuzz_put(out, b, (size_t)bytes);
}

static size_t deflated(const struct member *m, uint8_t *to, size_t room)
{
    z_stream s = {.next_in = m->bytes, .avail_in = (unsigned)m->n, .next_out = to, .avail_out = (unsigned)room};
    check(deflateInit2(&s, 1, Z_DEFLATED, -15, 8, Z_DEFAULT_STRATEGY) == Z_OK);
    check(deflate(&s, Z_FINISH) == Z_STREAM_END);
    deflateEnd(&s);
    return (size_t)s.total_out;
}

/* What a local header and an entry of the directory share: version to sizes. */
static void put_common(const struct member *m, const struct packed *p, struct fuzz_bytes *out)
{
    number(out, 20, 2);
    number(out, 0, 2);
    number(out, m->deflated ? 8 : 0, 2);
    number(out, 0, 4);
    number(out, p->crc, 4);
    number(out, p->n, 4);
    number(out, m->n, 4);
    number(out, strlen(m->name), 2);
    number(out, 0, 2);
}

static void put_member(const struct member *m, struct packed *p, struct fuzz_bytes *out)
{
    static uint8_t buffer[2 * ROOM];
    const uint8_t *from = m->deflated ? buffer : m->bytes;
    *p = (struct packed){out->n, m->n, (uint32_t)crc32(0, m->bytes, (unsigned)m->n)};
    if (m->deflated) p->n = deflated(m, buffer, sizeof buffer);
    fuzz_put(out, "PK\3\4", 4);
    put_common(m, p, out);
    fuzz_put(out, m->name, strlen(m->name));
    fuzz_put(out, from, p->n);
}

static void put_archive(const struct member *m, size_t members, struct fuzz_bytes *out)
{
    struct packed p[2 * MEMBERS];
    for (size_t i = 0; i < members; i++) put_member(&m[i], &p[i], out);
    size_t start = out->n;
    for (size_t i = 0; i < members; i++) {
        fuzz_put(out, "PK\1\2", 4);
        number(out, 20, 2);
        put_common(&m[i], &p[i], out);
        number(out, 0, 8);
        number(out, 0, 2);
        number(out, p[i].at, 4);
        fuzz_put(out, m[i].name, strlen(m[i].name));
    }
    size_t length = out->n - start;
    fuzz_put(out, "PK\5\6\0\0\0\0", 8);
    number(out, members, 2);
    number(out, members, 2);
    number(out, length, 4);
    number(out, start, 4);
    number(out, 0, 2);
}

/* A field of one of the headers: a size, an offset, a method, a checksum. */
static void damage(struct fuzz_bytes *out, struct fuzz_random *r)
{
    static const uint32_t values[] = {0, 1, 8, 9, 0xFFFF, 0xFFFFFFFF, 0x7FFFFFFF, 22, 46, 100};
    size_t found = 0, at = 0;
    for (size_t i = 0; i + ENTRY < out->n; i++)
        if (out->b[i] == 'P' && out->b[i + 1] == 'K' && out->b[i + 2] < 9 && !fuzz_pick(r, ++found)) at = i;
    at += 4 + 2 * fuzz_pick(r, 21);
    uint32_t v = values[fuzz_pick(r, sizeof values / sizeof *values)];
    if (at + 4 <= out->n) memcpy(out->b + at, &v, fuzz_pick(r, 2) ? 2 : 4);
}

/* ---- changes ---- */

static void change_inside(struct member *m, fuzz_mutator *inside, struct fuzz_random *r)
{
    struct fuzz_bytes new = {malloc(ROOM), 0, ROOM};
    inside(m->bytes, m->n, &new, r);
    tamis_free(m->bytes);
    m->bytes = tamis_raw(fuzz_context(), uint8_t, new.n + 1);
    memcpy(m->bytes, new.b, new.n);
    m->n = new.n;
    free(new.b);
}

static void rename_to(struct member *m, const struct fuzz_words *names, struct fuzz_random *r)
{
    snprintf(m->name, NAME, "%s", names->word[fuzz_pick(r, names->words)]);
}

void fuzz_mutate_zip(fuzz_mutator *inside, const struct fuzz_words *names, const uint8_t *data, size_t n,
                     struct fuzz_bytes *out, struct fuzz_random *r)
{
    struct member m[2 * MEMBERS] = {0}, swap;
    size_t members = unpack(data, n, m), k = fuzz_pick(r, members), l = fuzz_pick(r, members), all = members;
    if (!members) return;
    switch (fuzz_pick(r, 12)) {
    case 0: swap = m[k], m[k] = m[l], m[l] = swap; break;
    case 1: m[all] = m[k], rename_to(&m[all++], names, r); break;
    case 2: rename_to(&m[k], names, r); break;
    case 3: swap = m[k], m[k] = m[all - 1], m[all - 1] = swap, all--; break;
    case 4: m[k].deflated = !m[k].deflated; break;
    default: change_inside(&m[k], inside, r);
    }
    put_archive(m, all, out);
    if (!fuzz_pick(r, 12)) damage(out, r);
    for (size_t i = 0; i < members; i++) tamis_free(m[i].bytes);
}
