"""What runbooks have kubectl look at: namespaces and objects that the platform makes."""

import gzip
import json
import re

import pytest

from localcloud.cloud import REPOSITORY
from moka.components.kubernetes import yunikorn
from moka.names import GRAFANA, MONITORING_NAMESPACE, PLATFORM_NAMESPACES, YUNIKORN_NAMESPACE
from stacks import settings
from tests.support.command_line import pages, shown_commands
from tests.support.earlier_states import TODAY

PAGES = [page for page in pages() if "decisions" not in page.parts]

SHORT = {"deploy": "deployment", "deployments": "deployment", "pods": "pod", "svc": "service"}

OF_CHARTS = {
    (YUNIKORN_NAMESPACE, "service", yunikorn.SERVICE),
    (YUNIKORN_NAMESPACE, "deployment", yunikorn.SCHEDULER),
    (MONITORING_NAMESPACE, "deployment", GRAFANA),
}
"""What is not in the state of `local`: objects of charts, and a Grafana, which not every environment has."""

NAMES = {"kube-state-metrics"}
"""Values of `app.kubernetes.io/name` that charts give."""


def resources() -> list[dict]:
    """Objects in the state of `local`."""
    state = json.loads(gzip.decompress(TODAY.read_bytes()))["deployment"]["resources"]
    return [one["inputs"] for one in state if one["type"].startswith("kubernetes:") and "inputs" in one]


@pytest.fixture(scope="module")
def objects() -> set[tuple[str, str, str]]:
    """Namespace, kind and name of what is deployed."""
    return OF_CHARTS | {
        (
            resource["metadata"].get("namespace", ""),
            resource["kind"].lower(),
            resource["metadata"].get("name", ""),
        )
        for resource in resources()
        if "kind" in resource and "metadata" in resource
    }


@pytest.fixture(scope="module")
def names() -> set[str]:
    """Values of the label by which pods are found."""
    return NAMES | set(re.findall(r'"app\.kubernetes\.io/name": "([a-z-]+)"', json.dumps(resources())))


def calls() -> list[tuple[str, list[str]]]:
    """Page and words of each call of kubectl that says its namespace."""
    return [
        (str(page.relative_to(REPOSITORY)), words)
        for page in PAGES
        for words in shown_commands(page.read_text(), "kubectl")
        if "-n" in words
    ]


def namespace_of(words: list[str]) -> str:
    """The namespace of a call."""
    return words[words.index("-n") + 1]


def test_every_namespace_is_one_of_the_platform_or_of_jobs():
    ours = PLATFORM_NAMESPACES | settings.load("local").job_namespaces.keys()
    named = {namespace_of(words) for _, words in calls()}

    assert len(named) > 10
    assert {name for name in named if not name.startswith("<")} - ours == set()


def test_every_object_is_one_that_is_deployed(objects):
    looked_at = set()
    for _, words in calls():
        text = " ".join(words)
        for kind, name in re.findall(
            r"\b(deploy|deployment|statefulset|service|configmap)[/ ]([a-z][a-z-]+)", text
        ):
            looked_at.add((namespace_of(words), SHORT.get(kind, kind), name))

    assert len(looked_at) > 5
    assert looked_at - objects == set()


def test_every_label_finds_pods(names):
    text = "\n".join(page.read_text() for page in PAGES)
    labels = set(re.findall(r"-l app\.kubernetes\.io/name=([a-z-]+)", text))

    assert {"archer", "archer-keeper"} <= labels
    assert labels - names == set()
