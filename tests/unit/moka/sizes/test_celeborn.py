import shutil
import subprocess

import pytest

from moka.sizes.celeborn import (
    JVM_FLAGS,
    WorkerSize,
    master_size,
    worker_cores,
    worker_memory_gib,
    worker_size,
)


def test_a_worker_is_as_large_as_others_make_it_on_the_same_machine():
    """data-on-eks on r8g.8xlarge: 26 cores and 220 GiB."""
    size = worker_size(32, 256)

    assert (size.cpus, size.memory_gib) == (26, 220)


@pytest.mark.parametrize(("vcpus", "gib"), [(2, 8), (4, 32), (8, 64), (16, 128), (64, 512), (96, 768)])
def test_a_worker_fits_its_machine_and_leaves_some_of_it_to_others(vcpus, gib):
    size = worker_size(vcpus, gib)

    assert 1 <= size.cpus <= worker_cores(vcpus) < vcpus
    assert size.heap_gib + size.off_heap_gib < size.memory_gib <= worker_memory_gib(gib) < gib


def test_buffers_are_most_of_a_worker_and_its_heap_stays_where_references_are_short():
    assert worker_size(16, 128) == WorkerSize(cpus=13, heap_gib=20, off_heap_gib=80)
    assert worker_size(96, 768).heap_gib == 31


@pytest.mark.parametrize(("vcpus", "gib"), [(1, 8), (2, 4)])
def test_a_machine_too_small_is_refused(vcpus, gib):
    with pytest.raises(ValueError, match=f"at least 2 vCPUs and 8 GiB, not {vcpus} and {gib}"):
        worker_size(vcpus, gib)


def test_masters_grow_with_the_workers():
    sizes = [master_size(workers) for workers in (3, 50, 400)]

    assert [size.memory_gib for size in sizes] == sorted({size.memory_gib for size in sizes})


@pytest.mark.parametrize("workers", [3, 50, 400])
def test_a_masters_pod_has_room_for_all_that_its_jvm_may_take(workers):
    size = master_size(workers)
    options = size.environment["CELEBORN_MASTER_JAVA_OPTS"]
    buffers = int(options.partition("-XX:MaxDirectMemorySize=")[2].partition("g")[0])

    assert (size.heap_gib + buffers) * 1.1 <= size.memory_gib


@pytest.mark.skipif(shutil.which("java") is None, reason="there is no java here")
def test_the_flags_are_known_to_java():
    """Celeborn's script lets unknown ones pass in silence."""
    command = ["java", "-XX:-IgnoreUnrecognizedVMOptions", "-Xms16m", *JVM_FLAGS, "-version"]

    done = subprocess.run(command, capture_output=True, text=True, check=False)

    assert done.returncode == 0, done.stderr
    assert "warning" not in done.stderr
