// Checks the built page: dist/ is byte for byte what the sources build to, the first view loads little,
// and no file refers to another host.
//   node check.mjs [--sizes]     --sizes: check dist/ only, without building
// SPDX-License-Identifier: Apache-2.0
import { spawnSync } from 'node:child_process';
import { mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, posix } from 'node:path';
import { fileURLToPath } from 'node:url';
import { gzipSync } from 'node:zlib';

const HERE = fileURLToPath(new URL('.', import.meta.url));
const DIST = join(HERE, 'dist');
const LIMIT = 60 * 1024;

const problems = [];

function files(folder) {
    return readdirSync(folder, { recursive: true, withFileTypes: true })
        .filter((entry) => entry.isFile())
        .map((entry) => posix.join(entry.parentPath.slice(folder.length).replaceAll('\\', '/'), entry.name).replace(/^\//, ''))
        .sort();
}

/** The files that index.html refers to, and what those scripts import statically. */
function firstLoad() {
    const seen = new Set(['index.html']);
    const page = readFileSync(join(DIST, 'index.html'), 'utf8');
    const queue = [...page.matchAll(/(?:src|href)="\/([^"]+)"/g)].map((match) => match[1]);
    for (let name = queue.pop(); name !== undefined; name = queue.pop()) {
        if (seen.has(name)) continue;
        seen.add(name);
        if (!name.endsWith('.js')) continue;
        const text = readFileSync(join(DIST, name), 'utf8');
        // Static imports of chunks; the import() of later views does not match.
        for (const match of text.matchAll(/(?:from|import)\s*"\.\/([^"]+)"/g)) queue.push(posix.join(posix.dirname(name), match[1]));
    }
    return [...seen];
}

function checkSizes() {
    const names = firstLoad();
    const bytes = names.reduce((sum, name) => sum + gzipSync(readFileSync(join(DIST, name)), { level: 9 }).length, 0);
    console.log(`before the first view: ${(bytes / 1024).toFixed(1)} KiB gzipped in ${names.length} files (limit ${LIMIT / 1024} KiB)`);
    if (bytes > LIMIT) problems.push(`the first view takes ${bytes} bytes gzipped, more than ${LIMIT}: load part of it later`);
}

// URLs in built files that are identifiers and never requested.
const NAMES = [/^http:\/\/www\.w3\.org\//, /^https:\/\/svelte\.dev\/e\//];

function checkHosts() {
    for (const name of files(DIST))
        for (const [address] of readFileSync(join(DIST, name), 'utf8').matchAll(/https?:\/\/[^\s"'`)<]+/g))
            if (!NAMES.some((known) => known.test(address))) problems.push(`dist/${name} refers to another host: ${address}`);
    const index = readFileSync(join(DIST, 'index.html'), 'utf8');
    if (/<script(?![^>]*\ssrc=)|<style|\sstyle=|\son[a-z]+=/.test(index)) problems.push('dist/index.html has inline script or style, which the content security policy of the server forbids');
}

function checkRebuild() {
    const again = mkdtempSync(join(tmpdir(), 'lode-page-'));
    try {
        const vite = join(HERE, 'node_modules', 'vite', 'bin', 'vite.js');
        const run = spawnSync(process.execPath, [vite, 'build', '--logLevel', 'error'], { cwd: HERE, stdio: 'inherit', env: { ...process.env, LODE_PAGE_OUT: again } });
        if (run.status !== 0) return problems.push('the page does not build');
        const [old, now] = [files(DIST), files(again)];
        for (const name of old) if (!now.includes(name)) problems.push(`dist/${name} is no longer built from the sources`);
        for (const name of now) {
            if (!old.includes(name)) problems.push(`dist/${name} is missing`);
            else if (!readFileSync(join(DIST, name)).equals(readFileSync(join(again, name)))) problems.push(`dist/${name} differs from a fresh build`);
        }
        if (problems.length > 0) problems.push('run `npm ci && npm run build` in page/, and commit dist/');
    } finally {
        rmSync(again, { recursive: true, force: true });
    }
}

checkSizes();
checkHosts();
if (!process.argv.includes('--sizes')) checkRebuild();
for (const problem of problems) console.error(`page: ${problem}`);
process.exitCode = problems.length > 0 ? 1 : 0;
