"""Every environment as a preview has it, rendered in process, after `moka bootstrap` of its accounts."""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import Any

import yaml

from accounts.names import AccountNames
from stacks import program, settings, slices
from stacks.settings import Environment
from tests.support.recorder import COMPONENT_OUTPUTS, FUNCTIONS, Place, Recorder, deploy

EXAMPLE = Path(__file__).resolve().parents[2] / "examples" / "two-accounts.yaml"

FILES: Mapping[str, Path] = {
    **{
        path.stem: path
        for path in sorted(settings.path_of("local").parent.glob("*.yaml"))
        if not path.stem.startswith("Pulumi")
    },
    "world": EXAMPLE,
}
"""Environment -> its settings file: all of them, and the example of two accounts."""


@dataclass(frozen=True)
class Resource:
    """A resource of AWS in a preview."""

    type: str
    name: str
    inputs: Mapping[str, Any]
    outputs: Mapping[str, Any]
    account: str
    region: str


@dataclass(frozen=True)
class Preview:
    """An environment, and all of AWS that it has.

    functions: tokens of functions that it asks. types: of all resources, those of Kubernetes too.
    """

    settings: Environment
    resources: tuple[Resource, ...]
    functions: frozenset[str]
    types: frozenset[str]

    def of(self, account: str) -> Iterator[Resource]:
        """The resources of an account."""
        return (resource for resource in self.resources if resource.account == account)


@cache
def preview(name: str) -> Preview:
    """The preview of an environment whose settings have what its bootstrap says."""
    return preview_of(bootstrapped(name))


def preview_of(environment: Environment, *layers: str) -> Preview:
    """The preview of an environment, or of some layers of it."""
    recorder, functions = _deploy(environment, layers)
    resources = tuple(_resources(environment, recorder))
    return Preview(environment, resources, functions, frozenset(recorder.types()))


@cache
def bootstrapped(name: str) -> Environment:
    """Settings of an environment, whole, with the boundaries that its bootstrap made."""
    return bounded(FILES[name].read_text(), name)


def bounded(file: str | bytes, name: str) -> Environment:
    """The same of the text of a settings file."""
    text = yaml.safe_load(file) | {"slices": {}, "waves": {}}
    before = settings.parse(yaml.safe_dump(text), name)
    for foundation in text["foundations"].values():
        names = AccountNames(before, foundation["account"])
        foundation["permissions_boundary"] = names.workload_boundary
    return settings.parse(yaml.safe_dump(text), name)


def _deploy(environment: Environment, layers: Sequence[str]) -> tuple[Recorder, frozenset[str]]:
    functions = set[str]()
    units = frozenset(unit for unit in slices.units(environment) if not layers or unit.layer in layers)
    call = Recorder.call

    def noted(self: Recorder, args: Any) -> dict[str, Any]:
        functions.add(args.token)
        return call(self, args)

    Recorder.call = noted  # type: ignore[method-assign]
    try:
        recorder = deploy(lambda: program.deploy(environment, slices.Slice(environment.environment, units)))
    finally:
        Recorder.call = call  # type: ignore[method-assign]
    return recorder, frozenset(functions - FUNCTIONS.keys())


def _resources(environment: Environment, recorder: Recorder) -> Iterator[Resource]:
    """What is registered of AWS, and what remote components make of AWS."""
    for resource in recorder.resources:
        if resource.type.startswith("aws:"):
            place = resource.place
            types: Iterable[str] = [resource.type]
        else:
            # A component has several providers, so its name tells where it is.
            place = _place(environment, resource.name)
            types = COMPONENT_OUTPUTS.get(resource.type, {}).values()
        for type in types:
            yield Resource(
                type, resource.name, resource.inputs, resource.outputs, place.account, place.region
            )


def _place(environment: Environment, name: str) -> Place:
    """Where the cluster is that a logical name begins with; the default place where none is."""
    for cluster in sorted(environment.clusters, key=len, reverse=True):
        if name == cluster or name.startswith(f"{cluster}-"):
            foundation = environment.foundation_of(cluster)
            return Place(foundation.account, foundation.region)
    return Place()
