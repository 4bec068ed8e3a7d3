"""Some marked lines."""

from numpy import exp


def model(weights, token_ids, keys):
    # step: embedding — look up a row for each token
    hidden = weights["embedding"][token_ids]
    # step: projections — linear maps of the state
    q = split_heads(hidden @ weights["wq"])
    # step: scores — compare queries and keys
    scores = q @ keys.T
    # step: weights — shares along the keys
    shares = softmax(scores)
    # step: gate — expand the state
    return shares @ weights["w_gate"]


def split_heads(flat):
    # step: split_heads — name the head axis, then move it
    return flat.reshape(1, 2, 2, 2).swapaxes(1, 2)


def softmax(scores):
    # step: softmax — exponentials over their sum
    powers = exp(scores)
    return powers / powers.sum()


def next_token_probs(logits):
    # step: next_token_probs — the last position alone
    return softmax(logits[:, -1])
