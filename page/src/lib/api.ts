// All requests to the server: JSON, slices of files, and events of a job by a streamed fetch
// (EventSource would hide the status of a refused request).
// SPDX-License-Identifier: Apache-2.0
import { tokensAccepted, unlocked } from './session.svelte';
import type { CompareRow, Dataset, Job, JobProgress } from './types';

const BASE = '/api/v1';

type Value = string | number | boolean | null | undefined;
/** Query parameters; undefined and null are left out, lists are repeated. */
export type Params = URLSearchParams | Record<string, Value | readonly Value[]>;

/** The message of a refused request, written for people. */
export class ApiError extends Error {
    constructor(
        readonly status: number,
        readonly code: string,
        message: string,
        readonly hint: string | null = null,
        readonly body: unknown = null,
    ) {
        super(message);
        this.name = 'ApiError';
    }
}

/** The message of an error, with its hint. */
export function errorText(error: unknown): string {
    if (error instanceof ApiError && error.hint) return `${error.message} ${error.hint}`;
    return error instanceof Error ? error.message : String(error);
}

export function query(params?: Params): string {
    if (params === undefined) return '';
    const out = new URLSearchParams();
    const entries = params instanceof URLSearchParams ? params.entries() : Object.entries(params);
    for (const [name, value] of entries)
        for (const one of Array.isArray(value) ? value : [value])
            if (one !== undefined && one !== null) out.append(name, String(one));
    const text = out.toString();
    return text === '' ? '' : `?${text}`;
}

/** The URL of an API path, for links and downloads. */
export function address(path: string, params?: Params): string {
    return BASE + path + query(params);
}

async function refusal(response: Response): Promise<ApiError> {
    const body: unknown = await response.json().catch(() => null);
    const error = (body as { error?: { code?: string; message?: string; hint?: string } } | null)?.error;
    const message = error?.message ?? `The server returned ${response.status} ${response.statusText}.`;
    return new ApiError(response.status, error?.code ?? 'unknown', message, error?.hint ?? null, body);
}

async function send(url: string, init: RequestInit): Promise<Response> {
    for (;;) {
        const tokens = tokensAccepted();
        const response = await fetch(url, { credentials: 'same-origin', ...init }).catch((reason: unknown) => {
            if (reason instanceof DOMException && reason.name === 'AbortError') throw reason;
            throw new ApiError(0, 'unreachable', 'The server cannot be reached.', 'Is lode serve still running?');
        });
        if (response.status === 401 && !url.endsWith('/login')) {
            if (tokens === tokensAccepted()) await unlocked();
            continue;
        }
        if (!response.ok) throw await refusal(response);
        return response;
    }
}

async function json<T>(method: string, path: string, params?: Params, body?: unknown, signal?: AbortSignal): Promise<T> {
    const init: RequestInit = { method, signal: signal ?? null };
    if (body !== undefined) {
        init.body = JSON.stringify(body);
        init.headers = { 'Content-Type': 'application/json' };
    }
    const response = await send(address(path, params), init);
    return (response.status === 204 ? undefined : await response.json()) as T;
}

export function get<T>(path: string, params?: Params, signal?: AbortSignal): Promise<T> {
    return json<T>('GET', path, params, undefined, signal);
}

export function post<T>(path: string, body: unknown = {}, signal?: AbortSignal): Promise<T> {
    return json<T>('POST', path, undefined, body, signal);
}

export function patch<T>(path: string, body: unknown): Promise<T> {
    return json<T>('PATCH', path, undefined, body);
}

export function del<T = void>(path: string): Promise<T> {
    return json<T>('DELETE', path);
}

/** Sends one slice of a file and returns how much the server has, also if it expected another offset. */
export async function putSlice(
    dataset: number,
    offset: number,
    slice: Blob,
    signal?: AbortSignal,
): Promise<Pick<Dataset, 'received' | 'state'>> {
    try {
        const response = await send(address(`/datasets/${dataset}/content`, { offset }), {
            method: 'PUT',
            body: slice,
            headers: { 'Content-Type': 'application/octet-stream' },
            signal: signal ?? null,
        });
        return (await response.json()) as Pick<Dataset, 'received' | 'state'>;
    } catch (reason) {
        const body = reason instanceof ApiError && reason.status === 409 ? reason.body : null;
        const received = (body as { received?: number } | null)?.received;
        if (received === undefined) throw reason;
        return { received, state: 'uploading' };
    }
}

export interface EventHandlers {
    job?: (job: Job) => void;
    progress?: (progress: JobProgress) => void;
    compare?: (row: CompareRow) => void;
    /** The stream broke and is being reopened (null: it is open again), or it was refused. */
    trouble?: (error: Error | null) => void;
    /** The server ended the stream: the job is over, and no comparison runs. */
    end?: () => void;
}

function dispatch(block: string, handlers: EventHandlers): void {
    let name = 'message';
    const data: string[] = [];
    for (const line of block.split(/\r\n|\r|\n/)) {
        if (line.startsWith('event:')) name = line.slice(6).trim();
        else if (line.startsWith('data:')) data.push(line.slice(5).replace(/^ /, ''));
    }
    if (data.length === 0) return;
    const value: unknown = JSON.parse(data.join('\n'));
    if (name === 'job') handlers.job?.(value as Job);
    else if (name === 'progress') handlers.progress?.(value as JobProgress);
    else if (name === 'compare') handlers.compare?.(value as CompareRow);
}

async function readEvents(response: Response, handlers: EventHandlers): Promise<void> {
    const reader = response.body!.pipeThrough(new TextDecoderStream()).getReader();
    let rest = '';
    for (;;) {
        const { value, done } = await reader.read();
        if (done) return;
        rest += value;
        for (let at = rest.search(/\r?\n\r?\n/); at >= 0; at = rest.search(/\r?\n\r?\n/)) {
            dispatch(rest.slice(0, at), handlers);
            rest = rest.slice(at).replace(/^\r?\n\r?\n/, '');
        }
    }
}

const FINAL = new Set(['done', 'kept', 'limit', 'cancelled', 'failed', 'lost']);

/** Follows a job until it ends and reopens a broken stream. Returns a function that stops following. */
export function events(job: number, handlers: EventHandlers): () => void {
    const stop = new AbortController();
    let final = false;
    const watched: EventHandlers = {
        ...handlers,
        job: (state) => {
            final = FINAL.has(state.state);
            handlers.job?.(state);
        },
    };
    const follow = async (): Promise<void> => {
        for (let wait = 250; !stop.signal.aborted; wait = Math.min(wait * 2, 8000)) {
            try {
                const response = await send(address(`/jobs/${job}/events`), { signal: stop.signal });
                handlers.trouble?.(null);
                wait = 250;
                await readEvents(response, watched);
                if (final) {
                    handlers.end?.();
                    return;
                }
            } catch (reason) {
                if (stop.signal.aborted) return;
                handlers.trouble?.(reason as Error);
                if (reason instanceof ApiError && reason.status >= 400 && reason.status < 500 && reason.status !== 429) return;
            }
            await new Promise((resolve) => setTimeout(resolve, wait));
        }
    };
    void follow();
    return () => stop.abort();
}
