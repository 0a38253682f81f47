"""Whether a node's role lets it join its cluster."""

from collections.abc import Iterator
from dataclasses import replace

from aws_rules.iam.evaluation import Policy, Role
from aws_rules.iam.permissions import (
    ANYTHING,
    Place,
    Surroundings,
    denied,
    open_resource,
    trusted,
    verdicts,
)
from aws_rules.iam.programs import (
    IMAGE_LAYERS,
    IMAGE_PULLER,
    NODEADM,
    POD_IDENTITY_AGENT,
    VPC_CNI,
    Program,
)
from aws_rules.rule import Rule, Verdict, Violation

NODE_PERMISSIONS = Rule(
    name="node-permissions",
    authority="EKS",
    decides="whether a node's role may be taken by EC2, and do what joining takes: nodeadm, image pulls, "
    "the Pod Identity agent, and the VPC CNI where that has no identity of its own",
    source="https://docs.aws.amazon.com/eks/latest/userguide/create-node-role.html",
)

RULES = (NODE_PERMISSIONS,)

NOT_JOINED = "Instances failed to join the kubernetes cluster"
UNHEALTHY = "Unhealthy nodes in the kubernetes cluster"
"""Messages of NodeCreationFailure. Source: https://docs.aws.amazon.com/eks/latest/APIReference/API_Issue.html"""

EC2_SERVICES = ("ec2.amazonaws.com", "ec2.amazonaws.com.cn")

ECR_ITSELF = Role(arn="arn:aws:iam::000000000000:role/ecr", policies=(ANYTHING,))
"""Who signs the requests by which machines get layers: an account of AWS's, whose id is not told."""


def node_programs(*, names_by_instance_id: bool, pod_identity: bool, cni_identity: bool) -> list[Program]:
    """Programs that act as the node.

    names_by_instance_id: nodeadm's feature gate InstanceIdNodeName is on.
    pod_identity: the cluster has the Pod Identity agent. cni_identity: the VPC CNI has a role of its own.
    """
    return [
        *([] if names_by_instance_id else [NODEADM]),
        IMAGE_PULLER,
        *([POD_IDENTITY_AGENT] if pod_identity else []),
        *([] if cni_identity else [VPC_CNI]),
    ]


def may_join(
    group: str,
    role: Role,
    trust: Policy,
    place: Place,
    around: Surroundings,
    *,
    names_by_instance_id: bool = False,
    pod_identity: bool = True,
    cni_identity: bool = True,
) -> Iterator[Verdict]:
    """What keeps the machines of a node group from joining, as far as permissions do.

    group: what it is called in messages. trust: trust policy of the role.
    place, around: of the cluster; endpoints are those of its VPC. The rest as for `node_programs`.
    """
    if not any(trusted(role.arn, trust, service, ["sts:AssumeRole"]) is None for service in EC2_SERVICES):
        yield Violation(
            rule=NODE_PERMISSIONS,
            resource=group,
            code="InvalidParameterException",
            message="Following required service principals [ec2.amazonaws.com] were not found in the trust "
            f"relationships of nodeRole {role.arn}",
            remedy=f"let ec2.amazonaws.com take {role.name} (sts:AssumeRole) in its trust policy",
        )
        return
    machine = replace(role, session="i-0123456789abcdef0")
    for program in node_programs(
        names_by_instance_id=names_by_instance_id, pod_identity=pod_identity, cni_identity=cni_identity
    ):
        failure = NOT_JOINED if program is NODEADM else UNHEALTHY
        yield from verdicts(
            NODE_PERMISSIONS,
            group,
            program,
            machine,
            place,
            around,
            code="NodeCreationFailure",
            opening=f"{failure}; {program.name} gets: ",
        )
    yield from _layers(group, place, around)


def _layers(group: str, place: Place, around: Surroundings) -> Iterator[Violation]:
    """Whether images get through the VPC's endpoint of S3; it is ECR that signs the requests."""
    denials, _ = denied(
        ECR_ITSELF, [IMAGE_LAYERS], place, Surroundings(resource=open_resource, endpoint=around.endpoint)
    )
    for refusal in denials:
        arn = refusal.request.resource.arn.rpartition("/")[0]
        yield Violation(
            rule=NODE_PERMISSIONS,
            resource=group,
            code="NodeCreationFailure",
            message=f"{UNHEALTHY}; image pulls get: 403 Forbidden of s3:GetObject on {arn}/*, "
            f"{refusal.denial.because('s3:GetObject')}",
            remedy=f"let everybody do s3:GetObject on {arn}/* in the policy of the VPC endpoint of S3",
        )


def cni_may(group: str, role: Role, place: Place, around: Surroundings) -> Iterator[Verdict]:
    """What keeps nodes from being ready, where the VPC CNI has a role of its own and it is too little."""
    yield from verdicts(
        NODE_PERMISSIONS,
        group,
        VPC_CNI,
        role,
        place,
        around,
        code="NodeCreationFailure",
        opening=f"{UNHEALTHY}; {VPC_CNI.name} gets: ",
    )
