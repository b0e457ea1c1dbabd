/* What the samples say: diagnoses, subsets, sensitivity to the prior, and the block of the result. */
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include "base/parallel.h"
#include "method/rjmcmc/rjmcmc.h"

enum { SUBSETS_SHOWN = 20, TRACE = 120, TOGETHER = 12 };
static const double rhat_limit = 1.1, ess_limit = 100;

static size_t draws(const struct tamis_rjmcmc *r) { return r->mix->records->chains * r->mix->records->samples; }

static int sample_has(const struct tamis_mixture_records *rec, size_t sample, size_t input)
{
    return (int)(rec->set[sample * rec->words + input / 64] >> input % 64 & 1);
}

static size_t sample_size(const struct tamis_mixture_records *rec, size_t sample)
{
    size_t n = 0;
    for (size_t w = 0; w < rec->words; w++) n += (size_t)__builtin_popcountll(rec->set[sample * rec->words + w]);
    return n;
}

/* ---- diagnoses ---- */

struct diagnosis { struct tamis_rjmcmc *r; double *work; size_t each; };

/* Items: the inputs, then the size, then the energy. */
static int diagnose_item(void *arg, size_t item, int worker)
{
    struct diagnosis *j = arg;
    struct tamis_rjmcmc *r = j->r;
    const struct tamis_mixture_records *rec = r->mix->records;
    size_t n = draws(r), inputs = r->mix->inputs;
    double *x = j->work + (size_t)worker * j->each;
    for (size_t i = 0; i < n; i++)
        x[i] = item < inputs ? sample_has(rec, i, item) : item == inputs ? (double)sample_size(rec, i) : rec->energy[i];
    tamis_diagnose(rec->samples, rec->chains, x, x + n,
                   item < inputs    ? &r->input[item]
                   : item == inputs ? &r->size
                                    : &r->energy);
    return TAMIS_OK;
}

static int diagnose_all(struct tamis_rjmcmc *r)
{
    const struct tamis_mixture_records *rec = r->mix->records;
    tamis_context *cx = r->run->cx;
    struct diagnosis j = {r, NULL, draws(r) + tamis_diagnose_size(rec->samples, rec->chains)};
    r->input = tamis_new(cx, struct tamis_diagnosis, r->mix->inputs);
    j.work = tamis_raw(cx, double, (size_t)tamis_threads(cx) * j.each);
    int status = r->input && j.work ? tamis_parallel(cx, r->mix->inputs + 2, diagnose_item, &j) : tamis_status(cx);
    tamis_free(j.work);
    return status;
}

static void judge_one(struct tamis_rjmcmc *r, const struct tamis_diagnosis *d)
{
    if (d->constant) return;
    r->worst_rhat = fmax(r->worst_rhat, d->rhat);
    r->least_ess = fmin(r->least_ess, d->ess);
}

/* What is reported decides: the inclusion of every input and the number of inputs. Chains that differ in how well they
 * fit have not seen the same models, so the R-hat of the log-likelihood counts too; few effective samples of it are a
 * remark. */
static void scorer(struct tamis_rjmcmc *r)
{
    r->worst_rhat = 1;
    r->least_ess = (double)draws(r);
    for (size_t i = 0; i < r->mix->inputs; i++) judge_one(r, &r->input[i]);
    judge_one(r, &r->size);
    if (!r->energy.constant) r->worst_rhat = fmax(r->worst_rhat, r->energy.rhat);
    r->converged = r->worst_rhat <= rhat_limit && r->least_ess >= ess_limit;
    if (!r->converged)
        tamis_note(r->run->cx,
                   "not converged (R-hat up to %.3g, effective samples down to %.3g): probabilities are rough and "
                   "inputs are not ranked; take more --samples, --thin or --temperatures, or fewer inputs",
                   r->worst_rhat, r->least_ess);
    else if (!r->energy.constant && r->energy.ess < ess_limit)
        tamis_note(r->run->cx,
                   "the log-likelihood has %.3g effective samples: inclusion probabilities stand, its own mean is "
                   "rough; --samples or --thin sharpen it",
                   r->energy.ess);
}

/* ---- subsets ---- */

static int by_set(const void *a, const void *b, void *arg)
{
    const struct tamis_mixture_records *rec = arg;
    size_t i = *(const size_t *)a, j = *(const size_t *)b;
    int c = memcmp(rec->set + i * rec->words, rec->set + j * rec->words, rec->words * sizeof *rec->set);
    return c ? c : (i > j) - (i < j);
}

