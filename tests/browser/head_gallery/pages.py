"""The page that the gallery's tests read, and what a test does on it."""

import re

PAGE = "a/index.html"
SHEET = "head-gallery .sheet"
IDS = [7, *range(10, 29), *range(10, 29), 9]
FRONT = "---\ntitle: Title\ntrace: demo\n---\n"
FAR = "\n\n".join(["A line of text, so that the gallery is far away."] * 60)
TEXT = f"""/// attention-heatmap | small
    row: 2

The demo.
///

{FAR}

/// head-gallery | gallery
    trace: pretrained
    repeated: pretrained

All heads.
///

/// attention-heatmap | large
    trace: pretrained

The chosen head.
///
"""

# The sheet's pixels, read from a copy: the sheet's own canvas is only ever drawn.
COPY = """(() => {
  const { sheet, canvas } = document.querySelector("head-gallery");
  if (!sheet || !canvas.canvas.width) return null;
  const copy = document.createElement("canvas");
  copy.width = canvas.canvas.width;
  copy.height = canvas.canvas.height;
  const context = copy.getContext("2d", { willReadFrequently: true });
  context.drawImage(canvas.canvas, 0, 0);
  return { sheet, context };
})()"""
# Every place of the sheet that has a head has some pixel of it.
DRAWN = f"""() => {{
  const copied = {COPY};
  if (!copied) return false;
  const {{ sheet, context }} = copied;
  return [...sheet.at].every((index, place) => {{
    if (index < 0) return true;
    const x = sheet.left + (place % sheet.columns) * sheet.cell;
    const y = sheet.top(Math.floor(place / sheet.columns));
    const {{ data }} = context.getImageData(x, y, sheet.side, sheet.side);
    return data.some((byte) => byte > 0);
  }});
}}"""
FIRST_PIXEL = f"""() => {{
  const {{ sheet, context }} = {COPY};
  return [...context.getImageData(sheet.left, sheet.top(0), 1, 1).data];
}}"""
# Every colour that the sheet has, as rrggbb.
COLOURS = f"""() => {{
  const {{ sheet, context }} = {COPY};
  const {{ data }} = context.getImageData(0, 0, context.canvas.width, sheet.height);
  const found = new Set();
  const hex = (byte) => byte.toString(16).padStart(2, "0");
  for (let i = 0; i < data.length; i += 4) {{
    if (data[i + 3]) found.add([...data.subarray(i, i + 3)].map(hex).join(""));
  }}
  return [...found];
}}"""


def said(page, selector):
    """Return what an element says, white space as single spaces."""
    return re.sub(r"\s+", " ", page.inner_text(selector)).strip()


def live_cell(page):
    """Return what the sheet's one live cell says."""
    cells = page.locator(f"{SHEET} [role=gridcell]")
    assert cells.count() == 1
    assert cells.get_attribute("id") == page.get_attribute(
        SHEET, "aria-activedescendant")
    return cells.text_content()


def settle(page):
    """Wait for the frame in which a change is drawn, its data loaded."""
    page.wait_for_timeout(300)


def press(page, *keys):
    """Press keys on the sheet."""
    page.focus(SHEET)
    for key in keys:
        page.keyboard.press(key)
        settle(page)


def shown_head(page, figure="#large"):
    """Return the layer and head that a heatmap shows."""
    return tuple(page.evaluate(
        "(figure) => { const { layer, head } = document.querySelector("
        "`${figure} attention-heatmap`).state; return [layer, head]; }", figure))


def row_of(page):
    """Return the numbers of the large heatmap's followed row, as its script has."""
    return page.evaluate("""() => {
      const { pictures, state } = document.querySelector("#large attention-heatmap");
      const { matrix } = pictures.of(state).head;
      const from = state.query * matrix.keys;
      return [...matrix.values.subarray(from, from + matrix.keys)];
    }""")
