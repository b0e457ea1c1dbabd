/* NumPy's arrays: magic, version, length, a dictionary, data. A new array is composed of parts that may not fit each
 * other, with the old data; or a part of the dictionary is replaced; or numbers of the data. */
#include "fuzz.h"

enum { HEAD = 10, FIELDS = 4, DICTIONARY = 1024 };

static const struct { const char *name; size_t size;
} types[] = {{"<f8", 8},   {"<f8", 8},    {"<f4", 4}, {">f8", 8},        {"<f2", 2}, {"|i1", 1},
             {"<i2", 2},   {">i4", 4},    {"<i8", 8}, {"|u1", 1},        {"<u8", 8}, {"|b1", 1},
             {"|S3", 3},   {"<U2", 8},    {">U1", 4}, {"|V4", 4},        {"|S0", 0}, {"|O", 8},
             {"<c16", 16}, {"<M8[D]", 8}, {"<f3", 3}, {"<U99999999", 0}, {"", 0},    {"=f8", 8}};
enum { TYPES = sizeof types / sizeof *types };

static size_t length_at(const uint8_t *data, size_t n)
{
    size_t length = n >= HEAD ? data[8] | (size_t)data[9] << 8 : 0;
    return length <= n - (n < HEAD ? n : HEAD) ? length : 0;
}

static void put_text(struct fuzz_bytes *out, const char *s) { fuzz_put(out, s, strlen(s)); }

/* Magic, version, length, dictionary. */
static void put_head(struct fuzz_bytes *out, const struct fuzz_bytes *dictionary, struct fuzz_random *r)
{
    int version = fuzz_pick(r, 6) ? 1 : (int)fuzz_pick(r, 5);
    uint8_t head[12] = {0x93, 'N', 'U', 'M', 'P', 'Y', (uint8_t)version, 0, (uint8_t)dictionary->n,
                        (uint8_t)(dictionary->n >> 8)};
    fuzz_put(out, head, version > 1 ? 12 : HEAD);
    fuzz_put(out, dictionary->b, dictionary->n);
}

/* Old bytes again and again, or numbers that are special. */
static void put_data(struct fuzz_bytes *out, const uint8_t *old, size_t n, size_t length, struct fuzz_random *r)
{
    static const double special[] = {0, -0.0, 1, 2, 2.5, -1e300, 1e-310, 0x1p53, 1e15, 0.1};
    for (size_t i = 0; i < length && i < 4096; i += 8) {
        uint8_t b[8] = {0};
        if (n && fuzz_pick(r, 4))
            for (size_t k = 0; k < 8; k++) b[k] = old[(i + k) % n];
        else memcpy(b, &special[fuzz_pick(r, sizeof special / sizeof *special)], 8);
        fuzz_put(out, b, length - i < 8 ? length - i : 8);
    }
}

static size_t put_types(struct fuzz_bytes *d, struct fuzz_random *r)
{
    static const char *const names[] = {"a", "b", "y", "", "a", "x1", "\xE4", "a,b", "q'"};
    size_t fields = fuzz_pick(r, 2) ? 0 : 1 + fuzz_pick(r, FIELDS), size = 0, k;
    char text[80];
    if (!fields) {
        k = fuzz_pick(r, fuzz_pick(r, 4) ? 15 : TYPES);
        snprintf(text, sizeof text, "'%s'", types[k].name);
        put_text(d, text);
        return types[k].size;
    }
    put_text(d, "[");
    for (size_t f = 0; f < fields; f++) {
        k = fuzz_pick(r, fuzz_pick(r, 4) ? 15 : TYPES);
        const char *name = names[fuzz_pick(r, fuzz_pick(r, 3) ? 3 : sizeof names / sizeof *names)];
        snprintf(text, sizeof text, strchr(name, '\'') ? "(\"%s\", '%s'), " : "('%s', '%s'), ", name, types[k].name);
        put_text(d, text);
        size += types[k].size;
    }
    put_text(d, "]");
    return size;
}

static void compose(const uint8_t *old, size_t n, struct fuzz_bytes *out, struct fuzz_random *r)
{
    uint8_t buffer[DICTIONARY];
    struct fuzz_bytes d = {buffer, 0, DICTIONARY};
    char text[120];
    size_t rows = fuzz_pick(r, 6), columns = 1 + fuzz_pick(r, 4),
           dimensions = fuzz_pick(r, 8) ? 1 + fuzz_pick(r, 2) : 3;
    put_text(&d, "{'descr': ");
    size_t item = put_types(&d, r);
    snprintf(text, sizeof text, ", 'fortran_order': %s, 'shape': (%zu", fuzz_pick(r, 2) ? "False" : "True", rows);
    put_text(&d, text);
    for (size_t k = 1; k < dimensions; k++) snprintf(text, sizeof text, ", %zu", columns), put_text(&d, text);
    put_text(&d, dimensions == 1 ? ",), }\n" : "), }\n");
    put_head(out, &d, r);
    size_t length = item * rows * (dimensions > 1 ? columns : 1);
    put_data(out, old, n, fuzz_pick(r, 10) ? length : length + 1 - 2 * fuzz_pick(r, 2), r);
}

/* A number, a quoted word or some bytes of the dictionary. */
static void change_dictionary(const uint8_t *data, size_t length, struct fuzz_bytes *d, struct fuzz_random *r)
{
    static const char *const words[] = {"0",
                                        "1",
                                        "2",
                                        "3",
                                        "7",
                                        "18446744073709551615",
                                        "99999999999999999999",
                                        "4294967296",
                                        "'",
                                        "(",
                                        ")",
                                        "[",
                                        "]",
                                        ",",
                                        "L",
                                        "True",
                                        "False",
                                        "'<f8'",
                                        "'|S2'",
                                        " ",
                                        "\\'",
                                        "{"};
    uint8_t buffer[DICTIONARY];
    size_t at = fuzz_pick(r, length + 1), end = at;
    while (end < length && data[end] >= '0' && data[end] <= '9') end++;
    if (end == at) end += end < length && fuzz_pick(r, 2);
    if (fuzz_pick(r, 3) || length > DICTIONARY) {
        fuzz_put(d, data, at);
        put_text(d, words[fuzz_pick(r, sizeof words / sizeof *words)]);
        fuzz_put(d, data + end, length - end);
        return;
    }
    memcpy(buffer, data, length);
    fuzz_put(d, buffer, LLVMFuzzerMutate(buffer, length, DICTIONARY));
}

void fuzz_mutate_npy(const uint8_t *data, size_t n, struct fuzz_bytes *out, struct fuzz_random *r)
{
    uint8_t buffer[2 * DICTIONARY];
    struct fuzz_bytes d = {buffer, 0, sizeof buffer};
    size_t length = length_at(data, n), from = length ? HEAD + length : 0;
    switch (length ? fuzz_pick(r, 4) : 0) {
    case 0: compose(data + from, n - from, out, r); break;
    case 1:
        change_dictionary(data + HEAD, length, &d, r);
        put_head(out, &d, r);
        fuzz_put(out, data + from, n - from);
        break;
    default:
        fuzz_put(out, data, from);
        put_data(out, data + from, n - from, n - from, r);
    }
}
