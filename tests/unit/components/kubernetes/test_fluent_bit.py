import re

import pytest

from components.kubernetes.fluent_bit import FluentBit, FluentBitArgs


@pytest.fixture
def values(deploy, catalog):
    def program():
        args = FluentBitArgs(
            catalog=catalog, namespace="logs", cluster="spark-a", bucket="moka-logs", region="us-east-1"
        )
        FluentBit("spark-a-logs", args)

    [release] = deploy(program).inputs("kubernetes:helm.sh/v3:Release")
    return release["values"]


def test_everything_that_the_configuration_asks_of_its_environment_is_there(values):
    asked = set(re.findall(r"\$\{(\w+)\}", str(values["config"])))

    assert asked == {variable["name"] for variable in values["env"]}


def test_logs_go_to_the_bucket_by_cluster(values):
    environment = {variable["name"]: variable.get("value") for variable in values["env"]}

    assert environment["BUCKET"] == "moka-logs"
    assert "bucket ${BUCKET}" in values["config"]["outputs"]
    assert "s3_key_format /${CLUSTER}/" in values["config"]["outputs"]


def test_what_is_not_yet_sent_survives_the_pod(values):
    [kept] = [volume for volume in values["daemonSetVolumes"] if volume["name"] == "buffer"]
    [mounted] = [mount for mount in values["daemonSetVolumeMounts"] if mount["name"] == "buffer"]

    assert kept["hostPath"]["type"] == "DirectoryOrCreate"
    for where in ("DB", "storage.path", "store_dir"):
        for path in re.findall(rf"^ +{where} (\S+)$", "\n".join(values["config"].values()), re.M):
            assert path.startswith(mounted["mountPath"] + "/")
    inputs = values["config"]["inputs"]
    assert inputs.count("storage.type filesystem") == inputs.count("[INPUT]")


def test_logs_are_read_on_every_node(values):
    assert values["tolerations"] == [{"operator": "Exists"}]
    assert "nodeSelector" not in values


def test_no_object_is_larger_than_one_request_takes(values):
    [size] = re.findall(r"total_file_size (\d+)M", values["config"]["outputs"])

    assert "use_put_object On" in values["config"]["outputs"]
    assert int(size) <= 50


def test_no_test_pod_comes_with_it(values):
    assert values["testFramework"] == {"enabled": False}
