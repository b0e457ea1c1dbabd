/* Training: clusters, widths, output weights. One trainer per worker; training allocates nothing. */
#include <math.h>
#include <string.h>
#include "model/rbf_classifier.h"
#include "num/kmeans.h"
#include "num/lapack.h"
#include "num/nodes.h"

enum { ITERATIONS = 300 };

void tamis_trainer_free(struct tamis_trainer *w)
{
    if (!w) return;
    void *all[] = {w->centre, w->sigma, w->weight, w->spare, w->phi, w->work, w->columns, w->assignment, w->count,
                   w->spare_assignment, w->spare_count, w->order, w->pivot};
    for (size_t i = 0; i < sizeof all / sizeof *all; i++) tamis_free(all[i]);
    tamis_free(w);
}

static size_t larger(size_t a, size_t b) { return a > b ? a : b; }

static size_t work_size(size_t rows, size_t nodes, size_t classes)
{
    return larger(larger(tamis_kmeans_size(rows, nodes), tamis_nodes_ls_size(rows, nodes, classes)),
                  tamis_nodes_lms_size(rows, nodes, classes));
}

double tamis_trainer_bytes(size_t rows, size_t columns, size_t nodes, size_t classes)
{
    double n = (double)rows, m = (double)nodes, d = (double)columns;
    return 8 * (2 * m * d + n * m + d + 3 * n + m * (double)classes + (double)work_size(rows, nodes, classes));
}

struct tamis_trainer *tamis_trainer_new(tamis_context *cx, size_t rows, size_t columns, size_t nodes, size_t classes)
{
    struct tamis_trainer *w = tamis_new(cx, struct tamis_trainer, 1);
    if (!w) return NULL;
    w->centre = tamis_new(cx, double, nodes * columns);
    w->spare = tamis_new(cx, double, nodes * columns);
    w->sigma = tamis_new(cx, double, nodes);
    w->weight = tamis_new(cx, double, nodes * classes);
    w->phi = tamis_new(cx, double, rows * nodes);
    w->work = tamis_new(cx, double, work_size(rows, nodes, classes));
    w->columns = tamis_new(cx, size_t, columns);
    w->assignment = tamis_new(cx, size_t, rows);
    w->spare_assignment = tamis_new(cx, size_t, rows);
    w->count = tamis_new(cx, size_t, nodes);
    w->spare_count = tamis_new(cx, size_t, nodes);
    w->order = tamis_new(cx, size_t, rows);
    w->pivot = tamis_new(cx, int, nodes);
    for (size_t v = 0; w->columns && v < columns; v++) w->columns[v] = v;
    if (w->centre && w->spare && w->sigma && w->weight && w->phi && w->work && w->columns && w->assignment &&
        w->spare_assignment && w->count && w->spare_count && w->order && w->pivot)
        return w;
    tamis_trainer_free(w);
    return NULL;
}

static void swap_pointers(void *a, void *b)
{
    void *t;
    memcpy(&t, a, sizeof t);
    memcpy(a, b, sizeof t);
    memcpy(b, &t, sizeof t);
}

/* The clustering of least sse; rng continues its stream. */
static void clusters(struct tamis_trainer *w, const struct tamis_training *p, size_t nodes, size_t starts,
                     uint64_t seed, uint32_t purpose, uint32_t first, struct tamis_rng *rng)
{
    struct tamis_rng r;
    double sse;
    w->sse = INFINITY;
    for (size_t k = 0; k < starts; k++) {
        tamis_rng_init(&r, seed, purpose, first + (uint32_t)k);
        tamis_kmeans(p->rows, p->x, p->rows, p->weight, w->columns, p->columns, nodes, ITERATIONS, &r, w->work,
                     w->spare, w->spare_assignment, w->spare_count, &sse);
        if (!(sse < w->sse)) continue;
        w->sse = sse;
        *rng = r;
        swap_pointers(&w->centre, &w->spare);
        swap_pointers(&w->assignment, &w->spare_assignment);
        swap_pointers(&w->count, &w->spare_count);
    }
}

int tamis_train(struct tamis_trainer *w, const struct tamis_training *p, size_t starts, uint64_t seed, uint32_t purpose,
                uint32_t first)
{
    struct tamis_rng rng;
    size_t n = p->rows, nodes = p->nodes < n ? p->nodes : n;
    if (!p->columns) nodes = 1;
    clusters(w, p, nodes, starts, seed, purpose, first, &rng);
    w->nodes = tamis_nodes_compact(n, p->columns, nodes, w->centre, w->assignment, w->count);
    tamis_nodes_sigma(n, p->x, n, p->weight, w->columns, p->columns, w->nodes, w->centre, w->assignment, w->count,
                      w->work, w->sigma);
    tamis_nodes_basis(n, p->x, n, w->columns, p->columns, w->nodes, w->centre, w->sigma, w->phi, n);
    if (!p->lms)
        return tamis_nodes_ls(n, w->nodes, p->classes, w->phi, p->y, p->weight, w->work, w->pivot, w->weight) > 0;
    tamis_nodes_lms(n, w->nodes, p->classes, w->phi, p->y, p->weight, p->rate, p->epochs, &rng, w->work, w->order,
                    w->weight);
    return 1;
}

struct tamis_rbf_classifier *tamis_trainer_classifier(tamis_context *cx, const struct tamis_trainer *w,
                                                      const struct tamis_training *p)
{
    struct tamis_rbf_classifier *r = tamis_rbf_classifier_new(cx, w->nodes, p->columns, p->classes);
    if (!r) return NULL;
    memcpy(r->centre, w->centre, w->nodes * p->columns * sizeof *r->centre);
    memcpy(r->sigma, w->sigma, w->nodes * sizeof *r->sigma);
    memcpy(r->weight, w->weight, w->nodes * p->classes * sizeof *r->weight);
    return r;
}

void tamis_trainer_scores(const struct tamis_trainer *w, size_t columns, size_t classes, size_t n, const double *x,
                          size_t ld, double *phi, double *score)
{
    tamis_nodes_basis(n, x, ld, w->columns, columns, w->nodes, w->centre, w->sigma, phi, n);
    tamis_gemm(PLAIN, PLAIN, n, classes, w->nodes, 1.0, phi, n, w->weight, w->nodes, 0.0, score, n);
}
