"""Permissions of one Kubernetes service account, by EKS Pod Identity.

EKS puts tags into every session of such a role: `eks-cluster-arn`, `eks-cluster-name`,
`kubernetes-namespace`, `kubernetes-service-account`, `kubernetes-pod-name`, `kubernetes-pod-uid`. The trust
policy requires three of them; statements may name them as policy variables, as OF_NAMESPACE and OF_CLUSTER.
"""

from asyncio import sleep
from collections.abc import Sequence
from dataclasses import dataclass, field

import pulumi
import pulumi_aws as aws

from moka.components.aws.policy import Statement, permit, trust
from moka.components.ordering import after, after_outputs

OF_NAMESPACE = "${aws:PrincipalTag/kubernetes-namespace}"
"""Stands in a statement for the namespace of the calling pod."""

OF_CLUSTER = "${aws:PrincipalTag/eks-cluster-name}"
"""Stands in a statement for the EKS cluster of the calling pod."""

SETTLING_SECONDS = 15
"""From the creation of an association until pods that come get its credentials; earlier ones never do.

It "may take several seconds to be effective after the initial API call returns", and no call says that it is
(https://docs.aws.amazon.com/eks/latest/APIReference/API_CreatePodIdentityAssociation.html,
aws/containers-roadmap#2507); 5 to 10 were enough in aws/eks-pod-identity-agent#52.
"""


@dataclass(frozen=True, kw_only=True)
class PodIdentityArgs:
    """Which service account gets which permissions.

    cluster_name: EKS cluster on which the pods run.
    namespace, service_account: whose pods get the permissions; the account need not exist yet.
    statements: what they may do.
    managed_policy_arns: policies kept by AWS, for software of AWS that publishes one.
    path: of the role, `/<prefix>/`; policies tell roles apart by it.
    permissions_boundary_arn: policy that bounds whatever else the role is ever given.
    tags: of every AWS resource that is made here.
    """

    cluster_name: pulumi.Input[str]
    namespace: str
    service_account: str
    statements: Sequence[Statement] = ()
    managed_policy_arns: tuple[str, ...] = ()
    path: str = "/"
    permissions_boundary_arn: str | None = None
    tags: dict[str, str] = field(default_factory=dict)


class PodIdentity(pulumi.ComponentResource):
    """Pulumi type `moka:aws:PodIdentity`.

    Makes: iam.Role that only this service account of this cluster can assume, RolePolicy where there are
    statements, RolePolicyAttachment for each managed policy, eks.PodIdentityAssociation.
    Outputs: `role_arn`, known only once the role may do what it is for; `association_id`, known once pods
    get the permissions: those started before run without, so let their deployment wait for it
    (`after_identities`).
    """

    role_arn: pulumi.Output[str]
    association_id: pulumi.Output[str]

    _created = False

    def __init__(self, name: str, args: PodIdentityArgs, opts: pulumi.ResourceOptions | None = None) -> None:
        super().__init__("moka:aws:PodIdentity", name, {}, opts)
        child = pulumi.ResourceOptions(parent=self)

        cluster_name = pulumi.Output.from_input(args.cluster_name)
        role = aws.iam.Role(
            name,
            path=args.path,
            description=cluster_name.apply(
                lambda cluster: f"Pods of {args.namespace}/{args.service_account} on {cluster}"
            ),
            assume_role_policy=cluster_name.apply(
                lambda cluster: pod_trust(cluster, args.namespace, args.service_account)
            ),
            permissions_boundary=args.permissions_boundary_arn,
            tags=args.tags,
            opts=child,
        )
        self.role_arn = permit(
            name, role, child, statements=args.statements, managed_policy_arns=args.managed_policy_arns
        )
        association = aws.eks.PodIdentityAssociation(
            name,
            cluster_name=args.cluster_name,
            namespace=args.namespace,
            service_account=args.service_account,
            role_arn=self.role_arn,
            tags=args.tags,
            opts=pulumi.ResourceOptions.merge(
                child,
                pulumi.ResourceOptions(
                    hooks=pulumi.ResourceHookBinding(
                        after_create=[pulumi.ResourceHook(f"{name}-created", self._note_creation)]
                    )
                ),
            ),
        )
        self.association_id = association.association_id.apply(self._settled)
        self.register_outputs({"role_arn": self.role_arn, "association_id": self.association_id})

    def _note_creation(self, _: pulumi.ResourceHookArgs) -> None:
        self._created = True

    async def _settled(self, association_id: str) -> str:
        # Not in the hook: as long as one runs, the engine makes one resource fewer at a time.
        if self._created:
            await sleep(SETTLING_SECONDS)
        return association_id


def after_identities(opts: pulumi.ResourceOptions, *resources: pulumi.Resource) -> pulumi.ResourceOptions:
    """Options of a resource that comes after these: after an identity, once its association is effective."""
    effective = [resource.association_id for resource in resources if isinstance(resource, PodIdentity)]
    return after_outputs(after(opts, *resources), *effective)


def pod_trust(cluster: str, namespace: str, service_account: str) -> str:
    """Trust policy (JSON) for the pods of one service account; EKS signs these tags into every session."""
    tags = {
        "aws:RequestTag/eks-cluster-name": cluster,
        "aws:RequestTag/kubernetes-namespace": namespace,
        "aws:RequestTag/kubernetes-service-account": service_account,
    }
    return trust("pods.eks.amazonaws.com", {"StringEquals": tags}, tags=True)
