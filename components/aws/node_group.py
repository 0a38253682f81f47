"""A group of equal nodes with one role, on one architecture."""

import base64
import hashlib
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

import pulumi
import pulumi_aws as aws
import pulumi_eks as eks

from moka.components.aws.node_group_guard import GROUP_LABEL, NodeGroupGuard
from moka.components.aws.node_user_data import ClusterDetails, Registration, node_user_data
from moka.components.ordering import known_after
from moka.components.transforms import transform_of
from moka.machines.instance_types import Architecture, InstanceType, instance_type
from moka.machines.node_roles import ROLES, Role, kubelet_config
from moka.machines.node_updates import MAX_UNAVAILABLE
from moka.names import GPU, GPU_LABEL, JOB_NAMESPACE_LABEL, RETIRING_TAINT, ROLE_LABEL

AMI: Mapping[tuple[Architecture, bool], str] = {
    ("arm64", False): "AL2023_ARM_64_STANDARD",
    ("amd64", False): "AL2023_x86_64_STANDARD",
    ("arm64", True): "AL2023_ARM_64_NVIDIA",
    ("amd64", True): "AL2023_x86_64_NVIDIA",
}
"""EKS's name of a machine image, by architecture and whether there are GPUs."""

OWN_IMAGE = "CUSTOM"
"""EKS's name of all other machine images. It is never said: EKS takes no `amiType`, `version` or
`releaseVersion` beside an image of one's own
(https://docs.aws.amazon.com/eks/latest/userguide/launch-templates.html#mng-ami-id-conditions)."""

ACCELERATOR_LABEL = "k8s.amazonaws.com/accelerator"
"""Label by which the Cluster Autoscaler waits for the GPUs of a new node, which come after it is ready
(kubernetes/autoscaler: cluster-autoscaler/cloudprovider/aws/aws_cloud_provider.go, GPULabel)."""

GPU_LABELS = {GPU_LABEL: "true", ACCELERATOR_LABEL: "nvidia"}

RESOURCES_TAG = "k8s.io/cluster-autoscaler/node-template/resources"
"""Tag of a group by which the Cluster Autoscaler knows what a node would have while there is none. It asks
EKS for labels and taints, and takes 110 pods and no storage for granted (kubernetes/autoscaler:
cluster-autoscaler/cloudprovider/aws/aws_manager.go)."""

REPLACING_INPUTS = ("amiType", "capacityType", "instanceTypes", "subnetIds")
"""Inputs of an EKS node group whose change would replace it. Its template's description says the same, and
there the guard refuses."""

MACHINE_INPUTS = ("launchTemplate", "releaseVersion", "version")
"""Inputs whose change replaces machine by machine."""


SETUP_MINUTES, WAVE_MINUTES = 15, 20
"""Of an update: around its waves, and each of them."""

PROVIDER_MINUTES = 60
"""The AWS provider waits so long for an update unless told otherwise."""


@dataclass(frozen=True, kw_only=True)
class ScheduledBounds:
    """A change of a group's bounds at fixed times.

    cron: minute, hour, day of month, month, day of week.
    minimum: nodes that are always there from then on.
    maximum: nodes that there may be from then on, None for as it is. Auto Scaling ends those beyond it, and
        chooses which.
    """

    cron: str
    minimum: int
    maximum: int | None = None


