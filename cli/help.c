/* Help pages, the manual page and bash completion, all made from the tables of commands and options. */
#include <string.h>
#include "cli.h"

static const char exit_codes[] = "0 success; 1 the run failed; 2 wrong command line; 3 unusable data or model file; "
                                 "130 interrupted.\n";

/* Prints text from column `at` on, folded at 100 columns, each new line indented by `indent` blanks. */
static void fold(FILE *f, const char *text, int at, int indent)
{
    while (*text) {
        size_t n = strcspn(text, " ");
        fprintf(f, "%.*s", (int)n, text);
        at += (int)n + 1;
        text += n + strspn(text + n, " ");
        if (!*text) break;
        if (at + (int)strcspn(text, " ") <= 100) fputc(' ', f);
        else fprintf(f, "\n%*s", at = indent, "");
    }
    fputc('\n', f);
}

void cli_help(FILE *f)
{
    const struct command *c;
    fputs("tamis: which inputs matter, how certain is that, and the smallest accurate model that uses them\n\n", f);
    for (size_t i = 0; (c = cli_command_at(i)); i++) {
        char words[64];
        snprintf(words, sizeof words, "%s %s", c->name, c->arguments);
        fprintf(f, "  tamis %-22s %s\n", words, c->summary);
    }
    fprintf(f, "\n'tamis COMMAND --help' explains a command; 'tamis --version' shows the version.\nExit codes: %s",
            exit_codes);
}

/* The heading of a part of the options; NULL: the part has none of its own. */
static const char *part_title(const char *part)
{
    static const char *const title[][2] = {
        {"result", "Output"},
        {"test", "Data and target"},
        {"common", "Data and target"},
        {"data", "Reading the table"},
        {"clean", "Cleaning"},
        {"generate", "Generated table"},
        {"export", "Export"},
        {"compare", "Comparison"},
        {"path", "Choice of the set, and constraints (methods that walk a path)"},
    };
    for (size_t i = 0; i < sizeof title / sizeof *title; i++)
        if (!strcmp(part, title[i][0])) return title[i][1];
    return NULL;
}

/* Whether the option needs a heading other than the one in `title`, which is then replaced. */
static int new_part(const tamis_option_info *o, char *title, size_t room)
{
    char now[96];
    int owned = strcmp(o->kind, "all") != 0;
    if (owned) snprintf(now, sizeof now, "Options of %s %s", o->kind, o->part);
    else snprintf(now, sizeof now, "%s", part_title(o->part) ? part_title(o->part) : o->part);
    if (!strcmp(now, title)) return 0;
    snprintf(title, room, "%s", now);
    return 1;
}

static void option_words(const tamis_option_info *o, char *words, size_t room)
{
    if (!strcmp(o->name, "output")) snprintf(words, room, "-o %s", o->argument);
    else if (o->standard && !o->argument && !strcmp(o->standard, "yes")) snprintf(words, room, "--[no-]%s", o->name);
    else snprintf(words, room, "--%s%s%s", o->name, o->argument ? " " : "", o->argument ? o->argument : "");
}

static void option_help(const tamis_option_info *o, char *help, size_t room)
{
    if (o->standard && o->argument) snprintf(help, room, "%s (default: %s)", o->help, o->standard);
    else snprintf(help, room, "%s", o->help);
}

static void print_option(FILE *f, const tamis_option_info *o)
{
    char words[96], help[512];
    option_words(o, words, sizeof words);
    option_help(o, help, sizeof help);
    if (strlen(words) > 30) fprintf(f, "  %s\n%33s", words, "");
    else fprintf(f, "  %-30s ", words);
    fold(f, help, 33, 33);
}

static void help_options(FILE *f, const struct command *c)
{
    tamis_option_info o = {.size = sizeof o};
    char part[96] = "";
    for (size_t i = 0; cli_option_at(i, &o); i++) {
        if (!cli_accepts(c, &o)) continue;
        if (new_part(&o, part, sizeof part)) fprintf(f, "\n%s\n", part);
        print_option(f, &o);
    }
}

/* The line of examples at *e, copied into `line`; *e moves to the next. NULL: there are no more. */
static const char *example(const char **e, char *line, size_t room)
{
    size_t n = strcspn(*e, "\n");
    if (!n) return NULL;
    snprintf(line, room, "%.*s", (int)n, *e);
    *e += n + ((*e)[n] == '\n');
    return line;
}

