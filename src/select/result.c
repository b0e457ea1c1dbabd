/* Results: allocation, ranks, and the readers of tamis.h. */
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include "select/held.h"
#include "select/result.h"

void tamis_result_free(tamis_result *r)
{
    if (!r) return;
    void *plain[] = {r->picked, r->input,     r->chosen,   r->path,     r->start,          r->changed,
                     r->trial,  r->trial_set, r->held_out, r->held_row, r->held_prediction};
    tamis_value *value[] = {r->block,         r->rule,      r->cost,  r->outer,  r->bootstrap, r->value,
                            r->probabilities, r->intervals, r->tests, r->stable, r->evidence};
    for (size_t i = 0; i < sizeof plain / sizeof *plain; i++) tamis_free(plain[i]);
    for (size_t i = 0; i < sizeof value / sizeof *value; i++) tamis_value_free(value[i]);
    if (r->name) tamis_strings_free(r->name, r->inputs);
    tamis_strings_free(r->note, r->notes);
    tamis_model_free(r->model);
    tamis_held_free(r->held);
    tamis_free(r);
}

struct tamis_result *tamis_result_new(tamis_context *cx, const struct tamis_design *d)
{
    struct tamis_result *r = tamis_new(cx, struct tamis_result, 1);
    if (!r) return NULL;
    double *unknown[] = {&r->all_inputs, &r->error, &r->error_se, &r->test_all_inputs, &r->test,
                         &r->nested,     &r->nested_se, &r->nested_all_inputs, &r->stability};
    for (size_t i = 0; i < sizeof unknown / sizeof *unknown; i++) *unknown[i] = NAN;
    r->held_class = r->held_class_baseline = r->test_class = r->test_class_baseline =
        (struct tamis_class_error){NAN, NAN, NAN, NAN, NAN};
    r->rows = d->rows;
    r->inputs = d->inputs;
    r->input = tamis_new(cx, tamis_input, d->inputs);
    r->chosen = tamis_new(cx, size_t, d->inputs);
    r->name = tamis_new(cx, char *, d->inputs);
    for (size_t i = 0; r->input && r->name && i < d->inputs; i++) {
        r->name[i] = tamis_strdup(cx, d->encoder->input[i].name);
        r->input[i] = (tamis_input){.size = sizeof(tamis_input),
                                    .name = r->name[i],
                                    .constant = d->encoder->input[i].constant,
                                    .relevance = NAN,
                                    .frequency = NAN,
                                    .importance = NAN,
                                    .importance_se = NAN};
    }
    if (!tamis_status(cx)) return r;
    tamis_result_free(r);
    return NULL;
}

tamis_value *tamis_result_block(tamis_context *cx, struct tamis_result *r, const char *name)
{
    tamis_value_free(r->block);
    r->block_name = name;
    return r->block = tamis_record_new(cx);
}

int tamis_result_path(tamis_context *cx, struct tamis_result *r, size_t steps, size_t changes)
{
    r->path = tamis_new(cx, struct tamis_path_step, steps);
    r->changed = tamis_new(cx, size_t, changes);
    r->start = tamis_new(cx, unsigned char, r->inputs);
    r->steps = r->path ? steps : 0;
    return tamis_status(cx);
}

/* ---- ranks ---- */

struct place { int selected; double key; size_t input; };

static int by_place(const void *a, const void *b)
{
    const struct place *x = a, *y = b;
    if (x->selected != y->selected) return y->selected - x->selected;
    if (isnan(x->key) != isnan(y->key)) return isnan(x->key) - isnan(y->key);
    if (x->key > y->key || x->key < y->key) return x->key > y->key ? -1 : 1;
    return (x->input > y->input) - (x->input < y->input);
}

int tamis_result_rank(tamis_context *cx, struct tamis_result *r, const unsigned char *set, const double *relevance,
                      const double *order)
{
    size_t n = r->inputs, count = 0;
    struct place *place = tamis_raw(cx, struct place, n);
    if (!place) return tamis_status(cx);
    for (size_t i = 0; i < n; i++) {
        r->input[i].selected = set[i];
        r->input[i].relevance = relevance[i];
        place[i] = (struct place){set[i], set[i] ? relevance[i] : order[i], i};
    }
    qsort(place, n, sizeof *place, by_place);
    for (size_t k = 0; k < n; k++) {
        r->input[place[k].input].rank = place[k].selected || !isnan(place[k].key) ? k + 1 : 0;
        if (place[k].selected) r->chosen[count++] = place[k].input;
    }
    r->selected = count;
    tamis_free(place);
    return TAMIS_OK;
}

int tamis_result_notes(tamis_context *cx, struct tamis_result *r)
{
    size_t n;
    const char *const *note = tamis_notes(cx, &n);
    r->note = tamis_strings_copy(cx, note, n, &r->notes);
    tamis_notes_clear(cx);
    return tamis_status(cx);
}

/* ---- readers (tamis.h) ---- */

const tamis_value *tamis_result_value(const tamis_result *r) { return r->value; }
size_t tamis_result_inputs(const tamis_result *r) { return r->inputs; }
size_t tamis_result_steps(const tamis_result *r) { return r->steps; }
size_t tamis_result_trials(const tamis_result *r) { return r->trials; }
const tamis_model *tamis_result_model(const tamis_result *r) { return r->model; }

tamis_model *tamis_result_take_model(tamis_result *r)
{
    tamis_model *m = r->model;
    r->model = NULL;
    return m;
}

int tamis_result_input(const tamis_result *r, size_t i, tamis_input *out)
{
    return i < r->inputs && tamis_fill(out, &r->input[i], sizeof r->input[i]);
}

size_t tamis_result_selected(const tamis_result *r, const size_t **input)
{
    if (input) *input = r->chosen;
    return r->selected;
}

int tamis_result_step(const tamis_result *r, size_t k, tamis_step *out)
{
    if (k >= r->steps) return 0;
    const struct tamis_path_step *s = &r->path[k];
    tamis_step full = {sizeof full, s->size, s->changed, s->added, s->also, s->criterion, k == r->chosen_step};
    return tamis_fill(out, &full, sizeof full);
}

size_t tamis_result_set(const tamis_result *r, size_t k, unsigned char *set)
{
    size_t at = 0, size = 0;
    for (size_t i = 0; i < r->inputs; i++) set[i] = r->start ? r->start[i] : 0;
    for (size_t s = 0; s <= k && s < r->steps; s++) {
        size_t changes = r->path[s].changed < 0 ? 0 : 1 + r->path[s].also;
        for (size_t i = 0; i < changes; i++) set[r->changed[at + i]] = (unsigned char)r->path[s].added;
        at += changes;
    }
    for (size_t i = 0; i < r->inputs; i++) size += set[i];
    return size;
}

int tamis_result_trial(const tamis_result *r, size_t k, tamis_trial_info *out, unsigned char *set)
{
    if (k >= r->trials) return 0;
    if (set) memcpy(set, r->trial_set + k * r->inputs, r->inputs);
    return tamis_fill(out, &r->trial[k], sizeof r->trial[k]);
}

size_t tamis_result_held_out(const tamis_result *r, const size_t **row, const double **prediction)
{
    if (row) *row = r->held_row;
    if (prediction) *prediction = r->held_prediction;
    return r->held_rows;
}
