/* tamis predict */
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include "cli.h"

/* The predictions as a table: a column of numbers a target, or the class and a score for each class. */
static int print_numbers(struct cli *c, const tamis_model *m, size_t rows, const double *p, char **text, size_t *length)
{
    size_t targets = tamis_model_targets(m);
    const char **name = malloc(targets * sizeof *name);
    tamis_table *out = NULL;
    for (size_t i = 0; name && i < targets; i++) name[i] = tamis_model_target_at(m, i);
    int status = name ? tamis_table_from_numbers(c->cx, rows, targets, p, rows, name, &out) : TAMIS_MEMORY;
    free(name);
    if (!status) status = tamis_table_csv(c->cx, out, text, length);
    tamis_table_free(out);
    return status;
}

static void csv_field(FILE *f, const char *before, const char *s)
{
    int quote = strpbrk(before, ",\"\r\n") || strpbrk(s, ",\"\r\n");
    if (quote) fputc('"', f);
    fputs(before, f);
    for (; *s; s++) {
        if (*s == '"') fputc('"', f);
        fputc(*s, f);
    }
    if (quote) fputc('"', f);
}

static int print_classes(const tamis_model *m, size_t rows, const double *p, const double *score, char **text, size_t *length)
{
    const char *const *label;
    size_t classes = tamis_model_classes(m, &label);
    FILE *f = open_memstream(text, length);
    if (!f) return TAMIS_MEMORY;
    csv_field(f, "", tamis_model_target(m));
    for (size_t k = 0; k < classes; k++) {
        fputc(',', f);
        csv_field(f, "score:", label[k]);
    }
    fputc('\n', f);
    for (size_t i = 0; i < rows; i++) {
        if (!isnan(p[i])) csv_field(f, "", label[(size_t)p[i]]);
        for (size_t k = 0; k < classes; k++) {
            fputc(',', f);
            if (!isnan(p[i])) cli_json_number(f, score[i + rows * k]);
        }
        fputc('\n', f);
    }
    return fclose(f) ? TAMIS_MEMORY : TAMIS_OK;
}

static int write_predictions(struct cli *c, const tamis_model *m, const tamis_table *data)
{
    const char *const *label;
    size_t rows = tamis_table_rows(data), length = 0, classes = tamis_model_classes(m, &label);
    double *p = malloc((rows * tamis_model_targets(m) + 1) * sizeof *p), *score = malloc((rows * classes + 1) * sizeof *score);
    char *text = NULL;
    int status = p && score ? tamis_model_predict(c->cx, m, data, p, classes ? score : NULL) : TAMIS_MEMORY;
    if (!status) status = classes ? print_classes(m, rows, p, score, &text, &length) : print_numbers(c, m, rows, p, &text, &length);
    if (status) cli_fail(c, status);
    else status = cli_write(c, cli_option(c, "output"), text, length);
    tamis_release(text);
    free(p);
    free(score);
    return status;
}

static int run(struct cli *c)
{
    tamis_model *m = NULL;
    tamis_table *data = NULL;
    int status = tamis_model_load(c->cx, c->word[0], &m);
    if (status) return cli_fail(c, status);
    status = cli_read_table(c, c->word[1], &data);
    if (!status) status = write_predictions(c, m, data);
    tamis_table_free(data);
    tamis_model_free(m);
    return status;
}

const struct command cli_predict = {
    "predict", "MODEL DATA", "predictions of a saved model, as CSV on standard output",
    "data output threads quiet progress", 2, 2,
    "DATA needs only the columns that the model uses, by name. One line a row of DATA, in the units of the target; of a classifier the "
    "class and a score for each class. A row with a missing input has an empty prediction, unless the model imputes. A model with lags "
    "takes the series in time order and predicts every row that has its lags; a last row with empty cells asks for the next value.",
    "tamis predict boston.model new.csv > predicted.csv", run};
