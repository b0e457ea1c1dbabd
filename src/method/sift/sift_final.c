/* The final model of the chosen inputs: how many basis functions it needs, and the model itself.
 *
 * The ladder: a linear model; the terms without a network; with 10, 20, 40, ... centres of it. Of classes, the linear
 * model is a logistic regression, and one with Gaussians of equal width stands at the end. All are fitted and measured
 * in the folds of the first split, of classes by the log loss of their calibrated scores; the one with the fewest basis
 * functions within one standard error of the best is taken. */
#include <math.h>
#include <string.h>
#include "base/parallel.h"
#include "method/sift/sift.h"
#include "model/linear.h"
#include "model/terms.h"
#include "num/lapack.h"

enum { FIT_ROUNDS = 8, FIRST_CENTRES = 10, RUNGS = 32, REFINED_CENTRES = 2000 };
static const double refined_work = 4e10;        /* rows x centres^2, at most */
static const double promising = 3;              /* log evidence of a refined network */
static const double negligible = 0.01, bearable = 0.05; /* of the loss: what a smaller model may lose, certain or not */

static const size_t linear_rung = SIZE_MAX;

/* ---- a fit as a model ---- */

static size_t alive(const struct sift_fit *t, size_t feature)
{
    for (size_t o = 0; o < t->v->l; o++)
        if (t->b[feature + t->room * o] != 0) return 1;
    return 0;
}

static size_t features_count(const struct sift_fit *t)
{
    size_t n = 0;
    for (size_t k = 0; k < t->terms; k++)
        for (size_t j = 0; t->term[k].on && j < t->term[k].count; j++) n += alive(t, t->term[k].first + j);
    return n;
}

/* Column of the model for a column of the design; place: of each, SIZE_MAX where it has none. */
static void places_fill(const struct sift *s, const unsigned char *set, size_t *place)
{
    const struct tamis_encoder *e = s->run->design->encoder;
    size_t n = 0;
    for (size_t i = 0; i < e->inputs; i++)
        for (size_t k = 0; k < e->input[i].columns; k++) place[e->input[i].first + k] = set[i] ? n++ : SIZE_MAX;
}

static void feature_fill(const struct sift *s, const struct sift_fit *t, size_t from, const size_t *place, size_t to,
                         struct tamis_terms *m)
{
    const struct sift_functions *f = t->v->f;
    for (size_t j = 0; j < 3; j++) {
        size_t id = t->factor[3 * from + j];
        m->factor[3 * to + j] = id ? 1 + place[f->column[id - 1]] * TAMIS_FUNCTIONS + f->place[id - 1] : 0;
    }
    for (size_t c = 0; c < m->outputs; c++)
        for (size_t o = 0; o < t->v->l; o++)
            m->coefficient[to + m->features * c] += sift_back(s, c, o) * t->scale[from] * t->b[from + t->room * o];
}

static void features_fill(const struct sift *s, const struct sift_fit *t, const size_t *place, struct tamis_terms *m)
{
    const struct sift_functions *f = t->v->f;
    size_t n = 0;
    for (size_t c = 0; c < f->d->columns; c++)
        if (place[c] != SIZE_MAX) m->basis[place[c]] = f->basis[c];
    for (size_t k = 0; k < t->terms; k++)
        for (size_t j = t->term[k].first; t->term[k].on && j < t->term[k].first + t->term[k].count; j++)
            if (alive(t, j)) feature_fill(s, t, j, place, n++, m);
}

/* alpha = L^-T b for the Gaussians in use. */
static int gaussians_fill(const struct sift *s, const struct sift_fit *t, const size_t *place, struct tamis_terms *m)
{
    const struct sift_gauss *g = t->net;
    size_t used = m->centres, l = t->v->l;
    if (!used) return TAMIS_OK;
    double *a = tamis_raw(t->v->cx, double, used * l);
    if (!a) return tamis_status(t->v->cx);
    for (size_t o = 0; o < l; o++) memcpy(a + used * o, t->b + t->net_first + t->room * o, used * sizeof *a);
    tamis_trsm(CblasLeft, CblasLower, TRANS, used, l, g->l, g->m, a, used);
    for (size_t k = 0; k < g->columns; k++) {
        size_t at = place[g->column[k]];
        m->weight[at] = g->root[k] * g->root[k];
        for (size_t i = 0; i < used; i++) m->centre[i + used * at] = g->centre[i + g->m * k] / g->root[k];
    }
    for (size_t c = 0; c < m->outputs; c++)
        for (size_t o = 0; o < l; o++)
            for (size_t i = 0; i < used; i++) m->alpha[i + used * c] += sift_back(s, c, o) * a[i + used * o];
    tamis_free(a);
    return TAMIS_OK;
}

