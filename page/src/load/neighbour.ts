// Where the focus goes when a row of a list is deleted. SPDX-License-Identifier: Apache-2.0

/** The same button of the next row, or of the previous one; the heading of a list that has no other row. */
export function focusNeighbour(button: HTMLElement): void {
    const list = button.closest('section');
    const row = button.closest('tr');
    if (list === null || row === null || ![document.body, button].includes(document.activeElement as HTMLElement)) return;
    const near = row.nextElementSibling ?? row.previousElementSibling;
    const buttons = near?.querySelectorAll<HTMLElement>('td:last-child button') ?? [];
    (buttons[buttons.length - 1] ?? list.querySelector<HTMLElement>('h2[tabindex]'))?.focus();
}
