/* Reading: streams, every form of CSV, every error message, blocks, failing allocations. */
#include <fcntl.h>
#include <sys/stat.h>
#include <zlib.h>
#include <zstd.h>
#include "base/rng.h"
#include "base/text.h"
#include "data/csv.h"
#include "base/number.h"
#include "unit.h"

/* ---- helpers ---- */

static const struct tamis_option other[] = {{"ignore", TAMIS_NAMES, 0, NULL, 0, 0, NULL, NULL, ""},
                                            {"inputs", TAMIS_NAMES, 0, NULL, 0, 0, NULL, NULL, ""},
                                            {"target", TAMIS_TEXT, 0, NULL, 0, 0, NULL, NULL, ""}, {0}};
static const struct tamis_option_table tables[] = {{"data", tamis_read_options}, {"common", other}, {NULL, NULL}};

/* "name=value name=value", or NULL. */
static tamis_options *set_of(tamis_context *cx, const char *set)
{
    tamis_options *o = tamis_options_create(cx, tables);
    char copy[200], *save, *word;
    snprintf(copy, sizeof copy, "%s", set ? set : "");
    for (word = strtok_r(copy, " ", &save); word; word = strtok_r(NULL, " ", &save)) {
        char *value = strchr(word, '=');
        *value++ = 0;
        assert_int_equal(tamis_options_set(o, word, value), 0);
    }
    return o;
}

static int read_text(tamis_context *cx, const char *text, size_t n, const char *set, tamis_table **t)
{
    tamis_options *o = set_of(cx, set);
    int status = tamis_table_read_memory(cx, text, n, "t.csv", o, t);
    tamis_options_free(o);
    return status;
}

/* The table as text: names with their types (n, c), a bar, rows; missing is ~, the levels of categories at the end. */
static void render(const tamis_table *t, char *out, size_t room)
{
    size_t n = 0;
    for (size_t j = 0; j < t->columns; j++)
        n += (size_t)snprintf(out + n, room - n, "%s%s:%c", j ? "," : "", t->column[j].name,
                              t->column[j].type == TAMIS_NUMBER ? 'n' : 'c');
    for (size_t i = 0; i < t->rows; i++)
        for (size_t j = 0; j < t->columns; j++) {
            const struct tamis_data_column *c = &t->column[j];
            double x = c->value[i];
            n += (size_t)snprintf(out + n, room - n, "%s", j ? "," : "/");
            if (isnan(x)) n += (size_t)snprintf(out + n, room - n, "~");
            else if (c->type == TAMIS_NUMBER) n += (size_t)snprintf(out + n, room - n, "%.17g", x);
            else n += (size_t)snprintf(out + n, room - n, "%s", c->level[(size_t)x]);
        }
    for (size_t j = 0; j < t->columns; j++)
        for (size_t k = 0; k < t->column[j].levels; k++)
            n += (size_t)snprintf(out + n, room - n, "%s%s", k ? "<" : " ", t->column[j].level[k]);
}

static void reads_as(tamis_context *cx, const char *text, const char *set, const char *want)
{
    char got[4000];
    tamis_table *t;
    if (read_text(cx, text, strlen(text), set, &t)) fail_msg("%s: %s", text, tamis_error(cx));
    render(t, got, sizeof got);
    assert_string_equal(got, want);
    tamis_table_free(t);
}

static size_t notes_with(tamis_context *cx, const char *word)
{
    size_t n, found = 0;
    const char *const *note = tamis_notes(cx, &n);
    for (size_t i = 0; i < n; i++) found += strstr(note[i], word) != NULL;
    return found;
}

/* ---- accepted forms ---- */

