/* An allocator that fails on request, for LD_PRELOAD: what the library, the command line and the libraries below them
 * do when memory runs out.
 *
 *     TAMIS_FAIL_AT=N        the N-th allocation fails (0 or unset: none)
 *     TAMIS_FAIL_ONWARDS=1   and every one after it
 *     TAMIS_FAIL_COUNT=FILE  how many were tried is written there when the program ends
 *
 * Processes that the program forks count on. glibc's own strdup, fopen, open_memstream, getline and their kin allocate through these functions too. */
#include <errno.h>
#include <fcntl.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <unistd.h>

void *__libc_malloc(size_t size);
void *__libc_calloc(size_t count, size_t size);
void *__libc_realloc(void *p, size_t size);
void *__libc_memalign(size_t alignment, size_t size);

static atomic_long own, *tried = &own, fail_at;
static int onwards;

__attribute__((constructor)) static void begin(void)
{
    const char *at = getenv("TAMIS_FAIL_AT"), *rest = getenv("TAMIS_FAIL_ONWARDS");
    onwards = rest && *rest == '1';
    void *shared = mmap(NULL, sizeof own, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
    if (shared != MAP_FAILED) tried = shared;
    atomic_store(tried, 0);
    atomic_store(&fail_at, at ? strtol(at, NULL, 10) : 0);
}

__attribute__((destructor)) static void end(void)
{
    const char *file = getenv("TAMIS_FAIL_COUNT");
    int fd = file ? open(file, O_WRONLY | O_CREAT | O_TRUNC, 0666) : -1;
    char text[32];
    int n = snprintf(text, sizeof text, "%ld\n", atomic_load(tried));
    if (fd >= 0 && (write(fd, text, (size_t)n) != n || close(fd))) _exit(99);
}

static int fails(void)
{
    long now = atomic_fetch_add(tried, 1) + 1, at = atomic_load(&fail_at);
    if (at <= 0 || !(now == at || (onwards && now > at))) return 0;
    errno = ENOMEM;
    return 1;
}

void *malloc(size_t size) { return fails() ? NULL : __libc_malloc(size); }
void *calloc(size_t count, size_t size) { return fails() ? NULL : __libc_calloc(count, size); }
void *realloc(void *p, size_t size) { return fails() ? NULL : __libc_realloc(p, size); }
void *memalign(size_t alignment, size_t size) { return fails() ? NULL : __libc_memalign(alignment, size); }
void *aligned_alloc(size_t alignment, size_t size) { return fails() ? NULL : __libc_memalign(alignment, size); }

int posix_memalign(void **p, size_t alignment, size_t size)
{
    void *made = fails() ? NULL : __libc_memalign(alignment, size);
    if (made) *p = made;
    return made ? 0 : ENOMEM;
}
