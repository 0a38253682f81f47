"""What identities of one environment can do with data of another, by evaluating all that is rendered."""

import itertools
import json
from collections.abc import Iterator
from dataclasses import dataclass
from fnmatch import fnmatchcase
from functools import cache
from typing import Any

import pytest
import yaml
from moto.iam.aws_managed_policies import aws_managed_policies_data

from aws_rules.iam.evaluation import Policy, Resource, Role, Service, allowed
from localcloud.cloud import REPOSITORY
from localcloud.project import project_calls
from moka import event_logs
from moka.log_keys import container_prefix
from stacks import program, settings, slices

OWN_RECORDS = "usage/v1/profiles/day=2026-01-01/cluster=%s/part-00000001.parquet"
OWN_STATE = "usage/v1/recorders/moka-one-%s/state.json.gz"
"""Keys of the recorder of a cluster."""

ROLE, ROLE_POLICY = "aws:iam/role:Role", "aws:iam/rolePolicy:RolePolicy"
ATTACHMENT = "aws:iam/rolePolicyAttachment:RolePolicyAttachment"
BUCKET, BUCKET_POLICY = "aws:s3/bucket:Bucket", "aws:s3/bucketPolicy:BucketPolicy"
KEY = "aws:kms/key:Key"

ACCOUNT, OTHER_ACCOUNT = "123456789012", "210987654321"
KEY_ELSEWHERE = "arn:aws:kms:eu-west-1:444455556666:key/0a1b2c3d-4e5f-6071-8293-a4b5c6d7e8f9"
ENVIRONMENTS = sorted(
    path.stem
    for path in settings.path_of("local").parent.glob("*.yaml")
    if not path.stem.startswith("Pulumi")
)
PAIRS = list(itertools.permutations(ENVIRONMENTS, 2))
PODS = Service(name="pods.eks.amazonaws.com")

WITH_ROLES_OR_DATA = frozenset(slices.LAYERS)

READ = {"s3:GetObject", "s3:ListBucket", "kms:Decrypt"}
WRITE = READ | {"s3:PutObject", "s3:DeleteObject", "s3:AbortMultipartUpload", "kms:GenerateDataKey"}
ON_OBJECTS = (
    "s3:AbortMultipartUpload",
    "s3:DeleteObject",
    "s3:DeleteObjectVersion",
    "s3:GetObject",
    "s3:GetObjectVersion",
    "s3:PutObject",
    "s3:PutObjectAcl",
)
ON_BUCKETS = (
    "s3:DeleteBucketPolicy",
    "s3:GetBucketPolicy",
    "s3:ListBucketMultipartUploads",
    "s3:ListBucketVersions",
    "s3:PutBucketPolicy",
    "s3:PutLifecycleConfiguration",
)
ON_KEYS = (
    "kms:CreateGrant",
    "kms:Decrypt",
    "kms:Encrypt",
    "kms:GenerateDataKey",
    "kms:PutKeyPolicy",
    "kms:ScheduleKeyDeletion",
)

NAMESPACES = ("jobs-a", "jobs-b", "jobs-c")
OWN_KEY = "jobs-c"
"""Whose staging and code are in buckets of its own, with a key of its own; the others share theirs."""

READ_FOLDER = {("folder", "s3:GetObject"), ("bucket", "s3:ListBucket")}
WRITTEN_FOLDER = READ_FOLDER | {
    ("folder", f"s3:{action}") for action in ("PutObject", "DeleteObject", "AbortMultipartUpload")
}
OWN: dict[str, set[tuple[str, str]]] = {
    "staging": WRITTEN_FOLDER | {("key", "kms:Decrypt"), ("key", "kms:GenerateDataKey")},
    "code": READ_FOLDER | {("key", "kms:Decrypt")},
    "lake": WRITTEN_FOLDER,
    "raw": READ_FOLDER,
}
"""What jobs do with data of their namespace: bucket -> kinds of keys, and actions."""

OF_ALL: dict[str, set[tuple[str, str]]] = {
    # A log is opened by its id, which is all that its keys have: docs/decisions/0030-event-logs.md.
    "event-logs": {
        *((kind, "s3:PutObject") for kind in ("events", "in progress", "complete", "hot", "open")),
        *((kind, "s3:DeleteObject") for kind in ("in progress", "open")),
        ("key", "kms:GenerateDataKey"),
    }
}
"""What jobs do with data of every namespace besides: the exceptions, all of them."""

SHARED_KEY: dict[str, set[tuple[str, str]]] = {
    data: {(kind, action) for kind, action in OWN[data] if kind == "key"} for data in ("staging", "code")
}
"""What follows where two namespaces have one key: S3 asks it for a bucket, whosever the object."""


