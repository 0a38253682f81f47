"""Versions, their changes, and their states."""

import gzip
import json
import re
import tomllib

from packaging.version import Version

from localcloud.cloud import REPOSITORY
from tests.support.earlier_states import EARLIER, TODAY

VERSIONS = re.findall(
    r"^## \[(\d[\w.]+)\] - \d{4}-\d{2}-\d{2}$", (REPOSITORY / "CHANGELOG.md").read_text(), re.MULTILINE
)
"""Those that are released, the newest first."""


def test_every_released_version_has_a_state():
    assert set(VERSIONS) == EARLIER.keys()


def test_the_newest_version_comes_first_and_none_is_newer_than_the_project():
    project = tomllib.loads((REPOSITORY / "pyproject.toml").read_text())["project"]["version"]

    numbers = [Version(version) for version in VERSIONS]
    assert numbers == sorted(numbers, reverse=True)
    assert numbers[0] <= Version(project)


def test_states_hold_whole_environments_of_local():
    for path in EARLIER.values():
        resources = json.loads(gzip.decompress(path.read_bytes()))["deployment"]["resources"]
        types = {resource["type"] for resource in resources}
        assert {"aws:ec2/vpc:Vpc", "aws:eks/cluster:Cluster", "aws:s3/bucket:Bucket"} <= types
        assert all(resource["urn"].startswith("urn:pulumi:local::") for resource in resources)


def test_objects_of_ours_use_stable_apis_which_kubernetes_does_not_take_away():
    resources = json.loads(gzip.decompress(TODAY.read_bytes()))["deployment"]["resources"]
    versions = {
        resource["inputs"]["apiVersion"]
        for resource in resources
        if resource["type"].startswith("kubernetes:") and "apiVersion" in resource.get("inputs", {})
    }

    assert "apps/v1" in versions
    assert [version for version in versions if not re.fullmatch(r"([\w.]+/)?v\d+", version)] == []
