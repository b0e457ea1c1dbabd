/* tamis merge: finishes a run whose items were computed in parts. */
#include <stdlib.h>
#include <string.h>
#include "cli.h"

/* The command line of the parts as one of its own, with what merge itself was given. */
static int parts_parse(struct cli *c, struct cli *whole, int argc, char **argv)
{
    static const char *const passed[] = {"threads", "memory", "checkpoint"};
    const char *table = cli_option(c, "table");
    int status = cli_parse(whole, argc, argv);
    if (status) return cli_fail(c, status);
    if (cli_flag(whole, "shard")) return cli_usage(c, "%s: not the command of a whole run", c->word[0]);
    cli_options_pass(whole, c);
    for (size_t i = 0; i < sizeof passed / sizeof *passed && !status; i++)
        if (cli_option(c, passed[i])) status = tamis_options_set(whole->options, passed[i], cli_option(c, passed[i]));
    if (status) return cli_fail(c, status);
    if (table) whole->word[0] = (char *)table;
    if (strcmp(whole->word[0], "-")) return cli_outputs_check(whole);
    return cli_usage(c, "the parts read their table from standard input; name it with --table FILE");
}

static int parts_run(struct cli *c, const struct command *command, const char *const *word, int words)
{
    struct cli whole = {.command = command, .cx = c->cx, .progress = c->progress};
    char **argv = calloc((size_t)words + 2, sizeof *argv);
    whole.options = tamis_options_new(c->cx);
    whole.word = calloc((size_t)words + 1, sizeof *whole.word);
    int ready = argv && whole.options && whole.word && !cli_options_begin(&whole),
        status = ready ? TAMIS_OK : cli_fail(c, TAMIS_MEMORY);
    for (int i = 0; ready && i < words; i++) argv[i + 1] = (char *)word[i];
    if (!status) status = parts_parse(c, &whole, words + 1, argv);
    if (!status) status = command->run(&whole);
    tamis_options_free(whole.options);
    free(whole.word);
    free(whole.own);
    free(argv);
    return status;
}

static int run(struct cli *c)
{
    const char *const *word = NULL;
    int status = TAMIS_OK;
    for (int i = 0; i < c->words && !status; i++)
        if ((status = tamis_shard_add(c->cx, c->word[i]))) cli_fail(c, status);
    if (status) return status;
    int words = tamis_shard_command(c->cx, &word);
    const struct command *command = words ? cli_command_find(word[0]) : NULL;
    if (!command || !cli_takes(command, "shard"))
        return cli_usage(c, "%s: a part that a program computed, which can merge it, and not 'tamis select' or "
                            "'tamis compare'", c->word[0]);
    status = parts_run(c, command, word, words);
    tamis_shard_end(c->cx);
    return status;
}

const struct command cli_merge = {
    .name = "merge",
    .arguments = "PART...",
    .summary = "join the parts of a run with --shard, and finish it",
    .accepts = "output model report plot plot-what label json progress verbose quiet threads memory checkpoint table "
               "test",
    .least = 1,
    .most = 1000000,
    .about = "PART are the files that 'tamis select' or 'tamis compare' wrote with --shard 1/N to --shard N/N, all of "
             "them, in any order. The parts know the command that they are of; the table is read again, what the parts "
             "have not computed is computed, and the result is that of the same command without --shard, to the last "
             "digit. --table and --test say where the tables are now, if they were moved.",
    .examples = "tamis select boston.csv --outer 10 --repeats 10 --shard 1/2 -o part1\n"
                "tamis select boston.csv --outer 10 --repeats 10 --shard 2/2 -o part2\n"
                "tamis merge part1 part2 -o result.json --report boston.html",
    .differs = (const struct difference[]){{"output", NULL, "write the result, as JSON"}, {0}},
    .run = run,
};
