import pytest

from moka.images import check_image, check_own_image
from moka.registries import EcrHost, ecr_host

DIGEST = "sha256:" + "0a" * 32


@pytest.mark.parametrize(
    "reference",
    [
        "spark:4.1.2",
        "apache/spark:4.1.2",
        "docker.io/apache/spark:4.1.2-scala2.13",
        "localhost:5000/a/b__c/d-e.f:1",
        f"quay.io/a@{DIGEST}",
        f"quay.io/a:latest@{DIGEST}",
        "123456789012.dkr.ecr.eu-west-1.amazonaws.com/a/b:1",
        f"quay.io/{'a' * 247}:1",
    ],
)
def test_an_image_that_says_which_runs_is_taken(reference):
    assert check_image(reference) == reference


@pytest.mark.parametrize(
    ("reference", "says"),
    [
        ("spark", "without a tag or digest"),
        ("apache/spark:latest", "latest is another image every day"),
        ("quay.io:443/spark", "without a tag or digest"),
        ("quay.io/spark:", "write <registry>/<repository>:<tag>"),
        ("quay.io//spark:1", "write <registry>/<repository>:<tag>"),
        ("quay.io/Spark:1", "the repository in lower case"),
        ("quay.io/spark:1 ", "write <registry>/<repository>:<tag>"),
        ("quay.io/spark@sha256:0a", "64 hexadecimal digits"),
        (f"quay.io/spark@{DIGEST.upper()}", "64 hexadecimal digits"),
        ("docker://quay.io/spark:1", "an image has no scheme"),
        ("1234.dkr.ecr.us-east-1.amazonaws.com/a:1", "<account>.dkr.ecr.<region>.amazonaws.com"),
        ("123456789012.DKR.ECR.us-east-1.amazonaws.com/a:1", "<account>.dkr.ecr.<region>.amazonaws.com"),
        ("123456789012.dkr.ecr.us-east-1.amazonaws.com/a:1", "ECR has no such repository"),
        ("123456789012.dkr.ecr.us-east-1.amazonaws.com/a__b:1", "ECR has no such repository"),
        ("my_registry.example/a:1", "my_registry.example is no host of a registry"),
        ("registry.example:65536/a:1", "registry.example:65536 is no host of a registry"),
        (f"quay.io/{'a' * 248}:1", "has a name of more than 255 characters"),
    ],
)
def test_an_image_that_no_registry_has_or_that_may_be_any_is_refused(reference, says):
    with pytest.raises(ValueError, match=says):
        check_image(reference)


def test_ones_own_image_has_a_registry():
    assert check_own_image("registry.example/a:1")

    with pytest.raises(ValueError, match="has no registry before the repository"):
        check_own_image("apache/spark:1")
    with pytest.raises(ValueError, match="localhost:5000 is each node itself"):
        check_own_image("localhost:5000/spark:1")


def test_a_host_of_ecr_says_account_region_and_domain():
    assert ecr_host("123456789012.dkr.ecr.cn-north-1.amazonaws.com.cn") == EcrHost(
        "123456789012", "cn-north-1", "amazonaws.com.cn"
    )
    assert ecr_host("123456789012.dkr-ecr.us-east-1.on.aws") == EcrHost("123456789012", "us-east-1", None)
    assert ecr_host("public.ecr.aws") is None
    assert ecr_host("quay.io") is None
