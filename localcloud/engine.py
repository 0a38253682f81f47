"""The Pulumi engine of a laptop cloud: its home with our plugins, its environment, its stacks."""

import json
import os
import shlex
import subprocess
import sys
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from importlib.metadata import version
from pathlib import Path
from typing import Any

import psutil

from localcloud.aws_server import AwsServer
from localcloud.cloud import REGION, REPOSITORY, Cloud
from localcloud.control_plane import ControlPlane
from localcloud.errors import Refusal
from localcloud.project import read_yaml

PLUGINS = ("aws", "eks", "kubernetes")
"""Packages whose plugins are ours here; each is laid under the version of its SDK."""

# Nothing is protected by them: pulumi will not work on a stack without.
PASSPHRASE = "laptop"
SALT = "v1:yPsHtWvF8pA=:v1:RAzv4bTaBF7x/I8J:VcsO5EWaC06A+eLd3QYuwEPPLoyvjQ=="

# What a stack's Pulumi file says of its real backend, and nothing here can open.
OF_THE_BACKEND = ("encryptionsalt", "encryptedkey", "secretsprovider", "environment")

BIN = REPOSITORY / ".local" / "bin"
"""Links to the tools."""

# What a person has set for real accounts and backends must not reach the laptop's engine.
FOREIGN = ("AWS_", "PULUMI_", "KUBECONFIG", "KUBERNETES_")


@dataclass(frozen=True)
class Resource:
    """A resource in a stack's state.

    lasting: protected from being deleted, or left behind when it is.
    """

    urn: str
    type: str
    inputs: dict[str, Any]
    outputs: dict[str, Any]
    id: str = ""
    lasting: bool = False

    @property
    def name(self) -> str:
        """Logical name."""
        return self.urn.rsplit("::", 1)[-1]


