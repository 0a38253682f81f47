import pytest

from doctor import report
from doctor.account import SessionClients
from doctor.credentials import CredentialsError, Principal, enter, session
from tests.support.aws_stubs import SESSION, Scripted
from tests.support.calendar import TODAY

DEPLOYER = "arn:aws:iam::123456789012:role/ci/deployer"
IDENTITY = {"Account": "123456789012", "UserId": "x"}


def lines(findings):
    return [" ".join(line.split()) for line in report.text("trial", findings).splitlines()[: len(findings)]]


def other_account(written):
    written["foundations"]["main"].update(
        account="222222222222", deployer=DEPLOYER.replace("123456789012", "2" * 12)
    )


def assumed(written):
    other_account(written)
    written["foundations"]["main"]["assume"] = True


def scripted(*answers):
    return Scripted("sts", [("get_caller_identity", {}, answers[0]), *answers[1:]])


def as_session_of(role):
    return {**IDENTITY, "Arn": f"arn:aws:sts::123456789012:assumed-role/{role}/ci"}


def take(answer, role=DEPLOYER):
    return ("assume_role", {"RoleArn": role, "RoleSessionName": "moka-doctor"}, answer)


def test_a_session_of_the_deployer_role_is_the_deployer_whatever_the_role_s_path(settings):
    me = as_session_of("deployer")
    with scripted(me, ("get_caller_identity", {}, me)) as sts:
        places, findings = enter(settings(), lambda service, region: sts, TODAY)

    assert lines(findings) == [
        "ok main The credentials are of account 123456789012, as "
        "arn:aws:sts::123456789012:assumed-role/deployer/ci."
    ]
    assert [place.name for place in places] == ["main"]


def test_credentials_of_another_account_are_a_problem_and_nothing_else_is_asked_with_them(settings):
    places, findings = enter(settings(other_account), SessionClients(SESSION), TODAY)

    assert lines(findings) == [
        "problem main The credentials are of account 123456789012 (arn:aws:sts::123456789012:user/moto), and "
        "foundations.main.account is 222222222222. Use credentials of 222222222222, or set "
        "foundations.main.assume to assume its deployer role."
    ]
    assert places == []


def test_a_role_that_is_to_be_taken_is_taken_and_its_account_is_asked(settings):
    places, findings = enter(settings(assumed), SessionClients(SESSION), TODAY)

    assert lines(findings) == [
        "ok main The credentials are of account 222222222222, as "
        "arn:aws:sts::222222222222:assumed-role/deployer/moka-doctor."
    ]
    [vpc] = places[0].ask("ec2", "describe_vpcs")["Vpcs"]
    assert vpc["OwnerId"] == "222222222222"


def test_a_role_that_must_not_be_taken_shuts_its_account(settings):
    role = DEPLOYER.replace("123456789012", "222222222222")
    with scripted(as_session_of("ci"), take("AccessDenied", role)) as sts:
        places, findings = enter(settings(assumed), lambda service, region: sts, TODAY)

    assert lines(findings) == [
        "problem main There is no access to account 222222222222 in us-east-1: it needs the permission "
        f"sts:AssumeRole. Allow the credentials at hand in the trust policy of {role}."
    ]
    assert places == []


def test_who_is_not_the_deployer_and_cannot_become_it_would_never_enter_the_clusters(settings):
    me = as_session_of("somebody")
    with scripted(me, ("get_caller_identity", {}, me), take("AccessDenied")) as sts:
        places, findings = enter(settings(), lambda service, region: sts, TODAY)

    assert lines(findings) == [
        f"problem main The deployer is {DEPLOYER}; the credentials are of "
        "arn:aws:sts::123456789012:assumed-role/somebody/ci, which cannot assume it: it needs the permission "
        "sts:AssumeRole. Run as the deployer, or set foundations.main.deployer to the principal that runs "
        "`up`: only the deployer can enter the clusters."
    ]
    assert len(places) == 1  # the account is the right one, so all else can be asked


def test_who_may_become_the_deployer_is_told_to(settings):
    _, findings = enter(settings(), SessionClients(SESSION), TODAY)

    assert lines(findings) == [
        f"warning main The deployer is {DEPLOYER}; the credentials are of "
        "arn:aws:sts::123456789012:user/moto, which can assume it. Run `up` as the deployer, or set "
        "foundations.main.assume."
    ]


def test_expired_credentials_are_one_sentence(settings):
    with (
        scripted("ExpiredToken") as sts,
        pytest.raises(
            CredentialsError,
            match=r"^The AWS credentials at hand are expired or not valid .*aws sso login`\.$",
        ),
    ):
        enter(settings(), lambda service, region: sts, TODAY)


def test_no_credentials_are_one_sentence(monkeypatch, tmp_path):
    monkeypatch.delenv("AWS_ACCESS_KEY_ID")
    monkeypatch.delenv("AWS_SECRET_ACCESS_KEY")
    monkeypatch.setenv("AWS_SHARED_CREDENTIALS_FILE", str(tmp_path / "none"))
    monkeypatch.setenv("AWS_CONFIG_FILE", str(tmp_path / "none"))
    monkeypatch.setenv("AWS_EC2_METADATA_DISABLED", "true")

    with pytest.raises(CredentialsError, match=r"^There are no AWS credentials here"):
        session()


def test_a_profile_that_is_not_there_is_one_sentence(monkeypatch):
    monkeypatch.setenv("AWS_PROFILE", "nobody-has-this")

    with pytest.raises(CredentialsError, match=r"cannot be read: .*nobody-has-this"):
        session()


@pytest.mark.parametrize(
    ("arn", "who"),
    [
        ("arn:aws:iam::1:role/a/b/name", ("1", "role", "name")),
        ("arn:aws:sts::1:assumed-role/name/session", ("1", "role", "name")),
        ("arn:aws:iam::1:user/path/ann", ("1", "user", "ann")),
        ("arn:aws:iam::1:root", ("1", "root", "")),
    ],
)
def test_an_arn_says_who_it_means(arn, who):
    assert Principal.of(arn) == Principal(*who)
