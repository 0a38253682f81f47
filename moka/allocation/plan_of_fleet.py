"""The answer to a fleet as a plan: a document that is reviewed, and then takes effect."""

import hashlib
import json
from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from datetime import UTC, datetime
from typing import Any

from moka.allocation.fleet import COUNTED, Fleet, FleetPlan, QueueHours
from moka.allocation.objective_sentences import reached, worth
from moka.allocation.offer import Offer
from moka.allocation.plan import FORMAT, ExpectedSlo, Plan, as_data, read
from moka.allocation.queue_amounts import Amounts, AmountsOfHour, HourAmounts
from moka.allocation.queue_parts import most
from moka.allocation.queues_in_force import BESIDE_GPUS, in_force
from moka.quantities import MIB
from moka.queues.resources import Resources, quantity
from moka.workflows.definitions import Workflow


@dataclass(frozen=True, kw_only=True)
class Basis:
    """What an answer goes by, besides the fleet.

    began, ended: of the history, milliseconds since 1970. seed: of the search.
    revision: of what is in force; None where nobody knows.
    by: who, or what, makes the plan. made: when.
    says: what is to be known of the history, a sentence each.
    unrecorded: clusters without history, whose queues keep what the settings guarantee them.
    reasons: cluster -> queue -> sentences on its amounts.
    """

    began: int
    ended: int
    seed: int
    revision: int | None
    by: str
    made: datetime
    says: Sequence[str] = ()
    unrecorded: Collection[str] = ()
    reasons: Mapping[str, Mapping[str, Sequence[str]]] = field(default_factory=dict)


def plan_of(
    answer: FleetPlan,
    fleet: Fleet,
    offers: Sequence[Offer],
    workflows: Mapping[str, Workflow],
    basis: Basis,
) -> Plan:
    """The plan.

    Amounts are such as the settings leave to plans: where queues above have less, lower tiers give way. The
    id follows from what it says, so that the same plan made again is the same.
    """
    clusters = {}
    running = {(answer.placements[workflow.name], workflow.queue) for workflow in fleet.workflows}
    for offer in offers:
        if offer.name in basis.unrecorded and not any(name == offer.name for name, _ in running):
            continue
        # What nothing runs in has its floor, and as many applications as the settings have.
        explained = basis.reasons.get(offer.name, {})
        own = [
            queue
            for queue in answer.queues
            if queue.cluster == offer.name
            and queue.queue in offer.queues
            and ((queue.cluster, queue.queue) in running or queue.queue in explained)
        ]
        least = _stated(offer) if offer.name in basis.unrecorded else _floors(offer, fleet)
        planned, remarks = _queues(own, offer, least, explained)
        clusters[offer.name] = {
            "settings": offer.settings.digest,
            "queues": planned,
            "says": [*remarks, *_of_cluster(offer.name, answer)],
        }
    sentences = [*basis.says, *answer.says, *map(reached, answer.objectives)]
    if any(answer.placements[workflow.name] != workflow.home for workflow in fleet.workflows):
        sentences.append(
            "What workflows that move ask of their new cluster is an estimate: how their runs meet those "
            "there is not known."
        )
    sentences += [
        constraint
        for constraint in answer.binding
        if not any(constraint.startswith(f"{name} ") for name in clusters)
    ]
    data: dict[str, Any] = {
        "format": FORMAT,
        "made": basis.made.astimezone(UTC).isoformat(timespec="seconds"),
        "by": basis.by,
        "basis": _basis(answer, basis),
        "clusters": clusters,
        "routes": dict(_routes(answer, workflows)),
        "says": sentences,
    }
    data["id"] = _id(data)
    return read(data, "plan")


def with_slos(plan: Plan, slos: Mapping[str, ExpectedSlo], sentences: Sequence[str]) -> Plan:
    """The plan with what is expected of SLOs. sentences: what is to be known of that, a sentence each."""
    whole = plan.model_copy(update={"slos": dict(sorted(slos.items())), "says": [*plan.says, *sentences]})
    return whole.model_copy(update={"id": _id(as_data(whole))})


def _queues(
    hours_of_queues: Sequence[QueueHours],
    offer: Offer,
    least: Mapping[str, Resources],
    reasons: Mapping[str, Sequence[str]],
) -> tuple[dict[str, Any], list[str]]:
    """What the queues of a cluster get, and what of it the settings have lowered.

    least: that each of them gets.
    """
    # All queues, or others had to give way for what the settings guarantee those that are left out.
    requests = {path: [_hour(_with_gpus(least[path], offer, path), None)] for path in offer.queues}
    requests |= {queue.queue: [*_hours(queue, offer, least[queue.queue])] for queue in hours_of_queues}
    sentences: dict[str, None] = {}
    fitted: dict[str, list[HourAmounts]] = {path: [] for path in requests}
    count = max(map(len, requests.values()), default=0)
    for hour in range(count):
        amounts = AmountsOfHour(
            hour, {path: own[hour % len(own)] for path, own in requests.items()}, offer.settings.digest
        )
        merged = in_force(offer.settings, amounts, offer.settings.calendar.all_nodes)
        sentences |= dict.fromkeys(f"{remark.at} {remark.says}." for remark in merged.says)
        leaves = dict(merged.tree.leaves())
        for path, own in fitted.items():
            planned = amounts.queues[path].max_applications is not None
            own.append(_hour(leaves[path].guaranteed, leaves[path].max_applications if planned else None))
    return {
        path: {
            "hours": [amounts.model_dump(exclude_none=True) for amounts in _short(own)],
            "reasons": [*reasons.get(path, ())],
        }
        for path, own in fitted.items()
    }, [*sentences]


