/* Columns of Python: buffers of numbers, borrowed where they are doubles side by side, and lists of texts. */
#include <string.h>
#include "core.h"

/* The format of numbers that a buffer has; -1: none that we know. Sizes of the C types are those of this machine. */
static int buffer_format(const Py_buffer *b)
{
    static const int whole[2][9] = {{[1] = TAMIS_I8, [2] = TAMIS_I16, [4] = TAMIS_I32, [8] = TAMIS_I64},
                                    {[1] = TAMIS_U8, [2] = TAMIS_U16, [4] = TAMIS_U32, [8] = TAMIS_U64}};
    const char *f = b->format ? b->format : "B";
    if (*f == '@' || *f == '=') f++;
    if (!*f || f[1]) return -1;
    if (*f == 'd') return TAMIS_F64;
    if (*f == 'f') return TAMIS_F32;
    if (*f == '?') return TAMIS_BOOL;
    const char *kinds = "bhilqn", *at = strchr("bhilqnBHILQN", *f);
    if (!at || b->itemsize > 8) return -1;
    return whole[!strchr(kinds, *f)][b->itemsize];
}

static int wrong(const char *name, const char *what)
{
    PyErr_Format(PyExc_ValueError, "column '%.60s': %s", name, what);
    return 0;
}

static int buffer_read(PyObject *values, size_t rows, struct column *c)
{
    const char *name = c->column.name;
    if (PyObject_GetBuffer(values, &c->value, PyBUF_RECORDS_RO)) return 0;
    c->column.format = buffer_format(&c->value);
    if (c->value.ndim != 1 || c->column.format < 0) return wrong(name, "its values are not numbers in one dimension");
    if ((size_t)c->value.shape[0] != rows) return wrong(name, "its length differs from the number of rows");
    if (rows > 1 && !c->value.strides[0]) return wrong(name, "its rows share one value in memory; copy it first");
    c->column.value = c->value.buf;
    c->column.stride = rows > 1 ? c->value.strides[0] : 0;
    c->column.borrow = 1;
    return 1;
}

static int texts_read(PyObject *values, size_t rows, struct column *c)
{
    Py_ssize_t n;
    if (!(c->text = texts_borrow(values, &n))) return 0;
    if ((size_t)n != rows) return wrong(c->column.name, "its length differs from the number of rows");
    c->column.value = c->text;
    c->column.format = TAMIS_TEXT_POINTERS;
    return 1;
}

static int levels_read(PyObject *levels, struct column *c)
{
    Py_ssize_t n;
    if (!(c->level = texts_borrow(levels, &n))) return 0;
    c->column.level = c->level;
    c->column.levels = (size_t)n;
    return 1;
}

static int missing_read(PyObject *missing, size_t rows, struct column *c)
{
    if (PyObject_GetBuffer(missing, &c->missing, PyBUF_SIMPLE)) return 0;
    if ((size_t)c->missing.len != rows) return wrong(c->column.name, "its mask differs from the number of rows");
    c->column.missing = c->missing.buf;
    return 1;
}

int column_read(PyObject *tuple, size_t rows, struct column *c)
{
    PyObject *values, *levels, *missing;
    *c = (struct column){.column.size = sizeof c->column};
    if (!PyArg_ParseTuple(tuple, "sOOOd", &c->column.name, &values, &levels, &missing, &c->column.unit)) return 0;
    int read = PyList_Check(values) ? texts_read(values, rows, c) : buffer_read(values, rows, c);
    if (read && levels != Py_None) read = levels_read(levels, c);
    if (read && missing != Py_None) read = missing_read(missing, rows, c);
    return read;
}

void column_free(struct column *c)
{
    if (c->value.obj) PyBuffer_Release(&c->value);
    if (c->missing.obj) PyBuffer_Release(&c->missing);
    PyMem_Free(c->text);
    PyMem_Free(c->level);
}
