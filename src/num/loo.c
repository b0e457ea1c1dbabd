/* Leave-one-out error of a Gaussian network with a basis function on every row.
 *
 *     K = [G 1],  P(lambda) = I - K (K^T K + lambda I)^-1 K^T = lambda (K K^T + lambda I)^-1,
 *     e = (diag P)^-1 P y,   LOO(lambda) = |e|^2 / n                                                        [1] eq. (3)
 *
 * e_i is the error at row i of the network fitted without target i; its basis function stays. loo_reduce.c gives
 * K K^T = Q (T^2 + n e1 e1^T) Q^T. With the band triangle R^T R = T^2 + n e1 e1^T + lambda I (by rotations of
 * [T; sqrt(n) e1^T; sqrt(lambda) I], so that nothing is ever squared), a row q of Q gives
 *
 *     z = R^-T q,   P_ii = lambda z.z,   (P y)_i = lambda z.x,   x = R^-T Q^T y.
 *
 * R has three diagonals, so z follows from a two-term recurrence; eight rows pass through it together, in registers.
 * With the rows of R scaled to a unit diagonal (b, c the other two, d the inverse square of the diagonal):
 *
 *     z_k = q_k - b_k z_(k-1) - c_k z_(k-2),   z.z = sum d_k z_k^2,   z.x = sum (d_k x_k) z_k.
 *
 * A row of weight w is w equal rows, and w equal basis functions, which share their weight: with V = diag(sqrt(w)), G
 * becomes V G V, y becomes V y, and the vector of ones becomes sqrt(w), of length sqrt(n) with n = sum w. e_i /
 * sqrt(w_i) is then the error at row i of the network fitted without all of its copies, and LOO = sum e_i^2 / n.
 *
 * Several targets share the reduction and lambda; their error is the mean of the targets' errors.
 *
 * DIFFERS [1] eq. (2): lambda is [1]'s gamma in eq. (3) and in the weights alike, without the 1/N of eq. (2); the bias
 *     is penalised.
 *
 * [1] Tikka, Hollmen: Selection of important input variables for RBF network using partial derivatives. ESANN 2008.
 * [2] Gentleman: Least squares computations by Givens transformations without square roots. J. Inst. Maths Applics 12,
 *     1973. */
#include "num/loo.h"

#include <math.h>
#include <string.h>
#include "base/watch.h"
#include "num/eights.h"
#include "num/gauss.h"
#include "num/lapack.h"
#include "num/loo_inside.h"

/* The rows carried to the next column, as [sqrt(p) (1 q); 0 sqrt(s)], for LANES lambdas at once. b, c, c_next: entries
 * of R above the diagonal in this column and the next; x1, x2: the last two entries of x. */
struct carry {
    double lambda[LANES], p[LANES], q[LANES], s[LANES];
    double b[LANES], c[LANES], c_next[LANES], x1[LANES], x2[LANES];
};

static void carry_start(struct carry *t, const struct tamis_loo *w, const double *lambda)
{
    double n = w->total, a = w->diagonal[0], b = w->rank > 1 ? w->beside[0] : 0.0, p = n + a * a;
    memset(t, 0, sizeof *t);
    for (size_t l = 0; l < LANES; l++) {
        t->lambda[l] = lambda[l];
        t->p[l] = p;                                                      /* [sqrt(n) 0; a b] */
        t->q[l] = a * b / p;
        t->s[l] = n * b * b / p;
    }
}

/* Column k by rotations without square roots [2]: sqrt(lambda) e_k^T, then row k + 1 of T, which is (below, a, above)
 * from column k on. */
static inline void carry_column(struct carry *t, double y, double below, double a, double above, double out[4][LANES])
{
    for (size_t l = 0; l < LANES; l++) {
        double lambda = t->lambda[l], p = t->p[l], q = t->q[l];
        double r = p + lambda, inverse_r = 1.0 / r, pq = p * q;
        double d = 1.0 / (r + below * below);
        double first = a - below * (pq * inverse_r), weight = r * d;
        double s = t->s[l] + q * pq * (lambda * inverse_r);
        double x = y - t->b[l] * t->x1[l] - t->c[l] * t->x2[l];
        out[0][l] = t->b[l];
        out[1][l] = t->c[l];
        out[2][l] = d;
        out[3][l] = d * x;
        t->x2[l] = t->x1[l];
        t->x1[l] = x;
        t->b[l] = (pq + below * a) * d;
        t->c[l] = t->c_next[l];
        t->c_next[l] = below * above * d;
        p = s + weight * first * first;
        double ratio = weight * above / (p > 0.0 ? p : 1.0);
        t->p[l] = p;
        t->q[l] = first * ratio;
        t->s[l] = s * above * ratio;
    }
}

