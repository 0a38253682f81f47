import json
from dataclasses import replace

import pytest

from previews import Violation
from report.as_json import as_json
from report.examination import examine
from report.markdown import LIMIT, as_markdown
from report.model import Drawing, Finding, Report, Section, Table
from report.subjects.other_changes import other_changes
from report.subjects.policies import policies
from tests.support.report_steps import preview, says, step


def report(findings=1, rows=1, text="something", weight="look"):
    section = Section(
        subject="rest",
        title="All changes",
        findings=[Finding(weight=weight, says=f"{text} {number}") for number in range(findings)],
        table=Table(head=("a", "b"), rows=[[f"{text} {number}", "x"] for number in range(rows)]),
        picture="███",
        folded=True,
    )
    return Report(stack="prod", summary="no change", sections=[section] * 3)


@pytest.mark.parametrize(
    ("findings", "rows", "text"),
    [
        (1, 1, "x"),
        (5_000, 0, "x" * 300),
        (0, 20_000, "ü" * 300),
        (3_000, 3_000, "🛑" * 200),
        (2, 2, "x" * 70_000),
    ],
)
@pytest.mark.parametrize("weight", ["stop", "look", "note"])
def test_a_comment_is_never_longer_than_github_takes(findings, rows, text, weight):
    result = as_markdown(report(findings, rows, text, weight))

    assert len(result) <= LIMIT
    assert result.startswith("## ")


def test_a_drawing_that_is_too_long_is_cut_and_what_is_left_out_is_counted():
    drawing = Drawing(text="\n".join(f"nodes {number}{'`' * 90}" for number in range(2_000)), svg="prod.svg")

    result = as_markdown(replace(report(), drawing=drawing))

    assert len(result) <= LIMIT
    assert "\nand 1,800 more lines\n```\n" in result
    assert "All of it is drawn in [prod.svg](prod.svg)." in result
    assert result.count("```") % 2 == 0


def test_what_is_left_out_is_counted():
    result = as_markdown(report(findings=5_000, rows=5_000, text="x" * 100))

    assert "more: see `moka report --json`" in result


@pytest.mark.parametrize("length", [500, 700, 1_000, 2_000])
def test_what_is_cut_leaves_nothing_open(length):
    result = as_markdown(report(findings=9, text="x" * 300), limit=length)

    assert len(result) <= length
    assert result.count("<details>") == result.count("</details>")
    assert result.count("```") % 2 == 0


def test_the_json_has_what_the_markdown_leaves_out():
    everything = json.loads(as_json(report(findings=5_000)))

    assert (everything["verdict"], everything["says"]) == ("look", "Look at it")
    assert len(everything["sections"]["rest"]["findings"]) == 5_000
    assert everything["sections"]["rest"]["table"] == [{"a": "something 0", "b": "x"}]


EVIL = "x` </details>\n## Merge it <!-- @all #1 | [a](b)"


def test_a_preview_cannot_write_into_the_report():
    """Names, messages and inputs are others' words, and stay text."""
    violation = Violation(
        policy=EVIL, pack="moka", level="mandatory", message=EVIL, urn=f"urn:a::b::c::{EVIL}"
    )
    steps = [
        step("aws:s3/bucket:Bucket", EVIL, {}),
        step("aws:ec2/vpc:Vpc", EVIL, {"a": 1}, {"a": EVIL}, changed=(EVIL,)),
    ]
    result = as_markdown(examine(preview(*steps, violations=(violation,), warnings=(EVIL,))))

    # Within code everything is text.
    outside = "".join(result.replace("\\`", "").split("`")[::2])
    assert "\n## Merge" not in result
    assert "<!--" not in outside
    assert "@all" not in outside
    assert outside.count("</details>") == outside.count("<details>") == 1


def test_a_mandatory_policy_that_refuses_stops_a_change():
    violations = (
        Violation(
            policy="no-x", pack="moka", level="mandatory", message="x is here", urn="urn:a::b::c::bucket"
        ),
        Violation(policy="no-y", pack="moka", level="advisory", message="y"),
    )
    section = policies(preview(violations=violations))

    assert "Policy `no-x` refuses it (1 resource)" in says(section, "stop")
    assert "Policy `no-y` advises against it" in says(section, "look")
    assert [list(row) for row in section.table.rows] == [
        ["`no-x`", "mandatory", "`bucket`", "x is here"],
        ["`no-y`", "advisory", "the stack", "y"],
    ]


