/* opelm: inputs chosen by the Delta Test under forward-backward search, an OP-ELM on them, and their ranking by LARS.
 *
 * The search is the common one (path.c) with any criterion; the network is that of criterion press. With --scaling or
 * --factors the chosen inputs are multiplied by their weights, after standardising and without standardising again ([1]
 * section 5.5).
 *
 * [1] F. Mateo, A. Lendasse, A variable selection approach based on the Delta Test for Extreme Learning Machine models,
 * 2008. */
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include "base/number.h"
#include "crit/lars_rank.h"
#include "crit/press.h"
#include "method/methods.h"

struct settings { const char *select, *search; struct tamis_names factors; int scaling; };

#define AT(field) offsetof(struct settings, field)
static const struct tamis_option rows[] = {
    {.name = "criterion", .type = TAMIS_TEXT, .offset = AT(select), .standard = "delta", .argument = "NAME|none",
     .help = "criterion that chooses the inputs; none: use all inputs", .alias = "select"},
    {.name = "search", .type = TAMIS_TEXT, .offset = AT(search), .standard = "forward-backward", .argument = "NAME",
     .help = "search over sets of inputs"},
    {.name = "scaling", .type = TAMIS_FLAG, .offset = AT(scaling),
     .help = "after the search, weight each input so as to lower the criterion; the network uses the scaled inputs"},
    {.name = "factors", .type = TAMIS_NAMES, .offset = AT(factors), .argument = "A=F,B=F,...",
     .help = "scaling factors of inputs, from 0 to 1; 0 drops an input"},
    {0}};

struct build {
    struct tamis_run *run;
    struct settings s;
    struct tamis_design design, test;   /* scaled if there are factors; x and the encoder are then ours */
    double *factor;
    unsigned char *set, *full;
    double *relevance, *order;
    struct tamis_score at, chosen;      /* of the selection; of the network */
    const struct tamis_criterion *by;   /* that chose; NULL: none */
};

static int resolve(struct tamis_run *run)
{
    struct settings s = {0};
    int status = tamis_options_read(run->cx, run->options, rows, &s), none = !status && !strcmp(s.select, "none");
    run->more = tamis_press_criterion.options;
    if (none && s.scaling)
        return tamis_fail(run->cx, TAMIS_USAGE,
                          "--scaling needs a search; with --criterion none, give the factors with --factors");
    if (status || none) return status;
    status = tamis_resolve_criterion(run, s.select);
    if (!status) status = tamis_resolve_search(run, s.search);
    return status ? status : tamis_resolve_scaling(run, s.scaling);
}

static int cost(struct tamis_run *run, struct tamis_cost *c)
{
    struct tamis_cost net = {0, 0};
    int status = run->criterion ? tamis_path_cost(run, c) : TAMIS_OK;
    if (!status) status = tamis_press_criterion.cost(run->cx, run->design, run->options, &net);
    c->bytes += net.bytes;
    c->flops += 2 * net.flops;
    return status;
}

/* ---- factors ---- */

/* "NAME=0.3"; the last = counts, as names may hold others. */
static int factor_read(struct build *b, const char *text)
{
    const struct tamis_encoder *e = b->run->design->encoder;
    const char *mark = strrchr(text, '=');
    double f = NAN;
    if (!mark || !tamis_number_whole(mark + 1, strlen(mark + 1), '.', &f) || !(f >= 0 && f <= 1))
        return tamis_fail(b->run->cx, TAMIS_USAGE, "--factors '%s': expected NAME=F with F from 0 to 1", text);
    for (size_t i = 0; i < e->inputs; i++)
        if (strlen(e->input[i].name) == (size_t)(mark - text) &&
            !strncmp(e->input[i].name, text, (size_t)(mark - text))) {
            b->factor[i] = f;
            return TAMIS_OK;
        }
    return tamis_fail(b->run->cx, TAMIS_USAGE, "--factors '%s': unknown input", text);
}

/* An encoder whose standardised values are the factor times those of `from`. */
static struct tamis_encoder *encoder_scaled(struct build *b, const struct tamis_encoder *from)
{
    struct tamis_encoder *e = tamis_encoder_subset(b->run->cx, from, NULL);
    for (size_t i = 0; e && i < e->inputs; i++)
        for (size_t j = e->input[i].first; b->factor[i] > 0 && j < e->input[i].first + e->input[i].columns; j++) {
            e->scale[j] /= b->factor[i];
            if (e->fill) e->fill[j] *= b->factor[i];
            for (size_t k = 0; k < e->donors; k++) e->donor[k + e->donors * j] *= b->factor[i];
        }
    return e;
}