@dataclass(frozen=True, kw_only=True)
class NodeGroupArgs:
    """What differs between node groups.

    eks_cluster: cluster that the nodes join.
    group_name: name in EKS, unique in the cluster; a change replaces the group.
    node_role_arn: IAM role of the nodes.
    version: Kubernetes version, that of the cluster or one before.
    ami_release: release of the machine image, of that version, for example `1.35.8-20260930`; by default
        EKS's newest when the group is made.
    ami: machine image of one's own (`ami-...`) in place of EKS's, built upon EKS's of AL2023, as nodeadm
        starts its nodes. Its Kubernetes version is its own, whatever `version` says.
    scripts: that its machines run before they join, in order; their text.
    startup_taints: keys of taints that its nodes register with, and that something takes off once they may
        have pods.
    role: what runs here. All but `system` are tainted: only pods that tolerate `moka.dev/role` come.
    architecture: of the machine image; the instance types must be of it.
    instance_types: EC2 types, the first preferred. Instance storage, if all have some, becomes the nodes'
        disk; with GPUs, the image has NVIDIA's drivers and the nodes a taint and a label.
    subnets: zone -> subnet: where nodes are placed.
    min_size, max_size: bounds of the autoscaler, in nodes.
    initial_size: nodes at the start; where the bounds differ the autoscaler decides afterwards.
    schedule: changes of the bounds, by name. With any, `min_size` is only where the group starts, and so is
        `max_size` where one has a maximum.
    time_zone: of the schedule, for example `Europe/Berlin`.
    spot: spare capacity, cheaper, taken back at two minutes' notice.
    capacity_reservation_id: reservation (`cr-...`) that every node uses; for one type in one zone, on demand.
    disk_gib, disk_iops, disk_mibps: root disk (gp3): size in GiB, operations and MiB a second.
    disk_key_arn: KMS key of the root disk; by default the account's own for EBS.
    max_pods: pods a node, by default as the role needs.
    job_namespace: the only one whose jobs its nodes run, by a taint and a label, `moka.dev/job-namespace`.
    labels: labels besides those of EKS and `moka.dev/role`.
    retiring: another generation takes over: no new pods, no minimum, and machines that stay as they are.
        Once it is no longer in the program it is deleted, with a guard only once nothing of jobs is on it.
    guard: the cluster's; without, a change of machines is not refused, and no deletion waits.
    protect: refuse to delete the group, unless it is retiring.
    tags: of every AWS resource that is made here.
    """

    eks_cluster: eks.Cluster
    group_name: str
    node_role_arn: pulumi.Input[str]
    version: str
    ami_release: str | None = None
    ami: str | None = None
    scripts: tuple[str, ...] = ()
    startup_taints: tuple[str, ...] = ()
    job_namespace: str | None = None
    role: Role
    architecture: Architecture
    instance_types: tuple[str, ...]
    subnets: Mapping[str, pulumi.Input[str]]
    min_size: int
    max_size: int
    initial_size: int
    schedule: Mapping[str, ScheduledBounds] = field(default_factory=dict)
    time_zone: str = "Etc/UTC"
    spot: bool = False
    capacity_reservation_id: str | None = None
    disk_gib: int = 100
    disk_iops: int = 3000
    disk_mibps: int = 125
    disk_key_arn: pulumi.Input[str] | None = None
    max_pods: int | None = None
    labels: Mapping[str, str] = field(default_factory=dict)
    retiring: bool = False
    guard: NodeGroupGuard | None = None
    protect: bool = False
    tags: dict[str, str] = field(default_factory=dict)


