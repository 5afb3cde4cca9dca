/* examples_molecules.h - graphs like small molecules
 * SPDX-License-Identifier: Apache-2.0 */
#ifndef LODE_SERVER_EXAMPLES_MOLECULES_H
#define LODE_SERVER_EXAMPLES_MOLECULES_H

#include <lode.h>

/* Writes them to `path`, always the same bytes. */
lode_status example_molecules(lode_job *job, const char *path);

#endif
