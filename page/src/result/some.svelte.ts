// some.svelte.ts - the rows of a view for plots that draw single patterns: all of them, or the first ones
//
// The server sends at most a thousand rows per request. The old rows stay until all new ones have arrived, so
// that nothing flickers.
//
// SPDX-License-Identifier: Apache-2.0
import { errorText, get } from '../lib/api';
import type { Page } from '../lib/types';
import type { Row } from './rows.svelte';

const PAGE = 1000;
const AT_ONCE = 3;
const REST_MS = 150;

export interface Wanted {
    path: string;
    /** Filter, sorting and measures, as the server takes them. */
    query: URLSearchParams;
    most: number;
    /** Whether to load no rows at all if there are more than `most`. */
    all: boolean;
    /** The number of rows without the filter. */
    total: number;
}

export class SomeRows {
    /** null: no answer yet. */
    found = $state<number | null>(null);
    rows = $state.raw<Row[]>([]);
    /** The query of these rows. */
    key = $state('');
    message = $state('');
    waiting = $state(false);
    private last = '';
    private request: AbortController | undefined;
    private timer: ReturnType<typeof setTimeout> | undefined;

    ask(wanted: Wanted): void {
        const key = `${wanted.path}?${wanted.query}&most=${wanted.most}`;
        if (key === this.last) return;
        const first = this.last === '';
        this.last = key;
        this.end();
        this.waiting = true;
        const request = new AbortController();
        this.request = request;
        this.timer = setTimeout(() => void this.run(wanted, key, request.signal), first ? 0 : REST_MS);
    }

    end(): void {
        clearTimeout(this.timer);
        this.request?.abort();
        this.waiting = false;
    }

    private async run(wanted: Wanted, key: string, signal: AbortSignal): Promise<void> {
        try {
            const { found, rows } = await load(wanted, signal);
            if (signal.aborted) return;
            Object.assign(this, { found, rows, key, message: '', waiting: false });
        } catch (error) {
            if (signal.aborted) return;
            this.message = errorText(error);
            this.waiting = false;
        }
    }
}

async function load({ path, query, most, all, total }: Wanted, signal: AbortSignal): Promise<{ found: number; rows: Row[] }> {
    const page = (skip: number, rows: number, counted = false) => {
        const full = new URLSearchParams(query);
        full.set('skip', String(skip));
        full.set('rows', String(rows));
        if (!counted) full.set('found', '0');
        return get<Page<Row>>(path, full, signal);
    };
    // If there may be too many, one row is enough to learn their number.
    const first = await page(0, all && total > most ? 1 : Math.min(PAGE, most), true);
    const found = first.found ?? first.total;
    if (all && found > most) return { found, rows: [] };
    const end = Math.min(found, most);
    const pages: Row[][] = [first.rows];
    let next = first.rows.length;
    const starts: number[] = [];
    for (; next < end; next += PAGE) starts.push(next);
    const work = async () => {
        for (let k = starts.shift(); k !== undefined; k = starts.shift())
            pages[1 + Math.floor((k - first.rows.length) / PAGE)] = (await page(k, Math.min(PAGE, end - k))).rows;
    };
    await Promise.all(Array.from({ length: AT_ONCE }, work));
    return { found, rows: pages.flat() };
}
