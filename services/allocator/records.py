"""The history, copied from its bucket."""

from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from datetime import date
from pathlib import Path

import boto3
from boto3.exceptions import Boto3Error
from botocore.config import Config
from botocore.exceptions import BotoCoreError, ClientError

from moka.allocation.configuration import HistoryPlace
from moka.usage.records import TABLES
from planning.history import COPIES, UnreadableHistory, copied
from services.allocator.failure import Failure


@contextmanager
def records(place: HistoryPlace, days: Sequence[date]) -> Iterator[Path]:
    """A folder with the records of some days. Raises Failure, also for what is asked of them."""
    # With time limits: who waits for ever notices no outage.
    config = Config(
        connect_timeout=5,
        read_timeout=60,
        retries={"mode": "standard", "max_attempts": 3},
        max_pool_connections=COPIES,
    )
    try:
        with copied(
            boto3.client("s3", region_name=place.region, config=config), place.bucket, TABLES.values(), days
        ) as folder:
            yield folder
    except UnreadableHistory as error:
        raise Failure("history", str(error)) from None
    except (BotoCoreError, ClientError, Boto3Error, OSError) as error:
        raise Failure(
            "bucket", f"The history in s3://{place.bucket} cannot be read ({str(error).rstrip('.')})."
        ) from None
