"""A trace's tensors as figures show them: axes, a scale of colours, and the values.

Four tensors that no trace records are made here of those that it does, as
static/js/lib/computed-run.js makes them in the page.
"""

import base64
from dataclasses import dataclass, replace

import numpy as np

from sitegen import pictures
from sitegen.islands import LARGE
from sitegen.notation import fixed, signed, signed_class, visible, weight_class
from sitegen.recorded import token_labels
from sitegen.traces import forbidden_cells

TABLE_LIMIT = LARGE
DIGITS = 2
ROW = ["batch", "position", "channel"]
MADE_OF = {"q_flat": "q", "k_flat": "k", "v_flat": "v", "silu": "gate"}
TOKEN_AXES = ("position", "query", "key")
WEIGHT_AXES = {"embedding": ("vocab", "channel"), "lm_head": ("channel", "vocab")}


@dataclass(frozen=True)
class Label:
    """What a row or a column is called: its number, and its token's label or ''."""

    index: int
    text: str


@dataclass(frozen=True)
class Values:
    """One matrix of a tensor: as a table, or, above 32 × 32, as a picture.

    head      its number, where the tensor has several, else None
    rows      (Label, cells as (class, text)); a masked cell's text is None
    pictures  two data: addresses, light and dark
    """

    head: int | None
    columns: tuple[Label, ...]
    rows: tuple[tuple[Label, tuple[tuple[str, str | None], ...]], ...] = ()
    pictures: tuple[str, ...] = ()


@dataclass(frozen=True)
class ShownTensor:
    """A tensor or a weight by its name.

    axes    (name, length) of each
    scale   how far its colours reach to both sides; None for probabilities
    values  one for each head; none where they are not shown
    """

    name: str
    axes: tuple[tuple[str, int], ...]
    scale: float | None = None
    values: tuple[Values, ...] = ()

    @property
    def end(self):
        """Return the end of the scale as it is printed."""
        return None if self.scale is None else fixed(self.scale, DIGITS)


def source_of(name):
    """Return the name of the recorded tensor that a tensor is, or is made of."""
    layer, _, kind = name.rpartition(".")
    return f"{layer}.{MADE_OF[kind]}" if kind in MADE_OF else name


def read_tensor(trace, name):
    """Return (dims, float64 array) of a tensor that is recorded or can be made."""
    source = source_of(name)
    dims, array = trace.data["tensors"][source]["dims"], trace.tensor(source)
    if source == name:
        return dims, array
    if name.endswith("silu"):
        return dims, array / (1 + np.exp(-array))
    batch, _, length, _ = array.shape
    return ROW, array.swapaxes(1, 2).reshape(batch, length, -1)


def show_weight(trace, name):
    """Return a weight of the model as a ShownTensor without values."""
    stored = trace.data["parameters"][name]
    shape = stored["shape"]
    axes = WEIGHT_AXES.get(name, ("in", "out") if len(shape) > 1 else ("channel",))
    numbers = np.frombuffer(base64.b64decode(stored["data"]), "<f4")
    return ShownTensor(name, tuple(zip(axes, shape, strict=True)),
                       float(np.abs(numbers).max()))


def show_tensor(trace, name):
    """Return a tensor of the trace as a ShownTensor without values."""
    dims, array = read_tensor(trace, name)
    unit = trace.data["tensors"][source_of(name)]["unit"]
    finite = np.abs(array[np.isfinite(array)])
    scale = None if unit == "probability" else float(finite.max(initial=0))
    return ShownTensor(name, tuple(zip(dims, array.shape, strict=True)), scale)


def with_values(trace, tensor):
    """Return a ShownTensor with the values of its last two axes, a matrix a head."""
    dims, array = read_tensor(trace, tensor.name)
    if array.ndim < 3:
        return tensor
    heads = array[0].reshape(-1, *array.shape[-2:])
    forbidden = np.zeros(heads.shape[1:], bool)
    if tensor.name.endswith(("masked_scores", "weights")):
        forbidden = forbidden_cells(trace, heads.shape[1:])
    labels = [axis_labels(trace, *axis) for axis in tensor.axes[-2:]]
    return replace(tensor, values=tuple(
        _values(number if len(dims) > 3 else None, labels, (matrix, forbidden),
                tensor.scale)
        for number, matrix in enumerate(heads)))


def axis_labels(trace, axis, length):
    """Return a Label for each place on an axis."""
    words = [""] * length
    if axis in TOKEN_AXES:
        words = token_labels(trace, length)
    elif axis == "vocab":
        words = list(map(visible, trace.data.get("vocabulary", words)))
    return tuple(Label(index, word) for index, word in enumerate(words[:length]))


def likeliest_tokens(trace, count):
    """Return (Label, probability, per cent) of the likeliest next tokens."""
    if "next_token_probs" not in trace.data["tensors"]:
        return []
    probabilities = trace.tensor("next_token_probs")[0]
    labels = axis_labels(trace, "vocab", len(probabilities))
    order = np.argsort(-probabilities, kind="stable")[:count]
    return [(labels[token], fixed(probabilities[token], 3),
             f"{100 * probabilities[token]:.1f}")
            for token in order]


def _values(head, labels, numbers, scale):
    rows, columns = labels
    matrix, forbidden = numbers
    if max(matrix.shape) > TABLE_LIMIT:
        return Values(head, columns, pictures=_drawn(matrix, forbidden, scale))
    return Values(head, columns, tuple(
        (label, tuple(_cell(number, masked, scale)
                      for number, masked in zip(*row, strict=True)))
        for label, *row in zip(rows, matrix, forbidden, strict=True)))


def _cell(number, masked, scale):
    if masked:
        return "masked", None
    if scale is None:
        return weight_class(number), fixed(number, DIGITS)
    return signed_class(number / (scale or 1)), signed(number, DIGITS)


def _drawn(matrix, forbidden, scale):
    draw, palettes = pictures.weight_picture, pictures.WEIGHT_PALETTES
    if scale is not None:
        draw, palettes = pictures.signed_picture, pictures.SIGNED_PALETTES
    return tuple(draw(matrix / (scale or 1), forbidden, palette)
                 for palette in palettes)
