from policies.pack.types import (
    CLUSTER_ROLE_BINDING,
    DATABASES,
    DEPLOYMENT,
    POD_IDENTITY,
    POLICY,
    RBAC_BINDINGS,
    RBAC_ROLES,
    ROLE,
    ROLE_ATTACHMENT,
    ROLE_POLICY,
    USER_CREDENTIALS,
)
from tests.policies.cases.case import Case, a, document, failing, passing, urn

CLUSTER_ROLE, NAMESPACED_ROLE = RBAC_ROLES
LOGS = "arn:aws:s3:::acme-prod-job-logs"
ANY_ROLE = "arn:aws:iam::444455556666:role/*"
PODS_ROLE = "arn:aws:iam::444455556666:role/acme-prod/spark"
OIDC = "token.actions.githubusercontent.com"
POD_TAGS = {
    "aws:RequestTag/eks-cluster-name": "acme-prod-spark-a",
    "aws:RequestTag/kubernetes-namespace": "spark-analytics",
    "aws:RequestTag/kubernetes-service-account": "spark",
}


def may(action: object, resource: object = LOGS, **more: object) -> dict:
    statement = {"Sid": "Some", "Effect": "Allow", "Action": action, "Resource": resource, **more}
    return {"policy": document(statement)}


def within_role(action: str, resource: str = LOGS) -> dict:
    """A policy that is part of its role."""
    return {"path": "/acme-prod/", "inlinePolicies": [{"name": "some", **may(action, resource)}]}


def when(operator: str, key: str, value: object) -> dict:
    return {"Condition": {operator: {key: value}}}


def trusting(principal: object, action: str = "sts:AssumeRole", **more: object) -> dict:
    statement = {"Effect": "Allow", "Principal": principal, "Action": action, **more}
    return {"assumeRolePolicy": document(statement)}


def for_pods(operator: str = "StringEquals", **tags: str) -> dict:
    condition = {"Condition": {operator: {**POD_TAGS, **tags}}}
    return trusting({"Service": "pods.eks.amazonaws.com"}, **condition)


def federated(operator: str, subject: object) -> dict:
    provider = {"Federated": f"arn:aws:iam::444455556666:oidc-provider/{OIDC}"}
    return trusting(provider, "sts:AssumeRoleWithWebIdentity", **when(operator, f"{OIDC}:sub", subject))


def nodes(**more: object):
    """The role of nodes."""
    return a(ROLE, {**trusting({"Service": "ec2.amazonaws.com"}), **more}, "spark-a-node")


def of_nodes(type: str, inputs: dict):
    return a(type, inputs, "rights", reads={"role": urn(ROLE, "spark-a-node")})


def pods_of(namespace: str, name: str, role: str = PODS_ROLE):
    return a(POD_IDENTITY, {"namespace": namespace, "serviceAccount": "spark", "roleArn": role}, name)


def pods_with(namespace: str, name: str, role: str):
    """With a role whose ARN is not known yet."""
    return a(POD_IDENTITY, {"namespace": namespace}, name, reads={"roleArn": urn(ROLE, role)})


def rbac(**rule: list[str]) -> dict:
    return {
        "metadata": {"name": "reader"},
        "rules": [{"apiGroups": [""], "resources": ["pods"], "verbs": ["get"], **rule}],
    }


def binding(role: str = "reader", subject: str = "spark") -> dict:
    return {
        "metadata": {"name": "readers"},
        "roleRef": {"kind": "ClusterRole", "name": role},
        "subjects": [{"kind": "Group", "name": subject}],
    }


def pods(**spec: object) -> dict:
    return {"metadata": {"name": "tool", "namespace": "tools"}, "spec": {"template": {"spec": spec}}}


