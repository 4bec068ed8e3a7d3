"""The source reader: operations to lines, lines to operations, the article and back."""

import re
from pathlib import Path

import pytest
from playwright.sync_api import expect

from tests.browser.harness import Reading

ARTICLE = "inside-attention/index.html"
SOURCE = (Path(__file__).parents[2] / "model" / "tiny_llama.py").read_text("utf-8")
LINES = SOURCE.splitlines()

IN_VIEW = """(selector) => {
  const box = document.querySelector("source-reader .listing").getBoundingClientRect();
  const { top } = document.querySelector(selector).getBoundingClientRect();
  return top >= Math.max(box.top, 0) - 1 && top < Math.min(box.bottom, innerHeight);
}"""
MARKED = """() => [...document.querySelectorAll("source-reader :is(.step, .line)")]
  .filter((place) => {
    const { backgroundColor, backgroundImage } = getComputedStyle(place);
    return backgroundColor !== "rgba(0, 0, 0, 0)" || backgroundImage !== "none";
  })
  .map((place) => place.id)"""
HEAR = """document.addEventListener("selection-change", (event) => {
  const { trace, step } = event.detail;
  (window.heard ??= []).push([trace, step]);
})"""
TELL = """([trace, step]) => document.dispatchEvent(
  new CustomEvent("selection-change", { detail: { trace, step, origin: "a test" } }))"""
PASTED = """() => {
  const field = document.createElement("textarea");
  field.id = "pasted";
  document.body.prepend(field);
  field.focus({ preventScroll: true });
}"""


@pytest.fixture
def open_article(reader):
    """Open the article without motion, so that every scroll is done at once."""
    def opened(fragment="", **switches):
        return reader.open(ARTICLE, fragment, reduced_motion=True, **switches)

    return opened


@pytest.fixture
def open_reader(open_article):
    """Open the article and come near the reader, whose script then comes."""
    def opened(fragment="", **switches):
        page = open_article(fragment, **switches)
        page.locator("source-reader").scroll_into_view_if_needed()
        page.wait_for_selector("source-reader[data-live]")
        return page

    return opened


def first_line(step):
    """Return the number of a step's mark, found here by the text alone."""
    return 1 + next(n for n, line in enumerate(LINES) if f"# step: {step} —" in line)


def role_of(step):
    return LINES[first_line(step) - 1].partition(" — ")[2]


def status(page):
    return page.text_content("source-reader .status")


def address(page):
    """Return the fragment, which waits until the reader has come to rest."""
    page.wait_for_timeout(400)
    return page.evaluate("location.hash")


def choose(page, step):
    page.click(f".operations [data-step={step}] .name")


def retype(page, number):
    """Type a line's number over the old one."""
    page.focus("[data-control=line]")
    page.keyboard.press("ControlOrMeta+A")
    page.keyboard.type(number)


def pasted(page):
    """Return what is in the clipboard, through the browser's own paste."""
    page.evaluate(PASTED)
    page.keyboard.press("ControlOrMeta+V")
    return page.input_value("#pasted")


@pytest.mark.parametrize("fragment", ["#step-scores", f"#L{first_line('scores')}"])
@pytest.mark.parametrize("scripts", [True, False])
def test_an_address_shows_and_marks_its_lines(open_article, fragment, scripts):
    page = open_article(fragment, scripts=scripts)
    page.wait_for_load_state()
    assert page.evaluate(IN_VIEW, fragment)
    assert fragment[1:] in page.evaluate(MARKED)


def test_every_way_into_the_source_leads_to_a_step_of_it(open_article):
    page = open_article()
    hrefs = page.eval_on_selector_all(
        "article a[href^='#step-']", "(links) => links.map((link) => link.hash)")
    steps = page.eval_on_selector_all(
        ".listing .step", "(steps) => steps.map((step) => '#' + step.id)")
    assert set(hrefs) == set(steps)
    assert len(steps) == SOURCE.count("    # step: ")


def test_choosing_an_operation_marks_its_lines_and_moves_nothing_else(open_reader):
    page = open_reader()
    page.locator(".operations [data-step=weights] .name").scroll_into_view_if_needed()
    before = page.evaluate("scrollY")
    choose(page, "weights")
    assert page.evaluate(MARKED) == ["step-weights"]
    assert page.evaluate(IN_VIEW, "#step-weights")
    assert abs(page.evaluate("scrollY") - before) < 2
    assert re.fullmatch(rf"weights, lines {first_line('weights')} to \d+: "
                        rf"{re.escape(role_of('weights'))}\.", status(page))
    assert page.get_attribute(".operations [aria-current]", "href") == "#step-weights"
    assert address(page) == "#~step=weights"


def test_operations_are_chosen_by_keyboard(open_reader):
    page = open_reader()
    page.focus(".operations [data-step=scores] .name")
    page.keyboard.press("Enter")
    assert page.evaluate(MARKED) == ["step-scores"]
    assert page.evaluate("document.activeElement.textContent") == "scores"


def test_choosing_a_line_says_which_operation_it_belongs_to(open_article):
    page = open_article("#step-scores")
    page.wait_for_selector(".step.chosen")
    line = first_line("scores") + 1
    before = page.evaluate("scrollY")
    box = page.locator(f"#L{line}").bounding_box()
    page.mouse.click(box["x"] + 60, box["y"] + 5)
    assert status(page) == f"Line {line} belongs to scores: {role_of('scores')}."
    assert page.evaluate(MARKED) == ["step-scores", f"L{line}"]
    assert address(page) == f"#L{line}"
    assert page.evaluate("scrollY") == before


