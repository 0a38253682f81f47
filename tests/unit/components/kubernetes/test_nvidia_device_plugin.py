import pytest

from moka.components.kubernetes.nvidia_device_plugin import NvidiaDevicePlugin, NvidiaDevicePluginArgs


@pytest.fixture
def pods(deploy):
    args = NvidiaDevicePluginArgs(image="nvcr.io/nvidia/k8s-device-plugin:v0.17.4", namespace="gpus")
    [daemon_set] = deploy(lambda: NvidiaDevicePlugin("spark-a-gpus", args)).inputs(
        "kubernetes:apps/v1:DaemonSet"
    )
    return daemon_set["spec"]["template"]["spec"]


def test_the_plugin_is_on_nodes_with_gpus_whatever_their_taints(pods):
    assert pods["nodeSelector"] == {"nvidia.com/gpu.present": "true"}
    assert pods["tolerations"] == [{"operator": "Exists"}]


def test_the_plugin_finds_the_kubelet_where_it_listens(pods):
    [mount] = pods["containers"][0]["volumeMounts"]
    [volume] = pods["volumes"]

    assert mount["mountPath"] == volume["hostPath"]["path"] == "/var/lib/kubelet/device-plugins"


def test_the_plugin_may_do_nothing_in_kubernetes_and_has_no_more_privileges_than_it_needs(pods):
    assert pods["automountServiceAccountToken"] is False
    assert pods["containers"][0]["securityContext"]["capabilities"] == {"drop": ["ALL"]}
