/* The walk of a search, and the driver. */
#include <math.h>
#include <string.h>
#include "num/compare.h"
#include "search/searches.h"

/* ---- the walk ---- */

void tamis_walk_free(struct tamis_walk *r)
{
    if (!r) return;
    tamis_free(r->start);
    tamis_free(r->tenth);
    tamis_free(r->set);
    tamis_free(r->move);
    tamis_free(r->changed);
    tamis_free(r->relevance);
    tamis_free(r->settings);
    tamis_free(r);
}

void tamis_walk_reset(struct tamis_walk *r)
{
    size_t n = r->design->inputs;
    memcpy(r->set, r->start, n);
    memset(r->tenth, 0, n);
    r->scaled = 0;
    r->scale_steps = 0;
    r->scaled_value = 0;
    for (size_t i = 0; i < n; i++) r->relevance[i] = NAN;
    r->moves = r->changes = 0;
    r->done = 0;
    memset(r->state, 0, sizeof r->state);
}

static int options_read(struct tamis_walk *r, const tamis_options *o)
{
    memset(r->start, r->search->start_full, r->design->inputs);
    int status = tamis_options_read(r->cx, o, r->search->options + (r->search->starts ? 2 : 0), r->settings);
    return status || !r->search->starts ? status : tamis_start_read(r, o);
}

/* Constants leave the start, and inputs that must stay enter it. */
static void start_restrict(struct tamis_walk *r)
{
    for (size_t i = 0; i < r->design->inputs; i++)
        r->start[i] = (unsigned char)(tamis_walk_must(r, i) || (r->start[i] && tamis_walk_candidate(r, i)));
    tamis_walk_reset(r);
}

struct tamis_walk *tamis_walk_new(tamis_context *cx, const struct tamis_design *d, const struct tamis_criterion *c,
                                  void *scorer, const struct tamis_search *s, const tamis_options *o)
{
    struct tamis_walk *r = tamis_new(cx, struct tamis_walk, 1);
    if (!r) return NULL;
    *r = (struct tamis_walk){
        .cx = cx, .design = d, .criterion = c, .scorer = scorer, .search = s, .limits.budget = INFINITY};
    r->start = tamis_new(cx, unsigned char, d->inputs);
    r->tenth = tamis_new(cx, unsigned char, d->inputs);
    r->set = tamis_new(cx, unsigned char, d->inputs);
    r->relevance = tamis_new(cx, double, d->inputs);
    r->settings = tamis_new(cx, char, s->settings_size);
    if (!tamis_status(cx) && !options_read(r, o)) {
        start_restrict(r);
        return r;
    }
    tamis_walk_free(r);
    return NULL;
}

void tamis_walk_limit(struct tamis_walk *r, const struct tamis_limits *limits)
{
    r->limits = *limits;
    start_restrict(r);
}

int tamis_walk_must(const struct tamis_walk *r, size_t input) { return r->limits.must && r->limits.must[input]; }

int tamis_walk_candidate(const struct tamis_walk *r, size_t input)
{
    return !r->design->encoder->input[input].constant || tamis_walk_must(r, input);
}

size_t tamis_walk_candidates(const struct tamis_walk *r)
{
    size_t n = 0;
    for (size_t i = 0; i < r->design->inputs; i++) n += (size_t)tamis_walk_candidate(r, i);
    return n;
}

size_t tamis_walk_members(const struct tamis_walk *r, size_t input)
{
    return r->limits.members ? r->limits.members[input] : 1;
}

size_t tamis_walk_inputs(const struct tamis_walk *r)
{
    size_t n = 0;
    for (size_t i = 0; i < r->design->inputs; i++) n += r->set[i] ? tamis_walk_members(r, i) : 0;
    return n;
}

size_t tamis_walk_room(const struct tamis_walk *r)
{
    size_t most = r->limits.most, n = tamis_walk_inputs(r);
    return !most ? SIZE_MAX : most > n ? most - n : 0;
}

int tamis_walk_over(const struct tamis_walk *r) { return r->limits.most && tamis_walk_inputs(r) > r->limits.most; }

int tamis_walk_within(const struct tamis_walk *r, const struct tamis_move *m)
{
    return m->cost <= r->limits.budget && (!r->limits.most || m->inputs <= r->limits.most);
}

