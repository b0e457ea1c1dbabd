/* No digit depends on the alignment of memory, under any kernel set: every BLAS and LAPACK routine that the library
 * calls, and its own levels 1 and 2, with each argument at 8 alignments. Replacements of BLAS against plain loops.
 * tools/run-tests runs this under every kernel set of the CPU. */
#include <alloca.h>
#include <float.h>
#include "base/blas.h"
#include "base/rng.h"
#include "num/blocks.h"
#include "num/centers.h"
#include "num/cholesky.h"
#include "num/lapack.h"
#include "num/nodes.h"
#include "unit.h"

#define COUNT(a) (sizeof(a) / sizeof *(a))
enum { MOST = 150, ROOM = 3 * MOST * MOST, SHIFTS = 8, ARGUMENTS = 3 };

static double *block(size_t n) { return aligned_alloc(64, (n * sizeof(double) + 127) / 64 * 64); }

static void normals(uint64_t seed, size_t n, double *x)
{
    struct tamis_rng r;
    tamis_rng_init(&r, seed, TAMIS_RNG_TEST, 0);
    for (size_t i = 0; i < n; i++) x[i] = tamis_rng_normal(&r);
}

static void heavy_diagonal(size_t n, double *a)
{
    for (size_t i = 0; i < n; i++) a[i * (n + 1)] = 5 * (double)n;
}

/* ---- alignments: f(n, m, k, a, b, c) writes its result into c ---- */

#define ROUTINE(name, ...) \
    static void name(size_t n, size_t m, size_t k, double *a, double *b, double *c) \
    { \
        (void)n, (void)m, (void)k, (void)a, (void)b, (void)c; \
        __VA_ARGS__; \
    }
ROUTINE(dot, c[0] = tamis_dot(n, a, b))
ROUTINE(axpy, tamis_axpy(n, 0.37, a, c))
ROUTINE(scale, tamis_scale(n, 0.37, c))
ROUTINE(norm, c[0] = tamis_norm(n, a))
ROUTINE(sum_abs, c[0] = tamis_sum_abs(n, a))
ROUTINE(largest, c[0] = (double)tamis_largest(n, a))
ROUTINE(rotate, tamis_rotate(n, b, c, 0.6, 0.8); c[n] = b[n - 1])
ROUTINE(gemv_plain, tamis_gemv(PLAIN, n, m, 0.3, a, n, b, 0.7, c))
ROUTINE(gemv_trans, tamis_gemv(TRANS, n, m, 0.3, a, n, b, 0.7, c))
ROUTINE(symv, tamis_symv(n, 0.3, a, n, b, c))
ROUTINE(syr, tamis_syr(n, 0.3, b, c, n))
ROUTINE(trsv_lower, heavy_diagonal(n, a); tamis_trsv(CblasLower, PLAIN, n, a, n, c))
ROUTINE(trsv_lower_trans, heavy_diagonal(n, a); tamis_trsv(CblasLower, TRANS, n, a, n, c))
ROUTINE(trsv_upper, heavy_diagonal(n, a); tamis_trsv(CblasUpper, PLAIN, n, a, n, c))
ROUTINE(trsv_upper_trans, heavy_diagonal(n, a); tamis_trsv(CblasUpper, TRANS, n, a, n, c))
ROUTINE(gemm, tamis_gemm(PLAIN, PLAIN, n, m, k, 0.3, a, n, b, k, 0.7, c, n))
ROUTINE(gemm_tn, tamis_gemm(TRANS, PLAIN, n, m, k, 0.3, a, k, b, k, 0.7, c, n))
ROUTINE(gemm_tt, tamis_gemm(TRANS, TRANS, n, m, k, 0.3, a, k, b, m, 0.7, c, n))
ROUTINE(gemm_nt, tamis_gemm(PLAIN, TRANS, n, m, k, 0.3, a, n, b, m, 0.7, c, n))
ROUTINE(gemm_column, tamis_gemm(PLAIN, PLAIN, n, 1, k, 0.3, a, n, b, k, 0.7, c, n))
ROUTINE(gemm_row, tamis_gemm(TRANS, PLAIN, 1, m, k, 0.3, a, k, b, k, 0.7, c, 1))
ROUTINE(syrk, tamis_syrk(CblasLower, PLAIN, n, k, 0.3, a, n, 0.7, c, n))
ROUTINE(syrk_trans, tamis_syrk(CblasUpper, TRANS, n, k, 0.3, a, k, 0.7, c, n))
ROUTINE(symm, tamis_symm(n, m, a, n, b, n, c, n))
ROUTINE(trmm, tamis_trmm(n, m, a, n, c, n))
ROUTINE(trsm_left, heavy_diagonal(n, a); tamis_trsm(CblasLeft, CblasLower, PLAIN, n, m, a, n, c, n))
ROUTINE(trsm_left_trans, heavy_diagonal(n, a); tamis_trsm(CblasLeft, CblasLower, TRANS, n, m, a, n, c, n))
ROUTINE(trsm_upper_trans, heavy_diagonal(n, a); tamis_trsm(CblasLeft, CblasUpper, TRANS, n, m, a, n, c, n))
ROUTINE(trsm_right_lower, heavy_diagonal(m, a); tamis_trsm(CblasRight, CblasLower, PLAIN, n, m, a, m, c, n))
ROUTINE(trsm_right, heavy_diagonal(m, a); tamis_trsm(CblasRight, CblasUpper, PLAIN, n, m, a, m, c, n))
ROUTINE(trsm_right_trans, heavy_diagonal(m, a); tamis_trsm(CblasRight, CblasLower, TRANS, n, m, a, m, c, n))
ROUTINE(cholesky_lower, heavy_diagonal(n, c); tamis_cholesky(CblasLower, n, c, n))
ROUTINE(cholesky_upper, heavy_diagonal(n, c); tamis_cholesky(CblasUpper, n, c, n))
ROUTINE(cholesky_solve, heavy_diagonal(n, a); tamis_cholesky_solve(n, a, n, m, c, n))
ROUTINE(cholesky_solve_one, heavy_diagonal(n, a); tamis_cholesky_solve(n, a, n, 1, c, n))

