"""Any reader: without scripts, on a phone, with axe, with a screen reader."""

import pytest

from tests.browser.harness import Reader
from tests.browser.tensor_walk.walk_pages import SIDEWAYS, SMALL, go, next_frame, said

OTHER_KINDS = ["embedding", "projections", "split_heads", "gate", "next_token_probs"]


def test_without_scripts_every_step_is_there_with_its_tables(walk_reader):
    page = walk_reader(scripts=False)
    assert page.locator("#walk .walk-step:visible").count() == 22
    assert page.locator("#walk .tensor-table:visible").count() > 40
    assert page.is_hidden("#walk [data-control=next]")
    assert page.is_hidden("#walk .walk-position")
    assert page.is_visible("#walk .walk-others")
    assert page.inner_text("#walk [data-step=weights] tbody td >> nth=0") == "1.00"


def test_data_that_cannot_be_read_leave_the_whole_list(
        browsers, browser_name, walk_site):
    from_page = (walk_site / "a/index.html").read_text("utf-8")
    (walk_site / "a/newer.html").write_text(
        from_page.replace('"format_major":1', '"format_major":2'), "utf-8")
    reader = Reader(browsers, browser_name, walk_site)
    page = reader.open("a/newer.html")
    page.wait_for_selector("#walk [data-when=newer]:visible")
    assert page.locator("#walk .walk-step:visible").count() == 22
    reader.close()


@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_axe_finds_nothing_in_any_kind_of_step(walk_reader, axe_violations, scheme):
    page = walk_reader("#~step=weights&open=layers.0.weights[0,0,5,1]", scheme=scheme)
    found = axe_violations(page)
    for step in OTHER_KINDS:
        go(page, step, None if step in ("embedding", "next_token_probs") else 0)
        found += axe_violations(page)
    assert found == []


def test_axe_finds_nothing_in_focused_walks(walk_reader, axe_violations):
    page = walk_reader(path=SMALL)
    page.wait_for_selector("#two .current .tensor-table[role=grid]")
    assert axe_violations(page) == []


def test_nothing_scrolls_sideways_on_a_phone(walk_reader):
    page = walk_reader("#~open=layers.0.q_rotated[0,0,3,1]", width=390)
    for step in OTHER_KINDS:
        go(page, step, None if step in ("embedding", "next_token_probs") else 1)
        next_frame(page)
        assert page.evaluate(SIDEWAYS) == 0, step


def test_targets_are_at_least_24_pixels(walk_reader):
    page = walk_reader("#~step=weights")
    small = page.evaluate("""() => [...document.querySelectorAll(
      "#walk .controls :is(button, select, input, label), #walk .current summary, " +
      "#walk .current td[tabindex]")].filter((target) => target.checkVisibility())
      .map((target) => [target.textContent, target.getBoundingClientRect()])
      .filter(([, { width, height }]) => width < 24 || height < 24)
      .map(([text, { width, height }]) => `${text} ${width} ${height}`)""")
    assert small == []


def test_the_tree_reads_as_sentences(walk_reader, record_property):
    page = walk_reader("#~step=weights&layer=0&head=0&query=2&key=1")
    tree = page.locator("#walk").aria_snapshot()
    record_property("printed", "\n".join(tree.split("\n")[:80]))
    for sentence in (
            'heading "Softmax, layer 0" [level=3]',
            "Each row of scores becomes shares that sum to one",
            "[batch 1, head 4, query 6, key 6] float64",
            'grid "layers.0.weights, head 0: one row for each query, one column for '
            'each key"',
            "Row 2 of head 0, worked out.",
            "What goes wrong here:"):
        assert sentence in tree, sentence
    assert said(page, "#walk .walk-position").startswith("Step 8 of 40.")
