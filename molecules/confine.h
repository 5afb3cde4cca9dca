/* confine.h - takes away what a program that only reads and writes open files does not need
 * SPDX-License-Identifier: Apache-2.0 */
#ifndef LODE_MOLECULES_CONFINE_H
#define LODE_MOLECULES_CONFINE_H

#ifdef __cplusplus
extern "C" {
#endif

/* From now on, the process can open no file, start no program and connect to nothing, as far as the
 * kernel can refuse that. LODE_FILTER=off leaves everything allowed. */
void molecules_confine(void);

#ifdef __cplusplus
}
#endif

#endif
