/* opelm: inputs by the Delta Test under forward-backward search, an OP-ELM on them, and their ranking by LARS.
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
#include "crit/lars_rank.h"
#include "crit/press.h"
#include "method/methods.h"

struct settings { const char *select, *search; struct tamis_names factors; int scaling; };

#define AT(field) offsetof(struct settings, field)
static const struct tamis_option rows[] = {
    {"select", TAMIS_TEXT, AT(select), "delta", 0, 0, NULL, "NAME|none",
     "the criterion that chooses the inputs; none: all of them are used"},
    {"search", TAMIS_TEXT, AT(search), "forward-backward", 0, 0, NULL, "NAME", "the search that it chooses them with"},
    {"scaling", TAMIS_FLAG, AT(scaling), NULL, 0, 0, NULL, NULL,
     "after the search, give each input the weight that lowers the criterion; the network sees the scaled inputs"},
    {"factors", TAMIS_NAMES, AT(factors), NULL, 0, 0, NULL, "A=F,B=F,...",
     "scaling factors of inputs, from 0 to 1; 0 leaves an input out"},
    {0}};

struct build {
    struct tamis_run *run;
    struct settings s;
    struct tamis_design design, test;   /* scaled where there are factors; x and the encoder are then ours */
    double *factor;
    unsigned char *set, *full;
    double *relevance, *order;
    struct tamis_score at, chosen;      /* of the selection; of the network */
    const struct tamis_criterion *by;   /* that chose; NULL: none */
};

static int plan(tamis_context *cx, const tamis_options *o, struct tamis_plan *p)
{
    struct settings s = {0};
    int status = tamis_options_read(cx, o, rows, &s);
    p->several = 1;
    p->more = tamis_press_criterion.options;
    if (!status && s.scaling && !strcmp(s.select, "none"))
        return tamis_fail(cx, TAMIS_USAGE,
                          "--scaling weighs what a search has found; with --select none name --factors");
    if (status || !strcmp(s.select, "none")) return status;
    p->criterion = tamis_criterion_find(s.select);
    p->search = tamis_search_find(s.search);
    if (!p->criterion)
        return tamis_fail(
            cx, TAMIS_USAGE,
            "--select %s: there is no such criterion; 'tamis methods' lists them, and none uses all inputs", s.select);
    if (!p->search)
        return tamis_fail(cx, TAMIS_USAGE, "--search %s: there is no such search; 'tamis methods' lists them",
                          s.search);
    p->scaling = s.scaling;
    if (s.scaling && !p->criterion->weigh)
        return tamis_fail(cx, TAMIS_USAGE, "--scaling: criterion %s has no weights; delta, gamma-test, knn and mi have",
                          s.select);
    return TAMIS_OK;
}

static int cost(struct tamis_run *run, struct tamis_cost *c)
{
    struct tamis_cost net = {0, 0};
    int status = run->plan.criterion ? tamis_path_cost(run, c) : TAMIS_OK;
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
    char *end = NULL;
    double f = mark ? strtod(mark + 1, &end) : NAN;
    if (!mark || end == mark + 1 || *end || !(f >= 0 && f <= 1))
        return tamis_fail(b->run->cx, TAMIS_USAGE, "--factors '%s': NAME=F with F from 0 to 1 is wanted", text);
    for (size_t i = 0; i < e->inputs; i++)
        if (strlen(e->input[i].name) == (size_t)(mark - text) &&
            !strncmp(e->input[i].name, text, (size_t)(mark - text))) {
            b->factor[i] = f;
            return TAMIS_OK;
        }
    return tamis_fail(b->run->cx, TAMIS_USAGE, "--factors '%s': there is no such input", text);
}

