/**
 * The list of contents: open beside a wide page, and marked where the reader is.
 *
 * Without this script it is a closed <details>, or, where the style sheet can open it
 * (::details-content), an open list.
 */

const WIDE = "(min-width: 68.75em)"; // as in css/2-page.css: three columns
const READING_LINE = 0.3; // of the window's height: where the eye is taken to be

export class PageContents extends HTMLElement {
  constructor() {
    super();
    /** @type {{link: HTMLAnchorElement, target: HTMLElement}[]} */
    this.entries = [];
    /** @type {HTMLAnchorElement | null} */
    this.current = null;
  }

  connectedCallback() {
    for (const link of this.querySelectorAll("a")) {
      const target = document.getElementById(decodeURIComponent(link.hash.slice(1)));
      if (target) this.entries.push({ link, target });
    }
    this.openWhereWide();
    this.followReader();
  }

  openWhereWide() {
    const details = this.querySelector("details");
    const wide = matchMedia(WIDE);
    const open = () => details?.toggleAttribute("open", wide.matches);
    wide.addEventListener("change", open);
    open();
  }

  followReader() {
    let waiting = false;
    const follow = () => {
      waiting = false;
      this.mark(this.linkAtReader());
    };
    addEventListener("scroll", () => {
      if (!waiting) requestAnimationFrame(follow);
      waiting = true;
    }, { passive: true });
    follow();
  }

  /** Return the link of the last heading above the reading line, if there is one. */
  linkAtReader() {
    const line = innerHeight * READING_LINE;
    const passed = this.entries.filter(
      ({ target }) => target.getBoundingClientRect().top < line);
    return passed[passed.length - 1]?.link ?? null;
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
