"""The Pulumi engine of a laptop cloud: its home with our plugins, its environment, its stacks."""

import json
import os
import shlex
import shutil
import subprocess
import sys
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from functools import cached_property
from importlib.metadata import version
from pathlib import Path
from typing import Any

from localcloud.aws_server import AwsServer
from localcloud.cloud import CHECKOUT, REPOSITORY, RUN, Cloud, local_folder
from localcloud.control_plane import ControlPlane
from localcloud.errors import Refusal
from localcloud.locks import holder, locks_folder, runs_pulumi
from localcloud.project import read_yaml
from localcloud.states import StateFile, UnreadableState

PLUGINS = ("aws", "awsx", "eks", "kubernetes")
"""Packages whose plugins are ours here, under the versions of their SDKs."""

NEWEST = {"awsx": "3.11.0"}
"""Packages that need no SDK here -> the version whose plugin ours stands for."""

# They protect nothing: pulumi works on no stack without them.
PASSPHRASE = "laptop"
SALT = "v1:yPsHtWvF8pA=:v1:RAzv4bTaBF7x/I8J:VcsO5EWaC06A+eLd3QYuwEPPLoyvjQ=="

# Keys of a stack's Pulumi file that are about its real backend, and that nothing here can open.
BACKEND_KEYS = ("encryptionsalt", "encryptedkey", "secretsprovider", "environment")

BIN = local_folder() / "bin"
"""Links to the tools."""

# Variables of real accounts and backends, which must not reach the laptop's engine.
REAL_PREFIXES = ("AWS_", "PULUMI_", "KUBECONFIG", "KUBERNETES_")

# What a caller may say to the engine nevertheless, as accounts play no part in it: the form of a preview, and
# to write the state at the end only (https://github.com/pulumi/pulumi/issues/10668).
HARMLESS = ("PULUMI_ENABLE_STREAMING_JSON_PREVIEW", "PULUMI_EXPERIMENTAL", "PULUMI_SKIP_CHECKPOINTS")


