"""Pulumi's command line for the project of the accounts, with its state in a folder or in a bucket."""

import json
import os
import subprocess
import sys
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

import yaml

from accounts.names import PROJECT
from moka.project import VARIABLE, project_folder
from moka.pulumi_cli import State, pulumi

FOLDER = Path(__file__).resolve().parent

Config = Mapping[str, str | bool | list[str]]
"""Configuration of the program, without the project's name."""


@dataclass(frozen=True)
class Backend:
    """Where the state of the accounts is.

    url: `PULUMI_BACKEND_URL`. secrets: `--secrets-provider`.
    """

    url: str
    secrets: str

    def resources(self, stack: str) -> list[dict[str, Any]]:
        """Resources of a stack of this project; none where there is no such stack."""
        return resources_of(self.export(stack)) if stack in self._stacks() else []

    def populated(self) -> Iterator[tuple[str, int]]:
        """Stacks of other projects that have resources, each with how many."""
        names = [name for name in self._stacks("--all") if "/" in name]
        for name in names:
            if f"/{PROJECT}/" not in f"/{name}" and (resources := resources_of(self.export(name))):
                yield "/".join(name.split("/")[-2:]), len(resources)

    def export(self, stack: str) -> State:
        """The state of a stack, which exists; with secrets in plain, of which ours have none."""
        state: State = json.loads(self._ask("stack", "export", "--show-secrets", "--stack", stack))
        return state

    def adopt(self, stack: str, state: State | None = None) -> None:
        """Make a stack of a state of another backend, or of none; one that is there is forgotten."""
        if stack in self._stacks():
            self.forget(stack)
        secrets = self._create(stack)
        deployment = {**((state or {}).get("deployment") or {}), "secrets_providers": secrets}
        text = json.dumps({"version": 3, **(state or {}), "deployment": deployment})
        self._ask("stack", "import", "--stack", stack, text=text)

    def forget(self, stack: str) -> None:
        """Remove a stack; what it made stays where it is."""
        self._ask("stack", "rm", "--force", "--yes", "--preserve-config", "--stack", stack)

    def run(self, verb: str, stack: str, config: Config, *arguments: str) -> int:
        """Run `pulumi <verb>` for a person to watch; its exit status."""
        secrets = self.export(stack)["deployment"]["secrets_providers"]
        content = {
            "config": {f"{PROJECT}:{name}": value for name, value in config.items()},
            **_keys_of_file(secrets),
        }
        with TemporaryDirectory() as folder:
            file = Path(folder) / f"Pulumi.{stack}.yaml"
            file.write_text(yaml.safe_dump(content))
            command = ["pulumi", verb, "--stack", stack, "--config-file", str(file), *arguments]
            with subprocess.Popen(command, cwd=FOLDER, env=self._environment()) as process:
                while True:
                    try:
                        return process.wait()
                    except KeyboardInterrupt:
                        # Pulumi had the same Ctrl-C: it ends what is under way and writes down what there is.
                        continue

    def _create(self, stack: str) -> dict[str, Any]:
        """Make an empty stack; its secrets provider as states have it.

        Away from the project, into whose folder Pulumi would write a file for the stack.
        """
        with TemporaryDirectory() as folder:
            (Path(folder) / "Pulumi.yaml").write_text(f"name: {PROJECT}\nruntime: python\n")
            arguments = ("stack", "init", "--no-select", "--secrets-provider", self.secrets, stack)
            self._ask(*arguments, folder=Path(folder))
            file = yaml.safe_load((Path(folder) / f"Pulumi.{stack}.yaml").read_text())
        if "encryptedkey" in file:
            return {
                "type": "cloud",
                "state": {"url": file["secretsprovider"], "encryptedkey": file["encryptedkey"]},
            }
        return {"type": "passphrase", "state": {"salt": file["encryptionsalt"]}}

    def _stacks(self, *arguments: str) -> list[str]:
        return [stack["name"] for stack in json.loads(self._ask("stack", "ls", "--json", *arguments))]

    def _ask(self, *arguments: str, folder: Path = FOLDER, text: str | None = None) -> str:
        return pulumi(*arguments, text=text, folder=folder, environment=self._environment())

    def _environment(self) -> dict[str, str]:
        # A stack without secrets needs no good passphrase, but Pulumi asks for one.
        passphrase = os.environ.get("PULUMI_CONFIG_PASSPHRASE", "")
        return {
            **os.environ,
            "PULUMI_BACKEND_URL": self.url,
            "PULUMI_CONFIG_PASSPHRASE": passphrase,
            VARIABLE: str(project_folder()),
            # The interpreter of a program: pulumi.com/docs/iac/cli/environment-variables.
            "PULUMI_PYTHON_CMD": sys.executable,
        }


def resources_of(state: State) -> list[dict[str, Any]]:
    """Resources of a state, without the stack itself and its providers."""
    resources = (state.get("deployment") or {}).get("resources") or []
    return [
        resource
        for resource in resources
        if resource["type"] != "pulumi:pulumi:Stack" and not resource["type"].startswith("pulumi:providers:")
    ]


def _keys_of_file(secrets: Mapping[str, Any]) -> dict[str, str]:
    """Keys of a stack's file about its secrets: without them, Pulumi would give it a passphrase."""
    state = secrets["state"]
    if secrets["type"] == "passphrase":
        return {"encryptionsalt": state["salt"]}
    return {"secretsprovider": state["url"], "encryptedkey": state["encryptedkey"]}
