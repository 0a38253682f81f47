import datetime
from dataclasses import replace

import pytest

from doctor.checks import pages
from tests.support.aws_stubs import client, lines

ARN = "arn:aws:acm:us-east-1:123456789012:certificate/0a1b2c3d-4e5f-6071-8293-a4b5c6d7e8f9"
AUTHORITY = (
    "arn:aws:acm-pca:us-east-1:123456789012:certificate-authority/0a1b2c3d-4e5f-6071-8293-a4b5c6d7e8f9"
)
DOMAIN = "spark.trial.acme.example"
HOSTS = [f"*.spark-a.{DOMAIN}", f"history.{DOMAIN}", f"*.jobs.spark-a.{DOMAIN}"]
ZONE = "Z0123456789ABCDEFGHIJ"


def with_arns(*arns):
    def change(written):
        written["foundations"]["main"]["certificates"] = {"arns": list(arns)}

    return change


def issued(*names):
    """A certificate of a private authority in moto, which is issued at once."""
    answer = client("acm").request_certificate(
        DomainName=names[0], SubjectAlternativeNames=list(names), CertificateAuthorityArn=AUTHORITY
    )
    return answer["CertificateArn"]


def described(**fields):
    certificate = {
        "CertificateArn": ARN,
        "DomainName": HOSTS[0],
        "SubjectAlternativeNames": HOSTS,
        "Status": "ISSUED",
        "Type": "AMAZON_ISSUED",
        "NotAfter": datetime.datetime(2026, 12, 1, 12, tzinfo=datetime.UTC),
        **fields,
    }
    return {"acm": [("describe_certificate", {"CertificateArn": ARN}, {"Certificate": certificate})]}


def test_plain_http_without_records_asks_nothing(place):
    stubbed = {"acm": [], "route53": []}

    for question in (pages.certificates, pages.public_zone, pages.dns_zone):
        assert lines(question, place(stubbed=stubbed)) == []


def test_a_certificate_that_does_not_exist_is_a_problem_and_its_names_are_missing(place):
    findings = lines(pages.certificates, place(with_arns(ARN)))

    assert findings[0] == (
        f"problem main Certificate {ARN} does not exist. Request or import it in 123456789012, us-east-1, or "
        "correct certificates.arns."
    )
    assert findings[1].startswith(f"warning main No certificate has {HOSTS[0]}, {HOSTS[1]} and {HOSTS[2]}:")


def test_a_certificate_that_nobody_has_proved_the_names_of_is_a_problem(place):
    arn = client("acm").request_certificate(DomainName=HOSTS[0])["CertificateArn"]

    [finding, _] = lines(pages.certificates, place(with_arns(arn)))

    assert finding == (
        f"problem main Certificate {arn} is not issued yet: ACM waits for proof of its names. Put the "
        "records that ACM asks for into public DNS."
    )


@pytest.mark.parametrize("status", ["EXPIRED", "REVOKED", "FAILED", "VALIDATION_TIMED_OUT", "INACTIVE"])
def test_a_certificate_that_is_not_valid_is_a_problem_with_its_status(place, status):
    [finding, _] = lines(pages.certificates, place(with_arns(ARN), stubbed=described(Status=status)))

    assert finding.startswith(f"problem main Certificate {ARN} is not valid: its status is {status}.")


@pytest.mark.parametrize(("days", "status"), [(30, "ok"), (29, "warning"), (0, "warning")])
def test_a_certificate_that_nobody_renews_has_thirty_days_left_at_the_least(place, days, status):
    arn = issued(*HOSTS)
    end = client("acm").describe_certificate(CertificateArn=arn)["Certificate"]["NotAfter"]
    today = end.astimezone(datetime.UTC).date() - datetime.timedelta(days=days)

    [finding, _] = lines(pages.certificates, replace(place(with_arns(arn)), today=today))

    assert finding.startswith(f"{status} main Certificate {arn} ")


@pytest.mark.parametrize(
    ("fields", "sentence"),
    [
        (
            {"Type": "IMPORTED", "RenewalEligibility": "INELIGIBLE"},
            "ends on 2026-12-01: it is imported, so nobody renews it. Import its successor under the "
            "same ARN.",
        ),
        (
            {"RenewalEligibility": "INELIGIBLE"},
            "ends on 2026-12-01: ACM renews only what is in use. Put it to use before that, or request "
            "another.",
        ),
        ({"RenewalEligibility": "ELIGIBLE"}, "is issued, and ACM renews it before 2026-12-01."),
        (
            {
                "RenewalEligibility": "ELIGIBLE",
                "RenewalSummary": {
                    "RenewalStatus": "PENDING_VALIDATION",
                    "DomainValidationOptions": [{"DomainName": HOSTS[0]}],
                    "UpdatedAt": datetime.datetime(2026, 11, 20, tzinfo=datetime.UTC),
                },
            },
            "ends on 2026-12-01: its renewal is stuck: PENDING_VALIDATION. Put the records that ACM asks "
            "for back into public DNS.",
        ),
    ],
)
def test_near_its_end_it_matters_whether_acm_renews_a_certificate(place, fields, sentence):
    [finding, _] = lines(pages.certificates, place(with_arns(ARN), stubbed=described(**fields)))

    assert finding.partition(f" main Certificate {ARN} ")[2] == sentence