static void plain_tables(void **state)
{
    static const struct { const char *set, *text, *want;
    } cases[] = {
        {NULL, "a,b\n1,2\n3,4\n", "a:n,b:n/1,2/3,4"},
        {NULL, "a,b\n1,2\n3,4", "a:n,b:n/1,2/3,4"}, /* no newline at the end */
        {NULL, "a,b\r\n1,2\r\n3,4\r\n", "a:n,b:n/1,2/3,4"},
        {NULL, "a,b\r1,2\r3,4\r", "a:n,b:n/1,2/3,4"},
        {NULL,
         "\xEF\xBB\xBF"
         "a,b\n1,2\n",
         "a:n,b:n/1,2"},
        {NULL, "\n \na,b\n\n1,2\n   \n3,4\n\n", "a:n,b:n/1,2/3,4"}, /* blank lines */
        {NULL, " a , b b \n 1 , 2 \n", "a:n,b b:n/1,2"},
        {NULL, "a\tb\n1\t2\n\t\n", "a:n,b:n/1,2/~,~"},
        {NULL, "a;b\n1;2\n", "a:n,b:n/1,2"},
        {NULL, "a|b\n1|2\n", "a:n,b:n/1,2"},
        {NULL, "a b  c\n 1 2 3\n4  5\t6  \n", "a:n,b:n,c:n/1,2,3/4,5,6"},
        {NULL, "a\n1\n2\n", "a:n/1/2"},
        {NULL, "a,b,c\n1,2;3,x;y\n4,5;6,z;w\n", "a:n,b:c,c:c/1,2;3,x;y/4,5;6,z;w 2;3<5;6 x;y<z;w"},
        {NULL, "a;b\n1,5;2\n-3,25;4e1\n", "a:n,b:n/1.5,2/-3.25,40"}, /* decimal comma */
        {NULL, "a\tb\n1,5\tx\n2\ty\n", "a:n,b:c/1.5,x/2,y x<y"},
        {"decimal=,", "a;b\n1;2\n3;4,5\n", "a:n,b:n/1,2/3,4.5"},
        {"decimal=, delimiter=,", "a,b\n\"1,5\",2\n", "a:n,b:n/1.5,2"},
        {"delimiter=;", "a,b;c\n1;2\n", "a,b:n,c:n/1,2"},
        {"delimiter=tab", "a b\tc\n1\t2\n", "a b:n,c:n/1,2"},
        {"delimiter=:", "a:b\n1:2\n", "a:n,b:n/1,2"},
        {"delimiter=blank", "a b\n1 2\n", "a:n,b:n/1,2"},
        {NULL, "a,b,\n1,2,\n3,4,\n", "a:n,b:n/1,2/3,4"}, /* a delimiter at the end of every line */
        {NULL, "a,,\n1,2,\n", "a:n,column2:n/1,2"},
        {NULL, ",b\n1,2\n", "column1:n,b:n/1,2"},
        {NULL, "a,b,\n1,2,\n3,4,5\n", "a:n,b:n,column3:n/1,2,~/3,4,5"},
        {NULL, "\"a\" \"b\"\n\"r 1\" 1 2\n\"r 2\" 3 4\n", "a:n,b:n/1,2/3,4"}, /* R: row names */
        {NULL, "a,b\nr1,1,2\nr2,3,4\n", "a:n,b:n/1,2/3,4"},
        {NULL, "a,b\n1e3,-2.5E-1\n+.5,5.\n", "a:n,b:n/1000,-0.25/0.5,5"},
        {NULL, "a,b\n0.1,123456789012345678901234567890\n", "a:n,b:n/0.10000000000000001,1.2345678901234568e+29"},
        {NULL, "a,b\n1,\n,2\nNA,NaN\n?,nan\n-NAN,3\n", "a:n,b:n/1,~/~,2/~,~/~,~/~,3"}, /* missing */
        {NULL, "a,b\n1,\n2,NA\n", "a:n,b:n/1,~/2,~"},
        {"missing=-999,x", "a,b\n-999,1\n-999.0,x\n3,-9.99e2\n", "a:n,b:n/~,1/~,~/3,~"},
        {"missing=0", "a,b\n0,0.0\n1,-0\n", "a:n,b:n/~,~/1,~"},
        {"missing=0.5", "a;b\n0,5;1\n1,5;2\n", "a:n,b:n/~,1/1.5,2"},
        {"missing=0", "a,b\nu,1\n0,2\nv,3\n", "a:c,b:n/u,1/~,2/v,3 u<v"},
        {"missing=inf", "a,b\ninf,1\n2,Infinity\n", "a:n,b:n/~,1/2,~"},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++)
        reads_as(*state, cases[i].text, cases[i].set, cases[i].want);
}

static void quotes(void **state)
{
    reads_as(*state, "\"a,1\",\"b\"\"q\"\"\"\n\"1\",\"x,y\"\n\" 2 \",\"\"\"z\"\"\"\n", NULL,
             "a,1:n,b\"q\":c/1,x,y/2,\"z\" \"z\"<x,y");
    reads_as(*state, "a,b\n1,\"two\nlines\"\n2,\"\"\n3, \"u\" \n", NULL, "a:n,b:c/1,two\nlines/2,~/3,u two\nlines<u");
    reads_as(*state, "a,b\n1,5\" pipe\n2,\" v \"\n", NULL, "a:n,b:c/1,5\" pipe/2, v   v <5\" pipe");
    reads_as(*state, "\"a\nb\";c\n1;2\n", NULL, "a\nb:n,c:n/1,2");
}

