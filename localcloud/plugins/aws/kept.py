"""What moto has no place for, as JSON files: one for each thing, by account and region.

Anybody may change or delete a file by hand, as one would change AWS by its console: a refresh finds it.
"""

import json
import os
import shutil
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any
from urllib.parse import quote

from localcloud.cloud import Cloud


def folder(cloud: Cloud) -> Path:
    """Where a cloud keeps what its moto has no place for. It means nothing once that moto is gone."""
    return cloud.home / "kept"


def remember(cloud: Cloud, account: str) -> None:
    """Note that an account is used."""
    (folder(cloud) / account).mkdir(parents=True, exist_ok=True)


def accounts(cloud: Cloud) -> list[str]:
    """Accounts that were used since the cloud's AWS was started."""
    return sorted(path.name for path in folder(cloud).glob("*") if path.is_dir())


def elsewhere(cloud: Cloud, here: tuple[str, str], service: str, *key: str) -> list[tuple[str, str]]:
    """Other accounts and regions than here in which a thing of this name is kept."""
    places = [(path.parent.name, path.name) for path in folder(cloud).glob("*/*") if path.is_dir()]
    return sorted(
        place
        for place in places
        if place != here and Kept(folder(cloud).joinpath(*place, service)).get(*key) is not None
    )


@dataclass(frozen=True)
class Kept:
    """Things of one account and region, found by words such as `("addon", "spark-a", "coredns")`."""

    root: Path

    def get(self, *key: str) -> dict[str, Any] | None:
        """A thing; None when it is not there."""
        try:
            found: dict[str, Any] = json.loads(self._path(key).read_text())
        except FileNotFoundError:
            return None
        return found

    def put(self, *key: str, thing: Mapping[str, Any]) -> None:
        """Keep a thing, in place of what was there."""
        path = self._path(key)
        path.parent.mkdir(parents=True, exist_ok=True)
        new = path.with_suffix(f".{os.getpid()}")
        new.write_text(json.dumps(thing, indent=2, sort_keys=True, default=str))
        new.replace(path)

    def remove(self, *key: str) -> None:
        """Forget a thing, and all that is kept under it."""
        self._path(key).unlink(missing_ok=True)
        shutil.rmtree(self._path(key).with_suffix(""), ignore_errors=True)

    def all(self, *key: str) -> Iterator[dict[str, Any]]:
        """All things under some words."""
        for path in sorted(self._path(key).with_suffix("").rglob("*.json")):
            yield json.loads(path.read_text())

    def _path(self, key: tuple[str, ...]) -> Path:
        *folders, name = (quote(word, safe="").replace(".", "%2E") for word in key)
        return self.root.joinpath(*folders, f"{name}.json")
