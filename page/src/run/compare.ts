// The numbers behind the comparison: parts of bars, scales, ratios, CSV.
// SPDX-License-Identifier: Apache-2.0
import { csvCell } from '../lib/svg';
import type { CompareRow, Job } from '../lib/types';
import { deviceText } from './words';

export const PARTS = ['read', 'prepare', 'transfer', 'candidate', 'counting', 'output'] as const;
export type Part = (typeof PARTS)[number];
export type Piece = Part | 'other';

export const PART_WORDS: Record<Piece, string> = {
    read: 'reading',
    prepare: 'preparing',
    transfer: 'transfer',
    candidate: 'candidates',
    counting: 'counting',
    output: 'writing',
    other: 'everything else',
};

export interface Segment {
    part: Piece;
    seconds: number;
    from: number;
}

/** Only a finished row with a time has a bar. */
export function measured(row: CompareRow): row is CompareRow & { seconds: number } {
    return row.state === 'done' && row.seconds !== null && Number.isFinite(row.seconds) && row.seconds >= 0;
}

/** The stacked parts of a bar; the remaining time is `other`. Parts that add up to more than the whole, because threads
 *  overlap, are scaled down to it. */
export function segments(row: CompareRow & { seconds: number }): Segment[] {
    const known = PARTS.map((part) => ({ part, seconds: Math.max(0, row.parts[part] ?? 0) })).filter((p) => p.seconds > 0);
    const sum = known.reduce((total, p) => total + p.seconds, 0);
    const scale = sum > row.seconds && sum > 0 ? row.seconds / sum : 1;
    const all: Segment[] = [];
    let from = 0;
    for (const { part, seconds } of known) {
        all.push({ part, seconds: seconds * scale, from });
        from += seconds * scale;
    }
    const rest = row.seconds - from;
    if (rest > row.seconds * 0.001) all.push({ part: 'other', seconds: rest, from });
    return all;
}

/** Whether an algorithm could use data that an earlier run had prepared: then its time has no preparation. */
export const prepared = (row: CompareRow): boolean => row.message !== null && /earlier run prepared/.test(row.message);

/** The rows without the time for reading the file, which is the same for all algorithms of lode and may hide the search. If some
 *  algorithms started from prepared data, all are without the time for preparing them, so that all start from the same.
 *  For other programs only the total time is known, so they have no number then. */
export function withoutReading(rows: readonly CompareRow[]): CompareRow[] {
    const some = rows.some(prepared);
    return rows.map((row) => {
        if (!measured(row)) return row;
        const { read, ...parts } = row.parts;
        if (row.kind === 'peer' || read === undefined) {
            return { ...row, seconds: null, message: `${row.seconds} s including reading; the time without it is not known` };
        }
        const { prepare = 0, ...rest } = parts;
        return some ? { ...row, parts: rest, seconds: Math.max(0, row.seconds - read - prepare) } : { ...row, parts, seconds: Math.max(0, row.seconds - read) };
    });
}

/** The fastest first, then those without a time in their order. */
export function byTime(rows: readonly CompareRow[]): CompareRow[] {
    return [...rows.filter(measured).sort((a, b) => a.seconds - b.seconds), ...rows.filter((row) => !measured(row))];
}

/** The algorithm and the device of a job. */
export type Used = Pick<Job, 'algorithm' | 'device'>;

/** The row that all others are compared with: the algorithm of the result, or the first one if it is not among them. */
export function reference(rows: readonly CompareRow[], job: Used): (CompareRow & { seconds: number }) | null {
    const row = rows.find((r) => isOwn(r, job)) ?? rows.find((r) => r.kind !== 'peer' && r.name === job.algorithm) ?? rows[0];
    return row !== undefined && measured(row) && row.seconds > 0 ? row : null;
}

/** How many runs have ended, of rows that are all finished; short ones go on in further rounds. */
export function runsOf(rows: readonly CompareRow[]): number {
    return rows.reduce((sum, row) => sum + (row.runs ?? 0), 0);
}