/* w->factor, lane after lane: b, c, d, d x of each column. */
TAMIS_CLONES
static void factor_lanes(const struct tamis_loo *w, const double *lambda)
{
    struct carry t;
    double out[4][LANES];
    size_t r = w->rank;
    carry_start(&t, w, lambda);
    for (size_t k = 0; k < r; k++) {
        double below = k + 1 < r ? w->beside[k] : 0.0, diagonal = k + 1 < r ? w->diagonal[k + 1] : 0.0;
        carry_column(&t, w->y[k], below, diagonal, k + 2 < r ? w->beside[k + 1] : 0.0, out);
        for (size_t l = 0; l < LANES; l++)
            for (size_t i = 0; i < 4; i++)
                w->factor[4 * (l * w->n + k) + i] = out[i][l];
    }
}

#define WIDTH 4
#define TOGETHER 1
#define NAME(x) x##_4
#define WHERE TAMIS_CLONES
#include "num/loo_pass.h"

#ifdef TAMIS_EIGHTS
#define WIDTH 8
#define TOGETHER 2
#define NAME(x) x##_8
#define WHERE TAMIS_EIGHTS
#include "num/loo_pass.h"
#endif

enum { STREAMS = 2 };

/* A strip of Q with a lambda, and what the pass finds. */
struct stream { size_t row, lane; };

/* One or two streams; rows past the last strip are not read. */
static void pass_streams(const struct tamis_loo *w, size_t count, const struct stream *s, double (*z_z)[STRIP],
                         double (*z_x)[STRIP])
{
    const double *q[STREAMS], *f[STREAMS];
    for (size_t t = 0; t < STREAMS; t++) {
        q[t] = w->v + s[t < count ? t : 0].row * w->rank;
        f[t] = w->factor + 4 * s[t < count ? t : 0].lane * w->n;
    }
#ifdef TAMIS_EIGHTS
    if (tamis_eights()) {
        pass_8(w->rank, q, f, z_z, z_x);
        return;
    }
#endif
    for (size_t t = 0; t < count; t++) pass_4(w->rank, q + t, f + t, z_z + t, z_x + t);
}

/* Adds the squared leave-one-out residuals of one strip to sum; e (or NULL) receives the residuals. */
static inline void strip_errors(const struct tamis_loo *w, size_t row, double lambda, const double *z_z,
                                const double *z_x, double *sum, double *e)
{
    size_t rows = w->n - row < STRIP ? w->n - row : STRIP;
    for (size_t i = 0; i < rows; i++) {
        double p = lambda * z_z[i] + w->rest[row + i];
        double residual = p > 0.0 ? (lambda * z_x[i] + w->rest_y[row + i]) / p : INFINITY;
        *sum += residual * residual;
        if (e)
            e[row + i] = residual;
    }
}

/* The sum of squared residuals of one lambda, strips two at a time. */
static void pass_alone(const struct tamis_loo *w, double lambda, double *sum, double *e)
{
    double z_z[STREAMS][STRIP], z_x[STREAMS][STRIP];
    *sum = 0.0;
    for (size_t row = 0; row < w->n; row += STREAMS * STRIP) {
        struct stream s[STREAMS] = {{row, 0}, {row + STRIP, 0}};
        size_t count = row + STRIP < w->n ? 2 : 1;
        pass_streams(w, count, s, z_z, z_x);
        for (size_t t = 0; t < count; t++)
            strip_errors(w, s[t].row, lambda, z_z[t], z_x[t], sum, e);
    }
}

/* Sums of squared residuals at `lanes` lambdas; a strip of Q stays in cache while all of them use it. A sum whose mean
 * is past `most` is not finished: it becomes +inf. */
static void pass_lanes(const struct tamis_loo *w, const double *lambda, size_t lanes, double most, double *sum)
{
    double z_z[STREAMS][STRIP], z_x[STREAMS][STRIP];
    size_t left[LANES], count = lanes;
    for (size_t l = 0; l < lanes; l++)
        left[l] = l, sum[l] = 0.0;
    for (size_t row = 0; row < w->n && count > 0; row += STRIP) {
        if (tamis_halted(10.0 * STRIP * (double)(w->rank * count)))
            return;
        for (size_t k = 0; k < count; k += STREAMS) {
            struct stream s[STREAMS] = {{row, left[k]}, {row, left[k + 1 < count ? k + 1 : k]}};
            size_t pair = k + 1 < count ? 2 : 1;
            pass_streams(w, pair, s, z_z, z_x);
            for (size_t t = 0; t < pair; t++)
                strip_errors(w, row, lambda[s[t].lane], z_z[t], z_x[t], sum + s[t].lane, NULL);
        }
        size_t kept = 0;
        for (size_t k = 0; k < count; k++) {
            if (sum[left[k]] / w->total > most) sum[left[k]] = INFINITY;
            else left[kept++] = left[k];
        }
        count = kept;
    }
}

