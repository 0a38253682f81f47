"""What an environment has come to on the laptop, without what is another each time: to compare two."""

import json
import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import Any

from localcloud.control_plane import ControlPlane
from localcloud.control_plane.api import Api
from localcloud.engine import Engine
from moka.names import RETIRING_TAINT, YUNIKORN_CONFIGS
from tests.support.aws_clients import aws_clients

Deployed = dict[str, Any]
"""Name of a thing -> what it says."""

CHANCE = (
    (r"(eks-cluster-sg-[\w-]+?)-\d{6,}\b", r"\1-<number>"),
    (r"https?://127\.0\.0\.1:\d+", "<address>"),
    (r"\b(vpc|subnet|sg|sgr|rtb|rtbassoc|igw|nat|eipalloc|eipassoc|eni|lt|fl|vpce|acl|a|tgw-attach|vpc-cidr-assoc)"
     r"-[0-9a-f]{8,17}\b", r"<\1>"),
    (r"\b[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}\b", "<uuid>"),
    (r"-[0-9a-f]{7,8}\b", "-<letters>"),
    (r"\b[A-Z0-9]{32}\b", "<oidc>"),
    (r"LS0tLS1CRUdJTi[A-Za-z0-9+/=]+", "<certificate>"),
    (r"-----BEGIN CERTIFICATE-----[^-]+-----END CERTIFICATE-----", "<certificate>"),
    (r"\b172\.20\.\d+\.\d+\b", "<address of a Service>"),
    (r"\b20\d\d-\d\d-\d\dT[\d:.]+(Z|\+00:00)", "<time>"),
    (r"(:secret:rds!cluster-<uuid>)-\w{6}\b", r"\1-<letters>"),
    (r":cluster-[A-Z0-9]{26}\b", ":cluster-<id>"),
    (r"\.cluster-(ro-)?[a-z0-9]{12}\.", r".cluster-\1<letters>."),
    # Of a ConfigMap, which is compared itself.
    (r"\b[0-9a-f]{64}\b", "<checksum>"),
)  # fmt: skip
"""What ids, addresses and names have by chance, or of the cloud that they are in -> what stands for it."""

OF_THE_RUN = {
    "aws:ec2/launchTemplate:LaunchTemplate": {
        "tagSpecifications",  # of new groups only: others would replace machines
    },
    "aws:eks/nodeGroup:NodeGroup": {
        "launchTemplate.version",  # counts the changes
        "scalingConfig.desiredSize",  # is the autoscaler's after the first up
    },
}
"""Type -> inputs that say how an environment came to be as it is."""

RETIRING = {"aws:ec2/launchTemplate:LaunchTemplate"}
"""Types of which one that belongs to a retiring generation stays as it was when that began."""

BACKUPS = (":cluster-snapshot:rds:", ":snapshot:rds:")
"""What AWS makes of a database by itself, with its time in the name and the tags of that time."""

NOT_DEPLOYED = {
    "apiservices", "controllerrevisions", "csinodes", "endpoints", "endpointslices", "events", "flowschemas",
    "ipaddresses", "leases", "nodes", "persistentvolumes", "pods", "prioritylevelconfigurations",
    "replicasets", "secrets",
}  # fmt: skip
"""Kinds that controllers make of what was deployed, or the API server by itself.

How many nodes there are is the autoscaler's; a group that retires in a first `up` has none.
"""


OF_THE_CLOUD = {"default/kubernetes", "kube-system/localcloud-image-pulls"}
"""Objects of the laptop cloud's own, or of its API server."""

OF_THE_HOUR = {"binaryData"}
"""Fields of YuniKorn's ConfigMap in which the keeper has what a schedule leaves now, seconds after `up`."""

OF_CONTROLLERS = (
    "deprecated.daemonset.template.generation",
    "deployment.kubernetes.io/revision",
    "volume.kubernetes.io/selected-node",
)
"""Annotations that controllers write."""


def deployed(engine: Engine, stacks: Sequence[str]) -> Deployed:
    """All that stacks have: resources in their states, objects in clusters, and what AWS shows of it."""
    home = str(engine.cloud.home)
    things = dict([*_resources(engine, stacks), *_objects(engine), *_tagged(engine)])
    return {_plain(name, home): _plain(thing, home) for name, thing in things.items()}


def differences(one: Deployed, other: Deployed) -> list[str]:
    """A line for each thing that two have not in common."""
    return [
        f"{name}: {_difference(one.get(name), other.get(name))}"
        for name in sorted({*one, *other})
        if one.get(name) != other.get(name)
    ]


