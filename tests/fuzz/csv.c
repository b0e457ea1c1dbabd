/* The CSV reader: the first byte chooses options, the rest is the file. Beyond not crashing: every value is in range,
 * an error names the file, reading block by block gives the same values, and what is written of the table reads
 * back. */
#include "fuzz.h"
#include "data/csv.h"
#include "data/stream.h"

static const struct tamis_option other[] = {{"ignore", TAMIS_NAMES, 0, NULL, 0, 0, NULL, NULL, ""}, {0}};
static const struct tamis_option_table tables[] = {{"data", tamis_read_options}, {"common", other}, {NULL, NULL}};

/* Options for each first byte, made once. */
static const tamis_options *options(tamis_context *cx, unsigned which)
{
    static const char *const some[][2] = {{"delimiter", ";"}, {"delimiter", "tab"},    {"delimiter", "blank"},
                                          {"decimal", ","},   {"missing", "0,x,-1e3"}, {"categorical", "1"},
                                          {"ignore", "1,2"},  {"decimal", "."}};
    static tamis_options *made[256];
    tamis_options **o = &made[which];
    if (!*o) *o = tamis_options_create(cx, tables);
    for (unsigned i = 0; i < 8; i++)
        if (which >> i & 1) tamis_options_set(*o, some[i][0], some[i][1]);
    return *o;
}

/* Delimited text even where the bytes look like another format, because blocks are always read as that. */
static tamis_table *read_as_csv(tamis_context *cx, const uint8_t *data, size_t n, const tamis_options *o)
{
    struct tamis_stream *s;
    tamis_table *t = NULL;
    TAMIS_CALL(cx);
    if (!tamis_stream_open_memory(cx, data, n, "f", &s) && tamis_csv_read(cx, s, "f", o, &t)) t = NULL;
    check(!tamis_status(cx) == !!t && (t || *tamis_error(cx)));
    check(tamis_status(cx) != TAMIS_DATA || !strncmp(tamis_error(cx), "f:", 2));
    if (t) fuzz_check_table(t);
    return t;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    if (!size) return 0;
    tamis_context *cx = fuzz_context();
    const tamis_options *o = options(cx, data[0]);
    tamis_table *t = read_as_csv(cx, data + 1, size - 1, o);
    if (t) fuzz_check_blocks(cx, t, data + 1, size - 1, o, 1);
    if (t) fuzz_check_written(cx, t);
    tamis_table_free(t);
    return 0;
}

static const char *const words[] = {
    "", " ", "1", "0", "-0", "+1", "2.5", "1,5", "1.000,5", "12,345", "1e5", "1E-5", "1e", "1e999", "-1e-999", "1e-310",
    "5e-324", "1.7976931348623157e308", "0x1F", "0x", "007", ".5", "5.", ".", "-", "--1", "+-1", "1_000", "inf", "-Inf",
    "Infinity", "nan", "NaN", "-nan", "NA", "?", "N/A", "null", "None", "TRUE", "false", "a", "b", "A", "a b", "a,b",
    "\"a\"", "\"1\"", "\"\"", "\"\"\"\"", "\"a\"\"b\"", "\"a\nb\"", "\"a,b\"", "\"a", "a\"b", "\" 1 \"", "x1", "y",
    "id",
    "2024-01-31", "31.12.2024", "12:30", "2024-01-31T12:30:00Z", "\xC3\xA4", "\xE2\x82\xAC", "\xFF", "\xEF\xBB\xBF",
    "9007199254740993", "123456789012345678901234567890", "0.1", "0.30000000000000004", "1d5", "1f", "#", "#1", "@",
    "PK\3\4", "column1", "\x7F", "\x1B[31m", "\x1F\x8B\x08", "'a'", "$1", "1 000", "1%", 
    "\xC2\xA0" "1", "\xE2\x88\x92" "1"};
static const struct fuzz_words grammar = {",;\t| ", words, sizeof words / sizeof *words};

/* The byte of options now and then, else the text; bytes of compressed files are left to libFuzzer. */
static void mutate(const uint8_t *data, size_t n, struct fuzz_bytes *out, struct fuzz_random *r)
{
    static const char start[] = "\0x1,x2,y\n1,2,a\n3,4,b\n";
    if (n < 2) data = (const uint8_t *)start, n = sizeof start - 1;
    if (n > 5 && (!memcmp(data + 1, "\x1F\x8B", 2) || !memcmp(data + 1, "\x28\xB5\x2F\xFD", 4))) return;
    uint8_t which = fuzz_pick(r, 12) ? data[0] : (uint8_t)(fuzz_pick(r, 2) ? 0 : 1u << fuzz_pick(r, 8));
    fuzz_put(out, &which, 1);
    fuzz_mutate_grid(&grammar, data + 1, n - 1, out, r);
}

FUZZ_MUTATOR(mutate)
