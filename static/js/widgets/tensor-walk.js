import { parseFragment, rememberInAddress } from "../lib/fragment.js";
import { ModelFigure } from "../lib/model-figure.js";
import { fillParts, showWhen } from "../lib/page-parts.js";
import { hearRuns } from "../lib/run-events.js";
import { writeRun } from "../lib/run-line.js";
import { loadModel, readRunAddress } from "../lib/runs.js";
import { hearSelections, tellSelection } from "../lib/selection.js";
import { TraceError, readTrace } from "../lib/trace.js";
import { addressOf, changed, stateIn, trailOf } from "./tensor-walk/address.js";
import { changeBy, seeks, showState, stepByKey } from "./tensor-walk/controls.js";
import { OpenedNumber } from "./tensor-walk/opened.js";
import { Pictures } from "./tensor-walk/pictures.js";
import { Steps } from "./tensor-walk/steps.js";
import { chosenCell, choosing, moved, opening } from "./tensor-walk/views.js";

/**
 * The walk: one step of the model at a time, its tensors drawn from the page's run.
 * Input changes the state, and the state is drawn in the next frame.
 *
 * Attributes: data-trace, -step, -layer, -open (cells), -layers, -address, -focused.
 *
 * @typedef {import("./tensor-walk/address.js").State} State
 * @typedef {import("./tensor-walk/steps.js").Step} Step
 */

export class TensorWalk extends ModelFigure {
  constructor() {
    super();
    /** @type {State} */
    this.state = {
      step: "", layer: 0, head: 0, query: 0, key: 0, places: {}, open: [],
    };
    this.frame = 0;
    /** @type {(() => void)[]} */
    this.endings = [];
  }

  disconnectedCallback() {
    for (const end of this.endings) end();
  }

  get step() {
    return /** @type {Step} */ (this.steps?.of(this.state));
  }

  async start() {
    const { layers, layer, step = "", open = "" } = this.dataset;
    this.steps = new Steps(this, Number(layers));
    const { agrees } = await loadModel(this.traceId);
    this.run = await readRunAddress(this.traceId);
    showWhen(this, { disagrees: !agrees });
    const root = /** @type {HTMLElement} */ (this.querySelector(".opened"));
    this.opened = new OpenedNumber(root, (trail) => this.follow(trail));
    const query = this.run.tokens.length - 1;
    const first = { ...this.state, step, layer: Number(layer), query };
    this.state = { ...first, ...opening(trailOf(open), first, this.run) };
    this.pictures = new Pictures(() => this.redraw());
    this.listen();
    this.readAddress();
    this.draw();
    this.pictures.clear(this.steps.elements);
  }

  listen() {
    this.addEventListener("change", (event) => this.onControl(event));
    this.addEventListener("click", (event) => this.onClick(event));
    this.addEventListener("keydown", (event) => this.onKey(event));
    this.addEventListener("focusin", (event) => this.onPlace(event, false));
    this.addEventListener("toggle", () => this.redraw(), true); // it does not bubble
    const onHash = () =>
      readRunAddress(this.traceId).then(() => this.readAddress());
    addEventListener("hashchange", onHash);
    this.endings = [
      () => removeEventListener("hashchange", onHash),
      hearRuns(this.traceId, this, ({ run }) => {
        this.run = run;
        this.redraw();
      }),
      hearSelections(this.traceId, this, ({ layer, head, query, key, step }) =>
        this.change({ layer, head, query, key, step: this.steps?.idOf(step ?? "") })),
    ];
  }

  readAddress() {
    const { address: prefix = "", focused } = this.dataset;
    const said = stateIn(parseFragment(location.hash), prefix);
    const step = this.steps?.idOf(said.step ?? "");
    const open = focused === undefined ? said.open : undefined;
    this.change({ ...said, step, open });
  }

  /** @param {Event} event */
  onControl(event) {
    const control = /** @type {HTMLInputElement} */ (event.target);
    if (control.closest(".opened") || !this.steps) return;
    if (control.dataset.control === "split") return this.redraw();
    const change = changeBy(control, this.steps);
    showWhen(this, { unfound: change === null });
    if (change === null) fillParts(this, { sought: control.value });
    else if (change) this.choose(change);
  }

