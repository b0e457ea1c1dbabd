/* Products with a symmetric matrix while pairs of vectors are taken from it.
 *
 *     y = A x,   or   A -= sum_j v_j s_j^T + s_j v_j^T,  y = A x
 *
 * A tile of eight rows and four columns is read once and serves both halves of the product: y_rows += A x_columns and,
 * below the diagonal block, y_columns += A^T x_rows. With the update, it is read, changed, used and written once, where
 * a rank-2b update followed by a product would read it twice. Tiles begin at multiples of eight rows of A, so that sums
 * are the same whatever the alignment of memory is.
 *
 * Howell, Demmel, Fulton, Hammarling, Marmol: Cache efficient bidiagonalization using BLAS 2.5 operators. ACM Trans.
 * Math. Softw. 34, 2008. */
#include "num/pair_update.h"

#include <string.h>
#include "base/base.h"
#include "num/eights.h"

enum { ROWS = TAMIS_PAIR_ROWS, COLUMNS = 4, VECTORS = 2 * TAMIS_PAIR_MOST };

#define WIDTH 4
#define NAME(x) x##_4
#define WHERE TAMIS_CLONES
#include "num/pair_tiles.h"

#ifdef TAMIS_EIGHTS
#define WIDTH 8
#define NAME(x) x##_8
#define WHERE TAMIS_EIGHTS
#include "num/pair_tiles.h"

#else
#define product_8 product_4
#define update_8 update_4
#endif

void tamis_pair_prepare(size_t n, double *a, size_t ld)
{
    for (size_t j = 0; j < n; j++) {
        size_t top = j / ROWS * ROWS;
        for (size_t i = top; i < j; i++) a[i + j * ld] = a[j + i * ld];
        for (size_t i = n; i < ld; i++) a[i + j * ld] = 0;
    }
    for (size_t j = n; j % COLUMNS; j++) memset(a + j * ld, 0, ld * sizeof *a);
}

void tamis_pair_product(size_t n, size_t from, const double *a, size_t ld, const double *x, double *y)
{
    size_t start = from / ROWS * ROWS, end = (n + ROWS - 1) / ROWS * ROWS;
    int wide = tamis_eights();
    memset(y + start, 0, (end - start) * sizeof *y);
    for (size_t c = from / COLUMNS * COLUMNS; c < n; c += COLUMNS) {
        size_t top = c / ROWS * ROWS;
        double below[COLUMNS];
        (wide ? product_8 : product_4)(end - top, a + top + c * ld, ld, x + c, x + top, y + top, below);
        for (size_t k = 0; k < COLUMNS; k++) y[c + k] += below[k];
    }
}

void tamis_pair_update(size_t n, size_t from, double *a, size_t ld, const double *u, const double *x, double *y)
{
    size_t start = from / ROWS * ROWS, end = (n + ROWS - 1) / ROWS * ROWS;
    int wide = tamis_eights();
    memset(y + start, 0, (end - start) * sizeof *y);
    for (size_t c = from / COLUMNS * COLUMNS; c < n; c += COLUMNS) {
        size_t top = c / ROWS * ROWS;
        double below[COLUMNS], other[VECTORS][COLUMNS];
        for (size_t j = 0; j < VECTORS; j++)
            for (size_t k = 0; k < COLUMNS; k++) other[j][k] = u[c + k + (j ^ 1) * ld];
        (wide ? update_8 : update_4)(end - top, a + top + c * ld, ld, u + top, other, x + c, x + top, y + top, below);
        for (size_t k = 0; k < COLUMNS; k++) y[c + k] += below[k];
    }
}
