"""Calls to the laptop's AWS: a client for a service and a region, made when it is first needed."""

import threading
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from functools import cached_property, lru_cache
from importlib import import_module
from typing import Any

from aws_rules.values.request import partition
from localcloud.cloud import ACCOUNT, REGION, RUN, Cloud
from localcloud.plugins.aws import session
from localcloud.plugins.aws.caller import Caller
from localcloud.plugins.aws.remedies import remedy
from localcloud.project import USER_AT_HAND
from localcloud.store import accounts, record_account

THREADS = 32

GLOBAL = {
    "iam": {"aws": "us-east-1", "aws-cn": "cn-north-1", "aws-us-gov": "us-gov-west-1"},
    "route53": {"aws": "us-east-1", "aws-cn": "cn-northwest-1", "aws-us-gov": "us-gov-west-1"},
}
"""Service that is the same in all regions of a partition -> partition -> region in which it is called."""

SERVICES = {
    "acm": ("acm", "Acm"),
    "amp": ("amp", "Amp"),
    "autoscaling": ("auto_scaling", "AutoScaling"),
    "cloudformation": ("cloud_formation", "CloudFormation"),
    "ec2": ("ec2", "Ec2"),
    "ecr": ("ecr", "Ecr"),
    "eks": ("eks", "Eks"),
    "elbv2": ("elbv2", "Elbv2"),
    "grafana": ("grafana", "Grafana"),
    "logs": ("logs", "Logs"),
    "rds": ("rds", "Rds"),
    "route53": ("route53", "Route53"),
    "s3": ("s3", "S3"),
    "secretsmanager": ("secrets_manager", "SecretsManager"),
}
"""Services that keep something beside moto: module and class, by name, as these call other services again."""


@dataclass
class Api:
    """AWS as one provider configuration sees it.

    endpoint: of moto's server.
    region: by default.
    roles: ARNs of roles assumed one after the other; the last one's account is used.
    guard: called with every call, before it is made.
    identity: ARN of the principal that AWS sees; empty where nobody says whose credentials are at hand.
    caller_roles: those of `roles` that the program's provider takes; the laptop takes others for itself.
    """

    cloud: Cloud
    endpoint: str
    region: str
    roles: tuple[str, ...] = ()
    guard: "Guard | None" = None
    identity: str = USER_AT_HAND
    caller_roles: tuple[str, ...] = ()
    _clients: dict[tuple[str, str], Any] = field(default_factory=dict)
    _models: dict[str, tuple[Any, Mapping[str, str]]] = field(default_factory=dict)
    _lock: threading.RLock = field(default_factory=threading.RLock)

    @cached_property
    def account(self) -> str:
        """Account of the last role assumed."""
        return self.roles[-1].split(":")[4] if self.roles else ACCOUNT

    @property
    def partition(self) -> str:
        """`aws`, or that of China or the US government."""
        return partition(self.region)

    def client(self, service: str, region: str = "") -> Any:
        """The botocore client."""
        key = (service, GLOBAL.get(service, {}).get(self.partition) or region or self.region)
        with self._lock:
            if key not in self._clients:
                self._clients[key] = self._client(*key, self._credentials)
            return self._clients[key]

    def call(self, service: str, operation: str, members: Mapping[str, Any], region: str = "") -> Any:
        """Call an operation, named as boto3 names it; its answer."""
        operate: Callable[..., Any] = getattr(self.service(service, region), operation)
        return operate(**members)

    def request(self, service: str, operation: str, members: Mapping[str, Any], region: str = "") -> Any:
        """The same for the program's provider: refused where IAM would not let it call this."""
        self.ask(service, operation, members, region)
        return self.call(service, operation, members, region)

    def ask(self, service: str, operation: str, members: Mapping[str, Any], region: str = "") -> None:
        """Raise botocore's ClientError where IAM would not let the program's provider call this."""
        in_region = GLOBAL.get(service, {}).get(self.partition) or region or self.region
        self._caller.ask(service, operation, members, in_region)

    @cached_property
    def _caller(self) -> Caller:
        return Caller(self.endpoint, self.region, self.caller_roles)

    def service(self, service: str, region: str = "") -> Any:
        """A client of moto's, with what is kept beside moto."""
        client = self.client(service, region)
        if service not in SERVICES:
            return client
        module, name = SERVICES[service]
        wrapper: Callable[..., Any] = getattr(
            import_module(f"localcloud.plugins.aws.services.{module}"), name
        )
        return wrapper(self, service, region or self.region, client)

    def shapes(self, service: str, operation: str) -> Any:
        """Model of an operation: `name`, `input_shape`, `output_shape`."""
        with self._lock:
            model, names = self._model(service)
            return model.operation_model(names[operation])

    def _model(self, service: str) -> tuple[Any, Mapping[str, str]]:
        """Model of a service, and its operations by boto3's names."""
        if service not in self._models:
            from botocore import xform_name

            model = session.service_model(service)
            self._models[service] = model, {xform_name(name): name for name in model.operation_names}
        return self._models[service]

    @cached_property
    def _credentials(self) -> dict[str, str]:
        record_account(self.cloud, self.account)
        credentials = {"aws_access_key_id": "test", "aws_secret_access_key": "test"}
        for role in self.roles:
            sts = self._client("sts", self.region, credentials)
            keys = sts.assume_role(RoleArn=role, RoleSessionName="pulumi")["Credentials"]
            credentials = {
                "aws_access_key_id": keys["AccessKeyId"],
                "aws_secret_access_key": keys["SecretAccessKey"],
                "aws_session_token": keys["SessionToken"],
            }
        return credentials

    def _client(self, service: str, region: str, credentials: Mapping[str, str]) -> Any:
        from botocore.config import Config

        config = Config(
            # On this machine a second attempt is no better than the first.
            retries={"total_max_attempts": 1},
            connect_timeout=5,
            max_pool_connections=THREADS,
            s3={"addressing_style": "path"},
        )
        client = session.create_client(
            service, region_name=region, endpoint_url=self.endpoint, config=config, **credentials
        )
        if self.guard:
            guard = self.guard

            def check(params: Mapping[str, Any], model: Any, **_: Any) -> None:
                guard(self, service, model, params, region)

            client.meta.events.register("provide-client-params", check)
        return client