static int design_scale(struct build *b, const struct tamis_design *from, struct tamis_encoder *e,
                        struct tamis_design *d)
{
    *d = *from;
    d->encoder = e;
    d->x = tamis_raw(b->run->cx, double, from->rows * from->columns);
    for (size_t i = 0; d->x && i < from->inputs; i++) {
        const struct tamis_feature *f = &from->encoder->input[i];
        for (size_t k = from->rows * f->first; k < from->rows * (f->first + f->columns); k++)
            d->x[k] = b->factor[i] * from->x[k];
    }
    return tamis_status(b->run->cx);
}

/* Factors of the search, overridden by those that the user names; 0 drops an input. *scaled: some factor is not 1. */
static int factors_settle(struct build *b, int *scaled)
{
    size_t left = 0;
    int status = TAMIS_OK;
    for (size_t i = 0; i < b->s.factors.count && !status; i++) status = factor_read(b, b->s.factors.name[i]);
    for (size_t i = 0; i < b->run->design->inputs; i++) {
        if (!(b->factor[i] > 0)) b->set[i] = 0;
        left += b->set[i];
        *scaled |= b->factor[i] < 1;
    }
    if (!status && !left && b->s.factors.count)
        return tamis_fail(b->run->cx, TAMIS_USAGE, "--factors: no chosen input has a factor above 0");
    return status;
}

static int factors_apply(struct build *b)
{
    struct tamis_run *run = b->run;
    int scaled = 0, status = factors_settle(b, &scaled);
    b->design = *run->design;
    if (run->test) b->test = *run->test;
    if (status || !scaled) return status;
    struct tamis_encoder *e = encoder_scaled(b, run->design->encoder);
    if (!e) return tamis_status(run->cx);
    status = design_scale(b, run->design, e, &b->design);
    if (!status && run->test) status = design_scale(b, run->test, e, &b->test);
    return status;
}

static void factors_free(struct build *b)
{
    if (b->design.encoder == b->run->design->encoder || !b->design.encoder) return;
    tamis_free(b->design.x);
    if (b->test.encoder == b->design.encoder) tamis_free(b->test.x);
    tamis_encoder_free(b->design.encoder);
}

/* ---- selection ---- */

static int select_inputs(struct build *b)
{
    struct tamis_run *run = b->run;
    size_t n = run->design->inputs;
    int status = TAMIS_OK;
    b->at.value = NAN;
    for (size_t i = 0; i < n; i++) b->order[i] = NAN;
    if (run->criterion) status = tamis_path_choose(run, b->set, b->factor, b->order, &b->at);
    else memcpy(b->set, b->full, n);
    return status;
}

/* ---- the networks ---- */

/* The network on the inputs in set, with its errors. */
static int network_fit(struct build *b, const struct tamis_design *d, const struct tamis_design *test,
                       const unsigned char *set, struct tamis_score *score, struct tamis_model **model,
                       double *relevance, double *error)
{
    const struct tamis_criterion *c = &tamis_press_criterion;
    struct tamis_run *run = b->run;
    void *scorer = NULL;
    int status = c->start(run->cx, d, run->options, run->seed, &scorer);
    if (!status) status = tamis_press_network(scorer, set, score, model);
    if (!status && relevance) status = c->fit(scorer, set, score, NULL, relevance);
    if (!status && run->test) status = tamis_model_error(run->cx, *model, test, error);
    if (scorer) c->finish(scorer);
    return status;
}

/* The network of the chosen inputs, scaled if there are factors, and for comparison that of all inputs unscaled. */
static int networks_fit(struct build *b)
{
    struct tamis_run *run = b->run;
    struct tamis_result *o = run->result;
    struct tamis_model *all = NULL;
    struct tamis_score score;
    int same = b->design.x == run->design->x && !memcmp(b->set, b->full, run->design->inputs);
    int status = network_fit(b, &b->design, &b->test, b->set, &b->chosen, &o->model, b->relevance, &o->test);
    if (!status && !isfinite(b->chosen.value))
        status = tamis_fail(run->cx, TAMIS_NUMERIC,
                            "opelm: no number of neurons has a finite leave-one-out error on %zu rows",
                            run->design->rows);
    if (same) score = b->chosen, o->test_all_inputs = o->test;
    else if (!status)
        status = network_fit(b, run->design, run->test, b->full, &score, &all, NULL, &o->test_all_inputs);
    o->error = b->chosen.value;
    if (!status) o->all_inputs = score.value;
    tamis_model_free(all);
    return status;
}

