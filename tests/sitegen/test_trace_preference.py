"""Recordings that may not have been made, and the first that has."""

import json

import pytest

from tests.pretrained_trace import pretrained_trace
from tests.site_builder import SmallSite, text_of

TOML = """
[wished]
file = "content/wished.json"
optional = true

[made]
file = "content/made.json"
optional = true

[pretrained]
first = ["wished", "made"]
publish = "recording.json"
"""
VALUE = "[[value pretrained:model.name]]"
FIGURE = "/// attention-heatmap | map\n    trace: pretrained\n///\n"


@pytest.fixture
def site(tmp_path):
    made = SmallSite(tmp_path)
    made.add("traces.toml", TOML)
    return made


def record(site, file, name):
    data = pretrained_trace(6)
    data["model"]["name"] = name
    site.add(f"{file}.json", json.dumps(data))


def test_the_first_recording_that_exists_is_shown(site):
    record(site, "made", "Second")
    assert text_of(site.body(VALUE)) == "Second"
    record(site, "wished", "First")
    assert text_of(site.body(VALUE)) == "First"


def test_the_page_and_the_download_have_the_chosen_recording_under_one_name(site):
    record(site, "made", "Second")
    site.article(FIGURE)
    files = site.build()
    assert json.loads(files["a/recording.json"])["model"]["name"] == "Second"
    assert 'id="trace-pretrained"' in files["a/index.html"]
    assert 'id="trace-made"' not in files["a/index.html"]


def test_where_none_has_been_made_the_build_says_so(site):
    found = site.problems("Text.")
    assert found == ["content/traces.toml: pretrained: none of wished, made exists"]


def test_an_optional_recording_that_exists_must_be_whole(site):
    site.add("wished.json", "{}")
    assert "'format' is missing" in site.problems("Text.")[0]


def test_a_recording_that_is_not_optional_must_exist(site):
    site.add("traces.toml", '[one]\nfile = "content/one.json"\n')
    assert "no file 'content/one.json'" in site.problems("Text.")[0]


@pytest.mark.parametrize("entry", [
    'run = ["true"]\noptional = true', 'first = ["a"]\nfile = "b"', "first = []",
    'file = "a"\noptional = false',
])
def test_an_entry_that_says_two_things_is_refused(site, entry):
    site.add("traces.toml", f"[one]\n{entry}\n")
    assert site.problems("Text.")[0].startswith("content/traces.toml:")
