"""The picture that others show where they link to an article: its own, or drawn."""

from sitegen.errors import Place, Problem, known
from sitegen.image_size import picture_size
from sitegen.lazy import numpy as np
from sitegen.pictures import LIGHT, palette_png
from sitegen.sheet import HATCH_COLOURS, shrink
from sitegen.traces import forbidden_cells

WIDTH, HEIGHT = 1200, 630       # what OpenGraph's readers show whole
LEAST = 600, 315                # below this they show a thumbnail, or nothing
EDGE, GAP = 48, 24
HATCH_STEP, HATCH_LINE = 12, 2
HATCH, PAPER, UNUSED = 17, 18, 19       # after the 17 stops of the ramp
PALETTE = [*LIGHT, HATCH_COLOURS[0], "fdfdfc", "000000"]    # --paper of 1-tokens.css
DRAWN = "data/picture.png"      # beside the page
WEIGHTS = "layers.0.weights"


def check_picture(article):
    """Yield a Problem unless the front matter's picture is one that can be shown; it
    is taken out of the front matter then."""
    name = article.front.get("picture")
    if name is None:
        return
    place = article.places["picture"]
    if name not in article.files:
        problem = Problem(place, f"picture: no file '{name}'",
                          known(article.files, name))
    elif why := _fault(article.files[name].read_bytes()):
        problem = Problem(place, f"picture: '{name}': {why}",
                          "expected a PNG or JPEG file of at least "
                          f"{LEAST[0]} × {LEAST[1]} pixels")
    else:
        return
    article.front.pop("picture")
    yield problem


def _fault(content):
    """Return what is wrong with a picture's bytes; None where nothing is."""
    try:
        _, width, height = picture_size(content)
    except ValueError as error:
        return str(error)
    if width < LEAST[0] or height < LEAST[1]:
        return f"{width} × {height} pixels are too few"
    return None


def share_picture(context):
    """Return what the page says of its picture, and put a drawn one beside the page;
    None where there is neither a picture nor a trace with weights."""
    front, files = context.article.front, context.article.files
    if name := front.get("picture"):
        kind, width, height = picture_size(files[name].read_bytes())
        alt = front.get("picture-alt", front.get("title", context.article.slug))
        return {"file": name, "type": kind, "width": width, "height": height,
                "alt": alt}
    trace = context.traces.get(front.get("trace"))
    if trace is None or WEIGHTS not in trace.data["tensors"]:
        return None
    if DRAWN in files:
        folder = context.article.path.rpartition("/")[0]
        context.problem(Place(f"{folder}/{DRAWN}"), "the picture that is drawn for "
                        "those who link to the article has this name",
                        "rename the file, or make it the front matter's picture")
    weights = trace.tensor(WEIGHTS)[0]
    context.downloads[DRAWN] = draw_weights(
        weights, forbidden_cells(trace, weights.shape[1:]))
    heads, queries, keys = weights.shape
    alt = context.words["publish_picture_alt"].format(
        name=trace.data["model"]["name"], heads=heads, queries=queries, keys=keys)
    return {"file": DRAWN, "type": "image/png", "width": WIDTH, "height": HEIGHT,
            "alt": alt}


def draw_weights(weights, forbidden):
    """Return the bytes of a PNG with a layer's heads side by side, as large as fits.

    weights    [H, T, S]
    forbidden  [T, S] of bool   hatched
    """
    across, room = _layout(len(weights))
    count = max(weights.shape[1:])
    side = room - room % count if count <= room else room   # whole pixels to a cell
    small = shrink(np.where(forbidden, -1, weights), side)
    hatched = np.add.outer(np.arange(side), np.arange(side)) % HATCH_STEP < HATCH_LINE
    stops = np.where(small < 0, np.where(hatched, HATCH, PAPER),
                     np.floor(np.clip(small, 0, 1) * 16 + 0.5))
    pixels = np.full((HEIGHT, WIDTH), PAPER, np.uint8)
    down = -(-len(weights) // across)
    top, left = (HEIGHT - down * (room + GAP) + GAP) // 2, (
        WIDTH - across * (room + GAP) + GAP) // 2
    for head, picture in enumerate(stops):
        y = top + head // across * (room + GAP) + (room - side) // 2
        x = left + head % across * (room + GAP) + (room - side) // 2
        pixels[y:y + side, x:x + side] = picture
    return palette_png(pixels, PALETTE, UNUSED)


def _layout(heads):
    """Return (heads in a row, pixels of room for each) that make them largest."""
    def room(across):
        down = -(-heads // across)
        return min((WIDTH - 2 * EDGE + GAP) // across, (HEIGHT - 2 * EDGE + GAP) // down
                   ) - GAP

    across = max(range(1, heads + 1), key=room)
    return across, max(1, room(across))
