"""`local` as an earlier version of this program deployed it: the program of today leaves all of it as it is.

data/local-state.json.gz is what `pulumi stack export` printed for stack `local` of commit f39846f, on the
cloud /tmp/base-local and without stack traces. Whoever changes `local` on purpose records it anew.
"""

import gzip
import json
from collections.abc import Iterator
from pathlib import Path

import pytest

from localcloud import commands
from localcloud.cloud import Cloud
from localcloud.control_plane import ControlPlane
from localcloud.control_plane.programs import API_SERVER
from localcloud.engine import Engine
from tests.support.pulumi_stack import PulumiStack

RECORDED = Path(__file__).parent / "data" / "local-state.json.gz"

OPTIONS = ("parent", "provider", "dependencies", "protect", "retainOnDelete", "deletedWith", "ignoreChanges")
"""What a preview does not compare, and a change of it is a change all the same."""


@pytest.fixture
def local(tmp_path: Path) -> Iterator[PulumiStack]:
    """Stack `local` with the recorded state, on a cloud where nothing of it is."""
    engine = Engine(Cloud(tmp_path / "cloud"))
    commands.start(engine)
    try:
        # A preview asks a cluster nothing, but our plugins serve only clusters of their own cloud.
        plane = ControlPlane(engine.cloud, "moka-local-spark-a")
        plane.folder.mkdir(parents=True)
        plane.ports.keep(API_SERVER.name)
        engine.select("local")
        (tmp_path / "state.json").write_text(recorded(engine.cloud, plane))
        local = PulumiStack(engine, "local")
        local.run("stack", "import", "--file", str(tmp_path / "state.json"))
        yield local
    finally:
        commands.stop(engine)


def recorded(cloud: Cloud, plane: ControlPlane) -> str:
    """The recorded state, with the paths and the address of this cloud."""
    state = gzip.decompress(RECORDED.read_bytes()).decode()
    state = state.replace("/tmp/base-local", str(cloud.home))
    return state.replace("https://127.0.0.1:26836", plane.endpoint)


def options(resource: dict) -> dict:
    values = {name: resource.get(name) for name in OPTIONS}
    return {**values, "dependencies": sorted(resource.get("dependencies") or [])}


def test_nothing_changes_of_what_an_earlier_version_deployed(local):
    before = {resource["urn"]: resource for resource in local.state()}

    copy = str(local.engine.config_file(local.name))
    preview = json.loads(local.run("preview", "--json", "--show-sames", "--config-file", copy))

    changes = {step["urn"]: step["op"] for step in preview["steps"] if step["op"] != "same"}
    assert changes == {}
    after = {step["urn"]: step["newState"] for step in preview["steps"]}
    # Default providers are no steps.
    assert {urn for urn in before.keys() - after.keys() if "::default" not in urn} == set()
    changed = {urn: options(state) for urn, state in after.items() if options(state) != options(before[urn])}
    assert changed == {}
