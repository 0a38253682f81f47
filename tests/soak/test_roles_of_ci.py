"""`local` deployed as CI deploys it: by the roles that bootstrap makes, with IAM deciding every call."""

import json
from collections.abc import Iterator
from dataclasses import dataclass

import boto3
import pytest
from botocore import UNSIGNED
from botocore.config import Config
from kubernetes import client, config

from localcloud import commands, unknowns
from localcloud.aws_server import AwsServer
from localcloud.cloud import REGION, Cloud
from localcloud.control_plane import ControlPlane
from localcloud.credentials import kubeconfig, principal
from localcloud.engine import Engine
from tests.support.aws_clients import aws_clients
from tests.support.pulumi_project import copy_project
from tests.support.pulumi_stack import PulumiStack, moka, succeeded

ACCOUNT = "arn:aws:iam::123456789012"
DEPLOY, PREVIEW = f"{ACCOUNT}:role/moka-local-deploy", f"{ACCOUNT}:role/moka-local-preview"

SETTINGS = {
    # What bootstrap says to set.
    f"deployer: {ACCOUNT}:user/laptop": f"deployer: {DEPLOY}\n"
    f"    permissions_boundary: {ACCOUNT}:policy/moka-local-workloads",
    # A part of it that has every kind of resource: what jobs run with is the same kinds again.
    "clusters:\n": "slices:\n  base: {layers: [foundation, cluster, scheduling, ingress, database]}\n"
    "  rest: {layers: [shuffle, spark, archer, logs, metrics, history]}\n\nclusters:\n",
}
CHANGE = {"retain: false": "retain: false\nretention: {flow_logs: 14}"}


@dataclass(frozen=True)
class Ci:
    """A checkout of CI, and the laptop's AWS that its roles are in."""

    engine: Engine
    stack: PulumiStack

    def set(self, changes: dict[str, str]) -> None:
        """Change the settings of the checkout."""
        file = self.engine.project / "stacks" / "local.yaml"
        text = file.read_text()
        for old, new in changes.items():
            assert old in text
            text = text.replace(old, new, 1)
        file.write_text(text)

    def role(self, arn: str) -> dict[str, str]:
        """Variables of a job that took a role, as aws-actions/configure-aws-credentials sets them."""
        sts = boto3.client(
            "sts",
            endpoint_url=AwsServer(self.engine.cloud).url,
            region_name=REGION,
            config=Config(signature_version=UNSIGNED),
        )
        keys = sts.assume_role_with_web_identity(
            RoleArn=arn, RoleSessionName="GitHubActions", WebIdentityToken="token-of-the-job"
        )["Credentials"]
        backend = json.loads(succeeded(moka(self.engine, "bootstrap", "local", "--json")).stdout)["backend"]
        return {
            "AWS_ACCESS_KEY_ID": keys["AccessKeyId"],
            "AWS_SECRET_ACCESS_KEY": keys["SecretAccessKey"],
            "AWS_SESSION_TOKEN": keys["SessionToken"],
            "PULUMI_BACKEND_URL": backend,
            "MOKA_MACHINES": "1",
        }


@pytest.fixture(scope="module")
def ci(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Ci]:
    """`local`, bootstrapped; its stack is in the bucket, with nothing in it."""
    folder = tmp_path_factory.mktemp("ci")
    engine = Engine(Cloud(folder / "cloud"), copy_project(folder / "checkout"))
    commands.start(engine)
    try:
        succeeded(moka(Engine(engine.cloud), "bootstrap", "local", "--yes"))
        stack_file = engine.project / "stacks" / "Pulumi.local.base.yaml"
        stack_file.write_text("config: {moka:environment: local, moka:slice: base}\n")
        checkout = Ci(engine, PulumiStack(engine, "local.base"))
        checkout.set(SETTINGS)
        # As bootstrap says: once, by the administrator.
        answer = json.loads(succeeded(moka(engine, "bootstrap", "local", "--json")).stdout)
        secrets = ("--secrets-provider", answer["secrets_provider"])
        checkout.stack.run("stack", "init", *secrets, PULUMI_BACKEND_URL=answer["backend"])
        yield checkout
    finally:
        commands.stop(engine)