class NodeGroup(pulumi.ComponentResource):
    """Pulumi type `moka:aws:NodeGroup`.

    Makes: ec2.LaunchTemplate, eks.ManagedNodeGroup of pulumi_eks, and an autoscaling.Schedule for each change
    of the bounds.
    Outputs: `name` (as EKS knows it) and `arn`, known only once the first nodes have joined.
    Raises ValueError when the instance types do not fit each other or the group.
    """

    name: pulumi.Output[str]
    arn: pulumi.Output[str]

    def __init__(self, name: str, args: NodeGroupArgs, opts: pulumi.ResourceOptions | None = None) -> None:
        machines = machine_types(args)
        super().__init__("moka:aws:NodeGroup", name, {}, opts)
        child = pulumi.ResourceOptions(parent=self)
        tags = args.tags | {"Name": name}
        gpu = machines[0].gpu
        ami_type = OWN_IMAGE if args.ami else AMI[args.architecture, gpu]
        labels = {
            ROLE_LABEL: args.role,
            **({JOB_NAMESPACE_LABEL: args.job_namespace} if args.job_namespace else {}),
            **(GPU_LABELS if gpu else {}),
            **args.labels,
        }
        group_taints = taints(args, gpu=gpu)
        local_disks = all(machine.local_disks for machine in machines)

        def user_data(details: ClusterDetails | None) -> str:
            text = node_user_data(
                kubelet_config(args.role, args.max_pods),
                local_disks=local_disks,
                scripts=args.scripts,
                cluster=details,
                registration=registration(args, labels, gpu=gpu),
            )
            return base64.b64encode(text.encode()).decode()

        # An empty schedule for one that retires: it goes down to nothing.
        schedule = {} if args.retiring else args.schedule

        template = aws.ec2.LaunchTemplate(
            name,
            description=machine_kind(ami_type, args),
            image_id=args.ami,
            user_data=cluster_details(args.eks_cluster).apply(user_data) if args.ami else user_data(None),
            block_device_mappings=[
                {
                    "device_name": "/dev/xvda",
                    "ebs": {
                        "volume_type": "gp3",
                        "volume_size": args.disk_gib,
                        "iops": args.disk_iops,
                        "throughput": args.disk_mibps,
                        "encrypted": "true",
                        "kms_key_id": args.disk_key_arn,
                        "delete_on_termination": "true",
                    },
                }
            ],
            # One hop: a pod is one too far away to ask for the node's own permissions.
            metadata_options={
                "http_endpoint": "enabled",
                "http_tokens": "required",
                "http_put_response_hop_limit": 1,
            },
            capacity_reservation_specification={
                "capacity_reservation_target": {"capacity_reservation_id": args.capacity_reservation_id}
            }
            if args.capacity_reservation_id
            else None,
            tag_specifications=[
                {"resource_type": resource, "tags": tags}
                for resource in ("instance", "volume", "network-interface")
            ],
            update_default_version=True,
            tags=args.tags,
            opts=pulumi.ResourceOptions.merge(child, template_options(args)),
        )
        group = eks.ManagedNodeGroup(
            name,
            cluster=args.eks_cluster,
            node_group_name=args.group_name,
            node_role_arn=args.node_role_arn,
            version=None if args.ami else args.version,
            release_version=None if args.ami else args.ami_release,
            ami_type=None if args.ami else ami_type,
            instance_types=list(args.instance_types),
            capacity_type=capacity_type(args),
            subnet_ids=list(args.subnets.values()),
            scaling_config={
                "min_size": 0 if args.retiring else args.min_size,
                "max_size": args.max_size,
                "desired_size": args.initial_size,
            },
            ignore_scaling_changes=autoscaled(args),
            labels=labels,
            taints=group_taints,
            launch_template={"id": template.id, "version": template.latest_version.apply(str)},
            tags=args.tags | autoscaler_tags(args, machines),
            opts=pulumi.ResourceOptions(
                parent=self,
                transforms=[
                    transform_of(
                        "aws:eks/nodeGroup:NodeGroup",
                        lambda inputs: {**inputs, **extra_inputs(args)},
                        group_options(args),
                    )
                ],
            ),
        ).node_group

        auto_scaling_group: pulumi.Output[str] = group.apply(_auto_scaling_group)
        for entry, bounds in schedule.items():
            aws.autoscaling.Schedule(
                f"{name}-{entry}",
                scheduled_action_name=entry,
                autoscaling_group_name=auto_scaling_group,
                recurrence=bounds.cron,
                time_zone=args.time_zone,
                min_size=bounds.minimum,
                # -1: as it is.
                max_size=-1 if bounds.maximum is None else bounds.maximum,
                desired_capacity=-1,
                opts=child,
            )

        self.name = pulumi.Output.all(group.node_group_name, group.cluster_name, group.status).apply(
            lambda values: name_once_created(*values)
        )
        self.arn = known_after(group.arn, self.name)
        self.register_outputs({"name": self.name, "arn": self.arn})


def name_once_created(name: str, cluster_name: str, status: str | None) -> str:
    """Name of a node group that EKS has created.

    Raises pulumi.RunError for one that it could not create: that stays so (aws/containers-roadmap#764), and
    the engine takes it for made from the next update on, which has nothing to change (pulumi/pulumi:
    pkg/resource/deploy/step_generator.go, "an empty update step").
    """
    if status == "CREATE_FAILED":
        raise pulumi.RunError(
            f"EKS could not create node group {name} of {cluster_name} and does not try again "
            "(CREATE_FAILED): mend what its health says, delete it (aws eks delete-nodegroup --cluster-name "
            f"{cluster_name} --nodegroup-name {name}), then run `up` with --refresh."
        )
    return name


def machine_types(args: NodeGroupArgs) -> list[InstanceType]:
    """The instance types of a group. Raises ValueError, a sentence, when they do not fit."""
    machines = [instance_type(name) for name in args.instance_types]
    if not machines:
        raise ValueError(f"node group {args.group_name} has no instance type; name one")
    for machine in machines:
        if machine.architecture != args.architecture:
            raise ValueError(
                f"node group {args.group_name} is {args.architecture}, and {machine.name} is "
                f"{machine.architecture}; make a group for each architecture"
            )
    if len({machine.gpu for machine in machines}) > 1:
        raise ValueError(
            f"node group {args.group_name} has instance types with GPUs and without, which need different "
            "machine images; make a group for each"
        )
    if args.capacity_reservation_id and (args.spot or len(machines) > 1 or len(args.subnets) != 1):
        raise ValueError(
            f"node group {args.group_name} has a capacity reservation, which is for one instance type in one "
            "zone, on demand; name only those"
        )
    return machines


