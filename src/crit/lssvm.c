/* cv-lssvm, loo-lssvm, cv-rrkrr: the cross-validated error of a kernel machine, smallest over a grid of (sigma2,
 * gamma).
 *
 *     min 1/2 |z|^2 + gamma/2 sum_n (y_n - z.phi(x_n) - b)^2,   K(x, x') = exp(-|x - x'|^2 / sigma2)  [1] eqs. (4), (5)
 *
 * Classes: one machine a class, targets +1 and -1, the largest output wins; the error is the share of rows
 * misclassified, and of parameters that misclassify as many the smallest squared error decides.
 *
 * Reduced rank ([1] eqs. 6 to 8): phi is projected on the span of the basis functions S that num/greedy.c chooses. With
 * the pivoted Cholesky factor K_NS K_SS^-1 K_SN = G G^T, G_S = L and theta = L^T beta, [1] eq. (7) is min 1/2 |theta|^2
 * + gamma/2 |y - G theta - b|^2: an LS-SVM whose kernel is G G^T. The same reduction gives its exact cross-validation,
 * with S chosen once from all rows (their inputs only).
 *
 * sigma2 auto: widths relative to the mean squared distance between rows over the set at hand; their range, and that of
 * gamma, is put around the best of a wide coarse grid with all inputs.
 *
 * DIFFERS [1] section 3: where a search compares several sets after a first step, they are screened near the last
 * (sigma2, gamma) and the best few of them are looked at on the whole grid; --exact does that for all.
 *
 * [1] J. Tikka, Simultaneous input variable and basis function selection for RBF networks, Neurocomputing 72 (2009). */
#include <math.h>
#include <string.h>
#include "base/parallel.h"
#include "base/rng.h"
#include "crit/reduced_rank.h"
#include "crit/lssvm.h"
#include "crit/network.h"
#include "num/gauss.h"
#include "num/greedy.h"
#include "num/lapack.h"
#include "num/lssvm_folds.h"

struct settings {
    struct tamis_grid sigma2, gamma;
    size_t folds;
    int exact;
    double tolerance;
    size_t most, candidates;
};

#define AT(field) offsetof(struct settings, field)
#define GRIDS \
    {"sigma2", TAMIS_GRID, AT(sigma2), \
     "auto",   1e-6,       1e15, \
     "auto",   NULL,       "widths that are tried; auto: 20 around the best of a coarse look at the data"}, \
    { \
        "gamma", TAMIS_GRID, AT(gamma), "auto", 1e-9, 1e12, "auto", NULL, \
            "weights of the squared errors that are tried; auto: 20 around the best of a coarse look at the data" \
    }
#define FOLDS {"folds", TAMIS_COUNT, AT(folds), "10", 2, 1e9, NULL, "K", "folds of the cross-validation"}
#define EXACT \
    { \
        "exact", TAMIS_FLAG, AT(exact), NULL, 0, 0, NULL, NULL, \
            "the whole grid for every candidate, instead of screening candidates near the last (sigma2, gamma) and " \
            "confirming the best" \
    }
static const struct tamis_option rows_cv[] = {GRIDS, FOLDS, EXACT, {0}};
static const struct tamis_option rows_loo[] = {GRIDS, EXACT, {0}};
static const struct tamis_option rows_rrkrr[] = {
    GRIDS, FOLDS, EXACT, TAMIS_RRKRR_ROWS(AT(tolerance), AT(most), AT(candidates)), {0}};

enum {
    GRID_POINTS = 20,                   /* of automatic grids */
    WIDE_WIDTHS = 15, WIDE_GAMMAS = 23, /* of the coarse look */
    CONFIRM = 3,                        /* candidates that screening leaves to the whole grid, at most */
    NEAR_WIDTHS = 1, NEAR_GAMMAS = 3,   /* steps to either side in screening */
    SMALL = 2000                        /* rows up to which distances of many sets are held at once */
};

static const double near_best = 0.05;    /* errors that are as good as the best: how far above it they may be */

struct variant { const struct tamis_option *rows; const struct tamis_model_kind *kind; int loo, reduced; };
static const struct variant cv = {rows_cv, &tamis_lssvm_kind, 0, 0}, loo = {rows_loo, &tamis_lssvm_kind, 1, 0},
                            rrkrr = {rows_rrkrr, &tamis_rrkrr_kind, 0, 1};