static void types(void **state)
{
    reads_as(*state, "a,b\nx,1\ny,2\nx,3\n", NULL, "a:c,b:n/x,1/y,2/x,3 x<y");
    reads_as(*state, "a,b\nb10,1\nb9,2\nA,3\n", NULL, "a:c,b:n/b10,1/b9,2/A,3 A<b10<b9");
    reads_as(*state, "a,b\n10,1\n9.0,2\n9,2\n,3\n", "categorical=a", "a:c,b:n/10,1/9.0,2/9,2/~,3 9<9.0<10");
    reads_as(*state, "a,b\n10,1\n9,2\n", "categorical=1", "a:c,b:n/10,1/9,2 9<10");
    reads_as(*state, "a,b\n1.50,1\nx,2\ny,3\n", NULL,
             "a:c,b:n/1.50,1/x,2/y,3 1.50<x<y"); /* fewer than half are numbers */
    reads_as(*state, "a,b\n1,1\nx,2\n3,3\n", "categorical=a", "a:c,b:n/1,1/x,2/3,3 1<3<x");
    reads_as(*state, "a,b\n1,1\nx,2\n3,3\n", "ignore=a", "a:c,b:n/1,1/x,2/3,3 1<3<x");
    reads_as(*state, "a,b\n1,1\ninf,2\n3,3\n", "ignore=a", "a:c,b:n/1,1/inf,2/3,3 1<3<inf");
    reads_as(*state, "a,b\n1,1\n2,2\n", "ignore=a", "a:n,b:n/1,1/2,2");
    reads_as(*state, "a,b,c\n1,1,5\nx,2,6\n3,3,7\n", "inputs=b", "a:c,b:n,c:n/1,1,5/x,2,6/3,3,7 1<3<x");
    reads_as(*state, "a,b\nINF,1\nBRU,2\nCDG,3\n", NULL, "a:c,b:n/INF,1/BRU,2/CDG,3 BRU<CDG<INF");
    reads_as(*state, "a,b\n-0,1\n0,2\n", "categorical=a", "a:c,b:n/-0,1/0,2 -0<0");
    reads_as(*state, "a,b\nNA,1\n,2\n", "categorical=a", "a:n,b:n/~,1/~,2");
}

static void remarks(void **state)
{
    tamis_context *cx = *state;
    reads_as(cx, "a,b\nr1,1,2\n", NULL, "a:n,b:n/1,2");
    assert_int_equal(notes_with(cx, "name of the row"), 1);
    reads_as(cx, ",b\n1,2\n", NULL, "column1:n,b:n/1,2");
    assert_int_equal(notes_with(cx, "called 'column1'"), 1);
    reads_as(cx, "1.5,2.5\n1,2\n", NULL, "1.5:n,2.5:n/1,2");
    assert_int_equal(notes_with(cx, "add --no-header"), 1);
}

/* ---- above and between the rows ---- */

static void lines_above(void **state)
{
    tamis_context *cx = *state;
    reads_as(cx, "Report\n\na,b,c\n1,2,3\n4,5,6\n", NULL, "a:n,b:n,c:n/1,2,3/4,5,6");
    assert_int_equal(notes_with(cx, "2 lines above the header were skipped"), 1);
    reads_as(cx, "Report,,\na,b,c\n1,2,3\n4,5,6\n", NULL, "a:n,b:n,c:n/1,2,3/4,5,6");
    reads_as(cx, "Report\na,b\n1,2\n3,4\n", NULL, "a:n,b:n/1,2/3,4");         /* not names of rows */
    reads_as(cx, "Report\na,b\nr1,1,2\nr2,3,4\n", NULL, "a:n,b:n/1,2/3,4");   /* names of rows below a title */
    reads_as(cx, "Report\na;b\nm;s\n1,5;2\n3;4\n", NULL, "a:n,b:n/1.5,2/3,4");
    reads_as(cx, "Report\ra,b,c\r1,2,3\r4,5,6\r", NULL, "a:n,b:n,c:n/1,2,3/4,5,6");
    reads_as(cx, "x,y\nz\na,b\n1,2\n3,4\n", "skip=2", "a:n,b:n/1,2/3,4");
    reads_as(cx, "a,,,\nu,v,w,x\nu,v,w,x\n", NULL, "a:c,column2:c,column3:c,column4:c/u,v,w,x/u,v,w,x u v w x");
    reads_as(cx, "a\n1\n2\n", NULL, "a:n/1/2");
}

