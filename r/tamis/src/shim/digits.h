/* Included before every file (Makevars): the same digits as the program, whatever options R has for its compiler. Where
 * the CPU multiplies and adds in one rounding, gcc's level and these two decide which sums are fused; meson.build has the
 * same. Clang fuses nothing there. */
#if defined(__clang__)
#pragma STDC FP_CONTRACT OFF
#elif defined(__GNUC__) && defined(__OPTIMIZE__) && !defined(__SANITIZE_ADDRESS__)
#pragma GCC optimize("O3", "no-math-errno", "no-trapping-math")
#endif