/* The same reduction with one of its targets. */
static struct tamis_loo with_target(const struct tamis_loo *w, size_t output)
{
    struct tamis_loo one = *w;
    one.y += output * w->n;
    one.rest_y += output * w->n;
    return one;
}

/* The lambdas first, first + stride, ...: at most LANES. most: see pass_lanes; with several targets it is not used. */
static void errors_group(struct tamis_loo *w, const double *lambda, size_t count, size_t first, size_t stride,
                         double most, double *mse)
{
    double group[LANES], sum[LANES];
    size_t lanes = 0;
    for (size_t at = first; at < count && lanes < LANES; at += stride)
        group[lanes++] = lambda[at];
    for (size_t l = lanes; l < LANES; l++)
        group[l] = group[lanes - 1];
    for (size_t o = 0; o < w->outputs; o++) {
        struct tamis_loo one = with_target(w, o);
        factor_lanes(&one, group);
        if (lanes == 1)
            pass_alone(&one, group[0], sum, NULL);
        else
            pass_lanes(&one, group, lanes, w->outputs > 1 ? INFINITY : most, sum);
        for (size_t l = 0; l < lanes; l++) {
            double *value = &mse[first + l * stride];
            *value = (o ? *value : 0.0) + sum[l] / (w->total * (double)w->outputs);
        }
    }
}

void tamis_loo_errors(struct tamis_loo *w, const double *lambda, size_t count, double *mse)
{
    for (size_t done = 0; done < count; done += LANES)
        errors_group(w, lambda + done, count - done, 0, 1, INFINITY, mse + done);
}

void tamis_loo_least(struct tamis_loo *w, const double *lambda, size_t count, double *mse)
{
    double least = INFINITY;
    size_t stride = (count + LANES - 1) / LANES;
    for (size_t first = 0; first < stride; first++) {
        errors_group(w, lambda, count, first, stride, least, mse);
        for (size_t at = first; at < count; at += stride)
            least = mse[at] < least ? mse[at] : least;
    }
}

void tamis_loo_residuals(struct tamis_loo *w, double lambda, double *e)
{
    double group[LANES], sum;
    for (size_t l = 0; l < LANES; l++)
        group[l] = lambda;
    factor_lanes(w, group);
    pass_alone(w, lambda, &sum, e);
    for (size_t i = 0; w->root && i < w->n; i++)
        e[i] /= w->root[i];
}

/* Two rows of a band matrix, right-hand side last: a rotation of a and b clears b[0]. */
static void rotate(double a[4], double b[4])
{
    double r = sqrt(a[0] * a[0] + b[0] * b[0]);
    if (r == 0.0)
        return;
    double cosine = a[0] / r, sine = b[0] / r;
    for (size_t i = 0; i < 4; i++) {
        double x = a[i], y = b[i];
        a[i] = cosine * x + sine * y;
        b[i] = cosine * y - sine * x;
    }
    b[0] = 0.0;
}

static void shift_left(double a[4])
{
    a[0] = a[1];
    a[1] = a[2];
    a[2] = 0.0;
}

/* min |[B; sqrt(lambda) I] a - [Q^T y; 0]|, B = [-sqrt(n) e1 | T] upper triangular with three diagonals, r x (r + 1):
 * each row sqrt(lambda) e_k^T is rotated into row k of B, which leaves a row of two entries and a row of one. rows:
 * 4 (r + 1) doubles. */
