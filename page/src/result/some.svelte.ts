// some.svelte.ts - the rows of a view for plots that draw single patterns: all of them, or the first ones
//
// The server sends at most a thousand rows per request. The old rows stay until all new ones have arrived, so
// that nothing flickers.
//
// SPDX-License-Identifier: Apache-2.0
import { get } from '../lib/api';
import type { Page } from '../lib/types';
import { Ask } from './ask.svelte';
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

interface Some {
    found: number;
    rows: Row[];
    /** The query of these rows. */
    key: string;
}

const NONE: Row[] = [];

export class SomeRows {
    private question = new Ask<Some>(REST_MS);

    ask(wanted: Wanted): void {
        const key = `${wanted.path}?${wanted.query}&most=${wanted.most}`;
        this.question.askBy(key, async (signal) => ({ ...(await load(wanted, signal)), key }));
    }

    end(): void {
        this.question.end();
    }

    /** null: no answer yet. */
    get found(): number | null {
        return this.question.answer?.found ?? null;
    }

    get rows(): Row[] {
        return this.question.answer?.rows ?? NONE;
    }

    get key(): string {
        return this.question.answer?.key ?? '';
    }

    get message(): string {
        return this.question.message;
    }

    get waiting(): boolean {
        return this.question.waiting;
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
