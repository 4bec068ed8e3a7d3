"""Save BertViz's and CircuitsVis's pages of one tensor, as their own code makes them.

    python -m bench.peer_pages WEIGHTS.npy FOLDER [--peers FOLDER]

WEIGHTS is float32 [L, H, T, T].  Prints {name: version} of the pages that were made.
"""

import argparse
import importlib
import importlib.metadata
import json
import sys
from pathlib import Path

import numpy as np
import torch

HEAD = '<!doctype html><meta charset="utf-8"><title>{}</title>\n<body>\n'


def bertviz(weights, tokens):
    """Return the body of BertViz's model view: all heads, and a larger one on a click.

    weights  [L, H, T, T]
    """
    library = importlib.import_module("bertviz")
    layers = [torch.from_numpy(layer)[None] for layer in weights]
    return library.model_view(layers, tokens, html_action="return").data


def circuitsvis(weights, tokens):
    """Return the body of CircuitsVis's attention heads: all, and one zoomed.

    weights  [L, H, T, T]; the view knows no layers and takes [L·H, T, T]
    """
    library = importlib.import_module("circuitsvis.attention")
    heads = torch.from_numpy(weights.reshape(-1, *weights.shape[-2:]))
    return library.attention_heads(attention=heads, tokens=tokens).local_src


PEERS = {"bertviz": bertviz, "circuitsvis": circuitsvis}


def main(arguments=None):
    """Run the command line."""
    parser = argparse.ArgumentParser(prog="python -m bench.peer_pages")
    parser.add_argument("weights", metavar="WEIGHTS.npy")
    parser.add_argument("folder", type=Path)
    parser.add_argument("--peers", default="", metavar="FOLDER")
    options = parser.parse_args(arguments)
    sys.path.append(options.peers)    # last: what is installed comes first
    weights = np.load(options.weights)
    tokens = [f"t{index}" for index in range(weights.shape[-1])]
    for name, save in PEERS.items():
        page = HEAD.format(name) + save(weights, tokens)
        (options.folder / f"{name}.html").write_text(page, "utf-8")
    print(json.dumps({name: importlib.metadata.version(name) for name in PEERS}))


if __name__ == "__main__":
    main()
