"""What the program of the accounts makes."""

import json

import pytest

from accounts import program
from accounts.names import AccountNames, StateNames
from aws_rules.iam.evaluation import Policy, Resource, Role, allowed
from stacks.settings.ci import Ci
from tests.support.bootstrapped_previews import bootstrapped
from tests.support.recorder import Recorder

ROLE, POLICY, PROVIDER = (
    "aws:iam/role:Role",
    "aws:iam/policy:Policy",
    "aws:iam/openIdConnectProvider:OpenIdConnectProvider",
)
ATTACHMENT = "aws:iam/rolePolicyAttachment:RolePolicyAttachment"
OPTIONS = {"role": "OrganizationAccountAccessRole"}


@pytest.fixture
def deployed(deploy):
    """Make the accounts of an environment, with other options than the usual ones."""

    def make(environment: str, **options) -> Recorder:
        settings = bootstrapped(environment)
        settings = settings.model_copy(update={"ci": CI}) if settings.ci is None else settings
        return deploy(lambda: program.deploy(settings, program.Options(**OPTIONS, **options)))

    return make


CI = bootstrapped("prod").ci


def role(recorder: Recorder, name: str) -> dict:
    [inputs] = [inputs for inputs in recorder.inputs(ROLE) if inputs["name"] == name]
    return inputs


def test_state_is_versioned_encrypted_private_and_nobody_deletes_its_versions(deployed):
    recorder = deployed("prod")

    [bucket] = recorder.inputs("aws:s3/bucket:Bucket")
    assert (bucket["bucket"], bucket["forceDestroy"]) == (StateNames(bootstrapped("prod")).bucket, False)
    [versioning] = recorder.inputs("aws:s3/bucketVersioning:BucketVersioning")
    assert versioning["versioningConfiguration"] == {"status": "Enabled"}
    [block] = recorder.inputs("aws:s3/bucketPublicAccessBlock:BucketPublicAccessBlock")
    assert all(value for key, value in block.items() if key != "bucket")
    [encryption] = recorder.inputs(
        "aws:s3/bucketServerSideEncryptionConfiguration:BucketServerSideEncryptionConfiguration"
    )
    [key] = [r.outputs["arn"] for r in recorder.resources if r.type == "aws:kms/key:Key"]
    assert encryption["rules"][0]["applyServerSideEncryptionByDefault"]["kmsMasterKeyId"] == key
    policy = bucket_policy(recorder)
    assert not may(ADMINISTRATOR, "s3:DeleteObjectVersion", policy, "/.pulumi/stacks/moka/prod.json")
    assert not may(ADMINISTRATOR, "s3:DeleteBucket", policy)
    assert may(ADMINISTRATOR, "s3:DeleteObject", policy, "/.pulumi/locks/organization/moka/prod/1.json")
    assert not may(ADMINISTRATOR, "s3:GetObject", policy, "/x", {"aws:SecureTransport": "false"})


def test_roles_of_the_environment_s_workloads_reach_no_state_whatever_their_policies_say(deployed):
    recorder = deployed("prod")
    workload = everything("arn:aws:iam::444455556666:role/acme-prod/batch-a-spark-jobs-1a2b3c4")
    [key] = recorder.inputs("aws:kms/key:Key")

    assert not may(workload, "s3:GetObject", bucket_policy(recorder), "/.pulumi/stacks/moka/prod.json")
    assert not allowed(
        workload, "kms:Decrypt", target("arn:aws:kms:us-east-1:444455556666:key/1", key["policy"])
    )
    assert allowed(
        ADMINISTRATOR, "kms:Decrypt", target("arn:aws:kms:us-east-1:444455556666:key/1", key["policy"])
    )


def test_people_whom_the_settings_name_take_the_deploy_role_at_home_and_no_other(deploy):
    people = ["arn:aws:iam::444455556666:role/aws-reserved/sso.amazonaws.com/AWSReservedSSO_Platform_0a1b"]
    settings = bootstrapped("prod").model_copy(update={"ci": CI.model_copy(update={"people": people})})
    recorder = deploy(lambda: program.deploy(settings, program.Options(**OPTIONS)))

    def takers(name):
        statements = json.loads(role(recorder, name)["assumeRolePolicy"])["Statement"]
        return {one["Sid"]: one["Principal"] for one in statements}

    assert takers("acme-prod-deploy")["People"] == {"AWS": people}
    assert "People" not in takers("acme-prod-preview")


def test_only_jobs_of_the_protected_github_environment_take_the_deploy_role(deployed):
    trust = json.loads(role(deployed("prod"), "acme-prod-deploy")["assumeRolePolicy"])

    [statement] = trust["Statement"]
    assert statement["Principal"] == {"Federated": AccountNames(bootstrapped("prod"), HOME).github_provider}
    assert statement["Action"] == "sts:AssumeRoleWithWebIdentity"
    assert statement["Condition"] == {
        "StringEquals": {
            "token.actions.githubusercontent.com:aud": "sts.amazonaws.com",
            "token.actions.githubusercontent.com:sub": "repo:acme/moka:environment:prod",
        }
    }


