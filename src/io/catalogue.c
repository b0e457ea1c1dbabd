/* What there is, from the tables of each layer: parts and options, for the command line, the manual and the front
 * ends. */
#include <string.h>
#include "data/clean.h"
#include "data/csv.h"
#include "data/formats.h"
#include "data/generate.h"
#include "io/predictions.h"
#include "io/report/report.h"
#include "model/code.h"
#include "select/comparison.h"
#include "select/method.h"

/* ---- parts ---- */

static int method_at(size_t i, tamis_part_info *p)
{
    static const struct tamis_method picks = {
        .name = "auto", .task = "both", .summary = "picks a method by task and options, and says which and why",
        .weights = 1};
    const struct tamis_method *m = i ? tamis_method_at(i - 1) : &picks;
    if (!m) return 0;
    *p = (tamis_part_info){.name = m->name,
                           .task = m->task,
                           .summary = m->summary,
                           .paper = m->paper,
                           .label = m->name,
                           .several_targets = m->several_targets,
                           .checkpoint = m->checkpoint,
                           .constraints = m->constraints,
                           .weights = m->weights,
                           .two_classes = m->two_classes,
                           .relevance = m->relevance};
    return 1;
}

static int criterion_at(size_t i, tamis_part_info *p)
{
    const struct tamis_criterion *c = tamis_criterion_at(i);
    if (c)
        *p = (tamis_part_info){
            .several_targets = c->several_targets,
            .name = c->name, .task = c->task, .summary = c->summary, .paper = c->paper, .label = c->label,
            .weights = c->weights, .relevance = c->relevance};
    return c != NULL;
}

static int search_at(size_t i, tamis_part_info *p)
{
    const struct tamis_search *s = tamis_search_at(i);
    if (s) *p = (tamis_part_info){.name = s->name, .summary = s->summary, .label = s->name};
    return s != NULL;
}

static int generator_at(size_t i, tamis_part_info *p)
{
    const tamis_part_info *g = tamis_generator_at(i);
    if (g) *p = *g;
    return g != NULL;
}

static int format_at(size_t i, tamis_part_info *p)
{
    const struct tamis_reader *r = tamis_reader_at(i);
    if (r) *p = (tamis_part_info){.name = r->name, .summary = r->label, .label = r->label};
    return r != NULL;
}

static int figure_at(size_t i, tamis_part_info *p)
{
    const struct tamis_figure *f = tamis_figure_at(i);
    if (f) *p = (tamis_part_info){.name = f->name, .summary = f->summary, .label = f->label, .needs = f->needs};
    return f != NULL;
}

int tamis_part_at(size_t i, tamis_part_info *info)
{
    static const struct { const char *kind; int (*at)(size_t i, tamis_part_info *p); } source[] = {
        {"method", method_at},
        {"criterion", criterion_at},
        {"search", search_at},
        {"generator", generator_at},
        {"figure", figure_at},
        {"format", format_at},
    };
    for (size_t s = 0; s < sizeof source / sizeof *source; s++) {
        tamis_part_info full;
        for (size_t k = 0; source[s].at(k, &full); k++) {
            if (i--) continue;
            full.size = sizeof full;
            full.kind = source[s].kind;
            return tamis_fill(info, &full, sizeof full);
        }
    }
    return 0;
}

/* ---- options ---- */

/* The i-th table of option rows and what kind of thing owns it; part NULL past the last. */
static struct tamis_option_table table_at(size_t i, const char **kind)
{
    static const struct tamis_option_table fixed[] = {
        {"common", tamis_common_options},     {"data", tamis_read_options},
        {"data", tamis_format_options},
        {"clean", tamis_clean_options},       {"generate", tamis_generate_options},
        {"compare", tamis_compare_options},   {"path", tamis_path_options},
        {"export", tamis_export_options},     {"predict", tamis_predict_options},
    };
    const struct tamis_method *m;
    const struct tamis_criterion *c;
    const struct tamis_search *s;
    size_t k;
    *kind = "all";
    if (i < sizeof fixed / sizeof *fixed) return fixed[i];
    i -= sizeof fixed / sizeof *fixed;
    *kind = "method";
    for (k = 0; (m = tamis_method_at(k)); k++)
        if (k == i) return (struct tamis_option_table){m->name, m->options};
    *kind = "criterion";
    for (i -= k, k = 0; (c = tamis_criterion_at(k)); k++)
        if (k == i) return (struct tamis_option_table){c->name, c->options};
    *kind = "search";
    for (i -= k, k = 0; (s = tamis_search_at(k)); k++)
        if (k == i) return (struct tamis_option_table){s->name, s->options};
    return (struct tamis_option_table){NULL, NULL};
}

