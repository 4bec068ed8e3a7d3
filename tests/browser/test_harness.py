"""The harness hears what it must: each test spoils a page in one way."""

import pytest

from tests.browser.harness import Reader

HEAD = (
    "<!doctype html><html lang=en><title>Spoiled</title>"
    "<meta http-equiv=Content-Security-Policy "
    "content=\"default-src 'none'; script-src 'self'; img-src *\">"
)


@pytest.fixture
def spoiled(browsers, browser_name, tmp_path):
    """Return the problems of a page made of HTML and a script."""
    reader = Reader(browsers, browser_name, tmp_path)

    def problems(html="", script="", **switches):
        (tmp_path / "page.js").write_text(script)
        (tmp_path / "page.html").write_text(
            f"{HEAD}{html}<script src=page.js></script>"
        )
        reader.open("page.html", **switches)
        return "\n".join(reader.problems())

    yield problems
    reader.close()


def test_a_sound_page_is_silent(spoiled):
    assert spoiled("<p>Fine", "document.title = 'Fine'") == ""


def test_an_error_that_is_logged_is_heard(spoiled):
    assert "so it goes" in spoiled(script="console.error('so it goes')")


def test_an_error_that_is_thrown_is_heard(spoiled):
    assert "so it goes" in spoiled(script="throw Error('so it goes')")


def test_a_violation_of_the_policy_is_heard(spoiled):
    assert "policy: style-src" in spoiled("<p style='color:red'>Red")


def test_a_request_to_another_host_is_heard(spoiled):
    assert "example.invalid" in spoiled("<img src='http://example.invalid/' alt=x>")


def test_scripts_off_means_that_no_script_runs(spoiled):
    assert spoiled(script="console.error('ran')", scripts=False) == ""


@pytest.mark.parametrize(
    ("switches", "query"),
    [
        ({"scheme": "dark"}, "(prefers-color-scheme: dark)"),
        ({"scheme": "light"}, "(prefers-color-scheme: light)"),
        ({"reduced_motion": True}, "(prefers-reduced-motion: reduce)"),
        ({"forced_colors": True}, "(forced-colors: active)"),
        ({"width": 390}, "(width: 390px)"),
    ],
)
def test_a_switch_reaches_the_page(spoiled, switches, query):
    script = f"if (matchMedia('{query}').matches) console.error('it does')"
    assert "it does" in spoiled(script=script, **switches)


def test_axe_notices_a_picture_without_words(
    browsers, browser_name, tmp_path, axe_violations
):
    (tmp_path / "page.html").write_text(
        "<!doctype html><html lang=en><title>Spoiled</title>"
        "<main><h1>Spoiled</h1><img src='data:,'></main>"
    )
    reader = Reader(browsers, browser_name, tmp_path)
    found = axe_violations(reader.open("page.html"))
    reader.close()
    assert len(found) == 1 and "image-alt" in found[0]