static void units_below(void **state)
{
    tamis_context *cx = *state;
    reads_as(cx, "a,b\nm,s\n1,2\n3,4\n", NULL, "a:n,b:n/1,2/3,4");
    assert_int_equal(notes_with(cx, "t.csv:2: this line has units (m, s)"), 1);
    reads_as(cx, "a,b\nm,s\n1,2\n3,4\n", "units=no ignore=a,b", "a:c,b:c/m,s/1,2/3,4 1<3<m 2<4<s");
    reads_as(cx, "a,b\nu,[s]\nu,2\nv,4\n", "ignore=b", "a:c,b:c/u,[s]/u,2/v,4 u<v 2<4<[s]");
}

static void comments_between(void **state)
{
    tamis_context *cx = *state;
    reads_as(cx, "# top\na,b\n1,2\n# x\n#y\n  # z, z\n3,4\n# end\n", NULL, "a:n,b:n/1,2/3,4");
    assert_int_equal(notes_with(cx, "4 comment lines (#) between the rows"), 1);
    reads_as(cx, "# top\na,b\n#1,2\n#2,4\n", NULL, "a:c,b:n/#1,2/#2,4 #1<#2");
    reads_as(cx, "a,b\n# 1,2\n# 2,4\n", NULL, "a:c,b:n/# 1,2/# 2,4 # 1<# 2");
}

static size_t widen(const unsigned char *text, int big, char *to)
{
    size_t n = 0;
    for (; *text; text++, n += 2) {
        to[n + (size_t)!big] = *text == 0xFF ? '\xFE' : 0;              /* FF stands for the mark, FE FF or FF FE */
        to[n + (size_t)big] = (char)*text;
    }
    return n;
}

static void reads_wide(tamis_context *cx, const char *text, int big)
{
    char wide[100], got[400];
    tamis_table *t;
    if (read_text(cx, wide, widen((const unsigned char *)text, big, wide), NULL, &t)) fail_msg("%s", tamis_error(cx));
    render(t, got, sizeof got);
    assert_string_equal(got, "a:n,\xC3\xA9:n/1,2/3,4");
    tamis_table_free(t);
}

static void utf16(void **state)
{
    for (int big = 0; big < 2; big++) {
        reads_wide(*state, "a,\xE9\n1,2\n3,4", big);
        reads_wide(*state, "\xFF" "a,\xE9\n1,2\n3,4", big);
    }
    assert_int_equal(notes_with(*state, "UTF-16 was converted"), 1);
}

/* ---- errors ---- */

