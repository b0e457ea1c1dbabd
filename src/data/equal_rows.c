/* Equal rows: which rows repeat an earlier one, whether chance explains that many, and the groups they form.
 *
 * With p_jv the share of value v in column j, two rows of independent columns are equal with probability
 * prod_j sum_v p_jv^2, so that chance alone makes about
 *     N (N - 1) / 2 prod_j sum_v p_jv^2
 * pairs of equal rows among N. Rows form groups only if that is below 1/20 of the pairs seen: copies of measurements
 * do, the rows of a table of a few 0/1 columns do not. */
#include <stdlib.h>
#include "data/bits.h"
#include "data/design.h"

static const double chance_share = 1.0 / 20;

/* Some rows (row NULL: the first `rows`) in some columns. */
struct view { const double **column; size_t columns; const size_t *row; size_t rows; };

static inline double cell(const struct view *v, size_t j, size_t i) { return v->column[j][v->row ? v->row[i] : i]; }

static int rows_equal(const struct view *v, size_t a, size_t b)
{
    for (size_t j = 0; j < v->columns; j++)
        if (tamis_bits_of(cell(v, j, a)) != tamis_bits_of(cell(v, j, b))) return 0;
    return 1;
}

static void hash_rows(const struct view *v, uint64_t *hash)
{
    for (size_t j = 0; j < v->columns; j++)
        for (size_t i = 0; i < v->rows; i++) hash[i] = tamis_bits_mix(hash[i], tamis_bits_of(cell(v, j, i)));
}

/* first[i]: the first row that equals row i; *repeated: how many rows are not the first. */
static int firsts_find(tamis_context *cx, const struct view *v, size_t *first, size_t *repeated)
{
    size_t slots = tamis_bits_slots(v->rows);
    uint64_t *hash = tamis_new(cx, uint64_t, v->rows);
    size_t *slot = tamis_new(cx, size_t, slots);        /* 1 + row */
    *repeated = 0;
    if (hash && slot) hash_rows(v, hash);
    for (size_t i = 0; hash && slot && i < v->rows; i++) {
        size_t k = tamis_bits_mix(1, hash[i]) & (slots - 1);
        while (slot[k] && !(hash[slot[k] - 1] == hash[i] && rows_equal(v, slot[k] - 1, i))) k = (k + 1) & (slots - 1);
        *repeated += slot[k] != 0;
        if (!slot[k]) slot[k] = i + 1;
        if (first) first[i] = slot[k] - 1;
    }
    tamis_free(hash);
    tamis_free(slot);
    return tamis_status(cx);
}

int tamis_table_duplicates(tamis_context *cx, const tamis_table *t, size_t *rows)
{
    struct view v = {tamis_raw(cx, const double *, t->columns), t->columns, NULL, t->rows};
    for (size_t j = 0; v.column && j < t->columns; j++) v.column[j] = t->column[j].value;
    int status = v.column ? firsts_find(cx, &v, NULL, rows) : tamis_status(cx);
    tamis_free(v.column);
    return status;
}

/* ---- chance ---- */

struct tally { uint64_t value; size_t count; };

/* sum_v p_v^2 of column j; slot[] is overwritten. */
static double collision(const struct view *v, size_t j, struct tally *slot, size_t slots)
{
    double sum = 0, n = (double)v->rows;
    memset(slot, 0, slots * sizeof *slot);
    for (size_t i = 0; i < v->rows; i++) {
        uint64_t x = tamis_bits_of(cell(v, j, i));
        size_t k = tamis_bits_mix(tamis_bits_mix(1, x), x) & (slots - 1);
        while (slot[k].count && slot[k].value != x) k = (k + 1) & (slots - 1);
        slot[k].value = x;
        slot[k].count++;
    }
    for (size_t k = 0; k < slots; k++) sum += (double)slot[k].count / n * ((double)slot[k].count / n);
    return sum;
}

/* Pairs of equal rows; count[] is overwritten. */
static double pairs_count(const size_t *first, size_t rows, size_t *count)
{
    double pairs = 0;
    memset(count, 0, rows * sizeof *count);
    for (size_t i = 0; i < rows; i++) pairs += (double)count[first[i]]++;
    return pairs;
}

/* Whether chance makes too few equal rows to explain those seen. The product falls with every column: the first ones
 * usually decide. */
static int beyond_chance(const struct view *v, double pairs, struct tally *slot, size_t slots)
{
    double n = (double)v->rows, expected = n * (n - 1) / 2;
    for (size_t j = 0; j < v->columns && !(expected < chance_share * pairs); j++)
        expected *= collision(v, j, slot, slots);
    return expected < chance_share * pairs;
}

/* ---- groups ---- */

static size_t root_of(size_t *parent, size_t g)
{
    while (parent[g] != g) g = parent[g] = parent[parent[g]];
    return g;
}

/* The groups of each row and of the first row that equals it become one; groups are numbered again, in their order. */
static void groups_join(const size_t *first, size_t rows, size_t *group, size_t *groups, size_t *parent)
{
    size_t joined = 0;
    for (size_t g = 0; g < *groups; g++) parent[g] = g;
    for (size_t i = 0; i < rows; i++) {
        size_t a = root_of(parent, group[i]), b = root_of(parent, group[first[i]]);
        if (a < b) parent[b] = a;
        else parent[a] = b;
    }
    for (size_t g = 0; g < *groups; g++) parent[g] = root_of(parent, g);
    for (size_t g = 0; g < *groups; g++) parent[g] = parent[g] == g ? joined++ : parent[parent[g]];
    for (size_t i = 0; i < rows; i++) group[i] = parent[group[i]];
    *groups = joined;
}

