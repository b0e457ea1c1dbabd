/* Parses the command line into options and positional arguments. */
#include <stdarg.h>
#include <string.h>
#include "cli.h"

/* Whether the list (words separated by blanks) contains the word. */
static int listed(const char *list, const char *word)
{
    size_t n = strlen(word);
    for (const char *s = list; (s = strstr(s, word)); s += n)
        if ((s == list || s[-1] == ' ') && (s[n] == ' ' || !s[n])) return 1;
    return 0;
}

int cli_accepts(const struct command *c, const tamis_option_info *o)
{
    int owned = strcmp(o->kind, "all") != 0;
    return (!owned && listed(c->accepts, o->part)) || listed(c->accepts, o->name) ||
           (owned && listed(c->accepts, "+methods"));
}

/* Whether the command accepts an option of that name, or alias; *takes: the option needs a value. */
static int option_find(const struct command *c, const char *name, int *takes)
{
    tamis_option_info o = {.size = sizeof o};
    int negated = !strncmp(name, "no-", 3);
    for (size_t i = 0; cli_option_at(i, &o); i++) {
        if (!cli_accepts(c, &o)) continue;
        int same = !strcmp(name, o.name) || (o.alias && !strcmp(name, o.alias));
        if (!same && !(negated && !o.argument && !strcmp(name + 3, o.name))) continue;
        *takes = o.argument != NULL;
        return 1;
    }
    return 0;
}

int cli_takes(const struct command *c, const char *name)
{
    int takes;
    return option_find(c, name, &takes);
}

/* The name of the i-th option if the command accepts it. */
static const char *option_name(const void *command, size_t i)
{
    tamis_option_info o = {.size = sizeof o};
    if (!cli_option_at(i, &o)) return NULL;
    return cli_accepts(command, &o) ? o.name : "";
}

static int unknown(struct cli *c, const char *name)
{
    const char *near = tamis_nearest(name, option_name, c->command);
    if (near) return cli_usage(c, "unknown option --%s; did you mean --%s?", name, near);
    return cli_usage(c, "unknown option --%s; 'tamis %s --help' lists the options", name, c->command->name);
}

int cli_usage(struct cli *c, const char *format, ...)
{
    va_list ap;
    (void)c;
    va_start(ap, format);
    cli_vsay(format, ap);
    va_end(ap);
    return TAMIS_USAGE;
}

int cli_option_words(const struct command *c, char **argv, int i, char name[64])
{
    const char *word = argv[i], *value = strchr(word, '=');
    int takes = 0;
    *name = 0;
    if (word[0] != '-' || !word[1]) return 1;
    if (word[1] != '-') {
        strcpy(name, "output");
        return word[2] ? 1 : 2;
    }
    snprintf(name, 64, "%.*s", value ? (int)(value - word - 2) : 63, word + 2);
    return option_find(c, name, &takes) && takes && !value ? 2 : 1;
}

/* --name, --name=value, --name value; *i moves past what was taken. */
static int long_option(struct cli *c, int argc, char **argv, int *i)
{
    char name[64];
    const char *word = argv[*i] + 2, *value = strchr(word, '=');
    size_t n = value ? (size_t)(value - word) : strlen(word);
    int takes;
    if (n >= sizeof name) return cli_usage(c, "unknown option %s", argv[*i]);
    memcpy(name, word, n);
    name[n] = 0;
    if (!option_find(c->command, name, &takes)) return unknown(c, name);
    if (value) value++;
    if (takes && !value) {
        if (*i + 1 >= argc) return cli_usage(c, "--%s needs a value", name);
        value = argv[++*i];
    }
    if (!takes && value) return cli_usage(c, "--%s takes no value", name);
    return cli_option_set(c, name, value);
}

static int short_option(struct cli *c, int argc, char **argv, int *i)
{
    const char *value = argv[*i] + 2;
    int takes;
    if (argv[*i][1] != 'o' || !option_find(c->command, "output", &takes))
        return cli_usage(c, "unknown option %s; 'tamis %s --help' lists the options", argv[*i], c->command->name);
    if (!*value && *i + 1 >= argc) return cli_usage(c, "-o needs a file name");
    if (!*value) value = argv[++*i];
    return cli_option_set(c, "output", value);
}

int cli_parse(struct cli *c, int argc, char **argv)
{
    int status = TAMIS_OK, only_words = 0;
    for (int i = 2; i < argc && !status; i++) {
        const char *w = argv[i];
        if (only_words || *w != '-' || !w[1]) c->word[c->words++] = argv[i];
        else if (!strcmp(w, "--")) only_words = 1;
        else status = w[1] == '-' ? long_option(c, argc, argv, &i) : short_option(c, argc, argv, &i);
    }
    if (status) return status;
    if (c->words < c->command->least)
        return cli_usage(c, "'tamis %s' needs %s; see 'tamis %s --help'", c->command->name, c->command->arguments,
                         c->command->name);
    if (c->words > c->command->most)
        return cli_usage(c, "unexpected argument '%s' for 'tamis %s'", c->word[c->command->most], c->command->name);
    c->quiet = cli_flag(c, "quiet");
    return cli_flag(c, "shard") ? cli_shard_command(c, argc, argv)
                                : tamis_options_command(c->options, argc - 1, argv + 1);
}
