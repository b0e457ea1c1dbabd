/* Building and freeing results. */
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include "select/result.h"

void tamis_outcome_free(struct tamis_outcome *o)
{
    if (!o) return;
    char *single[] = {o->method, o->picked, o->criterion, o->error_name, o->target, o->file};
    for (size_t i = 0; i < sizeof single / sizeof *single; i++) tamis_free(single[i]);
    tamis_strings_free(o->name, o->names);
    tamis_strings_free(o->note, o->notes);
    tamis_strings_free(o->word, o->words);
    tamis_free(o->parameter_name);
    tamis_free(o->input);
    tamis_free(o->chosen);
    tamis_free(o->path);
    tamis_free(o->changed);
    tamis_model_free(o->model);
    tamis_text_free(&o->options);
    tamis_text_free(&o->block);
    tamis_text_free(&o->rule);
    tamis_text_free(&o->cost);
    tamis_text_free(&o->outer);
    tamis_text_free(&o->bootstrap);
    tamis_text_free(&o->evidence);
    tamis_free(o->held_out);
    tamis_free(o);
}

void tamis_result_free(tamis_result *r) { tamis_outcome_free((struct tamis_outcome *)r); }

struct tamis_outcome *tamis_outcome_new(tamis_context *cx, const struct tamis_design *d)
{
    struct tamis_outcome *o = tamis_new(cx, struct tamis_outcome, 1);
    if (!o) return NULL;
    o->options.cx = o->block.cx = o->rule.cx = o->cost.cx = o->outer.cx = o->bootstrap.cx = o->evidence.cx = cx;
    o->input = tamis_new(cx, tamis_input, d->inputs);
    o->chosen = tamis_new(cx, size_t, d->inputs);
    o->name = tamis_new(cx, char *, d->inputs);
    for (size_t i = 0; o->input && o->name && i < d->inputs; i++) {
        if (!(o->name[i] = tamis_strdup(cx, d->encoder->input[i].name))) break;
        o->names = i + 1;
        o->input[i] = (tamis_input){o->name[i], 0, d->encoder->input[i].constant, NAN, 0, NAN};
    }
    if (tamis_status(cx)) {
        tamis_outcome_free(o);
        return NULL;
    }
    o->open = (tamis_result){.inputs = d->inputs,
                             .input = o->input,
                             .chosen = o->chosen,
                             .rows = d->rows,
                             .all_inputs = NAN,
                             .error = NAN,
                             .test_all_inputs = NAN,
                             .test = NAN,
                             .nested = NAN,
                             .nested_se = NAN,
                             .nested_all_inputs = NAN,
                             .stability = NAN};
    return o;
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

int tamis_outcome_rank(tamis_context *cx, struct tamis_outcome *o, const unsigned char *set, const double *relevance,
                       const double *order)
{
    size_t n = o->open.inputs, count = 0;
    struct place *place = tamis_raw(cx, struct place, n);
    if (!place) return tamis_status(cx);
    for (size_t i = 0; i < n; i++) {
        o->input[i].selected = set[i];
        o->input[i].relevance = relevance[i];
        place[i] = (struct place){set[i], set[i] ? relevance[i] : order[i], i};
    }
    qsort(place, n, sizeof *place, by_place);
    for (size_t k = 0; k < n; k++) {
        o->input[place[k].input].rank = place[k].selected || !isnan(place[k].key) ? k + 1 : 0;
        if (place[k].selected) o->chosen[count++] = place[k].input;
    }
    o->open.selected = count;
    tamis_free(place);
    return TAMIS_OK;
}

int tamis_outcome_notes(tamis_context *cx, struct tamis_outcome *o)
{
    size_t n;
    const char *const *note = tamis_notes(cx, &n);
    o->note = tamis_strings_copy(cx, note, n, &o->notes);
    o->open.notes = o->notes;
    o->open.note = (const char *const *)o->note;
    tamis_notes_clear(cx);
    return tamis_status(cx);
}

void tamis_json_by_input(struct tamis_text *t, const struct tamis_encoder *e, const double *value)
{
    tamis_text_puts(t, "{");
    for (size_t i = 0; i < e->inputs; i++) {
        tamis_text_puts(t, i ? ", " : "");
        tamis_text_json(t, e->input[i].name);
        tamis_text_puts(t, ": ");
        tamis_text_number(t, value[i]);
    }
    tamis_text_puts(t, "}");
}
