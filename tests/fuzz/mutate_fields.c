/* Fields of packed files: u64, f64 and texts, which are a u64 with their length plus one and the bytes. Where a field
 * begins is found by walking from the start: a small number followed by as many printable bytes is taken for a text.
 */
#include "fuzz.h"

enum { FIELDS = 4096 };

struct field { size_t at, n; };                         /* n: 8, or 8 and the text */

static uint64_t number_at(const uint8_t *b)
{
    uint64_t v = 0;
    for (int i = 7; i >= 0; i--) v = v << 8 | b[i];
    return v;
}

static size_t text_length(const uint8_t *b, size_t left)
{
    uint64_t v = number_at(b);
    if (v < 2 || v > 200 || v - 1 > left - 8) return 0;
    for (size_t i = 0; i < v - 1; i++)
        if (b[8 + i] < 32) return 0;
    return (size_t)v - 1;
}

static size_t walk(const uint8_t *data, size_t n, struct field *field)
{
    size_t fields = 0, at = 1;
    while (n >= 9 && at <= n - 8 && fields < FIELDS) {
        size_t length = 8 + text_length(data + at, n - at);
        field[fields++] = (struct field){at, length};
        at += length;
    }
    return fields;
}

static void put_number(struct fuzz_bytes *out, uint64_t v)
{
    uint8_t b[8];
    for (int i = 0; i < 8; i++) b[i] = (uint8_t)(v >> 8 * i);
    fuzz_put(out, b, 8);
}

static void put_text(struct fuzz_bytes *out, const void *s, size_t n)
{
    put_number(out, n + 1);
    fuzz_put(out, s, n);
}

static void some_number(struct fuzz_bytes *out, struct fuzz_random *r, uint64_t old)
{
    static const double doubles[] = {0, -0.0, 1, -1, .5, 1e-310, 1e-300, 1e300, -1e300, 1.7e308, 1e-9, 3, 1e9};
    static const uint64_t counts[] = {0, 1, 2, 3, 4, 7, 1ull << 31, 1ull << 32, 1ull << 60, 1ull << 61, UINT64_MAX,
                                      UINT64_MAX / 8, 0x7FF0000000000000ull, 0x7FF8000000000001ull};
    uint64_t v = 0;
    switch (fuzz_pick(r, 4)) {
    case 0: memcpy(&v, &doubles[fuzz_pick(r, sizeof doubles / sizeof *doubles)], 8); break;
    case 1: v = counts[fuzz_pick(r, sizeof counts / sizeof *counts)]; break;
    case 2: v = old + 1 - 2 * fuzz_pick(r, 2); break;
    case 3: v = fuzz_pick(r, 20); break;
    }
    put_number(out, v);
}

static void some_text(struct fuzz_bytes *out, struct fuzz_random *r, const uint8_t *old, size_t n)
{
    static const char *const words[] = {"x1", "x2", "x3", "a", "b", "y", "", "rbf", "linear", "knn", "elm", "terms",
                                        "mixture", "gauss-net", "sparse-net", "rbf-classifier", "reduced-rank"};
    uint8_t buffer[512];
    const char *w = words[fuzz_pick(r, sizeof words / sizeof *words)];
    if (fuzz_pick(r, 2) || !n || n > 400) {
        put_text(out, w, strlen(w));
        return;
    }
    memcpy(buffer, old, n);
    put_text(out, buffer, LLVMFuzzerMutate(buffer, n, sizeof buffer));
}

static void replace(const uint8_t *data, struct field f, struct fuzz_bytes *out, struct fuzz_random *r)
{
    if (f.n > 8) some_text(out, r, data + f.at + 8, f.n - 8);
    else some_number(out, r, number_at(data + f.at));
}

void fuzz_mutate_fields(const uint8_t *data, size_t n, struct fuzz_bytes *out, struct fuzz_random *r)
{
    static struct field field[FIELDS];
    size_t fields = walk(data, n, field);
    if (!fields) return;
    struct field f = field[fuzz_pick(r, fields)], g = field[fuzz_pick(r, fields)];
    size_t from = f.at < g.at ? f.at : g.at, end = f.at + f.n;
    fuzz_put(out, data, f.at);
    switch (fuzz_pick(r, 8)) {
    case 0: end = f.at; put_number(out, fuzz_pick(r, 5)); break;                /* one more field */
    case 1: break;                                                              /* one less */
    case 2: fuzz_put(out, data + g.at, g.n); break;                             /* a copy of another */
    case 3: end = f.at; fuzz_put(out, data + from, f.at - from); break;         /* several fields again */
    default: replace(data, f, out, r);
    }
    fuzz_put(out, data + end, n - end);
    if (!fuzz_pick(r, 16)) out->b[0] = (uint8_t)fuzz_pick(r, 256);
}
