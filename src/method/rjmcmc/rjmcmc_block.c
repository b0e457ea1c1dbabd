/* The method's block of the result: what the samples say about inputs, subsets and sizes, and how far they can be
 * trusted. */
#include <math.h>
#include <string.h>
#include "method/rjmcmc/rjmcmc.h"

enum { SUBSETS_SHOWN = 20, TRACE = 120, TOGETHER = 12 };

static const char *name_of(const struct tamis_rjmcmc *r, size_t candidate)
{
    return r->run->design->encoder->input[r->mix->origin[candidate]].name;
}

static void add_diagnosis(tamis_value *to, const struct tamis_diagnosis *d)
{
    tamis_add_number(to, "mcse", d->constant ? NAN : d->mcse);
    tamis_add_number(to, "rhat", d->constant ? NAN : d->rhat);
    tamis_add_number(to, "ess", d->constant ? NAN : d->ess);
}

/* ---- inputs ---- */

/* Posterior over prior odds. If all samples agree it is a bound: half a sample is taken to differ. */
static double log_bayes_factor(const struct tamis_rjmcmc *r, double p)
{
    double n = (double)tamis_rjmcmc_draws(r),
           prior = tamis_mixture_expected_size(r->mix, r->mix->set.lambda) / (double)r->mix->inputs;
    p = fmin(fmax(p, 0.5 / n), 1 - 0.5 / n);
    return prior < 1 ? log(p / (1 - p)) - log(prior / (1 - prior)) : NAN;
}

static void add_chain_means(tamis_value *to, const struct tamis_rjmcmc *r, size_t candidate)
{
    const struct tamis_mixture_records *rec = r->mix->records;
    double *mean = tamis_add_room(to, "chains", rec->chains);
    for (size_t c = 0; mean && c < rec->chains; c++) {
        size_t in = 0;
        for (size_t i = 0; i < rec->samples; i++)
            in += (size_t)tamis_rjmcmc_sample_has(rec, c * rec->samples + i, candidate);
        mean[c] = (double)in / (double)rec->samples;
    }
}

static void add_constant(tamis_value *to)
{
    static const char *const unknown[] = {"mcse", "rhat", "ess", "log_bayes_factor"};
    tamis_add_number(to, "probability", 0);
    for (size_t i = 0; i < sizeof unknown / sizeof *unknown; i++) tamis_add_null(to, unknown[i]);
    tamis_add_flag(to, "constant", 1);
}

static void add_inclusion(tamis_value *block, const struct tamis_rjmcmc *r)
{
    const struct tamis_encoder *e = r->run->design->encoder;
    tamis_value *list = tamis_add_list(block, "inclusion");
    size_t candidate = 0;
    for (size_t i = 0; i < e->inputs; i++) {
        tamis_value *one = tamis_add_record(list, NULL);
        tamis_add_text(one, "name", e->input[i].name);
        if (e->input[i].constant) {
            add_constant(one);
            continue;
        }
        const struct tamis_diagnosis *d = &r->input[candidate];
        tamis_add_number(one, "probability", d->mean);
        add_diagnosis(one, d);
        tamis_add_number(one, "log_bayes_factor", log_bayes_factor(r, d->mean));
        if (d->constant) tamis_add_flag(one, "bound", 1);
        add_chain_means(one, r, candidate++);
    }
}

/* ---- subsets and sizes ---- */

/* A run of equal samples in r->order. */
struct stretch { size_t first, count; };

/* The most probable subsets, in order. */
static size_t top_subsets(struct tamis_rjmcmc *r, struct stretch *top)
{
    const struct tamis_mixture_records *rec = r->mix->records;
    size_t n = tamis_rjmcmc_draws(r), found = 0;
    r->subsets = 0;
    for (size_t i = 0, j; i < n; i = j) {
        for (j = i + 1; j < n && !memcmp(rec->set + r->order[i] * rec->words, rec->set + r->order[j] * rec->words,
                                         rec->words * sizeof *rec->set);
             j++)
            ;
        struct stretch now = {r->order[i], j - i};
        r->subsets++;
        size_t at = found < SUBSETS_SHOWN ? found++ : SUBSETS_SHOWN - 1;
        if (found == SUBSETS_SHOWN && at == SUBSETS_SHOWN - 1 && r->subsets > SUBSETS_SHOWN &&
            top[at].count >= now.count)
            continue;
        for (; at && top[at - 1].count < now.count; at--) top[at] = top[at - 1];
        top[at] = now;
    }
    return found;
}

