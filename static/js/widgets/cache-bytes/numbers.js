import {
  attentionKind, bytesOf, groupedHeads, keptTokens, outweighsFrom,
} from "../../lib/cache-sizes.js";
import { fillParts, showWhen } from "../../lib/page-parts.js";
import { fill } from "../../lib/sentences.js";
import { binarySize, counted, grouped, percent } from "../../lib/sizes.js";
import { MOST_CONTEXT } from "./picture.js";

/**
 * The figure's numbers, in its sentences and tables.
 *
 * @typedef {import("../../lib/cache-sizes.js").Config} Config
 * @typedef {import("../../lib/cache-sizes.js").Choice} Choice
 */

/**
 * Return the multiplication, spelled out, with its result: one product for the layers
 * that keep all tokens, one for those with a window.
 * @param {Config} config
 * @param {Choice} choice
 * @param {DOMStringMap} words
 */
export function arithmetic(config, choice, words) {
  const products = keptTokens(config, choice.context).map(({ layers, tokens }) => {
    const terms = /** @type {[string, number][]} */ ([
      ["layers", layers], ["kvHeads", config.num_key_value_heads],
      ["channels", config.head_dim], ["tokens", tokens], ["sequences", choice.batch],
      ["bytes", choice.bytes]]);
    return ["2", ...terms.map(([name, count]) => counted(words[name] ?? "", count))]
      .join(" × ");
  });
  const total = bytesOf(config, choice);
  return fill(words.product ?? "", {
    product: products.join(" + "), total: counted(words.bytes ?? "", total),
    size: binarySize(total),
  });
}

/**
 * Fill the sentences below the arithmetic, and show those that hold.
 * @param {Element} root
 * @param {Config} config
 * @param {Choice} choice
 */
export function writeNotes(root, config, choice) {
  const { parameters, sliding_window: window } = config;
  const { max_position_embeddings: most = Infinity } = config;
  const { num_hidden_layers: layers, sliding_layers: sliding = layers } = config;
  const from = parameters ? outweighsFrom(config, choice.batch) : null;
  const weights = (parameters ?? 0) * choice.bytes;
  fillParts(root, {
    parameters: grouped(parameters ?? 0), weights: binarySize(weights),
    share: percent(bytesOf(config, choice), weights || 1),
    outweighs: grouped(from ?? 0), window: grouped(window ?? 0),
    capped: binarySize(bytesOf(config, { ...choice, context: MOST_CONTEXT })),
    sliding: grouped(sliding), most: grouped(most),
  });
  showWhen(root, {
    weighed: Boolean(parameters), unweighed: !parameters, outweighs: Boolean(from),
    window: Boolean(window) && sliding === layers,
    some: Boolean(window) && sliding < layers, longer: choice.context > most,
  });
}

/**
 * Fill the table of the same model with other numbers of KV heads.
 * @param {Element} table
 * @param {Config} config
 * @param {Choice} choice
 */
export function writeKinds(table, config, choice) {
  const own = attentionKind(config);
  const kvHeads = {
    MHA: config.num_attention_heads, GQA: groupedHeads(config), MQA: 1,
  };
  for (const row of table.querySelectorAll("[data-kind]")) {
    const element = /** @type {HTMLElement} */ (row);
    const kind = /** @type {keyof typeof kvHeads} */ (element.dataset.kind);
    const count = kvHeads[kind];
    const variant = { ...config, num_key_value_heads: count ?? 1 };
    element.hidden = count === null;
    element.classList.toggle("own", kind === own);
    showWhen(element, { own: kind === own, other: kind !== own });
    fillParts(element, { kv_heads: grouped(count ?? 1), ...sizesOf(variant, choice) });
  }
}

/**
 * Fill the table of all configurations; the chosen one is marked.
 * @param {HTMLElement} table
 * @param {Map<string, Config>} known
 * @param {string} chosen
 * @param {Choice} choice
 */
export function writeAll(table, known, chosen, choice) {
  for (const row of table.querySelectorAll("[data-id]")) {
    const { id = "" } = /** @type {HTMLElement} */ (row).dataset;
    const config = /** @type {Config} */ (known.get(id));
    const from = outweighsFrom(config, choice.batch);
    row.classList.toggle("chosen", id === chosen);
    fillParts(row, {
      ...sizesOf(config, choice),
      weights: binarySize((config.parameters ?? 0) * choice.bytes),
      outweighs: from === null ? table.dataset.never ?? "" : grouped(from),
    });
  }
}

/**
 * @param {Config} config
 * @param {Choice} choice
 */
function sizesOf(config, choice) {
  return {
    token: grouped(bytesOf(config, { context: 1, batch: 1, bytes: choice.bytes })),
    cache: binarySize(bytesOf(config, choice)),
  };
}
