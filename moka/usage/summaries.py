"""YuniKorn's summaries of applications, `YK_APP_SUMMARY`, as its log has them and Fluent Bit brings them.

It writes one when an application that ever ran ends; of one that was rejected or never started there is none
(apache/yunikorn-core v1.8.0, pkg/scheduler/objects/application.go: LogAppSummary). Since 1.5 the line is

    YK_APP_SUMMARY: {ApplicationID: ..., SubmissionTime: <ms>, ..., ResourceUsage: TrackedResource{
    m5.xlarge:memory=N,m5.xlarge:vcore=N}, PreemptedResource: ..., PlaceholderResource: ...}

(application_summary.go: String, DoLogging; pkg/common/resources/tracked_resources.go: String), all of it
after the prefix of zap's console; maps are in no order. 1.3 and 1.4 wrote JSON after `YK_APP_SUMMARY:` and
a tab, 1.3 without what was preempted. Memory is bytes, vcore thousandths of a core, and all are times
seconds, whole ones of each allocation (AggregateTrackedResource: quantity times seconds, in 64 bits that
overflow unseen).

What is told of a line is never an exception, so that the rest of a day's file is read.
"""

import json
import re
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, replace
from datetime import UTC, datetime
from typing import Any

from moka.names import GPU
from moka.usage.queue_names import queue_names
from moka.usage.records import Application, Kind, Usage

MARK = "YK_APP_SUMMARY"
SOURCE = "summary"

COMPLETING_MILLIS = 30_000
"""From the last pod's end until YuniKorn calls an application completed (application.go:
completingTimeout)."""

EARLIEST, LATEST = (int(datetime(year, 1, 1, tzinfo=UTC).timestamp() * 1000) for year in (2015, 2100))
"""Times that a clock can have meant."""

KINDS: Mapping[str, Kind] = {
    "ResourceUsage": "used",
    "PreemptedResource": "preempted",
    "PlaceholderResource": "placeholder",
}
"""Name of an amount in the line -> what became of it."""

RESOURCES = {"vcore": "cpu", "memory": "memory", GPU: "gpu"}
"""YuniKorn's name of a resource -> ours; others, such as pods, are not kept."""

UNKNOWN = "UNKNOWN"
"""YuniKorn's instance type of a node of which it knows none (pkg/scheduler/objects/node.go): since 1.6 of
every node, as the shim hands its label on no more (apache/yunikorn-k8shim: pkg/common/si_helper.go of v1.5.2
does, pkg/cache/context.go of v1.6.0 to v1.8.0, registerNodes, does not)."""

STATES = {"Completed": "completed", "Failed": "failed"}
"""YuniKorn's state of an application -> its outcome; in another state a summary is not of its end."""

SHOWN = 120
"""Characters of a line that a message repeats."""

_LINE = re.compile(
    r"YK_APP_SUMMARY: \{ApplicationID: (?P<ApplicationID>.*), SubmissionTime: (?P<SubmissionTime>-?\d+), "
    r"StartTime: (?P<StartTime>-?\d+), FinishTime: (?P<FinishTime>-?\d+), User: (?P<User>.*), "
    r"Queue: (?P<Queue>\S*), State: (?P<State>\w+), RmID: (?P<RmID>.*), "
    r"ResourceUsage: TrackedResource\{(?P<ResourceUsage>[^}]*)\}, "
    r"PreemptedResource: TrackedResource\{(?P<PreemptedResource>[^}]*)\}, "
    r"PlaceholderResource: TrackedResource\{(?P<PlaceholderResource>[^}]*)\}\}\s*"
)
_JSON = re.compile(r"YK_APP_SUMMARY:\s+(\{.*\})\s*", re.DOTALL)
_JSON_NAMES = {
    "appID": "ApplicationID",
    "submissionTime": "SubmissionTime",
    "startTime": "StartTime",
    "finishTime": "FinishTime",
    "user": "User",
    "queue": "Queue",
    "state": "State",
    "resourceUsage": "ResourceUsage",
    "preemptedResource": "PreemptedResource",
    "placeholderResource": "PlaceholderResource",
}
_MUST_HAVE = ("ApplicationID", "SubmissionTime", "StartTime", "FinishTime", "Queue", "State", "ResourceUsage")


@dataclass(frozen=True)
class Summary:
    """What a line says of an application.

    record: None where the line cannot be read.
    says: what is wrong with it or strange in it, a sentence each.
    """

    record: Application | None
    says: tuple[str, ...] = ()


class _Unreadable(Exception):
    """The line is no summary; the message is a clause about it."""


def summaries(lines: Iterable[str], cluster: str) -> Iterator[Summary]:
    """The summaries in lines of YuniKorn's log, or of objects that Fluent Bit wrote; other lines are left
    out.

    cluster: name in the settings, of the cluster that they are from.
    """
    for number, line in enumerate(lines, start=1):
        if MARK in line:
            try:
                yield _summary(_text(line), cluster)
            except _Unreadable as error:
                start = line[max(line.find(MARK), 0) :][:SHOWN]
                yield Summary(None, (f"Line {number} {error}: {start!r}.",))


