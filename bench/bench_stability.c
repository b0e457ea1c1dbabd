/* False inputs and power of --stability on tables with known answers; stability.py runs it.
 *
 *     bench_stability family target rows inputs true pairs first last [again=R] name=value...
 *
 * Families and targets are those of known.h; the names and values are options, with the method among them. One line for
 * each of the tables first .. last-1: its number; the mean number of inputs that a half-sample selects; then for every
 * assumption (r-concave, unimodal, nothing) and bound (0.5, 1, 2) the threshold (in half-samples; 0: none) and the true
 * and the false inputs selected. One run gives all of them: they differ in the threshold alone.
 *
 * again=R: the method also runs on R tables of half the rows that are drawn anew with the same effects. Inputs selected
 * there in a share above q / inputs are not of low selection probability, and a fourth number counts the false inputs
 * selected that are. */
#include "known.h"
#include "num/stability_bound.h"
#include "select/result.h"

/* Draws of other rows, and the options for them. */
struct again { size_t draws; tamis_options *o; };

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

/* low: of each input, whether its selection probability is low; NULL: not known. */
static void answers_print(const struct table *t, const tamis_result *r, size_t pairs, const unsigned char *low)
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
            size_t bounded = 0;
            for (size_t i = t->effects; low && i < t->d; i++) bounded += set[t->order[i]] && low[t->order[i]];
            if (low) printf(" %zu", bounded);
        }
    printf("\n");
    fflush(stdout);
    free(set);
}

static int run(tamis_context *cx, const struct table *t, const tamis_options *o, tamis_result **r)
{
    tamis_table *table = table_of(cx, t);
    int status = table ? tamis_select(cx, table, NULL, o, r) : tamis_status(cx);
    tamis_table_free(table);
    return status;
}

/* Changes the rows of t. q: inputs that a half selects. */
static int low_find(tamis_context *cx, struct table *t, char **word, size_t k, double q, const struct again *a,
                    unsigned char *low)
{
    size_t n = t->n, *times = calloc(t->d, sizeof *times);
    int status = TAMIS_OK;
    for (size_t draw = 0; draw < a->draws && !status; draw++) {
        tamis_result *r = NULL;
        known_again(t, word[1], word[2], n / 2, k, draw);
        status = run(cx, t, a->o, &r);
        for (size_t i = 0; i < t->d && !status; i++) times[i] += (size_t)r->input[i].selected;
        tamis_result_free(r);
    }
    for (size_t i = 0; i < t->d; i++) low[i] = (double)times[i] <= (double)a->draws * q / (double)t->d;
    t->n = n;
    free(times);
    return status;
}

static int table_run(tamis_context *cx, struct table *t, char **word, size_t k, const struct again *a, tamis_options *o)
{
    tamis_result *r = NULL;
    unsigned char *low = a->draws ? calloc(t->d, 1) : NULL;
    int status = run(cx, t, o, &r);
    double q = 0;
    for (size_t i = 0; i < t->d && !status; i++) q += r->input[i].frequency;
    if (low && !status) status = low_find(cx, t, word, k, q, a, low);
    if (!status) answers_print(t, r, strtoul(word[6], NULL, 10), low);
    tamis_result_free(r);
    free(low);
    return status;
}

/* pairs NULL: one run on all rows. */
static tamis_options *options_of(tamis_context *cx, char **word, const char *pairs)
{
    tamis_options *o = tamis_options_new(cx);
    tamis_options_set(o, "stability", pairs ? "1" : NULL);
    tamis_options_set(o, "stability-pairs", pairs);
    tamis_options_set(o, "evidence", "no");
    tamis_options_set(o, "threads", "1");
    for (; *word; word++) {
        char name[64], *value = strchr(*word, '=');
        snprintf(name, sizeof name, "%.*s", value ? (int)(value - *word) : 63, *word);
        tamis_options_set(o, name, value ? value + 1 : "yes");
    }
    return o;
}

int main(int words, char **word)
{
    if (words < 9)
        return fputs("usage: bench_stability family target rows inputs true pairs first last [again=R] name=value...\n",
                     stderr), 2;
    size_t v[6];
    for (int k = 0; k < 6; k++) v[k] = strtoul(word[3 + k], NULL, 10);
    tamis_context *cx = tamis_context_new();
    struct table t = known_room(v[0], v[1]);
    int extra = words > 9 && !strncmp(word[9], "again=", 6);
    tamis_options *o = options_of(cx, word + 9 + extra, word[6]);
    struct again again = {extra ? strtoul(word[9] + 6, NULL, 10) : 0, options_of(cx, word + 9 + extra, NULL)};
    int status = tamis_status(cx);
    for (size_t k = v[4]; k < v[5] && !status; k++) {
        known_fill(&t, word[1], word[2], v[2], k);
        printf("%zu", k);
        status = table_run(cx, &t, word, k, &again, o);
    }
    if (status) fprintf(stderr, "%s\n", tamis_error(cx));
    known_free(&t);
    tamis_options_free(o);
    tamis_options_free(again.o);
    tamis_context_free(cx);
    return status;
}