@dataclass(frozen=True)
class Engine:
    """The engine for one cloud.

    project: folder of the Pulumi project that it runs.
    """

    cloud: Cloud
    project: Path = REPOSITORY

    def lay_plugins(self) -> None:
        """Put our plugins where this engine home looks for the real ones."""
        for name in PLUGINS:
            folder = self.cloud.engine_home / "plugins" / f"resource-{name}-v{version(f'pulumi-{name}')}"
            program = folder / f"pulumi-resource-{name}"
            script = (
                "#!/bin/sh\n"
                f"PYTHONPATH={shlex.quote(str(REPOSITORY))}${{PYTHONPATH:+:$PYTHONPATH}} "
                f'exec {shlex.quote(sys.executable)} -m localcloud.plugins.{name} "$@"\n'
            )
            if program.is_file() and program.read_text() == script:
                continue
            folder.mkdir(parents=True, exist_ok=True)
            program.write_text(script)
            program.chmod(0o755)

    def variables(self) -> dict[str, str]:
        """What programs of this cloud have in their environment beyond the usual."""
        cloud = self.cloud
        made = {
            "MOKA_CLOUD": str(cloud.home),
            "PULUMI_HOME": str(cloud.engine_home),
            "PULUMI_BACKEND_URL": cloud.backend_url,
            "PULUMI_CONFIG_PASSPHRASE": PASSPHRASE,
            "PULUMI_SKIP_UPDATE_CHECK": "true",
            "PULUMI_DISABLE_AUTOMATIC_PLUGIN_ACQUISITION": "true",
            "AWS_ACCESS_KEY_ID": "test",
            "AWS_SECRET_ACCESS_KEY": "test",
            "AWS_REGION": REGION,
            "AWS_EC2_METADATA_DISABLED": "true",
        }
        if AwsServer(cloud).known():
            made["AWS_ENDPOINT_URL"] = AwsServer(cloud).url
        # Also where there is no cluster: a person's own clusters are not meant then either.
        kubeconfigs = [str(plane.kubeconfig) for plane in ControlPlane.all(cloud)]
        made["KUBECONFIG"] = ":".join(kubeconfigs or [os.devnull])
        return made

    def environment(self, base: Mapping[str, str] = os.environ) -> dict[str, str]:
        """The whole environment of the engine: that of the caller, without its accounts and backends."""
        kept = {name: value for name, value in base.items() if not name.startswith(FOREIGN)}
        virtual = str(Path(sys.executable).parent)
        path = os.pathsep.join([str(BIN), virtual, kept.get("PATH", "")])
        return {**kept, **self.variables(), "PATH": path}

    def run(self, verb: str, stack: str, *arguments: str) -> int:
        """Run `pulumi up`, `preview` or `destroy` of a stack for a person to watch; its exit status."""
        command = [
            "pulumi",
            verb,
            "--stack",
            stack,
            "--config-file",
            str(self.config_file(stack)),
            *arguments,
        ]
        with subprocess.Popen(command, cwd=self.project, env=self.environment()) as pulumi:
            while True:
                try:
                    return pulumi.wait()
                except KeyboardInterrupt:
                    # pulumi had the same Ctrl-C: it ends what is under way and writes down what there is.
                    continue

    def ask(self, *arguments: str, folder: Path | None = None, text: str | None = None) -> str:
        """What `pulumi` prints, in the project's folder. Raises Refusal with its last words when it fails."""
        asked = subprocess.run(
            ["pulumi", *arguments, "--non-interactive"],
            cwd=folder or self.project,
            env=self.environment(),
            input=text,
            capture_output=True,
            text=True,
        )
        if asked.returncode:
            words = (asked.stderr or asked.stdout).strip().splitlines()
            raise Refusal(f"pulumi {' '.join(arguments)} failed: {words[-1] if words else 'no word why'}")
        return asked.stdout

    def select(self, stack: str) -> None:
        """Make the stack the current one; create it where it is not there yet.

        Raises Refusal when its Pulumi file lacks what the project asks of every stack.
        """
        if unset := self._unset(stack):
            raise Refusal(
                f"Stack {stack} has no {' and no '.join(unset)}, which Pulumi.yaml asks for: write it under "
                f"config: in {self._stack_file(stack)}, or correct the stack's name."
            )
        self.cloud.state.mkdir(parents=True, exist_ok=True)
        if stack not in self.stacks():
            # Not in the project's folder, where it would write into the stack's Pulumi file.
            aside = self.config_file(stack).parent
            (aside / "Pulumi.yaml").write_text(json.dumps({"name": self.project_name, "runtime": "python"}))
            self.ask("stack", "init", "--no-select", stack, folder=aside)
        self.ask("stack", "select", stack)

    def config_file(self, stack: str) -> Path:
        """The stack's Pulumi file as it is now, in a copy that this engine may write into.

        What only the real backend can open is left out, and secrets with it: they are none of a laptop's.
        """
        import yaml

        said = _mapping(self._stack_file(stack))
        ours = said.get("encryptionsalt") == SALT
        config = {
            name: value
            for name, value in (said.get("config") or {}).items()
            if ours or not (isinstance(value, dict) and "secure" in value)
        }
        kept = {name: value for name, value in said.items() if name not in OF_THE_BACKEND}
        copy = self.cloud.home / "stack-files" / self.project_name / f"Pulumi.{stack}.yaml"
        copy.parent.mkdir(parents=True, exist_ok=True)
        copy.write_text(yaml.safe_dump({**kept, "config": config, "encryptionsalt": SALT}))
        return copy

    @property
    def project_name(self) -> str:
        """Name of the Pulumi project."""
        return str(self._described["name"])

    @cached_property
    def _described(self) -> dict[str, Any]:
        described = _mapping(self.project / "Pulumi.yaml")
        if "name" not in described:
            raise Refusal(f"There is no Pulumi project in {self.project}: name the folder of one.")
        return described

    def _stack_file(self, stack: str) -> Path:
        return self.project / str(self._described.get("stackConfigDir", ".")) / f"Pulumi.{stack}.yaml"

    def _unset(self, stack: str) -> list[str]:
        """Configuration that every stack of the project must have, and this one's file lacks."""
        needed = [
            name if ":" in name else f"{self.project_name}:{name}"
            for name, said in (self._described.get("config") or {}).items()
            if isinstance(said, dict) and not {"default", "value"} & said.keys()
        ]
        given = _mapping(self._stack_file(stack)).get("config") or {}
        return [name for name in needed if name not in given]

    def stacks(self) -> Iterator[str]:
        """Stacks of the project in this cloud's state, read without the engine."""
        for path in sorted((self._states / self.project_name).glob("*.json")):
            yield path.stem

    def populated(self) -> list[str]:
        """Stacks that have resources, of any project: those of another one with the project's name."""
        found = []
        for path in sorted(self._states.glob("*/*.json")):
            project, stack = path.parent.name, path.stem
            if _of_program(_latest(path)):
                found.append(stack if project == self.project_name else f"organization/{project}/{stack}")
        return found

    @property
    def _states(self) -> Path:
        return self.cloud.state / ".pulumi" / "stacks"

    def resources(self, stack: str) -> list[Resource]:
        """What a stack's state holds, without the stack itself."""
        return [
            Resource(
                r["urn"],
                r["type"],
                r.get("inputs", {}),
                r.get("outputs", {}),
                r.get("id", ""),
                lasting=bool(r.get("protect") or r.get("retainOnDelete")),
            )
            for r in _of_program(self._latest(stack))
        ]

    def cut_off(self, stack: str) -> list[str]:
        """URNs of the resources whose creation was cut off: they may be there, unknown to the stack.

        The engine keeps what was pending; where it was killed before it could, our plugins' notes tell.
        """
        pending = self._latest(stack).get("pending_operations") or []
        urns = {operation["resource"]["urn"] for operation in pending if operation["type"] == "creating"}
        notes = [json.loads(note.read_text())["urn"] for note in self.cloud.cut_off.glob("*.json")]
        urns.update(urn for urn in notes if urn.startswith(f"urn:pulumi:{stack}::{self.project_name}::"))
        return sorted(urns - {resource.urn for resource in self.resources(stack)})

    def _latest(self, stack: str) -> dict[str, Any]:
        return _latest(self._states / self.project_name / f"{stack}.json")

    def lift_dead_locks(self, stack: str) -> list[str]:
        """Remove the locks of processes that are gone; a sentence for each.

        Raises Refusal where the process that holds the lock lives.
        """
        said = []
        for lock in self._locks(stack):
            pid = _holder(lock)
            if _runs_pulumi(pid):
                raise Refusal(
                    f"Stack {stack} is locked by pulumi, process {pid}, which is running: "
                    "wait for it to end, then run this again."
                )
            lock.unlink()
            said.append(f"Lifted the lock that process {pid or 'unknown'}, now gone, left on stack {stack}.")
        return said

    def _locks(self, stack: str) -> Sequence[Path]:
        folder = self.cloud.state / ".pulumi" / "locks" / "organization" / self.project_name / stack
        return sorted(folder.glob("*.json"))


