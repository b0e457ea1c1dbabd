/* Models. */
#include "core.h"

static const tamis_model *model_of(PyObject *self) { return ((struct model *)self)->model; }

static void model_dealloc(PyObject *self)
{
    PyTypeObject *type = Py_TYPE(self);
    tamis_model_free(((struct model *)self)->model);
    PyObject_Free(self);
    Py_DECREF(type);
}

/* ---- fields ---- */

typedef const char *name_at(const tamis_model *m, size_t i);

static PyObject *names_list(const tamis_model *m, size_t n, name_at *at)
{
    const char **name = PyMem_Malloc((n + 1) * sizeof *name);
    if (!name) return PyErr_NoMemory();
    for (size_t i = 0; i < n; i++) name[i] = at(m, i);
    PyObject *list = texts_list(name, n);
    PyMem_Free(name);
    return list;
}

static PyObject *get_inputs(PyObject *self, void *unused)
{
    (void)unused;
    return names_list(model_of(self), tamis_model_inputs(model_of(self)), tamis_model_input);
}

static PyObject *get_targets(PyObject *self, void *unused)
{
    (void)unused;
    return names_list(model_of(self), tamis_model_targets(model_of(self)), tamis_model_target_at);
}

static PyObject *get_classes(PyObject *self, void *unused)
{
    const char *const *name = NULL;
    size_t n = tamis_model_classes(model_of(self), &name);
    (void)unused;
    return texts_list(name, n);
}

static PyObject *get_levels(PyObject *self, void *unused)
{
    size_t n = tamis_model_inputs(model_of(self));
    PyObject *list = PyList_New(0);
    (void)unused;
    for (size_t i = 0; list && i < n; i++) {
        const char *const *level = NULL;
        size_t levels = tamis_model_levels(model_of(self), i, &level);
        PyObject *one = texts_list(level, levels);
        if (!one || PyList_Append(list, one)) Py_CLEAR(list);
        Py_XDECREF(one);
    }
    return list;
}

static PyObject *get_kind(PyObject *self, void *unused)
{
    (void)unused;
    return PyUnicode_FromString(tamis_model_kind(model_of(self)));
}

static PyObject *get_basis_functions(PyObject *self, void *unused)
{
    (void)unused;
    return PyLong_FromSize_t(tamis_model_basis_functions(model_of(self)));
}

static PyObject *get_probabilities(PyObject *self, void *unused)
{
    (void)unused;
    return PyBool_FromLong(tamis_model_probabilities(model_of(self)));
}

static PyGetSetDef model_fields[] = {
    {"kind", get_kind, NULL, "\"rbf\", \"terms\", ...", NULL},
    {"inputs", get_inputs, NULL, "names of the inputs", NULL},
    {"targets", get_targets, NULL, "names of the targets", NULL},
    {"classes", get_classes, NULL, "names of the classes; none: it predicts numbers", NULL},
    {"levels", get_levels, NULL, "the levels of each input; none: a number", NULL},
    {"basis_functions", get_basis_functions, NULL, "how many it has", NULL},
    {"probabilities", get_probabilities, NULL, "whether scores are probabilities", NULL},
    {0}};

/* ---- predictions ---- */

static size_t scores_of(const tamis_model *m)
{
    const char *const *name;
    return tamis_model_classes(m, &name);
}

/* predict(model, table, options, hooks) -> (predictions, scores or None): bytes of doubles, column-major */
FUNCTION(model_predict)
{
    PyObject *self, *table, *options, *hooks, *type = PyObject_GetAttrString(module, "Model");
    struct call c;
    int parsed = type && PyArg_ParseTuple(args, "O!OOO", type, &self, &table, &options, &hooks);
    const struct table *t = parsed ? table_get(module, table) : NULL;
    Py_XDECREF(type);
    if (!t) return NULL;
    const tamis_model *m = model_of(self);
    size_t rows = tamis_table_rows(t->table), targets = tamis_model_targets(m), classes = scores_of(m);
    PyObject *out = PyByteArray_FromStringAndSize(NULL, (Py_ssize_t)(rows * targets * sizeof(double)));
    PyObject *score = classes ? PyByteArray_FromStringAndSize(NULL, (Py_ssize_t)(rows * classes * sizeof(double)))
                              : Py_NewRef(Py_None);
    int made = out && score && call_begin(&c, options, hooks);
    if (out && score) {
        double *to = (double *)(void *)PyByteArray_AsString(out),
               *scores = classes ? (double *)(void *)PyByteArray_AsString(score) : NULL;
        made = made && CALL_RUN(&c, tamis_model_predict(c.cx, m, t->table, to, scores));
        call_end(&c);
    }
    if (made) return Py_BuildValue("(NN)", out, score);
    Py_XDECREF(out);
    Py_XDECREF(score);
    return NULL;
}