/* ---- the result ---- */

static void names_fill(struct build *b)
{
    struct tamis_result *o = b->run->result;
    b->run->criterion = &tamis_press_criterion;         /* the errors are those of the network, in its units */
    o->error_name = tamis_press_criterion.error_name;
    o->error_label = tamis_press_criterion.label;
    if (!o->criterion) o->criterion = tamis_press_criterion.name;
}

static int block_fill(struct build *b)
{
    struct tamis_result *o = b->run->result;
    const struct tamis_criterion *c = b->by;
    tamis_value *v = tamis_result_block(b->run->cx, o, "opelm");
    tamis_add_number(v, c ? c->name : "delta", b->at.value);
    tamis_add_number(v, "neurons", b->chosen.parameter[0]);
    if (c != &tamis_press_criterion) tamis_add_number(v, "press", b->chosen.value);
    tamis_value *order = tamis_add_list(v, "lars");
    for (size_t k = 0; k < o->selected; k++) tamis_add_text(order, NULL, o->name[o->chosen[k]]);
    return tamis_status(b->run->cx);
}

static int allocate(struct build *b)
{
    size_t n = b->run->design->inputs;
    tamis_context *cx = b->run->cx;
    b->factor = tamis_new(cx, double, n);
    b->set = tamis_new(cx, unsigned char, n);
    b->full = tamis_new(cx, unsigned char, n);
    b->relevance = tamis_new(cx, double, n);
    b->order = tamis_new(cx, double, n);
    if (tamis_status(cx)) return tamis_status(cx);
    tamis_design_candidates(b->run->design, b->full);
    for (size_t i = 0; i < n; i++) b->factor[i] = 1, b->relevance[i] = NAN;
    return tamis_options_read(cx, b->run->options, rows, &b->s);
}

static int run_all(struct tamis_run *run)
{
    struct build b = {.run = run, .by = run->criterion};
    int status = allocate(&b);
    if (!status) status = select_inputs(&b);
    if (!status) status = factors_apply(&b);
    if (!status) status = networks_fit(&b);
    if (!status) names_fill(&b);
    if (!status) status = tamis_result_rank(run->cx, run->result, b.set, b.relevance, b.order);
    if (!status) status = block_fill(&b);
    factors_free(&b);
    tamis_free(b.factor);
    tamis_free(b.set);
    tamis_free(b.full);
    tamis_free(b.relevance);
    tamis_free(b.order);
    return status;
}

/* Kinds of neurons are rows of Table 2 of [1]; linear ones may be pruned, as 17 neurons on 18 variables in Table 4
 * show. */
static const struct tamis_published published[] = {
    {"criterion", "delta", "section 5.2"},
    {"search", "forward-backward", "section 5.2"},
    {"start", "empty", "section 5.2: empty initial search set"},
    {"restarts", "0", "section 5.2"},
    {"accept-equal", "yes", "section 2.2, step 3: it stops where the old value is lower, or a set recurs"},
    {"ties", "first", "section 2.1: the nearest neighbour, one row"},
    {"max-neurons", "100", "section 5.3: 100 kernels"},
    {"keep-linear", "no", "Table 4: fewer neurons than variables"},
    {"plain", "no", "section 5.3: pruned by PRESS"},
    {0}};

const struct tamis_method tamis_opelm = {
    .name = "opelm",
    .task = "regression",
    .summary = "inputs by the Delta Test, then random neurons ranked by LARS and counted by their leave-one-out error",
    .relevance = "correlation",
    .paper = "F. Mateo, A. Lendasse, 2008",
    .options = rows,
    .resolve = resolve,
    .cost = cost,
    .select = run_all,
    .several_targets = 1,
    .checkpoint = 1,
    .constraints = 1,
    .weights = 1,
    .published = published,
};
