/* The pass of loo.c over strips of Q, in vectors of WIDTH numbers; included once for each WIDTH. NAME(x): the name of
 * function x. WHERE: its attributes. TOGETHER: how many streams (a strip with a lambda each) go side by side, so that
 * one waits less for the last step of the other. The result of a stream does not depend on WIDTH or TOGETHER. */

typedef double NAME(part) __attribute__((vector_size(WIDTH * sizeof(double)), aligned(8), may_alias));
#define PART NAME(part)
#define EACH for (size_t t = 0; t < TOGETHER; t++) for (size_t g = 0; g < STRIP / WIDTH; g++)

/* One step of the recurrence: old becomes z_k, which is added to zz and zx. */
#define STEP(at, last, old)                                                                             \
    EACH {                                                                                              \
        const double *f_ = f[t] + 4 * (at);                                                             \
        old[t][g] = *(const PART *)(q[t] + STRIP * (at) + WIDTH * g) - f_[1] * old[t][g];               \
        old[t][g] -= f_[0] * last[t][g];                                                                \
        zz[t][g] += (f_[2] * old[t][g]) * old[t][g];                                                    \
        zx[t][g] += f_[3] * old[t][g];                                                                  \
    }

/* z.z and z.x of the STRIP rows at q[t], whose columns are contiguous, under the factor f[t]. */
WHERE static void NAME(pass)(size_t r, const double *const *q, const double *const *f, double (*z_z)[STRIP],
                             double (*z_x)[STRIP])
{
    PART even[TOGETHER][STRIP / WIDTH] = {{{0}}}, odd[TOGETHER][STRIP / WIDTH] = {{{0}}},
         zz[TOGETHER][STRIP / WIDTH] = {{{0}}}, zx[TOGETHER][STRIP / WIDTH] = {{{0}}};
    size_t k = 0;
    for (; k + 2 <= r; k += 2) {
        STEP(k, odd, even)
        STEP(k + 1, even, odd)
    }
    if (k < r)
        STEP(k, odd, even)
    EACH {
        *(PART *)(z_z[t] + WIDTH * g) = zz[t][g];
        *(PART *)(z_x[t] + WIDTH * g) = zx[t][g];
    }
}

#undef PART
#undef EACH
#undef STEP
#undef WIDTH
#undef TOGETHER
#undef NAME
#undef WHERE
