"""Volumes of pods: gp3 on EBS, encrypted, in the zone of the pod that claims it."""

from dataclasses import dataclass

import pulumi
import pulumi_kubernetes as k8s


@dataclass(frozen=True, kw_only=True)
class StorageClassArgs:
    """What differs between storage classes.

    name: as volume claims name it; a change replaces the class.
    iops, mibps: operations and MiB a second of each volume; the least that gp3 has by default.
    """

    name: str
    iops: int = 3000
    mibps: int = 125


class StorageClass(pulumi.ComponentResource):
    """Pulumi type `moka:kubernetes:StorageClass`.

    Makes: storage.v1.StorageClass, of the EBS CSI driver.
    Outputs: `name`, known only once volumes can be claimed of it.
    """

    name: pulumi.Output[str]

    def __init__(self, name: str, args: StorageClassArgs, opts: pulumi.ResourceOptions | None = None) -> None:
        super().__init__("moka:kubernetes:StorageClass", name, {}, opts)
        storage_class = k8s.storage.v1.StorageClass(
            name,
            metadata=k8s.meta.v1.ObjectMetaArgs(name=args.name),
            provisioner="ebs.csi.aws.com",
            parameters={
                "type": "gp3",
                "encrypted": "true",
                "iops": str(args.iops),
                "throughput": str(args.mibps),
            },
            # A volume is in one zone: it is made where its pod can run.
            volume_binding_mode="WaitForFirstConsumer",
            allow_volume_expansion=True,
            opts=pulumi.ResourceOptions(parent=self),
        )
        self.name = storage_class.metadata.apply(lambda metadata: str(metadata.name))
        self.register_outputs({"name": self.name})
