"""The decoder once more, as equations: each method gives one number.

It shares no function with the model, neither with its operations nor with the loops of
its checks, and holds no array: a number is asked for by its indices and remembered.
Indices: t, s positions · h query heads · g key/value heads · d channels of the state ·
i channels of a head · f channels of the feed-forward · j vocabulary.
"""

import math
from functools import wraps


def remembered(number):
    """Return the method number, calculated once for each place it is asked for."""
    @wraps(number)
    def ask(self, *place):
        key = (number.__name__, *place)
        if key not in self.known:
            self.known[key] = number(self, *place)
        return self.known[key]
    return ask


class Decoder:
    """One sequence in one decoder.

    config     has the names of config.json as attributes
    weights    name -> array, matrices [in, out]
    token_ids  integers
    """

    def __init__(self, config, weights, token_ids, first_position=0):
        self.c, self.token_ids, self.first = config, token_ids, first_position
        self.w = {name: weight.astype(float).tolist()
                  for name, weight in weights.items()}
        self.group = config.num_attention_heads // config.num_key_value_heads
        self.known = {}

    def of(self, layer, name):
        return self.w[f"layers.{layer}.{name}"]

    @remembered
    def state(self, layer, t, d):
        """Channel d of position t as layer reads it, or as the last one left it."""
        if layer == 0:
            return self.w["embedding"][self.token_ids[t]][d]
        down = self.of(layer - 1, "w_down")
        return self.middle(layer - 1, t, d) + sum(
            self.gated(layer - 1, t, f) * down[f][d]
            for f in range(self.c.intermediate_size))

    @remembered
    def length(self, place, layer, t):
        """The root mean square of a state: place is "state" or "middle"."""
        number = getattr(self, place)
        squares = sum(number(layer, t, d) ** 2 for d in range(self.c.hidden_size))
        return (squares / self.c.hidden_size + self.c.rms_norm_eps) ** 0.5

    @remembered
    def normed(self, layer, t, d):
        gain = self.of(layer, "attn_norm")[d]
        return gain * self.state(layer, t, d) / self.length("state", layer, t)

    @remembered
    def projected(self, layer, name, head, t, i):
        matrix, column = self.of(layer, name), head * self.c.head_dim + i
        return sum(self.normed(layer, t, d) * matrix[d][column]
                   for d in range(self.c.hidden_size))

    @remembered
    def rotated(self, layer, name, head, t, i):
        half = self.c.head_dim // 2
        angle = (self.first + t) * self.c.rope_theta ** (-2 * (i % half) / (2 * half))
        here = self.projected(layer, name, head, t, i)
        partner = self.projected(layer, name, head, t, (i + half) % (2 * half))
        sign = -1 if i < half else 1
        return here * math.cos(angle) + sign * partner * math.sin(angle)

    @remembered
    def score(self, layer, h, t, s):
        products = (self.rotated(layer, "wq", h, t, i)
                    * self.rotated(layer, "wk", h // self.group, s, i)
                    for i in range(self.c.head_dim))
        return sum(products) / math.sqrt(self.c.head_dim)

    @remembered
    def weight(self, layer, h, t, s):
        if s > t:
            return 0.0
        total = sum(math.exp(self.score(layer, h, t, other)) for other in range(t + 1))
        return math.exp(self.score(layer, h, t, s)) / total

    @remembered
    def mixed(self, layer, h, t, i):
        return sum(self.weight(layer, h, t, s)
                   * self.projected(layer, "wv", h // self.group, s, i)
                   for s in range(t + 1))

    @remembered
    def middle(self, layer, t, d):
        """Channel d of position t between attention and feed-forward."""
        matrix, size = self.of(layer, "wo"), self.c.head_dim
        return self.state(layer, t, d) + sum(
            self.mixed(layer, h, t, i) * matrix[h * size + i][d]
            for h in range(self.c.num_attention_heads) for i in range(size))

    @remembered
    def middle_normed(self, layer, t, d):
        gain = self.of(layer, "mlp_norm")[d]
        return gain * self.middle(layer, t, d) / self.length("middle", layer, t)

    @remembered
    def expanded(self, layer, name, t, f):
        matrix = self.of(layer, name)
        return sum(self.middle_normed(layer, t, d) * matrix[d][f]
                   for d in range(self.c.hidden_size))

    @remembered
    def gated(self, layer, t, f):
        gate = self.expanded(layer, "w_gate", t, f)
        return gate / (1 + math.exp(-gate)) * self.expanded(layer, "w_up", t, f)

    @remembered
    def final(self, t, d):
        last = self.c.num_hidden_layers
        return (self.w["final_norm"][d] * self.state(last, t, d)
                / self.length("state", last, t))

    def logit(self, t, j):
        tied = self.c.tie_word_embeddings
        return sum(
            self.final(t, d) * (self.w["embedding"][j][d] if tied
                                else self.w["lm_head"][d][j])
            for d in range(self.c.hidden_size))