/* interval(level) -> ([lower], [upper]), one per target */
static PyObject *model_interval(PyObject *self, PyObject *args)
{
    double level;
    struct call c;
    size_t n = tamis_model_targets(model_of(self));
    PyObject *answer = NULL, *lower = PyList_New(0), *upper = PyList_New(0);
    double *ends = PyMem_Calloc(2 * n + 1, sizeof *ends);
    int done = lower && upper && ends && PyArg_ParseTuple(args, "d", &level);
    if (done) {
        done = call_begin(&c, Py_None, Py_None) &&
               CALL_RUN(&c, tamis_model_interval(c.cx, model_of(self), level, ends, ends + n));
        call_end(&c);
    }
    for (size_t i = 0; done && i < 2 * n; i++) {
        PyObject *x = PyFloat_FromDouble(ends[i]);
        done = x && !PyList_Append(i < n ? lower : upper, x);
        Py_XDECREF(x);
    }
    if (done) answer = Py_BuildValue("(OO)", lower, upper);
    Py_XDECREF(lower);
    Py_XDECREF(upper);
    PyMem_Free(ends);
    return answer;
}

/* ---- files ---- */

static PyObject *model_to_bytes(PyObject *self, PyObject *unused)
{
    struct call c;
    void *bytes = NULL;
    size_t n = 0;
    (void)unused;
    int saved = call_begin(&c, Py_None, Py_None) &&
                CALL_RUN(&c, tamis_model_save_memory(c.cx, model_of(self), &bytes, &n));
    PyObject *answer = saved ? PyBytes_FromStringAndSize(bytes, (Py_ssize_t)n) : NULL;
    tamis_release(bytes);
    call_end(&c);
    return answer;
}

static PyObject *model_save(PyObject *self, PyObject *args)
{
    const char *path;
    struct call c;
    if (!PyArg_ParseTuple(args, "s", &path)) return NULL;
    int saved = call_begin(&c, Py_None, Py_None) && CALL_RUN(&c, tamis_model_save(c.cx, model_of(self), path));
    call_end(&c);
    return saved ? Py_NewRef(Py_None) : NULL;
}

/* export(options) -> str */
static PyObject *model_export(PyObject *self, PyObject *args)
{
    PyObject *options;
    struct call c;
    char *text = NULL;
    size_t n = 0;
    if (!PyArg_ParseTuple(args, "O", &options)) return NULL;
    int made = call_begin(&c, options, Py_None) &&
               CALL_RUN(&c, tamis_model_export(c.cx, model_of(self), c.options, &text, &n));
    call_end(&c);
    return made ? text_take(text, n) : NULL;
}

FUNCTION(model_load)
{
    const char *path;
    struct call c;
    tamis_model *m = NULL;
    if (!PyArg_ParseTuple(args, "s", &path)) return NULL;
    int loaded = call_begin(&c, Py_None, Py_None) && CALL_RUN(&c, tamis_model_load(c.cx, path, &m));
    call_end(&c);
    return loaded ? model_wrap(module, m) : NULL;
}

FUNCTION(model_from_bytes)
{
    const char *bytes;
    Py_ssize_t n;
    struct call c;
    tamis_model *m = NULL;
    if (!PyArg_ParseTuple(args, "y#", &bytes, &n)) return NULL;
    int loaded = call_begin(&c, Py_None, Py_None) &&
                 CALL_RUN(&c, tamis_model_load_memory(c.cx, bytes, (size_t)n, &m));
    call_end(&c);
    return loaded ? model_wrap(module, m) : NULL;
}

/* ---- the type ---- */

static PyMethodDef model_methods[] = {{"interval", model_interval, METH_VARARGS, NULL},
                                      {"to_bytes", model_to_bytes, METH_NOARGS, NULL},
                                      {"save", model_save, METH_VARARGS, NULL},
                                      {"export", model_export, METH_VARARGS, NULL},
                                      {0}};
static PyType_Slot model_slots[] = {{Py_tp_dealloc, model_dealloc},
                                    {Py_tp_getset, model_fields},
                                    {Py_tp_methods, model_methods},
                                    {0, NULL}};
PyType_Spec model_spec = {"tamis._core.Model", sizeof(struct model), 0,
                          Py_TPFLAGS_DEFAULT | Py_TPFLAGS_DISALLOW_INSTANTIATION, model_slots};
