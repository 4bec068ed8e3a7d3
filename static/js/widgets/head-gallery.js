import { countIn, parseFragment, rememberInAddress } from "../lib/fragment.js";
import { nextCell } from "../lib/grid-keys.js";
import { whenNear } from "../lib/near.js";
import { fixed } from "../lib/numbers.js";
import { Palette } from "../lib/palette.js";
import { fillParts, showWhen } from "../lib/page-parts.js";
import { hearSelections, tellSelection } from "../lib/selection.js";
import { fill } from "../lib/sentences.js";
import { largestNumbersFirst, layOut } from "../lib/sheet.js";
import { TraceError, readTrace } from "../lib/trace.js";
import { SheetCanvas } from "./head-gallery/sheet-canvas.js";
import { Thumbs } from "./head-gallery/thumbs.js";

/**
 * The head gallery: all heads of a trace as one sheet of small pictures.  The reader
 * orders them and chooses one; the trace's other figures then show it.
 *
 * Attributes: data-trace; data-address (what stands before this trace's names in the
 * page's address).
 *
 * @typedef {object} State
 * @property {number} layer
 * @property {number} head
 * @property {string} sort  "layer", or a statistic
 * @property {"weights" | "contributions"} measure
 * @property {boolean} hide
 * @property {boolean} root
 */

const SMALLEST_CELL = 24; // of the style sheet's pixels, as is the margin
const MARGIN = 16;
const FRAME_MILLISECONDS = 8; // of the time to the next frame, for making pictures
const SWITCHES = ["measure", "hide", "root"];

export class HeadGallery extends HTMLElement {
  constructor() {
    super();
    /** @type {State} */
    this.state = {
      layer: 0, head: 0, sort: "layer", measure: "weights", hide: false, root: false,
    };
    this.frame = 0;
    /** @type {unknown[]} what the canvas shows */
    this.painted = [];
    /** @type {import("../lib/sheet.js").Sheet | null} */
    this.sheet = null;
    /** @type {() => void} */
    this.stopHearing = () => {};
  }

  async connectedCallback() {
    if (this.thumbs) return; // moved within the page
    try {
      await whenNear(this);
      this.start();
      await this.load();
    } catch (error) {
      this.giveUp(error);
    }
  }

  disconnectedCallback() {
    this.stopHearing();
  }

  start() {
    const trace = readTrace(this.dataset.trace || "");
    this.thumbs = new Thumbs(trace);
    /** @type {Record<string, number[]>} */
    this.statistics = /** @type {any} */ (trace).statistics || {};
    const box = /** @type {HTMLElement} */ (this.querySelector(".sheet"));
    this.canvas = new SheetCanvas(box);
    const ramp = /** @type {Element} */ (this.querySelector(".ramp"));
    this.palette = new Palette(ramp, () => this.draw());
    this.listen(box);
    this.readAddress();
    this.redraw();
  }

  /** @param {HTMLElement} box */
  listen(box) {
    this.addEventListener("change", (event) => this.onControl(event));
    box.addEventListener("keydown", (event) => this.onKey(event));
    box.addEventListener("click", (event) => {
      const index = this.canvas?.indexUnder(event) ?? -1;
      if (index >= 0) this.choose(index);
    });
    new ResizeObserver(() => this.reorder()).observe(box);
    this.stopHearing = hearSelections(this.dataset.trace || "", this,
      ({ layer, head, root }) => this.change({ layer, head, root }));
    addEventListener("hashchange", () => this.readAddress());
  }

  readAddress() {
    const { address: prefix = "" } = this.dataset;
    const address = parseFragment(location.hash);
    this.change({
      layer: countIn(address, `${prefix}layer`),
      head: countIn(address, `${prefix}head`),
    });
  }

  /** Load what the state shows; the sheet fills as it comes. */
  async load() {
    await this.thumbs?.load(this.state.measure, () => this.redraw());
  }

  /** @param {Event} event */
  onControl(event) {
    const control = /** @type {HTMLInputElement} */ (event.target);
    const name = control.dataset.control || "";
    const value = control.type === "checkbox" ? control.checked : control.value;
    this.change({ [name]: value });
    if (name === "measure") this.load().catch((error) => this.giveUp(error));
    if (!SWITCHES.includes(name)) return;
    tellSelection({ trace: this.dataset.trace || "", [name]: value, origin: this });
  }

