import { comingFragment, prefixed, rememberInAddress } from "../lib/fragment.js";
import { nextCell } from "../lib/grid-keys.js";
import { announce, fillParts, showWhen } from "../lib/page-parts.js";
import { hearRuns } from "../lib/run-events.js";
import { writeRun } from "../lib/run-line.js";
import { hearSelections, tellSelection } from "../lib/selection.js";
import { TraceError, readTrace } from "../lib/trace.js";
import { changeBy, showState, stateIn } from "./attention-heatmap/controls.js";
import { copyFrom } from "./attention-heatmap/copying.js";
import { newPanel } from "./attention-heatmap/panels.js";
import { HeadPictures } from "./attention-heatmap/pictures.js";
import { writeReadout, writeRow } from "./attention-heatmap/words.js";

/**
 * The attention heatmap: improves the figure that the page came with, as drawn by
 * sitegen/directives/attention_heatmap.py.  Input changes the state, and the state is
 * drawn in the next frame.
 *
 * Attributes: data-trace, data-layer, data-head, data-query, data-key; data-compare
 * (the head beside it and the difference are shown), data-wide, data-own (follows no
 * other figure).
 *
 * @typedef {import("./attention-heatmap/controls.js").State} State
 */

const PANELS = /** @type {const} */ (["head", "partner", "difference"]);

export class AttentionHeatmap extends HTMLElement {
  constructor() {
    super();
    /** @type {State} */
    this.state = {
      layer: 0, head: 0, query: 0, key: 0, compare: false, root: false,
      measure: "weights", hide: false,
    };
    /** @type {Map<string, ReturnType<typeof newPanel>>} */
    this.panels = new Map();
    this.traceId = "";
    this.source = ""; // what the numbers are copied as
    this.frame = 0;
    this.announcing = false;
    /** @type {(() => void)[]} */
    this.stops = [];
  }

  async connectedCallback() {
    if (this.pictures) return; // moved within the page
    try {
      await this.start();
    } catch (error) {
      this.giveUp(error);
    }
  }

  disconnectedCallback() {
    for (const stop of this.stops) stop();
  }

  async start() {
    const { trace = "", layer, head, query, key, compare, own } = this.dataset;
    this.traceId = this.source = trace;
    this.pictures = new HeadPictures(readTrace(trace));
    this.state = {
      ...this.state, layer: Number(layer), head: Number(head), query: Number(query),
      key: Number(key), compare: compare !== undefined,
    };
    this.defaultCompare = this.state.compare;
    await this.pictures.load(this.state);
    this.listen();
    if (own === undefined) this.follow();
    this.readAddress();
    await this.draw();
  }

  listen() {
    this.addEventListener("change", (event) => this.onControl(event));
    this.addEventListener("keydown", (event) => this.onKey(event));
    this.addEventListener("focusin", (event) => this.onPlace(event));
    this.addEventListener("click", (event) => this.onClick(event));
  }

  follow() {
    this.stops = [
      hearRuns(this.traceId, this, ({ run }) => this.show(run)),
      hearSelections(this.traceId, this, (selection) => {
        const { layer, head, query, key, measure, hide, root } = selection;
        this.change({ layer, head, query, key, measure, hide, root });
      }),
    ];
    addEventListener("hashchange", () => this.readAddress());
  }

  readAddress() {
    if (this.dataset.own !== undefined) return;
    this.change(stateIn(comingFragment(), this.dataset.address || ""));
  }

  /**
   * Show what a run computed, or the recording again.  What is chosen stays so, where
   * it is still there.
   * @param {import("../lib/computed-run.js").Run} run
   */
  show(run) {
    const recording = readTrace(this.traceId);
    this.pictures = new HeadPictures(run.recorded ? recording : run.trace);
    this.state = this.pictures.nearest(this.state);
    this.source = writeRun(this, run, recording);
    this.readAddress();
    this.redraw();
  }

  /** @param {Event} event */
  onControl(event) {
    const control = /** @type {HTMLInputElement} */ (event.target);
    const change = changeBy(control);
    if (!change) return;
    this.announcing = true;
    this.choose(change);
  }

  /** @param {KeyboardEvent} event */
  onKey(event) {
    const panel = this.panelOf(event);
    const place = panel?.placeOf(event);
    if (!panel || !place || !this.pictures) return;
    const mirrored = getComputedStyle(this).direction === "rtl";
    const next = nextCell(event, this.state, this.pictures.size, mirrored);
    if (!next) return;
    event.preventDefault();
    this.choose(next);
    panel.focusCell(next.query, next.key);
  }

