/* fei: inputs of a classifier by the feature evaluation indices of many radial basis function networks.
 *
 *     FEI(F) = sum over classes k of d_k / D_k,
 *
 * d_k the spread of the nodes of class k and D_k their distance from those of the other classes, both without the
 * inputs in F, from the centres, widths and output weights of a trained network: how much class separation is lost by
 * ignoring F.
 *
 * [1] J. Basak, S. Mitra: Feature selection using radial basis function networks. Neural Computing & Applications 8,
 * 1999.
 * DIFFERS [1] section 3.3: rankings change with the start of k-means, so the rank of an input is its mean over many
 * starts; sets of inputs have the median of their index. The number of inputs is chosen by cross-validation, which [1]
 * leaves open. */
#include <math.h>
#include <string.h>
#include "method/fei/fei.h"
#include "method/methods.h"
#include "num/nodes.h"

#define AT(field) offsetof(struct tamis_fei_settings, field)

static const struct tamis_option rows[] = {
    {.name = "hidden", .type = TAMIS_COUNT, .offset = AT(hidden), .standard = "auto", .least = 3, .largest = 100000,
     .choices = "auto", .argument = "auto|M",
     .help = "hidden nodes, more than classes; auto: grown until the cross-validated error stops falling"},
    {.name = "index", .type = TAMIS_CHOICE, .offset = AT(index), .standard = "fei2", .choices = "fei|fei2",
     .help = "index that ranks the inputs: FEI, or FEI' with the widths of the clusters"},
    {.name = "starts", .type = TAMIS_COUNT, .offset = AT(starts), .standard = "20", .least = 1, .largest = 100000,
     .help = "networks, each from its own start of k-means, that the ranking averages over"},
    {.name = "weights", .type = TAMIS_CHOICE, .offset = AT(weights), .standard = "lms", .choices = "ls|lms",
     .help = "output weights behind the index: least squares, or least mean squares stopped early"},
    {.name = "rate", .type = TAMIS_REAL, .offset = AT(rate), .standard = "0.05", .least = 1e-12, .largest = 1,
     .help = "rate of least mean squares: each row moves the weights by RATE / rows times its error"},
    {.name = "epochs", .type = TAMIS_COUNT, .offset = AT(epochs), .standard = "100", .least = 1, .largest = 1000000,
     .help = "epochs of least mean squares"},
    {.name = "pairs", .type = TAMIS_CHOICE, .offset = AT(pairs), .standard = "symmetric",
     .choices = "symmetric|ordered",
     .help = "pairs of nodes between classes: all, or only c' > c as printed in the paper"},
    {.name = "classifier", .type = TAMIS_CHOICE, .offset = AT(classifier), .standard = "ls", .choices = "ls|lms",
     .help = "output weights of the final classifier"},
    {.name = "folds", .type = TAMIS_COUNT, .offset = AT(folds), .standard = "10", .least = 2, .largest = 1000,
     .help = "folds of the cross-validation"},
    {.name = "select-rule", .type = TAMIS_CHOICE, .offset = AT(rule), .standard = "se", .choices = "se|best",
     .help = "se: the fewest inputs within one standard error of the least error; best: the least error"},
    {.name = "list", .type = TAMIS_COUNT, .offset = AT(list), .standard = "5", .least = 1, .largest = 1000000,
     .help = "sets of each size in the result, for 11 to 20 inputs"},
    {.name = "sizes", .type = TAMIS_COUNT, .offset = AT(sizes), .standard = "10", .least = 1, .largest = 100000,
     .help = "largest set to search for if there are more than 20 inputs"},
    {0}};

/* ---- the data of the networks ---- */

static void data_free(struct tamis_fei_data *d)
{
    tamis_free(d->x);
    tamis_free(d->y);
    tamis_free(d->weight);
    tamis_free(d->input);
    tamis_free(d->first);
    tamis_free(d->width);
}

