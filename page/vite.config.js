// How the page is built: into dist/, with a content hash in each file name (so browsers may cache files
// for ever) and bytes that depend only on the sources and the locked packages.
// SPDX-License-Identifier: Apache-2.0
import { svelte } from '@sveltejs/vite-plugin-svelte';
import { defineConfig } from 'vite';
import { documents } from './documents.js';

// LODE_PAGE_OUT: where check.mjs builds a second time, to compare.
const out = process.env.LODE_PAGE_OUT ?? 'dist';
// Where `npx vite` finds the API during development: the mock, or a server.
const api = process.env.LODE_PAGE_API ?? 'http://127.0.0.1:8090';

export default defineConfig({
    plugins: [svelte(), documents()],
    build: {
        outDir: out,
        emptyOutDir: true,
        target: 'es2022',
        // The content security policy of the server allows no data: scripts, and small files are
        // few: everything stays a file of its own.
        assetsInlineLimit: 0,
        modulePreload: { polyfill: false },
        reportCompressedSize: false,
    },
    server: { proxy: { '/api': api } },
});
