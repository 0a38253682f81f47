"""Tokens of EKS, `k8s-aws-v1.`: a signed question to STS of who one is, which the laptop's AWS answers.

As aws-iam-authenticator checks them (kubernetes-sigs/aws-iam-authenticator: pkg/token/token.go), but for the
signature, which this AWS does not verify.
"""

import base64
import binascii
import re
import urllib.error
import urllib.request
from datetime import UTC, datetime, timedelta
from urllib.parse import parse_qs, urlsplit

PREFIX = "k8s-aws-v1."
CLUSTER_HEADER = "x-k8s-aws-id"
"""Header that is signed: the cluster for which a token is."""

LIFE = timedelta(minutes=15)

ARN = re.compile(r"<Arn>(arn:[^<]+)</Arn>")


def caller(token: str, cluster: str, aws: str) -> str | None:
    """ARN of who signed a token, as STS has it; None where it is none for this cluster, or too old.

    aws: URL of the laptop's AWS.
    """
    url = _url(token)
    if url is None or not url.startswith(f"{aws.rstrip('/')}/"):
        return None
    query = parse_qs(urlsplit(url).query)
    signed_headers = query.get("X-Amz-SignedHeaders", [""])[0].split(";")
    if (
        query.get("Action") != ["GetCallerIdentity"]
        or CLUSTER_HEADER not in signed_headers
        or not _fresh(query)
    ):
        return None
    request = urllib.request.Request(url, headers={CLUSTER_HEADER: cluster})
    try:
        with urllib.request.urlopen(request, timeout=5) as answer:
            match = ARN.search(answer.read().decode())
    except (urllib.error.URLError, OSError):
        return None
    return match[1] if match else None


def _url(token: str) -> str | None:
    if not token.startswith(PREFIX):
        return None
    text = token.removeprefix(PREFIX)
    try:
        return base64.urlsafe_b64decode(text + "=" * (-len(text) % 4)).decode("ascii")
    except (binascii.Error, ValueError):
        return None


def _fresh(query: dict[str, list[str]]) -> bool:
    try:
        at = datetime.strptime(query["X-Amz-Date"][0], "%Y%m%dT%H%M%SZ").replace(tzinfo=UTC)
    except (KeyError, ValueError):
        return False
    return datetime.now(UTC) < at + LIFE
