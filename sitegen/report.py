"""What a build made, and what its pages weigh; standard library alone."""

from dataclasses import dataclass


@dataclass
class PageBytes:
    """What a page loads, in bytes: itself, and what it may ask for while it is read."""

    html: int
    data: int
    scripts: int
    styles: int
    fonts: int


@dataclass
class Report:
    """What a build made.

    files  path below the output → cache.Stored, or the Path of a file that is copied
    built  (name, why) of everything that was made anew; taken counts the pages that
           were not
    pages  path → PageBytes
    """

    files: dict
    built: list[tuple[str, str]]
    taken: int
    pages: dict[str, PageBytes]

    def summary(self):
        """Return what a later build, with nothing to do, says again; plain data."""
        return {"files": list(self.files),
                "pages": {path: vars(sizes) for path, sizes in self.pages.items()}}

    @classmethod
    def of_summary(cls, summary):
        """Return the Report of a build that found nothing to do."""
        return cls(dict.fromkeys(summary["files"]), [], len(summary["pages"]), {
            path: PageBytes(**sizes) for path, sizes in summary["pages"].items()})
