"""The numbers of "The whole computation" that tell what the trained twin can do.

    python experiments_twin.py

The twin was trained to repeat sequences of distinct tokens.  Here it gets a thousand
that it has not seen, whole and with one thing taken away.  It runs beside tiny_llama.py
and twin.npz and needs NumPy alone.  The twin knows no language, and neither do the
random weights that are asked beside it.

Axes: N sequences, H heads, n distinct tokens, T = 2n positions.
"""

import numpy as np
from tiny_llama import (
    SEED,
    Config,
    TinyLlama,
    draw_weights,
    pass_through,
    read_weights,
)

twin_sequences, twin_length = 1000, 12          # N and n
SEQUENCE_SEED = 2026                            # training drew its own, with PyTorch
BATCH = 20                                      # sequences in a call: small is quick


def repeated_sequences(count, distinct, seed):
    """Return token ids [N, 2n]: n distinct tokens in random order, and once more."""
    order = np.random.default_rng(seed).random((count, Config().vocab_size))
    first = order.argsort(axis=1)[:, :distinct]
    return np.hstack([first, first])


def accuracy(model, sequences, make_tap=lambda: pass_through):
    """How much of the repeat is told? The share of positions in the second half whose
    likeliest next token is right: n - 1 a sequence, because nobody can know where a
    repeat begins.  Each batch gets a tap of its own."""
    distinct, right = sequences.shape[1] // 2, 0
    for batch in np.array_split(sequences, -(-len(sequences) // BATCH)):
        likeliest = model(batch, None, make_tap()).argmax(axis=-1)   # [N, T]
        right += np.sum(likeliest[:, distinct:-1] == batch[:, distinct + 1:])
    return float(right / (len(sequences) * (distinct - 1)))


# ------------------------------------------------------------- what the heads look at

def masses(weights):
    """Where does each head look? Weights [N, H, T, T]; for each head its mean weight on
    the position itself and on the one before, both from position 1 on, and, in the
    second half, on what followed the present token the first time: [H] each."""
    distinct = weights.shape[-1] // 2
    mean = weights.mean(axis=0)                                      # [H, T, T]
    itself, before, target = (np.diagonal(mean, -back, axis1=1, axis2=2)
                              for back in (0, 1, distinct - 1))
    return itself[:, 1:].mean(-1), before.mean(-1), target[:, 1:-1].mean(-1)


def masses_of_all(model, sequences):
    """Return the masses of every head on sequences: [3, layers, H]."""
    found = []

    def look(name, value):
        if name.endswith(".weights"):
            found.append(masses(value))
        return value

    for batch in np.array_split(sequences, -(-len(sequences) // BATCH)):
        model(batch, None, look)
    layers = model.config.num_hidden_layers
    by_batch = np.array(found).reshape(-1, layers, 3, len(found[0][0]))
    return by_batch.mean(axis=0).swapaxes(0, 1)


def strongest(mass):
    """Return (layer, head, mass) of the head with the largest mass, [layers, H]."""
    layer, head = np.unravel_index(mass.argmax(), mass.shape)
    return int(layer), int(head), float(mass[layer, head])


def above(mass, limit):
    """Return the (layer, head) pairs whose mass, [layers, H], is above a limit."""
    return [(int(layer), int(head)) for layer, head in np.argwhere(mass > limit)]


def named(heads):
    """Return "layer 1, head 2 and layer 1, head 3" for (layer, head) pairs."""
    return " and ".join(f"layer {layer}, head {head}" for layer, head in heads)


# ------------------------------------------------------------------ what is taken away

def without(*heads):
    """Return a maker of taps that let heads, as (layer, head), hand on zeros."""
    def silence(name, value):
        for layer, head in heads:
            if name == f"layers.{layer}.heads":
                value = value.copy()
                value[:, head] = 0.0
        return value
    return lambda: silence


def instead(earlier):
    """Return a maker of taps that hand on an earlier tensor in place of a later one.

    earlier  later's name -> earlier's, both without their layer
    """
    def make():
        made = {}

        def exchange(name, value):
            made[name] = value
            layer, _, short = name.rpartition(".")
            return made[f"{layer}.{earlier[short]}"] if short in earlier else value
        return exchange
    return make


NO_MASK = instead({"masked_scores": "scores"})
NO_ROPE = instead({"q_rotated": "q", "k_rotated": "k"})

# ------------------------------------------------------------------- what is printed
twin_weights, _ = read_weights("twin.npz")
twin_model = TinyLlama(Config(), twin_weights, "float32")
random_model = TinyLlama(Config(), draw_weights(Config(), SEED), "float32")
held_out = repeated_sequences(twin_sequences, twin_length, SEQUENCE_SEED)   # [1000, 24]

twin_parameters = sum(weight.size for weight in twin_weights.values())
twin_accuracy = accuracy(twin_model, held_out)
random_accuracy = accuracy(random_model, held_out)
chance = 1 / Config().vocab_size

on_itself, on_previous_token, on_target = masses_of_all(twin_model, held_out)
previous_layer, previous_head, previous_mass = strongest(on_previous_token)
induction_layer, induction_head, induction_mass = strongest(on_target)
nearly_all = 0.9
induction_pairs = above(on_target, nearly_all)
induction_heads = named(induction_pairs)


def numbers_of(layer, head):
    """Return a head's three masses, and the accuracy when it hands on zeros."""
    masses_here = [float(mass[layer, head])
                   for mass in (on_itself, on_previous_token, on_target)]
    return *masses_here, accuracy(twin_model, held_out, without((layer, head)))


# A name ends in the layer and the head.
self_0_0, previous_0_0, induction_0_0, without_0_0 = numbers_of(0, 0)
self_0_1, previous_0_1, induction_0_1, without_0_1 = numbers_of(0, 1)
self_0_2, previous_0_2, induction_0_2, without_0_2 = numbers_of(0, 2)
self_0_3, previous_0_3, induction_0_3, without_0_3 = numbers_of(0, 3)
self_1_0, previous_1_0, induction_1_0, without_1_0 = numbers_of(1, 0)
self_1_1, previous_1_1, induction_1_1, without_1_1 = numbers_of(1, 1)
self_1_2, previous_1_2, induction_1_2, without_1_2 = numbers_of(1, 2)
self_1_3, previous_1_3, induction_1_3, without_1_3 = numbers_of(1, 3)

without_previous = accuracy(twin_model, held_out,
                            without((previous_layer, previous_head)))
without_induction = accuracy(twin_model, held_out, without(*induction_pairs))
without_mask = accuracy(twin_model, held_out, NO_MASK)
without_rope = accuracy(twin_model, held_out, NO_ROPE)

if __name__ == "__main__":
    for name, value in list(globals().items()):
        if isinstance(value, (int, float, str)) and not name.startswith("_"):
            print(f"{name} = {value}")
