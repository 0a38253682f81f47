"""Who a program in place of a pod is at AWS: the role that an association names for its account."""

import json
import urllib.error
import urllib.request

import boto3
import pytest
from botocore.exceptions import ClientError

from localcloud.aws_server import AwsServer
from localcloud.cloud import ACCOUNT, REGION
from localcloud.control_plane import pod_identity
from localcloud.control_plane.stand_ins import pods
from localcloud.control_plane.stand_ins.accounts import token_of
from localcloud.store import Store, store_folder

BUCKET = "records-of-pods"
OWN = "${aws:PrincipalTag/kubernetes-namespace}/*"
POLICY = {
    "Version": "2012-10-17",
    "Statement": [
        {
            "Effect": "Allow",
            "Action": "s3:ListBucket",
            "Resource": f"arn:aws:s3:::{BUCKET}",
            "Condition": {"StringLike": {"s3:prefix": OWN}},
        },
        {"Effect": "Allow", "Action": "s3:PutObject", "Resource": f"arn:aws:s3:::{BUCKET}/{OWN}"},
    ],
}


@pytest.fixture(scope="module")
def aws(planes):
    """The laptop's AWS, as its administrator."""
    server = AwsServer(planes)
    server.start()
    keys = {"aws_access_key_id": "test", "aws_secret_access_key": "test"}
    session = boto3.Session(region_name=REGION, **keys)
    yield lambda service: session.client(service, endpoint_url=server.url)
    server.stop()


@pytest.fixture
def role(aws):
    """ARN of a role that pods may have."""
    name = "spark-a-recorder-0a1b"
    trust = {"Version": "2012-10-17", "Statement": []}
    arn = aws("iam").create_role(RoleName=name, AssumeRolePolicyDocument=json.dumps(trust))["Role"]["Arn"]
    aws("iam").put_role_policy(RoleName=name, PolicyName="own", PolicyDocument=json.dumps(POLICY))
    aws("s3").create_bucket(Bucket=BUCKET)
    return arn


@pytest.fixture
def associated(plane, namespace, role):
    """A namespace whose default service account has the role."""
    store = Store(store_folder(plane.cloud) / ACCOUNT / REGION / "eks")
    thing = {
        "clusterName": plane.name,
        "namespace": namespace,
        "serviceAccount": "default",
        "roleArn": role,
        "createdAt": "2026-11-01T00:00:00+00:00",
    }
    store.put("podidentityassociation", plane.name, "a-1", thing=thing)
    yield namespace
    store.remove("podidentityassociation", plane.name, "a-1")


def test_a_pod_is_its_role_with_the_tags_of_its_namespace(plane, associated, aws, tmp_path, monkeypatch):
    token = tmp_path / pod_identity.TOKEN
    token.write_text(token_of(plane, associated, "default", audience=pod_identity.AUDIENCE))
    variables = pod_identity.variables(pods.network(plane), str(token))
    for name, value in {**AwsServer(plane.cloud).variables, **variables}.items():
        monkeypatch.setenv(name, value)
    session = boto3.Session(region_name=REGION)

    caller = session.client("sts").get_caller_identity()["Arn"]
    assert caller.startswith(f"arn:aws:sts::{ACCOUNT}:assumed-role/spark-a-recorder-0a1b/eks-spark-a-")
    s3 = session.client("s3")
    s3.put_object(Bucket=BUCKET, Key=f"{associated}/part", Body=b"1")
    assert s3.list_objects_v2(Bucket=BUCKET, Prefix=f"{associated}/")["KeyCount"] == 1
    for refused in (
        lambda: s3.put_object(Bucket=BUCKET, Key="another/part", Body=b"1"),
        lambda: s3.list_objects_v2(Bucket=BUCKET, Prefix="another/"),
        lambda: s3.list_objects_v2(Bucket=BUCKET),
        lambda: s3.get_object(Bucket=BUCKET, Key=f"{associated}/part"),
    ):
        with pytest.raises(ClientError, match="AccessDenied"):
            refused()


@pytest.mark.parametrize(
    ("audience", "sentence"),
    [
        (None, "is of no service account, or not for pods.eks.amazonaws.com"),
        (pod_identity.AUDIENCE, "/default has no Pod Identity association"),
    ],
)
def test_who_has_no_association_or_another_token_gets_nothing(plane, namespace, aws, audience, sentence):
    token = token_of(plane, namespace, "default", audience=audience)
    ask = urllib.request.Request(
        f"{pods.network(plane)}{pod_identity.PATH}", headers={"Authorization": token}
    )

    with pytest.raises(urllib.error.HTTPError) as refused:
        urllib.request.urlopen(ask)

    assert refused.value.code == 400
    assert sentence in refused.value.read().decode()
