import json

import pytest

from moka.components.aws.pod_identity import PodIdentity, PodIdentityArgs
from moka.components.kubernetes.usage_recorder import (
    UsageRecorder,
    UsageRecorderArgs,
    UsageRecorderRole,
    UsageRecorderRoleArgs,
    permissions,
)

BUCKET, KEY = "arn:aws:s3:::usage", "arn:aws:kms:us-east-1:123456789012:key/1"
POLICY = "kubernetes:networking.k8s.io/v1:NetworkPolicy"
OF_CLUSTER = "${aws:PrincipalTag/eks-cluster-name}"


@pytest.fixture
def stack(deploy):
    def program():
        role = UsageRecorderRole("spark-a", UsageRecorderRoleArgs(namespace="usage-recorder"))
        UsageRecorder(
            "spark-a",
            UsageRecorderArgs(
                image="registry.example/usage-recorder:1",
                namespace=role.namespace,
                cluster="spark-a",
                eks_cluster="acme-prod-spark-a",
                scheduler_url="http://yunikorn-service.yunikorn:9080",
                bucket="usage",
                region="us-east-1",
            ),
        )

    return deploy(program)


def test_one_pod_records_and_ends_before_the_next_one_starts(stack):
    [deployment] = stack.inputs("kubernetes:apps/v1:Deployment")

    assert deployment["spec"]["replicas"] == 1
    assert deployment["spec"]["strategy"] == {"type": "Recreate"}
    [container] = deployment["spec"]["template"]["spec"]["containers"]
    assert container["args"][1:] == [
        "--cluster=spark-a",
        "--eks-cluster=acme-prod-spark-a",
        "--scheduler=http://yunikorn-service.yunikorn:9080",
        "--bucket=usage",
        "--region=us-east-1",
    ]


def test_of_kubernetes_it_may_ask_for_a_node_and_nothing_else(stack):
    [role] = stack.inputs("kubernetes:rbac.authorization.k8s.io/v1:ClusterRole")

    assert role["rules"] == [{"apiGroups": [""], "resources": ["nodes"], "verbs": ["get"]}]
    assert not stack.inputs("kubernetes:rbac.authorization.k8s.io/v1:Role")


def test_it_comes_after_its_rights(stack):
    [deployment] = [one for place, one in stack.tree().items() if place.endswith("Deployment::spark-a")]

    kinds = {urn.split("::")[-2].split("$")[-1] for urn in deployment.dependencies}
    assert "kubernetes:rbac.authorization.k8s.io/v1:ClusterRoleBinding" in kinds


def test_it_reaches_names_https_its_identity_and_the_scheduler_and_collectors_reach_it(stack):
    policies = {one["metadata"]["name"]: one["spec"] for one in stack.inputs(POLICY)}

    [way_in] = policies["usage-recorder"]["ingress"]
    [asker] = way_in["from"]
    assert asker["namespaceSelector"]["matchLabels"] == {"kubernetes.io/metadata.name": "monitoring"}
    way_out = policies["usage-recorder-egress"]["egress"]
    assert [[port["port"] for port in rule["ports"]] for rule in way_out] == [[53, 53], [443], [80], [9080]]
    [scheduler] = way_out[-1]["to"]
    assert scheduler["podSelector"]["matchLabels"]["component"] == "yunikorn-scheduler"
    for spec in policies.values():
        assert spec["podSelector"] == {"matchLabels": {"app.kubernetes.io/name": "usage-recorder"}}


def test_in_the_bucket_it_may_use_its_own_records_and_read_its_summaries(deploy):
    def program():
        identity = PodIdentityArgs(
            cluster_name="acme-prod-spark-a",
            namespace="usage-recorder",
            service_account="usage-recorder",
            statements=permissions("spark-a", BUCKET, KEY),
        )
        PodIdentity("usage-recorder", identity)

    [policy] = deploy(program).inputs("aws:iam/rolePolicy:RolePolicy")
    allowed = {
        one["Sid"]: (set(_list(one["Action"])), _list(one["Resource"]), one.get("Condition"))
        for one in json.loads(policy["policy"])["Statement"]
    }

    own = ["usage/v1/*/day=*/cluster=spark-a/*", f"usage/v1/recorders/{OF_CLUSTER}/*"]
    summaries = f"{OF_CLUSTER}/yunikorn/*"
    use = {"s3:GetObject", "s3:PutObject", "s3:DeleteObject"}
    assert allowed == {
        "FindUsageRecords": ({"s3:ListBucket"}, [BUCKET], {"StringLike": {"s3:prefix": own}}),
        "RecordUsageRecords": (use, [f"{BUCKET}/{one}" for one in own], None),
        "KeyOfUsageRecords": (
            {"kms:GenerateDataKey", "kms:Decrypt"},
            [KEY],
            {"StringLike": {"kms:EncryptionContext:aws:s3:arn": [BUCKET, f"{BUCKET}/*"]}},
        ),
        "FindSummaries": ({"s3:ListBucket"}, [BUCKET], {"StringLike": {"s3:prefix": [summaries]}}),
        "ReadSummaries": ({"s3:GetObject"}, [f"{BUCKET}/{summaries}"], None),
    }


def _list(value):
    return [value] if isinstance(value, str) else value