/* dgelsy: one of two classes to a row, m nodes at most n */
static void least_squares(size_t n, size_t m, size_t k, double *a, double *b, double *c)
{
    (void)k;
    int *pivot = calloc(m, sizeof *pivot);
    double *work = malloc((tamis_nodes_ls_size(n, m < n ? m : n, 2) + SHIFTS) * sizeof *work);
    for (size_t i = 0; i < n; i++) b[i] = b[i] > 0;
    tamis_nodes_ls(n, m < n ? m : n, 2, a, b, NULL, work + ((uintptr_t)c / sizeof *c) % SHIFTS, pivot, c);
    free(work);
    free(pivot);
}

/* dgesdd: a network on m of the rows, k inputs at most 20 */
static void singular_values(size_t n, size_t m, size_t k, double *a, double *b, double *c)
{
    size_t columns[20], d = k < 20 ? k : 20, centres = m < n ? m : n;
    for (size_t i = 0; i < d; i++) columns[i] = i;
    struct tamis_centers_data data = {n, n, centres, n, d, a, a, b, columns, .outputs = 1};
    struct tamis_centers w;
    double *memory = malloc((tamis_centers_size(centres, 1) + SHIFTS) * sizeof *memory);
    tamis_centers_bind(&w, &data, memory + ((uintptr_t)c / sizeof *c) % SHIFTS);
    assert_int_equal(tamis_centers_reduce(&w, 2.0 * (double)d), 0);
    memcpy(c, w.s, (centres + 1) * sizeof *c);
    memcpy(c + centres + 1, w.uy, (centres + 1) * sizeof *c);
    free(memory);
}

/* dsytrd and dormtr: K = Z Z' / k, m outputs */
static void tridiagonal(size_t n, size_t m, size_t k, double *a, double *b, double *c)
{
    double evidence, *memory = malloc((tamis_dual_size(n, m) + SHIFTS) * sizeof *memory), *gram = b + n * m;
    tamis_syrk(CblasLower, PLAIN, n, k, 1 / (double)k, a, n, 0, gram, n);
    assert_int_equal(
        tamis_dual_ridge(n, m, (double)n, gram, b, c, &evidence, memory + ((uintptr_t)c / sizeof *c) % SHIFTS), 0);
    c[n * m] = evidence;
    free(memory);
}

