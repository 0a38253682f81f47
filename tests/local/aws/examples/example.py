"""What an example of a type says, what the examples stand on, and a person who changes things by hand."""

import json
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from functools import cache
from typing import Any

import boto3

from localcloud.cloud import ACCOUNT, REGION, Cloud
from localcloud.engine import Resource
from localcloud.store import Store, store_folder

POLICY = json.dumps(
    {
        "Version": "2012-10-17",
        "Statement": [{"Effect": "Allow", "Action": ["s3:GetObject"], "Resource": ["*"]}],
    }
)
OTHER_POLICY = POLICY.replace("s3:GetObject", "s3:PutObject")


def resource_policy(action: str, resource: str = "*") -> str:
    """A policy of a resource that lets an account do something."""
    principal = {"AWS": "arn:aws:iam::123456789012:root"}
    statement = {"Effect": "Allow", "Principal": principal, "Action": action, "Resource": resource}
    return json.dumps({"Version": "2012-10-17", "Statement": [statement]})


TRUST = json.dumps(
    {
        "Version": "2012-10-17",
        "Statement": [
            {
                "Effect": "Allow",
                "Principal": {"Service": "ec2.amazonaws.com"},
                "Action": ["sts:AssumeRole"],
            }
        ],
    }
)
POLICY_FOR_ANYBODY = json.dumps(
    {
        "Version": "2012-10-17",
        "Statement": [
            {
                "Sid": "byhand",
                "Effect": "Allow",
                "Principal": {"AWS": "arn:aws:iam::999999999999:root"},
                "Action": ["s3:GetObject"],
                "Resource": ["*"],
            }
        ],
    }
)
ROLE_ARN = "arn:aws:iam::123456789012:role/somebody"
TAGS = {"Name": "one", "kubernetes.io/role/elb": "1"}
OTHER_TAGS = {"Name": "two", "team": "data"}


class World:
    """What the examples stand on, made when one asks for it."""

    def __init__(self, bench, bases):
        self.bench, self.bases, self.resources = bench, bases, {}

    def __getattr__(self, name):
        if name not in self.resources:
            type, inputs = self.bases[name](self)
            self.resources[name] = self.bench.make(type, inputs, name=f"base-{name}".replace("_", "-"))
        return self.resources[name].id

    def output(self, name, output):
        getattr(self, name)
        return self.resources[name].outputs[output]

    def change(self, name, inputs):
        getattr(self, name)
        self.resources[name] = self.bench.change(self.resources[name], inputs)


Bases = Mapping[str, Callable[[World], tuple[str, dict[str, Any]]]]
"""Name of what examples stand on -> its type and inputs."""

NO_CHANGE: dict[str, Any] = {}


@dataclass(frozen=True)
class Example:
    """Inputs of one resource.

    inputs: as a program gives them. change: what it says otherwise later, and the engine updates in place;
    None takes an input away. replace: what can only be had by a new resource. imported: id for an import,
    where it is not the id.
    """

    type: str
    inputs: Callable[[World], dict[str, Any]]
    change: Callable[[World], dict[str, Any]] = lambda world: NO_CHANGE
    replace: Callable[[World], dict[str, Any]] | None = None
    imported: Callable[[Any], str] = lambda resource: resource.id
    label: str = field(default="")

    def __str__(self):
        return self.type.rsplit(":", 1)[1] + self.label


@dataclass(frozen=True)
class Console:
    """AWS's console in one account and region, so to speak."""

    cloud: Cloud
    endpoint: str
    account: str = ACCOUNT
    region: str = REGION

    def client(self, service: str) -> Any:
        """boto3's client."""
        return _client(self.endpoint, self.account, self.region, service)

    def edit(self, service: str, *key: str, **members: Any) -> None:
        """Change members of an object that the plugin keeps."""
        store = Store(store_folder(self.cloud) / self.account / self.region / service)
        before = store.get(*key)
        assert before is not None, f"{service} {key} is kept"
        store.put(*key, thing={**before, **members})


@cache
def _client(endpoint: str, account: str, region: str, service: str) -> Any:
    """A client; in another account than moto's first, as some role there."""
    keys = {"aws_access_key_id": "test", "aws_secret_access_key": "test"}
    if account != ACCOUNT:
        role = f"arn:aws:iam::{account}:role/hand"
        sts = boto3.client("sts", endpoint_url=endpoint, region_name=region, **keys)
        session = sts.assume_role(RoleArn=role, RoleSessionName="hand")["Credentials"]
        keys = {
            "aws_access_key_id": session["AccessKeyId"],
            "aws_secret_access_key": session["SecretAccessKey"],
            "aws_session_token": session["SessionToken"],
        }
    return boto3.client(service, endpoint_url=endpoint, region_name=region, **keys)


Change = Callable[[Console, Resource], Any]

Changes = Mapping[str, Change | None]
"""Type -> how a resource of it is changed by hand; None where nothing can be changed, only deleted."""


def add_tag(console: Console, resource: Resource) -> None:
    """Put a tag on something of EC2."""
    console.client("ec2").create_tags(Resources=[resource.id], Tags=[{"Key": "by-hand", "Value": "yes"}])
