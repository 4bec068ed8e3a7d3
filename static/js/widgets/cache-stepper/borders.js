import { bordersOf, restOfBorder, sizesOf, withToggled } from "../../lib/chunks.js";

/**
 * The borders between the tokens, a button each: pressed where a call ends.  A press
 * sets a border or takes it away; the pointer and the arrow keys move it.
 */
export class Borders {
  /**
   * @param {HTMLTableRowElement} row  a cell for each token, its border at the start
   * @param {(sizes: number[], at: number) => void} tell  the reader's cut; the border
   *   that was set, taken away or moved
   */
  constructor(row, tell) {
    this.buttons = [...row.querySelectorAll("button")];
    this.length = this.buttons.length + 1;
    this.tell = tell;
    /** @type {number[]} */
    this.sizes = [];
    this.dragged = 0; // the border that follows the pointer, 0 for none
    this.wasDragged = false;
    row.addEventListener("click", (event) => this.onClick(event));
    row.addEventListener("keydown", (event) => this.onKey(event));
    row.addEventListener("pointerdown", (event) => this.onGrasp(event));
    row.addEventListener("pointermove", (event) => this.onDrag(event));
    for (const end of ["pointerup", "pointercancel"]) {
      row.addEventListener(end, () => this.release());
    }
  }

  /** @param {number[]} sizes */
  draw(sizes) {
    this.sizes = sizes;
    const set = new Set(bordersOf(sizes));
    this.buttons.forEach((button, i) => {
      button.setAttribute("aria-pressed", String(set.has(i + 1)));
    });
  }

  /**
   * Return the border that an event is about, and whether it is set.
   * @param {Event} event
   */
  borderAt(event) {
    const button = /** @type {Element} */ (event.target).closest("button");
    const at = this.buttons.findIndex((one) => one === button) + 1;
    return { at, button, isSet: bordersOf(this.sizes).includes(at) };
  }

  /**
   * A press; what ends a drag looks like one, but is none.
   * @param {MouseEvent} event
   */
  onClick(event) {
    const { at } = this.borderAt(event);
    const { wasDragged } = this;
    this.wasDragged = false;
    if (!at || (wasDragged && event.detail > 0)) return; // a key's detail is 0
    this.tell(withToggled(this.sizes, at, this.length), at);
  }

  /** @param {KeyboardEvent} event */
  onKey(event) {
    const { at, isSet } = this.borderAt(event);
    if (!isSet || event.ctrlKey || event.metaKey || event.altKey) return;
    const forwards = this.isMirrored() ? "ArrowLeft" : "ArrowRight";
    if (event.key === "Delete" || event.key === "Backspace") {
      this.tell(withToggled(this.sizes, at, this.length), at);
    } else if (event.key === "ArrowLeft" || event.key === "ArrowRight") {
      this.buttons[this.move(at, at + (event.key === forwards ? 1 : -1)) - 1].focus();
    } else return;
    event.preventDefault();
  }

  /**
   * Move a border as far as its neighbours let it; return where it is then.
   * @param {number} from
   * @param {number} to
   */
  move(from, to) {
    const rest = restOfBorder(this.sizes, from, to, this.length);
    if (rest === from) return from;
    const others = bordersOf(this.sizes).filter((border) => border !== from);
    this.tell(sizesOf([...others, rest], this.length), rest);
    return rest;
  }

  /** @param {PointerEvent} event */
  onGrasp(event) {
    const { at, button, isSet } = this.borderAt(event);
    this.wasDragged = false;
    if (!isSet || event.button !== 0) return;
    button?.setPointerCapture(event.pointerId);
    this.dragged = at;
  }

  /** @param {PointerEvent} event */
  onDrag(event) {
    if (!this.dragged) return;
    const rest = this.move(this.dragged, this.nearest(event.clientX));
    if (rest !== this.dragged) this.wasDragged = true;
    this.dragged = rest;
  }

  /** Let the keys go on with the border that was dragged. */
  release() {
    if (this.wasDragged && this.dragged) {
      this.buttons[this.dragged - 1].focus({ preventScroll: true });
    }
    this.dragged = 0;
  }

  /**
   * Return the border that is nearest to a place on the screen.
   * @param {number} x
   */
  nearest(x) {
    const places = this.buttons.map((button) => {
      const { left, right } = button.getBoundingClientRect();
      return Math.abs((left + right) / 2 - x);
    });
    return places.indexOf(Math.min(...places)) + 1;
  }

  isMirrored() {
    return getComputedStyle(this.buttons[0]).direction === "rtl";
  }
}
