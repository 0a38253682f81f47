from doctor.checks import references
from tests.support.aws_stubs import client, lines

BOUNDARY = "arn:aws:iam::123456789012:policy/boundary"
POLICY = '{"Version": "2012-10-17", "Statement": {"Effect": "Allow", "Action": "*", "Resource": "*"}}'
SECRET = "arn:aws:secretsmanager:us-east-1:123456789012:secret:ecr-pullthroughcache/hub-AbCdEf"


def bounded(written):
    written["foundations"]["main"]["permissions_boundary"] = BOUNDARY


def test_the_permissions_boundary_must_be_there(place):
    assert lines(references.boundary, place(bounded)) == [
        f"problem main The permissions boundary {BOUNDARY} does not exist. Create it first, or correct its "
        "name: no role can be created without it."
    ]

    client("iam").create_policy(PolicyName="boundary", PolicyDocument=POLICY)

    assert lines(references.boundary, place(bounded)) == [
        f"ok main The permissions boundary {BOUNDARY} exists."
    ]


def pulling_through(secret):
    def change(written):
        written["registry"] = {"foundation": "main", "pull_through": {"docker.io": {"secret": secret}}}

    return change


def test_the_secret_with_which_ecr_asks_another_registry_must_be_there(place):
    assert lines(references.secrets, place(pulling_through(SECRET))) == [
        f"problem main Secret {SECRET}, with which ECR asks docker.io, does not exist. Create it in "
        "123456789012, us-east-1, with keys username and accessToken."
    ]


def test_a_secret_that_is_about_to_be_deleted_is_a_problem(place):
    secrets = client("secretsmanager")
    secret = secrets.create_secret(Name="ecr-pullthroughcache/hub", SecretString="{}")["ARN"]
    change = pulling_through(secret)

    assert lines(references.secrets, place(change)) == [
        "ok main The secret with which ECR asks docker.io exists."
    ]

    secrets.delete_secret(SecretId=secret)

    [finding] = lines(references.secrets, place(change))
    assert finding.startswith(
        f"problem main Secret {secret}, with which ECR asks docker.io, is about to be deleted."
    )


def with_login(written):
    written["ingress"] = {
        "login": {"issuer": "https://id.example", "client_id": "moka", "secret": "moka/login"}
    }
    certificate = "arn:aws:acm:us-east-1:123456789012:certificate/0a1b2c3d-4e5f-6071-8293-a4b5c6d7e8f9"
    written["foundations"]["main"]["certificates"] = {"arns": [certificate]}
    written["services"]["ui_gateway"] = {"image": "registry.example/ui-gateway:1"}


def test_the_secret_of_the_login_must_be_there(place):
    assert lines(references.secrets, place(with_login)) == [
        "problem main Secret moka/login, of the login, does not exist. Create it in 123456789012, us-east-1, "
        "with keys client_secret and session_keys."
    ]

    client("secretsmanager").create_secret(Name="moka/login", SecretString="{}")

    assert lines(references.secrets, place(with_login)) == ["ok main The secret of the login exists."]


def admitting(*principals):
    def change(written):
        written["clusters"]["spark-a"]["access"] = {
            f"team-{number}": {"principal": f"arn:aws:iam::{principal}", "policy": "view"}
            for number, principal in enumerate(principals)
        }

    return change


def test_everybody_who_may_enter_a_cluster_must_exist_under_that_very_arn(place):
    client("iam").create_role(RoleName="data", Path="/teams/", AssumeRolePolicyDocument="{}")
    change = admitting(
        "123456789012:role/teams/data",
        "123456789012:role/data",
        "123456789012:user/ann",
        "111122223333:role/x",
    )

    assert lines(references.principals, place(change)) == [
        "problem main/spark-a access.team-1: the ARN of arn:aws:iam::123456789012:role/data is "
        "arn:aws:iam::123456789012:role/teams/data. Write it with its path.",
        "problem main/spark-a access.team-2: arn:aws:iam::123456789012:user/ann does not exist. Create it "
        "first, or correct it.",
        "not checked main/spark-a access.team-3: arn:aws:iam::111122223333:role/x is of another account.",
        "ok main/spark-a 1 principals of access exist.",
    ]
