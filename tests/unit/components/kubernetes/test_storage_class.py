from moka.components.kubernetes.storage_class import StorageClass, StorageClassArgs


def storage_class(deploy, **changes):
    stack = deploy(lambda: StorageClass("spark-a-gp3", StorageClassArgs(name="gp3", **changes)))
    [storage_class] = stack.inputs("kubernetes:storage.k8s.io/v1:StorageClass")
    return storage_class


def test_volumes_are_encrypted(deploy):
    assert storage_class(deploy)["parameters"]["encrypted"] == "true"


def test_a_volume_is_made_in_the_zone_of_its_pod(deploy):
    assert storage_class(deploy)["volumeBindingMode"] == "WaitForFirstConsumer"


def test_a_class_is_as_fast_as_asked_for(deploy):
    parameters = storage_class(deploy, iops=6000, mibps=1000)["parameters"]

    assert (parameters["type"], parameters["iops"], parameters["throughput"]) == ("gp3", "6000", "1000")
