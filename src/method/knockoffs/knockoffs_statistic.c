/* W: how much more an input explains than its knockoff, on the table that has both.
 *
 * An additive model of all 2 d columns is fitted: each column has a group of one coefficient for its linear effect and
 * one for the other functions that sift gives it (sift_functions.c), and the group lasso weighs them against each other
 * (knockoffs_fit.c). Pairs of columns whose products explain the residuals at a familywise level of 5 % (sift_test.c)
 * join with their products, in all versions with originals and knockoffs exchanged, and the model is fitted again. v_j
 * is the variance of what column j takes part in, and
 *
 *     W_j = sqrt(v_j) - sqrt(v of j's knockoff).
 *
 * The two columns of a pair are put into an order that depends on their numbers alone, so the fit gets the same table,
 * bit for bit, whichever of them is the original: W_j changes its sign exactly when they change places, and the other W
 * do not change. */
#include <math.h>
#include <string.h>
#include "method/knockoffs/knockoffs_fit.h"

/* ---- the target ---- */

int knockoffs_target_make(struct tamis_run *run, struct knockoffs_target *t)
{
    const struct tamis_design *d = run->design;
    tamis_context *cx = run->cx;
    struct sift s = {.run = run};
    *t = (struct knockoffs_target){.design = d, .l = sift_outputs(d)};
    s.ground.frame.outputs = t->l;
    s.ground.frame.levels = d->encoder->classes > 2 ? d->encoder->classes : t->l;
    s.target = t->y = tamis_raw(cx, double, d->rows * t->l);
    s.base = tamis_new(cx, double, s.ground.frame.levels);
    s.back = tamis_new(cx, double, s.ground.frame.levels * t->l);
    if (!tamis_status(cx)) sift_target_fill(&s);
    tamis_free(s.base);
    tamis_free(s.back);
    return tamis_status(cx);
}

/* ---- the table of pairs: columns 2 j and 2 j + 1 are input j and its knockoff, or the other way round ---- */

struct pairs {
    struct tamis_encoder encoder;       /* of the target's, with 2 d inputs of one column each */
    struct tamis_design design;
    signed char *sign;                  /* d: 1 if the original comes first, -1 if its knockoff, 0 if they are equal */
};

static signed char order_of(const double *a, const double *b, size_t n)
{
    for (size_t i = 0; i < n; i++)
        if (a[i] != b[i]) return a[i] < b[i] ? 1 : -1;
    return 0;
}

static void pairs_free(struct pairs *p)
{
    tamis_free(p->encoder.input);
    tamis_free(p->design.x);
    tamis_free(p->sign);
}

static int pairs_make(tamis_context *cx, const struct tamis_design *from, size_t d, const double *x, const double *k,
                      struct pairs *p)
{
    size_t n = from->rows;
    *p = (struct pairs){.encoder = *from->encoder, .design = *from};
    p->encoder.inputs = p->encoder.columns = p->design.inputs = p->design.columns = 2 * d;
    p->encoder.input = tamis_new(cx, struct tamis_feature, 2 * d);
    p->design.encoder = &p->encoder;
    p->design.x = tamis_raw(cx, double, 2 * n * d);
    p->sign = tamis_raw(cx, signed char, d);
    if (tamis_status(cx)) return tamis_status(cx);
    for (size_t j = 0; j < d; j++) {
        const double *one = x + n * j, *other = k + n * j;
        p->sign[j] = order_of(one, other, n);
        memcpy(p->design.x + 2 * n * j, p->sign[j] < 0 ? other : one, n * sizeof *x);
        memcpy(p->design.x + 2 * n * j + n, p->sign[j] < 0 ? one : other, n * sizeof *x);
    }
    for (size_t i = 0; i < 2 * d; i++)
        p->encoder.input[i] = (struct tamis_feature){.name = (char *)"", .first = i, .columns = 1};
    return TAMIS_OK;
}

int knockoffs_statistic(tamis_context *cx, const struct knockoffs_target *t, size_t d, const double *x, const double *k,
                        double *w)
{
    struct pairs p;
    double *value = tamis_new(cx, double, 2 * d);
    int status = pairs_make(cx, t->design, d, x, k, &p);
    if (!status && value) status = knockoffs_importances(cx, t, &p.design, value);
    for (size_t j = 0; j < d && !status && value; j++)
        w[j] = p.sign[j] * (sqrt(value[2 * j]) - sqrt(value[2 * j + 1]));
    pairs_free(&p);
    tamis_free(value);
    return status ? status : tamis_status(cx);
}
