/* rjmcmc: a posterior over input subsets.
 * [1] P. Sykacek, On input selection with reversible jump Markov chain Monte Carlo sampling, NIPS 12, 2000.
 * The target is in mixture_target.h, the sampler in mcmc.h. The answer is the median probability model: inputs whose
 * inclusion probability is above 1/2 (M. Barbieri, J. Berger, Optimal predictive model selection, Ann. Statist. 32,
 * 2004). */
#include <math.h>
#include <string.h>
#include "base/options.h"
#include "base/parallel.h"
#include "method/methods.h"
#include "method/rjmcmc/rjmcmc.h"
#include "model/mixture.h"

#define AT(field) offsetof(struct settings, field)

static const struct tamis_option options[] = {
    {.name = "likelihood", .type = TAMIS_CHOICE, .offset = AT(likelihood), .standard = "conditional",
     .choices = "conditional|background",
     .help = "conditional: which inputs separate the classes; background: which inputs cluster, unlabelled rows too"},
    {.name = "kernels", .type = TAMIS_COUNT, .offset = AT(kernels), .standard = "auto", .least = 1, .largest = 64,
     .choices = "auto", .argument = "N|auto",
     .help = "Gaussian kernels shared by the classes (auto: 3, or the number of classes)"},
    {.name = "samples", .type = TAMIS_COUNT, .offset = AT(samples), .standard = "15000", .least = 8, .largest = 1e8,
     .help = "samples of each chain, including burn-in"},
    {.name = "burn-in", .type = TAMIS_COUNT, .offset = AT(burn_in), .standard = "5000", .least = 0, .largest = 1e8,
     .help = "samples discarded at the start"},
    {.name = "chains", .type = TAMIS_COUNT, .offset = AT(chains), .standard = "4", .least = 1, .largest = 1000,
     .help = "independent chains"},
    {.name = "temperatures", .type = TAMIS_COUNT, .offset = AT(heats), .standard = "10", .least = 1, .largest = 256,
     .help = "rungs of each chain's tempering ladder; 1: no tempering"},
    {.name = "jumps", .type = TAMIS_COUNT, .offset = AT(jumps), .standard = "5", .least = 1, .largest = 10000,
     .help = "births, deaths and exchanges tried per sweep"},
    {.name = "thin", .type = TAMIS_COUNT, .offset = AT(thin), .standard = "1", .least = 1, .largest = 1e6,
     .help = "sweeps per sample"},
    {.name = "lambda", .type = TAMIS_REAL, .offset = AT(lambda), .standard = "4", .least = 1e-6, .largest = 1e6,
     .help = "mean of the Poisson prior on the number of inputs"},
    {.name = "max-inputs", .type = TAMIS_COUNT, .offset = AT(most), .standard = "all", .least = 1, .largest = 1e9,
     .choices = "all", .argument = "N|all", .help = "largest number of inputs under that prior"},
    {.name = "alpha", .type = TAMIS_REAL, .offset = AT(alpha), .standard = "2", .least = 1e-3, .largest = 1e3,
     .help = "shape of the prior on precisions"},
    {.name = "g", .type = TAMIS_REAL, .offset = AT(g), .standard = "0.2", .least = 1e-3, .largest = 1e3,
     .help = "shape of the prior on their scales"},
    {.name = "h", .type = TAMIS_REAL, .offset = AT(h), .least = 1e-9, .largest = 1e9,
     .help = "rate of that prior (default: 10 / R^2, R the largest range of a standardised input)"},
    {.name = "moves", .type = TAMIS_CHOICE, .offset = AT(moves), .standard = "all", .choices = "all|published",
     .help = "all; or births, deaths and exchanges with new kernels alone, between inputs equally often, beside moves "
             "that leave the inputs as they are"},
    {.name = "births", .type = TAMIS_CHOICE, .offset = AT(births), .standard = "rows", .choices = "rows|prior",
     .help = "kernels of an input that enters: from the prior mixed with what the rows suggest, or from the prior "
             "alone"},
    {.name = "stored", .type = TAMIS_COUNT, .offset = AT(stored), .standard = "400", .least = 1, .largest = 1e7,
     .help = "samples that the model keeps and averages over"},
    {.name = "jump-weights", .type = TAMIS_CHOICE, .offset = AT(weights), .standard = "keep", .choices = "keep|shift",
     .help = "kernel weights in a jump: kept, or shifted between kernels (eq. 4 of the paper, corrected)",
     .alias = "weights"},
    {0}};

static int resolve(struct tamis_run *run)
{
    struct settings s;
    int status = tamis_options_read(run->cx, run->options, options, &s);
    if (!status) run->unlabelled = !strcmp(s.likelihood, "background");
    return status;
}

