"""What the style sheets, templates and interface words promise, by their text."""

import re
import tomllib
from functools import lru_cache
from pathlib import Path

import pytest
from jinja2 import Environment, FileSystemLoader, StrictUndefined
from markupsafe import Markup

ROOT = Path(__file__).parents[2]
TOKENS = ROOT / "static/css/1-tokens.css"
STYLES = sorted(ROOT.glob("static/css/**/*.css"))
TEMPLATES = sorted(ROOT.glob("templates/**/*.html"))
WORDS = tomllib.loads((ROOT / "templates/words.toml").read_text("utf-8"))

# A colour as a hash, a function or a name; `#theme-dark` and url(…) are none.
COLOUR = re.compile(r"#[0-9a-fA-F]{3,8}\b|\b(?:rgba?|hsla?|oklch|oklab|lab|lch)\("
                    r"|:[^;{}]*\b(?:white|black|gr[ae]y|red|orange|blue|green)\b")
SELECTOR = re.compile(r"([^{}]+)\{")
CLASS = re.compile(r"\.([a-zA-Z][\w-]*)")
QUOTED = re.compile(r"""\{: [^}\n]*\}|"[^"\n]*"|'[^'\n]*'|`[^`\n]*`""")
# whose classes are a letter with a number, or Pygments' own
COMPOSED = ("1-tokens.css", "6-listings.css")
OF_MARKDOWN = {"footnote-ref", "footnote-backref"}
STATIC_COMMENT = re.compile(r"/\*.*?\*/", re.S)
PALE = [f"w{n}" for n in range(8)] + ["s0", *(f"sp{n}" for n in range(1, 4)),
                                      *(f"sn{n}" for n in range(1, 4))]
MIDDLE = ["w8", "w9", "sp4", "sn4"]
STRONG = [f"w{n}" for n in range(10, 17)] + [f"{side}{n}" for side in ("sp", "sn")
                                             for n in range(5, 9)]
SCHEMES = {"light": 0, "dark": 1}


@lru_cache
def read_rules(path):
    """Return a style sheet's text without its comments."""
    return STATIC_COMMENT.sub("", path.read_text("utf-8"))


def token(name, scheme):
    """Return a colour token's value (#rrggbb) in a scheme, its var() followed."""
    text = re.search(rf"--{name}: ([^;]+);", read_rules(TOKENS))[1]
    pair = re.fullmatch(r"light-dark\((#\w+), (#\w+)\)", text)
    value = pair[SCHEMES[scheme] + 1] if pair else text
    return "#" + "".join(2 * digit for digit in value[1:]) if len(value) == 4 else value


def class_token(name, property_name):
    """Return the token that a stop's class gives to --w or --w-ink."""
    for rule in read_rules(TOKENS).split("}"):
        selectors, _, body = rule.partition("{")
        value = re.match(rf"\s*--{property_name}: var\(--([\w-]+)\)", body)
        if value and f".{name}" in re.findall(r"\.\w+", selectors):
            return value[1]
    raise LookupError(name)


def luminance(colour):
    """Return WCAG 2's relative luminance of #rrggbb."""
    channels = [int(colour[start:start + 2], 16) / 255 for start in (1, 3, 5)]
    linear = [c / 12.92 if c <= 0.04045 else ((c + 0.055) / 1.055) ** 2.4
              for c in channels]
    return sum(share * c for share, c in zip((0.2126, 0.7152, 0.0722), linear,
                                             strict=True))


def contrast(one, other):
    """Return WCAG 2's contrast of two colours, 1 to 21."""
    darker, lighter = sorted((luminance(one), luminance(other)))
    return (lighter + 0.05) / (darker + 0.05)


def macros():
    """Return templates/macros.html as the generator gets it."""
    environment = Environment(loader=FileSystemLoader(ROOT / "templates"),
                              autoescape=True, undefined=StrictUndefined)
    return environment.get_template("macros.html").make_module({"t": WORDS["en"]})


@pytest.mark.parametrize("path", [p for p in STYLES if p != TOKENS],
                         ids=lambda path: path.name)
def test_no_style_sheet_but_the_tokens_names_a_colour(path):
    assert COLOUR.findall(read_rules(path)) == []


@pytest.mark.parametrize("rule", ["a { color: #fff }", "a { color: rgb(0 0 0) }",
                                  "a { background: white }", "a{border:1px dot #ccc}"])
def test_a_colour_typed_into_a_rule_is_noticed(rule):
    assert COLOUR.search(rule)


@pytest.mark.parametrize("scheme", SCHEMES)
@pytest.mark.parametrize("stop", PALE + MIDDLE + STRONG)
def test_a_number_can_be_read_on_every_stop(stop, scheme):
    ground = token(class_token(stop, "w"), scheme)
    ink = token(class_token(stop, "w-ink"), scheme)
    assert contrast(ground, ink) >= 4.5


@pytest.mark.parametrize("scheme", SCHEMES)
@pytest.mark.parametrize(("ink", "ground", "least"), [
    ("ink", "paper", 7), ("ink", "wash", 7), ("quiet", "paper", 4.5),
    ("quiet", "wash", 4.5), ("quiet", "target", 4.5), ("accent", "paper", 4.5),
    ("accent", "wash", 4.5), ("accent", "target", 4.5), ("control", "paper", 3),
])
def test_text_and_edges_stand_out_from_their_ground(ink, ground, least, scheme):
    assert contrast(token(ink, scheme), token(ground, scheme)) >= least


