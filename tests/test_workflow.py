"""The workflow that publishes: only what can be checked without running it."""

import re
from pathlib import Path

import pytest
import yaml

ROOT = Path(__file__).parents[1]
WORKFLOW = ROOT / ".github" / "workflows" / "site.yml"
TARGETS = set(re.findall(r"^([a-z-]+):", (ROOT / "Makefile").read_text("utf-8"), re.M))
TEXT = WORKFLOW.read_text("utf-8")
WRITES = {("publish", "pages"), ("publish", "id-token")}


def faults(text):
    """Yield a sentence for each thing that the workflow may not do, or does not."""
    workflow = yaml.safe_load(text)
    if workflow["permissions"] != {"contents": "read"}:
        yield "it may more than read"
    if "concurrency" not in workflow:
        yield "two of them may publish at once"
    steps = [(name, step) for name, job in workflow["jobs"].items()
             for step in job["steps"]]
    for name, job in workflow["jobs"].items():
        writes = {(name, what) for what, how in job.get("permissions", {}).items()
                  if how == "write"}
        if not writes <= WRITES:
            yield f"{name} may write {writes - WRITES}"
        if "timeout-minutes" not in job:
            yield f"{name} may run for hours"
    for name, step in steps:
        yield from _step_faults(name, step)
    if {*workflow["jobs"]["publish"]["needs"]} != {"test", "build"}:
        yield "it publishes what was not tested, or not built"


def _step_faults(name, step):
    for target in re.findall(r"\bmake ([a-z-]+)", step.get("run", "")):
        if target not in TARGETS:
            yield f"{name}: make has no {target}"
    if "${{" in step.get("run", ""):
        yield f"{name}: an expression is written into a shell's text"
    if not re.fullmatch(r"actions/[a-z-]+@v\d+", step.get("uses", "actions/x@v1")):
        yield f"{name}: {step['uses']} is no official action at a version"


def test_the_workflow_may_no_more_than_it_must():
    assert list(faults(TEXT)) == []


def test_it_builds_with_the_address_that_the_host_names():
    steps = yaml.safe_load(TEXT)["jobs"]["build"]["steps"]
    run, = (step for step in steps if "run" in step)
    assert run["run"] == 'make site ARGS="--base-url $BASE_URL"'
    assert run["env"] == {"BASE_URL": "${{ steps.pages.outputs.base_url }}"}
    assert [step["id"] for step in steps if "configure-pages" in step.get("uses", "")
            ] == ["pages"]


@pytest.mark.parametrize(("old", "new"), [
    ("permissions:\n  contents: read\n\n", "permissions: write-all\n\n"),
    ("concurrency:", "x-concurrency:"), ("pages: read", "pages: write"),
    ("timeout-minutes: 60", "name: t"), ("make test", "make tset"),
    ('"--base-url $BASE_URL"', '"--base-url ${{ steps.pages.outputs.base_url }}"'),
    ("actions/checkout@v7", "someone/checkout@v7"),
    ("actions/deploy-pages@v5", "actions/deploy-pages@main"),
    ("needs: [test, build]", "needs: [build]")])
def test_the_check_notices(old, new):
    assert old in TEXT
    assert list(faults(TEXT.replace(old, new)))
