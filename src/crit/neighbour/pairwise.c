/* mrmr and jmi: information of single inputs about the target, less what they share with the inputs chosen before; the
 * value is minus the sum of these scores, in nats.
 *
 * The next input of a greedy search is the f with the largest score
 *
 *     mrmr:            I(f; y) - mean over s in S of I(f; s)                                  [1] eq. (6), MID of [2]
 *     mrmr, quotient:  I(f; y) / mean over s in S of I(f; s)                                  MIQ of [2]
 *     jmi:             I(f; y) - mean over s in S of (I(f; y) + I(s; y) - I(f, s; y)),
 *
 * the last of which ranks as the sum over s in S of I(f, s; y) does ([3], [4] eq. (17)); with S empty, I(f; y). The
 * value of a set is minus the sum of (score - level) over its inputs in the order in which the greedy search would
 * choose them if there were no others. So the best addition to a set found by forward search is the published step, and
 * other searches have a value for every set. The level of an input is what its estimate would reach if it were useless
 * (pairwise_start.c); a set improves as long as scores exceed it, and the empty set has value 0. With the quotient,
 * what counts is score / level - 1 for the first input and I(f; y) / max(mean I(f; s), level) - 1 for others.
 *
 * Informations are those of mutual_info.c, for single inputs and pairs; a category is a discrete variable, whose levels
 * are infinitely far from each other. Those of pairs are computed when they are needed, once.
 *
 * DIFFERS [1]: a redundancy estimated to be negative is 0. DIFFERS [1] to [3]: levels, which only matter for the order
 * between inputs of different kinds (numbers, counts, categories); --permutations 0 has none.
 *
 * [1] H. Peng, F. Long, C. Ding, Feature selection based on mutual information: criteria of max-dependency,
 *     max-relevance, and min-redundancy, IEEE PAMI 27 (2005).
 * [2] C. Ding, H. Peng, Minimum redundancy feature selection from microarray gene expression data, 2005.
 * [3] H. H. Yang, J. Moody, Data visualization and feature selection, NIPS 1999.
 * [4] G. Brown, A. Pocock, M.-J. Zhao, M. Lujan, Conditional likelihood maximisation, JMLR 13 (2012). */
#include <math.h>
#include <string.h>
#include "crit/neighbour/pairwise.h"

#define AT(field) offsetof(struct pairwise_settings, field)
#define NEIGHBOURS(name) \
    {"neighbors", TAMIS_COUNT, AT(k), "6", 1, TAMIS_INFO_NEIGHBOURS, NULL, "K", \
     name ": number of nearest rows in the estimates of information"}
#define PERMUTATIONS(name) \
    {"permutations", TAMIS_COUNT, AT(permutations), "19", 0, 10000, NULL, "B", \
     name ": permutations of the target that show what useless inputs reach; 0: inputs join while scores are positive"}

static const struct tamis_option mrmr_rows[] = {
    NEIGHBOURS("mrmr"), PERMUTATIONS("mrmr"),
    {"redundancy", TAMIS_CHOICE, AT(form), "difference", 0, 0, "difference|quotient", NULL,
     "mrmr: subtract the mean redundancy from the relevance, or divide by it"},
    {0}};

static const struct tamis_option jmi_rows[] = {NEIGHBOURS("jmi"), PERMUTATIONS("jmi"), {0}};

enum { TAIL = 5 };              /* jmi: as many inputs that did not help end a forward path */
static const double least_level = 1e-3;         /* of a divisor, in nats */

/* ---- scores ---- */

/* shared: the sum over `count` inputs before it. */
static double score_of(const struct pairwise *j, size_t i, double shared, size_t count)
{
    double mean = count ? shared / (double)count : 0, level = count ? j->step_level[i] : j->level[i];
    if (!j->quotient) return j->relevance[i] - mean - level;
    return j->relevance[i] / fmax(fmax(mean, level), least_level) - 1;
}

/* A set in the order of the greedy search: its inputs, the sums of what each shares with those before, their scores. */
struct chain { size_t count, *input; double *shared, *score, value; };

static int chain_make(tamis_context *cx, size_t room, struct chain *c)
{
    *c = (struct chain){0, tamis_raw(cx, size_t, room), tamis_raw(cx, double, room), tamis_raw(cx, double, room), 0};
    return tamis_status(cx);
}

static void chain_free(struct chain *c)
{
    tamis_free(c->input);
    tamis_free(c->shared);
    tamis_free(c->score);
}

