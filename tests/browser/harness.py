"""Open the built site as a reader does, from disk and without a network, and listen.

Firefox is the stock one, driven over WebDriver BiDi, where Playwright's switches for
scripts, colours, motion and print do nothing: all but the last are preferences of the
profile, so each combination is a browser of its own; print is looked at in Chromium.
"""

import dataclasses
import time
from dataclasses import dataclass, field
from pathlib import Path

from tests.tools.browsers import KINDS, find

# The first two draw the address bar's suggestions as a page, in a process of its own
# for each context: a third of what opening one takes.  A second switch of this name
# replaces Playwright's, so the others are what Playwright disables.
DISABLED_FEATURES = [
    "WebUIOmniboxPopup",
    "WebUIOmniboxAimPopup",
    "AimEnabled",
    "AvoidCorsURLLoaderRestartOnRedirect",
    "AvoidUnnecessaryBeforeUnloadCheckSync",
    "BlockOriginHeaderModificationOnRedirect",
    "DestroyProfileOnBrowserClose",
    "DialMediaRouteProvider",
    "GlobalMediaControls",
    "HttpsUpgrades",
    "LensOverlay",
    "MediaRouter",
    "NetworkTimeServiceQuerying",
    "OptimizationHints",
    "PaintHolding",
    "ThirdPartyStoragePartitioning",
    "Translate",
]
CHROMIUM_ARGUMENTS = [
    "--headless",
    "--no-sandbox",
    "--disable-gpu",
    "--disable-quic",
    "--no-first-run",
    "--disable-background-networking",
    "--disable-component-update",
    "--disable-sync",
    "--disable-features=" + ",".join(DISABLED_FEATURES),
]
FIREFOX_PREFERENCES = {
    # Playwright lets a page from disk read its neighbours; a reader's browser does not.
    "security.fileuri.strict_origin_policy": True,
}
REPORT_VIOLATIONS = """addEventListener("securitypolicyviolation", (event) =>
  console.error(`policy: ${event.violatedDirective} blocked ${event.blockedURI}`))"""
LOCAL_SCHEMES = ("file:", "data:", "blob:", "about:")
# Firefox says so of formulas that it lays out before it has read all of them, which
# depends on where its reading pauses; test_site.py counts the children at the end.
PAUSED_FORMULA = "Incorrect number of children for <m"
# Playwright's Firefox loses events that nobody waits for, so wait for the last ones.
SETTLE_MS = 100
PATIENCE_S, LOOK_MS = 30, 20


def opener(reader, path, ready):
    """Return a function that opens a page of a Reader at a fragment.

    ready  what is to be seen before a test begins, where scripts run: a selector
    """
    def open_page(fragment="", **switches):
        page = reader.open(path, fragment, **switches)
        if switches.get("scripts", True):
            page.wait_for_selector(ready)
        return page

    return open_page


def drag(page, begin, end, y):
    """Drag with the mouse from one x to another, by way of the middle."""
    page.mouse.move(begin, y)
    page.mouse.down()
    page.mouse.move((begin + end) / 2, y)
    page.mouse.move(end, y)
    page.mouse.up()


def wait_until(page, condition, argument=None):
    """Wait until an expression, or a function of the argument, is true of a page.

    Playwright's own wait evaluates a string in the page, which the page's policy blocks
    whenever the condition is not true at once.

    Raises AssertionError after PATIENCE_S.
    """
    end = time.monotonic() + PATIENCE_S
    while not page.evaluate(condition, argument):
        assert time.monotonic() < end, f"it did not come to be: {condition}"
        page.wait_for_timeout(LOOK_MS)


@dataclass(frozen=True)
class Reading:
    """How a page is read: the switches that a test may turn."""

    scheme: str = "light"
    scripts: bool = True
    width: int = 1280
    height: int = 900
    offline: bool = True
    reduced_motion: bool = False
    forced_colors: bool = False


