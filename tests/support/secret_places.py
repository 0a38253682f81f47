"""Where a secret must not be: a row a place, with what is in it after a trial."""

import asyncio
import json
import os
import threading
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import asyncpg

from localcloud.cloud import Cloud
from localcloud.control_plane import ControlPlane
from localcloud.databases import Database
from tests.support.aws_clients import aws_clients
from tests.support.planted_secrets import Leak, Secret, leaks
from tests.support.pulumi_stack import PulumiStack

Contents = Iterator[tuple[str, bytes]]
"""Where in a place something is, and what it is."""


@dataclass(frozen=True)
class Scene:
    """What a trial leaves.

    kept: folder with what commands printed and wrote, a file each. variables: of who runs `pulumi`.
    """

    stack: PulumiStack
    kept: Path
    variables: Mapping[str, str]

    @property
    def cloud(self) -> Cloud:
        """The laptop cloud that it was on."""
        return self.stack.engine.cloud

    def pulumi(self, *arguments: str) -> bytes:
        """What `pulumi` says of the stack."""
        return self.stack.run(*arguments, **self.variables).encode()

    def aws(self, service: str) -> Any:
        """A client of the cloud's AWS."""
        return aws_clients(self.cloud)(service)


def _files(folder: Path) -> Contents:
    for path in sorted(folder.rglob("*")):
        if path.is_file() and not path.is_symlink():
            yield str(path.relative_to(folder)), path.read_bytes()


def _backend(scene: Scene) -> Contents:
    for name in ("state", "state-copies", "stack-files", "pulumi"):
        for where, content in _files(scene.cloud.home / name):
            yield f"{name}/{where}", content


def _logs(scene: Scene) -> Contents:
    for where, content in _files(scene.cloud.home):
        if ".log" in where.rpartition("/")[2]:
            yield where, content


def _environments(scene: Scene) -> Contents:
    for file in sorted(scene.cloud.home.rglob("*.pid")):
        text = file.read_text()
        # PostgreSQL's own file begins with it; ours are JSON.
        id = json.loads(text)["pid"] if text.startswith("{") else int(text.split("\n", 1)[0])
        process = Path("/proc", str(id), "environ")
        if process.exists():
            yield file.stem, process.read_bytes()


def _readable_by_others(scene: Scene) -> Contents:
    """Files that neither their own mode nor that of a folder of the cloud keeps from other users."""
    for folder, folders, files in os.walk(scene.cloud.home):
        folders[:] = [name for name in folders if (Path(folder) / name).stat().st_mode & 0o077]
        for path in (Path(folder) / name for name in files):
            if path.is_file() and path.stat().st_mode & 0o077:
                yield str(path.relative_to(scene.cloud.home)), path.read_bytes()


def _objects(scene: Scene, wanted: Callable[[str], bool]) -> Contents:
    """Objects of every control plane, by what the API server calls their kind in the plural."""
    for plane in ControlPlane.all(scene.cloud):
        api = plane.api()
        groups = (api.get("/apis") or {}).get("groups") or []
        roots = ["/api/v1", *(f"/apis/{group['preferredVersion']['groupVersion']}" for group in groups)]
        for root in roots:
            for kind in (api.get(root) or {}).get("resources") or []:
                if "list" in kind["verbs"] and "/" not in kind["name"] and wanted(kind["name"]):
                    yield f"{plane.name} {kind['name']}", _text(api.get(f"{root}/{kind['name']}"))


def _releases(scene: Scene) -> Contents:
    """Values and rendered objects of Helm's releases, which Helm keeps in Secrets."""
    for plane in ControlPlane.all(scene.cloud):
        for secret in plane.api().list("/api/v1/secrets", fieldSelector="type=helm.sh/release.v1"):
            yield f"{plane.name} {secret['metadata']['name']}", _text(secret["data"])


def _text(value: Any) -> bytes:
    # Not as JSON, which is escaped: what is looked for has nothing to escape.
    return repr(value).encode()


def _buckets(scene: Scene) -> Contents:
    s3 = scene.aws("s3")
    for bucket in s3.list_buckets()["Buckets"]:
        for page in s3.get_paginator("list_objects_v2").paginate(Bucket=bucket["Name"]):
            for entry in page.get("Contents", ()):
                content = s3.get_object(Bucket=bucket["Name"], Key=entry["Key"])
                yield f"{bucket['Name']}/{entry['Key']}", content["Body"].read()