def test_both_ramps_grow_with_the_value_in_both_schemes():
    for ramp in ([f"w{n}" for n in range(17)], [f"sn{n}" for n in range(1, 9)]):
        light = [luminance(token(name, "light")) for name in ramp]
        dark = [luminance(token(name, "dark")) for name in ramp]
        assert light == sorted(light, reverse=True)
        assert dark == sorted(dark)


def dressed(css):
    """Return the classes that a style sheet's selectors name."""
    return {name for selector in SELECTOR.findall(css)
            for name in CLASS.findall(selector)}


@lru_cache
def written_words():
    """Return the words of every quoted text of templates, scripts and the generator,
    and of the articles' attribute lists: the classes of a page are among them."""
    sources = [*TEMPLATES, *ROOT.glob("static/js/**/*.js"),
               *ROOT.glob("sitegen/**/*.py"), *ROOT.glob("content/articles/*/*.md")]
    return {word for path in sources
            for quoted in QUOTED.findall(path.read_text("utf-8"))
            for word in re.findall(r"[a-zA-Z][\w-]*", quoted)}


@pytest.mark.parametrize("path", [path for path in STYLES if path.name not in COMPOSED],
                         ids=lambda path: path.name)
def test_every_class_that_is_dressed_is_written_somewhere(path):
    assert dressed(read_rules(path)) - written_words() - OF_MARKDOWN == set()


def test_a_class_that_nothing_writes_is_noticed():
    css = "@media print { .page > .names-nothing:hover { a: b } }"
    assert dressed(css) - written_words() == {"names-nothing"}


def test_the_shared_styles_stay_within_thirty_kilobytes():
    shared = [path for path in STYLES if path.parent.name == "css"]
    assert sum(path.stat().st_size for path in shared) <= 30_000


def test_every_word_that_a_template_says_stands_in_the_words_file():
    for path in TEMPLATES:
        said = set(re.findall(r"\bt\.(\w+)", path.read_text("utf-8")))
        assert said <= WORDS["en"].keys(), path.name


def test_every_word_is_said_somewhere():
    sources = [*TEMPLATES, *ROOT.glob("sitegen/**/*.py")]
    text = "\n".join(path.read_text("utf-8") for path in sources)
    # labels.py and render.py put a kind before these endings, view.py a record's name
    # behind this beginning; templates put a name behind those that they compose
    composed = tuple(re.findall(r't\["(\w+_)" ~', text))
    silent = [word for word in WORDS["en"] if not re.search(rf"\b{word}\b", text)
              and not word.endswith(("_label", "_reference"))
              and not word.startswith(composed)
              and not re.search(rf'"{word.removeprefix("view_")}"', text)]
    assert silent == []


def test_no_word_is_named_like_a_method_of_a_dict():
    assert not WORDS["en"].keys() & set(dir(dict))


@pytest.mark.parametrize(
    # view.html alone inlines a style and a script, allowed by hash: see test_view.py
    "path", [path for path in TEMPLATES if path.name != "view.html"],
    ids=lambda path: path.name)
def test_no_template_needs_what_the_policy_blocks(path):
    text = path.read_text("utf-8")
    assert not re.findall(r"\sstyle=|<style|\son[a-z]+=|javascript:", text)
    assert not [tag for tag in re.findall(r"<script[^>]*>", text)
                if "src=" not in tag and not re.search(r"application/(ld\+)?json", tag)]


def test_a_listing_holds_its_text_exactly():
    lines = [Markup("a &lt; b"), Markup(""), Markup('<span class="k">if</span> c')]
    html = macros().listing(lines, 7, "x-", "Listing 1")
    code = Markup(re.search(r"<code>(.*)</code>", html, re.S)[1])
    text = re.sub(r"<[^>]+>", "", code)
    assert Markup(text).unescape() == "a < b\n\nif c\n"
    assert re.findall(r'id="([^"]+)" data-line="(\d+)"', html) == [
        ("x-L7", "7"), ("x-L8", "8"), ("x-L9", "9")]


def test_an_equation_has_a_box_to_focus_a_number_to_link_and_its_lines():
    html = macros().equation("eq-scores", 2, Markup("<math></math>"), "scores")
    assert 'id="eq-scores"' in html and 'tabindex="0"' in html
    assert 'href="#eq-scores"' in html and ">(2)</a>" in html
    assert 'href="#step-scores"' in html


def test_an_unnumbered_equation_has_neither_id_nor_link():
    html = macros().equation(None, None, Markup("<math></math>"), None)
    assert "id=" not in html and "<a" not in html


def test_a_caption_starts_with_its_label_and_escapes_what_is_not_html():
    html = macros().caption("f", "Figure 1", Markup("<p>See <em>it</em>.</p>"), "a < b")
    assert '<p><a class="label" href="#f">Figure 1.</a> See <em>it</em>.</p>' in html
    assert '<p class="origin">a &lt; b</p>' in html
