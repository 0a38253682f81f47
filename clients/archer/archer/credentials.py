"""Who asks: a token of an issuer, or credentials of AWS."""

import base64
import time
from typing import Protocol

SCHEME, AUDIENCE_HEADER = "AWS-IAM", "x-archer-audience"
"""As Archer has them (moka/submission/iam_token.py)."""

ACTION = "Action=GetCallerIdentity&Version=2011-06-15"

SECONDS = 60
"""For so long a signed request is good; for half of it, it is sent again, so that Archer need not ask STS."""


class Credentials(Protocol):
    """What says who asks."""

    def header(self) -> str:
        """`Authorization` of the next request."""


class TokenCredentials:
    """A token of the environment's issuer of OpenID Connect."""

    def __init__(self, token: str) -> None:
        self._token = token

    def header(self) -> str:
        """`Authorization` of the next request."""
        return f"Bearer {self._token}"


class IamCredentials:
    """Credentials of AWS, as boto finds them: Archer gets a signed question of who they are, not themselves.

    environment: name of Archer's environment; the request is good for no other.
    region: of AWS, whose STS Archer asks.
    """

    def __init__(self, environment: str, region: str) -> None:
        try:
            from botocore.session import Session
        except ImportError:
            raise RuntimeError(
                "Credentials of AWS need botocore: install moka-archer[iam], or give a token."
            ) from None
        self._session = Session()
        self._environment = environment
        self._region = region
        self._header, self._signed = "", 0.0

    def header(self) -> str:
        """`Authorization` of the next request. Raises RuntimeError, a sentence, without credentials."""
        now = time.time()
        if not self._signed <= now < self._signed + SECONDS / 2:
            from botocore.exceptions import BotoCoreError

            try:
                self._header, self._signed = self._sign(), now
            except BotoCoreError as error:
                raise RuntimeError(
                    f"AWS gives no credentials ({error}): log in (`aws sso login`), set AWS_PROFILE, or "
                    "give a token."
                ) from None
        return self._header

    def _sign(self) -> str:
        from botocore.signers import RequestSigner

        client = self._session.create_client("sts", region_name=self._region)
        credentials = self._session.get_credentials()
        if credentials is None:
            raise RuntimeError(
                "There are no credentials of AWS: log in (`aws sso login`), set AWS_PROFILE, or give a token."
            )
        signer = RequestSigner(
            client.meta.service_model.service_id,
            self._region,
            "sts",
            "v4",
            credentials,
            self._session.get_component("event_emitter"),
        )
        request = {
            "method": "GET",
            "url": f"{client.meta.endpoint_url}/?{ACTION}",
            "body": {},
            "headers": {AUDIENCE_HEADER: self._environment},
            "context": {},
        }
        url = signer.generate_presigned_url(
            request, region_name=self._region, expires_in=SECONDS, operation_name=""
        )
        return f"{SCHEME} {base64.urlsafe_b64encode(url.encode()).decode().rstrip('=')}"