static int data_make(tamis_context *cx, const struct tamis_design *from, struct tamis_fei_data *d)
{
    const struct tamis_encoder *e = from->encoder;
    *d = (struct tamis_fei_data){.design = from, .rows = from->rows, .classes = e->classes};
    d->input = tamis_new(cx, size_t, e->inputs);
    d->first = tamis_new(cx, size_t, e->inputs);
    d->width = tamis_new(cx, size_t, e->inputs);
    d->y = tamis_raw(cx, double, from->rows);
    d->weight = from->weight ? tamis_raw(cx, double, from->rows) : NULL;
    d->x = tamis_raw(cx, double, from->rows * from->columns);
    if (tamis_status(cx)) return tamis_status(cx);
    memcpy(d->y, from->y, from->rows * sizeof *d->y);
    if (d->weight) memcpy(d->weight, from->weight, from->rows * sizeof *d->weight);
    for (size_t i = 0; i < e->inputs; i++) {
        const struct tamis_feature *f = &e->input[i];
        if (f->constant) continue;
        d->input[d->inputs] = i;
        d->first[d->inputs] = d->columns;
        d->width[d->inputs++] = f->columns;
        memcpy(d->x + from->rows * d->columns, from->x + from->rows * f->first, from->rows * f->columns * sizeof *d->x);
        d->columns += f->columns;
    }
    return TAMIS_OK;
}

static int settings_read(tamis_context *cx, const tamis_options *o, const struct tamis_design *d,
                         struct tamis_fei_settings *s)
{
    int status = tamis_options_read(cx, o, rows, s);
    if (status) return status;
    size_t classes = d->encoder->classes;
    s->folds = tamis_design_fold_count(cx, d, s->folds);
    if (!tamis_options_get(o, "folds") && s->folds > d->rows) s->folds = d->rows;
    if (s->hidden != SIZE_MAX && s->hidden <= classes)
        return tamis_fail(cx, TAMIS_USAGE,
                          "--hidden %zu: %zu classes need more than %zu hidden nodes (with one per class the index is "
                          "always 0); use %zu or more",
                          s->hidden, classes, classes, 2 * classes);
    if (d->rows <= classes)
        return tamis_fail(cx, TAMIS_DATA, "fei: %zu rows for %zu classes; use more rows than classes", d->rows,
                          classes);
    return TAMIS_OK;
}

/* ---- cost ---- */

static int cost(struct tamis_run *run, struct tamis_cost *c)
{
    struct tamis_fei_settings s = {0};
    const struct tamis_design *d = run->design;
    int status = settings_read(run->cx, run->options, d, &s);
    if (status) return status;
    double n = (double)d->rows, p = (double)d->columns, l = (double)d->encoder->classes,
           threads = tamis_threads(run->cx), folds = (double)s.folds;
    size_t nodes = s.hidden == SIZE_MAX ? tamis_fei_nodes(2, d->encoder->classes, d->rows) : s.hidden;
    double m = (double)nodes, starts = (double)s.starts, steps = p < 60 ? p + 1 : 40 + 12 * log(p / 40),
           iterations = 25;
    c->bytes = 8 * 3 * n * p + threads * tamis_trainer_bytes(d->rows, d->columns, nodes, d->encoder->classes) +
               8 * 4 * p * l * starts +
               (d->inputs <= TAMIS_FEI_ALL_SUBSETS ? 56.0 * (double)((size_t)1 << d->inputs) : 0);
    double network = 6 * n * m * p * iterations, solve = 1.5 * n * m * (m + l),
           lms = l > TAMIS_MANY_CLASSES ? (1.5 * n + m * log2((double)s.epochs)) * m * (m + l)
                                        : (8 * m * l + 60) * n * (double)s.epochs;
    double grown = s.hidden != SIZE_MAX ? 0 : l > TAMIS_MANY_CLASSES ? 2 : 5;
    c->flops = (starts + folds * fmin(starts, 10)) * (network + (strcmp(s.weights, "lms") ? solve : lms)) +
               folds * (3 * network + solve) * (0.3 * steps + grown);
    return TAMIS_OK;
}

/* ---- the run ---- */

struct work {
    struct tamis_run *run;
    struct tamis_fei_settings s;
    struct tamis_journal journal;
    struct tamis_fei_data d;
    struct tamis_fei_ranking ranking;
    struct tamis_fei_growth growth;
    struct tamis_fei_path path;
    size_t nodes;
    unsigned char *set;                 /* of the design's inputs */
    double *relevance;
};

static int nodes_fit(struct work *r)
{
    tamis_context *cx = r->run->cx;
    size_t made = r->ranking.nodes, classes = r->d.classes;
    if (!r->ranking.starts)
        return tamis_fail(cx, TAMIS_NUMERIC,
                          "fei: the index is undefined in all %zu starts (equal output weights, or a class without a "
                          "hidden node); try another --hidden, or --weights lms",
                          r->s.starts);
    if (made == r->nodes) return TAMIS_OK;
    if (r->s.hidden != SIZE_MAX || made <= classes)
        return tamis_fail(cx, TAMIS_DATA, "fei: only %zu distinct rows, too few for %zu hidden nodes; %s", made,
                          r->nodes, made > classes ? "lower --hidden" : "use more distinct rows than classes");
    r->nodes = made;
    return TAMIS_OK;
}

