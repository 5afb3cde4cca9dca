/* workbook_library.c - see workbook_library.h
 * SPDX-License-Identifier: Apache-2.0 */
#include "read/workbook_library.h"

#ifdef LODE_ZIP_LIBRARY
#include <dlfcn.h>
#include <pthread.h>
#include <stdio.h>

static workbook_library lib;
static pthread_once_t lib_once = PTHREAD_ONCE_INIT;

static void *workbook_open_library(const char *name) {
    void *handle = dlopen(name, RTLD_NOW | RTLD_LOCAL);
    if (!handle) snprintf(lib.why, sizeof lib.why, "%s", dlerror());
    return handle;
}

static void workbook_load(void) {
    void *zip = workbook_open_library(LODE_ZIP_LIBRARY);
    void *expat = zip ? workbook_open_library(LODE_EXPAT_LIBRARY) : NULL;
    if (!zip || !expat) return;
    lib.loaded = true;
#define LIB_ZIP(name)                                                                              \
    *(void **)&lib.name = dlsym(zip, #name);                                                       \
    lib.loaded = lib.loaded && lib.name;
#define LIB_EXPAT(name)                                                                            \
    *(void **)&lib.name = dlsym(expat, #name);                                                     \
    lib.loaded = lib.loaded && lib.name;
    WORKBOOK_ZIP_FUNCTIONS(LIB_ZIP)
    WORKBOOK_EXPAT_FUNCTIONS(LIB_EXPAT)
#undef LIB_ZIP
#undef LIB_EXPAT
    if (!lib.loaded) snprintf(lib.why, sizeof lib.why, "a function is missing");
}

const workbook_library *workbook_library_get(void) {
    pthread_once(&lib_once, workbook_load);
    return &lib;
}

#endif
