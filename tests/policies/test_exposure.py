import pytest

from policies.exposure import ACCESS_BLOCKS, api_server_violations, bucket_violations

CLOSED = dict.fromkeys(ACCESS_BLOCKS, True)


@pytest.mark.parametrize("ranges", [None, [], ["10.0.0.0/8", "0.0.0.0/0"], ["::/0"]])
def test_an_api_server_open_to_every_address_is_refused(ranges):
    network = {"endpointPublicAccess": True, "publicAccessCidrs": ranges}

    assert list(api_server_violations({"vpcConfig": network}))


@pytest.mark.parametrize(
    "network",
    [
        {"endpointPublicAccess": False},
        {"endpointPublicAccess": True, "publicAccessCidrs": ["192.0.2.0/24"]},
        {},
    ],
)
def test_an_api_server_within_known_ranges_may_ship(network):
    assert not list(api_server_violations({"vpcConfig": network}))


@pytest.mark.parametrize("name", ACCESS_BLOCKS)
def test_a_bucket_that_could_be_made_public_is_refused_by_the_name_of_the_setting(name):
    [violation] = bucket_violations({**CLOSED, name: False})

    assert name in violation


def test_a_closed_bucket_may_ship():
    assert not list(bucket_violations(CLOSED))
