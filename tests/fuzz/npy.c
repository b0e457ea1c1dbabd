/* NumPy's arrays; format.c reads them. */
#include "fuzz.h"

FUZZ_MUTATOR(fuzz_mutate_npy)
