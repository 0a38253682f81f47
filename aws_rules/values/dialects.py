"""How each service of AWS says that a value does not fit: its error code, and its sentence."""

from dataclasses import dataclass
from typing import Any

from aws_rules.values.request import Path, path_text

_ERRORS = "https://docs.aws.amazon.com"


@dataclass(frozen=True)
class Dialect:
    """How a service refuses a value.

    code: for a value that does not fit. missing: for one that is not there.
    sentence: with {value}, {path}, {constraint}.
    source: where AWS documents its codes.
    """

    code: str
    missing: str
    sentence: str
    source: str

    def refuse(self, path: Path, value: Any, constraint: str) -> tuple[str, str]:
        """Code and message for a value that breaks a constraint."""
        if constraint == REQUIRED:
            return self.missing, self._say(path, "null", constraint)
        return self.code, self._say(path, value, constraint)

    def _say(self, path: Path, value: Any, constraint: str) -> str:
        text = str(value) if len(str(value)) <= 120 else f"{str(value)[:117]}..."
        return self.sentence.format(value=text, path=path_text(path), constraint=constraint)


REQUIRED = "Member must not be null"

_CORAL = "1 validation error detected: Value '{value}' at '{path}' failed to satisfy constraint: {constraint}"
_EC2 = "Value ({value}) for parameter {path} is invalid. {constraint}"
_ECR = "Invalid parameter at '{path}' failed to satisfy constraint: '{constraint}'"
_S3 = (
    "The XML you provided was not well-formed or did not validate against our published schema: {path} is "
    "{value}. {constraint}"
)

_OTHER = Dialect(
    "ValidationException",
    "ValidationException",
    _CORAL,
    f"{_ERRORS}/kms/latest/APIReference/CommonErrors.html",
)
_DIALECTS = {
    "autoscaling": Dialect(
        "ValidationError",
        "ValidationError",
        _CORAL,
        f"{_ERRORS}/autoscaling/ec2/APIReference/CommonErrors.html",
    ),
    "ec2": Dialect(
        "InvalidParameterValue",
        "MissingParameter",
        _EC2,
        f"{_ERRORS}/AWSEC2/latest/APIReference/errors-overview.html",
    ),
    "ecr": Dialect(
        "InvalidParameterException",
        "InvalidParameterException",
        _ECR,
        f"{_ERRORS}/AmazonECR/latest/APIReference/API_CreateRepository.html",
    ),
    "eks": Dialect(
        "InvalidParameterException",
        "InvalidParameterException",
        _CORAL,
        f"{_ERRORS}/eks/latest/APIReference/API_CreateNodegroup.html",
    ),
    "iam": Dialect(
        "ValidationError", "ValidationError", _CORAL, f"{_ERRORS}/IAM/latest/APIReference/CommonErrors.html"
    ),
    "logs": Dialect(
        "InvalidParameterException",
        "InvalidParameterException",
        _CORAL,
        f"{_ERRORS}/AmazonCloudWatchLogs/latest/APIReference/API_CreateLogGroup.html",
    ),
    "s3": Dialect(
        "MalformedXML",
        "MalformedXML",
        _S3,
        f"{_ERRORS}/AmazonS3/latest/API/ErrorResponses.html",
    ),
    "sts": Dialect(
        "ValidationError", "ValidationError", _CORAL, f"{_ERRORS}/STS/latest/APIReference/CommonErrors.html"
    ),
}


def dialect(service: str) -> Dialect:
    """How a service refuses a value."""
    return _DIALECTS.get(service, _OTHER)
