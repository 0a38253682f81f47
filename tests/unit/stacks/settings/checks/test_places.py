import pytest

from tests.support.wrong_settings import OTHER_FOUNDATION, REMOVED, Changes

NETWORK = "foundations.main.network"

# What is changed in stacks/local.yaml, by its place there, and what the message has to say.
MISTAKES: dict[str, tuple[Changes, str]] = {
    "two foundations in one place": (
        {"foundations.second": "copy of main"},
        "foundations.second: account 123456789012 already has foundation 'main' in us-east-1; keep "
        "one for each account and region.",
    ),
    "two accounts with one set of credentials": (
        {"foundations.other": OTHER_FOUNDATION},
        "foundations: accounts 123456789012, 210987654321 all use the credentials at hand, which are "
        "of one account; set assume: true for the others.",
    ),
    "a user that is to be taken as a role": (
        {"foundations.main.assume": True},
        "foundations.main.assume: is true, but 'arn:aws:iam::123456789012:user/laptop' is no role "
        "and cannot be assumed; name a role as deployer, or remove assume.",
    ),
    "a deployer of another account": (
        {"foundations.main.deployer": "arn:aws:iam::999999999999:role/deployer"},
        "foundations.main.deployer: is 'arn:aws:iam::999999999999:role/deployer', which is of "
        "another account; name one of 123456789012.",
    ),
    "a network both made and there": (
        {
            "foundations.main.existing_network": {
                "vpc": "vpc-0123456789abcdef0",
                "private_subnets": {
                    "us-east-1a": "subnet-0123456789abcdef0",
                    "us-east-1b": "subnet-0123456789abcdef1",
                },
            }
        },
        "foundations.main: has both network (to create) and existing_network (by ids); keep one.",
    ),
    "no network": (
        {NETWORK: REMOVED},
        "foundations.main: has neither network (to create) nor existing_network (by ids); add one.",
    ),
    "a zone of another region": (
        {f"{NETWORK}.zones": ["eu-west-1a", "us-east-1b"]},
        f"{NETWORK}.zones: 'eu-west-1a' is no zone of us-east-1; use zones such as us-east-1a.",
    ),
    "a zone twice": (
        {f"{NETWORK}.zones": ["us-east-1a", "us-east-1a"]},
        f"{NETWORK}.zones: 'us-east-1a' is listed twice; list it once.",
    ),
    "names too long for a bucket": (
        {"organization": "a-company-with-a-very-long-name"[:30]},
        "organization: makes bucket names too long with the environment's name: "
        "'a-company-with-a-very-long-nam-wrong-123456789012-us-east-1-resource-usage' has 74 "
        "characters, and S3 allows 63; shorten one of the two.",
    ),
    "names too long for a role": (
        {
            "clusters.a-cluster-whose-name-is-long-x": "copy of spark-a",
            "job_namespaces": {"a-namespace-whose-name-is-long": {}},
        },
        "clusters.a-cluster-whose-name-is-long-x: with namespace 'a-namespace-whose-name-is-long', "
        "its role names have more than 56 characters; shorten one of the two.",
    ),
}


@pytest.mark.parametrize(("changes", "expected"), MISTAKES.values(), ids=MISTAKES)
def test_mistakes_are_refused_before_anything_is_registered(changes, expected, refusal):
    assert expected in refusal(changes)
