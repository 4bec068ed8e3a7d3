"""A content folder is read whole, and whatever is wrong with it is said at once."""

import pytest

from tests.site_builder import FRONT, SETTINGS, snapshot

INDEX = "content/articles/a/index.md"
SLUG = ("expected a folder's name of a-z, 0-9 and single hyphens, not static or "
        "search")


def told(site):
    return [f"{problem.place}: {problem.message}" for problem in site.failure()]


def test_three_keys_and_one_article_make_a_site(site):
    site.article("Text.\n")
    files = site.build()
    assert {"index.html", "a/index.html", "static/site.css"} <= files.keys()
    assert snapshot(site.output).keys() >= files.keys()


@pytest.mark.parametrize(("front", "expected"), [
    ("---\ntitle: a: b\n---\n", "2:9: front matter cannot be read: mapping values are "
     "not allowed here"),
    ("---\ntitle: [x\n---\n", "2:10: front matter cannot be read: expected ',' or ']', "
     "but got '<stream end>'"),
    ("---\nwords\n---\n", "2:1: front matter cannot be read: expected 'name: value' "
     "lines"),
    ("---\ntitle: x\ntitle: y\n---\n", "3:1: front matter cannot be read: 'title' "
     "stands twice"),
    ("---\ndescription: x\n---\n", "1:1: front matter: 'title' is missing"),
    ("---\n---\n", "1:1: front matter: 'title' is missing"),
    ("---\ntitle: x\nauthor: y\n---\n", "3:1: author: unknown key; did you mean "
     "'authors'?  known: authors, corrections, description, dir, lang, needs, picture, "
     "picture-alt, published, revised, title, trace, updates"),
    ("---\ntitle: 5\n---\n", "2:8: title: 5: expected a string"),
    ("---\ntitle: ' '\n---\n", '2:8: title: " ": the article\'s title, as text'),
    ("---\ntitle: x\ndir: up\n---\n",
     "3:6: dir: \"up\": expected one of ['ltr', 'rtl']"),
    ("---\ntitle: x\nrevised: 2026-13-45\n---\n",
     "3:10: revised: no date: month must be in 1..12"),
    ("---\ntitle: x\ntrace: dmeo\n---\n", "3:8: no trace 'dmeo'"),
    ("---\ntitle: !!python/object:os.system x\n---\n", "2:8: front matter cannot be "
     "read: a text that begins with '&', '*' or '!' needs quotes"),
    ("---\ntitle: x\n", "1:1: front matter is not closed"),
    ("", "1:1: no front matter"),
])
def test_front_matter_that_is_wrong_is_named_at_its_place(site, front, expected):
    site.article("Text.\n", front)
    assert told(site) == [f"{INDEX}:{expected}"]


@pytest.mark.parametrize(("content", "expected"), [
    (b"", ":1: the file is empty"),
    (b" \n\n", ":1: the file is empty"),
    (b"---\ntitle: x\n---\n\n", ":4: the article has no text"),
    (b"---\ntitle: x\n---\n\n\xe9t\xe9\n", ":5: not UTF-8 text"),
    (b"---\ntitle: x\n---\nab\0c\n", ":4:3: a character that is no text: U+0000"),
    ("---\ntitle: x\n---\nab\ufdd00\ufdd1c\n".encode(),
     ":4:3: a character that is no text: U+FDD0"),
], ids=["empty", "blank", "no text", "latin-1", "nul", "noncharacter"])
def test_a_file_that_is_no_article_is_named(site, content, expected):
    site.add("articles/a/index.md", content)
    assert told(site) == [INDEX + expected]


def test_a_byte_order_mark_and_other_line_ends_change_nothing(site):
    plain = site.page("# A\n\ntext\n\n```\nx\n```\n")
    text = (FRONT + "# A\n\ntext\n\n```\nx\n```\n").replace("\n", "\r\n")
    site.add("articles/a/index.md", b"\xef\xbb\xbf" + text.encode())
    assert site.build()["a/index.html"] == plain


