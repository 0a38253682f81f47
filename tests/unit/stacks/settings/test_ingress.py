"""The way in to pages, as settings may and may not say it."""

import pytest
import yaml

from moka.mistakes import InvalidDocument
from stacks import settings

LOCAL = yaml.safe_load(settings.path_of("local").read_text())
ARN = "arn:aws:acm:us-east-1:123456789012:certificate/12345678-1234-1234-1234-123456789012"
ZONE = "Z0123456789ABCDEFGHIJ"


def parse(certificates=None, **sections):
    main = {**LOCAL["foundations"]["main"], "certificates": certificates}
    text = yaml.safe_dump({**LOCAL, "foundations": {"main": main}, **sections})
    return settings.parse(text, "stacks/local.yaml")


@pytest.mark.parametrize(
    ("certificates", "scheme"), [(None, "http"), ({"arns": [ARN]}, "https"), ({"public_zone": ZONE}, "https")]
)
def test_pages_are_https_where_there_are_certificates(certificates, scheme):
    assert parse(certificates).history_url == f"{scheme}://history.{LOCAL['domain']}"


@pytest.mark.parametrize(
    ("certificates", "words"),
    [
        pytest.param({}, "takes either public_zone, or arns", id="neither"),
        pytest.param({"arns": [ARN], "public_zone": ZONE}, "takes either public_zone, or arns", id="both"),
        pytest.param(
            {"arns": [ARN.replace("east-1", "west-2")]}, "in us-west-2; a load", id="another region"
        ),
        pytest.param(
            {"arns": [ARN.replace("123456789012:", "210987654321:")]}, "of account 21", id="account"
        ),
        pytest.param({"public_zone": "acme.example"}, "write the id of the hosted zone", id="a zone's name"),
    ],
)
def test_certificates_that_a_load_balancer_cannot_have_are_refused(certificates, words):
    with pytest.raises(InvalidDocument, match=words):
        parse(certificates)


def test_a_name_that_is_too_long_for_a_certificate_is_refused():
    domain = f"{'a' * 50}.example"

    assert parse(domain=domain)
    with pytest.raises(InvalidDocument, match="ACM takes 64 characters"):
        parse({"public_zone": ZONE}, domain=domain)


def test_so_is_a_name_of_home_where_those_of_a_cluster_are_short_enough():
    clusters, domain = {"a": LOCAL["clusters"]["spark-a"]}, f"{'a' * 49}.example"

    with pytest.raises(InvalidDocument) as refused:
        parse({"public_zone": ZONE}, clusters=clusters, home="a", domain=domain)

    assert f"domain: needs a certificate for 'history.{domain}'" in str(refused.value)
    assert "clusters.a:" not in str(refused.value)


def test_a_controller_that_is_not_known_is_refused():
    with pytest.raises(InvalidDocument, match=r"ingress\.controller"):
        parse(ingress={"controller": "contour"})


def test_a_cluster_with_the_name_of_a_page_is_refused():
    clusters = {"history": LOCAL["clusters"]["spark-a"]}

    with pytest.raises(InvalidDocument, match=r"has the name of the History Server's page"):
        parse(clusters=clusters, home="history")