def _mapping(path: Path) -> dict[str, Any]:
    """Keys and values of a YAML file; none when it is not there."""
    content = read_yaml(path)
    return content if isinstance(content, dict) else {}


def _latest(path: Path) -> dict[str, Any]:
    """The deployment in a stack's state; nothing when the stack is not there."""
    if not path.is_file():
        return {}
    checkpoint = json.loads(path.read_text()).get("checkpoint") or {}
    # `pulumi stack import` writes it with a capital letter.
    return checkpoint.get("latest") or checkpoint.get("Latest") or {}


def _of_program(latest: dict[str, Any]) -> list[dict[str, Any]]:
    """The resources of a deployment, without the stack itself."""
    return [r for r in latest.get("resources") or [] if r["type"] != "pulumi:pulumi:Stack"]


def _holder(lock: Path) -> int:
    """Process that made a lock; 0 when that was cut off before it said which."""
    try:
        return int(json.loads(lock.read_text())["pid"])
    except (ValueError, KeyError):
        return 0


def _runs_pulumi(pid: int) -> bool:
    try:
        process = psutil.Process(pid)
        # One that was killed stays in the table for as long as nobody asks how it ended.
        return "pulumi" in process.name() and process.status() != psutil.STATUS_ZOMBIE
    except (psutil.NoSuchProcess, psutil.AccessDenied):
        return False
