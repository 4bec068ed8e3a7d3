"""The directives: every module of this folder that has a NAME is one."""

import importlib
import pkgutil

MODULES = {module.NAME: module for module in (
    importlib.import_module(f"{__name__}.{found.name}")
    for found in pkgutil.iter_modules(__path__)) if hasattr(module, "NAME")}

TAKES_CODE = frozenset(name for name, module in MODULES.items()
                       if getattr(module, "TAKES_CODE", False))


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
