"""What AWS lets a later `up` change, and what fails then: told at its end, with what stands."""

import pytest

from tests.support.deployment import Refused, gone

SABOTAGES = {
    "RolePolicy::spark-a-autoscaler": (
        "release cluster-autoscaler",
        "no identity-based policy allows the autoscaling:DescribeAutoScalingGroups action",
    ),
    "RolePolicyAttachment::spark-a-cluster": (
        "EKS cluster moka-local-spark-a",
        "no identity-based policy allows the",
    ),
    "RolePolicy::spark-a-node": (
        "node group system-us-east-1a of moka-local-spark-a",
        "nodeadm gets: You are not authorized to perform",
    ),
    # Without the routes to NAT gateways as well: either one is a way.
    "VpcEndpoint::main-ecr-dkr": (
        "node group executor-arm64 of moka-local-spark-a",
        "service ecr.dkr is not reached",
    ),
    "VpcEndpoint::main-autoscaling": (
        "cluster-autoscaler/cluster-autoscaler on moka-local-spark-a",
        "dial tcp: i/o timeout, as service autoscaling is not reached",
    ),
    "PodIdentityAssociation::spark-a-fluent-bit": (
        "release fluent-bit",
        "no Pod Identity association of logging/fluent-bit",
    ),
    "PodIdentityAssociation::spark-a-spark-jobs": (
        "service account spark-jobs/spark",
        "no Pod Identity association of spark-jobs/spark",
    ),
    "Addon::spark-a-coredns": (
        "EKS cluster moka-local-spark-a",
        "kubernetes.default.svc: Name or service not known",
    ),
}


def test_what_changes_break_of_all_that_stands_is_told_and_can_be_put_right(up):
    account = up("local")

    with pytest.raises(Refused) as refusal:
        account.deploy(inputs=dict.fromkeys([*SABOTAGES, "Route::main-private-us-east-1?"], gone))

    for sabotage, (resource, words) in SABOTAGES.items():
        reasons = [reason for reason in refusal.value.reasons if resource in reason and words in reason]
        assert reasons, sabotage
    account.deploy()
