"""Registries of images, asked over HTTP without an account: which architectures an image exists for."""

import json
import re
from collections.abc import Mapping
from dataclasses import dataclass, field
from ipaddress import ip_address
from typing import Any
from urllib.request import getproxies, proxy_bypass

import urllib3

INDEX_TYPES = (
    "application/vnd.oci.image.index.v1+json",
    "application/vnd.docker.distribution.manifest.list.v2+json",
)
MANIFEST_TYPES = (
    "application/vnd.oci.image.manifest.v1+json",
    "application/vnd.docker.distribution.manifest.v2+json",
)
API_HOSTS = {"docker.io": "registry-1.docker.io"}
"""Registries whose API is not where their name says."""

TIMEOUT_SECONDS = urllib3.Timeout(connect=5, read=20)


class ImageNotFound(Exception):
    """The registry has no image of that name and tag."""


class Unreachable(Exception):
    """The registry gave no answer; the message says why, without a full stop."""


@dataclass(frozen=True)
class Reference:
    """The name of an image: `host/repository:tag`, with a digest or without.

    version: digest where there is one, as that is what is pulled, else the tag.
    """

    host: str
    repository: str
    version: str

    @classmethod
    def of(cls, text: str) -> "Reference":
        """Read `docker.io/apache/spark:4.1.2` and the like."""
        name, _, digest = text.partition("@")
        host, _, path = name.partition("/")
        repository, _, tag = path.partition(":")
        return cls(host, repository, digest or tag)


@dataclass(frozen=True)
class PublicRegistries:
    """Registries on the internet; those on a loopback address are asked over plain HTTP, as Docker does."""

    _tokens: dict[tuple[str, str], str] = field(default_factory=dict)

    def architectures(self, image: Reference) -> set[str]:
        """Architectures that an image exists for. Raises ImageNotFound, Unreachable."""
        manifest = self._get(image, f"manifests/{image.version}")
        return architectures(manifest, lambda digest: self._get(image, f"blobs/{digest}"))

    def _get(self, image: Reference, path: str) -> dict[str, Any]:
        host = API_HOSTS.get(image.host, image.host)
        url = f"{_scheme(host)}://{host}/v2/{image.repository}/{path}"
        response = self._request(url, self._tokens.get((image.host, image.repository)))
        if response.status == 401:
            token = self._token(response.headers.get("WWW-Authenticate", ""), image)
            response = self._request(url, token)
        if response.status == 404:
            raise ImageNotFound
        if response.status != 200:
            raise Unreachable(f"{image.host} answers with HTTP status {response.status}")
        return _parse(response.data, image.host)

    def _token(self, challenge: str, image: Reference) -> str:
        """The token that anybody gets, for pulling one repository."""
        fields = dict(re.findall(r'(\w+)="([^"]*)"', challenge))
        if "realm" not in fields:
            raise Unreachable(f"{image.host} requires an account")
        scope = fields.get("scope", f"repository:{image.repository}:pull")
        query = {"service": fields.get("service", image.host), "scope": scope}
        response = self._request(fields["realm"], None, query)
        if response.status != 200:
            raise Unreachable(f"{image.host} requires an account")
        answer = _parse(response.data, image.host)
        token = str(answer.get("token") or answer.get("access_token") or "")
        self._tokens[image.host, image.repository] = token
        return token

    def _request(
        self, url: str, token: str | None, fields: Mapping[str, str] | None = None
    ) -> urllib3.BaseHTTPResponse:
        headers = {"Accept": ", ".join((*INDEX_TYPES, *MANIFEST_TYPES))}
        if token:
            headers["Authorization"] = f"Bearer {token}"
        host = urllib3.util.parse_url(url).host or ""
        try:
            return _pool(host).request(
                "GET",
                url,
                fields=dict(fields) if fields else None,
                headers=headers,
                timeout=TIMEOUT_SECONDS,
                retries=urllib3.Retry(connect=0, read=0, redirect=5, status=0),
            )
        except urllib3.exceptions.HTTPError as error:
            reason = getattr(error, "reason", None) or error
            sentence = " ".join(str(reason).split()).rpartition(": ")[2].rstrip(".")
            raise Unreachable(f"{host} cannot be reached from here ({sentence})") from None


def architectures(manifest: Mapping[str, Any], blob: Any) -> set[str]:
    """Linux architectures of a manifest, or of those that an index lists.

    blob: digest -> JSON of that blob; called for a single image, whose configuration has its architecture.
    """
    if "manifests" in manifest:
        platforms = [entry.get("platform", {}) for entry in manifest["manifests"]]
    else:
        platforms = [blob(manifest["config"]["digest"])]
    return {
        platform["architecture"]
        for platform in platforms
        if platform.get("os", "linux") == "linux" and "architecture" in platform
    }


def _parse(data: bytes, host: str) -> dict[str, Any]:
    try:
        answer: dict[str, Any] = json.loads(data)
    except ValueError:
        raise Unreachable(f"{host} answers with something that is no registry's answer") from None
    return answer


def _pool(host: str) -> urllib3.PoolManager:
    proxy = getproxies().get("https")
    if proxy and not _loopback(host) and not proxy_bypass(host):
        return urllib3.ProxyManager(proxy)
    return urllib3.PoolManager()


def _scheme(host: str) -> str:
    return "http" if _loopback(host.partition(":")[0]) else "https"


def _loopback(name: str) -> bool:
    try:
        return ip_address(name).is_loopback
    except ValueError:
        return name == "localhost"
