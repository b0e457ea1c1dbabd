/* clang builds the fuzzers without OpenMP: one thread. */
static inline int omp_get_num_procs(void) { return 1; }
static inline int omp_in_parallel(void) { return 0; }
static inline int omp_get_thread_num(void) { return 0; }