static int subsets_sort(struct tamis_rjmcmc *r)
{
    const struct tamis_mixture_records *rec = r->mix->records;
    size_t n = draws(r);
    if (!(r->order = tamis_raw(r->run->cx, size_t, n))) return tamis_status(r->run->cx);
    r->least_size = SIZE_MAX;
    for (size_t i = 0; i < n; i++) {
        size_t size = sample_size(rec, i);
        r->order[i] = i;
        r->least_size = size < r->least_size ? size : r->least_size;
        r->most_size = size > r->most_size ? size : r->most_size;
    }
    qsort_r(r->order, n, sizeof *r->order, by_set, (void *)rec);
    return TAMIS_OK;
}

int tamis_rjmcmc_diagnose(struct tamis_rjmcmc *r)
{
    int status = diagnose_all(r);
    if (!status) status = subsets_sort(r);
    if (!status) scorer(r);
    return status;
}

/* ---- JSON ---- */

static void number(struct tamis_text *t, const char *name, double x, int first)
{
    tamis_text_printf(t, "%s\"%s\": ", first ? "" : ", ", name);
    tamis_text_number(t, x);
}

static const char *name_of(const struct tamis_rjmcmc *r, size_t candidate)
{
    return r->run->design->encoder->input[r->mix->origin[candidate]].name;
}

static void diagnosis(struct tamis_text *t, const struct tamis_diagnosis *d)
{
    number(t, "mcse", d->constant ? NAN : d->mcse, 0);
    number(t, "rhat", d->constant ? NAN : d->rhat, 0);
    number(t, "ess", d->constant ? NAN : d->ess, 0);
}

/* Posterior over prior odds. Where every sample agrees it is a bound: half a sample is taken to differ. */
static double log_bayes_factor(const struct tamis_rjmcmc *r, double p)
{
    double n = (double)draws(r),
           prior = tamis_mixture_expected_size(r->mix, r->mix->set.lambda) / (double)r->mix->inputs;
    p = fmin(fmax(p, 0.5 / n), 1 - 0.5 / n);
    return prior < 1 ? log(p / (1 - p)) - log(prior / (1 - prior)) : NAN;
}

static void chain_means(struct tamis_text *t, const struct tamis_rjmcmc *r, size_t candidate)
{
    const struct tamis_mixture_records *rec = r->mix->records;
    tamis_text_puts(t, ", \"chains\": [");
    for (size_t c = 0; c < rec->chains; c++) {
        size_t in = 0;
        for (size_t i = 0; i < rec->samples; i++) in += (size_t)sample_has(rec, c * rec->samples + i, candidate);
        if (c) tamis_text_puts(t, ", ");
        tamis_text_number(t, (double)in / (double)rec->samples);
    }
    tamis_text_puts(t, "]");
}

static void inclusion(struct tamis_text *t, const struct tamis_rjmcmc *r)
{
    const struct tamis_encoder *e = r->run->design->encoder;
    size_t candidate = 0;
    tamis_text_puts(t, ",\n    \"inclusion\": [");
    for (size_t i = 0; i < r->run->design->inputs; i++) {
        tamis_text_puts(t, i ? ",\n      {\"name\": " : "\n      {\"name\": ");
        tamis_text_json(t, e->input[i].name);
        if (e->input[i].constant) {
            tamis_text_puts(t, ", \"probability\": 0, \"mcse\": null, \"rhat\": null, \"ess\": null, "
                               "\"log_bayes_factor\": null, \"constant\": true}");
            continue;
        }
        const struct tamis_diagnosis *d = &r->input[candidate];
        number(t, "probability", d->mean, 0);
        diagnosis(t, d);
        number(t, "log_bayes_factor", log_bayes_factor(r, d->mean), 0);
        if (d->constant) tamis_text_puts(t, ", \"bound\": true");
        chain_means(t, r, candidate++);
        tamis_text_puts(t, "}");
    }
    tamis_text_puts(t, "]");
}

struct run { size_t first, count; };

