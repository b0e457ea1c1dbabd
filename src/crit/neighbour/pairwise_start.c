/* Variables, their informations, and what useless inputs reach.
 *
 * Level: the target is permuted B times; of each permutation the largest information of all inputs is kept, as the
 * normal score u that Wilson and Hilferty's formula gives with mean, standard deviation and skewness of inputs of its
 * kind, since estimates for inputs of few values spread less and are skewed more. c is the ceil((B + 1) / 20)-th
 * largest of these, and the level is the information with score c: in a table of noise, some input exceeds its level
 * with a probability of about 1/20 (1 / (B + 1) if B < 19). jmi, whose steps after the first are conditional
 * informations I(f; y | s), which spread more, has a second level for them, from one random s for each input and
 * permutation. Weights stay with the inputs of their rows when targets are permuted. */
#include <math.h>
#include <string.h>
#include "base/parallel.h"
#include "base/rng.h"
#include "crit/neighbour/pairwise.h"
#include "num/order.h"

/* ---- variables ---- */

static void variable_make(tamis_context *cx, size_t n, struct tamis_variable *v)
{
    *v = (struct tamis_variable){tamis_raw(cx, double, n), tamis_raw(cx, double, n), tamis_raw(cx, uint32_t, n),
                                 tamis_raw(cx, uint32_t, n), tamis_raw(cx, uint32_t, n), 0};
}

static void variable_free(struct tamis_variable *v)
{
    void *all[] = {v->x, v->sorted, v->order, v->place, v->first};
    for (size_t i = 0; i < sizeof all / sizeof *all; i++) tamis_free(all[i]);
}

/* A power of two that keeps all numbers far below TAMIS_INFO_APART. */
static double shrink_of(const struct tamis_design *d)
{
    double most = 0;
    for (size_t i = 0; i < d->rows * d->columns; i++) most = fmax(most, fabs(d->x[i]));
    for (size_t i = 0; i < d->rows; i++) most = fmax(most, fabs(d->y[i]));
    return most > 0x1p500 ? ldexp(1, 500 - ilogb(most)) : 1;
}

static void input_fill(const struct tamis_design *d, size_t i, double shrink, double *x)
{
    const struct tamis_feature *f = &d->encoder->input[i];
    for (size_t r = 0; r < d->rows; r++)
        x[r] = f->levels ? TAMIS_INFO_APART * (double)tamis_level_of(d->encoder, f, d->x, d->rows, r)
                         : shrink * d->x[r + d->rows * f->first];
}

static int variables_fill(struct pairwise *j)
{
    const struct tamis_design *d = j->d;
    struct tamis_place *place = tamis_raw(j->cx, struct tamis_place, d->rows);
    double shrink = shrink_of(d);
    variable_make(j->cx, d->rows, &j->target);
    for (size_t i = 0; i < d->inputs && !tamis_status(j->cx); i++) variable_make(j->cx, d->rows, &j->input[i]);
    if (!tamis_status(j->cx)) {
        double unit = d->encoder->classes ? TAMIS_INFO_APART : shrink;
        for (size_t r = 0; r < d->rows; r++) j->target.x[r] = unit * d->y[r];
        tamis_variable_order(d->rows, &j->target, place);
        for (size_t i = 0; i < d->inputs; i++) {
            input_fill(d, i, shrink, j->input[i].x);
            tamis_variable_order(d->rows, &j->input[i], place);
        }
    }
    tamis_free(place);
    return tamis_status(j->cx);
}

/* ---- relevances, and those of permuted targets ---- */

struct permuted {
    struct pairwise *j;
    size_t targets;
    struct tamis_variable *target;
    double *info, *step;                /* inputs x targets: I(x_i; y), and I(x_i; y | s) of a random s */
    uint64_t seed;
};

static int one_info(void *arg, size_t item, int worker)
{
    struct permuted *p = arg;
    struct pairwise *j = p->j;
    size_t n = j->d->rows, i = item % j->d->inputs, b = item / j->d->inputs, w = (size_t)worker;
    p->info[item] = tamis_pair_info(&j->info, &j->input[i], &p->target[b], j->work + 3 * n * w, j->next + 2 * n * w);
    return TAMIS_OK;
}

