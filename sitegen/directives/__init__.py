"""The directives: every module of this folder is one, called as its file is."""

import pkgutil
from collections.abc import Mapping
from importlib import import_module


class Modules(Mapping):
    """Name of a directive → its module, imported when it is first asked for: most
    articles use few."""

    def __init__(self):
        self.files = {found.name.replace("_", "-"): found.name
                      for found in pkgutil.iter_modules(__path__)}

    def __getitem__(self, name):
        return import_module(f"{__name__}.{self.files[name]}")

    def __iter__(self):
        return iter(self.files)

    def __len__(self):
        return len(self.files)


MODULES = Modules()


def takes_code(name):
    """Tell whether a directive takes the fenced code of its body."""
    return name in MODULES and getattr(MODULES[name], "TAKES_CODE", False)

def kind_of(directive):
    """Return 'figure' or 'listing' where a directive is numbered, else None."""
    module = MODULES[directive.name]
    if not directive.options.get("show", True):
        return None
    return getattr(module, "KIND", "figure" if module.NUMBERED else None)


def option_schema(name):
    """Return the JSON Schema of a directive's options."""
    module = MODULES[name]
    return {"type": "object", "properties": module.OPTIONS,
            "additionalProperties": False,
            "required": getattr(module, "REQUIRED", [])}
