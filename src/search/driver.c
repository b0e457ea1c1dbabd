/* The table of searches, and the driver. */
#include <math.h>
#include <string.h>
#include <unistd.h>
#include "search/search.h"
#include "search/searches.h"

static const struct tamis_search *const searches[] = {&tamis_forward,  &tamis_eliminate,        &tamis_keep,
                                                      &tamis_backward, &tamis_forward_backward, &tamis_exhaustive};

const struct tamis_search *tamis_search_at(size_t i)
{
    return i < sizeof searches / sizeof *searches ? searches[i] : NULL;
}

const struct tamis_search *tamis_search_find(const char *name)
{
    const struct tamis_search *s;
    for (size_t i = 0; (s = tamis_search_at(i)); i++)
        if (!strcmp(s->name, name)) return s;
    return NULL;
}

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

static void run_reset(struct tamis_walk *r)
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
        run_reset(r);
        return r;
    }
    tamis_walk_free(r);
    return NULL;
}

void tamis_walk_limit(struct tamis_walk *r, const struct tamis_limits *limits)
{
    r->limits = *limits;
    for (size_t i = 0; i < r->design->inputs; i++) r->start[i] |= (unsigned char)tamis_walk_must(r, i);
    run_reset(r);
}

int tamis_walk_must(const struct tamis_walk *r, size_t input) { return r->limits.must && r->limits.must[input]; }

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

static int run_room(struct tamis_walk *r, size_t count)
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
    if (run_room(r, count)) return tamis_status(r->cx);
    struct tamis_move *m = &r->move[r->moves++];
    *m = (struct tamis_move){0, r->changes, count, added, 0, *score};
    for (size_t i = 0; i < count; i++) {
        r->changed[r->changes++] = input[i];
        r->set[input[i]] = (unsigned char)added;
    }
    m->size = tamis_walk_size(r);
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
        if (isnan(m->score.value) || m->cost > r->limits.budget) continue;
        double slack = b ? 1e-9 * fabs(b->score.value) : 0;
        if (!b || m->score.value < b->score.value - slack ||
            (m->score.value <= b->score.value + slack && m->size < b->size))
            best = k;
    }
    return best;
}

/* ---- checkpoint ---- */

static const char kind[4] = "CKPT";
enum { FORMAT = 2 };

/* A criterion may be infinite, which tamis_unpack_f64 takes for damage. */
static void pack_value(struct tamis_pack *p, double v)
{
    tamis_pack_u64(p, v == INFINITY);
    tamis_pack_f64(p, v == INFINITY ? 0 : v);
}

static double unpack_value(struct tamis_unpack *u)
{
    int infinite = (int)tamis_unpack_u64(u, 1);
    double v = tamis_unpack_f64(u);
    return infinite ? INFINITY : v;
}

static int checkpoint_save(const struct tamis_walk *r, const char *path, uint64_t fingerprint)
{
    struct tamis_pack p;
    tamis_pack_begin(&p, r->cx, kind, FORMAT);
    tamis_pack_u64(&p, fingerprint);
    tamis_pack_u64(&p, r->design->inputs);
    tamis_pack_u64(&p, (uint64_t)r->done);
    for (int i = 0; i < 4; i++) tamis_pack_u64(&p, r->state[i]);
    tamis_pack_u64(&p, r->changes);
    for (size_t i = 0; i < r->changes; i++) tamis_pack_u64(&p, r->changed[i]);
    tamis_pack_u64(&p, r->moves);
    for (size_t k = 0; k < r->moves; k++) {
        const struct tamis_move *m = &r->move[k];
        tamis_pack_u64(&p, m->count);
        tamis_pack_u64(&p, (uint64_t)m->added);
        pack_value(&p, m->score.value);
        for (int i = 0; i < TAMIS_PARAMETERS; i++) tamis_pack_f64(&p, m->score.parameter[i]);
    }
    for (size_t i = 0; i < r->design->inputs; i++) {
        tamis_pack_u64(&p, !isnan(r->relevance[i]));
        tamis_pack_f64(&p, isnan(r->relevance[i]) ? 0 : r->relevance[i]);
        tamis_pack_u64(&p, r->tenth[i]);
    }
    tamis_pack_u64(&p, (uint64_t)r->scaled);
    tamis_pack_u64(&p, r->scale_steps);
    tamis_pack_f64(&p, r->scaled_value);
    return tamis_pack_write(&p, path);
}

