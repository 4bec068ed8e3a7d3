"""Hold data to the JSON Schemas in static/schema."""

import json
from functools import cache
from pathlib import Path

from sitegen.errors import known
from sitegen.fragments import FRAGMENTS
from sitegen.lazy import jsonschema

UNKNOWN_KEY = "unknown key"     # how the message about a name begins, not a value
FOLDER = Path(__file__).parent.parent / "static" / "schema"


@cache
def read_schema(name):
    """Return one schema file as data."""
    return json.loads((FOLDER / name).read_text("utf-8"))


def schema_errors(name, data):
    """Yield (path of keys, message) for each way in which data breaks a schema file."""
    yield from errors_of(read_schema(name), data)


def errors_of(schema, data):
    """Yield (path of keys, message) for each way in which data breaks a schema."""
    try:
        fits = FRAGMENTS.answer([schema, data], lambda: _fits(schema, data))
    except (TypeError, ValueError, RecursionError):     # a TOML date is no JSON
        fits = False
    if not fits:
        yield from _errors(schema, data)


def _fits(schema, data):
    return jsonschema.Draft202012Validator(schema).is_valid(data)


def _errors(schema, data):
    checker = jsonschema.Draft202012Validator(schema)
    for error in sorted(checker.iter_errors(data), key=lambda e: str(list(e.path))):
        where = list(error.absolute_path)
        if error.validator == "additionalProperties" and "properties" in error.schema:
            yield from _unknown_keys(error, where)
        elif error.validator == "required":
            missing = [k for k in error.validator_value if k not in error.instance]
            yield where, f"'{missing[0]}' is missing"
        else:
            yield where, _message(error)


def _unknown_keys(error, where):
    names = error.schema.get("properties", {})
    for key in error.instance:
        if key not in names:
            yield where + [key], f"{UNKNOWN_KEY}; {known(names, str(key))}"


def _message(error):
    value = json.dumps(error.instance, ensure_ascii=False, default=str)
    value = value if len(value) <= 60 else value[:57] + "…"
    expected = {
        "type": f"expected a {error.validator_value}",
        "enum": f"expected one of {error.validator_value}",
        "pattern": error.schema.get("description")
        or f"expected a match of {error.validator_value}",
        "minimum": f"expected at least {error.validator_value}",
        "maximum": f"expected at most {error.validator_value}",
    }.get(error.validator, error.message)
    return f"{value}: {expected}"
