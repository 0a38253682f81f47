import random
from datetime import UTC, datetime
from hashlib import sha256

import pytest
from botocore.auth import S3SigV4Auth
from botocore.awsrequest import AWSRequest
from botocore.credentials import Credentials as BotoCredentials

from services.event_log_uploader.signature import Credentials, encoded_path, signed_headers

CHARACTERS = "abcXYZ019-_.~/ +%=&ä!*'()"


@pytest.mark.parametrize("seed", range(50))
def test_requests_are_signed_as_botocore_signs_them(seed, monkeypatch):
    draw = random.Random(seed)
    text = lambda length: "".join(draw.choices(CHARACTERS, k=length))  # noqa: E731
    method = draw.choice(["PUT", "DELETE"])
    host = draw.choice(["logs.s3.eu-west-1.amazonaws.com", "127.0.0.1:5000"])
    path = encoded_path(f"/{text(draw.randint(0, 60))}")
    body = draw.randbytes(draw.randint(0, 2000))
    now = datetime(2026, draw.randint(1, 12), draw.randint(1, 28), draw.randint(0, 23), tzinfo=UTC)
    secret, token = text(40).strip(), f"{draw.randbytes(90).hex()}=="
    monkeypatch.setattr("botocore.auth.get_current_datetime", lambda: now.replace(tzinfo=None))
    request = AWSRequest(method, f"https://{host}{path}", data=body)
    request.headers["host"] = host
    S3SigV4Auth(BotoCredentials("ASIA", secret, token), "s3", "eu-west-1").add_auth(request)

    headers = signed_headers(
        method,
        host,
        path,
        sha256(body).hexdigest(),
        "eu-west-1",
        Credentials(access_key="ASIA", secret_key=secret, token=token, expiration=now),
        now,
    )

    assert headers == {name.lower(): value for name, value in request.headers.items()}
