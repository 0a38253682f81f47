import gzip
import json
import re
from pathlib import Path

import moto.ec2
import pytest

from moka.machines.instance_types import instance_type, max_pods

ARCHITECTURES = {"x86_64": "amd64", "arm64": "arm64"}


def all_types():
    """What EC2 itself says of its types."""
    folder = Path(moto.ec2.__file__).parent / "resources"
    with gzip.open(folder / "instance_types.json.gz") as file:
        return json.load(file)


def known_types():
    """What EC2 itself says of its types of generation 5 and newer, and of the burstable ones in use."""
    for name, data in all_types().items():
        family = re.match(r"([a-z]+)(\d+)[a-z]*(-[a-z0-9]+)*\.", name)
        if family and (int(family[2]) >= 5 or name.startswith(("t3", "t4"))):
            yield name, data


def differing(read, expected):
    return {
        name: (read(instance_type(name)), expected(data))
        for name, data in known_types()
        if read(instance_type(name)) not in (expected(data), None)
    }


def test_the_architecture_is_in_the_name():
    def expected(data):
        supported = data["ProcessorInfo"]["SupportedArchitectures"]
        return next(ARCHITECTURES[t] for t in supported if t in ARCHITECTURES)

    assert differing(lambda t: t.architecture, expected) == {}


def test_the_vcpus_are_in_the_name():
    assert differing(lambda t: t.vcpus, lambda data: data["VCpuInfo"]["DefaultVCpus"]) == {}


def test_what_names_tell_of_instance_storage_is_what_there_is():
    """To a hundredth: EC2 rounds the small ones down."""
    expected = {
        name: data.get("InstanceStorageInfo", {}).get("TotalSizeInGB", 0) for name, data in known_types()
    }
    read = {name: instance_type(name).local_gib for name in expected}

    data = {name: gib * 2**30 / 10**9 for name, gib in read.items() if gib is not None}
    assert len(data) > 100
    assert {name: gb for name, gb in data.items() if abs(gb - expected[name]) > 0.01 * expected[name]} == {}


def test_only_the_names_of_bare_metal_do_not_tell_the_vcpus():
    unknown = [name for name, _ in known_types() if instance_type(name).vcpus is None]

    assert unknown
    assert all(".metal" in name for name in unknown)


def test_the_memory_of_the_families_that_jobs_run_on_is_in_the_name():
    # Names of Macs are of another form.
    memory = {
        name: data["MemoryInfo"]["SizeInMiB"]
        for name, data in all_types().items()
        if not name.startswith("mac")
    }
    memory_by_name = {name: instance_type(name).memory_mib for name in memory}
    assert {name: mib for name, mib in memory_by_name.items() if mib not in (memory[name], None)} == {}

    untold = {
        name.split(".")[0]
        for name, data in known_types()
        if re.match(r"[cmrix]\d", name) and memory_by_name[name] is None and ".metal" not in name
    }
    assert untold == {"c5n", "x8aedz"}
    before = {
        name.split(".")[0] for name, mib in memory_by_name.items() if mib and re.match(r"\D+[1-4]", name)
    }
    assert before >= {"i3en", "i4g", "i4i", "x2gd", "x2idn"}


def test_gpus_of_nvidia_are_in_the_name():
    def expected(data):
        return any(gpu["Manufacturer"] == "NVIDIA" for gpu in data.get("GpuInfo", {}).get("Gpus", ()))

    assert differing(lambda t: t.gpu, expected) == {}


def test_instance_storage_is_in_the_name():
    assert differing(lambda t: t.local_disks, lambda data: "InstanceStorageInfo" in data) == {}


def test_gpus_of_amd_are_none_that_the_image_has_drivers_for():
    assert not instance_type("g4ad.4xlarge").gpu


@pytest.mark.parametrize("name", ["m7g", "large", "m7g.", "M7G.large", "m7g.large ", "arm64", ""])
def test_what_is_no_instance_type_is_refused(name):
    with pytest.raises(ValueError, match=r"is not the name of an EC2 instance type, such as m7g\.2xlarge"):
        instance_type(name)


def test_large_machines_may_have_more_pods():
    assert max_pods(instance_type("r8g.4xlarge")) == 110
    assert max_pods(instance_type("r8g.8xlarge")) == 250
