/* The reader of finished trials: what it accepts has a set, and losses of the held-out rows or none. */
#include "select/resample.h"
#include "packed.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t n);

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t n)
{
    static const size_t row[] = {0, 1, 2, 3, 4};
    struct tamis_split split[2] = {{row, row + 3, 3, 2}, {row + 1, row, 4, 1}};
    struct tamis_resample r = {2, 3, split, NULL};
    tamis_context *cx = tamis_context_new();
    struct tamis_trial *t = tamis_trials_new(cx, 2);
    struct tamis_trials_summary s;
    size_t length;
    unsigned char *whole = packed(cx, "TRLS", data, n, &length);
    if (t && !tamis_trials_restore(cx, whole, length, &r, 7, t) && t[0].done && t[1].done)
        tamis_trials_summarise(&r, t, &s);
    free(whole);
    tamis_trials_free(t, 2);
    tamis_context_free(cx);
    return 0;
}