static int one_step(void *arg, size_t item, int worker)
{
    struct permuted *p = arg;
    struct pairwise *j = p->j;
    size_t n = j->d->rows, d = j->d->inputs, i = item % d, b = item / d, w = (size_t)worker;
    struct tamis_rng g;
    tamis_rng_init(&g, p->seed, TAMIS_RNG_PAIRWISE, (uint32_t)(p->targets + item));
    size_t s = (i + 1 + tamis_rng_below(&g, d - 1)) % d, low = i < s ? i : s, high = i < s ? s : i;
    p->step[item] = tamis_triple_info(&j->info, &j->input[low], &j->input[high], &p->target[b], j->work + 3 * n * w,
                                      j->next + 2 * n * w) -
                    p->info[s + d * b];
    return TAMIS_OK;
}

static void target_permute(const struct pairwise *j, uint64_t seed, size_t b, struct tamis_variable *v, size_t *row,
                           struct tamis_place *place)
{
    size_t n = j->d->rows;
    struct tamis_rng g;
    tamis_rng_init(&g, seed, TAMIS_RNG_PAIRWISE, (uint32_t)b);
    for (size_t r = 0; r < n; r++) row[r] = r;
    tamis_rng_shuffle(&g, row, n);
    for (size_t r = 0; r < n; r++) v->x[r] = j->target.x[row[r]];
    tamis_variable_order(n, v, place);
}

static int targets_make(const struct pairwise *j, uint64_t seed, struct permuted *p)
{
    size_t n = j->d->rows, *row = tamis_raw(j->cx, size_t, n);
    struct tamis_place *place = tamis_raw(j->cx, struct tamis_place, n);
    p->target = tamis_new(j->cx, struct tamis_variable, p->targets);
    p->info = tamis_raw(j->cx, double, p->targets * j->d->inputs);
    p->step = tamis_raw(j->cx, double, p->targets * j->d->inputs);
    for (size_t b = 0; b < p->targets && !tamis_status(j->cx); b++) variable_make(j->cx, n, &p->target[b]);
    for (size_t b = 0; b < p->targets && !tamis_status(j->cx); b++)
        target_permute(j, seed, b, &p->target[b], row, place);
    tamis_free(row);
    tamis_free(place);
    return tamis_status(j->cx);
}

static void targets_free(struct permuted *p)
{
    for (size_t b = 0; p->target && b < p->targets; b++) variable_free(&p->target[b]);
    tamis_free(p->target);
    tamis_free(p->info);
    tamis_free(p->step);
}

/* ---- levels ---- */

/* Inputs of one kind: categories or numbers, with about the same number of values. */
enum { KINDS = 128 };

static size_t kind_of(const struct pairwise *j, size_t i)
{
    return 2 * (size_t)ilogb((double)j->input[i].values) + (j->d->encoder->input[i].levels > 0);
}

/* Sums of powers of the numbers of one kind in one permutation: 0 to 3. */
struct powers { double sum[4]; };
struct spread { double mean, sd, skew; };

static const double least_skew = 0.05, most_skew = 3;

/* From the sums of all permutations but one (SIZE_MAX: all); kinds that have none get sd 0. */
static struct spread spread_of(const struct powers *p, size_t targets, size_t kind, size_t without)
{
    double s[4] = {0};
    for (size_t b = 0; b < targets; b++)
        for (size_t k = 0; b != without && k < 4; k++) s[k] += p[kind + KINDS * b].sum[k];
    if (s[0] < 2) return (struct spread){0};
    double m = s[1] / s[0], v = fmax(s[2] / s[0] - m * m, 0), third = s[3] / s[0] - 3 * m * s[2] / s[0] + 2 * m * m * m;
    return (struct spread){m, sqrt(v * s[0] / (s[0] - 1)), v > 0 ? fmin(third / pow(v, 1.5), most_skew) : 0};
}

static double score_of(const struct spread *s, double info)
{
    double x = (info - s->mean) / s->sd;
    if (s->skew <= least_skew) return x;
    return 6 / s->skew * (cbrt(fmax(s->skew * x / 2 + 1, 0)) - 1) + s->skew / 6;
}

