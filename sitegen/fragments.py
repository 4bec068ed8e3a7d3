"""Answers of pure functions that take long, kept from one build to the next.

A formula's MathML, a listing's lines, whether data fit a schema: each depends on its
arguments, the generator's code and a library's version alone.  They are kept by scope,
an article or the site, so that what an article no longer asks for goes.
"""

from contextlib import contextmanager
from functools import wraps

from sitegen.inputs import digest_of

KIND = "fragments"
INPUTS = ("code", "python", "package:math-core", "package:pygments",
          "package:jsonschema")


class Fragments:
    """Answers by a digest of what was asked: `known` from the last build, and `used`
    since the scope began."""

    def __init__(self):
        self.known, self.used = {}, {}

    @contextmanager
    def scope(self, store, name):
        """Take the answers that a scope had in the last build, keep those it asks."""
        fresh = store.fresh.get((KIND, name))
        before = fresh["result"] if fresh else store.take(KIND, name) or {}
        self.known, self.used = before, dict(before) if fresh else {}
        try:
            yield
        finally:
            store.keep(KIND, name, INPUTS, self.used)
            self.known, self.used = {}, {}

    def answer(self, asked, make):
        """Return the answer to what was asked, plain data; made where it is not
        known, and kept unless it is False."""
        key = digest_of(asked)[:32]
        if key in self.used:
            return self.used[key]
        answer = self.known[key] if key in self.known else make()
        if answer is not False:
            self.used[key] = answer
        return answer


FRAGMENTS = Fragments()


def kept(make):
    """Decorate a pure function from plain data to plain data: its answers are kept."""
    @wraps(make)
    def asked(*arguments):
        return FRAGMENTS.answer([make.__qualname__, *arguments],
                                lambda: make(*arguments))
    return asked
