"""What the roles of CI may do and may not, by evaluating their policies against every preview."""

import json
from collections.abc import Iterator
from functools import cache

import pytest

from accounts.names import AccountNames, StateNames
from accounts.permissions.boundaries import deploy_boundary, preview_boundary, workload_boundary
from accounts.permissions.policies import deploy_policies, preview_policies
from accounts.permissions.scopes import SERVICE_LINKED
from accounts.permissions.table import rows_of
from aws_rules.iam import definitions
from aws_rules.iam.evaluation import Policy, Role, allowed, like
from aws_rules.iam.evaluation import Resource as Target
from components.aws.key import key_policy
from tests.support.previews import FILES, Preview, Resource, preview

ROLE, KEY, BUCKET = "aws:iam/role:Role", "aws:kms/key:Key", "aws:s3/bucket:Bucket"
ADMINISTRATOR = "arn:aws:iam::aws:policy/AdministratorAccess"


def state_key(of: Preview) -> str:
    home = StateNames(of.settings).foundation
    return f"arn:aws:kms:{home.region}:{home.account}:key/5e0c4c1e-0000-4000-8000-000000000000"


@cache
def deployer(environment: str, account: str) -> Role:
    of = preview(environment)
    names, key = AccountNames(of.settings, account), state_key(of)
    policies = tuple(deploy_policies(names, key).values())
    return Role(arn=names.deploy_role, policies=policies, boundary=deploy_boundary(names, key))


@cache
def previewer(environment: str, account: str) -> Role:
    of = preview(environment)
    names, key = AccountNames(of.settings, account), state_key(of)
    policies = tuple(preview_policies(names, key).values())
    return Role(arn=names.preview_role, policies=policies, boundary=preview_boundary(names, key))


def places() -> list[tuple[str, str]]:
    return [(name, account) for name in FILES for account in preview(name).settings.accounts]


class World:
    """What there is in an account: requests that a row's actions come to for a resource."""

    def __init__(self, environment: str, account: str) -> None:
        self.of, self.account = preview(environment), account
        self.settings = self.of.settings
        self.resources = list(self.of.of(account))
        self.by_name: dict[tuple[str, str], Resource] = {(r.type, r.name): r for r in self.resources}
        self.all = [target for resource in self.resources for target in self.own(resource)]

    def own(self, resource: Resource) -> Iterator[Target]:
        """ARNs of a resource: of what it is, or of what it is a setting of."""
        service = resource.type.partition("/")[0].removeprefix("aws:")
        inputs = resource.inputs
        arn = f"arn:aws:{service}:{resource.region}:{resource.account}:"
        match service:
            case "s3":
                bucket = self.by_name[BUCKET, resource.name].inputs["bucket"]
                yield self.target(f"arn:aws:s3:::{bucket}")
                yield self.target(f"arn:aws:s3:::{bucket}/x")
            case "kms" if resource.type == KEY:
                yield self.target(resource.outputs["arn"], json.loads(inputs["policy"]))
            case "kms":
                root = json.loads(key_policy(resource.account, resource.region))
                yield self.target(f"{arn}{inputs['name']}", root)
            case "cloudwatch":
                yield self.target(
                    f"arn:aws:logs:{resource.region}:{resource.account}:log-group:{inputs['name']}"
                )
            case "ecr" if "name" in inputs:
                yield self.target(f"{arn}repository/{inputs['name']}")
            case "iam":
                yield self.target(self.role(resource).outputs["arn"])
            case "eks":
                for name, cluster in self.settings.clusters.items():
                    foundation = self.settings.foundations[cluster.foundation]
                    if (foundation.account, foundation.region) == (resource.account, resource.region):
                        eks = self.settings.eks_name(name)
                        for kind in (
                            f"cluster/{eks}",
                            f"nodegroup/{eks}/x/1",
                            f"addon/{eks}/x/1",
                            f"access-entry/{eks}/role/{resource.account}/x/1",
                            f"podidentityassociation/{eks}/a-1",
                        ):
                            yield self.target(f"{arn}{kind}")
            case "autoscaling":
                yield self.target(f"{arn}autoScalingGroup:1:autoScalingGroupName/eks-x-1")

    def role(self, resource: Resource) -> Resource:
        return self.by_name[ROLE, resource.inputs["role"] if resource.type != ROLE else resource.name]

    def target(self, arn: str, policy: Policy | None = None) -> Target:
        return Target(arn=arn, account=self.account, policy=policy)

    def requests(self, resource: Resource, action: str) -> Iterator[tuple[Target, dict[str, str]]]:
        """What an action comes to for a resource: on itself, or on what else it needs."""
        prefix, taken = action.partition(":")[0], definitions.resource_types(action)
        context = {"aws:RequestedRegion": resource.region}
        if action == "iam:CreateServiceLinkedRole":
            for service in SERVICE_LINKED:
                role = f"arn:aws:iam::{self.account}:role/aws-service-role/{service}/x"
                yield self.target(role), context | {"iam:AWSServiceName": service}
            return
        if not taken or prefix == "ec2":
            # What a new key's own policy will say decides, which is that of every key.
            policy = json.loads(key_policy(self.account, resource.region)) if prefix == "kms" else None
            yield self.target("*", policy), context
            return
        own = [target for target in self.own(resource) if fits(taken, target)]
        for target in own or [target for target in self.all if fits(taken, target)]:
            yield target, context | self.told(resource, action, target)

    def told(self, resource: Resource, action: str, target: Target) -> dict[str, str]:
        """What a request says besides."""
        tag = {
            f"aws:{kind}/moka:environment": self.settings.environment
            for kind in ("RequestTag", "ResourceTag")
        }
        if not action.startswith("iam:"):
            return tag if action.startswith("kms:") else {}
        [role] = [r for r in self.resources if r.type == ROLE and r.outputs["arn"] == target.arn]
        told = {"iam:PermissionsBoundary": role.inputs["permissionsBoundary"]}
        if action == "iam:PassRole":
            trust = json.loads(role.inputs["assumeRolePolicy"])
            told["iam:PassedToService"] = trust["Statement"][0]["Principal"]["Service"]
        if action == "iam:AttachRolePolicy":
            told["iam:PolicyARN"] = resource.inputs["policyArn"]
        return told