CASES: list[Case] = [
    passing("no-wildcard-action", a(ROLE_POLICY, may(["s3:GetObject", "s3:List*"]))),
    passing("no-wildcard-action", a(ROLE_POLICY, may("s3:*", Effect="Deny"))),
    failing("no-wildcard-action", a(ROLE_POLICY, may("s3:*")), says="s3:*"),
    failing("no-wildcard-action", a(POLICY, may(["s3:GetObject", "*"])), says="allows *"),
    failing("no-wildcard-action", a(ROLE_POLICY, may("s3:?*"))),
    failing("no-wildcard-action", a(ROLE, within_role("s3:*")), says="s3:*"),
    failing("no-wildcard-action", a("aws:iam/userPolicy:UserPolicy", may("*:*"))),
    failing(
        "no-wildcard-action",
        a(ROLE_POLICY, {"policy": document({"Effect": "Allow", "NotAction": "iam:*", "Resource": "*"})}),
        says="number 1",
    ),
    #
    passing("no-wildcard-resource", a(ROLE_POLICY, may("s3:GetObject", f"{LOGS}/*"))),
    passing(
        "no-wildcard-resource", a(ROLE_POLICY, may(["ec2:DescribeInstances", "s3:ListAllMyBuckets"], "*"))
    ),
    passing("no-wildcard-resource", a(ROLE_POLICY, may("unheard:Of", "*"))),
    passing(
        "no-wildcard-resource",
        a(
            ROLE_POLICY,
            may(
                "ec2:TerminateInstances",
                "*",
                **when("StringEquals", "aws:ResourceTag/moka:environment", "prod"),
            ),
        ),
    ),
    passing(
        "no-wildcard-resource",
        a(ROLE_POLICY, may("kms:CreateGrant", "*", **when("Bool", "kms:GrantIsForAWSResource", True))),
    ),
    failing("no-wildcard-resource", a(ROLE_POLICY, may("s3:GetObject", "*")), says="s3:GetObject"),
    failing(
        "no-wildcard-resource", a(ROLE_POLICY, may(["s3:Get*"], [LOGS, "arn:aws:s3:::*"])), says="s3:Get*"
    ),
    failing("no-wildcard-resource", a(ROLE, within_role("s3:GetObject", "*"))),
    failing(
        "no-wildcard-resource",
        a(ROLE_POLICY, may("s3:GetObject", "*", **when("Bool", "aws:SecureTransport", "true"))),
    ),
    failing(
        "no-wildcard-resource",
        a(
            ROLE_POLICY,
            may("s3:GetObject", "*", **when("StringNotEquals", "aws:ResourceAccount", "111122223333")),
        ),
    ),
    failing(
        "no-wildcard-resource",
        a(
            ROLE_POLICY,
            {"policy": document({"Effect": "Allow", "Action": "s3:GetObject", "NotResource": LOGS})},
        ),
        says="all resources but some",
    ),
    #
    passing(
        "no-administrators",
        a(ROLE_ATTACHMENT, {"policyArn": "arn:aws:iam::aws:policy/AmazonEKSClusterPolicy"}),
    ),
    passing(
        "no-administrators", a(ROLE_ATTACHMENT, {"policyArn": "arn:aws:iam::444455556666:policy/FullAccess"})
    ),
    failing(
        "no-administrators", a(ROLE_ATTACHMENT, {"policyArn": "arn:aws:iam::aws:policy/AmazonS3FullAccess"})
    ),
    failing(
        "no-administrators",
        a(ROLE, {"managedPolicyArns": ["arn:aws:iam::aws:policy/AdministratorAccess"]}),
        says="AdministratorAccess",
    ),
    #
    passing("no-privilege-escalation", a(ROLE_POLICY, may("iam:PassRole", PODS_ROLE))),
    passing("no-privilege-escalation", a(ROLE_POLICY, may("iam:GetRole", ANY_ROLE))),
    failing("no-privilege-escalation", a(ROLE_POLICY, may("iam:PassRole", "*")), says="iam:PassRole"),
    failing("no-privilege-escalation", a(POLICY, may("iam:Put*", [ANY_ROLE])), says="iam:Put*"),
    failing(
        "no-privilege-escalation",
        a(ROLE, within_role("iam:CreatePolicyVersion", "arn:aws:iam::444455556666:policy/*")),
    ),
    #
    passing("no-users", a(ROLE, {"path": "/acme-prod/"})),
    *(failing("no-users", a(type)) for type in USER_CREDENTIALS),
    #
    passing("trust-names-principals", a(ROLE, trusting({"Service": "eks.amazonaws.com"}))),
    passing(
        "trust-names-principals",
        a(ROLE, trusting("*", **when("StringEquals", "aws:PrincipalOrgID", "o-acme"))),
    ),
    failing("trust-names-principals", a(ROLE, trusting("*"))),
    failing("trust-names-principals", a(ROLE, trusting({"AWS": ["*"]}))),
    failing(
        "trust-names-principals", a(ROLE, trusting("*", **when("StringLike", "sts:RoleSessionName", "job-*")))
    ),
    failing(
        "trust-names-principals",
        a(
            ROLE,
            {
                "assumeRolePolicy": document(
                    {"Effect": "Allow", "NotPrincipal": {"AWS": "111122223333"}, "Action": "sts:AssumeRole"}
                )
            },
        ),
    ),
    #
    passing("trust-no-whole-account", a(ROLE, trusting({"AWS": PODS_ROLE}))),
    passing("trust-no-whole-account", a(ROLE, trusting({"AWS": "444455556666"})), accounts=["444455556666"]),
    failing("trust-no-whole-account", a(ROLE, trusting({"AWS": "444455556666"})), says="444455556666"),
    failing("trust-no-whole-account", a(ROLE, trusting({"AWS": "arn:aws:iam::999999999999:root"}))),
    #
    passing("identity-of-own-account", a(POD_IDENTITY, {"serviceAccount": "spark"})),
    failing("identity-of-own-account", a(POD_IDENTITY, {"serviceAccount": "default"}), says="default"),
    #
    passing("pod-role-trust", a(ROLE, for_pods())),
    passing("pod-role-trust", a(ROLE, trusting({"Service": "eks.amazonaws.com"}))),
    failing(
        "pod-role-trust",
        a(ROLE, trusting({"Service": "pods.eks.amazonaws.com"})),
        says="eks-cluster-name and kubernetes-namespace and kubernetes-service-account",
    ),
    failing(
        "pod-role-trust",
        a(ROLE, for_pods("StringLike", **{"aws:RequestTag/kubernetes-namespace": "*"})),
        says="kubernetes-namespace",
    ),
    failing("pod-role-trust", a(ROLE, for_pods("StringNotEquals"))),
    #
    passing("federation-narrow", a(ROLE, federated("StringLike", "repo:acme/platform:*"))),
    passing("federation-narrow", a(ROLE, federated("StringEquals", "system:serviceaccount:tools:tool"))),
    failing("federation-narrow", a(ROLE, federated("StringLike", "repo:*"))),
    failing("federation-narrow", a(ROLE, federated("StringLike", ["repo:acme/platform:*", "*"]))),
    failing("federation-narrow", a(ROLE, federated("StringNotLike", "repo:evil/*"))),
    failing("federation-narrow", a(ROLE, federated("StringLike", "system:serviceaccount:*:tool"))),
    failing(
        "federation-narrow",
        a(ROLE, trusting({"Federated": "cognito-identity.amazonaws.com"}, "sts:AssumeRoleWithWebIdentity")),
    ),
    #
    passing("role-boundary", a(ROLE, {"permissionsBoundary": "arn:aws:iam::444455556666:policy/boundary"})),
    passing("role-boundary", a(ROLE, {"path": "/acme-prod/"}), required=False),
    failing("role-boundary", a(ROLE, {"path": "/acme-prod/"})),
    failing(
        "role-boundary",
        a(ROLE, {"permissionsBoundary": "arn:aws:iam::aws:policy/AdministratorAccess"}),
        says="a policy of AWS's",
    ),
    #
    passing("role-path", a(ROLE, {"path": "/acme-prod/"})),
    failing("role-path", a(ROLE, {"path": "/"})),
    failing("role-path", a(ROLE)),
    #
    passing(
        "node-role-without-data",
        nodes(),
        of_nodes(ROLE_POLICY, may("ec2:DescribeInstances", "*")),
        of_nodes(
            ROLE_ATTACHMENT, {"policyArn": "arn:aws:iam::aws:policy/AmazonEC2ContainerRegistryPullOnly"}
        ),
    ),
    passing("node-role-without-data", a(ROLE_POLICY, may("s3:GetObject"), reads={"role": urn(ROLE, "pods")})),
    failing(
        "node-role-without-data", nodes(), of_nodes(ROLE_POLICY, may("s3:GetObject")), says="s3:GetObject"
    ),
    failing("node-role-without-data", nodes(), of_nodes(ROLE_POLICY, may("*")), says="nodes *"),
    failing("node-role-without-data", nodes(inlinePolicies=[may("S3:GetObject")]), says="S3:GetObject"),
    failing(
        "node-role-without-data",
        nodes(),
        of_nodes(ROLE_ATTACHMENT, {"policyArn": "arn:aws:iam::aws:policy/AmazonS3ReadOnlyAccess"}),
        says="AmazonS3ReadOnlyAccess",
    ),
    #
    passing(
        "identity-of-one-namespace",
        pods_of("spark-analytics", "first"),
        pods_of("spark-analytics", "second"),
        pods_of("spark-science", "other", f"{PODS_ROLE}-science"),
    ),
    passing("identity-of-one-namespace", pods_with("a", "first", "a"), pods_with("b", "second", "b")),
    failing(
        "identity-of-one-namespace",
        pods_of("spark-analytics", "first"),
        pods_of("spark-science", "second"),
        says="spark-analytics and spark-science",
    ),
    failing(
        "identity-of-one-namespace",
        pods_with("a", "first", "x"),
        pods_with("b", "second", "x"),
        says="second",
    ),
    #
    passing("rbac-no-wildcards", a(CLUSTER_ROLE, rbac())),
    passing("rbac-no-wildcards", a(CLUSTER_ROLE, rbac(verbs=["*"])), but=["read*"]),
    failing("rbac-no-wildcards", a(CLUSTER_ROLE, rbac(verbs=["*"])), says="* in verbs"),
    failing("rbac-no-wildcards", a(NAMESPACED_ROLE, rbac(resources=["*"])), says="* in resources"),
    failing("rbac-no-wildcards", a(NAMESPACED_ROLE, rbac(apiGroups=["*"])), says="* in apiGroups"),
    #
    passing("rbac-no-escalation", a(CLUSTER_ROLE, rbac(resources=["roles"], verbs=["get", "list"]))),
    passing("rbac-no-escalation", a(CLUSTER_ROLE, rbac(verbs=["bind"])), but=["reader"]),
    *(
        failing("rbac-no-escalation", a(NAMESPACED_ROLE, rbac(verbs=["get", verb])), says=f"may {verb}")
        for verb in ("bind", "escalate", "impersonate")
    ),
    #
    passing("rbac-no-secrets", a(CLUSTER_ROLE, rbac())),
    passing("rbac-no-secrets", a(CLUSTER_ROLE, rbac(resources=["secrets"], verbs=["create"]))),
    passing("rbac-no-secrets", a(CLUSTER_ROLE, rbac(resources=["secrets"], resourceNames=["webhook"]))),
    passing("rbac-no-secrets", a(CLUSTER_ROLE, rbac(resources=["secrets"])), but=["reader"]),
    failing("rbac-no-secrets", a(CLUSTER_ROLE, rbac(resources=["pods", "secrets"], verbs=["list"]))),
    failing("rbac-no-secrets", a(CLUSTER_ROLE, rbac(resources=["secrets"], verbs=["*"]))),
    #
    *(
        case
        for type in RBAC_ROLES
        for case in (
            passing(
                "rbac-no-way-into-pods", a(type, rbac(resources=["pods", "pods/log"], verbs=["get", "list"]))
            ),
            passing(
                "rbac-no-way-into-pods",
                a(type, rbac(resources=["pods/exec"], verbs=["create"])),
                but=["reader"],
            ),
            failing(
                "rbac-no-way-into-pods",
                a(type, rbac(resources=["pods/exec"], verbs=["create"])),
                says="pods/exec",
            ),
            failing(
                "rbac-no-way-into-pods",
                a(type, rbac(resources=["serviceaccounts/token"], verbs=["*"])),
                says="token",
            ),
        )
    ),
    #
    passing("rbac-no-cluster-admin", a(CLUSTER_ROLE_BINDING, binding("view"))),
    *(failing("rbac-no-cluster-admin", a(type, binding("cluster-admin"))) for type in RBAC_BINDINGS),
    #
    passing("rbac-named-subjects", a(CLUSTER_ROLE_BINDING, binding(subject="moka:jobs:view"))),
    passing("rbac-named-subjects", a(CLUSTER_ROLE_BINDING, binding(subject="system:serviceaccounts:tools"))),
    *(
        failing("rbac-named-subjects", a(CLUSTER_ROLE_BINDING, binding(subject=group)), says=group)
        for group in (
            "system:anonymous",
            "system:authenticated",
            "system:masters",
            "system:serviceaccounts",
            "system:unauthenticated",
        )
    ),
    #
    passing("own-service-account", a(DEPLOYMENT, pods(serviceAccountName="tool"))),
    passing("own-service-account", a(DEPLOYMENT, pods(automountServiceAccountToken=False))),
    failing("own-service-account", a(DEPLOYMENT, pods(containers=[]))),
    failing("own-service-account", a(DEPLOYMENT, pods(serviceAccountName="default"))),
    #
    *(
        case
        for type in DATABASES
        for case in (
            passing("database-entered-by-iam", a(type, {"iamDatabaseAuthenticationEnabled": True})),
            failing("database-entered-by-iam", a(type, {"iamDatabaseAuthenticationEnabled": False})),
            failing("database-entered-by-iam", a(type, {"engine": "postgres"}), says="passwords only"),
        )
    ),
]
