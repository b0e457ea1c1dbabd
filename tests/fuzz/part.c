/* Parts of a run. An even first byte: the rest is the fields of a part behind a valid checksum, and what the reader
 * accepts has items within their loops, in order. An odd one: it chooses a run and an item, the rest is what the item
 * found, and the run that is joined from these parts ends with a result or with a sentence. */
#include <fcntl.h>
#include <stdio.h>
#include <unistd.h>
#include "base/shard.h"
#include "fuzz.h"

static const struct plan { const char *words; int classes; } plans[] = {
    {"method=lars outer=3 evidence=no", 0},
    {"fdr=0.3 fdr-draws=2 evidence=no", 0},
    {"method=rjmcmc samples=80 burn-in=70 chains=2 evidence=no", 1},
    {"method=sparse-rbf r=2:6:2 t=0.2:1:2 folds=2 evidence=no", 0},
    {"method=lssvm sigma2=1:50:3 gamma=1:50:2 folds=2 evidence=no", 0},
};
enum { PLANS = sizeof plans / sizeof *plans };

struct run { tamis_table *table; tamis_options *options; char path[80]; };

/* The run and its only part, made once. */
static struct run *run_of(tamis_context *cx, size_t which)
{
    static struct run *made[PLANS];
    struct run *r = made[which];
    tamis_result *result = NULL;
    if (r) return r;
    r = made[which] = calloc(1, sizeof *r);
    fuzz_scratch("part", r->path, sizeof r->path);
    r->table = fuzz_small_table(cx, plans[which].classes);
    r->options = fuzz_worded(cx, plans[which].words);
    check(!tamis_shard_begin(cx, 1, 1) && !tamis_select(cx, r->table, NULL, r->options, &result) && !result);
    check(!tamis_shard_save(cx, r->path));
    tamis_shard_end(cx);
    int fd = open(r->path, O_RDONLY);                   /* the file goes with the process */
    check(fd >= 0 && !unlink(r->path));
    snprintf(r->path, sizeof r->path, "/proc/self/fd/%d", fd);
    return r;
}

static void run_joined(tamis_context *cx, const uint8_t *data, size_t n)
{
    struct run *r = run_of(cx, data[0] / 2 % PLANS);
    tamis_result *result = NULL;
    char *text = NULL;
    size_t length;
    check(!tamis_shard_add(cx, r->path));
    struct tamis_shard *s = tamis_shard_of(cx);
    struct tamis_shard_loop *k = &s->loop[data[1] / 16 % s->loops];
    struct tamis_shard_item *t = &k->item[data[1] % k->items];
    unsigned char *whole = fuzz_packed("ITEM", 1, data + 2, n - 2, &length);
    tamis_free(t->bytes);
    t->bytes = tamis_raw(cx, unsigned char, length);
    memcpy(t->bytes, whole, length);
    t->n = length;
    if (tamis_select(cx, r->table, NULL, r->options, &result)) check(*tamis_error(cx));
    else check(!tamis_result_json(cx, result, &text, &length));
    tamis_release(text);
    tamis_result_free(result);
    tamis_shard_end(cx);
}

static void part_read(tamis_context *cx, const uint8_t *data, size_t n)
{
    struct tamis_shard s = {.cx = cx};
    size_t length;
    unsigned char *whole = fuzz_packed("PART", data[0] / 2 % 4, data + 1, n - 1, &length);
    if (tamis_shard_read(&s, whole, length)) check(*tamis_error(cx));
    else {
        check(s.index && s.index <= s.count);
        for (size_t i = 0; i < s.loops; i++)
            for (size_t j = 0; j < s.loop[i].items; j++) {
                check(s.loop[i].item[j].index < s.loop[i].count && s.loop[i].item[j].bytes);
                check(!j || s.loop[i].item[j].index > s.loop[i].item[j - 1].index);
            }
    }
    tamis_shard_clear(&s);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t n)
{
    if (n < 2) return 0;
    tamis_context *cx = fuzz_context();
    if (data[0] % 2) run_joined(cx, data, n);
    else part_read(cx, data, n);
    return 0;
}

FUZZ_MUTATOR(fuzz_mutate_fields)
