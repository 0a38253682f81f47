"""Jobs as the database has them: another version of Archer may have taken them."""

import logging
from collections.abc import Mapping
from typing import Any

from pydantic import ValidationError

from moka.jobs.job import Job, Restart
from services.common.logs import fields

log = logging.getLogger(__name__)


class Unreadable(Exception):
    """A job that this version cannot read; a newer worker may, as long as it waits."""


def stored_job(document: Mapping[str, Any]) -> Job:
    """The job of a document. Raises Unreadable, with the first thing that is wrong."""
    try:
        return Job.model_validate(document)
    except ValidationError as error:
        raise Unreadable(f"this version of Archer cannot read the job: {_first(error)}") from None


def stored_restart(document: Mapping[str, Any] | None) -> Restart:
    """How often a job is tried again; as by default where this version cannot read it."""
    try:
        return Restart.model_validate(document or {})
    except ValidationError as error:
        log.warning("restart of a job cannot be read", extra=fields(error=_first(error)))
        return Restart()


def _first(error: ValidationError) -> str:
    mistake = error.errors()[0]
    return f"{'.'.join(map(str, mistake['loc']))}: {mistake['msg']}"