def fits(taken: tuple[str, ...], target: Target) -> bool:
    """Whether an action takes it; the pattern of a bucket is that of an object too."""
    is_object = target.arn.startswith("arn:aws:s3:") and "/" in target.arn
    return any(like(pattern, target.arn) for pattern in taken if "/" in pattern or not is_object)


@pytest.mark.parametrize(("environment", "account"), places())
def test_the_deploy_role_may_do_to_every_resource_of_the_preview_what_its_row_says(environment, account):
    world, role = World(environment, account), deployer(environment, account)
    rows = {
        row.type: row for row in rows_of(world.settings, AccountNames(world.settings, account).foundations)
    }

    asked, denied = set(), set()
    for resource in world.resources:
        for action in rows[resource.type].actions(retain=world.settings.retain):
            requests = list(world.requests(resource, action))
            # A cache of a public registry takes no secret.
            assert requests or action == "secretsmanager:GetSecretValue", (resource.type, action)
            for target, context in requests:
                request = (action, target.arn, *sorted(context.items()))
                if request not in asked:
                    asked.add(request)
                    if not allowed(role, action, target, context):
                        denied.add(request)
    assert denied == set()
    assert len(asked) > 200


def test_the_registry_s_secrets_are_read_for_its_caches_and_no_others():
    role = deployer("prod", "444455556666")
    secret = "arn:aws:secretsmanager:us-east-1:444455556666:secret:"

    assert allowed(role, "secretsmanager:GetSecretValue", on(f"{secret}ecr-pullthroughcache/ghcr-io-Ef34Gh"))
    assert not allowed(role, "secretsmanager:GetSecretValue", on(f"{secret}password-Ef34Gh"))


ACCOUNT = "444455556666"
NAMES = AccountNames(preview("prod").settings, ACCOUNT)
WORKLOAD = f"arn:aws:iam::{ACCOUNT}:role/acme-prod/x"
ELSEWHERE = f"arn:aws:iam::{ACCOUNT}:role/admin"
BOUNDED = {"iam:PermissionsBoundary": NAMES.workload_boundary}
UNBOUNDED: dict[str, str] = {}


def on(arn: str, policy: Policy | None = None) -> Target:
    return Target(arn=arn, account=ACCOUNT, policy=policy)


def policy_of(name: str) -> str:
    return f"arn:aws:iam::{ACCOUNT}:policy/{name}"


OWN_POLICIES = [
    policy_of("acme-prod-deploy-identity"),
    NAMES.policy("deploy-boundary"),
    NAMES.workload_boundary,
]
USER = f"arn:aws:iam::{ACCOUNT}:user/x"

