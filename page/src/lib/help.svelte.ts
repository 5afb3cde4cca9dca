// The glossary: the word that it explains now. It is loaded when it is opened for the first time.
// SPDX-License-Identifier: Apache-2.0

/** word: null = closed, '' = open without a word. */
export const help: { word: string | null } = $state({ word: null });

export function explain(word: string): void {
    help.word = word;
}
