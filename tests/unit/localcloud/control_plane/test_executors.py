import pytest
import yaml

from localcloud.control_plane.executors import (
    config_maps,
    count,
    executor,
    executors,
    memory,
    read_properties,
)

DRIVER = {
    "metadata": {
        "name": "etl-driver",
        "namespace": "jobs",
        "uid": "0a1b2c3d-0000",
        "labels": {"spark-app-name": "etl", "spark-app-selector": "spark-1", "spark-version": "4.1.4"},
    },
    "spec": {
        "serviceAccountName": "spark",
        "volumes": [{"name": "a", "configMap": {"name": "conf"}}, {"name": "b", "emptyDir": {}}],
    },
}
CONF = {"spark.kubernetes.container.image": "spark:4.1", "spark.executor.memory": "4g"}
TEMPLATE = """
metadata:
  ownerReferences: [{kind: SparkApplication, name: etl}]
spec:
  schedulerName: yunikorn
  priorityClassName: moka-tier-1
  nodeSelector: {moka.dev/role: executor}
  containers:
  - name: sidecar
    image: logs
  - name: spark-kubernetes-executor
    resources: {limits: {ephemeral-storage: 10Gi}}
"""


def make_executor(conf, template=TEMPLATE):
    return executor(DRIVER, CONF | conf, yaml.safe_load(template) or {}, 1)


def test_a_drivers_properties_are_read_as_java_writes_them():
    text = "#Sat Nov 21\nspark.master=k8s\\://https\\://10.0.0.1\nspark.jars=\na\\=b=c d\\u0021\n"

    assert read_properties(text) == {
        "spark.master": "k8s://https://10.0.0.1",
        "spark.jars": "",
        "a=b": "c d!",
    }


def test_what_a_driver_has_is_in_the_config_maps_that_it_mounts():
    assert config_maps(DRIVER) == {"conf"}


@pytest.mark.parametrize(
    ("conf", "number"),
    [
        ({}, 2),
        ({"spark.executor.instances": "5"}, 5),
        ({"spark.dynamicAllocation.enabled": "true"}, 0),
        (
            {
                "spark.dynamicAllocation.enabled": "true",
                "spark.dynamicAllocation.minExecutors": "2",
                "spark.dynamicAllocation.initialExecutors": "4",
            },
            4,
        ),
    ],
)
def test_a_driver_asks_for_as_many_as_spark_does_at_the_start(conf, number):
    assert count(conf) == number
    assert len(executors(DRIVER, CONF | conf)) == number


@pytest.mark.parametrize(
    ("conf", "mebibytes"),
    [
        ({}, 1024 + 384),
        ({"spark.executor.memory": "10g"}, 10240 + 1024),
        ({"spark.executor.memory": "4g", "spark.executor.memoryOverhead": "1g"}, 5120),
        ({"spark.executor.memory": "4096", "spark.kubernetes.memoryOverheadFactor": "0.4"}, 4096 + 1638),
        ({"spark.memory.offHeap.enabled": "true", "spark.memory.offHeap.size": "1073741824"}, 2432),
        ({"spark.kubernetes.resource.type": "python", "spark.executor.pyspark.memory": "512m"}, 1920),
    ],
)
def test_an_executor_is_as_large_as_spark_makes_it(conf, mebibytes):
    assert memory(conf) == mebibytes


def test_an_executor_has_what_its_template_says_and_over_it_what_spark_sets():
    pod = make_executor(
        {
            "spark.executor.cores": "4",
            "spark.kubernetes.executor.podTemplateContainerName": "spark-kubernetes-executor",
            "spark.kubernetes.executor.label.queue": "root.acme",
            "spark.kubernetes.executor.annotation.yunikorn.apache.org/task-group-name": "spark-executor",
            "spark.kubernetes.executor.node.selector.kubernetes.io/arch": "arm64",
        }
    )

    labels, spec = pod["metadata"]["labels"], pod["spec"]
    assert labels["spark-role"] == "executor"
    assert labels["spark-app-selector"] == "spark-1"
    assert labels["queue"] == "root.acme"
    assert pod["metadata"]["annotations"] == {
        "yunikorn.apache.org/task-group-name": "spark-executor",
        "localcloud/simulated": "executor",
    }
    assert [owner["kind"] for owner in pod["metadata"]["ownerReferences"]] == ["SparkApplication", "Pod"]
    assert spec["priorityClassName"] == "moka-tier-1"
    assert spec["schedulerName"] == "yunikorn"
    assert spec["serviceAccountName"] == "spark"
    assert spec["nodeSelector"] == {"moka.dev/role": "executor", "kubernetes.io/arch": "arm64"}
    sidecar, container = spec["containers"]
    assert sidecar == {"name": "sidecar", "image": "logs"}
    assert container["image"] == "spark:4.1"
    assert container["resources"] == {
        "requests": {"cpu": "4", "memory": "4505Mi"},
        "limits": {"ephemeral-storage": "10Gi", "memory": "4505Mi"},
    }


def test_an_executor_asks_for_the_devices_whose_vendor_its_driver_knows():
    pod = make_executor(
        {
            "spark.executor.resource.gpu.amount": "2",
            "spark.executor.resource.gpu.vendor": "nvidia.com",
            "spark.executor.resource.fpga.amount": "1",
        }
    )

    limits = pod["spec"]["containers"][0]["resources"]["limits"]
    assert {name: amount for name, amount in limits.items() if "/" in name} == {"nvidia.com/gpu": "2"}


def test_without_a_template_an_executor_is_an_ordinary_pod():
    pod = make_executor({}, template="")

    assert "schedulerName" not in pod["spec"]
    assert [container["name"] for container in pod["spec"]["containers"]] == ["spark-kubernetes-executor"]