@dataclass(frozen=True)
class World:
    """Identities and data of an environment."""

    settings: settings.Environment
    roles: dict[str, Role]
    takeable: dict[str, Resource]
    buckets: dict[str, Resource]
    keys: dict[str, Resource]

    def bucket(self, purpose: str) -> Resource:
        [match] = [bucket for name, bucket in self.buckets.items() if name.endswith(f"-{purpose}")]
        return match

    @property
    def key(self) -> Resource:
        [match] = self.keys.values()
        return match


@pytest.fixture(scope="module")
def world(deploy):
    """Render settings: their text -> what an environment of them has."""

    @cache
    def rendered(text: str, layers: frozenset[str] = WITH_ROLES_OR_DATA) -> World:
        environment = settings.parse(text, "a test")
        units = frozenset(unit for unit in slices.units(environment) if unit.layer in layers)
        recorder = deploy(lambda: program.deploy(environment, slices.Slice(environment.environment, units)))
        return _world(environment, recorder)

    return rendered


@pytest.fixture(scope="module")
def written(whole):
    """The environment of a settings file, whole even where its stacks are slices of it."""
    return cache(lambda name: _world(settings.load(name), whole(name)))


@pytest.fixture(scope="module")
def like_local(world):
    """The laptop's environment by another name, in a real account."""

    def of(environment: str, account: str = ACCOUNT, layers=WITH_ROLES_OR_DATA, **changes) -> World:
        text = local() | {"environment": environment, **changes}
        text["foundations"]["main"]["account"] = account
        text["foundations"]["main"]["deployer"] = f"arn:aws:iam::{account}:role/deployer"
        return world(yaml.safe_dump(text), layers)

    return of


@pytest.fixture(scope="module")
def data_of(like_local):
    """Only the data of such an environment."""

    def of(environment: str, **changes) -> World:
        return like_local(environment, layers=frozenset({"foundation"}), **changes)

    return of


@pytest.fixture(scope="module")
def environment(like_local):
    """Such an environment, with two namespaces for jobs."""
    return like_local("one", job_namespaces={"jobs-a": {}, "jobs-b": {}})


@pytest.fixture(scope="module")
def namespaces(like_local):
    """Such an environment, with three namespaces for jobs, one of which has a key of its own.

    Each uses a folder of one bucket, and a bucket of its own.
    """
    uses = {
        f"{data}-{name}": {"bucket": bucket, "prefixes": [f"{name}/"]}
        for name in NAMESPACES
        for data, bucket in (("lake", "acme-lake"), ("raw", f"raw-{name}"))
    }
    spaces = {
        name: {"own_key": name == OWN_KEY, "uses": {f"lake-{name}": "write", f"raw-{name}": "read"}}
        for name in NAMESPACES
    }
    return like_local("one", uses=uses, job_namespaces=spaces)


@pytest.mark.parametrize(("by", "whose"), PAIRS)
def test_nobody_reaches_data_of_another_environment_that_does_not_grant_it(written, by, whose):
    caller, owner = written(by), written(whose)

    assert reached(caller, owner) <= granted(caller, owner)


@pytest.mark.parametrize(("by", "whose"), PAIRS)
def test_nobody_takes_a_role_of_another_environment(written, by, whose):
    caller, owner = written(by), written(whose)

    for role, taken in itertools.product(caller.roles.values(), owner.takeable.values()):
        assert not allowed(role, "sts:AssumeRole", taken)
        if role.tags:
            tags = {f"aws:RequestTag/{key}": value for key, value in role.tags.items()}
            assert not allowed(PODS, "sts:AssumeRole", taken, tags)


@pytest.mark.parametrize("name", ENVIRONMENTS)
def test_every_role_is_under_the_path_that_tells_its_environment(written, name):
    environment = written(name)

    assert environment.roles
    assert {role.arn.partition(":role")[2].rpartition("/")[0] for role in environment.roles.values()} == {
        f"/{environment.settings.prefix}"
    }


@pytest.mark.parametrize("account", [ACCOUNT, OTHER_ACCOUNT])
def test_to_use_data_without_being_granted_it_is_in_vain(like_local, data_of, account):
    owner = data_of("one")
    caller = like_local("two", account, **uses(owner, "event-logs", "write"))

    assert reached(caller, owner) == set()


def test_data_is_not_reached_by_those_who_are_granted_it_and_do_not_use_it(like_local, data_of):
    owner = data_of("one", grants=grants("two", ACCOUNT, "event-logs", "write"))

    assert reached(like_local("two"), owner) == set()


