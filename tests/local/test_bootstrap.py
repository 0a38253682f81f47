"""`moka bootstrap` on the laptop's AWS: made, cut off and continued, repeated, undone."""

from collections.abc import Iterator
from pathlib import Path

import pytest

from localcloud import commands
from localcloud.cloud import Cloud
from localcloud.engine import Engine
from tests.support.aws_clients import aws_clients
from tests.support.pulumi_project import write_project
from tests.support.pulumi_stack import PulumiStack, moka, succeeded

BUCKET = "moka-local-123456789012-us-east-1-state"
URL = f"s3://{BUCKET}?region=us-east-1&awssdk=v2"
SECRETS = "awskms://alias/moka-local-state?region=us-east-1&awssdk=v2"
TRUST = '{"Version": "2012-10-17", "Statement": []}'

COMPONENT = """
import pulumi

class Thing(pulumi.ComponentResource):
    def __init__(self):
        super().__init__("test:index:Thing", "thing")

Thing()
pulumi.export("password", pulumi.Output.secret("hunter2"))
"""


@pytest.fixture(scope="module")
def engine(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Engine]:
    """A cloud with nothing in it."""
    engine = Engine(Cloud(tmp_path_factory.mktemp("cloud")))
    commands.start(engine)
    yield engine
    commands.stop(engine)


def bootstrap(engine: Engine, *arguments: str) -> str:
    """What it prints. Under load a connection to moto is closed at times: then it is run again."""
    process = moka(engine, "bootstrap", "local", "--yes", *arguments)
    if "use of closed network connection" in process.stderr:
        process = moka(engine, "bootstrap", "local", "--yes", *arguments)
    return succeeded(process).stdout


def keys(aws, start: str) -> list[str]:
    listed = aws("s3").list_objects_v2(Bucket=BUCKET, Prefix=start)
    return [item["Key"] for item in listed.get("Contents", ())]


def states_in_folder(engine: Engine) -> list[str]:
    return [path.stem for path in engine.cloud.state.glob(".pulumi/stacks/*/*.json")]


def left(aws) -> dict[str, list[str]]:
    """All that bootstrap makes, as far as it is there."""
    states = {
        key["KeyId"]: aws("kms").describe_key(KeyId=key["KeyId"])["KeyMetadata"]["KeyState"]
        for key in aws("kms").list_keys()["Keys"]
    }
    return {
        "buckets": [bucket["Name"] for bucket in aws("s3").list_buckets()["Buckets"]],
        "roles": sorted(role["RoleName"] for role in aws("iam").list_roles()["Roles"]),
        "policies": [policy["PolicyName"] for policy in aws("iam").list_policies(Scope="Local")["Policies"]],
        "providers": aws("iam").list_open_id_connect_providers()["OpenIDConnectProviderList"],
        "keys": [key for key, state in states.items() if state != "PendingDeletion"],
    }


def test_it_is_made_continued_repeated_used_and_undone(engine, tmp_path: Path):
    aws = aws_clients(engine.cloud)
    iam = aws("iam")

    # Cut off: somebody has a role of that name.
    iam.create_role(RoleName="moka-local-preview", AssumeRolePolicyDocument=TRUST)
    cut_off = moka(engine, "bootstrap", "local", "--yes")
    assert cut_off.returncode == 1
    assert "Correct the problem above, then run this again: it keeps what exists" in cut_off.stderr
    assert left(aws)["buckets"] == [BUCKET]
    assert (states_in_folder(engine), keys(aws, "")) == (["local"], [])

    # Continued: only the rest is made, and the state moves into the bucket.
    iam.delete_role(RoleName="moka-local-preview")
    output = bootstrap(engine)
    assert " unchanged" in output
    assert f"export PULUMI_BACKEND_URL='{URL}'" in output
    assert states_in_folder(engine) == []
    assert ".pulumi/stacks/accounts/local.json" in keys(aws, ".pulumi/stacks/")
    assert left(aws)["roles"] == ["moka-local-deploy", "moka-local-preview"]

    # Repeated: nothing changes.
    again = bootstrap(engine)
    assert " created" not in again
    assert " updated" not in again

    # Used: a stack whose secrets only the key opens, and which holds the undoing up.
    stack = PulumiStack(Engine(engine.cloud, write_project(tmp_path / "used", COMPONENT)), "dev")
    stack.run("stack", "init", "--secrets-provider", SECRETS, PULUMI_BACKEND_URL=URL)
    stack.up(PULUMI_BACKEND_URL=URL)
    object = aws("s3").get_object(Bucket=BUCKET, Key=".pulumi/stacks/used/dev.json")
    assert b"hunter2" not in object["Body"].read()
    refused = moka(engine, "bootstrap", "local", "--undo", "--delete-state", "--yes")
    assert refused.returncode == 2
    assert "still have resources: used/dev (1). Bring them down first" in refused.stderr
    assert left(aws)["roles"] == ["moka-local-deploy", "moka-local-preview"]
    stack.run("destroy", "--yes", "--skip-preview", PULUMI_BACKEND_URL=URL)

    # Roles are taken away, and state stays; a role of others keeps the identity provider.
    provider = "arn:aws:iam::123456789012:oidc-provider/token.actions.githubusercontent.com"
    trusting = (
        '{"Version": "2012-10-17", "Statement": [{"Effect": "Allow", "Principal": {"Federated": "%s"}, '
    )
    trusting += '"Action": "sts:AssumeRoleWithWebIdentity"}]}'
    iam.create_role(RoleName="other", AssumeRolePolicyDocument=trusting % provider)
    assert "GitHub's identity provider stays in 123456789012" in bootstrap(engine, "--undo")
    remaining = left(aws)
    assert (remaining["buckets"], remaining["roles"]) == ([BUCKET], ["other"])
    assert remaining["policies"] == []
    assert [entry["Arn"] for entry in remaining["providers"]] == [provider]

    # Undone: nothing is left but what is others'.
    iam.delete_role(RoleName="other")
    bootstrap(engine, "--undo", "--delete-state")
    iam.delete_open_id_connect_provider(OpenIDConnectProviderArn=provider)
    assert left(aws) == {"buckets": [], "roles": [], "policies": [], "providers": [], "keys": []}
    assert states_in_folder(engine) == []
