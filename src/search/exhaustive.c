/* Exhaustive search: all 2^d sets. Of sets within a relative 1e-12 the smaller one is kept, and of equally large ones
 * the one with the lowest columns.
 *
 * The parent of a set is the set without its highest input: the children of one parent are evaluated in one call, which
 * shares work. A criterion that sums over rows abandons a set once its sum exceeds the best so far (its `bound`); that
 * is the only valid pruning, since these criteria are not monotone in the set. */
#include <math.h>
#include <stddef.h>
#include <string.h>
#include "search/searches.h"

struct settings { size_t most; };

static const struct tamis_option rows[] = {
    {"exhaustive-limit", TAMIS_COUNT, offsetof(struct settings, most), "20", 1, 40, NULL, "D",
     "refuse more than D inputs, whose 2^D sets would take too long"},
    {0}};

enum { PARENTS = 64 };                          /* per step */

/* state: 0 the next parent, as bits; 1 the best set, as bits; 2 the bits of its value. */
static double bits_value(uint64_t bits)
{
    double v;
    memcpy(&v, &bits, sizeof v);
    return v;
}

static uint64_t value_bits(double v)
{
    uint64_t bits;
    memcpy(&bits, &v, sizeof bits);
    return bits;
}

/* Sets with at most limits.most of the inputs. */
static double sets(const struct tamis_walk *r)
{
    size_t all = tamis_walk_candidates(r);
    double d = (double)all, sum = 1, binomial = 1;
    if (!r->limits.most) return ldexp(1, (int)all);
    for (size_t k = 0; k < r->limits.most && k < all; k++)
        sum += binomial *= (d - (double)k) / (double)(k + 1);
    return sum;
}

static double remaining(const struct tamis_walk *r)
{
    return r->done ? 0 : sets(r) * (1 - ldexp((double)r->state[0], 1 - (int)r->design->inputs));
}

static int too_many(struct tamis_walk *r)
{
    const struct settings *s = r->settings;
    if (r->design->inputs <= s->most) return TAMIS_OK;
    return tamis_fail(r->cx, TAMIS_USAGE,
                      "exhaustive: %zu inputs have 2^%zu sets; use --search forward-backward, fewer --inputs, or an "
                      "--exhaustive-limit above %zu",
                      r->design->inputs, r->design->inputs, s->most);
}

static int size_of(uint64_t set) { return __builtin_popcountll(set); }

static uint64_t must_bits(const struct tamis_walk *r)
{
    uint64_t bits = 0;
    for (size_t i = 0; i < r->design->inputs; i++) bits |= (uint64_t)tamis_walk_must(r, i) << i;
    return bits;
}

static size_t inputs_of(const struct tamis_walk *r, uint64_t a)
{
    size_t n = 0;
    for (size_t i = 0; i < r->design->inputs; i++) n += a >> i & 1 ? tamis_walk_members(r, i) : 0;
    return n;
}

static int allowed(const struct tamis_walk *r, uint64_t a)
{
    double cost = 0;
    if (r->limits.most && inputs_of(r, a) > r->limits.most) return 0;
    for (size_t i = 0; r->limits.cost && i < r->design->inputs; i++) cost += a >> i & 1 ? r->limits.cost[i] : 0;
    return (a & must_bits(r)) == must_bits(r) && cost <= r->limits.budget;
}

/* Set a of value v is better than the best so far. */
static int preferred(const struct tamis_walk *r, uint64_t a, double v)
{
    uint64_t b = r->state[1];
    double best = bits_value(r->state[2]);
    if (!allowed(r, a)) return 0;
    if (tamis_step_better(v, best, 0)) return 1;
    if (!tamis_step_better(v, best, 1)) return 0;
    if (size_of(a) != size_of(b)) return size_of(a) < size_of(b);
    return a != b && (a & (a ^ b) & -(a ^ b)) != 0;     /* the lowest input in which they differ is in a */
}

static uint64_t constant_bits(const struct tamis_walk *r)
{
    uint64_t bits = 0;
    for (size_t i = 0; i < r->design->inputs; i++) bits |= (uint64_t)!tamis_walk_candidate(r, i) << i;
    return bits;
}

