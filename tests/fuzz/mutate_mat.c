/* MATLAB's files of version 5: compressed elements are unpacked, so that a mutation sees what is in them, elements of
 * any depth are exchanged, repeated, dropped and replaced by new arrays, numbers in tags, flags and dimensions changed;
 * lengths around the change fit again, and elements are packed again, most of the time. */
#include <zlib.h>
#include "fuzz.h"

enum { HEAD = 128, TAG = 8, PLACES = 512, ROOM = 1 << 16, DEPTH = 6, MATRIX = 14, PACKED = 15 };

struct place { size_t at, n; int depth; };              /* an element with its tag and padding */

static uint32_t u32(const uint8_t *b)
{
    return b[0] | (uint32_t)b[1] << 8 | (uint32_t)b[2] << 16 | (uint32_t)b[3] << 24;
}

static void put32(uint8_t *b, uint32_t v)
{
    for (int k = 0; k < 4; k++) b[k] = (uint8_t)(v >> 8 * k);
}

static void put_number(struct fuzz_bytes *out, uint32_t v)
{
    uint8_t b[4];
    put32(b, v);
    fuzz_put(out, b, 4);
}

/* ---- unpacking and packing ---- */

static void unpack_element(const uint8_t *data, size_t n, struct fuzz_bytes *out)
{
    uint8_t buffer[ROOM];
    uLongf length = sizeof buffer;
    if (uncompress(buffer, &length, data + TAG, n - TAG) == Z_OK) fuzz_put(out, buffer, length);
    else fuzz_put(out, data, n);
}

static size_t whole(const uint8_t *data, size_t n)
{
    uint32_t first = n >= TAG ? u32(data) : 0, size = n >= TAG ? u32(data + 4) : 0;
    if (n < TAG || first >> 16) return n < TAG ? n : TAG;
    size_t all = TAG + (size_t)size + (first == PACKED ? 0 : -(size_t)size % 8);
    return all < n ? all : n;
}

static void unpack(const uint8_t *data, size_t n, struct fuzz_bytes *out)
{
    for (size_t at = 0, size; at < n; at += size) {
        size = whole(data + at, n - at);
        if (size > TAG && u32(data + at) == PACKED) unpack_element(data + at, size, out);
        else fuzz_put(out, data + at, size);
    }
}

static void put_packed(const uint8_t *data, size_t n, struct fuzz_bytes *out)
{
    uint8_t buffer[2 * ROOM];
    uLongf length = sizeof buffer;
    if (n > ROOM || compress2(buffer, &length, data, n, 1) != Z_OK) return;
    put_number(out, PACKED);
    put_number(out, (uint32_t)length);
    fuzz_put(out, buffer, length);
}

static void pack(const uint8_t *data, size_t n, struct fuzz_bytes *out, struct fuzz_random *r)
{
    int all = !fuzz_pick(r, 3);
    for (size_t at = 0, size; at < n; at += size) {
        size = whole(data + at, n - at);
        if (all) put_packed(data + at, size, out);
        else fuzz_put(out, data + at, size);
    }
}

/* ---- places ---- */

static size_t walk(const uint8_t *data, size_t from, size_t end, int depth, struct place *to, size_t places)
{
    for (size_t at = from, size; at + TAG <= end && places < PLACES; at += size) {
        size = whole(data + at, end - at);
        to[places++] = (struct place){at, size, depth};
        if (u32(data + at) == MATRIX && depth < DEPTH) places = walk(data, at + TAG, at + size, depth + 1, to, places);
    }
    return places;
}

/* The lengths of the elements around place p grow. */
static void lengths_fit(uint8_t *data, const struct place *p, size_t places, size_t k, long grown)
{
    for (size_t i = 0; i < k && i < places; i++)
        if (p[i].at < p[k].at && p[i].at + p[i].n >= p[k].at + p[k].n && p[i].depth < p[k].depth)
            put32(data + p[i].at + 4, (uint32_t)((long)u32(data + p[i].at + 4) + grown));
}

/* ---- new arrays ---- */

static void put_element(struct fuzz_bytes *out, uint32_t type, const void *data, size_t n)
{
    static const uint8_t zero[8];
    put_number(out, type);
    put_number(out, (uint32_t)n);
    fuzz_put(out, data, n);
    fuzz_put(out, zero, -n % 8);
}

