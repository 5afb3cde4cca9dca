// rows.svelte.ts - the rows of a result, loaded page by page for the table
//
// A page of a hundred rows is requested when one of its rows is visible, and then the next page in the
// direction of scrolling. If the user scrolls past a page before it arrives, its request is aborted and a
// late answer ignored. The pages that arrived first are dropped first.
//
// SPDX-License-Identifier: Apache-2.0
import { errorText, get } from '../lib/api';
import type { GraphRow, Page, PatternRow, RuleRow } from '../lib/types';

export type Row = PatternRow | RuleRow | GraphRow;

const PAGE = 100;
const KEPT = 60;
const REST_MS = 70; // how long the view has to rest before a distant page is requested

export class Rows {
    /** Increases with every page that arrives, so that readers are updated. */
    version = $state(0);
    /** The first rows that arrived, which say how much room names take. */
    first = $state.raw<readonly Row[]>([]);
    found = $state<number | null>(null);
    total = $state<number | null>(null);
    message = $state('');
    waiting = $state(true);
    private pages = new Map<number, Row[]>();
    private asked = new Map<number, AbortController>();
    private timer: ReturnType<typeof setTimeout> | undefined;
    private before = 0;
    private closed = false;
    /** Settles when the first answer or error arrives. */
    readonly ready: Promise<void>;

    /** query: filter, sort and measures, as the server takes them. */
    constructor(
        private path: string,
        private query: URLSearchParams,
    ) {
        this.ready = this.load(0, true);
    }

    get over(): boolean {
        return this.closed;
    }

    at(index: number): Row | undefined {
        void this.version;
        return this.pages.get(Math.floor(index / PAGE))?.[index % PAGE];
    }

    /** The rows from `first` to before `end` are visible. */
    want(first: number, end: number): void {
        const from = Math.floor(first / PAGE);
        const to = Math.floor(Math.max(first, end - 1) / PAGE);
        const ahead = first >= this.before ? to + 1 : from - 1;
        this.before = first;
        for (const [page, request] of this.asked) {
            if (page !== 0 && (page < from - 1 || page > to + 1)) {
                request.abort();
                this.asked.delete(page);
            }
        }
        clearTimeout(this.timer);
        const missing: number[] = [];
        for (let page = from; page <= to; page++) if (!this.has(page)) missing.push(page);
        const next = !this.has(ahead) && this.inside(ahead) ? [ahead] : [];
        if (missing.length + next.length === 0) return;
        const near = missing.every((page) => this.pages.has(page - 1) || this.pages.has(page + 1));
        this.timer = setTimeout(
            () => {
                for (const page of [...missing, ...next]) void this.load(page, false);
            },
            near ? 0 : REST_MS,
        );
    }

    close(): void {
        this.closed = true;
        clearTimeout(this.timer);
        for (const request of this.asked.values()) request.abort();
        this.asked.clear();
    }

    private has(page: number): boolean {
        return this.pages.has(page) || this.asked.has(page);
    }
    private inside(page: number): boolean {
        return page >= 0 && (this.found === null || page * PAGE < this.found);
    }

    private async load(page: number, counted: boolean): Promise<void> {
        if (this.closed || this.has(page) || !this.inside(page)) return;
        const request = new AbortController();
        this.asked.set(page, request);
        const query = new URLSearchParams(this.query);
        query.set('skip', String(page * PAGE));
        query.set('rows', String(PAGE));
        if (!counted) query.set('found', '0');
        try {
            this.take(page, await get<Page<Row>>(this.path, query, request.signal), request);
        } catch (error) {
            if (!request.signal.aborted && !this.closed) this.message = errorText(error);
        } finally {
            if (this.asked.get(page) === request) this.asked.delete(page);
            if (this.asked.size === 0) this.waiting = false;
        }
    }

    private take(page: number, answer: Page<Row>, request: AbortController): void {
        if (this.closed || request.signal.aborted) return;
        if (this.version === 0) this.first = answer.rows;
        this.pages.delete(page);
        this.pages.set(page, answer.rows);
        if (this.pages.size > KEPT) this.pages.delete(this.pages.keys().next().value as number);
        if (answer.found !== null) this.found = answer.found;
        this.total = answer.total;
        this.message = '';
        this.version++;
    }
}