static void error_sentences(void **state)
{
    static const struct { const char *set, *text; int status; const char *words[5];
    } cases[] = {
        {NULL, "", TAMIS_DATA, {"t.csv:1: ", "empty"}},
        {NULL, "\n \r\n\n", TAMIS_DATA, {"t.csv:1: ", "empty"}},
        {NULL, "a,b\n", TAMIS_DATA, {"t.csv:", "no rows"}},
        {NULL, "a,b", TAMIS_DATA, {"t.csv:", "no rows"}},
        {NULL, "a,b,a\n1,2,3\n", TAMIS_DATA, {"t.csv:1: ", "columns 1 and 3", "'a'", "rename"}},
        {NULL, "\n\na,b, a\n1,2,3\n", TAMIS_DATA, {"t.csv:3: ", "columns 1 and 3"}},
        {NULL, "1,2,1\n1,2,3\n", TAMIS_DATA, {"t.csv:1: ", "both named '1'", "--no-header"}},
        {NULL, "a,b\n1,2\n1,2,3\n", TAMIS_DATA, {"t.csv:3: ", "3 fields found", "2 expected", "--delimiter"}},
        {NULL, "a,b,c\n1,2,3\n1,2\n", TAMIS_DATA, {"t.csv:3: ", "2 fields found", "3 expected"}},
        {NULL, "a,b\n1,2,\n3,4,\n", TAMIS_DATA, {"t.csv:2: ", "3 fields found", "2 expected"}},
        {NULL, "a,b\n\"x\ny\",2\n\n1\n", TAMIS_DATA, {"t.csv:5: ", "1 fields found", "2 expected"}},
        {NULL, "a,b\r\n\"x\r\ny\",2\r\n1\r\n", TAMIS_DATA, {"t.csv:4: ", "1 fields found"}},
        {NULL, "a,b\r\"x\ry\",2\r1\r", TAMIS_DATA, {"t.csv:4: ", "1 fields found"}},
        {NULL, "a,b\n1,\"x\n2,y\n3,z\n", TAMIS_DATA, {"t.csv:2: ", "quote", "never closed"}},
        {NULL, "a,b\n1,2\n3,\"x\n\",y\"\n", TAMIS_DATA, {"t.csv:3: ", "3 fields found"}},
        {NULL, "a,b\n1,2\n\"q\n\",\"x\n2,y\n3,z\n", TAMIS_DATA, {"t.csv:4: ", "never closed"}},
        {NULL, "a,\"b\n1,2\n", TAMIS_DATA, {"t.csv:1: ", "never closed"}},
        {NULL, "a,b\n1,\"x\"y\n", TAMIS_DATA, {"t.csv:2: ", "closing quote", "double"}},
        {NULL, "a,b\n1,2\n3,inf\n", TAMIS_DATA, {"t.csv:3: ", "column 'b' is infinite", "--missing inf"}},
        {NULL, "a,b\n1e999,2\n3,1\n", TAMIS_DATA, {"t.csv:2: ", "column 'a' is infinite", "--missing 1e999"}},
        {NULL, "a,b\n-Infinity,2\n-inf,1\n", TAMIS_DATA, {"t.csv:2: ", "column 'a' is infinite"}},
        {NULL,
         "a,x3\n1,2\n2,abc\n3,4\n",
         TAMIS_DATA,
         {"t.csv:3: ", "'abc' in column 'x3', whose other values are numbers", "--missing abc", "--categorical x3"}},
        {NULL, "a,b\n1,2\nz,3\n", TAMIS_DATA, {"t.csv:3: ", "'z' in column 'a'"}},
        {"missing=abc", "a,x3\n1,2\n2,abc\n3,def\n", TAMIS_DATA, {"t.csv:4: ", "'def' in column 'x3'"}},
        {"inputs=a target=b", "a,b,c\nx,1,u\n2,2,v\n3,3,7\n", TAMIS_DATA, {"t.csv:2: ", "'x' in column 'a'"}},
        {"categorical=q", "a,b\n1,2\n", TAMIS_USAGE, {"--categorical q", "no such column"}},
        {"delimiter=ab", "a,b\n1,2\n", TAMIS_USAGE, {"--delimiter 'ab'", "tab"}},
        {NULL, "a\1,b\n1,2\n", TAMIS_DATA, {"t.csv:1: ", "not text"}},
    };
    tamis_context *cx = *state;
    tamis_table *t;
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        int status = read_text(cx, cases[i].text, strlen(cases[i].text), cases[i].set, &t);
        if (status != cases[i].status || t)
            fail_msg("'%s' came back as %d: %s", cases[i].text, status, tamis_error(cx));
        for (const char *const *word = cases[i].words; *word; word++)
            if (!strstr(tamis_error(cx), *word)) fail_msg("'%s' is not in: %s", *word, tamis_error(cx));
    }
}

static void zero_bytes(void **state)
{
    tamis_table *t;
    assert_int_equal(read_text(*state, "a,b\n1,2\n3,\0,4\n", 15, NULL, &t), TAMIS_DATA);
    assert_non_null(strstr(tamis_error(*state), "t.csv:3: a zero byte"));
}

static void the_error_does_not_stick(void **state)
{
    tamis_table *t;
    assert_int_equal(read_text(*state, "", 0, NULL, &t), TAMIS_DATA);
    reads_as(*state, "a\n1\n", NULL, "a:n/1");
    assert_string_equal(tamis_error(*state), "");
}

/* ---- files and compressed files ---- */

static char folder[] = "/tmp/test_csv_XXXXXX";

static const char *put_file(const char *name, const void *bytes, size_t n)
{
    static char path[200];
    snprintf(path, sizeof path, "%s/%s", folder, name);
    FILE *f = fopen(path, "wb");
    assert_non_null(f);
    assert_int_equal(fwrite(bytes, 1, n, f), n);
    fclose(f);
    return path;
}

static size_t pack_gzip(const void *from, size_t n, unsigned char *to, size_t room)
{
    z_stream z = {
        .next_in = (void *)(uintptr_t)from, .avail_in = (unsigned)n, .next_out = to, .avail_out = (unsigned)room};
    assert_int_equal(deflateInit2(&z, 6, Z_DEFLATED, 31, 8, Z_DEFAULT_STRATEGY), Z_OK);
    assert_int_equal(deflate(&z, Z_FINISH), Z_STREAM_END);
    deflateEnd(&z);
    return z.total_out;
}

static void file_reads(tamis_context *cx, const char *path, size_t rows, double sum)
{
    tamis_table *t;
    double got = 0;
    if (tamis_table_read(cx, path, NULL, &t)) fail_msg("%s", tamis_error(cx));
    assert_int_equal(t->rows, rows);
    for (size_t i = 0; i < t->rows; i++) got += t->column[1].value[i];
    assert_true(got == sum);
    tamis_table_free(t);
}

