// picked.svelte.ts - the rows that are selected in the table, by their numbers in the file
//
// A selection belongs to one result: it stays while its rows are filtered and sorted, and another result starts without one.
//
// SPDX-License-Identifier: Apache-2.0
import { SvelteSet } from 'svelte/reactivity';
import { say } from '../lib/toast.svelte';

/** Their numbers must fit into the address of a request. */
const MOST = 1000;

export const picked = new SvelteSet<number>();
let owner = 0;

/** The result with this job is shown: a selection in another one ends, because its numbers mean other rows here. */
export function pickIn(job: number): void {
    if (job !== owner) picked.clear();
    owner = job;
}

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
