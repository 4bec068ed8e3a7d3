"""Hold the dates of an article's front matter to the calendar and to each other."""

import datetime

from sitegen.errors import Problem, enclosing


def check_dates(front, places):
    """Yield a Problem for each date that is none, or that is before `published`.

    front   of an article, as its schema wants it; a key with a wrong date is taken out
    places  dotted name of a key → Place
    """
    days, wrong = {}, set()
    for name, text in named_dates(front):
        try:
            days[name] = datetime.date.fromisoformat(text)
        except ValueError as error:
            wrong.add(name)
            yield Problem(enclosing(name, places), f"{name}: no date: {error}",
                          "write it as YYYY-MM-DD")
    published = days.get("published")
    for name, day in days.items():
        if published and day < published:
            wrong.add(name)
            yield Problem(enclosing(name, places),
                          f"{name}: {day} is before it was published, {published}",
                          "correct this date, or 'published'")
    for name in wrong:
        front.pop(name.partition(".")[0], None)


def named_dates(front):
    """Yield (dotted name, text) of each date of front matter."""
    for key in ("published", "revised"):
        if key in front:
            yield key, front[key]
    for key in ("updates", "corrections"):
        for index, change in enumerate(front.get(key, [])):
            yield f"{key}.{index}.date", change["date"]