static int rank_inputs(struct work *r)
{
    tamis_context *cx = r->run->cx;
    int status = TAMIS_OK;
    r->nodes = r->s.hidden;
    if (r->s.hidden == SIZE_MAX) status = tamis_fei_grow(cx, &r->d, &r->s, r->run->seed, &r->growth, &r->nodes);
    if (status) return status;
    if (r->nodes > r->d.rows)
        return tamis_fail(cx, TAMIS_DATA, "fei: only %zu rows, too few for %zu hidden nodes; lower --hidden",
                          r->d.rows, r->nodes);
    status = tamis_fei_rank(cx, &r->d, &r->s, r->nodes, r->s.starts, 1, r->run->seed, 0, &r->ranking);
    if (!status) status = nodes_fit(r);
    if (!status && r->ranking.starts < r->s.starts)
        tamis_note(cx, "fei: the index is undefined in %zu of %zu starts, which are ignored",
                   r->s.starts - r->ranking.starts, r->s.starts);
    return status;
}

/* The classifier on the inputs in set[], from the best of all starts. */
static int classifier_fit(struct work *r, const unsigned char *set, struct tamis_model **model)
{
    tamis_context *cx = r->run->cx;
    struct tamis_fei_data part = r->d;
    part.columns = 0;
    part.x = tamis_raw(cx, double, r->d.rows * r->d.columns);
    for (size_t i = 0; part.x && i < r->d.inputs; i++)
        if (set[r->d.input[i]]) {
            memcpy(part.x + part.rows * part.columns, r->d.x + part.rows * r->d.first[i],
                   part.rows * r->d.width[i] * sizeof *part.x);
            part.columns += r->d.width[i];
        }
    struct tamis_training t = tamis_fei_training(&part, &r->s, r->nodes, 1);
    struct tamis_trainer *w = part.x ? tamis_trainer_new(cx, t.rows, t.columns, t.nodes, t.classes) : NULL;
    int status = w ? TAMIS_OK : tamis_status(cx);
    if (!status && !tamis_train(w, &t, r->s.starts, r->run->seed, TAMIS_RNG_FEI, 0))
        status = tamis_fail(cx, TAMIS_NUMERIC,
                            "fei: least squares for the output weights failed; try fewer --hidden nodes");
    if (!status)
        *model = tamis_model_new(cx, &tamis_rbf_classifier_kind, tamis_encoder_subset(cx, r->run->design->encoder, set),
                                 tamis_trainer_classifier(cx, w, &t));
    tamis_trainer_free(w);
    tamis_free(part.x);
    return tamis_status(cx);
}

static int models_fit(struct work *r)
{
    struct tamis_run *run = r->run;
    struct tamis_result *o = run->result;
    struct tamis_model *all = NULL;
    int status = classifier_fit(r, r->set, &o->model);
    if (status || !run->test) return status;
    status = tamis_model_error(run->cx, o->model, run->test, &o->test);
    unsigned char *every = tamis_new(run->cx, unsigned char, run->design->inputs);
    for (size_t i = 0; every && i < r->d.inputs; i++) every[r->d.input[i]] = 1;
    if (!status && every) status = classifier_fit(r, every, &all);
    if (!status && all) status = tamis_model_error(run->cx, all, run->test, &o->test_all_inputs);
    tamis_model_free(all);
    tamis_free(every);
    return status ? status : tamis_status(run->cx);
}

/* ---- the answer ---- */

static const char *const parameter[] = {"hidden", "se"};

static int path_fill(struct work *r)
{
    struct tamis_result *o = r->run->result;
    const struct tamis_fei_path *p = &r->path;
    size_t first = p->steps ? p->size[0] : 0;
    if (tamis_result_path(r->run->cx, o, p->steps, r->d.inputs)) return tamis_status(r->run->cx);
    for (size_t k = 0; k < first; k++) o->start[r->d.input[r->ranking.order[k]]] = 1;
    for (size_t k = first; k < r->d.inputs; k++) o->changed[k - first] = r->d.input[r->ranking.order[k]];
    for (size_t k = 0; k < p->steps; k++)
        o->path[k] = (struct tamis_path_step){.size = p->size[k],
                                              .changed = k ? (ptrdiff_t)o->changed[p->size[k - 1] - first] : -1,
                                              .added = 1,
                                              .also = k ? p->size[k] - p->size[k - 1] - 1 : 0,
                                              .criterion = p->error[k],
                                              .parameters = {(double)r->nodes, p->se[k]}};
    o->chosen_step = p->chosen;
    o->parameters = sizeof parameter / sizeof *parameter;
    o->parameter_names = parameter;
    o->criterion = "fei";
    o->error_name = "cv";
    o->error_label = "cross-validated error";
    o->all_inputs = p->error[p->steps - 1];
    o->error = p->error[p->chosen];
    return TAMIS_OK;
}

