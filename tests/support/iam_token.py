"""Presigned requests to STS, right ones and others."""

import base64

import boto3
from botocore.signers import RequestSigner

from moka.submission.iam_token import AUDIENCE_HEADER, SCHEME

ACTION = "Action=GetCallerIdentity&Version=2011-06-15"


def presigned(endpoint, audience="test", query=ACTION, headers=None, expires=60):
    """URL of a request to STS that these credentials sign."""
    session = boto3.Session("AKIAIOSFODNN7EXAMPLE", "secret", region_name="us-east-1")
    client = session.client("sts", endpoint_url=endpoint)
    signer = RequestSigner(
        client.meta.service_model.service_id,
        "us-east-1",
        "sts",
        "v4",
        session.get_credentials(),
        session.events,
    )
    request = {
        "method": "GET",
        "url": f"{endpoint}/?{query}",
        "body": {},
        "headers": {AUDIENCE_HEADER: audience} if headers is None else headers,
        "context": {},
    }
    return signer.generate_presigned_url(
        request, region_name="us-east-1", expires_in=expires, operation_name=""
    )


def authorization(url):
    """The header that holds it."""
    return {"authorization": f"{SCHEME} {base64.urlsafe_b64encode(url.encode()).decode().rstrip('=')}"}
