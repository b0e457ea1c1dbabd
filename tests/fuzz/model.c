/* The reader of model files. The first byte is the version of the format, the rest its fields behind a valid checksum;
 * 0: the rest is the whole file. What loads must predict and save. */
#include "fuzz.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t n)
{
    if (!n) return 0;
    tamis_context *cx = fuzz_context();
    tamis_model *m = NULL;
    size_t length = n - 1;
    unsigned version = data[0] % 6;
    const uint8_t *whole = version ? fuzz_packed("MODL", version, data + 1, n - 1, &length) : data + 1;
    if (!tamis_model_load_memory(cx, whole, length, &m)) fuzz_use_model(cx, m);
    else check(*tamis_error(cx) && !m);
    tamis_model_free(m);
    return 0;
}

FUZZ_MUTATOR(fuzz_mutate_fields)
