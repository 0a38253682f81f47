"""What has to be asked of AWS before the program runs."""

import json
from dataclasses import dataclass
from functools import cached_property
from typing import Any
from urllib.parse import unquote

import boto3
from botocore.exceptions import BotoCoreError, ClientError

from accounts.names import AccountNames, StateNames
from stacks.settings import Environment


class BootstrapRefused(Exception):
    """Why nothing is done, in one sentence."""


@dataclass(frozen=True)
class Questions:
    """Questions with the credentials at hand.

    role: taken in accounts that they are not of.
    """

    settings: Environment
    role: str

    def refuse_other_account(self) -> None:
        """Raise BootstrapRefused unless the credentials at hand are of the account that has the state."""
        home = StateNames(self.settings).foundation
        try:
            caller = self._session.client("sts").get_caller_identity()
        except (BotoCoreError, ClientError) as error:
            raise BootstrapRefused(
                f"AWS does not take the credentials at hand ({_reason(error)}): sign in as an administrator "
                f"of {home.account}, as with `aws sso login`."
            ) from None
        if caller["Account"] != home.account:
            raise BootstrapRefused(
                f"The credentials at hand are of account {caller['Account']} ({caller['Arn']}), and "
                f"{self.settings.environment} keeps its state in {home.account}: sign in there."
            )

    def bucket_exists(self) -> bool:
        """Whether the bucket of the state exists. Raises BootstrapRefused where it is somebody else's."""
        bucket = StateNames(self.settings).bucket
        try:
            self._session.client("s3").head_bucket(Bucket=bucket)
        except ClientError as error:
            code = error.response["Error"]["Code"]
            if code in ("404", "NoSuchBucket"):
                return False
            raise BootstrapRefused(
                f"Bucket {bucket} exists, and the credentials at hand may not use it ({code}): names of "
                "buckets are unique in AWS, so choose another `organization`, or sign in as who may."
            ) from None
        return True

    def provider_exists(self, account: str) -> bool:
        """Whether an account has the identity provider for GitHub. Raises BootstrapRefused."""
        arn = AccountNames(self.settings, account).github_provider
        try:
            self._iam(account).get_open_id_connect_provider(OpenIDConnectProviderArn=arn)
        except ClientError as error:
            if error.response["Error"]["Code"] == "NoSuchEntity":
                return False
            raise BootstrapRefused(f"IAM of {account} does not show {arn}: {_reason(error)}.") from None
        return True

    def others_of_provider(self, account: str) -> list[str]:
        """Roles that trust the identity provider of an account and are not this environment's."""
        names = AccountNames(self.settings, account)
        pages = self._iam(account).get_paginator("list_roles").paginate()
        return [
            role["RoleName"]
            for page in pages
            for role in page["Roles"]
            if role["Arn"] not in (names.deploy_role, names.preview_role)
            and names.github_provider in _text(role["AssumeRolePolicyDocument"])
        ]

    @cached_property
    def _session(self) -> Any:
        return boto3.Session(region_name=StateNames(self.settings).foundation.region)

    def _iam(self, account: str) -> Any:
        if account == StateNames(self.settings).foundation.account:
            return self._session.client("iam")
        names = AccountNames(self.settings, account)
        arn = f"arn:{names.partition}:iam::{account}:role/{self.role}"
        try:
            answer = self._session.client("sts").assume_role(RoleArn=arn, RoleSessionName="moka-bootstrap")
        except (BotoCoreError, ClientError) as error:
            raise BootstrapRefused(
                f"The credentials at hand cannot take {arn} ({_reason(error)}): name a role with --role that "
                "administers the other accounts and trusts you."
            ) from None
        credentials = answer["Credentials"]
        session = boto3.Session(
            aws_access_key_id=credentials["AccessKeyId"],
            aws_secret_access_key=credentials["SecretAccessKey"],
            aws_session_token=credentials["SessionToken"],
            region_name=names.regions[0],
        )
        return session.client("iam")


def _text(document: Any) -> str:
    return unquote(document) if isinstance(document, str) else json.dumps(document)


def _reason(error: Exception) -> str:
    return " ".join(str(error).split()).rstrip(".")