  /** @param {Event} event */
  onClick(event) {
    const target = /** @type {Element} */ (event.target);
    const button = /** @type {HTMLElement | null} */ (target.closest("[data-copy]"));
    if (!button) return this.onPlace(event);
    const source = this.pictures?.copySource(this.source, this.state);
    return source && copyFrom(button, this, source);
  }

  /** @param {Event} event */
  onPlace(event) {
    const place = this.panelOf(event)?.placeOf(event);
    if (place) this.choose(place);
  }

  /** @param {Event} event */
  panelOf(event) {
    const panel = /** @type {Element} */ (event.target).closest("[data-panel]");
    return this.panels.get(/** @type {HTMLElement} */ (panel)?.dataset.panel || "");
  }

  /**
   * Change the state as the reader wishes, and tell the other figures and the address.
   * @param {Partial<State>} change
   */
  choose(change) {
    if (!this.change(change) || this.dataset.own !== undefined) return;
    const { layer, head, query, key, root, compare } = this.state;
    tellSelection({ trace: this.traceId, layer, head, query, key, root, origin: this });
    const marked = compare === this.defaultCompare ? null : Number(compare);
    rememberInAddress(prefixed(
      this.dataset.address || "", { layer, head, query, key, compare: marked }));
  }

  /**
   * Change the state; what the trace has no room for stays as it was.
   * @param {Partial<State>} change
   * @returns {boolean} whether anything changed
   */
  change(change) {
    const wanted = Object.entries(change).filter(([name, value]) =>
      value !== undefined && this.pictures?.holds(name, value)
      && (name !== "compare" || this.querySelector('[data-panel="partner"]'))
      && this.state[/** @type {keyof State} */ (name)] !== value);
    if (!wanted.length) return false;
    Object.assign(this.state, Object.fromEntries(wanted));
    this.redraw();
    return true;
  }

  redraw() {
    cancelAnimationFrame(this.frame);
    this.frame = requestAnimationFrame(() => this.drawNow());
  }

  drawNow() {
    this.draw().catch((error) => this.giveUp(error));
  }

  /** Draw the state.  Without a change of layer nothing is waited for. */
  async draw() {
    const { pictures } = this;
    if (!pictures) return;
    if (!pictures.has(this.state)) await pictures.load(this.state);
    const { state } = this;
    // overtaken: another draw is on its way
    if (pictures !== this.pictures || !pictures.has(state)) return;
    const shown = pictures.of(state);
    this.toggleAttribute("data-compare", Boolean(shown.partner));
    this.classList.toggle("span", this.matches("[data-compare], [data-wide]"));
    for (const name of PANELS) this.drawPanel(name, shown[name]);
    this.drawWords(shown);
    showState(this, state, pictures.groupSize > 1);
  }

  /**
   * @param {"head" | "partner" | "difference"} name
   * @param {import("./attention-heatmap/pictures.js").HeadPicture | null} picture
   */
  drawPanel(name, picture) {
    const panel = /** @type {HTMLElement | null} */ (
      this.querySelector(`[data-panel="${name}"]`));
    if (panel) panel.hidden = !picture;
    if (!panel || !picture) return;
    if (!this.panels.has(name)) {
      this.panels.set(name, newPanel(panel, this, () => this.drawNow()));
    }
    this.panels.get(name)?.draw(picture);
    writeRow(panel, picture);
    const { layer, head, other } = picture;
    fillParts(panel, { layer, head, other });
  }

  /** @param {ReturnType<HeadPictures["of"]>} shown */
  drawWords(shown) {
    writeReadout(this, shown, this.state, this.pictures?.errorOf(shown.head) ?? "");
    if (!this.announcing) return;
    this.announcing = false;
    announce(this.querySelector(".announcement"),
      this.querySelector('[data-panel="head"] .followed-row'));
  }

  /**
   * Leave the figure as it was drawn, and say why.
   * @param {unknown} error
   */
  giveUp(error) {
    const newer = error instanceof TraceError && error.kind === "newer";
    showWhen(this, { newer, unreadable: !newer });
    fillParts(this, { reason: error instanceof Error ? error.message : String(error) });
    if (!(error instanceof TraceError)) throw error;
  }
}

if (!customElements.get("attention-heatmap")) {
  customElements.define("attention-heatmap", AttentionHeatmap);
}
