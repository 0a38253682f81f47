"""AWS Certificate Manager: an example of every type, and how it is changed by hand."""

from localcloud.engine import Resource
from tests.local.aws.examples.example import OTHER_TAGS, TAGS, Bases, Changes, Console, Example

CERTIFICATE = "aws:acm/certificate:Certificate"


def proof(world, name):
    [option] = world.output("certificate", "domainValidationOptions")
    return option[f"resourceRecord{name}"]


BASES: Bases = {
    "certificate": lambda w: (CERTIFICATE, {"domainName": "pages.acme.example"}),
    "proof": lambda w: (
        "aws:route53/record:Record",
        {
            "zoneId": w.zone,
            "name": proof(w, "Name"),
            "type": proof(w, "Type"),
            "ttl": 300,
            "records": [proof(w, "Value")],
        },
    ),
}

EXAMPLES = [
    Example(
        CERTIFICATE,
        lambda w: {
            "domainName": "moka.example",
            "subjectAlternativeNames": ["*.moka.example", "history.moka.example"],
            "validationMethod": "DNS",
            "tags": TAGS,
        },
        lambda w: {"tags": OTHER_TAGS},
        lambda w: {"domainName": "other.example"},
    ),
    Example(
        "aws:acm/certificateValidation:CertificateValidation",
        lambda w: {
            "validationRecordFqdns": [w.output("proof", "fqdn")],
            "certificateArn": w.certificate,
        },
        imported=lambda resource: resource.inputs["certificateArn"],
    ),
]


def add_tag(console: Console, resource: Resource) -> None:
    id = resource.id.rpartition("/")[2]
    console.edit("acm", "certificate", id, tags={"by-hand": "yes"})


CHANGES_BY_HAND: Changes = {
    CERTIFICATE: add_tag,
    "aws:acm/certificateValidation:CertificateValidation": None,
}