static int children(struct tamis_walk *r, uint64_t parent, unsigned char *set, size_t *toggle,
                    struct tamis_score *score)
{
    size_t d = r->design->inputs, n = 0, from = parent ? 64 - (size_t)__builtin_clzll(parent) : 0;
    size_t most = r->limits.most ? r->limits.most : SIZE_MAX, inputs = inputs_of(r, parent);
    for (size_t i = 0; i < d; i++) set[i] = parent >> i & 1;
    for (size_t i = from; i < d; i++)
        if (tamis_walk_candidate(r, i) && inputs + tamis_walk_members(r, i) <= most) toggle[n++] = i;
    if (!n) return TAMIS_OK;
    if (r->criterion->bound) r->criterion->bound(r->scorer, bits_value(r->state[2]));
    int status = r->criterion->evaluate(r->scorer, set, toggle, n, NULL, score);
    if (r->criterion->bound) r->criterion->bound(r->scorer, INFINITY);
    for (size_t k = 0; k < n && !status; k++) {
        uint64_t child = parent | (uint64_t)1 << toggle[k];
        if (!preferred(r, child, score[k].value)) continue;
        r->state[1] = child;
        r->state[2] = value_bits(score[k].value);
    }
    return status;
}

/* From the start (the empty set, or the inputs that must stay) to the best set, as one move. */
static int conclude(struct tamis_walk *r, size_t *input)
{
    static const size_t self[1] = {SIZE_MAX};
    struct tamis_score score;
    size_t n = 0;
    r->done = 1;
    for (size_t i = 0; i < r->design->inputs; i++)
        if (r->state[1] >> i & 1 && !r->set[i]) r->set[i] = 1, input[n++] = i;
    int status = n ? r->criterion->evaluate(r->scorer, r->set, self, 1, tamis_walk_last(r), &score) : TAMIS_OK;
    for (size_t k = 0; k < n; k++) r->set[input[k]] = 0;
    return status || !n ? status : tamis_walk_accept(r, input, n, 1, &score);
}

static int begin(struct tamis_walk *r)
{
    if (too_many(r) || tamis_start_first(r) < 0) return tamis_status(r->cx);
    r->state[1] = must_bits(r);
    r->state[2] = value_bits(tamis_walk_last(r)->value);
    return TAMIS_OK;
}

/* The next parent without a constant: above the highest constant in it, all lower bits are 0. */
static uint64_t skip(uint64_t parent, uint64_t constant)
{
    while (parent & constant) {
        uint64_t bit = (uint64_t)1 << (63 - __builtin_clzll(parent & constant));
        parent = (parent & ~(bit - 1)) + bit;
    }
    return parent;
}

static int step(struct tamis_walk *r)
{
    if (!r->moves) return begin(r);
    size_t d = r->design->inputs, *toggle = tamis_raw(r->cx, size_t, d);
    uint64_t parents = (uint64_t)1 << (d - 1), constant = constant_bits(r);
    unsigned char *set = tamis_raw(r->cx, unsigned char, d);
    struct tamis_score *score = tamis_raw(r->cx, struct tamis_score, d);
    int status = tamis_status(r->cx);
    for (int k = 0; k < PARENTS && r->state[0] < parents && !status; k++) {
        if (r->state[0] & constant) r->state[0] = skip(r->state[0], constant);
        if (r->state[0] >= parents) break;
        status = tamis_check_cancel(r->cx);
        if (!status) status = children(r, r->state[0], set, toggle, score);
        if (!status) r->state[0]++;
    }
    if (!status && r->state[0] >= parents) status = conclude(r, toggle);
    tamis_free(toggle);
    tamis_free(set);
    tamis_free(score);
    return status;
}

const struct tamis_search tamis_exhaustive = {
    .name = "exhaustive",
    .summary = "all sets, for tables with few inputs",
    .options = rows,
    .settings_size = sizeof(struct settings),
    .remaining = remaining,
    .step = step,
};
