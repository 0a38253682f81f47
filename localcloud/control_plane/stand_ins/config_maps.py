"""ConfigMaps that a pod mounts, as files for the process in its place."""

import shutil
from base64 import b64decode
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

from localcloud.control_plane.api import Api, Object
from localcloud.errors import Refusal


@dataclass(frozen=True, kw_only=True)
class ConfigMapMount:
    """A ConfigMap in a container.

    path: where it is mounted.
    volume: name of the pod's volume.
    keys: key -> file of it; None for all keys, each in a file of its name.
    mode: of its files.
    """

    path: str
    volume: str
    config_map: str
    optional: bool = False
    keys: Mapping[str, str] | None = None
    mode: int = 0o644


def mounts(volumes: Sequence[Object], volume_mounts: Sequence[Object]) -> Iterator[ConfigMapMount]:
    """The mounts that are of ConfigMaps, as a pod's spec has them."""
    sources = {volume["name"]: volume["configMap"] for volume in volumes if "configMap" in volume}
    for mount in volume_mounts:
        if source := sources.get(mount["name"]):
            items = source.get("items")
            yield ConfigMapMount(
                path=mount["mountPath"],
                volume=mount["name"],
                config_map=source["name"],
                optional=bool(source.get("optional")),
                keys={item["key"]: item["path"] for item in items} if items else None,
                mode=int(source.get("defaultMode") or 0o644),
            )


def write(api: Api, owner: str, namespace: str, mounts: Sequence[ConfigMapMount], folder: Path) -> None:
    """Write what is mounted below a folder, which has nothing else then.

    owner: whose pods they are, for messages. Raises Refusal for a ConfigMap that is not there.
    """
    contents = [(mount, _data(api, owner, namespace, mount)) for mount in mounts]
    shutil.rmtree(folder, ignore_errors=True)
    for mount, data in contents:
        target = within(folder, mount.path)
        target.mkdir(mode=0o700, parents=True)
        for name, content in data.items():
            file = target / name
            file.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
            file.write_bytes(content)
            # Executable or not; its owner writes it anew.
            file.chmod(mount.mode | 0o200)


def within(folder: Path, path: str) -> Path:
    """Where a path of the pod is, below a folder."""
    return folder / path.lstrip("/")


def _data(api: Api, owner: str, namespace: str, mount: ConfigMapMount) -> dict[str, bytes]:
    config_map = api.get(f"/api/v1/namespaces/{namespace}/configmaps/{mount.config_map}")
    if config_map is None:
        if mount.optional:
            return {}
        raise Refusal(
            f"{owner}: Kubernetes does not start its pods: MountVolume.SetUp failed for volume "
            f'"{mount.volume}" : configmap "{mount.config_map}" not found (FailedMount): make that ConfigMap '
            f"in namespace {namespace} first, or correct its name."
        )
    data = {
        **{key: text.encode() for key, text in (config_map.get("data") or {}).items()},
        **{key: b64decode(text) for key, text in (config_map.get("binaryData") or {}).items()},
    }
    return (
        data if mount.keys is None else {file: data[key] for key, file in mount.keys.items() if key in data}
    )
