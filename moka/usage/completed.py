"""Applications that have ended, of the last three days: `/ws/v1/partition/default/applications/completed`.

It says when an application first ran, and when its last pod was gone; the summary has lost the first where a
pod came after the last one had gone (Completing, and Running again), and the second. What was used it does
not say any more (apache/yunikorn-core v1.8.0: application.go, LogAppSummary cleans up;
dao/application_info.go).
"""

from collections.abc import Iterable, Iterator, Mapping
from typing import Any

from moka.usage.queue_names import queue_names
from moka.usage.records import Application
from moka.usage.summaries import STATES, Summary

SOURCE = "completed"
NANOS = 1_000_000
"""In a millisecond."""


def completed(answers: Iterable[Mapping[str, Any]], cluster: str) -> Iterator[Summary]:
    """The applications in an answer that ran and have ended.

    cluster: name in the settings, of the cluster that it is from.
    """
    for answer in answers:
        try:
            if (record := _application(answer, cluster)) is not None:
                yield Summary(record)
        except (KeyError, TypeError, ValueError) as error:
            name = answer.get("applicationID", "An application") if isinstance(answer, Mapping) else answer
            yield Summary(
                None, (f"{name} is not as YuniKorn tells of one: {type(error).__name__} at {error}.",)
            )


def _application(answer: Mapping[str, Any], cluster: str) -> Application | None:
    log = [(str(entry["applicationState"]), int(entry["time"]) // NANOS) for entry in answer["stateLog"]]
    started = [at for state, at in log if state == "Running"]
    outcome = STATES.get(str(answer["applicationState"]))
    if outcome is None or not started:
        return None
    # In Completing its last pod has just gone; what failed need not have come by there.
    ended = [at for state, at in log if state == "Completing"] or [int(answer["finishedTime"]) // NANOS]
    names = queue_names(str(answer["queueName"]))
    return Application(
        cluster=cluster,
        application=str(answer["applicationID"]),
        submitted=int(answer["submissionTime"]) // NANOS,
        started=min(started),
        finished=max(ended),
        user_name=str(answer.get("user", "")),
        queue=names.path,
        organization=names.organization,
        project=names.project,
        tier=names.tier,
        outcome=outcome,
        sources=(SOURCE,),
    )
