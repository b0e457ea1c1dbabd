/* The model of a set at its width and gamma. See lssvm.c. */
#include <string.h>
#include "crit/lssvm_inside.h"
#include "crit/network.h"
#include "num/lapack.h"

/* From theta = G^T beta of all rows to the weights of the chosen ones: L^T beta_S = theta, L = G_S. */
static void weights_reduced(const struct scorer *j, size_t basis, const double *factor, const double *beta,
                            double *triangle, struct tamis_rbf *net)
{
    size_t n = j->d->rows;
    for (size_t k = 0; k < basis; k++)
        for (size_t i = 0; i < basis; i++) triangle[i + k * basis] = factor[j->order[i] + k * n];
    int many = j->outputs > TAMIS_MANY_OUTPUTS;
    if (many) tamis_gemm(TRANS, PLAIN, basis, j->outputs, n, 1, factor, n, beta, n + 1, 0, net->alpha, basis + 1);
    for (size_t c = 0; c < j->outputs; c++) {
        double *alpha = net->alpha + c * (basis + 1);
        if (!many) tamis_gemv(TRANS, n, basis, 1, factor, n, beta + c * (n + 1), 0, alpha);
        tamis_trsv(CblasLower, TRANS, basis, triangle, basis, alpha);
        alpha[basis] = beta[n + c * (n + 1)];
    }
}

static void centres_fill(const struct scorer *j, const unsigned char *set, const size_t *row, size_t *column,
                         struct tamis_rbf *net)
{
    tamis_set_columns(j->d, set, column);
    for (size_t k = 0; k < net->columns; k++)
        for (size_t i = 0; i < net->centres; i++)
            net->centre[i + net->centres * k] = j->d->x[(row ? row[i] : i) + j->d->rows * column[k]];
}

static struct tamis_rbf *network_fit(struct scorer *j, const unsigned char *set, const struct tamis_score *at)
{
    const struct slot own = {.d2 = j->base};            /* slot 0 keeps its errors */
    size_t n = j->d->rows, basis = n, *column = tamis_raw(j->cx, size_t, j->d->columns),
           columns = column ? tamis_set_columns(j->d, set, column) : 0;
    double *beta = tamis_raw(j->cx, double, (n + 1) * j->outputs),
           *factor = j->v->reduced ? tamis_raw(j->cx, double, n *n) : NULL, *triangle = NULL;
    struct tamis_lssvm w;
    struct tamis_rbf *net = NULL;
    tamis_set_distances(j->d, set, SIZE_MAX, j->base);
    if (!tamis_status(j->cx) && !tamis_lssvm_machine(j, &own, at->parameter[0], 0, &w, &basis, factor)) {
        tamis_lssvm_weights(&w, at->parameter[1], beta);
        if (j->v->reduced) triangle = tamis_raw(j->cx, double, basis * basis);
        net = tamis_rbf_outputs(j->cx, basis, columns, j->outputs);
    }
    if (net && !tamis_status(j->cx)) {
        net->sigma2 = at->parameter[0];
        net->gamma = at->parameter[1];
        centres_fill(j, set, j->v->reduced ? j->order : NULL, column, net);
        if (j->v->reduced) weights_reduced(j, basis, factor, beta, triangle, net);
        else memcpy(net->alpha, beta, (n + 1) * j->outputs * sizeof *beta);
    }
    tamis_free(column);
    tamis_free(beta);
    tamis_free(factor);
    tamis_free(triangle);
    if (!tamis_status(j->cx)) return net;
    tamis_rbf_free(net);
    return NULL;
}

static struct tamis_rbf *reduced_rank_fit(struct scorer *j, const unsigned char *set, const struct tamis_score *at)
{
    size_t *column = tamis_raw(j->cx, size_t, j->d->columns);
    struct tamis_rbf *net = column ? tamis_reduced_rank_fit(j->cx, j->reduced_rank, column,
                                                            tamis_set_columns(j->d, set, column), at->parameter[0],
                                                            at->parameter[1], j->work, j->order)
                                   : NULL;
    if (!net && !tamis_status(j->cx)) tamis_lssvm_no_numbers(j, at->parameter[0]);
    tamis_free(column);
    return net;
}

int tamis_lssvm_fit(void *self, const unsigned char *set, const struct tamis_score *at, struct tamis_model **model,
                    double *relevance)
{
    struct scorer *j = self;
    struct tamis_rbf *net = j->reduced_rank ? reduced_rank_fit(j, set, at) : network_fit(j, set, at);
    if (!net) return tamis_status(j->cx);
    if (relevance) tamis_network_relevance(j->cx, j->d, set, net, 1, 1, relevance);
    if (model && !tamis_status(j->cx))
        *model = tamis_model_new(j->cx, j->v->kind, tamis_encoder_subset(j->cx, j->d->encoder, set), net);
    else tamis_rbf_free(net);
    return tamis_status(j->cx);
}
