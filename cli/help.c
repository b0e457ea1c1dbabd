/* Help pages, the manual page and bash completion, all made from the tables of commands and options. The help of a
 * command fits one screen: its basic options in short; --help all has every option. */
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>
#include "cli.h"

enum { SCREEN = 20 };           /* options that fit one screen: a command that has no more shows them all */

static const char exit_codes[] = "0 success; 1 the run failed; 2 wrong command line; 3 unusable data or model file; "
                                 "130 interrupted.\n";

/* Columns of the page: those of the terminal, from 60 to 100. */
static int page_width(void)
{
    int wide = isatty(STDOUT_FILENO) ? cli_terminal_width() : 100;
    return wide < 60 ? 60 : wide > 100 ? 100 : wide;
}

/* Prints text from column `at` on, folded at words, each new line indented by `indent` blanks. */
static void fold(FILE *f, const char *text, int at, int indent)
{
    int wide = page_width();
    while (*text) {
        size_t n = strcspn(text, " ");
        fprintf(f, "%.*s", (int)n, text);
        at += (int)n + 1;
        text += n + strspn(text + n, " ");
        if (!*text) break;
        if (at + (int)strcspn(text, " ") <= wide) fputc(' ', f);
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
        fprintf(f, "  tamis %-22s ", words);
        fold(f, c->summary, 31, 31);
    }
    fputs("\n'tamis COMMAND --help' explains a command, 'tamis COMMAND --help all' every option of it; 'tamis "
          "--version' shows the version.\nThe fields of results are described in docs/result.md and "
          "schema/result.schema.json.\n"
          "Exit codes: ",
          f);
    fputs(exit_codes, f);
}

/* The heading of a part of the options; NULL: the part has none of its own. */
static const char *part_title(const char *part)
{
    static const char *const title[][2] = {
        {"result", "Output"},
        {"table", "Data and target"},
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

/* brief: the first part of the sentence. */
static void option_help(const tamis_option_info *o, char *help, size_t room, int brief)
{
    const char *end = brief ? strstr(o->help, "; ") : NULL;
    int n = end ? (int)(end - o->help) : (int)strlen(o->help), plain = !strcmp(o->standard ? o->standard : "", "0");
    if (o->standard && o->argument && !(brief && plain))
        snprintf(help, room, "%.*s (default: %s)", n, o->help, o->standard);
    else snprintf(help, room, "%.*s", n, o->help);
}

static void print_option(FILE *f, const tamis_option_info *o, int brief)
{
    char words[96], help[512];
    option_words(o, words, sizeof words);
    option_help(o, help, sizeof help, brief);
    if (strlen(words) > 30) fprintf(f, "  %s\n%33s", words, "");
    else fprintf(f, "  %-30s ", words);
    fold(f, help, 33, 33);
}

/* What the command does with an option that others share, where it differs. */
static void differ(const struct command *c, tamis_option_info *o)
{
    for (const struct difference *d = c->differs; d && d->name; d++) {
        if (strcmp(d->name, o->name)) continue;
        if (d->standard) o->standard = d->standard;
        if (d->help) o->help = d->help;
    }
}

static size_t options_count(const struct command *c)
{
    tamis_option_info o = {.size = sizeof o};
    size_t n = 0;
    for (size_t i = 0; cli_option_at(i, &o); i++) n += (size_t)cli_accepts(c, &o);
    return n;
}

/* brief: only the basic options, without headings. */
static void help_options(FILE *f, const struct command *c, int brief)
{
    tamis_option_info o = {.size = sizeof o};
    char part[96] = "";
    if (brief) fputs("\nOptions\n", f);
    for (size_t i = 0; cli_option_at(i, &o); i++) {
        if (!cli_accepts(c, &o) || (brief && !o.basic)) continue;
        differ(c, &o);
        if (!*o.help) continue;
        if (!brief && new_part(&o, part, sizeof part)) fprintf(f, "\n%s\n", part);
        print_option(f, &o, brief);
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

static void help_command(FILE *f, const struct command *c, int brief)
{
    char line[256];
    fprintf(f, "tamis %s %s%s[options]: ", c->name, c->arguments, *c->arguments ? " " : "");
    fold(f, c->summary, (int)(strlen(c->name) + strlen(c->arguments)) + 18, 2);
    fputc('\n', f);
    fold(f, c->about, 0, 0);
    fputs("\nExamples\n", f);
    for (const char *e = c->examples; example(&e, line, sizeof line);) fprintf(f, "  %s\n", line);
    help_options(f, c, brief);
    if (brief) fprintf(f, "\n'tamis %s --help all' explains all %zu options.\n", c->name, options_count(c));
}

/* ---- a pager ---- */

static int in_path(const char *name)
{
    const char *path = getenv("PATH");
    char file[512];
    for (size_t n; path && *path; path += n + (path[n] == ':')) {
        n = strcspn(path, ":");
        snprintf(file, sizeof file, "%.*s/%s", (int)n, path, name);
        if (!access(file, X_OK)) return 1;
    }
    return 0;
}

/* $PAGER, or less if there is one; NULL: none, or standard output is not a terminal. */
static const char *pager(void)
{
    const char *own = getenv("PAGER");
    if (!isatty(STDOUT_FILENO)) return NULL;
    if (own && *own) return strcmp(own, "cat") ? own : NULL;
    return in_path("less") ? "less" : NULL;
}

/* Whether the pager ran; a reader who leaves it early is no failure. */
static int page(const char *program, const struct command *c)
{
    setenv("LESS", "FRX", 0);
    fflush(stdout);
    void (*before)(int) = signal(SIGPIPE, SIG_IGN);
    FILE *f = popen(program, "w");
    if (f) help_command(f, c, 0);
    int status = f ? pclose(f) : -1;
    signal(SIGPIPE, before);
    return status != -1 && !(WIFEXITED(status) && (WEXITSTATUS(status) == 126 || WEXITSTATUS(status) == 127));
}

void cli_help_command(const struct command *c, int all)
{
    const char *program = all ? pager() : NULL;
    if (!program || !page(program, c)) help_command(stdout, c, !all && options_count(c) > SCREEN);
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
    for (const struct difference *d = c->differs; d && d->name; d++) {
        if (d->help && !*d->help) continue;
        fprintf(f, ".PP\nHere \\-\\-%s: %s", d->name, d->help ? d->help : "");
        fprintf(f, d->standard ? "%sdefault %s.\n" : "%s%s.\n", d->help && d->standard ? "; " : "",
                d->standard ? d->standard : "");
    }
}

static void manual_options(FILE *f)
{
    tamis_option_info o = {.size = sizeof o};
    char part[96] = "", words[96], help[512];
    for (size_t i = 0; cli_option_at(i, &o); i++) {
        if (new_part(&o, part, sizeof part)) fprintf(f, ".SS %s\n", part);
        option_words(&o, words, sizeof words);
        option_help(&o, help, sizeof help, 0);
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
    fputs(".SH FILES\n", f);
    roff(f, "share/tamis/result.schema.json and comparison.schema.json describe every field of the JSON that select "
            "and compare write; docs/result.md explains them.");
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
