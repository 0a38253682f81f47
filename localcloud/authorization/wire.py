"""Requests of AWS's protocols as calls, and refusals as their services write them."""

import io
import re
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass
from typing import Any

from moto.core.exceptions import ServiceException
from moto.core.model import OperationModel
from moto.core.parse import PROTOCOL_PARSERS
from moto.core.request import Request, determine_request_protocol
from moto.core.routing import get_service_router
from moto.core.serialize import get_serializer_class
from moto.core.utils import get_service_model
from werkzeug.exceptions import NotFound

Environ = dict[str, Any]
StartResponse = Callable[..., Any]
Body = Iterable[bytes]

CREDENTIAL = re.compile(r"Credential=([^/]+)/\d+/([^/]+)/([^/]+)/aws4_request")

DENIED: Mapping[str, tuple[str, int]] = {
    "ec2": ("UnauthorizedOperation", 403),
    "query": ("AccessDenied", 403),
    "rest-xml": ("AccessDenied", 403),
    "json": ("AccessDeniedException", 400),
    "rest-json": ("AccessDeniedException", 403),
}
"""Protocol of a service -> code and status with which it says that somebody may not.

Sources: "Error codes for the Amazon EC2 API", EC2 API Reference; "Common error types" of IAM, EKS, KMS, ECR
and CloudWatch Logs in their API references; "Error responses", S3 API Reference.
"""


@dataclass(frozen=True)
class Signed:
    """Who signed a request, and for what: id of the key, region, and service as IAM names it."""

    key: str
    region: str
    service: str


def signed(environ: Environ) -> Signed | None:
    """Who signed a request; None where nobody has, or not as today's SDKs do."""
    match = CREDENTIAL.search(environ.get("HTTP_AUTHORIZATION", ""))
    return Signed(match[1], match[2], match[3].lower()) if match else None


@dataclass(frozen=True)
class Message:
    """A request, as the model of its service reads it."""

    model: OperationModel
    members: dict[str, Any]
    protocol: str


def message(environ: Environ, service: str) -> Message | None:
    """A request's operation and members; None for one that its service's model does not have.

    The body can be read again afterwards.
    """
    body = environ["wsgi.input"].read(int(environ.get("CONTENT_LENGTH") or 0))
    try:
        environ["wsgi.input"] = io.BytesIO(body)
        request = Request(dict(environ))
        model = get_service_model(service)
        operation, path = _operation(service, request)
        protocol = determine_request_protocol(model, request.content_type)
        members = PROTOCOL_PARSERS[protocol](operation).parse(
            {
                "method": request.method,
                "values": request.values,
                "headers": request.headers,
                "body": b"" if _is_object(operation) else request.get_data(),
                "url_path": request.path,
                "url_params": dict(path),
            }
        )
        return Message(operation, dict(members), protocol)
    except NotFound:
        return None
    finally:
        environ["wsgi.input"] = io.BytesIO(body)


def _operation(service: str, request: Request) -> tuple[OperationModel, Mapping[str, Any]]:
    target = request.headers.get("X-Amz-Target")
    name = request.values.get("Action") or (target.rpartition(".")[2] if target else "")
    if name:
        return get_service_model(service).operation_model(name), {}
    operation, path = get_service_router(service).match(request)
    return operation, path


def _is_object(operation: OperationModel) -> bool:
    """Whether the body is an object's content, of which nothing follows."""
    shape = operation.input_shape
    payload = shape.serialization.get("payload") if shape else None
    return bool(shape and payload and shape.members[payload].type_name in ("blob", "string"))


class _Refused(ServiceException):
    """What is said; moto tells the service of its own exceptions by their module."""


def refusal(message: Message, code: str, status: int, text: str, start: StartResponse) -> Body:
    """A refusal in the form of its service."""
    return _respond(message, _Refused(code, text), f"{status} Refused", start)


def answer(message: Message, members: Mapping[str, Any], start: StartResponse) -> Body:
    """An answer in the form of its service; times are datetimes."""
    return _respond(message, members, "200 OK", start)


def _respond(message: Message, content: Any, status: str, start: StartResponse) -> Body:
    model = message.model
    serializer = get_serializer_class(model.service_model.service_name, message.protocol)(
        operation_model=model
    )
    answer = serializer.serialize(content)
    body = answer["body"]
    body_bytes = body.encode() if isinstance(body, str) else body
    if model.http.get("method") == "HEAD":
        body_bytes = b""
    headers = {**answer["headers"], "Content-Length": str(len(body_bytes))}
    start(status, [(name, str(value)) for name, value in headers.items()])
    return [body_bytes]