@pytest.mark.parametrize("account", [ACCOUNT, OTHER_ACCOUNT])
@pytest.mark.parametrize(
    ("access_granted", "access_used", "expected"),
    [("read", "read", READ), ("read", "write", READ), ("write", "read", READ), ("write", "write", WRITE)],
)
def test_data_that_is_granted_and_used_is_reached_by_jobs_as_far_as_both_say(
    like_local, data_of, account, access_granted, access_used, expected
):
    owner = data_of("one", grants=grants("two", account, "event-logs", access_granted))
    caller = like_local("two", account, **uses(data_of("one"), "event-logs", access_used))

    can = reached(caller, owner)
    assert {(role, action) for role, action, _ in can} == {
        ("spark-a-spark-jobs", action) for action in expected
    }
    assert {arn for _, _, arn in can} == {owner.bucket("event-logs").arn, owner.key.arn}


def test_a_grant_is_for_the_environment_that_it_names(like_local, data_of):
    owner = data_of("one", grants=grants("two", ACCOUNT, "event-logs", "write"))
    third = like_local("three", **uses(data_of("one"), "event-logs", "write"))

    assert reached(third, owner) == set()


def test_a_grant_is_for_the_account_that_it_names(like_local, data_of):
    owner = data_of("one", grants=grants("two", OTHER_ACCOUNT, "event-logs", "write"))
    here = like_local("two", **uses(data_of("one"), "event-logs", "write"))

    assert reached(here, owner) == set()


def test_jobs_add_event_logs_to_their_environment_and_the_history_server_reads_them(environment):
    logs, key, roles = environment.bucket("event-logs"), environment.key, environment.roles
    jobs, history = roles["spark-a-jobs-a"], roles["spark-a-history"]

    log = f"spark-{'0a' * 16}"
    events = event_logs.archive_key(log, event_logs.events_file(log, 1))
    running = event_logs.archive_key(log, event_logs.status_file(log, in_progress=True))
    complete = event_logs.archive_key(log, event_logs.status_file(log, in_progress=False))
    hot, marker = event_logs.hot_key(log), event_logs.open_key(log)
    for put in (events, running, complete, hot, marker):
        assert may(jobs, "s3:PutObject", logs, key, put)
        assert not may(jobs, "s3:GetObject", logs, key, put)
    for deleted in (running, marker):
        assert may(jobs, "s3:DeleteObject", logs, key, deleted)
    for kept in (events, complete, hot, event_logs.link_key("spark-a", "jobs-a", "daily")):
        assert not may(jobs, "s3:DeleteObject", logs, key, kept)
    assert not may(jobs, "s3:PutObject", logs, key, event_logs.link_key("spark-a", "jobs-a", "daily"))
    assert may(history, "s3:GetObject", logs, key)
    assert not may(history, "s3:PutObject", logs, key)


def test_the_gate_joins_event_logs_and_changes_none_that_a_driver_has_written(environment):
    logs, key, gate = (
        environment.bucket("event-logs"),
        environment.key,
        environment.roles["spark-a-history-gate"],
    )

    log = f"spark-{'0a' * 16}"
    events = event_logs.archive_key(log, event_logs.events_file(log, 1))
    hot, marker = event_logs.hot_key(log), event_logs.open_key(log)
    for read in (events, hot, marker):
        assert may(gate, "s3:GetObject", logs, key, read)
    for put in (hot, event_logs.HOT):
        assert may(gate, "s3:PutObject", logs, key, put)
    assert may(gate, "s3:DeleteObject", logs, key, marker)
    for kept in (events, hot):
        assert not may(gate, "s3:DeleteObject", logs, key, kept)
    for others in (events, marker):
        assert not may(gate, "s3:PutObject", logs, key, others)


@pytest.mark.parametrize(("by", "whose"), list(itertools.product(NAMESPACES, repeat=2)))
def test_jobs_reach_what_is_their_namespaces_and_of_others_the_exceptions_only(namespaces, by, whose):
    """Of every bucket that there is or is used, every kind of keys in it, and the key that encrypts it."""
    expected = [OF_ALL]
    if by == whose:
        expected.append(OWN)
    elif OWN_KEY not in (by, whose):
        expected.append(SHARED_KEY)

    assert reached_of_namespace(namespaces, by, whose) == {
        (data, *what) for table in expected for data, rows in table.items() for what in rows
    }


@pytest.mark.parametrize("namespace", ["jobs-a", "jobs-c"])
def test_jobs_may_do_all_that_the_laptop_asks_for_them(namespaces, namespace):
    """The calls in `localcloud.yaml`: an association is refused on the laptop whose role lacks one."""
    jobs = namespaces.roles[f"spark-a-{namespace}"]
    own = {"account": ACCOUNT, "region": "us-east-1", "namespace": namespace}

    denied = [
        (action, call.resource)
        for call in project_calls(REPOSITORY)["*/spark"]
        for action in call.actions
        if not any(
            allowed(jobs, action, thing, {"s3:prefix": call.prefix.format(**own)})
            for thing in fitting(namespaces, call.resource.format(**own))
        )
    ]

    assert denied == []


