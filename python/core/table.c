/* Tables: from files, columns, Arrow streams and generators. */
#include "core.h"
#include "data/arrow_abi.h"

/* ---- the type ---- */

static void table_dealloc(PyObject *self)
{
    struct table *t = (struct table *)self;
    PyTypeObject *type = Py_TYPE(self);
    tamis_table_free(t->table);
    for (size_t i = 0; i < t->views; i++) PyBuffer_Release(&t->view[i]);
    PyMem_Free(t->view);
    PyObject_Free(self);
    Py_DECREF(type);
}

static PyObject *table_rows(PyObject *self, void *unused)
{
    (void)unused;
    return PyLong_FromSize_t(tamis_table_rows(((struct table *)self)->table));
}

static PyObject *table_names(PyObject *self, void *unused)
{
    const tamis_table *t = ((struct table *)self)->table;
    size_t n = tamis_table_columns(t);
    const char **name = PyMem_Malloc((n + 1) * sizeof *name);
    (void)unused;
    if (!name) return PyErr_NoMemory();
    for (size_t j = 0; j < n; j++) name[j] = tamis_table_name(t, j);
    PyObject *list = texts_list(name, n);
    PyMem_Free(name);
    return list;
}

static PyObject *table_cleaned(PyObject *self, void *unused)
{
    const tamis_table *t = ((struct table *)self)->table;
    const size_t *from = tamis_table_cleaned(t);
    size_t rows = from ? tamis_table_rows(t) : 0;
    PyObject *list = PyList_New((Py_ssize_t)rows);
    (void)unused;
    for (size_t i = 0; list && i < rows; i++) {
        PyObject *row = PyLong_FromSize_t(from[i]);
        if (!row || PyList_SetItem(list, (Py_ssize_t)i, row)) Py_CLEAR(list);
    }
    return list;
}

static PyGetSetDef table_fields[] = {{"rows", table_rows, NULL, "number of rows", NULL},
                                     {"names", table_names, NULL, "names of the columns", NULL},
                                     {"cleaned", table_cleaned, NULL, "which rows were kept", NULL},
                                     {0}};
static PyType_Slot table_slots[] = {{Py_tp_dealloc, table_dealloc}, {Py_tp_getset, table_fields}, {0, NULL}};
PyType_Spec table_spec = {"tamis._core.Table", sizeof(struct table), 0,
                          Py_TPFLAGS_DEFAULT | Py_TPFLAGS_DISALLOW_INSTANTIATION, table_slots};

/* A new object of the type that the module holds under that name. */
static PyObject *object_new(PyObject *module, const char *name, size_t size)
{
    PyObject *type = PyObject_GetAttrString(module, name), *self = NULL;
    if (type && (self = PyObject_Calloc(1, size))) PyObject_Init(self, (PyTypeObject *)type);
    else if (type) PyErr_NoMemory();
    Py_XDECREF(type);
    return self;
}

/* (name, doubles, levels or None, whether it is a date) of a column. */
static PyObject *column_values(const tamis_table *t, size_t j)
{
    tamis_column c;
    tamis_table_column(t, j, &c);
    PyObject *levels = c.level ? texts_list(c.level, c.levels) : Py_NewRef(Py_None);
    Py_ssize_t bytes = (Py_ssize_t)(tamis_table_rows(t) * sizeof(double));
    return levels ? Py_BuildValue("(sNNN)", c.name, PyByteArray_FromStringAndSize(c.value, bytes), levels,
                                  PyBool_FromLong(c.unit > 0)) : NULL;
}

/* table_values(table) -> [(name, doubles, levels or None, whether it is a date)] */
FUNCTION(table_values)
{
    PyObject *table;
    const struct table *t = PyArg_ParseTuple(args, "O", &table) ? table_get(module, table) : NULL;
    PyObject *list = t ? PyList_New(0) : NULL;
    for (size_t j = 0; list && j < tamis_table_columns(t->table); j++) {
        PyObject *one = column_values(t->table, j);
        if (!one || PyList_Append(list, one)) Py_CLEAR(list);
        Py_XDECREF(one);
    }
    return list;
}

PyObject *table_wrap(PyObject *module, tamis_table *t)
{
    PyObject *self = object_new(module, "Table", sizeof(struct table));
    if (self) ((struct table *)self)->table = t;
    else tamis_table_free(t);
    return self;
}

PyObject *model_wrap(PyObject *module, tamis_model *m)
{
    PyObject *self = object_new(module, "Model", sizeof(struct model));
    if (self) ((struct model *)self)->model = m;
    else tamis_model_free(m);
    return self;
}

struct table *table_get(PyObject *module, PyObject *object)
{
    PyObject *type = PyObject_GetAttrString(module, "Table");
    int is = type ? PyObject_IsInstance(object, type) : -1;
    Py_XDECREF(type);
    if (!is) PyErr_SetString(PyExc_TypeError, "a Table is needed");
    return is > 0 ? (struct table *)object : NULL;
}

/* ---- from files and generators ---- */

typedef int make_table(tamis_context *cx, const char *name, const tamis_options *o, tamis_table **out);