@dataclass
class Watched:
    """A page, and everything that its browser complained about."""

    page: object
    problems: list[str] = field(default_factory=list)

    def __post_init__(self):
        self.page.on("console", self._hear_console)
        self.page.on("pageerror", self._hear_error)
        self.page.on("request", self._see_request)
        self.page.on("requestfailed", lambda request: self._add("failed", request.url))

    def _add(self, kind, what):
        self.problems.append(f"{kind}: {what}")

    def _hear_error(self, error):
        if not str(error).startswith(PAUSED_FORMULA):
            self._add("error", error)

    def _hear_console(self, message):
        if message.type in ("error", "warning"):
            self._add(f"console {message.type}", message.text)

    def _see_request(self, request):
        if not request.url.startswith(LOCAL_SCHEMES):
            self._add("request", request.url)

    def settled_problems(self):
        """Return the problems after those still on their way have arrived."""
        if not self.page.is_closed():
            self.page.wait_for_timeout(SETTLE_MS)
        return self.problems


class Browsers:
    """Launch browsers when first asked for and keep them until the session ends."""

    def __init__(self, playwright):
        self._playwright = playwright
        self._launched = {}

    def new_page(self, name, reading):
        """Return a blank page of browser `name`, read as `reading` says."""
        context = self._browser(name, reading).new_context(
            offline=reading.offline,
            viewport={"width": reading.width, "height": reading.height},
            **(self._chromium_options(reading) if name == "chromium" else {}),
        )
        page = context.new_page()
        page.add_init_script(REPORT_VIOLATIONS)
        return page

    def close(self):
        """Close every browser."""
        for browser in self._launched.values():
            browser.close()

    def _browser(self, name, reading):
        preferences = self._firefox_preferences(reading) if name == "firefox" else {}
        key = (name, *sorted(preferences.items()))
        if key not in self._launched:
            self._launched[key] = self._launch(name, preferences)
        return self._launched[key]

    def _launch(self, name, preferences):
        found = find(KINDS[name])
        assert found, f"no {name} here: run tests/tools/browsers.py"
        if name == "chromium":
            return self._playwright.chromium.launch(
                executable_path=found.executable, args=CHROMIUM_ARGUMENTS
            )
        return self._playwright.firefox.launch(
            executable_path=found.executable,
            channel=None if found.is_playwright_build else "moz-firefox",
            firefox_user_prefs=preferences,
        )

    @staticmethod
    def _chromium_options(reading):
        return {
            "color_scheme": reading.scheme,
            "java_script_enabled": reading.scripts,
            "reduced_motion": "reduce" if reading.reduced_motion else "no-preference",
            "forced_colors": "active" if reading.forced_colors else "none",
        }

    @staticmethod
    def _firefox_preferences(reading):
        return {
            **FIREFOX_PREFERENCES,
            "javascript.enabled": reading.scripts,
            "layout.css.prefers-color-scheme.content-override": (
                0 if reading.scheme == "dark" else 1
            ),
            "ui.prefersReducedMotion": int(reading.reduced_motion),
            "browser.display.document_color_use": 2 if reading.forced_colors else 1,
        }


class Reader:
    """Opens pages of one site in one browser; hears all of their complaints."""

    def __init__(self, browsers, name, site):
        self.browser_name = name
        self.site = site
        self._browsers = browsers
        self._watched = []

    def open(self, path="index.html", fragment="", **switches):
        """Return the page at `path` of the site, or at an absolute path.

        fragment  with its #
        switches  see Reading
        """
        page = self.blank_page(**switches)
        page.goto(Path(self.site, path).as_uri() + fragment)
        return page

    def blank_page(self, **switches):
        """Return a watched page that has opened nothing yet."""
        page = self._browsers.new_page(
            self.browser_name, dataclasses.replace(Reading(), **switches)
        )
        self._watched.append(Watched(page))
        return page

    def problems(self):
        """Return what the browser complained about since the last call, all pages."""
        found = [text for seen in self._watched for text in seen.settled_problems()]
        for seen in self._watched:
            seen.problems.clear()
        return found

    def close(self):
        """Close every page that was opened here."""
        for seen in self._watched:
            seen.page.context.close()
