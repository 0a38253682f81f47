"""What an `up` would create, as a preview has it: an update may have made it that recorded nothing of it.

The engine takes what a plugin was making for not made when the plugin dies, so nothing is pending then
(`SnapshotManager` in pkg/backend/snapshot.go of github.com/pulumi/pulumi).
"""

import json
from collections.abc import Container, Iterator, Mapping
from typing import Any
from uuid import uuid4

from moka.pulumi_cli import State
from recovery.state import CREATING, Operation, Resource, resources_of

UNKNOWN = "04da6b54-80e4-46f7-96ec-b56ff0331ba9"
"""A value that is not known yet: `UnknownStringValue` in pulumi's sdk/go/common/resource/plugin/rpc.go."""

PROVIDERS = "pulumi:providers:"

SECRET = "4dabf18193072939515e22adb298388d"
"""Key of what is no plain value, such as a secret: `SigKey` in sdk/go/common/resource/sig."""


def frame(preview: Mapping[str, Any], state: State) -> Iterator[Operation]:
    """What a preview would create that is in the state only: the stack, components and providers.

    What has an input that is not known yet, or a secret, is left out, as in `creations`.
    """
    urns = {resource["urn"] for resource in resources_of(state)}
    for step in preview.get("steps") or []:
        resource = step.get("newState") or {}
        outside = resource.get("custom") and not str(resource.get("type")).startswith(PROVIDERS)
        if (
            step["op"] != "create"
            or outside
            or not _dependencies(resource) <= urns
            or not _is_known(resource)
        ):
            continue
        urns.add(resource["urn"])
        # The engine gives a provider an id of no meaning (pkg/resource/deploy/providers/registry.go).
        of_provider = {"id": str(uuid4()), "outputs": resource.get("inputs") or {}}
        yield Operation(CREATING, _entry(resource, urns) | (of_provider if resource.get("custom") else {}))


def creations(preview: Mapping[str, Any], state: State) -> Iterator[Operation]:
    """What a preview would create, and the state could take: what it is part of is recorded.

    preview: what `pulumi preview --json` prints. What has an input that is not known yet is left out, until
    that is recorded which it comes of; so is what has a secret among its inputs, as a preview has none.
    """
    urns = {resource["urn"] for resource in resources_of(state)}
    for step in preview.get("steps") or []:
        resource = step.get("newState") or {}
        if step["op"] != "create" or not resource.get("custom"):
            continue
        if _dependencies(resource) <= urns and _is_known(resource):
            yield Operation(CREATING, _entry(resource, urns))


def _dependencies(resource: Resource) -> set[str]:
    provider = str(resource.get("provider", "")).rpartition("::")[0]
    return {str(urn) for urn in (resource.get("parent"), resource.get("deletedWith"), provider) if urn}


def _is_known(resource: Resource) -> bool:
    inputs = json.dumps(resource.get("inputs") or {})
    return UNKNOWN not in inputs and SECRET not in inputs


def _entry(resource: Resource, urns: Container[str]) -> Resource:
    entry = {
        name: value for name, value in resource.items() if name not in ("outputs", "propertyDependencies")
    }
    dependencies = [urn for urn in resource.get("dependencies") or [] if urn in urns]
    return {**entry, "dependencies": dependencies}
