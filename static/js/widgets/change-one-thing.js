import { movedTensors, properties } from "../lib/effects.js";
import { visible } from "../lib/labels.js";
import { ModelFigure } from "../lib/model-figure.js";
import { whenNear } from "../lib/near.js";
import { fillParts, showWhen } from "../lib/page-parts.js";
import { hearRuns } from "../lib/run-events.js";
import { runInWords } from "../lib/run-words.js";
import {
  chooseRun, currentRun, loadModel, readRunAddress, runOf,
} from "../lib/runs.js";
import { fill } from "../lib/sentences.js";
import { readTrace } from "../lib/trace.js";
import {
  listMoved, writeProperties, writeSentence,
} from "./change-one-thing/effects.js";

/**
 * Change one thing: the reader picks a named change of the model or its input; the page
 * runs it, and says which tensors moved and which properties still hold.
 *
 * Attributes: data-trace; data-address (what stands before this trace's names in the
 * page's address); data-walk, data-steps (the id of the walk that the tensors' names
 * lead to, and the steps that make those which have another name).
 *
 * @typedef {import("../lib/computed-run.js").Run} Run
 */

const FIRST_POSITION = 2;

export class ChangeOneThing extends ModelFigure {
  async start() {
    /** @type {Record<string, string>} */
    this.steps = JSON.parse(this.dataset.steps || "{}");
    const { agrees } = await loadModel(this.traceId);
    showWhen(this, { disagrees: !agrees });
    if (!agrees) return;
    await readRunAddress(this.traceId); // other figures follow it, however far this is
    await whenNear(this);
    this.find(".effects").hidden = false;
    this.addEventListener("change", (event) => this.onControl(event));
    this.stopHearing = hearRuns(this.traceId, this, ({ run }) => this.draw(run));
    addEventListener("hashchange", () => readRunAddress(this.traceId));
    this.draw(currentRun(this.traceId));
  }

  /** @param {Event} event */
  onControl(event) {
    const control = /** @type {HTMLInputElement} */ (event.target);
    const { control: name, needs } = control.dataset;
    const placed = !needs || !this.find(".places").hidden;
    const changes = name ? { [name]: Number(control.value) }
      : { change: control.value, ...placed ? {} : this.firstPlace() };
    this.draw(chooseRun(this.traceId, changes, this));
  }

  /**
   * Return a place for a change that has none yet: behind position 0, where some
   * changes move nothing, and a token that does not stand there.
   */
  firstPlace() {
    const { choice: { tokens }, trace } = currentRun(this.traceId);
    const at = Math.min(FIRST_POSITION, tokens.length - 1);
    return { at, to: (tokens[at] + 1) % trace.model.vocab_size };
  }

  /** @param {Run} run */
  draw(run) {
    const { change } = run.choice;
    const unchanged = runOf(this.traceId, { ...run.choice, change: "" });
    const tensors = change ? movedTensors(unchanged, run) : null;
    this.drawControls(run, unchanged.labels);
    const named = writeProperties(this.find(".properties"), properties(run));
    writeSentence(this.find(".sentence"), tensors, named);
    this.drawTensors(tensors ?? []);
    this.drawOrigin(unchanged, Boolean(change));
  }

  /**
   * @param {Run} run
   * @param {string[]} labels  before the change
   */
  drawControls({ choice: { change, at, to } }, labels) {
    for (const radio of this.querySelectorAll(".changes input")) {
      const input = /** @type {HTMLInputElement} */ (radio);
      input.checked = input.value === change;
      if (!input.checked) continue;
      const needs = (input.dataset.needs ?? "").split(" ");
      showWhen(this, { at: needs.includes("at"), to: needs.includes("to") });
    }
    const [positions, tokens] = ["at", "to"].map((name) =>
      /** @type {HTMLSelectElement} */ (this.find(`[data-control="${name}"]`)));
    const entries = labels.map((label, position) => `${position} ${visible(label)}`);
    if (String([...positions.options].map(({ text }) => text)) !== String(entries)) {
      positions.replaceChildren(...entries.map(option));
    }
    positions.value = String(at);
    tokens.value = String(to);
  }

  /**
   * Say what a change is compared with; the caption's origin is the recording's.
   * @param {Run} unchanged
   * @param {boolean} changed
   */
  drawOrigin(unchanged, changed) {
    const line = this.find(".compared");
    fillParts(line, {
      run: runInWords(unchanged, readTrace(this.traceId), line.dataset),
    });
    showWhen(this, { changed });
    const origin = this.parentElement?.querySelector(".origin");
    if (origin) /** @type {HTMLElement} */ (origin).hidden = !unchanged.recorded;
  }

  /** @param {import("../lib/effects.js").Moved[]} tensors */
  drawTensors(tensors) {
    const moved = tensors.filter(({ largest }) => largest > 0);
    const unmoved = tensors.filter(({ largest }) => largest === 0);
    const table = /** @type {HTMLTableElement} */ (this.find(".moved table"));
    listMoved(table, moved, (name) => this.linkTo(name));
    const line = this.find(".unmoved");
    const names = unmoved.map(({ name }) => name).join(", ");
    line.textContent = fill(line.dataset.names ?? "", { names });
    showWhen(this, { moved: moved.length > 0, unmoved: unmoved.length > 0 });
  }

  /**
   * Return a tensor's name, as a link to the step of the walk that makes it.
   * @param {string} name
   */
  linkTo(name) {
    const { walk, address: prefix = "" } = this.dataset;
    const code = document.createElement("code");
    code.textContent = name;
    if (!walk) return code;
    const [, layer, kind] = /** @type {RegExpExecArray} */ (
      /^(?:layers\.(\d+)\.)?(\w+)$/.exec(name));
    const link = document.createElement("a");
    const step = `${prefix}step=${this.steps?.[kind] ?? kind}`;
    link.href = `#~${step}${layer ? `&${prefix}layer=${layer}` : ""}`;
    link.dataset.show = walk;
    link.append(code);
    return link;
  }

  /** @param {string} selector */
  find(selector) {
    return /** @type {HTMLElement} */ (this.querySelector(selector));
  }
}

/**
 * @param {string} text
 * @param {number} value
 */
function option(text, value) {
  const made = document.createElement("option");
  made.value = String(value);
  made.textContent = text;
  return made;
}

if (!customElements.get("change-one-thing")) {
  customElements.define("change-one-thing", ChangeOneThing);
}
