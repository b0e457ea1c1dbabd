/* Our own OpenBLAS (-Dblas=own), static and serial. tools/own-openblas has renamed the functions that it calls (getenv
 * becomes tamis_blas_getenv) and removed its memory.o; all of these are provided here. Its symbols are hidden.
 *
 * Kernels. OpenBLAS 0.3.21 chooses them by the model of the CPU, and falls back to SSE3 kernels, four times slower, for
 * models that it does not know. The name that it reads from OPENBLAS_CORETYPE takes precedence: we answer with what the
 * feature bits allow. The environment is neither changed nor, except for that variable, read.
 *
 * Buffers. OpenBLAS keeps its own in a table with a lock, and retries mmap for ever when memory runs out. Ours belong
 * to a thread, are reserved before a run begins (tamis_blas_reserve) and are freed when the thread ends. */
#include <pthread.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>
#include <sys/mman.h>
#include "base/blas.h"
#include "base/watch.h"

struct gotoblas;                        /* OpenBLAS's table of kernels */
extern struct gotoblas *gotoblas;
struct gotoblas *gotoblas;
void gotoblas_dynamic_init(void);
char *openblas_get_corename(void);

char *tamis_blas_getenv(const char *name);
void *blas_memory_alloc(int position);
void blas_memory_free(void *buffer);
void xerbla_(const char *routine, const int *info, size_t length);
void tamis_blas__gfortran_concat_string(size_t room, char *to, size_t a, const char *first, size_t b,
                                        const char *second);

const char *tamis_blas(void) { return openblas_get_corename(); }

/* ---- kernels ---- */

#if defined(__x86_64__)

enum { SSE3 = 1, SSE42 = 2, AVX = 4, AVX2 = 8, AVX512 = 16 };

static int features(void)
{
    __builtin_cpu_init();
    int has = __builtin_cpu_supports("sse3") ? SSE3 : 0;
    if (__builtin_cpu_supports("sse4.2")) has |= SSE42;
    if (__builtin_cpu_supports("avx")) has |= AVX;
    if (__builtin_cpu_supports("avx2") && __builtin_cpu_supports("fma")) has |= AVX2;
    if (__builtin_cpu_supports("avx512f") && __builtin_cpu_supports("avx512dq") && __builtin_cpu_supports("avx512bw") &&
        __builtin_cpu_supports("avx512vl") && __builtin_cpu_supports("avx512cd"))
        has |= AVX512;
    return has;
}

/* From best to worst; those with ours = 0 are used only on request. */
static const struct { const char *name; int needs, ours; } kernels[] = {
    {"SkylakeX", AVX2 | AVX512, 1},
    {"Haswell", AVX | AVX2, 1},
    {"Zen", AVX | AVX2, 0},
    {"Sandybridge", SSE42 | AVX, 1},
    {"Nehalem", SSE42, 1},
    {"Prescott", SSE3, 1},
};

/* What the user asked for if this CPU can run it, otherwise the best that it can run; NULL: OpenBLAS chooses. */
static char *kernels_choose(const char *asked)
{
    int has = features();
    const char *best = NULL;
    for (size_t i = 0; i < sizeof kernels / sizeof *kernels; i++) {
        if ((kernels[i].needs & has) != kernels[i].needs) continue;
        if (asked && !strcasecmp(asked, kernels[i].name)) return (char *)(size_t)kernels[i].name;
        if (!best && kernels[i].ours) best = kernels[i].name;
    }
    return (char *)(size_t)best;
}

static const char *kernels_name(int i)
{
    return i >= 0 && i < (int)(sizeof kernels / sizeof *kernels) ? kernels[i].name : NULL;
}

#else

static char *kernels_choose(const char *asked) { return (char *)(size_t)asked; }
static const char *kernels_name(int i) { return i ? NULL : openblas_get_corename(); }

#endif

static const char *agreed;              /* by tamis_blas_use; NULL: nothing */

char *tamis_blas_getenv(const char *name)
{
    return strcmp(name, "OPENBLAS_CORETYPE") ? NULL : kernels_choose(agreed ? agreed : getenv(name));
}

int tamis_blas_kernels(void)
{
    int i = 0;
    while (kernels_name(i) && strcasecmp(kernels_name(i), tamis_blas())) i++;
    return kernels_name(i) ? i : 0;
}

int tamis_blas_use(int i)
{
    if (i == tamis_blas_kernels()) return 0;
    agreed = kernels_name(i);
    gotoblas = NULL;
    gotoblas_dynamic_init();
    return i != tamis_blas_kernels();
}

/* ---- buffers ---- */

enum { SLOTS = 2 };                                     /* a kernel takes one at a time; one more to be safe */
/* BUFFER_SIZE of OpenBLAS on x86_64 and arm64; untouched pages cost nothing */
static const size_t buffer_bytes = (size_t)128 << 20;

struct buffers { void *at[SLOTS]; int used[SLOTS]; };
static _Thread_local struct buffers *mine;
static pthread_key_t key;
static int have_key;

