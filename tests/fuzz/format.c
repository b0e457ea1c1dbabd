/* A file of any format but delimited text, for the mutators of the formats. The content chooses options. */
#include "fuzz.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t n)
{
    tamis_context *cx = fuzz_context();
    fuzz_check_reading(cx, data, n, fuzz_read_options(cx, data, n));
    return 0;
}