static void file_fails(tamis_context *cx, const char *path, const char *words)
{
    tamis_table *t;
    assert_int_equal(tamis_table_read(cx, path, NULL, &t), TAMIS_DATA);
    assert_null(t);
    if (!strstr(tamis_error(cx), words) || strncmp(tamis_error(cx), path, strlen(path)))
        fail_msg("'%s' is not in: %s", words, tamis_error(cx));
}

/* A text of 400,000 rows, larger than several blocks; its second column sums to rows (rows - 1) / 2. */
enum { ROWS = 400000 };
static char *long_text(size_t *n)
{
    char *s = malloc(ROWS * 24 + 10);
    size_t at = (size_t)sprintf(s, "a,b\r\n");
    for (int i = 0; i < ROWS; i++) at += (size_t)sprintf(s + at, "%d.25,%d%s", i % 1000, i, i % 2 ? "\r\n" : "\n");
    *n = at;
    return s;
}

static void plain_and_packed_files(void **state)
{
    tamis_context *cx = *state;
    size_t n, half, room, g;
    char *text = long_text(&n);
    const double sum = ROWS / 2.0 * (ROWS - 1);
    room = n + 1000;
    unsigned char *packed = malloc(room);
    file_reads(cx, put_file("plain.csv", text, n), ROWS, sum);
    g = pack_gzip(text, n, packed, room);
    file_reads(cx, put_file("whole.gz", packed, g), ROWS, sum);
    file_fails(cx, put_file("cut.gz", packed, g - 9), "truncated");
    file_fails(cx, put_file("header.gz", packed, 5), "truncated");
    packed[g / 2] ^= 0x55;
    packed[g / 2 + 1] ^= 0x3A;
    file_fails(cx, put_file("damaged.gz", packed, g), "damaged");
    half = n / 3;                                       /* members may end inside a row */
    g = pack_gzip(text, half, packed, room);
    g += pack_gzip(text + half, n - half, packed + g, room - g);
    memset(packed + g, 0, 30);
    file_reads(cx, put_file("two.gz", packed, g), ROWS, sum);
    file_reads(cx, put_file("padded.gz", packed, g + 30), ROWS, sum);
    packed[g] = 'x';
    file_fails(cx, put_file("rubbish.gz", packed, g + 30), "damaged");
    g = ZSTD_compress(packed, room, text, half, 3);
    g += ZSTD_compress(packed + g, room - g, text + half, n - half, 3);
    file_reads(cx, put_file("two.zst", packed, g), ROWS, sum);
    file_fails(cx, put_file("cut.zst", packed, g - 5), "truncated");
    packed[g / 2] ^= 0x55;
    packed[4] ^= 0xFF;
    file_fails(cx, put_file("damaged.zst", packed, g), "damaged");
    free(packed);
    free(text);
}

static void files_that_are_not_there(void **state)
{
    tamis_context *cx = *state;
    char path[200];
    snprintf(path, sizeof path, "%s/none.csv", folder);
    file_fails(cx, path, "no such file");
    file_fails(cx, folder, "directory");
    if (geteuid() == 0) return;
    const char *closed = put_file("closed.csv", "a\n1\n", 4);
    chmod(closed, 0);
    file_fails(cx, closed, "cannot be read");
}

static void standard_input(void **state)
{
    size_t n;
    char *text = long_text(&n);
    tamis_table *t;
    int keep = dup(0), file = open(put_file("in.csv", text, n), O_RDONLY);
    dup2(file, 0);
    assert_int_equal(tamis_table_read(*state, "-", NULL, &t), 0);
    assert_int_equal(t->rows, ROWS);
    assert_string_equal(t->file, "-");
    tamis_table_free(t);
    close(file);
    file = open(put_file("in.csv", "a,b\n1\n", 6), O_RDONLY);
    dup2(file, 0);
    assert_int_equal(tamis_table_read(*state, "-", NULL, &t), TAMIS_DATA);
    assert_non_null(strstr(tamis_error(*state), "standard input:2: "));
    dup2(keep, 0);
    close(file);
    close(keep);
    free(text);
}

/* Cells of every kind at every offset around the ends of blocks: labels with newlines, CRLF, doubled quotes. */
static void blocks_meet_everywhere(void **state)
{
    enum { N = 60000 };
    char *s = malloc(N * 64);
    size_t n = (size_t)sprintf(s, "a,b,c\r\n");
    for (int i = 0; i < N; i++)
        n += (size_t)sprintf(s + n, "%d,\"q\"\"\r\n%d, z\",%*d\r\n", i, i % 7, i % 13 + 1, i % 5);
    tamis_table *t;
    assert_int_equal(read_text(*state, s, n, NULL, &t), 0);
    assert_int_equal(t->rows, N);
    assert_int_equal(t->column[1].levels, 7);
    assert_string_equal(t->column[1].level[3], "q\"\r\n3, z");
    for (int i = 0; i < N; i++)
        assert_true(t->column[0].value[i] == i && t->column[1].value[i] == i % 7 && t->column[2].value[i] == i % 5);
    tamis_table_free(t);
    memcpy(s + n, "1,2\r\n", 5);                        /* two physical lines per row */
    char want[50];
    snprintf(want, sizeof want, "t.csv:%d: 2 fields", 2 * N + 2);
    assert_int_equal(read_text(*state, s, n + 5, NULL, &t), TAMIS_DATA);
    assert_non_null(strstr(tamis_error(*state), want));
    free(s);
}

