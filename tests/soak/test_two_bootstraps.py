"""`moka bootstrap` of two environments in one account, as moto has it."""

from tests.support.aws_clients import aws_clients
from tests.support.pulumi_stack import moka, succeeded


def test_of_two_environments_in_an_account_each_has_its_own_and_one_going_leaves_the_other(copied):
    admin = aws_clients(copied.cloud)("sts").assume_role(
        RoleArn="arn:aws:iam::111122223333:role/admin", RoleSessionName="admin"
    )["Credentials"]
    variables = {
        "AWS_ACCESS_KEY_ID": admin["AccessKeyId"],
        "AWS_SECRET_ACCESS_KEY": admin["SecretAccessKey"],
        "AWS_SESSION_TOKEN": admin["SessionToken"],
    }

    def run(environment: str, *arguments: str) -> str:
        return succeeded(moka(copied, "bootstrap", environment, "--yes", *arguments, **variables)).stdout

    def iam():
        return aws_clients(copied.cloud, **{name.lower(): value for name, value in variables.items()})("iam")

    def roles() -> dict[str, str]:
        """Role -> subject of the jobs that it trusts, of a provider that is there."""
        listed = iam().list_open_id_connect_providers()["OpenIDConnectProviderList"]
        providers = [provider["Arn"] for provider in listed]
        trusts = {
            role["RoleName"]: role["AssumeRolePolicyDocument"]["Statement"][0]
            for role in iam().list_roles()["Roles"]
        }
        assert [trust["Principal"]["Federated"] for trust in trusts.values()] == providers * len(trusts)
        assert len(providers) == 1
        return {
            name: trust["Condition"]["StringEquals"]["token.actions.githubusercontent.com:sub"]
            for name, trust in trusts.items()
        }

    run("dev")
    run("test")
    own = {
        "acme-test-deploy": "repo:acme/moka:environment:test",
        "acme-test-preview": "repo:acme/moka:environment:test-preview",
    }
    assert roles() == own | {
        "acme-dev-deploy": "repo:acme/moka:environment:dev",
        "acme-dev-preview": "repo:acme/moka:environment:dev-preview",
    }

    # dev's bootstrap made the identity provider, which test's roles trust as well.
    assert "GitHub's identity provider stays in 111122223333" in run("dev", "--undo")
    assert roles() == own
    assert " created" not in run("test") and roles() == own
