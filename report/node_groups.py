"""Node groups as a preview has them: their sizes, roles, machines."""

from dataclasses import dataclass

from moka.names import RETIRING_TAINT, ROLE_LABEL
from previews import State, Step
from previews.values import mapping, number, sequence, text
from report.words import code

NODE_GROUP = "aws:eks/nodeGroup:NodeGroup"


@dataclass(frozen=True)
class Size:
    """Nodes of a group, as far as they are known."""

    minimum: int
    desired: int
    maximum: int


def size(state: State) -> Size:
    """The bounds of a group; the size that the autoscaler gave it is not known."""
    scaling = mapping(state.inputs.get("scalingConfig"))
    minimum = number(scaling.get("minSize")) or 0
    maximum = number(scaling.get("maxSize")) or minimum
    desired = number(scaling.get("desiredSize"))
    return Size(minimum, minimum if desired is None else desired, maximum)


def role(state: State) -> str:
    """The role of a group's nodes; empty where its labels do not say."""
    return text(mapping(state.inputs.get("labels")).get(ROLE_LABEL))


def group_name(step: Step) -> str:
    """A group as EKS names it, with its cluster."""
    state = step.state
    cluster = text(state.inputs.get("clusterName"))
    name = text(state.inputs.get("nodeGroupName"), step.name)
    return code(f"{cluster}/{name}" if cluster else name)


def machine_types(state: State) -> list[str]:
    """Names of a group's instance types, the preferred one first."""
    return [text(name) for name in sequence(state.inputs.get("instanceTypes")) if text(name)]


def retiring(state: State) -> bool:
    """Whether nothing new is placed on a group's nodes."""
    return any(mapping(taint).get("key") == RETIRING_TAINT for taint in sequence(state.inputs.get("taints")))