def _rows(scene: Scene) -> Contents:
    """Every row of Archer's, as its programs may read them: by a token, which nobody verifies here."""
    for database in Database.all(scene.cloud):
        yield from asyncio.run(_rows_of(database.address)).items()


async def _rows_of(address: str) -> dict[str, bytes]:
    host, _, port = address.partition(":")
    connection = await asyncpg.connect(
        host=host, port=int(port), user="archer", password="token", database="archer"
    )
    try:
        tables = await connection.fetch("SELECT tablename FROM pg_tables WHERE schemaname = 'public'")
        return {
            table: _text([row[0] for row in await connection.fetch(f'SELECT t::text FROM "{table}" t')])
            for (table,) in tables
        }
    finally:
        await connection.close()


def _user_data(scene: Scene) -> Contents:
    ec2 = scene.aws("ec2")
    for template in ec2.describe_launch_templates()["LaunchTemplates"]:
        name = template["LaunchTemplateName"]
        yield name, _text(ec2.describe_launch_template_versions(LaunchTemplateName=name))


def _log_groups(scene: Scene) -> Contents:
    logs = scene.aws("logs")
    for group in logs.describe_log_groups()["logGroups"]:
        yield group["logGroupName"], _text(logs.filter_log_events(logGroupName=group["logGroupName"]))


def _aws_descriptions(scene: Scene) -> Contents:
    """What whoever may describe things reads without having asked for a secret."""
    yield "tags", _text(scene.aws("resourcegroupstaggingapi").get_resources()["ResourceTagMappingList"])
    yield "parameters", _text(scene.aws("ssm").describe_parameters()["Parameters"])
    yield "secrets", _text(scene.aws("secretsmanager").list_secrets()["SecretList"])
    yield "roles", _text(scene.aws("iam").get_account_authorization_details())


OTHER = frozenset({"events", "configmaps", "pods", "secrets"})

PLACES: Mapping[str, Callable[[Scene], Contents]] = {
    "what commands printed and wrote": lambda scene: _files(scene.kept),
    "the exported state": lambda scene: iter([("", scene.pulumi("stack", "export"))]),
    "the stack's outputs": lambda scene: iter([("", scene.pulumi("stack", "output", "--json"))]),
    "the stack's page": lambda scene: iter([("", scene.pulumi("stack"))]),
    "the stack's history": lambda scene: iter([("", scene.pulumi("stack", "history", "--json"))]),
    "the backend: states, .bak, history, copies, stack files": _backend,
    "logs of what runs": _logs,
    "files of the cloud that others may read": _readable_by_others,
    "the environment of servers": _environments,
    "Kubernetes Events": lambda scene: _objects(scene, lambda kind: kind == "events"),
    "ConfigMaps": lambda scene: _objects(scene, lambda kind: kind == "configmaps"),
    "pods": lambda scene: _objects(scene, lambda kind: kind == "pods"),
    "other objects but Secrets": lambda scene: _objects(scene, lambda kind: kind not in OTHER),
    "releases of Helm": _releases,
    "objects in S3": _buckets,
    "rows of Archer's database": _rows,
    "user data of launch templates": _user_data,
    "CloudWatch Logs": _log_groups,
    "what AWS describes": _aws_descriptions,
}
"""Place -> what is in it. Command lines are in what is kept: `CommandLines`."""


def leaks_in(scene: Scene, place: str, secrets: Iterable[Secret]) -> list[str]:
    """What leaked into a place, a sentence each."""
    looked_for = [*secrets]
    found: set[Leak] = set()
    for where, content in PLACES[place](scene):
        found.update(leaks(content, f"{place}: {where}", looked_for))
    return sorted(str(leak) for leak in found)


class CommandLines:
    """Command lines of this machine's processes, as they are seen every few milliseconds in a `with`."""

    EVERY = 0.03

    def __init__(self, file: Path) -> None:
        """file: where they are kept, in the end."""
        self._file = file
        self._seen: set[bytes] = set()
        self._over = threading.Event()
        self._thread = threading.Thread(target=self._look, daemon=True)

    def __enter__(self) -> "CommandLines":
        self._thread.start()
        return self

    def __exit__(self, *_: object) -> None:
        self._over.set()
        self._thread.join()
        self._file.write_bytes(b"\n".join(sorted(self._seen)))

    def _look(self) -> None:
        while not self._over.wait(self.EVERY):
            for entry in os.scandir("/proc"):
                if entry.name.isdigit():
                    try:
                        self._seen.add(Path(entry.path, "cmdline").read_bytes())
                    except OSError:
                        continue
