/* Errors of sets of inputs over widths and gammas, with screening of candidates. See lssvm.c. */
#include <math.h>
#include <string.h>
#include "base/items.h"
#include "base/watch.h"
#include "crit/lssvm_inside.h"
#include "crit/network.h"
#include "num/gauss.h"
#include "num/greedy.h"
#include "num/weighted.h"

/* ---- errors of one set ---- */

int tamis_lssvm_better(const struct scorer *j, const struct tamis_lssvm_error *a, const struct tamis_lssvm_error *b)
{
    double x = value_of(j, a), y = value_of(j, b);
    return x < y || (x == y && a->squared < b->squared) || (isnan(y) && !isnan(x));
}

size_t tamis_lssvm_best_cell(const struct scorer *j, const struct slot *s)
{
    size_t best = 0;
    for (size_t at = 1; at < j->widths * j->gammas; at++)
        if (tamis_lssvm_better(j, &s->error[at], &s->error[best])) best = at;
    return best;
}

static struct tamis_score score_of(const struct scorer *j, const struct slot *s)
{
    size_t at = tamis_lssvm_best_cell(j, s), k = at / j->gammas;
    double value = value_of(j, &s->error[at]);
    struct tamis_score score = {.value = isnan(value) ? INFINITY : value,
                                .parameter = {width_at(j, s, k), j->gamma[at % j->gammas]}};
    score.second = j->d->encoder->classes ? s->error[at].squared : 0;
    if (j->v->reduced) score.parameter[2] = (double)s->basis[k];
    return score;
}

/* ---- one width ---- */

struct tamis_lssvm_data tamis_lssvm_machine_data(const struct scorer *j)
{
    return (struct tamis_lssvm_data){j->d->rows, j->outputs, j->y, j->d->encoder->classes ? j->d->y : NULL, &j->folds,
                                     j->root, tamis_weight_sum(j->d->weight, j->d->rows)};
}

int tamis_lssvm_no_numbers(const struct scorer *j, double sigma2)
{
    return tamis_fail(j->cx, TAMIS_NUMERIC,
                      "lssvm: the kernel of width %g has entries that are not numbers; check the inputs for enormous "
                      "values",
                      sigma2);
}

/* K - R, the part of the kernel that the chosen basis functions explain, into the machine. left: R, n x n. */
static void kernel_explained(struct tamis_lssvm *w, const double *d2, double sigma2, const double *left)
{
    size_t n = w->data.n, ld = tamis_lssvm_ld(w);
    double *k = tamis_lssvm_kernel(w);
    for (size_t c = 0; c < n && !tamis_halted(20 * (double)(n - c)); c++) {
        tamis_exp_scale(n - c, d2 + c * (n + 1), 1 / sigma2, k + c * (ld + 1));
        for (size_t i = c; i < n; i++) k[i + c * ld] -= left[i + c * n];
    }
}

int tamis_lssvm_machine(const struct scorer *j, const struct slot *s, double sigma2, int worker, struct tamis_lssvm *w,
                        size_t *basis, double *factor)
{
    size_t n = j->d->rows;
    struct tamis_lssvm_data data = tamis_lssvm_machine_data(j);
    double *memory = j->work + (size_t)worker * j->work_size, *left = memory + tamis_lssvm_size(&data);
    tamis_lssvm_bind(w, &data, memory);
    if (!j->v->reduced) return tamis_lssvm_gauss(w, s->d2, sigma2) ? tamis_lssvm_no_numbers(j, sigma2) : TAMIS_OK;
    tamis_gauss(n, s->d2, sigma2, left);
    *basis = tamis_greedy_weighted(n, left, n, j->root, j->s.tolerance, j->s.most < n ? j->s.most : n,
                                   j->order + (size_t)worker * n, factor, NULL, left + n * n);
    for (size_t k = 0; factor && j->root && k < *basis; k++)
        for (size_t i = 0; i < n; i++) factor[i + k * n] /= j->root[i];
    kernel_explained(w, s->d2, sigma2, left);
    return tamis_lssvm_reduce(w) ? tamis_lssvm_no_numbers(j, sigma2) : TAMIS_OK;
}

/* ---- all widths of several sets ---- */

struct round { struct scorer *j; size_t *todo; };       /* slot and width of each item */

