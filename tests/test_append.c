/* test_append.c - appended text must fit completely, or nothing is appended
 * SPDX-License-Identifier: Apache-2.0 */
#include "base/figures.h"

#include <string.h>

#include "check.h"

static void test_room(void) {
    char text[12] = "";
    memset(text + 8, '#', 4); /* behind the room that is told */
    CHECK(append_text(text, 8, "%s", ""));
    CHECK(append_text(text, 8, "%s, ", "ab"));
    CHECK(append_text(text, 8, "%d", 12));
    CHECK_TEXT(text, "ab, 12");
    CHECK(!append_text(text, 8, ", %s", "c"));
    CHECK(!append_text(text, 8, "%s", "a word that is too long for every text here"));
    CHECK_TEXT(text, "ab, 12");
    CHECK(append_text(text, 8, "%c", '3')); /* what fits exactly */
    CHECK(!append_text(text, 8, "%c", '4'));
    CHECK_TEXT(text, "ab, 123");
    CHECK(append_text(text, 8, "%s", ""));
    CHECK(memcmp(text + 8, "####", 4) == 0);
}

int main(void) {
    CHECK_RUN(test_room);
    return check_result();
}