@dataclass(frozen=True)
class Resource:
    """A resource in a stack's state.

    protected: from being deleted, or left behind when its stack is.
    provider: URN of its provider.
    """

    urn: str
    type: str
    inputs: dict[str, Any]
    outputs: dict[str, Any]
    id: str = ""
    protected: bool = False
    provider: str = ""

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
            of_sdk = NEWEST.get(name) or version(f"pulumi-{name}")
            folder = self.cloud.engine_home / "plugins" / f"resource-{name}-v{of_sdk}"
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
        """Environment variables of this cloud's programs, beyond the inherited ones."""
        cloud = self.cloud
        variables = {
            "MOKA_CLOUD": str(cloud.home),
            "PULUMI_HOME": str(cloud.engine_home),
            "PULUMI_BACKEND_URL": cloud.backend_url,
            "PULUMI_CONFIG_PASSPHRASE": PASSPHRASE,
            "PULUMI_SKIP_UPDATE_CHECK": "true",
            "PULUMI_DISABLE_AUTOMATIC_PLUGIN_ACQUISITION": "true",
            # Ours are also taken for programs whose SDKs are older; newer ones find no plugin.
            # Source: pulumi/pulumi sdk/go/common/workspace/plugins.go, LegacySelectCompatiblePlugin.
            "PULUMI_ENABLE_LEGACY_PLUGIN_SEARCH": "true",
            **AwsServer(cloud).variables,
        }
        # Also where there is no cluster: the caller's own clusters are not meant then either.
        kubeconfigs = [str(plane.kubeconfig) for plane in ControlPlane.all(cloud)]
        variables["KUBECONFIG"] = ":".join(kubeconfigs or [os.devnull])
        return variables

    def environment(self, base: Mapping[str, str] = os.environ) -> dict[str, str]:
        """The whole environment of the engine: the caller's without its accounts and backends, and ours."""
        variables = {
            name: value
            for name, value in base.items()
            if name in HARMLESS or not name.startswith(REAL_PREFIXES)
        }
        places = [str(Path(sys.executable).parent), variables.get("PATH", "")]
        # Where it is installed, the caller's own Python comes first: it has the packages of the program.
        path = os.pathsep.join([str(BIN), *(places if CHECKOUT else reversed(places))])
        # A region is no account: as for AWS's own SDKs, the caller's decides where a program names none.
        region = {name: base[name] for name in ("AWS_REGION",) if base.get(name)}
        return {**variables, **self.variables(), **region, "PATH": path}

    def run(self, verb: str, stack: str, *arguments: str) -> int:
        """Run `pulumi up`, `preview` or `destroy` of a stack for a person to watch; its exit status."""
        file = str(self.config_file(stack))
        return self._watch(
            ("pulumi", verb, "--stack", stack, "--config-file", file, *arguments), self.project
        )

    def execute(self, command: tuple[str, ...]) -> int:
        """Run any command in the folder at hand, in this cloud's environment; its exit status."""
        return self._watch(command, None)

    def _watch(self, command: tuple[str, ...], folder: Path | None) -> int:
        environment = self.environment()
        # Found by the PATH of the command, not by that of this process.
        program = shutil.which(command[0], path=environment["PATH"]) or command[0]
        with subprocess.Popen((program, *command[1:]), cwd=folder, env=environment) as process:
            while True:
                try:
                    return process.wait()
                except KeyboardInterrupt:
                    # It had the same Ctrl-C: pulumi ends what is under way and writes down what there is.
                    continue

    def pulumi(self, *arguments: str, folder: Path | None = None, text: str | None = None) -> str:
        """What `pulumi` prints, in the project's folder. Raises Refusal with its last line when it fails."""
        result = subprocess.run(
            ["pulumi", *arguments, "--non-interactive"],
            cwd=folder or self.project,
            env=self.environment(),
            input=text,
            capture_output=True,
            text=True,
        )
        if result.returncode:
            reason = _reason(result.stderr or result.stdout)
            raise Refusal(f"pulumi {' '.join(arguments)} failed: {reason}")
        return result.stdout

    def refuse_broken(self, stack: str) -> None:
        """Raise Refusal where a stack has the state of another one, or one that the engine does not take."""
        resources = self.resources(stack)
        own = f"urn:pulumi:{stack}::{self.project_name}::"
        problem = next((f"{r.urn} is of another stack" for r in resources if not r.urn.startswith(own)), "")
        if resources and not problem:
            try:
                # What shows a state holds it against the engine's rules, and what selects it does not.
                self.pulumi("stack", "--stack", stack)
            except Refusal as refusal:
                problem = str(refusal)
        if problem:
            raise Refusal(
                f"The state of stack {stack} cannot be used ({problem}): bring back an earlier version, "
                "or, where a newer pulumi wrote it, use that one, or start over with "
                f"`{RUN} clean`; nothing was changed."
            )

    def select(self, stack: str) -> None:
        """Make the stack the current one; create it unless it exists.

        Raises Refusal when its Pulumi file lacks configuration that the project requires.
        """
        if missing := self._missing_config(stack):
            raise Refusal(
                f"Stack {stack} has no {' and no '.join(missing)}, which Pulumi.yaml requires: set it under "
                f"config: in {self._stack_file(stack)}, or correct the stack's name."
            )
        self.cloud.state.mkdir(parents=True, exist_ok=True)
        if stack not in self.stacks():
            # Not in the project's folder, where it would write into the stack's Pulumi file.
            folder = self.config_file(stack).parent
            (folder / "Pulumi.yaml").write_text(json.dumps({"name": self.project_name, "runtime": "python"}))
            self.pulumi("stack", "init", "--no-select", stack, folder=folder)
        self.pulumi("stack", "select", stack)

    def config_file(self, stack: str) -> Path:
        """The stack's Pulumi file as it is now, in a copy that this engine may write into.

        Keys of the real backend are left out, and secrets that only it can open.
        """
        import yaml

        content = _mapping(self._stack_file(stack))
        own_salt = content.get("encryptionsalt") == SALT
        config = {
            name: value
            for name, value in (content.get("config") or {}).items()
            if own_salt or not (isinstance(value, dict) and "secure" in value)
        }
        rest = {name: value for name, value in content.items() if name not in BACKEND_KEYS}
        copy = self.cloud.home / "stack-files" / self.project_name / f"Pulumi.{stack}.yaml"
        copy.parent.mkdir(parents=True, exist_ok=True)
        copy.write_text(yaml.safe_dump({**rest, "config": config, "encryptionsalt": SALT}))
        return copy

    @property
    def project_name(self) -> str:
        """Name of the Pulumi project. Raises Refusal where there is none."""
        if "name" not in self._project_file:
            raise Refusal(f"There is no Pulumi project in {self.project}: name the folder of one.")
        return str(self._project_file["name"])

    @cached_property
    def _project_file(self) -> dict[str, Any]:
        return _mapping(self.project / "Pulumi.yaml")

    def _stack_file(self, stack: str) -> Path:
        return self.project / str(self._project_file.get("stackConfigDir", ".")) / f"Pulumi.{stack}.yaml"

    def _missing_config(self, stack: str) -> list[str]:
        """Configuration that every stack of the project must have, and this one's file lacks."""
        required = [
            name if ":" in name else f"{self.project_name}:{name}"
            for name, declaration in (self._project_file.get("config") or {}).items()
            if isinstance(declaration, dict) and not {"default", "value"} & declaration.keys()
        ]
        config = _mapping(self._stack_file(stack)).get("config") or {}
        return [name for name in required if name not in config]

    def stacks(self) -> Iterator[str]:
        """Stacks of the project in this cloud's state, read without the engine; none without a project."""
        if "name" in self._project_file:
            for path in sorted((self._states / self.project_name).glob("*.json")):
                yield path.stem

    def written(self) -> dict[Path, int]:
        """When each state was last written down, of whatever project."""
        return {path: path.stat().st_mtime_ns for path in self._states.glob("*/*.json")}

    def populated(self) -> list[str]:
        """Stacks that have resources, of any project; those of other projects with the project's name."""
        stacks = []
        for path in sorted(self._states.glob("*/*.json")):
            project, stack = path.parent.name, path.stem
            if _has_resources(self._state_at(path)):
                stacks.append(
                    stack if project == self._project_file.get("name") else f"organization/{project}/{stack}"
                )
        return stacks

    @property
    def _states(self) -> Path:
        return self.cloud.state / ".pulumi" / "stacks"

    def was_updated(self, stack: str) -> bool:
        """Whether an update has ever begun on a stack, or resources came into its state otherwise."""
        history = self.cloud.state / ".pulumi" / "history" / self.project_name / stack
        return history.is_dir() or bool(self.resources(stack)) or bool(self.cut_off(stack))

    def resources(self, stack: str) -> list[Resource]:
        """Resources in a stack's state, without the stack itself."""
        return [
            Resource(
                r["urn"],
                r["type"],
                r.get("inputs", {}),
                r.get("outputs", {}),
                r.get("id", ""),
                protected=bool(r.get("protect") or r.get("retainOnDelete")),
                # In the state, a reference ends with the id of the provider.
                provider=r.get("provider", "").rpartition("::")[0],
            )
            for r in _resources(self._latest(stack))
        ]

    def cut_off(self, stack: str) -> list[str]:
        """URNs of the resources whose creation was cut off: they may exist, unknown to the stack.

        The engine writes down each before it begins, and keeps it until somebody has looked: a resource that
        the next `up` made has it too, as the first one may exist beside it.
        """
        return sorted(urn for urn, operation in self.pending(stack).items() if operation == "creating")

    def pending(self, stack: str) -> dict[str, str]:
        """URN -> what was under way with it when an update was cut off: `creating`, `deleting` and so on."""
        pending = self._latest(stack).get("pending_operations") or []
        return {operation["resource"]["urn"]: str(operation["type"]) for operation in pending}

    def state_file(self, stack: str) -> StateFile:
        """The state of a stack of the project, or of another one: `organization/<project>/<stack>`."""
        folder, _, name = stack.rpartition("/")
        return self._state_at(
            self._states / (folder.rpartition("/")[2] or self.project_name) / f"{name}.json"
        )

    def _state_at(self, path: Path) -> StateFile:
        return StateFile(path, self.cloud.home / "state-copies" / path.parent.name / path.name)

    def _latest(self, stack: str) -> dict[str, Any]:
        return self.state_file(stack).deployment()

    def remove_stale_locks(self, stack: str) -> list[str]:
        """Remove the locks of processes that have ended; a sentence for every lock.

        Raises Refusal where the process that holds the lock lives.
        """
        sentences = []
        for lock in sorted(locks_folder(self.cloud, self.project_name, stack).glob("*.json")):
            pid = holder(lock)
            if runs_pulumi(pid):
                raise Refusal(
                    f"Stack {stack} is locked by pulumi, process {pid}, which is running: "
                    "wait for it to end, then run this again."
                )
            lock.unlink()
            process = f"process {pid}" if pid else "an unknown process"
            sentences.append(f"Removed the lock that {process}, which has ended, left on stack {stack}.")
        return sentences


def _reason(output: str) -> str:
    """Why the engine failed: the last line that it said, or the one that a trace of its calls is about."""
    lines = output.strip().splitlines()
    fault = next((line for line in lines if line.startswith("Error:")), "")
    return fault.removeprefix("Error:").strip() or (lines[-1] if lines else "without output")


def _mapping(path: Path) -> dict[str, Any]:
    """Keys and values of a YAML file; none when it is not there."""
    content = read_yaml(path)
    return content if isinstance(content, dict) else {}


def _has_resources(state: StateFile) -> bool:
    """Whether a stack has resources; one whose state nobody can read may have some."""
    try:
        return bool(_resources(state.deployment()))
    except UnreadableState:
        return True


def _resources(latest: dict[str, Any]) -> list[dict[str, Any]]:
    """The resources of a deployment, without the stack itself."""
    return [r for r in latest.get("resources") or [] if r["type"] != "pulumi:pulumi:Stack"]
