/* The reader of finished trials: what it accepts has a set, and losses of the held-out rows or none. The first byte is
 * the version of the format; the fingerprint is right. */
#include "fuzz.h"
#include "select/resample.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t n)
{
    static uint8_t fields[1 << 20] = {7};               /* the fingerprint, 8 bytes */
    static size_t row[] = {0, 1, 2, 3, 4};
    struct tamis_split split[2] = {{row, row + 3, 3, 2}, {row + 1, row, 4, 1}};
    static double weight[] = {1, 2, 1, 1, 3};
    struct tamis_resample r = {2, 3, split, row, weight, 0};
    struct tamis_trials_summary s;
    size_t length;
    if (!n || n > sizeof fields - 8) return 0;
    tamis_context *cx = fuzz_context();
    struct tamis_trial *t = tamis_trials_new(cx, 2);
    memcpy(fields + 8, data + 1, n - 1);
    unsigned char *whole = fuzz_packed("TRLS", data[0] % 4, fields, n + 7, &length);
    struct tamis_trials all = {.cx = cx, .resample = &r, .fingerprint = 7, .trial = t};
    if (tamis_trials_restore(&all, whole, length)) check(*tamis_error(cx));
    else if (t[0].done && t[1].done) tamis_trials_summarise(&r, t, &s);
    tamis_trials_free(t, 2);
    return 0;
}

FUZZ_MUTATOR(fuzz_mutate_fields)
