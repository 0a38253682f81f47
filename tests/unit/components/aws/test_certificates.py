import pytest

from moka.components.aws.certificates import Certificates, CertificatesArgs, chunks

FIRST = "*.spark-a.acme.example"


def many(count):
    return [FIRST, *(f"*.team-{number}.spark-a.acme.example" for number in range(count))]


@pytest.mark.parametrize(("others", "sizes"), [(0, [1]), (9, [10]), (10, [10, 2]), (20, [10, 10, 3])])
def test_a_certificate_takes_ten_names_the_first_in_each(others, sizes):
    certificates = list(chunks(many(others)))

    assert [len(names) for names in certificates] == sizes
    assert all(names[0] == FIRST for names in certificates)
    assert {name for names in certificates for name in names} == set(many(others))


def test_a_name_that_is_added_changes_the_last_certificate_only():
    before, after = list(chunks(many(14))), list(chunks(many(15)))

    assert before[0] == after[0]
    assert before[1] != after[1]


def test_each_name_is_proved_once_and_each_certificate_waits_for_its_proofs(deploy):
    args = CertificatesArgs(names=many(10), zone_id="Z123")
    recorder = deploy(lambda: Certificates("pages", args))

    assert len(recorder.inputs("aws:acm/certificate:Certificate")) == 2
    assert len(recorder.inputs("aws:acm/certificateValidation:CertificateValidation")) == 2
    records = [r.name for r in recorder.resources if r.type == "aws:route53/record:Record"]
    assert sorted(records) == sorted(f"pages-{name}" for name in many(10))
