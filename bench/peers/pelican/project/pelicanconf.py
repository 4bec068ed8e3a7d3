"""As `pelican-quickstart` writes it, with relative addresses and the cache on.

Pelican has no search of its own; formulas are pelican-render-math's, which leaves them
to MathJax in the reader's browser.
"""

AUTHOR = "The project's contributors"
SITENAME = "Measured"
SITEURL = ""
PATH = "content"
TIMEZONE = "UTC"
DEFAULT_LANG = "en"
PLUGINS = ["pelican.plugins.render_math"]

# Right from disk: docs, "RELATIVE_URLS".
RELATIVE_URLS = True
ARTICLE_URL = "{slug}/index.html"
ARTICLE_SAVE_AS = "{slug}/index.html"

MARKDOWN = {
    "extension_configs": {
        "markdown.extensions.codehilite": {"css_class": "highlight"},
        "markdown.extensions.extra": {},
        "markdown.extensions.meta": {},
        "markdown.extensions.toc": {},
    },
    "output_format": "html5",
}

# Docs, "Reading only modified content": articles are not parsed again.
CACHE_CONTENT = True
LOAD_CONTENT_CACHE = True

FEED_ALL_ATOM = None
CATEGORY_FEED_ATOM = None
TRANSLATION_FEED_ATOM = None
AUTHOR_FEED_ATOM = None
AUTHOR_FEED_RSS = None
DEFAULT_PAGINATION = False
