"""Names of images, as containerd reads them."""

import pytest

from aws_rules.images.reference import Reference
from aws_rules.images.registry_hosts import endpoint_service

DIGEST = "sha256:" + "0" * 64


@pytest.mark.parametrize(
    ("name", "full"),
    [
        ("nginx", "docker.io/library/nginx:latest"),
        ("apache/spark:4.1.2", "docker.io/apache/spark:4.1.2"),
        ("index.docker.io/apache/spark:4.1.2", "docker.io/apache/spark:4.1.2"),
        ("localhost/x:1", "localhost/x:1"),
        ("registry:5000/x", "registry:5000/x:latest"),
        (f"ghcr.io/x/y@{DIGEST}", f"ghcr.io/x/y@{DIGEST}"),
        (f"ghcr.io/x/y:1@{DIGEST}", f"ghcr.io/x/y:1@{DIGEST}"),
    ],
)
def test_a_name_is_completed_as_containerd_completes_it(name, full):
    assert str(Reference.of(name)) == full


def test_the_registry_is_asked_for_the_digest_where_there_is_one():
    url = Reference.of(f"apache/spark:4.1.2@{DIGEST}").manifest_url

    assert url == f"https://registry-1.docker.io/v2/apache/spark/manifests/{DIGEST}"


@pytest.mark.parametrize(
    ("host", "service"),
    [
        ("api.ecr.us-east-1.amazonaws.com", "ecr.api"),
        ("444455556666.dkr.ecr.us-east-1.amazonaws.com", "ecr.dkr"),
        ("prod-us-east-1-starport-layer-bucket.s3.us-east-1.amazonaws.com", "s3"),
        ("444455556666.dkr.ecr.eu-west-1.amazonaws.com", None),
        ("registry-1.docker.io", None),
        ("public.ecr.aws", None),
    ],
)
def test_only_hosts_of_the_region_itself_are_behind_its_endpoints(host, service):
    assert endpoint_service(host, "us-east-1") == service