static void put_array(struct fuzz_bytes *out, struct fuzz_random *r, int depth)
{
    static const uint32_t classes[] = {6, 6, 6, 7, 9, 4, 1, 1, 5, 2, 8, 12, 16, 17, 3};
    static const uint32_t types[] = {1, 2, 3, 4, 5, 6, 7, 9, 12, 13, 16, 17, 18};
    static const uint8_t sizes[] = {1, 1, 2, 2, 4, 4, 4, 8, 8, 8, 1, 2, 4};
    static const char *const names[] = {"X", "y", "a", "", "X1", "label", "b"};
    uint8_t buffer[4096], values[256];
    struct fuzz_bytes in = {buffer, 0, sizeof buffer};
    uint32_t class = classes[fuzz_pick(r, sizeof classes / sizeof *classes)], rows = (uint32_t)fuzz_pick(r, 5),
             columns = (uint32_t)fuzz_pick(r, 4), word[2] = {class | (uint32_t)(fuzz_pick(r, 8) ? 0 : 0x800), 0};
    uint32_t shape[3] = {rows, columns, 2};
    size_t t = fuzz_pick(r, sizeof types / sizeof *types), n = rows * columns * sizes[t];
    const char *name = depth ? "" : names[fuzz_pick(r, sizeof names / sizeof *names)];
    for (size_t i = 0; i < sizeof values; i++)
        values[i] = (uint8_t)(fuzz_pick(r, 2) ? 64 + fuzz_pick(r, 64) : fuzz_pick(r, 4));
    put_element(&in, 6, word, 8);
    put_element(&in, 5, shape, fuzz_pick(r, 10) ? 8 : 12);
    put_element(&in, 1, name, strlen(name));
    if (class == 1 && depth < 2) for (size_t k = 0; k < rows * columns; k++) put_array(&in, r, depth + 1);
    else if (class == 5) {
        uint32_t row[4] = {0, 1, 2, 0}, end[5] = {0, 1, 2, 3, 3};
        put_element(&in, 5, row, 12);
        put_element(&in, 5, end, 4 * (columns + 1));
        put_element(&in, 9, values, 24);
    } else put_element(&in, types[t], values, fuzz_pick(r, 10) ? n : n + 1);
    put_element(out, MATRIX, in.b, in.n);
}

/* ---- mutations ---- */

/* A number of a tag or of short data. */
static void change_number(uint8_t *data, struct place p, struct fuzz_random *r)
{
    static const uint32_t values[] = {0, 1, 2, 3, 4, 5, 6, 9, 14, 15, 17, 0x806, 0x7FFFFFFF,
                                      0x80000000, 0xFFFFFFFF, 0x10001};
    size_t at = p.at + 4 * fuzz_pick(r, p.n / 4 < 6 ? p.n / 4 : 6);
    uint32_t old = u32(data + at);
    put32(data + at, fuzz_pick(r, 2) ? values[fuzz_pick(r, sizeof values / sizeof *values)]
                                     : old + 1 - 2 * (uint32_t)fuzz_pick(r, 2));
}

static void replace(uint8_t *data, size_t n, const struct place *p, size_t places, struct fuzz_bytes *out,
                    struct fuzz_random *r)
{
    size_t k = fuzz_pick(r, places), g = fuzz_pick(r, places), end = p[k].at + p[k].n;
    struct fuzz_bytes fresh = {malloc(ROOM), 0, ROOM};
    switch (fuzz_pick(r, 4)) {
    case 0: break;                                                              /* dropped */
    case 1: fuzz_put(&fresh, data + p[g].at, p[g].n); break;                    /* a copy of another */
    case 2: fuzz_put(&fresh, data + p[k].at, p[k].n); fuzz_put(&fresh, data + p[g].at, p[g].n); break;
    case 3: put_array(&fresh, r, p[k].depth); break;
    }
    if (fuzz_pick(r, 8)) lengths_fit(data, p, places, k, (long)fresh.n - (long)p[k].n);
    fuzz_put(out, data, p[k].at);
    fuzz_put(out, fresh.b, fresh.n);
    fuzz_put(out, data + end, n - end);
    free(fresh.b);
}

void fuzz_mutate_mat(const uint8_t *data, size_t n, struct fuzz_bytes *out, struct fuzz_random *r)
{
    static uint8_t plain[ROOM], changed[2 * ROOM];
    static struct place place[PLACES];
    struct fuzz_bytes from = {plain, 0, ROOM}, to = {changed, 0, 2 * ROOM};
    if (n < HEAD || data[HEAD - 2] != 'I') return;
    unpack(data + HEAD, n - HEAD, &from);
    size_t places = walk(plain, 0, from.n, 0, place, 0);
    if (!places) put_array(&to, r, 0);
    else if (fuzz_pick(r, 2)) {
        change_number(plain, place[fuzz_pick(r, places)], r);
        fuzz_put(&to, plain, from.n);
    } else replace(plain, from.n, place, places, &to, r);
    fuzz_put(out, data, HEAD);
    pack(changed, to.n, out, r);
}
