"""What an `up` would create, as a preview has it: an update may have made it that recorded nothing of it.

The engine takes what a plugin was making for not made when the plugin dies, so nothing is pending then
(`SnapshotManager` in pkg/backend/snapshot.go of github.com/pulumi/pulumi).
"""

import json
from collections.abc import Iterator, Mapping
from typing import Any

from recovery.state import CREATING, Operation, State, resources_of

UNKNOWN = "04da6b54-80e4-46f7-96ec-b56ff0331ba9"
"""A value that is not known yet: `UnknownStringValue` in pulumi's sdk/go/common/resource/plugin/rpc.go."""

SECRET = "4dabf18193072939515e22adb298388d"
"""Key of what is no plain value, such as a secret: `SigKey` in sdk/go/common/resource/sig."""


def creations(preview: Mapping[str, Any], state: State) -> Iterator[Operation]:
    """What a preview would create, and the state could take: what it is part of is recorded.

    preview: what `pulumi preview --json` prints. What has an input that is not known yet is left out, until
    that is recorded which it comes of; so is what has a secret among its inputs, as a preview has none.
    """
    recorded = {resource["urn"] for resource in resources_of(state)}
    for step in preview.get("steps") or []:
        resource = step.get("newState") or {}
        needed = {resource.get("parent"), str(resource.get("provider", "")).rpartition("::")[0]} - {None, ""}
        if step["op"] != "create" or not resource.get("custom") or not needed <= recorded:
            continue
        inputs = json.dumps(resource.get("inputs") or {})
        if UNKNOWN in inputs or SECRET in inputs:
            continue
        dependencies = [urn for urn in resource.get("dependencies") or [] if urn in recorded]
        kept = {
            name: value for name, value in resource.items() if name not in ("outputs", "propertyDependencies")
        }
        yield Operation(CREATING, {**kept, "dependencies": dependencies})