def test_a_line_is_chosen_by_its_number(open_reader):
    page = open_reader()
    line = first_line("heads") + 1
    page.focus("[data-control=line]")
    page.keyboard.type(str(line))
    assert status(page) == f"Line {line} belongs to heads: {role_of('heads')}."
    assert page.evaluate(IN_VIEW, f"#L{line}")
    page.keyboard.press("ArrowUp")
    assert address(page) == f"#L{line + 1}"
    retype(page, "1")
    assert status(page) == "Line 1 belongs to no operation of the list."
    assert page.evaluate(MARKED) == ["L1"]
    assert page.is_disabled("[data-copy=step]")
    retype(page, "0")
    assert page.evaluate(MARKED) == ["L1"]


def test_a_key_held_down_runs_through_the_lines(open_reader):
    """Browsers refuse an address that changes some hundred times in half a minute."""
    page = open_reader()
    page.focus("[data-control=line]")
    page.keyboard.type("1")
    page.evaluate("""() => {
      const field = document.querySelector("[data-control=line]");
      for (let press = 0; press < 300; press += 1) {
        field.stepUp();
        field.dispatchEvent(new Event("input", { bubbles: true }));
      }
    }""")
    assert status(page).startswith("Line 301 belongs to ")
    assert address(page) == "#L301"


def test_a_shared_state_leaves_the_page_at_its_head_and_marks_its_step(open_article):
    page = open_article("#~layer=1&step=rotate")
    page.wait_for_timeout(400)
    assert page.evaluate("scrollY") == 0
    page.locator("source-reader").scroll_into_view_if_needed()
    page.wait_for_selector(".step.chosen", state="attached")
    assert page.evaluate(MARKED) == ["step-rotate"]


def test_an_unknown_step_in_the_address_marks_nothing(open_reader):
    page = open_reader("#~step=no-such%22step")
    assert page.evaluate(MARKED) == []


def test_a_formula_leads_to_its_lines_and_they_lead_back(open_article):
    page = open_article()
    page.click("#eq-scores a[href='#step-scores']")
    page.wait_for_selector("#step-scores.chosen")
    assert page.evaluate(IN_VIEW, "#step-scores")
    page.click(".operations [data-step=scores] .mentions a[href='#eq-scores']")
    expect(page.locator("#eq-scores")).to_be_in_viewport()


def test_the_reader_follows_others_of_its_trace_alone_and_does_not_echo(open_reader):
    page = open_reader()
    page.evaluate(HEAR)
    page.evaluate(TELL, ["another", "rotate"])
    assert page.evaluate(MARKED) == []
    page.evaluate(TELL, ["demo", "rotate"])
    assert page.evaluate(MARKED) == ["step-rotate"]
    choose(page, "softmax")
    assert page.evaluate("window.heard") == [
        ["another", "rotate"], ["demo", "rotate"], ["demo", "softmax"]]


def test_the_whole_file_is_copied_to_the_character(open_reader):
    page = open_reader()
    page.click("[data-copy=file]")
    expect(page.locator("source-reader .status")).to_have_text(
        f"Copied {len(LINES)} lines.")
    assert pasted(page) == SOURCE


def test_a_step_s_lines_are_copied_where_the_clipboard_is_refused(open_reader):
    page = open_reader()
    page.evaluate("Object.defineProperty(navigator, 'clipboard', { value: undefined })")
    choose(page, "scores")
    last = int(re.search(r"to (\d+):", status(page))[1])
    page.click("[data-copy=step]")
    first = first_line("scores")
    assert status(page) == f"Copied {last - first + 1} lines."
    assert page.evaluate("document.activeElement.dataset.copy") == "step"
    assert pasted(page) == "".join(line + "\n" for line in LINES[first - 1:last])


def test_a_refused_copy_is_said(open_reader):
    page = open_reader()
    page.evaluate("""() => {
      Object.defineProperty(navigator, "clipboard", { value: undefined });
      document.execCommand = () => false;
    }""")
    page.click("[data-copy=file]")
    assert status(page) == "The browser refused to copy."


def test_selected_lines_are_copied_without_their_numbers(open_article):
    page = open_article()
    first, last = first_line("scores"), first_line("scores") + 12
    page.evaluate("""([first, last]) => {
      const line = (n) => document.querySelector(`#L${n}`);
      getSelection().setBaseAndExtent(line(first), 0, line(last), 0);
    }""", [first, last])
    page.keyboard.press("ControlOrMeta+C")
    text = pasted(page)
    assert text.rstrip("\n") == "\n".join(LINES[first - 1:last - 1]).rstrip("\n")


def test_without_scripts_no_control_without_effect_is_shown(open_article):
    page = open_article(scripts=False)
    assert not page.is_visible("source-reader .controls")
    assert page.is_visible(".operations .role")


@pytest.mark.parametrize("width", [390, 800, 1280])
def test_list_and_lines_fit_the_window(open_reader, width):
    page = open_reader("#step-scores", width=width)
    page.wait_for_selector(".step.chosen")
    boxes = page.evaluate("""() => [".operations", ".listing"].map((name) => {
      const box = document.querySelector(`source-reader ${name}`);
      const { left, right, height } = box.getBoundingClientRect();
      return [left, right, height];
    })""")
    for left, right, height in boxes:
        assert left >= 0 and right <= width and 100 < height < 900
    assert page.evaluate("document.documentElement.scrollWidth") <= width


def test_paper_has_the_list_in_full_and_says_where_the_file_is(browsers, site_dir):
    page = browsers.new_page("chromium", Reading())
    page.goto((site_dir / ARTICLE).as_uri())
    page.emulate_media(media="print")
    assert not page.is_visible("source-reader .listing")
    assert "not printed here" in page.inner_text("source-reader .origin")
    box = page.locator(".operations").bounding_box()
    assert page.evaluate("document.querySelector('.operations').scrollHeight") <= (
        box["height"] + 1)
    page.context.close()
