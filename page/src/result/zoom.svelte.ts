// zoom.svelte.ts - which part of a drawing is shown, and how large: changed by wheel, two fingers, dragging and keys
//
// SPDX-License-Identifier: Apache-2.0

export interface Spot {
    x: number;
    y: number;
}
export interface Sight {
    k: number; // factor
    x: number; // where the origin of the drawing is shown
    y: number;
}

const MOST = 6;

export class Zoom {
    /** null: all of the drawing. */
    private chosen = $state.raw<Sight | null>(null);
    private fingers = new Map<number, Spot>();

    /** fit: shows all of the drawing. */
    constructor(private fit: () => Sight) {}

    get sight(): Sight {
        return this.chosen ?? this.fit();
    }
    get changed(): boolean {
        return this.chosen !== null;
    }

    reset(): void {
        this.chosen = null;
    }

    /** Zooms by a factor; the spot stays where it is. */
    by(factor: number, spot: Spot): void {
        const { k, x, y } = this.sight;
        const least = this.fit().k * 0.8;
        const next = Math.max(least, Math.min(MOST, k * factor));
        this.chosen = { k: next, x: spot.x - ((spot.x - x) * next) / k, y: spot.y - ((spot.y - y) * next) / k };
    }

    move(dx: number, dy: number): void {
        const { k, x, y } = this.sight;
        this.chosen = { k, x: x + dx, y: y + dy };
    }

    /** Moves the drawing so that a place of it is in sight. */
    show(place: Spot, width: number, height: number): void {
        const { k, x, y } = this.sight;
        const into = (at: number, room: number) => Math.max(0, Math.min(50, room / 4) - at) - Math.max(0, at - (room - Math.min(50, room / 4)));
        const dx = into(place.x * k + x, width),
            dy = into(place.y * k + y, height);
        if (this.changed && (dx !== 0 || dy !== 0)) this.move(dx, dy);
    }

    /** The place of the drawing at a spot of the screen. */
    inside(spot: Spot): Spot {
        const { k, x, y } = this.sight;
        return { x: (spot.x - x) / k, y: (spot.y - y) / k };
    }

    down(id: number, spot: Spot): void {
        this.fingers.set(id, spot);
    }
    up(id: number): void {
        this.fingers.delete(id);
    }

    /** One finger, or the mouse, moves the drawing; two also zoom. */
    drag(id: number, spot: Spot, alone: boolean): void {
        const before = this.fingers.get(id);
        if (before === undefined) return;
        this.fingers.set(id, spot);
        const other = [...this.fingers].find(([one]) => one !== id)?.[1];
        if (other) {
            const far = (a: Spot) => Math.hypot(a.x - other.x, a.y - other.y);
            this.by(far(spot) / Math.max(1, far(before)), { x: (spot.x + other.x) / 2, y: (spot.y + other.y) / 2 });
        } else if (alone) this.move(spot.x - before.x, spot.y - before.y);
    }
    get two(): boolean {
        return this.fingers.size > 1;
    }
}
