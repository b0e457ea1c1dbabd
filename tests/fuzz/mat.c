/* MATLAB's files; format.c reads them. */
#include "fuzz.h"

FUZZ_MUTATOR(fuzz_mutate_mat)