/* the inverse triangle of num/blocks.c: m features of n rows */
static void block_variances(size_t n, size_t m, size_t k, double *a, double *b, double *c)
{
    size_t *own = malloc(m * sizeof *own);
    double *moment = c + m * m, *found = moment + m;
    double v[2] = {0, 0}, sure[2], *memory = malloc((tamis_blocks_size(m, 1) + SHIFTS) * sizeof *memory);
    (void)k;
    for (size_t i = 0; i < m; i++) own[i] = i % 2;
    tamis_syrk(CblasLower, TRANS, m, n, 1, a, n, 0, c, m);
    tamis_gemm(TRANS, PLAIN, m, 1, n, 1, a, n, b, n, 0, moment, m);
    struct tamis_blocks f = {m, 1, 2, (double)n, c, m, moment, m, tamis_dot(n, b, b), own, v, 0, found, sure};
    assert_int_equal(tamis_blocks_fit(&f, 5, 1e-3, memory + ((uintptr_t)c / sizeof *c) % SHIFTS), 0);
    found[m] = f.evidence;
    free(memory);
    free(own);
}

#define ROW(f) {#f, f}
static const struct {
    const char *name;
    void (*f)(size_t, size_t, size_t, double *, double *, double *);
} routines[] = {
    ROW(dot),
    ROW(axpy),
    ROW(scale),
    ROW(norm),
    ROW(sum_abs),
    ROW(largest),
    ROW(rotate),
    ROW(gemv_plain),
    ROW(gemv_trans),
    ROW(symv),
    ROW(syr),
    ROW(trsv_lower),
    ROW(trsv_lower_trans),
    ROW(trsv_upper),
    ROW(trsv_upper_trans),
    ROW(gemm),
    ROW(gemm_tn),
    ROW(gemm_nt),
    ROW(gemm_tt),
    ROW(gemm_column),
    ROW(gemm_row),
    ROW(syrk),
    ROW(syrk_trans),
    ROW(symm),
    ROW(trmm),
    ROW(trsm_left),
    ROW(trsm_left_trans),
    ROW(trsm_upper_trans),
    ROW(trsm_right_lower),
    ROW(trsm_right),
    ROW(trsm_right_trans),
    ROW(cholesky_lower),
    ROW(cholesky_upper),
    ROW(cholesky_solve),
    ROW(cholesky_solve_one),
    ROW(least_squares),
    ROW(singular_values),
    ROW(tridiagonal),
    ROW(block_variances),
};
static const size_t sizes[][3] = {{1, 1, 1},    {5, 3, 4},      {17, 9, 12},    {37, 20, 33},
                                  {64, 32, 64}, {101, 50, 130}, {147, 100, 147}};

/* One routine at one size; argument `moved` (or all of them) `shift` doubles further. */
static void at_alignment(size_t routine, const size_t *size, double *const *from, double *const *to, size_t moved,
                         size_t shift, double *out)
{
    double *p[ARGUMENTS];
    for (size_t i = 0; i < ARGUMENTS; i++) {
        p[i] = to[i] + (moved == i || moved == ARGUMENTS ? shift : 0);
        memcpy(p[i], from[i], ROOM * sizeof **from);
    }
    routines[routine].f(size[0], size[1], size[2], p[0], p[1], p[2]);
    memcpy(out, p[2], ROOM * sizeof *out);
}

static void routines_give_the_same_bits_at_every_alignment(void **state)
{
    (void)state;
    double *from[ARGUMENTS], *to[ARGUMENTS], *first = block(ROOM), *other = block(ROOM);
    for (size_t i = 0; i < ARGUMENTS; i++) {
        normals(i, ROOM, from[i] = block(ROOM));
        to[i] = block(ROOM + SHIFTS);
    }
    for (size_t r = 0; r < COUNT(routines); r++)
        for (size_t s = 0; s < COUNT(sizes); s++) {
            at_alignment(r, sizes[s], from, to, 0, 0, first);
            for (size_t shift = 1; shift < SHIFTS; shift++)
                for (size_t moved = 0; moved <= ARGUMENTS; moved++) {
                    at_alignment(r, sizes[s], from, to, moved, shift, other);
                    if (memcmp(first, other, ROOM * sizeof *first))
                        fail_msg("%s of %zu, %zu, %zu: argument %zu moved by %zu doubles gives other bits (%s kernels)",
                                 routines[r].name, sizes[s][0], sizes[s][1], sizes[s][2], moved, shift, tamis_blas());
                }
        }
    for (size_t i = 0; i < ARGUMENTS; i++) free(from[i]), free(to[i]);
    free(first), free(other);
}

