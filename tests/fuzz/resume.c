/* Whole runs that resume from a forged checkpoint, of every method that keeps one and of nested validation. The first
 * byte chooses the run, the rest is the state behind the right fingerprint and a valid checksum. The run ends with a
 * result that is valid JSON, or with a sentence that names the checkpoint. */
#include <stdio.h>
#include <unistd.h>
#include "fuzz.h"

enum { HEAD = 23, PRINT = 8, TAIL = 8, MOST = 1 << 16 };        /* of a packed file, around its state */

static const struct plan { const char *words; int classes; const char *file; } plans[] = {
    {"method=sift splits=1 rule-folds=2 evidence=no", 0, ""},
    {"method=sift splits=2 rule-folds=2 evidence=no", 1, ""},
    {"method=rjmcmc samples=80 burn-in=70 chains=2 evidence=no", 1, ""},
    {"method=fei hidden=3 starts=2 epochs=3 folds=2 evidence=no", 1, ""},
    {"method=fei hidden=auto starts=1 epochs=2 folds=2 evidence=no", 1, ""},
    {"method=sparse-rbf r=2:6:2 t=0.2:1:2 folds=2 evidence=no", 0, ""},
    {"method=sisal sigma2=4 gamma=0.1 evidence=no", 0, ""},
    {"method=forward sigma2=4 gamma=0.1 evidence=no", 0, ""},
    {"method=search criterion=delta max-inputs=2 evidence=no", 0, ""},
    {"method=lars outer=3 evidence=no", 0, ".outer"},
    {"method=lars bootstrap=3 evidence=no", 0, ".bootstrap"},
};
enum { PLANS = sizeof plans / sizeof *plans };

struct run {
    tamis_table *table;
    tamis_options *options;
    char path[80], file[100];           /* file: the one that is forged */
    unsigned char honest[MOST];         /* what the run itself writes */
    size_t n;
};

/* ---- runs ---- */

static void drop(const struct run *r)
{
    unlink(r->path);
    unlink(r->file);
}

static size_t file_get(const char *path, unsigned char *bytes, size_t room)
{
    FILE *f = fopen(path, "rb");
    size_t n = f ? fread(bytes, 1, room, f) : 0;
    if (f) fclose(f);
    return n;
}

static void file_put(const char *path, const unsigned char *bytes, size_t n)
{
    FILE *f = fopen(path, "wb");
    check(f && fwrite(bytes, 1, n, f) == n && !fclose(f));
}

static struct run *run_of(tamis_context *cx, size_t which)
{
    static struct run *made[PLANS];
    struct run *r = made[which];
    tamis_result *result = NULL;
    if (r) return r;
    r = made[which] = calloc(1, sizeof *r);
    fuzz_scratch("ckpt", r->path, sizeof r->path);
    snprintf(r->file, sizeof r->file, "%s%s", r->path, plans[which].file);
    r->table = fuzz_small_table(cx, plans[which].classes);
    r->options = fuzz_worded(cx, plans[which].words);
    check(!tamis_options_set(r->options, "checkpoint", r->path) && !tamis_options_set(r->options, "threads", "1"));
    drop(r);
    check(!tamis_select(cx, r->table, NULL, r->options, &result));
    tamis_result_free(result);
    r->n = file_get(r->file, r->honest, MOST);
    check(r->n > HEAD + PRINT + TAIL && r->n < MOST);
    drop(r);
    return r;
}

/* ---- one input ---- */

static void check_result(tamis_context *cx, const tamis_result *result)
{
    char *text = NULL;
    size_t length;
    tamis_value *v = NULL;
    check(!tamis_result_json(cx, result, &text, &length) && !tamis_value_parse(cx, text, length, &v));
    tamis_value_free(v);
    tamis_release(text);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t n)
{
    static uint8_t fields[MOST];
    tamis_result *result = NULL;
    size_t length;
    if (!n || n > MOST - PRINT) return 0;
    tamis_context *cx = fuzz_context();
    struct run *r = run_of(cx, data[0] % PLANS);
    memcpy(fields, r->honest + HEAD, PRINT);
    memcpy(fields + PRINT, data + 1, n - 1);
    file_put(r->file, fuzz_packed((const char *)r->honest + 7, r->honest[11], fields, PRINT + n - 1, &length), length);
    int status = tamis_select(cx, r->table, NULL, r->options, &result);
    check(!status == !!result && (!status || *tamis_error(cx)));
    check(status != TAMIS_DATA || strstr(tamis_error(cx), r->path));
    if (result) check_result(cx, result);
    tamis_result_free(result);
    drop(r);
    return 0;
}

/* From what the run itself writes now and then. */
static void mutate(const uint8_t *data, size_t n, struct fuzz_bytes *out, struct fuzz_random *r)
{
    static uint8_t honest[MOST];
    if (n < 9 || !fuzz_pick(r, 50)) {
        size_t which = fuzz_pick(r, PLANS);
        const struct run *run = run_of(fuzz_context(), which);
        honest[0] = (uint8_t)which;
        n = 1 + run->n - HEAD - PRINT - TAIL;
        memcpy(honest + 1, run->honest + HEAD + PRINT, n - 1);
        data = honest;
        if (!fuzz_pick(r, 3)) {
            fuzz_put(out, data, n);
            return;
        }
    }
    fuzz_mutate_fields(data, n, out, r);
    if (fuzz_pick(r, 4) && out->n) out->b[0] = data[0];
}

FUZZ_MUTATOR(mutate)
