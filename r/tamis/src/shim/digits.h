/* Included before every file (Makevars): the same digits as the program, whatever options R has for its compiler. Where
 * the CPU multiplies and adds in one rounding, gcc's level and two options decide which products and sums are fused;
 * meson.build has the same. -fno-math-errno also says that the functions of libm only compute, which a pragma cannot: the
 * declarations do. Clang is told to fuse nothing. */
#if defined(__clang__)
#pragma STDC FP_CONTRACT OFF
#elif defined(__GNUC__) && defined(__OPTIMIZE__) && !defined(__SANITIZE_ADDRESS__)
#define ONLY(name, ...) double name(__VA_ARGS__) __attribute__((const, nothrow, leaf));
ONLY(acos, double) ONLY(asin, double) ONLY(atan, double) ONLY(cos, double) ONLY(cosh, double) ONLY(sin, double)
ONLY(sinh, double) ONLY(tan, double) ONLY(tanh, double) ONLY(cbrt, double) ONLY(erf, double) ONLY(erfc, double)
ONLY(exp, double) ONLY(exp2, double) ONLY(expm1, double) ONLY(log, double) ONLY(log10, double) ONLY(log1p, double)
ONLY(log2, double) ONLY(sqrt, double) ONLY(pow, double, double) ONLY(fmod, double, double) ONLY(hypot, double, double)
ONLY(ldexp, double, int)
int ilogb(double) __attribute__((const, nothrow, leaf));
#undef ONLY
#pragma GCC optimize("O3", "no-math-errno", "no-trapping-math")
#endif