def test_a_namespace_with_a_key_of_its_own_uses_it_and_nobody_else_does(namespaces):
    staging = namespaces.bucket("staging-jobs-c")
    own, shared = namespaces.keys["main-jobs-c"], namespaces.keys["main"]

    for action in ("kms:Decrypt", "kms:GenerateDataKey"):
        users = {
            name
            for name, role in namespaces.roles.items()
            if allowed(role, action, own, through_s3(own, staging))
        }
        assert users == {"spark-a-jobs-c"}
    jobs = namespaces.roles["spark-a-jobs-c"]
    assert not any(
        allowed(jobs, "kms:Decrypt", shared, through_s3(shared, bucket))
        for bucket in namespaces.buckets.values()
    )


def test_jobs_reach_buckets_and_folders_as_their_namespace_says(like_local):
    environment = like_local(
        "one",
        uses={
            "lake": {"bucket": "acme-lake", "prefixes": ["orders/", "users/eu/"]},
            "raw": {"bucket": "raw"},
        },
        job_namespaces={
            "jobs-a": {"uses": {"lake": "read"}},
            "jobs-b": {"uses": {"lake": "write", "raw": "read"}},
            "jobs-c": {},
        },
    )
    lake, raw = (Resource(arn=f"arn:aws:s3:::{name}", account=ACCOUNT) for name in ("acme-lake", "raw"))

    def can(namespace: str) -> set[tuple[str, str]]:
        role = environment.roles[f"spark-a-{namespace}"]
        return {
            (f"{bucket.arn.rpartition(':')[2]}/{key}", action)
            for bucket in (lake, raw)
            for key in ("orders/x", "users/eu/x", "users/us/x", "orders-archive/x", "x")
            for action in ("s3:GetObject", "s3:PutObject", "s3:DeleteObject")
            if allowed(role, action, inside(bucket, key))
        }

    folders = ("acme-lake/orders/x", "acme-lake/users/eu/x")
    everything = (
        "raw/orders/x", "raw/users/eu/x", "raw/users/us/x", "raw/orders-archive/x", "raw/x",
    )  # fmt: skip
    assert can("jobs-a") == {(key, "s3:GetObject") for key in folders}
    assert can("jobs-b") == {
        *((key, action) for key in folders for action in ("s3:GetObject", "s3:PutObject", "s3:DeleteObject")),
        *((key, "s3:GetObject") for key in everything),
    }
    assert can("jobs-c") == set()
    reader = environment.roles["spark-a-jobs-a"]
    assert allowed(reader, "s3:ListBucket", lake, {"s3:prefix": "users/eu/2026/"})
    assert not allowed(reader, "s3:ListBucket", lake, {"s3:prefix": "users/"})
    assert not allowed(reader, "s3:ListBucket", lake)


def test_a_folder_that_jobs_use_is_opened_by_s3a_which_asks_for_its_key_without_the_slash(like_local):
    uses = {"lake": {"bucket": "acme-lake", "prefixes": ["users/eu/"]}}
    environment = like_local("one", uses=uses, job_namespaces={"jobs-a": {"uses": {"lake": "write"}}})
    role = environment.roles["spark-a-jobs-a"]
    lake = Resource(arn="arn:aws:s3:::acme-lake", account=ACCOUNT)

    # Both, or S3 says 403 of a key that is not there: and S3A gives up at that.
    assert allowed(role, "s3:GetObject", inside(lake, "users/eu"))
    assert allowed(role, "s3:ListBucket", lake, {"s3:prefix": "users/eu"})
    assert not allowed(role, "s3:PutObject", inside(lake, "users/eu"))
    for key in ("users", "users/eu-archive/x"):
        assert not allowed(role, "s3:GetObject", inside(lake, key))
        assert not allowed(role, "s3:ListBucket", lake, {"s3:prefix": key})


@pytest.mark.parametrize(("buckets", "databases", "folders"), [(8, 0, 0), (5, 10, 0), (3, 0, 4)])
def test_as_much_as_a_namespace_may_use_fits_into_one_policy(like_local, buckets, databases, folders):
    prefixes = [f"{'f' * 40}{number}/" for number in range(folders)]
    uses = {
        f"use-{number}-{'n' * 24}": {
            "bucket": "b" * 60 + f"{number:03}",
            "key": KEY_ELSEWHERE,
            "prefixes": prefixes,
        }
        for number in range(buckets)
    }
    space: dict[str, Any] = {"uses": dict.fromkeys(uses, "write")}
    metastores = {}
    if databases:
        names = ["d" * 48 + f"{number:02}" for number in range(databases)]
        glue = {"databases": names, "access": "write", "region": "ap-southeast-1"}
        metastores["lake"] = {"glue": glue, "warehouse": f"s3a://{uses[next(iter(uses))]['bucket']}/tables/"}
        space["metastore"] = "lake"

    environment = like_local("one", uses=uses, metastores=metastores, job_namespaces={"n" * 30: space})

    [policy] = environment.roles[f"spark-a-{'n' * 30}"].policies
    assert 9_000 < len(json.dumps(policy, separators=(",", ":"))) <= 10_240