/* A set at hand: its distances (with candidates: its columns), the width that relative ones are multiples of, and its
 * errors over the grid (NAN: not looked at). */
struct slot { size_t *column, columns; double *d2, scale; struct tamis_lssvm_error *error; size_t *basis; };

struct scorer {
    tamis_context *cx;
    const struct tamis_design *d;
    const struct variant *v;
    struct settings s;
    size_t outputs;
    double *y;                          /* rows x outputs */
    struct tamis_folds folds;
    int relative;                       /* sigma2 are multiples of a set's scale */
    size_t widths, gammas;
    double *sigma2, *gamma;
    double *spread;                     /* an input: mean squared distance between rows */
    size_t slots;
    struct slot *slot;
    double *base;                       /* distances of the set that candidates are added to */
    double *work;                       /* work_size for each worker */
    size_t work_size;
    size_t *order;                      /* rows chosen, for each worker */
    struct tamis_reduced_rank *reduced_rank;              /* reduced rank with candidates, or NULL */
    int screened;                       /* it was said */
    unsigned char *kept;                /* the set whose errors slot 0 holds, when `has` */
    int has;
};

/* ---- errors of one set ---- */

static double width_at(const struct scorer *j, const struct slot *s, size_t k)
{
    return j->relative ? j->sigma2[k] * s->scale : j->sigma2[k];
}

static double value_of(const struct scorer *j, const struct tamis_lssvm_error *e)
{
    return j->d->encoder->classes ? e->wrong : e->squared;
}

static int better(const struct scorer *j, const struct tamis_lssvm_error *a, const struct tamis_lssvm_error *b)
{
    double x = value_of(j, a), y = value_of(j, b);
    return x < y || (x == y && a->squared < b->squared) || (isnan(y) && !isnan(x));
}

static size_t best_cell(const struct scorer *j, const struct slot *s)
{
    size_t best = 0;
    for (size_t at = 1; at < j->widths * j->gammas; at++)
        if (better(j, &s->error[at], &s->error[best])) best = at;
    return best;
}

static struct tamis_score score_of(const struct scorer *j, const struct slot *s)
{
    size_t at = best_cell(j, s), k = at / j->gammas;
    double value = value_of(j, &s->error[at]);
    struct tamis_score score = {.value = isnan(value) ? INFINITY : value,
                                .parameter = {width_at(j, s, k), j->gamma[at % j->gammas]}};
    score.second = j->d->encoder->classes ? s->error[at].squared : 0;
    if (j->v->reduced) score.parameter[2] = (double)s->basis[k];
    return score;
}

/* ---- one width ---- */

static struct tamis_lssvm_data machine_data(const struct scorer *j)
{
    return (struct tamis_lssvm_data){j->d->rows, j->outputs, j->y, j->d->encoder->classes ? j->d->y : NULL, &j->folds};
}

static int no_numbers(const struct scorer *j, double sigma2)
{
    return tamis_fail(j->cx, TAMIS_NUMERIC,
                      "lssvm: the kernel of width %g holds what is no number; are there inputs of enormous size?",
                      sigma2);
}

/* K - R into the machine: what the chosen basis functions explain. left: R, n x n, after the choice. */
static void kernel_explained(struct tamis_lssvm *w, const double *d2, double sigma2, const double *left)
{
    size_t n = w->data.n, ld = tamis_lssvm_ld(w);
    double *k = tamis_lssvm_kernel(w);
    for (size_t c = 0; c < n; c++) {
        tamis_exp_scale(n - c, d2 + c * (n + 1), 1 / sigma2, k + c * (ld + 1));
        for (size_t i = c; i < n; i++) k[i + c * ld] -= left[i + c * n];
    }
}

/* The machine of a set at one width, reduced; memory of one worker. basis and factor (n x n) only for reduced rank;
 * factor may be NULL. */
static int machine_make(const struct scorer *j, const struct slot *s, double sigma2, int worker, struct tamis_lssvm *w,
                        size_t *basis, double *factor)
{
    size_t n = j->d->rows;
    struct tamis_lssvm_data data = machine_data(j);
    double *memory = j->work + (size_t)worker * j->work_size, *left = memory + tamis_lssvm_size(&data);
    tamis_lssvm_bind(w, &data, memory);
    if (!j->v->reduced) return tamis_lssvm_gauss(w, s->d2, sigma2) ? no_numbers(j, sigma2) : TAMIS_OK;
    tamis_gauss(n, s->d2, sigma2, left);
    *basis = tamis_greedy(n, left, n, j->s.tolerance, j->s.most < n ? j->s.most : n, j->order + (size_t)worker * n,
                          factor, NULL, left + n * n);
    kernel_explained(w, s->d2, sigma2, left);
    return tamis_lssvm_reduce(w) ? no_numbers(j, sigma2) : TAMIS_OK;
}

