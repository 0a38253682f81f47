"""The history of what was used, for commands: in a folder, or in the environment's bucket."""

from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from datetime import date
from pathlib import Path

from stacks.settings import Environment


class HistoryUnreachable(Exception):
    """S3 does not give the history; the message is a sentence that says what to do."""


@contextmanager
def history(settings: Environment, folder: Path | None, days: Sequence[date]) -> Iterator[Path]:
    """A folder with the records of some days: the one that is named, or a copy of what the bucket has.

    Raises HistoryUnreachable.
    """
    if folder is not None:
        if not folder.is_dir():
            raise HistoryUnreachable(f"{folder} is no folder: name one that is laid out as the bucket.")
        yield folder
        return
    import boto3
    from botocore.exceptions import BotoCoreError, ClientError

    from moka.usage.records import TABLES
    from planning.history import copied

    bucket = settings.usage_bucket
    try:
        s3 = boto3.client("s3", region_name=settings.foundations[settings.home_foundation].region)
        with copied(s3, bucket, TABLES.values(), days) as copy:
            yield copy
    except (BotoCoreError, ClientError) as error:
        raise HistoryUnreachable(
            f"The history in s3://{bucket} cannot be read ({str(error).rstrip('.')}): see the credentials, "
            "or name a folder with --history."
        ) from None
