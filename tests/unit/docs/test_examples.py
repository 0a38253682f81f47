"""YAML that pages show, read as that of whoever copies it: settings, jobs, policies, `localcloud.yaml`."""

import re
import textwrap
from pathlib import Path
from typing import Any

import pytest
import yaml
from pydantic import ValidationError

from localcloud import project
from localcloud.cloud import REPOSITORY
from moka.jobs.job import Job
from moka.mistakes import InvalidDocument
from policies.catalog import RULES
from policies.pack import configuration
from stacks import settings
from stacks.settings import Environment
from tests.support.calendar import TODAY
from tests.support.command_line import pages

OWN_TESTS = {"adding.md", "package.md", "policies.md"}
"""Pages whose examples are run by tests of their own."""

NOT_YAML = {"client_secret"}
"""First keys of what is read as JSON: the secret of the login, tests/unit/services/ui_gateway."""

LOCAL = yaml.safe_load(settings.path_of("local").read_text())
CLUSTER = next(iter(LOCAL["clusters"]))
GROUP = next(iter(LOCAL["clusters"][CLUSTER]["node_groups"]))

LACKING = {"missing", "value_error"}
"""What an example leaves out, and what it would have to fit in a whole file, is no mistake of it."""


def examples() -> list[Any]:
    """Page and document of each block that is a mapping."""
    found = []
    for page in pages():
        if "decisions" in page.parts or page.name in OWN_TESTS:
            continue
        text = re.sub(
            r"^```\w*\n([\s\S]*?)^```$",
            lambda block: textwrap.indent(block[1], "    "),
            page.read_text(),
            flags=re.MULTILINE,
        )
        for block in re.findall(r"(?:^(?:    .*|[ ]*)\n)+", text, re.MULTILINE):
            try:
                document = yaml.safe_load(textwrap.dedent(block))
            except yaml.YAMLError:
                continue
            if isinstance(document, dict) and not NOT_YAML & document.keys():
                found.append(pytest.param(document, id=f"{page.stem}-{'-'.join(map(str, document))[:40]}"))
    return found


EXAMPLES = examples()


def merged(whole: Any, part: Any) -> Any:
    """A document with what another one says over it."""
    if not isinstance(whole, dict) or not isinstance(part, dict):
        return part
    return {**whole, **{key: merged(whole.get(key), value) for key, value in part.items()}}


def mistakes_in_settings(part: dict[str, Any]) -> list[Any]:
    """What the model of settings says of a part of a file, put into that of `local`."""
    try:
        Environment.model_validate(merged(LOCAL, part))
    except ValidationError as error:
        return [(one["loc"], one["msg"]) for one in error.errors() if one["type"] not in LACKING]
    return []


def mistakes_in_job(part: dict[str, Any]) -> list[Any]:
    """What the model of jobs says of a part of a job file, put into an example."""
    whole = yaml.safe_load((REPOSITORY / "examples" / "jobs" / "pi.yaml").read_text())
    try:
        Job.model_validate(merged(whole, part))
    except ValidationError as error:
        return [(one["loc"], one["msg"]) for one in error.errors() if one["type"] not in LACKING]
    return []


def mistakes_in_policies(part: dict[str, Any]) -> list[Any]:
    """What the configuration of policies says of what it has everywhere."""
    try:
        configuration.load(yaml.safe_dump({"everywhere": part}), RULES, "prod", ("prod",), TODAY, "page.md")
    except InvalidDocument as error:
        return [str(error)]
    return []


def mistakes_in_project(part: dict[str, Any], folder: Path) -> list[Any]:
    """What the laptop cloud says of a `localcloud.yaml`."""
    (folder / "localcloud.yaml").write_text(yaml.safe_dump(part))
    for name in ("services", "stacks"):
        (folder / name).symlink_to(REPOSITORY / name)
    try:
        project.stand_in_modules(folder)
        project.project_calls(folder)
        project.capacity_reservations(folder)
        project.image_architectures(folder)
        project.identity_at_hand(folder, "local", "111122223333", "aws")
        project.deployer_network(folder, "local")
    except project.Refusal as refusal:
        return [str(refusal)]
    return []


def mistakes_in(document: dict[str, Any], folder: Path) -> list[Any]:
    """What whoever reads such a document says of it; by its keys it is known what it is a part of."""
    keys = document.keys()
    if keys <= project.SECTIONS.keys():
        return mistakes_in_project(document, folder)
    if keys <= Environment.model_fields.keys():
        return mistakes_in_settings(document)
    if keys <= Job.model_fields.keys():
        return mistakes_in_job(document)
    if keys <= {rule.name for rule in RULES}:
        return mistakes_in_policies(document)
    if keys <= {"access", "node_groups"}:
        return mistakes_in_settings({"clusters": {CLUSTER: document}})
    if keys <= {"schedule"}:
        return mistakes_in_settings({"clusters": {CLUSTER: {"node_groups": {GROUP: document}}}})
    return mistakes_in_settings({"clusters": {CLUSTER: {"node_groups": document}}})


@pytest.mark.parametrize("document", EXAMPLES)
def test_every_example_of_a_page_is_taken(document, tmp_path):
    assert mistakes_in(document, tmp_path) == []


@pytest.mark.parametrize(
    ("mistaken", "place"),
    [
        ({"ingress": {"networks": ["10.0.0.0/8"], "zone": "Z0"}}, "zone"),
        ({"job_namespaces": {"spark-jobs": {"uses": {"lake": "all"}}}}, "uses"),
        ({"executor-arm64": {"scripts": ["nodes/fuse.sh"]}}, "scripts"),
        ({"executor": {"zones": "any"}}, "zones"),
        ({"no-privileged": {"except": ["bootstrap/warehouse"]}}, "except"),
        ({"stand_ins": {"archer": {"package": "services.archer"}}}, "stand_ins"),
    ],
)
def test_a_mistake_in_an_example_is_found(mistaken, place, tmp_path):
    assert place in str(mistakes_in(mistaken, tmp_path))