static PyObject *table_make(PyObject *module, PyObject *args, make_table *make)
{
    const char *name;
    PyObject *options, *hooks;
    struct call c;
    tamis_table *t = NULL;
    if (!PyArg_ParseTuple(args, "sOO", &name, &options, &hooks)) return NULL;
    int made = call_begin(&c, options, hooks) && CALL_RUN(&c, make(c.cx, name, c.options, &t));
    if (!made) tamis_table_free(t);
    call_end(&c);
    return made ? table_wrap(module, t) : NULL;
}

FUNCTION(table_read) { return table_make(module, args, tamis_table_read); }
FUNCTION(table_generate) { return table_make(module, args, tamis_table_generate); }

/* ---- from columns ---- */

static int views_room(struct table *t, size_t n)
{
    Py_buffer *grown = PyMem_Realloc(t->view, (t->views + n) * sizeof *grown);
    if (!grown) return PyErr_NoMemory() != NULL;
    t->view = grown;
    return 1;
}

/* The table keeps the buffers that it may have borrowed. */
static void views_keep(struct table *t, struct column *c, size_t n)
{
    for (size_t j = 0; j < n; j++) {
        if (!c[j].value.obj) continue;
        t->view[t->views++] = c[j].value;
        c[j].value.obj = NULL;
    }
}

static int columns_read(PyObject *list, size_t n, size_t rows, struct column *c)
{
    for (size_t j = 0; j < n; j++)
        if (!column_read(PyList_GetItem(list, (Py_ssize_t)j), rows, &c[j])) return 0;
    return 1;
}

/* The library reads an array of its own structures. */
static tamis_table *columns_make(struct call *c, const char *name, size_t rows, const struct column *from, size_t n)
{
    tamis_table *t = NULL;
    tamis_column *column = PyMem_Malloc((n + 1) * sizeof *column);
    if (!column) return (tamis_table *)PyErr_NoMemory();
    for (size_t j = 0; j < n; j++) column[j] = from[j].column;
    if (!CALL_RUN(c, tamis_table_from_columns(c->cx, name, rows, column, n, &t))) {
        tamis_table_free(t);
        t = NULL;
    }
    PyMem_Free(column);
    return t;
}

static PyObject *columns_wrap(PyObject *module, struct call *c, const char *name, size_t rows, PyObject *list)
{
    size_t n = (size_t)PyList_Size(list);
    struct column *column = PyMem_Calloc(n + 1, sizeof *column);
    if (!column) return PyErr_NoMemory();
    tamis_table *t = columns_read(list, n, rows, column) ? columns_make(c, name, rows, column, n) : NULL;
    PyObject *self = t ? table_wrap(module, t) : NULL;
    if (self && !views_room((struct table *)self, n)) Py_CLEAR(self);
    if (self) views_keep((struct table *)self, column, n);
    for (size_t j = 0; j < n; j++) column_free(&column[j]);
    PyMem_Free(column);
    return self;
}

FUNCTION(table_columns)
{
    const char *name;
    Py_ssize_t rows;
    PyObject *list, *hooks, *self = NULL;
    struct call c;
    if (!PyArg_ParseTuple(args, "snOO", &name, &rows, &list, &hooks)) return NULL;
    if (PyList_Size(list) < 0) return NULL;
    if (call_begin(&c, Py_None, hooks)) self = columns_wrap(module, &c, name, (size_t)rows, list);
    call_end(&c);
    return self;
}

/* table_add(table, column, hooks): one more column. */
FUNCTION(table_add)
{
    PyObject *table, *tuple, *hooks;
    struct call c;
    struct column column = {0};
    if (!PyArg_ParseTuple(args, "OOO", &table, &tuple, &hooks)) return NULL;
    struct table *t = table_get(module, table);
    if (!t) return NULL;
    int added = call_begin(&c, Py_None, hooks) && column_read(tuple, tamis_table_rows(t->table), &column) &&
                views_room(t, 1) && CALL_RUN(&c, tamis_table_add(c.cx, t->table, &column.column));
    if (added) views_keep(t, &column, 1);
    column_free(&column);
    call_end(&c);
    return added ? Py_NewRef(Py_None) : NULL;
}

/* table_arrow(capsule, hooks): what __arrow_c_stream__ gave; the stream is moved out of it. */
FUNCTION(table_arrow)
{
    PyObject *capsule, *hooks;
    struct call c;
    tamis_table *t = NULL;
    if (!PyArg_ParseTuple(args, "OO", &capsule, &hooks)) return NULL;
    struct ArrowArrayStream *from = PyCapsule_GetPointer(capsule, "arrow_array_stream"), stream;
    if (!from) return NULL;
    int made = call_begin(&c, Py_None, hooks);
    if (made) {
        stream = *from;
        from->release = NULL;
        made = CALL_RUN(&c, tamis_table_from_arrow_stream(c.cx, &stream, &t));
    }
    if (!made) tamis_table_free(t);
    call_end(&c);
    return made ? table_wrap(module, t) : NULL;
}

/* table_categorise(table, options): columns of numbers as labels. */
FUNCTION(table_categorise)
{
    PyObject *table, *options;
    struct call c;
    if (!PyArg_ParseTuple(args, "OO", &table, &options)) return NULL;
    struct table *t = table_get(module, table);
    if (!t) return NULL;
    int done = call_begin(&c, options, Py_None) && CALL_RUN(&c, tamis_table_categorise(c.cx, t->table, c.options));
    call_end(&c);
    return done ? Py_NewRef(Py_None) : NULL;
}
