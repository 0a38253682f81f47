"""What each application has used, allocation by allocation, of the same events as profiles.

YuniKorn's summary of an application says the same, but counts pods that it finds when it starts from then on
only, and memory in 64 bits that run over (`summaries.py`). An allocation counts here from when it was told
first, through restarts of scheduler and recorder, until it is told to be gone: what is there again after a
gap under the same key, which is its pod's uid, was there all the time. Of what is not there again, nobody
knows when in the gap it ended: it counts until the gap began.

By event, an allocation is a placeholder's where it was replaced or timed out, and taken away where it was
preempted; a placeholder whose pod somebody deletes is told like any other pod, and counts as used.
"""

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any, NamedTuple

from moka.quantities import MIB
from moka.usage.events import Amount
from moka.usage.records import HOUR, Kind, Usage

MOST = 2**63 - 1
"""That a column of a table holds: bytes times seconds of 2.4 million GiB for an hour."""


class ApplicationUsage(NamedTuple):
    """What an application had until it was gone."""

    application: str
    usage: tuple[Usage, ...]


class _Pod(NamedTuple):
    """An allocation. since: milliseconds since 1970."""

    amount: Amount
    instance_type: str
    since: int


@dataclass
class _Account:
    """Of an application.

    pods: that it has. missing: that it had before a gap, and when that began.
    lost: when the gap began after which nothing of it was there yet.
    sums: of those that are gone, by kind and type of machine: thousandths of a core, MiB and GPUs, times
    milliseconds.
    """

    pods: dict[str, _Pod] = field(default_factory=dict)
    missing: dict[str, tuple[_Pod, int]] = field(default_factory=dict)
    lost: int | None = None
    sums: dict[tuple[Kind, str], list[int]] = field(default_factory=dict)

    def count(self, kind: Kind, pod: _Pod, until: int) -> None:
        """Add what an allocation had."""
        lasted = max(until - pod.since, 0)
        sums = self.sums.setdefault((kind, pod.instance_type), [0, 0, 0])
        for index, amount in enumerate(pod.amount):
            sums[index] += amount * lasted

    def usage(self) -> tuple[Usage, ...]:
        """What it had, as a record has it."""
        return tuple(
            sorted(
                Usage(
                    kind=kind,
                    instance_type=instance_type,
                    cpu=cpu // 1000,
                    memory=min(memory * MIB // 1000, MOST),
                    gpu=gpu // 1000,
                )
                for (kind, instance_type), (cpu, memory, gpu) in self.sums.items()
            )
        )


class Meter:
    """Adds up what applications use. Times are milliseconds since 1970, and never go back."""

    def __init__(self) -> None:
        self._accounts: dict[str, _Account] = {}
        self._out: list[ApplicationUsage] = []

    def begin(self, application: str, key: str, amount: Amount, instance_type: str, at: int) -> None:
        """Take an allocation that is there from now on, or again after a gap."""
        account = self._accounts.setdefault(application, _Account())
        account.lost = None
        if key in account.missing:
            account.pods[key], _ = account.missing.pop(key)
        elif key not in account.pods:
            account.pods[key] = _Pod(amount, instance_type, at)

    def end(self, application: str, key: str, kind: Kind, at: int) -> None:
        """Take the end of an allocation, and what became of it; of one that nobody told of, nothing."""
        account = self._accounts.get(application)
        if account is not None and (pod := account.pods.pop(key, None)) is not None:
            account.count(kind, pod, at)

    def gone(self, application: str, at: int) -> None:
        """Give out what an application had; what it has until now ends with it."""
        if (account := self._accounts.pop(application, None)) is None:
            return
        for pod in account.pods.values():
            account.count("used", pod, at)
        for pod, until in account.missing.values():
            account.count("used", pod, until)
        self._out.append(ApplicationUsage(application, account.usage()))

    def lose(self, at: int) -> None:
        """Take that nothing is known from a time on: what is there again is told."""
        for account in self._accounts.values():
            account.missing.update({key: (pod, at) for key, pod in account.pods.items()})
            account.pods.clear()
            if account.lost is None:
                account.lost = at

    def settle(self, at: int) -> None:
        """Give up what was not there again within an hour after its gap began: an application of which
        nothing was is gone."""
        late = at - HOUR
        for application, account in list(self._accounts.items()):
            if account.lost is not None and account.lost <= late:
                self.gone(application, at)
                continue
            for key in [key for key, (_, until) in account.missing.items() if until <= late]:
                account.count("used", *account.missing.pop(key))

    def take(self) -> list[ApplicationUsage]:
        """What has been given out since it was last taken."""
        out, self._out = self._out, []
        return out

    def state(self) -> dict[str, Any]:
        """What to go on from, as JSON, once what was given out is taken."""
        return {
            application: {
                "pods": account.pods,
                "missing": account.missing,
                "lost": account.lost,
                "sums": [[*key, *sums] for key, sums in account.sums.items()],
            }
            for application, account in self._accounts.items()
        }

    @classmethod
    def resumed(cls, state: Mapping[str, Any]) -> "Meter":
        """One that goes on from a state. Raises KeyError, TypeError, ValueError and AttributeError for what
        is none."""
        meter = cls()
        for application, values in state.items():
            meter._accounts[application] = _Account(
                pods={key: _pod(pod) for key, pod in values["pods"].items()},
                missing={key: (_pod(pod), int(until)) for key, (pod, until) in values["missing"].items()},
                lost=values["lost"],
                sums={(kind, instance_type): sums for kind, instance_type, *sums in values["sums"]},
            )
        return meter


def _pod(values: Any) -> _Pod:
    resources, instance_type, since = values
    return _Pod(Amount(*resources), instance_type, int(since))
