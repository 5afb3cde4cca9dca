// Whether the server wants a token, and the waiting for it: a request that was answered 401 waits
// here until the visitor gave the token, and is then sent again.
// SPDX-License-Identifier: Apache-2.0

export const session = $state({ asking: false });

let waiting: (() => void)[] = [];
let accepted = 0;

/** How many tokens were accepted so far: a request that was sent before the last one is sent again. */
export function tokensAccepted(): number {
    return accepted;
}

/** Shows the dialog for the token; resolves when the server has accepted one. */
export function unlocked(): Promise<void> {
    session.asking = true;
    return new Promise((resolve) => waiting.push(resolve));
}

/** The server has accepted a token: everybody who waits goes on. */
export function unlock(): void {
    session.asking = false;
    accepted++;
    const all = waiting;
    waiting = [];
    for (const resolve of all) resolve();
}
