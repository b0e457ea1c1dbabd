/* False inputs and power of --stability on tables with known answers; stability.py runs it.
 *
 *     bench_stability family target rows inputs true pairs first last name=value...
 *
 * Families and targets are those of known.h; the names and values are options, with the method among them. One line for
 * each of the tables first .. last-1: its number; the mean number of inputs that a half-sample selects; then for every
 * assumption (r-concave, unimodal, nothing) and bound (0.5, 1, 2) the threshold (in half-samples; 0: none) and the true
 * and the false inputs selected. One run gives all of them: they differ in the threshold alone. */
#include "known.h"
#include "num/stability_bound.h"
#include "select/result.h"

enum { BOUNDS = 3 };
static const double bound[BOUNDS] = {0.5, 1, 2};

static tamis_table *table_of(tamis_context *cx, const struct table *t)
{
    tamis_table *to = NULL;
    double *both = bench_room(t->n * (t->d + 1));
    memcpy(both, t->x, t->n * t->d * sizeof *both);
    memcpy(both + t->n * t->d, t->y, t->n * sizeof *both);
    tamis_table_from_numbers(cx, t->n, t->d + 1, both, 1, t->n, NULL, &to);
    free(both);
    return to;
}

static void answers_print(const struct table *t, const tamis_result *r, size_t pairs)
{
    struct tamis_stability s = {0, (double)t->d, pairs};
    unsigned char *set = malloc(t->d);
    for (size_t i = 0; i < t->d; i++) s.q += r->input[i].frequency;
    printf(" %.4f", s.q);
    for (int a = TAMIS_STABLE_CONCAVE; a >= TAMIS_STABLE_NONE; a--)
        for (size_t k = 0; k < BOUNDS; k++) {
            size_t times = tamis_stability_times(&s, (enum tamis_stability_assumption)a, bound[k]);
            for (size_t i = 0; i < t->d; i++)
                set[i] = times && r->input[i].frequency * 2 * (double)pairs > (double)times - 0.5;
            printf(" %zu", times);
            count_print(t, set);
        }
    printf("\n");
    fflush(stdout);
    free(set);
}

static int table_run(tamis_context *cx, const struct table *t, size_t pairs, const tamis_options *o)
{
    tamis_result *r = NULL;
    tamis_table *table = table_of(cx, t);
    int status = table ? tamis_select(cx, table, NULL, o, &r) : tamis_status(cx);
    if (!status) answers_print(t, r, pairs);
    tamis_result_free(r);
    tamis_table_free(table);
    return status;
}

static tamis_options *options_of(tamis_context *cx, char **word, const char *pairs)
{
    tamis_options *o = tamis_options_new(cx);
    tamis_options_set(o, "stability", "1");
    tamis_options_set(o, "stability-pairs", pairs);
    tamis_options_set(o, "evidence", "no");
    tamis_options_set(o, "threads", "1");
    for (; *word; word++) {
        char *value = strchr(*word, '=');
        if (value) *value++ = 0;
        tamis_options_set(o, *word, value ? value : "yes");
    }
    return o;
}

int main(int words, char **word)
{
    if (words < 9)
        return fputs("usage: bench_stability family target rows inputs true pairs first last name=value...\n", stderr),
               2;
    size_t v[6];
    for (int k = 0; k < 6; k++) v[k] = strtoul(word[3 + k], NULL, 10);
    tamis_context *cx = tamis_context_new();
    struct table t = known_room(v[0], v[1]);
    tamis_options *o = options_of(cx, word + 9, word[6]);
    int status = tamis_status(cx);
    for (size_t k = v[4]; k < v[5] && !status; k++) {
        known_fill(&t, word[1], word[2], v[2], k);
        printf("%zu", k);
        status = table_run(cx, &t, v[3], o);
    }
    if (status) fprintf(stderr, "%s\n", tamis_error(cx));
    known_free(&t);
    tamis_options_free(o);
    tamis_context_free(cx);
    return status;
}
