"""Time-outs of the AWS provider: what EKS takes, against what a resource may take. Nothing waits."""

from collections.abc import Mapping
from dataclasses import dataclass

from aws_rules.eks import duration
from localcloud.errors import Refusal
from localcloud.plugins.aws.subject import Subject


@dataclass(frozen=True)
class Waits:
    """How the provider waits for a type.

    noun: in its messages. key: in the tables of durations.
    create, update, delete: its default time-outs, in minutes.
    """

    noun: str
    key: str
    create: int
    update: int
    delete: int


WAITS: Mapping[str, Waits] = {
    "aws:eks/cluster:Cluster": Waits("EKS Cluster", "cluster", 30, 60, 15),
    "aws:eks/nodeGroup:NodeGroup": Waits("EKS Node Group", "nodegroup", 60, 60, 60),
    "aws:eks/addon:Addon": Waits("EKS Add-On", "addon", 20, 20, 40),
}
"""hashicorp/terraform-provider-aws: website/docs/r/eks_{cluster,node_group,addon}.html.markdown."""

ENDS = {
    "create": "create: timeout while waiting for state to become 'ACTIVE' (last state: 'CREATING', ",
    "update": "update: timeout while waiting for state to become 'Successful' (last state: 'InProgress', ",
    "delete": "delete: timeout while waiting for resource to be gone (last state: 'DELETING', ",
}
"""The provider's words (terraform-plugin-sdk: helper/retry/error.go)."""


def meet_timeout(subject: Subject, verb: str, timeout: float) -> None:
    """Raise Refusal when what was done takes EKS longer than the provider waits.

    timeout: of the resource's `customTimeouts`, in seconds; 0 for the provider's own.

    It is done all the same, as EKS goes on: the next run finds it done.
    """
    waits = WAITS.get(subject.type)
    if waits is None:
        return
    minutes = {
        "create": duration.CREATE_MINUTES[waits.key],
        "delete": duration.DELETE_MINUTES[waits.key],
        "update": subject.minutes,
    }[verb]
    allowed = timeout / 60 or {"create": waits.create, "update": waits.update, "delete": waits.delete}[verb]
    if minutes > allowed:
        raise Refusal(
            f"{subject.type}: waiting for {waits.noun} ({subject.id}) {ENDS[verb]}timeout: "
            f"{_go_duration(allowed)}): EKS may take {minutes} minutes, so allow them with customTimeouts."
        )


def _go_duration(minutes: float) -> str:
    """A duration as Go prints it: 1h0m0s."""
    seconds = round(minutes * 60)
    hours, rest = divmod(seconds, 3600)
    parts = [f"{hours}h"] if hours else []
    parts += [f"{rest // 60}m"] if hours or rest >= 60 else []
    return "".join([*parts, f"{rest % 60}s"])
