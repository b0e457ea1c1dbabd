/* tamis methods */
#include <string.h>
#include "cli.h"

static const char *const title[][2] = {
    {"method", "methods (--method)"},
    {"criterion", "criteria (--criterion)"},
    {"search", "searches (--search)"},
    {"generator", "tables whose relevant inputs are known (tamis generate)"},
    {"figure", "figures (--plot-what)"},
    {"format", "formats of tables, found by content"},
};

static const char *title_of(const char *kind)
{
    for (size_t i = 0; i < sizeof title / sizeof *title; i++)
        if (!strcmp(title[i][0], kind)) return title[i][1];
    return kind;
}

static void print_options(const tamis_part_info *p)
{
    tamis_option_info o = {.size = sizeof o};
    for (size_t i = 0; tamis_option_at(i, &o); i++) {
        if (strcmp(o.part, p->name) || strcmp(o.kind, p->kind)) continue;
        printf("      --%s%s%s", o.name, o.argument ? " " : "", o.argument ? o.argument : "");
        printf(o.standard ? " (%s)\n" : "\n", o.standard);
    }
}

static void print_published(const char *method)
{
    tamis_published_info p = {.size = sizeof p};
    if (tamis_published_at(method, 0, &p)) printf("      --as-published sets");
    for (size_t i = 0; tamis_published_at(method, i, &p); i++) printf(" --%s %s", p.option, p.value);
    if (tamis_published_at(method, 0, &p)) putchar('\n');
}

static void print_text(void)
{
    tamis_part_info p = {.size = sizeof p};
    char kind[32] = "";
    for (size_t i = 0; tamis_part_at(i, &p); i++) {
        if (strcmp(kind, p.kind)) {
            snprintf(kind, sizeof kind, "%s", p.kind);
            printf("%s%s\n", i ? "\n" : "", title_of(kind));
        }
        printf("  %-16s %s%s%s%s\n", p.name, p.summary, p.task ? " [" : "", p.task ? p.task : "", p.task ? "]" : "");
        if (p.paper) printf("  %-16s %s\n", "", p.paper);
        print_options(&p);
        if (!strcmp(p.kind, "method")) print_published(p.name);
    }
}

static int run(struct cli *c)
{
    tamis_value *all = NULL;
    if (!cli_flag(c, "json")) {
        print_text();
        return TAMIS_OK;
    }
    int status = tamis_catalogue(c->cx, &all);
    status = status ? cli_fail(c, status) : cli_print_json(c, all);
    tamis_value_free(all);
    return status;
}

const struct command cli_methods = {
    .name = "methods",
    .arguments = "",
    .summary = "list methods, criteria and searches, with tasks, options and papers",
    .accepts = "json",
    .least = 0,
    .most = 0,
    .about = "Also lists the tables of 'tamis generate' and the figures of --plot-what. Each entry shows its task in "
             "brackets and its own options with their defaults.",
    .examples = "tamis methods\n"
                "tamis methods --json",
    .run = run,
};
