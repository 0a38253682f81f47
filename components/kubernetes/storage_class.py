"""A class of EBS volumes."""

from dataclasses import dataclass

import pulumi
import pulumi_kubernetes as k8s


@dataclass(frozen=True, kw_only=True)
class StorageClassArgs:
    """What differs between classes; a change replaces the class, and leaves volumes as they are.

    name: as claims name it.
    iops, mibps: of each gp3 volume: operations and MiB a second.
    kms_key_arn: key that encrypts them; by default the account's own for EBS.
    """

    name: str = "gp3"
    iops: int = 3000
    mibps: int = 125
    kms_key_arn: pulumi.Input[str] | None = None


class StorageClass(pulumi.ComponentResource):
    """Pulumi type `moka:kubernetes:StorageClass`.

    Makes: storage.v1.StorageClass of encrypted gp3 volumes, each made in the zone of its first pod and
    deleted with its claim.
    Outputs: `name`, known only once the class is there.
    """

    name: pulumi.Output[str]

    def __init__(self, name: str, args: StorageClassArgs, opts: pulumi.ResourceOptions | None = None) -> None:
        super().__init__("moka:kubernetes:StorageClass", name, {}, opts)

        parameters: dict[str, pulumi.Input[str]] = {
            "type": "gp3",
            "iops": str(args.iops),
            "throughput": str(args.mibps),
            "encrypted": "true",
        }
        if args.kms_key_arn is not None:
            parameters["kmsKeyId"] = args.kms_key_arn
        made = k8s.storage.v1.StorageClass(
            name,
            metadata=k8s.meta.v1.ObjectMetaArgs(name=args.name),
            provisioner="ebs.csi.aws.com",
            parameters=parameters,
            volume_binding_mode="WaitForFirstConsumer",
            allow_volume_expansion=True,
            reclaim_policy="Delete",
            opts=pulumi.ResourceOptions(parent=self),
        )
        self.name = made.id.apply(lambda _: args.name)
        self.register_outputs({"name": self.name})