static void lines_longer_than_a_block(void **state)
{
    enum { COLUMNS = 300000 };
    char *s = malloc(COLUMNS * 40);
    size_t n = 0;
    for (int j = 0; j < COLUMNS; j++) n += (size_t)sprintf(s + n, "%sx%d", j ? "," : "", j);
    for (int i = 0; i < 3; i++)
        for (int j = 0; j < COLUMNS; j++) n += (size_t)sprintf(s + n, "%s%d", j ? "," : "\n", i + j);
    tamis_table *t;
    assert_int_equal(read_text(*state, s, n, NULL, &t), 0);
    assert_int_equal(t->rows, 3);
    assert_int_equal(t->columns, COLUMNS);
    for (int j = 0; j < COLUMNS; j++) assert_true(t->column[j].value[2] == j + 2);
    tamis_table_free(t);
    free(s);
}

/* ---- block by block ---- */

static void blocks_of_wanted_columns(void **state)
{
    tamis_context *cx = *state;
    static char *const known[] = {"v", "u"};
    const struct tamis_csv_want want[] = {
        {"c", TAMIS_NUMBER, 0, NULL}, {"a", TAMIS_CATEGORY, 2, known}, {"d", TAMIS_CATEGORY, 0, NULL}};
    const char *text = "a,b,c,d\nu,rubbish,1,x\nv,,2.5,7.0\nw,\"\n\",NA,x\n,1,4,y\n";
    struct tamis_csv *c;
    const tamis_table *t;
    assert_int_equal(tamis_csv_open_memory(cx, text, strlen(text), "t.csv", NULL, want, 3, &c), 0);
    assert_int_equal(tamis_csv_next(c, &t), 0);
    assert_int_equal(t->rows, 4);
    assert_int_equal(t->columns, 3);
    assert_true(t->column[0].value[1] == 2.5 && isnan(t->column[0].value[2]));
    assert_true(t->column[1].value[0] == 1 && t->column[1].value[1] == 0 && t->column[1].value[2] == 2 &&
                isnan(t->column[1].value[3]));
    assert_int_equal(t->column[2].levels, 3);
    assert_string_equal(t->column[2].level[(size_t)t->column[2].value[1]], "7.0");
    assert_int_equal(tamis_csv_next(c, &t), 0);
    assert_int_equal(t->rows, 0);
    tamis_csv_close(c);
}

static void blocks_add_up(void **state)
{
    size_t n, rows = 0, blocks = 0;
    char *text = long_text(&n);
    const struct tamis_csv_want want[] = {{"b", TAMIS_NUMBER, 0, NULL}, {"a", TAMIS_NUMBER, 0, NULL}, };
    struct tamis_csv *c;
    const tamis_table *t;
    assert_int_equal(tamis_csv_open(*state, put_file("blocks.csv", text, n), NULL, want, 2, &c), 0);
    for (;; blocks++) {
        assert_int_equal(tamis_csv_next(c, &t), 0);
        if (!t->rows) break;
        for (size_t i = 0; i < t->rows; i++, rows++)
            if (t->column[0].value[i] != (double)rows || t->column[1].value[i] != (double)(rows % 1000) + .25)
                fail_msg("row %zu", rows);
    }
    assert_int_equal(rows, ROWS);
    tamis_csv_close(c);
    free(text);
}

static void blocks_say_what_is_wrong(void **state)
{
    static const struct { const char *text, *words; } cases[] = {
        {"a,c\n1,2\n", "t.csv:1: column 'b' is missing"},
        {"a,b\n1,2\n3,x\n", "t.csv:3: 'x' in column 'b', whose values must be numbers"},
        {"a,b\n1,2\n3,inf\n", "t.csv:3: column 'b' is infinite"},
        {"a,b\n1,2\n3\n", "t.csv:3: 1 fields found"}};
    const struct tamis_csv_want want[] = {{"b", TAMIS_NUMBER, 0, NULL}};
    tamis_context *cx = *state;
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        struct tamis_csv *c;
        const tamis_table *t;
        forget(cx);
        int status = tamis_csv_open_memory(cx, cases[i].text, strlen(cases[i].text), "t.csv", NULL, want, 1, &c);
        if (!status) status = tamis_csv_next(c, &t);
        assert_int_equal(status, TAMIS_DATA);
        if (!strstr(tamis_error(cx), cases[i].words)) fail_msg("'%s' is not in: %s", cases[i].words, tamis_error(cx));
        tamis_csv_close(c);
    }
}

