"""A pull as a whole: the registry is reached, lets the machines read, and has the image for them."""

import fnmatch
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence

from aws_rules.images.docker_hub import docker_hub
from aws_rules.images.ecr import Registry, pull_from_ecr, requests, upstream
from aws_rules.images.machines import Machines, Request, Way
from aws_rules.images.reference import API_HOSTS, ECR, Reference
from aws_rules.images.registry_hosts import HOSTS
from aws_rules.rule import Rule, Unknown, Verdict, Violation

REGISTRY_REACH = Rule(
    name="registry-reach",
    authority="Registries",
    decides="whether a machine reaches the registry of an image from its subnet",
    source="https://docs.aws.amazon.com/AmazonECR/latest/userguide/vpc-endpoints.html",
)

IMAGE_PLATFORM = Rule(
    name="image-platform",
    authority="Registries",
    decides="whether an image exists for the architecture of the machines that pull it",
    source="https://github.com/opencontainers/image-spec/blob/main/image-index.md",
)

Architectures = Mapping[str, Sequence[str]]
"""Pattern of names of images -> architectures that they exist for; of several that fit, the longest one."""

FindRegistry = Callable[[str, str], Registry | None]
"""Account and region -> its registry of ECR; None where nothing is known of that account."""


def pull(
    name: str,
    machines: Machines,
    *,
    registry: FindRegistry,
    way: Way,
    architectures: Architectures,
    others: Iterable[Machines] = (),
) -> Iterator[Verdict]:
    """What refuses that machines pull an image; the first reason, as there is no second.

    name: as the pod has it.
    others: groups whose machines pull from Docker Hub too.
    """
    image = Reference.of(name)
    for verdicts in (
        _reach(image, machines, way),
        _registry(image, machines, registry, way, architectures),
        _platform(image, machines, registry, architectures),
        docker_hub(image, machines, others),
    ):
        for verdict in verdicts:
            yield verdict
            if isinstance(verdict, Violation):
                return


def _reach(image: Reference, machines: Machines, way: Way) -> Iterator[Verdict]:
    ecr = ECR.match(image.host) is not None
    hosts = HOSTS.get(image.host, (API_HOSTS.get(image.host, image.host),))
    calls = list(requests(image, machines)) if ecr else [Request(host=host) for host in hosts]
    for request in calls:
        for subnet in machines.subnets:
            if reason := way(subnet, request):
                yield Violation(
                    rule=REGISTRY_REACH,
                    resource=f"image {image} on {machines.name}",
                    code="ErrImagePull",
                    message=f'failed to pull and unpack image "{image}": failed to resolve reference '
                    f'"{image}": failed to do request: Head "{image.manifest_url}": {reason}',
                    remedy=f"give {subnet} a way to {request.host}: an endpoint whose policy and security "
                    "group let this through, or a route to a NAT gateway",
                )
                return


def _registry(
    image: Reference, machines: Machines, registry: FindRegistry, way: Way, architectures: Architectures
) -> Iterator[Verdict]:
    place = ECR.match(image.host)
    if place is None:
        return
    ecr = registry(place["account"], place["region"])
    if ecr is None:
        yield Unknown(
            rule=REGISTRY_REACH,
            resource=f"image {image}",
            lacks=f"the registry of account {place['account']}",
        )
        return
    # What is known by its own name is there; a copy is otherwise known by its original's.
    pushed = bool(_fitting(image, architectures))
    yield from pull_from_ecr(image, machines, ecr, way, pushed=pushed)


def _platform(
    image: Reference, machines: Machines, registry: FindRegistry, architectures: Architectures
) -> Iterator[Verdict]:
    platforms = exists_for(image, registry, architectures)
    if platforms is None:
        yield Unknown(rule=IMAGE_PLATFORM, resource=f"image {image}", lacks="its architectures")
    elif missing := [name for name in machines.architectures if name not in platforms]:
        yield Violation(
            rule=IMAGE_PLATFORM,
            resource=f"image {image} on {machines.name}",
            code="ErrImagePull",
            message=f'failed to pull and unpack image "{image}": no match for platform in manifest: not '
            "found",
            remedy=f"the image exists for {', '.join(sorted(platforms))} and not for {', '.join(missing)}: "
            "take one that does, or keep its pods off these machines with a node selector",
        )


def exists_for(
    image: Reference, registry: FindRegistry, architectures: Architectures
) -> Sequence[str] | None:
    """Architectures that an image exists for; None where that is not known.

    A copy, fetched by ECR or made in a mirror that keeps public names, exists for those of its original.
    """
    names = [image]
    if place := ECR.match(image.host):
        ecr = registry(place["account"], place["region"])
        original = upstream(image, ecr) if ecr else None
        names += [original] if original else []
    if original := _public_name(image):
        names.append(original)
    for candidate in names:
        if fitting := _fitting(candidate, architectures):
            return architectures[max(fitting, key=len)]
    return None


def _fitting(image: Reference, architectures: Architectures) -> list[str]:
    name = str(image).partition("@")[0]
    return [pattern for pattern in architectures if fnmatch.fnmatchcase(name, pattern)]


def _public_name(image: Reference) -> Reference | None:
    """`ghcr.io/x/y` of a mirror's `registry.example/path/ghcr.io/x/y`."""
    parts = image.repository.split("/")
    for at, part in enumerate(parts[:-1]):
        if "." in part:
            repository = "/".join(parts[at + 1 :])
            return Reference(host=part, repository=repository, tag=image.tag, digest=image.digest)
    return None