static void *buffer_new(void)
{
    void *p = mmap(NULL, buffer_bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
    return p == MAP_FAILED ? NULL : p;
}

static void buffers_free(void *arg)
{
    struct buffers *b = arg;
    for (int i = 0; b && i < SLOTS; i++)
        if (b->at[i]) munmap(b->at[i], buffer_bytes);
    free(b);
    mine = NULL;
}

__attribute__((constructor)) static void begin(void)
{
    have_key = !pthread_key_create(&key, buffers_free);
    gotoblas_dynamic_init();
}

__attribute__((destructor)) static void end(void)
{
    buffers_free(mine);
    if (have_key) pthread_key_delete(key);
}

int tamis_blas_reserve(void)
{
    if (mine) return 0;
    struct buffers *b = calloc(1, sizeof *b);
    if (!b || !(b->at[0] = buffer_new()) || !have_key || pthread_setspecific(key, b)) {
        buffers_free(b);
        return 1;
    }
    mine = b;
    return 0;
}

static _Thread_local struct tamis_blas_exit *way_out;   /* NULL: none is open */

jmp_buf *tamis_blas_exit_open(struct tamis_blas_exit *e)
{
    memset(e->used, 0, sizeof e->used);                 /* also for a thread without buffers so far */
    if (mine) memcpy(e->used, mine->used, sizeof e->used);
    way_out = e;
    return &e->to;
}

void tamis_blas_exit_close(struct tamis_blas_exit *e)
{
    if (mine) memcpy(mine->used, e->used, sizeof e->used);
    way_out = NULL;
}

/* NULL, and a crash of the kernel, if no buffer was reserved and memory has run out; so public calls reserve first. */
void *blas_memory_alloc(int position)
{
    (void)position;
    if (way_out && tamis_halted(1e6)) longjmp(way_out->to, 1);
    if (tamis_blas_reserve()) return NULL;
    for (int i = 0; i < SLOTS; i++)
        if (!mine->used[i] && (mine->at[i] || (mine->at[i] = buffer_new()))) {
            mine->used[i] = 1;
            return mine->at[i];
        }
    return NULL;
}

void blas_memory_free(void *buffer)
{
    for (int i = 0; i < SLOTS; i++)
        if (mine && mine->at[i] == buffer) mine->used[i] = 0;
}

/* Products of small matrices on AVX-512, fewer than 100^3 operations, pack one operand into memory from malloc and do
 * not ask whether they got it: they get a buffer, which they do not use otherwise. */
void *tamis_blas_malloc(size_t bytes);
void tamis_blas_free(void *p);
void *tamis_blas_malloc(size_t bytes) { return bytes <= buffer_bytes ? blas_memory_alloc(0) : NULL; }
void tamis_blas_free(void *p) { blas_memory_free(p); }

int tamis_blas_begin(tamis_context *cx)
{
    if (!tamis_blas_reserve()) return TAMIS_OK;
    return tamis_fail(cx, TAMIS_MEMORY, "out of memory: cannot allocate %.3g MB for matrix products; raise the limit "
                      "(ulimit -v)", (double)buffer_bytes / 1e6);
}

void tamis_blas_end(void) { }

/* ---- what else it calls ---- */

/* A wrong argument to BLAS or LAPACK is a bug of ours, which tests find; nothing is printed. */
void xerbla_(const char *routine, const int *info, size_t length)
{
    (void)routine, (void)info, (void)length;
}

/* LAPACK's only call into the Fortran library: to = first // second. */
void tamis_blas__gfortran_concat_string(size_t room, char *to, size_t a, const char *first, size_t b,
                                        const char *second)
{
    memset(to, ' ', room);
    memcpy(to, first, a < room ? a : room);
    if (a < room) memcpy(to + a, second, b < room - a ? b : room - a);
}

/* Warnings, a check of its own stack, and the end of the process when it finds no kernels: never reached, since we name
 * the kernels. */
extern void *tamis_blas_stderr;
void *tamis_blas_stderr;
int tamis_blas_puts(const char *s);
int tamis_blas_fputs(const char *s, void *file);
size_t tamis_blas_fwrite(const void *p, size_t size, size_t n, void *file);
int tamis_blas___printf_chk(int flag, const char *format, ...);
void tamis_blas_perror(const char *s);
void tamis_blas_exit(int code);
void tamis_blas___assert_fail(const char *assertion, const char *file, unsigned line, const char *function);

int tamis_blas_puts(const char *s) { return !s; }
int tamis_blas_fputs(const char *s, void *file) { return !s && !file; }
size_t tamis_blas_fwrite(const void *p, size_t size, size_t n, void *file) { return p && size && file ? n : 0; }
int tamis_blas___printf_chk(int flag, const char *format, ...) { return flag && !format; }
void tamis_blas_perror(const char *s) { (void)s; }
void tamis_blas_exit(int code) { (void)code, __builtin_trap(); }
void tamis_blas___assert_fail(const char *assertion, const char *file, unsigned line, const char *function)
{
    (void)assertion, (void)file, (void)line, (void)function;
    __builtin_trap();
}
