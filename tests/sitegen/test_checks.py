"""What a page may not hold is refused, at its place, in Markdown and in raw HTML."""

import pytest

from sitegen.checks import LOOKED_AT, is_odd
from sitegen.policy import ANIMATED, FOLLOWED, LOADED


def test_a_plain_page_has_no_problems(site):
    assert site.body("Text with <b>raw</b> HTML and [a link](https://example.org).\n")


@pytest.mark.parametrize(("text", "expected"), [
    ("<p style='x'>a</p>", "1:4: the attribute style= is refused"),
    ("x *b*{: style='y' }", "1:9: the attribute style= is refused"),
    ("<STYLE>p {}</STYLE>", "1:1: <style> is refused"),
    ("<script>x</script>", "1:1: an inline script is refused"),
    ("<SCRIPT type=module>x</SCRIPT>", "1:1: an inline script is refused"),
    ("<p onclick=x>a</p>", "1:4: the attribute onclick= is refused"),
    ("<p OnMouseOver = 'x'>a</p>", "1:4: the attribute onmouseover= is refused"),
    ("<body onload=x>", "1:7: the attribute onload= is refused"),
    ("<base href=x>", "1:1: <base> is refused"),
    ("<iframe src=x></iframe>", "1:1: <iframe> is refused"),
    ("<form action=x></form>", "1:1: <form> is refused"),
    ("<object data=x></object>", "1:1: <object> is refused"),
    ("<template><p>x</template>", "1:1: <template> is refused"),
    ("<noscript>x</noscript>", "1:1: <noscript> is refused"),
    ("<meta http-equiv=' ReFresh ' content='0;x'>", "1:1: <meta refresh> is refused"),
    ("[a](javascript:x)", "1:5: the address 'javascript:x' is refused"),
    ("<a href='JaVaScRiPt:x'>a</a>", "1:10: the address 'JaVaScRiPt:x' is refused"),
    ("<a href='java&#9;script:x'>a</a>",
     "1:10: the address 'java\tscript:x' is refused"),
    ("<a href='&#1;javascript:x'>a</a>",
     "1:10: the address '\x01javascript:x' is refused"),
    ("<a href='&#106;avascript:x'>a</a>",
     "1:10: the address 'javascript:x' is refused"),
    ("<a href='vbscript:x'>a</a>", "1:10: the address 'vbscript:x' is refused"),
    ("<a href='data:text/html,x'>a</a>", "1:10: the address 'data:text/html,x' is "
     "refused"),
    ("<a href=file:///x>a</a>", "1:9: the address 'file:///x' is refused"),
    ("<button formaction='javascript:x'>a</button>", "1:21: the address 'javascript:x' "
     "is refused"),
    ("<img src=https://e.x/y.png alt=''>", "1:10: <img> asks another host: "
     "https://e.x/y.png"),
    ("![a](//e.x/y.png)", "1:6: <img> asks another host: //e.x/y.png"),
    ("<img src='\\/e.x/y.png' alt=''>", "1:11: <img> asks another host: \\/e.x/y.png"),
    ("<img srcset='#x 1x, https://e.x/y.png 2x' alt=''>", "1:14: <img> asks another "
     "host: #x 1x, https://e.x/y.png 2x"),
    ("<video poster=https://e.x/y></video>", "1:15: <video> asks another host: "
     "https://e.x/y"),
    ("<link rel=stylesheet href=https://e.x/y>", "1:27: <link> asks another host: "
     "https://e.x/y"),
    ("<a href=https://e.x ping=https://e.x>a</a>", "1:21: the attribute ping= is "
     "refused"),
    ("<svg><image href=https://e.x/y /></svg>", "1:18: <image> asks another host: "
     "https://e.x/y"),
    ("<svg><use xlink:href=https://e.x/y /></svg>", "1:22: <use> asks another host: "
     "https://e.x/y"),
    ("<svg><a xlink:href='javascript:x'>a</a></svg>",
     "1:21: the address 'javascript:x' is refused"),
    ("<svg><style>p {}</style></svg>", "1:6: <style> is refused"),
    ("<svg><script href=x></script></svg>", "1:6: an inline script is refused"),
    ("<svg><rect fill='url(https://e.x/y#z)'/></svg>",
     "1:18: <rect> asks another host: url(https://e.x/y#z)"),
    ("<svg><a>a<animate attributeName=href to=x /></a></svg>", "1:10: <animate> that "
     "changes href is refused"),
    ("<svg><set attributeName=onload to=x /></svg>",
     "1:6: <set> that changes onload is refused"),
    ("<math><mi href='javascript:x'>a</mi></math>",
     "1:17: the address 'javascript:x' is refused"),
    ("<math><mtext><style>x</style></mtext></math>", "1:14: <style> is refused"),
])
def test_what_the_policy_blocks_is_refused_where_it_stands(site, text, expected):
    assert expected in site.problems(f"{text}\n")


@pytest.mark.parametrize("text", [
    "<p title='javascript: the good parts'>a</p>", "`<style>` and `onclick=`",
    "```html\n<script>x</script>\n<p style='x'>\n```", "[a](mailto:a@example.org)",
    "[b](https://example.org/?q=javascript:x)", "<a href='#'>a</a>", "[a](#top)",
    "<q cite='https://example.org'>a</q>", "style= is a word, <b>onclick=</b> too",
])
def test_what_only_looks_like_it_is_left_alone(site, text):
    assert site.body(f"{text}\n")


def test_only_the_markup_s_place_is_told_not_the_code_that_shows_it(site):
    assert site.problems("`<style>`\n\n```\n<style>\n```\n\n<style></style>\n") == [
        "7:1: <style> is refused"]


