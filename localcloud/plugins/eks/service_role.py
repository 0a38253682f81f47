"""An IAM role that an AWS service takes, with policies of AWS."""

import hashlib
import json
from collections.abc import Sequence

import pulumi
import pulumi_aws as aws


class ServiceRole(pulumi.ComponentResource):
    """Pulumi type `eks:index:ServiceRole`: iam.Role and its RolePolicyAttachments."""

    role: aws.iam.Role
    attachments: list[aws.iam.RolePolicyAttachment]

    def __init__(
        self,
        name: str,
        *,
        service: str,
        description: str | None,
        actions: Sequence[str],
        policies: Sequence[str],
        partition: pulumi.Output[str],
        tags: pulumi.Input[dict[str, str]] | None,
        opts: pulumi.ResourceOptions,
    ) -> None:
        super().__init__("eks:index:ServiceRole", name, {}, opts)
        child = pulumi.ResourceOptions(parent=self)

        self.role = aws.iam.Role(
            f"{name}-role",
            description=description,
            assume_role_policy=trust(service, actions),
            tags=tags,
            opts=child,
        )
        self.attachments = [
            aws.iam.RolePolicyAttachment(
                f"{name}-{attachment_suffix(policy)}",
                policy_arn=pulumi.Output.concat("arn:", partition, f":iam::aws:policy/{policy}"),
                role=self.role.name,
                opts=child,
            )
            for policy in policies
        ]
        self.register_outputs({"directRole": self.role, "resolvedRole": self.role})


def trust(service: str, actions: Sequence[str]) -> str:
    """Trust policy (JSON) that lets a service take the role."""
    statement = {"Action": list(actions), "Effect": "Allow", "Principal": {"Service": [service]}}
    return json.dumps({"Version": "2012-10-17", "Statement": [statement]}, separators=(",", ":"))


def attachment_suffix(policy: str) -> str:
    """End of an attachment's logical name, by its policy, whatever the partition."""
    return hashlib.sha1(f"arn:aws:iam::aws:policy/{policy}".encode()).hexdigest()[:8]