def test_no_pull_request_and_no_branch_takes_the_preview_role_without_its_environment(deployed):
    trust = json.loads(role(deployed("prod"), "acme-prod-preview")["assumeRolePolicy"])

    [statement] = trust["Statement"]
    [subject] = [
        value for key, value in statement["Condition"]["StringEquals"].items() if key.endswith(":sub")
    ]
    assert subject == "repo:acme/moka:environment:prod-preview"


def test_a_repository_with_ids_is_trusted_by_them(deploy):
    ci = Ci(github="acme@1234567/moka@7654321")
    settings = bootstrapped("prod").model_copy(update={"ci": ci})

    recorder = deploy(lambda: program.deploy(settings, program.Options(**OPTIONS)))

    [statement] = json.loads(role(recorder, "acme-prod-deploy")["assumeRolePolicy"])["Statement"]
    subject = statement["Condition"]["StringEquals"]["token.actions.githubusercontent.com:sub"]
    assert subject == "repo:acme@1234567/moka@7654321:environment:prod"


def test_each_role_has_its_boundary_and_its_policies(deployed):
    recorder = deployed("prod")
    policies = {inputs["name"] for inputs in recorder.inputs(POLICY)}
    attached = {(inputs["role"], inputs["policyArn"]) for inputs in recorder.inputs(ATTACHMENT)}

    for kind in ("deploy", "preview"):
        assert role(recorder, f"acme-prod-{kind}")["permissionsBoundary"]
        assert f"acme-prod-{kind}-boundary" in policies
    # A boundary allows nothing by itself, and is attached as one only.
    assert len(attached) == len(policies) - 3
    assert "acme-prod-workloads" in policies


def test_roles_in_other_accounts_trust_the_same_role_at_home(deployed):
    recorder = deployed("world")
    by_account = {
        resource.place.account: json.loads(resource.inputs["assumeRolePolicy"])["Statement"]
        for resource in recorder.resources
        if resource.type == ROLE and resource.inputs["name"].endswith("-deploy")
    }

    assert [statement["Sid"] for statement in by_account["111122223333"]] == ["GitHub"]
    assert [statement["Sid"] for statement in by_account["444455556666"]] == ["GitHub", "Home"]
    assert by_account["444455556666"][1]["Principal"]["AWS"][0].startswith("arn:aws:iam::111122223333:role/")


def test_an_account_that_has_the_identity_provider_gets_no_second_one(deployed):
    assert len(deployed("prod").inputs(PROVIDER)) == 1
    assert deployed("prod", existing_providers=(HOME,)).inputs(PROVIDER) == []


def test_without_ci_there_is_state_and_no_way_in(deploy):
    settings = bootstrapped("prod").model_copy(update={"ci": None})

    recorder = deploy(lambda: program.deploy(settings, program.Options(**OPTIONS)))

    assert recorder.inputs("aws:s3/bucket:Bucket")
    assert not recorder.types() & {ROLE, POLICY, PROVIDER}


def test_a_boundary_of_somebody_else_s_that_the_settings_name_is_not_made(deploy):
    settings = bootstrapped("prod")
    main = settings.foundations["main"].model_copy(
        update={"permissions_boundary": f"arn:aws:iam::{HOME}:policy/of-the-company"}
    )
    settings = settings.model_copy(update={"foundations": {"main": main}})

    recorder = deploy(lambda: program.deploy(settings, program.Options(**OPTIONS)))

    assert "acme-prod-workloads" not in {inputs["name"] for inputs in recorder.inputs(POLICY)}


HOME = "444455556666"


def everything(arn: str) -> Role:
    policy = {"Version": "2012-10-17", "Statement": [{"Effect": "Allow", "Action": "*", "Resource": "*"}]}
    return Role(arn=arn, policies=(policy,))


ADMINISTRATOR = everything(f"arn:aws:iam::{HOME}:role/admin")


def bucket_policy(recorder: Recorder) -> Policy:
    [inputs] = recorder.inputs("aws:s3/bucketPolicy:BucketPolicy")
    return json.loads(inputs["policy"])


def target(arn: str, policy: str | Policy) -> Resource:
    return Resource(arn=arn, account=HOME, policy=json.loads(policy) if isinstance(policy, str) else policy)


def may(role: Role, action: str, policy: Policy, key: str = "", context: dict | None = None) -> bool:
    arn = StateNames(bootstrapped("prod")).bucket_arn
    return allowed(role, action, target(f"{arn}{key}", policy), context)
