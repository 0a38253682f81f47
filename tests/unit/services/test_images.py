"""The images of the services, as far as they can be tried without Docker."""

import json
import os
import re
import shutil
import subprocess
import sys
from importlib.metadata import distribution
from pathlib import Path
from sysconfig import get_path

import pytest
from packaging.requirements import Requirement

from localcloud.cloud import REPOSITORY

SITE_PACKAGES = Path(get_path("purelib"))
SERVICES = sorted(path.parent.name for path in REPOSITORY.glob("services/*/__main__.py"))

PINNED = [service for service in SERVICES if (REPOSITORY / "services" / service / "requirements.in").exists()]

IMPORT_ALL = """
import importlib, pkgutil, sys
for package in map(importlib.import_module, sys.argv[1:]):
    for module in pkgutil.iter_modules(package.__path__, f"{package.__name__}."):
        importlib.import_module(module.name)
"""

FIND_ALL = """
import importlib.util, sys
print(*filter(importlib.util.find_spec, sys.argv[1:]), end="")
"""

SOLVES = "allocator"
"""Besides the domain and what services share it has `planning`, and the client of Archer."""

ASK_ARCHER = """
from types import SimpleNamespace
from services.allocator.desk import archer_of
place = SimpleNamespace(url="http://127.0.0.1:9", region="us-east-1")
with archer_of(SimpleNamespace(environment="test", archer=place)) as archer:
    print(type(archer).__module__, end="")
"""

every_service = pytest.mark.parametrize("service", SERVICES)


def path_of_dockerfile(service):
    """From the root of the repository: the service's own, or that of all others."""
    own = f"services/{service}/Dockerfile"
    return own if (REPOSITORY / own).exists() else "services/Dockerfile"


@pytest.fixture
def dockerfile(service):
    return (REPOSITORY / path_of_dockerfile(service)).read_text()


@pytest.fixture
def entrypoint(dockerfile):
    return json.loads(re.search(r"^ENTRYPOINT (.+)$", dockerfile, re.MULTILINE)[1])


@pytest.fixture
def image(service, dockerfile, tmp_path):
    """Runs a command with the files that the Dockerfile copies and the packages that it installs."""
    app, packages, programs = (tmp_path / name for name in ("app", "packages", "bin"))
    for folder in (app, packages, programs):
        folder.mkdir()
    for source, destination in re.findall(r"^COPY (\S+) (\S+)$", dockerfile, re.MULTILINE):
        path, target = (text.replace("${SERVICE}", service) for text in (source, destination))
        if (REPOSITORY / path).is_dir():
            shutil.copytree(REPOSITORY / path, app / target)
        else:
            (app / target).mkdir(exist_ok=True)
            shutil.copy(REPOSITORY / path, app / target)
    installed = with_dependencies(pins(app / "requirements.txt") if service in PINNED else ())
    files = [file for name in installed for file in distribution(name).files]
    for top in {file.parts[0] for file in files} - {"..", "__pycache__"}:
        (packages / top).symlink_to(SITE_PACKAGES / top)
    # Without `site`, Python does not look into the virtual environment.
    (programs / "python").write_text(f'#!/bin/sh\nexec {sys.executable} -S "$@"\n')
    (programs / "python").chmod(0o755)
    environment = {
        "PATH": f"{programs}:{os.environ['PATH']}",
        "PYTHONPATH": str(packages),
        "PYTHONDONTWRITEBYTECODE": "1",
        "SERVICE": service,
    }

    def run(*command):
        return subprocess.run(command, cwd=app, env=environment, capture_output=True, text=True)

    return run


def with_dependencies(names):
    """What these packages need on the Python of the tests, which may be older than the image's."""
    waiting, packages = list(names), set()
    while waiting:
        if (name := waiting.pop()) in packages:
            continue
        packages.add(name)
        requirements = map(Requirement, distribution(name).requires or ())
        waiting += [
            requirement.name
            for requirement in requirements
            if requirement.marker is None or requirement.marker.evaluate({"extra": ""})
        ]
    return packages


def pins(path):
    """Name -> version of the packages that a file pins, with those of the files that it includes."""
    text = path.read_text()
    packages = dict(re.findall(r"^([a-z0-9._-]+)(?:\[.*\])?==([^\s;]+)", text, re.MULTILINE))
    for other in re.findall(r"^-r (\S+)$", text, re.MULTILINE):
        packages |= pins(path.parent / other)
    return packages


@every_service
def test_its_program_runs(service, image, entrypoint):
    done = image(*entrypoint, "--help")

    assert done.returncode == 0, done.stderr
    assert done.stdout.startswith(f"usage: {service} ")
    assert "--listen" in done.stdout


@every_service
def test_every_module_finds_what_it_imports(service, image):
    done = image("python", "-c", IMPORT_ALL, "services.common", f"services.{service}")

    assert done.returncode == 0, done.stderr


@pytest.mark.parametrize("service", [SOLVES])
def test_it_has_solvers_and_the_client_of_archer(image):
    solvers = image("python", "-c", IMPORT_ALL, "planning")
    client = image("python", "-c", ASK_ARCHER)

    assert solvers.returncode == 0, solvers.stderr
    assert (client.returncode, client.stdout) == (0, "archer.client"), client.stderr


@every_service
def test_nothing_else_is_there(service, image):
    names = [path.name for path in REPOSITORY.iterdir() if (path / "__init__.py").exists()]
    own = {"moka", "services", *(["planning"] if service == SOLVES else [])}
    others = sorted({*names, "pulumi", "pytest"} - own)

    done = image("python", "-c", FIND_ALL, *others)

    assert len(others) > 10
    assert (done.returncode, done.stdout) == (0, ""), done.stderr


@pytest.mark.parametrize("service", PINNED)
def test_it_holds_the_versions_that_are_tried_here(service):
    folder = REPOSITORY / "services" / service
    installed, requested = pins(folder / "requirements.txt"), pins(folder / "requirements.in")

    assert requested
    assert requested.items() <= installed.items()
    assert installed.items() <= pins(REPOSITORY / "requirements.txt").items()


def test_docker_may_read_the_files_that_are_copied():
    rules = (REPOSITORY / ".dockerignore").read_text().splitlines()
    files = [(REPOSITORY / path_of_dockerfile(service)).read_text() for service in SERVICES]
    sources = {source for text in files for source in re.findall(r"^COPY (\w+)", text, re.MULTILINE)}

    assert "*" in rules
    assert {rule.removeprefix("!") for rule in rules if rule.startswith("!")} == sources


@every_service
def test_make_builds_it_for_both_architectures_and_pushes_it(service, tmp_path):
    (tmp_path / "docker").write_text('#!/bin/sh\necho "$@"\n')
    (tmp_path / "docker").chmod(0o755)

    done = subprocess.run(
        ["make", "--silent", "images", "REGISTRY=registry.example/acme", "TAG=1.0.0"],
        cwd=REPOSITORY,
        env={**os.environ, "PATH": f"{tmp_path}:{os.environ['PATH']}"},
        capture_output=True,
        text=True,
    )

    tag = f"registry.example/acme/{service.replace('_', '-')}:1.0.0"
    assert (
        f"buildx build --platform linux/amd64,linux/arm64 --push --build-arg SERVICE={service} "
        f"--tag {tag} --file {path_of_dockerfile(service)} ."
    ) in done.stdout.splitlines()
