"""What to change: machines that do not fit what is used, clusters and queues with too much or too little."""

import math
from collections.abc import Iterable, Iterator, Sequence

from moka.usage.report.model import Balance, QueueUse, Recommendation, Use
from moka.usage.report.rules import ReportRules
from moka.usage.report.sizes import Amount, ClusterSize, QueueSize

HOURS = 24
"""Of a day."""

FAMILIES = {"c": 2, "m": 4, "r": 8, "x": 16}
"""Family of EC2 instance types -> GiB a vCPU (https://aws.amazon.com/ec2/instance-types/)."""


def balance(size: ClusterSize, use: Use, rules: ReportRules) -> Balance | None:
    """Whether vcores and memory are used as machines have them; None where nothing was used."""
    vcores, memory = use.hours.vcores, use.hours.memory_gib
    if vcores <= 0 or memory <= 0:
        return None
    machine = size.reference
    used, has = memory / vcores, machine.memory / 1024 / (machine.cpu / 1000)
    binds = "memory" if used > has else "vcores"
    other = "vcores" if binds == "memory" else "memory"
    idle = _idle(used, has)
    best = min(FAMILIES, key=lambda family: (_idle(used, FAMILIES[family]), FAMILIES[family]))
    better = idle * 100 >= rules.unbalanced and _idle(used, FAMILIES[best]) < idle
    sentence = (
        f"Jobs use {used:.1f} GiB a vcore, of machines that have {has:.1f}: "
        f"{'memory binds' if binds == 'memory' else 'vcores bind'}, and a full machine has {idle:.0%} of its "
        f"{other} idle."
    )
    if better:
        rest = _idle(used, FAMILIES[best])
        sentence += f" Family {best}, with {FAMILIES[best]} GiB a vCPU, would leave {rest:.0%} idle."
    return Balance(
        binds=binds,
        gib_a_vcore=used,
        machine_gib_a_vcore=has,
        idle=idle,
        family=best if better else None,
        family_idle=_idle(used, FAMILIES[best]) if better else None,
        says=sentence,
    )


def _idle(used: float, has: float) -> float:
    """Share of the resource that does not bind which is idle in a full machine."""
    return 1 - min(used, has) / max(used, has)


def recommendations(
    size: ClusterSize, use: Use, queues: Sequence[QueueUse], rules: ReportRules
) -> Iterator[Recommendation]:
    """What to change of a cluster, and of its queues the largest changes first, on the word of one day."""
    if use.busiest is None:
        return
    # Half a day does not say that there was no busy hour in the other half.
    whole = use.known >= HOURS
    if (capacity := size.capacity) is not None:
        yield from _cluster(size.name, capacity.instances, use, whole, rules)
    of_queues = (
        advice
        for queue in queues
        for advice in _queue(queue, size.queues.get(queue.path, QueueSize()), whole, rules)
    )
    yield from sorted(of_queues, key=lambda advice: -advice.machines)


def _cluster(name: str, has: float, use: Use, whole: bool, rules: ReportRules) -> Iterator[Recommendation]:
    if use.peak_share is None:
        return
    busy = sum(amount.instances / has * 100 >= rules.busy for amount in use.by_hour)
    need = math.ceil(use.peak.instances * 100 / rules.target)
    peak = (
        f"{use.peak.instances:,.1f} of {has:,.0f} machines, {use.peak_share:.0%}, at {use.busiest or 0:02}:00"
    )
    target = f"with {need:,} the busiest hour takes {rules.target}%"
    if busy >= rules.busy_hours:
        by = need - math.floor(has)
        sentence = f"{busy} hours took {rules.busy}% or more, the busiest {peak}: {target}."
        if need > rules.most:
            into = -(-need // rules.most)
            yield Recommendation(
                of="cluster",
                name=name,
                action="split",
                machines=by,
                into=into,
                rule="most",
                says=f"{sentence[:-1]}, and that is more than {rules.most:,} in one cluster: make it {into}.",
            )
        else:
            yield Recommendation(
                of="cluster", name=name, action="grow", machines=by, rule="busy_hours", says=sentence
            )
    elif use.peak_share * 100 < rules.idle and whole and math.floor(has) > max(need, 1):
        yield Recommendation(
            of="cluster",
            name=name,
            action="shrink",
            machines=math.floor(has) - max(need, 1),
            rule="idle",
            says=f"The busiest hour took {peak}, less than {rules.idle}%: {target}.",
        )


def _queue(queue: QueueUse, size: QueueSize, whole: bool, rules: ReportRules) -> Iterator[Recommendation]:
    waits = queue.waiting_seconds is not None and queue.waiting_seconds > rules.waiting
    limits = (("maximum", queue.maximum, rules.busy), ("guarantee", queue.guaranteed, 100))
    if waits:
        for limit, amount, least in limits:
            if amount is None or (share := _most(queue.peak, amount)) * 100 < least:
                continue
            by = max(1, math.ceil(amount.instances * (share * 100 / rules.target - 1)))
            yield Recommendation(
                of="queue",
                name=queue.path,
                action="grow",
                machines=by,
                rule="waiting",
                says=f"It had {share:.0%} of its {limit} at {queue.busiest or 0:02}:00, and 90% of its runs "
                f"waited up to {(queue.waiting_seconds or 0) / 60:.0f} min: raise the {limit} by "
                f"{_machines(by)}.{_jobs(size.max_applications)}",
            )
            return
    if queue.guaranteed is None or not whole:
        return
    share = _most(queue.peak, queue.guaranteed)
    by = math.floor(queue.guaranteed.instances * (1 - share * 100 / rules.target))
    if share * 100 < rules.idle and by >= 1:
        yield Recommendation(
            of="queue",
            name=queue.path,
            action="shrink",
            machines=by,
            rule="idle",
            says=f"Its busiest hour took {share:.0%} of its guarantee, less than {rules.idle}%: lower it by "
            f"{_machines(by)}.",
        )


def _most(used: Amount, of: Amount) -> float:
    """Share of an amount that was used, by the resource of which it was most."""
    pairs: Iterable[tuple[float, float]] = (
        (used.vcores, of.vcores),
        (used.memory_gib, of.memory_gib),
        (used.gpus, of.gpus),
    )
    return max((amount / stated for amount, stated in pairs if stated), default=0.0)


def _jobs(most: int | None) -> str:
    """What else runs may have waited for: nothing that is recorded says which it was."""
    if most is None:
        return ""
    return f" It runs no more than {most} jobs at a time: look whether that is what they waited for."


def _machines(count: int) -> str:
    return f"{count} machine{'' if count == 1 else 's'}"
