/* Formats other than CSV: each from its bytes, what is refused and why, files that end anywhere or have one byte
 * changed, failing allocations. tests/cli/formats.py compares with files that other programs write. */
#include <dirent.h>
#include <zlib.h>
#include "data/formats.h"
#include "unit.h"

/* ---- helpers ---- */

struct bytes { unsigned char *b; size_t n; };

static void free_bytes(struct bytes f) { free(f.b); }

/* Types of the columns as n and c, a blank, and the table as CSV; or the error message. tamis_release. */
static char *as_text(tamis_context *cx, const void *b, size_t n, tamis_options *o)
{
    tamis_table *t;
    size_t length;
    char *csv, *out;
    if (tamis_table_read_memory(cx, b, n, "f", o, &t)) return strdup(tamis_error(cx));
    assert_int_equal(tamis_table_csv(cx, t, &csv, &length), 0);
    out = malloc(t->columns + length + 2);
    for (size_t j = 0; j < t->columns; j++) out[j] = t->column[j].type == TAMIS_NUMBER ? 'n' : 'c';
    out[t->columns] = ' ';
    memcpy(out + t->columns + 1, csv, length + 1);
    tamis_release(csv);
    tamis_table_free(t);
    return out;
}

/* `words` are options as for worded(), or NULL. */
static void reads_as(tamis_context *cx, const void *b, size_t n, const char *words, const char *want)
{
    tamis_options *o = words ? worded(cx, words) : NULL;
    char *got = as_text(cx, b, n, o);
    assert_string_equal(got, want);
    free(got);
    tamis_options_free(o);
}

/* The message begins with the name of the file and contains the words. */
static void is_refused(tamis_context *cx, const void *b, size_t n, int status, const char *words)
{
    tamis_table *t;
    assert_int_equal(tamis_table_read_memory(cx, b, n, "f", NULL, &t), status);
    assert_null(t);
    says(cx, words);
    if (status == TAMIS_DATA) assert_int_equal(strncmp(tamis_error(cx), "f:", 2), 0);
}

/* ---- NPY ---- */

static struct bytes npy(int version, const char *dictionary, const void *data, size_t n)
{
    size_t head = strlen(dictionary), size = version == 1 ? 2 : 4, at = 8;
    struct bytes f = {malloc(8 + size + head + n), 8 + size + head + n};
    memcpy(f.b, "\x93NUMPY", 6);
    f.b[6] = (unsigned char)version;
    f.b[7] = 0;
    for (size_t k = 0; k < size; k++) f.b[at++] = (unsigned char)(head >> 8 * k);
    memcpy(f.b + at, dictionary, head);
    if (n) memcpy(f.b + at + head, data, n);
    return f;
}

static char *dictionary(const char *descr, const char *order, const char *shape)
{
    static char text[400];
    snprintf(text, sizeof text, "{'descr': %s, 'fortran_order': %s, 'shape': %s, }  \n", descr, order, shape);
    return text;
}

static void npy_reads_as(tamis_context *cx, int version, const char *descr, const char *order, const char *shape,
                         const void *data, size_t n, const char *want)
{
    struct bytes f = npy(version, dictionary(descr, order, shape), data, n);
    reads_as(cx, f.b, f.n, NULL, want);
    free_bytes(f);
}

