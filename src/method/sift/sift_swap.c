/* Exchanges of correlated inputs: a search may have taken a noisy copy before its original, and inputs that leave one
 * by one never come back. An input of the terms gives way to one outside them that correlates with it if the evidence
 * of the same terms with that one is higher. */
#include <string.h>
#include "method/sift/sift_trail.h"

enum { ROUNDS = 6, RIVALS = 3, SWAPS = 20 };
static const double akin = 0.5;

struct swap { struct sift_fit *t; const size_t *in; size_t k; unsigned char *used; struct sift_probe *term; };

static size_t renamed(size_t input, size_t from, size_t to) { return input == from ? to : input; }

/* The inputs of a term with `to` in the place of `from`, in increasing order. */
static void term_renamed(const struct sift_term *m, size_t from, size_t to, size_t *input)
{
    for (size_t k = 0; k < m->inputs; k++) input[k] = renamed(m->input[k], from, to);
    for (size_t k = 1; k < m->inputs; k++)
        for (size_t j = k; j && input[j - 1] > input[j]; j--) {
            size_t keep = input[j];
            input[j] = input[j - 1];
            input[j - 1] = keep;
        }
}

static int holds(const struct sift_term *m, size_t input)
{
    for (size_t k = 0; k < m->inputs; k++)
        if (m->input[k] == input) return 1;
    return 0;
}

/* Evidence with the terms of `from` in terms of `to`; the fit is as before afterwards, but for its variances. */
static int swap_try(struct swap *s, size_t from, size_t to, double *evidence)
{
    struct sift_fit *t = s->t;
    size_t terms = t->terms, input[3];
    unsigned char *skip = tamis_new(t->v->cx, unsigned char, 2 * terms + 1);
    int status = skip ? TAMIS_OK : tamis_status(t->v->cx);
    for (size_t k = 0; k < terms && !status; k++) {
        if (!holds(&t->term[k], from)) continue;
        skip[k] = 1;
        term_renamed(&t->term[k], from, to, input);
        status = sift_fit_term(t, t->term[k].inputs, input);
    }
    if (!status) status = sift_fit_without(t, skip, ROUNDS, evidence);
    while (t->terms > terms) sift_fit_untake(t);
    tamis_free(skip);
    return status;
}

/* The RIVALS inputs outside the terms that correlate most with `input`, if by more than `akin`; how many. */
static size_t rivals_of(const struct swap *s, size_t input, size_t *rival)
{
    double best[RIVALS];
    size_t n = 0;
    for (size_t i = 0; i < s->k; i++) {
        if (s->used[s->in[i]]) continue;
        double r = sift_correlation(s->t->v->f->d, input, s->in[i]);
        if (r <= akin) continue;
        size_t at = n < RIVALS ? n++ : RIVALS;
        for (; at && r > best[at - 1]; at--)
            if (at < RIVALS) best[at] = best[at - 1], rival[at] = rival[at - 1];
        if (at < RIVALS) best[at] = r, rival[at] = s->in[i];
    }
    return n;
}

/* The terms anew, with `to` in the place of `from`. */
static int swap_make(struct swap *s, size_t from, size_t to)
{
    struct sift_fit *t = s->t;
    struct sift_view *v = t->v;
    size_t terms = t->terms;
    for (size_t k = 0; k < terms; k++) {
        s->term[k].inputs = t->term[k].inputs;
        term_renamed(&t->term[k], from, to, s->term[k].input);
    }
    sift_fit_free(t);
    int status = sift_fit_make(v, t);
    for (size_t k = 0; k < terms && !status; k++) status = sift_fit_term(t, s->term[k].inputs, s->term[k].input);
    s->used[from] = 0;
    s->used[to] = 1;
    return status ? status : sift_fit_solve(t, ROUNDS);
}

/* The first exchange that raises the evidence; *done: there was one. */
static int swap_one(struct swap *s, int *done)
{
    size_t inputs = s->t->v->f->d->inputs, rival[RIVALS];
    int status = TAMIS_OK;
    *done = 0;
    for (size_t i = 0; i < inputs && !status && !*done; i++) {
        size_t n = s->used[i] == 1 ? rivals_of(s, i, rival) : 0;
        for (size_t k = 0; k < n && !status && !*done; k++) {
            double evidence = 0;
            status = swap_try(s, i, rival[k], &evidence);
            if (status || !(evidence > s->t->evidence + 1e-3)) continue;
            status = swap_make(s, i, rival[k]);
            *done = 1;
        }
    }
    return status;
}

int sift_swap(struct sift_fit *t, const size_t *in, size_t k)
{
    tamis_context *cx = t->v->cx;
    struct swap s = {.t = t, .in = in, .k = k};
    int done = 1, status = TAMIS_OK;
    if (!t->terms) return TAMIS_OK;
    s.used = tamis_new(cx, unsigned char, t->v->f->d->inputs);
    s.term = tamis_new(cx, struct sift_probe, t->terms);
    if (s.used && s.term) {
        sift_fit_set(t, NULL, s.used);
        for (size_t n = 0; n < SWAPS && done && !status; n++) status = swap_one(&s, &done);
    }
    tamis_free(s.used);
    tamis_free(s.term);
    return status ? status : tamis_status(cx);
}
