"""Locks of stacks, read from backends of files: a folder, a bucket; and what a kill breaks in a folder."""

import json
import socket
from collections.abc import Iterator
from pathlib import Path
from typing import Any
from urllib.parse import parse_qs, urlparse

import psutil

from recovery.locks import Lock, lock_folder, lock_of
from recovery.pulumi_cli import backend_url, project


def locks(stack: str) -> list[Lock]:
    """Who holds a stack of a backend of files; none where only the backend knows."""
    url = urlparse(backend_url())
    folder = lock_folder(project(), stack)
    readers = {"file": _locks_in_folder, "s3": _locks_in_bucket}
    reader = readers.get(url.scheme)
    return [lock_of(content) for content in reader(url, folder)] if reader else []


def drop_cut_attributes() -> list[Path]:
    """Remove attributes that were cut short beside files of a backend in a folder; which.

    They are only the type of the content and its sum, and pulumi reads nothing ("EOF") beside broken ones.
    Unlike the files, the library writes them in place (gocloud.dev v0.37.0, fileblob/attrs.go: `setAttrs`).
    """
    url = urlparse(backend_url())
    if url.scheme != "file":
        return []
    root = Path(f"{url.netloc}{url.path}").expanduser() / ".pulumi"
    cut = [path for path in sorted(root.rglob("*.attrs")) if not _is_json(path)]
    for path in cut:
        path.unlink()
    return cut


def _is_json(path: Path) -> bool:
    try:
        json.loads(path.read_bytes())
    except ValueError:
        return False
    return True


def dead(lock: Lock) -> bool:
    """Whether nobody holds a lock any more, as far as this host can tell."""
    return lock.dead(socket.gethostname(), _runs_pulumi)


def elsewhere(lock: Lock) -> bool:
    """Whether a lock is of a process on another host, of which this one cannot tell whether it lives."""
    return bool(lock.pid) and lock.host != socket.gethostname()


def _locks_in_folder(url: Any, folder: str) -> Iterator[bytes]:
    root = Path(f"{url.netloc}{url.path}").expanduser()
    for path in sorted((root / folder).glob("*.json")):
        yield path.read_bytes()


def _locks_in_bucket(url: Any, folder: str) -> Iterator[bytes]:
    import boto3

    options = {name: values[0] for name, values in parse_qs(url.query).items()}
    session = boto3.Session(profile_name=options.get("profile"), region_name=options.get("region"))
    client = session.client("s3", endpoint_url=options.get("endpoint"))
    prefix = "/".join(part for part in (url.path.strip("/"), folder, "") if part) + "/"
    for page in client.get_paginator("list_objects_v2").paginate(Bucket=url.netloc, Prefix=prefix):
        for entry in page.get("Contents", []):
            yield client.get_object(Bucket=url.netloc, Key=entry["Key"])["Body"].read()


def _runs_pulumi(pid: int) -> bool:
    try:
        process = psutil.Process(pid)
        # A killed process stays in the table until its parent has read its exit status.
        return "pulumi" in process.name() and process.status() != psutil.STATUS_ZOMBIE
    except psutil.NoSuchProcess:
        return False
    except psutil.AccessDenied:
        return True
