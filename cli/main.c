/* tamis: the command line. */
#include <stdlib.h>
#include <string.h>
#include "cli.h"

static const struct command *const commands[] = {
    &cli_select,
    &cli_compare,
    &cli_merge,
    &cli_predict,
    &cli_report_command,
    &cli_export,
    &cli_describe,
    &cli_clean,
    &cli_generate,
    &cli_methods,
};

const struct command *cli_command_at(size_t i) { return i < sizeof commands / sizeof *commands ? commands[i] : NULL; }

const struct command *cli_command_find(const char *name)
{
    const struct command *c;
    for (size_t i = 0; (c = cli_command_at(i)); i++)
        if (!strcmp(c->name, name)) return c;
    return NULL;
}

static const char *command_name(const void *list, size_t i)
{
    const struct command *c = cli_command_at(i);
    (void)list;
    return c ? c->name : NULL;
}

static int unknown_command(const char *name)
{
    const char *near = tamis_nearest(name, command_name, NULL);
    return tamis_exit_code(near ? cli_usage(NULL, "unknown command '%s'; did you mean '%s'?", name, near)
                                : cli_usage(NULL, "unknown command '%s'; 'tamis --help' lists the commands", name));
}

static int version(void)
{
    tamis_part_info p = {.size = sizeof p};
    printf("tamis %s\nBLAS: OpenBLAS with %s kernels\nreads:", tamis_version(), tamis_blas());
    for (size_t i = 0; tamis_part_at(i, &p); i++)
        if (!strcmp(p.kind, "format")) printf(" %s,", p.name);
    printf(" each also as gz or zst\nlicence: BSD-3-Clause\n");
    return 0;
}

/* Help and version, which need no command: the exit code; -1: neither is asked for. */
static int first_word(int argc, char **argv)
{
    const char *w = argc > 1 ? argv[1] : "--help";
    if (!strcmp(w, "--version") || !strcmp(w, "version")) return version();
    if (!strcmp(w, "--help") || !strcmp(w, "-h")) {
        cli_help(stdout);
        return argc > 1 ? 0 : 2;
    }
    if (strcmp(w, "help")) return -1;
    const struct command *c = argc > 2 ? cli_command_find(argv[2]) : NULL;
    if (c) cli_help_command(c, argc > 3 && !strcmp(argv[3], "all"));
    else if (argc > 2 && !strcmp(argv[2], "--man")) cli_manual(stdout);
    else if (argc > 2 && !strcmp(argv[2], "--completion")) cli_completion(stdout);
    else cli_help(stdout);
    return 0;
}

/* 1: the help of a command; 2: with all its options; 0: none. */
static int wants_help(int argc, char **argv)
{
    for (int i = 2; i < argc; i++) {
        if (!strcmp(argv[i], "--")) return 0;
        if (!strcmp(argv[i], "--help=all")) return 2;
        if (!strcmp(argv[i], "--help") || !strcmp(argv[i], "-h"))
            return i + 1 < argc && !strcmp(argv[i + 1], "all") ? 2 : 1;
    }
    return 0;
}

static int run_command(struct cli *c, int argc, char **argv)
{
    int status = cli_parse(c, argc, argv);
    if (!status) status = cli_callbacks(c);
    if (status) return cli_fail(c, status);
    cli_signals_advice(c);
    if (c->command->spreads) status = cli_ranks_join(c);
    if (!status && !cli_follows()) status = cli_outputs_check(c);
    if (!status) status = c->command->run(c);
    if (!status) status = cli_flush();
    cli_show_notes(c, status);
    return status;
}

static int run_library(struct cli *c, int argc, char **argv)
{
    c->cx = tamis_context_new();
    cli_signals_stop(c->cx);
    c->options = c->cx ? tamis_options_new(c->cx) : NULL;
    c->word = calloc((size_t)argc, sizeof *c->word);
    int ready = c->options && c->word && !cli_options_begin(c),
        status = ready ? run_command(c, argc, argv) : cli_fail(c, TAMIS_MEMORY);
    if (c->cx && c->command->spreads) cli_ranks_leave(c, status);
    cli_signals_stop(NULL);
    free(c->word);
    free(c->own);
    free(c->label);
    tamis_options_free(c->options);
    tamis_context_free(c->cx);
    return tamis_exit_code(status);
}

int main(int argc, char **argv)
{
    struct cli c = {0};
    cli_descriptors();
    cli_signals();
    cli_ranks_begin(&argc, &argv);
    int code = first_word(argc, argv);
    if (code < 0 && !(c.command = cli_command_find(argv[1]))) code = unknown_command(argv[1]);
    int help = code < 0 ? wants_help(argc, argv) : 0;
    if (help) {
        cli_help_command(c.command, help == 2);
        code = 0;
    }
    if (code < 0) code = cli_follows() && !c.command->spreads ? 0 : run_library(&c, argc, argv);
    return cli_ranks_end(cli_flush() && !code ? tamis_exit_code(TAMIS_SYSTEM) : code);
}