static double info_at(const struct spread *s, double u)
{
    double x = u;
    if (s->skew > least_skew) x = 2 / s->skew * (pow(s->skew * (u - s->skew / 6) / 6 + 1, 3) - 1);
    return s->mean + s->sd * x;
}

/* The largest score of permutation b, by what the others say of each kind. */
static double largest_of(const struct permuted *p, const double *info, size_t b, const struct powers *sums)
{
    size_t d = p->j->d->inputs;
    double most = 0;
    struct spread s[KINDS];
    for (size_t k = 0; k < KINDS; k++) s[k] = spread_of(sums, p->targets, k, b);
    for (size_t i = 0; i < d; i++) {
        const struct spread *k = &s[kind_of(p->j, i)];
        if (k->sd > 0) most = fmax(most, score_of(k, info[i + d * b]));
    }
    return most;
}

static void powers_fill(const struct permuted *p, const double *info, struct powers *sums)
{
    size_t d = p->j->d->inputs;
    for (size_t t = 0; t < p->targets * d; t++) {
        struct powers *s = &sums[kind_of(p->j, t % d) + KINDS * (t / d)];
        double v = info[t], power = 1;
        for (size_t k = 0; k < 4; k++, power *= v) s->sum[k] += power;
    }
}

static int levels_take(const struct permuted *p, const double *info, double *level)
{
    struct pairwise *j = p->j;
    size_t targets = p->targets, rank = (targets + 20) / 20;
    double *most = tamis_raw(j->cx, double, targets);
    struct powers *sums = tamis_new(j->cx, struct powers, KINDS * targets);
    if (most && sums) {
        powers_fill(p, info, sums);
        for (size_t b = 0; b < targets; b++) most[b] = largest_of(p, info, b, sums);
        double c = tamis_select_rank(most, targets, targets - rank);
        for (size_t i = 0; i < j->d->inputs; i++) {
            struct spread s = spread_of(sums, targets, kind_of(j, i), SIZE_MAX);
            level[i] = fmax(info_at(&s, c), 0);
        }
    }
    tamis_free(most);
    tamis_free(sums);
    return tamis_status(j->cx);
}

/* Where there are no pairs to look at, steps have the level of single inputs. */
static int levels_fill(struct pairwise *j, uint64_t seed)
{
    struct permuted p = {.j = j, .targets = j->s.permutations, .seed = seed};
    size_t d = j->d->inputs;
    if (!p.targets) return TAMIS_OK;
    int status = targets_make(j, seed, &p);
    if (!status) status = tamis_parallel(j->cx, p.targets * d, one_info, &p);
    if (!status) status = levels_take(&p, p.info, j->level);
    memcpy(j->step_level, j->level, d * sizeof *j->level);
    if (!status && j->joint && d > 1) {
        status = tamis_parallel(j->cx, p.targets * d, one_step, &p);
        if (!status) status = levels_take(&p, p.step, j->step_level);
    }
    targets_free(&p);
    return status;
}

static int relevances_fill(struct pairwise *j)
{
    struct permuted p = {.j = j, .targets = 1, .target = &j->target, .info = j->relevance};
    return tamis_parallel(j->cx, j->d->inputs, one_info, &p);
}

/* ---- pairs ---- */

int pairwise_shared(const struct pairwise *j, size_t a, size_t b, double *shared)
{
    *shared = j->pair[a] ? j->pair[a][b] : NAN;
    if (isnan(*shared) && j->pair[b]) *shared = j->pair[b][a];
    return !isnan(*shared);
}

struct wanted { struct pairwise *j; size_t count, *a, *b; double *shared; };

/* Always in the same order, so that the sums have the same bits. */
static int one_pair(void *arg, size_t item, int worker)
{
    struct wanted *t = arg;
    struct pairwise *j = t->j;
    size_t n = j->d->rows, w = (size_t)worker, a = t->a[item], b = t->b[item];
    size_t low = a < b ? a : b, high = a < b ? b : a;
    double *work = j->work + 3 * n * w;
    uint32_t *next = j->next + 2 * n * w;
    if (j->joint)
        t->shared[item] = j->relevance[low] + j->relevance[high] -
                          tamis_triple_info(&j->info, &j->input[low], &j->input[high], &j->target, work, next);
    else t->shared[item] = fmax(tamis_pair_info(&j->info, &j->input[low], &j->input[high], work, next), 0);
    return TAMIS_OK;
}