/* ---- whole runs, from deeper in the stack ---- */

__attribute__((noinline)) static char *json_deeper(tamis_context *cx, const tamis_table *t, const tamis_options *o,
                                                   size_t bytes)
{
    volatile char *room = alloca(bytes + 1);
    room[0] = 1;
    char *text = json(cx, t, o);
    return room[0] ? text : NULL;
}

static void runs_do_not_depend_on_the_stack(void **state)
{
    tamis_context *cx = *state;
    static const char *const method[] = {"sift", "sisal", "search", "lssvm", "opelm"};
    tamis_table *t = made(cx, "friedman1", "60", "3");
    for (size_t k = 0; k < COUNT(method); k++) {
        tamis_options *o = OPTIONS("method", method[k]);
        char *first = json_deeper(cx, t, o, 0), *other = json_deeper(cx, t, o, 16 + 48 * k);
        assert_string_equal(first, other);
        tamis_release(first), tamis_release(other);
        tamis_options_free(o);
    }
    tamis_table_free(t);
}

/* ---- against plain loops ---- */

static void close_to(const char *what, size_t n, double got, double right, double scale)
{
    if (!(fabs(got - right) <= 8 * (double)(n + 1) * DBL_EPSILON * scale))
        fail_msg("%s of %zu: %.17g for %.17g", what, n, got, right);
}

static void vectors_equal_plain_loops(void **state)
{
    (void)state;
    double *x = block(300), *y = block(300), *z = block(300);
    normals(7, 300, x), normals(8, 300, y);
    for (size_t n = 0; n <= 70; n++) {
        double sum = 0, sizes_sum = 0, squares = 0, absolute = 0;
        for (size_t i = 0; i < n; i++)
            sum += x[i] * y[i], sizes_sum += fabs(x[i] * y[i]), squares += x[i] * x[i], absolute += fabs(x[i]);
        close_to("dot", n, tamis_dot(n, x, y), sum, sizes_sum);
        close_to("norm", n, tamis_norm(n, x), sqrt(squares), sqrt(squares));
        close_to("sum of sizes", n, tamis_sum_abs(n, x), absolute, absolute);
        memcpy(z, y, 300 * sizeof *z);
        tamis_axpy(n, 0.3, x, z);
        for (size_t i = 0; i < 300; i++)
            close_to("axpy", n, z[i], y[i] + (i < n ? 0.3 * x[i] : 0), fabs(y[i]) + fabs(x[i]));
    }
    free(x), free(y), free(z);
}

static void norms_neither_overflow_nor_vanish(void **state)
{
    (void)state;
    double large[] = {3e200, -4e200}, tiny[] = {3e-200, 4e-200}, nothing[] = {0, 0}, none[] = {NAN, 1},
           endless[] = {INFINITY, 1};
    assert_relative(tamis_norm(2, large), 5e200, 1e-15);
    assert_relative(tamis_norm(2, tiny), 5e-200, 1e-15);
    assert_true(tamis_norm(2, nothing) == 0 && tamis_norm(0, nothing) == 0);
    assert_true(isnan(tamis_norm(2, none)) && isinf(tamis_norm(2, endless)));
}

static void matrices_equal_plain_loops(void **state)
{
    (void)state;
    enum { LD = 45 };
    double *a = block(LD * LD), *x = block(LD), *y = block(LD), *got = block(LD);
    normals(9, LD * LD, a), normals(10, LD, x), normals(11, LD, y);
    for (size_t m = 0; m <= 41; m += 1 + m / 7)
        for (size_t n = 0; n <= 41; n += 1 + n / 7) {
            memcpy(got, y, LD * sizeof *got);
            tamis_gemv(PLAIN, m, n, 0.3, a, LD, x, 0.7, got);
            for (size_t i = 0; i < m; i++) {
                double sum = 0, size = 1;
                for (size_t j = 0; j < n; j++) sum += a[i + LD * j] * x[j], size += fabs(a[i + LD * j] * x[j]);
                close_to("gemv", n, got[i], 0.3 * sum + 0.7 * y[i], size);
            }
            memset(got, 0xff, LD * sizeof *got);                        /* not read where beta is 0 */
            tamis_gemv(TRANS, m, n, 0.3, a, LD, x, 0, got);
            for (size_t j = 0; j < n; j++) {
                double sum = 0, size = 1;
                for (size_t i = 0; i < m; i++) sum += a[i + LD * j] * x[i], size += fabs(a[i + LD * j] * x[i]);
                close_to("gemv^T", m, got[j], 0.3 * sum, size);
            }
        }
    for (size_t n = 0; n <= 41; n++) {
        tamis_symv(n, 0.3, a, LD, x, got);
        for (size_t i = 0; i < n; i++) {
            double sum = 0, size = 1;
            for (size_t j = 0; j < n; j++) {
                double v = i > j ? a[i + LD * j] : a[j + LD * i];
                sum += v * x[j], size += fabs(v * x[j]);
            }
            close_to("symv", n, got[i], 0.3 * sum, size);
        }
    }
    free(a), free(x), free(y), free(got);
}

