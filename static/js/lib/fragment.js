/**
 * The state that a reader would share, in the page's address: `#~layer=0&head=2`.
 *
 * A fragment is an id or a state.  A state begins with a tilde, which no id does.
 */

const WAIT_MILLISECONDS = 250; // browsers refuse more than some ten changes a second

/**
 * Return the state in a fragment, or an empty one where it is an id.
 * @param {string} fragment  with or without its #
 * @returns {Map<string, string>}
 */
export function parseFragment(fragment) {
  const text = fragment.replace(/^#/, "");
  return new Map(text.startsWith("~") ? new URLSearchParams(text.slice(1)) : []);
}

/**
 * Return whether a fragment is an id, which says nothing of the state.
 * @param {string} fragment  with its #
 */
export function isPlace(fragment) {
  return /^#[^~]/.test(fragment);
}

/**
 * Return the fragment that says a state, or "" for an empty one.
 * @param {Map<string, string>} state
 */
export function formatFragment(state) {
  return state.size ? `#~${new URLSearchParams([...state])}` : "";
}

/**
 * Return a fragment with some of its state changed; null takes a key away.
 * @param {string} fragment
 * @param {Record<string, string | number | null>} changes
 */
export function changedFragment(fragment, changes) {
  const state = parseFragment(fragment);
  for (const [key, value] of Object.entries(changes)) {
    if (value === null) state.delete(key);
    else state.set(key, String(value));
  }
  return formatFragment(state);
}

/**
 * Return the whole number, zero or more, that a state has under a key, or undefined.
 * @param {Map<string, string>} state
 * @param {string} key
 */
export function countIn(state, key) {
  const text = state.get(key) ?? "";
  return /^\d{1,6}$/.test(text) ? Number(text) : undefined;
}

/**
 * Return changes of the state under the names that a trace has in the address.
 * @param {string} prefix  empty for the page's own trace
 * @param {Record<string, string | number | null>} changes
 */
export function prefixed(prefix, changes) {
  return Object.fromEntries(
    Object.entries(changes).map(([name, value]) => [prefix + name, value]));
}

/**
 * What the next writing of the address will say: a place, or changes of the state.
 * @typedef {Record<string, string | number | null>} Changes
 * @type {{changes: Changes, place: string, timer: number}}
 */
const waiting = { changes: {}, place: "", timer: 0 };

/**
 * Change the state in the page's address, once the reader has come to rest.
 * @param {Record<string, string | number | null>} changes
 */
export function rememberInAddress(changes) {
  Object.assign(waiting.changes, changes);
  waiting.place = "";
  clearTimeout(waiting.timer);
  waiting.timer = window.setTimeout(writeAddress, WAIT_MILLISECONDS);
}

/** Return the page's fragment as it will be once what waits is written. */
export function comingFragment() {
  const { changes, place } = waiting;
  if (place) return `#${place}`;
  const { hash } = location;
  return Object.keys(changes).length ? changedFragment(hash, changes) : hash;
}

/**
 * Change the state in the page's address now, with all that was to be remembered.
 * @param {Record<string, string | number | null>} changes
 */
export function changeAddress(changes) {
  rememberInAddress(changes);
  clearTimeout(waiting.timer);
  writeAddress();
}

/**
 * Put a place of the page into its address, as soon; what came last counts.
 * @param {string} id
 */
export function rememberPlace(id) {
  waiting.changes = {};
  waiting.place = id;
  clearTimeout(waiting.timer);
  waiting.timer = window.setTimeout(writeAddress, WAIT_MILLISECONDS);
}

function writeAddress() {
  const fragment = comingFragment();
  waiting.changes = {};
  waiting.place = "";
  if (fragment === location.hash) return;
  const address = fragment || location.pathname + location.search;
  history.replaceState(history.state, "", address);
}