/** Whether the job itself used this algorithm, and this device if the row has one. */
export function isOwn(row: CompareRow, job: Used): boolean {
    if (row.kind === 'peer' || row.name !== job.algorithm) return false;
    return !row.device || !job.device || row.device === job.device;
}

/** The time divided by that of the reference; null if one of them is missing. */
export function ratio(row: CompareRow, rows: readonly CompareRow[], job: Used): number | null {
    const to = reference(rows, job);
    return to === null || !measured(row) ? null : row.seconds / to.seconds;
}

export interface Scale {
    at: (seconds: number) => number;
    ticks: number[];
}

function niceStep(most: number, count: number): number {
    const raw = most / count;
    const unit = 10 ** Math.floor(Math.log10(raw));
    return unit * ([1, 2, 5, 10].find((f) => f * unit >= raw) ?? 10);
}

/** An axis of `width` pixels. A logarithmic one starts at the power of ten below the shortest time. */
export function timeScale(rows: readonly CompareRow[], width: number, log: boolean): Scale {
    const times = rows.filter(measured).map((row) => row.seconds);
    const most = Math.max(1e-6, ...times);
    if (!log) {
        const step = niceStep(most, width < 420 ? 3 : 5);
        const ticks = Array.from({ length: Math.floor(most / step + 1e-9) + 1 }, (_, i) => i * step);
        return { at: (s) => (s / most) * width, ticks };
    }
    const least = Math.min(most, ...times.filter((s) => s > 0));
    const low = Math.floor(Math.log10(least) - 1e-9);
    const high = Math.max(low + 1, Math.log10(most));
    const ticks = Array.from({ length: Math.floor(high) - low + 1 }, (_, i) => 10 ** (low + i));
    return { at: (s) => (s <= 0 ? 0 : Math.max(0, ((Math.log10(s) - low) / (high - low)) * width)), ticks };
}

/** Whether the finished rows found the same number of patterns; null while fewer than two have finished. */
export function agreement(rows: readonly CompareRow[]): { same: boolean; patterns: number; rows: number } | null {
    const finished = rows.filter((row) => measured(row) && row.patterns !== null);
    if (finished.length < 2) return null;
    const first = finished[0]!.patterns!;
    return { same: finished.every((row) => row.patterns === first), patterns: first, rows: finished.length };
}

export function compareCsv(rows: readonly CompareRow[], job: Used): string {
    const head = ['name', 'kind', 'device', 'state', 'runs', 'seconds', 'ratio', ...PARTS, 'utilisation', 'patterns', 'message'];
    const lines = rows.map((row) => [
        row.name,
        row.kind,
        row.device,
        row.state,
        row.runs ?? null,
        row.seconds,
        ratio(row, rows, job),
        ...PARTS.map((part) => row.parts[part] ?? null),
        row.utilisation,
        row.patterns,
        row.message,
    ]);
    return [head, ...lines].map((line) => line.map(csvCell).join(',')).join('\r\n') + '\r\n';
}

/** The note of a row. What many rows share is said once, below the table. */
export function remark(row: CompareRow): string {
    return prepared(row) ? '' : (row.message ?? '');
}

export function rowName(row: CompareRow): string {
    return row.device === null || row.device === '' || row.kind === 'peer' ? row.name : `${row.name} on ${deviceText(row.device)}`;
}

/** The name without the device if all algorithms ran on the same one: "gpu-apriori on cpu*2" reads like a mistake. */
export function shortRowName(row: CompareRow, rows: readonly CompareRow[]): string {
    return oneDevice(rows) === null ? rowName(row) : row.name;
}

/** The device on which all algorithms ran; null if there are several. */
export function oneDevice(rows: readonly CompareRow[]): string | null {
    const devices = new Set(rows.filter((row) => row.kind !== 'peer' && row.device).map((row) => row.device!));
    return devices.size === 1 ? [...devices][0]! : null;
}
