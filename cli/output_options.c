/* Options of the command line itself: what happens to a result. The library does not know them. */
#include <stdlib.h>
#include <string.h>
#include "cli.h"

#define OPTION(of, ...) {.size = sizeof(tamis_option_info), .part = of, .kind = "all", __VA_ARGS__}

/* The last row shares its heading with the library's first part (help.c). */
static const tamis_option_info own[] = {
    OPTION("result", .basic = 1, .name = "output", .argument = "FILE",
           .help = "write the result; JSON from select and compare, CSV from predict, clean and generate"),
    OPTION("result", .basic = 1, .name = "model", .argument = "FILE",
           .help = "write the fitted model, for 'tamis predict'"),
    OPTION("result", .basic = 1, .name = "report", .argument = "FILE.html",
           .help = "write the result as a self-contained HTML page"),
    OPTION("result", .basic = 1, .name = "plot", .argument = "FILE.svg|png|pdf",
           .help = "write one figure of the result"),
    OPTION("result", .name = "plot-what", .argument = "NAME", .standard = "auto",
           .help = "figure that --plot draws ('tamis methods' lists them); auto: the first that applies"),
    OPTION("result", .name = "label", .argument = "NAME=TEXT",
           .help = "what figures call a column or an axis; several, separated by commas, or --label again"),
    OPTION("result", .basic = 1, .name = "json", .help = "print the result as JSON instead of a table"),
    OPTION("result", .basic = 1, .name = "dry-run", .help = "print the expected memory and time, and exit"),
    OPTION("result", .name = "shard", .argument = "I/N|slurm",
           .help = "compute only the I-th of N parts of the independent work (outer folds, resamples, draws, chains, "
                   "cells of a grid) and write it to -o, for 'tamis merge'; slurm: by the task of a job array"),
    OPTION("result", .name = "progress", .argument = "auto|always|never", .standard = "auto",
           .choices = "auto|always|never", .help = "show progress on standard error; auto: only on a terminal"),
    OPTION("result", .name = "verbose",
           .help = "where progress is not drawn, write it as lines; one per step and about one per tenth of the run"),
    OPTION("result", .basic = 1, .name = "quiet", .help = "show neither progress nor notes"),
    OPTION("table", .name = "table", .argument = "FILE", .help = "the table of the parts, if it was moved"),
    OPTION("test", .basic = 1, .name = "test", .argument = "FILE",
           .help = "table of held-out rows, used once at the end to measure the error"),
};
enum { OWN = sizeof own / sizeof *own };

int cli_option_at(size_t i, tamis_option_info *o)
{
    if (i < OWN) *o = own[i];
    return i < OWN || (o->size = sizeof *o, tamis_option_at(i - OWN, o));
}

static size_t own_find(const char *name)
{
    size_t i = 0;
    while (i < OWN && strcmp(own[i].name, name)) i++;
    return i;
}

/* Whether a|b|c holds the word. */
static int one_of(const char *choices, const char *word)
{
    size_t n = strlen(word);
    for (const char *c = choices; *c; c += strcspn(c, "|"), c += *c == '|')
        if (n && strcspn(c, "|") == n && !strncmp(c, word, n)) return 1;
    return 0;
}

int cli_options_begin(struct cli *c)
{
    c->own = calloc(OWN, sizeof *c->own);
    return c->own ? TAMIS_OK : TAMIS_MEMORY;
}

static int label_add(struct cli *c, const char *value)
{
    const char **more = realloc(c->label, (c->labels + 1) * sizeof *more);
    if (!more) return TAMIS_MEMORY;
    more[c->labels++] = value;
    c->label = more;
    return TAMIS_OK;
}

int cli_option_set(struct cli *c, const char *name, const char *value)
{
    size_t i = own_find(name), negated = strncmp(name, "no-", 3) ? OWN : own_find(name + 3);
    if (negated < OWN) {
        c->own[negated] = NULL;
        return TAMIS_OK;
    }
    if (i == OWN) return tamis_options_set(c->options, name, value);
    if (!strcmp(name, "label")) return label_add(c, value);
    if (own[i].choices && !one_of(own[i].choices, value))
        return cli_usage(c, "--%s '%s': expected one of %s", name, value, own[i].choices);
    c->own[i] = value ? value : "yes";
    return TAMIS_OK;
}

int cli_option_own(const char *name) { return own_find(name) < OWN; }

void cli_options_pass(struct cli *to, const struct cli *from)
{
    for (size_t i = 0; i < OWN; i++)
        if (from->own[i]) to->own[i] = from->own[i];
    to->label = from->label;
    to->labels = from->labels;
}

const char *cli_option(const struct cli *c, const char *name)
{
    size_t i = own_find(name);
    return i < OWN ? c->own[i] : tamis_options_get(c->options, name);
}

int cli_flag(const struct cli *c, const char *name) { return cli_option(c, name) != NULL; }