static void add_subsets(tamis_value *block, struct tamis_rjmcmc *r)
{
    struct stretch top[SUBSETS_SHOWN];
    size_t n = top_subsets(r, top);
    tamis_add_number(block, "subsets_visited", (double)r->subsets);
    tamis_value *list = tamis_add_list(block, "subsets");
    for (size_t k = 0; k < n; k++) {
        tamis_value *one = tamis_add_record(list, NULL), *names = tamis_add_list(one, "inputs");
        for (size_t i = 0; i < r->mix->inputs; i++)
            if (tamis_rjmcmc_sample_has(r->mix->records, top[k].first, i)) tamis_add_text(names, NULL, name_of(r, i));
        tamis_add_number(one, "probability", (double)top[k].count / (double)tamis_rjmcmc_draws(r));
    }
}

static double share_of_size(const struct tamis_rjmcmc *r, size_t size)
{
    size_t count = 0, n = tamis_rjmcmc_draws(r);
    for (size_t i = 0; i < n; i++) count += tamis_rjmcmc_sample_size(r->mix->records, i) == size;
    return (double)count / (double)n;
}

static void add_size(tamis_value *block, const struct tamis_rjmcmc *r)
{
    tamis_value *v = tamis_add_record(block, "size");
    tamis_add_number(v, "mean", r->size.mean);
    tamis_add_number(v, "min", (double)r->least_size);
    tamis_add_number(v, "max", (double)r->most_size);
    tamis_add_number(v, "empty", share_of_size(r, 0));
    tamis_add_number(v, "prior_mean", tamis_mixture_expected_size(r->mix, r->mix->set.lambda));
    add_diagnosis(v, &r->size);
    double *share = tamis_add_room(v, "distribution", r->most_size + 1);
    for (size_t s = 0; share && s <= r->most_size; s++) share[s] = share_of_size(r, s);
    v = tamis_add_record(block, "log_likelihood");
    tamis_add_number(v, "mean", r->energy.mean);
    add_diagnosis(v, &r->energy);
}

/* Another lambda weights a sample of I inputs by (lambda' / lambda)^I. */
static double mean_size_at(const struct tamis_rjmcmc *r, double lambda)
{
    double ratio = log(lambda / r->mix->set.lambda), sum = 0, squares = 0, mean = 0;
    size_t most = ratio > 0 ? r->most_size : r->least_size, n = tamis_rjmcmc_draws(r);
    for (size_t i = 0; i < n; i++) {
        double size = (double)tamis_rjmcmc_sample_size(r->mix->records, i), w = exp(ratio * (size - (double)most));
        sum += w, squares += w * w, mean += w * size;
    }
    double share = sum * sum / squares / (double)n;                     /* effective share of the samples */
    return share * r->least_ess >= 10 ? mean / sum : NAN;
}

static void add_sensitivity(tamis_value *block, const struct tamis_rjmcmc *r)
{
    static const double other[] = {1, 2, 4, 10};
    tamis_value *list = tamis_add_list(block, "sensitivity");
    for (size_t k = 0; k < sizeof other / sizeof *other; k++) {
        tamis_value *one = tamis_add_record(list, NULL);
        tamis_add_number(one, "lambda", other[k]);
        tamis_add_number(one, "mean_size", mean_size_at(r, other[k]));
        tamis_add_number(one, "prior_mean", tamis_mixture_expected_size(r->mix, other[k]));
    }
}

/* The TOGETHER most probable inputs, in order. */
static size_t most_probable(const struct tamis_rjmcmc *r, size_t *top)
{
    size_t n = 0;
    for (size_t i = 0; i < r->mix->inputs; i++) {
        size_t at = n < TOGETHER ? n++ : TOGETHER;
        if (at == TOGETHER && r->input[top[--at]].mean >= r->input[i].mean) continue;
        for (; at && r->input[top[at - 1]].mean < r->input[i].mean; at--) top[at] = top[at - 1];
        top[at] = i;
    }
    return n;
}

/* How often two inputs are in the set at once. */
static double both_share(const struct tamis_rjmcmc *r, size_t a, size_t b)
{
    const struct tamis_mixture_records *rec = r->mix->records;
    size_t both = 0, n = tamis_rjmcmc_draws(r);
    for (size_t i = 0; i < n; i++)
        both += (size_t)(tamis_rjmcmc_sample_has(rec, i, a) && tamis_rjmcmc_sample_has(rec, i, b));
    return (double)both / (double)n;
}

static void add_together(tamis_value *block, const struct tamis_rjmcmc *r)
{
    size_t top[TOGETHER], n = most_probable(r, top);
    tamis_value *v = tamis_add_record(block, "together"), *names = tamis_add_list(v, "names");
    for (size_t k = 0; k < n; k++) tamis_add_text(names, NULL, name_of(r, top[k]));
    tamis_value *list = tamis_add_list(v, "probability");
    for (size_t a = 0; a < n; a++) {
        double *row = tamis_add_room(list, NULL, n);
        for (size_t b = 0; row && b < n; b++) row[b] = tamis_six_digits(both_share(r, top[a], top[b]));
    }
}

