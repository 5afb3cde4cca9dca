// scroll.ts - which rows a scrolled window shows, even with more rows than a browser can scroll
//
// Browsers limit the height of an element (some to about 15 million pixels), so ten million rows of 34
// pixels do not fit. The scrolled element is therefore at most TRACK pixels high, and the position of its
// scroll bar is a share of all rows. Large jumps (scroll bar, keys) use that share. Small steps (wheel,
// touch) move the rows by exactly that many pixels, so that no row is skipped.
//
// SPDX-License-Identifier: Apache-2.0

export const TRACK = 8_000_000;

export class ScrollMap {
    /** Pixels from the first row to the top of the window, as if heights were unlimited. */
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

    /** The position of the scroll bar for the current offset. */
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

    /** The scroll bar has moved to `top`. Returns true if the bar must be corrected once it rests. */
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

    /** Scrolls just far enough to show the whole row. */
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
