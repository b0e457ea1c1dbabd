/* What the fuzz targets share. */
#include <math.h>
#include <stdio.h>
#include <unistd.h>
#include "fuzz.h"
#include "base/pack.h"

enum { LARGEST = 1 << 20 };

static tamis_context *cx;

void fuzz_wrong(const char *condition, const char *file, int line)
{
    fprintf(stderr, "%s:%d: not so: %s; last error: %s\n", file, line, condition, cx ? tamis_error(cx) : "");
    abort();
}

tamis_context *fuzz_context(void)
{
    if (!cx) {
        cx = tamis_context_new();
        tamis_context_limits(cx, 1, 1e9);
    }
    tamis_notes_clear(cx);
    check(!cx->depth);                                  /* every call that began has ended */
    tamis_context *call = tamis_call_begin(cx);
    tamis_call_end(&call);
    return cx;
}

/* ---- tables and models ---- */

static void check_column(const struct tamis_data_column *c, size_t rows)
{
    check(c->name && *c->name && (c->type == TAMIS_CATEGORY || !c->levels));
    for (size_t k = 1; k < c->levels; k++) check(strcmp(c->level[k - 1], c->level[k]) != 0);
    for (size_t i = 0; i < rows; i++) {
        double x = c->value[i];
        check(isnan(x) || (c->type == TAMIS_CATEGORY ? x >= 0 && x < (double)c->levels && x == floor(x) : isfinite(x)));
    }
}

void fuzz_check_table(const tamis_table *t)
{
    check(t->columns > 0);
    for (size_t j = 0; j < t->columns; j++) check_column(&t->column[j], t->rows);
}

tamis_table *fuzz_read_table(tamis_context *cx, const uint8_t *data, size_t n, const tamis_options *o)
{
    tamis_table *t;
    int status = tamis_table_read_memory(cx, data, n, "f", o, &t);
    check(!status == !!t && (!status || *tamis_error(cx)));
    check(status != TAMIS_DATA || !strncmp(tamis_error(cx), "f:", 2));
    if (t) fuzz_check_table(t);
    return t;
}

void fuzz_use_model(tamis_context *cx, const tamis_model *m)
{
    enum { MOST = 100000 };
    static double prediction[2 * MOST], score[2 * MOST];
    static tamis_table *t;
    static const char row[] = "x1,x2,x3,x4,x5,a,b\n1,2,3,4,5,6,7\n2,3,4,5,6,7,8\n";
    const char *const *name;
    void *bytes = NULL;
    size_t length;
    if (!t) check(!tamis_table_read_memory(cx, row, sizeof row - 1, "row", NULL, &t));
    if (tamis_model_targets(m) < MOST && tamis_model_classes(m, &name) < MOST)
        check(!tamis_model_predict(cx, m, t, prediction, score) || *tamis_error(cx));
    if (tamis_model_targets(m) < MOST)
        check(!tamis_model_interval(cx, m, 0.5, prediction, score) || *tamis_error(cx));
    check(!tamis_model_save_memory(cx, m, &bytes, &length));
    tamis_release(bytes);
}

static void little(uint64_t v, unsigned char *b, int n)
{
    for (int i = 0; i < n; i++) b[i] = (unsigned char)(v >> 8 * i);
}

unsigned char *fuzz_packed(const char kind[4], unsigned version, const uint8_t *data, size_t n, size_t *length)
{
    enum { HEAD = 23 };         /* magic, kind, version, length */
    static unsigned char whole[HEAD + LARGEST + 8];
    check(n <= LARGEST);
    memcpy(whole, "TAMIS\r\n", 7);
    memcpy(whole + 7, kind, 4);
    little(version, whole + 11, 4);
    little(n, whole + 15, 8);
    memcpy(whole + HEAD, data, n);
    little(tamis_checksum(whole, HEAD + n, 0), whole + HEAD + n, 8);
    *length = HEAD + n + 8;
    return whole;
}

/* ---- mutators ---- */

size_t fuzz_pick(struct fuzz_random *r, size_t n)
{
    r->state ^= r->state << 13;
    r->state ^= r->state >> 7;
    r->state ^= r->state << 17;
    return n ? (size_t)((r->state >> 11) % n) : 0;
}

void fuzz_put(struct fuzz_bytes *out, const void *bytes, size_t n)
{
    if (n > out->max - out->n) n = out->max - out->n;
    if (n) memcpy(out->b + out->n, bytes, n);
    out->n += n;
}

size_t fuzz_mutate(uint8_t *data, size_t n, size_t max, unsigned seed, fuzz_mutator *mutate)
{
    static uint8_t buffer[LARGEST];
    struct fuzz_random r = {seed * 0x9E3779B97F4A7C15ull + 0x1234567};
    struct fuzz_bytes out = {buffer, 0, max < LARGEST ? max : LARGEST};
    for (int i = 0; i < 4; i++) fuzz_pick(&r, 1);
    if (!fuzz_pick(&r, 4)) return LLVMFuzzerMutate(data, n, max);
    mutate(data, n, &out, &r);
    if (!out.n) return LLVMFuzzerMutate(data, n, max);
    memcpy(data, buffer, out.n);
    return out.n;
}

/* ---- whole runs ---- */

tamis_table *fuzz_small_table(tamis_context *cx, int classes)
{
    char text[1000];
    tamis_table *t;
    int n = snprintf(text, sizeof text, "x1,x2,x3,y\n");
    for (int i = 0; i < 14; i++)
        n += snprintf(text + n, sizeof text - (size_t)n, "%g,%g,%g,%s%d\n", (i * 5 % 14) / 2., (i * i * 3 % 17) / 3.,
                      (i * 11 % 13) / 4., classes ? "c" : "", classes ? i * 5 % 14 > 6 : i * 5 % 14 + i % 3);
    check(!tamis_table_read_memory(cx, text, (size_t)n, "t.csv", NULL, &t));
    return t;
}

tamis_options *fuzz_worded(tamis_context *cx, const char *words)
{
    tamis_options *o = tamis_options_new(cx);
    char copy[200], *save, *word;
    snprintf(copy, sizeof copy, "%s", words);
    for (word = strtok_r(copy, " ", &save); word; word = strtok_r(NULL, " ", &save)) {
        char *value = strchr(word, '=');
        *value++ = 0;
        check(!tamis_options_set(o, word, value));
    }
    return o;
}

void fuzz_scratch(const char *ending, char *path, size_t room)
{
    snprintf(path, room, "%s/tamis-fuzz-%ld.%s", access("/dev/shm", W_OK) ? "/tmp" : "/dev/shm", (long)getpid(), ending);
}
