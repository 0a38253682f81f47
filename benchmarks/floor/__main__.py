"""As many resources of one trivial type as the configuration says, with the same plugins started."""

import pulumi
import pulumi_aws as aws
import pulumi_eks as eks
import pulumi_kubernetes as kubernetes

count = pulumi.Config().require_int("resources")

# Providers start their plugins, and count as resources. pulumi_eks makes one of Kubernetes for itself.
providers = [
    aws.Provider("floor", region="us-east-1"),
    eks.Provider("floor"),
    kubernetes.Provider("floor", enable_server_side_apply=True),
    kubernetes.Provider("floor-eks", enable_server_side_apply=True),
]

for number in range(count - len(providers)):
    aws.ec2.Vpc(
        f"floor-{number}", cidr_block="10.0.0.0/16", opts=pulumi.ResourceOptions(provider=providers[0])
    )
