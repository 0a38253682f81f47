"""What is known of applications that is not in their table yet, and which workflow each is of."""

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import replace
from typing import Any

from moka.names import WORKFLOW_LABEL
from moka.usage import merge
from moka.usage.events import APP, APP_ALLOC
from moka.usage.meter import ApplicationUsage
from moka.usage.queue_names import queue_names
from moka.usage.records import Application

SOURCE = "active"
"""Of what the scheduler says of an application that has not ended."""

EVENTS = "events"
"""Of what an application used by the scheduler's events."""

NANOS = 1_000_000
"""In a millisecond."""

KEPT = 200_000
"""Applications that are remembered: the profiler asks once for each, with its first allocation."""

FORMING_SECONDS = 60.0
"""Until an application is asked for again of which there were placeholders only. YuniKorn knows when it was
submitted once its driver asks for a place, which is after all its placeholders have theirs, and has its own
clock until then (apache/yunikorn-core v1.8.0: pkg/scheduler/objects/application.go, NewApplication and
AddAllocationAsk)."""

LABEL_TAG = "kubernetes.io/label/"
NAMESPACE_TAG = "kubernetes.io/meta/namespace"
"""What YuniKorn makes of a pod's label and namespace, among the tags of its requests and allocations
(apache/yunikorn-k8shim v1.8.0: pkg/common/si_helper.go, CreateTagsForTask)."""

Key = tuple[str, str, int]


class Applications:
    """Records of applications, merged as they come.

    cluster: name in the settings.
    submitted: when applications were submitted that run, by id: what `submitted` was when it was saved.
    """

    def __init__(self, cluster: str, submitted: Mapping[str, int] | None = None) -> None:
        self._cluster = cluster
        self._submitted: dict[str, int] = dict(submitted or {})
        """Applications that run -> when they were submitted, in milliseconds since 1970; 0 where nobody
        knows."""
        self._records: dict[Key, Application] = {}
        self._origins: dict[str, tuple[str, str]] = {}
        """Application -> its workflow and namespace."""
        self._forming: dict[str, float] = {}
        """Applications whose submission is not known yet -> when they are asked for again, by the clock."""

    def __len__(self) -> int:
        return len(self._records)

    @property
    def submitted(self) -> dict[str, int]:
        """When applications were submitted that run, by id, to go on from."""
        return dict(self._submitted)

    def workflow_of(self, application: str) -> str:
        """The workflow of an application by its id; empty where it is of none or nobody said."""
        return self._origins.get(application, ("", ""))[0]

    def unknown(self, records: Iterable[Mapping[str, Any]], clock: float) -> set[str]:
        """Applications to ask for: that have an allocation by these events, and of which nothing is known,
        and those whose submission was not known yet when they were asked for. clock: seconds."""
        new = {
            str(record.get("objectID", ""))
            for record in records
            if record.get("eventChangeDetail") == APP_ALLOC and record.get("type") == APP
        } - self._submitted.keys()
        return new | {name for name, time in self._forming.items() if time <= clock}

    def ended(self, application: str) -> None:
        """Take that the scheduler knows an application no more: its summary says the rest."""
        self._forming.pop(application, None)
        self._submit(application, 0)
        if application not in self._origins:
            self.name(application, "")

    def learn(self, answer: Mapping[str, Any], clock: float) -> None:
        """Take what the scheduler says of an application that has not ended. clock: seconds.

        Raises KeyError, ValueError and TypeError.
        """
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
        self.name(record.application, record.workflow, record.namespace)
        if _has_driver(answer):
            self._forming.pop(record.application, None)
            self._submit(record.application, record.submitted)
            self.add(record)
        else:
            self._submit(record.application, 0)
            self._forming[record.application] = clock + FORMING_SECONDS

    def use(self, usage: ApplicationUsage) -> None:
        """Take what an application used that is gone: where nobody knows which one of its id it was, its
        summary says so."""
        self._forming.pop(usage.application, None)
        if submitted := self._submitted.pop(usage.application, 0):
            self.add(
                Application(
                    cluster=self._cluster,
                    application=usage.application,
                    submitted=submitted,
                    usage=usage.usage,
                    sources=(EVENTS,),
                )
            )

    def name(self, application: str, workflow: str, namespace: str = "") -> None:
        """Remember the workflow of an application, and its namespace."""
        _keep(self._origins, application, (workflow, namespace))

    def _submit(self, application: str, submitted: int) -> None:
        _keep(self._submitted, application, submitted)

    def add(self, record: Application) -> None:
        """Take a record; what it does not say of its workflow and namespace is as it was told."""
        workflow, namespace = self._origins.get(record.application, ("", ""))
        record = replace(
            record, workflow=record.workflow or workflow, namespace=record.namespace or namespace
        )
        earlier_record = self._records.get(record.key)
        self._records[record.key] = (
            record if earlier_record is None else merge.application(earlier_record, record)
        )

    def take(self) -> list[Application]:
        """All records, which are somebody else's from now on."""
        records, self._records = self._records, {}
        return list(records.values())


def _keep(names: dict[str, Any], application: str, value: Any) -> None:
    """Remember something of an application in place of the oldest one."""
    while application not in names and len(names) >= KEPT:
        del names[next(iter(names))]
    names[application] = value


def _has_driver(answer: Mapping[str, Any]) -> bool:
    """Whether an application has, or asks for, more than placeholders."""
    pods = [*(answer.get("allocations") or ()), *(answer.get("requests") or ())]
    return any(not pod.get("placeholder") for pod in pods)


def _tags(answer: Mapping[str, Any]) -> Iterator[Mapping[str, str]]:
    """Tags of the pods of an application, its driver's first."""
    for pods in ("allocations", "requests"):
        for pod in answer.get(pods) or ():
            if tags := pod.get("allocationTags"):
                yield tags