def _text(line: str) -> str:
    """What YuniKorn wrote: a record of Fluent Bit's has it as `log`."""
    if not line.lstrip().startswith("{"):
        return line
    try:
        text = json.loads(line)["log"]
    except (ValueError, KeyError, TypeError, RecursionError):
        raise _Unreadable("is cut off, or no record of Fluent Bit's with `log`") from None
    if not isinstance(text, str):
        raise _Unreadable("is a record whose `log` is no text")
    return text


def _summary(text: str, cluster: str) -> Summary:
    values = _values(text[text.find(MARK) :])
    sentences: list[str] = []
    name = str(values["ApplicationID"])
    if not name:
        raise _Unreadable("names no application")
    times = {key: _number(values, key) for key in ("SubmissionTime", "StartTime", "FinishTime")}
    if not EARLIEST <= times["SubmissionTime"] < LATEST:
        raise _Unreadable(f"was submitted at {times['SubmissionTime']} ms, which no clock can have meant")
    outcome = STATES.get(str(values["State"]))
    if outcome is None:
        raise _Unreadable(f"is of state {values['State']!r}, so it is not of an application's end")
    names = queue_names(str(values["Queue"]))
    usage = _usage(name, values, sentences)
    types = {part.instance_type for part in usage}
    if UNKNOWN in types and len(types) > 1:
        sentences.append(f"{name}: of some of its nodes YuniKorn knows no instance type.")
    record = Application(
        cluster=cluster,
        application=name,
        submitted=times["SubmissionTime"],
        user_name=str(values.get("User", "")),
        queue=names.path,
        organization=names.organization,
        project=names.project,
        tier=names.tier,
        usage=usage,
        outcome=outcome,
        sources=(SOURCE,),
    )
    return Summary(_timed(record, times["StartTime"], times["FinishTime"], sentences), tuple(sentences))


def _values(text: str) -> Mapping[str, Any]:
    """Values by the names that they have since 1.5; amounts by instance type and resource."""
    if match := _LINE.fullmatch(text):
        values = match.groupdict()
        return {**values, **{name: _amounts(values[name]) for name in KINDS}}
    if match := _JSON.fullmatch(text):
        try:
            document = json.loads(match[1])
        except (ValueError, RecursionError):
            document = {}
        values = {_JSON_NAMES[key]: value for key, value in document.items() if key in _JSON_NAMES}
        if all(name in values for name in _MUST_HAVE):
            return values
    if not text.rstrip().endswith("}"):
        raise _Unreadable("is cut off")
    raise _Unreadable("has not the form of any known version of YuniKorn, 1.3 to 1.8")


def _amounts(text: str) -> dict[str, dict[str, str]]:
    """`<instance type>:<resource>=<amount>`, with commas between."""
    amounts: dict[str, dict[str, str]] = {}
    for entry in text.split(",") if text else ():
        start, equals, amount = entry.rpartition("=")
        instance_type, colon, resource = start.partition(":")
        if not equals or not colon:
            raise _Unreadable(f"has an amount {entry!r}, which names no machine, resource and number")
        amounts.setdefault(instance_type, {})[resource] = amount
    return amounts


def _number(values: Mapping[str, Any], name: str) -> int:
    value = values[name]
    try:
        if isinstance(value, str | int) and not isinstance(value, bool):
            return int(value)
    except ValueError:
        pass
    raise _Unreadable(f"has {name} {str(value)[:SHOWN]!r}, which is no number")


def _usage(application: str, values: Mapping[str, Any], sentences: list[str]) -> tuple[Usage, ...]:
    usages = []
    for key, kind in KINDS.items():
        machines = values.get(key) or {}
        if not isinstance(machines, Mapping) or not all(
            isinstance(amounts, Mapping) for amounts in machines.values()
        ):
            raise _Unreadable(f"has {key} that is not by machine and resource")
        for instance_type, amounts in machines.items():
            fields = {
                RESOURCES[name]: _amount(f"{application}: {kind} {name}", _number(amounts, name), sentences)
                for name in amounts
                if name in RESOURCES
            }
            usages.append(Usage(kind=kind, instance_type=str(instance_type), **fields))
    return tuple(sorted(usages))


def _amount(subject: str, amount: int, sentences: list[str]) -> int:
    if 0 <= amount < 2**63:
        return amount
    sentences.append(
        f"{subject} is {amount}, where YuniKorn's 64 bits have run over or a clock ran back: left out."
    )
    return 0


def _timed(record: Application, start: int, finish: int, sentences: list[str]) -> Application:
    """With the times that can be: what contradicts is left out, and told."""
    name = record.application
    last_pod = finish - COMPLETING_MILLIS if record.outcome == "completed" else finish
    if not EARLIEST <= finish < LATEST:
        sentences.append(f"{name}: its end, {finish} ms, is no time that a clock can have meant: left out.")
        last_pod = -1
    if not record.submitted <= start < LATEST:
        sentences.append(f"{name}: it started before it was submitted, so a clock ran back: left out.")
        start = -1
    if 0 <= last_pod < max(start, record.submitted):
        sentences.append(f"{name}: its last pod ended before it started, so a clock ran back: left out.")
        last_pod = -1
    return replace(
        record,
        started=start if start >= 0 else None,
        finished=last_pod if last_pod >= 0 else None,
    )
