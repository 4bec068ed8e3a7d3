"""Names of files that somebody typed: what they may reach, and what may be written."""

import re

DEVICES = re.compile(r"(?:con|prn|aux|nul|com\d|lpt\d)(?:\.|$)", re.I)
NOT_ON_WINDOWS = re.compile(r'[<>:"\\|?*\0-\x1f]')
LONGEST_BYTES = 255     # of one part of a path, on every common disk


def has_file(folder, name):
    """Tell whether a folder has a file of a name; False for a name that is none."""
    try:
        return (folder / name).is_file()
    except (OSError, ValueError):       # too long, or with a NUL in it
        return False


def leads_out(folder, name):
    """Tell whether a name leads out of a folder, by itself or by a link; a name with
    '..', a drive or a backslash does so on some system, so it does here too."""
    if re.match(r"[A-Za-z]:", name) or re.split(r"[/\\]", name)[0] == "" or (
            ".." in re.split(r"[/\\]", name)):
        return True
    try:
        return not (folder / name).resolve().is_relative_to(folder.resolve())
    except (OSError, ValueError):
        return False


def is_below(folder, name):
    """Tell whether a folder has a file of a name, and really has it itself."""
    return has_file(folder, name) and not leads_out(folder, name)


def fault_of_name(name):
    """Return why a file of this name cannot stand on every reader's disk, or None."""
    for part in name.split("/"):
        if DEVICES.match(part):
            return f"'{part}' is the name of a device on Windows"
        if part.endswith((".", " ")) or NOT_ON_WINDOWS.search(part):
            return f"Windows cannot have a file '{part}'"
        if len(part.encode("utf-8", "replace")) > LONGEST_BYTES:
            return f"a name of more than {LONGEST_BYTES} bytes"
    return None