def taints(args: NodeGroupArgs, *, gpu: bool) -> list[aws.eks.NodeGroupTaintArgs]:
    """Taints that keep all other pods away from the nodes of a group, and all pods from retiring ones."""
    values = own_taints(args, gpu=gpu) | ({RETIRING_TAINT: "true"} if args.retiring else {})
    return [
        aws.eks.NodeGroupTaintArgs(key=key, value=value, effect="NO_SCHEDULE")
        for key, value in values.items()
    ]


def registration(args: NodeGroupArgs, labels: Mapping[str, str], *, gpu: bool) -> Registration | None:
    """What the kubelet is told to register with, besides what EKS tells it; None where that is all.

    With an image of one's own EKS tells it nothing, and applies the group's taints later
    (https://docs.aws.amazon.com/eks/latest/userguide/launch-templates.html#mng-ami-id-conditions). Startup
    taints are never the group's own: EKS would put a new one on running nodes, too. Of several flags the
    kubelet takes the last, which is ours (awslabs/amazon-eks-ami: nodeadm/internal/api/merge.go), so those of
    the role are there again; not that of retiring groups, whose user data stay as they are.
    """
    if not args.ami and not args.startup_taints:
        return None
    values = own_taints(args, gpu=gpu) | dict.fromkeys(args.startup_taints, "true")
    return Registration(
        labels={**labels, **eks_labels(args)} if args.ami else {},
        taints=[f"{key}={value}:NoSchedule" for key, value in values.items()],
    )


def own_taints(args: NodeGroupArgs, *, gpu: bool) -> dict[str, str]:
    """Key -> value of the taints that keep all other pods away from the nodes of a group."""
    return {
        **({} if args.role == "system" else {ROLE_LABEL: args.role}),
        **({JOB_NAMESPACE_LABEL: args.job_namespace} if args.job_namespace else {}),
        **({GPU: "present"} if gpu else {}),
    }


def eks_labels(args: NodeGroupArgs) -> dict[str, str]:
    """Labels that EKS tells the kubelet in the user data that it adds, where it adds none.

    As terraform-aws-modules/terraform-aws-eks#1473 has them from a machine, without those of the launch
    template, which would be in its own text.
    """
    return {
        GROUP_LABEL: args.group_name,
        "eks.amazonaws.com/capacityType": capacity_type(args),
        **({"eks.amazonaws.com/nodegroup-image": args.ami} if args.ami else {}),
    }


def capacity_type(args: NodeGroupArgs) -> str:
    """How machines are bought, as EKS names it."""
    return "SPOT" if args.spot else "ON_DEMAND"


def cluster_details(cluster: eks.Cluster) -> pulumi.Output[ClusterDetails]:
    """What nodeadm has to know of a cluster."""
    described = cluster.eks_cluster
    return pulumi.Output.all(
        described.name,
        described.endpoint,
        described.certificate_authority.apply(lambda authority: authority.data),
        described.kubernetes_network_config.apply(lambda network: network.service_ipv4_cidr),
    ).apply(
        lambda values: ClusterDetails(
            name=values[0], apiServerEndpoint=values[1], certificateAuthority=values[2], cidr=values[3]
        )
    )


def machine_kind(ami_type: str, args: NodeGroupArgs) -> str:
    """What a generation of the group cannot change, as text for its launch template (255 characters at most).

    For a role whose machines must stay it has the AMI's version too.
    """
    market = "spot" if args.spot else "on-demand"
    parts = [ami_type, market, *args.instance_types, "in", *sorted(args.subnets)]
    if ROLES[args.role].rolling_percent is None:
        parts += ["at", args.ami or args.ami_release or args.version]
    text = " ".join(parts)
    digest = hashlib.sha256(text.encode()).hexdigest()[:12]
    return text if len(text) <= 255 else f"{text[:240]}... {digest}"[:255]


