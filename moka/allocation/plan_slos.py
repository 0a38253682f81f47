"""What a plan is expected to do to SLOs, in sentences, tier by tier."""

from collections.abc import Iterator

from moka.allocation.plan import ExpectedSlo, Plan
from moka.allocation.replay.slo import keeps_slo
from moka.allocation.rules import TIERS

MOST_NAMES = 20
"""Of workflows that would lose their SLO; of more there is their number."""


def sentences(plan: Plan) -> Iterator[str]:
    """How many workflows keep their SLO, and which ones would no longer."""
    for tier in TIERS:
        slos = [slo for slo in plan.slos.values() if slo.tier == tier]
        if slos:
            yield _tier(tier, slos)
    lost = losses(plan)
    yield from (_loss(name, plan.slos[name]) for name in lost[:MOST_NAMES])
    if (more := len(lost) - MOST_NAMES) > 0:
        yield f"{more} more would no longer keep their SLO."


def losses(plan: Plan) -> list[str]:
    """Workflows that keep their SLO now, and would no longer: those of tier 1 first, then by name."""
    lost = [
        name
        for name, slo in plan.slos.items()
        if (now := _now(slo)) is not None and keeps_slo(now) and not keeps_slo(slo.expected)
    ]
    return sorted(lost, key=lambda name: (plan.slos[name].tier, name))


def _now(slo: ExpectedSlo) -> float | None:
    """The replay's, as that of the plan is; where there is none, what was recorded."""
    return slo.before if slo.in_force is None else slo.in_force


def _tier(tier: int, slos: list[ExpectedSlo]) -> str:
    expected = sum(keeps_slo(slo.expected) for slo in slos)
    now = [_now(slo) for slo in slos]
    if all(share is None for share in now):
        return f"tier {tier}: {expected} of {len(slos)} workflows keep their SLO with this plan"
    count = sum(share is not None and keeps_slo(share) for share in now)
    return f"tier {tier}: {count} of {len(slos)} workflows keep their SLO, {expected} with this plan"


def _loss(name: str, slo: ExpectedSlo) -> str:
    return (
        f"{name} of tier {slo.tier} would no longer keep its SLO: {slo.expected:.1%} of its runs in time, "
        f"not {_now(slo):.1%}"
    )
