import { visible } from "./labels.js";
import { grouped } from "./sizes.js";

/**
 * The text of a config.json, whoever wrote it, as names and values.  It is data: what
 * is said of it quotes it, and nothing in it is followed.
 *
 * @typedef {Record<string, unknown>} Stored
 *
 * @typedef {object} Message  a sentence of the page, by its name, and its values
 * @property {string} says
 * @property {string} [key]
 * @property {string} [value]
 *
 * @typedef {{key: string, alias: string}} Alias  what stood for which name
 */

const MOST_CHARACTERS = 1_000_000;
const MOST = 1e9;
const QUOTED = 40; // characters of a value
/** @type {Record<string, string[]>} */
const ALIASES = {
  num_hidden_layers: ["n_layer", "n_layers", "num_layers"],
  num_attention_heads: ["n_head", "n_heads"],
  num_key_value_heads: ["num_kv_heads", "n_kv_heads", "multi_query_group_num"],
  head_dim: ["kv_channels"],
  hidden_size: ["n_embd", "d_model", "dim"],
};
const STRING = String.raw`"(?:[^"\\]|\\.)*"`;

/** What cannot be read, with the sentence that says so. */
export class Unreadable extends Error {
  /** @param {Message} said */
  constructor(said) {
    super(said.says);
    this.said = said;
  }
}

/**
 * Return the names and values of a text.
 * @param {string} text
 * @returns {Stored}
 */
export function parseObject(text) {
  const bare = text.trim(); // of a byte order mark too
  if (!bare) throw new Unreadable({ says: "empty" });
  if (bare.length > MOST_CHARACTERS) {
    throw new Unreadable({ says: "long", value: grouped(bare.length) });
  }
  let data;
  try {
    data = JSON.parse(bare);
  } catch (error) {
    throw new Unreadable(notJson(bare, /** @type {Error} */ (error)));
  }
  if (!isObject(data)) throw new Unreadable({ says: "object" });
  const twice = repeatedName(bare);
  if (twice !== null) throw new Unreadable({ says: "twice", key: quote(twice) });
  return data;
}

/**
 * Say why a text is not JSON: Python writes numbers that JSON does not have.
 * @param {string} text
 * @param {Error} error
 * @returns {Message}
 */
function notJson(text, { message }) {
  const constant = /-?\b(?:NaN|Infinity)\b/.exec(
    text.replace(new RegExp(STRING, "g"), '""'));
  return constant ? { says: "constant", value: constant[0] }
    : { says: "json", value: quote(message) };
}

/**
 * Return a name that stands twice in one object of a JSON text, or null.
 * @param {string} text  valid JSON
 */
function repeatedName(text) {
  const tokens = new RegExp(`(${STRING})\\s*:|${STRING}|[{}]`, "g");
  const open = /** @type {Set<string>[]} */ ([]);
  for (const [token, written] of text.matchAll(tokens)) {
    if (token === "{") open.push(new Set());
    if (token === "}") open.pop();
    if (!written) continue;
    const name = JSON.parse(written);
    const names = /** @type {Set<string>} */ (open.at(-1));
    if (names.has(name)) return name;
    names.add(name);
  }
  return null;
}

/** @param {unknown} value */
export function isObject(value) {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}

/**
 * Return what stands under a name; undefined for none, and for null.
 * @param {Stored} stored
 * @param {string} name
 */
export function valueOf(stored, name) {
  return stored[name] ?? undefined;
}

/**
 * Return the number under a key or one of its other names, which is then told;
 * undefined where there is none.
 * @param {Stored} stored
 * @param {string} key
 * @param {Alias[]} aliases
 */
export function readCount(stored, key, aliases) {
  const names = [key, ...ALIASES[key] ?? []];
  const name = names.find((one) => valueOf(stored, one) !== undefined);
  if (name === undefined) return undefined;
  if (name !== key) aliases.push({ key, alias: name });
  const value = stored[name];
  const said = { key: name, value: quote(value) };
  if (typeof value !== "number") throw new Unreadable({ says: "type", ...said });
  if (value > MOST) throw new Unreadable({ says: "huge", ...said });
  if (!Number.isInteger(value) || value < 1) {
    throw new Unreadable({ says: "whole", ...said });
  }
  return value;
}

/**
 * Return the number under a key, which has to be there.
 * @param {Stored} stored
 * @param {string} key
 * @param {Alias[]} aliases
 */
export function neededCount(stored, key, aliases) {
  const value = readCount(stored, key, aliases);
  if (value === undefined) throw new Unreadable({ says: "missing", key });
  return value;
}

/**
 * Return a value as a sentence quotes it: short, and nothing of it invisible.
 * @param {unknown} value
 */
export function quote(value) {
  if (Array.isArray(value)) return "[…]";
  if (isObject(value)) return "{…}";
  const text = typeof value === "string" ? `“${visible(value)}”` : String(value);
  return text.length > QUOTED ? `${text.slice(0, QUOTED - 1)}…` : text;
}
