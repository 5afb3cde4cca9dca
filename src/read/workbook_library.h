/* workbook_library.h - libzip and expat, which lode loads when it meets the first workbook
 *
 * lode is built with the headers of both libraries, but most runs read no workbook: loading libzip
 * and what it needs takes longer than a small job. So the libraries are not linked, as
 * libxlsxwriter is not (results/arrow/sheet.h).
 *
 * SPDX-License-Identifier: Apache-2.0 */
#ifndef LODE_READ_WORKBOOK_LIBRARY_H
#define LODE_READ_WORKBOOK_LIBRARY_H

#ifdef LODE_ZIP_LIBRARY /* the file names of both libraries are set if both headers are found */
#include <expat.h>
#include <stdbool.h>
#include <zip.h>

/* The functions, by their names in the libraries. */
#define WORKBOOK_ZIP_FUNCTIONS(X)                                                                  \
    X(zip_fdopen)                                                                                  \
    X(zip_source_buffer_create)                                                                    \
    X(zip_source_free)                                                                             \
    X(zip_open_from_source)                                                                        \
    X(zip_discard)                                                                                 \
    X(zip_get_num_entries)                                                                         \
    X(zip_name_locate)                                                                             \
    X(zip_stat_index)                                                                              \
    X(zip_fopen_index)                                                                             \
    X(zip_fread)                                                                                   \
    X(zip_fclose)                                                                                  \
    X(zip_file_strerror)
#define WORKBOOK_EXPAT_FUNCTIONS(X)                                                                \
    X(XML_ParserCreate)                                                                            \
    X(XML_ParserFree)                                                                              \
    X(XML_SetUserData)                                                                             \
    X(XML_SetElementHandler)                                                                       \
    X(XML_SetCharacterDataHandler)                                                                 \
    X(XML_SetStartDoctypeDeclHandler)                                                              \
    X(XML_GetBuffer)                                                                               \
    X(XML_ParseBuffer)                                                                             \
    X(XML_StopParser)                                                                              \
    X(XML_ResumeParser)                                                                            \
    X(XML_GetErrorCode)                                                                            \
    X(XML_ErrorString)                                                                             \
    X(XML_GetCurrentLineNumber)                                                                    \
    X(XML_GetCurrentByteIndex)

typedef struct workbook_library {
#define WORKBOOK_FIELD(name) __typeof__(&name) name;
    WORKBOOK_ZIP_FUNCTIONS(WORKBOOK_FIELD)
    WORKBOOK_EXPAT_FUNCTIONS(WORKBOOK_FIELD)
#undef WORKBOOK_FIELD
    bool loaded;
    char why[160]; /* why it is not loaded */
} workbook_library;

/* Loads the libraries, once. Any thread may call it. */
const workbook_library *workbook_library_get(void);

#endif
#endif