@pytest.mark.parametrize(("settings", "expected"), [
    ("title = x\n", ":1:9: not TOML: Invalid value"),
    ('title = "x"\n', ": 'description' is missing"),
    (SETTINGS + "colour = 1\n", ":4: colour: unknown key; known: about, articles, "
     "authors, base-url, description, dir, holder, lang, limits, publish, title"),
    (SETTINGS.replace('["a"]', '["../a"]'), f':3: articles.0: "../a": {SLUG}'),
    (SETTINGS.replace('["a"]', '["static"]'), f':3: articles.0: "static": {SLUG}'),
    (SETTINGS.replace('["a"]', '["a", "a"]'),
     ':3: articles: ["a", "a"]: [\'a\', \'a\'] has non-unique elements'),
    (SETTINGS + 'publish = ["no.py"]\n', ": publish: no file 'no.py'"),
    (SETTINGS + 'publish = ["../outside.py"]\n',
     ": publish: '../outside.py' is outside"),
])
def test_settings_that_are_wrong_are_named(site, settings, expected):
    site.article("Text.\n")
    (site.folder.parent / "outside.py").write_text("x")
    site.add("site.toml", settings)
    assert told(site)[0] == f"content/site.toml{expected}"


def test_a_published_link_that_leads_outside_is_refused(site, tmp_path_factory):
    secret = tmp_path_factory.mktemp("elsewhere") / "secret"
    secret.write_text("x")
    (site.folder / "secret").symlink_to(secret)
    site.article("Text.\n")
    site.add("site.toml", SETTINGS + 'publish = ["secret"]\n')
    assert told(site) == ["content/site.toml: publish: 'secret' is outside"]


def test_a_folder_without_site_toml_is_named(site):
    (site.content / "site.toml").unlink()
    assert told(site) == ["content/site.toml: no such file"]


def test_a_missing_folder_is_named(site):
    site.content = site.folder / "nowhere"
    assert told(site)[0].endswith("nowhere: no such folder")


def test_a_missing_article_is_named_with_the_nearest(site):
    site.add("site.toml", SETTINGS.replace('"a"', '"atention"'))
    site.article("Text.\n", slug="attention")
    problem = site.failure()[0]
    assert str(problem.place) == "content/articles/atention/index.md"
    assert "did you mean 'attention'?" in problem.todo


def test_problems_of_several_files_are_told_at_once_in_order(site):
    site.add("site.toml", SETTINGS.replace('["a"]', '["b", "a"]'))
    site.article("\\(\n\n[x](#y)\n\n\\(\\)\n")
    site.article("```\n", front="", slug="b")
    assert [str(problem.place) for problem in site.failure()] == [
        f"{INDEX}:4:1", f"{INDEX}:6:5", f"{INDEX}:8:1",
        "content/articles/b/index.md:1:1", "content/articles/b/index.md:1:1"]


def test_every_problem_with_a_line_shows_the_line(site):
    site.article("/// figur\nx\n///\n\n[[value a:b]]\n")
    assert [problem.excerpt for problem in site.failure()] == [
        "/// figur", "[[value a:b]]"]


# ---------------------------------------------------------------------- files beside it
def test_every_file_beside_an_article_is_published_but_hidden_ones(site):
    site.article("Text.\n")
    for name in ("data.csv", "sub/x.txt", "naïve name.txt", ".secret", ".git/config",
                 "__pycache__/a.pyc"):
        site.add(f"articles/a/{name}", name)
    files = snapshot(site.folder / "_site") if site.build() else {}
    mine = {path for path in files if path.startswith("a/")}
    assert mine == {"a/index.html", "a/data.csv", "a/sub/x.txt", "a/naïve name.txt"}
    assert files["a/naïve name.txt"] == "naïve name.txt".encode()


@pytest.mark.parametrize("target", ["{outside}/secret", "../../../secret", "{outside}",
                                    "nowhere"])
def test_a_link_out_of_an_article_s_folder_is_refused(site, target, tmp_path_factory):
    outside = tmp_path_factory.mktemp("outside")
    (outside / "secret").write_text("x")
    (site.folder / "secret").write_text("x")
    link = site.article("Text.\n").parent / "link"
    link.symlink_to(target.format(outside=outside))
    assert told(site) == [
        "content/articles/a/link: a link to no file of this folder"]


def test_a_link_to_a_file_beside_it_is_published_as_a_file(site):
    folder = site.article("Text.\n").parent
    site.add("articles/a/x.txt", "x")
    (folder / "y.txt").symlink_to("x.txt")
    site.build()
    assert snapshot(site.output)["a/y.txt"] == b"x"


def test_a_file_that_would_replace_the_page_is_refused(site):
    site.article("Text.\n")
    site.add("articles/a/index.html", "x")
    assert told(site) == [
        "content/articles/a/index.html: the article's page has this name"]


def test_two_files_of_one_name_are_refused(site):
    (site.folder / "x.py").write_text("x")
    site.add("site.toml", SETTINGS + 'publish = ["x.py"]\n')
    site.article("Text.\n")
    site.add("articles/a/x.py", "y")
    assert told(site) == ["content/articles/a/x.py: site.toml or traces.toml publishes "
                          "a file of this name"]