/* base + back (mean - mean H b) */
static void bias_fill(const struct sift *s, const struct sift_fit *t, struct tamis_terms *m)
{
    for (size_t c = 0; c < m->outputs; c++) {
        m->bias[c] = sift_base(s, c);
        for (size_t o = 0; o < t->v->l; o++) {
            double level = t->v->mean[o];
            for (size_t k = 0; k < t->p; k++) level -= t->b[k + t->room * o] * t->sum[k] / t->v->total;
            m->bias[c] += sift_back(s, c, o) * level;
        }
    }
}

static struct tamis_model *terms_model(const struct sift *s, const struct sift_fit *t, const unsigned char *set)
{
    tamis_context *cx = s->run->cx;
    const struct tamis_design *d = s->run->design;
    struct tamis_encoder *e = tamis_encoder_subset(cx, d->encoder, set);
    size_t *place = tamis_raw(cx, size_t, d->columns), outputs = tamis_encoder_outputs(d->encoder),
           centres = t->net && t->net_on ? t->net_used : 0;
    struct tamis_terms *m = e ? tamis_terms_new(cx, e->columns, outputs, features_count(t), centres) : NULL;
    if (m && place) {
        places_fill(s, set, place);
        features_fill(s, t, place, m);
        bias_fill(s, t, m);
        gaussians_fill(s, t, place, m);
    }
    tamis_free(place);
    return tamis_model_new(cx, &tamis_terms_kind, e, m);
}

/* ---- the ladder ---- */

static int final_is(const struct sift *s, const char *what) { return !strcmp(s->s.final, what); }

static int rung_add(struct sift *s, size_t centres, int refined)
{
    tamis_context *cx = s->run->cx;
    struct sift_rung *r = &s->ladder[s->rungs++];
    *r = (struct sift_rung){.centres = centres, .refined = refined};
    r->loss = tamis_raw(cx, double, s->observations);
    r->prediction = tamis_raw(cx, double, s->run->design->rows);
    r->model = tamis_new(cx, struct tamis_model *, s->s.folds);
    return tamis_status(cx);
}

void sift_rung_free(const struct sift *s, struct sift_rung *r)
{
    for (size_t k = 0; r->model && k < s->s.folds; k++) tamis_model_free(r->model[k]);
    tamis_free(r->model);
    tamis_free(r->loss);
    tamis_free(r->prediction);
}

/* Centres of a refined network: with more rows than the path's networks have learnt from, the inputs chosen are few
 * enough to learn one from more rows, and there are rows for more centres. 0: none is made. */
static size_t refined_centres(const struct sift *s)
{
    double n = (double)tamis_design_all_rows(s->run->design), most = sqrt(refined_work / n);
    if ((double)sift_observations(s) <= 2 * (double)s->s.learn || final_is(s, "linear")) return 0;
    return (size_t)fmin(fmin(most, n / 2), REFINED_CENTRES);
}

/* Whether a network of the chosen inputs finds anything in what the model on all rows leaves. */
static int refined_promises(struct sift *s, int *promises)
{
    struct sift_whole w;
    double gain = 0;
    int status = sift_whole_make(s, s->set, &w);
    if (!status) status = sift_mix_refine(&w.mix, s->set, s->s.learn, 0, &gain);
    *promises = gain > promising;
    sift_whole_free(&w);
    return status;
}

static int has_classes(const struct sift *s) { return s->run->design->encoder->classes > 0; }

/* A rung with `first`, twice, four times ... as many centres, and one with the most. */
static int rungs_add(struct sift *s, size_t first, size_t most, int refined)
{
    int status = TAMIS_OK;
    for (size_t m = first; m < most && !status; m *= 2) status = rung_add(s, m, refined);
    return status ? status : rung_add(s, most, refined);
}

