"""Names of images, as containerd reads them."""

import re
from dataclasses import dataclass

DOCKER_HUB = "docker.io"

ECR = re.compile(
    r"^(?P<account>\d{12})\.dkr[.-]ecr(-fips)?\.(?P<region>[a-z0-9-]+)\.(?P<domain>amazonaws\.(com(\.cn)?|eu)|on\.aws)$"
)
"""Host of a registry of ECR."""


@dataclass(frozen=True, kw_only=True)
class Reference:
    """The name of an image.

    host: of the registry, `docker.io` where the name has none.
    repository: path of the image there; of Docker Hub's own images `library/<name>`.
    tag: `latest` where the name has neither tag nor digest; empty where it only has a digest.
    digest: `sha256:...`, or empty.
    """

    host: str
    repository: str
    tag: str
    digest: str = ""

    @classmethod
    def of(cls, name: str) -> "Reference":
        """Read `apache/spark:4.1.2`, `ghcr.io/x/y@sha256:...` and the like.

        Source: github.com/distribution/reference, normalize.go.
        """
        body, _, digest = name.partition("@")
        head, slash, rest = body.partition("/")
        first_is_host = bool(slash) and (bool({".", ":"} & set(head)) or head == "localhost")
        host, path = (head, rest) if first_is_host else (DOCKER_HUB, body)
        repository, colon, tag = path.rpartition(":")
        if not colon:
            repository, tag = path, "" if digest else "latest"
        if host == "index.docker.io":
            host = DOCKER_HUB
        if host == DOCKER_HUB and "/" not in repository:
            repository = f"library/{repository}"
        return cls(host=host, repository=repository, tag=tag, digest=digest)

    @property
    def name(self) -> str:
        """Without tag and digest."""
        return f"{self.host}/{self.repository}"

    @property
    def version(self) -> str:
        """What the registry is asked for: the digest where there is one, else the tag."""
        return self.digest or self.tag

    @property
    def manifest_url(self) -> str:
        """Where containerd asks for it."""
        return f"https://{API_HOSTS.get(self.host, self.host)}/v2/{self.repository}/manifests/{self.version}"

    def __str__(self) -> str:
        tag = f":{self.tag}" if self.tag else ""
        return f"{self.name}{tag}" + (f"@{self.digest}" if self.digest else "")


API_HOSTS = {DOCKER_HUB: "registry-1.docker.io"}
"""Registries whose API is not where their name says."""