/* ---- the sampler ---- */

/* Every `every`-th sample of each chain. */
static void add_trace(tamis_value *to, const char *key, const struct tamis_rjmcmc *r, size_t every, int energy)
{
    const struct tamis_mixture_records *rec = r->mix->records;
    tamis_value *list = tamis_add_list(to, key);
    for (size_t c = 0; c < rec->chains; c++) {
        double *x = tamis_add_room(list, NULL, (rec->samples + every - 1) / every);
        for (size_t i = 0; x && i < rec->samples; i += every) {
            size_t at = c * rec->samples + i;
            x[i / every] = energy ? tamis_six_digits(rec->energy[at]) : (double)tamis_rjmcmc_sample_size(rec, at);
        }
    }
}

static void add_traces(tamis_value *block, const struct tamis_rjmcmc *r)
{
    size_t every = (r->mix->records->samples + TRACE - 1) / TRACE;
    tamis_value *v = tamis_add_record(block, "trace");
    tamis_add_number(v, "every", (double)every);
    add_trace(v, "size", r, every, 0);
    add_trace(v, "log_likelihood", r, every, 1);
}

/* Moves of the coldest states, all chains. */
static void add_acceptance(tamis_value *block, const struct tamis_rjmcmc *r)
{
    const struct tamis_mcmc *m = r->mcmc;
    tamis_value *v = tamis_add_record(block, "acceptance");
    for (size_t j = 0; j < m->moves; j++) {
        double tried = 0, accepted = 0;
        for (size_t c = 0; c < m->set.chains; c++) {
            const struct tamis_mcmc_count *n = &m->count[c * m->set.heats * m->moves + j];
            tried += n->tried, accepted += n->accepted;
        }
        if (tried > 0 && m->target.move[j].propose != tamis_mixture_scales)
            tamis_add_number(v, m->target.move[j].name, accepted / tried);
    }
}

static double swap_rate(const struct tamis_mcmc *m, size_t k)
{
    double tried = 0, accepted = 0;
    for (size_t c = 0; c < m->set.chains; c++)
        tried += m->swap[c * m->set.heats + k].tried, accepted += m->swap[c * m->set.heats + k].accepted;
    return tried > 0 ? accepted / tried : NAN;
}

static void add_tempering(tamis_value *block, const struct tamis_rjmcmc *r)
{
    const struct tamis_mcmc *m = r->mcmc;
    double trips = 0;
    tamis_value *v = tamis_add_record(block, "tempering");
    tamis_add_numbers(v, "heats", m->heat, m->set.heats);
    double *rate = tamis_add_room(v, "swaps", m->set.heats - 1);
    for (size_t k = 0; rate && k + 1 < m->set.heats; k++) rate[k] = swap_rate(m, k);
    for (size_t c = 0; c < m->set.chains; c++) trips += m->trips[c];
    tamis_add_number(v, "round_trips", trips);
}

static void add_settings(tamis_value *block, const struct tamis_rjmcmc *r)
{
    const struct settings *s = &r->set;
    tamis_add_number(block, "lambda", s->lambda);
    tamis_add_text(block, "likelihood", s->likelihood);
    tamis_add_number(block, "kernels", (double)s->kernels);
    tamis_add_number(block, "chains", (double)s->chains);
    tamis_add_number(block, "samples", (double)s->samples);
    tamis_add_number(block, "burn_in", (double)s->burn_in);
    tamis_add_number(block, "thin", (double)s->thin);
    tamis_add_number(block, "prior_inclusion", tamis_mixture_expected_size(r->mix, s->lambda) / (double)r->mix->inputs);
    tamis_add_text(block, "rule", "median probability model: inputs with inclusion above 1/2");
}

static void add_convergence(tamis_value *block, const struct tamis_rjmcmc *r)
{
    tamis_add_flag(block, "converged", r->converged);
    tamis_add_number(block, "worst_rhat", r->worst_rhat);
    tamis_add_number(block, "least_ess", r->least_ess);
    if (r->converged) return;
    tamis_add_text(block, "advice",
                   r->worst_rhat > TAMIS_RHAT_LIMIT
                       ? "chains disagree: raise --temperatures if swap rates are below 0.3, otherwise --samples or "
                         "--thin several times; failing that, use fewer inputs"
                       : "too few effective samples: raise --samples or --thin several times");
}

void tamis_rjmcmc_block(struct tamis_rjmcmc *r, tamis_value *block)
{
    add_settings(block, r);
    add_convergence(block, r);
    add_inclusion(block, r);
    add_subsets(block, r);
    add_size(block, r);
    add_together(block, r);
    add_traces(block, r);
    add_acceptance(block, r);
    add_tempering(block, r);
    add_sensitivity(block, r);
}