static double set_cost(const struct tamis_walk *r)
{
    double sum = 0;
    for (size_t i = 0; r->limits.cost && i < r->design->inputs; i++) sum += r->set[i] ? r->limits.cost[i] : 0;
    return sum;
}

const struct tamis_score *tamis_walk_last(const struct tamis_walk *r)
{
    return r->moves ? &r->move[r->moves - 1].score : NULL;
}

size_t tamis_walk_size(const struct tamis_walk *r)
{
    size_t n = 0;
    for (size_t i = 0; i < r->design->inputs; i++) n += r->set[i];
    return n;
}

static int walk_room(struct tamis_walk *r, size_t count)
{
    if (r->moves == r->move_room) {
        struct tamis_move *m = tamis_grow(r->cx, r->move, 2 * r->move_room + 16, sizeof *m);
        if (!m) return tamis_status(r->cx);
        r->move = m;
        r->move_room = 2 * r->move_room + 16;
    }
    if (r->changes + count > r->change_room) {
        size_t room = 2 * r->change_room + count + 16, *c = tamis_grow(r->cx, r->changed, room, sizeof *c);
        if (!c) return tamis_status(r->cx);
        r->changed = c;
        r->change_room = room;
    }
    return TAMIS_OK;
}

int tamis_walk_accept(struct tamis_walk *r, const size_t *input, size_t count, int added,
                      const struct tamis_score *score)
{
    if (walk_room(r, count)) return tamis_status(r->cx);
    struct tamis_move *m = &r->move[r->moves++];
    *m = (struct tamis_move){.first = r->changes, .count = count, .added = added, .score = *score};
    for (size_t i = 0; i < count; i++) {
        r->changed[r->changes++] = input[i];
        r->set[input[i]] = (unsigned char)added;
    }
    m->size = tamis_walk_size(r);
    m->inputs = tamis_walk_inputs(r);
    m->cost = set_cost(r);
    return TAMIS_OK;
}

void tamis_walk_set_at(const struct tamis_walk *r, size_t move, unsigned char *set)
{
    memcpy(set, r->start, r->design->inputs);
    for (size_t k = 0; k <= move; k++)
        for (size_t i = 0; i < r->move[k].count; i++)
            set[r->changed[r->move[k].first + i]] = (unsigned char)r->move[k].added;
}

size_t tamis_walk_best(const struct tamis_walk *r)
{
    size_t best = r->moves;
    for (size_t k = 0; k < r->moves; k++) {
        const struct tamis_move *m = &r->move[k], *b = best < r->moves ? &r->move[best] : NULL;
        if (isnan(m->score.value) || !tamis_walk_within(r, m)) continue;
        if (!b || tamis_below(m->score.value, b->score.value, TAMIS_FITTED) ||
            (tamis_at_most(m->score.value, b->score.value, TAMIS_FITTED) && m->size < b->size))
            best = k;
    }
    return best;
}

/* ---- the driver ---- */

static void report(struct tamis_walk *r, double *total)
{
    double left = r->search->remaining(r), done = *total - left;
    if (*total <= 0) *total = left;
    if (!r->quiet) tamis_progress(r->cx, r->search->name, done > 0 ? done : 0, *total);
}

/* The search, then the weights of the inputs it found. */
static int walk_step(struct tamis_walk *r)
{
    if (!r->done) return r->search->step(r);
    return r->scaled ? tamis_scale_step(r) : tamis_scale_begin(r);
}

static int walk_over(const struct tamis_walk *r) { return r->done && (!r->scaling || r->scaled == 2); }

static int resume(const struct tamis_checkpoint *c, const struct tamis_walk *r)
{
    int resumed, status = tamis_checkpoint_resume(c, &resumed);
    if (status) return status;
    if (!resumed) return tamis_checkpoint_save(c);
    tamis_note(r->cx, "resumed from %s at step %zu", c->path, r->moves);
    return TAMIS_OK;
}

int tamis_walk_drive(struct tamis_walk *r, const char *checkpoint, uint64_t fingerprint)
{
    struct tamis_checkpoint c = tamis_walk_checkpoint(r, checkpoint, fingerprint);
    double total = r->search->remaining(r);
    int status = resume(&c, r);
    while (!status && !walk_over(r)) {
        report(r, &total);
        status = tamis_check_cancel(r->cx);
        if (!status) status = walk_step(r);
        if (!status) status = tamis_checkpoint_save(&c);
    }
    if (!status) report(r, &total);
    return status;
}