/* An encoder whose standardised values are the factor times those of `from`. */
static struct tamis_encoder *encoder_scaled(struct build *b, const struct tamis_encoder *from)
{
    struct tamis_encoder *e = tamis_encoder_subset(b->run->cx, from, b->full);
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

/* Those of the search, and over them those that the user names; an input at 0 is out. *scaled: some is not 1. */
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
    if (run->plan.criterion && run->design->encoder->more && run->plan.criterion != &tamis_press_criterion)
        return tamis_fail(run->cx, TAMIS_USAGE,
                          "opelm: %s judges one target, and --target names %zu; use --select none or --select press",
                          run->plan.criterion->name, 1 + run->design->encoder->more);
    if (run->plan.criterion) status = tamis_path_choose(run, b->set, b->factor, b->order, &b->at);
    else memset(b->set, 1, n);
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

/* That of the chosen inputs, scaled where they are, and for comparison that of all inputs as they are. */
static int networks_fit(struct build *b)
{
    struct tamis_run *run = b->run;
    struct tamis_outcome *o = run->outcome;
    struct tamis_model *all = NULL;
    struct tamis_score score;
    int same = b->design.x == run->design->x && !memcmp(b->set, b->full, run->design->inputs);
    int status = network_fit(b, &b->design, &b->test, b->set, &b->chosen, &o->model, b->relevance, &o->open.test);
    if (!status && !isfinite(b->chosen.value))
        status = tamis_fail(run->cx, TAMIS_NUMERIC,
                            "opelm: no number of neurons has a finite leave-one-out error on %zu rows",
                            run->design->rows);
    if (same) score = b->chosen, o->open.test_all_inputs = o->open.test;
    else if (!status)
        status = network_fit(b, run->design, run->test, b->full, &score, &all, NULL, &o->open.test_all_inputs);
    o->open.error = b->chosen.value;
    if (!status) o->open.all_inputs = score.value;
    o->open.model = o->model;
    tamis_model_free(all);
    return status;
}

/* ---- the result ---- */

static int names_fill(struct build *b)
{
    struct tamis_outcome *o = b->run->outcome;
    tamis_context *cx = b->run->cx;
    b->run->plan.criterion = &tamis_press_criterion;            /* the errors are those of the network, in its units */
    tamis_free(o->error_name);
    o->open.error_name = o->error_name = tamis_strdup(cx, "press");
    if (!o->criterion) o->open.criterion = o->criterion = tamis_strdup(cx, "press");
    return tamis_status(cx);
}

static int block_write(struct build *b)
{
    struct tamis_outcome *o = b->run->outcome;
    struct tamis_text *t = &o->block;
    const struct tamis_criterion *c = b->by;
    tamis_text_puts(t, "{");
    tamis_text_json(t, c ? c->name : "delta");
    tamis_text_puts(t, ": ");
    tamis_text_number(t, b->at.value);
    tamis_text_printf(t, ", \"neurons\": %zu, ", (size_t)b->chosen.parameter[0]);
    if (!c || strcmp(c->name, "press")) {
        tamis_text_puts(t, "\"press\": ");
        tamis_text_number(t, b->chosen.value);
        tamis_text_puts(t, ", ");
    }
    tamis_text_puts(t, "\"lars\": [");
    for (size_t k = 0; k < o->open.selected; k++) {
        if (k) tamis_text_puts(t, ", ");
        tamis_text_json(t, o->open.input[o->chosen[k]].name);
    }
    tamis_text_puts(t, "]}");
    o->block_name = "opelm";
    return tamis_text_status(t);
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
    memset(b->full, 1, n);
    for (size_t i = 0; i < n; i++) b->factor[i] = 1, b->relevance[i] = NAN;
    return tamis_options_read(cx, b->run->options, rows, &b->s);
}

static int run(struct tamis_run *run)
{
    struct build b = {.run = run, .by = run->plan.criterion};
    int status = allocate(&b);
    if (!status) status = select_inputs(&b);
    if (!status) status = factors_apply(&b);
    if (!status) status = networks_fit(&b);
    if (!status) status = names_fill(&b);
    if (!status) status = tamis_outcome_rank(run->cx, run->outcome, b.set, b.relevance, b.order);
    if (!status) status = block_write(&b);
    factors_free(&b);
    tamis_free(b.factor);
    tamis_free(b.set);
    tamis_free(b.full);
    tamis_free(b.relevance);
    tamis_free(b.order);
    return status;
}

const struct tamis_method tamis_opelm = {
    "opelm",
    "regression",
    "inputs by the Delta Test, then random neurons ranked by LARS and counted by their leave-one-out error",
    "F. Mateo, A. Lendasse, 2008",
    rows,
    plan,
    cost,
    run};
