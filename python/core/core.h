/* tamis._core: the library for the package's own Python files, in the limited API. It takes and gives plain objects
 * (lists, tuples, JSON as text, buffers); names, types and defaults that people see are in the Python files. */
#ifndef TAMIS_PYTHON_CORE_H
#define TAMIS_PYTHON_CORE_H

#define PY_SSIZE_T_CLEAN
#include <Python.h>
#include "tamis.h"

/* ---- one call of the library (call.c) ---- */

/* A context of its own, with the callbacks of Python behind it; so calls on several threads do not meet. */
struct call {
    tamis_context *cx;
    tamis_options *options;
    PyObject *progress, *note;  /* borrowed; NULL: none */
    PyThreadState *thread;      /* the caller's, while the library runs without the GIL */
    int raised;                 /* a callback has raised: the exception is kept until the end of the call */
};

/* options: a sequence of (name, text, flag or list of texts), or None; hooks: (progress, note), each callable or None,
 * or None. 0: an exception is set. End it in any case. */
int call_begin(struct call *c, PyObject *options, PyObject *hooks);
int call_command(struct call *c, PyObject *words);      /* echoed in the result; 0: an exception is set */
void call_leave(struct call *c);                        /* gives the GIL up */
/* Takes the GIL back after a status; 0: an exception is set. */
int call_return(struct call *c, int status);
void call_end(struct call *c);

/* Runs an expression with a status, without the GIL; 0: an exception is set. */
#define CALL_RUN(c, expression) (call_leave(c), call_return(c, (expression)))

/* A text of the library as a str, which is then given back; NULL: an exception is set. */
PyObject *text_take(char *text, size_t n);
/* n texts as a list. */
PyObject *texts_list(const char *const *text, size_t n);
/* The texts of a sequence of str, as UTF-8 that lives as long as they do. The caller frees the array with PyMem_Free;
 * NULL: an exception is set. */
const char **texts_borrow(PyObject *sequence, Py_ssize_t *n);
const char *text_of(PyObject *text);                    /* of a str; NULL: an exception is set */
PyObject *value_json(struct call *c, const tamis_value *v);

/* ---- objects ---- */

extern PyType_Spec table_spec, model_spec;

struct table { PyObject_HEAD tamis_table *table; Py_buffer *view; size_t views; };
struct model { PyObject_HEAD tamis_model *model; };

/* Objects of the types that the module has; they take over what they are given, also on failure. */
PyObject *table_wrap(PyObject *module, tamis_table *t);
PyObject *model_wrap(PyObject *module, tamis_model *m);
struct table *table_get(PyObject *module, PyObject *object);    /* NULL: an exception is set */

/* ---- columns (columns.c) ---- */

/* A column of arrays from (name, values, levels, missing, unit). values: a buffer of numbers in one dimension, or a
 * list of str and None; levels: a list of str, or None; missing: a buffer of bytes, or None. */
struct column { tamis_column column; Py_buffer value, missing; const char **text, **level; };

int column_read(PyObject *tuple, size_t rows, struct column *out);      /* 0: an exception is set */
void column_free(struct column *c);

/* ---- functions of the module ---- */

#define FUNCTION(name) PyObject *name(PyObject *module, PyObject *args)
FUNCTION(table_read);
FUNCTION(table_columns);
FUNCTION(table_add);
FUNCTION(table_arrow);
FUNCTION(table_categorise);
FUNCTION(table_generate);
FUNCTION(table_values);
FUNCTION(table_describe);
FUNCTION(table_clean);
FUNCTION(run_select);
FUNCTION(run_compare);
FUNCTION(run_report);
FUNCTION(list_parts);
FUNCTION(list_options);
FUNCTION(model_load);
FUNCTION(model_from_bytes);
FUNCTION(model_predict);

#endif
