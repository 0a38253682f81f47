"""Bills of materials as documents: the platform's, and one of each image of ours."""

from collections.abc import Iterable
from datetime import datetime
from pathlib import Path
from uuid import NAMESPACE_URL, uuid5

from cyclonedx.model.bom import Bom, BomMetaData
from cyclonedx.model.component import Component, ComponentType
from cyclonedx.output.json import JsonV1Dot6
from packageurl import PackageURL

from moka.catalog import Catalog
from sbom import parts

PLATFORM = "platform"


def documents(root: Path, catalog: Catalog, version: str, made: datetime) -> dict[str, str]:
    """The bills of a repository: name of the file -> its text, in CycloneDX 1.6.

    `platform.cdx.json` has the Python packages that deploy, charts, and public images; `<image>.cdx.json`
    what the Dockerfile of an image of ours says it holds. The same input gives the same text.

    root: of the repository. version: the project's. made: when, as the bills say it.
    Raises ValueError where a Dockerfile adds what nobody can name.
    """
    platform = [
        *parts.python_packages(root / "requirements.txt"),
        *parts.charts(catalog),
        *parts.images(catalog),
    ]
    bills = {PLATFORM: _document("moka", ComponentType.APPLICATION, platform, version, made)}
    for name, dockerfile, requirements in own_images(root):
        try:
            held = list(parts.of_dockerfile(dockerfile.read_text(), requirements))
        except ValueError as error:
            raise ValueError(f"{dockerfile.relative_to(root)}: {error}.") from None
        bills[name] = _document(name, ComponentType.CONTAINER, held, version, made)
    return {f"{name}.cdx.json": text for name, text in bills.items()}


def own_images(root: Path) -> list[tuple[str, Path, Path]]:
    """Images of ours: name, Dockerfile, and the requirements that it installs."""
    services = [path.parent for path in (root / "services").glob("*/__main__.py")]
    found = [(folder.name, folder) for folder in services]
    found += [(path.parent.name, path.parent) for path in (root / "images").glob("*/Dockerfile")]
    return [
        (
            name.replace("_", "-"),
            own if (own := folder / "Dockerfile").exists() else root / "services" / "Dockerfile",
            folder / "requirements.txt",
        )
        for name, folder in sorted(found)
    ]


def _document(
    name: str, kind: ComponentType, components: Iterable[Component], version: str, made: datetime
) -> str:
    components = list(components)
    of = Component(
        type=kind,
        name=name,
        version=version,
        purl=PackageURL("generic", None, name, version),
        bom_ref=f"{name}@{version}",
    )
    bill = Bom(
        components=components,
        metadata=BomMetaData(component=of, timestamp=made),
        serial_number=uuid5(
            NAMESPACE_URL, " ".join([str(of.purl), *sorted(str(c.purl) for c in components)])
        ),
    )
    bill.register_dependency(of, components)
    return JsonV1Dot6(bill).output_as_string(indent=2) + "\n"
