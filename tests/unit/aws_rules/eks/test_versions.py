from datetime import date

import pytest

from aws_rules.eks.versions import (
    addon_version,
    new_cluster,
    node_group_version,
    other_cluster_version,
)
from aws_rules.rule import Unknown, Violation

TODAY = date(2026, 11, 22)
UNSUPPORTED = "unsupported Kubernetes version"
NO_ADDON = "Addon version specified is not supported"


def only(verdicts):
    [verdict] = verdicts
    return verdict


@pytest.mark.parametrize("version", ["1.9", "1.23", "1.30", "1.34.2", "v1.34", "latest"])
def test_a_new_cluster_of_a_version_that_eks_does_not_have_is_refused(version):
    assert only(new_cluster("main", version, TODAY)).message == UNSUPPORTED


def test_a_version_is_refused_once_its_extended_support_has_ended():
    assert list(new_cluster("main", "1.31", date(2026, 11, 25))) == []
    assert only(new_cluster("main", "1.31", date(2026, 11, 26))).message == UNSUPPORTED


def test_a_version_newer_than_the_calendar_is_not_known():
    assert isinstance(only(new_cluster("main", "1.42", TODAY)), Unknown)


@pytest.mark.parametrize(
    ("old", "new", "message"),
    [
        ("1.33", "1.35", "Unsupported Kubernetes minor version update from 1.33 to 1.35"),
        ("1.34", "1.33", "Unsupported Kubernetes minor version update from 1.34 to 1.33"),
    ],
)
def test_a_cluster_goes_one_minor_version_at_a_time_and_never_back(old, new, message):
    assert only(other_cluster_version("main", old, new, {}, TODAY)).message == message


def test_a_cluster_does_not_leave_its_nodes_more_than_three_versions_behind():
    groups = {"system": "1.34", "old": "1.31"}

    assert list(other_cluster_version("main", "1.33", "1.34", {"system": "1.33"}, TODAY)) == []
    unknown = only(other_cluster_version("main", "1.33", "1.34", groups, TODAY))
    assert isinstance(unknown, Unknown)
    assert "node groups old behind 1.33" in unknown.lacks
    refusal = only(other_cluster_version("main", "1.34", "1.35", groups, TODAY))
    assert refusal.message.startswith("Nodegroups old must be updated")


@pytest.mark.parametrize(
    ("version", "release", "old", "word"),
    [
        ("1.35", None, None, "newer"),
        ("1.30", None, None, "too old"),
        ("1.33", None, "1.34", "older than its present one"),
        ("1.34", "1.33.5-20261105", None, "not valid for kubernetes version 1.34"),
        (None, "1.33.5-20261105", None, "not valid for kubernetes version 1.34"),
    ],
)
def test_a_node_group_has_a_version_that_fits_its_cluster_and_image(version, release, old, word):
    assert word in only(node_group_version("system", version, release, "1.34", old)).message


def test_a_node_group_may_follow_its_cluster_later():
    assert list(node_group_version("system", "1.33", "1.33.5-20261105", "1.34", "1.33")) == []
    assert list(node_group_version("system", "1.34", None, "1.34", "1.31")) == []


@pytest.mark.parametrize(
    ("name", "version"),
    [
        ("kube-proxy", "v1.35.3-eksbuild.2"),
        ("kube-proxy", "v1.29.10-eksbuild.3"),
        ("coredns", "latest"),
        ("coredns", "v1.13.2"),
        ("vpc-cni", "1.21.1-eksbuild.7"),
    ],
)
def test_a_version_of_an_addon_that_cannot_be_for_the_cluster_is_refused(name, version):
    refusal = only(addon_version(name, name, version, "1.34"))

    assert isinstance(refusal, Violation)
    assert refusal.message == NO_ADDON


@pytest.mark.parametrize(
    ("name", "version"),
    [
        ("kube-proxy", "v1.34.99-eksbuild.1"),
        ("vpc-cni", "v9.0.0-eksbuild.1"),
        ("adot", "v0.1.0-eksbuild.1"),
    ],
)
def test_a_version_of_an_addon_that_nobody_saw_is_not_known(name, version):
    assert isinstance(only(addon_version(name, name, version, "1.34")), Unknown)


def test_the_versions_that_this_project_pins_are_known():
    from moka.addon_versions import ADDON_VERSIONS

    verdicts = [
        verdict
        for cluster, addons in ADDON_VERSIONS.items()
        for name, version in addons.items()
        for verdict in addon_version(name, name, version, cluster)
    ]

    assert verdicts == []