/* The errors of a slot at width k and the gammas given. */
static int width_errors(struct scorer *j, struct slot *s, size_t k, int worker, const double *gamma, size_t count,
                        struct tamis_lssvm_error *error)
{
    double sigma2 = width_at(j, s, k), *work = j->work + (size_t)worker * j->work_size;
    struct tamis_lssvm w;
    if (j->reduced_rank)
        return tamis_reduced_rank_errors(j->reduced_rank, s->column, s->columns, sigma2, gamma, count, work,
                                         j->order + (size_t)worker * j->d->rows, error, &s->basis[k])
                   ? tamis_lssvm_no_numbers(j, sigma2)
                   : TAMIS_OK;
    int status = tamis_lssvm_machine(j, s, sigma2, worker, &w, &s->basis[k], NULL);
    if (!status) tamis_lssvm_errors(&w, gamma, count, error);
    return status;
}

static int round_body(void *arg, size_t item, int worker)
{
    struct round *r = arg;
    struct scorer *j = r->j;
    struct slot *s = &j->slot[r->todo[item] / j->widths];
    size_t k = r->todo[item] % j->widths, count = 0;
    double *gamma = j->some + (size_t)worker * j->room;
    struct tamis_lssvm_error *error = j->some_error + (size_t)worker * j->room;
    for (size_t g = s->next.first; g <= s->next.last; g += s->next.stride) gamma[count++] = j->gamma[g];
    int status = width_errors(j, s, k, worker, gamma, count, error);
    for (size_t i = 0; i < count && !status; i++)
        s->error[k * j->gammas + s->next.first + i * s->next.stride] = error[i];
    return status;
}

static size_t window_size(const struct window *w) { return (w->last - w->first) / w->stride + 1; }

static void round_pack(const void *arg, size_t item, struct tamis_pack *p)
{
    const struct round *r = arg;
    const struct scorer *j = r->j;
    const struct slot *s = &j->slot[r->todo[item] / j->widths];
    size_t k = r->todo[item] % j->widths;
    tamis_pack_u64(p, s->basis[k]);
    for (size_t i = 0; i < window_size(&s->next); i++) {
        const struct tamis_lssvm_error *e = &s->error[k * j->gammas + s->next.first + i * s->next.stride];
        tamis_pack_bits(p, (const double[]){e->squared, e->wrong}, 2);
    }
}

static void round_unpack(void *arg, size_t item, struct tamis_unpack *u)
{
    const struct round *r = arg;
    const struct scorer *j = r->j;
    struct slot *s = &j->slot[r->todo[item] / j->widths];
    size_t k = r->todo[item] % j->widths;
    double e[2] = {0};
    s->basis[k] = (size_t)tamis_unpack_u64(u, j->d->rows);
    for (size_t i = 0; i < window_size(&s->next); i++) {
        tamis_unpack_bits(u, e, 2);
        s->error[k * j->gammas + s->next.first + i * s->next.stride] =
            (struct tamis_lssvm_error){.squared = e[0], .wrong = e[1]};
    }
}

/* The first n items of a round. every: the next round starts from what this one finds. */
static int round_run(struct round *r, size_t n, int every)
{
    const struct scorer *j = r->j;
    uint64_t state = tamis_checksum(j->sigma2, j->widths * sizeof *j->sigma2, n);
    const struct tamis_items widths = {.name = "widths", .count = n,
                                       .state = tamis_checksum(j->gamma, j->gammas * sizeof *j->gamma, state),
                                       .run = round_body, .pack = round_pack, .unpack = round_unpack, .arg = r,
                                       .every = every || j->pilot};
    return tamis_items_run(j->cx, &widths);
}

static size_t nearest(const double *grid, size_t n, double scale, double value)
{
    size_t best = 0;
    for (size_t k = 1; k < n; k++)
        if (fabs(log(grid[k] * scale / value)) < fabs(log(grid[best] * scale / value))) best = k;
    return best;
}

static void slot_clear(const struct scorer *j, struct slot *s)
{
    for (size_t at = 0; at < j->widths * j->gammas; at++) s->error[at] = (struct tamis_lssvm_error){NAN, NAN};
}

/* Distances and scale of the set `base` with one input toggled. Never by subtraction, so that a removed input leaves no
 * residue. */
