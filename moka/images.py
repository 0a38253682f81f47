"""References of images, `<registry>/<repository>:<tag>@<digest>`, as distribution and ECR take them."""

import re
from typing import Annotated

from pydantic import AfterValidator

from moka.registries import ecr_host

COMPONENT = r"[a-z0-9]+(?:(?:\.|_|__|-+)[a-z0-9]+)*"
HOST = (
    r"(?:[a-zA-Z0-9](?:[a-zA-Z0-9-]*[a-zA-Z0-9])?)(?:\.[a-zA-Z0-9](?:[a-zA-Z0-9-]*[a-zA-Z0-9])?)*(?::[0-9]+)?"
)
TAG = re.compile(r"\w[\w.-]{0,127}", re.ASCII)
DIGEST = re.compile(r"sha256:[0-9a-f]{64}")
REFERENCE = re.compile(
    rf"(?:(?P<registry>{HOST})/)??(?P<repository>{COMPONENT}(?:/{COMPONENT})*)"
    rf"(?::(?P<tag>{TAG.pattern}))?(?:@(?P<digest>{DIGEST.pattern}))?",
    re.ASCII,
)
"""Grammar of a reference (distribution/reference: reference.go), with the one kind of digest in use."""

REGISTRY_PATH = re.compile(rf"{HOST}(?:/{COMPONENT})*", re.ASCII)

MAX_NAME_LENGTH = 255
"""Characters of host and repository (distribution/reference: reference.go, NameTotalLengthMax)."""

MAX_PORT = 65535

DOCKER_HUB = ("docker.io", "index.docker.io", "registry-1.docker.io")

OWN_MACHINE = re.compile(r"localhost(:.*)?|127\..*")
"""Hosts that are each machine's own."""

ECR_NAME = r"[a-z0-9]+([._-][a-z0-9]+)*(/[a-z0-9]+([._-][a-z0-9]+)*)*"
ECR_REPOSITORY = re.compile(rf"(?=.{{2,256}}$){ECR_NAME}")
"""Name of a repository of ECR (API CreateRepository, `repositoryName`)."""


def registry_of(reference: str) -> str | None:
    """Host of the registry in a reference; None where it is Docker Hub's."""
    first, slash, _ = reference.partition("/")
    return first if slash and (re.search(r"[.:]", first) or first == "localhost") else None


def check_image(reference: str) -> str:
    """The reference, if it says which image runs. Raises ValueError with what is wrong."""
    name, _, digest = reference.partition("@")
    if digest and not DIGEST.fullmatch(digest):
        raise ValueError("its digest must be sha256: and 64 hexadecimal digits; copy it from the registry")
    if "://" in reference:
        raise ValueError("an image has no scheme; write <registry>/<repository>:<tag>")
    match = REFERENCE.fullmatch(reference)
    if match is None:
        raise ValueError("write <registry>/<repository>:<tag>, the repository in lower case")
    if not match["tag"] and not digest:
        raise ValueError("without a tag or digest, nobody can say which image runs; add one")
    if match["tag"] == "latest" and not digest:
        raise ValueError("latest is another image every day; write the tag of a release, or add a digest")
    if host := registry_of(name):
        _check_host(host)
        repository = name.removeprefix(f"{host}/").removesuffix(f":{match['tag']}")
        if ecr_host(host) and not ECR_REPOSITORY.fullmatch(repository):
            raise ValueError(
                "ECR has no such repository: names there have two characters or more, and one dot, dash, "
                "underscore or slash between letters and digits; copy the name"
            )
    if len(name.removesuffix(f":{match['tag']}")) > MAX_NAME_LENGTH:
        raise ValueError(f"has a name of more than {MAX_NAME_LENGTH} characters; shorten the repository's")
    return reference


def _check_host(host: str) -> None:
    """Raises ValueError when no registry can have that host."""
    port = host.partition(":")[2]
    if not re.fullmatch(HOST, host) or int(port or 0) > MAX_PORT:
        raise ValueError(f"{host} is no host of a registry; write one such as registry.example:5000")


def check_own_image(reference: str) -> str:
    """The reference, if it also names a registry. Raises ValueError with what is wrong."""
    if "/" not in reference:
        raise ValueError("write <registry>/<repository>:<tag>")
    check_image(reference)
    host = registry_of(reference)
    if host is None:
        raise ValueError("has no registry before the repository; write <registry>/<repository>:<tag>")
    if OWN_MACHINE.fullmatch(host):
        raise ValueError(f"{host} is each node itself, where no registry is; name one that all nodes reach")
    return reference


def check_registry_path(path: str) -> str:
    """Host of a registry with a path, if charts and images can be under it. Raises ValueError otherwise."""
    if not REGISTRY_PATH.fullmatch(path):
        raise ValueError(
            "write host and path of a registry, as in registry.example/mirror, without scheme, tag or final "
            "slash"
        )
    host = registry_of(f"{path}/")
    if host is None:
        raise ValueError(
            "would be a user of Docker Hub, as it has neither a dot nor a port; write the host of a "
            "registry, such as registry.example"
        )
    _check_host(host)
    if host in DOCKER_HUB:
        raise ValueError(
            "Docker Hub has no repositories deeper than <user>/<name>, as a mirror needs; name a registry of "
            "your own"
        )
    if OWN_MACHINE.fullmatch(host):
        raise ValueError(f"{host} is each node itself, where no registry is; name one that all nodes reach")
    ecr_host(host)
    return path


Image = Annotated[str, AfterValidator(check_image)]
"""An image, with tag or digest."""

OwnImage = Annotated[str, AfterValidator(check_own_image)]
"""An image of one's own: with registry, and tag or digest."""

RegistryPath = Annotated[str, AfterValidator(check_registry_path)]
"""Host of a registry, and a path in it."""
