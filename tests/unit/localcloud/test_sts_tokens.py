"""Tokens of EKS, made as `aws eks get-token` makes them, and asked of the laptop's STS."""

import base64
from datetime import UTC, datetime, timedelta

import boto3
import pytest
from botocore import auth
from botocore.model import ServiceId
from botocore.signers import RequestSigner

from localcloud import sts_tokens

CLUSTER = "moka-local-spark-a"
ROLE = "arn:aws:iam::123456789012:role/archer"


@pytest.fixture(scope="module")
def session(laptop_aws):
    """Of somebody who has taken a role."""
    credentials = {"aws_access_key_id": "test", "aws_secret_access_key": "test", "region_name": "us-east-1"}
    sts = boto3.client("sts", endpoint_url=laptop_aws, **credentials)
    keys = sts.assume_role(RoleArn=ROLE, RoleSessionName="worker")["Credentials"]
    return boto3.Session(
        keys["AccessKeyId"], keys["SecretAccessKey"], keys["SessionToken"], region_name="us-east-1"
    )


@pytest.fixture
def token(laptop_aws, session):
    """Sign a token -> it; what is asked, of whom and with which headers can differ."""

    def sign(action="GetCallerIdentity", at=laptop_aws, headers=None):
        signer = RequestSigner(
            ServiceId("STS"), "us-east-1", "sts", "v4", session.get_credentials(), session.events
        )
        request = {
            "method": "GET",
            "url": f"{at}/?Action={action}&Version=2011-06-15",
            "body": {},
            "headers": {sts_tokens.CLUSTER_HEADER: CLUSTER} if headers is None else headers,
            "context": {},
        }
        url = signer.generate_presigned_url(request, operation_name="", expires_in=60)
        return sts_tokens.PREFIX + base64.urlsafe_b64encode(url.encode()).decode().rstrip("=")

    return sign


def test_a_token_tells_the_session_that_signed_it(token, laptop_aws):
    assert (
        sts_tokens.caller(token(), CLUSTER, laptop_aws)
        == "arn:aws:sts::123456789012:assumed-role/archer/worker"
    )


@pytest.mark.parametrize(
    "different",
    [
        {"action": "GetSessionToken"},
        {"at": "http://127.0.0.1:1"},
        {"headers": {}},
        {"headers": {"x-k8s-aws-other": CLUSTER}},
    ],
    ids=str,
)
def test_a_url_that_asks_something_else_is_no_token(token, laptop_aws, different):
    assert sts_tokens.caller(token(**different), CLUSTER, laptop_aws) is None


@pytest.mark.parametrize(
    "text", ["", "k8s-aws-v1.", "k8s-aws-v1.%", "k8s-aws-v1.AAAA", "k8s-aws-v1.w7w", "x"]
)
def test_other_text_is_no_token(laptop_aws, text):
    assert sts_tokens.caller(text, CLUSTER, laptop_aws) is None


@pytest.mark.parametrize(("minutes", "believed"), [(14, True), (16, False)])
def test_a_token_is_believed_for_fifteen_minutes(token, laptop_aws, monkeypatch, minutes, believed):
    now = datetime.now(UTC).replace(tzinfo=None) - timedelta(minutes=minutes)
    monkeypatch.setattr(auth, "get_current_datetime", lambda remove_tzinfo=True: now)
    old = token()
    monkeypatch.undo()

    assert bool(sts_tokens.caller(old, CLUSTER, laptop_aws)) is believed


def test_nobody_is_known_where_sts_does_not_answer(token):
    assert sts_tokens.caller(token(at="http://127.0.0.1:1"), CLUSTER, "http://127.0.0.1:1") is None
