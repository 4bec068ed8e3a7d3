"""Records as plain data: HTML and dates, which JSON has no form for, are marked."""

import datetime

from markupsafe import Markup


def packed(value):
    """Return a record as plain data, its HTML and its dates marked as such."""
    if isinstance(value, Markup):
        return {"html": str(value)}
    if isinstance(value, datetime.date):
        return {"date": value.isoformat()}
    if isinstance(value, dict):
        return {"dict": {key: packed(item) for key, item in value.items()}}
    return [packed(item) for item in value] if isinstance(value, list) else value


def unpacked(value):
    """Return the record that plain data stand for."""
    if isinstance(value, dict):
        (kind, inner), = value.items()
        return {"html": Markup, "date": datetime.date.fromisoformat,
                "dict": lambda items: {key: unpacked(item)
                                       for key, item in items.items()}}[kind](inner)
    return [unpacked(item) for item in value] if isinstance(value, list) else value
