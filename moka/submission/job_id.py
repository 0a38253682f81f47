"""Ids of submitted jobs, and the names of the applications that are made of them.

An id is a UUID of version 7 (RFC 9562): the time of its submission comes first, so ids are in order of time,
and a table that is partitioned by them is partitioned by time. As text it is base32 with the extended hex
alphabet (RFC 4648, 7), which keeps that order and fits into names of Kubernetes.
"""

import re
import secrets
from base64 import b32hexdecode, b32hexencode
from datetime import UTC, datetime
from uuid import UUID

LENGTH = 26
"""Characters of an id."""

NAME_LENGTH = 56
"""Characters of an application's name: as of a job's, which the names of its Services are longer than."""

TEXT = re.compile(rf"[0-9a-v]{{{LENGTH - 1}}}[048cgkos]")
"""An id as text; the last character holds three bits."""


def new_id(now: datetime) -> UUID:
    """An id of a job that is submitted now."""
    return lowest_id(now, secrets.randbits(74))


def lowest_id(at: datetime, random: int = 0) -> UUID:
    """The first id of a millisecond, or the one with these 74 bits."""
    milliseconds = int(at.timestamp() * 1000)
    high, low = random >> 62, random & (1 << 62) - 1
    return UUID(int=milliseconds << 80 | 0x7 << 76 | high << 64 | 0b10 << 62 | low)


def submitted_at(job: UUID) -> datetime:
    """When a job was submitted."""
    return datetime.fromtimestamp((job.int >> 80) / 1000, UTC)


def id_text(job: UUID) -> str:
    """An id as people and names have it."""
    return b32hexencode(job.bytes).decode().rstrip("=").lower()


def parse_id(text: str) -> UUID | None:
    """The id that a text is; None for a text that is none."""
    if not TEXT.fullmatch(text):
        return None
    return UUID(bytes=b32hexdecode(f"{text.upper()}======"))


def application_name(name: str, job: UUID, attempt: int) -> str:
    """Name of the application of an attempt: the same whoever makes it, so there are no two.

    name: of the job, of which it keeps the beginning. attempt: from 1.
    """
    ending = f"-{id_text(job)}-{attempt}"
    return name[: NAME_LENGTH - len(ending)].rstrip("-") + ending


def attempt_in_name(name: str) -> tuple[UUID, int] | None:
    """Job and attempt of an application of this name; None of a name that is not of application_name."""
    rest, _, attempt = name.rpartition("-")
    job = parse_id(rest.rpartition("-")[2])
    return (job, int(attempt)) if job and attempt.isdecimal() else None