static void solve_band(const struct tamis_loo *w, double lambda, double *rows, double *a)
{
    size_t r = w->rank;
    double two[4] = {0.0}, one[4] = {0.0};
    for (size_t k = 0; k <= r; k++) {
        double *top = rows + 4 * k, ridge[4] = {sqrt(lambda), 0.0, 0.0, 0.0};
        top[0] = k == 0 ? -sqrt(w->total) : k < r ? w->beside[k - 1] : 0.0;
        top[1] = k < r ? w->diagonal[k] : 0.0;
        top[2] = k + 1 < r ? w->beside[k] : 0.0;
        top[3] = k < r ? w->y[k] : 0.0;
        rotate(ridge, one);
        rotate(two, ridge);
        rotate(top, two);
        shift_left(two);
        memcpy(one, ridge, sizeof one);
        shift_left(one);
    }
    for (size_t k = r + 1; k-- > 0;) {
        double next = k + 1 <= r ? a[k + 1] : 0.0, after = k + 2 <= r ? a[k + 2] : 0.0;
        a[k] = (rows[4 * k + 3] - rows[4 * k + 1] * next - rows[4 * k + 2] * after) / rows[4 * k];
    }
}

void tamis_loo_weights(struct tamis_loo *w, double lambda, double *alpha)
{
    double *a = w->factor + 4 * (w->n + 1);
    for (size_t o = 0; o < w->outputs; o++, alpha += w->n + 1) {
        struct tamis_loo one = with_target(w, o);
        solve_band(&one, lambda, w->factor, a);
        tamis_gemv(PLAIN, w->n, w->rank, 1.0, w->q, w->stride, a + 1, 0.0, alpha);
        alpha[w->n] = a[0];
        for (size_t i = 0; w->root && i < w->n; i++)
            alpha[i] *= w->root[i];
    }
}

static size_t stride_of(size_t n)
{
    size_t stride = (n + 7) / 8 * 8;
    return stride % 64 ? stride : stride + 8;           /* columns a power of two apart share cache sets */
}

static size_t strips_of(size_t n)
{
    return (n + STRIP - 1) / STRIP * STRIP;
}

size_t tamis_loo_size(size_t n)
{
    size_t square = stride_of(n) > strips_of(n) ? stride_of(n) : strips_of(n);
    return (n + 3) * stride_of(n) + n * square + 7 * stride_of(n) + 4 * LANES * (n + 2) + tamis_loo_work(n);
}

void tamis_loo_bind(struct tamis_loo *w, size_t n, double *memory)
{
    size_t square = stride_of(n) > strips_of(n) ? stride_of(n) : strips_of(n);
    memset(w, 0, sizeof *w);
    w->n = n;
    w->total = (double)n;
    w->outputs = 1;
    w->stride = stride_of(n);
    w->q = memory;
    w->v = w->q + (n + 3) * w->stride;
    w->diagonal = w->v + n * square;
    w->beside = w->diagonal + w->stride;                /* as far from a multiple of 64 bytes as memory is */
    w->tau = w->beside + w->stride;
    w->y = w->tau + w->stride;
    w->rest = w->y + w->stride;
    w->rest_y = w->rest + w->stride;
    w->factor = w->rest_y + w->stride;
    w->work = w->factor + 4 * LANES * (n + 2);
}

void tamis_loo_targets(struct tamis_loo *w, size_t outputs, double *memory)
{
    w->outputs = outputs;
    w->y = memory;
    w->rest_y = memory + w->n * outputs;
}

void tamis_loo_weigh(struct tamis_loo *w, const double *root, double total)
{
    w->root = root;
    w->total = root ? total : (double)w->n;
}

/* Strips of STRIP rows, each r columns of STRIP values; rows past n are 0. */
static void pack_strips(struct tamis_loo *w)
{
    for (size_t row = 0; row < w->n; row += STRIP) {
        size_t rows = w->n - row < STRIP ? w->n - row : STRIP;
        double *to = w->v + row * w->rank;
        for (size_t k = 0; k < w->rank; k++, to += STRIP) {
            const double *from = w->q + row + k * w->stride;
            for (size_t i = 0; i < STRIP; i++)
                to[i] = i < rows ? from[i] : 0.0;
        }
    }
}

int tamis_loo_reduce(struct tamis_loo *w, const double *d2, double sigma2, const double *y)
{
    size_t n = w->n;
    for (size_t j = 0; j < n; j++) {
        if (tamis_halted(20.0 * (double)(n - j)))
            return 1;
        tamis_exp_scale(n - j, d2 + j + j * n, 1.0 / sigma2, w->q + j * (w->stride + 1));
    }
    tamis_loo_tridiagonal(w);
    tamis_loo_form_q(w, w->rank);
    if (tamis_halted(0))
        return 1;
    tamis_loo_rest(w, y);
    pack_strips(w);
    double check = 0.0;
    for (size_t o = 0; o < w->outputs; o++)
        for (size_t k = 0; k < w->rank; k++)
            check += 0.0 * (w->diagonal[k] + w->y[k + n * o]);
    return check != 0.0;
}
