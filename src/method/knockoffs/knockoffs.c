/* knockoffs: a set of inputs with a bound on its false discovery rate, the expected share of chosen inputs that say
 * nothing about the target once the others are known.
 *
 * Every draw makes a knockoff of each input, a column that relates to the other columns as the input does but has
 * nothing to do with the target, and a statistic W_j that is positive where the input explains more than its knockoff.
 * Inputs without effect have W of either sign with probability 1/2, which tells how many of those above a threshold are
 * false. Draws are joined by e-values (num/knockoff_choice.c), with the draws' own level at q / 2 as [2] advises; one
 * draw alone is knockoff+ at q.
 *
 * [1] E. Candes, Y. Fan, L. Janson, J. Lv, Panning for gold: model-X knockoffs, JRSS B 80 (2018).
 * [2] Z. Ren, R. F. Barber, Derandomised knockoffs: leveraging e-values for false discovery rate control, JRSS B 86
 * (2024). */
#include <math.h>
#include <stdatomic.h>
#include <string.h>
#include "base/journal.h"
#include "method/knockoffs/knockoffs_fit.h"
#include "method/methods.h"
#include "num/knockoff.h"

#define AT(field) offsetof(struct knockoffs_settings, field)
static const struct tamis_option rows[] = {
    {.name = "fdr", .type = TAMIS_REAL, .offset = AT(q), .standard = "0.1", .least = 1e-6, .largest = 0.999,
     .argument = "Q",
     .help = "bound on the false discovery rate: on average, at most this share of the selected inputs is false"},
    {.name = "fdr-draws", .type = TAMIS_COUNT, .offset = AT(draws), .standard = "20", .least = 1, .largest = 10000,
     .argument = "M", .help = "draws of knockoffs that are joined, so that the answer does not depend on one draw"},
    {.name = "fdr-statistic", .type = TAMIS_CHOICE, .offset = AT(statistic), .standard = "additive",
     .choices = "additive|linear",
     .help = "how inputs are compared with their knockoffs: by functions of inputs and products of pairs, or by linear "
             "effects alone, which finds more where effects are linear"},
    {0}};

/* ---- what can be asked ---- */

/* Categories of two levels have an order, others do not. */
static int inputs_check(const struct tamis_run *run)
{
    const struct tamis_encoder *e = run->encoder;
    for (size_t i = 0; i < e->inputs; i++)
        if (e->input[i].levels > 2 && !e->input[i].constant)
            return tamis_fail(run->cx, TAMIS_DATA,
                              "--fdr: '%s' has %zu unordered categories, which have no knockoffs; --ignore it, or code "
                              "its levels as numbers",
                              e->input[i].name, e->input[i].levels);
    return TAMIS_OK;
}

static int rows_check(const struct tamis_run *run)
{
    if (run->encoder->series || run->common.blocks || run->common.groups)
        return tamis_fail(run->cx, TAMIS_USAGE, "--fdr needs independent rows: it cannot be combined with %s",
                          run->encoder->series ? "--lags" : run->common.groups ? "--groups" : "--blocks");
    return TAMIS_OK;
}

/* ---- the draws ---- */

struct job { struct knockoffs *k; _Atomic size_t done; };

static int one_draw(void *arg, size_t draw, int worker)
{
    struct job *job = arg;
    struct knockoffs *k = job->k;
    struct tamis_run *run = k->run;
    double *copy = tamis_raw(run->cx, double, run->design->rows * k->d);
    (void)worker;
    int status = copy ? knockoffs_draw(&k->law, run->seed, draw, copy) : tamis_status(run->cx);
    if (!status) status = knockoffs_statistic(run->cx, &k->target, k->d, k->x, copy, k->w + k->d * draw);
    tamis_free(copy);
    if (!status) tamis_progress(run->cx, "knockoffs", (double)++job->done, (double)k->s.draws);
    return status;
}

static void draw_pack(const void *arg, size_t draw, double *v)
{
    const struct knockoffs *k = ((const struct job *)arg)->k;
    memcpy(v, k->w + k->d * draw, k->d * sizeof *v);
}

static int draw_unpack(void *arg, size_t draw, const double *v)
{
    struct job *job = arg;
    for (size_t j = 0; j < job->k->d; j++)
        if (!isfinite(v[j])) return 0;
    memcpy(job->k->w + job->k->d * draw, v, job->k->d * sizeof *v);
    job->done++;
    return 1;
}

static int draws_run(struct knockoffs *k)
{
    struct tamis_run *run = k->run;
    struct job job = {.k = k};
    const struct tamis_journal_items how = {k->d, draw_pack, draw_unpack, .name = "draws"};
    struct tamis_journal journal;
    struct tamis_span outer = tamis_span_enter(run->cx, 0, knockoffs_draws_end, NULL);
    int status = tamis_journal_open(&journal, run->cx, run->checkpoint, run->fingerprint);
    if (!status) status = tamis_journal_loop(run->cx, &journal, k->s.draws, one_draw, &job, &how);
    status = tamis_journal_close(&journal, status);
    tamis_span_leave(run->cx, outer);
    return status;
}

