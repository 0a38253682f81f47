"""What holds data: protected, kept, and nobody else's."""

import re
from collections.abc import Iterator, Sequence, Set
from fnmatch import fnmatchcase

from policies.identity import RIGHTS
from policies.pack.corrections import without
from policies.pack.documents import Statement, granted, statements
from policies.pack.objects import is_named, pod_spec, where
from policies.pack.resource import UNKNOWN, Resource, at, sequence, text
from policies.pack.rule import Parameters, StackViolations, Subject, Violations
from policies.pack.types import (
    BUCKET,
    BUCKET_LIFECYCLE,
    BUCKET_POLICY,
    BUCKET_VERSIONING,
    DATABASES,
    KEY,
    REPOSITORY,
    STACK,
    STATEFUL_SET,
)

DATA = Subject("data", "What holds data: protected, kept, and nobody else's")

HOLD_DATA = (BUCKET, KEY, REPOSITORY, *DATABASES)


@DATA.rule(
    "data-protected",
    *HOLD_DATA,
    severity="critical",
    why="A change that replaces or deletes one is an update like any other, until its data is gone.",
    references=("https://www.pulumi.com/docs/iac/concepts/resources/options/protect/",),
    but=[],
)
def data_protected(resource: Resource, parameters: Parameters) -> Violations:
    """What holds data is protected from being deleted."""
    if not resource.protected and not _is_listed(resource.name, parameters["but"]):
        yield (
            f"{resource.kind} {resource.name} holds data and can be deleted: protect it (`protection: true`)."
        )


@DATA.rule(
    "no-forced-deletion",
    BUCKET,
    REPOSITORY,
    severity="critical",
    why="With it, a bucket or repository is deleted with all that is in it; without, AWS refuses.",
    references=("https://docs.aws.amazon.com/AmazonS3/latest/userguide/delete-bucket.html",),
    correction=without("forceDestroy", "forceDelete"),
)
def no_forced_deletion(resource: Resource, _: Parameters) -> Violations:
    """Nothing is deleted with data in it."""
    field = "forceDestroy" if resource.type == BUCKET else "forceDelete"
    if resource.get(field) is True:
        yield f"{resource.kind} {resource.name} is deleted with all that is in it: set {field} to false."


@DATA.rule(
    "key-deletion-window",
    KEY,
    severity="high",
    why="What a deleted key encrypted is lost for good; these days are the time to notice.",
    references=("https://docs.aws.amazon.com/kms/latest/developerguide/deleting-keys.html",),
    at_least_days=30,
)
def key_deletion_window(key: Resource, parameters: Parameters) -> Violations:
    """The deletion of a key takes long enough to notice."""
    days = key.get("deletionWindowInDays", 30)
    if isinstance(days, int | float) and days < parameters["at_least_days"]:
        least = parameters["at_least_days"]
        yield f"Key {key.name} is gone {days} days after its deletion: set deletionWindowInDays to {least}."


@DATA.rule(
    "bucket-versioned",
    BUCKET_VERSIONING,
    severity="medium",
    why="An object that is overwritten or deleted by mistake is gone otherwise.",
    references=("https://docs.aws.amazon.com/AmazonS3/latest/userguide/Versioning.html",),
)
def bucket_versioned(versioning: Resource, _: Parameters) -> Violations:
    """A bucket that keeps versions goes on doing so."""
    if versioning.get("versioningConfiguration.status", "Enabled") != "Enabled":
        yield f"The bucket of {versioning.name} stops keeping versions: set its status to Enabled."


@DATA.rule(
    "log-objects-kept",
    BUCKET_LIFECYCLE,
    severity="medium",
    why="A job's failure is looked into weeks later, an incident after months.",
    references=("docs/settings.md",),
    buckets=["*-job-logs", "*-system-logs", "*-event-logs"],
    copies=[],
    at_least_days=30,
)
def log_objects_kept(lifecycle: Resource, parameters: Parameters) -> Violations:
    """Logs in buckets are kept for as long as they are needed."""
    if not _is_listed(lifecycle.name, parameters["buckets"]):
        return
    least = parameters["at_least_days"]
    for rule in sequence(lifecycle.get("rules")):
        days, is_on = at(rule, "expiration.days"), at(rule, "status", "Enabled") == "Enabled"
        prefix = at(rule, "filter.prefix")
        if prefix is UNKNOWN or prefix in parameters["copies"]:
            continue
        if is_on and isinstance(days, int | float) and days < least:
            yield (
                f"The bucket of {lifecycle.name} deletes logs after {days} days: keep them for {least} at "
                "the least."
            )


@DATA.rule(
    "bucket-of-this-environment",
    *RIGHTS,
    severity="high",
    why="What runs here could read or change another environment's data.",
    references=("docs/decisions/0007-identity-and-isolation.md",),
    environments=["test", "dev", "staging", "prod"],
    granted=[],
)
def bucket_of_this_environment(policy: Resource, parameters: Parameters) -> Violations:
    """Identities reach buckets of other environments as is granted only: `<bucket>`, `<bucket>:write`."""
    own = _environment(policy.urn)
    other_environments = set(parameters["environments"]) - {own}
    for statement in granted(policy):
        actions = [action.lower() for action in statement.actions if action.lower().startswith("s3:")]
        granted_as = ":write" if not all(action.startswith(READS) for action in actions) else ""
        for name in _buckets(statement) if statement.allows and actions and own else ():
            whose = _whose(name, own, other_environments)
            if whose and not _is_listed(f"{name}{granted_as}", parameters["granted"]):
                verb = "writes to" if granted_as else "reaches"
                yield (
                    f"Statement {statement.name} of {where(policy)} {verb} {name}, which is of {whose}: "
                    "grant it in policies/configuration.yaml, or leave it out."
                )


