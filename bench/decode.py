"""What one decode step costs as the context grows, three ways.

preallocated   tiny_llama.py's own cache: written into arrays that are made once
concatenated   a cache that joins new keys and values to the old ones in a new array
recomputed     no cache: one call over all tokens, of which only the last row is wanted

All of it is processor time in float32, in the sizes in which bench/model.py measures
too; `make bench` gives BLAS one thread.  A step is taken again and again at the same
context, by turns with all other contexts and ways, and its median counts.
"""

import copy
import datetime
import json
import os
import platform
import statistics
import time
from collections import defaultdict
from functools import partial

import numpy as np

from bench.model import LARGER, concatenating_cache, read_model
from bench.report import RESULTS, Row, processor

CONTEXTS = tuple(2**power for power in range(4, 13))    # 16 … 4,096 positions
REPEATS = 41
WAYS = ("preallocated", "concatenated", "recomputed")
RECOMPUTED_POSITIONS = 12_288   # of a context, all repeats together: they take seconds
FEWEST_REPEATS = 3
CHUNK = 256                     # the cache is filled in calls of so many tokens
EXACT_CONTEXTS = 512            # up to here the logits are compared in float64 too
EXACT, ROUNDED = 1e-12, 1e-4    # of the largest logit: float64, float32
WHAT = ("Processor time of one decode step of tiny_llama.py, over that of the "
        "preallocated cache at {least} positions ({base:.2g} ms). Medians of up to "
        "{repeats} steps, by turns; float32, BLAS with one thread, random weights: "
        "hidden 256, 8 query heads and 2 KV heads of 32, 4 layers, vocabulary 512. "
        "Of recomputing {most:,} positions {system:.0%} is the system's time, mostly "
        "to hand out and clear memory for the scores.")


def keep_decode():
    """Measure, write bench/results/decode.json, and yield its rows.

    Raises ValueError where the three ways give different logits.
    """
    milliseconds = measure_steps(CONTEXTS, REPEATS)
    system = system_share(ways_at(CONTEXTS[-1], np.float32)["recomputed"])
    write_curve(milliseconds, system)
    yield from rows_of(milliseconds)
    yield Row("decode", f"{CONTEXTS[-1]:,} positions: the system's share of a step, "
              "recomputed", 100 * system, "%")


def measure_steps(contexts, repeats):
    """Return one record per context: positions, milliseconds by way, cache_bytes.

    Raises ValueError where the three ways give different logits.
    """
    for positions in contexts:
        if positions <= EXACT_CONTEXTS:
            ways = ways_at(positions, np.float64)
            check_logits({name: take()[0] for name, take in ways.items()}, EXACT)
    contexts = {positions: ways_at(positions, np.float32) for positions in contexts}
    spent, returned = take_by_turns(contexts, repeats)
    records = []
    for positions in contexts:
        found = {way: returned[positions, way] for way in WAYS}
        check_logits({way: logits for way, (logits, _) in found.items()}, ROUNDED)
        times = {way: statistics.median(spent[positions, way]) for way in WAYS}
        records.append({"positions": positions, **times,
                        "cache_bytes": found["preallocated"][1]})
    return records


def ways_at(positions, dtype):
    """Return way → function that takes the step: all tokens but one are stored.

    Each returns (logits of the last position [V], bytes of keys and values that the
    step has read, None where no cache was filled before).
    """
    module = read_model("tiny_llama_decode")
    config = module.Config(**LARGER)
    model = module.TinyLlama(config, module.draw_weights(config, seed=7), dtype)
    token_ids = np.arange(positions)[None] % config.vocab_size
    kinds = (module.Cache, concatenating_cache(module))
    steps = [partial(step, model, token_ids[:, -1:], filled(kind, model, token_ids))
             for kind in kinds]
    return dict(zip(WAYS, [*steps, partial(step, model, token_ids, None)], strict=True))


def filled(kind, model, token_ids):
    """Return a cache with room for all tokens that holds all but the last."""
    cache = kind(model, *token_ids.shape)
    for start in range(0, token_ids.shape[1] - 1, CHUNK):
        model(token_ids[:, :-1][:, start:start + CHUNK], cache)
    return cache


def step(model, token_ids, cache):
    """Call the model; the cache stays as it was, so the step can be taken again."""
    cache = copy.copy(cache)
    logits = model(token_ids, cache)[0, -1]
    return logits, cache and cache.payload_bytes()


def check_logits(logits, limit):
    """Raise ValueError where a way's logits, [V], differ from the recomputed ones by
    more than limit × the largest."""
    expected = logits["recomputed"]
    for name, found in logits.items():
        gap = float(abs(found - expected).max() / abs(expected).max())
        if not gap <= limit:
            raise ValueError(f"{name}: logits differ by {gap:.0e} of the largest, "
                             f"at most {limit:.0e} is rounding")


def take_by_turns(contexts, repeats):
    """Return two dictionaries with the keys (positions, way): milliseconds of processor
    of each step, and what the last one returned.

    contexts  positions → way → function that takes the step
    """
    spent, returned = defaultdict(list), {}
    for turn in range(repeats):
        for positions, ways in contexts.items():
            fewer = max(FEWEST_REPEATS, RECOMPUTED_POSITIONS // positions)
            for way, take in ways.items():
                if way == "recomputed" and turn >= fewer:
                    continue
                if way != "recomputed":
                    take()  # in a generation the step before has just read all of it
                started = time.process_time()
                returned[positions, way] = take()
                spent[positions, way].append(1000 * (time.process_time() - started))
    return spent, returned


def system_share(take):
    """Return which share of the processor time of a call is the system's, from 0 to 1.

    take  function that is called once, and takes some hundredths of a second or more
    """
    before = os.times()
    take()
    after = os.times()
    user, system = after.user - before.user, after.system - before.system
    return system / (user + system)


def ratios(records):
    """Return the records with each time over the preallocated step's at the first."""
    base = records[0]["preallocated"]
    return [{**record, **{way: float(f"{record[way] / base:.4g}") for way in WAYS}}
            for record in records]


def rows_of(records):
    """Yield the rows of the dated file and of the table."""
    least, base = records[0]["positions"], records[0]["preallocated"]
    yield Row("decode", f"{least:,} positions: a step, preallocated", base, "ms")
    for record in ratios(records):
        for way in WAYS:
            yield Row("decode", f"{record['positions']:,} positions: a step, {way}",
                      record[way], f"× preallocated at {least}")


def write_curve(records, system, folder=RESULTS, repeats=REPEATS):
    """Write decode.json, which an article draws; return its path.

    system  share of the system in recomputing the longest context
    """
    least, base = records[0]["positions"], records[0]["preallocated"]
    most = records[-1]["positions"]
    content = {
        "date": datetime.date.today().isoformat(), "processor": processor(),
        "versions": {"python": platform.python_version(), "numpy": np.__version__},
        "what": WHAT.format(least=least, base=base, repeats=repeats, most=most,
                            system=system),
        "decode": ratios(records)}
    path = folder / "decode.json"
    text = json.dumps(content, indent=2, ensure_ascii=False, allow_nan=False)
    path.write_text(text + "\n", "utf-8")
    return path