tamis_options *tamis_options_new(tamis_context *cx)
{
    TAMIS_CALL(cx);
    size_t n = 0;
    const char *kind;
    while (table_at(n, &kind).part) n++;
    struct tamis_option_table *tables = tamis_new(cx, struct tamis_option_table, n + 1);
    for (size_t i = 0; tables && i < n; i++) tables[i] = table_at(i, &kind);
    tamis_options *o = tables ? tamis_options_create(cx, tables) : NULL;
    tamis_free(tables);
    return o;
}

int tamis_option_at(size_t i, tamis_option_info *info)
{
    for (size_t k = 0;; k++) {
        const char *kind;
        struct tamis_option_table t = table_at(k, &kind);
        if (!t.part) return 0;
        for (const struct tamis_option *r = t.rows; r->name; r++) {
            if (i--) continue;
            tamis_option_info full = tamis_option_describe(r, t.part, kind);
            return tamis_fill(info, &full, sizeof full);
        }
    }
}

int tamis_published_at(const char *method, size_t i, tamis_published_info *info)
{
    const struct tamis_method *m = tamis_method_find(method);
    const struct tamis_published *p = m ? m->published : NULL;
    while (p && p->option && i) p++, i--;
    if (!p || !p->option) return 0;
    tamis_published_info full = {.size = sizeof full, .option = p->option, .value = p->value, .where = p->where};
    return tamis_fill(info, &full, sizeof full);
}

/* ---- both, as values ---- */

static void add_published(tamis_value *part, const char *method)
{
    tamis_published_info p = {.size = sizeof p};
    tamis_value *list = tamis_add_list(part, "as_published");
    for (size_t i = 0; tamis_published_at(method, i, &p); i++) {
        tamis_value *v = tamis_add_record(list, NULL);
        tamis_add_text(v, "option", p.option);
        tamis_add_text(v, "value", p.value);
        tamis_add_text(v, "where", p.where);
    }
}

static void add_options(tamis_value *part, const tamis_part_info *p)
{
    tamis_option_info o = {.size = sizeof o};
    tamis_value *list = tamis_add_list(part, "options");
    for (size_t i = 0; tamis_option_at(i, &o); i++) {
        if (strcmp(o.part, p->name) || strcmp(o.kind, p->kind)) continue;
        tamis_value *v = tamis_add_record(list, NULL);
        tamis_add_text(v, "name", o.name);
        tamis_add_text(v, "type", o.type);
        tamis_add_text(v, "argument", o.argument);
        tamis_add_text(v, "default", o.standard);
        tamis_add_text(v, "help", o.help);
    }
}

int tamis_catalogue(tamis_context *cx, tamis_value **out)
{
    TAMIS_CALL(cx);
    tamis_part_info p = {.size = sizeof p};
    *out = tamis_list_new(cx);
    for (size_t i = 0; tamis_part_at(i, &p); i++) {
        tamis_value *v = tamis_add_record(*out, NULL);
        tamis_add_text(v, "kind", p.kind);
        tamis_add_text(v, "name", p.name);
        tamis_add_text(v, "label", p.label);
        tamis_add_text(v, "task", p.task);
        tamis_add_text(v, "summary", p.summary);
        tamis_add_text(v, "paper", p.paper);
        if (!strcmp(p.kind, "method") || !strcmp(p.kind, "criterion")) {
            tamis_add_text(v, "relevance_name", p.relevance);
            tamis_add_flag(v, "several_targets", p.several_targets);
        }
        if (!strcmp(p.kind, "method")) {
            tamis_add_flag(v, "checkpoint", p.checkpoint);
            tamis_add_flag(v, "constraints", p.constraints);
            tamis_add_flag(v, "two_classes", p.two_classes);
        }
        if (!strcmp(p.kind, "method") || !strcmp(p.kind, "criterion")) tamis_add_flag(v, "weights", p.weights);
        add_options(v, &p);
        if (!strcmp(p.kind, "method")) add_published(v, p.name);
    }
    if (!tamis_status(cx)) return TAMIS_OK;
    tamis_value_free(*out);
    *out = NULL;
    return tamis_status(cx);
}
