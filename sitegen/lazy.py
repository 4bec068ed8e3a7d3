"""Libraries that are imported when they are first used.

Importing all of them takes longer than building an article, and most builds need few:
an article without a trace needs no NumPy, one whose code is Python no Pygments.
"""

from importlib import import_module


class Library:
    """A module that is imported when one of its names is first asked for."""

    def __init__(self, name):
        self._name = name

    def __getattr__(self, name):
        value = getattr(import_module(self._name), name)
        setattr(self, name, value)      # found without this method from now on
        return value


ctypes = Library("ctypes")
bibtexparser = Library("bibtexparser")
jsonschema = Library("jsonschema")
latex2text = Library("pylatexenc.latex2text")
numpy = Library("numpy")
pygments_lexers = Library("pygments.lexers")