static int comes_first(double score, size_t i, double other, size_t k)
{
    return score > other || (score == other && i < k);
}

static void swap(struct chain *c, size_t a, size_t b)
{
    size_t input = c->input[a];
    double shared = c->shared[a];
    c->input[a] = c->input[b];
    c->shared[a] = c->shared[b];
    c->input[b] = input;
    c->shared[b] = shared;
}

/* Puts c->input[0 .. count - 1], of which all pairs are known, into order. */
static void chain_sort(const struct pairwise *j, struct chain *c)
{
    double known;
    memset(c->shared, 0, c->count * sizeof *c->shared);
    c->value = 0;
    for (size_t t = 0; t < c->count; t++) {
        size_t best = t;
        for (size_t k = t; k < c->count; k++) {
            c->score[k] = score_of(j, c->input[k], c->shared[k], t);
            if (comes_first(c->score[k], c->input[k], c->score[best], c->input[best])) best = k;
        }
        double score = c->score[best];
        swap(c, t, best);
        c->score[t] = score;
        c->value += score;
        for (size_t k = t + 1; k < c->count; k++)
            if (pairwise_shared(j, c->input[t], c->input[k], &known)) c->shared[k] += known;
    }
}

/* The value of the chain with input i at its end; 0: it would come earlier. */
static int value_after(const struct pairwise *j, const struct chain *c, size_t i, double *value)
{
    double shared = 0, known;
    for (size_t t = 0; t < c->count; t++) {
        if (comes_first(score_of(j, i, shared, t), i, c->score[t], c->input[t])) return 0;
        if (pairwise_shared(j, c->input[t], i, &known)) shared += known;
    }
    *value = c->value + score_of(j, i, shared, c->count);
    return 1;
}

/* ---- sets ---- */

/* The inputs of the set `base` with one toggled (SIZE_MAX: none). */
static void chain_fill(const struct pairwise *j, const unsigned char *base, size_t toggle, struct chain *c)
{
    c->count = 0;
    for (size_t i = 0; i < j->d->inputs; i++)
        if (base[i] != (i == toggle)) c->input[c->count++] = i;
    chain_sort(j, c);
}

static size_t additions(const unsigned char *base, const size_t *toggle, size_t count, size_t *more)
{
    size_t n = 0;
    for (size_t k = 0; k < count; k++)
        if (toggle[k] != SIZE_MAX && !base[toggle[k]]) more[n++] = toggle[k];
    return n;
}

static int evaluate(void *self, const unsigned char *base, const size_t *toggle, size_t count,
                    const struct tamis_score *hint, struct tamis_score *score)
{
    struct pairwise *j = self;
    size_t d = j->d->inputs, *more = tamis_raw(j->cx, size_t, count);
    struct chain c = {0}, changed = {0};
    (void)hint;
    int status = chain_make(j->cx, d, &c);
    if (!status) status = chain_make(j->cx, d, &changed);
    for (size_t i = 0; i < d && !status; i++)
        if (base[i]) c.input[c.count++] = i;
    if (!status) status = pairwise_know(j, c.input, c.count, more, additions(base, toggle, count, more));
    if (!status) chain_sort(j, &c);
    for (size_t k = 0; k < count && !status; k++) {
        double value = c.value;
        if (toggle[k] != SIZE_MAX && (base[toggle[k]] || !value_after(j, &c, toggle[k], &value))) {
            chain_fill(j, base, toggle[k], &changed);
            value = changed.value;
        }
        score[k] = (struct tamis_score){.value = value != 0 ? -value : 0};
    }
    chain_free(&c);
    chain_free(&changed);
    tamis_free(more);
    return status;
}

/* The order of a set, whose pairs are computed if they are not known. */
static int chain_of(struct pairwise *j, const unsigned char *set, struct chain *c)
{
    int status = chain_make(j->cx, j->d->inputs, c);
    for (size_t i = 0; i < j->d->inputs && !status; i++)
        if (set[i]) c->input[c->count++] = i;
    if (!status) status = pairwise_know(j, c->input, c->count, NULL, 0);
    if (!status) chain_sort(j, c);
    return status;
}

/* mrmr: no other input is above its level, and scores are not larger than that. jmi, which has no such bound: the last
 * inputs did not help. */
