"""What the text says of peers.json: read from it, not typed."""

import json

with open("peers.json", encoding="utf-8") as file:
    data = json.load(file)

measured = [peer for peer in data["peers"] if not peer["failed"]]
ours, others = measured[0], measured[1:]
articles, bare_seconds = data["articles"], data["bare_seconds"]


def listed(words):
    """Return words with commas between them, or 'none'."""
    return ", ".join(words) or "none"


right = [peer["name"] for peer in measured if peer["disk"]["right"]]
right_from_disk = f"{listed(right)} had all of it right" if right else "none was right"
disk_faults = "; ".join(
    f"{peer['name']}: " + listed(f"{what} ({how})" for what, how in peer["disk"].items()
                                 if how not in (True, False, "right"))
    for peer in others if not peer["disk"]["right"]) or "nothing"

kept = {peer["name"]: peer["notices"] for peer in measured if peer["notices"]}
noticed, stale = (listed(
    f"{name} ({' and '.join(found)})" for name, changes in kept.items()
    if (found := [what for what in changes if changes[what] is wanted]))
    for wanted in (True, False))

# name → value of a record, and whether more is better
COLUMNS = {
    "a cold build": (lambda peer: peer["ratios"]["cold"], False),
    "a build with nothing changed": (lambda peer: peer["ratios"]["unchanged"], False),
    "a build with one article changed": (lambda peer: peer["ratios"]["changed"], False),
    "memory": (lambda peer: peer["peak_megabytes"], False),
    "kilobytes": (lambda peer: peer["kilobytes"], False),
    "requests": (lambda peer: peer["requests"], False),
    "mistakes that stop it": (lambda peer: peer["caught_strict"], True),
    "mistakes with file and line": (lambda peer: peer["placed"], True),
    "rules of axe broken": (lambda peer: peer["axe"]["light"], False),
}


def ahead(value, more):
    """Return the peers that are better than ours, with their values."""
    return [f"{peer['name']} {value(peer):g}" for peer in others
            if (value(peer) > value(ours) if more else value(peer) < value(ours))]


lost = {name: found for name, (value, more) in COLUMNS.items()
        if (found := ahead(value, more))}
compared, behind_count = len(COLUMNS), len(lost)
behind = "; ".join(f"{name} ({listed(found)}; this one {COLUMNS[name][0](ours):g})"
                   for name, found in lost.items()) or "none"
