/* --shard: one part of a run, for 'tamis merge'. */
#include <stdlib.h>
#include <string.h>
#include "cli.h"

/* ---- which part ---- */

/* A whole number from 1 to 999999 and nothing after it but `end`; 0: it is not one. */
static size_t number_read(const char *text, char end)
{
    size_t digits = text ? strspn(text, "0123456789") : 0;
    return digits && digits < 7 && text[digits] == end ? strtoul(text, NULL, 10) : 0;
}

/* Of a task of a job array: its place in the array. */
static int slurm_read(struct cli *c, size_t *index, size_t *count)
{
    const char *id = getenv("SLURM_ARRAY_TASK_ID"), *all = getenv("SLURM_ARRAY_TASK_COUNT"),
               *least = getenv("SLURM_ARRAY_TASK_MIN"), *step = getenv("SLURM_ARRAY_TASK_STEP");
    if (!id || !all || !least)
        return cli_usage(c, "--shard slurm: this is not a task of a Slurm job array; give --shard I/N");
    size_t from = strtoul(least, NULL, 10), at = strtoul(id, NULL, 10), by = step ? number_read(step, 0) : 1;
    *count = number_read(all, 0);
    if (by && at >= from && !((at - from) % by)) *index = (at - from) / by + 1;
    if (*index && *index <= *count) return TAMIS_OK;
    return cli_usage(c, "--shard slurm: task %s is not one of %s in a row from %s on; use --array 1-N, or --shard I/N",
                     id, all, least);
}

static int shard_read(struct cli *c, const char *text, size_t *index, size_t *count)
{
    const char *slash = strchr(text, '/');
    *index = *count = 0;
    if (!strcmp(text, "slurm")) return slurm_read(c, index, count);
    *index = number_read(text, '/');
    *count = slash ? number_read(slash + 1, 0) : 0;
    if (*index && *index <= *count) return TAMIS_OK;
    return cli_usage(c, "--shard '%s': expected I/N, part I of N from 1 on, as in 3/7; or slurm", text);
}

/* ---- the run ---- */

int cli_shard_begin(struct cli *c)
{
    static const char *const later[] = {"model", "report", "plot", "json"};
    const char *shard = cli_option(c, "shard");
    size_t index, count;
    if (!shard || cli_flag(c, "dry-run")) return TAMIS_OK;
    for (size_t i = 0; i < sizeof later / sizeof *later; i++)
        if (cli_flag(c, later[i]))
            return cli_usage(c, "--%s needs the whole run; give it to 'tamis merge' instead of --shard", later[i]);
    if (!cli_option(c, "output")) return cli_usage(c, "--shard needs -o FILE, where the part is written");
    int status = shard_read(c, shard, &index, &count);
    if (!status && (status = tamis_shard_begin(c->cx, index, count))) cli_fail(c, status);
    return status;
}

int cli_shard_write(struct cli *c)
{
    const char *output = cli_option(c, "output");
    int status = tamis_shard_save(c->cx, output);
    tamis_shard_end(c->cx);
    return status ? cli_fail(c, status) : TAMIS_OK;
}

/* ---- the command that parts keep ---- */

/* Whether the whole run has the option too: what it reads and computes, but not where it writes or how fast. */
static int stays(const char *name)
{
    static const char *const goes[] = {"checkpoint", "threads", "memory"};
    for (size_t i = 0; i < sizeof goes / sizeof *goes; i++)
        if (!strcmp(name, goes[i])) return 0;
    return !strcmp(name, "test") || !cli_option_own(name);
}

int cli_shard_command(struct cli *c, int argc, char **argv)
{
    char **word = calloc((size_t)argc, sizeof *word), name[64];
    int n = 0, words, ended = 0;
    if (!word) return TAMIS_MEMORY;
    word[n++] = argv[1];
    for (int i = 2; i < argc; i += words) {
        words = ended ? 1 : cli_option_words(c->command, argv, i, name);
        ended |= !strcmp(argv[i], "--");
        if (ended || !*name || stays(name))
            for (int k = 0; k < words; k++) word[n++] = argv[i + k];
    }
    int status = tamis_options_command(c->options, n, word);
    free(word);
    return status;
}