/* ---- large products are computed in pieces ---- */

enum { LARGE = 1200, DEPTH = 460 };             /* some 1e9 operations; pieces have 5e8 */

static void equal_bits(const char *what, size_t n, double *pieces, double *whole)
{
    for (size_t i = 0; i < n; i++)
        if (memcmp(pieces + i, whole + i, sizeof *whole))
            fail_msg("%s, element %zu: %.17g in pieces, %.17g in one", what, i, pieces[i], whole[i]);
    free(pieces), free(whole);
}

static double *copy_of(const double *x, size_t n) { return memcpy(block(n), x, n * sizeof *x); }

/* m x n, inner size k; 20 columns and 7 rows past the last full tile */
static void gemm_in_pieces(CBLAS_TRANSPOSE opa, CBLAS_TRANSPOSE opb, size_t m, size_t n, size_t k, const double *a,
                           const double *b, const double *c)
{
    double *pieces = copy_of(c, m * n), *whole = copy_of(c, m * n);
    size_t lda = opa == PLAIN ? m : k, ldb = opb == PLAIN ? k : n;
    tamis_gemm(opa, opb, m, n, k, 0.3, a, lda, b, ldb, 0.7, pieces, m);
    cblas_dgemm(CblasColMajor, opa, opb, (int)m, (int)n, (int)k, 0.3, a, (int)lda, b, (int)ldb, 0.7, whole, (int)m);
    equal_bits("gemm", m * n, pieces, whole);
}

static void trsm_in_pieces(CBLAS_SIDE side, CBLAS_UPLO half, CBLAS_TRANSPOSE op, size_t m, size_t n, double *t,
                           const double *b)
{
    int size = (int)(side == CblasLeft ? m : n);
    double *pieces = copy_of(b, m * n), *whole = copy_of(b, m * n);
    heavy_diagonal((size_t)size, t);
    tamis_trsm(side, half, op, m, n, t, (size_t)size, pieces, m);
    cblas_dtrsm(CblasColMajor, side, half, op, CblasNonUnit, (int)m, (int)n, 1, t, size, whole, (int)m);
    equal_bits("trsm", m * n, pieces, whole);
}

static void symm_in_pieces(size_t n, size_t m, const double *a, const double *b)
{
    double *pieces = block(n * m), *whole = block(n * m);
    tamis_symm(n, m, a, n, b, n, pieces, n);
    cblas_dsymm(CblasColMajor, CblasLeft, CblasLower, (int)n, (int)m, 1, a, (int)n, b, (int)n, 0, whole, (int)n);
    equal_bits("symm", n * m, pieces, whole);
}

