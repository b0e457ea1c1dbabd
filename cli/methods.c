/* tamis methods */
#include <string.h>
#include "cli.h"

static void json_field(const char *name, const char *value, int first)
{
    printf("%s\"%s\": ", first ? "" : ", ", name);
    if (value) cli_json_string(stdout, value);
    else printf("null");
}

static void json_options(const tamis_part_info *p)
{
    tamis_option_info o = {.size = sizeof o};
    int first = 1;
    printf(", \"options\": [");
    for (size_t i = 0; tamis_option_at(i, &o); i++) {
        if (strcmp(o.part, p->name) || strcmp(o.kind, p->kind)) continue;
        printf("%s{", first ? "" : ", ");
        json_field("name", o.name, 1);
        json_field("argument", o.argument, 0);
        json_field("default", o.standard, 0);
        json_field("help", o.help, 0);
        printf("}");
        first = 0;
    }
    printf("]");
}

static void print_json(void)
{
    tamis_part_info p;
    for (size_t i = 0; tamis_part_at(i, &p); i++) {
        printf("%s\n  {", i ? "," : "[");
        json_field("kind", p.kind, 1);
        json_field("name", p.name, 0);
        json_field("task", p.task, 0);
        json_field("summary", p.summary, 0);
        json_field("paper", p.paper, 0);
        json_options(&p);
        printf("}");
    }
    printf("\n]\n");
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

static void print_text(void)
{
    tamis_part_info p;
    char kind[32] = "";
    for (size_t i = 0; tamis_part_at(i, &p); i++) {
        if (strcmp(kind, p.kind)) {
            snprintf(kind, sizeof kind, "%s", p.kind);
            printf("%s%s\n", i ? "\n" : "",
                   !strcmp(kind, "method")      ? "methods (--method)"
                   : !strcmp(kind, "criterion") ? "criteria (--criterion)"
                   : !strcmp(kind, "search")    ? "searches"
                                                : "tables with known answers (tamis generate)");
        }
        printf("  %-12s %s%s%s%s\n", p.name, p.summary, p.task ? " [" : "", p.task ? p.task : "", p.task ? "]" : "");
        if (p.paper) printf("  %-12s %s\n", "", p.paper);
        if (strcmp(p.kind, "generator")) print_options(&p);
    }
}

static int run(struct cli *c)
{
    if (cli_flag(c, "json")) print_json();
    else print_text();
    return TAMIS_OK;
}

const struct command cli_methods = {
    "methods",
    "",
    "what there is, for which task, with its options and paper",
    "json",
    0,
    0,
    "Methods, criteria, searches and tables with known answers, each with the options that it owns.",
    "tamis methods\ntamis methods --json",
    run};
