import pytest

from moka.machines.instance_types import instance_type
from moka.machines.root_disk import least_executor_disk


# What awslabs/data-on-eks gives a core, beside 20 GiB for the node itself.
@pytest.mark.parametrize(
    ("names", "gib", "mibps"),
    [
        (["r7i.xlarge"], 60, 125),
        (["r7i.2xlarge"], 100, 125),
        (["r7i.4xlarge"], 180, 125),
        (["r7i.16xlarge"], 660, 500),
        (["r7i.2xlarge", "r7i.8xlarge"], 340, 250),
        (["r7gd.8xlarge", "r7g.4xlarge"], 340, 250),
        (["r7i.metal-48xl"], 1940, 1500),
        (["u7in-32tb.224xlarge"], 8980, 2000),
    ],
)
def test_disk_of_executors_grows_with_the_cores_of_the_largest_machine(names, gib, mibps):
    least = least_executor_disk([instance_type(name) for name in names])

    assert (least.gib, least.mibps) == (gib, mibps)


def test_machines_with_instance_storage_need_none():
    assert least_executor_disk([instance_type("r7gd.16xlarge"), instance_type("i4i.8xlarge")]) is None
