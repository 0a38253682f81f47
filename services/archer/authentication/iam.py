"""AWS IAM: a presigned request to STS, which says whose it is.

As HashiCorp Vault and aws-iam-authenticator have it: who calls signs `sts:GetCallerIdentity` with a header
that names this environment, and only its URL is sent here. It is good for nothing else, and nowhere else.
"""

import base64
import binascii
import re
import time
from collections import OrderedDict
from collections.abc import Callable, Mapping
from datetime import UTC, datetime
from urllib.parse import parse_qsl, urlsplit

import aiohttp

from moka.submission.iam_token import AUDIENCE_HEADER, SCHEME
from moka.submission.rights import Principal
from moka.submission.token_bucket import TokenBucket
from services.archer.authentication.principal import Peer, Sender, Unauthenticated, Unverified, checked
from services.archer.authentication.sender_cache import SenderCache

ACTION = {"Action": "GetCallerIdentity", "Version": "2011-06-15"}

SIGNED = {
    "X-Amz-Algorithm",
    "X-Amz-Credential",
    "X-Amz-Date",
    "X-Amz-Expires",
    "X-Amz-SignedHeaders",
    "X-Amz-Signature",
}
"""Parameters of a presigned request, besides `X-Amz-Security-Token`."""

LONGEST_SECONDS = 900
LEEWAY_SECONDS = 60
"""That the caller's clock may be slow: STS takes what is signed for 15 minutes, whatever it says of itself
(kubernetes-sigs/aws-iam-authenticator: pkg/token/token.go)."""

LONGEST = 8 * 1024
"""Characters of a token."""

LARGEST = 16 * 1024
"""Bytes of an answer of STS."""

REMEMBERED_SECONDS = 300.0
"""For so long an answer is believed again; a role that is deleted is somebody for no longer."""

ASKED_A_SECOND, ASKED_AT_ONCE = 20.0, 100.0
"""Questions to STS about credentials that it has not known of late: who makes up tokens neither floods STS
nor keeps out those whom it knows."""

CREDENTIALS = 10_000
"""That STS has known of late."""

ARN = re.compile(rb"<Arn>(arn:[a-z-]+:(?:sts|iam)::\d{12}:[\w+=,.@/-]{1,700})</Arn>")
ASSUMED_ROLE = re.compile(r"arn:([a-z-]+):sts::(\d{12}):assumed-role/([^/]+)/(.+)")
MADE_UP_SESSION = re.compile(
    r"eks-.+-[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}"
    r"|(botocore-session|aws-sdk-js(-session)?|aws-sdk-java|aws-go-sdk)-[0-9]{10,19}"
)
"""Names of sessions that nobody chose: what EKS Pod Identity names one, another for each pod, and each time
its credentials are renewed
(https://docs.aws.amazon.com/eks/latest/APIReference/API_auth_AssumedRoleUser.html); and what SDKs name one
where a profile or a web identity says nothing, by the time (boto/botocore: credentials.py; aws-sdk-js-v3:
fromWebToken; aws-sdk-java-v2: StsProfileCredentialsProviderFactory; aws-sdk-go-v2: stscreds)."""

BUSY = re.compile(rb"<Code>(Throttling\w*|RequestLimitExceeded|TooManyRequests\w*)</Code>")
"""In an answer of STS that it has too much to do; the status is 400
(https://docs.aws.amazon.com/STS/latest/APIReference/CommonErrors.html)."""

NO_USERS = str.maketrans({character: f"#{ord(character):x}" for character in "+=,"})
"""Characters that IAM has in names, and YuniKorn not in those of users; `#` IAM has in none."""


