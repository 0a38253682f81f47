"""Who calls AWS, to AWS: whether the credentials at hand, or a role taken with them, may make a call.

The plugin looks up what its rules need, and does what AWS does behind a call, as the laptop itself. What the
provider would call is asked about first, with the provider's own credentials.
"""

import os
import threading
from collections.abc import Mapping
from configparser import ConfigParser
from dataclasses import dataclass, field
from functools import cached_property
from typing import Any

from localcloud.authorization.asking import HEADER_NAME, YES
from localcloud.plugins.aws.session import create_client

Credentials = dict[str, str]
"""What botocore's clients take: key, secret and token."""

VARIABLES: Mapping[str, str] = {
    "aws_access_key_id": "AWS_ACCESS_KEY_ID",
    "aws_secret_access_key": "AWS_SECRET_ACCESS_KEY",
    "aws_session_token": "AWS_SESSION_TOKEN",
}


def session_at_hand() -> Credentials:
    """Temporary credentials in this process's environment; none where there are only the laptop's own."""
    credentials = {name: os.environ.get(variable, "") for name, variable in VARIABLES.items()}
    return credentials if all(credentials.values()) else {}


def role_at_hand(endpoint: str | None) -> str:
    """ARN of the role whose credentials are at hand; empty where there are only the laptop's own."""
    credentials = session_at_hand()
    if not credentials or not endpoint:
        return ""
    sts = create_client("sts", region_name="us-east-1", endpoint_url=endpoint, **credentials)
    arn = str(sts.get_caller_identity()["Arn"])
    _, partition, _, _, account, session = arn.split(":", 5)
    return f"arn:{partition}:iam::{account}:role/{session.split('/')[1]}"


def role_of_profile(profile: str) -> str:
    """ARN of the role of a profile in the AWS configuration at hand; empty where that has none."""
    file, config = os.environ.get("AWS_CONFIG_FILE"), ConfigParser()
    if profile and file:
        config.read(file)
    return config.get(f"profile {profile}", "role_arn", fallback="")


@dataclass
class Caller:
    """Who calls AWS as one provider is configured.

    endpoint: of the laptop's AWS; None for one within this process, which decides nothing.
    roles: ARNs, taken one after the other with the credentials at hand.
    """

    endpoint: str | None
    region: str
    roles: tuple[str, ...] = ()
    _clients: dict[tuple[str, str], Any] = field(default_factory=dict)
    _lock: threading.RLock = field(default_factory=threading.RLock)

    def ask(self, service: str, operation: str, members: Mapping[str, Any], region: str) -> None:
        """Raise botocore's ClientError where AWS would not let it make a call.

        operation: as boto3 names it.
        """
        from botocore.exceptions import ClientError, ParamValidationError

        if not self._decided:
            return
        try:
            getattr(self._client(service, region), operation)(**members)
        except ParamValidationError:
            return  # what the call itself will say
        except ClientError as error:
            if error.response["Error"].get("Code") not in YES:
                raise

    @property
    def _decided(self) -> bool:
        """Whether IAM has a say: credentials that are not a role's are an administrator's."""
        return bool(self.endpoint and (self.roles or session_at_hand()))

    @cached_property
    def _credentials(self) -> Credentials:
        credentials = session_at_hand() or {"aws_access_key_id": "test", "aws_secret_access_key": "test"}
        for role in self.roles:
            sts = self._create("sts", self.region, credentials)
            answer = sts.assume_role(RoleArn=role, RoleSessionName="pulumi")["Credentials"]
            names = ("AccessKeyId", "SecretAccessKey", "SessionToken")
            credentials = dict(zip(VARIABLES, (answer[name] for name in names), strict=True))
        return credentials

    def _client(self, service: str, region: str) -> Any:
        with self._lock:
            if (service, region) not in self._clients:
                client = self._create(service, region, self._credentials)
                client.meta.events.register("before-call", _only_ask)
                self._clients[service, region] = client
            return self._clients[service, region]

    def _create(self, service: str, region: str, credentials: Credentials) -> Any:
        from botocore.config import Config

        config = Config(retries={"total_max_attempts": 1}, s3={"addressing_style": "path"})
        return create_client(
            service, region_name=region, endpoint_url=self.endpoint, config=config, **credentials
        )


def _only_ask(params: dict[str, Any], **_: Any) -> None:
    params["headers"][HEADER_NAME] = "true"
