/* One parallel loop, results by index. OpenMP shares out the items; the numbers do not know it. */
#include <omp.h>
#include <limits.h>
#include "base/context.h"
#include "base/parallel.h"

void openblas_set_num_threads(int threads) __attribute__((weak));
int openblas_get_num_threads(void) __attribute__((weak));
char *openblas_get_corename(void) __attribute__((weak));

int tamis_blas_serial(void)
{
    int before = openblas_get_num_threads ? openblas_get_num_threads() : 1;
    if (openblas_set_num_threads && before != 1) openblas_set_num_threads(1);
    return before;
}

void tamis_blas_restore(int threads)
{
    if (openblas_set_num_threads && threads > 1) openblas_set_num_threads(threads);
}

const char *tamis_blas_kernel(void) { return openblas_get_corename ? openblas_get_corename() : "unknown"; }

const char *tamis_blas(void) { return tamis_blas_kernel(); }

static int one_item(tamis_context *cx, tamis_body *body, void *arg, size_t item, int worker)
{
    int status = tamis_check_cancel(cx);
    return status ? status : body(arg, item, worker);
}

struct failure { size_t item; int status; };

static size_t failed_item(struct failure *f)
{
    size_t item;
#pragma omp atomic read
    item = f->item;
    return item;
}

static void keep_lowest(tamis_context *cx, struct failure *f, size_t item, int status)
{
    pthread_mutex_lock(&cx->lock);
    if (item < f->item) {
        f->status = status;
#pragma omp atomic write
        f->item = item;
    }
    pthread_mutex_unlock(&cx->lock);
}

/* Items below the lowest failure so far still run, so that the failure reported does not depend on the number of workers. */
int tamis_parallel(tamis_context *cx, size_t items, tamis_body *body, void *arg)
{
    int threads = omp_in_parallel() ? 1 : tamis_threads(cx), status = TAMIS_OK;
    struct failure lowest = {SIZE_MAX, TAMIS_OK};
    if ((size_t)threads > items) threads = (int)items;
    if (threads <= 1) {
        for (size_t i = 0; i < items && !status; i++) status = one_item(cx, body, arg, i, 0);
        return status;
    }
#pragma omp parallel for schedule(dynamic, 1) num_threads(threads)
    for (size_t i = 0; i < items; i++) {
        if (i > failed_item(&lowest)) continue;
        int s = one_item(cx, body, arg, i, omp_get_thread_num());
        if (s) keep_lowest(cx, &lowest, i, s);
    }
    return lowest.status;
}
