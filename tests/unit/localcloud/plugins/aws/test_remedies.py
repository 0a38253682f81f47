"""What AWS refuses in words of its own comes with what to do."""

import pytest

from localcloud.plugins.aws.remedies import ANY_OTHER, remedy


@pytest.mark.parametrize(
    ("code", "words"),
    [
        ("InvalidSubnetID.NotFound", "make it first"),
        ("ResourceNotFoundException", "make it first"),
        ("NoSuchEntity", "make it first"),
        ("EntityAlreadyExists", "another name"),
        ("InvalidLaunchTemplateName.AlreadyExistsException", "another name"),
        ("InvalidPermission.Duplicate", "leave the rule out"),
        ("RulesPerSecurityGroupLimitExceeded", "have the quota raised"),
        ("DependencyViolation", "remove what uses it first"),
        ("SomethingNew", ANY_OTHER),
    ],
)
def test_an_error_of_aws_has_a_remedy_by_its_code(code, words):
    assert words in remedy(code)
