"""A control plane of which only etcd, the API server and who knows its users run: nobody acts on objects."""

from collections.abc import Iterator
from contextlib import contextmanager

from benchmarks.bench import CLOUD
from localcloud.control_plane import ControlPlane
from localcloud.control_plane.programs import CLIENTS


@contextmanager
def bare_plane(name: str) -> Iterator[ControlPlane]:
    """One of this name, until the end."""
    plane = ControlPlane(CLOUD, name)
    try:
        plane.start()
        for program in CLIENTS:
            plane.process(program.name).stop()
        yield plane
    finally:
        # The API server would wait for those who watch it.
        plane.process("kube-apiserver").stop(timeout=1)
        plane.remove()