def autoscaler_tags(args: NodeGroupArgs, machines: Sequence[InstanceType]) -> dict[str, str]:
    """Tags that tell the autoscaler what it cannot know of a group without nodes.

    Nothing of the storage of machines whose name does not say how much they have.
    """
    tags = {f"{RESOURCES_TAG}/pods": str(args.max_pods or ROLES[args.role].max_pods)}
    local = all(machine.local_disks for machine in machines)
    sizes = [machine.local_gib if local else args.disk_gib for machine in machines]
    known = [gib for gib in sizes if gib]
    if len(known) == len(sizes):
        # Less a tenth and 2 GiB, which nodes keep for themselves.
        tags[f"{RESOURCES_TAG}/ephemeral-storage"] = f"{min(known) * 9 // 10 - 2}Gi"
    return tags


def autoscaled(args: NodeGroupArgs) -> bool:
    """Whether the autoscaler decides on the size of a group; one whose bounds are equal has their size.

    EKS keeps the desired size when bounds change, and refuses a minimum above it.
    """
    return args.retiring or args.min_size != args.max_size


def extra_inputs(args: NodeGroupArgs) -> dict[str, Any]:
    """Inputs of the EKS node group that the arguments of pulumi_eks cannot say."""
    percent = ROLES[args.role].rolling_percent
    # By default EKS launches first, for which a reservation that the group fills has no room.
    strategy = {"updateStrategy": "MINIMAL"} if args.capacity_reservation_id else {}
    return {
        "nodeRepairConfig": {"enabled": True},
        **({"updateConfig": {"maxUnavailablePercentage": percent, **strategy}} if percent else {}),
    }


def update_minutes(max_size: int, percent: int) -> int:
    """How long EKS may take to replace all machines of a group, so many percent of them at the same time.

    Wave after wave, of at most 100 machines each; a wave is drained in 15 minutes at most, then there is a
    wait of one, and its machines end or begin.
    https://docs.aws.amazon.com/eks/latest/userguide/managed-node-update-behavior.html
    """
    waves = min(max_size, max(-(-100 // percent), -(-max_size // MAX_UNAVAILABLE)))
    return SETUP_MINUTES + waves * WAVE_MINUTES


def group_options(args: NodeGroupArgs) -> pulumi.ResourceOptions:
    """Options of the EKS node group: what an update does not change, and what the guard checks."""
    guard = args.guard
    schedule = {} if args.retiring else args.schedule
    ignored = [
        *(REPLACING_INPUTS if guard else ()),
        *(MACHINE_INPUTS if args.retiring else ()),
        # The schedule's business; an update would take it back to where the group started.
        *(("scalingConfig.minSize",) if schedule else ()),
        *(
            ("scalingConfig.maxSize",)
            if any(change.maximum is not None for change in schedule.values())
            else ()
        ),
    ]
    # The size of a fixed group is the program's decision; only where machines must stay it may not shrink.
    may_shrink = not autoscaled(args) and ROLES[args.role].rolling_percent is not None
    hooks = guard and pulumi.ResourceHookBinding(
        before_update=[] if may_shrink else [guard.not_smaller],
        before_delete=[guard.emptied] if args.retiring else [],
    )
    percent = ROLES[args.role].rolling_percent
    return pulumi.ResourceOptions(
        ignore_changes=ignored,
        protect=args.protect and not args.retiring,
        hooks=hooks or None,
        custom_timeouts=pulumi.CustomTimeouts(
            update=f"{max(PROVIDER_MINUTES, update_minutes(args.max_size, percent))}m"
        )
        if percent
        else None,
    )


def template_options(args: NodeGroupArgs) -> pulumi.ResourceOptions:
    """Options of the launch template: every new version of it replaces machines."""
    if args.retiring:
        return pulumi.ResourceOptions(ignore_changes=["*"])
    # New tags are for new machines: the next generation has them.
    ignored = ["tagSpecifications"]
    if args.guard is None:
        return pulumi.ResourceOptions(ignore_changes=ignored)
    rolls = ROLES[args.role].rolling_percent is not None
    hook = args.guard.same_kind if rolls else args.guard.same_machines
    return pulumi.ResourceOptions(
        hooks=pulumi.ResourceHookBinding(before_update=[hook]), ignore_changes=ignored
    )


def _auto_scaling_group(group: aws.eks.NodeGroup) -> pulumi.Output[str]:
    return group.resources.apply(lambda resources: str((resources[0].autoscaling_groups or [])[0].name))
