"""YuniKorn's REST API: how the queues that a scheduler has in force differ from the settings."""

import json
import urllib.request
from typing import Any

import yaml

from moka.queues import QueueTree, queues_yaml
from moka.queues.in_force import Answer, Difference, differences

REQUEST_TIMEOUT_SECONDS = 20


class SchedulerUnreachable(Exception):
    """A scheduler whose REST API does not answer."""


def queue_differences(tree: QueueTree, url: str) -> list[Difference]:
    """How the scheduler at a URL differs from a tree, and why it refused the tree where it did.

    Raises SchedulerUnreachable.
    """
    queues: Answer = json.loads(_request(f"{url}/ws/v1/partition/default/queues"))
    config: Answer = yaml.safe_load(_request(f"{url}/ws/v1/config"))
    result = list(differences(tree, queues, config))
    if result:
        verdict: dict[str, Any] = json.loads(_request(f"{url}/ws/v1/validate-conf", queues_yaml(tree)))
        if not verdict["allowed"]:
            result.append(
                Difference("root", f"as it should be is refused by the scheduler: {verdict['reason']}")
            )
    return result


def _request(url: str, content: str | None = None) -> bytes:
    try:
        data = None if content is None else content.encode()
        with urllib.request.urlopen(url, data, timeout=REQUEST_TIMEOUT_SECONDS) as response:
            body: bytes = response.read()
            return body
    except (OSError, ValueError) as error:
        raise SchedulerUnreachable(f"{url} does not answer: {error}. Is it YuniKorn's, port 9080?") from None
