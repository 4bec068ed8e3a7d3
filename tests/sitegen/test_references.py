"""References come from references.bib, numbered in its order, with ways back."""

import pytest
from selectolax.lexbor import LexborHTMLParser

BIB = """@article{b, title = {Second {T}itle}, author = {Ann {van Dyk} and Bo Li},
  year = {2020}, journal = {J}, url = {https://example.org/b}}

@misc{a, title = {First}, author = {C, D. and E, F. and G, H. and I, J. and K, L.},
  year = {2021}, doi = {10.1/x_y}}

@misc{unused, title = {Never}, author = {N}, year = {2022}}
"""


def page(site, text):
    site.add("references.bib", BIB)
    return LexborHTMLParser(site.page(text))


def test_only_cited_works_are_listed_in_the_file_s_order(site):
    tree = page(site, "[@a] and [@b; @a]\n")
    entries = [node.text() for node in tree.css(".references li")]
    assert len(entries) == 2
    assert entries[0].startswith("[1] A. van Dyk and B. Li (2020). Second Title.")
    assert entries[1].startswith("[2] D. C, F. E, H. G and others (2021). First.")
    links = tree.css(".references li > a[href^=http]")
    assert [node.attributes["href"] for node in links] == [
        "https://example.org/b", "https://doi.org/10.1/x_y"]


def test_each_mention_is_a_link_and_each_reference_leads_back(site):
    tree = page(site, "[@a]\n\n## S\n\n[@b; @a]\n")
    cites = {node.attributes["id"]: node.attributes["href"]
             for node in tree.css(".cite")}
    assert cites == {"cite-a-1": "#ref-2", "cite-b-1": "#ref-1", "cite-a-2": "#ref-2"}
    back = [node.attributes["href"] for node in tree.css(".references .back")]
    assert back == ["#cite-b-1", "#cite-a-1", "#cite-a-2"]


def test_a_page_without_citations_has_no_list(site):
    assert page(site, "Text.\n").css_first("#references") is None


def test_an_unknown_key_is_named_with_the_nearest(site):
    site.add("references.bib", BIB)
    assert site.problems("x [@unusd] [@a; @zz]\n") == [
        "1:3: no reference 'unusd'", "1:12: no reference 'zz'"]
    assert "did you mean 'unused'" in site.failure()[0].todo


@pytest.mark.parametrize(("bib", "expected"), [
    ("@misc{k, author={A}}\n", "1: reference 'k' has no title"),
    ("\n@misc{k, title={T}}\n", "2: reference 'k' has no author"),
    ("@misc{k, title={T}, author={A}, url={javascript:x}}\n",
     "1: reference 'k': url 'javascript:x' is no web address"),
    ("@misc{k, title={T}, author={A}}\n\n@misc{k, title={T}, author={A}}\n",
     "3: not BibTeX: "),
    ("@misc{k, title={T\n", "1: not BibTeX: "),
    ("@misc{k, title={A \\frac}, author={B}}\n",
     "1: not BibTeX: a LaTeX command lacks its arguments"),
    ("a\0", "1:2: a character that is no text: U+0000"),
])
def test_an_entry_that_cannot_be_printed_is_named(site, bib, expected):
    site.add("references.bib", bib)
    first = site.problems("Text.\n")[0]
    assert first.startswith(f"content/references.bib:{expected}")