static int ends(void *self, const unsigned char *set)
{
    struct pairwise *j = self;
    struct chain c = {0};
    int over = j->s.permutations > 0;
    for (size_t i = 0; i < j->d->inputs && !j->joint && over; i++)
        over = set[i] || j->d->encoder->input[i].constant || j->relevance[i] <= j->level[i];
    if (!j->joint || !over) return over;
    over = !chain_of(j, set, &c) && c.count >= TAIL;
    for (size_t t = over ? c.count - TAIL : 0; over && t < c.count; t++) over = c.score[t] <= 0;
    chain_free(&c);
    return over;
}

/* relevance: the score of an input when it joined, without its level. */
static int fit(void *self, const unsigned char *set, const struct tamis_score *at, struct tamis_model **model,
               double *relevance)
{
    struct pairwise *j = self;
    struct chain c = {0};
    unsigned char *tenth = tamis_new(j->cx, unsigned char, j->d->inputs);
    (void)at;
    if (tenth && relevance && !chain_of(j, set, &c))
        for (size_t t = 0; t < c.count; t++)
            relevance[c.input[t]] = c.score[t] + (j->quotient ? 1 : (t ? j->step_level : j->level)[c.input[t]]);
    for (size_t i = 0; tenth && i < j->d->inputs; i++) tenth[i] = set[i] ? 10 : 0;
    if (model && !tamis_status(j->cx)) *model = tamis_neighbour_model(j->cx, j->d, tenth, 0);
    tamis_free(tenth);
    chain_free(&c);
    return tamis_status(j->cx);
}

/* ---- the rows ---- */

static int start(tamis_context *cx, const struct tamis_design *d, const tamis_options *o, uint64_t seed, int joint,
                 void **self)
{
    struct pairwise_settings s = {0};
    struct pairwise *j = NULL;
    int status = tamis_options_read(cx, o, joint ? jmi_rows : mrmr_rows, &s);
    if (!status) status = pairwise_start(cx, d, &s, joint, seed, &j);
    *self = j;
    return status;
}

static int mrmr_start(tamis_context *cx, const struct tamis_design *d, const tamis_options *o, uint64_t seed,
                      void **self)
{
    return start(cx, d, o, seed, 0, self);
}

static int jmi_start(tamis_context *cx, const struct tamis_design *d, const tamis_options *o, uint64_t seed,
                     void **self)
{
    return start(cx, d, o, seed, 1, self);
}

/* Rows of pairs are made for the inputs that were ever in a set. */
static int cost(tamis_context *cx, const struct tamis_design *d, const tamis_options *o, struct tamis_cost *c)
{
    struct pairwise_settings s = {0};
    int status = tamis_options_read(cx, o, jmi_rows, &s);
    double n = (double)d->rows, inputs = (double)d->inputs, one = 4 * n * sqrt(n * (double)s.k);
    c->bytes = 28 * n * (inputs + (double)s.permutations) + 8 * inputs * fmin(inputs, 1000) +
               32 * n * (double)tamis_threads(cx);
    c->flops = 2 * one;
    c->once = one * inputs * (1 + (double)s.permutations);
    c->remedy = "use fewer inputs";
    return status;
}

static const char *const none[] = {NULL};

const struct tamis_criterion tamis_mrmr = {
    .name = "mrmr",
    .error_name = "minus-mrmr",
    .label = "relevance less redundancy, negated",
    .relevance = "score at entry",
    .task = "both",
    .summary = "information of single inputs about the target less what they share with those chosen before (mRMR)",
    .paper = "H. Peng, F. Long, C. Ding, 2005",
    .options = mrmr_rows,
    .parameters = none,
    .start = mrmr_start,
    .finish = pairwise_finish,
    .cost = cost,
    .evaluate = evaluate,
    .fit = fit,
    .units = "minus the sum of mRMR scores, in nats; test rows: the errors of the task",
    .weights = 1,
    .negated = 1,
    .ends = ends,
};

const struct tamis_criterion tamis_jmi = {
    .name = "jmi",
    .error_name = "minus-jmi",
    .label = "joint information of pairs, negated",
    .relevance = "score at entry",
    .task = "both",
    .summary = "information of pairs of inputs about the target (joint mutual information)",
    .paper = "H. H. Yang, J. Moody, 1999; G. Brown et al., 2012",
    .options = jmi_rows,
    .parameters = none,
    .start = jmi_start,
    .finish = pairwise_finish,
    .cost = cost,
    .evaluate = evaluate,
    .fit = fit,
    .units = "minus the sum of JMI scores, in nats; test rows: the errors of the task",
    .weights = 1,
    .negated = 1,
    .ends = ends,
};