/* The most probable subsets, kept in order as they are met. */
static size_t top_subsets(struct tamis_rjmcmc *r, struct run *top)
{
    const struct tamis_mixture_records *rec = r->mix->records;
    size_t n = draws(r), found = 0;
    r->subsets = 0;
    for (size_t i = 0, j; i < n; i = j) {
        for (j = i + 1; j < n && !memcmp(rec->set + r->order[i] * rec->words, rec->set + r->order[j] * rec->words,
                                         rec->words * sizeof *rec->set);
             j++)
            ;
        struct run now = {r->order[i], j - i};
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

static void subsets(struct tamis_text *t, struct tamis_rjmcmc *r)
{
    struct run top[SUBSETS_SHOWN];
    size_t n = top_subsets(r, top);
    tamis_text_printf(t, ",\n    \"subsets_visited\": %zu", r->subsets);
    tamis_text_puts(t, ",\n    \"subsets\": [");
    for (size_t k = 0; k < n; k++) {
        int first = 1;
        tamis_text_puts(t, k ? ",\n      {\"inputs\": [" : "\n      {\"inputs\": [");
        for (size_t i = 0; i < r->mix->inputs; i++) {
            if (!sample_has(r->mix->records, top[k].first, i)) continue;
            if (!first) tamis_text_puts(t, ", ");
            tamis_text_json(t, name_of(r, i));
            first = 0;
        }
        tamis_text_puts(t, "]");
        number(t, "probability", (double)top[k].count / (double)draws(r), 0);
        tamis_text_puts(t, "}");
    }
    tamis_text_puts(t, "]");
}

static void sizes(struct tamis_text *t, struct tamis_rjmcmc *r)
{
    const struct tamis_mixture_records *rec = r->mix->records;
    size_t n = draws(r);
    double empty = 0;
    for (size_t i = 0; i < n; i++) empty += sample_size(rec, i) == 0;
    tamis_text_puts(t, ",\n    \"size\": {");
    number(t, "mean", r->size.mean, 1);
    number(t, "min", (double)r->least_size, 0);
    number(t, "max", (double)r->most_size, 0);
    number(t, "empty", empty / (double)n, 0);
    number(t, "prior_mean", tamis_mixture_expected_size(r->mix, r->mix->set.lambda), 0);
    diagnosis(t, &r->size);
    tamis_text_puts(t, ", \"distribution\": [");
    for (size_t s = 0; s <= r->most_size; s++) {
        size_t count = 0;
        for (size_t i = 0; i < n; i++) count += sample_size(rec, i) == s;
        if (s) tamis_text_puts(t, ", ");
        tamis_text_number(t, (double)count / (double)n);
    }
    tamis_text_puts(t, "]}");
    tamis_text_puts(t, ",\n    \"log_likelihood\": {");
    number(t, "mean", r->energy.mean, 1);
    diagnosis(t, &r->energy);
    tamis_text_puts(t, "}");
}

/* Another lambda weighs a sample of I inputs by (lambda' / lambda)^I. */
static void sensitivity(struct tamis_text *t, const struct tamis_rjmcmc *r)
{
    static const double other[] = {1, 2, 4, 10};
    const struct tamis_mixture_records *rec = r->mix->records;
    tamis_text_puts(t, ",\n    \"sensitivity\": [");
    for (size_t k = 0; k < sizeof other / sizeof *other; k++) {
        double ratio = log(other[k] / r->mix->set.lambda), sum = 0, squares = 0, mean = 0;
        size_t most = ratio > 0 ? r->most_size : r->least_size;
        for (size_t i = 0; i < draws(r); i++) {
            double size = (double)sample_size(rec, i), w = exp(ratio * (size - (double)most));
            sum += w, squares += w * w, mean += w * size;
        }
        double share = sum * sum / squares / (double)draws(r);                  /* of the samples that still count */
        tamis_text_puts(t, k ? ", {" : "{");
        number(t, "lambda", other[k], 1);
        number(t, "mean_size", share * r->least_ess >= 10 ? mean / sum : NAN, 0);
        number(t, "prior_mean", tamis_mixture_expected_size(r->mix, other[k]), 0);
        tamis_text_puts(t, "}");
    }
    tamis_text_puts(t, "]");
}

/* Size and log-likelihood of every so many samples of each chain, at most TRACE of them. */
static void traces(struct tamis_text *t, const struct tamis_rjmcmc *r)
{
    const struct tamis_mixture_records *rec = r->mix->records;
    size_t every = (rec->samples + TRACE - 1) / TRACE;
    tamis_text_printf(t, ",\n    \"trace\": {\"every\": %zu", every);
    for (int what = 0; what < 2; what++) {
        tamis_text_puts(t, what ? ", \"log_likelihood\": [" : ", \"size\": [");
        for (size_t c = 0; c < rec->chains; c++) {
            tamis_text_puts(t, c ? ", [" : "[");
            for (size_t i = 0; i < rec->samples; i += every) {
                size_t at = c * rec->samples + i;
                tamis_text_printf(t, "%s%.6g", i ? "," : "", what ? rec->energy[at] : (double)sample_size(rec, at));
            }
            tamis_text_puts(t, "]");
        }
        tamis_text_puts(t, "]");
    }
    tamis_text_puts(t, "}");
}

/* Inputs by inclusion, the likeliest TOGETHER of them. */
static size_t likeliest(const struct tamis_rjmcmc *r, size_t *top)
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
static void together(struct tamis_text *t, const struct tamis_rjmcmc *r)
{
    const struct tamis_mixture_records *rec = r->mix->records;
    size_t top[TOGETHER], n = likeliest(r, top);
    tamis_text_puts(t, ",\n    \"together\": {\"names\": [");
    for (size_t k = 0; k < n; k++) {
        if (k) tamis_text_puts(t, ", ");
        tamis_text_json(t, name_of(r, top[k]));
    }
    tamis_text_puts(t, "], \"probability\": [");
    for (size_t a = 0; a < n; a++) {
        tamis_text_puts(t, a ? ", [" : "[");
        for (size_t b = 0; b < n; b++) {
            size_t both = 0;
            for (size_t i = 0; i < draws(r); i++)
                both += (size_t)(sample_has(rec, i, top[a]) && sample_has(rec, i, top[b]));
            tamis_text_printf(t, "%s%.6g", b ? ", " : "", (double)both / (double)draws(r));
        }
        tamis_text_puts(t, "]");
    }
    tamis_text_puts(t, "]}");
}

/* Moves of the coldest states, all chains. */
static void acceptance(struct tamis_text *t, const struct tamis_rjmcmc *r)
{
    const struct tamis_mcmc *m = r->mcmc;
    int first = 1;
    tamis_text_puts(t, ",\n    \"acceptance\": {");
    for (size_t j = 0; j < m->moves; j++) {
        double tried = 0, accepted = 0;
        for (size_t c = 0; c < m->set.chains; c++) {
            const struct tamis_mcmc_count *n = &m->count[c * m->set.heats * m->moves + j];
            tried += n->tried, accepted += n->accepted;
        }
        if (!(tried > 0) || m->target.move[j].propose == tamis_mixture_scales) continue;
        number(t, m->target.move[j].name, accepted / tried, first);
        first = 0;
    }
    tamis_text_puts(t, "}");
}

static void ladder(struct tamis_text *t, const struct tamis_rjmcmc *r)
{
    const struct tamis_mcmc *m = r->mcmc;
    double trips = 0;
    tamis_text_puts(t, ",\n    \"tempering\": {\"heats\": [");
    for (size_t k = 0; k < m->set.heats; k++) {
        if (k) tamis_text_puts(t, ", ");
        tamis_text_number(t, m->heat[k]);
    }
    tamis_text_puts(t, "], \"swaps\": [");
    for (size_t k = 0; k + 1 < m->set.heats; k++) {
        double tried = 0, accepted = 0;
        for (size_t c = 0; c < m->set.chains; c++)
            tried += m->swap[c * m->set.heats + k].tried, accepted += m->swap[c * m->set.heats + k].accepted;
        if (k) tamis_text_puts(t, ", ");
        tamis_text_number(t, tried > 0 ? accepted / tried : NAN);
    }
    for (size_t c = 0; c < m->set.chains; c++) trips += m->trips[c];
    tamis_text_puts(t, "]");
    number(t, "round_trips", trips, 0);
    tamis_text_puts(t, "}");
}

void tamis_rjmcmc_json(struct tamis_rjmcmc *r, struct tamis_text *t)
{
    const struct settings *s = &r->set;
    tamis_text_puts(t, "{");
    number(t, "lambda", s->lambda, 1);
    tamis_text_printf(t,
                      ", \"likelihood\": \"%s\", \"kernels\": %zu, \"chains\": %zu, \"samples\": %zu, \"burn_in\": "
                      "%zu, \"thin\": %zu",
                      s->likelihood, s->kernels, s->chains, s->samples, s->burn_in, s->thin);
    number(t, "prior_inclusion", tamis_mixture_expected_size(r->mix, s->lambda) / (double)r->mix->inputs, 0);
    tamis_text_puts(t, ",\n    \"rule\": \"median probability model: inputs with inclusion above 1/2\"");
    tamis_text_printf(t, ",\n    \"converged\": %s", r->converged ? "true" : "false");
    number(t, "worst_rhat", r->worst_rhat, 0);
    number(t, "least_ess", r->least_ess, 0);
    if (!r->converged) {
        tamis_text_puts(t, ", \"advice\": ");
        tamis_text_json(t, r->worst_rhat > rhat_limit
                               ? "chains disagree: more --temperatures where swap rates are below 0.3, else several "
                                 "times the --samples or --thin; then fewer inputs"
                               : "too few effective samples: several times the --samples or --thin");
    }
    inclusion(t, r);
    subsets(t, r);
    sizes(t, r);
    together(t, r);
    traces(t, r);
    acceptance(t, r);
    ladder(t, r);
    sensitivity(t, r);
    tamis_text_puts(t, "}");
}
