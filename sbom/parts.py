"""Parts of a bill of materials: packages of Python, charts, images, and what a Dockerfile adds to its base.

Names are package URLs: https://github.com/package-url/purl-spec/blob/main/types-doc/index.md
"""

import re
from collections.abc import Iterator, Mapping
from pathlib import Path

from cyclonedx.model import ExternalReference, ExternalReferenceType, HashAlgorithm, HashType, XsUri
from cyclonedx.model.component import Component, ComponentType
from packageurl import PackageURL
from pip_requirements_parser import RequirementsFile

from moka.catalog import Catalog
from moka.images import REFERENCE, registry_of

PYPI = "https://pypi.org/simple/{name}/"

JAR = re.compile(r"(?P<group>\S+)/(?P<artifact>[^/\s]+)/(?P<version>[^/\s]+)/(?P=artifact)-(?P=version)\.jar")
"""A jar by its path in a repository of Maven's layout (maven.apache.org/repository/layout.html)."""

UNPINNED = ("https://truststore.pki.rds.amazonaws.com/global/global-bundle.pem",)
"""Files that images add without a sum: AWS adds the authorities of new regions to those of its databases
(https://docs.aws.amazon.com/AmazonRDS/latest/AuroraUserGuide/UsingWithRDS.SSL.html)."""


def python_packages(requirements: Path) -> Iterator[Component]:
    """The packages that a file of requirements pins.

    A hash is of one of a package's files, of which pip takes one for the machine, so they stand at where all
    of them are found, as cyclonedx-py writes them.
    """
    for requirement in RequirementsFile.from_file(str(requirements), include_nested=True).requirements:
        hashes = [
            HashType(alg=HashAlgorithm.SHA_256, content=option.partition(":")[2])
            for option in requirement.hash_options or ()
        ]
        files = ExternalReference(
            type=ExternalReferenceType.DISTRIBUTION,
            url=XsUri(PYPI.format(name=requirement.name)),
            hashes=hashes,
        )
        yield _part(
            ComponentType.LIBRARY,
            PackageURL("pypi", None, requirement.name.lower(), requirement.get_pinned_version),
            external_references=[files],
        )


def charts(catalog: Catalog) -> Iterator[Component]:
    """The charts of a catalog; the hash is of the published package, where it is known."""
    for chart in catalog.charts.values():
        yield _part(
            ComponentType.APPLICATION,
            PackageURL("helm", None, chart.name, chart.version, {"repository_url": chart.repository}),
            hashes=_sha256(chart.digest),
        )


def images(catalog: Catalog) -> Iterator[Component]:
    """The images that a catalog's charts run, and those that pods of ours name, each once."""
    pulled = {reference for chart in catalog.charts.values() for reference in chart.pulls}
    for reference in sorted(pulled | {image.reference for image in catalog.images.values()}):
        yield image(reference)


def image(reference: str) -> Component:
    """An image by its public reference; the hash is its digest, where the reference has it.

    Raises ValueError where it is no reference.
    """
    match = REFERENCE.fullmatch(reference)
    if match is None:
        raise ValueError(f"{reference} names no image: write <registry>/<repository>:<tag>")
    host = registry_of(reference)
    namespace, _, name = match["repository"].removeprefix(f"{host}/").rpartition("/")
    place = {"repository_url": host} if host else {}
    return _part(
        ComponentType.CONTAINER,
        PackageURL("docker", namespace or None, name, match["tag"] or match["digest"], place),
        hashes=_sha256(match["digest"]),
    )


def of_dockerfile(text: str, requirements: Path) -> Iterator[Component]:
    """What an image is made of: its base, jars that are added by their sum, and packages if it installs any.

    text: of the Dockerfile. requirements: what `RUN pip install` installs there.
    Raises ValueError where it adds what is no jar with a sum.
    """
    variables: dict[str, str] = {}
    for instruction, value in _instructions(text):
        if instruction == "ARG":
            name, _, default = value.partition("=")
            variables[name] = default
        elif instruction == "FROM":
            yield image(_filled_in(value, variables))
        elif instruction == "ADD":
            yield _file(value)
        elif instruction == "RUN" and "pip install" in value:
            yield from python_packages(requirements)


def _instructions(text: str) -> Iterator[tuple[str, str]]:
    """Instructions of a Dockerfile with their arguments, continued lines as one."""
    lines = [line for line in text.splitlines() if not line.lstrip().startswith("#")]
    for line in "\n".join(lines).replace("\\\n", " ").splitlines():
        instruction, _, value = line.strip().partition(" ")
        if instruction:
            yield instruction.upper(), value.strip()


def _filled_in(value: str, variables: Mapping[str, str]) -> str:
    return re.sub(r"\$\{?(\w+)\}?", lambda match: variables.get(match[1], match[0]), value)


def _file(value: str) -> Component:
    """What an ADD brings: a jar with its sum, or one of those that have none."""
    for url in UNPINNED:
        if url in value.split():
            return _part(
                ComponentType.DATA,
                PackageURL("generic", None, url.rpartition("/")[2], None, {"download_url": url}),
            )
    return _jar(value)


def _jar(value: str) -> Component:
    path = JAR.search(value.replace("$MAVEN/", ""))
    sum_ = re.search(r"--checksum=(sha256:[0-9a-f]{64})", value)
    if path is None or sum_ is None:
        raise ValueError(f"`ADD {value}` adds what is no jar of Maven's with its --checksum: name one")
    return _part(
        ComponentType.LIBRARY,
        PackageURL("maven", path["group"].replace("/", "."), path["artifact"], path["version"]),
        hashes=_sha256(sum_[1]),
    )


def _part(kind: ComponentType, purl: PackageURL, **properties: object) -> Component:
    return Component(
        type=kind,
        group=purl.namespace,
        name=purl.name,
        version=purl.version,
        purl=purl,
        bom_ref=purl.to_string(),
        **properties,  # type: ignore[arg-type]
    )


def _sha256(digest: str | None) -> list[HashType]:
    return [HashType(alg=HashAlgorithm.SHA_256, content=digest.partition(":")[2])] if digest else []