def test_the_deploy_role_brings_it_up_changes_it_and_takes_it_down_and_the_preview_role_only_reads(ci):
    deploy, preview = ci.role(DEPLOY), ci.role(PREVIEW)
    iam = aws_clients(ci.engine.cloud)("iam")

    # Up: nothing is denied, and of nothing it was unknown whether it is allowed.
    ci.stack.up(**deploy)
    assert [note for note in unknowns.noted(ci.engine.cloud) if "caller-permissions" in note] == []

    # Reading: what is up is shown as it is, by either role, and nothing has drifted.
    assert ci.stack.steps(**deploy) == ci.stack.steps(**preview) == []
    assert "Everything in local is as it was deployed." in drift(ci, preview)
    tagged = iam.list_roles(PathPrefix="/moka-local/")["Roles"][0]["RoleName"]
    iam.tag_role(RoleName=tagged, Tags=[{"Key": "by", "Value": "hand"}])
    assert "changed: tags" in drift(ci, preview)
    iam.untag_role(RoleName=tagged, TagKeys=["by"])
    assert readable(ci.engine.cloud, PREVIEW) == {"configmaps": True, "roles": True, "secrets": False}

    # A change: the preview role shows it and may not make it.
    ci.set(CHANGE)
    assert ci.stack.operations(**preview) == {"main-access-logs": "update"}
    refused = ci.stack.try_run("up", "--yes", "--skip-preview", **preview)
    assert refused.returncode
    assert f"{session(PREVIEW)} is not authorized to perform: s3:PutObject on resource" in refused.stderr

    # The deploy role may, unless a right is taken away from it.
    data = f"{ACCOUNT}:policy/moka-local-deploy-data"
    iam.detach_role_policy(RoleName="moka-local-deploy", PolicyArn=data)
    failed = ci.stack.try_run("up", "--yes", "--skip-preview", **deploy)
    assert failed.returncode
    bucket = "arn:aws:s3:::moka-local-123456789012-us-east-1-access-logs"
    assert (
        f"AWS refused PutBucketLifecycleConfiguration: User: {session(DEPLOY)} is not authorized to perform: "
        f"s3:PutLifecycleConfiguration on resource: {bucket} because no identity-based policy allows the "
        "s3:PutLifecycleConfiguration action (AccessDenied)"
    ) in failed.stdout + failed.stderr
    iam.attach_role_policy(RoleName="moka-local-deploy", PolicyArn=data)
    ci.stack.up(**deploy)
    assert ci.stack.steps(**preview) == []

    # Down.
    ci.stack.run("destroy", "--yes", "--skip-preview", **deploy)
    assert iam.list_roles(PathPrefix="/moka-local/")["Roles"] == []


def session(role: str) -> str:
    name = role.rpartition("/")[2]
    return f"arn:aws:sts::123456789012:assumed-role/{name}/GitHubActions"


def drift(ci: Ci, role: dict[str, str]) -> str:
    """What `moka drift` prints of the slice that is up."""
    return moka(ci.engine, "drift", "local.base", **role).stdout


def readable(cloud: Cloud, role: str) -> dict[str, bool]:
    """Resources of the API server -> whether a role may list them everywhere."""
    plane = ControlPlane(cloud, "moka-local-spark-a")
    token = plane.credentials.principal_token(principal(role))
    text = json.loads(kubeconfig(plane.endpoint, plane.credentials.authority, token, plane.name))
    api = client.AuthorizationV1Api(config.new_client_from_config_dict(text))

    def may(group: str, resource: str) -> bool:
        attributes = {"verb": "list", "group": group, "resource": resource}
        review = {"spec": {"resourceAttributes": attributes}}
        return bool(api.create_self_subject_access_review(review).status.allowed)

    groups = {"configmaps": "", "roles": "rbac.authorization.k8s.io", "secrets": ""}
    return {resource: may(group, resource) for resource, group in groups.items()}
