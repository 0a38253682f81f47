"""Settings files with mistakes, made from `stacks/local.yaml`."""

import copy
from typing import Any

import yaml

from stacks import settings

REMOVED = object()
"""In place of a value: the key is taken out."""

OTHER_FOUNDATION = {
    "account": "210987654321",
    "region": "eu-west-1",
    "deployer": "arn:aws:iam::210987654321:role/deployer",
    "network": {"cidr": "10.1.0.0/16", "zones": ["eu-west-1a", "eu-west-1b"]},
}
"""A foundation in another account and region."""

Changes = dict[str, Any]
"""Place in the file, with dots -> its new value; `copy of <key>` copies what is beside it."""


def changed(changes: Changes) -> bytes:
    """stacks/local.yaml with other values at some places; a mapping is merged with the one that it has."""
    document = yaml.safe_load(settings.path_of("local").read_text())
    for place, value in changes.items():
        *parents, name = place.split(".")
        holder = document
        for key in parents:
            holder = holder[_key(holder, key)]
        key = _key(holder, name)
        if value is REMOVED:
            del holder[key]
        elif isinstance(value, str) and value.startswith("copy of "):
            holder[key] = copy.deepcopy(holder[_key(holder, value.removeprefix("copy of "))])
        elif isinstance(value, dict) and isinstance(holder.get(key), dict) and value and key != "clusters":
            holder[key] = {**holder[key], **value}
        else:
            holder[key] = value
    return yaml.safe_dump(document).encode()


def _key(holder: dict[Any, Any], name: str) -> int | str:
    return int(name) if name.isdigit() and name not in holder else name
