// Uploads files in slices. Uploads continue while other views are open, survive a lost connection, and
// resume where they stopped when the same file is chosen again.
// SPDX-License-Identifier: Apache-2.0
import { ApiError, del, get, post, putSlice } from '../lib/api';
import type { Dataset } from '../lib/types';

const SLICE = 8 * 1024 * 1024;
const PATIENCE = 6; // attempts for one slice, with growing pauses: about a minute

export class Upload {
    received = $state(0);
    /** Bytes per second over the last slices; null: not known yet. */
    rate: number | null = $state(null);
    state: 'sending' | 'waiting' | 'stalled' | 'done' | 'cancelled' = $state('sending');
    message: string | null = $state(null);
    hint: string | null = $state(null);
    private stop = new AbortController();

    constructor(
        readonly file: File,
        readonly dataset: Dataset,
        private readonly slice: number,
    ) {
        this.received = dataset.received;
    }

    /** Sends what is missing; resolves when the upload is complete or cannot continue. */
    async send(): Promise<void> {
        this.stop = new AbortController();
        this.state = 'sending';
        this.message = this.hint = null;
        try {
            while (this.received < this.file.size) await this.sendSlice();
            this.state = 'done';
        } catch (reason) {
            if (this.stop.signal.aborted) return;
            this.state = 'stalled';
            this.message = (reason as Error).message;
            this.hint = reason instanceof ApiError ? reason.hint : null;
        }
    }

    private async sendSlice(): Promise<void> {
        const from = this.received;
        const begun = performance.now();
        const part = this.file.slice(from, from + this.slice);
        for (let attempt = 1; ; attempt++) {
            try {
                const answer = await putSlice(this.dataset.id, this.received, part, this.stop.signal);
                this.stop.signal.throwIfAborted(); // cancelled while the answer was on its way
                this.state = 'sending';
                this.received = answer.received;
                break;
            } catch (reason) {
                const passing = reason instanceof ApiError && (reason.status === 0 || reason.status === 429 || reason.status === 503);
                if (!passing || attempt === PATIENCE || this.stop.signal.aborted) throw reason;
                this.state = 'waiting';
                await new Promise((resolve) => setTimeout(resolve, 500 * 2 ** attempt));
            }
        }
        const now = ((this.received - from) / (performance.now() - begun)) * 1000;
        if (now > 0) this.rate = this.rate === null ? now : 0.7 * this.rate + 0.3 * now;
    }

    /** Stops, and deletes what the server has received. Until that is done, the upload stays in the list, so that the same
        file, chosen again, does not continue it. */
    async cancel(): Promise<void> {
        this.stop.abort();
        this.state = 'cancelled';
        this.message = this.hint = null;
        try {
            await del(`/datasets/${this.dataset.id}`);
        } catch (reason) {
            if (!(reason instanceof ApiError && reason.status === 404)) {
                this.message = (reason as Error).message;
                this.hint = reason instanceof ApiError ? reason.hint : null;
                return;
            }
        }
        remove(this);
    }
}

export const uploads: Upload[] = $state([]);

export function remove(upload: Upload): void {
    const at = uploads.findIndex((one) => one.dataset.id === upload.dataset.id);
    if (at >= 0) uploads.splice(at, 1);
}

/** The data set of an earlier, incomplete upload of the same file. */
async function interrupted(file: File): Promise<Dataset | undefined> {
    const { datasets } = await get<{ datasets: Dataset[] }>('/datasets');
    const busy = new Set(uploads.map((one) => one.dataset.id));
    return datasets.find((d) => d.state === 'uploading' && d.name === file.name && d.bytes === file.size && !busy.has(d.id));
}

/** Uploads a file; resolves to its data set when the upload is complete, otherwise null. */
export async function upload(file: File, limits: { upload: number; slice: number } | null): Promise<Dataset | null> {
    if (file.size === 0) throw new ApiError(0, 'invalid', `${file.name} is empty.`, 'Choose a file with transactions or graphs.');
    if (limits !== null && file.size > limits.upload)
        throw new ApiError(0, 'toolarge', `${file.name} is larger than this server accepts.`, 'Compress it with gzip or zstd and try again.');
    const old = await interrupted(file);
    const dataset = old ?? (await post<Dataset>('/datasets', { name: file.name, bytes: file.size }));
    uploads.push(new Upload(file, dataset, Math.min(limits?.slice ?? SLICE, SLICE)));
    return await finish(uploads.at(-1)!);
}

/** Sends the rest of a stalled upload. */
export async function finish(one: Upload): Promise<Dataset | null> {
    await one.send();
    if (one.state !== 'done') return null;
    remove(one);
    return one.dataset;
}
