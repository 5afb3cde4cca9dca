// Short messages, shown for a few seconds and announced by screen readers: what was done, or why not.
// SPDX-License-Identifier: Apache-2.0
import { ApiError } from './api';

export interface Message {
    id: number;
    tone: 'info' | 'good' | 'bad';
    text: string;
    hint: string | null;
}

export const messages: Message[] = $state([]);

/** How long a message stays, in milliseconds; errors take longer to read. */
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

/** Shows an error, with the hint of the server if there is one. */
export function sayError(reason: unknown): void {
    if (reason instanceof DOMException && reason.name === 'AbortError') return;
    const error = reason instanceof Error ? reason : new Error(String(reason));
    say(error.message, 'bad', error instanceof ApiError ? error.hint : null);
}