class IamAuthenticator:
    """Has STS say who signed a request.

    audience: this environment's, which the request must name. endpoint: URL of STS, of the region. clock:
    seconds since 1970.
    """

    def __init__(
        self,
        audience: str,
        endpoint: str,
        session: aiohttp.ClientSession,
        clock: Callable[[], float] = time.time,
    ) -> None:
        self._audience = audience
        self._endpoint = endpoint.rstrip("/")
        self._session = session
        self._clock = clock
        self._sender_cache = SenderCache(REMEMBERED_SECONDS, clock)
        self._credentials: OrderedDict[str, None] = OrderedDict()
        self._strangers = TokenBucket(ASKED_A_SECOND, ASKED_AT_ONCE, ASKED_AT_ONCE, clock())

    def takes(self, headers: Mapping[str, str]) -> bool:
        """Whether a request has such a token."""
        return headers.get("authorization", "").startswith(f"{SCHEME} ")

    async def sender(self, headers: Mapping[str, str], peer: Peer) -> Sender:
        """Who signed. Raises Unauthenticated and Unverified."""
        token = headers["authorization"].removeprefix(f"{SCHEME} ").strip()
        if sender := self._sender_cache.of(token):
            return sender
        now = self._clock()
        url, good_until, credential = self._checked(token, now)
        self._let_in(credential, now)
        sender = await self._sender_of(url)
        self._credentials[credential] = None
        if len(self._credentials) > CREDENTIALS:
            self._credentials.popitem(last=False)
        self._sender_cache.keep(token, sender, good_until)
        return sender

    def _let_in(self, credential: str, now: float) -> None:
        """Count credentials that STS has not known of late. Raises Unverified where there are too many."""
        if credential in self._credentials:
            return
        tokens, self._strangers = self._strangers.take(1, now)
        if not tokens:
            raise Unverified("Too many unknown credentials are being verified: try again in a few seconds.")

    def _checked(self, token: str, now: float) -> tuple[str, float, str]:
        """The URL of a token, until when it is good, and its credentials. Raises Unauthenticated."""
        if len(token) > LONGEST:
            raise Unauthenticated("The token is too long to be valid: make one with `archer token`.")
        try:
            url = base64.urlsafe_b64decode(token + "=" * (-len(token) % 4)).decode("ascii")
            parts = urlsplit(url)
            pairs = parse_qsl(parts.query, keep_blank_values=True, strict_parsing=True)
        except (ValueError, binascii.Error):
            raise Unauthenticated("The token is no presigned URL: make one with `archer token`.") from None
        query = dict(pairs)
        if (
            f"{parts.scheme}://{parts.netloc}" != self._endpoint
            or parts.path not in ("", "/")
            or parts.fragment
        ):
            raise Unauthenticated(f"The token is not for {self._endpoint}: set the region to that of Archer.")
        names = set(query) - set(ACTION) - {"X-Amz-Security-Token"}
        if len(query) != len(pairs) or names != SIGNED or not query.items() >= ACTION.items():
            raise Unauthenticated("The token asks for something else than sts:GetCallerIdentity.")
        if not {"host", AUDIENCE_HEADER} <= set(query["X-Amz-SignedHeaders"].split(";")):
            raise Unauthenticated(f"The token does not sign {AUDIENCE_HEADER}: make one with `archer token`.")
        try:
            signed = datetime.strptime(query["X-Amz-Date"], "%Y%m%dT%H%M%SZ").replace(tzinfo=UTC).timestamp()
            good_until = signed + min(int(query["X-Amz-Expires"]), LONGEST_SECONDS)
        except ValueError:
            raise Unauthenticated("The token has no date.") from None
        good_until += LEEWAY_SECONDS
        if good_until <= now:
            raise Unauthenticated("The token has expired: make a new one, by a clock that is right.")
        return url, good_until, query["X-Amz-Credential"]

    async def _sender_of(self, url: str) -> Sender:
        """Who STS says that it is. Raises Unauthenticated and Unverified."""
        timeout = aiohttp.ClientTimeout(total=5.0)
        try:
            async with self._session.get(
                url, headers={AUDIENCE_HEADER: self._audience}, timeout=timeout, allow_redirects=False
            ) as response:
                body = await response.content.read(LARGEST)
                status = response.status
        except (aiohttp.ClientError, OSError, TimeoutError):
            raise Unverified("STS does not answer: try again in a minute.") from None
        if status >= 500 or BUSY.search(body):
            raise Unverified(f"STS has too much to do, and answers {status}: try again in a few seconds.")
        arns = ARN.findall(body)
        if status != 200 or len(arns) != 1:
            raise Unauthenticated(
                f"STS does not know who signed this for {self._audience}: it answers {status}; look at the "
                "credentials, the clock, and the name of the environment."
            )
        return Sender(principal(arns[0].decode()), "iam")


def principal(arn: str) -> Principal:
    """Who has this ARN, in the group of the role where it is a role's session. Raises Unauthenticated.

    Where nobody chose the session's name, all of a role are one: what one of its pods has submitted is
    another's too, as it is when the same program begins anew.
    """
    session = ASSUMED_ROLE.fullmatch(arn)
    if session is None:
        return Principal(checked(arn.translate(NO_USERS)))
    role = f"arn:{session[1]}:iam::{session[2]}:role/{session[3]}"
    name = role if MADE_UP_SESSION.fullmatch(session[4]) else arn
    return Principal(checked(name.translate(NO_USERS)), frozenset({role}))
