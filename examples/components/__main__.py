"""Components only, without settings and layers: nodes of two architectures, and a bucket: docs/package.md."""

import pulumi
import pulumi_aws as aws

from moka.components.aws.addons import Addon, AddonIdentity, Addons, AddonsArgs
from moka.components.aws.bucket import Bucket, BucketArgs
from moka.components.aws.cluster import Cluster, ClusterArgs
from moka.components.aws.key import Key, KeyArgs
from moka.components.aws.network import Network, NetworkArgs
from moka.components.aws.node_group import NodeGroup, NodeGroupArgs

REGION, ZONES, VERSION = "us-east-1", ("us-east-1a", "us-east-1b"), "1.35"
MACHINES = {"arm64": ("m7g.xlarge", "m6g.xlarge"), "amd64": ("m7i.xlarge", "m6i.xlarge")}
account = aws.get_caller_identity().account_id
CNI = AddonIdentity(service_account="aws-node", policies=("AmazonEKS_CNI_Policy",))
DNS = {"coredns": Addon(version="v1.13.2-eksbuild.4")}
LOGS = (f"logs.{REGION}.amazonaws.com",)

of_data = KeyArgs(alias="demo", description="Demo", account_id=account, region=REGION, services=LOGS)
key = Key("demo", of_data)
network = Network("demo", NetworkArgs(region=REGION, cidr="10.0.0.0/16", zones=ZONES, nat="single"))
data = Bucket("demo", BucketArgs(name=f"demo-{account}-data", kms_key_arn=key.arn))
control_plane = ClusterArgs(
    name="demo",
    region=REGION,
    version=VERSION,
    vpc_id=network.vpc_id,
    subnet_ids=network.private_subnets.apply(lambda subnets: list(subnets.values())),
    key_arn=key.arn,
    deployer_arn=pulumi.Config().require("deployer"),  # the IAM role or user that runs this
    vpc_cni=Addon(version="v1.22.4-eksbuild.3", identity=CNI),
    kube_proxy=Addon(version="v1.35.3-eksbuild.21"),
    pod_identity_agent=Addon(version="v1.3.10-eksbuild.3"),
)
cluster = Cluster("demo", control_plane)
groups = []
for architecture, types in MACHINES.items():
    nodes = NodeGroupArgs(
        eks_cluster=cluster.eks_cluster,
        group_name=architecture,
        node_role_arn=cluster.node_role_arn,
        version=VERSION,
        role="system",
        architecture=architecture,
        instance_types=types,
        subnets={zone: network.private_subnets[zone] for zone in ZONES},
        min_size=1,
        max_size=3,
        initial_size=1,
    )
    groups.append(NodeGroup(architecture, nodes))

on_nodes = pulumi.ResourceOptions(depends_on=groups)
Addons("demo", AddonsArgs(cluster_name=cluster.name, region=REGION, addons=DNS), on_nodes)

pulumi.export("kubeconfig", cluster.kubeconfig)
pulumi.export("bucket", data.name)