void cli_help_command(FILE *f, const struct command *c)
{
    char line[256];
    fprintf(f, "tamis %s %s%s[options]: %s\n\n", c->name, c->arguments, *c->arguments ? " " : "", c->summary);
    fold(f, c->about, 0, 0);
    fputs("\nExamples\n", f);
    for (const char *e = c->examples; example(&e, line, sizeof line);) fprintf(f, "  %s\n", line);
    help_options(f, c);
}

/* ---- the manual page ---- */

static void roff(FILE *f, const char *s)
{
    for (const char *c = s; *c; c++) {
        if (*c == '-' || *c == '\\') fputc('\\', f);
        if ((*c == '.' || *c == '\'') && c == s) fputs("\\&", f);
        fputc(*c, f);
    }
    fputc('\n', f);
}

static void manual_command(FILE *f, const struct command *c)
{
    char line[256];
    fprintf(f, ".SS tamis %s %s\n", c->name, c->arguments);
    roff(f, c->about);
    fputs(".PP\n.RS\n.nf\n", f);
    for (const char *e = c->examples; example(&e, line, sizeof line);) roff(f, line);
    fputs(".fi\n.RE\n", f);
}

static void manual_options(FILE *f)
{
    tamis_option_info o = {.size = sizeof o};
    char part[96] = "", words[96], help[512];
    for (size_t i = 0; cli_option_at(i, &o); i++) {
        if (new_part(&o, part, sizeof part)) fprintf(f, ".SS %s\n", part);
        option_words(&o, words, sizeof words);
        option_help(&o, help, sizeof help);
        fputs(".TP\n.B ", f);
        roff(f, words);
        roff(f, help);
    }
}

void cli_manual(FILE *f)
{
    const struct command *c;
    fprintf(f, ".TH TAMIS 1 \"\" \"tamis %s\" \"User commands\"\n", tamis_version());
    fputs(".SH NAME\ntamis \\- find the inputs that matter, and the smallest accurate model that uses them\n", f);
    fputs(".SH SYNOPSIS\n", f);
    for (size_t i = 0; (c = cli_command_at(i)); i++)
        fprintf(f, ".B tamis %s\n%s%s[options]\n.br\n", c->name, c->arguments, *c->arguments ? " " : "");
    fputs(".SH DESCRIPTION\n", f);
    roff(f, "tamis takes a table and a column to predict, finds the inputs that matter, and fits a nonlinear model "
            "that uses only them.");
    fputs(".SH COMMANDS\n", f);
    for (size_t i = 0; (c = cli_command_at(i)); i++) manual_command(f, c);
    fputs(".SH OPTIONS\n", f);
    manual_options(f);
    fprintf(f, ".SH EXIT STATUS\n%s", exit_codes);
}

/* ---- bash completion ---- */

/* Whether one of the first k options has this name: several methods may have it, and it is offered once. */
static int named_before(const struct command *c, const char *name, size_t k)
{
    tamis_option_info o = {.size = sizeof o};
    for (size_t i = 0; i < k && cli_option_at(i, &o); i++)
        if (cli_accepts(c, &o) && !strcmp(o.name, name)) return 1;
    return 0;
}

void cli_completion(FILE *f)
{
    const struct command *c;
    tamis_option_info o = {.size = sizeof o};
    fputs("# bash completion for tamis\n"
          "_tamis() {\n"
          "    local cur=${COMP_WORDS[COMP_CWORD]} words=\n"
          "    if [ \"$COMP_CWORD\" = 1 ]; then\n"
          "        words=\"",
          f);
    for (size_t i = 0; (c = cli_command_at(i)); i++) fprintf(f, "%s ", c->name);
    fputs("help --help --version\"\n"
          "    else\n"
          "        case ${COMP_WORDS[1]} in\n",
          f);
    for (size_t i = 0; (c = cli_command_at(i)); i++) {
        fprintf(f, "        %s) words=\"", c->name);
        for (size_t k = 0; cli_option_at(k, &o); k++)
            if (cli_accepts(c, &o) && !named_before(c, o.name, k)) fprintf(f, "--%s ", o.name);
        fputs("--help\" ;;\n", f);
    }
    fputs("        esac\n"
          "    fi\n"
          "    if [[ $cur == -* ]] || [ \"$COMP_CWORD\" = 1 ]; then\n"
          "        COMPREPLY=($(compgen -W \"$words\" -- \"$cur\"))\n"
          "    else\n"
          "        COMPREPLY=($(compgen -f -- \"$cur\"))\n"
          "    fi\n"
          "}\n"
          "complete -o filenames -F _tamis tamis\n",
          f);
}
