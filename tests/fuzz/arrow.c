/* Arrow's C data interface. Pointers cannot be checked, so what the bytes describe keeps the layout that Arrow
 * promises, in buffers of exactly that size; everything else is arbitrary: types, lengths, offsets, bitmaps, counts,
 * dictionaries, codes, texts, names, and children that do not fit their parent. */
#include "fuzz.h"
#include "data/arrow_abi.h"

enum { MOST = 4, BUFFERS = 3 };

static const struct { const char *format; int bytes; } types[] = {
    {"c", 1}, {"C", 1}, {"s", 2}, {"S", 2}, {"i", 4}, {"I", 4}, {"l", 8}, {"L", 8}, {"e", 2}, {"f", 4}, {"g", 8},
    {"b", -1}, {"tdD", 4}, {"tdm", 8}, {"tss:", 8}, {"tsm:UTC", 8}, {"tsn:", 8}, {"n", 0}, {"u", -2}, {"U", -3},
    {"vu", -4}, {"z", -2}, {"+l", 8}, {"w:3", 3}, {"", 0}, {"d:10,2", 16}};
enum { TYPES = sizeof types / sizeof *types };

struct tape { const uint8_t *b; size_t n; };
struct column {
    struct ArrowSchema schema;
    struct ArrowArray array;
    void *buffer[BUFFERS];
    char name[4];
};
struct made {
    struct column child[MOST], dictionary[MOST];
    struct ArrowSchema schema, *schemas[MOST];
    struct ArrowArray array, *arrays[MOST];
    void *validity;
    int released;
};

static unsigned next(struct tape *t)
{
    if (!t->n) return 0;
    t->n--;
    return *t->b++;
}

static void *filled(struct tape *t, size_t n)
{
    uint8_t *b = malloc(n ? n : 1);
    for (size_t i = 0; i < n; i++) b[i] = (uint8_t)next(t);
    return b;
}

/* Offsets that rise, and the bytes that they cut. */
static void texts(struct tape *t, struct column *c, size_t rows, int wide)
{
    int64_t at = 0;
    char *offset = malloc((rows + 1) * 8);
    for (size_t i = 0; i <= rows; i++, at += next(t) % 5) {
        int32_t narrow = (int32_t)at;
        if (wide) memcpy(offset + 8 * i, &at, 8);
        else memcpy(offset + 4 * i, &narrow, 4);
        c->array.private_data = (void *)(uintptr_t)at;
    }
    c->buffer[1] = offset;
    c->buffer[2] = filled(t, (size_t)(uintptr_t)c->array.private_data);
}

static void views(struct tape *t, struct column *c, size_t rows)
{
    char *view = filled(t, 16 * rows);
    for (size_t i = 0; i < rows; i++) {
        int32_t n = view[16 * i] % 13;
        memcpy(view + 16 * i, &n, 4);
    }
    c->buffer[1] = view;
}

static void column_make(struct tape *t, struct column *c, size_t rows)
{
    unsigned type = next(t) % TYPES, bytes = next(t);
    int size = types[type].bytes;
    c->array.offset = next(t) % 8 ? 0 : next(t) % 4;
    c->array.length = (int64_t)rows - (bytes % 16 == 15);
    c->array.null_count = (int64_t)(bytes % 3) - 1;
    rows += (size_t)c->array.offset;
    if (bytes & 16) c->buffer[0] = filled(t, (rows + 7) / 8);
    if (size == -2 || size == -3) texts(t, c, rows, size == -3);
    else if (size == -4) views(t, c, rows);
    else if (size) c->buffer[1] = filled(t, size < 0 ? (rows + 7) / 8 : rows * (size_t)size);
    c->array.n_buffers = size < -1 ? 3 : size ? 2 : 0;
    c->array.buffers = (const void **)c->buffer;
    c->schema.format = types[type].format;
    for (int i = 0; i < 3; i++) c->name[i] = (char)next(t);
    c->schema.name = next(t) % 64 ? c->name : NULL;
}

static void release_schema(struct ArrowSchema *s)
{
    ((struct made *)s->private_data)->released++;
    s->release = NULL;
}

static void release_array(struct ArrowArray *a)
{
    ((struct made *)a->private_data)->released++;
    a->release = NULL;
}

static void make(struct tape *t, struct made *m)
{
    size_t rows = next(t) % 9, children = next(t) % (MOST + 1), offset = next(t) % 8 ? 0 : next(t) % 3;
    m->schema = (struct ArrowSchema){.format = next(t) % 64 ? "+s" : "i", .n_children = (int64_t)children,
                                     .children = m->schemas, .release = release_schema, .private_data = m};
    m->array = (struct ArrowArray){.length = (int64_t)rows, .offset = (int64_t)offset, .n_buffers = 1,
                                   .null_count = -1, .buffers = (const void **)&m->validity, .children = m->arrays,
                                   .release = release_array, .private_data = m,
                                   .n_children = (int64_t)(next(t) % 64 ? children : children / 2)};
    if (next(t) % 2) m->validity = filled(t, (rows + offset + 7) / 8);
    for (size_t j = 0; j < children; j++) {
        column_make(t, &m->child[j], rows + offset);
        m->schemas[j] = &m->child[j].schema;
        m->arrays[j] = &m->child[j].array;
        if (next(t) % 3) continue;
        column_make(t, &m->dictionary[j], next(t) % 5);
        m->schemas[j]->dictionary = &m->dictionary[j].schema;
        m->arrays[j]->dictionary = next(t) % 16 ? &m->dictionary[j].array : NULL;
    }
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t n)
{
    struct tape t = {data, n};
    struct made m = {0};
    tamis_table *table;
    tamis_context *cx = fuzz_context();
    make(&t, &m);
    int status = tamis_table_from_arrow(cx, &m.schema, &m.array, &table);
    check(m.released == 2 && !status == !!table && (!status || *tamis_error(cx)));
    if (table) fuzz_check_table(table);
    tamis_table_free(table);
    for (size_t j = 0; j < MOST; j++)
        for (int k = 0; k < BUFFERS; k++) {
            free(m.child[j].buffer[k]);
            free(m.dictionary[j].buffer[k]);
        }
    free(m.validity);
    return 0;
}