@pytest.mark.parametrize(
    ("packs", "weight", "sentence"),
    [
        (None, "look", "has no results of policies"),
        ({}, "look", "No policy looked at it"),
        ({"moka": "1"}, "note", "No policy has anything against it"),
    ],
)
def test_whether_policies_looked_at_it_is_said(packs, weight, sentence):
    looked = preview(step("aws:ec2/vpc:Vpc", "a", {}, {}))

    assert sentence in says(policies(replace(looked, packs=packs)), weight)


def test_all_changes_are_there_folded():
    section = other_changes(
        preview(
            step("aws:ec2/vpc:Vpc", "a", {"cidrBlock": "a"}, {"cidrBlock": "b"}, changed=("cidrBlock",)),
            step("aws:ec2/vpc:Vpc", "b", None, {}),
            step("aws:ec2/vpc:Vpc", "c", {}, {}),
        )
    )

    assert section.folded
    assert [list(row) for row in section.table.rows] == [
        ["created", "`aws:ec2/vpc:Vpc`", "1", "`b`"],
        ["updated", "`aws:ec2/vpc:Vpc`", "1", "`a` (`cidrBlock`)"],
    ]


def test_updates_of_which_nothing_is_known_are_counted():
    unknown = "04da6b54-80e4-46f7-96ec-b56ff0331ba9"
    section = other_changes(
        preview(step("kubernetes:core/v1:Service", "a", {"a": 1}, {"a": unknown}, op="update"))
    )

    assert "Of 1 update no difference is known before `up` (Service)" in says(section, "note")


STANDS = step("aws:ec2/vpc:Vpc", "main", {}, {})


@pytest.mark.parametrize(
    ("one", "sentence"),
    [
        (
            step(
                "kubernetes:apps/v1:Deployment",
                "d",
                {"spec": {"a": 1}},
                {"spec": {"a": 2}},
                changed=("spec.a",),
            ),
            "Changes that nothing above judges: Deployment `d` (`spec.a`)",
        ),
        (
            step("kubernetes:helm.sh/v3:Release", "r", {"values": {"a": 1}}, {"values": {}}),
            "Release `r` (`values`)",
        ),
        (step("aws:eks/cluster:Cluster", "c", {"roleArn": "a"}, {"roleArn": "b"}), "Cluster `c` (`roleArn`)"),
        (
            step(
                "kubernetes:core/v1:Namespace",
                "n",
                {"metadata": {"labels": {"pod-security.kubernetes.io/enforce": "baseline"}}},
                {"metadata": {"labels": {"pod-security.kubernetes.io/enforce": "privileged"}}},
                changed=('metadata.labels["pod-security.kubernetes.io/enforce"]',),
            ),
            "Namespace `n`",
        ),
        (
            step(
                "kubernetes:core/v1:ServiceAccount",
                "s",
                {"metadata": {}},
                {"metadata": {"annotations": {"eks.amazonaws.com/role-arn": "arn:aws:iam::1:role/admin"}}},
                changed=("metadata.annotations",),
            ),
            "ServiceAccount `s` (`metadata.annotations`)",
        ),
        (
            step(
                "aws:ec2/subnet:Subnet",
                "n",
                {"tags": {"kubernetes.io/role/elb": "1"}},
                {"tags": {}},
                changed=('tags["kubernetes.io/role/elb"]',),
            ),
            "Subnet `n`",
        ),
        (
            step("aws:lambda/function:Function", "f", None, {}),
            "New, and nothing above judges it: Function `f`",
        ),
    ],
)
def test_what_no_subject_judges_is_no_green_result(one, sentence):
    report = examine(preview(STANDS, one))

    assert report.weight == "look"
    assert sentence in " ".join(finding.says for finding in report.findings("look"))


@pytest.mark.parametrize(
    "one",
    [
        step("aws:s3/bucket:Bucket", "b", {"tags": {"a": "1"}}, {"tags": {"a": "2"}}, changed=("tags.a",)),
        step(
            "aws:iam/rolePolicy:RolePolicy",
            "p",
            {"role": "a", "policy": '{"Statement": []}'},
            {"role": "a", "policy": '{"Statement":[]}'},
        ),
        step(
            "kubernetes:apps/v1:Deployment",
            "d",
            {"spec": 1},
            {"spec": "04da6b54-80e4-46f7-96ec-b56ff0331ba9"},
        ),
    ],
)
def test_tags_and_other_words_for_the_same_are_nothing_of_note(one):
    assert examine(preview(STANDS, one)).verdict == "Nothing of note"