def _floors(offer: Offer, fleet: Fleet) -> Mapping[str, Resources]:
    floors = {queue.path: queue.floors.get(offer.name) for queue in fleet.queues}
    return {path: floors.get(path) or Resources() for path in offer.queues}


def _stated(offer: Offer) -> Mapping[str, Resources]:
    return {path: queue.guaranteed or Resources() for path, queue in offer.queues.items()}


def _hours(queue: QueueHours, offer: Offer, least: Resources) -> Iterator[HourAmounts]:
    """As many applications as in the hour with most of them: a run that is late is not to wait for a day."""
    applications = max(amounts.max_applications for amounts in queue.hours)
    for amounts in queue.hours:
        guaranteed = most(amounts.guaranteed, least)
        yield _hour(_with_gpus(guaranteed, offer, queue.queue), applications)


def _with_gpus(amounts: Resources, offer: Offer, path: str) -> Resources:
    """GPUs are not shared out: what the settings guarantee of them stays."""
    stated = offer.queues[path].guaranteed
    return replace(amounts, gpu=stated.gpu if stated else None)


def _hour(guaranteed: Resources | None, applications: int | None) -> HourAmounts:
    amounts = dict(guaranteed.amounts()) if guaranteed else {}
    if amounts.get("gpu"):
        amounts |= {name: amounts.get(name) or least for name, least in BESIDE_GPUS.items()}
    if memory := amounts.get("memory"):
        amounts["memory"] = memory - memory % MIB
    # A guarantee has both, or YuniKorn takes what is not stated for nothing.
    stated = {name: amount for name, amount in amounts.items() if amount} if _whole(amounts) else {}
    return HourAmounts(
        guaranteed=Amounts(
            cpu=quantity("cpu", stated["cpu"]),
            memory=quantity("memory", stated["memory"]),
            gpu=stated.get("gpu"),
        )
        if stated
        else None,
        max_applications=applications,
    )


def _whole(amounts: Mapping[str, int]) -> bool:
    return all(amounts.get(name) for name in COUNTED)


def _short(hours: list[HourAmounts]) -> list[HourAmounts]:
    """One for all hours where they are equal."""
    return hours[:1] if all(hour == hours[0] for hour in hours) else hours


def _routes(answer: FleetPlan, workflows: Mapping[str, Workflow]) -> Iterator[tuple[str, dict[str, str]]]:
    for name, cluster in sorted(answer.placements.items()):
        workflow = workflows.get(name)
        if workflow is not None and workflow.cluster != cluster:
            yield (
                name,
                {
                    "cluster": cluster,
                    "why": f"With all workflows placed as in this plan, {cluster} has more room for it than "
                    f"{workflow.cluster}, its home.",
                },
            )


def _basis(answer: FleetPlan, basis: Basis) -> dict[str, Any]:
    window = {
        name: datetime.fromtimestamp(millis / 1000, UTC).isoformat(timespec="seconds")
        for name, millis in (("began", basis.began), ("ended", basis.ended))
    }
    result: dict[str, Any] = {"engine": answer.method, "window": window, "seed": basis.seed}
    if answer.objectives:
        # The first that is not reached as far as can be.
        first = next((goal for goal in answer.objectives if goal.value), answer.objectives[0])
        result |= {"gap": min(answer.gap, 1.0), "bound": float(first.bound), "objective": float(first.value)}
    if basis.revision is not None:
        result["revision"] = basis.revision
    return result


def _of_cluster(name: str, answer: FleetPlan) -> Iterator[str]:
    yield from (constraint for constraint in answer.binding if constraint.startswith(f"{name} "))
    yield from (worth(node) for node in answer.nodes if node.cluster == name and node.gain)


def _id(data: Mapping[str, Any]) -> str:
    """Of what a plan says: equal plans that are made on a day have the same."""
    content = {key: value for key, value in data.items() if key not in ("made", "id")}
    digest = hashlib.sha256(json.dumps(content, sort_keys=True).encode()).hexdigest()[:8]
    return f"{data['made'][:10]}-{data['basis']['engine']}-{digest}"