static void slot_fill(struct scorer *j, struct slot *s, const unsigned char *base, size_t toggle)
{
    const struct tamis_design *d = j->d;
    s->scale = 0;
    s->columns = 0;
    for (size_t i = 0; i < d->inputs; i++) {
        if (base[i] == (i == toggle)) continue;
        s->scale += j->spread[i];
        for (size_t k = 0; k < d->encoder->input[i].columns; k++)
            s->column[s->columns++] = d->encoder->input[i].first + k;
    }
    if (!(s->scale > 0)) s->scale = 1;
    slot_clear(j, s);
    if (j->reduced_rank) return;
    if (toggle == SIZE_MAX || base[toggle]) tamis_set_distances(d, base, toggle, s->d2);
    else {
        memcpy(s->d2, j->base, d->rows * d->rows * sizeof *s->d2);
        tamis_set_distances_add(d, toggle, s->d2);
    }
}

/* The whole grid of the first `sets` slots. */
static int grid_whole(struct scorer *j, size_t sets, size_t *todo)
{
    struct round r = {j, todo};
    for (size_t s = 0; s < sets; s++) j->slot[s].next = (struct window){0, j->gammas - 1, 1};
    for (size_t at = 0; at < sets * j->widths; at++) todo[at] = at;
    return round_run(&r, sets * j->widths, 0);
}

/* The points of a grid of n that are at most `stride` from `at`, in steps of it. */
static struct window around(size_t at, size_t stride, size_t n)
{
    return (struct window){at >= stride ? at - stride : at, at + stride < n ? at + stride : at, stride};
}

/* Widths of a slot for the next look, and its gammas: every STRIDE-th, then those around the best cell. */
static size_t finer(struct scorer *j, size_t slot, size_t stride, size_t *todo)
{
    struct slot *s = &j->slot[slot];
    size_t n = 0, at = tamis_lssvm_best_cell(j, s);
    int first = stride == STRIDE;
    struct window width = {first ? (j->widths - 1) % stride / 2 : 0, j->widths - 1, stride};
    s->next = (struct window){(j->gammas - 1) % stride / 2, j->gammas - 1, stride};
    if (!first) width = around(at / j->gammas, stride, j->widths), s->next = around(at % j->gammas, stride, j->gammas);
    for (size_t k = width.first; k <= width.last; k += stride) todo[n++] = slot * j->widths + k;
    return n;
}

/* From coarse to fine: the grid is seen as a valley with one lowest place. */
static int grid_descend(struct scorer *j, size_t sets, size_t *todo)
{
    struct round r = {j, todo};
    int status = TAMIS_OK;
    for (size_t stride = STRIDE; stride && !status; stride /= 2) {
        size_t n = 0;
        for (size_t s = 0; s < sets; s++) n += finer(j, s, stride, todo + n);
        status = round_run(&r, n, stride > 1);
    }
    return status;
}

/* The widths of a slot that are next to its best one (at first: to the hint's) and not yet evaluated. */
static size_t near_widths(const struct scorer *j, size_t slot, size_t gamma, const struct tamis_score *hint,
                          size_t *todo)
{
    const struct slot *s = &j->slot[slot];
    size_t n = 0, at = tamis_lssvm_best_cell(j, s), k = at / j->gammas;
    if (isnan(s->error[at].squared)) k = nearest(j->sigma2, j->widths, j->relative ? s->scale : 1, hint->parameter[0]);
    for (size_t i = k > NEAR_WIDTHS ? k - NEAR_WIDTHS : 0; i <= k + NEAR_WIDTHS && i < j->widths; i++)
        if (isnan(s->error[i * j->gammas + gamma].squared)) todo[n++] = slot * j->widths + i;
    return n;
}

static int grid_near(struct scorer *j, size_t sets, const struct tamis_score *hint, size_t *todo)
{
    size_t mid = nearest(j->gamma, j->gammas, 1, hint->parameter[1]),
           last = mid + NEAR_GAMMAS < j->gammas ? mid + NEAR_GAMMAS : j->gammas - 1;
    struct window next = {mid > NEAR_GAMMAS ? mid - NEAR_GAMMAS : 0, last, 1};
    struct round r = {j, todo};
    for (size_t s = 0; s < sets; s++) j->slot[s].next = next;
    for (;;) {
        size_t n = 0;
        for (size_t s = 0; s < sets; s++) n += near_widths(j, s, next.first, hint, todo + n);
        if (!n) return TAMIS_OK;
        int status = round_run(&r, n, 1);
        if (status) return status;
    }
}

