import os

import pytest

from localcloud.control_plane.stand_ins.config_maps import mounts, write
from localcloud.errors import Refusal

PATH = "/api/v1/namespaces/operators/configmaps/hadoop"


class Server:
    """An API server with these objects, by path."""

    def __init__(self, **objects):
        self._objects = objects

    def get(self, path):
        return self._objects.get(path)


def mounted(**source):
    [mount] = mounts(
        [{"name": "conf", "configMap": {"name": "hadoop", **source}}, {"name": "tmp", "emptyDir": {}}],
        [{"name": "conf", "mountPath": "/etc/hadoop"}, {"name": "tmp", "mountPath": "/tmp"}],
    )
    return mount


def files(folder):
    return {str(file.relative_to(folder)): file.read_text() for file in folder.rglob("*") if file.is_file()}


def test_each_key_is_a_file_where_the_pod_mounts_it_and_what_was_there_is_gone(tmp_path):
    server = Server(**{PATH: {"data": {"core-site.xml": "<configuration/>", "b": "2"}}})
    (tmp_path / "before").write_text("x")

    write(server, "release a/b", "operators", [mounted()], tmp_path)
    assert files(tmp_path) == {"etc/hadoop/core-site.xml": "<configuration/>", "etc/hadoop/b": "2"}

    write(server, "release a/b", "operators", [mounted(items=[{"key": "b", "path": "c"}])], tmp_path)
    assert files(tmp_path) == {"etc/hadoop/c": "2"}


def test_a_script_is_in_its_folder_and_can_be_run_if_the_volume_says_so(tmp_path):
    server = Server(**{PATH: {"data": {"run": "#!/bin/bash"}}})
    script = tmp_path / "etc/hadoop/bin/run"
    items = [{"key": "run", "path": "bin/run"}]

    write(server, "release a/b", "operators", [mounted(items=items)], tmp_path)
    assert not os.access(script, os.X_OK)

    write(server, "release a/b", "operators", [mounted(items=items, defaultMode=0o555)], tmp_path)
    assert os.access(script, os.X_OK)


def test_pods_that_would_wait_for_a_config_map_for_ever_are_refused(tmp_path):
    with pytest.raises(Refusal, match=r'release a/b: .*configmap "hadoop" not found \(FailedMount\): make'):
        write(Server(), "release a/b", "operators", [mounted()], tmp_path)

    write(Server(), "release a/b", "operators", [mounted(optional=True)], tmp_path)
    assert files(tmp_path) == {}


def test_what_is_no_text_is_a_file_as_it_is(tmp_path):
    server = Server(**{PATH: {"data": {"a": "1"}, "binaryData": {"b.gz": "H4sA/w=="}}})

    write(server, "release a/b", "operators", [mounted()], tmp_path)

    assert (tmp_path / "etc/hadoop/b.gz").read_bytes() == b"\x1f\x8b\x00\xff"
    assert (tmp_path / "etc/hadoop/a").read_text() == "1"