static int settings_read(struct tamis_run *run, struct settings *s)
{
    const struct tamis_design *d = run->design;
    int status = tamis_options_read(run->cx, run->options, options, s);
    if (status) return status;
    if (s->kernels == SIZE_MAX)
        s->kernels = d->encoder->classes > 3 ? d->encoder->classes < 64 ? d->encoder->classes : 64 : 3;
    if (s->most == SIZE_MAX) s->most = 0;
    if (s->samples < s->burn_in + 4)
        return tamis_fail(run->cx, TAMIS_USAGE,
                          "--samples %zu with --burn-in %zu leaves fewer than 4 samples; raise --samples", s->samples,
                          s->burn_in);
    return TAMIS_OK;
}

/* ---- cost ---- */

static size_t kept_stride(const struct settings *s)
{
    size_t samples = s->samples - s->burn_in, kept = (s->stored + s->chains - 1) / s->chains;
    return kept >= samples ? 1 : samples / kept;
}

static int cost(struct tamis_run *run, struct tamis_cost *out)
{
    struct settings s;
    int status = settings_read(run, &s);
    if (status) return status;
    const struct tamis_design *d = run->design;
    double n = (double)d->rows + 8 * (double)d->encoder->classes, k = (double)s.kernels, c = (double)d->columns,
           chains = (double)s.chains, samples = (double)(s.samples - s.burn_in);
    double state = n * (7 * k + 9) + 11 * k * c + 3 * c + 20 * k * (double)d->encoder->classes,
           words = ((double)d->inputs + 63) / 64;
    double kept = samples / (double)kept_stride(&s);
    out->bytes = 8 * (n * c + chains * (double)s.heats * state + chains * samples * (words + 4) +
                      chains * kept * (2 * k * c + (k + 1) * (double)d->encoder->classes));
    out->flops = (double)s.samples * (double)s.thin * chains * (double)s.heats * n * k * 40 *
                 (6 + 1.25 * (double)s.jumps);
    return TAMIS_OK;
}

/* ---- checks and notes ---- */

static int classes_present(struct tamis_run *run)
{
    const struct tamis_design *d = run->design;
    size_t classes = d->encoder->classes;
    double first = -1;
    int several = 0;
    for (size_t n = 0; n < d->rows; n++) {
        if (!(d->y[n] < (double)classes)) continue;
        if (first < 0) first = d->y[n];
        several |= d->y[n] != first;
    }
    if (several) return TAMIS_OK;
    return tamis_fail(run->cx, TAMIS_DATA,
                      "the target '%s' has rows of one class only; rjmcmc needs two or more classes",
                      d->encoder->target);
}

/* The largest share of rows with one value in a column. */
static double largest_tie(const struct tamis_mixture *m, size_t c)
{
    double most = 0;
    const double *x = m->x + m->r.n * c;
    for (size_t i = 0; i < m->rows && most * 2 < m->total; i++) {
        double same = 0;
        for (size_t j = i; j < m->rows; j++)
            if (x[m->place[j]] == x[m->place[i]]) same += m->weight[m->place[j]];
        most = same > most ? same : most;
    }
    return most / m->total;
}

static void note_ties(const struct tamis_rjmcmc *r)
{
    const struct tamis_mixture *m = r->mix;
    size_t tied = 0, first = 0;
    if (m->set.mode != TAMIS_BACKGROUND) return;
    for (size_t i = 0; i < m->inputs; i++)
        for (size_t c = m->first[i]; c < m->first[i] + m->width[i]; c++)
            if (largest_tie(m, c) > 0.2) {
                if (!tied++) first = i;
                break;
            }
    if (tied)
        tamis_note(r->run->cx,
                   "%zu input%s (such as '%s') the same value in more than a fifth of the rows: in background mode "
                   "kernels narrow onto it, down to the resolution of the values; use --likelihood conditional",
                   tied, tied == 1 ? " has" : "s have", r->run->design->encoder->input[m->origin[first]].name);
}

/* ---- the run ---- */

