/* tamis predict on many rows: processor time over that of its products and exponentials (one dgemm of rows x columns x
 * centres, and one exp per row and centre, in blocks that stay in cache); the share of reading the text and of writing
 * the numbers; peak resident memory.
 *
 *     bench_predict [rows [centres [columns]]]         1000000 250 10 */
#include <math.h>
#include <sys/resource.h>
#include "bench.h"
#include "base/rng.h"
#include "data/csv.h"
#include "base/number.h"
#include "model/rbf.h"
#include "num/gauss.h"
#include "num/lapack.h"

enum { BLOCK = 256 };

static void die(tamis_context *cx)
{
    fprintf(stderr, "bench_predict: %s\n", tamis_error(cx));
    exit(1);
}

static double peak_mb(void)
{
    struct rusage u;
    getrusage(RUSAGE_SELF, &u);
    return (double)u.ru_maxrss / 1024;
}

static tamis_model *make_model(tamis_context *cx, size_t centres, size_t columns)
{
    struct tamis_encoder *e = tamis_new(cx, struct tamis_encoder, 1);
    struct tamis_rbf *r = tamis_rbf_new(cx, centres, columns);
    struct tamis_rng g;
    char name[32];
    e->input = tamis_new(cx, struct tamis_feature, columns);
    e->mean = tamis_new(cx, double, columns);
    e->scale = tamis_new(cx, double, columns);
    e->target = tamis_strdup(cx, "y");
    e->target_scale = 1;
    tamis_rng_init(&g, 1, TAMIS_RNG_TEST, 0);
    for (size_t j = 0; j < columns; j++) {
        snprintf(name, sizeof name, "x%zu", j + 1);
        e->input[j] = (struct tamis_feature){.name = tamis_strdup(cx, name), .first = j, .columns = 1};
        e->scale[j] = 1;
    }
    e->inputs = e->columns = columns;
    for (size_t i = 0; i < centres * columns; i++) r->centre[i] = tamis_rng_uniform(&g) - 0.5;
    for (size_t i = 0; i <= centres; i++) r->alpha[i] = tamis_rng_uniform(&g) - 0.5;
    r->sigma2 = (double)columns;
    return tamis_model_new(cx, &tamis_rbf_kind, e, r);
}

static double make_file(const char *path, size_t rows, size_t columns, double *x)
{
    FILE *f = fopen(path, "w");
    struct tamis_rng g;
    char cell[40];
    tamis_rng_init(&g, 2, TAMIS_RNG_TEST, 0);
    for (size_t j = 0; j < columns; j++) fprintf(f, "%sx%zu", j ? "," : "", j + 1);
    for (size_t i = 0; i < rows; i++)
        for (size_t j = 0; j < columns; j++) {
            double v = round(1e6 * tamis_rng_uniform(&g)) / 1e6 - 0.5;
            fputc(j ? ',' : '\n', f);
            fwrite(cell, 1, (size_t)(tamis_number_write(v, cell) - cell), f);
            if (x) x[i + rows * j] = v;
        }
    fputc('\n', f);
    double bytes = (double)ftell(f);
    fclose(f);
    return bytes;
}

static double bound(const double *x, size_t rows, const struct tamis_rbf *r)
{
    double *phi = aligned_alloc(64, BLOCK * r->centres * sizeof *phi), start = bench_clock(), sum = 0;
    for (size_t from = 0; from + BLOCK <= rows; from += BLOCK) {
        tamis_gemm(PLAIN, TRANS, BLOCK, r->centres, r->columns, 1, x + from, rows, r->centre, r->centres, 0, phi,
                   BLOCK);
        for (size_t i = 0; i < BLOCK * r->centres; i++) phi[i] = fabs(phi[i]);  /* not part of the bound, but cheap */
        tamis_exp_scale(BLOCK * r->centres, phi, 1 / r->sigma2, phi);
        sum += phi[from % BLOCK];
    }
    double used = bench_clock() - start;
    free(phi);
    return sum > 0 ? used : 0;
}

static int forget(void *user, const char *text, size_t n)
{
    *(double *)user += (double)n + (double)text[0];
    return 0;
}

static double stream(tamis_context *cx, const tamis_model *m, const char *path)
{
    double start = bench_clock(), bytes = 0;
    if (tamis_model_predict_csv(cx, m, path, NULL, forget, &bytes)) die(cx);
    return bench_clock() - start;
}

static double reading(tamis_context *cx, const tamis_model *m, const char *path)
{
    struct tamis_csv_want want[1000];
    struct tamis_csv *csv;
    const tamis_table *block;
    double start = bench_clock();
    for (size_t j = 0; j < m->encoder->inputs; j++)
        want[j] = (struct tamis_csv_want){m->encoder->input[j].name, TAMIS_NUMBER, 0, NULL};
    if (tamis_csv_open(cx, path, NULL, want, m->encoder->inputs, &csv)) die(cx);
    while (!tamis_csv_next(csv, &block) && block->rows) ;
    tamis_csv_close(csv);
    return bench_clock() - start;
}

static double writing(const double *y, size_t rows)
{
    char cell[40];
    double start = bench_clock();
    size_t n = 0;
    for (size_t i = 0; i < rows; i++) n += (size_t)(tamis_number_write(y[i], cell) - cell);
    return n ? bench_clock() - start : 0;
}

static double predicting(tamis_context *cx, const tamis_model *m, const double *x, size_t rows, double *y)
{
    double start = bench_clock();
    if (m->kind->predict(cx, m->body, x, rows, rows, y)) die(cx);
    return bench_clock() - start;
}

int main(int argc, char **argv)
{
    size_t rows = argc > 1 ? strtoull(argv[1], NULL, 10) : 1000000,
           centres = argc > 2 ? strtoull(argv[2], NULL, 10) : 250,
           columns = argc > 3 ? strtoull(argv[3], NULL, 10) : 10;
    char path[] = "/tmp/bench_predict_XXXXXX";
    tamis_context *cx = tamis_context_new();
    tamis_model *m = make_model(cx, centres, columns);
    int fd = mkstemp(path);
    if (fd < 0 || columns > 1000) return 1;
    close(fd);
    make_file(path, rows, columns, NULL);
    double whole = stream(cx, m, path), peak = peak_mb();
    double *x = malloc(rows * columns * sizeof *x), *y = malloc(rows * sizeof *y),
           bytes = make_file(path, rows, columns, x), best[5] = {INFINITY, INFINITY, INFINITY, INFINITY, INFINITY};
    for (int k = 0; k < 3; k++) {
        double now[5] = {k ? stream(cx, m, path) : whole, bound(x, rows, m->body), predicting(cx, m, x, rows, y),
                         reading(cx, m, path), writing(y, rows)};
        for (int i = 0; i < 5; i++) best[i] = fmin(best[i], now[i]);
    }
    printf("%zu rows, %zu columns, %zu basis functions, %.0f MB of text; processor seconds, best of 3\n", rows, columns,
           centres, bytes / 1e6);
    printf("  dgemm + exp           %6.2f   1\n", best[1]);
    printf("  prediction            %6.2f   %.2f\n", best[2], best[2] / best[1]);
    printf("  reading the text      %6.2f   %.2f\n", best[3], best[3] / best[1]);
    printf("  writing the numbers   %6.2f   %.2f\n", best[4], best[4] / best[1]);
    printf("  tamis predict, all    %6.2f   %.2f\n", best[0], best[0] / best[1]);
    printf("  peak memory           %6.0f MB\n", peak);
    unlink(path);
    free(x);
    free(y);
    tamis_model_free(m);
    tamis_context_free(cx);
    return 0;
}
