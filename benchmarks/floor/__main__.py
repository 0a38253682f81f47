"""As many resources of one trivial type as the configuration says, with the same plugins started."""

import os

if paced := os.environ.get("MOKA_PACED"):
    import gc

    # As in our own program.
    gc.disable()

import pulumi
import pulumi_aws as aws
import pulumi_eks as eks
import pulumi_kubernetes as kubernetes

config = pulumi.Config()

# Providers start their plugins, and count as resources.
providers = [
    aws.Provider("floor", region="us-east-1"),
    eks.Provider("floor"),
    *(
        kubernetes.Provider(f"floor-{number}", enable_server_side_apply=True)
        for number in range(config.require_int("kubernetes"))
    ),
]

if paced:
    from stacks import sdk_tuning

    sdk_tuning.silence_debug_messages()

for number in range(config.require_int("resources") - len(providers)):
    aws.ec2.Vpc(
        f"floor-{number}", cidr_block="10.0.0.0/16", opts=pulumi.ResourceOptions(provider=providers[0])
    )

if paced:
    sdk_tuning.flush_registrations()
