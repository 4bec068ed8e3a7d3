import { fillParts, showWhen } from "./page-parts.js";
import { TraceError } from "./trace.js";

/**
 * An element that shows what the page's model computes of one trace, data-trace.  It
 * starts once, however often it is moved within the page.  Where it cannot, the static
 * figure stays, with a sentence that says why, and data-still hides what does nothing.
 */
export class ModelFigure extends HTMLElement {
  constructor() {
    super();
    this.traceId = "";
    this.stopHearing = () => {};
  }

  async connectedCallback() {
    if (this.traceId) return; // moved within the page
    this.traceId = this.dataset.trace || "";
    try {
      await this.start();
    } catch (error) {
      this.giveUp(error);
    }
  }

  disconnectedCallback() {
    this.stopHearing();
  }

  /** Load the model and draw; what it throws is said in the figure. */
  async start() {
    throw new Error("a figure says what it draws");
  }

  /** @param {unknown} error */
  giveUp(error) {
    this.toggleAttribute("data-still", true);
    showWhen(this, { unreadable: true });
    fillParts(this, { reason: error instanceof Error ? error.message : String(error) });
    if (!(error instanceof TraceError)) throw error;
  }
}