static int row_make(struct pairwise *j, size_t a)
{
    if (j->pair[a]) return TAMIS_OK;
    if (!(j->pair[a] = tamis_raw(j->cx, double, j->d->inputs))) return tamis_status(j->cx);
    for (size_t b = 0; b < j->d->inputs; b++) j->pair[a][b] = NAN;
    return TAMIS_OK;
}

static void want(struct wanted *t, size_t a, size_t b)
{
    double known;
    if (a == b || pairwise_shared(t->j, a, b, &known)) return;
    t->a[t->count] = a;
    t->b[t->count++] = b;
}

int pairwise_know(struct pairwise *j, const size_t *member, size_t members, const size_t *more, size_t count)
{
    size_t room = members * members + members * count;
    struct wanted t = {.j = j};
    for (size_t m = 0; m < members; m++)
        if (row_make(j, member[m])) return tamis_status(j->cx);
    t.a = tamis_raw(j->cx, size_t, room);
    t.b = tamis_raw(j->cx, size_t, room);
    if (t.a && t.b)
        for (size_t m = 0; m < members; m++) {
            for (size_t k = 0; k < m; k++) want(&t, member[m], member[k]);
            for (size_t k = 0; k < count; k++) want(&t, member[m], more[k]);
        }
    t.shared = t.count ? tamis_raw(j->cx, double, t.count) : NULL;
    int status = tamis_status(j->cx);
    if (!status) status = tamis_parallel(j->cx, t.count, one_pair, &t);
    for (size_t k = 0; k < t.count && !status; k++) j->pair[t.a[k]][t.b[k]] = t.shared[k];
    tamis_free(t.a);
    tamis_free(t.b);
    tamis_free(t.shared);
    return status;
}

/* ---- start and finish ---- */

void pairwise_finish(void *self)
{
    struct pairwise *j = self;
    if (!j) return;
    for (size_t i = 0; i < j->d->inputs; i++) {
        if (j->input) variable_free(&j->input[i]);
        if (j->pair) tamis_free(j->pair[i]);
    }
    variable_free(&j->target);
    void *all[] = {j->psi, j->input, j->relevance, j->level, j->step_level, j->pair, j->work, j->next};
    for (size_t i = 0; i < sizeof all / sizeof *all; i++) tamis_free(all[i]);
    tamis_free(j);
}

static int memory_take(struct pairwise *j)
{
    size_t n = j->d->rows, inputs = j->d->inputs, workers = (size_t)tamis_threads(j->cx);
    j->psi = tamis_raw(j->cx, double, n + 2);
    j->input = tamis_new(j->cx, struct tamis_variable, inputs);
    j->relevance = tamis_new(j->cx, double, inputs);
    j->level = tamis_new(j->cx, double, inputs);
    j->step_level = tamis_new(j->cx, double, inputs);
    j->pair = tamis_new(j->cx, double *, inputs);
    j->work = tamis_raw(j->cx, double, 3 * n * workers);
    j->next = tamis_raw(j->cx, uint32_t, 2 * n * workers);
    return tamis_status(j->cx);
}

int pairwise_start(tamis_context *cx, const struct tamis_design *d, const struct pairwise_settings *s, int joint,
                   uint64_t seed, struct pairwise **out)
{
    struct pairwise *j = *out = tamis_new(cx, struct pairwise, 1);
    if (!j) return tamis_status(cx);
    *j = (struct pairwise){.cx = cx, .d = d, .s = *s, .joint = joint};
    j->quotient = s->form && !strcmp(s->form, "quotient");
    if (memory_take(j)) return tamis_status(cx);
    tamis_info_psi(d->rows, j->psi);
    j->info = (struct tamis_info){d->rows, s->k < d->rows - 1 ? s->k : d->rows - 1, j->psi, d->weight};
    int status = variables_fill(j);
    if (!status) status = relevances_fill(j);
    return status ? status : levels_fill(j, seed);
}