# ------------------------------------------------------------------------ images, links
@pytest.mark.parametrize(("text", "expected"), [
    ("![](x.png)", "1:5: image without alternative text"),
    ("a\n![ ](x.png 'title')", "2:6: image without alternative text"),
    ("![][r]\n\n[r]: x.png", "3:6: image without alternative text"),
    ("<img src=x.png>", "1:10: image without alternative text"),
    ("<img src='x.png' alt>", "1:11: image without alternative text"),
    ("[![](x.png)](y)", "1:6: image without alternative text"),
])
def test_an_image_says_what_it_shows(site, text, expected):
    site.add("articles/a/x.png", b"\x89PNG")
    site.add("articles/a/y", "")
    assert expected in site.problems(text)


@pytest.mark.parametrize("text", ["`![](x)`", "    ![](x)", "```\n![](x)\n```",
                                  "<img src='x.png' alt=''>", "![\\(x\\)](x.png)"])
def test_code_and_decoration_need_no_alternative_text(site, text):
    site.add("articles/a/x.png", b"\x89PNG")
    assert site.body(text)


@pytest.mark.parametrize(("text", "expected"), [
    ("[a](x.txt)", "1:5: no file or page 'x.txt'"),
    ("![a](x.png)", "1:6: no file or page 'x.png'"),
    ("<img srcset='x.png 1x' alt=''>", "1:14: no file or page 'x.png'"),
    ("[a](../b/index.html)", "1:5: no file or page '../b/index.html'"),
    ("[a](../../x)", "1:5: no file or page '../../x'"),
    ("[a](/x)", "1:5: no file or page '/x'"),
    ("[a](../)", "1:5: link to a folder: '../'"),
    ("[a](.)", "1:5: link to a folder: '.'"),
    ("[a](#nowhere)", "1:5: no anchor '#nowhere'"),
    ("[](#nowhere)", "1:4: no anchor '#nowhere'"),
    ("[a](../index.html#x)", "1:5: no anchor '#x' in index.html"),
    ("[a][r]\n\n[r]: x.txt", "3:6: no file or page 'x.txt'"),
    ("<a href='x.txt'>a</a>", "1:10: no file or page 'x.txt'"),
    ("[](https://example.org)", "1:4: a link without text"),
    ("[a](step:nowhere)", "1:5: no step 'nowhere' in the source"),
    ("a[^1]", "1:2: no footnote '1'"),
])
def test_a_link_that_leads_nowhere_or_says_nothing_is_named(site, text, expected):
    assert site.problems(text) == [expected]


@pytest.mark.parametrize("address", ["https://[x", "//[x", "http://a:b", "https://%"])
def test_an_address_of_another_host_is_not_judged(site, address):
    assert site.body(f"[a]({address})\n")


@pytest.mark.parametrize("address", [
    "x%20y.txt", "<x y.txt>", "x%20y.txt?q=1#z", "#here", "#~layer=0&head=1", "#top",
    "../index.html#made", "../a/index.html#here", "index.html", "sub/z.txt"])
def test_addresses_that_lead_somewhere_are_left_alone(site, address):
    site.add("articles/a/x y.txt", "")
    site.add("articles/a/sub/z.txt", "")
    assert site.body(f"## Here\n\n[a]({address})\n")


# ---------------------------------------------------------------------------------- ids
@pytest.mark.parametrize(("text", "expected"), [
    ("## A {#x}\n\n## B {#x}", ["1:7", "3:7"]),
    ("\\[ a \\] {#x}\n\n\\[ b \\] {#x}", ["1:10", "3:10"]),
    ("/// side-note | x\na\n///\n\n/// side-note | x\nb\n///", ["1:15", "5:15"]),
    ("<p id='x'>a</p>\n\n<p id=x>b</p>", ["1:4", "3:4"]),
    ("## A {#x}\n\n<p ID=\"x\">b</p>\n\n[c](#x)", ["1:7"]),
    ("## A {#article}", ["1:7"]),
])
def test_two_equal_ids_are_named_at_each_place(site, text, expected):
    places = [line.partition(": ")[0] for line in site.problems(text)]
    assert places[:len(expected)] == expected


def test_an_id_is_one_word(site):
    assert site.problems("/// side-note | a b\nx\n///") == [
        "1:15: the id 'a b' holds white space"]


def test_titles_never_take_an_id_that_the_page_needs(site):
    site.add("references.bib", "@misc{k, title={T}, author={A}, year={2020}}\n")
    html = site.page("## References\n\n## Ref 1\n\n## Article\n\n## Made\n\nx [@k]\n")
    for name in ("references", "ref-1", "article", "made"):
        assert html.count(f'id="{name}"') == 1


@pytest.mark.parametrize("name", sorted(FOLLOWED | LOADED | ANIMATED | {
    "style", "onclick", "ping", "srcdoc", "attributename"}))
def test_every_attribute_that_is_judged_is_looked_at(name):
    assert f"[{name}]" in LOOKED_AT or is_odd(f'<p {name}="x">')


@pytest.mark.parametrize("html", [
    "<p a=b onclick=x>", "<p\nONCLICK\t=\n'x'>", "<p a='b'onclick = x>",
    "<p/onclick=x>", "<svg fill='URL(#a)' b=c>", "<a xlink:href=x>",
    "<img data-srcset=x srcset=y>"])
def test_an_odd_attribute_is_seen_however_it_is_written(html):
    assert is_odd(f"<p>1 = 2</p>{html}</p>= x")


def test_an_ordinary_page_is_not_odd():
    assert not is_odd('<a href="x" data-part="on">from = 1, url, style</a>')
