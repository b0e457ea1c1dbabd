/* Functions that are worth compiling a second time, in vectors of eight numbers: those with the attribute TAMIS_EIGHTS
 * are called where tamis_eights(). TAMIS_EIGHTS is not defined where there are none. */
#ifndef TAMIS_EIGHTS_H
#define TAMIS_EIGHTS_H

#if defined(__x86_64__) && defined(__GNUC__) && !defined(__clang__) && !defined(TAMIS_SANITIZED)
#define TAMIS_EIGHTS __attribute__((target("arch=x86-64-v4")))
static inline int tamis_eights(void)
{
    return __builtin_cpu_supports("avx512f") && __builtin_cpu_supports("avx512vl") &&
           __builtin_cpu_supports("avx512dq") && __builtin_cpu_supports("avx512bw");
}
#else
static inline int tamis_eights(void) { return 0; }
#endif

#endif
