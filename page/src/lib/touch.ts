// touch.ts - whether people point with a finger: then no text speaks of keys, or of pointing without touching
// SPDX-License-Identifier: Apache-2.0
export const touch = matchMedia('(hover: none)').matches;