ESCALATIONS = {
    **{
        f"{verb} {policy.rpartition('/')[2]}": (f"iam:{verb}", policy, {})
        for verb in ("CreatePolicyVersion", "SetDefaultPolicyVersion", "DeletePolicyVersion", "DeletePolicy")
        for policy in OWN_POLICIES
    },
    **{
        f"{verb} on itself": (f"iam:{verb}", NAMES.deploy_role, {"iam:PolicyARN": ADMINISTRATOR})
        for verb in (
            "AttachRolePolicy",
            "DetachRolePolicy",
            "PutRolePolicy",
            "DeleteRolePolicy",
            "UpdateAssumeRolePolicy",
            "PutRolePermissionsBoundary",
            "DeleteRolePermissionsBoundary",
            "UpdateRole",
            "TagRole",
        )
    },
    **{
        f"{verb} of a role elsewhere": (
            f"iam:{verb}",
            ELSEWHERE,
            {"iam:PassedToService": "eks.amazonaws.com", "iam:PolicyARN": ADMINISTRATOR, **BOUNDED},
        )
        for verb in ("UpdateAssumeRolePolicy", "PassRole", "PutRolePolicy", "AttachRolePolicy", "CreateRole")
    },
    "a role without a boundary": ("iam:CreateRole", WORKLOAD, UNBOUNDED),
    "a role with another boundary": ("iam:CreateRole", WORKLOAD, {"iam:PermissionsBoundary": ADMINISTRATOR}),
    "a role with the deploy role's boundary": (
        "iam:CreateRole",
        WORKLOAD,
        {"iam:PermissionsBoundary": NAMES.policy("deploy-boundary")},
    ),
    "another boundary of a workload": (
        "iam:PutRolePermissionsBoundary",
        WORKLOAD,
        {"iam:PermissionsBoundary": ADMINISTRATOR},
    ),
    "no boundary of a workload": ("iam:DeleteRolePermissionsBoundary", WORKLOAD, BOUNDED),
    "a policy in a role without a boundary": ("iam:PutRolePolicy", WORKLOAD, UNBOUNDED),
    "an administrator's policy on a workload": (
        "iam:AttachRolePolicy",
        WORKLOAD,
        {"iam:PolicyARN": ADMINISTRATOR, **BOUNDED},
    ),
    "a policy of one's own on a workload": (
        "iam:AttachRolePolicy",
        WORKLOAD,
        {"iam:PolicyARN": OWN_POLICIES[0], **BOUNDED},
    ),
    "a workload's role to Lambda": (
        "iam:PassRole",
        WORKLOAD,
        {"iam:PassedToService": "lambda.amazonaws.com"},
    ),
    "a user": ("iam:CreateUser", USER, {}),
    "a user with a boundary": ("iam:CreateUser", USER, BOUNDED),
    "an access key": ("iam:CreateAccessKey", USER, {}),
    "a password": ("iam:CreateLoginProfile", USER, {}),
    "a user's policy": ("iam:AttachUserPolicy", USER, {"iam:PolicyARN": ADMINISTRATOR}),
    "a member of a group": ("iam:AddUserToGroup", f"arn:aws:iam::{ACCOUNT}:group/admins", {}),
    "an instance profile": (
        "iam:AddRoleToInstanceProfile",
        f"arn:aws:iam::{ACCOUNT}:instance-profile/x",
        {},
    ),
    "another identity provider": (
        "iam:CreateOpenIDConnectProvider",
        f"arn:aws:iam::{ACCOUNT}:oidc-provider/example.com",
        {},
    ),
    "another audience": ("iam:AddClientIDToOpenIDConnectProvider", NAMES.github_provider, {}),
    "another certificate": ("iam:UpdateOpenIDConnectProviderThumbprint", NAMES.github_provider, {}),
    "any role": ("sts:AssumeRole", ELSEWHERE, {}),
    "a function with a role": (
        "lambda:CreateFunction",
        f"arn:aws:lambda:us-east-1:{ACCOUNT}:function:x",
        {},
    ),
    "a stack with a role": (
        "cloudformation:CreateStack",
        f"arn:aws:cloudformation:us-east-1:{ACCOUNT}:stack/x/1",
        {},
    ),
    "another service's own role": (
        "iam:CreateServiceLinkedRole",
        f"arn:aws:iam::{ACCOUNT}:role/aws-service-role/ssm.amazonaws.com/x",
        {"iam:AWSServiceName": "ssm.amazonaws.com"},
    ),
}


@pytest.mark.parametrize("escalation", ESCALATIONS)
def test_no_way_leads_the_deploy_role_to_more_than_it_has(escalation):
    action, arn, told = ESCALATIONS[escalation]
    trust_everybody = {
        "Version": "2012-10-17",
        "Statement": [{"Effect": "Allow", "Principal": {"AWS": ACCOUNT}, "Action": "sts:AssumeRole"}],
    }
    target = on(arn, trust_everybody if action.startswith("sts:") else None)

    assert not allowed(
        deployer("prod", ACCOUNT), action, target, {"aws:RequestedRegion": "us-east-1", **told}
    )