def _difference(one: Any, other: Any) -> str:
    if isinstance(one, Mapping) and isinstance(other, Mapping):
        return "; ".join(
            f"{key}: {_difference(one.get(key), other.get(key))}"
            for key in sorted({*one, *other})
            if one.get(key) != other.get(key)
        )
    return " and ".join(
        "nothing" if it is None else json.dumps(it, sort_keys=True)[:2000] for it in (one, other)
    )


def _resources(engine: Engine, stacks: Sequence[str]) -> Iterator[tuple[str, Any]]:
    for stack in stacks:
        resources = engine.resources(stack)
        retiring = {resource.name for resource in resources if _retires(resource.inputs)}
        for resource in resources:
            if resource.type in RETIRING and resource.name in retiring:
                continue
            yield resource.urn, _without(dict(resource.inputs), OF_THE_RUN.get(resource.type, ()))


def _retires(inputs: Mapping[str, Any]) -> bool:
    return any(taint.get("key") == RETIRING_TAINT for taint in inputs.get("taints") or [])


def _objects(engine: Engine) -> Iterator[tuple[str, Any]]:
    for plane in ControlPlane.all(engine.cloud):
        api = plane.api()
        for version in _versions(api):
            for kind in (api.get(version) or {})["resources"]:
                if kind["name"] in NOT_DEPLOYED or "/" in kind["name"] or "list" not in kind["verbs"]:
                    continue
                for thing in api.list(f"{version}/{kind['name']}"):
                    at = f"{thing['metadata'].get('namespace', '')}/{thing['metadata']['name']}"
                    if at in OF_THE_CLOUD:
                        continue
                    now = OF_THE_HOUR if thing["metadata"]["name"] == YUNIKORN_CONFIGS else set()
                    yield f"{plane.name}: {kind['name']} {at}", _without(_wanted(thing), now)


def _versions(api: Api) -> list[str]:
    groups = (api.get("/apis") or {})["groups"]
    return ["/api/v1", *(f"/apis/{group['preferredVersion']['groupVersion']}" for group in groups)]


def _wanted(thing: dict[str, Any]) -> dict[str, Any]:
    """An object without what the API server and controllers wrote into it."""
    metadata = {key: thing["metadata"].get(key) for key in ("labels", "finalizers")}
    annotations = thing["metadata"].get("annotations") or {}
    said = {key: value for key, value in thing.items() if key not in ("metadata", "status")}
    ours = {key: value for key, value in annotations.items() if key not in OF_CONTROLLERS}
    return {**metadata, "annotations": ours, **said}


def _tagged(engine: Engine) -> Iterator[tuple[str, Any]]:
    """What AWS shows that has tags: how many of each name, and what the tags are."""
    client = aws_clients(engine.cloud)
    deleted = set(_deleted_keys(client("kms")))
    found: dict[str, list[Any]] = {}
    for page in client("resourcegroupstaggingapi").get_paginator("get_resources").paginate():
        for thing in page["ResourceTagMappingList"]:
            arn = thing["ResourceARN"]
            if arn in deleted or any(part in arn for part in BACKUPS):
                continue
            name = _plain(arn, str(engine.cloud.home))
            tags = {tag["Key"]: tag["Value"] for tag in thing["Tags"]}
            found.setdefault(name, []).append(tags)
    for name, tags in found.items():
        yield f"AWS: {name}", sorted(tags, key=lambda one: json.dumps(one, sort_keys=True))


def _deleted_keys(kms: Any) -> Iterator[str]:
    """ARNs of keys that AWS keeps for the days in which their deletion can be taken back."""
    for page in kms.get_paginator("list_keys").paginate():
        for key in page["Keys"]:
            if kms.describe_key(KeyId=key["KeyId"])["KeyMetadata"]["KeyState"] == "PendingDeletion":
                yield key["KeyArn"]


def _without(thing: dict[str, Any], paths: Iterable[str]) -> dict[str, Any]:
    thing = json.loads(json.dumps(thing))
    for path in paths:
        *outer, last = path.split(".")
        here = thing
        for key in outer:
            here = here.get(key) or {}
        here.pop(last, None)
    return thing


def _plain(thing: Any, home: str) -> Any:
    """Without what chance gave it."""
    if isinstance(thing, str):
        thing = thing.replace(home, "<cloud>")
        for pattern, stands in CHANCE:
            thing = re.sub(pattern, stands, thing)
        return thing
    if isinstance(thing, Mapping):
        return {_plain(key, home): _plain(value, home) for key, value in thing.items()}
    if isinstance(thing, list):
        return [_plain(item, home) for item in thing]
    return thing
