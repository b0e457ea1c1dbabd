/* TAMIS_EXACT before a function: its products and sums are rounded one by one, so that equal terms stay equal. Clang
 * has no such attribute, and is told so for all files (meson.build). */
#ifndef TAMIS_EXACT_H
#define TAMIS_EXACT_H

#ifdef __clang__
#define TAMIS_EXACT
#else
#define TAMIS_EXACT __attribute__((optimize("fp-contract=off")))
#endif

#endif