/* ---- all widths of several sets ---- */

struct round { struct scorer *j; size_t *todo, first, count; };          /* gammas first .. first + count - 1 */

static int round_body(void *arg, size_t item, int worker)
{
    struct round *r = arg;
    struct scorer *j = r->j;
    struct slot *s = &j->slot[r->todo[item] / j->widths];
    size_t k = r->todo[item] % j->widths;
    const double *gamma = j->gamma + r->first;
    struct tamis_lssvm_error *error = s->error + k * j->gammas + r->first;
    double sigma2 = width_at(j, s, k), *work = j->work + (size_t)worker * j->work_size;
    struct tamis_lssvm w;
    if (j->reduced_rank)
        return tamis_reduced_rank_errors(j->reduced_rank, s->column, s->columns, sigma2, gamma, r->count, work,
                                         j->order + (size_t)worker * j->d->rows, error, &s->basis[k])
                   ? no_numbers(j, sigma2)
                   : TAMIS_OK;
    int status = machine_make(j, s, sigma2, worker, &w, &s->basis[k], NULL);
    if (!status) tamis_lssvm_errors(&w, gamma, r->count, error);
    return status;
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

/* Distances and scale of the set `base` with one input toggled. Never by subtraction: what is taken out leaves no
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
    struct round r = {j, todo, 0, j->gammas};
    for (size_t at = 0; at < sets * j->widths; at++) todo[at] = at;
    return tamis_parallel(j->cx, sets * j->widths, round_body, &r);
}

/* The widths of a slot not yet looked at around its best one (before there is one: around the hint's), where the best
 * is at an edge. */
static size_t near_widths(const struct scorer *j, size_t slot, size_t gamma, const struct tamis_score *hint,
                          size_t *todo)
{
    const struct slot *s = &j->slot[slot];
    size_t n = 0, at = best_cell(j, s), k = at / j->gammas;
    if (isnan(s->error[at].squared)) k = nearest(j->sigma2, j->widths, j->relative ? s->scale : 1, hint->parameter[0]);
    for (size_t i = k > NEAR_WIDTHS ? k - NEAR_WIDTHS : 0; i <= k + NEAR_WIDTHS && i < j->widths; i++)
        if (isnan(s->error[i * j->gammas + gamma].squared)) todo[n++] = slot * j->widths + i;
    return n;
}

static int grid_near(struct scorer *j, size_t sets, const struct tamis_score *hint, size_t *todo)
{
    size_t mid = nearest(j->gamma, j->gammas, 1, hint->parameter[1]),
           last = mid + NEAR_GAMMAS < j->gammas ? mid + NEAR_GAMMAS : j->gammas - 1;
    struct round r = {j, todo, mid > NEAR_GAMMAS ? mid - NEAR_GAMMAS : 0, 0};
    r.count = last - r.first + 1;
    for (;;) {
        size_t n = 0;
        for (size_t s = 0; s < sets; s++) n += near_widths(j, s, r.first, hint, todo + n);
        if (!n) return TAMIS_OK;
        int status = tamis_parallel(j->cx, n, round_body, &r);
        if (status) return status;
    }
}

/* Scores of `count` sets; hint NULL: on the whole grid. */
static int look(struct scorer *j, const unsigned char *base, const size_t *toggle, size_t count,
                const struct tamis_score *hint, size_t *todo, struct tamis_score *score)
{
    for (size_t k = 0; k < count; k += j->slots) {
        size_t sets = count - k < j->slots ? count - k : j->slots;
        for (size_t s = 0; s < sets; s++) slot_fill(j, &j->slot[s], base, toggle[k + s]);
        int status = hint ? grid_near(j, sets, hint, todo) : grid_whole(j, sets, todo);
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

/* The best of what screening left, on the whole grid; then the next ones, as long as they come near it. */
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
        status = look(j, base, &toggle[best], 1, NULL, todo, &score[best]);
        least = fmin(least, score[best].value);
    }
    return status;
}

static void say_screened(struct scorer *j)
{
    if (!j->screened)
        tamis_note(j->cx, "candidates were screened near the last step's sigma2 and gamma, and the best of each step "
                          "confirmed on the whole grid; --exact looks at the whole grid for all");
    j->screened = 1;
}

/* Remembers which set slot 0 holds after a set was looked at alone. */
static void keep(struct scorer *j, const unsigned char *base, const size_t *toggle, size_t count)
{
    j->has = count == 1;
    memmove(j->kept, base, j->d->inputs);               /* the look for ranges hands in kept itself */
    if (j->has && *toggle != SIZE_MAX) j->kept[*toggle] ^= 1;
}

static int evaluate(void *self, const unsigned char *base, const size_t *toggle, size_t count,
                    const struct tamis_score *hint, struct tamis_score *score)
{
    struct scorer *j = self;
    size_t *todo = tamis_raw(j->cx, size_t, j->slots * j->widths);
    int screen = hint && !j->s.exact && count > CONFIRM && j->widths > 2 * NEAR_WIDTHS + 1,
        status = tamis_status(j->cx);
    if (!status && !j->reduced_rank) tamis_set_distances(j->d, base, SIZE_MAX, j->base);
    if (!status) status = look(j, base, toggle, count, screen ? hint : NULL, todo, score);
    if (!status && screen) status = confirm(j, base, toggle, count, todo, score);
    if (!status && screen) say_screened(j);
    keep(j, base, toggle, status ? 0 : count);
    tamis_free(todo);
    return status;
}

/* ---- the model of a set ---- */

/* theta = G^T beta of all rows to the weights of the chosen: L^T beta_S = theta, L = G_S. */
static void weights_reduced(const struct scorer *j, size_t basis, const double *factor, const double *beta,
                            double *triangle, struct tamis_rbf *net)
{
    size_t n = j->d->rows;
    for (size_t k = 0; k < basis; k++)
        for (size_t i = 0; i < basis; i++) triangle[i + k * basis] = factor[j->order[i] + k * n];
    for (size_t c = 0; c < j->outputs; c++) {
        double *alpha = net->alpha + c * (basis + 1);
        tamis_gemv(TRANS, n, basis, 1, factor, n, beta + c * (n + 1), 0, alpha);
        tamis_trsv(CblasLower, TRANS, basis, triangle, basis, alpha);
        alpha[basis] = beta[n + c * (n + 1)];
    }
}

static void centres_fill(const struct scorer *j, const unsigned char *set, const size_t *row, size_t *column,
                         struct tamis_rbf *net)
{
    tamis_set_columns(j->d, set, column);
    for (size_t k = 0; k < net->columns; k++)
        for (size_t i = 0; i < net->centres; i++)
            net->centre[i + net->centres * k] = j->d->x[(row ? row[i] : i) + j->d->rows * column[k]];
}

static struct tamis_rbf *network_fit(struct scorer *j, const unsigned char *set, const struct tamis_score *at)
{
    const struct slot own = {.d2 = j->base};            /* slot 0 keeps its errors */
    size_t n = j->d->rows, basis = n, *column = tamis_raw(j->cx, size_t, j->d->columns),
           columns = column ? tamis_set_columns(j->d, set, column) : 0;
    double *beta = tamis_raw(j->cx, double, (n + 1) * j->outputs),
           *factor = j->v->reduced ? tamis_raw(j->cx, double, n *n) : NULL, *triangle = NULL;
    struct tamis_lssvm w;
    struct tamis_rbf *net = NULL;
    tamis_set_distances(j->d, set, SIZE_MAX, j->base);
    if (!tamis_status(j->cx) && !machine_make(j, &own, at->parameter[0], 0, &w, &basis, factor)) {
        tamis_lssvm_weights(&w, at->parameter[1], beta);
        if (j->v->reduced) triangle = tamis_raw(j->cx, double, basis * basis);
        net = tamis_rbf_outputs(j->cx, basis, columns, j->outputs);
    }
    if (net && !tamis_status(j->cx)) {
        net->sigma2 = at->parameter[0];
        net->gamma = at->parameter[1];
        centres_fill(j, set, j->v->reduced ? j->order : NULL, column, net);
        if (j->v->reduced) weights_reduced(j, basis, factor, beta, triangle, net);
        else memcpy(net->alpha, beta, (n + 1) * j->outputs * sizeof *beta);
    }
    tamis_free(column);
    tamis_free(beta);
    tamis_free(factor);
    tamis_free(triangle);
    if (!tamis_status(j->cx)) return net;
    tamis_rbf_free(net);
    return NULL;
}

static struct tamis_rbf *reduced_rank_fit(struct scorer *j, const unsigned char *set, const struct tamis_score *at)
{
    size_t *column = tamis_raw(j->cx, size_t, j->d->columns);
    struct tamis_rbf *net = column ? tamis_reduced_rank_fit(j->cx, j->reduced_rank, column,
                                                            tamis_set_columns(j->d, set, column), at->parameter[0],
                                                            at->parameter[1], j->work, j->order)
                                   : NULL;
    if (!net && !tamis_status(j->cx)) no_numbers(j, at->parameter[0]);
    tamis_free(column);
    return net;
}

static int fit(void *self, const unsigned char *set, const struct tamis_score *at, struct tamis_model **model,
               double *relevance)
{
    struct scorer *j = self;
    struct tamis_rbf *net = j->reduced_rank ? reduced_rank_fit(j, set, at) : network_fit(j, set, at);
    if (!net) return tamis_status(j->cx);
    if (relevance) tamis_network_relevance(j->cx, j->d, set, net, 1, 1, relevance);
    if (model && !tamis_status(j->cx))
        *model = tamis_model_new(j->cx, j->v->kind, tamis_encoder_subset(j->cx, j->d->encoder, set), net);
    else tamis_rbf_free(net);
    return tamis_status(j->cx);
}

/* ---- the block of the result ---- */

static void surface_add(const struct scorer *j, const struct slot *s, tamis_value *block)
{
    tamis_value *v = tamis_add_record(block, "surface");
    double *width = tamis_add_room(v, "sigma2", j->widths);
    for (size_t k = 0; width && k < j->widths; k++) width[k] = width_at(j, s, k);
    tamis_add_numbers(v, "gamma", j->gamma, j->gammas);
    tamis_value *list = tamis_add_list(v, "error");
    for (size_t k = 0; k < j->widths; k++) {
        double *row = tamis_add_room(list, NULL, j->gammas);
        for (size_t g = 0; row && g < j->gammas; g++) row[g] = value_of(j, &s->error[k * j->gammas + g]);
    }
}

int tamis_lssvm_block(void *self, const unsigned char *set, const struct tamis_score *at, tamis_value *block)
{
    static const size_t own[1] = {SIZE_MAX};
    struct scorer *j = self;
    struct tamis_score again;
    int status = j->has && !memcmp(j->kept, set, j->d->inputs) ? TAMIS_OK : evaluate(self, set, own, 1, NULL, &again);
    if (status) return status;
    tamis_add_number(block, "sigma2", at->parameter[0]);
    tamis_add_number(block, "gamma", at->parameter[1]);
    tamis_add_number(block, "cv_error", at->value);
    if (j->v->reduced) tamis_add_number(block, "basis_functions", at->parameter[2]);
    tamis_add_number(block, "folds", (double)j->folds.count);
    surface_add(j, &j->slot[0], block);
    return tamis_status(j->cx);
}

/* ---- start and finish ---- */

static int settings_read(tamis_context *cx, const struct tamis_design *d, const tamis_options *o,
                         const struct variant *v, struct settings *s)
{
    memset(s, 0, sizeof *s);
    int status = tamis_options_read(cx, o, v->rows, s);
    if (v->loo || s->folds > d->rows) s->folds = d->rows;
    if (!v->reduced || s->candidates >= d->rows) s->candidates = SIZE_MAX;      /* all */
    return status;
}

static size_t slot_count(const tamis_context *cx, const struct tamis_design *d)
{
    return d->rows <= SMALL ? 2 * (size_t)tamis_threads(cx) + 2 : 1;
}

static int cost_of(tamis_context *cx, const struct tamis_design *d, const tamis_options *o, const struct variant *v,
                   struct tamis_cost *c)
{
    struct settings s;
    int status = settings_read(cx, d, o, v, &s);
    if (status) return status;
    double n = (double)d->rows, m = ceil(n / (double)s.folds), classes = 1 + (double)d->encoder->classes,
           workers = (double)tamis_threads(cx);
    double widths = s.sigma2.count ? (double)s.sigma2.count : GRID_POINTS,
           gammas = s.gamma.count ? (double)s.gamma.count : GRID_POINTS;
    if (s.candidates != SIZE_MAX) {
        double few = (double)s.candidates;
        c->bytes = 8 * (workers * tamis_reduced_rank_work(n, few, classes, n) + 3 * n * (double)d->columns +
                        n * (classes + workers + 8));
        c->flops = widths * (3 * n * few * few + (3 + (double)s.folds * gammas / 3) * few * few * few);
        return tamis_memory_check(cx, c->bytes, "rrkrr",
                                  "try fewer --candidates or --threads, fewer rows, or more --memory");
    }
    double machine = (double)tamis_loo_size(d->rows) + 2 * n * m + m * m + 30 * n * classes +
                     (v->reduced ? n * n + 2 * n : 0);
    c->bytes = 8 * (n * n * (1 + (double)slot_count(cx, d)) + workers * machine + (v->reduced ? 2 * n * n : 0) +
                    3 * n * (double)d->columns);
    c->flops = widths * ((v->reduced ? 7 : 4) * n * n * n + gammas * n * n * (m + 3));
    return tamis_memory_check(
        cx, c->bytes,
        v->reduced ? "rrkrr with all rows as candidates" : "an LS-SVM, with a basis function on every row,",
        v->reduced
            ? "try --candidates 1000, fewer rows, or more --memory"
            : "try --method rrkrr --candidates 1000, --method sisal --centers 500, fewer rows, or more --memory");
}

static void finish(void *self)
{
    struct scorer *j = self;
    if (!j) return;
    for (size_t s = 0; j->slot && s < j->slots; s++) {
        tamis_free(j->slot[s].column);
        tamis_free(j->slot[s].d2);
        tamis_free(j->slot[s].error);
        tamis_free(j->slot[s].basis);
    }
    tamis_free(j->slot);
    tamis_free(j->y);
    tamis_free(j->folds.start);
    tamis_free(j->folds.row);
    tamis_free(j->sigma2);
    tamis_free(j->gamma);
    tamis_free(j->spread);
    tamis_free(j->base);
    tamis_free(j->work);
    tamis_free(j->order);
    tamis_free(j->kept);
    tamis_reduced_rank_free(j->reduced_rank);
    tamis_free(j);
}

static size_t larger(size_t a, size_t b) { return a > b ? a : b; }

static int allocate(struct scorer *j)
{
    size_t n = j->d->rows, widths = larger(larger(j->s.sigma2.count, GRID_POINTS), WIDE_WIDTHS),
           gammas = larger(larger(j->s.gamma.count, GRID_POINTS), WIDE_GAMMAS);
    int dense = j->s.candidates == SIZE_MAX;
    j->slots = slot_count(j->cx, j->d);
    j->y = tamis_raw(j->cx, double, n * j->outputs);
    j->folds.start = tamis_new(j->cx, size_t, n + 1);
    j->folds.row = tamis_raw(j->cx, size_t, n);
    j->sigma2 = tamis_raw(j->cx, double, widths);
    j->gamma = tamis_raw(j->cx, double, gammas);
    j->spread = tamis_new(j->cx, double, j->d->inputs);
    if (dense) j->base = tamis_raw(j->cx, double, n * n);
    j->order = tamis_raw(j->cx, size_t, n * (size_t)tamis_threads(j->cx));
    j->kept = tamis_new(j->cx, unsigned char, j->d->inputs);
    j->slot = tamis_new(j->cx, struct slot, j->slots);
    for (size_t s = 0; j->slot && s < j->slots; s++) {
        j->slot[s].column = tamis_raw(j->cx, size_t, j->d->columns);
        if (dense) j->slot[s].d2 = tamis_raw(j->cx, double, n * n);
        j->slot[s].error = tamis_raw(j->cx, struct tamis_lssvm_error, widths * gammas);
        j->slot[s].basis = tamis_new(j->cx, size_t, widths);
    }
    return tamis_status(j->cx);
}

/* The folds, in the order of their rows, and work for machines of their sizes. */
static int folds_set(struct scorer *j, const size_t *fold, size_t folds)
{
    size_t n = j->d->rows, at = 0;
    j->folds.count = folds;
    for (size_t f = 0; f < folds; f++) {
        j->folds.start[f] = at;
        for (size_t i = 0; i < n; i++)
            if (fold[i] == f) j->folds.row[at++] = i;
    }
    j->folds.start[folds] = at;
    struct tamis_lssvm_data data = machine_data(j);
    if (j->s.candidates != SIZE_MAX)
        j->work_size = (size_t)tamis_reduced_rank_work((double)n, (double)j->s.candidates, (double)j->outputs,
                                                       (double)n);
    else j->work_size = tamis_lssvm_size(&data) + (j->v->reduced ? n * n + 2 * n : 0);
    j->work_size = (j->work_size + 7) / 8 * 8;
    tamis_free(j->work);
    j->work = tamis_raw(j->cx, double, j->work_size * (size_t)tamis_threads(j->cx));
    return tamis_status(j->cx);
}

int tamis_lssvm_refold(void *self, const size_t *fold, size_t folds) { return folds_set(self, fold, folds); }

static int folds_make(struct scorer *j, uint64_t seed)
{
    const struct tamis_design *d = j->d;
    size_t *fold = tamis_raw(j->cx, size_t, d->rows);
    for (size_t i = 0; fold && i < d->rows; i++) fold[i] = i;
    if (fold && j->s.folds < d->rows) tamis_design_folds(j->cx, d, j->s.folds, seed, fold);
    if (!tamis_status(j->cx)) folds_set(j, fold, j->s.folds);
    tamis_free(fold);
    return tamis_status(j->cx);
}

/* Targets as they are, or +1 for the row's class and -1 for the others. */
static void targets_fill(struct scorer *j)
{
    const struct tamis_design *d = j->d;
    size_t n = d->rows;
    for (size_t i = 0; i < n; i++)
        for (size_t c = 0; c < j->outputs; c++)
            j->y[i + n * c] = d->encoder->classes ? (d->y[i] == (double)c ? 1 : -1) : d->y[i];
}

/* Twice the variance: the mean squared distance between two rows, drawn with replacement. */
static void spread_fill(struct scorer *j)
{
    const struct tamis_design *d = j->d;
    double n = (double)d->rows;
    for (size_t i = 0; i < d->inputs; i++)
        for (size_t k = 0; k < d->encoder->input[i].columns; k++) {
            const double *x = d->x + d->rows * (d->encoder->input[i].first + k);
            double mean = 0, sum = 0;
            for (size_t r = 0; r < d->rows; r++) mean += x[r] / n;
            for (size_t r = 0; r < d->rows; r++) sum += (x[r] - mean) * (x[r] - mean) / n;
            j->spread[i] += 2 * sum;
        }
}

static void grid_set(const struct tamis_grid *g, double *value, size_t *count)
{
    *count = g->count;
    for (size_t k = 0; k < g->count; k++) value[k] = tamis_grid_at(g, k);
}

/* The best cell of the smallest width that comes near the best of all. Where large widths are as good as small ones,
 * errors are flat along a valley that ends where double precision does; its near end is as good and safe. */
static size_t near_end(const struct scorer *j, const struct slot *s)
{
    size_t best = best_cell(j, s);
    double enough = value_of(j, &s->error[best]) * (1 + near_best);
    for (size_t k = 0; k < j->widths; k++) {
        size_t least = k * j->gammas;
        for (size_t at = least; at < (k + 1) * j->gammas; at++)
            if (better(j, &s->error[at], &s->error[least])) least = at;
        if (value_of(j, &s->error[least]) <= enough) return least;
    }
    return best;
}

/* A wide, coarse grid with all inputs; the grid of the run lies around its best. */
static int ranges_find(struct scorer *j)
{
    static const size_t own[1] = {SIZE_MAX};
    struct tamis_grid widths = j->s.sigma2, gammas = j->s.gamma;
    struct tamis_score best;
    j->relative = !widths.count;
    if (!widths.count) widths = (struct tamis_grid){1e-2, 1e5, WIDE_WIDTHS};
    if (!gammas.count) gammas = (struct tamis_grid){1e-2, 1e9, WIDE_GAMMAS};
    grid_set(&widths, j->sigma2, &j->widths);
    grid_set(&gammas, j->gamma, &j->gammas);
    if (j->s.sigma2.count && j->s.gamma.count) return TAMIS_OK;
    memset(j->kept, 1, j->d->inputs);
    int status = evaluate(j, j->kept, own, 1, NULL, &best);
    if (status) return status;
    size_t at = near_end(j, &j->slot[0]);
    double width = j->sigma2[at / j->gammas], gamma = j->gamma[at % j->gammas];
    if (!j->s.sigma2.count) widths = (struct tamis_grid){fmin(0.1, width / 30), fmax(100, width * 30), GRID_POINTS};
    if (!j->s.gamma.count)
        gammas = (struct tamis_grid){fmin(1, gamma / 1000), fmin(fmax(1000, gamma * 1000), 1e12), GRID_POINTS};
    grid_set(&widths, j->sigma2, &j->widths);
    grid_set(&gammas, j->gamma, &j->gammas);
    j->has = 0;
    return TAMIS_OK;
}

static int candidates_start(struct scorer *j, uint64_t seed)
{
    struct tamis_lssvm_data data = machine_data(j);
    j->reduced_rank = tamis_reduced_rank_new(j->cx, j->d, &data, j->s.candidates, j->s.most, j->s.tolerance, seed);
    if (!j->reduced_rank) return tamis_status(j->cx);
    tamis_note(j->cx,
               "basis functions were chosen among %zu rows drawn at random, by their reconstruction error on these "
               "rows alone, and fitted to all %zu rows: an approximation of the paper's choice",
               j->s.candidates, j->d->rows);
    return TAMIS_OK;
}

static int begin(tamis_context *cx, const struct tamis_design *d, const tamis_options *o, uint64_t seed,
                 const struct variant *v, void **self)
{
    struct scorer *j = tamis_new(cx, struct scorer, 1);
    if (!j) return tamis_status(cx);
    *self = j;
    *j = (struct scorer){.cx = cx, .d = d, .v = v, .outputs = d->encoder->classes ? d->encoder->classes : 1};
    int status = settings_read(cx, d, o, v, &j->s);
    if (!status) status = allocate(j);
    if (status) return status;
    targets_fill(j);
    spread_fill(j);
    status = folds_make(j, seed);
    if (!status && j->s.candidates != SIZE_MAX) status = candidates_start(j, seed);
    return status ? status : ranges_find(j);
}

static int start_cv(tamis_context *cx, const struct tamis_design *d, const tamis_options *o, uint64_t seed, void **self)
{
    return begin(cx, d, o, seed, &cv, self);
}
static int start_loo(tamis_context *cx, const struct tamis_design *d, const tamis_options *o, uint64_t seed,
                     void **self)
{
    return begin(cx, d, o, seed, &loo, self);
}
static int start_rrkrr(tamis_context *cx, const struct tamis_design *d, const tamis_options *o, uint64_t seed,
                       void **self)
{
    return begin(cx, d, o, seed, &rrkrr, self);
}
static int cost_cv(tamis_context *cx, const struct tamis_design *d, const tamis_options *o, struct tamis_cost *c)
{
    return cost_of(cx, d, o, &cv, c);
}
static int cost_loo(tamis_context *cx, const struct tamis_design *d, const tamis_options *o, struct tamis_cost *c)
{
    return cost_of(cx, d, o, &loo, c);
}
static int cost_rrkrr(tamis_context *cx, const struct tamis_design *d, const tamis_options *o, struct tamis_cost *c)
{
    return cost_of(cx, d, o, &rrkrr, c);
}

static const char *const parameters[] = {"sigma2", "gamma", NULL}, *const parameters_reduced[] = {
                                                                       "sigma2", "gamma", "basis_functions", NULL};

const struct tamis_criterion tamis_cv_lssvm = {
    "cv-lssvm", "cv", "both", "exact K-fold error of an LS-SVM, smallest over a grid of width and gamma",
    "J. Tikka, Neurocomputing 72 (2009), eqs. 4 and 5", rows_cv, parameters, start_cv, finish, cost_cv, evaluate, fit};
const struct tamis_criterion tamis_loo_lssvm = {
    "loo-lssvm",
    "loo",
    "both",
    "exact leave-one-out error of an LS-SVM, smallest over a grid of width and gamma",
    "J. Tikka, Neurocomputing 72 (2009), eqs. 4 and 5",
    rows_loo,
    parameters,
    start_loo,
    finish,
    cost_loo,
    evaluate,
    fit};
const struct tamis_criterion tamis_cv_rrkrr = {
    "cv-rrkrr",
    "cv",
    "both",
    "exact K-fold error of reduced rank kernel ridge regression, smallest over a grid of width and gamma",
    "J. Tikka, Neurocomputing 72 (2009), eqs. 6 to 8",
    rows_rrkrr,
    parameters_reduced,
    start_rrkrr,
    finish,
    cost_rrkrr,
    evaluate,
    fit};
