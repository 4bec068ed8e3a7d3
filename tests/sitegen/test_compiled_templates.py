"""A template is compiled once for its text, not once a build."""

import pytest
from jinja2 import DictLoader, Environment

from sitegen.cache import Store
from sitegen.compiled_templates import INPUTS, CompiledTemplates
from sitegen.inputs import Inputs


@pytest.fixture
def build(tmp_path, monkeypatch):
    """Return a function: template's text → (what it renders, how many it compiled)."""
    compiled = []
    compile_one = Environment.compile
    monkeypatch.setattr(Environment, "compile", lambda self, *arguments:
                        compiled.append(1) or compile_one(self, *arguments))

    def run(text):
        compiled.clear()
        store = Store(tmp_path / "cache", Inputs(tmp_path / "content"))
        environment = Environment(loader=DictLoader({"a": text}), autoescape=True,
                                  bytecode_cache=CompiledTemplates(store))
        rendered = environment.get_template("a").render(x=1)
        store.commit(finished=True)
        return rendered, len(compiled)
    return run


def test_the_second_build_compiles_nothing(build):
    assert [build("{{ x }}"), build("{{ x }}")] == [("1", 1), ("1", 0)]


def test_a_changed_template_is_compiled_again(build):
    build("{{ x }}")
    assert [build("{{ x }}!"), build("{{ x }}!")] == [("1!", 1), ("1!", 0)]


def test_what_is_damaged_is_compiled_again(build, tmp_path):
    build("{{ x }}")
    [entry] = (tmp_path / "cache/entries/templates").iterdir()
    entry.write_bytes(entry.read_bytes().replace(b'"result"', b'"resilt"'))
    assert build("{{ x }}") == ("1", 1)


def test_another_interpreter_compiles_again(build, monkeypatch):
    build("{{ x }}")
    assert "python" in INPUTS
    monkeypatch.setattr("sitegen.inputs.sys.version", "another")
    assert build("{{ x }}") == ("1", 1)
