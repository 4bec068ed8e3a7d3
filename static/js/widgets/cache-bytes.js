import { readConfig } from "../lib/configurations.js";
import { isPlace } from "../lib/fragment.js";
import { fill } from "../lib/sentences.js";
import { counted, grouped } from "../lib/sizes.js";
import { rememberState, stateInAddress } from "./cache-bytes/address.js";
import {
  arithmetic, writeAll, writeKinds, writeNotes,
} from "./cache-bytes/numbers.js";
import { MOST_CONTEXT, pictureOf } from "./cache-bytes/picture.js";
import { drawPlot } from "./cache-bytes/plot.js";

/**
 * How many bytes a KV cache takes: the reader chooses a published configuration, or
 * pastes one, and a context, a batch and a size of a number.
 *
 * Attributes: data-configurations (the published ones); data-config, data-context,
 * data-batch, data-bytes (what the page shows first).
 *
 * @typedef {import("../lib/cache-sizes.js").Config} Config
 * @typedef {import("../lib/cache-sizes.js").Choice} Choice
 * @typedef {import("./cache-bytes/address.js").State} State
 */

const MOST_BATCH = 256;
const POSSIBLE = {
  context: (/** @type {number} */ count) => within(count, MOST_CONTEXT),
  batch: (/** @type {number} */ count) => within(count, MOST_BATCH),
  bytes: (/** @type {number} */ count) => [1, 2, 4, 8].includes(count),
};

/**
 * @param {number} count
 * @param {number} most
 */
function within(count, most) {
  return Number.isInteger(count) && count >= 1 && count <= most;
}

export class CacheBytes extends HTMLElement {
  constructor() {
    super();
    /** @type {Map<string, Config>} */
    this.known = new Map();
    /** @type {Map<string, string>} */
    this.names = new Map();
  }

  connectedCallback() {
    if (this.known.size) return; // moved within the page
    for (const stored of JSON.parse(this.dataset.configurations || "[]")) {
      this.known.set(stored.id, stored);
      this.names.set(stored.id, stored.name);
    }
    const { config: id = "", context, batch, bytes } = this.dataset;
    this.usual = /** @type {State} */ ({
      id, config: this.known.get(id),
      choice: { context: Number(context), batch: Number(batch), bytes: Number(bytes) },
    });
    this.state = this.usual;
    this.addEventListener("input", (event) => this.onControl(event));
    addEventListener("hashchange", () => this.readAddress());
    this.readAddress();
    this.draw(); // also where the address is a place, which says nothing of the state
    this.toggleAttribute("data-ready", true);
  }

  readAddress() {
    if (isPlace(location.hash)) return;
    const usual = /** @type {State} */ (this.usual);
    this.state = stateInAddress(usual, this.known, POSSIBLE);
    this.draw();
  }

  /** @param {Event} event */
  onControl(event) {
    const control = /** @type {HTMLInputElement} */ (event.target);
    const { control: name } = control.dataset;
    if (name === "text") return this.onText(control.value);
    if (name === "config") return this.onConfig(control.value);
    const number = Number(control.value);
    if (name === "power") return this.change({ context: 2 ** number });
    const key = /** @type {keyof Choice} */ (name);
    const possible = POSSIBLE[key](number);
    control.setAttribute("aria-invalid", String(!possible));
    if (possible) this.change({ [key]: number });
  }

  /** @param {string} id */
  onConfig(id) {
    const config = id === "own" ? this.own : this.known.get(id);
    if (config) this.show({ ...this.current(), id, config });
  }

  /** @param {Partial<Choice>} changes */
  change(changes) {
    const state = this.current();
    this.show({ ...state, choice: { ...state.choice, ...changes } });
  }

  /**
   * Read a pasted text; where it cannot be read, what is shown stays.
   * @param {string} text
   */
  onText(text) {
    const answer = this.find(".answer");
    const read = readConfig(text);
    if ("message" in read) {
      const { says, ...values } = read.message;
      const name = `fault-${says.replace("_", "-")}`;
      answer.textContent = fill(answer.getAttribute(`data-${name}`) ?? "", values);
      return;
    }
    const { config, aliases } = read;
    const { dataset: words } = this.find(".sentence");
    answer.textContent = [fill(answer.dataset.read ?? "", {
      layers: counted(words.layers ?? "", config.num_hidden_layers),
      heads: grouped(config.num_attention_heads),
      kv_heads: counted(words.kvHeads ?? "", config.num_key_value_heads),
      channels: counted(words.channels ?? "", config.head_dim),
    }), ...aliases.map((alias) => fill(answer.dataset.alias ?? "", alias))].join(" ");
    this.show({ ...this.current(), id: "own", config });
  }

  /** @param {State} state */
  show(state) {
    this.state = state;
    rememberState(state, /** @type {State} */ (this.usual));
    this.draw();
  }

  draw() {
    const { id, config, choice } = this.current();
    if (id === "own") this.own = config;
    this.drawControls();
    const sentence = this.find(".sentence");
    const said = arithmetic(config, choice, sentence.dataset);
    if (sentence.textContent !== said) sentence.textContent = said;
    writeNotes(this.find(".notes"), config, choice);
    writeKinds(this.find(".kinds"), config, choice);
    writeAll(this.find(".all"), this.known, id, choice);
    const plot = this.find(".plot-of");
    const own = this.find("[data-control=config] [value=own]").textContent ?? "";
    drawPlot(plot, pictureOf(config, this.names.get(id) ?? own, choice, plot.dataset));
  }

  drawControls() {
    const { id, choice } = this.current();
    this.find("[value=own]").hidden = !this.own;
    const power = Math.round(Math.log2(choice.context));
    const values = { config: id, power, ...choice };
    for (const [name, value] of Object.entries(values)) {
      const control = /** @type {HTMLInputElement} */ (
        this.find(`[data-control=${name}]`));
      if (control.value !== String(value)) control.value = String(value);
    }
    const { tokens = "" } = this.find(".sentence").dataset;
    this.find("[data-control=power]").setAttribute("aria-valuetext",
      counted(tokens, choice.context));
  }

  current() {
    return /** @type {State} */ (this.state);
  }

  /** @param {string} selector */
  find(selector) {
    return /** @type {HTMLElement} */ (this.querySelector(selector));
  }
}

if (!customElements.get("cache-bytes")) {
  customElements.define("cache-bytes", CacheBytes);
}
