// The address of a view is in the hash: `#/job/3?tab=table&min=lift=1.5`. Change all state that a link
// must restore with `go`; `route` follows the address, including back and forward.
// SPDX-License-Identifier: Apache-2.0
import { query, type Params } from './api';

export interface Route {
    /** "/job/3" */
    path: string;
    /** ["job", "3"] */
    parts: string[];
    params: URLSearchParams;
}

function parse(hash: string): Route {
    const text = hash.replace(/^#/, '');
    const at = text.indexOf('?');
    const path = (at < 0 ? text : text.slice(0, at)) || '/';
    return {
        path,
        parts: path.split('/').filter((part) => part !== ''),
        params: new URLSearchParams(at < 0 ? '' : text.slice(at + 1)),
    };
}

export const route: Route = $state(parse(location.hash));

function follow(): void {
    Object.assign(route, parse(location.hash));
}

/** Removes `#token=…` from the address, so that it is in no history entry and no copied link. */
export function takeToken(): string | null {
    const token = /^#token=(.+)$/.exec(location.hash)?.[1];
    if (token === undefined) return null;
    history.replaceState(null, '', '#/');
    follow();
    try {
        return decodeURIComponent(token);
    } catch {
        return token;
    }
}

addEventListener('hashchange', follow);
addEventListener('popstate', follow);

/** The address of a view, for `<a href>`. */
export function href(path: string, params?: Params): string {
    return `#${path}${query(params)}`;
}

/** Goes to a view. replace: change the current history entry instead of adding one (sliders, typing). */
export function go(path: string, params?: Params, options: { replace?: boolean } = {}): void {
    const target = href(path, params);
    if (target === location.hash) return;
    if (options.replace) history.replaceState(null, '', target);
    else history.pushState(null, '', target);
    follow();
}
