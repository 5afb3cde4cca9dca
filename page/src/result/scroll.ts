// scroll.ts - which rows a scrolled window shows, also where there are more than a browser can scroll
//
// Browsers limit how high an element can be (some at about 15 million pixels), so ten million rows of
// 34 pixels do not fit. The element that is scrolled is therefore at most TRACK pixels high, and its
// scroll bar stands for a share of the way. Far jumps (the bar, a key) go by that share. Small steps
// (a wheel, a finger) move the rows by as many pixels as they say, so that no row is jumped over.
//
// SPDX-License-Identifier: Apache-2.0

export const TRACK = 8_000_000;

export class ScrollMap {
    /** Pixels from the first row to the top of the window, as if nothing were limited. */
    offset = 0;
    private last = 0;

    constructor(
        readonly row: number,
        public rows = 0,
        public view = 0,
    ) {}

    get full(): number {
        return this.rows * this.row;
    }
    get track(): number {
        return Math.min(this.full, TRACK);
    }
    get scaled(): boolean {
        return this.full > TRACK;
    }
    get most(): number {
        return Math.max(0, this.full - this.view);
    }

    /** Where the scroll bar belongs for the present offset. */
    get bar(): number {
        const way = Math.max(0, this.track - this.view);
        return this.scaled ? Math.round((this.offset / this.most) * way) : this.offset;
    }

    resize(rows: number, view: number): void {
        this.rows = rows;
        this.view = view;
        this.offset = Math.min(this.offset, this.most);
    }

    moveTo(offset: number): void {
        this.offset = Math.max(0, Math.min(this.most, offset));
        this.last = this.bar;
    }

    moveBy(pixels: number): void {
        this.moveTo(this.offset + pixels);
    }

    /** The scroll bar has moved to `top`. True: the bar is to be put where it belongs once it rests. */
    scrolled(top: number): boolean {
        const step = top - this.last;
        if (Math.abs(step) <= 1 && this.scaled) return false;
        this.last = top;
        const way = Math.max(0, this.track - this.view);
        if (!this.scaled) this.offset = Math.min(top, this.most);
        else if (top <= 0) this.offset = 0;
        else if (top >= way - 1) this.offset = this.most;
        else if (Math.abs(step) < this.view) {
            this.offset = Math.max(0, Math.min(this.most, this.offset + step));
            return true;
        } else this.offset = (top / way) * this.most;
        return false;
    }

    /** Scrolls just as far as it takes to show the row whole. */
    show(index: number): void {
        const top = index * this.row;
        if (top < this.offset) this.moveTo(top);
        else if (top + this.row > this.offset + this.view) this.moveTo(top + this.row - this.view);
    }

    get first(): number {
        return Math.max(0, Math.floor(this.offset / this.row));
    }
    get count(): number {
        return Math.ceil(this.view / this.row) + 1;
    }
}