Guard = Callable[[Api, str, Any, Mapping[str, Any], str], None]
"""What sees every call: who calls, the service, the operation's model, the call's members, the region."""


@lru_cache(16)
def account_api(cloud: Cloud, endpoint: str, account: str, region: str = REGION) -> Api:
    """AWS as a role of an account sees it."""
    return Api(cloud, endpoint, region, () if account == ACCOUNT else (account_role(account, region),))


def buckets(cloud: Cloud, endpoint: str) -> dict[str, list[str]]:
    """Account -> names of its buckets, whatever their region, for each account that was used."""
    return {
        account: [
            bucket["Name"]
            for bucket in account_api(cloud, endpoint, account).call("s3", "list_buckets", {})["Buckets"]
        ]
        for account in accounts(cloud)
    }


def account_role(account: str, region: str) -> str:
    """A role of an account: assuming it makes a key pair stand for that account."""
    return f"arn:{partition(region)}:iam::{account}:role/laptop"


def not_found(error: Exception) -> bool:
    """Whether an error says that a thing does not exist."""
    code = error_code(error)
    return any(word in code for word in ("NotFound", "NoSuch", "DoesNotExist")) or code == "404"


def error_code(error: Exception) -> str:
    """AWS's code of an error; empty for an error of another kind."""
    response = getattr(error, "response", None)
    return str(response.get("Error", {}).get("Code", "")) if isinstance(response, dict) else ""


def explain(error: Exception, endpoint: str, about: str) -> str | None:
    """An error of botocore as one sentence; None for an error of another kind."""
    from botocore.exceptions import (
        BotoCoreError,
        ClientError,
        ConnectionError,
        HTTPClientError,
        ParamValidationError,
    )
    from botocore.parsers import ResponseParserError

    match error:
        case ResponseParserError():
            return f"{about}: moto, which simulates AWS here, cannot do this: leave out what needs it."
        case ClientError() if error.response.get("ResponseMetadata", {}).get("HTTPStatusCode", 0) >= 500:
            return (
                f"{about}: moto, which simulates AWS here, cannot do {error.operation_name}: "
                "leave out what needs it."
            )
        case ClientError():
            message = " ".join(str(error.response["Error"].get("Message", "")).split()).rstrip(".")
            code = error_code(error)
            return f"{about}: AWS refused {error.operation_name}: {message} ({code}): {remedy(code)}."
        case ParamValidationError():
            return f"{about}: AWS would refuse this: {' '.join(str(error).split())}."
        case ConnectionError() | HTTPClientError():
            return (
                f"The laptop's AWS at {endpoint} does not answer; it keeps everything in memory, so its "
                f"resources may be lost: run `{RUN} down`, then `{RUN} up`."
            )
        case BotoCoreError():
            return f"{about}: {' '.join(str(error).split())}."
        case _:
            return None
