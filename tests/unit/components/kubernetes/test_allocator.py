import base64
import json

import pytest

from moka.components.aws.pod_identity import PodIdentity, PodIdentityArgs
from moka.components.kubernetes.allocator import Allocator, AllocatorArgs, permissions

BUCKET, KEY = "arn:aws:s3:::usage", "arn:aws:kms:us-east-1:123456789012:key/1"
POLICY = "kubernetes:networking.k8s.io/v1:NetworkPolicy"
CONTENT = base64.b64encode(b"\x1f\x8b what it is told").decode()


@pytest.fixture
def stack(deploy):
    def make(content=CONTENT):
        def program():
            Allocator(
                "spark-a",
                AllocatorArgs(
                    image="registry.example/allocator:1", namespace="allocator", configuration=content
                ),
            )

        return deploy(program)

    return make


def pods(recorder):
    [deployment] = recorder.inputs("kubernetes:apps/v1:Deployment")
    return deployment["spec"]


def test_one_pod_makes_plans_and_ends_before_the_next_one_starts(stack):
    spec = pods(stack())

    assert spec["replicas"] == 1
    assert spec["strategy"] == {"type": "Recreate"}
    [container] = spec["template"]["spec"]["containers"]
    assert container["resources"] == {
        "requests": {"cpu": "1", "memory": "1Gi"},
        "limits": {"memory": "4Gi"},
    }


def test_it_finds_what_it_is_told_and_another_is_another_pod(stack):
    recorder = stack()

    [config_map] = recorder.inputs("kubernetes:core/v1:ConfigMap")
    assert config_map["binaryData"] == {"allocator.json.gz": CONTENT}
    assert "data" not in config_map
    spec = pods(recorder)
    [container] = spec["template"]["spec"]["containers"]
    assert container["args"][1:] == ["--configuration=/etc/allocator/allocator.json.gz"]
    mounts = {mount["mountPath"]: mount["name"] for mount in container["volumeMounts"]}
    volumes = {volume["name"]: volume for volume in spec["template"]["spec"]["volumes"]}
    assert volumes[mounts["/etc/allocator"]]["configMap"] == {"name": "allocator"}
    assert volumes[mounts["/tmp"]]["emptyDir"] == {"sizeLimit": "8Gi"}
    other = pods(stack(base64.b64encode(b"other").decode()))
    assert spec["template"]["metadata"]["annotations"] != other["template"]["metadata"]["annotations"]


def test_of_kubernetes_it_may_do_nothing(stack):
    recorder = stack()

    assert not [kind for kind in recorder.types() if kind.startswith("kubernetes:rbac")]


def test_it_reaches_names_https_its_identity_and_archer_and_collectors_reach_it(stack):
    policies = {one["metadata"]["name"]: one["spec"] for one in stack().inputs(POLICY)}

    [way_in] = policies["allocator"]["ingress"]
    [asker] = way_in["from"]
    assert asker["namespaceSelector"]["matchLabels"] == {"kubernetes.io/metadata.name": "monitoring"}
    way_out = policies["allocator-egress"]["egress"]
    assert [[port["port"] for port in rule["ports"]] for rule in way_out] == [[53, 53], [443], [80], [8080]]
    [service] = way_out[-1]["to"]
    assert service == {
        "namespaceSelector": {"matchLabels": {"kubernetes.io/metadata.name": "ingress"}},
        "podSelector": {"matchLabels": {"app.kubernetes.io/name": "archer"}},
    }
    for spec in policies.values():
        assert spec["podSelector"] == {"matchLabels": {"app.kubernetes.io/name": "allocator"}}


def test_in_the_bucket_it_may_find_and_read_records_and_nothing_else(deploy):
    def program():
        identity = PodIdentityArgs(
            cluster_name="acme-prod-spark-a",
            namespace="allocator",
            service_account="allocator",
            statements=permissions(BUCKET, KEY),
        )
        PodIdentity("allocator", identity)

    [policy] = deploy(program).inputs("aws:iam/rolePolicy:RolePolicy")

    assert json.loads(policy["policy"])["Statement"] == [
        {
            "Sid": "FindUsageRecords",
            "Effect": "Allow",
            "Action": ["s3:ListBucket"],
            "Resource": [BUCKET],
            "Condition": {"StringLike": {"s3:prefix": ["usage/v1/*"]}},
        },
        {
            "Sid": "ReadUsageRecords",
            "Effect": "Allow",
            "Action": ["s3:GetObject"],
            "Resource": [f"{BUCKET}/usage/v1/*"],
        },
        {
            "Sid": "KeyOfUsageRecords",
            "Effect": "Allow",
            "Action": ["kms:Decrypt"],
            "Resource": [KEY],
            "Condition": {"StringLike": {"kms:EncryptionContext:aws:s3:arn": [BUCKET, f"{BUCKET}/*"]}},
        },
    ]
