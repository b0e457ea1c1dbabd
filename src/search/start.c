/* Where searches start and restart, and the step that several of them share. */
#include <math.h>
#include <string.h>
#include "base/nearest.h"
#include "base/rng.h"
#include "data/names.h"
#include "num/compare.h"
#include "search/searches.h"

/* ---- the first set ---- */

static const struct tamis_option rows[] = {
    {"start", TAMIS_NAMES, offsetof(struct tamis_start, start), NULL, 0, 0, NULL, NULL, ""},
    {"restarts", TAMIS_COUNT, offsetof(struct tamis_start, restarts), "0", 0, 1e6, NULL, NULL, ""},
    {0}};

static const struct tamis_option seed_row[] = {
    {"seed", TAMIS_COUNT, 0, "1", 0, 9007199254740992.0, NULL, NULL, ""}, {0}};

/* Each input is in the set with probability 1/2; index 0 is --start random, the others are the restarts. */
static void random_set(const struct tamis_walk *r, uint32_t index, unsigned char *set)
{
    struct tamis_rng rng;
    tamis_rng_init(&rng, r->seed, TAMIS_RNG_START, index);
    for (size_t i = 0; i < r->design->inputs; i++)
        set[i] = (unsigned char)((tamis_rng_below(&rng, 2) && tamis_walk_candidate(r, i)) || tamis_walk_must(r, i));
}

static int named_set(struct tamis_walk *r, const struct tamis_names *names)
{
    const struct tamis_design *d = r->design;
    memset(r->start, 0, d->inputs);
    for (size_t k = 0; k < names->count; k++) {
        size_t found;
        if (tamis_names_inputs(r->cx, d->encoder, names->name[k], r->start, &found)) return tamis_status(r->cx);
        if (!found)
            return tamis_fail(r->cx, TAMIS_USAGE,
                              "--start %s: no such input; expected empty, full, random or names of inputs%s",
                              names->name[k], tamis_hint(names->name[k], tamis_input_name, d->encoder, "").text);
    }
    return TAMIS_OK;
}

int tamis_start_read(struct tamis_walk *r, const tamis_options *o)
{
    struct tamis_start s = {{0, NULL}, 0};
    size_t seed = 1;
    int status = tamis_options_read(r->cx, o, rows, &s);
    if (!status) status = tamis_options_read(r->cx, o, seed_row, &seed);
    if (status) return status;
    const char *only = s.start.count == 1 ? s.start.name[0] : "";
    r->restarts = s.restarts;
    r->seed = seed;
    if (!s.start.count) return TAMIS_OK;
    if (!strcmp(only, "empty") || !strcmp(only, "full")) memset(r->start, *only == 'f', r->design->inputs);
    else if (!strcmp(only, "random")) random_set(r, 0, r->start);
    else return named_set(r, &s.start);
    return TAMIS_OK;
}

int tamis_start_first(struct tamis_walk *r)
{
    static const size_t self[1] = {SIZE_MAX};
    struct tamis_score score;
    if (r->moves) return 0;
    if (r->criterion->evaluate(r->scorer, r->set, self, 1, NULL, &score) || tamis_walk_accept(r, NULL, 0, 0, &score))
        return -1;
    return 1;
}

/* ---- the next start ---- */

/* Adds, or removes, the inputs in which the set differs from `wanted`, as one move. */
static int move_to(struct tamis_walk *r, const unsigned char *wanted, int added, size_t *input)
{
    static const size_t self[1] = {SIZE_MAX};
    struct tamis_score score;
    size_t n = 0;
    for (size_t i = 0; i < r->design->inputs; i++)
        if (wanted[i] == added && r->set[i] != added) input[n++] = i;
    if (!n) return TAMIS_OK;
    for (size_t k = 0; k < n; k++) r->set[input[k]] = (unsigned char)added;
    int status = r->criterion->evaluate(r->scorer, r->set, self, 1, tamis_walk_last(r), &score);
    for (size_t k = 0; k < n; k++) r->set[input[k]] = (unsigned char)!added;
    return status ? status : tamis_walk_accept(r, input, n, added, &score);
}

