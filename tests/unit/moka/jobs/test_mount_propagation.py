"""What a job's `propagation` comes to in the kernel, in mount namespaces as container runtimes make them.

A tmpfs stands for a FUSE mount: propagation is a property of mounts, whatever is mounted. It all happens in a
namespace of the test's own, which ends with it.
"""

import subprocess

import pytest

from moka.jobs.application import spark_application

RUNTIME = {None: "rprivate", "HostToContainer": "rslave"}
"""mountPropagation of a volume -> how containerd mounts it (containerd/containerd:
internal/cri/opts/spec_linux_opts.go, WithMounts)."""

NODE = """
set -e
cd "$1"; mkdir node pod; mkfifo started mounted
# As systemd makes every mount of a node.
mount --bind node node; mount --make-shared node; mkdir node/data
mount -t tmpfs first node/data; echo first >node/data/file

unshare --mount --propagation unchanged sh -ec '
  mount --rbind "$1" pod; mount --make-"$0" pod; mount -o remount,bind,ro pod
  echo >started; read _ <mounted
  cat "pod/$2"
  touch "pod/$2" && echo writable || echo read-only
' "$2" "$3" "$4" &

read _ <started
# The daemon behind the mount has died, and is back.
umount node/data; mount -t tmpfs second node/data; echo second >node/data/file
echo >mounted
wait $!
"""


@pytest.fixture
def seen(tmp_path, target, job):
    """What a pod sees of a file on a mount that goes and comes back while the pod runs.

    folder: that it mounts. path: of the file, in that folder.
    """
    probe = subprocess.run(["unshare", "--mount", "mount", "-t", "tmpfs", "probe", "/mnt"], check=False)
    if probe.returncode:
        pytest.skip("this machine lets nobody here mount in a namespace of their own")

    def see(propagation, folder="node", path="data/file"):
        asked = {} if propagation is None else {"propagation": propagation}
        host_mount = {"path": "/mnt/fuse", "mount": "/data", **asked}
        allowed = target(host_paths={"spark-jobs": ["/mnt/fuse"]})
        application = spark_application(job(host_mounts=[host_mount]), allowed)
        [container] = application["spec"]["executor"]["template"]["spec"]["containers"]
        flag = RUNTIME[container["volumeMounts"][1].get("mountPropagation")]
        command = ["unshare", "--mount", "--propagation", "private", "sh", "-c", NODE, "node"]
        return subprocess.run(
            [*command, str(tmp_path), flag, folder, path], check=True, capture_output=True, text=True
        ).stdout.split()

    return see


def test_a_mount_that_comes_back_while_the_pod_runs_is_seen(seen):
    assert seen("HostToContainer")[0] == "second"


def test_without_propagation_a_pod_keeps_what_was_there_when_it_started(seen):
    assert seen("None")[0] == "first"


def test_a_pod_that_mounts_the_mount_itself_keeps_what_was_there_when_it_started(seen):
    """Propagation is about what is below: why docs/jobs.md has jobs mount the folder above."""
    assert seen("HostToContainer", folder="node/data", path="file")[0] == "first"


def test_what_is_mounted_below_is_as_read_only_as_its_own_mount(seen):
    """`read_only` does not reach it, which docs/jobs.md says."""
    assert seen("HostToContainer")[1] == "writable"
