import base64

from policies.pack.resource import SecretText
from policies.pack.types import (
    BUCKET,
    BUCKET_LIFECYCLE,
    BUCKET_POLICY,
    BUCKET_VERSIONING,
    CONFIG_MAP,
    DATABASES,
    DEPLOYMENT,
    INSTANCE,
    KEY,
    LAUNCH_TEMPLATE,
    POLICY,
    RELEASE,
    REPOSITORY,
    ROLE,
    ROLE_POLICY,
    SECRET,
    STACK,
    STATEFUL_SET,
)
from tests.policies.cases.case import Case, a, document, failing, passing

ACCESS_KEY = "AKIA" + "IOSFODNN7EXAMPLE"
SECRET_KEY = "wJalrXUtnFEMI/K7MDENG/bPxRfiCYEXAMPLE" + "KEY"
RANDOM = "q8Zr3vKx0LmN7tYpWc5bHs2JdGf9AeUo"
BUCKETS = "arn:aws:s3:::acme-prod-444455556666-us-east-1-event-logs"
STAGING = "222233334444"


def reaching(bucket: str, action: str = "s3:GetObject", effect: str = "Allow") -> dict:
    statement = {"Sid": "Read", "Effect": effect, "Action": action, "Resource": f"arn:aws:s3:::{bucket}/*"}
    return {"policy": document(statement)}


def shared(account: str, **more: object) -> dict:
    statement = {
        "Sid": "Read",
        "Effect": "Allow",
        "Principal": {"AWS": f"arn:aws:iam::{account}:root"},
        "Action": "s3:GetObject",
        "Resource": f"{BUCKETS}/*",
        **more,
    }
    return {"policy": document(statement)}


def when(operator: str, role: str) -> dict:
    return {"Condition": {operator: {"aws:PrincipalArn": [f"arn:aws:iam::{role}"]}}}


def expiring(days: int, **more: object) -> dict:
    return {"rules": [{"id": "expire", "expiration": {"days": days}, **more}]}


def claims(when_deleted: str, name: str = "history") -> dict:
    spec = {"persistentVolumeClaimRetentionPolicy": {"whenDeleted": when_deleted}}
    return {"metadata": {"name": name, "namespace": "spark-history"}, "spec": spec}


def with_env(name: str, value: str) -> dict:
    return pods(env=[{"name": name, "value": value}])


def pods(**container: object) -> dict:
    spec = {"containers": [{"name": "main", **container}]}
    return {"metadata": {"name": "tool", "namespace": "tools"}, "spec": {"template": {"spec": spec}}}


def config(key: str, value: str) -> dict:
    return {"metadata": {"name": "settings", "namespace": "tools"}, "data": {key: value}}


def user_data(content: str) -> dict:
    return {"userData": base64.b64encode(content.encode()).decode()}


def workers(path: str):
    volumes = [{"name": "disk-1", "hostPath": {"path": path}}]
    spec = {"template": {"spec": {"volumes": volumes}}}
    return a(STATEFUL_SET, {"metadata": {"name": "celeborn-worker"}, "spec": spec}, "spark-a-celeborn-worker")


def ending(seconds: int):
    spec = {"template": {"spec": {"terminationGracePeriodSeconds": seconds}}}
    return a(STATEFUL_SET, {"metadata": {"name": "celeborn-worker"}, "spec": spec}, "spark-a-celeborn-worker")


def shuffle(replicate: bool):
    return a(STACK, {"shuffle/spark-a": {"replicate": replicate}}, "moka-local")


