"""What a job's `propagation` comes to in the kernel, in mount namespaces as container runtimes make them.

A tmpfs stands for a FUSE mount: propagation is a property of mounts, whatever is mounted. It all happens in a
namespace of the test's own, which ends with it.
"""

import os
import shutil
import subprocess

import pytest

from moka.components.kubernetes.bootstrap import (
    Bootstrap,
    BootstrapArgs,
    BootstrapDaemonSet,
    BootstrapFolder,
)
from moka.jobs.application import spark_application

RUNTIME = {None: "rprivate", "HostToContainer": "rslave", "Bidirectional": "rshared"}
"""mountPropagation of a volume -> how containerd mounts it (containerd/containerd:
internal/cri/opts/spec_linux_opts.go, WithMounts)."""

WAYS = (
    ("unshare", "--mount"),
    # Ubuntu 24.04 lets nobody mount there (kernel.apparmor_restrict_unprivileged_userns).
    ("unshare", "--user", "--map-root-user", "--mount"),
    ("sudo", "-n", "unshare", "--mount"),
)
"""To a mount namespace of one's own, the first that works: root's, anybody's, who may become root's."""

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


DAEMON = """
set -e
cd "$1"; mkdir node daemon pod; mkfifo up other back seen
mount --bind node node; mount --make-shared node; mkdir node/data

# The container of the DaemonSet, which mounts, ends, and mounts again.
unshare --mount --propagation unchanged sh -ec '
  mount --rbind node daemon; mount --make-"$0" daemon
  mount -t tmpfs first daemon/data; echo first >daemon/data/file
  echo >up; read _ <other
  if [ "$1" = unmounts ]; then umount daemon/data; fi
  mount -t tmpfs second daemon/data; echo second >daemon/data/file
  echo >back; read _ <seen
  if [ "$1" = unmounts ]; then umount daemon/data; fi
' "$2" "$4" &

read _ <up
cat node/data/file || echo nothing

# A pod of a job, which was started in between.
unshare --mount --propagation unchanged sh -ec '
  mount --rbind node pod; mount --make-"$0" pod; mount -o remount,bind,ro pod
  echo >other; read _ <back
  cat pod/data/file || echo nothing
  echo >seen
' "$3"
wait
grep -c " $1/node/data " /proc/self/mountinfo || true
"""


@pytest.fixture(scope="module")
def namespace():
    """The command that runs a shell script, with arguments, in a mount namespace of its own."""
    lacking = []
    for way in WAYS:
        if shutil.which(way[0]) is None:
            lacking.append(f"there is no {way[0]}")
            continue
        probe = [*way, "mount", "-t", "tmpfs", "probe", "/mnt"]
        answer = subprocess.run(probe, check=False, capture_output=True, text=True)
        if not answer.returncode:
            return [*way, "--propagation", "private", "sh", "-c"]
        lacking.append(f"`{' '.join(way)}`: {answer.stderr.strip()}")
    reason = f"nobody here may mount in a namespace of their own: {'; '.join(lacking)}"
    (pytest.fail if os.environ.get("CI") else pytest.skip)(reason)


@pytest.fixture
def flag_of_job(target, job):
    """How a runtime mounts a folder of the node in a pod of a job: its `propagation` -> propagation."""

    def flag(propagation):
        asked = {} if propagation is None else {"propagation": propagation}
        host_mount = {"path": "/mnt/fuse", "mount": "/data", **asked}
        allowed = target(host_paths={"spark-jobs": ["/mnt/fuse"]})
        application = spark_application(job(host_mounts=[host_mount]), allowed)
        [container] = application["spec"]["executor"]["template"]["spec"]["containers"]
        return RUNTIME[container["volumeMounts"][1].get("mountPropagation")]

    return flag


@pytest.fixture
def flag_of_daemon(deploy):
    """The same of the container of a DaemonSet of `bootstrap`."""

    def flag(propagation):
        folder = BootstrapFolder(path="/mnt/fuse", mount="/mnt/fuse", propagation=propagation)
        daemon = BootstrapDaemonSet(
            image="registry.example/fuse:1",
            ready=["true"],
            roles=["executor"],
            env={},
            privileged=True,
            folders=[folder],
            cpu="50m",
            memory="128Mi",
        )
        args = BootstrapArgs(
            daemon_sets={"fuse": daemon}, namespace="bootstrap", curl_image="curl", pause_image="pause"
        )
        [made] = deploy(lambda: Bootstrap("bootstrap", args)).inputs("kubernetes:apps/v1:DaemonSet")
        [mount] = made["spec"]["template"]["spec"]["initContainers"][0]["volumeMounts"]
        return RUNTIME[mount.get("mountPropagation")]

    return flag


def output(command, *arguments):
    return subprocess.run(
        [*command, *map(str, arguments)], check=True, capture_output=True, text=True, timeout=60
    ).stdout.split()


@pytest.fixture
def seen(tmp_path, namespace, flag_of_job):
    """What a pod sees of a file on a mount that goes and comes back while the pod runs.

    folder: that it mounts. path: of the file, in that folder.
    """

    def see(propagation, folder="node", path="data/file"):
        return output([*namespace, NODE, "node"], tmp_path, flag_of_job(propagation), folder, path)

    return see


@pytest.fixture
def seen_of_daemon(tmp_path, namespace, flag_of_daemon, flag_of_job):
    """What of a mount of a DaemonSet's container is seen: by the node, by a pod after it has come back, and
    how many mounts the node has left once the container is gone.

    ends: `unmounts`, or not.
    """

    def see(propagation, ends="unmounts"):
        flags = flag_of_daemon(propagation), flag_of_job("HostToContainer")
        return output([*namespace, DAEMON, "node"], tmp_path, *flags, ends)

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


def test_what_a_container_of_a_daemon_set_mounts_its_node_and_pods_of_jobs_see(seen_of_daemon):
    """Docs/operations/node-groups.md: the container has the folder above as `Bidirectional`."""
    assert seen_of_daemon("Bidirectional")[:2] == ["first", "second"]


@pytest.mark.parametrize("propagation", ["None", "HostToContainer"])
def test_without_bidirectional_nobody_but_the_container_sees_it(seen_of_daemon, propagation):
    assert seen_of_daemon(propagation) == ["nothing", "nothing", "0"]


@pytest.mark.parametrize(("ends", "left"), [("unmounts", "0"), ("stays", "2")])
def test_what_a_container_does_not_unmount_stays_on_its_node_below_the_next(seen_of_daemon, ends, left):
    """Why the page has its image unmount as it ends."""
    assert seen_of_daemon("Bidirectional", ends) == ["first", "second", left]