int tamis_walk_goto(struct tamis_walk *r, const unsigned char *wanted)
{
    size_t *input = tamis_raw(r->cx, size_t, r->design->inputs);
    if (input && !move_to(r, wanted, 0, input)) move_to(r, wanted, 1, input);
    tamis_free(input);
    return tamis_status(r->cx);
}

/* state[0]: restarts so far; state[1]: the move that this one began with. A random set is reached by one removal and
 * one addition, both evaluated, so that the path stays a path. */
int tamis_start_next(struct tamis_walk *r)
{
    if (r->state[0] >= r->restarts) {
        r->done = 1;
        return TAMIS_OK;
    }
    unsigned char *wanted = tamis_raw(r->cx, unsigned char, r->design->inputs);
    if (wanted) {
        r->state[0]++;
        random_set(r, (uint32_t)r->state[0], wanted);
        tamis_walk_goto(r, wanted);
        r->state[1] = r->moves ? r->moves - 1 : 0;
    }
    tamis_free(wanted);
    return tamis_status(r->cx);
}

/* ---- one step ---- */

/* Whether input i may be toggled: not if it must stay, is constant, or if adding it exceeds the room for inputs or the
 * budget. */
static int may_toggle(const struct tamis_walk *r, size_t i, size_t room)
{
    if (r->set[i]) return !tamis_walk_must(r, i);
    if (!tamis_walk_candidate(r, i) || tamis_walk_members(r, i) > room) return 0;
    return !r->limits.cost || (r->moves ? r->move[r->moves - 1].cost : 0) + r->limits.cost[i] <= r->limits.budget;
}

/* With costs, additions compete by their improvement per unit of cost: value' = last value - improvement / cost, in
 * units of the mean cost. Removals, and additions that improve nothing, compete by the value itself. */
static void weigh_costs(const struct tamis_walk *r, const size_t *toggle, struct tamis_score *score, size_t n)
{
    const struct tamis_score *last = tamis_walk_last(r);
    if (!r->limits.cost || !last || !isfinite(last->value)) return;
    double mean = 0;
    for (size_t i = 0; i < r->design->inputs; i++) mean += r->limits.cost[i] / (double)r->design->inputs;
    for (size_t k = 0; k < n; k++) {
        double saved = last->value - score[k].value, cost = r->limits.cost[toggle[k]];
        if (!r->set[toggle[k]] && saved > 0 && mean > 0)
            score[k].value = last->value - saved * mean / fmax(cost, 1e-9 * mean);
    }
}

int tamis_step_better(double a, double b, int equal)
{
    return equal ? tamis_at_most(a, b, TAMIS_SUMMED) : tamis_below(a, b, TAMIS_SUMMED);
}

static size_t smallest(const struct tamis_score *score, size_t n)
{
    double least = INFINITY;
    size_t k = 0;
    for (size_t i = 0; i < n; i++)
        if (score[i].value < least) least = score[i].value;
    while (k < n && !tamis_step_better(score[k].value, least, 1)) k++;
    for (size_t i = k + 1; i < n; i++)
        if (tamis_step_better(score[i].value, least, 1) && score[i].second < score[k].second) k = i;
    return k < n ? k : 0;
}

int tamis_step_best(struct tamis_walk *r, int in, size_t *best, struct tamis_score *score)
{
    size_t n = 0, room = tamis_walk_room(r), *toggle = tamis_raw(r->cx, size_t, r->design->inputs);
    struct tamis_score *found = tamis_raw(r->cx, struct tamis_score, r->design->inputs),
                       *weighed = tamis_raw(r->cx, struct tamis_score, r->design->inputs);
    *best = SIZE_MAX;
    for (size_t i = 0; toggle && found && weighed && i < r->design->inputs; i++)
        if ((in < 0 || r->set[i] == in) && may_toggle(r, i, room)) toggle[n++] = i;
    if (n && !r->criterion->evaluate(r->scorer, r->set, toggle, n, tamis_walk_last(r), found)) {
        memcpy(weighed, found, n * sizeof *weighed);
        weigh_costs(r, toggle, weighed, n);
        size_t k = smallest(weighed, n);
        *best = toggle[k];
        *score = found[k];
    }
    tamis_free(toggle);
    tamis_free(found);
    tamis_free(weighed);
    return tamis_status(r->cx);
}
