import json
import socket

import pytest

from localcloud.cloud import Cloud
from localcloud.errors import Refusal
from localcloud.plugins.kubernetes.provider import Kubernetes
from localcloud.plugins.kubernetes.settings import Settings
from localcloud.plugins.provider import Naming, Target
from localcloud.plugins.values import UNKNOWN

CONFIG_MAP = Target("urn:pulumi:test::tests::kubernetes:core/v1:ConfigMap::settings")


def kubeconfig(server, token="t"):
    return json.dumps(
        {
            "clusters": [{"name": "c", "cluster": {"server": server}}],
            "users": [{"name": "u", "user": {"token": token}}],
            "contexts": [{"name": "x", "context": {"cluster": "c", "user": "u"}}],
            "current-context": "x",
        }
    )


HERE, THERE = kubeconfig("https://127.0.0.1:1"), kubeconfig("https://127.0.0.1:2")


@pytest.fixture
def provider(tmp_path):
    return Kubernetes(Cloud(tmp_path))


@pytest.mark.parametrize(
    ("old", "new", "replaces"),
    [
        ({"kubeconfig": HERE}, {"kubeconfig": kubeconfig("https://127.0.0.1:1", "another")}, set()),
        ({"kubeconfig": HERE}, {"kubeconfig": THERE}, {("kubeconfig",)}),
        ({"kubeconfig": HERE}, {"kubeconfig": UNKNOWN}, {("kubeconfig",)}),
        ({"kubeconfig": HERE}, {"kubeconfig": HERE, "namespace": "n"}, set()),
        (
            {"kubeconfig": HERE, "clusterIdentifier": "a"},
            {"kubeconfig": THERE, "clusterIdentifier": "a"},
            set(),
        ),
        (
            {"kubeconfig": HERE, "clusterIdentifier": "a"},
            {"kubeconfig": HERE, "clusterIdentifier": "b"},
            {("clusterIdentifier",)},
        ),
    ],
    ids=["credentials", "cluster", "unknown", "namespace", "same identifier", "other identifier"],
)
def test_a_provider_is_replaced_when_its_cluster_is_another(provider, old, new, replaces):
    diff = provider.diff_config(old, new)

    assert diff.kinds and diff.replaces == replaces


def test_a_cluster_on_another_machine_is_refused(provider):
    with pytest.raises(Refusal, match=r"serves clusters of this laptop only, .*https://10\.0\.0\.1"):
        provider.configure({"kubeconfig": kubeconfig("https://10.0.0.1")})


def test_a_server_that_is_gone_is_refused_with_how_to_give_up_what_was_on_it(provider):
    with pytest.raises(Refusal, match=r"cluster is unreachable: .* with PULUMI_K8S_DELETE_UNREACHABLE=true"):
        provider.configure({"kubeconfig": HERE})


def test_only_a_server_that_is_gone_may_be_none_of_the_clouds_when_its_resources_are_given_up(provider):
    with socket.create_server(("127.0.0.1", 0)) as tunnel:
        gone = kubeconfig(f"https://127.0.0.1:{tunnel.getsockname()[1]}")
        with pytest.raises(Refusal, match="no API server of the laptop cloud"):
            provider.configure({"kubeconfig": gone, "deleteUnreachable": True})

    provider.configure({"kubeconfig": gone, "deleteUnreachable": True})


def test_a_variable_gives_up_a_clusters_resources_where_the_provider_does_not_say(provider, monkeypatch):
    monkeypatch.setenv("PULUMI_K8S_DELETE_UNREACHABLE", "true")

    assert Settings.of({"kubeconfig": HERE}).delete_unreachable
    assert not Settings.of({"kubeconfig": HERE, "deleteUnreachable": False}).delete_unreachable


def test_names_that_the_engines_configuration_asks_for_are_taken(provider):
    inputs, _ = provider.check(CONFIG_MAP, {}, {"metadata": {}}, Naming(proposed="settings-here"))
    assert inputs["metadata"]["name"] == "settings-here"

    _, [failure] = provider.check(CONFIG_MAP, {}, {}, Naming(disabled=True))
    assert failure.property == "metadata.name"


def test_a_name_that_the_server_would_make_is_refused(provider):
    _, [failure] = provider.check(CONFIG_MAP, {}, {"metadata": {"generateName": "x-"}}, Naming())
    assert failure.property == "metadata.generateName"


def test_the_default_namespace_left_out_or_named_is_the_same(provider):
    named = {"kind": "ConfigMap", "apiVersion": "v1", "metadata": {"name": "x", "namespace": "default"}}
    silent = {"kind": "ConfigMap", "apiVersion": "v1", "metadata": {"name": "x"}}

    assert not provider.diff(CONFIG_MAP, named, {}, silent).kinds
    elsewhere = {**silent, "metadata": {"name": "x", "namespace": "other"}}
    assert provider.diff(CONFIG_MAP, silent, {}, elsewhere).replaces == {("metadata", "namespace")}
