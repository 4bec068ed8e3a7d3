/**
 * The colours of the page, for a canvas: read off a ramp that the style sheet coloured.
 */

export class Palette {
  /**
   * @param {Element} ramp  one child a stop
   * @param {() => void} repaint  called when the page's colours change; a printer does
   *   not wait for the next frame
   */
  constructor(ramp, repaint) {
    this.ramp = ramp;
    /** @type {Uint32Array | null} */
    this.pixels = null;
    const forget = () => {
      this.pixels = null;
      repaint();
    };
    matchMedia("(prefers-color-scheme: dark)").addEventListener("change", forget);
    new MutationObserver(forget)
      .observe(document.documentElement, { attributeFilter: ["data-theme"] });
    for (const moment of ["beforeprint", "afterprint"]) {
      addEventListener(moment, () => {
        ramp.classList.toggle("on-paper", moment === "beforeprint");
        forget();
      });
    }
  }

  /** Return one RGBA pixel a stop; the same array until the colours change. */
  read() {
    this.pixels ||= pixelsOf([...this.ramp.children]);
    return this.pixels;
  }
}

/** @param {Element[]} stops */
function pixelsOf(stops) {
  const bytes = stops.flatMap((stop) => {
    const colour = getComputedStyle(stop).backgroundColor; // rgb(r, g, b)
    return [...(colour.match(/\d+/g) || []).slice(0, 3).map(Number), 255];
  });
  return new Uint32Array(Uint8Array.from(bytes).buffer);
}
