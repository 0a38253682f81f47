"""What is known of applications that is not in their table yet, and which workflow each is of."""

from collections.abc import Iterable, Iterator, Mapping
from typing import Any

from moka.names import WORKFLOW_LABEL
from moka.usage import merge
from moka.usage.events import APP, APP_ALLOC
from moka.usage.queue_names import queue_names
from moka.usage.records import Application

SOURCE = "active"
"""Of what the scheduler says of an application that has not ended."""

NANOS = 1_000_000
"""In a millisecond."""

KEPT = 200_000
"""Applications whose workflow is known: the profiler asks once for each, with its first allocation."""

LABEL_TAG = "kubernetes.io/label/"
NAMESPACE_TAG = "kubernetes.io/meta/namespace"
"""What YuniKorn makes of a pod's label and namespace, among the tags of its requests and allocations
(apache/yunikorn-k8shim v1.8.0: pkg/common/si_helper.go, CreateTagsForTask)."""

Key = tuple[str, str, int]


class Applications:
    """Records of applications, merged as they come.

    cluster: name in the settings.
    """

    def __init__(self, cluster: str) -> None:
        self._cluster = cluster
        self._records: dict[Key, Application] = {}
        self._workflows: dict[str, str] = {}

    def __len__(self) -> int:
        return len(self._records)

    def workflow_of(self, application: str) -> str:
        """The workflow of an application by its id; empty where it is of none or nobody said."""
        return self._workflows.get(application, "")

    def unknown(self, records: Iterable[Mapping[str, Any]]) -> set[str]:
        """Applications that have an allocation by these events, and of which nothing is known."""
        return {
            str(record.get("objectID", ""))
            for record in records
            if record.get("eventChangeDetail") == APP_ALLOC and record.get("type") == APP
        } - self._workflows.keys()

    def learn(self, answer: Mapping[str, Any]) -> None:
        """Take what the scheduler says of an application that has not ended. Raises KeyError, ValueError and
        TypeError."""
        tags = next(_tags(answer), {})
        names = queue_names(str(answer["queueName"]))
        record = Application(
            cluster=self._cluster,
            application=str(answer["applicationID"]),
            submitted=int(answer["submissionTime"]) // NANOS,
            user_name=str(answer.get("user", "")),
            workflow=str(tags.get(f"{LABEL_TAG}{WORKFLOW_LABEL}", "")),
            queue=names.path,
            organization=names.organization,
            project=names.project,
            tier=names.tier,
            namespace=str(tags.get(NAMESPACE_TAG, "")),
            sources=(SOURCE,),
        )
        self.name(record.application, record.workflow)
        self.add(record)

    def name(self, application: str, workflow: str) -> None:
        """Remember the workflow of an application."""
        while len(self._workflows) >= KEPT:
            del self._workflows[next(iter(self._workflows))]
        self._workflows[application] = workflow

    def add(self, record: Application) -> None:
        """Take a record."""
        earlier_record = self._records.get(record.key)
        self._records[record.key] = (
            record if earlier_record is None else merge.application(earlier_record, record)
        )

    def take(self) -> list[Application]:
        """All records, which are somebody else's from now on."""
        records, self._records = self._records, {}
        return list(records.values())


def _tags(answer: Mapping[str, Any]) -> Iterator[Mapping[str, str]]:
    """Tags of the pods of an application, its driver's first."""
    for pods in ("allocations", "requests"):
        for pod in answer.get(pods) or ():
            if tags := pod.get("allocationTags"):
                yield tags