  /** @param {KeyboardEvent} event */
  onKey(event) {
    const { sheet, canvas } = this;
    if (!sheet || !canvas) return;
    const place = sheet.at.indexOf(this.index);
    const from = { query: canvas.rowOf(place), key: place % sheet.columns };
    const size = { queries: sheet.rows, keys: sheet.columns };
    const mirrored = getComputedStyle(this).direction === "rtl";
    const next = nextCell(event, from, size, mirrored);
    if (!next) return;
    event.preventDefault();
    const index = sheet.at[next.query * sheet.columns + next.key];
    if (index >= 0) this.choose(index);
  }

  get index() {
    return this.state.layer * (this.thumbs?.heads || 0) + this.state.head;
  }

  /**
   * Choose a head as the reader wishes, and tell the other figures and the address.
   * @param {number} index
   */
  choose(index) {
    const heads = this.thumbs?.heads || 1;
    const layer = Math.floor(index / heads);
    const head = index % heads;
    if (!this.change({ layer, head })) return;
    const { trace = "", address = "" } = this.dataset;
    tellSelection({ trace, layer, head, origin: this });
    rememberInAddress({ [`${address}layer`]: layer, [`${address}head`]: head });
  }

  /**
   * @param {Partial<State>} change
   * @returns {boolean} whether anything changed
   */
  change(change) {
    const limits = { layer: this.thumbs?.layers || 0, head: this.thumbs?.heads || 0 };
    const wanted = Object.entries(change).filter(([name, value]) =>
      value !== undefined && this.state[/** @type {"sort"} */ (name)] !== value
      && !(Number(value) >= limits[/** @type {"layer"} */ (name)]));
    if (!wanted.length) return false;
    Object.assign(this.state, Object.fromEntries(wanted));
    if ("sort" in change) this.sheet = null;
    this.redraw();
    return true;
  }

  reorder() {
    this.sheet = null;
    this.redraw();
  }

  redraw() {
    cancelAnimationFrame(this.frame);
    this.frame = requestAnimationFrame(() => this.draw());
  }

  draw() {
    const { thumbs, canvas, palette, state } = this;
    if (!thumbs || !canvas || !palette || !canvas.width) return;
    this.sheet ||= this.layOut(thumbs, canvas);
    const wish = { measure: state.measure, hide: state.hide, side: this.sheet.side };
    const { made, waiting } = thumbs.make(wish, performance.now() + FRAME_MILLISECONDS);
    const pixels = palette.read();
    const wanted = [this.sheet, thumbs.wish, made.size, pixels, state.root];
    if (wanted.some((part, i) => part !== this.painted[i])) {
      canvas.paint(this.sheet, made, pixels, state.root);
    }
    this.painted = wanted;
    if (waiting) this.redraw();
    this.drawWords(canvas);
  }

  /**
   * @param {Thumbs} thumbs
   * @param {SheetCanvas} canvas
   */
  layOut({ layers, heads }, canvas) {
    const numbers = this.statistics?.[this.state.sort];
    const order = numbers ? largestNumbersFirst(numbers) : null;
    return layOut({
      layers, heads, order, width: canvas.width, margin: MARGIN * canvas.scale,
      smallest: SMALLEST_CELL * canvas.scale,
    });
  }

  /** @param {SheetCanvas} canvas */
  drawWords(canvas) {
    const { layer, head, sort, measure } = this.state;
    const numbers = Object.fromEntries(Object.entries(this.statistics || {}).map(
      ([name, values]) => [name, fixed(values[this.index], 2)]));
    fillParts(this, { layer, head, ...numbers });
    showWhen(this, {
      contributions: measure === "contributions", layer: sort === "layer",
    });
    const name = fill(canvas.box.dataset.name || "", { layer, head });
    canvas.choose(this.index, numbers[sort] ? `${name}: ${numbers[sort]}` : name);
    for (const control of this.querySelectorAll("[data-control]")) {
      const input = /** @type {HTMLInputElement} */ (control);
      const value = this.state[/** @type {"sort"} */ (input.dataset.control)];
      if (typeof value === "boolean") input.checked = value;
      else input.value = value;
    }
  }

  /**
   * Leave the figure as it is, and say why.
   * @param {unknown} error
   */
  giveUp(error) {
    showWhen(this, { unreadable: true });
    fillParts(this, { reason: error instanceof Error ? error.message : String(error) });
    if (!(error instanceof TraceError)) throw error;
  }
}

if (!customElements.get("head-gallery")) {
  customElements.define("head-gallery", HeadGallery);
}