READS = ("s3:get", "s3:list", "s3:head")


def _environment(urn: str) -> str:
    """Environment of a URN's stack, `urn:pulumi:<stack>::...`."""
    return urn.removeprefix("urn:pulumi:").partition("::")[0].partition(".")[0]


def _buckets(statement: Statement) -> Iterator[str]:
    for arn in statement.resources:
        if ":s3:::" in arn:
            yield arn.partition(":s3:::")[2].partition("/")[0]


def _whose(bucket: str, own: str, other_environments: Set[str]) -> str:
    """What other environment a pattern of buckets is of, by the words in it; empty where it is of none."""
    words = bucket.split("-")
    if own in words:
        return ""
    if "*" in bucket or "?" in bucket:
        return "any environment"
    return next((word for word in words if word in other_environments), "")


def _is_listed(name: str, patterns: Sequence[str]) -> bool:
    return any(fnmatchcase(name, pattern) for pattern in patterns)


@DATA.rule(
    "bucket-shared-as-granted",
    BUCKET_POLICY,
    severity="critical",
    why="Another account's administrators decide who in it uses what they were given.",
    references=("docs/decisions/0007-identity-and-isolation.md",),
    accounts=[],
)
def bucket_shared_as_granted(policy: Resource, parameters: Parameters) -> Violations:
    """Buckets are open to other accounts only where that is granted."""
    own = {account for statement in statements(policy) for account in _accounts(statement.resources)}
    for statement in statements(policy):
        if not statement.allows or _is_for_an_environment(statement):
            continue
        for account in sorted(_accounts(statement.principals) - own - set(parameters["accounts"])):
            yield (
                f"Statement {statement.name} of {where(policy)} lets account {account} in: grant it in "
                "policies/configuration.yaml, or leave it out."
            )


def _accounts(names: Sequence[str]) -> set[str]:
    return {account for name in names for account in re.findall(r"(?<![0-9])[0-9]{12}(?![0-9])", name)}


def _is_for_an_environment(statement: Statement) -> bool:
    """Whether it lets roles of a path in only, `arn:aws:iam::<account>:role/<path>/*`, as settings grant."""
    roles = statement.required.get("aws:principalarn", ())
    return bool(roles) and all(re.search(r"::[0-9]{12}:role/[^*?]+", role) for role in roles)


@DATA.rule(
    "claims-outlive-pods",
    STATEFUL_SET,
    severity="high",
    why="What masters agreed on, and event logs of drivers, would go with a deleted StatefulSet.",
    references=(
        "https://kubernetes.io/docs/concepts/workloads/controllers/statefulset/#persistentvolumeclaim-retention",
    ),
    may_delete=["celeborn-*", "history-server"],
)
def claims_outlive_pods(workload: Resource, parameters: Parameters) -> Violations:
    """The volumes of a StatefulSet outlive it, but for those that only cache."""
    retention = workload.get("spec.persistentVolumeClaimRetentionPolicy.whenDeleted", "Retain")
    if retention == "Delete" and not is_named(workload, parameters["may_delete"]):
        yield f"{where(workload)} takes its volumes along: set whenDeleted to Retain."


@DATA.rule(
    "shuffle-drains",
    STATEFUL_SET,
    severity="high",
    why="A worker that is ended before jobs are done with its data takes it along, and they compute it anew.",
    references=("docs/decisions/0017-celeborn.md", "https://celeborn.apache.org/docs/latest/configuration/"),
    workers=["*celeborn-worker*"],
    at_least_seconds=3600,
)
def shuffle_drains(workers: Resource, parameters: Parameters) -> Violations:
    """Shuffle workers have the time to wait for jobs."""
    seconds = pod_spec(workers).get("terminationGracePeriodSeconds", 30)
    least = parameters["at_least_seconds"]
    known = isinstance(seconds, int | float) and bool(pod_spec(workers))
    if _is_listed(workers.object_name, parameters["workers"]) and known and seconds < least:
        yield (
            f"{where(workers)} gives its pods {seconds} s to end: set terminationGracePeriodSeconds to "
            f"{least} or more."
        )


@DATA.stack_rule(
    "shuffle-replicated",
    STATEFUL_SET,
    STACK,
    severity="critical",
    why="Instance storage is gone with its machine, and with it hours of work that jobs have shuffled.",
    references=("docs/decisions/0017-celeborn.md", "https://celeborn.apache.org/docs/latest/configuration/"),
    workers=["*-celeborn-worker*"],
    instance_storage=["/mnt/k8s-disks/*"],
)
def shuffle_replicated(resources: Sequence[Resource], parameters: Parameters) -> StackViolations:
    """Shuffle data on instance storage is kept twice."""
    outputs = {
        name: value for stack in resources if stack.type == STACK for name, value in stack.inputs.items()
    }
    for workers in resources:
        if workers.type != STATEFUL_SET or not _is_listed(workers.name, parameters["workers"]):
            continue
        paths = [text(at(volume, "hostPath.path")) for volume in sequence(pod_spec(workers).get("volumes"))]
        if not any(_is_listed(path, parameters["instance_storage"]) for path in paths):
            continue
        cluster = workers.name.partition("-celeborn-worker")[0]
        if at(outputs.get(f"shuffle/{cluster}"), "replicate") is False:
            yield (
                workers,
                f"{where(workers)} keeps shuffle data once, on disks that are gone with their machine: set "
                f"clusters.{cluster}.shuffle.replicate to true.",
            )
