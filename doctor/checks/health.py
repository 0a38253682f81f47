"""What EKS could not create: it does not try again, and an `up` that comes later takes it for made."""

from collections.abc import Iterator
from dataclasses import dataclass

from doctor.account import Place
from doctor.checks.names import cluster
from doctor.finding import Finding, ok, problem

CREATE_FAILED = "CREATE_FAILED"


@dataclass(frozen=True)
class Part:
    """Parts of a cluster of one kind: its name in EKS's calls, members of their answers, words."""

    kind: str
    listed: str
    name: str
    words: str


PARTS = (
    Part("nodegroup", "nodegroups", "nodegroupName", "Node group"),
    Part("addon", "addons", "addonName", "Add-on"),
)


def health(place: Place) -> Iterator[Finding]:
    """No node group and no add-on of a cluster that is there is one that EKS could not create."""
    for name in place.clusters:
        where, eks_name = f"{place.name}/{name}", place.cluster_name(name)
        if cluster(place, eks_name) is None:
            continue
        findings = [finding for part in PARTS for finding in _failed(place, where, eks_name, part)]
        yield from findings
        if not findings:
            yield ok(where, f"EKS has created all node groups and add-ons of {eks_name}.")


def _failed(place: Place, where: str, eks_name: str, part: Part) -> Iterator[Finding]:
    for name in place.items("eks", f"list_{part.kind}s", part.listed, clusterName=eks_name):
        key = {"clusterName": eks_name, part.name: name}
        state = place.ask("eks", f"describe_{part.kind}", **key)[part.kind]
        if state["status"] == CREATE_FAILED:
            reasons = "; ".join(str(issue.get("message")) for issue in state["health"]["issues"])
            yield problem(
                where,
                f"{part.words} {name}: EKS could not create it ({reasons}), and does not try again.",
                f"Mend that, delete it (aws eks delete-{part.kind} --cluster-name {eks_name} "
                f"--{part.kind}-name {name}), then run `up` with --refresh.",
            )