static void every_number_type_of_npy(void **state)
{
    static const struct { const char *descr; const char *data; size_t n; const char *want; } cases[] = {
        {"'|i1'", "\x80\x7F\xFF", 3, "n x1\n-128\n127\n-1\n"},
        {"'|u1'", "\x80\x7F\xFF", 3, "n x1\n128\n127\n255\n"},
        {"'|b1'", "\x01\x00\x01", 3, "n x1\n1\n0\n1\n"},
        {"'<i2'", "\x01\x80\xFF\x7F\xFE\xFF", 6, "n x1\n-32767\n32767\n-2\n"},
        {"'>u2'", "\x80\x01\x7F\xFF\x00\x02", 6, "n x1\n32769\n32767\n2\n"},
        {"'>i4'", "\xFF\xFF\xFF\xFE\x00\x00\x01\x00\x7F\xFF\xFF\xFF", 12, "n x1\n-2\n256\n2147483647\n"},
        {"'<u4'", "\xFF\xFF\xFF\xFE\x00\x00\x01\x00\x7F\xFF\xFF\xFF", 12, "n x1\n4278190079\n65536\n4294967167\n"},
        {"'<i8'", "\xFE\xFF\xFF\xFF\xFF\xFF\xFF\xFF\0\0\0\0\x01\0\0\0\x03\0\0\0\0\0\0\0", 24,
         "n x1\n-2\n4294967296\n3\n"},
        {"'>u8'", "\0\0\0\0\0\0\0\x07\0\0\0\x01\0\0\0\0\x80\0\0\0\0\0\0\0", 24,
         "n x1\n7\n4294967296\n9.223372036854776e+18\n"},
        {"'<f2'", "\x03\x00\x00\xC0\xFF\x7B", 6, "n x1\n1.7881393432617188e-07\n-2\n65504\n"},
        {"'>f2'", "\x35\x55\x7E\x00\x04\x00", 6, "n x1\n0.333251953125\nNA\n6.103515625e-05\n"},
        {"'>f4'", "\x3F\xC0\0\0\x7F\xC0\0\0\xC0\x20\0\0", 12, "n x1\n1.5\nNA\n-2.5\n"},
        {"'>f8'", "\x3F\xF8\0\0\0\0\0\0\x7F\xF8\0\0\0\0\0\0\xC0\x04\0\0\0\0\0\0", 24, "n x1\n1.5\nNA\n-2.5\n"},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++)
        npy_reads_as(*state, 1, cases[i].descr, "False", "(3,)", cases[i].data, cases[i].n, cases[i].want);
}

static void shapes_orders_and_versions_of_npy(void **state)
{
    const char *want = "nnn x1,x2,x3\n1,2,3\n4,5,6\n";
    for (int version = 1; version <= 3; version++) {
        npy_reads_as(*state, version, "'|i1'", "False", "(2, 3)", "\1\2\3\4\5\6", 6, want);
        npy_reads_as(*state, version, "'|i1'", "True", "(2L,3L)", "\1\4\2\5\3\6", 6, want);
    }
    npy_reads_as(*state, 1, "\"|u1\"", "False", "(3, 1)", "\1\2\3", 3, "n x1\n1\n2\n3\n");
}

/* More rows than fit into a block, in both orders. */
static void long_arrays_of_npy(void **state)
{
    enum { ROWS = 70001, COLUMNS = 3 };
    double *c = malloc(sizeof(double[ROWS][COLUMNS])), *f = malloc(sizeof(double[ROWS][COLUMNS]));
    for (size_t i = 0; i < ROWS; i++)
        for (size_t j = 0; j < COLUMNS; j++) c[i * COLUMNS + j] = f[i + j * ROWS] = 0.1 + (double)(i * 7 + j * 1000003);
    struct bytes a = npy(1, dictionary("'<f8'", "False", "(70001, 3)"), c, sizeof(double[ROWS][COLUMNS])),
                 b = npy(1, dictionary("'<f8'", "True", "(70001, 3)"), f, sizeof(double[ROWS][COLUMNS]));
    tamis_table *t, *u;
    assert_int_equal(tamis_table_read_memory(*state, a.b, a.n, "f", NULL, &t), 0);
    assert_int_equal(tamis_table_read_memory(*state, b.b, b.n, "f", NULL, &u), 0);
    for (size_t j = 0; j < COLUMNS; j++) {
        assert_memory_equal(t->column[j].value, f + j * ROWS, ROWS * sizeof(double));
        assert_memory_equal(u->column[j].value, f + j * ROWS, ROWS * sizeof(double));
    }
    tamis_table_free(t);
    tamis_table_free(u);
    free_bytes(a);
    free_bytes(b);
    free(c);
    free(f);
}

static void texts_and_records_of_npy(void **state)
{
    npy_reads_as(*state, 1, "'|S3'", "False", "(3,)", "abc\0\0\0z\0\0", 9, "c x1\nabc\nNA\nz\n");
    npy_reads_as(*state, 1, "'|S2'", "False", "(3,)", "2\0" "10" "1\0", 6, "c x1\n2\n10\n1\n");
    npy_reads_as(*state, 1, "'>U2'", "False", "(2,)", "\0\0\0x\0\0\x26\x03\0\x01\xD1\x1E\0\0\0\0", 16,
                 "c x1\nx\xE2\x98\x83\n\xF0\x9D\x84\x9E\n");
    npy_reads_as(*state, 1, "[('a', '|u1'), ('', '|V2'), ('na\xEFve', '|S1'), ]", "False", "(2,)",
                 "\1..x\2..y", 8, "nc a,na\xC3\xAFve\n1,x\n2,y\n");
    npy_reads_as(*state, 3, "[('it\\'s', '|u1'), ('\xC3\xA9', '|i1')]", "False", "(2,)", "\1\2\3\xFF", 4,
                 "nn it's,\xC3\xA9\n1,2\n3,-1\n");
}