/* Relevance: 1 for an input that is first in every start, 1 / inputs for one that is last in every start. */
static int inputs_fill(struct work *r)
{
    double n = (double)r->d.inputs;
    for (size_t i = 0; i < r->run->design->inputs; i++) r->relevance[i] = NAN;
    for (size_t i = 0; i < r->d.inputs; i++) r->relevance[r->d.input[i]] = (n + 1 - r->ranking.mean_rank[i]) / n;
    for (size_t k = 0; k < r->path.size[r->path.chosen]; k++) r->set[r->d.input[r->ranking.order[k]]] = 1;
    return tamis_result_rank(r->run->cx, r->run->result, r->set, r->relevance, r->relevance);
}

static void notes_add(const struct work *r)
{
    const struct tamis_fei_path *p = &r->path;
    if (p->size[p->chosen] == 0)
        tamis_note(r->run->cx, "no inputs along the ranking predict clearly better than the most frequent class; "
                               "this index does not see inputs that matter only together");
    else if (p->error[p->steps - 1] > p->error[0] - p->se[0] && p->error[p->chosen] > p->error[0] - p->se[0])
        tamis_note(r->run->cx,
                   "the classifier is hardly better than the most frequent class: the ranking means little");
}

static int answer(struct work *r)
{
    struct tamis_result *o = r->run->result;
    struct tamis_fei_answer w = {&r->d, &r->s, &r->ranking, &r->path, &r->growth, r->nodes, o->input};
    int status = path_fill(r);
    if (!status) status = inputs_fill(r);
    if (!status) status = models_fit(r);
    if (!status) status = tamis_fei_block_fill(r->run->cx, &w, tamis_result_block(r->run->cx, o, "fei"));
    if (!status) notes_add(r);
    return status;
}

static int select_inputs(struct tamis_run *run)
{
    struct work r = {.run = run};
    int status = settings_read(run->cx, run->options, run->design, &r.s);
    if (!status) status = tamis_journal_open(&r.journal, run->cx, run->checkpoint, run->fingerprint);
    if (!status) status = data_make(run->cx, run->design, &r.d);
    r.d.journal = &r.journal;
    r.set = tamis_new(run->cx, unsigned char, run->design->inputs);
    r.relevance = tamis_new(run->cx, double, run->design->inputs);
    if (!status) status = tamis_status(run->cx);
    if (!status) status = rank_inputs(&r);
    if (!status) status = tamis_fei_cross(run->cx, &r.d, &r.s, r.nodes, run->seed, &r.path);
    if (!status) status = answer(&r);
    tamis_fei_ranking_free(&r.ranking);
    tamis_fei_path_free(&r.path);
    data_free(&r.d);
    tamis_free(r.set);
    tamis_free(r.relevance);
    return tamis_journal_close(&r.journal, status);
}

static const struct tamis_again again[] = {{"hidden", NULL}, {"starts", "5"}, {"folds", "2"}, {0}};

/* [1] does not say how many inputs to keep, and neither rate nor epochs of eq. 4. */
static const struct tamis_published published[] = {
    {"starts", "1", "section 3.3: one network"},
    {"weights", "ls", "eq. 3: the least squares that eq. 4 with a falling rate converges to"},
    {"classifier", "ls", "eq. 3"},
    {"pairs", "ordered", "eqs. 8 and 13: c' > c"},
    {"standardize", "no", "section 4: the data as they are; only they give the ranks of Table 1"},
    {0}};

const struct tamis_method tamis_fei = {
    .name = "fei",
    .task = "classification",
    .summary = "RBF networks by k-means; inputs ranked by how much class separation is lost without them",
    .relevance = "rank score",
    .paper = "J. Basak, S. Mitra, Neural Computing & Applications 8, 1999",
    .options = rows,
    .again = again,
    .published = published,
    .cost = cost,
    .weights = 1,
    .select = select_inputs,
    .shared = tamis_always_shared,
    .checkpoint = 1,
};
