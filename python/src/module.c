/* module.c - the module lode._lode: its functions and types, from all files
 * SPDX-License-Identifier: Apache-2.0 */
#include "frames.h"
#include "pylode.h"

static PyObject *module_version(PyObject *module, PyObject *unused) {
    lode_build b = LODE_INIT(lode_build);
    (void)module;
    (void)unused;
    lode_build_info(&b);
    return Py_BuildValue("{ssssssssszsz}", "version", lode_version(), "type", b.type, "sanitizers",
                         b.sanitizers, "compiler", b.compiler, "instruction_set", b.chosen, "cuda",
                         b.cuda);
}

static PyObject *module_memory_budget(PyObject *module, PyObject *unused) {
    lode_resources r = LODE_INIT(lode_resources);
    (void)module;
    (void)unused;
    lode_resources_get(&r);
    return PyLong_FromUnsignedLongLong(r.memory_budget);
}

static PyMethodDef module_functions[] = {
    {"build", module_version, METH_NOARGS, "How the library was built."},
    {"memory_budget", module_memory_budget, METH_NOARGS,
     "Bytes that a job without a budget may use; 0 = unknown."},
    {NULL, NULL, 0, NULL},
};

static struct PyModuleDef module_def = {PyModuleDef_HEAD_INIT,
                                        "lode._lode",
                                        "The C functions of the package lode.",
                                        -1,
                                        NULL,
                                        NULL,
                                        NULL,
                                        NULL,
                                        NULL};

PyMODINIT_FUNC PyInit__lode(void);

PyMODINIT_FUNC PyInit__lode(void) {
    PyMethodDef *const functions[] = {
        module_functions,    data_functions,     encode_functions,  onehot_functions,
        group_functions,     mine_functions,     measure_functions, graph_functions,
        arrow_out_functions, arrow_in_functions, store_functions,
    };
    PyObject *module = PyModule_Create(&module_def);
    int failed = !module || block_init(module) != 0 || data_init(module) != 0 ||
                 result_init(module) != 0 || graphs_init(module) != 0 || arrow_init(module) != 0;
    for (size_t i = 0; !failed && i < sizeof functions / sizeof *functions; i++) {
        failed = PyModule_AddFunctions(module, functions[i]) != 0;
    }
    failed = failed || frames_init(module) != 0;
    if (failed) Py_CLEAR(module);
    return module;
}
