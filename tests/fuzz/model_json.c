/* The reader of models as JSON; what loads must predict, and be written as it was read. */
#include "fuzz.h"

static void export(tamis_context *cx, const tamis_model *m)
{
    static tamis_options *json, *c;
    tamis_model *back = NULL;
    char *text = NULL;
    size_t length;
    if (!json) {
        json = tamis_options_new(cx);
        c = tamis_options_new(cx);
        tamis_options_set(c, "to", "c");
    }
    check(!tamis_model_export(cx, m, json, &text, &length));
    check(!tamis_model_load_memory(cx, text, length, &back));
    tamis_model_free(back);
    tamis_release(text);
    check(!tamis_model_export(cx, m, c, &text, &length));
    tamis_release(text);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t n)
{
    tamis_context *cx = fuzz_context();
    tamis_model *m = NULL;
    if (!tamis_model_load_memory(cx, data, n, &m)) {
        fuzz_use_model(cx, m);
        export(cx, m);
    } else {
        check(*tamis_error(cx) && !m);
    }
    tamis_model_free(m);
    return 0;
}

FUZZ_MUTATOR(fuzz_mutate_json)
