// chance.ts - the hypergeometric distribution (Fisher's exact test, one-sided)
// SPDX-License-Identifier: Apache-2.0

/** The logarithm of n!. */
function logFactorial(n: number): number {
    if (n < 16) {
        let product = 1;
        for (let i = 2; i <= n; i++) product *= i;
        return Math.log(product);
    }
    const x = n + 1; // Stirling's series
    return (x - 0.5) * Math.log(x) - x + 0.5 * Math.log(2 * Math.PI) + 1 / (12 * x) - 1 / (360 * x ** 3) + 1 / (1260 * x ** 5);
}

function logChoose(n: number, k: number): number {
    return logFactorial(n) - logFactorial(k) - logFactorial(n - k);
}

/** The probability of `hits` or more marked ones among `drawn` of `all`, of which `marked` are marked. */
export function chance(hits: number, drawn: number, marked: number, all: number): number {
    const most = Math.min(drawn, marked);
    if (hits <= Math.max(0, drawn + marked - all)) return 1;
    let term = Math.exp(logChoose(marked, hits) + logChoose(all - marked, drawn - hits) - logChoose(all, drawn));
    let sum = 0;
    for (let i = hits; i <= most && term > 0; i++) {
        sum += term;
        const next = term * (((marked - i) / (i + 1)) * ((drawn - i) / (all - marked - drawn + i + 1)));
        if (next < sum * 1e-17 && next < term) break;
        term = next;
    }
    return Math.min(1, sum);
}

/** "p = 0.11", "p below 1e-300" */
export function chanceText(p: number): string {
    return p < 1e-300 ? 'p below 1e-300' : `p = ${p < 0.001 ? p.toExponential(1) : Number(p.toPrecision(2))}`;
}
