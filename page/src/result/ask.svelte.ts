// ask.svelte.ts - a query to the server that is sent again when it changes
//
// A moving slider changes the query thirty times a second; the server should get only the last one. A
// query waits until nothing has changed for a moment, the previous one is aborted, and the old answer
// stays until the new one arrives, so that nothing flickers.
//
// SPDX-License-Identifier: Apache-2.0
import { errorText, get } from '../lib/api';

export class Ask<T> {
    answer = $state.raw<T | null>(null);
    message = $state('');
    waiting = $state(false);
    private last = '';
    private request: AbortController | undefined;
    private timer: ReturnType<typeof setTimeout> | undefined;

    constructor(private rest = 200) {}

    /** Sends the query, unless it is the same as the last one. The first one does not wait. */
    ask(path: string, query: URLSearchParams): void {
        this.askBy(`${path}?${query}`, (signal) => get<T>(path, query, signal));
    }

    /** The same for an answer that takes several requests: `load` makes them. */
    askBy(key: string, load: (signal: AbortSignal) => Promise<T>): void {
        if (key === this.last) return;
        const first = this.last === '';
        this.last = key;
        this.end();
        this.waiting = true;
        const request = new AbortController();
        this.request = request;
        this.timer = setTimeout(() => void this.run(load, request.signal), first ? 0 : this.rest);
    }

    /** Aborts the query. */
    end(): void {
        clearTimeout(this.timer);
        this.request?.abort();
        this.waiting = false;
    }

    private async run(load: (signal: AbortSignal) => Promise<T>, signal: AbortSignal): Promise<void> {
        try {
            const answer = await load(signal);
            if (signal.aborted) return;
            this.answer = answer;
            this.message = '';
        } catch (error) {
            if (signal.aborted) return;
            this.message = errorText(error);
        }
        this.waiting = false;
    }
}
