/* The parts of a selection or comparison. */
#include <string.h>
#include "base/format.h"
#include "base/shard.h"
#include "select/method.h"
#include "select/parts.h"
#include "select/resample.h"

/* ---- what they have in common ---- */

static uint64_t column_sum(const struct tamis_data_column *c, size_t rows, uint64_t sum)
{
    sum = tamis_checksum(c->name, strlen(c->name), sum);
    sum = tamis_checksum(c->value, rows * sizeof *c->value, sum);
    for (size_t k = 0; k < c->levels; k++) sum = tamis_checksum(c->level[k], strlen(c->level[k]), sum);
    return sum;
}

/* The table as it was read: another file with the same values will do. */
static int table_add(struct tamis_shard *s, const char *key, const tamis_table *t)
{
    char text[80];
    uint64_t sum = t->rows;
    for (size_t i = 0; i < t->columns; i++) sum = column_sum(&t->column[i], t->rows, sum);
    tamis_snprintf(text, sizeof text, "of %zu rows and %zu columns with checksum %016llx", t->rows, t->columns,
                   (unsigned long long)sum);
    return tamis_shard_fact_add(s, key, text);
}

/* Options that change no number are free. */
static void option_add(void *arg, const char *name, const char *text)
{
    char key[80];
    if (!strcmp(name, "threads") || !strcmp(name, "memory") || !strcmp(name, "checkpoint")) return;
    tamis_snprintf(key, sizeof key, "--%s", name);
    tamis_shard_fact_add(arg, key, text);
}

static int facts_fill(struct tamis_shard *s, const char *what, const tamis_table *data, const tamis_table *test,
                      const tamis_options *o)
{
    tamis_shard_fact_add(s, "tamis", TAMIS_VERSION);
    tamis_shard_fact_add(s, "a", what);
    table_add(s, "a table", data);
    if (test) table_add(s, "a test table", test);
    tamis_options_each(o, option_add, s);
    return tamis_status(s->cx);
}

/* The facts of this call against those of the parts. */
static int call_check(struct tamis_shard *parts, const char *what, const tamis_table *data, const tamis_table *test,
                      const tamis_options *o)
{
    char text[TAMIS_SHARD_DIFFERENCE];
    struct tamis_shard call = {.cx = parts->cx};
    int status = facts_fill(&call, what, data, test, o);
    if (!status && tamis_shard_differs(parts, &call, text))
        status = tamis_fail(parts->cx, TAMIS_DATA, "%s: the parts were computed from another run: %s", data->file,
                            text);
    tamis_shard_clear(&call);
    return status;
}

int tamis_parts_begin(tamis_context *cx, const char *what, const tamis_table *data, const tamis_table *test,
                      const tamis_options *o)
{
    struct tamis_shard *s = tamis_shard_of(cx);
    char **word;
    if (!s) return TAMIS_OK;
    if (s->index && s->facts) return tamis_fail(cx, TAMIS_USAGE, "this part has had its run; begin another part");
    size_t words = (size_t)tamis_options_words(o, &word);
    int status = s->index ? facts_fill(s, what, data, test, o) : call_check(s, what, data, test, o);
    if (!status && s->index) status = tamis_shard_words(s, word, words);
    return status ? status : tamis_shard_start(s, tamis_options_get(o, "checkpoint"));
}

int tamis_parts_only(const tamis_context *cx)
{
    const struct tamis_runner *r = tamis_runner_of(cx);
    return r && r->partial;
}

void tamis_parts_end(tamis_context *cx) { tamis_shard_of(cx)->complete = 1; }

/* ---- the loops of a selection ---- */

int tamis_always_shared(struct tamis_run *run)
{
    (void)run;
    return 1;
}

int tamis_parts_selection(struct tamis_run *run)
{
    return run->common.stability > 0 || (run->method->shared && run->method->shared(run));
}

int tamis_parts_run(struct tamis_run *run)
{
    int selection = tamis_parts_selection(run);
    if (!selection && !run->common.outer && !run->common.bootstrap)
        return tamis_fail(run->cx, TAMIS_USAGE,
                          "this run has no independent items to share; parts need --outer, --bootstrap, --stability, "
                          "--fdr, or rjmcmc, fei, sparse-rbf, lssvm or rrkrr");
    int status = selection ? tamis_items_go_on(run->cx, tamis_selection_run(run)) : TAMIS_OK;
    return status ? status : tamis_outer_run(run);
}
