import pytest

from localcloud.errors import Refusal
from localcloud.plugins.safety import loopback, refuse_unless_laptop


@pytest.fixture
def laptop(tmp_path):
    return {
        "MOKA_CLOUD": str(tmp_path),
        "PULUMI_BACKEND_URL": f"file://{tmp_path}/state",
        "AWS_ENDPOINT_URL": "http://127.0.0.1:5000",
    }


def test_a_laptop_cloud_is_served(laptop):
    refuse_unless_laptop(laptop)


def test_state_in_the_laptop_s_own_s3_is_served(laptop):
    refuse_unless_laptop({**laptop, "PULUMI_BACKEND_URL": "s3://states?region=us-east-1&awssdk=v2"})


@pytest.mark.parametrize(
    "name, value",
    [
        ("MOKA_CLOUD", ""),
        ("PULUMI_BACKEND_URL", ""),
        ("PULUMI_BACKEND_URL", "https://api.pulumi.com"),
        ("PULUMI_BACKEND_URL", "s3://states/moka"),
        ("PULUMI_BACKEND_URL", "s3://states?region=us-east-1"),
        ("PULUMI_BACKEND_URL", "s3://states?region=us-east-1&awssdk=v1"),
        ("PULUMI_BACKEND_URL", "s3://states?awssdk=v2&profile=prod"),
        ("PULUMI_BACKEND_URL", "s3://states?awssdk=v2&endpoint=s3.example.com"),
        ("PULUMI_BACKEND_URL", "file://~"),
        ("PULUMI_BACKEND_URL", "file:///home/somebody"),
        ("AWS_ENDPOINT_URL", ""),
        ("AWS_ENDPOINT_URL", "https://eks.us-east-1.amazonaws.com"),
        ("AWS_ENDPOINT_URL", "http://127.0.0.1.example.com"),
        ("AWS_ENDPOINT_URL", "http://10.0.0.1:5000"),
        ("AWS_ENDPOINT_URL_S3", "https://s3.amazonaws.com"),
    ],
)
def test_anything_else_is_refused_by_the_name_of_what_is_wrong(laptop, name, value):
    with pytest.raises(Refusal, match=name):
        refuse_unless_laptop({**laptop, name: value})


def test_a_way_out_of_the_state_folder_is_refused(laptop, tmp_path):
    with pytest.raises(Refusal, match="PULUMI_BACKEND_URL"):
        refuse_unless_laptop({**laptop, "PULUMI_BACKEND_URL": f"file://{tmp_path}/state/../elsewhere"})


def test_a_password_in_an_address_is_not_shown(laptop):
    with pytest.raises(Refusal) as refused:
        refuse_unless_laptop({**laptop, "AWS_ENDPOINT_URL": "https://me:secret@example.com"})
    assert "secret" not in str(refused.value)


@pytest.mark.parametrize(
    "url", ["http://127.0.0.1:5000", "https://localhost:6443", "http://[::1]:80", "http://127.9.9.9"]
)
def test_addresses_of_this_machine_are_known(url):
    assert loopback(url)


@pytest.mark.parametrize("url", ["", "127.0.0.1", "ftp://127.0.0.1", "http://0.0.0.0", "http://[bad", "x"])
def test_other_addresses_are_not(url):
    assert not loopback(url)