/* Scores of `count` sets; hint NULL: on the whole grid, or over it from coarse to fine. */
static int score_sets(struct scorer *j, const unsigned char *base, const size_t *toggle, size_t count,
                      const struct tamis_score *hint, size_t *todo, struct tamis_score *score)
{
    for (size_t k = 0; k < count; k += j->slots) {
        size_t sets = count - k < j->slots ? count - k : j->slots;
        for (size_t s = 0; s < sets; s++) slot_fill(j, &j->slot[s], base, toggle[k + s]);
        int status = hint          ? grid_near(j, sets, hint, todo)
                     : j->descends ? grid_descend(j, sets, todo)
                                   : grid_whole(j, sets, todo);
        if (status) return status;
        for (size_t s = 0; s < sets; s++) score[k + s] = score_of(j, &j->slot[s]);
    }
    return TAMIS_OK;
}

static int before(const struct tamis_score *a, const struct tamis_score *b)
{
    return a->value < b->value || (a->value == b->value && a->second < b->second);
}

static int among(const size_t *list, size_t n, size_t k)
{
    for (size_t i = 0; i < n; i++)
        if (list[i] == k) return 1;
    return 0;
}

/* The best screened candidate on the whole grid, then the next ones as long as they come near it. */
static int confirm(struct scorer *j, const unsigned char *base, const size_t *toggle, size_t count, size_t *todo,
                   struct tamis_score *score)
{
    size_t done[CONFIRM];
    double least = INFINITY;
    int status = TAMIS_OK;
    for (size_t n = 0; n < CONFIRM && !status; n++) {
        size_t best = SIZE_MAX;
        for (size_t k = 0; k < count; k++)
            if (!among(done, n, k) && (best == SIZE_MAX || before(&score[k], &score[best]))) best = k;
        if (score[best].value > least * (1 + near_best)) break;
        done[n] = best;
        status = score_sets(j, base, &toggle[best], 1, NULL, todo, &score[best]);
        least = fmin(least, score[best].value);
    }
    return status;
}

static void say_screened(struct scorer *j)
{
    if (!j->screened && j->descends)
        tamis_note(j->cx, "with %zu %s, sigma2 and gamma were searched from coarse to fine, and near the last "
                          "step's; --exact evaluates the whole grid",
                   j->outputs, j->d->encoder->classes ? "classes" : "targets");
    else if (!j->screened)
        tamis_note(j->cx, "candidates were screened near the last step's sigma2 and gamma, and the best of each step "
                          "confirmed on the whole grid; --exact evaluates all of them there");
    j->screened = 1;
}

/* Remembers which set slot 0 holds after a set was evaluated alone. */
static void keep(struct scorer *j, const unsigned char *base, const size_t *toggle, size_t count)
{
    j->has = count == 1;
    memmove(j->kept, base, j->d->inputs);               /* base may be kept itself: ranges_find */
    if (j->has && *toggle != SIZE_MAX) j->kept[*toggle] ^= 1;
}

/* Whether sets are scored near the hint first. */
static int screens(const struct scorer *j, size_t count, const struct tamis_score *hint)
{
    int wide = j->widths > 2 * NEAR_WIDTHS + 1;
    return j->descends ? wide && (hint || j->known) : hint && !j->s.exact && count > CONFIRM && wide;
}

int tamis_lssvm_evaluate(void *self, const unsigned char *base, const size_t *toggle, size_t count,
                         const struct tamis_score *hint, struct tamis_score *score)
{
    struct scorer *j = self;
    int status = j->ranged ? TAMIS_OK : tamis_lssvm_ranges(j);
    if (status) return status;
    size_t *todo = tamis_raw(j->cx, size_t, j->slots * j->widths);
    int screen = screens(j, count, hint);
    if (j->descends && !hint && j->known) hint = &j->wide;
    status = tamis_status(j->cx);
    if (!status && !j->reduced_rank) tamis_set_distances(j->d, base, SIZE_MAX, j->base);
    if (!status) status = score_sets(j, base, toggle, count, screen ? hint : NULL, todo, score);
    if (!status && screen && !j->descends) status = confirm(j, base, toggle, count, todo, score);
    if (!status && (screen || j->descends)) say_screened(j);
    keep(j, base, toggle, status ? 0 : count);
    tamis_free(todo);
    return status;
}
