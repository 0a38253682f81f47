"""An account of AWS, as a provider of a state enters it."""

import json
import os
from collections.abc import Mapping
from dataclasses import dataclass
from functools import cache
from typing import Any

from recovery.pulumi_cli import Stopped
from recovery.state import Resource


@dataclass(frozen=True)
class Account:
    """An account and region as an AWS provider of a state enters it.

    allowed: ids of accounts; empty for any.
    """

    region: str | None
    profile: str | None
    allowed: tuple[str, ...]

    @classmethod
    def of(cls, provider: Resource, region: str) -> "Account":
        """That of a provider's inputs. region: of the resource, where it has one of its own."""
        inputs: Mapping[str, Any] = provider.get("inputs") or {}
        allowed = inputs.get("allowedAccountIds") or []
        accounts = json.loads(allowed) if isinstance(allowed, str) else allowed
        return cls(region or inputs.get("region"), inputs.get("profile"), tuple(accounts))

    def ask(self, service: str, operation: str, members: Mapping[str, Any]) -> dict[str, Any]:
        """The answer to a question, all of its pages. Raises Stopped where there is none."""
        from botocore.exceptions import BotoCoreError, ClientError

        try:
            if self.allowed and self._id not in self.allowed:
                raise Stopped(
                    f"the credentials at hand are of account {self._id}, and it is in "
                    f"{', '.join(self.allowed)}: use others"
                )
            client = self._session.client(service)
            if not client.can_paginate(operation):
                return dict(getattr(client, operation)(**members))
            pages = client.get_paginator(operation).paginate(**members)
            return dict(pages.build_full_result())
        except ClientError as error:
            if "NotFound" in error.response["Error"]["Code"]:
                return {}
            raise Stopped(f"AWS could not be asked: {error}") from None
        except BotoCoreError as error:
            raise Stopped(f"AWS could not be asked: {error}") from None

    @property
    def _session(self) -> Any:
        return _session(self.profile, self.region or os.environ.get("AWS_REGION"))

    @property
    def _id(self) -> str:
        return _account_id(self._session)


@cache
def _session(profile: str | None, region: str | None) -> Any:
    import boto3

    return boto3.Session(profile_name=profile, region_name=region)


@cache
def _account_id(session: Any) -> str:
    return str(session.client("sts").get_caller_identity()["Account"])
