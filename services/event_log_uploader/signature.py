"""Signature of a request to S3: AWS Signature Version 4 in headers.

As in docs.aws.amazon.com/AmazonS3/latest/API/sig-v4-header-based-auth.html. For S3 the path is encoded once,
and no part of it is normalized.
"""

import hmac
from collections.abc import Mapping
from dataclasses import dataclass, field
from datetime import datetime
from hashlib import sha256
from urllib.parse import quote

ALGORITHM = "AWS4-HMAC-SHA256"


@dataclass(frozen=True, kw_only=True)
class Credentials:
    """Temporary credentials of AWS, with the time when they end (UTC)."""

    access_key: str
    secret_key: str = field(repr=False)
    token: str = field(repr=False)
    expiration: datetime


def encoded_path(path: str) -> str:
    """A path as it stands in the request, which is what is signed."""
    return quote(path, safe="/-_.~")


def signed_headers(
    method: str,
    host: str,
    path: str,
    body_sha256: str,
    region: str,
    credentials: Credentials,
    now: datetime,
) -> dict[str, str]:
    """Headers that a request to S3 without a query needs.

    path: encoded, from its slash on.
    body_sha256: of the body, in hexadecimal digits.
    now: UTC; S3 takes a difference of 15 minutes.
    """
    headers = {
        "host": host,
        "x-amz-content-sha256": body_sha256,
        "x-amz-date": now.strftime("%Y%m%dT%H%M%SZ"),
        "x-amz-security-token": credentials.token,
    }
    scope = f"{now:%Y%m%d}/{region}/s3/aws4_request"
    request = _canonical_request(method, path, headers, body_sha256)
    text = "\n".join((ALGORITHM, headers["x-amz-date"], scope, sha256(request.encode()).hexdigest()))
    signature = _hmac(_signing_key(credentials.secret_key, scope), text).hex()
    authorization = (
        f"{ALGORITHM} Credential={credentials.access_key}/{scope}, "
        f"SignedHeaders={';'.join(headers)}, Signature={signature}"
    )
    return {**headers, "authorization": authorization}


def _canonical_request(method: str, path: str, headers: Mapping[str, str], body_sha256: str) -> str:
    lines = "".join(f"{name}:{value}\n" for name, value in headers.items())
    return "\n".join((method, path, "", lines, ";".join(headers), body_sha256))


def _signing_key(secret_key: str, scope: str) -> bytes:
    key = f"AWS4{secret_key}".encode()
    for part in scope.split("/"):
        key = _hmac(key, part)
    return key


def _hmac(key: bytes, text: str) -> bytes:
    return hmac.digest(key, text.encode(), sha256)
