/* The BLAS of the process (-Dblas=system). Its number of threads is one global setting: 1 from the first run that
 * begins to the last that ends, whichever threads they are in, and then restored. Concurrent runs do not change each
 * other's digits. */
#include <pthread.h>
#include "base/blas.h"

void openblas_set_num_threads(int threads) __attribute__((weak));
int openblas_get_num_threads(void) __attribute__((weak));
char *openblas_get_corename(void) __attribute__((weak));

const char *tamis_blas(void) { return openblas_get_corename ? openblas_get_corename() : "unknown"; }

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static int runs, before;                /* runs under way; threads before the first */

int tamis_blas_begin(tamis_context *cx)
{
    (void)cx;
    pthread_mutex_lock(&lock);
    if (!runs++ && openblas_set_num_threads && openblas_get_num_threads) {
        before = openblas_get_num_threads();
        if (before > 1) openblas_set_num_threads(1);
    }
    pthread_mutex_unlock(&lock);
    return TAMIS_OK;
}

void tamis_blas_end(void)
{
    pthread_mutex_lock(&lock);
    if (!--runs && before > 1) openblas_set_num_threads(before);
    pthread_mutex_unlock(&lock);
}

int tamis_blas_reserve(void) { return 0; }
int tamis_blas_kernels(void) { return 0; }
int tamis_blas_use(int kernels) { return kernels; }

jmp_buf *tamis_blas_exit_open(struct tamis_blas_exit *e) { return &e->to; }
void tamis_blas_exit_close(struct tamis_blas_exit *e) { (void)e; }
