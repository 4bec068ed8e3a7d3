/**
 * The list of contents: open beside a wide page, and marked where the reader is.
 *
 * Without this script it is a closed <details>, or, where the style sheet can open it
 * (::details-content), an open list.
 */

const WIDE = "(min-width: 68.75em)"; // the same as in page.css: three columns
const READING_LINE = 0.3; // of the window's height: where the eye is taken to be

export class PageContents extends HTMLElement {
  connectedCallback() {
    this.details = this.querySelector("details");
    this.links = [...this.querySelectorAll("a")];
    this.targets = this.links.map((link) => document.getElementById(link.hash.slice(1)));
    this.current = null;
    this.openWhereWide();
    this.followReader();
  }

  openWhereWide() {
    const wide = matchMedia(WIDE);
    const open = () => {
      this.details.open = wide.matches;
    };
    wide.addEventListener("change", open);
    open();
  }

  followReader() {
    let waiting = false;
    const mark = () => {
      waiting = false;
      this.mark(this.linkAtReader());
    };
    addEventListener("scroll", () => {
      if (!waiting) requestAnimationFrame(mark);
      waiting = true;
    }, { passive: true });
    mark();
  }

  /** Return the link of the last heading above the reading line, if there is one. */
  linkAtReader() {
    const line = innerHeight * READING_LINE;
    const passed = this.targets.filter((target) => target
      && target.getBoundingClientRect().top < line);
    return this.links[this.targets.indexOf(passed[passed.length - 1])] || null;
  }

  /** @param {HTMLAnchorElement | null} link */
  mark(link) {
    if (link === this.current) return;
    this.current?.removeAttribute("aria-current");
    link?.setAttribute("aria-current", "location");
    this.current = link;
    if (link) this.scrollTop = link.offsetTop - this.clientHeight / 2;
  }
}

customElements.define("page-contents", PageContents);
