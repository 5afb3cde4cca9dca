/* rule_text.h - rules as text: the list of formats
 * SPDX-License-Identifier: Apache-2.0 */
#ifndef LODE_RULESINK_RULE_TEXT_H
#define LODE_RULESINK_RULE_TEXT_H

#include "rulesink/rule_sink.h"

/* The words of the option --write, up to NULL. */
extern const char *const rule_format_names[];

#endif
