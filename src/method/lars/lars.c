/* lars: inputs ranked by least angle regression, as many as cross-validation supports.
 *
 * The path adds inputs in the order in which their columns join the walk (num/least_angle.c). How many are kept is
 * decided by cross-validation of all of it: without a fold, walk and least-squares refit on the first k inputs; on the
 * fold, their error. The smallest wins, the fewer inputs among equals (1e-9), and none at all if the mean predicts
 * best. (PRESS of the refits alone forgets that the walk has seen the held-out row: with 3000 inputs of noise it keeps
 * hundreds.) Inputs collinear with those before them come last and are never chosen.
 *
 * Rows of weight w enter the walk, the refits and the errors as w rows: sums over rows are those of sqrt(w) times them.
 *
 * [1] B. Efron, T. Hastie, I. Johnstone, R. Tibshirani, Least angle regression, Annals of Statistics 32 (2004) 407-499.
 * [2] F. Mateo, A. Lendasse, A variable selection approach based on the Delta Test for Extreme Learning Machine models,
 * 2008, 3. */
#include <stddef.h>
#include <string.h>
#include "base/parallel.h"
#include "method/lars/lars.h"
#include "method/methods.h"

static const struct tamis_option rows[] = {
    {.name = "choose", .type = TAMIS_CHOICE, .offset = offsetof(struct lars_settings, choose), .standard = "cv",
     .choices = "cv|all",
     .help = "how many inputs of the ranking are kept: as many as cross-validation supports, or all that join"},
    {.name = "folds", .type = TAMIS_COUNT, .offset = offsetof(struct lars_settings, folds), .standard = "10",
     .least = 2, .largest = 1e6, .argument = "K",
     .help = "folds that decide how many inputs are kept; blocks of rows in a time series"},
    {0}};

static int cost(struct tamis_run *run, struct tamis_cost *c)
{
    struct lars_settings s = {0};
    double n = (double)run->design->rows, p = (double)run->design->columns, m = n < p ? n : p,
           workers = tamis_threads(run->cx);
    int status = tamis_options_read(run->cx, run->options, rows, &s);
    c->bytes = 8 * ((workers + 1) * (2 * n * p + p * m + 3 * n * m + 2 * m * m) + p * m);
    c->flops = (1 + (double)s.folds) * (2 * n * p * m + 8 * n * m * m);
    return status;
}

static int prepare(struct lars *l)
{
    const struct tamis_design *d = l->run->design;
    tamis_context *cx = l->run->cx;
    int status = tamis_options_read(cx, l->run->options, rows, &l->s);
    if (status) return status;
    l->full = tamis_new(cx, unsigned char, d->inputs);
    l->set = tamis_new(cx, unsigned char, d->inputs);
    l->fold = tamis_new(cx, size_t, d->rows);
    l->error = tamis_new(cx, double, d->inputs + 1);
    l->part = tamis_new(cx, double, (d->inputs + 1) * (l->s.folds < d->rows ? l->s.folds : d->rows));
    if (tamis_status(cx)) return tamis_status(cx);
    tamis_design_candidates(d, l->full);
    status = lars_ranking_make(cx, d, l->full, &l->whole);
    return status ? status : lars_errors(l);
}

static int select_inputs(struct tamis_run *run)
{
    struct lars l = {.run = run};
    int status = prepare(&l);
    if (!status) status = lars_answer(&l);
    void *all[] = {l.full, l.set, l.fold, l.error, l.part};
    lars_ranking_free(&l.whole);
    for (size_t i = 0; i < sizeof all / sizeof *all; i++) tamis_free(all[i]);
    return status;
}

static const struct tamis_published published[] = {
    {"choose", "all", "[2] section 3: until all the covariates have entered the model"},
    {0}};

const struct tamis_method tamis_lars_method = {
    .name = "lars",
    .task = "regression",
    .summary = "least angle regression: inputs ranked along a linear path, as many as cross-validation supports",
    .relevance = "correlation",
    .paper = "B. Efron et al., 2004; F. Mateo, A. Lendasse, 2008, section 3",
    .options = rows,
    .cost = cost,
    .select = select_inputs,
    .several_targets = 1,
    .weights = 1,
    .published = published,
};
