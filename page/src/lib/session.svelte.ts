// Asks for the token when the server requires one: a request that was answered with 401 waits here
// until the user has entered the token, and is then sent again.
// SPDX-License-Identifier: Apache-2.0

export const session = $state({ asking: false });

let waiting: (() => void)[] = [];
let accepted = 0;

/** Number of tokens accepted so far: a request sent before the last one is sent again without asking. */
export function tokensAccepted(): number {
    return accepted;
}

/** Shows the token dialog; resolves when the server has accepted a token. */
export function unlocked(): Promise<void> {
    session.asking = true;
    return new Promise((resolve) => waiting.push(resolve));
}

/** The server has accepted a token: all waiting requests continue. */
export function unlock(): void {
    session.asking = false;
    accepted++;
    const all = waiting;
    waiting = [];
    for (const resolve of all) resolve();
}