static int sample(struct tamis_rjmcmc *r)
{
    struct tamis_run *run = r->run;
    const struct settings *s = &r->set;
    struct tamis_mixture_settings set = {!strcmp(s->likelihood, "background") ? TAMIS_BACKGROUND : TAMIS_CONDITIONAL,
                                         !strcmp(s->weights, "shift") ? TAMIS_WEIGHTS_SHIFT : TAMIS_WEIGHTS_KEEP,
                                         s->kernels,
                                         s->most,
                                         s->alpha,
                                         s->g,
                                         s->lambda,
                                         s->h,
                                         !strcmp(s->births, "prior")};
    if (!(r->mix = tamis_mixture_new(run->cx, run->design, &set))) return tamis_status(run->cx);
    note_ties(r);
    struct tamis_mcmc_target target = tamis_mixture_target;
    target.model = r->mix;
    if (!strcmp(s->moves, "published")) target.move = tamis_mixture_published_moves, target.adapt = NULL;
    double sweep = (double)r->mix->r.n * (double)s->kernels * (double)(6 + s->jumps) * (double)s->heats;
    struct tamis_mcmc_settings chains = {
        s->chains, s->heats, s->burn_in * s->thin, s->samples - s->burn_in, s->thin, s->jumps, 0, run->seed};
    chains.block = (size_t)fmin(fmax(2e7 / sweep, 1), 64);
    if (tamis_mixture_records_new(run->cx, r->mix, s->chains, chains.samples, kept_stride(s)))
        return tamis_status(run->cx);
    if (!(r->mcmc = tamis_mcmc_new(run->cx, &target, &chains))) return tamis_status(run->cx);
    return tamis_mcmc_run(r->mcmc, run->checkpoint, run->fingerprint);
}

/* ---- the model ---- */

/* at[c]: the place of the candidates' column c in the model, SIZE_MAX: in no stored sample. set: inputs of the design
 * that are used. */
static size_t columns_used(const struct tamis_rjmcmc *r, unsigned char *set, size_t *at, size_t *cells)
{
    const struct tamis_mixture *m = r->mix;
    const struct tamis_mixture_records *rec = m->records;
    size_t d = m->set.kernels, head = m->classes * (1 + d), n = 0;
    *cells = 0;
    for (size_t i = 0; i < m->inputs; i++) {
        size_t seen = 0;
        for (size_t k = 0; k < rec->chains * rec->kept; k++)
            seen += rec->body[k * rec->length + head + d * (m->columns + m->first[i])] > 0;
        set[m->origin[i]] = seen > 0;
        *cells += seen * m->width[i];
        for (size_t c = m->first[i]; c < m->first[i] + m->width[i]; c++) at[c] = seen ? n++ : SIZE_MAX;
    }
    return n;
}

static void model_fill(const struct tamis_rjmcmc *r, const size_t *at, struct tamis_mixture_model *b)
{
    const struct tamis_mixture *m = r->mix;
    const struct tamis_mixture_records *rec = m->records;
    size_t d = m->set.kernels, k = m->classes, cell = 0;
    for (size_t s = 0; s < b->samples; s++) {
        const double *body = rec->body + s * rec->length, *mu = body + k * (1 + d), *tau = mu + d * m->columns;
        memcpy(b->p + k * s, body, k * sizeof *body);
        memcpy(b->w + d * k * s, body + k, d * k * sizeof *body);
        for (size_t c = 0; c < m->columns; c++) {
            if (!(tau[d * c] > 0)) continue;
            memcpy(b->mu + d * cell, mu + d * c, d * sizeof *mu);
            memcpy(b->tau + d * cell, tau + d * c, d * sizeof *tau);
            b->column[cell++] = at[c];
        }
        b->first[s + 1] = cell;
    }
}

static int model_make(struct tamis_rjmcmc *r)
{
    struct tamis_run *run = r->run;
    tamis_context *cx = run->cx;
    const struct tamis_mixture *m = r->mix;
    unsigned char *set = tamis_new(cx, unsigned char, run->design->inputs);
    size_t *at = tamis_new(cx, size_t, m->columns), cells = 0,
           columns = set && at ? columns_used(r, set, at, &cells) : 0;
    struct tamis_mixture_model *body = tamis_status(cx)
                                           ? NULL
                                           : tamis_mixture_model_new(cx, m->records->chains * m->records->kept, columns,
                                                                     m->classes, m->set.kernels, cells);
    if (body) {
        model_fill(r, at, body);
        run->result->model = tamis_model_new(cx, &tamis_mixture_kind,
                                              tamis_encoder_subset(cx, run->design->encoder, set), body);
    }
    tamis_free(set);
    tamis_free(at);
    return tamis_status(cx);
}