static void npy_refused(tamis_context *cx, const char *dictionary, const char *data, size_t n, const char *words)
{
    struct bytes f = npy(1, dictionary, data, n);
    is_refused(cx, f.b, f.n, TAMIS_DATA, words);
    free_bytes(f);
}

static void what_npy_cannot_be(void **state)
{
    static const struct { const char *descr, *order, *shape, *words; } cases[] = {
        {"'|O'", "False", "(3,)", "never unpickled"},
        {"[('a', '|O')]", "False", "(3,)", "never unpickled"},
        {"'<c16'", "False", "(3,)", "not read"},
        {"'<f16'", "False", "(3,)", "not read"},
        {"'<i3'", "False", "(3,)", "not read"},
        {"'<M8[ns]'", "False", "(3,)", "not read"},
        {"'|V3'", "False", "(3,)", "not read"},
        {"'|S0'", "False", "(3,)", "cannot be"},
        {"'|S99999999999'", "False", "(3,)", "not read"},
        {"[('a', '|i1', (2,))]", "False", "(3,)", "is an array"},
        {"[('a', [('b', '|i1')])]", "False", "(3,)", "records inside records"},
        {"[('a', '|i1'), ('a', '|i1')]", "False", "(3,)", "both named 'a'"},
        {"[]", "False", "(3,)", "no fields"},
        {"'|i1'", "False", "()", "0 dimensions"},
        {"'|i1'", "False", "(1, 2, 3)", "3 dimensions"},
        {"'|i1'", "False", "(0, 3)", "0 rows"},
        {"'|i1'", "False", "(6, 0)", "0 columns"},
        {"'|i1'", "False", "(2, 2)", "bytes follow"},
        {"'|i1'", "False", "(4, 2)", "end in row 4 of 4"},
        {"'|i1'", "False", "(99999999999999999999, 2)", "not a number"},
        {"'|i1'", "False", "(-1, 2)", "not a number"},
        {"'|i1'", "Maybe", "(6,)", "no order"},
        {"'|i1'", "False", "6", "no shape"},
        {"'|i1', 'descr': '|i1'", "False", "(6,)", "strange key"},
        {"'|i1', 'x': 1", "False", "(6,)", "strange key"},
        {"__import__('os')", "False", "(6,)", "no type"},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++)
        npy_refused(*state, dictionary(cases[i].descr, cases[i].order, cases[i].shape), "\1\2\3\4\5\6", 6,
                    cases[i].words);
    npy_refused(*state, "{'descr': '|i1', 'shape': (6,)}", "", 0, "a key is missing");
    npy_refused(*state, "{", "", 0, "no key");
    npy_refused(*state, "", "", 0, "no dictionary");
}

static struct bytes packed(struct bytes f)
{
    uLong room = compressBound(f.n) + 64;
    struct bytes g = {malloc(room), 0};
    z_stream z = {.next_in = f.b, .avail_in = (unsigned)f.n, .next_out = g.b, .avail_out = (unsigned)room};
    assert_int_equal(deflateInit2(&z, 6, Z_DEFLATED, 31, 8, Z_DEFAULT_STRATEGY), Z_OK);
    assert_int_equal(deflate(&z, Z_FINISH), Z_STREAM_END);
    g.n = z.total_out;
    deflateEnd(&z);
    free_bytes(f);
    return g;
}

