"""Prints, as a list in JSON, which files of a tree the preview of a stack reads: `python recording.py STACK`.

Runs in the tree that is asked about, as a program of its own: it takes the program, its modules and its
settings from there, and nothing from beside this file. The program runs as in a preview, but for an engine:
outputs of resources are unknown, so nothing has to be known of AWS. A folder whose files are listed ends with
`/`.
"""

import importlib
import json
import pkgutil
import runpy
import sys
from collections.abc import Iterator
from importlib.util import source_from_cache
from pathlib import Path
from typing import Any, cast

import pulumi
import yaml
from pulumi.runtime import Mocks, set_all_config, set_mocks
from pulumi.runtime.mocks import MockMonitor
from pulumi.runtime.proto import callback_pb2, provider_pb2, resource_pb2
from pulumi.runtime.settings import SETTINGS

TREE = Path.cwd().resolve()
OWN = Path(__file__).resolve()
POLICIES = "policies"

READ_BY_THE_ENGINE = ("Pulumi.yaml", "requirements.txt")
"""The engine's own, and what pins the SDKs, and with them the plugins."""


class Reads:
    """The files of the tree that this process opens, and the folders that it lists, as an audit hook sees
    them."""

    def __init__(self) -> None:
        self.paths: set[str] = set()

    def __call__(self, event: str, arguments: tuple[Any, ...]) -> None:
        """Take note of an event of `sys.addaudithook` (docs.python.org/3/library/audit_events.html)."""
        if event == "open" or (event in ("os.listdir", "os.scandir") and not _by_import()):
            self._add(arguments[0], "" if event == "open" else "/")

    def _add(self, name: Any, end: str) -> None:
        if not isinstance(name, str | bytes | Path) or not name:
            return
        # By where it is, as git knows it: components are a link below `moka`.
        path = (TREE / (name.decode() if isinstance(name, bytes) else name)).resolve()
        if path.parent.name == "__pycache__":
            path = Path(source_from_cache(str(path)))
        # The SDK looks up the lines of who calls it, so this file too.
        if path.is_relative_to(TREE) and not path.is_relative_to(TREE / ".local") and path != OWN:
            self.paths.add(f"{path.relative_to(TREE).as_posix()}{end}")


def _by_import() -> bool:
    """Whether it is the import of a module that lists a folder, to find a file that it then opens."""
    return "importlib" in sys._getframe(2).f_code.co_filename


class Monitor(MockMonitor):
    """An engine that knows nothing yet: resources have no outputs, functions no answers.

    What is sent to it stays unread: bringing an output or a resource in it back to life outside the program's
    own thread is what the SDK's mocks at times never return from.
    """

    def __init__(self) -> None:
        """Without mocks: nobody asks them."""

    def SupportsFeature(self, request: Any) -> Any:
        """Everything that an engine of today does."""
        return resource_pb2.SupportsFeatureResponse(hasSupport=True)

    def RegisterResource(self, request: Any) -> Any:
        """Take a resource."""
        return resource_pb2.RegisterResourceResponse(urn=self._urn(request))

    def ReadResource(self, request: Any) -> Any:
        """Find a resource, such as another stack."""
        return resource_pb2.ReadResourceResponse(urn=self._urn(request))

    def Invoke(self, request: Any) -> Any:
        """Call a function."""
        return provider_pb2.InvokeResponse()

    def _urn(self, request: Any) -> str:
        urn: str = self.make_urn(request.parent, request.type, request.name)
        return urn


class Callbacks:
    """Takes transforms and hooks of resources, which only an engine calls, in place of the SDK's server."""

    def register_transform(self, transform: pulumi.ResourceTransform) -> callback_pb2.Callback:
        """Take a transform."""
        return callback_pb2.Callback()

    def register_resource_hook(self, hook: pulumi.ResourceHook) -> None:
        """Take a hook."""


def run_program(config: dict[str, str], project: str, stack: str) -> None:
    """Run `__main__.py` of the tree as in a preview of the stack. Raises whatever the program raises."""
    set_all_config(config)
    set_mocks(cast(Mocks, None), project=project, stack=stack, preview=True, monitor=Monitor())
    for feature in ("transforms", "resourceHooks"):
        SETTINGS.feature_support[feature] = True
    SETTINGS.callbacks = Callbacks()

    @pulumi.runtime.test  # type: ignore[untyped-decorator]
    def run() -> None:
        runpy.run_path("__main__.py", run_name="__main__")

    run()


def import_policies() -> None:
    """Import the modules of the policy pack, and what it imports: it judges every stack."""
    for module in pkgutil.walk_packages([POLICIES], f"{POLICIES}."):
        if not module.name.endswith("__main__"):
            importlib.import_module(module.name)


def stack_config(project: dict[str, Any], content: dict[str, Any]) -> dict[str, str]:
    """Configuration of a stack, as the engine gives it to the program; a secret is any text."""
    declarations = {
        name: declaration["default"]
        for name, declaration in (project.get("config") or {}).items()
        if isinstance(declaration, dict) and "default" in declaration
    }
    values = declarations | (content.get("config") or {})
    return dict(_texts(values))


def _texts(values: dict[str, Any]) -> Iterator[tuple[str, str]]:
    for name, value in values.items():
        yield name, value if isinstance(value, str) else json.dumps(value)


def main(stack: str) -> None:
    """Print what the preview of a stack reads."""
    reads = Reads()
    sys.addaudithook(reads)
    sys.path.insert(0, str(TREE))
    project = yaml.safe_load((TREE / "Pulumi.yaml").read_text())
    file = TREE / project.get("stackConfigDir", ".") / f"Pulumi.{stack}.yaml"
    config = stack_config(project, yaml.safe_load(file.read_text()))
    import_policies()
    run_program(config, project["name"], stack)
    # What the pack reads as it judges is not run here: all of its folder counts.
    pack = (path for path in (TREE / POLICIES).rglob("*") if path.is_file())
    reads.paths.update(READ_BY_THE_ENGINE, (path.relative_to(TREE).as_posix() for path in pack))
    json.dump(sorted(reads.paths), sys.stdout)


if __name__ == "__main__":
    main(sys.argv[1])
