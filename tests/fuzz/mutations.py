"""Spoil bytes and JSON data as files are spoiled, by accident or not."""

import json
from copy import deepcopy

NASTY = [
    "../../x", "/etc/passwd", "C:\\x", "..\\x", "CON", "x.", "x ", "__proto__",
    "constructor", "</script>", "<!--", "<script>", "]]>", "\u2028", "\u202e", "\ud800",
    "\0", "\ufdd0", "\ufeff", "\x85", "&#0;", "&lt;", "'", '"', "`", "```", "~~~",
    "///", "//// figure | f", "\\(", "\\)", "\\[", "\\]", "[[value ",
    "[[value run:n .3f]]",
    "[@", "[@a]", "{#x}", "{: #x .a style='b' }", "{{ x }}", "[^1]", "[^1]: n",
    "[](#x)",
    "![](x)", "<b ", "<div>", "</article>", "<h2>", "<svg><style>", "javascript:x",
    "step:scores", "#~layer=0", "*", "_", "- ", "1. ", "> ", "    ", "\t", "\n", "\n\n",
    "---\n", "|", ":", ": ", "?", "&a", "*a", "!!x", "{", "}", "[", "]", "%", "@",
    "@x{",
    "\\", "\\frac", "\\begin{aligned}", "\\end{cases}", "&", "^", "$", "é", "注", "🔑",
    "-1", "1e999", "NaN", "Infinity", "9" * 40, "0.1", "true", "null", "2026-13-45"]
MARKUP = [
    "/// side-note", "    wide: true\n", "[[value run:x]]", "# ", "## ", "===\n", "**",
    "| a | b |\n|---|---|\n", "[a](#x)", "[a][b]", "[b]: c\n", "[x](step:a)",
    "*[A]: B\n", ":   d\n", "</div>", "<p id='x'>", "&#1;", "&amp;", "<code>",
    "</code>", "<a href='step:a'>y</a>", "<directive-0>", "wzxhzdk:0", "word", "a", " "]
VALUES = [None, True, False, 0, -1, 1, 2, 3.5, 1e308, 10**30, "", [], {}, [[]], [{}],
          "NaN", "-Infinity", [None], {"id": "a"}, *NASTY]
KEYS = ["", "__proto__", "constructor", "id", "name", "a.b", "../x", "é", "\ud800"]
LONG = 1 << 16


def spoiled_bytes(data, random):
    """Return bytes with one to six edits: pieces taken out, doubled, moved, put in."""
    for _ in range(random.randint(1, 6)):
        start, end = sorted(random.randint(0, len(data)) for _ in range(2))
        end = min(end, start + random.choice([1, 4, 40, 400]))
        piece = data[start:end]
        other = random.choice(NASTY).encode("utf-8", "surrogatepass")
        edited = random.choice([b"", piece * 2, other, other + piece, other * 50,
                                bytes([random.randrange(256)]), piece[::-1]])
        data = (data[:start] + edited + data[end:])[:LONG]
    return data


def spoiled_json(data, random):
    """Return JSON text of data in which one to four values or keys were replaced."""
    data = json.loads(json.dumps(data))
    for _ in range(random.randint(1, 4)):
        data = _spoiled_node(data, random)
    return json.dumps(data, ensure_ascii=random.random() < 0.5).encode(
        "utf-8", "surrogatepass")


def _spoiled_node(node, random):
    """Return the node, changed itself or somewhere within."""
    if not isinstance(node, (dict, list)) or not node or random.random() < 0.12:
        return random.choice([deepcopy(random.choice(VALUES)), [node], {"a": node}])
    key = random.choice(list(node) if isinstance(node, dict) else range(len(node)))
    what = random.random()
    if what < 0.1:
        del node[key]
    elif what < 0.2 and isinstance(node, dict):
        node[random.choice(KEYS)] = node[key]
    elif what < 0.25 and isinstance(node, list):
        node.append(node[key])
    else:
        node[key] = _spoiled_node(node[key], random)
    return node


def shrunk(data, fails, tries=300):
    """Return the shortest bytes found by leaving out pieces that still fail."""
    size = len(data) // 2
    while size:
        start = 0
        while start < len(data) and (tries := tries - 1) > 0:
            shorter = data[:start] + data[start + size:]
            if fails(shorter):
                data = shorter
            else:
                start += size
        size //= 2
    return data
