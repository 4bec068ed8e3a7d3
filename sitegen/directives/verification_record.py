"""What a trace claims about the run that made it: claim, measured, limit, result."""

from dataclasses import dataclass
from itertools import groupby

from markupsafe import Markup

from sitegen.traces import describe_trace

NAME = "verification-record"
NUMBERED = True
OPTIONS = {"trace": {"type": "string"}}

MINUS, TIMES = "\N{MINUS SIGN}", "\N{MULTIPLICATION SIGN}"
NOT_FINITE = {"Infinity": "∞", "-Infinity": f"{MINUS}∞", "NaN": "not a number"}


@dataclass(frozen=True)
class Check:
    """One measurement, ready to print."""

    id: str
    measured: Markup
    unit: str
    limit: Markup | None     # None: the measured number must be exactly 0
    scope: str
    passed: bool


def prepare(directive, article):
    """Return the template's variables, or None once a problem is recorded."""
    trace = article.named_trace(directive)
    if trace is None:
        return None
    checks = trace.data.get("checks", [])
    if not checks:
        article.problem(directive.place, f"the trace '{trace.id}' records no checks",
                        "make it with --verify, or name another trace")
        return None
    return {"claims": group_claims(checks), "count": len(checks),
            "failed": sum(not check["passed"] for check in checks),
            "address": article.address_prefix(trace),
            "origin": describe_trace(trace, article.words)}


def group_claims(checks):
    """Return (claim, its Checks) for each run of records with the same claim."""
    return [(sentence(claim), [_check(record) for record in records])
            for claim, records in groupby(checks, key=lambda check: check["claim"])]


def _check(record):
    limit = record["limit"]
    scope = [record[key] for key in ("dtype", "sizes") if record.get(key)]
    return Check(record["id"], number(record["measured"]), record.get("unit") or "",
                 None if limit == 0 else number(limit), ", ".join(map(str, scope)),
                 record["passed"])


def sentence(claim):
    """Return a claim with a capital letter in front."""
    return claim[:1].upper() + claim[1:]


def number(value):
    """Return a number as a reader writes it, in two digits: 0.5, or 2 times 10⁻¹⁶."""
    if isinstance(value, str):
        return Markup("{}").format(NOT_FINITE[value])
    if value == 0 or 1e-3 <= abs(value) < 1e5:
        return Markup("{}").format(_signed(f"{value:.2g}" if abs(value) < 100
                                           else f"{value:.0f}"))
    mantissa, exponent = f"{value:.1e}".split("e")
    mantissa = mantissa.removesuffix(".0")
    power = Markup("10<sup>{}</sup>").format(_signed(str(int(exponent))))
    if mantissa == "1":
        return power
    return Markup("{}&nbsp;{}&nbsp;{}").format(_signed(mantissa), TIMES, power)


def _signed(text):
    return text.replace("-", MINUS)