/* The linear model of classes, and unless something else was asked for those with Gaussians, as the last rungs. */
static int logistic_add(struct sift *s)
{
    struct sift_logistic kernel;
    int wanted = final_is(s, "auto");
    size_t first = s->rungs;
    if (final_is(s, "network")) return TAMIS_OK;
    int status = sift_logistic_search(s, &s->ladder[0].logistic, wanted ? &kernel : NULL);
    if (!status && wanted) status = rungs_add(s, FIRST_CENTRES, s->s.centres, 0);
    for (size_t k = first; k < s->rungs; k++) {
        s->ladder[k].logistic = kernel;
        s->ladder[k].logistic.centres = s->ladder[k].centres;
    }
    return status;
}

static int rungs_list(struct sift *s)
{
    int status = TAMIS_OK, network = s->all->net_set != NULL, promises = 0;
    size_t most = refined_centres(s);
    if (most) status = refined_promises(s, &promises);
    if (!promises) most = 0;
    if (status) return status;
    if (!(s->ladder = tamis_new(s->run->cx, struct sift_rung, RUNGS))) return tamis_status(s->run->cx);
    if (!final_is(s, "network")) status = rung_add(s, linear_rung, 0);
    if (!status && (network ? s->all->terms && !final_is(s, "network") : 1)) status = rung_add(s, 0, 0);
    if (!status && network) status = rungs_add(s, FIRST_CENTRES, s->s.centres, 0);
    if (!status && most) status = rungs_add(s, FIRST_CENTRES, most, 1);
    return status || !has_classes(s) ? status : logistic_add(s);
}

struct climb { struct sift *s; double *row_loss; };            /* rows x rungs */

/* Fits with the first `centres` Gaussians. */
static int rung_fit(struct sift_fit *t, size_t centres)
{
    size_t m = t->net ? t->net->m : 0;
    t->net_on = t->net && centres;
    t->net_used = centres < m ? centres : m;
    return sift_fit_solve(t, FIT_ROUNDS);
}

static int rung_measure(struct climb *c, struct sift_fit *t, size_t k, const size_t *held, size_t m, double *out)
{
    struct sift *s = c->s;
    size_t n = s->run->design->rows, l = s->ground.frame.outputs;
    double *loss = out + m * l, *prediction = loss + m;
    int status = rung_fit(t, s->ladder[k].centres);
    if (!status) status = sift_fit_predict(t, held, m, out);
    if (!status) sift_losses(&s->ground.frame, held, m, out, loss, prediction);
    for (size_t i = 0; i < m && !status; i++) {
        c->row_loss[held[i] + n * k] = loss[i];
        s->ladder[k].prediction[held[i]] = prediction[i];
    }
    return status;
}

/* Before the first refined rung, the refined network. */
static int rung_start(const struct sift *s, struct sift_mix *x, const unsigned char *set, size_t k)
{
    if (!s->ladder[k].refined || (k && s->ladder[k - 1].refined)) return TAMIS_OK;
    return sift_mix_refine(x, set, SIFT_REFINED, refined_centres(s), NULL);
}

static int is_logistic(const struct sift_rung *r) { return r->logistic.penalty > 0; }

static int logistic_fit(struct sift *s, size_t k, size_t fold, const size_t *row, size_t n)
{
    struct sift_rung *r = &s->ladder[k];
    r->model[fold] = sift_logistic_model(s, &r->logistic, sift_fold_set(s, fold), row, n);
    return tamis_status(s->run->cx);
}

static int climb_fold(void *arg, size_t fold, int worker)
{
    struct climb *c = arg;
    struct sift *s = c->s;
    tamis_context *cx = s->run->cx;
    size_t n = s->run->design->rows, *row = tamis_raw(cx, size_t, n);
    double *out = tamis_raw(cx, double, n * (s->ground.frame.outputs + 2));
    struct sift_mix x = {0};
    (void)worker;
    if (row && out) {
        size_t learn = sift_fold_rows(s, 0, fold, 1, row), held = sift_fold_rows(s, 0, fold, 0, row + learn);
        const unsigned char *set = sift_fold_set(s, fold);
        int status = sift_mix_make(&s->ground, row, learn, (uint32_t)fold + 1, &x);
        if (!status) status = sift_mix_restore(&x, s->trail[fold], set);
        for (size_t k = 0; k < s->rungs && !status; k++) {
            if (is_logistic(&s->ladder[k])) status = logistic_fit(s, k, fold, row, learn);
            if (is_logistic(&s->ladder[k]) || s->ladder[k].centres == linear_rung) continue;
            status = rung_start(s, &x, set, k);
            if (!status) status = rung_measure(c, &x.fit, k, row + learn, held, out);
            if (!status && !(s->ladder[k].model[fold] = terms_model(s, &x.fit, set))) status = tamis_status(cx);
        }
        sift_mix_free(&x);
    }
    tamis_free(row);
    tamis_free(out);
    return tamis_status(cx);
}

