"""EKS Pod Identity for programs in place of pods: the agent of their nodes, and EKS behind it.

https://docs.aws.amazon.com/eks/latest/userguide/pod-id-how-it-works.html: the token of a service account, for
this audience, becomes credentials of the role that an association of the cluster names for the account.
"""

import os
from collections.abc import Mapping
from datetime import UTC
from typing import Any

from aws_rules.iam.permissions import Place
from aws_rules.iam.pod_identity import SERVICE, session_tags
from localcloud.aws_server import AwsServer
from localcloud.cloud import Cloud
from localcloud.control_plane.plane import ControlPlane
from localcloud.store import stores

PATH = "/v1/credentials"
"""Of the agent (aws/eks-pod-identity-agent: internal/cloud/eksauth and pkg/handlers)."""

AUDIENCE = SERVICE
"""Of the tokens."""

TOKEN = "eks-pod-identity-token"
"""File with the token, as EKS calls it."""

SUBJECT = "system:serviceaccount:"
SESSION_LENGTH = 64


class NoCredentials(Exception):
    """Why a token gets no credentials: a sentence."""


def association(cloud: Cloud, cluster: str, namespace: str, account: str) -> dict[str, Any] | None:
    """The association of a service account, with `place`, where its cluster is; None where it has none."""
    for store in stores(cloud, "eks"):
        for pod_association in store.all("podidentityassociation", cluster):
            if (pod_association["namespace"], pod_association["serviceAccount"]) == (namespace, account):
                *_, owner, region, _ = store.root.parts
                return {**pod_association, "place": Place(account=owner, region=region)}
    return None


def variables(agent: str, token: str) -> dict[str, str]:
    """What EKS puts into the containers of a pod whose account has an association; and nothing else by which
    SDKs find credentials, as they look for these last.

    agent: URL of the agent. token: path of the file with the token.
    https://docs.aws.amazon.com/sdkref/latest/guide/feature-container-credentials.html
    """
    return {
        "AWS_ACCESS_KEY_ID": "",
        "AWS_SECRET_ACCESS_KEY": "",
        "AWS_SHARED_CREDENTIALS_FILE": os.devnull,
        "AWS_CONFIG_FILE": os.devnull,
        "AWS_CONTAINER_CREDENTIALS_FULL_URI": f"{agent}{PATH}",
        "AWS_CONTAINER_AUTHORIZATION_TOKEN_FILE": token,
    }


def credentials(plane: ControlPlane, token: str) -> Mapping[str, str]:
    """Credentials for a token of a service account. Raises NoCredentials."""
    review = plane.api().create(
        "/apis/authentication.k8s.io/v1/tokenreviews",
        {"kind": "TokenReview", "spec": {"token": token, "audiences": [AUDIENCE]}},
    )["status"]
    subject = (review.get("user") or {}).get("username", "")
    if not review.get("authenticated") or not subject.startswith(SUBJECT):
        raise NoCredentials(f"The token is of no service account, or not for {AUDIENCE}.")
    namespace, account = subject.removeprefix(SUBJECT).split(":")
    pod_association = association(plane.cloud, plane.name, namespace, account)
    if pod_association is None:
        raise NoCredentials(f"Service account {namespace}/{account} has no Pod Identity association.")
    return _role_credentials(plane, pod_association, f"eks-{plane.name}-{account}"[:SESSION_LENGTH])


def _role_credentials(
    plane: ControlPlane, pod_association: Mapping[str, Any], session: str
) -> Mapping[str, str]:
    # Of the clients of AWS, which take a second to load.
    import boto3

    place: Place = pod_association["place"]
    sts = boto3.client(
        "sts",
        endpoint_url=AwsServer(plane.cloud).url,
        region_name=place.region,
        aws_access_key_id="test",
        aws_secret_access_key="test",
    )
    tags = [{"Key": key, "Value": value} for key, value in session_tags(pod_association, place).items()]
    keys = sts.assume_role(RoleArn=pod_association["roleArn"], RoleSessionName=session, Tags=tags)[
        "Credentials"
    ]
    return {
        "AccessKeyId": keys["AccessKeyId"],
        "SecretAccessKey": keys["SecretAccessKey"],
        "Token": keys["SessionToken"],
        "AccountId": pod_association["roleArn"].split(":")[4],
        "Expiration": keys["Expiration"].astimezone(UTC).strftime("%Y-%m-%dT%H:%M:%SZ"),
    }
