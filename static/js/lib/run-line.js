import { fillParts } from "./page-parts.js";
import { runInWords } from "./run-words.js";

/**
 * Say what a run is that is not the recording, in place of the recording's origin.
 * Return the name of what the figure now shows.
 * @param {HTMLElement} figure
 * @param {import("./computed-run.js").Run} run
 * @param {import("./trace.js").Trace} recording
 */
export function writeRun(figure, run, recording) {
  const line = /** @type {HTMLElement | null} */ (figure.querySelector(".run-line"));
  if (!line) return recording.id; // of a trace without parameters
  const words = runInWords(run, recording, line.dataset);
  fillParts(line, { run: words });
  line.hidden = run.recorded;
  const source = figure.parentElement?.querySelector(".origin");
  if (source) /** @type {HTMLElement} */ (source).hidden = !run.recorded;
  return run.recorded ? recording.id : `${recording.id}, ${words}`;
}
