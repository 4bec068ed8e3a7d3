"""Edit a site at random; after each step an incremental build must equal a clean one.

    python -m tests.sitegen.random_edits 300 [--seed S]

A step is one to three edits, or undoes an earlier step.  Both builds must end with the
same status, say the same, and write the same bytes with the same modes; a second build
must then find nothing to do; a build that fails leaves the old site.
"""

import argparse
import random
import sys
import tempfile
from collections import Counter

from tests.sitegen import edits, generator_edits
from tests.sitegen.changing_site import ChangingSite, differences, snapshot

KINDS = edits.KINDS + generator_edits.KINDS
UNDO, MEND = 0.15, 0.8      # how often a step undoes another, or mends what fails


class Walk:
    """A site that is edited step by step, and what was counted on the way."""

    def __init__(self, site, seed):
        self.site = site
        self.chance = random.Random(seed)
        self.steps, self.broken = [], ()    # (path → content as it was, switches)
        self.kinds, self.counts = Counter(), Counter()

    def step(self):
        """Make some edits and build; return what was done."""
        before, self.site.before = self.switches(), {}
        if self.broken and self.chance.random() < MEND:
            done = ["mending"]
            self.put_back(self.broken)
        elif self.steps and self.chance.random() < UNDO:
            done = ["undo"]
            self.put_back(self.chance.choice(self.steps))
        else:
            some = self.chance.sample(KINDS, self.chance.choice([1, 1, 1, 2, 3]))
            done = [edit.__name__ for edit in some if self.make(edit)]
        self.kinds.update(done)
        self.steps.append((self.site.before, before))
        return done

    def make(self, edit):
        """Make an edit; return whether what it edits is there now."""
        try:
            edit(self.site, self.chance)
        except FileNotFoundError:
            return False
        return True

    def switches(self):
        """Return what of a build stands in no file."""
        return dict(self.site.environment), list(self.site.options)

    def put_back(self, step):
        """Make files, environment and options what they were before a step."""
        files, (environment, options) = step
        self.site.environment, self.site.options = dict(environment), list(options)
        self.site.restore(files)

    def compare(self):
        """Build twice; yield how the incremental build differs from the clean one."""
        before = snapshot(self.site.output)
        built, clean = self.site.build_both()
        if built.said or clean.said:
            yield f"more than JSON was said: {built.said}{clean.said}"
            return
        self.counts["built"] += sum(page != "static" for page in built.pages)
        self.counts["taken"] += built.document["taken"]
        self.counts["good" if built.status == 0 else "failed"] += 1
        for key in ("status", "problems", "files", "pages"):
            if built.document[key] != clean.document[key]:
                yield f"{key}: {built.document[key]}\nclean: {clean.document[key]}"
        expected = snapshot(self.site.clean) if built.status == 0 else before
        if wrong := differences(snapshot(self.site.output), expected):
            yield f"these files differ: {', '.join(wrong)}"
        if built.status == 0:
            yield from self.again()
        self.remember(built.status)

    def again(self):
        """Build once more; yield a sentence unless there is nothing to do."""
        again = self.site.build()
        if not again.found_nothing_to_do:
            yield f"a second build did: {again.pages}, {again.document['seconds']}"

    def remember(self, status):
        """Note what has to be put back to make the site whole again."""
        files, switches = self.steps[-1]
        if status == 0:
            self.broken = ()
        elif self.broken:
            self.broken = ({**files, **self.broken[0]}, self.broken[1])
        else:
            self.broken = (files, switches)

    def told(self):
        """Return the counts as lines."""
        kinds = ", ".join(f"{kind} {count}" for kind, count in self.kinds.most_common())
        return (f"{self.counts['good']} good builds and {self.counts['failed']} failed "
                f"ones as the clean ones; {self.counts['built']} pages built, "
                f"{self.counts['taken']} taken from the cache\n{kinds}")


def walk(site, steps, seed, say=lambda line: None):
    """Edit and build; return (the counts as lines, what went wrong or '')."""
    walk = Walk(site, seed)
    for number in range(1, steps + 1):
        done = ", ".join(walk.step())
        wrong = "\n".join(walk.compare())
        say(f"{number}: {done}{': WRONG' if wrong else ''}")
        if wrong:
            return walk.told(), f"seed {seed}, step {number}: {done}\n{wrong}"
    return walk.told(), ""


def main():
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("steps", type=int, nargs="?", default=300)
    parser.add_argument("--seed", type=int, default=0)
    options = parser.parse_args()
    folder = tempfile.mkdtemp(prefix="random-edits-")
    with ChangingSite(folder) as site:
        told, wrong = walk(site, options.steps, options.seed,
                           lambda line: print(line, flush=True))
    print(told)
    if wrong:
        print(f"{wrong}\nthe site is in {folder}")
        return 1
    return 0


if __name__ == "__main__":
    sys.exit(main())