/* ---- stopping, progress, memory ---- */

static int now(void *user) { return ++*(int *)user > 2; }
static void count(void *user, const char *what, double done, double total)
{
    (void)what;
    assert_true(done > 0 && done <= total);
    ++*(int *)user;
}

static void it_can_be_stopped(void **state)
{
    int calls = 0, steps = 0;
    size_t n;
    char *text = long_text(&n);
    tamis_table *t;
    tamis_context_on_progress(*state, count, &steps);
    assert_int_equal(tamis_table_read_memory(*state, text, n, "t", NULL, &t), 0);
    assert_at_least(steps, 4);
    tamis_table_free(t);
    tamis_context_on_cancel(*state, now, &calls);
    assert_int_equal(tamis_table_read_memory(*state, text, n, "t", NULL, &t), TAMIS_STOPPED);
    assert_null(t);
    free(text);
}

struct source { const char *text; tamis_options *o; };

static int read_once(tamis_context *cx, void *what)
{
    const struct source *s = what;
    tamis_table *t = NULL;
    int status = tamis_table_read_memory(cx, s->text, strlen(s->text), "t.csv", s->o, &t);
    if (status) assert_null(t);
    tamis_table_free(t);
    return status == TAMIS_DATA ? TAMIS_OK : status;
}

static void every_allocation_fails_once(void **state)
{
    static const char *const texts[] = {"a,b,c\n1,x,\"p\"\"q\"\n2,y,\"r\"\"s\"\n", "a,b\nr1,1,2\nr2,3,4\n",
                                        "a;b\n1,5;u\n", "a,b\n1,x\n2,3\n",
                                        "# c\na,b\n\"m\"\"\",kg\n1,2\n# d\n3,4\n5,6\n",
                                        "\"T\"\"1\"\"\"\na,b,c\n1,2,3\n4,5,6\n"};
    for (size_t i = 0; i < sizeof texts / sizeof *texts; i++) {
        struct source s = {texts[i], set_of(*state, "categorical=a missing=7,z")};
        assert_above(every_allocation_fails(*state, read_once, &s, 5000), 5);
        tamis_options_free(s.o);
    }
}

static int read_blocks_once(tamis_context *cx, void *text)
{
    static char *const known[] = {"u", "v"};
    const struct tamis_csv_want want[] = {
        {"a", TAMIS_CATEGORY, 2, known}, {"b", TAMIS_NUMBER, 0, NULL}, {"c", TAMIS_CATEGORY, 0, NULL}};
    struct tamis_csv *c;
    const tamis_table *t;
    forget(cx);
    int status = tamis_csv_open_memory(cx, text, strlen(text), "t.csv", NULL, want, 3, &c);
    if (!status) status = tamis_csv_next(c, &t);
    tamis_csv_close(c);
    return status;
}

static void every_allocation_of_blocks_fails_once(void **state)
{
    every_allocation_fails(*state, read_blocks_once, "a,b,c\nu,1,\"p\"\"q\"\nw,2,y\n", 5000);
}

static int folder_make(void **state)
{
    (void)state;
    return mkdtemp(folder) == NULL;
}

static int folder_drop(void **state)
{
    char line[100];
    (void)state;
    snprintf(line, sizeof line, "rm -rf %s", folder);
    return system(line);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        TEST(plain_tables),
        TEST(quotes),
        TEST(types),
        TEST(remarks),
        TEST(lines_above),
        TEST(units_below),
        TEST(comments_between),
        TEST(utf16),
        TEST(error_sentences),
        TEST(zero_bytes),
        TEST(the_error_does_not_stick),
        TEST(plain_and_packed_files),
        TEST(files_that_are_not_there),
        TEST(standard_input),
        TEST(blocks_meet_everywhere),
        TEST(lines_longer_than_a_block),
        TEST(blocks_of_wanted_columns),
        TEST(blocks_add_up),
        TEST(blocks_say_what_is_wrong),
        TEST(it_can_be_stopped),
        TEST(every_allocation_fails_once),
        TEST(every_allocation_of_blocks_fails_once),
    };
    return cmocka_run_group_tests_name("csv", tests, folder_make, folder_drop);
}