/* A linear model that cannot be fitted leaves the ladder. */
static int linear_measure(struct sift *s, double *row_loss)
{
    if (s->ladder[0].centres != linear_rung || sift_linear_losses(s, row_loss, s->ladder[0].prediction))
        return TAMIS_OK;
    if (final_is(s, "linear"))
        return tamis_status(s->run->cx) ? tamis_status(s->run->cx)
                                        : tamis_fail(s->run->cx, TAMIS_DATA,
                                                     "--final linear: a fold has too few rows for the columns of the "
                                                     "chosen inputs; use --final network, or more rows");
    sift_rung_free(s, &s->ladder[0]);
    memmove(s->ladder, s->ladder + 1, --s->rungs * sizeof *s->ladder);
    return tamis_status(s->run->cx);
}

static int as_good(const struct sift *s, size_t k, size_t best)
{
    const double *a = s->ladder[k].loss, *b = s->ladder[best].loss;
    double more = sift_mean(s, a) / sift_mean(s, b) - 1;
    return more <= negligible || (!has_classes(s) && more <= bearable && sift_firm_excess(s, a, b) <= 1);
}

/* The rung of least loss among the logistic regressions, or the others; how many there are, if none is of the kind. */
static size_t least_rung(const struct sift *s, int logistic)
{
    size_t best = s->rungs;
    for (size_t k = 0; k < s->rungs; k++)
        if (is_logistic(&s->ladder[k]) == logistic &&
            (best == s->rungs || sift_mean(s, s->ladder[k].loss) < sift_mean(s, s->ladder[best].loss)))
            best = k;
    return best;
}

/* Of classes, a logistic regression, unless terms or a network have a loss lower by more than one standard error. */
static size_t best_rung(const struct sift *s)
{
    size_t best = least_rung(s, 1), other = least_rung(s, 0);
    if (best == s->rungs) return other;
    if (other == s->rungs || !final_is(s, "auto")) return best;
    return sift_firm_excess(s, s->ladder[best].loss, s->ladder[other].loss) > 1 ? other : best;
}

/* Of the rungs of the same kind that do as well as the best (within one standard error and a twentieth of its loss, or
 * a hundredth), the one with the fewest centres. */
static void rung_choose(struct sift *s)
{
    size_t best = s->rung = best_rung(s);
    for (size_t k = s->rungs; k-- > 0;)
        if (is_logistic(&s->ladder[k]) == is_logistic(&s->ladder[best]) && as_good(s, k, best) &&
            s->ladder[k].centres + 1 <= s->ladder[s->rung].centres + 1)
            s->rung = k;
    if (final_is(s, "linear")) s->rung = 0;
}

int sift_ladder(struct sift *s)
{
    size_t n = s->run->design->rows;
    int status = rungs_list(s);
    struct climb c = {s, status ? NULL : tamis_new(s->run->cx, double, n * (s->rungs + 1))};
    if (!status && !c.row_loss) status = tamis_status(s->run->cx);
    if (!status) status = sift_folds_each(s, s->s.folds, climb_fold, &c);
    for (size_t k = 0; k < s->rungs && !status; k++)
        if (has_classes(s)) status = sift_rung_rate(s, &s->ladder[k]);
        else if (s->ladder[k].centres != linear_rung) sift_observe(s, c.row_loss + n * k, s->ladder[k].loss);
    if (!status && !has_classes(s)) {
        size_t rungs = s->rungs;
        status = linear_measure(s, c.row_loss);
        if (s->rungs == rungs && s->ladder[0].centres == linear_rung) sift_observe(s, c.row_loss, s->ladder[0].loss);
    }
    if (!status) rung_choose(s);
    tamis_free(c.row_loss);
    return status;
}

