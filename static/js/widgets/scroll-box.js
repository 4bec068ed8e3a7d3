/**
 * A box that scrolls sideways: a stop for the keyboard only while something is cut off.
 *
 * Without this script it is always a stop, since nobody can tell then.
 */

export class ScrollBox extends HTMLElement {
  connectedCallback() {
    new ResizeObserver(() => this.update()).observe(this);
  }

  update() {
    const cutOff = this.scrollWidth > this.clientWidth;
    if (cutOff) this.setAttribute("tabindex", "0");
    else this.removeAttribute("tabindex");
  }
}

customElements.define("scroll-box", ScrollBox);
