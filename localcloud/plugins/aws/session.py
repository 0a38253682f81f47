"""botocore's session of this process: it reads the models of services once, not for each account.

A session is for one thread at a time:
https://boto3.amazonaws.com/v1/documentation/api/latest/guide/session.html#multithreading-or-multiprocessing-with-sessions
"""

import threading
from functools import cache
from typing import Any

_LOCK = threading.Lock()


def create_client(service: str, **options: Any) -> Any:
    """A client, as botocore's `Session.create_client` makes it."""
    with _LOCK:
        return _session().create_client(service, **options)


def service_model(service: str) -> Any:
    """The model of a service."""
    with _LOCK:
        return _session().get_service_model(service)


@cache
def _session() -> Any:
    import botocore.session

    return botocore.session.Session()