/* ---- the model ---- */

/* The mean, or the shares of the classes: a linear model of no columns. */
static struct tamis_model *constant_model(const struct sift *s)
{
    tamis_context *cx = s->run->cx;
    const struct tamis_encoder *e = s->run->design->encoder;
    size_t outputs = tamis_encoder_outputs(e);
    struct tamis_linear *m = tamis_linear_new(cx, 0, outputs);
    for (size_t c = 0; m && c < outputs; c++) m->b[c] = sift_base(s, c);
    return tamis_model_new(cx, &tamis_linear_kind, tamis_encoder_subset(cx, e, s->set), m);
}

/* Root of the part that each input has in the variance of the model. */
static void relevance_fill(struct sift *s, const struct sift_mix *x)
{
    size_t inputs = s->run->design->inputs;
    for (size_t i = 0; i < inputs; i++) s->relevance[i] = s->all->share[i] > 0 ? sqrt(s->all->share[i]) : NAN;
    double *share = tamis_raw(s->run->cx, double, inputs);
    if (share) sift_fit_shares(&x->fit, x->relevance, share);
    for (size_t i = 0; share && i < inputs; i++)
        if (s->set[i]) s->relevance[i] = sqrt(share[i]);
    tamis_free(share);
}

/* *m, if the rung is the one taken. */
static int logistic_model(struct sift *s, size_t k, struct tamis_model **m)
{
    struct sift_rung *r = &s->ladder[k];
    size_t n = s->run->design->rows, *row = tamis_raw(s->run->cx, size_t, n);
    for (size_t i = 0; row && i < n; i++) row[i] = i;
    if (row) r->functions = sift_logistic_functions(s, &r->logistic, s->set, row, n);
    if (row && k == s->rung) *m = sift_logistic_model(s, &r->logistic, s->set, row, n);
    tamis_free(row);
    return tamis_status(s->run->cx);
}

/* The model of the rung taken on all rows, and the basis functions of every rung. */
static struct tamis_model *model_of(struct sift *s, struct sift_mix *x)
{
    struct tamis_model *m = NULL;
    int status = TAMIS_OK;
    relevance_fill(s, x);
    for (size_t k = 0; k < s->rungs && !status; k++) {
        if (is_logistic(&s->ladder[k])) {
            status = logistic_model(s, k, &m);
            continue;
        }
        if (s->ladder[k].centres == linear_rung) {
            for (size_t i = 0; i < s->run->design->inputs; i++)
                s->ladder[k].functions += s->set[i] ? s->run->design->encoder->input[i].columns : 0;
            if (k == s->rung) m = sift_linear_model(s, s->set, NULL, s->run->design->rows);
            continue;
        }
        status = rung_start(s, x, s->set, k);
        if (!status) status = rung_fit(&x->fit, s->ladder[k].centres);
        s->ladder[k].functions = features_count(&x->fit) + (x->fit.net_on ? x->fit.net_used : 0);
        if (k != s->rung || status) continue;
        m = terms_model(s, &x->fit, s->set);
        relevance_fill(s, x);
    }
    return m;
}

/* The model of the largest set on the path, which stands for all inputs. */
struct tamis_model *sift_largest_model(struct sift *s)
{
    unsigned char *set = s->set;
    struct sift_whole w = {0};
    struct tamis_model *m = NULL;
    s->set = s->all->set;
    if (!sift_set_size(s->set, s->run->design->inputs)) m = constant_model(s);
    else if (!sift_whole_make(s, s->set, &w)) m = terms_model(s, &w.mix.fit, s->set);
    s->set = set;
    sift_whole_free(&w);
    return m;
}

struct tamis_model *sift_final_model(struct sift *s)
{
    struct sift_whole w = {0};
    struct tamis_model *m = NULL;
    for (size_t i = 0; i < s->run->design->inputs; i++) s->relevance[i] = NAN;
    if (!sift_set_size(s->set, s->run->design->inputs)) m = constant_model(s);
    else if (!sift_whole_make(s, s->set, &w)) m = model_of(s, &w.mix);
    sift_whole_free(&w);
    return m;
}
