/* NumPy's archives; format.c reads them. */
#include "fuzz.h"

static const char *const words[] = {"X.npy", "y.npy", "x1.npy", "a.npy", ".npy", "a", "label.npy", "X.npy/"};
static const struct fuzz_words names = {NULL, words, sizeof words / sizeof *words};

static void mutate(const uint8_t *data, size_t n, struct fuzz_bytes *out, struct fuzz_random *r)
{
    fuzz_mutate_zip(fuzz_mutate_npy, &names, data, n, out, r);
}

FUZZ_MUTATOR(mutate)
