/* The reader of models as JSON; what loads must predict, and be written as it was read. */
#include <stdlib.h>
#include <string.h>
#include "base/base.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t n);

static void use(tamis_context *cx, const tamis_model *m)
{
    static const char row[] = "x1,x2,x3,x4,x5,a,b\n1,2,3,4,5,6,7\n2,3,4,5,6,7,8\n";
    tamis_table *t = NULL;
    tamis_options *o = tamis_options_new(cx);
    const char *const *name;
    char *text = NULL;
    size_t length, outputs = tamis_model_targets(m) + tamis_model_classes(m, &name);
    double *p = outputs < 100000 ? calloc(2 * outputs, sizeof *p) : NULL,
           *score = outputs < 100000 ? calloc(2 * outputs, sizeof *score) : NULL;
    if (p && score && !tamis_table_read_memory(cx, row, sizeof row - 1, "row", NULL, &t))
        tamis_model_predict(cx, m, t, p, score);
    if (tamis_model_export(cx, m, o, &text, &length)) abort();
    tamis_model *back = NULL;
    if (tamis_model_load_memory(cx, text, length, &back)) abort();
    tamis_model_free(back);
    tamis_release(text);
    tamis_options_set(o, "to", "c");
    if (tamis_model_export(cx, m, o, &text, &length)) abort();
    tamis_release(text);
    tamis_table_free(t);
    tamis_options_free(o);
    free(p);
    free(score);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t n)
{
    tamis_context *cx = tamis_context_new();
    tamis_model *m = NULL;
    tamis_context_limits(cx, 1, 0);
    if (!tamis_model_load_memory(cx, data, n, &m)) use(cx, m);
    else if (!*tamis_error(cx)) abort();
    tamis_model_free(m);
    tamis_context_free(cx);
    return 0;
}
