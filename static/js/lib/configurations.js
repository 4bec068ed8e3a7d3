import { countParameters } from "./cache-sizes.js";
import {
  Unreadable, isObject, neededCount, parseObject, quote, readCount, valueOf,
} from "./config-text.js";
import { grouped } from "./sizes.js";

/**
 * Read a model's sizes from the text of its config.json.
 *
 * @typedef {import("./cache-sizes.js").Config} Config
 * @typedef {import("./config-text.js").Alias} Alias
 * @typedef {import("./config-text.js").Message} Message
 * @typedef {import("./config-text.js").Stored} Stored
 */

const MOST_NUMBERS = 2 ** 22; // of one token: all bytes are then exact in a double
const WITHIN = ["text_config", "llm_config", "language_config"]; // of multimodal models
const KNOWN_LAYERS = ["full_attention", "sliding_attention"];
/** Every n-th layer has no window, where the text says nothing of it.
 * @type {Map<unknown, number>} */
const PATTERNS = new Map([["gemma2", 2], ["gemma3", 6], ["gemma3_text", 6]]);
const TIED = ["gemma", "gemma2", "gemma3_text"]; // where the text says nothing of it

/**
 * Return a text's configuration and what was read under other names, or a message.
 * @param {string} text
 * @returns {{config: Config, aliases: Alias[]} | {message: Message}}
 */
export function readConfig(text) {
  try {
    const aliases = /** @type {Alias[]} */ ([]);
    const stored = sizesWithin(parseObject(text), aliases);
    return { config: configOf(stored, aliases), aliases };
  } catch (error) {
    if (!(error instanceof Unreadable)) throw error;
    return { message: error.said };
  }
}

/**
 * Return the part of a configuration that has the language model's sizes.
 * @param {Stored} stored
 * @param {Alias[]} aliases
 */
function sizesWithin(stored, aliases) {
  if (readCount(stored, "num_hidden_layers", []) !== undefined) return stored;
  const alias = WITHIN.find((name) => isObject(valueOf(stored, name)));
  if (!alias) return stored;
  aliases.push({ key: "num_hidden_layers", alias: `${alias}.num_hidden_layers` });
  return /** @type {Stored} */ (stored[alias]);
}

/**
 * @param {Stored} stored
 * @param {Alias[]} aliases
 * @returns {Config}
 */
function configOf(stored, aliases) {
  refuseOtherMemories(stored);
  const layers = neededCount(stored, "num_hidden_layers", aliases);
  const heads = neededCount(stored, "num_attention_heads", aliases);
  const kvHeads = readKvHeads(stored, aliases) ?? heads;
  if (heads % kvHeads) {
    const [key, value] = [kvHeads, heads].map(grouped);
    throw new Unreadable({ says: "groups", key, value });
  }
  const headDim = readCount(stored, "head_dim", aliases)
    ?? share(neededCount(stored, "hidden_size", aliases), heads);
  const numbers = 2 * layers * heads * headDim;
  if (numbers > MOST_NUMBERS) {
    throw new Unreadable({ says: "total", value: grouped(numbers) });
  }
  const config = {
    num_hidden_layers: layers, num_attention_heads: heads,
    num_key_value_heads: kvHeads, head_dim: headDim,
    ...windowOf(stored, layers), ...weightsOf(stored),
  };
  const biased = ["attention_bias", "mlp_bias"].some(
    (key) => valueOf(stored, key) === true);
  const parameters = biased ? undefined : countParameters(config);
  return Number.isSafeInteger(parameters) ? { ...config, parameters } : config;
}

/**
 * A latent vector and a recurrent state are memories of another kind.
 * @param {Stored} stored
 */
function refuseOtherMemories(stored) {
  if (valueOf(stored, "kv_lora_rank") !== undefined) {
    throw new Unreadable({ says: "latent", key: "kv_lora_rank" });
  }
  const types = valueOf(stored, "layer_types");
  const others = Array.isArray(types)
    ? types.filter((type) => !KNOWN_LAYERS.includes(type)) : [];
  if (others.length) throw new Unreadable({ says: "layer", value: quote(others[0]) });
}

/**
 * @param {Stored} stored
 * @param {Alias[]} aliases
 */
function readKvHeads(stored, aliases) {
  const shared = valueOf(stored, "multi_query") === true
    && valueOf(stored, "new_decoder_architecture") !== true
    && valueOf(stored, "num_key_value_heads") === undefined;
  if (!shared) return readCount(stored, "num_key_value_heads", aliases);
  aliases.push({ key: "num_key_value_heads", alias: "multi_query" });
  return 1;
}

/**
 * @param {number} hidden
 * @param {number} heads
 */
function share(hidden, heads) {
  if (hidden % heads) throw new Unreadable({ says: "head_dim", value: grouped(heads) });
  return hidden / heads;
}

/**
 * Return the window of a model that has one, and how many of its layers do.
 * @param {Stored} stored
 * @param {number} layers
 */
function windowOf(stored, layers) {
  const window = readCount(stored, "sliding_window", []);
  if (!window || valueOf(stored, "use_sliding_window") === false) return {};
  const types = valueOf(stored, "layer_types");
  const pattern = valueOf(stored, "sliding_window_pattern")
    ?? PATTERNS.get(valueOf(stored, "model_type"));
  const first = valueOf(stored, "use_sliding_window") === true
    ? Number(valueOf(stored, "max_window_layers") ?? 0) : 0;
  const sliding = Array.isArray(types)
    ? types.filter((type) => type === "sliding_attention").length
    : layers - (Number(pattern) > 0 ? Math.floor(layers / Number(pattern)) : first);
  return sliding >= 1 ? {
    sliding_window: window, sliding_layers: Math.min(Math.floor(sliding), layers),
  } : {};
}

/**
 * Return what the count of the weights needs, as far as it is there.
 * @param {Stored} stored
 */
function weightsOf(stored) {
  const type = String(valueOf(stored, "model_type") ?? "");
  const sizes = ["hidden_size", "intermediate_size", "vocab_size",
    "max_position_embeddings"].map((key) => [key, valueOf(stored, key)])
    .filter(([, value]) => Number.isSafeInteger(value) && Number(value) > 0);
  return {
    ...Object.fromEntries(sizes), model_type: type,
    tie_word_embeddings: valueOf(stored, "tie_word_embeddings") ?? TIED.includes(type),
  };
}
