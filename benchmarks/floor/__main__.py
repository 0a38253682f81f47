"""As many resources of one trivial type as the configuration says, with the same plugins started."""

import pulumi
import pulumi_aws as aws
import pulumi_eks as eks
import pulumi_kubernetes as kubernetes

count = pulumi.Config().require_int("resources")

# Providers start their plugins, and count as resources.
provider = aws.Provider("floor", region="us-east-1")
eks.Provider("floor")
kubernetes.Provider("floor", enable_server_side_apply=True)

for number in range(count - 3):
    aws.cloudwatch.LogGroup(f"floor-{number}", opts=pulumi.ResourceOptions(provider=provider))
