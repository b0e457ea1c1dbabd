/* All that there is, drawn from the tables of each layer: what the command line, the manual and the front ends show. */
#include <string.h>
#include "data/clean.h"
#include "data/csv.h"
#include "data/generate.h"
#include "select/comparison.h"
#include "model/code.h"

/* The i-th table of option rows and what kind of thing owns it; part NULL past the last. */
static struct tamis_option_table table_at(size_t i, const char **kind)
{
    static const struct tamis_option_table fixed[] = {
        {"common", tamis_common_options}, {"output", tamis_output_options},     {"data", tamis_read_options},
        {"clean", tamis_clean_options},   {"generate", tamis_generate_options}, {"compare", tamis_compare_options},
        {"path", tamis_path_options},     {"export", tamis_export_options}};
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
    size_t n = 0;
    const char *kind;
    while (table_at(n, &kind).part) n++;
    tamis_forget(cx);
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

int tamis_part_at(size_t i, tamis_part_info *info)
{
    const struct tamis_method *m;
    const struct tamis_criterion *c;
    const struct tamis_search *s;
    const tamis_part_info *g;
    size_t k;
    if (!i) {
        *info = (tamis_part_info){"method", "auto", "both",
                                  "picks a method by task, rows and inputs, and says which and why", NULL};
        return 1;
    }
    for (i--, k = 0; (m = tamis_method_at(k)); k++)
        if (k == i) return *info = (tamis_part_info){"method", m->name, m->task, m->summary, m->paper}, 1;
    for (i -= k, k = 0; (c = tamis_criterion_at(k)); k++)
        if (k == i) return *info = (tamis_part_info){"criterion", c->name, c->task, c->summary, c->paper}, 1;
    for (i -= k, k = 0; (s = tamis_search_at(k)); k++)
        if (k == i) return *info = (tamis_part_info){"search", s->name, NULL, s->summary, NULL}, 1;
    g = tamis_generator_at(i - k);
    if (g) *info = *g;
    return g != NULL;
}
