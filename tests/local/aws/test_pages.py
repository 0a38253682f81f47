"""Certificates and records of pages, on the real engine, and what AWS refuses of them."""

import pytest

from localcloud.cloud import REPOSITORY
from localcloud.engine import Engine
from localcloud.errors import Refusal
from tests.local.aws.examples.acm import CERTIFICATE
from tests.support.pulumi_project import write_project
from tests.support.pulumi_stack import PulumiStack

RECORD = "aws:route53/record:Record"
PROGRAM = f"""
import sys

sys.path.append({str(REPOSITORY)!r})

import pulumi
import pulumi_aws as aws

from moka.components.aws.certificates import Certificates, CertificatesArgs
from moka.components.aws.host_records import HostRecords, HostRecordsArgs

names = ["*.moka.example", *(f"{{letter}}.moka.example" for letter in "abcdefghij")]
zone = aws.route53.Zone("moka", name="moka.example")
zone_id = pulumi.Config().get("zone") or zone.zone_id
certificates = Certificates("moka", CertificatesArgs(names=names, zone_id=zone_id))
HostRecords("moka", HostRecordsArgs(zone_id=zone_id, hosts=["*.pages.moka.example"], target="lb.example"))
pulumi.export("arns", certificates.arns)
"""


@pytest.mark.parametrize("zone", ["", "Z0123456789ABCDEFGHIJ"], ids=["of the program", "of elsewhere"])
def test_certificates_are_issued_once_their_records_are_there(cloud, tmp_path, zone):
    stack = PulumiStack(Engine(cloud, write_project(tmp_path / "pages", PROGRAM)), "test")
    stack.engine.select("test")
    if zone:
        stack.run("config", "set", "zone", zone)
    try:
        stack.up()
        assert len(stack.outputs()["arns"]) == 2
        assert stack.steps() == []
        assert "unchanged" in stack.run("refresh", "--yes", "--expect-no-changes")
    finally:
        stack.destroy()


def test_a_certificate_without_its_record_is_waited_for_in_vain(bench):
    certificate = bench.make(CERTIFICATE, {"domainName": "nobodys.example"})

    with pytest.raises(Refusal, match=r"to become 'ISSUED' \(last state: 'PENDING_VALIDATION'"):
        bench.make("aws:acm/certificateValidation:CertificateValidation", {"certificateArn": certificate.id})


def test_a_certificate_has_at_most_ten_names(bench):
    others = [f"{number}.moka.example" for number in range(10)]

    with pytest.raises(Refusal, match="too many domains"):
        bench.make(CERTIFICATE, {"domainName": "moka.example", "subjectAlternativeNames": others})


def test_a_record_that_was_not_named_is_missed(bench):
    certificate = bench.make(CERTIFICATE, {"domainName": "nobodys.example"})

    inputs = {"certificateArn": certificate.id, "validationRecordFqdns": ["other.example"]}
    with pytest.raises(Refusal, match="missing DNS validation record: _"):
        bench.make("aws:acm/certificateValidation:CertificateValidation", inputs)


@pytest.mark.parametrize(
    ("name", "type", "reason"),
    [
        ("acme.example", "CNAME", "is not permitted at apex in zone acme.example"),
        ("not-acme.example", "A", "is not permitted in zone acme.example"),
        ("a.acme.example", "CNAME", "but it already exists"),
        ("a.acme.example", "A", "a conflicting RRSet of type CNAME"),
        ("b.acme.example", "CNAME", "as it conflicts with other records"),
    ],
)
def test_what_route_53_does_not_permit_is_refused(bench, world, name, type, reason):
    def record(name, type):
        value = "a.elb.example" if type == "CNAME" else "10.0.0.1"
        return {"zoneId": world.zone, "name": name, "type": type, "ttl": 60, "records": [value]}

    bench.make(RECORD, record("a.acme.example", "CNAME"), name="a")
    bench.make(RECORD, record("b.acme.example", "A"), name="b")

    with pytest.raises(Refusal, match=reason):
        bench.make(RECORD, record(name, type))


def test_a_zone_that_is_none_of_route_53s_is_refused(bench):
    record = {"zoneId": "nowhere", "name": "a.x", "type": "A", "ttl": 60, "records": ["10.0.0.1"]}

    with pytest.raises(Refusal, match="nowhere"):
        bench.make(RECORD, record)
