/* The module: its functions and types. */
#include "core.h"

static PyMethodDef functions[] = {{"table_read", table_read, METH_VARARGS, NULL},
                                  {"table_columns", table_columns, METH_VARARGS, NULL},
                                  {"table_add", table_add, METH_VARARGS, NULL},
                                  {"table_arrow", table_arrow, METH_VARARGS, NULL},
                                  {"table_categorise", table_categorise, METH_VARARGS, NULL},
                                  {"table_generate", table_generate, METH_VARARGS, NULL},
                                  {"table_values", table_values, METH_VARARGS, NULL},
                                  {"table_describe", table_describe, METH_VARARGS, NULL},
                                  {"table_clean", table_clean, METH_VARARGS, NULL},
                                  {"select", run_select, METH_VARARGS, NULL},
                                  {"compare", run_compare, METH_VARARGS, NULL},
                                  {"report", run_report, METH_VARARGS, NULL},
                                  {"parts", list_parts, METH_VARARGS, NULL},
                                  {"options", list_options, METH_VARARGS, NULL},
                                  {"model_load", model_load, METH_VARARGS, NULL},
                                  {"model_from_bytes", model_from_bytes, METH_VARARGS, NULL},
                                  {"model_predict", model_predict, METH_VARARGS, NULL},
                                  {0}};

static int type_add(PyObject *module, PyType_Spec *spec)
{
    PyObject *type = PyType_FromSpec(spec);
    int status = type ? PyModule_AddType(module, (PyTypeObject *)type) : -1;
    Py_XDECREF(type);
    return status;
}

static int module_fill(PyObject *module)
{
    if (type_add(module, &table_spec) || type_add(module, &model_spec)) return -1;
    if (PyModule_AddStringConstant(module, "version", tamis_version())) return -1;
    return PyModule_AddStringConstant(module, "blas", tamis_blas());
}

static PyModuleDef_Slot slots[] = {{Py_mod_exec, module_fill}, {0, NULL}};
static struct PyModuleDef definition = {PyModuleDef_HEAD_INIT, .m_name = "tamis._core", .m_methods = functions,
                                        .m_slots = slots};

PyMODINIT_FUNC PyInit__core(void);
PyMODINIT_FUNC PyInit__core(void) { return PyModuleDef_Init(&definition); }
