"""What `moka doctor --upgrade VERSION` asks: what stands between clusters and another Kubernetes version."""

from collections.abc import Callable, Iterator, Mapping

from doctor.account import Place
from doctor.finding import Finding
from doctor.question import Question
from doctor.upgrade import clusters, nodes, pins

Ask = Callable[[Place, str], Iterator[Finding]]

ASKED: Mapping[str, Ask] = {
    "The way to the version": clusters.way,
    "Support of the version": clusters.support,
    "Insights of EKS": clusters.insights,
    "Addresses for the control plane": clusters.addresses,
    "Versions of add-ons": pins.addons,
    "The cluster autoscaler": pins.autoscaler,
    "Charts": pins.charts,
    "Machine images": nodes.images,
    "Node groups": nodes.behind,
}
"""What it is about -> the question, of a place and the version."""


def questions(version: str) -> tuple[Question, ...]:
    """The questions about going to a Kubernetes version, such as `1.36`."""
    return tuple(Question(about, _about(version, ask)) for about, ask in ASKED.items())


def _about(version: str, ask: Ask) -> Callable[[Place], Iterator[Finding]]:
    return lambda place: ask(place, version)
