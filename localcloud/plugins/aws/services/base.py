"""The base of services whose clients keep something beside moto."""

from collections.abc import Mapping
from datetime import UTC, datetime
from typing import Any, NoReturn

from localcloud.plugins.aws.api import Api
from localcloud.store import Store, store_folder

Members = dict[str, Any]


class Service:
    """A client of one service in one region: an operation that is no method here is moto's."""

    def __init__(self, api: Api, service: str, region: str, client: Any) -> None:
        self.api, self.region, self.client = api, region, client
        self.meta = client.meta
        self.store = Store(store_folder(api.cloud) / api.account / region / service)

    def __getattr__(self, operation: str) -> Any:
        return getattr(self.client, operation)

    def refuse(self, code: str, message: str, operation: str) -> NoReturn:
        """Raise the error with which the service refuses an operation."""
        from botocore.exceptions import ClientError

        raise ClientError({"Error": {"Code": code, "Message": message}}, operation)

    def validate(self, operation: str, members: Mapping[str, Any]) -> None:
        """Check a request as boto3's client does; the operation has AWS's name."""
        from botocore.exceptions import ParamValidationError
        from botocore.validate import ParamValidator

        model = self.meta.service_model.operation_model(operation)
        if self.api.guard:
            self.api.guard(self.api, self.meta.service_model.service_name, model, members, self.region)
        report = ParamValidator().validate(members, model.input_shape)
        if report.has_errors():
            raise ParamValidationError(report=report.generate_report())


def now() -> str:
    """The current time, as it is stored."""
    return datetime.now(UTC).isoformat()
