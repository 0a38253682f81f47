import pytest

from moka.addon_versions import ADDON_VERSIONS
from moka.catalog import CatalogError
from moka.components.kubernetes.cluster_autoscaler import ClusterAutoscaler, ClusterAutoscalerArgs
from moka.names import GENERATION_LABEL, NODE_GROUP_LABEL
from moka.quantities import duration_seconds
from stacks.settings.checks.charts import IDLE_SECONDS


@pytest.fixture
def released(deploy, catalog):
    def values(version="1.34"):
        def program():
            args = ClusterAutoscalerArgs(
                catalog=catalog,
                namespace="autoscaler",
                cluster="moka-dev-spark-a",
                version=version,
                region="eu-west-1",
            )
            ClusterAutoscaler("spark-a", args)

        [release] = deploy(program).inputs("kubernetes:helm.sh/v3:Release")
        return release["values"]

    return values


def test_it_finds_the_groups_of_its_cluster_by_their_tags(released):
    values = released()

    assert values["autoDiscovery"] == {"clusterName": "moka-dev-spark-a"}
    assert values["awsRegion"] == "eu-west-1"


@pytest.mark.parametrize("version", sorted(ADDON_VERSIONS))
def test_it_is_of_the_kubernetes_version_of_its_cluster(released, version):
    assert released(version)["image"]["tag"].startswith(f"v{version}.")


def test_a_kubernetes_version_without_an_image_is_refused_by_name(released):
    with pytest.raises(CatalogError, match=r"no image 'cluster-autoscaler-1\.19'"):
        released("1.19")


def test_nodes_of_executors_go_when_they_are_empty_and_nobody_is_evicted_from_them(released):
    flags = released()["extraArgs"]

    assert flags["skip-nodes-with-local-storage"] is False
    assert flags["skip-nodes-with-custom-controller-pods"] is True


def test_a_node_stays_longer_than_an_executor_that_has_nothing_to_do(released):
    assert duration_seconds(released()["extraArgs"]["scale-down-unneeded-time"]) > IDLE_SECONDS


def test_groups_of_one_name_in_several_zones_grow_together(released):
    flags = released()["extraArgs"]

    assert flags["balance-similar-node-groups"] is True
    assert {flags["balancing-label_1"], flags["balancing-label_2"]} == {NODE_GROUP_LABEL, GENERATION_LABEL}


def test_its_pods_are_the_ones_that_have_its_permissions(released):
    assert released()["rbac"]["serviceAccount"]["name"] == "cluster-autoscaler"