@pytest.mark.parametrize("escalation", ESCALATIONS)
def test_the_deploy_role_s_boundary_denies_it_whatever_policies_it_is_given(escalation):
    action, arn, told = ESCALATIONS[escalation]
    everything = {"Version": "2012-10-17", "Statement": [{"Effect": "Allow", "Action": "*", "Resource": "*"}]}
    role = deployer("prod", ACCOUNT)
    administrator = Role(arn=role.arn, policies=(everything,), boundary=role.boundary)
    within = {"an administrator's policy on a workload", "a policy of one's own on a workload"}
    within |= {"a workload's role to Lambda", "another service's own role"}

    # What stays within a workload's boundary, or needs another service, is left to its policies.
    assert allowed(administrator, action, on(arn), {"aws:RequestedRegion": "us-east-1", **told}) == (
        escalation in within
    )


STATE = StateNames(preview("prod").settings)
OWN_KEY = json.loads(key_policy(ACCOUNT, "us-east-1"))


@pytest.mark.parametrize(
    ("action", "arn", "expected"),
    [
        ("s3:GetObject", f"{STATE.bucket_arn}/.pulumi/stacks/moka/prod.shared.json", True),
        ("s3:PutObject", f"{STATE.bucket_arn}/.pulumi/stacks/moka/prod.shared.json", True),
        ("s3:DeleteObject", f"{STATE.bucket_arn}/.pulumi/locks/organization/moka/prod.shared/1.json", True),
        ("s3:ListBucket", STATE.bucket_arn, True),
        ("s3:DeleteObjectVersion", f"{STATE.bucket_arn}/.pulumi/stacks/moka/prod.shared.json", False),
        ("s3:DeleteBucket", STATE.bucket_arn, False),
        ("s3:PutBucketPolicy", STATE.bucket_arn, False),
        ("s3:PutBucketVersioning", STATE.bucket_arn, False),
        ("kms:Decrypt", state_key(preview("prod")), True),
        ("kms:GenerateDataKey", state_key(preview("prod")), True),
        ("kms:PutKeyPolicy", state_key(preview("prod")), False),
        ("kms:ScheduleKeyDeletion", state_key(preview("prod")), False),
        ("kms:DisableKey", state_key(preview("prod")), False),
    ],
)
def test_the_deploy_role_uses_its_state_and_changes_nothing_about_it(action, arn, expected):
    tags = {"aws:ResourceTag/moka:environment": "prod"}
    target = on(arn, OWN_KEY if action.startswith("kms:") else None)

    assert allowed(deployer("prod", ACCOUNT), action, target, tags) == expected


def test_what_has_the_tag_of_another_environment_of_the_account_is_not_touched():
    account = "111122223333"
    vpc = Target(arn=f"arn:aws:ec2:us-west-2:{account}:vpc/vpc-1", account=account)
    region = {"aws:RequestedRegion": "us-west-2"}
    role = deployer("dev", account)

    assert allowed(role, "ec2:DeleteVpc", vpc, region | {"aws:ResourceTag/moka:environment": "dev"})
    assert not allowed(role, "ec2:DeleteVpc", vpc, region | {"aws:ResourceTag/moka:environment": "test"})
    assert not allowed(role, "ec2:CreateVpc", vpc, {"aws:RequestedRegion": "eu-west-1"})


@pytest.mark.parametrize(("environment", "account"), places())
def test_the_preview_role_reads_what_the_rows_read_and_changes_nothing(environment, account):
    world, role = World(environment, account), previewer(environment, account)
    rows = {
        row.type: row for row in rows_of(world.settings, AccountNames(world.settings, account).foundations)
    }

    for resource in world.resources:
        row = rows[resource.type]
        for action in row.reads:
            for target, context in world.requests(resource, action):
                assert allowed(role, action, target, context), (action, target.arn)
        for action in row.writes - row.reads:
            if not action.partition(":")[2].startswith(("Describe", "Get", "List")):
                for target, context in world.requests(resource, action):
                    assert not allowed(role, action, target, context), (action, target.arn)


@pytest.mark.parametrize(("environment", "account"), places())
def test_neither_role_reads_data(environment, account):
    world = World(environment, account)

    for role in (previewer(environment, account), deployer(environment, account)):
        for target in world.all:
            if target.arn.startswith("arn:aws:s3:") and "/" in target.arn:
                assert not allowed(role, "s3:GetObject", target)
            if ":key/" in target.arn:
                assert not allowed(
                    role, "kms:Decrypt", target, {"aws:ResourceTag/moka:environment": environment}
                )