/* ---- the choice ---- */

/* [2]: the level of each draw is q / 2; a draw alone needs no joining. */
size_t knockoffs_choose(size_t d, size_t draws, const double *w, double q, double *e, unsigned char *set)
{
    memset(e, 0, d * sizeof *e);
    for (size_t m = 0; m < draws; m++) tamis_knockoff_e_values(d, w + d * m, draws > 1 ? q / 2 : q, e);
    for (size_t j = 0; j < d; j++) e[j] /= (double)draws;
    return tamis_e_bh(d, e, q, set);
}

static int choose(struct knockoffs *k)
{
    unsigned char *set = tamis_new(k->run->cx, unsigned char, k->d);
    if (!set) return tamis_status(k->run->cx);
    k->chosen = knockoffs_choose(k->d, k->s.draws, k->w, k->s.q, k->e, set);
    for (size_t j = 0; j < k->d; j++) k->set[k->input[j]] = set[j];
    tamis_free(set);
    return TAMIS_OK;
}

/* ---- the run ---- */

/* The inputs that vary, as one column each; of two categories the indicator of the first. */
static int columns_take(struct knockoffs *k)
{
    const struct tamis_design *d = k->run->design;
    tamis_context *cx = k->run->cx;
    k->input = tamis_raw(cx, size_t, d->inputs);
    k->set = tamis_new(cx, unsigned char, d->inputs);
    for (size_t i = 0; k->input && i < d->inputs; i++)
        if (!d->encoder->input[i].constant) k->input[k->d++] = i;
    k->x = tamis_raw(cx, double, d->rows * k->d);
    k->w = tamis_new(cx, double, k->d * k->s.draws);
    k->e = tamis_new(cx, double, k->d);
    for (size_t j = 0; k->x && j < k->d; j++)
        memcpy(k->x + d->rows * j, d->x + d->rows * d->encoder->input[k->input[j]].first, d->rows * sizeof *k->x);
    return tamis_status(cx);
}

static void finish(struct knockoffs *k)
{
    knockoffs_law_free(&k->law);
    void *all[] = {k->input, k->x, k->target.y, k->w, k->e, k->set};
    for (size_t i = 0; i < sizeof all / sizeof *all; i++) tamis_free(all[i]);
}

static int select_inputs(struct tamis_run *run)
{
    struct knockoffs k = {.run = run};
    int status = tamis_options_read(run->cx, run->options, rows, &k.s);
    if (!status) status = rows_check(run);
    if (!status) status = inputs_check(run);
    if (!status) status = columns_take(&k);
    const struct tamis_design *d = run->design;
    if (!status) status = knockoffs_law_make(run->cx, d->rows, k.d, k.x, d->weight, run->seed, &k.law);
    if (!status) status = knockoffs_target_make(run, &k.target);
    if (!status) k.target.linear = !strcmp(k.s.statistic, "linear");
    if (!status) status = draws_run(&k);
    if (!status) status = choose(&k);
    if (!status) status = knockoffs_answer(&k);
    finish(&k);
    return status;
}

/* A draw: noise and scores, the table of pairs with its functions, and the search for terms. */
static int cost(struct tamis_run *run, struct tamis_cost *c)
{
    struct knockoffs_settings s = {0};
    struct tamis_cost model = {0};
    int status = tamis_options_read(run->cx, run->options, rows, &s);
    if (!status) status = tamis_sift.cost(run, &model);
    double n = (double)run->design->rows, d = (double)run->design->inputs, draws = (double)s.draws,
           threads = fmin(draws, tamis_threads(run->cx));
    struct tamis_design pairs = {.rows = run->design->rows, .columns = 2 * run->design->inputs};
    double draw = 8 * ((8 + 2 * KNOCKOFFS_FUNCTIONS) * n * d + 2e6) + sift_functions_bytes(&pairs),
           law = knockoffs_law_bytes(run->design->rows, run->design->inputs) +
                 (run->design->weight ? 16 : 8) * n * d;
    c->bytes = fmax(law + threads * draw, model.bytes);
    c->flops = 20 * d * d * d + draws * (4 * n * d * d + 5000 * n * d) + model.flops;
    c->remedy = "use fewer inputs, or fewer threads";
    return status;
}


const struct tamis_method tamis_knockoffs = {
    .name = "knockoffs",
    .task = "both",
    .summary = "a set with a bound on its false discovery rate: inputs that explain more than their knockoffs, many "
               "draws joined by e-values",
    .relevance = "mean W",
    .paper = "E. Candes et al., JRSS B 80 (2018); Z. Ren, R. F. Barber, JRSS B 86 (2024)",
    .options = rows,
    .cost = cost,
    .select = select_inputs,
    .shared = tamis_always_shared,
    .weights = 1,
    .checkpoint = 1,
    .bounds = 1,
};
