"""A row of the table: what one resource type takes."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field

from stacks.settings import Environment
from stacks.settings.foundation import Foundation

PROVIDER = "hashicorp/terraform-provider-aws: internal/service/"
"""Source of what the AWS provider calls: Pulumi's is made of Terraform's."""

REFERENCE = "https://docs.aws.amazon.com/service-authorization/latest/reference/"
"""Source of what else an action takes of who calls it."""

ECR_GUIDE = "https://docs.aws.amazon.com/AmazonECR/latest/userguide/"
TRANSIT_GATEWAY_GUIDE = "https://docs.aws.amazon.com/vpc/latest/tgw/"
"""Sources of what only the guide of a service says."""

Condition = Callable[[Environment, str, Foundation], bool]
"""Whether a foundation of that name has something."""


def every_foundation(settings: Environment, name: str, foundation: Foundation) -> bool:
    """All of them."""
    return True


@dataclass(frozen=True, kw_only=True)
class Row:
    """What deploying takes for one type of Pulumi's AWS provider, or for a function of it.

    type: token, for example `aws:ec2/vpc:Vpc`.
    schemas: CloudFormation's types of the same thing: the source of all actions but those in `beyond`.
    create, read, update, delete: actions of IAM, separated by spaces; tagging is in create and update.
    emptied: further actions of a delete where the settings retain nothing.
    beyond: action -> source, where CloudFormation's handlers do not have it.
    when: whether a foundation has the type.
    """

    type: str
    schemas: str = ""
    create: str = ""
    read: str = ""
    update: str = ""
    delete: str = ""
    emptied: str = ""
    beyond: Mapping[str, str] = field(default_factory=dict)
    when: Condition = every_foundation

    @property
    def reads(self) -> frozenset[str]:
        """Actions of a preview with refresh."""
        return frozenset(self.read.split())

    @property
    def writes(self) -> frozenset[str]:
        """Actions that change something, besides those that empty what is deleted."""
        return frozenset(f"{self.create} {self.update} {self.delete}".split())

    def actions(self, *, retain: bool) -> frozenset[str]:
        """All actions; retain: the settings keep what holds data."""
        return self.reads | self.writes | frozenset(() if retain else self.emptied.split())
