// Mines again while the threshold moves: one job at a time; a new one cancels the previous one, and results that nobody
// has seen are deleted. The state is outside of the components because the page of a job is rebuilt when another job
// replaces it.
// SPDX-License-Identifier: Apache-2.0
import { del, events, post } from '../lib/api';
import { go, route } from '../lib/router.svelte';
import type { Job, Options } from '../lib/types';
import { jobLike, movableParams } from './threshold';
import { hasResult, isOver } from './words';

interface Live {
    /** The background job that will replace the one that is shown: running, or just ended. */
    job: Job | null;
    /** The minimum count that it mines; null: something else, such as the best K. */
    wanted: number | null;
    /** What it looks for, in words: "only productive rules". */
    what: string;
    waiting: boolean;
    message: string | null;
    /** The job that replaced another one, so that its slider takes the focus. */
    arrived: number | null;
    /** Which control of the threshold section started it: the same one has the focus afterwards. */
    used: number;
}

export const live: Live = $state({ job: null, wanted: null, what: '', waiting: false, message: null, arrived: null, used: -1 });

/** The controls of the threshold section. */
export function controls(section: Element): HTMLElement[] {
    return [...section.querySelectorAll<HTMLElement>('input, select, button')];
}

let turn = 0;
let stop: (() => void) | null = null;
/** The same job as live.job. Not reactive: a component that is being destroyed would read the previous value. */
let running: Job | null = null;

function set(job: Job | null): void {
    running = job;
    live.job = job;
}

/** Cancels and deletes a job that is no longer wanted. Errors are ignored: the job may be gone already. */
async function drop(job: Job): Promise<void> {
    try {
        if (!isOver(job.state)) await post<Job>(`/jobs/${job.id}/cancel`);
        await del(`/jobs/${job.id}`);
    } catch {
        return;
    }
}

/** Stops and deletes the background job. */
export function forget(): void {
    turn++;
    stop?.();
    stop = null;
    if (running !== null) void drop(running);
    set(null);
    Object.assign(live, { wanted: null, waiting: false, message: null });
}

/** Keeps the background job, which replaces the one that was shown. */
export function arrive(job: Job): void {
    live.arrived = job.id;
    turn++;
    stop?.();
    stop = null;
    set(null);
    Object.assign(live, { wanted: null, waiting: false, message: null });
}

/** Mines the data of a job with other options; calls `ended` when there is a result. */
export async function mineInstead(from: Job, options: Options, wanted: number | null, what: string, ended: (job: Job) => void): Promise<void> {
    const active = document.activeElement;
    const section = active?.closest('section[aria-label=Threshold]');
    live.used = section ? controls(section).indexOf(active as HTMLElement) : -1;
    forget();
    const mine = turn;
    Object.assign(live, { wanted, what, waiting: true });
    try {
        const job = await post<Job>('/jobs', jobLike(from, options));
        if (mine !== turn) {
            void drop(job);
            return;
        }
        set(job);
        stop = events(job.id, {
            job: (next) => {
                if (mine !== turn) return;
                set(next);
                if (!isOver(next.state)) return;
                live.waiting = false;
                if (hasResult(next.state)) ended(next);
                else live.message = next.message ?? 'The search ended without a result.';
            },
            progress: (progress) => {
                if (mine === turn && running !== null) set({ ...running, progress });
            },
        });
    } catch (reason) {
        if (mine !== turn) return;
        live.waiting = false;
        live.message = (reason as Error).message;
    }
}

/** Shows a background job instead of the one that is shown, in the same view. */
export function show(next: Job): void {
    arrive(next);
    go(`/job/${next.id}`, movableParams(route.params, next));
}

/** Mines the data of a job with other options and shows the result; what: in words. */
export function mineLike(from: Job, options: Options, what: string): void {
    void mineInstead(from, options, null, what, show);
}
