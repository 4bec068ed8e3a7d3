/**
 * What `build.py serve` puts into each page that it shows: when a build is done the
 * page is read again, at the place where its reader was; when a build fails, the page
 * says why.  No page on disk has it.
 */

/** @typedef {{ what: string, more: string }} Problem */
/** @typedef {{ id: string, top: number, y: number, path: string }} Reading */

const PLACE = "serve-place";
const MOVES = ["wheel", "keydown", "pointerdown", "touchstart"];
const ours = new URL(import.meta.url).searchParams.get("version");
let shown = "[]";
/** @type {EventSource | null} */
let events = null;

/** Keep where the reader is: how far above the window's edge a part of the text has
 * begun, since what stands before it may grow or shrink. */
function keepPlace() {
  const passed = [...document.querySelectorAll("main [id]")]
    .filter((part) => part.getClientRects().length)
    .map((part) => ({ id: part.id, top: part.getBoundingClientRect().top }))
    .filter(({ top }) => top <= 1);
  const nearest = passed.reduce((best, each) => (each.top >= best.top ? each : best),
    { id: "", top: -Infinity });
  sessionStorage.setItem(PLACE, JSON.stringify(
    { ...nearest, y: scrollY, path: location.pathname }));
  history.scrollRestoration = "manual";
}

/** Go back to where the reader was, and again when all is there, unless they moved. */
function returnToPlace() {
  const kept = sessionStorage.getItem(PLACE);
  sessionStorage.removeItem(PLACE);
  history.scrollRestoration = "auto";
  /** @type {Reading | null} */
  const place = kept && JSON.parse(kept);
  if (place?.path !== location.pathname) return;
  const controller = new AbortController();
  const { signal } = controller;
  const giveUp = () => controller.abort();
  for (const move of MOVES) addEventListener(move, giveUp, { signal });
  goTo(place);
  addEventListener("load", () => requestAnimationFrame(() => {
    if (!signal.aborted) goTo(place);
    giveUp();
  }), { signal });
}

/** @param {Reading} place */
function goTo({ id, top, y }) {
  const part = id && document.getElementById(id);
  const now = part ? part.getBoundingClientRect().top + scrollY - top : y;
  scrollTo({ top: now, behavior: "instant" });
}

/**
 * @param {string} name
 * @param {string} text
 */
function element(name, text) {
  const made = document.createElement(name);
  made.textContent = text;
  return made;
}

/**
 * Show the problems over the page, which stays the last good one; a closed list of
 * them stays closed until they are others.
 * @param {Problem[]} problems
 */
function show(problems) {
  const wanted = JSON.stringify(problems);
  if (wanted === shown) return;
  shown = wanted;
  document.querySelector("serve-problems")?.remove();
  if (!problems.length) return;
  const panel = document.createElement("serve-problems");
  const root = panel.attachShadow({ mode: "open" });
  const style = document.createElement("link");
  style.rel = "stylesheet";
  style.href = "/-/serve.css";
  root.append(style, details(problems));
  document.body.append(panel);
}

/** @param {Problem[]} problems */
function details(problems) {
  const list = document.createElement("details");
  list.open = true;
  list.setAttribute("role", "alert");
  const count = problems.length === 1 ? "1 problem" : `${problems.length} problems`;
  const stays = ours ? "; the last good page stays" : "";
  list.append(element("summary", count + stays));
  for (const { what, more } of problems) {
    list.append(element("p", what), element("pre", more));
  }
  list.addEventListener("keydown", ({ key }) => {
    if (key === "Escape") list.open = false;
  });
  return list;
}

/** @param {MessageEvent<string>} event */
function receive({ data }) {
  const { version, problems } = JSON.parse(data);
  if (version === ours) {
    show(problems);
  } else {
    events?.close();
    keepPlace();
    location.reload();
  }
}

/** Listen while the page can be seen: a browser keeps six connections to a server, and
 * a page in the background can wait. */
function listen() {
  events?.close();
  if (document.visibilityState === "visible") {
    events = new EventSource("/-/events");
    events.onmessage = receive;
  }
}

returnToPlace();
document.addEventListener("visibilitychange", listen);
listen();