/* Error on the training rows that have a class. */
static int training_error(struct tamis_rjmcmc *r)
{
    const struct tamis_design *d = r->run->design;
    size_t n = 0, classes = d->encoder->classes;
    tamis_context *cx = r->run->cx;
    struct tamis_design part = *d;
    part.x = tamis_raw(cx, double, d->rows * d->columns);
    part.y = tamis_raw(cx, double, d->rows);
    part.weight = d->weight ? tamis_raw(cx, double, d->rows) : NULL;
    if (!tamis_status(cx)) {
        for (size_t i = 0; i < d->rows; i++) n += d->y[i] < (double)classes;
        part.rows = n;
        for (size_t c = 0; c <= d->columns; c++) {
            const double *from = c < d->columns ? d->x + d->rows * c : d->y;
            double *to = c < d->columns ? part.x + n * c : part.y;
            for (size_t i = 0, k = 0; i < d->rows; i++)
                if (d->y[i] < (double)classes) to[k++] = from[i];
        }
        for (size_t i = 0, k = 0; d->weight && i < d->rows; i++)
            if (d->y[i] < (double)classes) part.weight[k++] = d->weight[i];
        tamis_model_error(cx, r->run->result->model, &part, &r->run->result->error);
    }
    tamis_free(part.x);
    tamis_free(part.y);
    tamis_free(part.weight);
    return tamis_status(cx);
}

/* ---- the answer ---- */

static int answer(struct tamis_rjmcmc *r)
{
    struct tamis_run *run = r->run;
    struct tamis_result *o = run->result;
    tamis_context *cx = run->cx;
    size_t n = run->design->inputs;
    unsigned char *set = tamis_new(cx, unsigned char, n);
    r->probability = tamis_new(cx, double, n);
    if (!set || !r->probability) {
        tamis_free(set);
        return tamis_status(cx);
    }
    for (size_t i = 0; i < r->mix->inputs; i++) r->probability[r->mix->origin[i]] = r->input[i].mean;
    for (size_t i = 0; i < n; i++) set[i] = r->probability[i] > 0.5;
    tamis_result_rank(cx, o, set, r->probability, r->probability);
    tamis_free(set);
    for (size_t i = 0, k = 0; !r->converged && i < n; i++) { /* unsupported by the samples: no ranking */
        o->input[i].rank = 0;
        if (o->input[i].selected) o->chosen[k++] = i;
    }
    o->criterion = "posterior";
    o->error_name = "training";
    o->error_label = "training error";
    tamis_rjmcmc_block(r, tamis_result_block(cx, o, "rjmcmc"));
    return tamis_status(cx);
}

static void finish(struct tamis_rjmcmc *r)
{
    tamis_mcmc_free(r->mcmc);
    tamis_mixture_free(r->mix);
    tamis_free(r->input);
    tamis_free(r->order);
    tamis_free(r->probability);
}

static int select_inputs(struct tamis_run *run)
{
    struct tamis_rjmcmc r = {.run = run};
    int status = settings_read(run, &r.set);
    if (!status) status = classes_present(run);
    if (!status) status = sample(&r);
    if (!status) status = tamis_rjmcmc_diagnose(&r);
    if (!status) status = model_make(&r);
    if (!status) status = training_error(&r);
    if (!status && run->test)
        status = tamis_model_error(run->cx, run->result->model, run->test, &run->result->test);
    if (!status) status = answer(&r);
    finish(&r);
    return status;
}

/* Not stated by [1]: lambda, and how many jumps follow each Gibbs update. Eq. 4 is corrected, as are eqs. 5 and 6: see
 * mixture_target.h. h is .5, .28 and .16 for the tables of section 3, as the default gives for the last. */
static const struct tamis_published published[] = {
    {"chains", "1", "section 3: one chain"},
    {"temperatures", "1", "section 2: no tempering"},
    {"samples", "15000", "section 3"},
    {"burn-in", "5000", "section 3"},
    {"thin", "1", "section 3"},
    {"alpha", "2", "section 3: a = 2"},
    {"g", "0.2", "section 3: g = 0.2"},
    {"moves", "published", "section 2.3: births, deaths, exchanges"},
    {"births", "prior", "section 2.3: coefficients are drawn from their priors"},
    {"jump-weights", "shift", "eq. 4, with the ratio that makes it reversible"},
    {"jumps", "1", "section 2.3: a Gibbs update, then a jump"},
    {0}};

static const struct tamis_again again[] = {{"samples", "2000"}, {"burn-in", "1000"}, {0}};

const struct tamis_method tamis_rjmcmc = {
    .name = "rjmcmc",
    .task = "classification",
    .summary = "posterior over input subsets of a mixture classifier, by reversible-jump Markov chain Monte Carlo",
    .relevance = "probability",
    .paper = "P. Sykacek, NIPS 1999",
    .options = options,
    .resolve = resolve,
    .again = again,
    .published = published,
    .cost = cost,
    .weights = 1,
    .select = select_inputs,
    .shared = tamis_always_shared,
    .checkpoint = 1,
    .in_classification = "rjmcmc:samples=3000:burn-in=1500",
};
