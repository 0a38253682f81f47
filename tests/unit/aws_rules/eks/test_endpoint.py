import pytest

from aws_rules.eks.endpoint import endpoint


@pytest.mark.parametrize(
    ("config", "message"),
    [
        (
            {"endpointPublicAccess": False, "endpointPrivateAccess": False},
            "Private and public endpoint access cannot be false",
        ),
        (
            {
                "endpointPublicAccess": False,
                "endpointPrivateAccess": True,
                "publicAccessCidrs": ["203.0.113.0/24"],
            },
            "publicAccessCidrs can only be set when endpointPublicAccess is enabled",
        ),
    ],
)
def test_an_endpoint_that_nobody_could_reach_is_refused(config, message):
    assert [violation.message for violation in endpoint("main", config)] == [message]


@pytest.mark.parametrize(
    "config",
    [
        {},
        {"endpointPublicAccess": False, "endpointPrivateAccess": True},
        {"endpointPublicAccess": False, "endpointPrivateAccess": True, "publicAccessCidrs": ["0.0.0.0/0"]},
        {"endpointPrivateAccess": True, "publicAccessCidrs": ["203.0.113.0/24"]},
    ],
)
def test_an_endpoint_that_somebody_reaches_is_not_refused(config):
    assert list(endpoint("main", config)) == []
