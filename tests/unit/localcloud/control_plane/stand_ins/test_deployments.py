from dataclasses import replace
from pathlib import Path
from types import SimpleNamespace

import pytest

from localcloud.cloud import Cloud
from localcloud.control_plane import ControlPlane
from localcloud.control_plane.stand_ins import deployments
from localcloud.control_plane.stand_ins.processes import Surroundings
from localcloud.errors import Refusal

AROUND = Surroundings(Path("/plane/kubeconfig"), 20000, {"http": 20001})


@pytest.fixture
def plane(tmp_path):
    plane = ControlPlane(Cloud(tmp_path / "cloud"), "spark-a")
    plane.folder.mkdir(parents=True)
    return plane


@pytest.fixture
def commands(monkeypatch):
    """Commands that are run, by the key of their program; none is started."""
    commands = {}
    credentials = SimpleNamespace(authority=Path(__file__))
    monkeypatch.setattr(ControlPlane, "credentials", credentials)
    answer = {"status": {"token": "t"}}
    # Every namespace and Deployment is there.
    api = SimpleNamespace(create=lambda *_: answer, get=lambda path: {"metadata": {}})
    monkeypatch.setattr(ControlPlane, "api", lambda plane: api)
    monkeypatch.setattr(deployments.pods, "variables", lambda plane: {"HTTP_PROXY": "http://127.0.0.1:1"})

    def run(plane, key, servers, command, *, account, pods):
        commands[key] = command(replace(AROUND, account=account, pods=pods))

    monkeypatch.setattr(deployments, "run", run)
    return commands


@pytest.fixture
def project(tmp_path):
    """A project whose module stands in for the Deployments of a name."""

    def make(name, label="remover"):
        folder = tmp_path / name
        folder.mkdir(exist_ok=True)
        (folder / f"{name}.py").touch()
        (folder / "localcloud.yaml").write_text(f"stand_ins: {{{label}: {{module: {name}}}}}\n")
        return folder

    return make


def deployment(label="remover", **spec):
    pod = {"serviceAccountName": "remover", "containers": [{"name": "c", "args": ["--listen=0.0.0.0:8080"]}]}
    metadata = {"name": "remover", "namespace": "own", "labels": {"app.kubernetes.io/name": label}}
    return {"metadata": metadata, "spec": {"template": {"spec": pod}, **spec}}


def test_the_module_runs_from_its_project_with_the_arguments_of_the_container(plane, commands, project):
    folder = project("first")

    assert deployments.apply(plane, deployment(), folder)

    [command] = commands.values()
    account = plane.folder / "accounts" / "deployment.own.remover"
    assert command.argv[1:] == (
        "-m",
        "first",
        "--listen=0.0.0.0:8080",
        "--listen=127.0.0.1:20001",
        f"--service-account={account}",
    )
    assert command.environment["PYTHONPATH"] == str(folder)
    assert {path.name for path in account.iterdir()} == {"token", "ca.crt", "namespace"}


@pytest.mark.parametrize("nobodys", [deployment("another"), deployment(replicas=0)])
def test_other_deployments_are_left_to_kwok(plane, commands, project, nobodys):
    assert not deployments.apply(plane, nobodys, project("first"))
    assert not commands
    assert not list(deployments.workloads(plane))


def test_projects_that_share_a_plane_keep_their_own_modules(plane, commands, project):
    first, second = project("first"), project("second")
    elsewhere = deployment()
    elsewhere["metadata"]["namespace"] = "other"
    deployments.apply(plane, deployment(), first)
    deployments.apply(plane, elsewhere, second)
    commands.clear()

    deployments.resume(plane)

    assert {key: command.argv[2] for key, command in commands.items()} == {
        "deployment.own.remover": "first",
        "deployment.other.remover": "second",
    }


def test_a_program_that_does_not_start_again_hinders_no_other(plane, commands, project, monkeypatch):
    for name in ("broken", "whole"):
        one = deployment(label=name)
        one["metadata"]["name"] = name
        deployments.apply(plane, one, project(name, label=name))
    commands.clear()
    run = deployments.run

    def crash(plane, key, *arguments, **named):
        if key == "deployment.own.broken":
            raise Refusal(f"{key} ended right after its start; its log says why.")
        run(plane, key, *arguments, **named)

    monkeypatch.setattr(deployments, "run", crash)

    assert deployments.resume(plane) == [
        "deployment.own.broken ended right after its start; its log says why."
    ]
    assert set(commands) == {"deployment.own.whole"}


def test_what_a_project_no_longer_names_is_not_run_again(plane, commands, project):
    deployments.apply(plane, deployment(), project("first"))
    commands.clear()
    project("first", label="another")

    deployments.resume(plane)

    assert not commands


def test_a_deployment_that_is_gone_is_kept_no_more(plane, commands, project):
    deployments.apply(plane, deployment(), project("first"))

    deployments.remove(plane, "own", "remover")

    assert not list(deployments.workloads(plane))
