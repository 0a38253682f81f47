"""What to do when AWS refuses a call in words of its own, by the code of its error."""

from collections.abc import Mapping
from fnmatch import fnmatchcase

# The first pattern that fits counts. Codes: "Error codes for the Amazon EC2 API", EC2 API Reference; "Common
# errors" of IAM, KMS, ECR and EKS; "Error responses", S3 API Reference.
REMEDIES: Mapping[str, str] = {
    "InvalidSubnet.Conflict": "give it a range that no other subnet of its VPC has",
    "InvalidSubnet.Range": "give it a range within one of its VPC's",
    "InvalidLaunchTemplateId.VersionNotFound": "name a version that the launch template has",
    "InvalidPermission.Duplicate": "leave the rule out, as the security group has it already",
    "RouteAlreadyExists": "leave the route out, or remove the one that the table has",
    "Resource.AlreadyAssociated": "leave the association out, or remove the one that is there",
    "*LimitExceeded*": "use fewer, or have the quota raised",
    "DependencyViolation": "remove what uses it first",
    "DeleteConflict*": "remove what uses it first",
    "ResourceInUse*": "give it another name if there is one of this name, or remove what still belongs to it",
    "*InUse": "remove what uses it first",
    "BucketAlready*": "give it another name, or remove or import the one that is there",
    "*AlreadyExists*": "give it another name, or remove or import the one that is there",
    "*Duplicate*": "leave it out, or remove the one that is there",
    "*NotFound*": "name one that exists in this account and region, or make it first",
    "*NotExist*": "name one that exists in this account and region, or make it first",
    "NoSuch*": "name one that exists in this account, or make it first",
    "Gateway.NotAttached": "attach the gateway to the VPC first",
    "Malformed*": "correct the document",
    "*Malformed": "correct the value",
}

ANY_OTHER = "correct what it names, and run this again"


def remedy(code: str) -> str:
    """What to do after an error with a code, as an imperative, without a full stop."""
    fitting = (remedy for pattern, remedy in REMEDIES.items() if fnmatchcase(code, pattern))
    return next(fitting, ANY_OTHER)
