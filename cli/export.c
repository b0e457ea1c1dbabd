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
    .name = "export",
    .arguments = "MODEL",
    .summary = "write a saved model as one C file, or as JSON",
    .accepts = "export output quiet",
    .least = 1,
    .most = 1,
    .about = "--to c writes one C99 file that needs only exp and tanh. Its function NAME_predict takes the selected "
             "inputs in the units of the table, in the order given at the top of the file; compiled with -DTEST, the "
             "file is a program that tests itself. --to json writes every number exactly; 'tamis predict' and 'tamis "
             "export' accept this file in place of the model.",
    .examples = "tamis export boston.model --to c --name boston -o boston.c\n"
                "tamis export boston.model --to json -o boston.json",
    .run = run,
};
