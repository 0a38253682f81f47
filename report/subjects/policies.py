"""What the policy packs say."""

from collections.abc import Mapping

from previews import Preview
from previews.model import name_of
from report.model import WEIGHTS, Finding, Section, Table, Weight
from report.words import code, count, listing, plain

LEVELS: Mapping[str, Weight] = {
    "mandatory": "stop",
    "advisory": "look",
    "remediate": "note",
    "disabled": "note",
}


HEAD = ("policy", "level", "where", "says")


def policies(preview: Preview) -> Section:
    """The section of violations, and of whether anybody looked."""
    findings: list[Finding] = []
    if preview.packs is None:
        findings.append(
            Finding(
                weight="look",
                says="This form of a preview has no results of policies: preview with "
                "`PULUMI_ENABLE_STREAMING_JSON_PREVIEW=true`, as `make review` does.",
            )
        )
    elif not preview.packs:
        findings.append(
            Finding(weight="look", says="No policy looked at it: preview with `--policy-pack policies`.")
        )
    elif not preview.violations:
        findings.append(Finding(weight="note", says="No policy has anything against it."))
    by_policy: dict[tuple[str, str], int] = {}
    for violation in sorted(preview.violations, key=lambda violation: violation.policy):
        by_policy[violation.level, violation.policy] = (
            by_policy.get((violation.level, violation.policy), 0) + 1
        )
    for (level, policy), number in by_policy.items():
        resources = count(number, "resource")
        if LEVELS[level] == "stop":
            findings.append(
                Finding(weight="stop", says=f"**Policy {code(policy)} refuses it ({resources}).**")
            )
        elif LEVELS[level] == "look":
            findings.append(
                Finding(weight="look", says=f"Policy {code(policy)} advises against it ({resources}).")
            )
        else:
            findings.append(Finding(weight="note", says=f"Policy {code(policy)} changes it ({resources})."))
    gravest_first = sorted(
        preview.violations,
        key=lambda violation: (
            WEIGHTS.index(LEVELS[violation.level]),
            violation.policy,
            violation.urn,
            violation.message,
        ),
    )
    rows = [
        [
            code(violation.policy),
            violation.level,
            code(name_of(violation.urn)) if violation.urn else "the stack",
            plain(violation.message),
        ]
        for violation in gravest_first
    ]
    packs = [f"{code(name)} {plain(version)}" for name, version in (preview.packs or {}).items()]
    return Section(
        subject="policies",
        title="Policies",
        findings=findings,
        table=Table(head=HEAD, rows=rows, open=len(preview.refusals), folded="What is advised")
        if rows
        else None,
        remark=f"Looked at by {listing(packs)}." if packs else "",
    )
