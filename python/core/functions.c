/* Selection, comparison, descriptions, reports and what there is. Results leave as JSON. */
#include "core.h"

/* table_describe(table, options, hooks) -> JSON */
FUNCTION(table_describe)
{
    PyObject *table, *options, *hooks, *json = NULL;
    struct call c;
    tamis_value *v = NULL;
    if (!PyArg_ParseTuple(args, "OOO", &table, &options, &hooks)) return NULL;
    const struct table *t = table_get(module, table);
    if (!t) return NULL;
    if (call_begin(&c, options, hooks) && CALL_RUN(&c, tamis_table_describe_with(c.cx, t->table, c.options, &v)))
        json = value_json(&c, v);
    tamis_value_free(v);
    call_end(&c);
    return json;
}

/* table_clean(table, options, hooks) -> (Table, JSON) */
FUNCTION(table_clean)
{
    PyObject *table, *options, *hooks, *json = NULL, *left;
    struct call c;
    tamis_table *out = NULL;
    tamis_value *report = NULL;
    if (!PyArg_ParseTuple(args, "OOO", &table, &options, &hooks)) return NULL;
    const struct table *t = table_get(module, table);
    if (!t) return NULL;
    if (call_begin(&c, options, hooks) && CALL_RUN(&c, tamis_table_clean(c.cx, t->table, c.options, &out, &report)))
        json = value_json(&c, report);
    tamis_value_free(report);
    call_end(&c);
    if (!json) {
        tamis_table_free(out);
        return NULL;
    }
    left = table_wrap(module, out);
    return left ? Py_BuildValue("(NN)", left, json) : (Py_DECREF(json), NULL);
}

/* ---- runs ---- */

/* (JSON, Model or None). */
static PyObject *result_wrap(PyObject *module, struct call *c, tamis_result *r)
{
    char *text = NULL;
    size_t n = 0;
    PyObject *json = CALL_RUN(c, tamis_result_json(c->cx, r, &text, &n)) ? text_take(text, n) : NULL;
    tamis_model *m = json ? tamis_result_take_model(r) : NULL;
    PyObject *model = m ? model_wrap(module, m) : Py_NewRef(Py_None);
    if (json && model) return Py_BuildValue("(NN)", json, model);
    Py_XDECREF(json);
    Py_XDECREF(model);
    return NULL;
}

/* select(table, test or None, options, command, hooks) -> (JSON, Model or None) */
FUNCTION(run_select)
{
    PyObject *table, *test, *options, *command, *hooks, *answer = NULL;
    struct call c;
    tamis_result *r = NULL;
    if (!PyArg_ParseTuple(args, "OOOOO", &table, &test, &options, &command, &hooks)) return NULL;
    const struct table *t = table_get(module, table), *u = t && test != Py_None ? table_get(module, test) : NULL;
    if (!t || (test != Py_None && !u)) return NULL;
    if (call_begin(&c, options, hooks) && call_command(&c, command) &&
        CALL_RUN(&c, tamis_select(c.cx, t->table, u ? u->table : NULL, c.options, &r)))
        answer = result_wrap(module, &c, r);
    tamis_result_free(r);
    call_end(&c);
    return answer;
}

/* compare(table, options, command, hooks) -> JSON */
FUNCTION(run_compare)
{
    PyObject *table, *options, *command, *hooks, *json = NULL;
    struct call c;
    tamis_comparison *r = NULL;
    if (!PyArg_ParseTuple(args, "OOOO", &table, &options, &command, &hooks)) return NULL;
    const struct table *t = table_get(module, table);
    if (!t) return NULL;
    if (call_begin(&c, options, hooks) && call_command(&c, command) &&
        CALL_RUN(&c, tamis_compare(c.cx, t->table, c.options, &r)))
        json = value_json(&c, tamis_comparison_value(r));
    tamis_comparison_free(r);
    call_end(&c);
    return json;
}

static PyObject *report_draw(struct call *c, const char *json, Py_ssize_t n, const tamis_report_form *form)
{
    tamis_value *v = NULL;
    char *text = NULL;
    size_t length = 0;
    int drawn = CALL_RUN(c, tamis_value_parse(c->cx, json, (size_t)n, &v)) &&
                CALL_RUN(c, tamis_report(c->cx, v, form, &text, &length));
    tamis_value_free(v);
    return drawn ? text_take(text, length) : NULL;
}

/* report(JSON, figure or None, labels) -> str: the page, or a figure as SVG */
FUNCTION(run_report)
{
    const char *json;
    Py_ssize_t n, labels = 0;
    PyObject *list, *page = NULL;
    struct call c;
    tamis_report_form form = {.size = sizeof form};
    (void)module;
    if (!PyArg_ParseTuple(args, "s#zO", &json, &n, &form.figure, &list)) return NULL;
    const char **label = texts_borrow(list, &labels);
    if (!label) return NULL;
    form.label = label;
    form.labels = (size_t)labels;
    if (call_begin(&c, Py_None, Py_None)) page = report_draw(&c, json, n, &form);
    call_end(&c);
    PyMem_Free(label);
    return page;
}

/* ---- what there is ---- */

FUNCTION(list_parts)
{
    struct call c;
    tamis_value *v = NULL;
    PyObject *json = NULL;
    (void)module;
    if (!PyArg_ParseTuple(args, "")) return NULL;
    if (call_begin(&c, Py_None, Py_None) && CALL_RUN(&c, tamis_catalogue(c.cx, &v))) json = value_json(&c, v);
    tamis_value_free(v);
    call_end(&c);
    return json;
}

/* options() -> [{name, alias, type, ...}] */
FUNCTION(list_options)
{
    tamis_option_info o = {.size = sizeof o};
    if (!PyArg_ParseTuple(args, "")) return NULL;
    PyObject *list = PyList_New(0);
    (void)module;
    for (size_t i = 0; list && tamis_option_at(i, &o); i++) {
        PyObject *row = Py_BuildValue(
            "{s:s,s:z,s:z,s:z,s:z,s:z,s:d,s:d,s:z,s:z,s:z,s:O}", "name", o.name, "alias", o.alias, "type", o.type,
            "argument", o.argument, "default", o.standard, "choices", o.choices, "least", o.least, "largest",
            o.largest, "help", o.help, "part", o.part, "kind", o.kind, "basic", o.basic ? Py_True : Py_False);
        if (!row || PyList_Append(list, row)) Py_CLEAR(list);
        Py_XDECREF(row);
        o.size = sizeof o;
    }
    return list;
}