def coverage(place, *names):
    return lines(pages.certificates, place(with_arns(*(issued(name) for name in names))))[-1]


def test_all_certificates_together_have_the_host_names_of_all_pages(place):
    assert coverage(place, *HOSTS) == "ok main The certificates have the host names of all pages."
    # The History Server's host is one label below the domain.
    assert coverage(place, f"*.{DOMAIN}", HOSTS[0], HOSTS[2]).startswith("ok ")


def test_a_wildcard_is_for_one_label_so_each_job_namespace_needs_its_own(place):
    assert coverage(place, f"*.{DOMAIN}", HOSTS[0]) == (
        f"warning main No certificate has {HOSTS[2]}: browsers refuse these pages. Request a certificate "
        "with them, and add it to certificates.arns."
    )


def test_of_many_names_without_a_certificate_the_first_are_shown(place):
    def with_namespaces(written):
        written["job_namespaces"] = {f"team-{number}": {} for number in range(10)}

    arn = issued(f"*.{DOMAIN}")

    finding = lines(pages.certificates, place(with_arns(arn), with_namespaces))[-1]

    assert f"*.team-3.spark-a.{DOMAIN} and 6 more:" in finding


def test_without_the_permission_it_says_which_one_it_takes(place):
    stubbed = {"acm": [("describe_certificate", {"CertificateArn": ARN}, "AccessDeniedException")]}

    [finding] = lines(pages.certificates, place(with_arns(ARN), stubbed=stubbed))

    assert finding.startswith("not checked main ")
    assert "acm:DescribeCertificate" in finding


def proving(written):
    written["foundations"]["main"]["certificates"] = {"public_zone": ZONE}


def recording(written):
    written["foundations"]["main"]["dns_zone"] = ZONE


ZONES = [(proving, pages.public_zone, "certificates.public_zone"), (recording, pages.dns_zone, "dns_zone")]


def zone(name, private=False):
    """What Route 53 says of it: moto gives zones ids that Route 53 would not."""
    content = {
        "Id": f"/hostedzone/{ZONE}",
        "Name": name,
        "CallerReference": "test",
        "Config": {"PrivateZone": private},
    }
    return {"route53": [("get_hosted_zone", {"Id": ZONE}, {"HostedZone": content})]}


@pytest.mark.parametrize(("change", "question", "setting"), ZONES)
def test_a_hosted_zone_that_does_not_exist_is_a_problem(place, change, question, setting):
    assert lines(question, place(change)) == [
        f"problem main Hosted zone {ZONE} ({setting}) does not exist. Create it in 123456789012, or correct "
        f"{setting}."
    ]


@pytest.mark.parametrize(("change", "question", "setting"), ZONES)
@pytest.mark.parametrize("name", [f"{DOMAIN}.", "acme.example.", "ACME.example."])
def test_a_zone_of_the_domain_or_above_takes_the_records(place, change, question, setting, name):
    assert lines(question, place(change, stubbed=zone(name))) == [
        f"ok main Hosted zone {ZONE} ({setting}), {name.rstrip('.').lower()}, takes the records of all pages."
    ]


@pytest.mark.parametrize(("change", "question", "setting"), ZONES)
@pytest.mark.parametrize(
    ("name", "outside"),
    [
        ("me.example", f"{HOSTS[0]}, {HOSTS[1]} and {HOSTS[2]}"),
        (f"spark-a.{DOMAIN}", HOSTS[1]),
    ],
)
def test_a_zone_that_does_not_take_the_name_of_a_page_is_a_problem(
    place, change, question, setting, name, outside
):
    assert lines(question, place(change, stubbed=zone(f"{name}."))) == [
        f"problem main Hosted zone {ZONE} ({setting}) is {name}, which takes no records of {outside}. Name "
        f"the zone of {DOMAIN}, or of a domain above."
    ]


def test_proofs_need_a_public_zone_and_records_do_not(place):
    assert lines(pages.public_zone, place(proving, stubbed=zone(DOMAIN, private=True))) == [
        f"problem main Hosted zone {ZONE} (certificates.public_zone), {DOMAIN}, is private: ACM cannot see "
        "proofs there. Name a public zone, or give certificates of your own."
    ]
    [finding] = lines(pages.dns_zone, place(recording, stubbed=zone(DOMAIN, private=True)))
    assert finding.startswith("ok ")