def test_logs_are_added_under_the_cluster_that_they_are_of_and_only_archer_reads_those_of_jobs(environment):
    readers = {"job-logs": {"spark-a-archer"}, "system-logs": set()}
    fluent_bit = environment.roles["spark-a-fluent-bit"]

    for purpose in ("job-logs", "system-logs"):
        assert may(
            fluent_bit, "s3:PutObject", environment.bucket(purpose), environment.key, "moka-one-spark-a/x"
        )
        assert not may(
            fluent_bit, "s3:PutObject", environment.bucket(purpose), environment.key, "moka-one-spark-b/x"
        )
        assert {
            name
            for name, role in environment.roles.items()
            if allowed(role, "s3:GetObject", inside(environment.bucket(purpose), "moka-one-spark-a/x"))
        } == readers[purpose]


def test_summaries_of_applications_are_added_at_home_under_the_cluster_that_they_are_of(environment):
    role, usage = environment.roles["spark-a-fluent-bit"], environment.bucket("resource-usage")

    assert may(role, "s3:PutObject", usage, environment.key, "moka-one-spark-a/yunikorn/x")
    assert not may(role, "s3:PutObject", usage, environment.key, "moka-one-spark-a/x")
    assert not may(role, "s3:PutObject", usage, environment.key, "moka-one-spark-b/yunikorn/x")
    assert not allowed(role, "s3:GetObject", inside(usage, "moka-one-spark-a/yunikorn/x"))


def test_what_was_used_is_recorded_by_the_recorder_of_the_cluster_that_used_it(environment):
    role, usage = environment.roles["spark-a-usage-recorder"], environment.bucket("resource-usage")

    for action in ("s3:GetObject", "s3:PutObject", "s3:DeleteObject"):
        assert may(role, action, usage, environment.key, OWN_RECORDS % ("spark-a",))
        assert may(role, action, usage, environment.key, OWN_STATE % ("spark-a",))
        assert not may(role, action, usage, environment.key, OWN_RECORDS % ("spark-b",))
        assert not may(role, action, usage, environment.key, OWN_STATE % ("spark-b",))
        assert not may(role, action, usage, environment.key, "archer/history/v1/jobs/x")
    assert may(role, "s3:GetObject", usage, environment.key, "moka-one-spark-a/yunikorn/x")
    assert not allowed(role, "s3:PutObject", inside(usage, "moka-one-spark-a/yunikorn/x"))


def test_the_allocator_reads_the_records_of_every_cluster_and_writes_nothing(environment):
    role, usage = environment.roles["spark-a-allocator"], environment.bucket("resource-usage")

    for cluster in ("spark-a", "spark-b"):
        assert may(role, "s3:GetObject", usage, environment.key, OWN_RECORDS % (cluster,))
        for action in ("s3:PutObject", "s3:DeleteObject"):
            assert not allowed(role, action, inside(usage, OWN_RECORDS % (cluster,)))
    assert not allowed(role, "s3:GetObject", inside(usage, "archer/history/v1/jobs/x"))
    assert not allowed(role, "s3:GetObject", inside(usage, "moka-one-spark-a/yunikorn/x"))


@pytest.fixture
def in_two_accounts(like_local):
    """With cluster `spark-b` in another account."""
    text = local()
    main = text["foundations"]["main"]
    deployer = f"arn:aws:iam::{OTHER_ACCOUNT}:role/deployer"
    far = main | {"account": OTHER_ACCOUNT, "deployer": deployer, "assume": True}
    cluster = text["clusters"]["spark-a"]
    return like_local(
        "one",
        foundations={"main": main, "far": far | {"network": main["network"] | {"cidr": "10.1.0.0/16"}}},
        clusters={"spark-a": cluster, "spark-b": cluster | {"foundation": "far"}},
        # Its workers would need a way between the two networks.
        archer=None,
        services=text["services"] | {"archer": None, "allocator": None},
    )