int tamis_groups_join(tamis_context *cx, const size_t *first, size_t rows, size_t *group, size_t *groups)
{
    size_t *parent = tamis_raw(cx, size_t, *groups > rows ? *groups : rows);
    if (parent) groups_join(first, rows, group, groups, parent);
    tamis_free(parent);
    return tamis_status(cx);
}

/* Rows that chance explains are each the first of their kind. */
static int explained_part(tamis_context *cx, const struct view *v, size_t *first, size_t repeated)
{
    size_t slots = tamis_bits_slots(v->rows), *count = repeated ? tamis_raw(cx, size_t, v->rows) : NULL;
    struct tally *slot = repeated ? tamis_raw(cx, struct tally, slots) : NULL;
    if (count && slot && !beyond_chance(v, pairs_count(first, v->rows, count), slot, slots))
        for (size_t i = 0; i < v->rows; i++) first[i] = i;
    tamis_free(count);
    tamis_free(slot);
    return tamis_status(cx);
}

int tamis_rows_first(tamis_context *cx, const struct tamis_encoder *e, const tamis_table *t, const size_t *row,
                     size_t rows, size_t *first, size_t *repeated)
{
    size_t *at = tamis_encoder_columns(cx, e, t, 1);
    struct view v = {tamis_raw(cx, const double *, e->inputs + 1 + e->more), e->inputs + 1 + e->more, row, rows};
    for (size_t j = 0; at && v.column && j < v.columns; j++) v.column[j] = t->column[at[j]].value;
    *repeated = 0;
    int status = at && v.column ? firsts_find(cx, &v, first, repeated) : tamis_status(cx);
    if (!status) status = explained_part(cx, &v, first, *repeated);
    tamis_free(at);
    tamis_free(v.column);
    return status;
}

int tamis_groups_join_equal(tamis_context *cx, const struct tamis_encoder *e, const tamis_table *t, const size_t *row,
                            size_t rows, size_t *group, size_t *groups, size_t *repeated)
{
    size_t *first = tamis_raw(cx, size_t, rows);
    int status = first ? tamis_rows_first(cx, e, t, row, rows, first, repeated) : tamis_status(cx);
    if (!status && *repeated) status = tamis_groups_join(cx, first, rows, group, groups);
    tamis_free(first);
    return status;
}

/* ---- rows spread over processes ---- */

static int by_number(const void *a, const void *b)
{
    uint64_t x = *(const uint64_t *)a, y = *(const uint64_t *)b;
    return (x > y) - (x < y);
}

/* How many of the hashes, of all processes, that fall to this one equal an earlier one. */
static size_t repeated_count(const struct tamis_spread *s, const struct tamis_bytes *in, uint64_t *hash)
{
    size_t n = 0, repeated = 0;
    for (int k = 0; k < s->ranks; k++) {
        if (in[k].n) memcpy(hash + n, in[k].at, in[k].n);
        n += in[k].n / sizeof *hash;
    }
    qsort(hash, n, sizeof *hash, by_number);
    for (size_t i = 1; i < n; i++) repeated += hash[i] == hash[i - 1];
    return repeated;
}

static int hashes_compare(const struct tamis_spread *s, const uint64_t *hash, size_t rows, size_t *repeated)
{
    struct tamis_deal d;
    int status = tamis_deal_make(s, hash, rows, sizeof *hash, &d);
    uint64_t *all = status ? NULL : tamis_raw(s->cx, uint64_t, d.came / sizeof *all + 1);
    size_t *of = tamis_new(s->cx, size_t, (size_t)s->ranks), own = all ? repeated_count(s, d.in, all) : 0;
    if (!status) status = tamis_status(s->cx);
    if (!status) status = tamis_spread_gather(s, &own, sizeof own, of);
    *repeated = 0;
    for (int k = 0; k < s->ranks && !status; k++) *repeated += of[k];
    tamis_free(all);
    tamis_free(of);
    tamis_deal_free(s, &d);
    return status;
}

int tamis_values_repeated(const struct tamis_spread *s, const double *x, size_t step, size_t rows, size_t *repeated)
{
    uint64_t *hash = tamis_raw(s->cx, uint64_t, rows + 1);
    for (size_t i = 0; hash && i < rows; i++) hash[i] = tamis_bits_whirl(tamis_bits_of(x[i * step]));
    int status = hash ? hashes_compare(s, hash, rows, repeated) : tamis_status(s->cx);
    tamis_free(hash);
    return status;
}

int tamis_rows_repeated(tamis_context *cx, const struct tamis_encoder *e, const tamis_table *t, const size_t *row,
                        size_t rows, const struct tamis_spread *s, size_t *repeated)
{
    size_t *at = tamis_encoder_columns(cx, e, t, 1);
    uint64_t *hash = tamis_new(cx, uint64_t, rows + 1);
    int status = tamis_status(cx);
    for (size_t j = 0; !status && j < e->inputs + 1 + e->more; j++)
        for (size_t i = 0; i < rows; i++)
            hash[i] = tamis_bits_whirl(hash[i] ^ tamis_bits_of(t->column[at[j]].value[row[i]]));
    if (!status) status = hashes_compare(s, hash, rows, repeated);
    tamis_free(at);
    tamis_free(hash);
    return status;
}
