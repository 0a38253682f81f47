"""What moto does not keep, as JSON files: one for each thing, by account and region.

A file may be changed or deleted by hand, as one would change AWS in its console: a refresh finds it.
"""

import json
import os
import shutil
import threading
from collections.abc import Iterator, Mapping
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path
from typing import Any
from urllib.parse import quote, unquote

from localcloud.cloud import Cloud


def store_folder(cloud: Cloud) -> Path:
    """Folder of a cloud's files; they mean nothing once its moto has ended."""
    return cloud.home / "kept"


def record_account(cloud: Cloud, account: str) -> None:
    """Note that an account is used."""
    (store_folder(cloud) / account).mkdir(parents=True, exist_ok=True)


def accounts(cloud: Cloud) -> list[str]:
    """Accounts that were used since the cloud's AWS was started."""
    return sorted(path.name for path in store_folder(cloud).glob("*") if path.is_dir())


def other_places(cloud: Cloud, place: tuple[str, str], service: str, *key: str) -> list[tuple[str, str]]:
    """Accounts and regions other than `place` that have a thing with this key."""
    folder = store_folder(cloud)
    places = {(path.parent.name, path.name) for path in folder.glob("*/*") if path.is_dir()} - {place}
    return sorted(place for place in places if Store(folder.joinpath(*place, service)).get(*key) is not None)


def stores(cloud: Cloud, service: str) -> "list[Store]":
    """What is kept of a service, in every account and region."""
    return [Store(path) for path in sorted(store_folder(cloud).glob(f"*/*/{service}"))]


@dataclass(frozen=True)
class Store:
    """Things of one account and region, by keys such as `("addon", "spark-a", "coredns")`."""

    root: Path

    def get(self, *key: str) -> dict[str, Any] | None:
        """A thing; None when there is none."""
        try:
            thing: dict[str, Any] = json.loads(self._path(key).read_text())
        except FileNotFoundError:
            return None
        return thing

    def put(self, *key: str, thing: Mapping[str, Any]) -> None:
        """Store a thing, in place of an earlier one."""
        path = self._path(key)
        path.parent.mkdir(parents=True, exist_ok=True)
        # Node groups with one role note the same access entry side by side.
        new = path.with_suffix(f".{os.getpid()}-{threading.get_ident()}")
        new.write_text(json.dumps(thing, indent=2, sort_keys=True, default=str))
        new.replace(path)

    def update(self, *key: str, members: Mapping[str, Any]) -> dict[str, Any]:
        """Change members of a thing, or store them as a new one; all of it."""
        thing = {**(self.get(*key) or {}), **members}
        self.put(*key, thing=thing)
        return thing

    def remove(self, *key: str) -> None:
        """Remove a thing, and all things under it."""
        self._path(key).unlink(missing_ok=True)
        shutil.rmtree(self._path(key).with_suffix(""), ignore_errors=True)

    def all(self, *key: str) -> Iterator[dict[str, Any]]:
        """All things under a key."""
        for path in sorted(self._path(key).with_suffix("").rglob("*.json")):
            # One may be removed meanwhile.
            with suppress(FileNotFoundError):
                yield json.loads(path.read_text())

    def names(self, *key: str) -> list[str]:
        """Last words of the keys of the things right under a key."""
        return sorted(unquote(path.stem) for path in self._path(key).with_suffix("").glob("*.json"))

    def _path(self, key: tuple[str, ...]) -> Path:
        *folders, name = (quote(word, safe="").replace(".", "%2E") for word in key)
        return self.root.joinpath(*folders, f"{name}.json")
