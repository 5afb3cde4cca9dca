// Light, dark or system theme; the choice is stored in the browser.
// SPDX-License-Identifier: Apache-2.0

export type Theme = 'system' | 'light' | 'dark';

const KEY = 'lode-theme';

function kept(): Theme {
    try {
        const value = localStorage.getItem(KEY);
        return value === 'light' || value === 'dark' ? value : 'system';
    } catch {
        return 'system'; // Browsers may refuse storage; the choice then lasts until the page is closed.
    }
}

const system = matchMedia('(prefers-color-scheme: dark)');

export const theme = $state({ choice: kept(), dark: false });

export function applyTheme(choice: Theme): void {
    theme.choice = choice;
    theme.dark = choice === 'dark' || (choice === 'system' && system.matches);
    document.documentElement.dataset.theme = theme.dark ? 'dark' : 'light';
    try {
        if (choice === 'system') localStorage.removeItem(KEY);
        else localStorage.setItem(KEY, choice);
    } catch {
        return;
    }
}

system.addEventListener('change', () => applyTheme(theme.choice));
