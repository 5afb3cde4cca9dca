// Short messages that come and go, and are read out: what was done, or why something was not.
// SPDX-License-Identifier: Apache-2.0
import { ApiError } from './api';

export interface Message {
    id: number;
    tone: 'info' | 'good' | 'bad';
    text: string;
    hint: string | null;
}

export const messages: Message[] = $state([]);

/** How long a message stays, in milliseconds: what went wrong takes longer to read. */
const STAYS = { info: 6000, good: 6000, bad: 12_000 };

let next = 1;

export function dismiss(id: number): void {
    const at = messages.findIndex((message) => message.id === id);
    if (at >= 0) messages.splice(at, 1);
}

export function say(text: string, tone: Message['tone'] = 'info', hint: string | null = null): void {
    const id = next++;
    messages.push({ id, tone, text, hint });
    if (messages.length > 4) messages.shift();
    setTimeout(() => dismiss(id), STAYS[tone]);
}

/** Shows why something failed, with the server's own words and hint. */
export function sayError(reason: unknown): void {
    if (reason instanceof DOMException && reason.name === 'AbortError') return;
    const error = reason instanceof Error ? reason : new Error(String(reason));
    say(error.message, 'bad', error instanceof ApiError ? error.hint : null);
}