def test_the_recorder_of_a_cluster_in_another_account_records_at_home(in_two_accounts):
    role, usage = in_two_accounts.roles["spark-b-usage-recorder"], in_two_accounts.bucket("resource-usage")
    [home] = [key for key in in_two_accounts.keys.values() if key.account == ACCOUNT]
    assert (role.account, usage.account) == (OTHER_ACCOUNT, ACCOUNT)

    for action in ("s3:GetObject", "s3:PutObject", "s3:DeleteObject"):
        assert may(role, action, usage, home, OWN_RECORDS % ("spark-b",))
        assert may(role, action, usage, home, OWN_STATE % ("spark-b",))
        assert not may(role, action, usage, home, OWN_RECORDS % ("spark-a",))
        assert not may(role, action, usage, home, OWN_STATE % ("spark-a",))


def test_clusters_in_other_accounts_add_event_logs_at_home_and_can_do_nothing_else_there(in_two_accounts):
    environment, main = in_two_accounts, local()["foundations"]["main"]
    jobs = environment.roles["spark-b-spark-jobs"]
    assert jobs.account == OTHER_ACCOUNT

    at_home = {
        name: bucket
        for name, bucket in environment.buckets.items()
        if bucket.account == ACCOUNT and "access" not in name
    }
    [home] = [key for key in environment.keys.values() if key.account == ACCOUNT]
    can = {
        (name.rpartition(f"{main['region']}-")[2], action)
        for name, bucket in at_home.items()
        for action in ON_OBJECTS
        if may(jobs, action, bucket, home, event_logs.archive_key("spark-0a", "events_1_spark-0a.zstd"))
    }
    assert can == {("event-logs", "s3:PutObject")}


def test_the_autoscaler_resizes_the_groups_of_its_cluster_alone(environment):
    role = environment.roles["spark-a-autoscaler"]
    group = Resource(
        arn=f"arn:aws:autoscaling:us-east-1:{ACCOUNT}:autoScalingGroup:1:autoScalingGroupName/g",
        account=ACCOUNT,
    )

    for action in ("autoscaling:SetDesiredCapacity", "autoscaling:TerminateInstanceInAutoScalingGroup"):
        assert allowed(role, action, group, tag("k8s.io/cluster-autoscaler/moka-one-spark-a", "owned"))
        assert not allowed(role, action, group, tag("k8s.io/cluster-autoscaler/moka-two-spark-a", "owned"))
        assert not allowed(role, action, group)


def test_load_balancers_are_made_and_changed_for_their_cluster_alone(environment):
    role, owner = environment.roles["spark-a-load-balancing"], "elbv2.k8s.aws/cluster"
    balancer = Resource(
        arn=f"arn:aws:elasticloadbalancing:us-east-1:{ACCOUNT}:loadbalancer/net/a/1", account=ACCOUNT
    )
    own_cluster, other_cluster = "moka-one-spark-a", "moka-two-spark-a"

    create, delete = "elasticloadbalancing:CreateLoadBalancer", "elasticloadbalancing:DeleteLoadBalancer"
    assert allowed(role, create, balancer, request_tag(owner, own_cluster))
    assert not allowed(role, create, balancer, request_tag(owner, other_cluster))
    assert not allowed(role, create, balancer)
    assert allowed(role, delete, balancer, tag(owner, own_cluster))
    assert not allowed(role, delete, balancer, tag(owner, other_cluster))
    assert not allowed(role, delete, balancer)


def test_load_balancers_are_let_through_to_pods_of_their_cluster_alone(environment):
    role, rules = environment.roles["spark-a-load-balancing"], "ec2:AuthorizeSecurityGroupIngress"
    group = Resource(arn=f"arn:aws:ec2:us-east-1:{ACCOUNT}:security-group/sg-1", account=ACCOUNT)

    assert allowed(role, rules, group, tag("kubernetes.io/cluster/moka-one-spark-a", "owned"))
    assert not allowed(role, rules, group, tag("kubernetes.io/cluster/moka-two-spark-a", "owned"))
    assert not allowed(role, rules, group)


@pytest.mark.parametrize("tagging", ["ec2:CreateTags", "elasticloadbalancing:AddTags"])
def test_nothing_becomes_a_clusters_own_by_being_tagged_so(environment, tagging):
    role, owner = environment.roles["spark-a-load-balancing"], "elbv2.k8s.aws/cluster"
    arns = [
        f"arn:aws:ec2:us-east-1:{ACCOUNT}:security-group/sg-1",
        f"arn:aws:elasticloadbalancing:us-east-1:{ACCOUNT}:loadbalancer/net/a/1",
    ]

    for arn in arns:
        unowned = Resource(arn=arn, account=ACCOUNT)
        claim = request_tag(owner, "moka-one-spark-a")
        assert not allowed(role, tagging, unowned, claim | tag(owner, "moka-two-spark-a"))
        assert not allowed(role, tagging, unowned, claim)


