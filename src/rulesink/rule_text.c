/* rule_text.c - see rule_text.h
 * SPDX-License-Identifier: Apache-2.0 */
#include "rulesink/rule_text.h"

const char *const rule_format_names[] = {
#define LODE_RULE_FORMAT(name) #name,
#include "rulesink/formats.def"
#undef LODE_RULE_FORMAT
    NULL};
