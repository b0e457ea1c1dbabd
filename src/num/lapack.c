/* LAPACK. A routine is left at its next call of BLAS once the run is to stop (base/blas.h). */
#include "base/blas.h"
#include "num/lapack.h"

/* The call, and whether it failed or was left. */
#define RUN(call)                                                       \
    do {                                                                \
        struct tamis_blas_exit way;                                     \
        volatile int left = 1;                                          \
        if (!setjmp(*tamis_blas_exit_open(&way))) {                     \
            call;                                                       \
            left = 0;                                                   \
        }                                                               \
        tamis_blas_exit_close(&way);                                    \
        return left || info;                                            \
    } while (0)

int tamis_gesdd(size_t n, double *a, double *s, double *u, double *vt, double *work, size_t room, int *iwork)
{
    const int order = (int)n, lwork = (int)room;
    int info = 0;
    RUN(dgesdd_("A", &order, &order, a, &order, s, u, &order, vt, &order, work, &lwork, iwork, &info, 1));
}

static int gelsy(const int size[5], double *a, double *b, int *pivot, double limit, int *rank, double *work)
{
    int info = 0;
    RUN(dgelsy_(size, size + 1, size + 2, a, size, b, size + 3, pivot, &limit, rank, work, size + 4, &info));
}

int tamis_gelsy(size_t m, size_t n, size_t k, double *a, double *b, size_t ldb, int *pivot, double limit, size_t *rank,
                double *work, size_t room)
{
    const int size[5] = {(int)m, (int)n, (int)k, (int)ldb, (int)room};
    int found = 0, failed = gelsy(size, a, b, pivot, limit, &found, work);
    *rank = failed ? 0 : (size_t)found;
    return failed;
}

int tamis_sytrd(size_t n, double *a, double *d, double *e, double *tau, double *work, size_t room)
{
    const int order = (int)n, lwork = (int)room;
    int info = 0;
    RUN(dsytrd_("L", &order, a, &order, d, e, tau, work, &lwork, &info, 1));
}

int tamis_ormtr(const char *op, size_t m, size_t n, const double *a, const double *tau, double *c, double *work,
                size_t room)
{
    const int rows = (int)m, columns = (int)n, lwork = (int)room;
    int info = 0;
    RUN(dormtr_("L", "L", op, &rows, &columns, a, &rows, tau, c, &rows, work, &lwork, &info, 1, 1, 1));
}
