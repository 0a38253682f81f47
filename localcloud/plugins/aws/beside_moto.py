"""A service as boto3's client answers it: moto's, and what moto has no place for, kept in files."""

from collections.abc import Callable, Mapping
from datetime import UTC, datetime
from importlib import import_module
from typing import TYPE_CHECKING, Any, NoReturn

from localcloud.plugins.aws.kept import Kept, folder

if TYPE_CHECKING:
    from localcloud.plugins.aws.api import Api

Members = dict[str, Any]

# Service -> module and class here that stand before moto's client.
SERVICES = {
    "autoscaling": ("auto_scaling", "AutoScaling"),
    "ec2": ("ec2", "Ec2"),
    "ecr": ("ecr", "Ecr"),
    "eks": ("eks", "Eks"),
    "logs": ("logs", "Logs"),
    "s3": ("s3", "S3"),
}


def beside_moto(api: "Api", service: str, region: str, client: Any) -> Any:
    """The client to call: moto's own, unless something is kept beside it."""
    if service not in SERVICES:
        return client
    module, name = SERVICES[service]
    made: Callable[..., Any] = getattr(import_module(f"localcloud.plugins.aws.{module}"), name)
    return made(api, service, region, client)


class BesideMoto:
    """A client of one service in one region: an operation that is no method here is moto's."""

    def __init__(self, api: "Api", service: str, region: str, client: Any) -> None:
        self.api, self.region, self.client = api, region, client
        self.meta = client.meta
        self.kept = Kept(folder(api.cloud) / api.account / region / service)

    def __getattr__(self, operation: str) -> Any:
        return getattr(self.client, operation)

    def refuse(self, code: str, message: str, operation: str) -> NoReturn:
        """Answer as the service answers what it does not do."""
        from botocore.exceptions import ClientError

        raise ClientError({"Error": {"Code": code, "Message": message}}, operation)

    def validate(self, operation: str, members: Mapping[str, Any]) -> None:
        """Check a request as boto3 does, by the service's model."""
        from botocore.exceptions import ParamValidationError
        from botocore.validate import ParamValidator

        model = self.meta.service_model.operation_model(self.meta.method_to_api_mapping[operation])
        report = ParamValidator().validate(members, model.input_shape)
        if report.has_errors():
            raise ParamValidationError(report=report.generate_report())


def now() -> str:
    """This moment, as it is kept."""
    return datetime.now(UTC).isoformat()