/* Found behind gzip; a header's claim is checked against the memory limit before anything is allocated. */
static void packed_arrays_and_memory(void **state)
{
    struct bytes f = packed(npy(1, dictionary("'|i1'", "False", "(2, 2)"), "\1\2\3\4", 4));
    reads_as(*state, f.b, f.n, NULL, "nn x1,x2\n1,2\n3,4\n");
    free_bytes(f);
    f = packed(npy(1, dictionary("'|i1'", "False", "(100000000, 1000000)"), "\1\2\3\4", 4));
    is_refused(*state, f.b, f.n, TAMIS_MEMORY, "the table needs 8e+05 GB");
    free_bytes(f);
    f = packed(npy(1, dictionary("'|i1'", "False", "(1000, 1)"), "\1\2\3\4", 4));
    is_refused(*state, f.b, f.n, TAMIS_DATA, "end in row 5 of 1000");
    free_bytes(f);
}

/* The options of the CSV reader mean the same here. */
static void options_apply_to_arrays(void **state)
{
    struct bytes f = npy(1, dictionary("'<f2'", "False", "(3, 2)"), "\0\x3C\0\xBC\0\x40\0\x7C\0\x3C\0\x42", 12);
    is_refused(*state, f.b, f.n, TAMIS_DATA, "'x2' is infinite");
    reads_as(*state, f.b, f.n, "missing=inf,-1", "nn x1,x2\n1,\n2,\n1,3\n");
    reads_as(*state, f.b, f.n, "missing=inf;categorical=x1", "cn x1,x2\n1,-1\n2,\n1,3\n");
    free_bytes(f);
}

/* ---- LIBSVM ---- */

static void libsvm_as(tamis_context *cx, const char *text, const char *want)
{
    reads_as(cx, text, strlen(text), NULL, want);
}

static void libsvm_files(void **state)
{
    libsvm_as(*state, "1 1:0.5 3:2\n-1 2:1e-3 # a:b\n\n# all zeros\n+1\n",
              "nnnn x1,x2,x3,target\n0.5,0,2,1\n0,0.001,0,-1\n0,0,0,1\n");
    libsvm_as(*state, "0.5 0:1 2:nan\r\n1.5 1:2\r\n", "nnnn x0,x1,x2,target\n1,0,,0.5\n0,2,0,1.5\n");
    libsvm_as(*state, "# head\n1 qid:7 1:5\n2 qid:7 1:6", "nn x1,target\n5,1\n6,2\n");
    libsvm_as(*state, "a b:c\n1 2:3\n", "nc a,b:c\n1,2:3\n");           /* has a header: CSV */
}

static void what_libsvm_cannot_be(void **state)
{
    static const struct { const char *text; int status; const char *words; } cases[] = {
        {"1 1:5\n1 1:2 1:3\n", TAMIS_DATA, NULL},               /* not LIBSVM for its first lines */
        {"1 1:5 4000000000:1\n", TAMIS_MEMORY, "the table needs"},
    };
    char text[6000];
    size_t n = 0;
    is_refused(*state, cases[1].text, strlen(cases[1].text), cases[1].status, cases[1].words);
    while (n < 5000) n += (size_t)sprintf(text + n, "1 1:5\n");
    static const char *const faults[][2] = {{"1 2:1 2:3", "f:835: '2:3' has an index that does not ascend"},
                                            {"1 x", "f:835: 'x' is not INDEX:VALUE"},
                                            {"1 2:x", "f:835: '2:x' is not INDEX:VALUE"},
                                            {"a 1:2", "f:835: 'a' is not a label"},
                                            {"1,2 1:2", "f:835: '1,2' begins with several labels"}};
    for (size_t i = 0; i < sizeof faults / sizeof *faults; i++) {
        sprintf(text + n, "%s\n", faults[i][0]);
        is_refused(*state, text, strlen(text), TAMIS_DATA, faults[i][1]);
    }
    memcpy(text + n, "1 2:3\0\n", 7);
    is_refused(*state, text, n + 7, TAMIS_DATA, "a zero byte");
}

/* ---- other files that are known and not read ---- */

static void formats_that_are_not_read(void **state)
{
    is_refused(*state, "\x89HDF\r\n\x1A\n....", 12, TAMIS_DATA, "HDF5");
    is_refused(*state, "PAR1\x15...", 8, TAMIS_DATA, "Parquet");
    is_refused(*state, "\x80\x04\x95....", 7, TAMIS_DATA, "never unpickled");
}

/* ---- MAT ---- */

static struct bytes file_bytes(const char *path);
static int read_whole(tamis_context *cx, void *what);

