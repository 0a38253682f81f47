"""The percentile algorithm: what each queue of a cluster is guaranteed, with the reasons of each number.

    1. Each queue has a curve: how much covers which share of the time that it is in use (curve.py).
    2. No queue gets less than a workflow in it needs to meet its SLO with nobody beside it: instance-hours
       of a run by the hours of the SLO.
    3. A queue without history gets what the rules say.
    4. The shares of the tiers are the highest that fit the cluster (thresholds.py).
    5. Where the least shares do not fit, or a queue above has a maximum that they do not fit, the lowest
       tier gives way first, all queues of it by the same part.

Published in "Efficient Resource Management at Pinterest's Batch Processing Platform"
(https://medium.com/pinterest-engineering/efficient-resource-management-at-pinterests-batch-processing-platform-61512ad98a95).
"""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from fractions import Fraction

from moka.allocation import thresholds
from moka.allocation.cluster import THOUSANDTHS, Cluster
from moka.allocation.curve import HUNDRED, Curve, Step
from moka.allocation.rules import TIERS, Rules
from moka.quantities import MIB, cores_text, gib_text
from moka.queues.resources import Resources
from moka.queues.tiers import TierNumber
from moka.usage.queue_names import queue_names
from moka.usage.records import HOUR


@dataclass(frozen=True, kw_only=True)
class Need:
    """What a workflow with an SLO takes.

    queue: in which its jobs run. machine_millis: of a run, thousandths of a machine times milliseconds, of
    which 90% of its runs take no more. slo_hours: in which a run has to be done.
    """

    queue: str
    workflow: str
    machine_millis: int
    slo_hours: float

    @property
    def machines(self) -> int:
        """Thousandths of machines without which a run by itself is not done in time."""
        if not self.slo_hours > 0:
            raise ValueError(f"{self.workflow} has an SLO of {self.slo_hours:g} hours: it is more than zero.")
        return int(-(-Fraction(self.machine_millis) // (Fraction(self.slo_hours) * HOUR)))


@dataclass(frozen=True, kw_only=True)
class Limit:
    """The most that all queues below a queue may be guaranteed together. source: what sets it."""

    source: str
    maximum: Resources


@dataclass(frozen=True, kw_only=True)
class Share:
    """What a queue gets.

    tier: of it. machines: thousandths. guaranteed: of each resource.
    max_applications: that run at a time.
    reasons: of these numbers, a sentence each.
    curve: what it used; None where it has no history.
    """

    queue: str
    tier: TierNumber
    machines: int
    guaranteed: Resources
    max_applications: int
    reasons: tuple[str, ...]
    curve: Curve | None

    @property
    def used_hours(self) -> tuple[float, float, float]:
        """Machine-, core- and GiB-hours that it used in the window."""
        if self.curve is None:
            return 0.0, 0.0, 0.0
        millis = HOUR * THOUSANDTHS
        return self.curve.machines / millis, self.curve.cpu / millis, self.curve.memory / HOUR / 1024


@dataclass(frozen=True, kw_only=True)
class TierShare:
    """What a tier of a cluster gets.

    percent: of the time in use. machines: thousandths that its queues get together. usage: of those, the part
    that was in use in the window on average.
    """

    percent: int
    machines: int
    usage: Fraction


@dataclass(frozen=True, kw_only=True)
class Allocation:
    """What the queues of a cluster get. says: what is to be known of all of it, a sentence each."""

    cluster: Cluster
    shares: tuple[Share, ...]
    tiers: Mapping[TierNumber, TierShare]
    says: tuple[str, ...]


def allocate(
    cluster: Cluster,
    queues: Iterable[str],
    curves: Iterable[Curve],
    needs: Iterable[Need] = (),
    limits: Sequence[Limit] = (),
    rules: Rules | None = None,
) -> Allocation:
    """Allocate a cluster.

    queues: paths of the leaf queues that there are; what others used is told. curves: of queues, those of
    other clusters are left out. limits: those of the queues themselves and of the queues above them.
    """
    rules = rules or Rules()
    by_queue = {curve.queue: curve for curve in curves if curve.cluster == cluster.name}
    demand = _Demand(cluster, rules, by_queue, _largest(needs))
    paths = sorted(set(queues))
    by_tier: dict[TierNumber, list[str]] = {tier: [] for tier in TIERS}
    for path in paths:
        by_tier[_tier(path)].append(path)
    used = {tier: demand.average_use(by_tier[tier]) for tier in TIERS}
    answer = thresholds.find(rules, cluster.instances * THOUSANDTHS, demand.machines_by_tier(by_tier), used)
    shares = [demand.share(path, answer.percents[_tier(path)]) for path in paths]
    sentences = [*_strangers(cluster, by_queue, paths), *answer.says]
    for limit in [*sorted(limits, key=lambda limit: (-limit.source.count("."), limit.source)), None]:
        shares, remarks = _fitted_shares(cluster, shares, limit, answer.percents)
        sentences += remarks
    sentences += [reason for share in shares if (reason := demand.late(share))]
    tiers = {}
    for tier in TIERS:
        machines = sum(share.machines for share in shares if share.tier == tier)
        usage = used[tier] / machines if machines else Fraction(0)
        tiers[tier] = TierShare(percent=answer.percents[tier], machines=machines, usage=usage)
    return Allocation(cluster=cluster, shares=tuple(shares), tiers=tiers, says=tuple(sentences))


def _tier(path: str) -> TierNumber:
    for tier in TIERS:
        if queue_names(path).tier == tier:
            return tier
    raise ValueError(f"{path} is no queue of a tier, as root.acme.etl.tier1 is.")


def _largest(needs: Iterable[Need]) -> dict[str, Need]:
    """Of each queue, the need that is met last."""
    largest: dict[str, Need] = {}
    for need in needs:
        largest_need = largest.get(need.queue)
        if largest_need is None or (need.machines, need.workflow) > (
            largest_need.machines,
            largest_need.workflow,
        ):
            largest[need.queue] = need
    return largest


def _strangers(cluster: Cluster, by_queue: Mapping[str, Curve], paths: Sequence[str]) -> Iterator[str]:
    for queue in sorted(by_queue.keys() - set(paths)):
        hours = by_queue[queue].machines / (HOUR * THOUSANDTHS)
        name = queue or "A queue that nobody named"
        yield f"{name} used {hours:.1f} instance-hours of {cluster.name}, but is not among its queues."


@dataclass(frozen=True)
class _Demand:
    """What queues would get, if there was enough."""

    cluster: Cluster
    rules: Rules
    curves: Mapping[str, Curve]
    needs: Mapping[str, Need]

    def machines(self, path: str, percent: int) -> int:
        curve = self.curves.get(path)
        covering = (
            self.rules.new_machines * THOUSANDTHS if curve is None else curve.covering(percent).machines
        )
        return max(covering, self.needs[path].machines if path in self.needs else 0)

    def machines_by_tier(self, by_tier: Mapping[TierNumber, Sequence[str]]) -> thresholds.MachinesForShare:
        """What tiers would get for a percentage, each worked out once."""
        cache: dict[tuple[TierNumber, int], int] = {}

        def machines(tier: TierNumber, percent: int) -> int:
            key = tier, percent
            if key not in cache:
                cache[key] = sum(self.machines(path, percent) for path in by_tier[tier])
            return cache[key]

        return machines

    def average_use(self, paths: Iterable[str]) -> Fraction:
        """Thousandths of machines in use on average, over the whole window."""
        total = sum(self.curves[path].machines for path in paths if path in self.curves)
        return Fraction(total, self.rules.window)

    def share(self, path: str, percent: int) -> Share:
        curve, machines, need = self.curves.get(path), self.machines(path, percent), self.needs.get(path)
        step = None if curve is None else curve.covering(percent)
        reasons = [self._why(step, curve, percent)]
        cpu, memory, gpu = (0, 0, 0) if step is None else step[2:]
        if gpu and not self.cluster.instance.gpu:
            reasons.append(
                f"It had {gpu} GPUs in use, which do not count: a machine of {self.cluster.name} has none."
            )
            gpu = 0
        if step is None or machines > step.machines:
            # Whole machines of the cluster: nothing says which of their resources it will need most.
            whole = [size * machines // THOUSANDTHS for size in self.cluster.sizes()]
            cpu, memory, gpu = (max(pair) for pair in zip((cpu, memory, gpu), whole, strict=True))
        if need is not None and need.machines == machines:
            reasons.append(
                f"{need.workflow} needs {_machines(need.machines)} to be done in {need.slo_hours:g} h: "
                f"a run takes {need.machine_millis / HOUR / THOUSANDTHS:.1f} instance-hours."
            )
        applications, why = self._applications(curve)
        return Share(
            queue=path,
            tier=_tier(path),
            machines=machines,
            # A pod has some of both.
            guaranteed=_resources(max(cpu, 1), max(memory, 1), gpu),
            max_applications=applications,
            reasons=(*reasons, why),
            curve=curve,
        )

    def _why(self, step: Step | None, curve: Curve | None, percent: int) -> str:
        if step is None or curve is None:
            new = _machines(self.rules.new_machines * THOUSANDTHS)
            return f"It used nothing in {self.rules.days} days, so it gets {new}."
        cover = "covers" if step.machines == THOUSANDTHS else "cover"
        return (
            f"{_machines(step.machines)} {cover} {percent}% of the {curve.busy / HOUR:.1f} h in which it had "
            f"something in use: at most {cores_text(step.cpu)} and {gib_text(step.memory)}."
        )

    def late(self, share: Share) -> str | None:
        """What is to be known of a queue that does not get what a workflow of it needs."""
        need = self.needs.get(share.queue)
        if need is None or share.machines >= need.machines:
            return None
        return (
            f"{need.workflow} will not be done in {need.slo_hours:g} h: {share.queue} gets "
            f"{_machines(share.machines)} of the {_machines(need.machines)} that a run needs."
        )

    def _applications(self, curve: Curve | None) -> tuple[int, str]:
        if curve is None:
            number = self.rules.new_applications
            return number, f"Without history it runs at most {_applications(number)} at a time."
        number = max(-(-curve.applications * (HUNDRED + self.rules.headroom) // HUNDRED), 1)
        return number, (
            f"At most {_applications(curve.applications)} ran at a time; with {self.rules.headroom}% more, "
            f"{number} may."
        )


def _fitted_shares(
    cluster: Cluster, shares: list[Share], limit: Limit | None, percents: Mapping[TierNumber, int]
) -> tuple[list[Share], list[str]]:
    """The shares, those of lower tiers less where they are more than the cluster, or a queue, may have.

    limit: None for the cluster itself.
    """
    if limit is None:
        bounds = {"machines": cluster.instances * THOUSANDTHS}
        source, members = cluster.name, {share.queue for share in shares}
    else:
        bounds = dict(limit.maximum.amounts())
        source = limit.source
        members = {s.queue for s in shares if s.queue == source or s.queue.startswith(f"{source}.")}
    sentences = []
    for tier in reversed(TIERS):
        part = _part(tier, [share for share in shares if share.queue in members], bounds)
        if part == 1:
            continue
        cut = {share.queue for share in shares if share.queue in members and share.tier == tier}
        rest = f"{float(part):.0%} of what {percents[tier]}% of the time in use takes."
        queues = "1 queue keeps" if len(cut) == 1 else f"{len(cut)} queues keep"
        reason = f"{source} has too little for tier {tier}, so it keeps {rest}"
        shares = [_cut(share, part, reason) if share.queue in cut else share for share in shares]
        sentences.append(f"{source} has too little for tier {tier}: {queues} {rest}")
    return shares, sentences


def _part(tier: TierNumber, shares: Sequence[Share], bounds: Mapping[str, int]) -> Fraction:
    """The part of a tier's amounts with which all of it fits, if anything of it does."""
    part = Fraction(1)
    for measure, bound in bounds.items():
        own = sum(_amount(share, measure) for share in shares if share.tier == tier)
        over = sum(_amount(share, measure) for share in shares) - bound
        if over > 0 and own:
            part = min(part, Fraction(max(own - over, 0), own))
    return part


def _amount(share: Share, measure: str) -> int:
    return share.machines if measure == "machines" else share.guaranteed.get(measure) or 0


def _cut(share: Share, part: Fraction, reason: str) -> Share:
    guaranteed = share.guaranteed
    return replace(
        share,
        machines=int(share.machines * part),
        guaranteed=_resources(
            cpu=int((guaranteed.cpu or 0) * part),
            memory=int((guaranteed.memory or 0) // MIB * part),
            gpu=int((guaranteed.gpu or 0) * part),
        ),
        reasons=(*share.reasons, reason),
    )


def _resources(cpu: int, memory: int, gpu: int) -> Resources:
    """Amounts, of which one that is nothing is not stated."""
    return Resources(cpu=cpu or None, memory=memory * MIB or None, gpu=gpu or None)


def _machines(thousandths: int) -> str:
    number = f"{thousandths / THOUSANDTHS:.3f}".rstrip("0").rstrip(".")
    return f"{number} machine" + ("" if number == "1" else "s")


def _applications(number: int) -> str:
    return f"{number} application" + ("" if number == 1 else "s")
