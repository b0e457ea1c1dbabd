/* The library in one screen: which columns of a table matter, and a prediction from the model on them.
 *
 *     cc example.c $(pkg-config --cflags --libs tamis) -o example && ./example data/boston.csv */
#include <stdio.h>
#include <stdlib.h>
#include <tamis.h>

static int show(tamis_context *cx, const tamis_table *t, const tamis_result *r)
{
    const tamis_value *v = tamis_result_value(r);
    const size_t *chosen;
    size_t count = tamis_result_selected(r, &chosen);
    double *p = malloc(tamis_table_rows(t) * sizeof *p);
    int status = p ? tamis_model_predict(cx, tamis_result_model(r), t, p, NULL) : TAMIS_MEMORY;
    for (size_t k = 0; k < count; k++) {
        tamis_input in = {sizeof in};
        tamis_result_input(r, chosen[k], &in);
        printf("%zu. %s (%.3g)\n", k + 1, in.name, in.relevance);
    }
    printf("%s %.3g with all inputs, %.3g with these\n", tamis_value_text(v, "error.label"),
           tamis_value_number(v, "error.all_inputs"), tamis_value_number(v, "error.selected"));
    if (!status) printf("first row: %s is predicted as %.4g\n", tamis_value_text(v, "data.target"), p[0]);
    free(p);
    return status;
}

int main(int argc, char **argv)
{
    tamis_context *cx = tamis_context_new();
    tamis_options *o = cx ? tamis_options_new(cx) : NULL;
    tamis_table *t = NULL;
    tamis_result *r = NULL;
    if (argc != 2 || !o) return 2;
    int status = tamis_options_set(o, "method", "sisal");
    if (!status) status = tamis_table_read(cx, argv[1], o, &t);
    if (!status) status = tamis_select(cx, t, NULL, o, &r);
    if (!status) status = show(cx, t, r);
    if (status) fprintf(stderr, "%s\n", tamis_error(cx));
    tamis_result_free(r);
    tamis_table_free(t);
    tamis_options_free(o);
    tamis_context_free(cx);
    return tamis_exit_code(status);
}
