/* tamis export */
#include "cli.h"

static int run(struct cli *c)
{
    tamis_model *m = NULL;
    char *text = NULL;
    size_t n = 0;
    int status = tamis_model_load(c->cx, c->word[0], &m);
    if (!status) status = tamis_model_export(c->cx, m, c->options, &text, &n);
    if (status) cli_fail(c, status);
    else status = cli_write(c, cli_option(c, "output"), text, n);
    tamis_release(text);
    tamis_model_free(m);
    return status;
}

const struct command cli_export = {
    "export",
    "MODEL",
    "a saved model as one C file, or as JSON",
    "export output quiet progress",
    1,
    1,
    "--to c writes one C99 file without dependencies but exp and tanh: NAME_predict takes the chosen inputs in the "
    "units of the table, and the head of the file says in "
    "which order; -DTEST makes it a program that checks itself. --to json writes every number so that it reads back as "
    "it was; 'tamis predict' and "
    "'tamis export' take such a file in place of the model.",
    "tamis export boston.model --to c --name boston -o boston.c\ntamis export boston.model --to json -o boston.json",
    run};
