/* tamis predict */
#include <string.h>
#include "cli.h"

/* FILE.npy asks for an array unless --format says otherwise. */
static int form_set(struct cli *c, const char *path)
{
    size_t n = path ? strlen(path) : 0;
    if (n < 5 || strcmp(path + n - 4, ".npy") || cli_option(c, "format")) return TAMIS_OK;
    return tamis_options_set(c->options, "format", "npy");
}

static int run(struct cli *c)
{
    const char *path = cli_option(c, "output");
    tamis_output *o = NULL;
    tamis_model *m = NULL;
    int status = form_set(c, path);
    if (!status) status = tamis_model_load(c->cx, c->word[0], &m);
    if (!status) status = tamis_output_open(c->cx, path ? path : "-", &o);
    cli_signals_output(o);
    if (!status) status = tamis_model_predict_csv(c->cx, m, c->word[1], c->options, tamis_output_write, o);
    if (!status) status = tamis_output_keep(o);
    cli_signals_output(NULL);
    tamis_output_free(o);
    tamis_model_free(m);
    return status ? cli_fail(c, status) : TAMIS_OK;
}

const struct command cli_predict = {
    .name = "predict",
    .arguments = "MODEL DATA",
    .summary = "predict with a saved model, as CSV on standard output",
    .accepts = "missing delimiter decimal header skip units censored query sheet variables predict output threads "
               "memory quiet progress",
    .least = 2,
    .most = 2,
    .about = "MODEL comes from 'tamis select --model', or from 'tamis export --to json'. DATA needs only the columns "
             "that the model uses, found by name, and may have any number of rows: memory use does not grow. The "
             "output has one line per row, in the units of the target; for a classifier, the most probable class and "
             "the probability of each. --interval 0.9 adds the ends of an interval around a number. A row "
             "with a missing input gets an empty prediction, unless the model imputes. A model with lags "
             "takes the series in time order and predicts every row whose lags are known, with the time column first; "
             "add a last row of empty cells to predict the next value. --carry copies other columns. As a NumPy array, "
             "a classifier's output is the probability of each class, with a note that names them.",
    .examples = "tamis predict boston.model new.csv > predicted.csv\n"
                "tamis predict boston.model new.csv --carry id,name -o predicted.csv\n"
                "tamis predict boston.model new.csv --interval 0.9 -o predicted.csv\n"
                "zcat rows.csv.gz | tamis predict boston.json - -o predicted.csv",
    .run = run,
};
