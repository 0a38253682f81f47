"""`local` as an earlier version of this program deployed it, and what the program of today does with it.

tests/support/earlier_states.py has the states. Whoever changes `local` on purpose records that of today anew.
"""

import gzip
import json
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

import previews
from localcloud import commands
from localcloud.cloud import Cloud
from localcloud.control_plane import ControlPlane
from localcloud.control_plane.programs import API_SERVER
from localcloud.engine import Engine
from moka.project import version
from report.subjects.data import held
from stacks import deployed_version
from tests.support.earlier_states import EARLIER, TODAY, on_cloud
from tests.support.pulumi_stack import PulumiStack

OPTIONS = ("parent", "provider", "dependencies", "protect", "retainOnDelete", "deletedWith", "ignoreChanges")
"""What a preview does not compare, and a change of it is a change all the same."""

STANDING = {
    "aws:ec2/eip:Eip",
    "aws:ec2/natGateway:NatGateway",
    "aws:ec2/subnet:Subnet",
    "aws:ec2/vpc:Vpc",
    "aws:eks/nodeGroup:NodeGroup",
}
"""Without data, but nobody's work goes on without them while they are replaced."""

RELEASE = "kubernetes:helm.sh/v3:Release"

NAMING = {"metadata", "namespace", "roleRef", "serviceAccount"}
"""Properties of Kubernetes objects and of Pod Identity associations whose change replaces them."""

KNOWN = {
    "0.1.0.dev1": {("delete", "spark-a-ingress")},
}
"""Version -> what is lost on purpose, as CHANGELOG.md says: the namespace of ingress-nginx, without data."""


@pytest.fixture(scope="module")
def deployed(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Callable[[Path], PulumiStack]]:
    """Give stack `local` a recorded state, on a cloud where nothing of it is."""
    folder = tmp_path_factory.mktemp("earlier")
    engine = Engine(Cloud(folder / "cloud"))
    commands.start(engine)
    try:
        # A preview asks a cluster nothing, but our plugins serve only clusters of their own cloud.
        plane = ControlPlane(engine.cloud, "moka-local-spark-a")
        plane.folder.mkdir(parents=True)
        plane.ports.keep(API_SERVER.name)
        engine.select("local")
        local = PulumiStack(engine, "local")

        def give(recorded: Path) -> PulumiStack:
            state = folder / "state.json"
            state.write_text(on_cloud(recorded, engine.cloud, plane))
            local.run("stack", "import", "--file", str(state))
            return local

        yield give
    finally:
        commands.stop(engine)


def preview(local: PulumiStack, *options: str) -> str:
    return local.run(
        "preview", "--json", *options, "--config-file", str(local.engine.config_file(local.name))
    )


def options(resource: dict) -> dict:
    values = {name: resource.get(name) for name in OPTIONS}
    return {**values, "dependencies": sorted(resource.get("dependencies") or [])}


def test_nothing_changes_of_what_this_version_deployed(deployed):
    local = deployed(TODAY)
    before = {resource["urn"]: resource for resource in local.state()}

    steps = json.loads(preview(local, "--show-sames"))["steps"]

    changes = {step["urn"]: step["op"] for step in steps if step["op"] != "same"}
    assert changes == {}
    after = {step["urn"]: step["newState"] for step in steps}
    # Default providers are no steps.
    assert {urn for urn in before.keys() - after.keys() if "::default" not in urn} == set()
    changed = {urn: options(state) for urn, state in after.items() if options(state) != options(before[urn])}
    assert changed == {}


def test_a_stack_that_a_newer_version_deployed_is_refused_until_one_goes_back_on_purpose(deployed, tmp_path):
    local = deployed(TODAY)
    state = json.loads(local.run("stack", "export"))
    [root] = [
        resource for resource in state["deployment"]["resources"] if resource["type"] == "pulumi:pulumi:Stack"
    ]
    root["outputs"][deployed_version.OUTPUT] = "99.0.0"
    (tmp_path / "newer.json").write_text(json.dumps(state))
    local.run("stack", "import", "--file", str(tmp_path / "newer.json"))

    config = str(local.engine.config_file(local.name))
    refused = local.try_run("preview", "--config-file", config)

    assert refused.returncode
    assert "Stack local was deployed by moka 99.0.0" in refused.stdout
    assert "Traceback" not in refused.stdout
    on_purpose = {deployed_version.VARIABLE: "99.0.0"}
    back = local.try_run("preview", "--diff", "--config-file", config, **on_purpose)
    assert back.returncode == 0, back.stderr
    assert f'moka : "99.0.0" => "{version()}"' in " ".join(back.stdout.split())


def test_another_version_of_a_chart_replaces_no_other_object():
    """What comes of a release that changes is not known in a preview, and an unknown name is another one."""
    state = json.loads(gzip.decompress(TODAY.read_bytes()))["deployment"]["resources"]
    releases = {resource["urn"] for resource in state if resource["type"] == RELEASE}

    named_by_releases = {
        resource["urn"]: sorted(releases & set(needs))
        for resource in state
        for name, needs in (resource.get("propertyDependencies") or {}).items()
        if name in NAMING and releases & set(needs)
    }

    assert releases
    assert named_by_releases == {}


@pytest.mark.parametrize("version", EARLIER)
def test_nothing_that_holds_data_is_replaced_or_deleted_of_what_an_earlier_version_deployed(
    deployed, version
):
    changes = previews.read(preview(deployed(EARLIER[version]))).changes

    lost = {
        (step.op, step.name)
        for step in changes
        if step.op in ("replace", "delete", "discard")
        and step.old
        and (held(step.old) or step.type in STANDING)
    }
    assert lost == KNOWN.get(version, set())