static void pieces_give_the_bits_of_the_whole(void **state)
{
    (void)state;
    enum { ROOM_OF_ALL = 4 << 20 };
    double *a = block(ROOM_OF_ALL), *b = block(ROOM_OF_ALL), *c = block(ROOM_OF_ALL);
    normals(21, ROOM_OF_ALL, a), normals(22, ROOM_OF_ALL, b), normals(23, ROOM_OF_ALL, c);
    gemm_in_pieces(PLAIN, PLAIN, LARGE + 7, LARGE + 20, DEPTH, a, b, c);
    gemm_in_pieces(TRANS, PLAIN, LARGE + 7, LARGE + 20, DEPTH, a, b, c);
    gemm_in_pieces(PLAIN, TRANS, LARGE + 1, LARGE + 3, DEPTH, a, b, c);
    gemm_in_pieces(TRANS, PLAIN, 4007, 205, 1000, a, b, c);             /* by rows */
    gemm_in_pieces(PLAIN, TRANS, 1607, 401, 1003, a, b, c);             /* both ways */
    symm_in_pieces(LARGE, 395, a, b);
    trsm_in_pieces(CblasLeft, CblasLower, PLAIN, 900, LARGE + 5, a, b);
    trsm_in_pieces(CblasLeft, CblasLower, TRANS, 900, LARGE + 5, a, b);
    trsm_in_pieces(CblasRight, CblasLower, TRANS, LARGE + 5, 900, a, b);
    trsm_in_pieces(CblasRight, CblasUpper, PLAIN, LARGE + 5, 900, a, b);
    free(a), free(b), free(c);
}

/* The product of the factor with itself is the matrix, and solving undoes multiplying. */
static void cholesky_gives_the_matrix_back(void **state)
{
    (void)state;
    double *a = block(MOST * MOST), *l = block(MOST * MOST), *b = block(MOST * 3);
    for (size_t n = 1; n <= 130; n += 1 + n / 5) {
        normals(n, n * n, a);
        heavy_diagonal(n, a);
        for (int lower = 0; lower < 2; lower++) {
            memcpy(l, a, n * n * sizeof *l);
            assert_int_equal(tamis_cholesky(lower ? CblasLower : CblasUpper, n, l, n), 0);
            for (size_t j = 0; j < n; j++)
                for (size_t i = j; i < n; i++) {
                    double sum = 0, right = lower ? a[i + n * j] : a[j + n * i];
                    for (size_t k = 0; k <= j; k++)
                        sum += lower ? l[i + n * k] * l[j + n * k] : l[k + n * i] * l[k + n * j];
                    close_to("Cholesky", n, sum, right, 5 * (double)n);
                    if (i > j)
                        assert_true((lower ? l[j + n * i] : l[i + n * j]) == (lower ? a[j + n * i] : a[i + n * j]));
                }
        }
        memcpy(l, a, n * n * sizeof *l);
        tamis_cholesky(CblasLower, n, l, n);
        for (size_t columns = 1; columns <= 3; columns += 2) {
            for (size_t k = 0; k < columns; k++)
                for (size_t i = 0; i < n; i++) {
                    b[i + n * k] = 0;
                    for (size_t j = 0; j < n; j++)
                        b[i + n * k] += (i > j ? a[i + n * j] : a[j + n * i]) * (double)(j + k);
                }
            tamis_cholesky_solve(n, l, n, columns, b, n);
            for (size_t k = 0; k < columns; k++)
                for (size_t i = 0; i < n; i++) close_to("solution", n, b[i + n * k], (double)(i + k), (double)(n + k));
        }
    }
    free(a), free(l), free(b);
}

static void cholesky_names_the_pivot(void **state)
{
    (void)state;
    double *a = block(90 * 90);
    for (size_t bad = 0; bad < 90; bad += 11)
        for (int lower = 0; lower < 2; lower++) {
            memset(a, 0, 90 * 90 * sizeof *a);
            for (size_t i = 0; i < 90; i++) a[i * 91] = i == bad ? -1 : 1;
            assert_int_equal(tamis_cholesky(lower ? CblasLower : CblasUpper, 90, a, 90), bad + 1);
        }
    free(a);
}

/* As in a run: one thread, whatever the BLAS of the process would take (-Dblas=system). */
static int begin(void **state)
{
    int bad = set_up(state);
    return bad ? bad : tamis_blas_begin(*state);
}

static int end(void **state)
{
    tamis_blas_end();
    return tear_down(state);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(routines_give_the_same_bits_at_every_alignment),
        TEST(runs_do_not_depend_on_the_stack),
        cmocka_unit_test(vectors_equal_plain_loops),
        cmocka_unit_test(norms_neither_overflow_nor_vanish),
        cmocka_unit_test(matrices_equal_plain_loops),
        cmocka_unit_test_setup_teardown(pieces_give_the_bits_of_the_whole, begin, end),
        cmocka_unit_test(cholesky_gives_the_matrix_back),
        cmocka_unit_test(cholesky_names_the_pivot),
    };
    return cmocka_run_group_tests_name("BLAS", tests, NULL, NULL);
}