def local() -> dict[str, Any]:
    """What the settings of the laptop say, in one architecture."""
    text = yaml.safe_load(settings.path_of("local").read_text())
    for cluster in text["clusters"].values():
        cluster["node_groups"] = {
            name: group for name, group in cluster["node_groups"].items() if group["architecture"] == "arm64"
        }
    return text


def tag(key: str, value: str) -> dict[str, str]:
    return {f"aws:ResourceTag/{key}": value}


def request_tag(key: str, value: str) -> dict[str, str]:
    return {f"aws:RequestTag/{key}": value}


def uses(owner: World, purpose: str, access: str) -> dict[str, dict[str, Any]]:
    """Settings with which jobs use data of another environment."""
    name = owner.bucket(purpose).arn.rpartition(":")[2]
    return {
        "uses": {"theirs": {"bucket": name, "key": owner.key.arn}},
        "job_namespaces": {"spark-jobs": {"uses": {"theirs": access}}},
    }


def grants(environment: str, account: str, purpose: str, access: str) -> dict[str, dict[str, object]]:
    """Setting `grants` for another environment."""
    return {"them": {"environment": environment, "account": account, "data": [purpose], "access": access}}


def may(role: Role, action: str, bucket: Resource, key: Resource, name: str = "x") -> bool:
    """Whether a role may do this with an object, as far as the key of its bucket is concerned too."""
    needed = {"s3:GetObject": ["kms:Decrypt"], "s3:PutObject": ["kms:GenerateDataKey"]}.get(action, [])
    return allowed(role, action, inside(bucket, name)) and all(
        allowed(role, key_action, key, through_s3(key, bucket)) for key_action in needed
    )


def reached_of_namespace(world: World, by: str, whose: str) -> set[tuple[str, str, str]]:
    """What of a namespace's data jobs of another reach: bucket, kind of key, action."""
    role = world.roles[f"spark-a-{by}"]
    return {
        (data, kind, action)
        for data, bucket, key in kept(world, whose)
        for kind, action, resource, context in asked(bucket, key, whose)
        if allowed(role, action, resource, context)
    }


def kept(world: World, namespace: str) -> Iterator[tuple[str, Resource, Resource | None]]:
    """Where data of a namespace is, or is beside that of others: what it is, bucket and its key."""
    own_key = namespace == OWN_KEY
    for name, bucket in world.buckets.items():
        data = name.removeprefix(f"moka-one-{ACCOUNT}-us-east-1-")
        if data.endswith(f"-{OWN_KEY}"):
            if own_key:
                yield data.removesuffix(f"-{OWN_KEY}"), bucket, world.keys[f"main-{OWN_KEY}"]
        elif not (own_key and data in SHARED_KEY):
            yield data, bucket, world.keys["main"]
    for data, name in (("lake", "acme-lake"), ("raw", f"raw-{namespace}")):
        yield data, Resource(arn=f"arn:aws:s3:::{name}", account=ACCOUNT), None


def asked(
    bucket: Resource, key: Resource | None, namespace: str
) -> Iterator[tuple[str, str, Resource, dict[str, str]]]:
    """Requests for data of a namespace: kind of key, action, what it is about, and what the request says."""
    log = f"spark-{NAMESPACES.index(namespace):032x}"
    kinds = {
        "folder": f"{namespace}/x",
        "of nobody": "x",
        "events": event_logs.archive_key(log, event_logs.events_file(log, 1)),
        "in progress": event_logs.archive_key(log, event_logs.status_file(log, in_progress=True)),
        "complete": event_logs.archive_key(log, event_logs.status_file(log, in_progress=False)),
        "hot": event_logs.hot_key(log),
        "open": event_logs.open_key(log),
        "link": event_logs.link_key("spark-a", namespace, "daily"),
        "log of pods": f"{container_prefix('moka-one-spark-a', namespace, log, 'driver')}x",
        "records": OWN_RECORDS % ("spark-a",),
        "state": OWN_STATE % ("spark-a",),
    }
    for (kind, name), action in itertools.product(kinds.items(), ON_OBJECTS):
        yield kind, action, inside(bucket, name), {}
    for action in ON_BUCKETS:
        yield "bucket", action, bucket, {}
    yield "bucket", "s3:ListBucket", bucket, {"s3:prefix": f"{namespace}/"}
    contexts = [{}, through_s3(key, bucket)] if key else []
    for action, context in itertools.product(ON_KEYS, contexts):
        assert key
        yield "key", action, key, {**context, "kms:GrantIsForAWSResource": "true"}


def fitting(world: World, pattern: str) -> Iterator[Resource]:
    """The buckets, or objects in them, that a pattern of `localcloud.yaml` is for."""
    name, _, key = pattern.partition("/")
    for bucket_name, bucket in world.buckets.items():
        if fnmatchcase(bucket_name, name):
            yield inside(bucket, key) if key else bucket


