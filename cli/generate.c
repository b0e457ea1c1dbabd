/* tamis generate */
#include "cli.h"

static int run(struct cli *c)
{
    tamis_table *t = NULL;
    char *text = NULL;
    size_t n = 0;
    int status = tamis_table_generate(c->cx, c->word[0], c->options, &t);
    if (!status) status = tamis_table_csv(c->cx, t, &text, &n);
    if (status) cli_fail(c, status);
    else status = cli_write(c, cli_option(c, "output"), text, n);
    tamis_release(text);
    tamis_table_free(t);
    return status;
}

const struct command cli_generate = {
    .name = "generate",
    .arguments = "NAME",
    .summary = "generate a table whose relevant inputs are known",
    .accepts = "generate seed output quiet",
    .least = 1,
    .most = 1,
    .reads_nothing = 1,
    .about = "Writes CSV. 'tamis methods' lists the names. With the same seed, a longer table begins with the rows of "
             "a shorter one.",
    .examples = "tamis generate add10 --rows 250 --seed 1 -o add10.csv\n"
                "tamis generate friedman1 --useless 45 --rows 1000 | tamis select -",
    .run = run,
};
