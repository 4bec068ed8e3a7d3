"""A published file's records as a table, a record a row: no script."""

from dataclasses import dataclass
from math import isfinite

from sitegen.errors import Problem, known
from sitegen.plots import readable
from sitegen.published import origin, read_published

NAME = "data-table"
SAID = {None: "data_table_nothing", True: "data_table_yes", False: "data_table_no"}
NUMBERED = True
TEXT = {"type": "string", "minLength": 1}
OPTIONS = {"file": TEXT, "rows": TEXT, "name": TEXT, "instead": TEXT,
           "columns": {"type": "object", "minProperties": 1,
                       "additionalProperties": TEXT}}
REQUIRED = ["file", "rows", "name", "columns"]


@dataclass(frozen=True)
class Row:
    """One record: its name, a value for each column, or what is said instead."""

    name: object
    cells: list
    instead: object = None


def prepare(directive, article):
    """Return the template's variables, or None once a problem is recorded."""
    options = directive.options
    data, place = read_published(options["file"], directive, article)
    if data is None:
        return None
    try:
        rows = [row_of(record, options)
                for record in records_of(data, options["rows"])]
        table = [written(row, article.words) for row in rows]
    except KeyError as error:
        article.problems.append(Problem(place, error.args[0]))
        return None
    return {"columns": list(zip(options["columns"].values(), are_numbers(rows),
                                strict=True)),
            "rows": table,
            "name": article.words["data_table"].format(file=options["file"]),
            "origin": origin(data, options["file"], article.words)}


def records_of(data, key):
    """Return a file's list of records.  Raises KeyError, which names what there is."""
    records = data.get(key) if isinstance(data, dict) else None
    if not isinstance(records, list) or not records:
        keys = data if isinstance(data, dict) else ()
        raise KeyError(f"no list '{key}'; {known(keys, key)}")
    return records


def row_of(record, options):
    """Return the Row of a record.  Raises KeyError, which says what there is."""
    name = at(record, options["name"])
    if said := "instead" in options and at(record, options["instead"]):
        return Row(name, [None] * len(options["columns"]), said)
    return Row(name, [at(record, path) for path in options["columns"]])


def are_numbers(rows):
    """Return, column by column, whether all that it has is numbers."""
    columns = zip(*(row.cells for row in rows), strict=True)
    return [all(value is None or is_number(value) for value in column)
            for column in columns]


def written(row, words):
    """Return a Row with all its values as text."""
    return Row(cell(row.name, words), [cell(value, words) for value in row.cells],
               row.instead and cell(row.instead, words))


def at(record, path):
    """Return what stands at a dotted path of a record; None where a record ends early
    because it says null.

    Raises KeyError, which says what there is.
    """
    value = record
    for key in path.split("."):
        if value is None:
            return None
        if not isinstance(value, dict) or key not in value:
            keys = value if isinstance(value, dict) else ()
            raise KeyError(f"'{path}': no '{key}'; {known(keys, key)}")
        value = value[key]
    return value


def is_number(value):
    """Return whether a value is a finite number; true and false are none."""
    return isinstance(value, (int, float)) and not isinstance(value, bool) \
        and isfinite(value)


def cell(value, words):
    """Return a value as a table has it.  Raises KeyError for a list or a record."""
    if value is None or isinstance(value, bool):
        return words[SAID[value]]
    if is_number(value):
        return readable(value)
    if not isinstance(value, str):
        raise KeyError(f"{value!r} is no number, text, true, false or null")
    return value
