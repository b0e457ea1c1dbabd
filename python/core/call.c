/* Calls of the library: the GIL, the callbacks, the exceptions. */
#include "core.h"

/* ---- callbacks: the library runs them on the thread that called it ---- */

static void enter(struct call *c) { PyEval_RestoreThread(c->thread); }

/* Lets the library go on. What was raised waits in the thread's state. */
static void leave(struct call *c, int fine)
{
    if (!fine) c->raised = 1;
    c->thread = PyEval_SaveThread();
}

static int finish(PyObject *answer)
{
    Py_XDECREF(answer);
    return answer != NULL;
}

static void on_note(void *user, const char *sentence)
{
    struct call *c = user;
    if (c->raised) return;
    enter(c);
    leave(c, finish(PyObject_CallFunction(c->note, "s", sentence)));
}

static void on_progress(void *user, const char *what, double done, double total)
{
    struct call *c = user;
    if (c->raised) return;
    enter(c);
    leave(c, finish(PyObject_CallFunction(c->progress, "sdd", what, done, total)));
}

/* Signals are Python's: Ctrl-C raises KeyboardInterrupt here, if this is the main thread. */
static int on_cancel(void *user)
{
    struct call *c = user;
    if (c->raised) return 1;
    enter(c);
    leave(c, !PyErr_CheckSignals());
    return c->raised;
}

void call_leave(struct call *c) { c->thread = PyEval_SaveThread(); }

/* ---- exceptions ---- */

/* tamis._errors.raise_status(status, sentence). */
static void raise_status(int status, const char *sentence)
{
    PyObject *errors = PyImport_ImportModule("tamis._errors");
    if (errors) finish(PyObject_CallMethod(errors, "raise_status", "is", status, sentence));
    Py_XDECREF(errors);
}

static int checked(struct call *c, int status)
{
    if (c->raised) return 0;
    if (status) raise_status(status, tamis_error(c->cx));
    return !status;
}

int call_return(struct call *c, int status)
{
    PyEval_RestoreThread(c->thread);
    return checked(c, status);
}

/* ---- options ---- */

static int names_set(struct call *c, const char *name, PyObject *list)
{
    Py_ssize_t n;
    const char **text = texts_borrow(list, &n);
    if (!text) return 0;
    int status = tamis_options_set_names(c->options, name, text, (size_t)n);
    PyMem_Free(text);
    return checked(c, status);
}

static int option_set(struct call *c, PyObject *pair)
{
    const char *name, *text;
    PyObject *value;
    if (!PyArg_ParseTuple(pair, "sO", &name, &value)) return 0;
    if (PyBool_Check(value)) return checked(c, tamis_options_set_flag(c->options, name, value == Py_True));
    if (PyList_Check(value)) return names_set(c, name, value);
    return (text = text_of(value)) && checked(c, tamis_options_set(c->options, name, text));
}

static int options_set(struct call *c, PyObject *options)
{
    Py_ssize_t n = PySequence_Size(options);
    for (Py_ssize_t i = 0; i < n; i++) {
        PyObject *pair = PySequence_GetItem(options, i);
        int set = pair && option_set(c, pair);
        Py_XDECREF(pair);
        if (!set) return 0;
    }
    return n >= 0;
}

/* ---- a call ---- */

static void hooks_set(struct call *c, PyObject *progress, PyObject *note)
{
    if (progress != Py_None) c->progress = progress;
    if (note != Py_None) c->note = note;
    if (c->progress) tamis_context_on_progress(c->cx, on_progress, c);
    if (c->note) tamis_context_on_note(c->cx, on_note, c);
    tamis_context_on_cancel(c->cx, on_cancel, c);
}

int call_begin(struct call *c, PyObject *options, PyObject *hooks)
{
    PyObject *progress = Py_None, *note = Py_None;
    *c = (struct call){.cx = tamis_context_new()};
    if (c->cx) c->options = tamis_options_new(c->cx);
    if (!c->options) return PyErr_NoMemory() != NULL;
    if (hooks != Py_None && !PyArg_ParseTuple(hooks, "OO", &progress, &note)) return 0;
    hooks_set(c, progress, note);
    return options == Py_None || options_set(c, options);
}

int call_command(struct call *c, PyObject *words)
{
    Py_ssize_t n;
    const char **text = texts_borrow(words, &n);
    if (!text) return 0;
    int status = tamis_options_command(c->options, (int)n, (char **)(uintptr_t)text);
    PyMem_Free(text);
    return checked(c, status);
}

void call_end(struct call *c)
{
    tamis_options_free(c->options);
    tamis_context_free(c->cx);
}

/* ---- texts ---- */

PyObject *text_take(char *text, size_t n)
{
    PyObject *s = text ? PyUnicode_DecodeUTF8(text, (Py_ssize_t)n, "replace") : NULL;
    tamis_release(text);
    return s;
}

PyObject *texts_list(const char *const *text, size_t n)
{
    PyObject *list = PyList_New((Py_ssize_t)n);
    for (size_t i = 0; list && i < n; i++) {
        PyObject *s = PyUnicode_FromString(text[i]);
        if (s && !PyList_SetItem(list, (Py_ssize_t)i, s)) continue;
        Py_DECREF(list);
        return NULL;
    }
    return list;
}

const char *text_of(PyObject *text) { return PyUnicode_AsUTF8AndSize(text, NULL); }

const char **texts_borrow(PyObject *list, Py_ssize_t *n)
{
    if ((*n = PyList_Size(list)) < 0) return NULL;
    const char **text = PyMem_Malloc(((size_t)*n + 1) * sizeof *text);
    if (!text) return (const char **)PyErr_NoMemory();
    for (Py_ssize_t i = 0; i < *n; i++) {
        PyObject *one = PyList_GetItem(list, i);
        text[i] = one == Py_None ? NULL : text_of(one);
        if (text[i] || one == Py_None) continue;
        PyMem_Free(text);
        return NULL;
    }
    return text;
}

PyObject *value_json(struct call *c, const tamis_value *v)
{
    char *text = NULL;
    size_t n = 0;
    return CALL_RUN(c, tamis_value_json(c->cx, v, &text, &n)) ? text_take(text, n) : NULL;
}
