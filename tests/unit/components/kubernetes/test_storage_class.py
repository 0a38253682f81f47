from components.kubernetes.storage_class import StorageClass, StorageClassArgs


def made_by(deploy, **changes):
    made = deploy(lambda: StorageClass("spark-a-gp3", StorageClassArgs(name="gp3", **changes)))
    [storage_class] = made.inputs("kubernetes:storage.k8s.io/v1:StorageClass")
    return storage_class


def test_volumes_are_encrypted(deploy):
    assert made_by(deploy)["parameters"]["encrypted"] == "true"


def test_a_volume_is_made_in_the_zone_of_its_pod(deploy):
    assert made_by(deploy)["volumeBindingMode"] == "WaitForFirstConsumer"


def test_a_class_is_as_fast_as_asked_for(deploy):
    parameters = made_by(deploy, iops=6000, mibps=1000)["parameters"]

    assert (parameters["type"], parameters["iops"], parameters["throughput"]) == ("gp3", "6000", "1000")
