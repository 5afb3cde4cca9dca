/* replay.c - a main() for the fuzzers: feeds them the files and folders on the command line
 * SPDX-License-Identifier: Apache-2.0 */
#include <dirent.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t n);

static unsigned replay_count;

static void replay_file(const char *path) {
    static uint8_t bytes[1 << 20];
    FILE *file = fopen(path, "rb");
    if (!file) {
        perror(path);
        exit(1);
    }
    size_t n = fread(bytes, 1, sizeof bytes, file);
    fclose(file);
    /* A block of exactly its size, so that sanitizers see a read past its end. */
    uint8_t *copy = malloc(n > 0 ? n : 1);
    if (!copy) exit(1);
    for (size_t i = 0; i < n; i++) copy[i] = bytes[i];
    LLVMFuzzerTestOneInput(copy, n);
    free(copy);
    replay_count++;
}

static void replay(const char *path) {
    DIR *folder = opendir(path);
    if (!folder) {
        replay_file(path);
        return;
    }
    for (struct dirent *entry; (entry = readdir(folder)) != NULL;) {
        char inner[4096];
        if (entry->d_name[0] == '.') continue;
        snprintf(inner, sizeof inner, "%s/%s", path, entry->d_name);
        replay_file(inner);
    }
    closedir(folder);
}

int main(int argc, char **argv) {
    for (int i = 1; i < argc; i++) replay(argv[i]);
    printf("%u inputs\n", replay_count);
    return replay_count > 0 ? 0 : 1;
}