@pytest.mark.parametrize(
    ("action", "arn"),
    [
        ("secretsmanager:GetSecretValue", f"arn:aws:secretsmanager:us-east-1:{ACCOUNT}:secret:x-1"),
        ("ssm:GetParameter", f"arn:aws:ssm:us-east-1:{ACCOUNT}:parameter/x"),
        ("logs:GetLogEvents", f"arn:aws:logs:us-east-1:{ACCOUNT}:log-group:x:log-stream:y"),
        ("s3:PutObject", f"{STATE.bucket_arn}/x"),
        ("s3:DeleteObject", f"{STATE.bucket_arn}/x"),
        ("kms:Encrypt", state_key(preview("prod"))),
        ("iam:PassRole", WORKLOAD),
        ("sts:AssumeRole", NAMES.deploy_role),
    ],
)
def test_the_preview_role_has_no_secrets_and_writes_no_state_even_if_it_is_given_more(action, arn):
    everything = {"Version": "2012-10-17", "Statement": [{"Effect": "Allow", "Action": "*", "Resource": "*"}]}
    role = previewer("prod", ACCOUNT)
    administrator = Role(arn=role.arn, policies=(everything,), boundary=role.boundary)
    trusting = {
        "Version": "2012-10-17",
        "Statement": [{"Effect": "Allow", "Principal": {"AWS": ACCOUNT}, "Action": "*"}],
    }
    policy = OWN_KEY if action.startswith("kms:") else trusting if action.startswith("sts:") else None

    assert not allowed(administrator, action, on(arn, policy))


def test_the_preview_role_reads_state_and_its_secrets():
    role = previewer("prod", ACCOUNT)

    assert allowed(role, "s3:GetObject", on(f"{STATE.bucket_arn}/.pulumi/stacks/moka/prod.shared.json"))
    assert allowed(role, "kms:Decrypt", on(state_key(preview("prod")), OWN_KEY))


def test_the_roles_at_home_reach_those_in_other_accounts_of_the_environment_and_nobody_else():
    home, away = "111122223333", "444455556666"
    names = AccountNames(preview("world").settings, away)

    def takes(role: Role, arn: str) -> bool:
        trust = {
            "Version": "2012-10-17",
            "Statement": [{"Effect": "Allow", "Principal": {"AWS": role.arn}, "Action": "sts:AssumeRole"}],
        }
        return allowed(role, "sts:AssumeRole", Target(arn=arn, account=away, policy=trust))

    assert takes(deployer("world", home), names.deploy_role)
    assert takes(previewer("world", home), names.preview_role)
    assert not takes(previewer("world", home), names.deploy_role)
    assert not takes(deployer("world", home), f"arn:aws:iam::{away}:role/admin")


@pytest.mark.parametrize(("environment", "account"), places())
def test_the_boundary_of_workloads_leaves_their_policies_what_they_say_and_keeps_them_from_state(
    environment, account
):
    of = preview(environment)
    boundary = workload_boundary(AccountNames(of.settings, account), state_key(of))
    state = StateNames(of.settings)

    def bounded(action: str, arn: str, policy: Policy) -> bool:
        role = Role(arn=f"arn:aws:iam::{account}:role/x/y", policies=(policy,), boundary=boundary)
        return allowed(role, action, Target(arn=arn, account=account))

    for resource in of.of(account):
        if resource.type == "aws:iam/rolePolicy:RolePolicy":
            for statement in json.loads(resource.inputs["policy"])["Statement"]:
                plain = {key: value for key, value in statement.items() if key != "Condition"}
                own = {"Version": "2012-10-17", "Statement": [plain | {"Resource": "*"}]}
                for pattern in statement["Action"]:
                    for action in definitions.expanded(pattern):
                        if not action.startswith(("kms:", "sts:", "iam:")):
                            assert bounded(action, "arn:aws:x:::y", own), action
    everything = {"Version": "2012-10-17", "Statement": [{"Effect": "Allow", "Action": "*", "Resource": "*"}]}
    assert not bounded("s3:GetObject", f"{state.bucket_arn}/.pulumi/stacks/moka/x.json", everything)
    for action in ("iam:CreateRole", "iam:PassRole", "sts:AssumeRole", "secretsmanager:GetSecretValue"):
        assert not bounded(action, f"arn:aws:iam::{account}:role/x", everything)
