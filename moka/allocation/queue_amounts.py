"""Amounts of queues by the hour: what a plan decides of each, and the document that a cluster is given.

The document is `moka-queue-amounts/1`, in ConfigMap `queue-amounts`: packed, as a plan of hundreds of queues
by the hour has more than the 1 MiB of a ConfigMap
(https://kubernetes.io/docs/concepts/configuration/configmap/, "Motivation").
"""

import base64
import gzip
import json
import zlib
from collections.abc import Mapping
from dataclasses import dataclass, field
from datetime import UTC, datetime
from typing import Annotated, Any, Literal

from pydantic import Field, ValidationError, model_validator

from moka.documents import Count, Cpu, DocumentKind, Form, Memory, Section
from moka.mistakes import InvalidDocument
from moka.queues import definitions
from moka.queues.resources import Resources

FORMAT = "moka-queue-amounts/1"

HOURS = 24

QueuePath = Annotated[
    str,
    Form(
        r"root\.[a-z]([a-z0-9-]{0,28}[a-z0-9])?\.[a-z]([a-z0-9-]{0,28}[a-z0-9])?\.tier[123]",
        "write a queue as root.<organization>.<project>.tier<n>",
    ),
]

Digest = Annotated[str, Form(r"sha256:[0-9a-f]{64}", "write it as sha256: and 64 digits")]


class Amounts(Section):
    """Amounts of some resources, in Kubernetes quantities."""

    cpu: Cpu | None = Field(default=None, description=definitions.CPU)
    memory: Memory | None = Field(default=None, description=definitions.MEMORY)
    gpu: Count | None = Field(default=None, description=definitions.GPU)

    @property
    def resources(self) -> Resources:
        """As numbers."""
        return Resources.of(cpu=self.cpu, memory=self.memory, gpu=self.gpu)


class HourAmounts(Section):
    """What a queue has in an hour."""

    guaranteed: Amounts | None = Field(
        default=None, description="What it gets back by preemption; nothing where it is left out."
    )
    maximum: Amounts | None = Field(
        default=None, description="What it never exceeds; what is left out is as the settings have it."
    )
    max_applications: Count | None = Field(
        default=None, description="Jobs that run at a time; as the settings have it where it is left out."
    )


class QueueHours(Section):
    """What a queue has by the hour."""

    hours: list[HourAmounts] = Field(
        description="One for all hours, or 24: the first is from 0:00 to 1:00, UTC."
    )

    @model_validator(mode="after")
    def _one_or_all(self) -> "QueueHours":
        if len(self.hours) not in (1, HOURS):
            raise ValueError(f"has {len(self.hours)} hours; write one for all of them, or {HOURS}")
        return self

    def at(self, hour: int) -> HourAmounts:
        """What it has in an hour of the day, in UTC."""
        return self.hours[hour % len(self.hours)]


class QueueAmounts(Section):
    """What a plan has for the queues of a cluster."""

    format: Literal["moka-queue-amounts/1"] = Field(description="Format of this file, with its version.")
    revision: int = Field(ge=0, description="Of what is in force: a later one has a larger number.")
    plan: str | None = Field(default=None, description="Its id; none where the settings hold by themselves.")
    settings: Digest | None = Field(default=None, description="Of the queues that it was made for.")
    queues: dict[QueuePath, QueueHours] = Field(default_factory=dict, description="By path.")


AMOUNTS_FILE = DocumentKind(model=QueueAmounts, example="docs/operations/plans.md", noun="amounts")

KEY = "amounts.json.gz"
"""In `binaryData`: the document."""

REVISION = "revision"
"""In `data`: its revision, for those who compare it only."""


@dataclass(frozen=True)
class AmountsOfHour:
    """Queue -> what a plan has for it in an hour.

    hour: of the day, in UTC. settings: digest of the queues that it was made for.
    """

    hour: int = 0
    queues: Mapping[str, HourAmounts] = field(default_factory=dict)
    settings: str | None = None


def of_hour(hours: Mapping[str, QueueHours], hour: int, settings: str | None) -> AmountsOfHour:
    """What queues have in an hour of the day, in UTC."""
    return AmountsOfHour(hour, {path: queue.at(hour) for path, queue in hours.items()}, settings)


def at_hour(amounts: QueueAmounts | None, hour: int) -> AmountsOfHour:
    """What a plan has in an hour of the day, in UTC; nothing where there is none."""
    return of_hour(amounts.queues, hour, amounts.settings) if amounts else AmountsOfHour(hour)


def at(amounts: QueueAmounts | None, moment: datetime) -> AmountsOfHour:
    """What a plan has at a moment."""
    return at_hour(amounts, moment.astimezone(UTC).hour)


def dumps(amounts: QueueAmounts) -> str:
    """The text of the document; equal amounts give equal text."""
    data = amounts.model_dump(mode="json", exclude_none=True)
    return json.dumps(data, sort_keys=True, separators=(",", ":"))


def as_config_map(amounts: QueueAmounts) -> dict[str, Any]:
    """The fields of the ConfigMap."""
    packed = gzip.compress(dumps(amounts).encode(), mtime=0)
    return {
        "data": {REVISION: str(amounts.revision)},
        "binaryData": {KEY: base64.b64encode(packed).decode()},
    }


def revision_of(config_map: Mapping[str, Any]) -> int | None:
    """The revision in a ConfigMap; None in one that has none yet, or something else in its place."""
    text = (config_map.get("data") or {}).get(REVISION, "")
    return int(text) if text.isascii() and text.isdigit() else None


def of_config_map(config_map: Mapping[str, Any] | None) -> QueueAmounts | None:
    """The document in a ConfigMap; None where there is none. Raises InvalidDocument."""
    value = ((config_map or {}).get("binaryData") or {}).get(KEY)
    if value is None:
        return None
    try:
        text = gzip.decompress(base64.b64decode(value)).decode()
    except (OSError, EOFError, ValueError, zlib.error):
        raise InvalidDocument(
            f"{KEY} cannot be unpacked: wait until Archer's worker has written it again."
        ) from None
    return loads(text, KEY)


def loads(text: str, where: str) -> QueueAmounts:
    """The document in a text; `where` names it in messages. Raises InvalidDocument."""
    try:
        return AMOUNTS_FILE.model.model_validate_json(text, strict=True)
    except ValidationError as error:
        mistakes = AMOUNTS_FILE.mistakes(error)
        raise InvalidDocument("\n".join(f"{where}: {mistake}" for mistake in mistakes)) from None
