import { readConfig } from "../../lib/configurations.js";
import { comingFragment, parseFragment, rememberInAddress } from
  "../../lib/fragment.js";

/**
 * What the figure shows, in the page's address: config, or own for a pasted one, whose
 * sizes stand there as layers.heads.kv-heads.head-size; context, batch, bytes.
 *
 * @typedef {import("../../lib/cache-sizes.js").Choice} Choice
 * @typedef {import("../../lib/cache-sizes.js").Config} Config
 * @typedef {{id: string, config: Config, choice: Choice}} State  id: "own" for a pasted
 *   one
 * @typedef {Record<keyof Choice, (value: number) => boolean>} Possible
 */

/** Of the sizes that the address names, in this order. */
const SIZES = /** @type {const} */ ([
  "num_hidden_layers", "num_attention_heads", "num_key_value_heads", "head_dim"]);

/**
 * Return the state that the address asks for; what is unknown or cannot be is as usual.
 * @param {State} usual
 * @param {Map<string, Config>} known
 * @param {Possible} possible
 * @returns {State}
 */
export function stateInAddress(usual, known, possible) {
  const asked = parseFragment(comingFragment());
  const choice = { ...usual.choice };
  for (const name of /** @type {(keyof Choice)[]} */ (Object.keys(possible))) {
    const text = asked.get(name) ?? "";
    if (/^\d{1,7}$/.test(text) && possible[name](Number(text))) {
      choice[name] = Number(text);
    }
  }
  const own = ownConfig(asked.get("own") ?? "");
  if (own) return { id: "own", config: own, choice };
  const id = asked.get("config") ?? "";
  const config = known.get(id);
  return config ? { id, config, choice } : { ...usual, choice };
}

/**
 * Return the configuration of four sizes, or null where there is none.
 * @param {string} text
 */
function ownConfig(text) {
  if (!/^\d{1,7}(\.\d{1,7}){3}$/.test(text)) return null;
  const sizes = text.split(".").map(Number);
  const read = readConfig(JSON.stringify(Object.fromEntries(
    SIZES.map((name, index) => [name, sizes[index]]))));
  return "config" in read ? read.config : null;
}

/**
 * Write a state into the address: only what is not as usual.
 * @param {State} state
 * @param {State} usual
 */
export function rememberState({ id, config, choice }, usual) {
  const own = id === "own" ? SIZES.map((name) => config[name]).join(".") : null;
  const changed = (/** @type {keyof Choice} */ name) =>
    choice[name] === usual.choice[name] ? null : choice[name];
  rememberInAddress({
    config: own || id === usual.id ? null : id, own,
    context: changed("context"), batch: changed("batch"), bytes: changed("bytes"),
  });
}
