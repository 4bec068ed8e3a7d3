import { LONGEST } from "../lib/computed-run.js";
import { visible } from "../lib/labels.js";
import { ModelFigure } from "../lib/model-figure.js";
import { fixed } from "../lib/numbers.js";
import { announce, fillParts, showWhen } from "../lib/page-parts.js";
import { hearRuns } from "../lib/run-events.js";
import { runInWords } from "../lib/run-words.js";
import {
  chooseRun, currentRun, loadModel, readRunAddress, resetRun,
} from "../lib/runs.js";
import { readTrace } from "../lib/trace.js";

/**
 * The run's controls: the reader chooses the tokens that the page's model runs on, and
 * whose weights; every figure of the trace follows.
 *
 * Attributes: data-trace; data-trained (the trace of the trained weights).
 *
 * @typedef {import("../lib/computed-run.js").Run} Run
 */

export class RunControls extends ModelFigure {
  /** Recompute the recording; where that fails, the page keeps to what was recorded. */
  async start() {
    const { agrees, difference, numbers, tensors } = await loadModel(this.traceId);
    fillParts(this, {
      numbers: numbers.toLocaleString(document.documentElement.lang), tensors,
      difference: inShort(difference),
    });
    showWhen(this, { agrees, disagrees: !agrees });
    if (!agrees) return;
    this.listen();
    this.draw(await readRunAddress(this.traceId));
  }

  listen() {
    this.addEventListener("change", (event) => this.onControl(event));
    this.addEventListener("click", (event) => this.onClick(event));
    this.stopHearing = hearRuns(this.traceId, this, ({ run }) => this.draw(run));
    addEventListener("hashchange", () => readRunAddress(this.traceId));
    const controls = /** @type {HTMLElement} */ (this.querySelector(".controls"));
    controls.hidden = false;
  }

  get tokens() {
    return currentRun(this.traceId).choice.tokens;
  }

  /** @param {Event} event */
  onControl(event) {
    const control = /** @type {HTMLInputElement} */ (event.target);
    if (control.closest(".pick-weights")) {
      this.chooseWeights(control.value).catch((error) => this.giveUp(error));
    }
    if (control.dataset.control !== "token") return;
    const item = /** @type {HTMLElement} */ (control.closest("li"));
    const position = [...this.items].indexOf(item);
    this.choose({ tokens: this.tokens.with(position, Number(control.value)) });
  }

  /** @param {Event} event */
  onClick(event) {
    const target = /** @type {Element} */ (event.target);
    const button = /** @type {HTMLElement | null} */ (target.closest("[data-do]"));
    const { tokens } = this;
    switch (button?.dataset.do) {
      case "add": return this.choose({ tokens: [...tokens, this.unused(tokens)] });
      case "remove": return this.choose({ tokens: tokens.slice(0, -1) });
      case "repeat": return this.choose({ tokens: [...tokens, ...tokens] });
      case "reset": return this.say(resetRun(this.traceId, this));
      default: return undefined;
    }
  }

  /**
   * Return the first token that a sequence does not hold, or 0.
   * @param {number[]} tokens
   */
  unused(tokens) {
    const { vocab_size: count } = currentRun(this.traceId).trace.model;
    for (let token = 0; token < count; token++) {
      if (!tokens.includes(token)) return token;
    }
    return 0;
  }

  /** @param {string} weights  the id of their trace */
  async chooseWeights(weights) {
    const { agrees, difference } = await loadModel(weights);
    fillParts(this, { "other-difference": inShort(difference) });
    showWhen(this, { "other-disagrees": !agrees });
    this.choose(agrees ? { weights } : {});
  }

  /** @param {Partial<import("../lib/computed-run.js").Choice>} changes */
  choose(changes) {
    this.say(chooseRun(this.traceId, changes, this));
  }

  /**
   * Show what the reader chose here, and announce it.
   * @param {Run} run
   */
  say(run) {
    this.draw(run);
    announce(this.querySelector(".announcement"), this.querySelector(".shown"));
  }

  get items() {
    const list = /** @type {HTMLElement} */ (this.querySelector(".tokens ol"));
    return list.children;
  }

  /** @param {Run} run */
  draw(run) {
    const { tokens, weights } = run.choice;
    this.drawTokens(tokens);
    for (const radio of this.querySelectorAll(".pick-weights input")) {
      const input = /** @type {HTMLInputElement} */ (radio);
      input.checked = input.value === weights;
    }
    this.able({
      add: tokens.length < LONGEST, remove: tokens.length > 1,
      repeat: 2 * tokens.length <= LONGEST, reset: !run.recorded,
    });
    this.drawWords(run);
  }

  /** @param {number[]} tokens */
  drawTokens(tokens) {
    const { items } = this;
    const list = /** @type {HTMLElement} */ (this.querySelector(".tokens ol"));
    while (items.length > tokens.length) list.lastElementChild?.remove();
    while (items.length < tokens.length) {
      list.append(items[0].cloneNode(true));
      fillParts(items[items.length - 1], { position: items.length - 1 });
    }
    tokens.forEach((token, position) => {
      const select = /** @type {HTMLSelectElement} */ (
        items[position].querySelector("select"));
      if (select.value !== String(token)) select.value = String(token);
    });
  }

  /**
   * Let buttons be pressed or not; the focus does not stay on one that cannot be.
   * @param {Record<string, boolean>} able
   */
  able(able) {
    for (const [name, can] of Object.entries(able)) {
      const button = /** @type {HTMLButtonElement} */ (
        this.querySelector(`[data-do="${name}"]`));
      const left = !can && document.activeElement === button;
      button.disabled = !can;
      if (left) this.querySelector("select")?.focus();
    }
  }

  /** @param {Run} run */
  drawWords(run) {
    const shown = /** @type {HTMLElement} */ (this.querySelector(".shown"));
    const probabilities = run.tensors.next_token_probs.values;
    const likeliest = probabilities.indexOf(Math.max(...probabilities));
    fillParts(shown, {
      run: runInWords(run, readTrace(this.traceId), shown.dataset),
      last: visible(run.labels.at(-1) ?? ""),
      next: visible(run.vocabulary[likeliest] ?? String(likeliest)),
      probability: fixed(probabilities[likeliest], 3),
    });
    showWhen(shown, { own: !run.recorded, recorded: run.recorded });
  }
}

/**
 * Return a small number with its two leading digits.
 * @param {number} number
 */
function inShort(number) {
  return number === 0 ? "0" : number.toExponential(1);
}

if (!customElements.get("run-controls")) {
  customElements.define("run-controls", RunControls);
}
