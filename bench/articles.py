"""Write content folders of any size, always the same for a size, to time builds on.

An article has the make-up of a technical one: 2000 words in eight sections, ten
formulas, four blocks of code, two tables, a list, links and a footnote.  No two
formulas or blocks are alike, so that a cache by content gains nothing; no code in it is
executed.
"""

import random
from pathlib import Path

SUBJECTS = [
    "the query",
    "a shared key head",
    "each row of the mask",
    "the residual stream",
    "a rotated pair",
    "the second layer",
    "one cached position",
    "the output projection",
]
VERBS = [
    "reads",
    "rescales",
    "never sees",
    "adds to",
    "is compared with",
    "leaves alone",
    "is mixed into",
    "keeps the length of",
]
OBJECTS = [
    "every earlier position",
    "the sum of its values",
    "the *same* four channels",
    "what the `softmax` left over",
    "a vector of **unit** variance",
    "the scores before the mask",
    "the state that the layer was given",
    "two heads at once",
]
ENDINGS = [
    "so the order of the tokens matters",
    "which the table below makes plain",
    "and nothing else changes",
    "although the shapes look alike",
    "as the numbers show",
    "whatever the length of the text",
    "before the next layer begins",
    "unless the cache is empty",
]
FORMULAS = [
    r"s_{{{a}}} = \frac{{q_{{{a}}} \cdot k_{{{b}}}}}{{\sqrt{{{n}}}}}",
    r"w_{{{a},{b}}} = \frac{{e^{{s_{{{b}}}}}}}{{\sum_{{j=1}}^{{{n}}} e^{{s_j}}}}",
    r"\theta_{{{a}}} = {n}^{{-2i/d}}",
    r"h_{{{a}}} = \sum_{{t \le {n}}} w_{{{a},t}} v_t",
    r"x' = x_{{{a}}} + W_{{{b}}} \, z_{{{n}}}",
    r"\left\| x_{{{a}}} \right\|^2 \le {n} \, \varepsilon",
]
CODE = '''def {name}_{n}(query, keys, values, first={n}):
    """Return the mixture of values that one query takes."""
    scores = (query @ keys.T) * keys.shape[-1] ** -0.5
    allowed = np.arange(len(keys)) <= first + {n}
    scores = np.where(allowed, scores, -np.inf)
    weights = np.exp(scores - scores.max(axis=-1, keepdims=True))
    weights /= weights.sum(axis=-1, keepdims=True)
    for position, weight in enumerate(weights):  # {n} rows
        if not 0.0 <= weight.sum() <= 1.0 + 1e-{b}:
            raise ValueError(f"row {{position}} sums to {{weight.sum()}}")
    return weights @ values, {{"{name}": {n}, "rows": len(weights)}}
'''
SECTIONS = 8


class Author:
    """Writes articles; the same number gives the same article."""

    def __init__(self, number, count):
        self.number, self.count = number, count
        self.random = random.Random(number)

    def article(self):
        """Return the text of `index.md`."""
        sections = [self.section(index) for index in range(SECTIONS)]
        note = "[^aside]: " + self.sentence()
        head = f"---\ntitle: Article {self.number} of {self.count}\n---\n\n"
        return head + "\n\n".join([self.paragraph(4), *sections, note]) + "\n"

    def section(self, index):
        """Return a section: a heading, paragraphs, and by turns code, table or list."""
        parts = [f"## Part {index + 1}: {self.random.choice(SUBJECTS)}"]
        parts.append(f"{self.paragraph(6)} Here \\({self.formula()}\\) holds.")
        if index % 2:
            parts.append(self.code(index))
        if index % 4 == 0:
            parts.append(self.table())
        if index % 4 == 2:
            parts.append(f"\\[ {self.formula()} \\]")
        if index == 3:
            parts.append("\n".join(f"- {self.sentence()}" for _ in range(5)))
        parts.append(self.paragraph(5) + self.link(index))
        return "\n\n".join(parts)

    def sentence(self):
        """Return a sentence of a dozen words."""
        words = map(self.random.choice, (SUBJECTS, VERBS, OBJECTS, ENDINGS))
        subject, verb, what, ending = words
        return f"{subject.capitalize()} {verb} {what}, {ending}."

    def paragraph(self, sentences):
        """Return sentences in one line, as most editors keep them."""
        return " ".join(self.sentence() for _ in range(sentences))

    def formula(self):
        """Return a formula that stands nowhere else."""
        a, b = self.random.choices("abcdefghmnpqrt", k=2)
        template = self.random.choice(FORMULAS)
        return template.format(a=a, b=b, n=self.random.randrange(10**6))

    def code(self, index):
        """Return a fenced block of eleven lines that stands nowhere else."""
        name = self.random.choice(["mix", "attend", "rotate", "gather"])
        body = CODE.format(name=name, n=self.number * SECTIONS + index, b=index)
        return f"```python\n{body}```"

    def table(self):
        """Return a table of six rows."""
        rows = [
            f"| {self.random.choice(SUBJECTS)} | `{n}` | {self.random.random():.3f} |"
            for n in range(6)
        ]
        return "\n".join(["| what | index | share |", "|---|--:|--:|", *rows])

    def link(self, index):
        """Return a link to a section, to another article or to a note."""
        other = (self.number + index) % self.count
        kinds = [
            "",
            f" See [the article beside it](../{slug(other)}/index.html).",
            f" See [the source](https://example.org/{self.number}/{index}).",
            "[^aside]" if index == 3 else "",
        ]
        return kinds[index % 4]


def slug(number):
    """Return the folder's name of an article."""
    return f"article-{number:03}"


def write_content(folder, count):
    """Write a content folder of `count` articles; return the paths of their texts."""
    slugs = [slug(number) for number in range(count)]
    folder = Path(folder)
    for number, name in enumerate(slugs):
        place = folder / "articles" / name
        place.mkdir(parents=True)
        text = Author(number, count).article()
        (place / "index.md").write_text(text, "utf-8")
    listed = ", ".join(f'"{name}"' for name in slugs)
    (folder / "site.toml").write_text(
        f'title = "Measured"\ndescription = "Generated."\narticles = [{listed}]\n',
        "utf-8",
    )
    return [folder / "articles" / name / "index.md" for name in slugs]