static void unpack_move(struct tamis_walk *r, struct tamis_unpack *u, const size_t *changed, size_t changes)
{
    struct tamis_score score = {0};
    size_t count = (size_t)tamis_unpack_u64(u, changes - r->changes);
    int added = (int)tamis_unpack_u64(u, 1);
    score.value = unpack_value(u);
    for (int i = 0; i < TAMIS_PARAMETERS; i++) score.parameter[i] = tamis_unpack_f64(u);
    if (!u->failed) tamis_walk_accept(r, changed + r->changes, count, added, &score);
}

static void unpack_run(struct tamis_walk *r, struct tamis_unpack *u)
{
    size_t inputs = r->design->inputs;
    r->done = (int)tamis_unpack_u64(u, 1);
    for (int i = 0; i < 4; i++) r->state[i] = tamis_unpack_u64(u, UINT64_MAX);
    size_t changes = (size_t)tamis_unpack_u64(u, (u->length - u->at) / 8), *changed = tamis_new(r->cx, size_t, changes);
    for (size_t i = 0; changed && i < changes; i++) changed[i] = (size_t)tamis_unpack_u64(u, inputs - 1);
    size_t moves = (size_t)tamis_unpack_u64(u, (u->length - u->at) / 8);
    for (size_t k = 0; changed && k < moves && !u->failed && !tamis_status(r->cx); k++)
        unpack_move(r, u, changed, changes);
    if (r->changes != changes) u->failed = 1;
    for (size_t i = 0; i < inputs; i++) {
        int known = (int)tamis_unpack_u64(u, 1);
        double v = tamis_unpack_f64(u);
        r->relevance[i] = known ? v : NAN;
        r->tenth[i] = (unsigned char)tamis_unpack_u64(u, 10);
    }
    r->scaled = (int)tamis_unpack_u64(u, 2);
    r->scale_steps = (size_t)tamis_unpack_u64(u, UINT64_MAX);
    r->scaled_value = tamis_unpack_f64(u);
    tamis_free(changed);
}

int tamis_checkpoint_restore(struct tamis_walk *r, const void *bytes, size_t n, uint64_t fingerprint)
{
    struct tamis_unpack u;
    run_reset(r);
    int status = tamis_unpack_begin(&u, r->cx, bytes, n, kind, FORMAT, "checkpoint");
    if (status) return status;
    status = tamis_checkpoint_mine(r->cx, tamis_unpack_u64(&u, UINT64_MAX) == fingerprint &&
                                              tamis_unpack_u64(&u, UINT64_MAX) == r->design->inputs);
    if (status) return status;
    unpack_run(r, &u);
    return tamis_unpack_end(&u, "checkpoint");
}

struct resumed { struct tamis_walk *walk; uint64_t fingerprint; };

static int restore(void *arg, const void *bytes, size_t n)
{
    const struct resumed *c = arg;
    return tamis_checkpoint_restore(c->walk, bytes, n, c->fingerprint);
}

static int checkpoint_load(struct tamis_walk *r, const char *path, uint64_t fingerprint)
{
    int status = tamis_checkpoint_read(r->cx, path, restore, &(struct resumed){r, fingerprint});
    if (status) return status;
    tamis_note(r->cx, "resumed from %s at step %zu", path, r->moves);
    return TAMIS_OK;
}

/* ---- the driver ---- */

static void report(struct tamis_walk *r, double *total)
{
    double left = r->search->remaining(r), done = *total - left;
    if (*total <= 0) *total = left;
    if (!r->quiet) tamis_progress(r->cx, r->search->name, done > 0 ? done : 0, *total);
}

/* The search, and then the weights of what it found. */
static int run_step(struct tamis_walk *r)
{
    if (!r->done) return r->search->step(r);
    return r->scaled ? tamis_scale_step(r) : tamis_scale_begin(r);
}

static int run_over(const struct tamis_walk *r) { return r->done && (!r->scaling || r->scaled == 2); }

int tamis_walk_drive(struct tamis_walk *r, const char *checkpoint, uint64_t fingerprint)
{
    double total = r->search->remaining(r);
    int status = TAMIS_OK;
    if (checkpoint && !access(checkpoint, F_OK)) status = checkpoint_load(r, checkpoint, fingerprint);
    else if (checkpoint) status = checkpoint_save(r, checkpoint, fingerprint);
    while (!status && !run_over(r)) {
        report(r, &total);
        status = tamis_check_cancel(r->cx);
        if (!status) status = run_step(r);
        if (!status && checkpoint) status = checkpoint_save(r, checkpoint, fingerprint);
    }
    if (!status) report(r, &total);
    return status;
}
