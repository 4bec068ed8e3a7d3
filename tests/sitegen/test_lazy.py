"""A library that costs as much as an article is imported where one needs it."""

import json
import subprocess
import sys
from pathlib import Path

import pytest

from sitegen.directives import MODULES
from sitegen.lazy import Library

ROOT = Path(__file__).parents[2]
PLAIN = """---
title: Plain
---

## A formula

\\[ x^2 \\]

```python
x = 1  # and code
```
"""


def imported(program, *arguments):
    """Return the names of all modules that a program has imported at its end."""
    done = subprocess.run(
        [sys.executable, "-c", f"import json, sys\n{program}\n"
         "print(json.dumps(list(sys.modules)))", *map(str, arguments)],
        cwd=ROOT, capture_output=True, text=True, check=True)
    return set(json.loads(done.stdout.splitlines()[-1]))


def test_the_pipeline_imports_no_library_that_an_article_may_not_need():
    modules = imported("import sitegen.pipeline")
    assert "sitegen.traces" in modules
    assert not modules & {"numpy", "jsonschema", "bibtexparser", "pygments"}
    assert not any(name.startswith("sitegen.directives.") for name in modules)


def test_a_plain_article_needs_neither_numpy_nor_pygments(tmp_path):
    article = tmp_path / "content/articles/plain/index.md"
    article.parent.mkdir(parents=True)
    article.write_text(PLAIN, "utf-8")
    (tmp_path / "content/site.toml").write_text(
        'title = "T"\ndescription = "D"\narticles = ["plain"]\n', "utf-8")
    modules = imported("from sitegen.pipeline import build\n"
                       "build(sys.argv[1], sys.argv[2])",
                       tmp_path / "content", tmp_path / "site")
    assert (tmp_path / "site/plain/index.html").exists()
    assert not modules & {"numpy", "bibtexparser", "pygments"}


def test_a_library_is_imported_with_its_first_name():
    modules = imported("from sitegen.lazy import numpy\nbefore = set(sys.modules)\n"
                       "assert 'numpy' not in before, 'too early'\n"
                       "assert numpy.zeros(3).size == 3")
    assert "numpy" in modules


def test_a_name_that_the_library_lacks_is_an_error():
    with pytest.raises(AttributeError, match="no_such_name"):
        _ = Library("json").no_such_name


@pytest.mark.parametrize("name", MODULES)
def test_a_directive_is_called_as_its_file_is(name):
    assert name == MODULES[name].NAME
