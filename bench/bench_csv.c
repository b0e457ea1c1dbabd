/* Reading and writing CSV: MB of text per second of processor time (best of several, one thread), and peak resident
 * memory over the size of the table's doubles, for a file, a pipe and a gzip file.
 *
 *     bench_csv [MB of text]     everything
 *     bench_csv peak FILE        reads FILE, prints the table's bytes and the growth of the peak; run by the above */
#include <math.h>
#include <sys/resource.h>
#include <zlib.h>
#include "bench.h"
#include "base/rng.h"

struct text { char *s; size_t n, rows, columns; };

static struct text make_text(size_t bytes, size_t columns, int digits)
{
    struct text t = {malloc(bytes + columns * 32 + 64), 0, 0, columns};
    struct tamis_rng r;
    if (!t.s) abort();
    tamis_rng_init(&r, 1, TAMIS_RNG_TEST, 0);
    for (size_t j = 0; j < columns; j++) t.n += (size_t)sprintf(t.s + t.n, "%sx%zu", j ? "," : "", j + 1);
    t.s[t.n++] = '\n';
    while (t.n < bytes) {
        for (size_t j = 0; j < columns; j++)
            t.n += (size_t)sprintf(t.s + t.n, "%s%.*g", j ? "," : "", digits, 100 * tamis_rng_uniform(&r) - 50);
        t.s[t.n++] = '\n';
        t.rows++;
    }
    return t;
}

static void die(tamis_context *cx)
{
    fprintf(stderr, "bench_csv: %s\n", tamis_error(cx));
    exit(1);
}

static double best_seconds(const struct text *t, int write)
{
    double best = INFINITY;
    for (int k = 0; k < 5; k++) {
        tamis_context *cx = tamis_context_new();
        tamis_table *table;
        char *text;
        size_t n;
        double start = bench_clock();
        if (tamis_table_read_memory(cx, t->s, t->n, "bench", NULL, &table)) die(cx);
        if (write) {
            start = bench_clock();
            if (tamis_table_csv(cx, table, &text, &n)) die(cx);
            tamis_release(text);
        }
        best = fmin(best, bench_clock() - start);
        tamis_table_free(table);
        tamis_context_free(cx);
    }
    return best;
}

/* For comparison: copying the text, and strtod on every cell. */
static double copy_seconds(const struct text *t)
{
    char *to = malloc(t->n);
    double best = INFINITY;
    for (int k = 0; to && k < 5; k++) {
        double start = bench_clock();
        memcpy(to, t->s, t->n);
        best = fmin(best, to[t->n / 2] ? bench_clock() - start : 0);
    }
    free(to);
    return best;
}

static double strtod_seconds(const struct text *t)
{
    double start = bench_clock(), sum = 0;
    const char *at = memchr(t->s, '\n', t->n);
    for (size_t k = 0; at && k < t->rows * t->columns; k++) {
        char *next;
        sum += strtod(at + 1, &next);
        at = next;
    }
    return sum == 0.5 ? 0 : bench_clock() - start;
}

static long peak_kb(void)
{
    struct rusage u;
    getrusage(RUSAGE_SELF, &u);
    return u.ru_maxrss;
}

static int peak(const char *path)
{
    tamis_context *cx = tamis_context_new();
    tamis_table *t;
    long before = peak_kb();
    if (tamis_table_read(cx, path, NULL, &t)) die(cx);
    double doubles = (double)tamis_table_rows(t) * (double)tamis_table_columns(t) * 8 / 1024;
    printf("%10.1f MB of doubles, peak %10.1f MB, ratio %.2f\n", doubles / 1024, (double)(peak_kb() - before) / 1024,
           (double)(peak_kb() - before) / doubles);
    tamis_table_free(t);
    tamis_context_free(cx);
    return 0;
}

static void run_peak(const char *self, const char *what, const char *command, const char *file)
{
    char line[600];
    snprintf(line, sizeof line, command, self, file);
    printf("  %-6s", what);
    fflush(stdout);
    if (system(line)) printf("failed\n");
}

static void memory(const char *self, const struct text *t)
{
    char plain[] = "/tmp/bench_csv_XXXXXX", packed[64];
    int fd = mkstemp(plain);
    if (fd < 0 || write(fd, t->s, t->n) != (ssize_t)t->n) abort();
    close(fd);
    snprintf(packed, sizeof packed, "%s.gz", plain);
    gzFile z = gzopen(packed, "wb1");
    for (size_t at = 0; at < t->n; at += 1 << 20)
        gzwrite(z, t->s + at, (unsigned)(t->n - at < 1 << 20 ? t->n - at : 1 << 20));
    gzclose(z);
    run_peak(self, "file", "%s peak %s", plain);
    run_peak(self, "pipe", "%s peak - <%s", plain);
    run_peak(self, "pipe", "cat %2$s | %1$s peak -", plain);
    run_peak(self, "gzip", "%s peak %s", packed);
    unlink(plain);
    unlink(packed);
}

int main(int argc, char **argv)
{
    static const struct { size_t columns; int digits; } cases[] = {{20, 6}, {20, 17}, {10000, 6}, {10000, 17}, {2, 3}};
    if (argc == 3 && !strcmp(argv[1], "peak")) return peak(argv[2]);
    size_t bytes = (argc > 1 ? strtoull(argv[1], NULL, 10) : 100) * 1000000;
    for (size_t k = 0; k < sizeof cases / sizeof *cases; k++) {
        struct text t = make_text(bytes, cases[k].columns, cases[k].digits);
        double mb = (double)t.n / 1e6;
        t.s[t.n] = 0;
        printf("%zu x %zu, %d digits: read %.0f MB/s, write %.0f MB/s, copy %.0f MB/s, strtod %.0f MB/s\n", t.rows,
               t.columns, cases[k].digits, mb / best_seconds(&t, 0), mb / best_seconds(&t, 1), mb / copy_seconds(&t),
               mb / strtod_seconds(&t));
        memory(argv[0], &t);
        free(t.s);
    }
    return 0;
}