/* A file that ends anywhere before the end of its first variable has a sentence and no table. */
static void cut_mat_files_are_refused(void **state)
{
    static const char *const seeds[] = {"matrix", "packed", "texts", "sparse"};
    for (size_t k = 0; k < 4; k++) {
        char path[1000];
        snprintf(path, sizeof path, "%s/mat/%s", TAMIS_SEEDS, seeds[k]);
        struct bytes f = file_bytes(path);
        const unsigned char *at = f.b + 132;
        size_t length = f.b[126] == 'I' ? at[0] | (size_t)at[1] << 8 : at[3] | (size_t)at[2] << 8, whole = 136 + length;
        for (size_t n = 0; n < whole; n++) {
            struct bytes cut = {f.b, n};
            assert_int_equal(read_whole(*state, &cut), TAMIS_DATA);
            says(*state, "f:");
        }
        struct bytes first = {f.b, whole};
        assert_int_equal(read_whole(*state, &first), TAMIS_OK);
        free_bytes(f);
    }
}

/* ---- every seed: any end, any byte, any allocation ---- */

static struct bytes file_bytes(const char *path)
{
    FILE *f = fopen(path, "rb");
    if (!f) fail_msg("%s cannot be read", path);
    struct bytes out = {malloc(1 << 16), 0};
    out.n = fread(out.b, 1, 1 << 16, f);
    assert_true(out.n < 1 << 16);
    fclose(f);
    return out;
}

static int read_whole(tamis_context *cx, void *what)
{
    const struct bytes *f = what;
    tamis_table *t;
    int status = tamis_table_read_memory(cx, f->b, f->n, "f", NULL, &t);
    tamis_table_free(t);
    return status;
}

/* A table or a sentence. The bytes are a block of their own, so that reading past them is noticed. */
static void table_or_sentence(tamis_context *cx, const unsigned char *b, size_t n)
{
    struct bytes f = {malloc(n ? n : 1), n};
    memcpy(f.b, b, n);
    int status = read_whole(cx, &f);
    assert_true(status == TAMIS_OK || status == TAMIS_DATA || status == TAMIS_MEMORY || status == TAMIS_USAGE);
    if (status) assert_true(strlen(tamis_error(cx)) > 10);
    free_bytes(f);
}

static void try_seed(tamis_context *cx, struct bytes f)
{
    for (size_t n = 0; n < f.n; n++) table_or_sentence(cx, f.b, n);
    for (size_t i = 0; i < f.n; i++) {
        static const unsigned char change[] = {1, 0x80, 0xFF};
        for (size_t c = 0; c < sizeof change; c++) {
            f.b[i] ^= change[c];
            table_or_sentence(cx, f.b, f.n);
            f.b[i] ^= change[c];
        }
    }
    if (read_whole(cx, &f)) fail_msg("%s", tamis_error(cx));
    assert_true(every_allocation_fails(cx, read_whole, &f, 4000) > 5);
}

static size_t try_folder(tamis_context *cx, const char *format)
{
    char path[1000];
    size_t tried = 0;
    snprintf(path, sizeof path, "%s/%s", TAMIS_SEEDS, format);
    DIR *d = opendir(path);
    if (!d) return 0;
    for (struct dirent *e; (e = readdir(d));) {
        if (*e->d_name == '.') continue;
        snprintf(path, sizeof path, "%s/%s/%s", TAMIS_SEEDS, format, e->d_name);
        struct bytes f = file_bytes(path);
        try_seed(cx, f);
        free_bytes(f);
        tried++;
    }
    closedir(d);
    return tried;
}

static void damaged_files_give_a_sentence(void **state)
{
    const struct tamis_reader *r;
    tamis_context_limits(*state, 1, 1e9);
    for (size_t i = 0; (r = tamis_reader_at(i)); i++)
        if (strcmp(r->name, "csv") && !try_folder(*state, r->name)) fail_msg("no seeds of %s", r->name);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        TEST(every_number_type_of_npy),
        TEST(shapes_orders_and_versions_of_npy),
        TEST(long_arrays_of_npy),
        TEST(texts_and_records_of_npy),
        TEST(what_npy_cannot_be),
        TEST(packed_arrays_and_memory),
        TEST(options_apply_to_arrays),
        TEST(libsvm_files),
        TEST(what_libsvm_cannot_be),
        TEST(formats_that_are_not_read),
        TEST(cut_mat_files_are_refused),
        TEST(damaged_files_give_a_sentence),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
