/* Whether the samples can be trusted: diagnoses, convergence, and the samples ordered by subset. */
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include "base/parallel.h"
#include "method/rjmcmc/rjmcmc.h"

static const double ess_limit = 100;

/* ---- diagnoses ---- */

struct diagnosis { struct tamis_rjmcmc *r; double *work; size_t each; };

/* Items: the inputs, then the size, then the energy. */
static int diagnose_item(void *arg, size_t item, int worker)
{
    struct diagnosis *j = arg;
    struct tamis_rjmcmc *r = j->r;
    const struct tamis_mixture_records *rec = r->mix->records;
    size_t n = tamis_rjmcmc_draws(r), inputs = r->mix->inputs;
    double *x = j->work + (size_t)worker * j->each;
    for (size_t i = 0; i < n; i++)
        x[i] = item < inputs    ? tamis_rjmcmc_sample_has(rec, i, item)
               : item == inputs ? (double)tamis_rjmcmc_sample_size(rec, i)
                                : rec->energy[i];
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
    struct diagnosis j = {r, NULL, tamis_rjmcmc_draws(r) + tamis_diagnose_size(rec->samples, rec->chains)};
    r->input = tamis_new(cx, struct tamis_diagnosis, r->mix->inputs);
    j.work = tamis_raw(cx, double, (size_t)tamis_threads(cx) * j.each);
    int status = r->input && j.work ? tamis_parallel(cx, r->mix->inputs + 2, diagnose_item, &j) : tamis_status(cx);
    tamis_free(j.work);
    return status;
}

static void extremes(struct tamis_rjmcmc *r, const struct tamis_diagnosis *d)
{
    if (d->constant) return;
    r->worst_rhat = fmax(r->worst_rhat, d->rhat);
    r->least_ess = fmin(r->least_ess, d->ess);
}

/* Convergence of what is reported: the inclusion of every input and the number of inputs. Chains that differ in fit
 * have not seen the same models, so the R-hat of the log-likelihood counts too; few effective samples of it are only
 * worth a note. */
static void convergence(struct tamis_rjmcmc *r)
{
    r->worst_rhat = 1;
    r->least_ess = (double)tamis_rjmcmc_draws(r);
    for (size_t i = 0; i < r->mix->inputs; i++) extremes(r, &r->input[i]);
    extremes(r, &r->size);
    if (!r->energy.constant) r->worst_rhat = fmax(r->worst_rhat, r->energy.rhat);
    r->converged = r->worst_rhat <= TAMIS_RHAT_LIMIT && r->least_ess >= ess_limit;
    if (!r->converged)
        tamis_note(r->run->cx,
                   "not converged (R-hat up to %.3g, effective samples down to %.3g): probabilities are rough and "
                   "inputs are not ranked; raise --samples, --thin or --temperatures, or use fewer inputs",
                   r->worst_rhat, r->least_ess);
    else if (!r->energy.constant && r->energy.ess < ess_limit)
        tamis_note(r->run->cx,
                   "the log-likelihood has only %.3g effective samples: its mean is rough, but inclusion probabilities "
                   "are not affected; raise --samples or --thin",
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
    size_t n = tamis_rjmcmc_draws(r);
    if (!(r->order = tamis_raw(r->run->cx, size_t, n))) return tamis_status(r->run->cx);
    r->least_size = SIZE_MAX;
    for (size_t i = 0; i < n; i++) {
        size_t size = tamis_rjmcmc_sample_size(rec, i);
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
    if (!status) convergence(r);
    return status;
}
