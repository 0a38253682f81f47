"""Configuration values of add-ons."""

from collections.abc import Iterator

import yaml

from aws_rules.rule import Rule, Violation

CONFIGURATION = Rule(
    name="addon-configuration",
    authority="EKS",
    decides="whether the configuration values of an add-on are a JSON or YAML object",
    source="https://docs.aws.amazon.com/eks/latest/APIReference/API_CreateAddon.html",
)
RULES = (CONFIGURATION,)


def configuration(addon: str, values: str) -> Iterator[Violation]:
    """What EKS refuses of configuration values; the schema of an add-on's version is not known here.

    addon: as an engineer names it.
    """
    try:
        readable = isinstance(yaml.safe_load(values or "{}"), dict)
    except yaml.YAMLError:
        readable = False
    if not readable:
        yield Violation(
            rule=CONFIGURATION,
            resource=addon,
            code="InvalidParameterException",
            # Words: hashicorp/terraform-provider-aws: internal/service/eks/addon_test.go.
            message="ConfigurationValue provided in request is not supported: it is no JSON or YAML object",
            remedy="correct configurationValues",
        )