def inside(bucket: Resource, name: str) -> Resource:
    """An object of a bucket."""
    return Resource(arn=f"{bucket.arn}/{name}", account=bucket.account, policy=bucket.policy)


def through_s3(key: Resource, bucket: Resource) -> dict[str, str]:
    """What a request to a key says when S3 makes it for an object of this bucket."""
    region = key.arn.split(":")[3]
    return {
        "kms:ViaService": f"s3.{region}.amazonaws.com",
        "kms:EncryptionContext:aws:s3:arn": bucket.arn,
    }


def reached(caller: World, owner: World) -> set[tuple[str, str, str]]:
    """What of the owner's data any identity of the caller reaches: role, action, bucket or key."""
    return {
        (name, action, whole.arn)
        for name, role in caller.roles.items()
        for action, resource, whole, context in attempts(role, owner)
        if allowed(role, action, resource, context)
    }


def attempts(role: Role, owner: World) -> Iterator[tuple[str, Resource, Resource, dict[str, str]]]:
    """Requests for data: action, what it is about, the bucket or key of it, and what the request says."""
    names = ["x", *sorted({f"{value}/x" for value in role.tags.values()})]
    for bucket in owner.buckets.values():
        for action, name in itertools.product(ON_OBJECTS, names):
            yield action, inside(bucket, name), bucket, {}
        for action in ON_BUCKETS:
            yield action, bucket, bucket, {}
        for context in [{}, *({"s3:prefix": name} for name in names)]:
            yield "s3:ListBucket", bucket, bucket, context
    for key in owner.keys.values():
        contexts = [{}, *(through_s3(key, bucket) for bucket in owner.buckets.values())]
        for action, context in itertools.product(ON_KEYS, contexts):
            yield action, key, key, {**context, "kms:GrantIsForAWSResource": "true"}


def granted(caller: World, owner: World) -> set[tuple[str, str, str]]:
    """What the owner's settings grant by name to the caller."""
    allowed_to: set[tuple[str, str, str]] = set()
    for grant in owner.settings.grants.values():
        if grant.environment != caller.settings.environment:
            continue
        actions = READ if grant.access == "read" else WRITE
        data = [bucket for name, bucket in owner.buckets.items() if name.endswith(tuple(grant.data))]
        allowed_to |= {
            (name, action, resource.arn)
            for name, role in caller.roles.items()
            if role.account == grant.account
            for action, resource in itertools.product(actions, [*data, *owner.keys.values()])
        }
    return allowed_to


def _world(environment: settings.Environment, recorder) -> World:
    policies: dict[str, list[Policy]] = {}
    for policy in recorder.inputs(ROLE_POLICY):
        policies.setdefault(policy["role"], []).append(json.loads(policy["policy"]))
    for attachment in recorder.inputs(ATTACHMENT):
        policies.setdefault(attachment["role"], []).append(_managed_policy(attachment["policyArn"]))
    roles, buckets, keys = (
        [r for r in recorder.resources if r.type == type_] for type_ in (ROLE, BUCKET, KEY)
    )
    assert len({role.name for role in roles}) == len(roles)
    assert set(policies) <= {role.name for role in roles}
    trusts = {role.name: json.loads(role.inputs["assumeRolePolicy"]) for role in roles}
    of_buckets = {policy["bucket"]: json.loads(policy["policy"]) for policy in recorder.inputs(BUCKET_POLICY)}
    return World(
        settings=environment,
        roles={
            role.name: Role(
                arn=role.outputs["arn"],
                policies=tuple(policies.get(role.name, [])),
                tags=_session_tags(trusts[role.name]),
            )
            for role in roles
        },
        takeable={role.name: _resource(role, trusts[role.name]) for role in roles},
        buckets={
            bucket.inputs["bucket"]: _resource(bucket, of_buckets[f"{bucket.name}-id"]) for bucket in buckets
        },
        keys={key.name: _resource(key, json.loads(key.inputs["policy"])) for key in keys},
    )


def _resource(resource, policy: Policy) -> Resource:
    return Resource(arn=resource.outputs["arn"], account=resource.place.account, policy=policy)


def _session_tags(trust: Policy) -> dict[str, str]:
    """The tags that EKS puts into a session of a role for pods, and no others can have."""
    conditions = trust["Statement"][0].get("Condition", {}).get("StringEquals", {})
    return {
        key.removeprefix("aws:RequestTag/"): value
        for key, value in conditions.items()
        if key.startswith("aws:RequestTag/")
    }


@cache
def _managed_policies() -> dict[str, dict]:
    return json.loads(aws_managed_policies_data)


def _managed_policy(arn: str) -> Policy:
    """A policy of AWS's own, as moto has it."""
    return _managed_policies()[arn.rpartition("/")[2]]["Document"]
