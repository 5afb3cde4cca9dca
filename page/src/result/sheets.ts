// sheets.ts - what spreadsheets can hold, and whether the server can write them
// SPDX-License-Identifier: Apache-2.0
import { get } from '../lib/api';
import type { About } from '../lib/types';

/** Rows of a sheet in Excel, with the title. */
export const SHEET_ROWS = 1_048_576;
/** Rows that the server writes as .xlsx. */
export const SHEETS_MOST = 5_000_000;

let known: Promise<boolean> | null = null;

/** Whether the server can write .xlsx. If it does not answer, the next call asks again. */
export function sheetsKnown(): Promise<boolean> {
    known ??= get<About>('/about').then(
        (about) => about.xlsx,
        () => {
            known = null;
            return false;
        },
    );
    return known;
}