CASES: list[Case] = [
    *(passing("data-protected", a(type, protected=True)) for type in (BUCKET, KEY, REPOSITORY, *DATABASES)),
    *(failing("data-protected", a(type)) for type in (BUCKET, KEY, REPOSITORY, *DATABASES)),
    passing("data-protected", a(BUCKET, {}, "scratch"), but=["scratch*"]),
    #
    passing("no-forced-deletion", a(BUCKET, {"forceDestroy": False})),
    passing("no-forced-deletion", a(REPOSITORY, {"name": "spark"})),
    failing("no-forced-deletion", a(BUCKET, {"forceDestroy": True}), says="forceDestroy"),
    failing("no-forced-deletion", a(REPOSITORY, {"forceDelete": True}), says="forceDelete"),
    #
    passing("key-deletion-window", a(KEY, {"deletionWindowInDays": 30})),
    passing("key-deletion-window", a(KEY, {"description": "data"})),
    passing("key-deletion-window", a(KEY, {"deletionWindowInDays": 7}), at_least_days=7),
    failing("key-deletion-window", a(KEY, {"deletionWindowInDays": 7}), says="7 days"),
    #
    passing("bucket-versioned", a(BUCKET_VERSIONING, {"versioningConfiguration": {"status": "Enabled"}})),
    failing("bucket-versioned", a(BUCKET_VERSIONING, {"versioningConfiguration": {"status": "Suspended"}})),
    #
    passing("log-objects-kept", a(BUCKET_LIFECYCLE, expiring(90), "main-job-logs")),
    passing("log-objects-kept", a(BUCKET_LIFECYCLE, expiring(3), "main-staging")),
    passing("log-objects-kept", a(BUCKET_LIFECYCLE, expiring(3, status="Disabled"), "main-job-logs")),
    failing("log-objects-kept", a(BUCKET_LIFECYCLE, expiring(3), "main-event-logs"), says="3 days"),
    passing(
        "log-objects-kept",
        a(BUCKET_LIFECYCLE, expiring(3, filter={"prefix": "hot/"}), "main-event-logs"),
        copies=["hot/"],
    ),
    failing(
        "log-objects-kept",
        a(BUCKET_LIFECYCLE, expiring(3, filter={"prefix": ""}), "main-event-logs"),
        copies=["hot/"],
        says="3 days",
    ),
    #
    passing("bucket-of-this-environment", a(ROLE_POLICY, reaching("acme-prod-event-logs"))),
    passing("bucket-of-this-environment", a(ROLE_POLICY, reaching("acme-prod-*"))),
    passing("bucket-of-this-environment", a(ROLE_POLICY, reaching("acme-datasets"))),
    passing("bucket-of-this-environment", a(ROLE_POLICY, reaching("acme-staging-x", effect="Deny"))),
    passing(
        "bucket-of-this-environment", a(ROLE_POLICY, reaching("acme-staging-x")), granted=["acme-staging-*"]
    ),
    failing(
        "bucket-of-this-environment", a(ROLE_POLICY, reaching("acme-staging-event-logs")), says="staging"
    ),
    passing(
        "bucket-of-this-environment",
        a(ROLE_POLICY, reaching("acme-staging-x", action="s3:PutObject")),
        granted=["acme-staging-x:write"],
    ),
    failing(
        "bucket-of-this-environment",
        a(ROLE_POLICY, reaching("acme-staging-x", action="s3:PutObject")),
        granted=["acme-staging-x"],
        says="writes to acme-staging-x",
    ),
    failing("bucket-of-this-environment", a(POLICY, reaching("acme-*")), says="any environment"),
    failing("bucket-of-this-environment", a(ROLE, {"inlinePolicies": [reaching("acme-dev-x")]}), says="dev"),
    #
    passing("bucket-shared-as-granted", a(BUCKET_POLICY, shared("444455556666"))),
    passing("bucket-shared-as-granted", a(BUCKET_POLICY, shared(STAGING)), accounts=[STAGING]),
    passing(
        "bucket-shared-as-granted",
        a(BUCKET_POLICY, shared(STAGING, **when("ArnLike", f"{STAGING}:role/acme-staging/*"))),
    ),
    failing("bucket-shared-as-granted", a(BUCKET_POLICY, shared(STAGING)), says=STAGING),
    failing("bucket-shared-as-granted", a(BUCKET_POLICY, shared(STAGING, **when("ArnLike", "*:role/*")))),
    failing(
        "bucket-shared-as-granted",
        a(BUCKET_POLICY, shared(STAGING, **when("ArnNotLike", f"{STAGING}:role/acme-staging/*"))),
    ),
    #
    passing("claims-outlive-pods", a(STATEFUL_SET, claims("Retain"))),
    passing("claims-outlive-pods", a(STATEFUL_SET, claims("Delete", "celeborn-master"))),
    failing("claims-outlive-pods", a(STATEFUL_SET, claims("Delete")), says="history"),
    #
    passing("shuffle-drains", ending(21600)),
    passing("shuffle-drains", ending(600), at_least_seconds=300),
    passing("shuffle-drains", a(STATEFUL_SET, claims("Retain"))),
    failing("shuffle-drains", ending(30), says="30 s"),
    #
    passing("no-plain-secrets", a(DEPLOYMENT, with_env("LOG_LEVEL", "information"))),
    passing("no-plain-secrets", a(DEPLOYMENT, with_env("DB_PASSWORD", "$(FROM_A_SECRET)"))),
    passing("no-plain-secrets", a(DEPLOYMENT, with_env("DIGEST", "0" * 16 + "b61ac" * 9 + "0ff"))),
    passing("no-plain-secrets", a(DEPLOYMENT, pods(env=[{"name": "TOKEN", "valueFrom": {}}]))),
    passing("no-plain-secrets", a(RELEASE, {"values": {"auth": {"existingSecret": "grafana-admin"}}})),
    passing("no-plain-secrets", a(RELEASE, {"values": {"imagePullSecrets": ["registry-login"]}})),
    passing("no-plain-secrets", a(RELEASE, {"values": {"password": SecretText("correct horse battery")}})),
    passing("no-plain-secrets", a(RELEASE, {"values": {"seed": RANDOM}}), ignored=["seed"]),
    passing(
        "no-plain-secrets",
        a(
            RELEASE,
            {
                "values": {
                    "caBundle": base64.b64encode(b"-----BEGIN CERTIFICATE-----\nMIIDqZ8x").decode() + RANDOM
                }
            },
        ),
    ),
    passing(
        "no-plain-secrets", a(CONFIG_MAP, config("spark-defaults.conf", "spark.hadoop.fs.s3a.endpoint x.y"))
    ),
    failing("no-plain-secrets", a(DEPLOYMENT, with_env("DB_PASSWORD", "hunter2hunter2")), says="DB_PASSWORD"),
    failing("no-plain-secrets", a(DEPLOYMENT, with_env("WHATEVER", RANDOM)), says="a random text"),
    passing(
        "no-plain-secrets", a(DEPLOYMENT, with_env("BUCKET", "acme-test-123456789012-us-east-1-event-logs"))
    ),
    failing("no-plain-secrets", a(DEPLOYMENT, with_env("WHO", ACCESS_KEY)), says="an access key of AWS"),
    failing("no-plain-secrets", a(DEPLOYMENT, pods(args=["--password=hunter2hunter2"])), says="main.args.0"),
    failing(
        "no-plain-secrets", a(DEPLOYMENT, pods(command=["sh", "-c", f"x {ACCESS_KEY}"])), says="main.command"
    ),
    failing(
        "no-plain-secrets",
        a(RELEASE, {"values": {"grafana": {"adminPassword": "hunter2hunter2"}}}),
        says="grafana.adminPassword",
    ),
    failing(
        "no-plain-secrets",
        a(RELEASE, {"values": {"url": "postgres://me:hunter22@db/x"}}),
        says="a password in an",
    ),
    failing(
        "no-plain-secrets",
        a(CONFIG_MAP, config("spark-defaults.conf", "spark.x 1\nspark.hadoop.fs.s3a.secret hunter2hunter2")),
        says="spark-defaults.conf",
    ),
    failing(
        "no-plain-secrets",
        a(CONFIG_MAP, config("spark-defaults.conf", f"spark.hadoop.fs.s3a.secret.key {SECRET_KEY}")),
        says="spark-defaults.conf",
    ),
    failing("no-plain-secrets", a(CONFIG_MAP, config("key.pem", "-----BEGIN RSA PRIVATE KEY-----\n..."))),
    failing("no-plain-secrets", a("aws:ssm/parameter:Parameter", {"value": ACCESS_KEY}), says="at value:"),
    failing(
        "no-plain-secrets",
        a("aws:lambda/function:Function", {"environment": {"variables": {"API_KEY": "hunter2hunter2"}}}),
        says="API_KEY",
    ),
    #
    passing("secrets-outside", a(SECRET, {"stringData": {"token": SecretText("hunter2hunter2")}})),
    passing("secrets-outside", a(SECRET, {"type": "kubernetes.io/service-account-token"})),
    failing("secrets-outside", a(SECRET, {"stringData": {"token": "hunter2hunter2"}}), says="token"),
    failing("secrets-outside", a(SECRET, {"data": {"token": "aHVudGVyMg=="}}), says="token"),
    #
    passing(
        "user-data-without-secrets", a(LAUNCH_TEMPLATE, user_data("apiVersion: node.eks.aws/v1alpha1\n"))
    ),
    passing("user-data-without-secrets", a(LAUNCH_TEMPLATE, {"updateDefaultVersion": True})),
    failing("user-data-without-secrets", a(LAUNCH_TEMPLATE, user_data(f"aws configure {ACCESS_KEY}"))),
    failing(
        "user-data-without-secrets", a(LAUNCH_TEMPLATE, user_data("export DB_PASSWORD=hunter2hunter2\n"))
    ),
    failing("user-data-without-secrets", a(INSTANCE, {"userData": f"#!/bin/sh\nx={ACCESS_KEY} ü"})),
    #
    passing("shuffle-replicated", workers("/mnt/k8s-disks/0/celeborn"), shuffle(replicate=True)),
    passing("shuffle-replicated", workers("/var/lib/celeborn"), shuffle(replicate=False)),
    failing(
        "shuffle-replicated",
        workers("/mnt/k8s-disks/0/celeborn"),
        shuffle(replicate=False),
        says="clusters.spark-a.shuffle.replicate",
    ),
    #
    *(
        case
        for type in DATABASES
        for case in (
            passing("database-password-managed", a(type, {"manageMasterUserPassword": True})),
            passing("database-password-managed", a(type, {"globalClusterIdentifier": "acme"})),
            failing("database-password-managed", a(type, {"engine": "postgres"}), says="of its own"),
            passing("database-deletion-protected", a(type, {"deletionProtection": True})),
            failing("database-deletion-protected", a(type, {"deletionProtection": False})),
            failing(
                "database-deletion-protected", a(type, {"engine": "postgres"}), says="deletionProtection"
            ),
            passing("database-backed-up", a(type, {"backupRetentionPeriod": 7})),
            passing("database-backed-up", a(type, {"backupRetentionPeriod": 1}), at_least_days=1),
            failing("database-backed-up", a(type, {"backupRetentionPeriod": 6}), says="6 days"),
        )
    ),
    # What RDS does where nothing is said: none for an instance, a day for a cluster.
    *(
        failing("database-backed-up", a(type, {"engine": "postgres"}), says=says)
        for type, says in zip(DATABASES, ("0 days", "1 days"), strict=True)
    ),
    *(
        failing(
            "database-password-managed",
            a(type, {name: SecretText("long-and-secret"), "manageMasterUserPassword": True}),
            says=name,
        )
        for type, names in zip(
            DATABASES, (("password", "passwordWo"), ("masterPassword", "masterPasswordWo")), strict=True
        )
        for name in names
    ),
]
