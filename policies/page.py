"""docs/policies.md: every rule, what environments set of them, and what others ask for."""

import json
from collections.abc import Iterator, Mapping, Sequence
from typing import Any

import yaml

from policies.benchmarks import CONTROLS, rules_for
from policies.catalog import RULES, SUBJECTS
from policies.pack.configuration import FILE
from policies.pack.rule import Rule

HEAD = """# Policies

What must not ship is refused before it does, by the policy pack in `policies/`:

    pulumi preview --stack prod --policy-pack policies
    pulumi up --stack prod --policy-pack policies

`make preview` and `make up` do so. A violation names the rule, the resource, what is wrong and what to
do; one that is mandatory ends the preview, and nothing is changed. A value that is not known before `up`
is no violation then; `up` asks again when it is.

A Helm release shows the engine its values only, so the pack renders its chart with them, by Helm, and
asks every rule on workloads about what is inside. The chart is taken from the folder of `MOKA_CHARTS`,
from Helm's cache or from its repository or mirror. One that cannot be had is reported by `chart-rendered`
as not checked, which is mandatory unless an environment says otherwise. What was rendered is kept by
content in `~/.cache/moka/policies`; secrets among the values are neither shown to Helm nor kept.

`policies/configuration.yaml` has what environments set: a rule's `level` (`mandatory`, `advisory`,
`disabled`, or `remediate`, by which the engine corrects a resource where a rule has a correction) and its
parameters. What it does not name is as strict as it can be. Beside it stand exceptions:

    exceptions:
      - rule: bucket-versioned
        environments: [prod]
        resource: BucketVersioning::main-resource-usage
        reason: Its writers are moved to another bucket until March, and versions cost more than the data.
        owner: "@data-platform"
        expires: 2027-03-01

An exception needs all of these. From the day after it expires, and with any other mistake in the file,
nothing may ship (`policy-configuration`). For one run, `--policy-pack-config` takes a file of Pulumi's
own, rule to level.

What the policies will say on another day, when support of a version has ended or an exception expired:

    make preview STACK=prod MOKA_AS_OF=2027-03-27

This page is made by `make schema`.
"""

RULE_TABLE = """
| rule | what holds | severity | otherwise | parameters | from |
| --- | --- | --- | --- | --- | --- |"""


def page() -> str:
    """The page."""
    return "\n".join([HEAD, *_rules(), *_environments(), *_controls()]) + "\n"


def _rules() -> Iterator[str]:
    for subject in SUBJECTS:
        yield f"## {subject.name.capitalize()}\n\n{subject.title}.\n{RULE_TABLE}"
        yield from map(_row, subject.rules)
        yield ""


def _row(rule: Rule) -> str:
    parameters = "; ".join(f"`{name}: {_text(value)}`" for name, value in rule.parameters.items())
    correction = "; can be corrected" if rule.correction else ""
    references = ", ".join(map(_reference, rule.references))
    return (
        f"| `{rule.name}` | {rule.title} | {rule.severity}{correction} | {rule.rationale} | "
        f"{parameters or '-'} "
        f"| {references} |"
    )


def _reference(text: str) -> str:
    """A reference as it is read: an address by its last part, anything else as it is."""
    if not text.startswith("https://"):
        return f"`{text}`" if "/" in text else text
    path, _, anchor = text.rstrip("/").partition("#")
    return f"[{anchor or path.rpartition('/')[2].removesuffix('.html')}]({text})"


def _text(value: Any) -> str:
    return json.dumps(value, default=list)


def _environments() -> Iterator[str]:
    file: Mapping[str, Any] = yaml.safe_load(FILE.read_text())
    yield "## What environments set\n"
    environments = file["environments"]
    settings: dict[str, dict[str, str]] = {}
    for environment, rules in (("everywhere", file["everywhere"]), *environments.items()):
        for name, values in rules.items():
            text = "; ".join(f"`{key}: {_text(value)}`" for key, value in values.items())
            settings.setdefault(name, {})[environment] = text
    yield "| rule | where | what |\n| --- | --- | --- |"
    for name, places in settings.items():
        for text in dict.fromkeys(places.values()):
            where = ", ".join(place for place, value in places.items() if value == text)
            yield f"| `{name}` | {where} | {text} |"
    yield ""


def _controls() -> Iterator[str]:
    yield (
        "## What others ask for\n\nThe CIS Amazon EKS Benchmark v1.7.0, by number, and AWS's "
        "[EKS Best Practices "
        "Guides](https://docs.aws.amazon.com/eks/latest/best-practices/introduction.html), by page.\n"
    )
    yield "| control | about | held by |\n| --- | --- | --- |"
    for control, about in CONTROLS.items():
        names = [f"`{name}`" for name in rules_for(control, RULES)]
        more = _more(names, about.otherwise)
        yield f"| {_reference(control)} | {about.subject} | {', '.join(names)}{more} |"


def _more(names: Sequence[str], otherwise: str) -> str:
    return f"{'; ' if names else ''}{otherwise}" if otherwise else ""
