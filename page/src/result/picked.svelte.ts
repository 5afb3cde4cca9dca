// picked.svelte.ts - the rows that are selected in the table, by their numbers in the file
//
// A selection stays while the rows are filtered and sorted, and ends with the page of the job.
//
// SPDX-License-Identifier: Apache-2.0
import { SvelteSet } from 'svelte/reactivity';
import { say } from '../lib/toast.svelte';

/** Their numbers must fit into the address of a request. */
const MOST = 1000;

export const picked = new SvelteSet<number>();

export function pick(rows: readonly number[], on: boolean): void {
    for (const row of rows) {
        if (!on) picked.delete(row);
        else if (picked.size < MOST) picked.add(row);
        else if (!picked.has(row)) return say(`At most ${MOST.toLocaleString('en-US')} rows can be selected. Filters can select more.`);
    }
}

/** "3,17", as the server takes it. */
export function pickedText(): string {
    return [...picked].sort((a, b) => a - b).join(',');
}
