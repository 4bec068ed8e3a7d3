"""The page on which bytes are calculated, and what a test reads and does there."""

from tests.browser.attention_heatmap.pages import said

PAGE = "a/index.html"
TEXT = """/// cache-bytes | sizes
    file: configurations.json
    config: llama-3-8b

The cache grows with the context.
///

/// line-plot | lines
    file: decode.json
    rows: decode
    x: positions
    lines: {preallocated: kept, concatenated: copied, recomputed: made again}
    x-label: positions
    y-label: time of a step

One step, three ways.
///
"""
OWN = '{"num_hidden_layers": 2, "num_attention_heads": 4, "hidden_size": 32}'


def product(page):
    """Return the multiplication and its result."""
    return said(page, "#sizes .sentence")


def choose(page, **choices):
    """Choose by the controls, each at once: what is typed passes other numbers."""
    for name, value in choices.items():
        page.evaluate("""([name, value]) => {
          const control =
            document.querySelector(`#sizes [data-control=${name}]`);
          control.value = value;
          control.dispatchEvent(new Event("input", { bubbles: true }));
        }""", [name, str(value)])


def paste(page, text):
    """Put a text into the box for a config.json; return what the page says of it."""
    page.evaluate("document.querySelector('#sizes .paste').open = true")
    page.fill("#sizes textarea", text)
    return said(page, "#sizes .answer")


def go(page, fragment):
    """Change the page's address, and wait until it has been heard."""
    page.evaluate("""(fragment) => new Promise((heard) => {
      addEventListener("hashchange", heard, { once: true });
      location.hash = fragment;
    })""", fragment)


def drawing(page, html=None):
    """Return what is drawn and said, as HTML: of the page now, or as it was written."""
    return page.evaluate("""(html) => {
      const parser = new DOMParser();
      const root = html ? parser.parseFromString(html, "text/html") : document;
      return ["svg", ".notes", ".kinds", ".all"].map((part) =>
        root.querySelector(`#sizes ${part}`).outerHTML.replace(/>\\s+</g, "><"));
    }""", html)


def place(page):
    """Return where the chosen context stands in the drawing, (x, y)."""
    return page.evaluate("""() => ["cx", "cy"].map((name) => parseFloat(
      document.querySelector("#sizes .chosen circle").getAttribute(name)))""")