  /** @param {Event} event */
  onClick(event) {
    const target = /** @type {Element} */ (event.target);
    const button = /** @type {HTMLElement | null} */ (target.closest("[data-control]"));
    const by = { previous: -1, next: 1 }[button?.dataset.control ?? ""];
    if (by) this.walk(by);
    else this.onPlace(event, true);
  }

  /** @param {KeyboardEvent} event */
  onKey(event) {
    const by = stepByKey(event);
    if (by) return this.walk(by);
    if (seeks(event)) return this.onControl(event);
    const found = this.pictures?.placeOf(event);
    if (!found) return;
    if (event.key === "Enter" || event.key === " ") {
      event.preventDefault();
      return this.onPlace(event, true);
    }
    const next = moved(found.view, this.state, event, found.place);
    if (!next) return;
    event.preventDefault();
    this.choose(next);
    this.drawNow(); // the focus goes to the cell that is chosen then
    found.box.panel?.focusCell();
  }

  /**
   * Choose the cell that an event is about; open it where the reader wants it.
   * @param {Event} event
   * @param {boolean} opens
   */
  onPlace(event, opens) {
    const { view, place } = this.pictures?.placeOf(event) ?? {};
    if (!view || !place) return;
    const chosen = choosing(view, this.state, place);
    const open = [chosenCell({ ...view, ...place })];
    this.choose(opens ? { ...chosen, open } : chosen);
  }

  /** @param {number} by  1 or −1 */
  walk(by) {
    const next = this.steps?.beside(this.step, by);
    if (!next) return;
    const within = this.step.element.contains(document.activeElement);
    this.choose({ step: next.id, layer: next.layer ?? this.state.layer });
    this.drawNow();
    if (within) this.pictures?.focus(this.step);
  }

  /**
   * Follow a trail of cells to the step that made its last.
   * @param {import("../lib/cells.js").Cell[]} trail
   */
  follow(trail) {
    const last = trail.at(-1);
    const made = last && !last.parameter ? this.steps?.making(last.name) : undefined;
    const top = () => this.opened?.root.getBoundingClientRect().top ?? 0;
    const before = top();
    this.choose({
      ...this.run && opening(trail, this.state, this.run),
      ...made && { step: made.id, layer: made.layer ?? this.state.layer },
    });
    this.drawNow();
    // the number stays where it was read
    if (trail.length) document.documentElement.scrollTop += top() - before;
    else this.pictures?.focus(this.step);
  }

  /**
   * Change the state as the reader wishes, and tell the other figures and the address.
   * @param {Partial<State>} change
   */
  choose(change) {
    if (!this.change(change)) return;
    const { layer, head, query, key } = this.state;
    const chosen = { layer, head, query, key, step: this.step.source };
    tellSelection({ trace: this.traceId, ...chosen, origin: this });
    const { address: prefix = "", focused } = this.dataset;
    rememberInAddress(addressOf(this.state, prefix, focused !== undefined));
  }

  /**
   * Change the state; return whether anything changed.
   * @param {Partial<State>} change
   */
  change(change) {
    const state = this.run ? changed(this.state, change, this.run) : null;
    if (!state || !this.steps?.of(state)) return false;
    this.state = state;
    this.redraw();
    return true;
  }

  redraw() {
    cancelAnimationFrame(this.frame);
    this.frame = requestAnimationFrame(() => this.drawNow());
  }

  drawNow() {
    try {
      this.draw();
    } catch (error) {
      this.giveUp(error);
    }
  }

  draw() {
    const { run, steps, step } = this;
    if (!run || !steps) return;
    for (const element of steps.elements) {
      element.classList.toggle("current", element === step.element);
    }
    this.pictures?.draw(run, step, this.state, steps.layerOf(step));
    this.pictures?.place(this.opened?.root, step);
    this.opened?.show(run, this.state.open);
    showState(this, this.state, steps);
    writeRun(this, run, readTrace(this.traceId));
  }

  /**
   * Leave the figure as it was drawn, and say why.
   * @param {unknown} error
   */
  giveUp(error) {
    const newer = error instanceof TraceError && error.kind === "newer";
    this.toggleAttribute("data-failed", true);
    showWhen(this, { newer, unreadable: !newer });
    fillParts(this, { reason: error instanceof Error ? error.message : String(error) });
    if (!(error instanceof TraceError)) throw error;
  }
}

if (!customElements.get("tensor-walk")) {
  customElements.define("tensor-walk", TensorWalk);
}
